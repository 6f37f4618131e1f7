// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Print formats from unknown sources.  Whatever they contain, each event is shown in a line
 * of its own, without control characters, and the process that shows them survives.
 *
 * FORMATS=N in the environment tests N more random formats.
 */
#include <ctype.h>
#include <unistd.h>

#include <json-c/json.h>

#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "shown.h"

#define EVENTS 40

static char *metadata_lines; /* of the trace that is changed */
static char *stream;
static size_t stream_size;

static char *file_read(const char *directory, const char *name, size_t *size)
{
	char path[256], *text;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "r");
	CHECK(f);
	text = calloc(1, 1 << 20);
	CHECK(text);
	*size = fread(text, 1, (1 << 20) - 1, f);
	fclose(f);
	return text;
}

static void make(void)
{
	struct maker_kmalloc mem = {.ptr = 1, .bytes_req = 100};
	struct maker_plain plain = {.state = 1};
	char directory[64] = "/tmp/ktrace-formats-XXXXXX", command[128];
	struct maker *maker;
	size_t size;

	if (stream)
		return;
	CHECK(mkdtemp(directory));
	maker = maker_create(directory, 1, 8, false, 9);
	CHECK(maker);
	for (int i = 0; i < EVENTS; i++) {
		maker_time(maker, 5000000000000ull + i * 1000);
		mem.bytes_alloc = i - 20;
		if (i % 2)
			maker_event(maker, 0, MAKER_PLAIN, &plain,
				    sizeof(plain));
		else
			maker_event(maker, 0, MAKER_KMALLOC, &mem, sizeof(mem));
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	metadata_lines = file_read(directory, "metadata", &size);
	stream = file_read(directory, "cpu0", &stream_size);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	CHECK_EQ(system(command), 0);
}

/* The metadata, with another format for one event; the caller frees it. */
static char *metadata_with(const char *event, const char *format)
{
	char *copy = strdup(metadata_lines), *next = copy, *line, *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	while ((line = strsep(&next, "\n")) && *line) {
		struct json_object *o = json_tokener_parse(line), *name;

		if (json_object_object_get_ex(o, "name", &name) &&
		    !strcmp(json_object_get_string(name), event))
			json_object_object_add(o, "print",
					       json_object_new_string(format));
		fprintf(f, "%s\n",
			json_object_to_json_string_ext(o,
						       JSON_C_TO_STRING_PLAIN));
		json_object_put(o);
	}
	fclose(f);
	free(copy);
	return text;
}

/* The output of format kernel; the caller frees it. */
static char *shown(const char *event, const char *format)
{
	char *metadata = metadata_with(event, format), *text;
	const struct ktrace_memory head = {metadata, strlen(metadata)};
	const struct ktrace_memory cpu0 = {stream, stream_size};
	struct ktrace *trace;

	CHECK_EQ(ktrace_open_memory(&head, &cpu0, 1, &trace), 0);
	text = shown_of(trace, "kernel", NULL, NULL);
	ktrace_close(trace);
	free(metadata);
	return text;
}

/* Each event is shown, in a line without control characters. */
static void check_whole(const char *text, const char *format)
{
	int lines = 0;

	for (const char *s = text; *s; s++) {
		unsigned char c = *s;

		lines += c == '\n';
		if (c != '\n' && c != '\t' && !isprint(c))
			check_fail("byte %#x, of %.200s", c, format);
	}
	if (lines != EVENTS)
		check_fail("%d lines of %.200s", lines, format);
}

static void check_format(const char *format)
{
	char *text;

	make();
	text = shown("kmalloc", format);
	check_whole(text, format);
	/* Other events are printed as usual. */
	CHECK(strstr(text, " cpu_idle: state=1 cpu_id=0\n"));
	free(text);
}

TEST(good_ones_are_used)
{
	char *text;

	make();
	text = shown("kmalloc", "\"all=%d\", (int)REC->bytes_alloc");
	check_whole(text, "");
	CHECK(strstr(text, " kmalloc: all=18\n"));
	free(text);
}

TEST(division_by_zero)
{
	char *text;

	check_format("\"%d\", REC->bytes_req / 0");
	check_format("\"%d\", REC->bytes_req % 0");
	/* Only some events fail: those before are printed as the format says. */
	text = shown("kmalloc",
		     "\"part=%lu\", REC->bytes_req / REC->bytes_alloc");
	check_whole(text, "");
	CHECK(strstr(text, " kmalloc: part="));
	CHECK(strstr(text, " kmem:kmalloc: "));
	free(text);
}

TEST(addresses_and_indices)
{
	check_format("\"%s\", (char *)REC->ptr");
	check_format("\"%s\", (char *)1");
	check_format("\"%d\", REC->ptr[1000000000]");
	check_format("\"%d\", *(int *)(REC->ptr)");
	check_format("\"%s\", __print_hex(REC->ptr, 1000000)");
	check_format("\"%s\", __print_array(REC->ptr, 1000000, 8)");
	check_format("\"%s\", __get_str(ptr)");
	/* This would take long. */
	check_format("\"%2000000000d\", 1");
}

TEST(control_characters)
{
	check_format("\"a\\033]0;title\\007b\"");
	check_format("\"a\033]0;title\007b\"");
	check_format("\"\302\2331m\"");
	check_format("\"\n\nb\r\177\"");
}

TEST(depth)
{
	size_t n = 300000;
	char *format = malloc(n + 64), *p;

	p = format + sprintf(format, "\"%%d\", ");
	memset(p, '(', n);
	strcpy(p + n, "1");
	check_format(format);
	p = format + sprintf(format, "\"%%d\", ");
	memset(p, '~', n);
	strcpy(p + n, "1");
	check_format(format);
	free(format);
}

/* ---- random ones ---------------------------------------------------------- */

static const char *const conversions[] = {
	"%d",	"%s",	  "%lu",  "%p",	    "%pS",   "%*d",    "%.*s", "%pM",
	"%pI4", "%pI6c",  "%*ph", "%pU",    "%c",    "%x",     "%llu", "%%",
	"%-9s", "%099lx", "%pB",  "%pISpc", "%n",    "%08.3s", "%",    "%hhd",
	"%zu",	"%pf",	  "%pNF", "%*pbl",  "%p4cc", "%g",     "\\n",  "\"\"",
};

static const char *const fields[] = {
	"REC->ptr",
	"REC->call_site",
	"REC->bytes_req",
	"REC->node",
	"REC->none",
	"REC",
	"0",
	"1",
	"-1",
	"\"text\"",
	"'c'",
	"0xffffffffffffffff",
	"sizeof(long)",
	"((char *)0)",
	"jiffies",
	"",
};

static const char *const shapes[] = {
	"(@ / @)",
	"(@ % @)",
	"(@ + @)",
	"(@ << @)",
	"@[@]",
	"((char *)@)[@]",
	"*(int *)@",
	"(@ ? @ : @)",
	"~@",
	"-@",
	"!@",
	"(@)",
	"((u64)@)",
	"(@ && @)",
	"(@ == @)",
	"__get_str(ptr)",
	"__get_str(@)",
	"__get_dynamic_array(ptr)",
	"__get_dynamic_array_len(node)",
	"__print_flags(@, \"|\", { @, \"A\" }, { 0x4, \"B\" })",
	"__print_symbolic(@, { @, \"A\" }, { 1, \"B\" })",
	"__print_hex(@, @)",
	"__print_hex_str(@, @)",
	"__print_array(@, @, @)",
	"__get_bitmask(ptr)",
	"__get_cpumask(node)",
	"__builtin_expect(@, @)",
	"__get_sockaddr(@)",
	"strlen(@)",
	"@->ptr",
	"__get_rel_str(ptr)",
	"__print_ns_to_secs(@)",
	"(@, @)",
	"{ @ }",
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static void put_expression(FILE *f, int depth)
{
	const char *s = fields[rnd(NR(fields))];

	if (depth && rnd(3))
		s = shapes[rnd(NR(shapes))];
	for (; *s; s++) {
		if (*s == '@')
			put_expression(f, depth - 1);
		else
			putc(*s, f);
	}
}

static char *format_make(void)
{
	int n = 1 + rnd(4), i;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	putc('"', f);
	for (i = 0; i < n; i++)
		fputs(conversions[rnd(NR(conversions))], f);
	putc('"', f);
	for (i = 0; i < n; i++) {
		fputs(", ", f);
		put_expression(f, 3);
	}
	fclose(f);
	/* In some formats, a character or two are missing. */
	for (i = rnd(4); i > 2; i--)
		memmove(text + size / 2, text + size / 2 + 1, size / 2);
	return text;
}

TEST(random)
{
	const char *more = getenv("FORMATS");
	int n = more ? atoi(more) : 600;

	for (int i = 0; i < n; i++) {
		char *format = format_make();

		if (more)
			fprintf(stderr, "%d: %s\n", i, format);
		check_format(format);
		free(format);
	}
}

CHECK_MAIN
