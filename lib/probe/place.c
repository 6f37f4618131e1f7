// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Places of probes: place.h.
 *
 * The kernel would look for each name among all of its symbols.  Here one pass finds the names of
 * all probes, so functions of its image are told by their addresses.  Those of modules are told by
 * their names, because a module may go and come back elsewhere.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/table.h"
#include "place.h"
#include "session/module_image.h"
#include "session/modules.h"
#include "symbol/build_id.h"

#define RETURN "%return"
#define USDT   "usdt:"

/* ---- parsing --------------------------------------------------------------- */

static bool is_name(const char *s, size_t length)
{
	if (!length || length > PLACE_NAME_MAX || isdigit((unsigned char)*s))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return true;
}

/* "[SYSTEM:]NAME", @length characters. */
static int name_parse(struct place *place, const char *text, size_t length)
{
	const char *colon = memchr(text, ':', length);
	size_t system = colon ? colon - text : 0;
	const char *name = colon ? colon + 1 : text;

	length -= name - text;
	if ((colon && !is_name(text, system)) || !is_name(name, length))
		return error_set(-EINVAL,
				 "what stands before `=' is the event's name, "
				 "or SYSTEM:NAME: letters, digits and `_'");
	if (colon)
		snprintf(place->system, sizeof(place->system), "%.*s",
			 (int)system, text);
	snprintf(place->name, sizeof(place->name), "%.*s", (int)length, name);
	return 0;
}

bool place_is_wild(const char *name)
{
	return strpbrk(name, "*?[");
}

static int number_parse(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno
		       ? 0
		       : error_set(-EINVAL, "`%s' is no number", text);
}

/* "FUNCTION:LINE" or "FILE:LINE"? */
static bool is_line(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon > text && colon[1] &&
	       !colon[1 + strspn(colon + 1, "0123456789")];
}

static int line_parse(struct place *place, const char *text)
{
	if (strlen(text) >= sizeof(place->line) || place->has_offset ||
	    place->returns)
		return error_set(-EINVAL,
				 "`%s': a line has no offset, and does "
				 "not return",
				 text);
	strcpy(place->line, text);
	return 0;
}

static int offset_of_many(const char *pattern)
{
	return error_set(-EINVAL,
			 "an offset is of one function: `%s' may mean several",
			 pattern);
}

/* "[MODULE:]FUNCTION", "[MODULE:]FUNCTION:LINE" or "[MODULE:]FILE:LINE". */
static int function_parse(struct place *place, const char *text)
{
	const char *colon = strchr(text, ':');
	bool line = is_line(text);

	if (line && colon == strrchr(text, ':'))
		colon = NULL;
	if (colon) {
		if (colon == text ||
		    (size_t)(colon - text) >= sizeof(place->module))
			return error_set(-EINVAL,
					 "`%s': [MODULE:]FUNCTION is wanted",
					 text);
		snprintf(place->module, sizeof(place->module), "%.*s",
			 (int)(colon - text), text);
		text = colon + 1;
	}
	if (!line && (!*text || strlen(text) >= sizeof(place->function) ||
		      strpbrk(text, "()=;:%,")))
		return error_set(-EINVAL, "`%s' is no name of a function",
				 text);
	if (!line && place->has_offset && place_is_wild(text))
		return offset_of_many(text);
	/* /proc/kallsyms writes a module's name so. */
	for (char *c = place->module; *c; c++)
		if (*c == '-')
			*c = '_';
	if (!line) {
		strcpy(place->function, text);
		return 0;
	}
	/* A function is looked for, because it tells the module. */
	if (!strpbrk(text, "/."))
		snprintf(place->function, sizeof(place->function), "%.*s",
			 (int)(strrchr(text, ':') - text), text);
	return line_parse(place, text);
}

/* "[PROVIDER:]NAME", with wildcards. */
static int usdt_parse(struct place *place, const char *text)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? colon - text : 0;

	if (colon)
		text = colon + 1;
	if (length >= sizeof(place->provider) || !*text ||
	    strlen(text) >= sizeof(place->function) || strchr(text, ':') ||
	    place->returns)
		return error_set(-EINVAL, "usdt:[PROVIDER:]NAME is wanted");
	if (colon)
		snprintf(place->provider, sizeof(place->provider), "%.*s",
			 (int)length, colon - length);
	strcpy(place->function, text);
	place->is_usdt = true;
	return 0;
}

