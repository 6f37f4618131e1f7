// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of frames in this program itself, and in copies of it that have their names elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <ktrace.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "check.h"
#include "symbol/program_names.h"
#include "symbol/unwind_file.h"

#define NUMBER 1

static struct program_file self = {.number = NUMBER, .path = "/proc/self/exe"};
static struct program_file *files[] = {NULL, &self};
static struct program_tables tables = {.files = files, .nr = 2};

static char
	texts[1024]; /* of the last entry: the function, the file, and more */
static const char *const name = texts;
static uint64_t frame, behind;
static int entries;

/* As long as names of C++ become: 10 * 9 * 10 letters. */
#define TEN(text)  text text text text text text text text text text
#define NINE(text) text text text text text text text text text
#define LONG	   "_ZN900" TEN(NINE("a_long_one")) "Ev"

int names_one(void);
int names_two(void);
int names_long(void) __asm__(LONG);

noinline int names_one(void)
{
	return entries;
}

noinline int names_two(void)
{
	return entries + 1;
}

noinline int names_long(void)
{
	return entries + 2;
}

static int put(void *data, const void *bytes, size_t size)
{
	const uint64_t *words = bytes;

	(void)data;
	entries++;
	frame = words[1];
	behind = words[2];
	size -= 3 * sizeof(*words);
	CHECK(size < sizeof(texts));
	memset(texts, 0, sizeof(texts));
	memcpy(texts, words + 3, size);
	return 0;
}

/* Where the function lies in a program's file. */
static uint64_t offset_in(const char *path, const char *function,
			  GElf_Sym *its_symbol)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr header, text;
	uint64_t found = 0;
	GElf_Sym symbol;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (section = elf_nextscn(elf, section))) {
		gelf_getshdr(section, &header);
		if (header.sh_type != SHT_SYMTAB)
			continue;
		for (size_t i = 0; i < header.sh_size / header.sh_entsize;
		     i++) {
			gelf_getsym(elf_getdata(section, NULL), i, &symbol);
			if (strcmp(elf_strptr(elf, header.sh_link,
					      symbol.st_name),
				   function))
				continue;
			gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &text);
			found = symbol.st_value - text.sh_addr + text.sh_offset;
			*its_symbol = symbol;
		}
	}
	elf_end(elf);
	close(fd);
	CHECK(found);
	return found;
}

static uint64_t offset_of(const char *function)
{
	GElf_Sym symbol;

	return offset_in("/proc/self/exe", function, &symbol);
}

