// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See program_names.h.
 *
 * Each file is opened once more, by its path: so no descriptor is kept for each of many
 * files, but only for those to which the path did not lead when they were mapped.  If it leads to
 * another file by now, as the build id tells, functions have no names; their file and offset are
 * told anyway.
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <ktrace.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stack_entry.h"
#include "debug_file.h"
#include "program_names.h"
#include "source_place.h"

#define TEXT_MAX ((KT_STACK_MAX - 2) * sizeof(uint64_t))
/* Of a path, so that half of the text at least is for the function. */
#define PATH_SHOWN (TEXT_MAX / 2 - 1)

/* ---- frames --------------------------------------------------------------- */

/*
 * Without their guess bit, frames are moved up by one bit.  Then bit 0 tells that a stack begins
 * there: so the frame is the instruction itself, not the one behind a call.
 */
struct frames {
	uint64_t *words;
	size_t nr, room;
};

static int word_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Sorts them, and keeps each once.  A frame has one name, so the same place as the beginning of a
 * stack is left out.
 */
static void frames_once(struct frames *f)
{
	size_t kept = 0;

	if (f->nr)
		qsort(f->words, f->nr, sizeof(*f->words), word_compare);
	for (size_t i = 0; i < f->nr; i++)
		if (!kept || f->words[i] >> 1 != f->words[kept - 1] >> 1)
			f->words[kept++] = f->words[i];
	f->nr = kept;
}

static int frame_add(struct frames *f, uint64_t word, bool begins)
{
	uint64_t *more;

	word &= ~KT_FRAME_GUESS;
	if (!(word >> KT_FRAME_FILE_SHIFT))
		return 0;
	if (f->nr == f->room)
		frames_once(f);
	if (f->nr * 2 >= f->room) {
		f->room = f->room ? f->room * 2 : 4096;
		more = realloc(f->words, f->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->words = more;
	}
	f->words[f->nr++] = word << 1 | begins;
	return 0;
}

static int frames_find(struct frames *f, const uint8_t *stacks, size_t size)
{
	size_t at = sizeof(struct kt_stacks);
	struct stack_entry entry;
	int err = 0;

	while (!err && stack_entry_next(stacks, size, &at, &entry))
		for (int i = 0; !err && entry.head.kind == KT_STACK_USER &&
				i < entry.head.frames;
		     i++)
			err = frame_add(f, stack_entry_word(&entry, i), !i);
	frames_once(f);
	return err;
}

/* ---- functions of a file -------------------------------------------------- */

struct function {
	uint64_t begin, size;
	const char *name;
};

struct functions {
	int fd, debug_fd; /* negative: not open */
	bool trusted;	  /* the file is root's or ours, of our own mounts */
	int err;	  /* 0, or -errno: no more files could be opened */
	struct debug_server *servers;
	bool asked;  /* these, for this file */
	bool served; /* they have sent the debug file */
	Elf *elf;
	Elf *debug;	      /* its debug file, or its .gnu_debugdata */
	struct function *all; /* by begin */
	size_t nr;
	struct source_places *places; /* NULL: not known */
};

static const struct functions FUNCTIONS_NONE = {.fd = -1, .debug_fd = -1};

/* A .gnu_debugdata has the functions of one file: some 1 % of its size. */
#define DEBUGDATA_MAX (64u << 20)
/* A table, or its names, in a stranger's file. */
#define STRANGER_SECTION_MAX (32u << 20)

static int function_compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

/* libelf reads whole sections: the table, and its names. */
static bool is_small(const struct functions *f, Elf *elf,
		     const GElf_Shdr *table)
{
	bool stranger = f->fd >= 0 && !f->trusted;
	size_t max = stranger ? STRANGER_SECTION_MAX : PROGRAM_SECTION_MAX;
	Elf_Scn *names = elf_getscn(elf, table->sh_link);
	GElf_Shdr header;

	/* Neither is ever compressed; libelf would decompress the names, to any size. */
	return names && gelf_getshdr(names, &header) &&
	       !((table->sh_flags | header.sh_flags) & SHF_COMPRESSED) &&
	       table->sh_size <= max && header.sh_size <= max;
}

static void section_read(struct functions *f, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header)
{
	Elf_Data *data =
		is_small(f, elf, header) ? elf_getdata(section, NULL) : NULL;
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t nr = data && size ? header->sh_size / size : 0;
	struct function *more;
	GElf_Sym symbol;

	more = nr ? realloc(f->all, (f->nr + nr) * sizeof(*more)) : NULL;
	if (!more)
		return;
	f->all = more;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getsym(data, i, &symbol) || !symbol.st_value ||
		    (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
			continue;
		f->all[f->nr].name =
			elf_strptr(elf, header->sh_link, symbol.st_name);
		f->all[f->nr].begin = symbol.st_value;
		f->all[f->nr].size = symbol.st_size;
		f->nr += f->all[f->nr].name != NULL;
	}
}

/* Adds those of the table of this kind.  A file has one, or is made to cost memory. */
static void symbols_read(struct functions *f, Elf *elf, unsigned int kind)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != kind)
			continue;
		section_read(f, elf, section, &header);
		return;
	}
}