/* Of a function in a program. */
static int program_function_parse(struct place *place, const char *text)
{
	if (is_line(text))
		return line_parse(place, text);
	if (!*text || strlen(text) >= sizeof(place->function) ||
	    strpbrk(text, "()=;:%,"))
		return error_set(-EINVAL, "`%s' is no name of a function",
				 text);
	if (place->has_offset && place_is_wild(text))
		return offset_of_many(text);
	strcpy(place->function, text);
	return 0;
}

/* Cuts the word up. */
static int word_parse(struct place *place, char *word)
{
	char *end = strstr(word, RETURN), *plus;
	int err;

	place->returns = end && !end[sizeof(RETURN) - 1];
	if (place->returns)
		*end = '\0';
	if (place->path && !strncmp(word, USDT, strlen(USDT)))
		return usdt_parse(place, word + strlen(USDT));
	place->is_address = !strncmp(word, "0x", 2);
	if (place->is_address)
		return number_parse(word, &place->address);
	plus = strchr(word, '+');
	if (plus) {
		*plus++ = '\0';
		err = number_parse(plus, &place->offset);
		place->has_offset = place->offset;
		if (err)
			return err;
	}
	if (plus && place->returns)
		return error_set(-EINVAL, "a return has no offset");
	return place->path ? program_function_parse(place, word)
			   : function_parse(place, word);
}

/* "/PATH:".  Returns what is behind it; NULL: it does not end. */
static const char *path_parse(struct place *place, const char *text,
			      size_t length)
{
	const char *colon = memchr(text, ':', length);

	place->path = text;
	place->path_length = colon ? (size_t)(colon - text) : length;
	return colon ? colon + 1 : NULL;
}

static bool is_octal(const char *s)
{
	return strspn(s, "01234567") >= 3 && s[0] < '4';
}

int place_path(const struct place *place, char *path)
{
	const char *from = place->path, *end = from + place->path_length;
	char digits[4] = "";
	size_t length = 0;

	while (from < end && length < PATH_MAX - 1) {
		if (*from == '\\' && end - from > 3 && is_octal(from + 1)) {
			memcpy(digits, from + 1, 3);
			path[length++] = strtoul(digits, NULL, 8);
			from += 4;
		} else {
			path[length++] = *from++;
		}
	}
	path[length] = '\0';
	return from == end ? 0 : error_set(-EINVAL, "the path is too long");
}

int place_parse(struct place *place, const char *text, const char **rest)
{
	const char *equals;
	size_t length;
	char *word;
	int err = 0;

	*place = (struct place){.system = "probe"};
	text += strspn(text, " \t");
	length = strcspn(text, " \t");
	*rest = text + length;
	equals = *text == '/' ? NULL : memchr(text, '=', length);
	if (equals) {
		err = name_parse(place, text, equals - text);
		text = equals + 1;
		length = *rest - text;
	}
	if (err)
		return err;
	if (*text == '/') {
		text = path_parse(place, text, length) ?: *rest;
		length = *rest - text;
	}
	if (!length)
		return error_set(-EINVAL, "a place is missing: FUNCTION, "
					  "FUNCTION+OFFSET, FUNCTION%%return "
					  "or 0xADDRESS");
	word = strndup(text, length);
	if (!word)
		return error_set(-ENOMEM, "out of memory");
	err = word_parse(place, word);
	free(word);
	return err;
}

int place_blame(int err, const char *text)
{
	char why[600];

	snprintf(why, sizeof(why), "%s", ktrace_last_error());
	return error_set(err, "`%s': %s", text, why);
}

int place_refuse(struct place *place, int err)
{
	if (!err || !place->lenient)
		return err;
	if (!*place->refused)
		snprintf(place->refused, sizeof(place->refused), "%s",
			 ktrace_last_error());
	return 0;
}

/* ---- finding --------------------------------------------------------------- */

bool place_is_in_module(const struct place *place)
{
	return *place->module && strcmp(place->module, "vmlinux");
}

/* A line "ADDRESS NAME [MODULE]". */
struct line {
	uint64_t address;
	const char *name, *module; /* not ended; NULL: the kernel's */
	size_t length, module_length;
};

/* Returns the next line. */
static const char *line_read(const char *p, struct line *line)
{
	const char *end = strchrnul(p, '\n');
	const char *name;

	*line = (struct line){.address = hex_read(p, &name)};
	line->name = name + (*name == ' ');
	line->length = strcspn(line->name, " \n");
	if (line->name + line->length < end) {
		line->module = line->name + line->length + 1;
		line->module_length = end - line->module;
	}
	return *end ? end + 1 : end;
}