static void self_identify(void)
{
	int fd = open(self.path, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	self.id_size = unwind_build_id(fd, self.id);
	close(fd);
}

/* Names one stack of a program. */
static void stack_name(const uint64_t *frames, unsigned int nr)
{
	struct {
		struct kt_stacks file;
		struct kt_stack head;
		uint64_t frames[4];
	} stacks = {
		.head = {.frames = nr, .kind = KT_STACK_USER},
	};

	for (unsigned int i = 0; i < nr; i++)
		stacks.frames[i] =
			(uint64_t)NUMBER << KT_FRAME_FILE_SHIFT | frames[i];
	entries = 0;
	self_identify();
	CHECK_EQ(program_names(&tables, &stacks,
			       sizeof(stacks.file) + sizeof(stacks.head) +
				       nr * sizeof(*frames),
			       put, NULL),
		 0);
}

/* A page fault, or an interrupt, may come at a function's first instruction. */
TEST(a_stack_begins_at_an_instruction)
{
	const uint64_t at[] = {offset_of("names_one"), offset_of("names_two")};

	for (int i = 0; i < 2; i++) {
		stack_name(&at[i], 1);
		CHECK_EQ(entries, 1);
		CHECK(!strcmp(name, i ? "names_two" : "names_one"));
		CHECK_EQ(behind, 0);
	}
}

/* What never returns may be called by the last instruction of a function. */
TEST(other_frames_are_behind_a_call)
{
	const uint64_t at = offset_of("names_two");
	uint64_t frames[] = {offset_of("main"), at};

	stack_name(frames, 2);
	CHECK_EQ(entries, 2);
	frames[0] = at + 1;
	stack_name(frames, 2);
	/* The last entry is the highest address. */
	CHECK(!strcmp(name, "names_two"));
	CHECK_EQ(behind, 1);
	frames[0] = at - 1;
	stack_name(frames, 2);
	CHECK(strcmp(name, "names_two"));
	/* Both: one name each, and the last entry is that of the instruction. */
	frames[0] = at;
	stack_name(frames, 2);
	CHECK_EQ(entries, 2);
	CHECK(!strcmp(name, "names_two"));
	CHECK(frame & KT_FRAME_GUESS);
}

/* If it is cut, it cannot be demangled. */
TEST(a_long_name_is_whole)
{
	const uint64_t at = offset_of(LONG);

	stack_name(&at, 1);
	CHECK_STR(name, LONG);
}

/* ---- while a recording goes on --------------------------------------------------- */

/* Names what has come since: one stack.  Returns how many names there are. */
static int early_name(struct program_names_early *early, const uint64_t *frames,
		      unsigned int nr, uint64_t number)
{
	struct {
		struct kt_stack head;
		uint64_t frames[4];
	} stack = {
		.head = {.frames = nr, .kind = KT_STACK_USER},
	};

	for (unsigned int i = 0; i < nr; i++)
		stack.frames[i] = number << KT_FRAME_FILE_SHIFT | frames[i];
	entries = 0;
	CHECK_EQ(program_names_early(early, &tables, &stack,
				     sizeof(stack.head) + nr * sizeof(*frames),
				     put, NULL),
		 0);
	return entries;
}

TEST(each_frame_is_named_once)
{
	struct program_names_early *early = program_names_early_create();
	const uint64_t at = offset_of("names_two"),
		       frames[] = {offset_of("main"), at};

	self_identify();
	CHECK_EQ(early_name(early, &at, 1, NUMBER), 1);
	CHECK_STR(name, "names_two");
	/* It may be behind a call, too: that is another function. */
	CHECK(frame & KT_FRAME_GUESS);
	CHECK_EQ(early_name(early, &at, 1, NUMBER), 0);
	CHECK_EQ(early_name(early, frames, 2, NUMBER), 2);
	CHECK_EQ(early_name(early, frames, 2, NUMBER), 0);
	program_names_early_destroy(early);
}

TEST(a_file_may_be_told_later)
{
	struct program_names_early *early = program_names_early_create();
	const uint64_t at = offset_of("names_one");

	self_identify();
	tables.nr = 1;
	CHECK_EQ(early_name(early, &at, 1, NUMBER), 0);
	tables.nr = 2;
	entries = 0;
	CHECK_EQ(program_names_early(early, &tables, NULL, 0, put, NULL), 0);
	CHECK_EQ(entries, 1);
	CHECK_STR(name, "names_one");
	program_names_early_destroy(early);
}

/* The process says what its code is called when it has run already. */
TEST(code_may_be_told_later)
{
	struct program_names_early *early = program_names_early_create();
	struct program_file code = {
		.number = NUMBER, .path = "[jit]", .code = true};
	const uint64_t at = 0x1234;

	files[NUMBER] = &code;
	CHECK_EQ(early_name(early, &at, 1, NUMBER), 0);
	CHECK_EQ(early_name(early, &at, 1, NUMBER), 0);
	files[NUMBER] = &self;
	program_names_early_destroy(early);
}

/* ---- stripped ----------------------------------------------------------------- */

static char folder[] = "/tmp/ktrace-names-XXXXXX", exe[PATH_MAX];

static void run(const char *what)
{
	char command[8192];

	snprintf(command, sizeof(command),
		 "cd %s && exe=%s && exec 2>/dev/null && %s", folder, exe,
		 what);
	CHECK_EQ(system(command), 0);
}

static void clean(void)
{
	if (*exe)
		run("rm -r $PWD");
}

/* Runs these commands in an empty folder; then the file `bare' is what has frames. */
static void bare_make(const char *commands)
{
	static char path[PATH_MAX];

	if (!*exe) {
		CHECK(mkdtemp(folder));
		CHECK(realpath("/proc/self/exe", exe));
		atexit(clean);
	}
	run("rm -rf * .debug");
	run(commands);
	snprintf(path, sizeof(path), "%s/bare", folder);
	self.path = path;
}

static bool is_named(const char *function)
{
	uint64_t at = offset_of(function);

	stack_name(&at, 1);
	CHECK_EQ(entries, 1);
	return !strcmp(name, function);
}

#define STRIP "objcopy --strip-all $exe bare && "
/* Without build id, so that only the checksum tells. */
#define STRIP_ID "objcopy --strip-all -R .note.gnu.build-id $exe bare && "
#define DEBUG	 "objcopy --only-keep-debug $exe names.debug && "
#define LINK	 "objcopy --add-gnu-debuglink=names.debug bare"

TEST(stripped)
{
	bare_make(STRIP "true");
	CHECK(!is_named("names_one"));
}

/* The debug file is where a link in the program says. */
TEST(linked)
{
	static const char *const commands[] = {
		STRIP DEBUG LINK,
		STRIP DEBUG LINK " && mkdir .debug && mv names.debug .debug",
		STRIP_ID DEBUG LINK,
		STRIP_ID DEBUG LINK " && mkdir .debug && mv names.debug .debug",
	};

	for (int i = 0; i < 4; i++) {
		bare_make(commands[i]);
		CHECK(is_named("names_one"));
		CHECK_EQ(!self.id_size, i >= 2);
		CHECK(is_named("names_two"));
	}
}

/* It does not belong to the program: another checksum, another build id, or another name. */
TEST(linked_to_another)
{
	bare_make(STRIP_ID DEBUG LINK " && echo >>names.debug");
	CHECK(!is_named("names_one"));
	bare_make(STRIP DEBUG LINK
		  " && objcopy -R .note.gnu.build-id names.debug");
	CHECK(!is_named("names_one"));
	bare_make(STRIP DEBUG LINK " && mv names.debug other.debug");
	CHECK(!is_named("names_one"));
}

/* Opening a device may have effects, so what is no file is not opened. */
TEST(linked_to_what_is_no_file)
{
	char path[PATH_MAX + 16], events[4096];
	int watch = inotify_init1(IN_NONBLOCK);

	bare_make(
		STRIP DEBUG LINK
		" && rm names.debug && mkfifo fifo && ln -s fifo names.debug");
	snprintf(path, sizeof(path), "%s/fifo", folder);
	CHECK(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	CHECK(!is_named("names_one"));
	CHECK(read(watch, events, sizeof(events)) < 0 && errno == EAGAIN);
	close(open(path, O_RDONLY | O_NONBLOCK));
	CHECK(read(watch, events, sizeof(events)) > 0);
	close(watch);
}

/* The program has names that are compressed. */
TEST(debugdata)
{
	static const char *const broken[] = {
		"head -c 2000 mini.xz >cut",
		": >cut",
		"head -c 100000 /dev/zero | xz >cut",
		"head -c 5000 /dev/urandom >cut",
	};
	char commands[1024];

	bare_make(STRIP "strip -g -o mini $exe && xz mini && "
			"objcopy --add-section .gnu_debugdata=mini.xz bare");
	CHECK(is_named("names_one"));
	CHECK(is_named("names_two"));
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		snprintf(commands, sizeof(commands),
			 STRIP "strip -g -o mini $exe && xz mini && %s && "
			       "objcopy --add-section .gnu_debugdata=cut bare",
			 broken[i]);
		bare_make(commands);
		CHECK(!is_named("names_one"));
	}
}

/* ---- places in the source --------------------------------------------------- */

#define SOURCE                                                             \
	"volatile int sink;\n"                                             \
	"#ifdef NAMESPACE\n"                                               \
	"namespace space {\n"                                              \
	"#endif\n"                                                         \
	"static inline __attribute__((always_inline)) int inner(int a)\n"  \
	"{\n"                                                              \
	"\tsink = a;\n"                                                    \
	"\treturn sink * 3;\n"                                             \
	"}\n"                                                              \
	"static inline __attribute__((always_inline)) int middle(int a)\n" \
	"{\n"                                                              \
	"\tfor (int i = 0; i < a; i++)\n"                                  \
	"\t\tsink = sink + inner(i);\n"                                    \
	"\tsink = sink + 1;\n"                                             \
	"\treturn inner(sink) + 1;\n"                                      \
	"}\n"                                                              \
	"#ifdef __cplusplus\n"                                             \
	"extern \"C\"\n"                                                   \
	"#endif\n"                                                         \
	"__attribute__((noinline)) int outer(int a)\n"                     \
	"{\n"                                                              \
	"\tsink = 2;\n"                                                    \
	"\tif (a > 5) {\n"                                                 \
	"\t\tint b = middle(a);\n"                                         \
	"\t\tsink = sink + b;\n"                                           \
	"\t}\n"                                                            \
	"\treturn inner(a) + sink;\n"                                      \
	"}\n"                                                              \
	"#ifdef NAMESPACE\n"                                               \
	"}\n"                                                              \
	"using namespace space;\n"                                         \
	"#endif\n"                                                         \
	"int main(int argc, char **argv)\n"                                \
	"{\n"                                                              \
	"\treturn outer(argc);\n"                                          \
	"}\n"

/* Behind the names of the function and of the file. */
enum { POSITION = 2, INLINED };

static const char *text_at(int nr)
{
	const char *at = texts;

	while (nr--)
		at += strlen(at) + 1;
	return at;
}

/* addr2line takes names and lines of others where a function has several ranges, as by clang. */
#define ADDR2LINE "addr2line -i -f -e "
#define LLVM                                                          \
	"llvm-symbolizer --inlines --no-demangle --output-style=GNU " \
	"--obj="

static void line_compare(FILE *said, const char *wanted)
{
	char line[PATH_MAX];

	CHECK(fgets(line, sizeof(line), said));
	/* Behind it there may be "(discriminator 2)". */
	line[strcspn(line, " \n")] = '\0';
	CHECK_STR(line, wanted);
}

/* Compares what the entry has with what the judge says. */
static void place_compare(FILE *said)
{
	int at = POSITION;

	for (; *text_at(at + 1); at += 2) {
		line_compare(said, text_at(at + 1));
		line_compare(said, text_at(at));
	}
	line_compare(said, name);
	line_compare(said, text_at(at));
}

/* All addresses of a function at once.  */
static FILE *judge_ask(const char *judge, const GElf_Sym *function)
{
	static char command[65536];
	size_t size =
		snprintf(command, sizeof(command), "%s%s", judge, self.path);
	FILE *said;

	for (uint64_t i = 0; i < function->st_size; i++) {
		CHECK(size + 32 < sizeof(command));
		size += snprintf(command + size, 32, " %#llx",
				 (unsigned long long)(function->st_value + i));
	}
	said = popen(command, "r");
	CHECK(said);
	return said;
}

/*
 * Returns how many instructions are in a function that was inlined.  @calls: the frames are those
 * of calls, one byte behind; a frame at the file's beginning is before them.
 */
static int frames_compare(const char *judge, bool calls)
{
	GElf_Sym symbol;
	uint64_t begin = offset_in(self.path, "outer", &symbol), at[2] = {0};
	FILE *said = judge_ask(judge, &symbol);
	int inlined = 0;

	for (uint64_t i = 0; i < symbol.st_size; i++) {
		at[calls] = begin + i + calls;
		stack_name(at, 1 + calls);
		CHECK_EQ(entries, 1 + calls);
		place_compare(said);
		inlined += strstr(text_at(INLINED), "inner") != NULL;
	}
	CHECK_EQ(fgetc(said), EOF);
	CHECK_EQ(pclose(said), 0);
	return inlined;
}

static void built_with(const char *compiler, const char *language,
		       const char *options, const char *judge)
{
	char commands[4096];

	snprintf(commands, sizeof(commands),
		 "cat >source.c <<'END'\n" SOURCE "END\n"
		 "%s -O2 %s -Wl,--build-id -o bare -x %s source.c",
		 compiler, options, language);
	bare_make(commands);
	CHECK(frames_compare(judge, false) > 10);
	CHECK(frames_compare(judge, true) > 10);
}

TEST(inlined_functions_and_lines)
{
	built_with("cc", "c", "-gdwarf-5", ADDR2LINE);
	built_with("cc", "c", "-gdwarf-4", ADDR2LINE);
	built_with("cc", "c", "-gdwarf-5 -gz", ADDR2LINE);
	built_with("cc", "c", "-g -ffunction-sections -fno-pie -no-pie",
		   ADDR2LINE);
	built_with("cc", "c", "-g -flto", LLVM);
	built_with("clang", "c", "-g", LLVM);
}

/* A function is written in its namespace there. */
TEST(inlined_functions_of_namespaces)
{
	built_with("g++", "c++", "-g -DNAMESPACE", LLVM);
	built_with("clang++", "c++", "-g -DNAMESPACE", LLVM);
}

CHECK_MAIN