/* A trace may be of another kernel, which has another vDSO. */
static bool is_same_image(const struct program_file *file)
{
	unsigned char id[KT_UNWIND_ID_MAX];

	return program_image_id(id) == file->id_size &&
	       !memcmp(id, file->id, file->id_size);
}

/* A server may send anything: only what has the build id of the program is its debug file. */
static int served_open(const struct program_file *file,
		       struct debug_server *servers)
{
	int fd =
		debug_server_find(servers, file->path, file->id, file->id_size);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && st.st_size <= PROGRAM_FILE_MAX &&
	    program_file_same(file, fd))
		return fd;
	close(fd);
	debug_server_refuse(servers, file->path);
	return -ENOENT;
}

/* Root of a container is a stranger, too. */
static bool is_trusted(const struct program_file *file, int fd)
{
	return fd >= 0 && file->kept <= 0 && debug_file_trusted(fd);
}

int program_debug_open(const struct program_file *file, int fd, Elf *elf,
		       struct debug_server *servers, bool *served)
{
	int debug = debug_file_open_id(file->id, file->id_size);

	*served = false;
	if (debug >= 0 && !program_file_same(file, debug)) {
		close(debug);
		debug = -1;
	}
	if (too_many_open(debug))
		return debug;
	/* A stranger's link leads where he wants. */
	if (debug < 0 && is_trusted(file, fd))
		debug = debug_file_open_link(elf, file->path, file->id,
					     file->id_size);
	if (debug < 0 && !too_many_open(debug) && fd >= 0) {
		debug = served_open(file, servers);
		*served = debug >= 0;
	}
	return debug;
}

static void debug_open(struct functions *f, const struct program_file *file)
{
	f->debug_fd = program_debug_open(
		file, f->fd, f->elf, f->asked ? NULL : f->servers, &f->served);
	f->asked = true;
	if (f->debug_fd >= 0)
		f->debug = elf_begin(f->debug_fd, ELF_C_READ, NULL);
	else if (too_many_open(f->debug_fd))
		f->err = f->debug_fd;
}

static Elf_Data *section_find(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *found;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		found = elf_strptr(elf, names, header.sh_name);
		if (found && !strcmp(found, name))
			return header.sh_size <= DEBUGDATA_MAX
				       ? elf_rawdata(section, NULL)
				       : NULL;
	}
	return NULL;
}

/*
 * Opens a file's .gnu_debugdata: a compressed ELF file that has only the functions which are not
 * in the table for the dynamic linker.  libdw decompresses it, to any size: so not one of a
 * stranger.
 */
static void debugdata_open(struct functions *f)
{
	Elf_Data *data =
		f->trusted ? section_find(f->elf, ".gnu_debugdata") : NULL;
	ssize_t size = data ? data->d_size : 0;

	if (size <= 0)
		return;
	f->debug_fd = memfd_create("debugdata", MFD_CLOEXEC);
	if (f->debug_fd < 0 && too_many_open(-errno))
		f->err = -errno;
	if (f->debug_fd >= 0 && write(f->debug_fd, data->d_buf, size) == size)
		f->debug = dwelf_elf_begin(f->debug_fd);
}

static void debug_close(struct functions *f)
{
	elf_end(f->debug);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	f->debug = NULL;
	f->debug_fd = -1;
}

/* The full table, of the file or of its debug file; or what the dynamic linker needs. */
static void functions_read(struct functions *f, const struct program_file *file)
{
	symbols_read(f, f->elf, SHT_SYMTAB);
	if (!f->nr) {
		debug_open(f, file);
		symbols_read(f, f->debug, SHT_SYMTAB);
	}
	if (!f->nr) {
		debug_close(f);
		debugdata_open(f);
		symbols_read(f, f->debug, SHT_SYMTAB);
		symbols_read(f, f->elf, SHT_DYNSYM);
	}
	if (f->nr)
		qsort(f->all, f->nr, sizeof(*f->all), function_compare);
}