/* What was found of a name. */
struct found {
	struct place *place;
	struct line line; /* the first */
	const char *next; /* behind it */
	unsigned int nr;
	uint64_t addresses[4];
	bool scattered; /* over several modules */
};

static bool is_in(const struct line *line, const char *module)
{
	if (!*module)
		return true;
	if (!line->module)
		return !strcmp(module, "vmlinux");
	return strlen(module) == line->module_length &&
	       !memcmp(module, line->module, line->module_length);
}

static void found_note(struct found *found, const struct line *line,
		       const char *next)
{
	struct place *place = found->place;

	if (!is_in(line, place->module))
		return;
	/* An alias is no other function. */
	if (found->nr && found->addresses[0] == line->address)
		return;
	if (found->nr < 4)
		found->addresses[found->nr] = line->address;
	found->scattered |=
		found->nr &&
		(line->module_length != found->line.module_length ||
		 (line->module && memcmp(line->module, found->line.module,
					 line->module_length)));
	if (found->nr++)
		return;
	found->line = *line;
	found->next = next;
}

static bool name_is(const struct line *line, const char *name)
{
	return !strncmp(line->name, name, line->length) && !name[line->length];
}

/* Up to the next symbol. */
static uint64_t function_size(uint64_t address, const char *next)
{
	struct line line;

	while (*next) {
		next = line_read(next, &line);
		if (line.address > address)
			return line.address - address;
	}
	return 0;
}

int place_missing(const struct place *place)
{
	if (place_is_in_module(place))
		return error_set(-ENOENT,
				 "the module %s is not loaded, or has no such "
				 "function",
				 place->module);
	return error_set(-ENOENT,
			 "there is no such function: is it inlined, or "
			 "its module not loaded?");
}

static int found_refuse(const struct found *found)
{
	const struct place *place = found->place;
	char list[128] = "";

	for (unsigned int i = 0; i < found->nr && i < 4; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
			 " 0x%" PRIx64, found->addresses[i]);
	return error_set(
		-EINVAL,
		"%u functions are called `%s': say the address of one, "
		"%s%s",
		found->nr, place->function, list + 1,
		found->nr > 4 ? " ..." : "");
}

static int offset_check(struct place *place)
{
	if (!place->size || place->offset < place->size)
		return 0;
	return place_refuse(
		place, error_set(-EINVAL,
				 "+%" PRIu64 " is past the end: %s has %" PRIu64
				 " bytes",
				 place->offset, place->function, place->size));
}

/* A probe may wait for its module; but it must be one of this kernel's, and have the function. */
static int unloaded_take(struct place *place)
{
	struct module_image *image;
	unsigned int nr;
	int err;

	if (module_is_builtin(place->module))
		return error_set(-ENOENT,
				 "%s is no module of this kernel, but a part "
				 "of it: say vmlinux:%s",
				 place->module, place->function);
	err = module_image_open(place->module, &image);
	if (err)
		return err;
	nr = module_image_functions(image, place->function, &place->size);
	module_image_close(image);
	if (!nr)
		return error_set(-ENOENT,
				 "the module %s, which is not loaded, has no "
				 "such function",
				 place->module);
	if (nr > 1)
		return error_set(
			-EINVAL,
			"%u functions are called `%s': load the module "
			"%s, and say the address of one",
			nr, place->function, place->module);
	place->waits = true;
	return offset_check(place);
}

/* Is it of a module that is not loaded? */
static bool is_unloaded(const struct place *place)
{
	return place_is_in_module(place) && !module_is_loaded(place->module);
}

/* Of one that a pattern means: it was there when this was expanded. */
static int gone_refuse(struct place *place)
{
	return place_refuse(place, error_set(-ENOENT, "it has gone meanwhile"));
}

static int found_take(const struct found *found)
{
	struct place *place = found->place;

	if (!found->nr && place->is_one_of_many)
		return gone_refuse(place);
	if (!found->nr && is_unloaded(place))
		return unloaded_take(place);
	if (found->nr > 1)
		return place->is_one_of_many
			       ? place_refuse(place, found_refuse(found))
			       : found_refuse(found);
	place->is_missing = !found->nr;
	if (place->is_missing)
		return 0;
	place->address = found->line.address;
	snprintf(place->module, sizeof(place->module), "%.*s",
		 (int)found->line.module_length, found->line.module ?: "");
	place->size = function_size(place->address, found->next);
	return offset_check(place);
}

