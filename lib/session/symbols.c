// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The functions of the kernel, as lines "ADDRESS NAME [MODULE]".
 *
 * /proc/kallsyms has them all, but printing and parsing it takes 450 million instructions,
 * and a part of it cannot be read.  Those of the kernel's image stay as they are until the
 * next boot, so they are kept in a file (kernel/cache.h), packed: a trace has them as they
 * are there.  The control tree's file
 * `symbols' has the others, and says whether we may see addresses at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/packed.h"
#include "base/text.h"
#include "kernel/cache.h"
#include "session.h"

/* Addresses are secrets (KASLR), so only root may read them. */
#define CACHE_NAME "symbols"
#define CACHE_MODE 0600
/* Of those of the image, unpacked. */
#define IMAGE_MAX (256u << 20)

/* An address has 16 digits, so lines sort as text. */
#define DIGITS 16

/* ---- from /proc/kallsyms -------------------------------------------------- */

/*
 * /proc/kallsyms is sorted except for modules and a few sections.  It is sorted
 * here, so that a reader can search in it.
 */
struct symbol {
	uint64_t address;
	const char *name;
	uint32_t length;
	uint32_t module_length; /* of the name in brackets after it */
};

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Parses "ffffffff81000000 T _text" or "ffffffffc0000000 t probe\t[module]".
 * There are some 200000 lines, so not by sscanf().  False: no function, or its
 * address is hidden.
 */
static bool symbol_parse(const char *line, struct symbol *symbol)
{
	const char *end;

	symbol->address = hex_read(line, &end);
	if (!symbol->address || end[0] != ' ' || !end[1] ||
	    !strchr("tTwW", end[1]) || end[2] != ' ')
		return false;
	symbol->name = end + 3;
	symbol->length = strcspn(symbol->name, " \t\n");
	line = symbol->name + symbol->length;
	line += strspn(line, " \t");
	symbol->module_length = *line == '[' ? strcspn(line + 1, "]\n") : 0;
	return symbol->length;
}

/* @image: only those of the kernel's image. */
static int symbols_parse(const char *text, bool image, struct symbol **symbols,
			 size_t *count)
{
	size_t n = 0, room = 0;
	struct symbol *list = NULL;

	while (*text) {
		if (n == room) {
			struct symbol *more;

			room = room ? room * 2 : 65536;
			more = realloc(list, room * sizeof(*list));
			if (!more)
				break;
			list = more;
		}
		n += symbol_parse(text, &list[n]) &&
		     !(image && list[n].module_length);
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
	qsort(list, n, sizeof(*list), symbol_compare);
	*symbols = list;
	*count = n;
	return n ? 0 : -ENODATA;
}

static void text_symbol(struct text *text, const struct symbol *symbol)
{
	static const char hex[] = "0123456789abcdef";
	const char *module = symbol->name + symbol->length;
	char address[17];

	for (int i = 0; i < 16; i++)
		address[i] = hex[symbol->address >> (60 - 4 * i) & 15];
	address[16] = ' ';
	text_add(text, address, sizeof(address));
	text_add(text, symbol->name, symbol->length);
	if (symbol->module_length) {
		text_add(text, " ", 1);
		text_add(text, strchr(module, '[') + 1, symbol->module_length);
	}
	text_add(text, "\n", 1);
}

/* Adds the functions of /proc/kallsyms; @image: only those of the kernel's image. */
static int kallsyms_read(struct text *text, bool image)
{
	struct symbol *symbols = NULL;
	size_t count = 0, room = 0;
	char *all = NULL;
	FILE *file;
	int err;

	file = fopen("/proc/kallsyms", "re");
	if (!file)
		return error_set(-errno, "/proc/kallsyms: %s", strerror(errno));
	/* The file has no NUL, so this reads all of it. */
	err = getdelim(&all, &room, '\0', file) > 0
		      ? symbols_parse(all, image, &symbols, &count)
		      : -ENODATA;
	fclose(file);
	for (size_t i = 0; !err && i < count; i++)
		text_symbol(text, &symbols[i]);
	free(symbols);
	free(all);
	if (err)
		return error_set(err, "/proc/kallsyms shows no addresses: "
				      "see the sysctl kernel.kptr_restrict");
	return text->failed ? error_set(-ENOMEM, "out of memory") : 0;
}

/* ---- the kernel's image, and the others ----------------------------------- */

/* Appends the functions, which @functions has, packed. */
static int pack(struct text *text, const struct text *functions)
{
	packed_add(text, functions->s, functions->len);
	return text->failed ? error_set(-ENOMEM, "out of memory") : 0;
}

/* Those of the kernel's image, packed. */
static int image_read(struct text *text)
{
	struct text functions = {0};
	size_t size;
	char *image;
	int err;

	if (!cache_read(&cache_kernel, CACHE_NAME, &image, &size)) {
		*text = (struct text){
			.s = image, .len = size, .room = size + 1};
		return 0;
	}
	err = kallsyms_read(&functions, true);
	err = err ?: pack(text, &functions);
	text_free(&functions);
	if (!err)
		cache_write(&cache_kernel, CACHE_NAME, CACHE_MODE, text->s,
			    text->len);
	return err;
}

static int image_expand(struct text *text)
{
	size_t size = text->len;
	int err = packed_expand(&text->s, &size, IMAGE_MAX);

	if (err)
		return error_set(err, "the kernel's functions: %s",
				 strerror(-err));
	text->len = size;
	text->room = size + 1;
	return 0;
}

/* A line of the text, with its address as a number: comparing texts takes longer. */
struct line {
	uint64_t address;
	const char *text;
};

/* Of lower-case hexadecimal digits.  strtoull() takes four times as long. */
static uint64_t address_read(const char *p)
{
	uint64_t address = 0;

	for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
		address = address << 4 | (*p <= '9' ? *p - '0' : *p - 'a' + 10);
	return address;
}

/*
 * Sorts by one byte of the addresses; those with the same one stay in their order.  False: all
 * have the same one, and @to has nothing.
 */
static bool lines_sort_byte(const struct line *from, size_t nr,
			    unsigned int shift, struct line *to)
{
	size_t begin[256] = {0}, sum = 0;

	for (size_t i = 0; i < nr; i++)
		begin[from[i].address >> shift & 255]++;
	if (begin[from[0].address >> shift & 255] == nr)
		return false;
	for (unsigned int i = 0; i < 256; i++) {
		size_t count = begin[i];

		begin[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < nr; i++)
		to[begin[from[i].address >> shift & 255]++] = from[i];
	return true;
}

/* The lines of @text, sorted; those of one address stay in their order.  NULL: no memory. */
static struct line *lines_sort(const char *text, size_t *nr)
{
	struct line *lines, *spare;
	const char *p;
	size_t room = 0;

	for (p = text; (p = strchr(p, '\n')); p++)
		room++;
	lines = calloc(room + 1, sizeof(*lines));
	spare = calloc(room + 1, sizeof(*spare));
	for (p = text; lines && *nr < room; p = strchr(p, '\n') + 1)
		lines[(*nr)++] = (struct line){address_read(p), p};
	for (unsigned int shift = 0; lines && spare && *nr && shift < 64;
	     shift += 8) {
		struct line *sorted = spare;

		if (!lines_sort_byte(lines, *nr, shift, sorted))
			continue;
		spare = lines;
		lines = sorted;
	}
	if (!spare) {
		free(lines);
		return NULL;
	}
	free(spare);
	return lines;
}

/* The first line in [@begin, @end) with a greater address than @line has. */
static const char *line_after(const char *begin, const char *end,
			      const char *line)
{
	while (begin < end) {
		const char *middle = begin + (end - begin) / 2;

		while (middle > begin && middle[-1] != '\n')
			middle--;
		if (strncmp(middle, line, DIGITS) > 0)
			end = middle;
		else
			begin = strchrnul(middle, '\n') + 1;
	}
	return end;
}

/*
 * Adds @others to the image's lines, which @text has, sorted.  Mostly all of them come after the
 * image, which is some megabytes.  So only what is behind the first of them is copied.
 */
static int lines_merge(struct text *text, const char *others)
{
	size_t nr = 0, rest_len;
	struct line *lines = lines_sort(others, &nr);
	const char *rest, *end;
	char *copy;

	if (!lines)
		return error_set(-ENOMEM, "out of memory");
	end = text->s + text->len;
	rest = nr ? line_after(text->s, end, lines[0].text) : end;
	rest_len = end - rest;
	copy = strdup(rest);
	if (!copy) {
		free(lines);
		return error_set(-ENOMEM, "out of memory");
	}
	text->len -= rest_len;
	rest = copy;
	end = copy + rest_len;
	for (size_t i = 0; i < nr; i++) {
		const char *next = line_after(rest, end, lines[i].text);

		text_add(text, rest, next - rest);
		text_add(text, lines[i].text, strcspn(lines[i].text, "\n") + 1);
		rest = next;
	}
	text_add(text, rest, end - rest);
	free(copy);
	free(lines);
	return text->failed ? error_set(-ENOMEM, "out of memory") : 0;
}

int session_symbols(struct ktrace_session *s, struct text *text)
{
	char *others;
	int err = session_root_read(s, "symbols", &others);

	if (err)
		return err;
	err = image_read(text);
	err = err ?: image_expand(text);
	err = err ?: lines_merge(text, others);
	free(others);
	return err;
}

int session_symbols_packed(const char *others, struct text *text)
{
	struct text functions = {0};
	int err;

	if (others) {
		err = image_read(text);
		text_puts(text, others);
	} else {
		/* An older module has no such file; or we may not see addresses. */
		err = kallsyms_read(&functions, false);
		err = err ?: pack(text, &functions);
		text_free(&functions);
	}
	if (!err && text->failed)
		err = error_set(-ENOMEM, "out of memory");
	return err;
}