/*
 * Of a file or of its debug file, whichever has them.  libdw was not made for files of
 * strangers: it would open whatever path the section .gnu_debugaltlink names.
 */
static void places_open(struct functions *f, const struct program_file *file)
{
	if (!f->trusted)
		return;
	f->places = source_places_open(f->elf);
	if (!f->places && f->debug_fd < 0)
		debug_open(f, file);
	if (!f->places && f->debug &&
	    !(f->served && section_find(f->debug, ".gnu_debugaltlink")))
		f->places = source_places_open(f->debug);
}

static void functions_open(struct functions *f, const struct program_file *file,
			   struct debug_server *servers)
{
	char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);

	*f = FUNCTIONS_NONE;
	f->servers = servers;
	elf_version(EV_CURRENT);
	if (!strcmp(file->path, "[vdso]")) {
		f->elf = vdso && is_same_image(file)
				 ? elf_memory(vdso, sysconf(_SC_PAGESIZE))
				 : NULL;
	} else {
		f->fd = file->kept > 0 ? fcntl(file->kept, F_DUPFD_CLOEXEC, 0)
				       : program_file_open(file->path);
		if (f->fd < 0 && too_many_open(-errno))
			f->err = -errno;
		f->trusted = is_trusted(file, f->fd);
		if (f->fd >= 0 && program_file_same(file, f->fd))
			f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	}
	if (!f->elf)
		return;
	functions_read(f, file);
	places_open(f, file);
}

static void functions_close(struct functions *f)
{
	source_places_close(f->places);
	debug_close(f);
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->all);
}

static bool address_of(const struct functions *f, uint64_t offset,
		       uint64_t *address)
{
	GElf_Phdr segment;
	size_t nr;

	if (!f->elf || elf_getphdrnum(f->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(f->elf, i, &segment) ||
		    segment.p_type != PT_LOAD ||
		    offset - segment.p_offset >= segment.p_filesz)
			continue;
		*address = offset - segment.p_offset + segment.p_vaddr;
		return true;
	}
	return false;
}

/*
 * @back: 1 behind a call, which may be the last instruction of its function; 0 for an
 * instruction itself.  NULL: not known.
 */