/* Where there are only copies that the compiler has made of it, as NAME.isra.0. */
static void copies_find(struct found *found, const char *symbols)
{
	const char *at = symbols, *begin;
	char name[sizeof(found->place->function) + 3];
	struct line line;

	snprintf(name, sizeof(name), " %s.", found->place->function);
	while ((at = strstr(at, name))) {
		begin = memrchr(symbols, '\n', at - symbols);
		at = line_read(begin ? begin + 1 : symbols, &line);
		found_note(found, &line, at);
	}
}

/* Of a line of a function: the module that this is in. */
static int line_take(struct found *found, const char *symbols)
{
	struct place *place = found->place;

	if (is_unloaded(place))
		return error_set(-ENOENT,
				 "the module %s is not loaded: its lines are "
				 "known only while it is",
				 place->module);
	if (*place->function && !found->nr)
		copies_find(found, symbols);
	if (found->scattered)
		return error_set(-EINVAL,
				 "several modules have functions that are "
				 "called `%s': say MODULE:FUNCTION:LINE",
				 place->function);
	if (found->nr)
		snprintf(place->module, sizeof(place->module), "%.*s",
			 (int)found->line.module_length,
			 found->line.module ?: "");
	return 0;
}

/* Of an address: the function that it is in. */
static int address_name(struct place *place, const char *symbols)
{
	struct line line, last = {0};
	const char *next = symbols;
	bool is_last;

	while (*next) {
		next = line_read(next, &line);
		if (line.address > place->address)
			break;
		/* Of aliases the first. */
		if (line.address != last.address)
			last = line;
	}
	/* Nobody knows where the last one ends. */
	is_last = last.address && line.address <= place->address;
	if (!last.address || (is_last && place->address != last.address) ||
	    last.length >= sizeof(place->function) ||
	    last.module_length >= sizeof(place->module))
		return error_set(-EINVAL, "it is in no function");
	snprintf(place->function, sizeof(place->function), "%.*s",
		 (int)last.length, last.name);
	snprintf(place->module, sizeof(place->module), "%.*s",
		 (int)last.module_length, last.module ?: "");
	place->size = is_last ? 0 : line.address - last.address;
	place->offset = place->address - last.address;
	place->has_offset = place->offset;
	place->address = last.address;
	if (place->returns && place->offset)
		return error_set(-EINVAL, "no function begins there");
	return 0;
}

/* Names of functions. */
struct wanted {
	struct table found; /* struct found, by hashes of names */
	bool lengths[512];  /* which of them have; as places' names */
};
static_assert(sizeof(((struct place *)0)->function) <=
	      sizeof(((struct wanted *)0)->lengths));

/* One pass over the symbols.  A few names have few lengths, so few of the symbols are hashed. */
static void names_find(const struct wanted *wanted, const char *symbols)
{
	const struct table_slot *slot;
	struct line line;
	const char *next = symbols;
	uint64_t hash;

	while (*next) {
		next = line_read(next, &line);
		if (line.length >= sizeof(wanted->lengths) ||
		    !wanted->lengths[line.length])
			continue;
		hash = table_hash(line.name, line.length);
		slot = NULL;
		while ((slot = table_next(&wanted->found, hash, slot))) {
			struct found *found = slot->value;

			if (name_is(&line, found->place->function))
				found_note(found, &line, next);
		}
	}
}

int places_find(const char *symbols, struct place *const *places, size_t nr,
		size_t *which)
{
	struct found *list = calloc(nr + 1, sizeof(*list));
	struct wanted wanted = {0};
	int err = list ? 0 : error_set(-ENOMEM, "out of memory");

	*which = 0;
	for (size_t i = 0; !err && i < nr; i++) {
		const char *name = places[i]->function;
		size_t length = strlen(name);

		list[i].place = places[i];
		if (!length)
			continue;
		wanted.lengths[length] = true;
		if (table_add(&wanted.found, table_hash(name, length),
			      &list[i]))
			err = error_set(-ENOMEM, "out of memory");
	}
	if (!err)
		names_find(&wanted, symbols);
	for (size_t i = 0; !err && i < nr; i++) {
		*which = i;
		if (*places[i]->line)
			err = line_take(&list[i], symbols);
		else if (!places[i]->is_address)
			err = found_take(&list[i]);
		else
			err = address_name(places[i], symbols);
	}
	table_free(&wanted.found);
	free(list);
	return err;
}

/* ---- what it becomes -------------------------------------------------------- */

/* A name that somebody has put into a file, as part of a line: people read it, and the kernel. */
static void label_write(struct text *text, const char *name)
{
	for (; *name; name++)
		text_printf(text, "%c",
			    isalnum((unsigned char)*name) ||
					    strchr("_.$@-", *name)
				    ? *name
				    : '_');
}

