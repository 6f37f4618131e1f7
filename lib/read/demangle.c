// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See demangle.h.  libiberty does it, which is part of binutils and of GCC.
 *
 * Names are untrusted.  libiberty bounds its recursion (since binutils 2.32 for C++, since 2.38
 * for Rust), but neither its time nor its text: both can double with each few bytes of a name.
 * So we leave it when we have as much text as we take, and give it no name that makes it work
 * long without text.  Such names exist on purpose only; they stay mangled.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include "demangle.h"

/* Of libiberty's demangle.h, whose licence is not ours.  0: the name is not mangled so. */
typedef void (*demangle_callback)(const char *text, size_t size, void *data);

extern int cplus_demangle_v3_callback(const char *mangled, int options,
				      demangle_callback put, void *data);
extern int rust_demangle_callback(const char *mangled, int options,
				  demangle_callback put, void *data);

/* Without parameters and return types. */
#define OPTIONS_NONE 0

/* Longer than any name of a trace that is ours. */
#define MANGLED_MAX 1024
/* "17h", 16 digits, "E". */
#define LEGACY_HASH 20

/* ---- names that take too long --------------------------------------------- */

/* Counts "S_", "S1A_", "T_", "T0_", "TL0__": what stands for an earlier part of the name. */
static int references(const char *name)
{
	int nr = 0;

	for (; *name; name++) {
		const char *at = name + 1;

		if (*name != 'S' && *name != 'T')
			continue;
		while (isdigit((unsigned char)*at) ||
		       isupper((unsigned char)*at))
			at++;
		nr += *at == '_';
	}
	return nr;
}

/* Something that searches for packs of parameters; this takes each reference as its text. */
static bool has_packs(const char *name)
{
	if (strstr(name, "Dp") || strstr(name, "sZ") || strstr(name, "sP"))
		return true;
	while ((name = strchr(name, 'f')))
		if (*++name && strchr("lrLR", *name))
			return true;
	return false;
}

/* Counts "T_I", "T0_I".  In a conversion operator, what follows is read twice. */
static int templates_of_templates(const char *name)
{
	int nr = 0;

	while ((name = strchr(name, 'T'))) {
		name++;
		name += strspn(name, "L0123456789_");
		nr += *name == 'I' && name[-1] == '_';
	}
	return nr;
}

/*
 * The bounds are for 65536 and 256 times the work that the same name has without.  Of a hundred
 * thousand functions of libraries, 20 have more.
 */
static bool cplus_takes_long(const char *name)
{
	return (has_packs(name) && references(name) > 16) ||
	       (strstr(name, "cv") && templates_of_templates(name) > 8);
}

/* "Cs", up to 11 digits of which this is one, "_": the number of a crate, which is not shown. */
static bool is_in_crate(const char *name, const char *at)
{
	for (int i = 0; i < 12 && at > name + 1; i++)
		if (*--at == 's' && at[-1] == 'C')
			return true;
	return false;
}

/*
 * The number of lifetimes, behind G in a function's type or a dyn, may be any, and each is counted
 * up, even where nothing is shown.  More than 63 make two digits.  The number of a crate may look
 * like that.  Whoever reads it as one of lifetimes after all must not find the G.
 */
static bool rust_takes_long(char *name)
{
	char *g = name;

	while ((g = strchr(g, 'G'))) {
		const char *at = ++g;

		if (g[-2] != 'F' && g[-2] != 'D')
			continue;
		while (isalnum((unsigned char)*at))
			at++;
		if (*at != '_' || at - g < 2)
			continue;
		if (!is_in_crate(name, g - 1))
			return true;
		g[-1] = 'H';
	}
	return false;
}

/* ---- demangling ------------------------------------------------------------ */

struct demangling {
	jmp_buf full;
	size_t length;
	bool cut;
	char *text;
};

/* libiberty frees such a text when it returns: what has other letters is put together. */
static bool is_allocated(const char *part, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (part[i] & 0x80)
			return true;
	return false;
}

static void part_take(const char *part, size_t size, void *data)
{
	struct demangling *d = data;
	size_t room = DEMANGLED_MAX - 1 - d->length;
	size_t taken = size < room ? size : room;

	/* An empty one may be at no address. */
	if (!size)
		return;
	memcpy(d->text + d->length, part, taken);
	d->length += taken;
	if (taken == size)
		return;
	d->cut = true;
	if (!is_allocated(part, size))
		longjmp(d->full, 1);
}

static bool run(struct demangling *d,
		int (*function)(const char *, int, demangle_callback, void *),
		const char *name)
{
	d->length = 0;
	d->cut = false;
	if (!setjmp(d->full) && !function(name, OPTIONS_NONE, part_take, d))
		return false;
	if (d->cut)
		memcpy(d->text + DEMANGLED_MAX - 4, "...", 3);
	d->text[d->length] = '\0';
	return d->length;
}

/* Cuts what the compiler or linker has put behind a Rust name, such as .llvm.123. */
static void rust_end(char *name)
{
	char *at = name;

	if (name[1] == 'R') {
		name[strcspn(name, ".")] = '\0';
		return;
	}
	while ((at = strstr(at, "17h"))) {
		if (strspn(at + 3, "0123456789abcdef") == 16 &&
		    at[LEGACY_HASH - 1] == 'E' && at[LEGACY_HASH] == '.') {
			at[LEGACY_HASH] = '\0';
			return;
		}
		at += 3;
	}
}

bool demangle(const char *name, char text[DEMANGLED_MAX])
{
	struct demangling d = {.text = text};
	size_t length = strnlen(name, MANGLED_MAX);
	char rust[MANGLED_MAX];

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    length == MANGLED_MAX)
		return false;
	memcpy(rust, name, length + 1);
	rust_end(rust);
	if (!rust_takes_long(rust) && run(&d, rust_demangle_callback, rust))
		return true;
	return name[1] == 'Z' && !cplus_takes_long(name) &&
	       run(&d, cplus_demangle_v3_callback, name);
}