static const char *function_find(const struct functions *f, uint64_t offset,
				 uint64_t back, uint64_t *behind)
{
	size_t low = 0, high = f->nr;
	uint64_t address;

	if (!address_of(f, offset - back, &address))
		return NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (f->all[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - f->all[low - 1].begin >= f->all[low - 1].size)
		return NULL;
	*behind = address + back - f->all[low - 1].begin;
	return f->all[low - 1].name;
}

/* ---- entries -------------------------------------------------------------- */

struct entry {
	struct kt_stack head;
	uint64_t frame, behind;
	char text[TEXT_MAX];
};

/* A name that is too long is cut. */
static size_t text_add(struct entry *entry, size_t at, const char *text,
		       size_t max)
{
	size_t length = strnlen(text, max);

	memcpy(entry->text + at, text, length);
	entry->text[at + length] = '\0';
	return at + length + 1;
}

static size_t places_add(const struct functions *functions, uint64_t offset,
			 uint64_t back, char *text, size_t room)
{
	uint64_t address;

	return functions->places &&
			       address_of(functions, offset - back, &address)
		       ? source_place_texts(functions->places, address, text,
					    room)
		       : 0;
}

/* Begins an entry; @name: NULL: not known.  Returns the length of its texts. */
static size_t entry_begin(struct entry *entry, uint64_t frame, const char *name,
			  const struct program_file *file)
{
	size_t length;

	memset(entry, 0, sizeof(*entry));
	entry->frame = frame;
	length = text_add(entry, 0, name ? name : "",
			  TEXT_MAX - strnlen(file->path, PATH_SHOWN) - 2);
	return text_add(entry, length, file->path, PATH_SHOWN);
}

/* @length: of its texts.  Returns its size. */
static size_t entry_end(struct entry *entry, size_t length)
{
	length = (length + sizeof(uint64_t) - 1) / sizeof(uint64_t);
	entry->head.frames = 2 + length;
	entry->head.kind = KT_STACK_NAME;
	return sizeof(entry->head) + entry->head.frames * sizeof(uint64_t);
}

static size_t entry_make(struct entry *entry, uint64_t frame, bool begins,
			 const struct functions *functions,
			 const struct program_file *file)
{
	uint64_t offset = frame & KT_FRAME_PLACE_MASK, behind = 0;
	const char *name = function_find(functions, offset, !begins, &behind);
	size_t length = entry_begin(entry, frame, name, file);

	entry->behind = behind;
	length += places_add(functions, offset, !begins, entry->text + length,
			     TEXT_MAX - length);
	return entry_end(entry, length);
}

/* ---- all of them ---------------------------------------------------------- */

struct names {
	struct program_tables *tables;
	struct frames frames;
	struct entry entry;
	size_t left; /* functions of code that was made */
	int missing; /* 0, or why names of some files are */
	int (*put)(void *data, const void *bytes, size_t size);
	void *data;
};

/* The frames of one file, behind each other. */
struct run {
	const struct program_file *file;
	const uint64_t *words;
	size_t nr;
};

static struct run run_find(const struct names *names, size_t first)
{
	const uint64_t *words = names->frames.words + first;
	size_t number = words[0] >> 1 >> KT_FRAME_FILE_SHIFT;
	struct run run = {.words = words};

	while (first + run.nr < names->frames.nr &&
	       words[run.nr] >> 1 >> KT_FRAME_FILE_SHIFT == number)
		run.nr++;
	if (number < names->tables->nr)
		run.file = names->tables->files[number];
	return run;
}

static int file_put(struct names *names, const struct run *run)
{
	struct functions functions;
	size_t length;
	int err = 0;

	names->tables->nr_unkept += run->file->kept < 0;
	functions_open(&functions, run->file, names->tables->servers);
	for (size_t i = 0; !err && i < run->nr; i++) {
		length = entry_make(&names->entry, run->words[i] >> 1,
				    run->words[i] & 1, &functions, run->file);
		err = names->put(names->data, &names->entry, length);
	}
	if (functions.err)
		names->missing = functions.err;
	functions_close(&functions);
	return err;
}

/* The file in which a process tells what code it makes: such processes map it. */
static const char *dump_find(const struct program_tables *tables,
			     const struct jit_process *maker)
{
	const struct program_file *file;
	const char *base;
	char name[32];

	snprintf(name, sizeof(name), "jit-%d.dump", (int)maker->named);
	for (size_t i = 0; i < tables->nr; i++) {
		file = tables->files[i];
		base = file && file->pid == maker->pid
			       ? strrchr(file->path, '/')
			       : NULL;
		if (base && !strcmp(base + 1, name))
			return file->path;
	}
	return NULL;
}

static int code_put(struct names *names, const struct run *run)
{
	struct jit_frame *frames = calloc(run->nr, sizeof(*frames));
	const struct jit_process *maker = &run->file->maker;
	struct entry *entry = &names->entry;
	uint64_t place;
	size_t length;
	int err = frames ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < run->nr; i++) {
		place = run->words[i] >> 1 & KT_FRAME_PLACE_MASK;
		frames[i].address = place - !(run->words[i] & 1);
	}
	if (!err && maker->pid)
		jit_names_find(maker, dump_find(names->tables, maker), frames,
			       run->nr, &names->left);
	for (size_t i = 0; !err && i < run->nr; i++) {
		place = run->words[i] >> 1 & KT_FRAME_PLACE_MASK;
		length = entry_begin(entry, run->words[i] >> 1, frames[i].name,
				     run->file);
		if (frames[i].name)
			entry->behind = place - frames[i].begin;
		err = names->put(names->data, entry, entry_end(entry, length));
	}
	for (size_t i = 0; frames && i < run->nr; i++)
		free(frames[i].name);
	free(frames);
	return err;
}

int program_names(struct program_tables *tables, const void *stacks,
		  size_t size,
		  int (*put)(void *data, const void *bytes, size_t size),
		  void *data)
{
	struct names *names = calloc(1, sizeof(*names));
	struct run run;
	int err;

	if (!names)
		return -ENOMEM;
	names->tables = tables;
	names->left = JIT_FUNCTIONS_MAX;
	names->put = put;
	names->data = data;
	err = frames_find(&names->frames, stacks, size);
	for (size_t i = 0; !err && i < names->frames.nr; i += run.nr) {
		run = run_find(names, i);
		if (run.file)
			err = run.file->code ? code_put(names, &run)
					     : file_put(names, &run);
	}
	err = err ?: names->missing;
	free(names->frames.words);
	free(names);
	return err;
}