/* What ends a path in a line, and what no line should show, is written as \NNN. */
static void path_write(const char *path, struct text *text)
{
	for (; *path; path++)
		text_printf(text,
			    (unsigned char)*path <= ' ' || *path == 0x7f ||
					    strchr(":;\\", *path)
				    ? "\\%03o"
				    : "%c",
			    (unsigned char)*path);
}

static void program_write(const struct place *place, struct text *text)
{
	char path[PATH_MAX];

	/* It has been read before. */
	if (place_path(place, path))
		*path = '\0';
	path_write(path, text);
	text_printf(text, ":0x%" PRIx64, place->file_offset);
	if (place->counter)
		text_printf(text, "(0x%" PRIx64 ")", place->counter);
	text_printf(text, "{%" PRIu64 ":%" PRId64 ":%" PRId64 ".%09ld}/",
		    place->seen.inode, place->seen.size, place->seen.seconds,
		    place->seen.nanoseconds);
	if (place->is_usdt) {
		text_puts(text, USDT);
		label_write(text, place->provider);
		text_puts(text, ":");
	}
	if (*place->function)
		label_write(text, place->function);
	else
		text_printf(text, "0x%" PRIx64, place->address);
	if (place->has_offset)
		text_printf(text, "+0x%" PRIx64, place->offset);
	if (place->returns && !place->at_return)
		text_puts(text, RETURN);
}

void place_build_find(struct place *place)
{
	struct module_image *image;
	struct build_id id = {.size = 0};

	if (!place_is_in_module(place))
		return;
	if (module_is_loaded(place->module)) {
		build_id_module(place->module, &id);
	} else if (!module_image_open(place->module, &image)) {
		module_image_build(image, &id);
		module_image_close(image);
	}
	/* The kernel takes whole words of it. */
	if (id.size % 4 || id.size < 8 || 2 * id.size >= sizeof(place->build))
		return;
	for (size_t i = 0; i < id.size; i++)
		sprintf(place->build + 2 * i, "%02x", id.bytes[i]);
}

static void kernel_write(const struct place *place, struct text *text)
{
	bool is_module = place_is_in_module(place), moves;

	moves = is_module && !place->is_address;
	if (!moves)
		text_printf(text, "0x%" PRIx64 "%s",
			    place->address + place->offset,
			    *place->function ? "/" : "");
	if (is_module)
		text_puts(text, place->module);
	if (moves && *place->build)
		text_printf(text, "{%s}", place->build);
	if (is_module)
		text_puts(text, ":");
	text_puts(text, place->function);
	if (place->has_offset)
		text_printf(text, "+0x%" PRIx64, place->offset);
	if (place->returns)
		text_puts(text, RETURN);
}

void place_write(const struct place *place, struct text *text)
{
	if (place->path) {
		program_write(place, text);
		return;
	}
	kernel_write(place, text);
}

/* "0xADDRESS/LABEL" or "[MODULE[{BUILD}]:]FUNCTION...". */
static const char *kernel_shown(char *place)
{
	const char *label = strchr(place, '/');
	char *build = label ? NULL : strchr(place, '{');
	const char *behind = build ? strchr(build, '}') : NULL;

	if (behind)
		memmove(build, behind + 1, strlen(behind));
	return label ? label + 1 : place;
}

/* Of "/PATH:0xOFFSET.../LABEL", "/PATH:LABEL". */
static const char *program_shown(char *place)
{
	char *end = strchr(place, ':'), *label = end ? strchr(end, '/') : NULL;

	if (label)
		memmove(end + 1, label + 1, strlen(label + 1) + 1);
	return place;
}

const char *place_shown(char *place)
{
	return *place == '/' ? program_shown(place) : kernel_shown(place);
}

void place_event_name(const struct place *place, char name[PLACE_NAME_MAX + 1])
{
	const char *function = *place->asked ? place->asked : place->function;
	char *c;

	if (*place->line)
		snprintf(name, PLACE_NAME_MAX + 1, "%.60s",
			 strrchr(place->line, '/')
				 ? strrchr(place->line, '/') + 1
				 : place->line);
	else if (!*place->function)
		snprintf(name, PLACE_NAME_MAX + 1, "at_%" PRIx64,
			 place->address);
	else if (place->has_offset && !place->at_return)
		snprintf(name, PLACE_NAME_MAX + 1, "%.40s_0x%" PRIx64, function,
			 place->offset);
	else
		snprintf(name, PLACE_NAME_MAX + 1, "%.50s%s", function,
			 place->returns ? "_return" : "");
	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
}
