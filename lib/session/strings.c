// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Texts of probes.  A line of the file `probes' (kernel/source/probe/README.md) is
 *
 *	SYSTEM/EVENT PLACE; KIND CTYPE NAME = VALUE; ...
 *
 * If CTYPE is "string", or "string:MAX" for MAX bytes at most, the value is the address of a text.
 * What reads it is a capture program of the session.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/library.h>
#include <ktrace/probes.h>

#include "base/error.h"
#include "base/text.h"
#include "session.h"
#include "strings.h"

/* Without the NUL. */
#define TEXT_MAX 255

/*
 * Whose memory it is can be seen by the address: that of the kernel has its highest bit set.
 * Through a null pointer nothing is read.
 */
void string_words(struct text *words, const char *push, unsigned int max)
{
	text_printf(words,
		    "%s 63 >> if %s kernel string %u end "
		    "%s 63 >> 0 == %s * if %s user string %u end",
		    push, push, max, push, push, push, max);
}

/* In a program's probe, nothing of the kernel is read. */
static void program_string_words(struct text *words, const char *push,
				 unsigned int max)
{
	text_printf(words, "%s if %s user string %u end", push, push, max);
}

bool string_is_buffer(const char *name)
{
	return strstr(name, "buf") || !strcmp(name, "data") ||
	       !strcmp(name, "from") || !strcmp(name, "src") ||
	       !strcmp(name, "p") || !strcmp(name, "s");
}

/* "KIND string[:MAX] NAME = VALUE", the @number-th field. */
static void field_capture(struct text *program, const char *field,
			  size_t length, unsigned int number, bool in_program)
{
	static const char type[] = "string";
	const char *name = memchr(field, ' ', length);
	unsigned int max = TEXT_MAX;
	char push[8], *end;

	if (!name || strncmp(++name, type, sizeof(type) - 1))
		return;
	name += sizeof(type) - 1;
	if (*name == ':') {
		max = strtoul(name + 1, &end, 10);
		name = end;
	}
	if (*name != ' ')
		return;
	name += strspn(name, " ");
	snprintf(push, sizeof(push), "a%u", number);
	text_printf(program, "%schar " KTRACE_CAPTURED_PREFIX "%.*s_val: ",
		    program->len ? "; " : "", (int)strcspn(name, " ="), name);
	max = max && max < TEXT_MAX ? max : TEXT_MAX;
	if (in_program)
		program_string_words(program, push, max);
	else
		string_words(program, push, max);
}

/* The program of the event in a line without its name; empty: it has no texts. */
static void line_capture(struct text *program, const char *line)
{
	const char *place = strpbrk(line, " \t");
	unsigned int number = 0;
	bool in_program;

	if (!place)
		return;
	in_program = place[strspn(place, " \t")] == '/';
	while ((line = strchr(line, ';')) && number < 8) {
		line += 1 + strspn(line + 1, " ");
		field_capture(program, line, strcspn(line, ";"), number++,
			      in_program);
	}
}

/* Of "SYSTEM/EVENT ...": EVENT; @name gets SYSTEM.  NULL: it is no such line. */
static char *line_name(const char *line, char *name, size_t size)
{
	size_t length = strcspn(line, " \t");
	char *event;

	if (length >= size)
		return NULL;
	memcpy(name, line, length);
	name[length] = '\0';
	event = strchr(name, '/');
	if (event)
		*event++ = '\0';
	return event;
}

/*
 * If it cannot be had, the event is recorded without it: only root may read the kernel's memory,
 * and the probe may have just gone with its recorder.
 */
static int capture_try(struct ktrace_session *s, const char *line)
{
	int err = ktrace_session_write(s, "capture", line);

	if (!err || err == -ENOMEM)
		return err;
	session_note(s, "texts of %.*s are not recorded: %s",
		     (int)strcspn(line, ": "), line, ktrace_last_error());
	return 0;
}

/* All at once; if one is refused, one by one. */
static int captures_write(struct ktrace_session *s, char *lines)
{
	char *line;
	int err = ktrace_session_write(s, "capture", lines);

	if (!err || err == -ENOMEM)
		return err;
	err = 0;
	while (!err && (line = strsep(&lines, "\n")))
		err = *line ? capture_try(s, line) : 0;
	return err;
}

/* Appends the line of an event that has texts, unless the session has it: then it may be enabled. */
static void capture_append(struct text *lines, const char *now,
			   const char *system, const char *event,
			   const char *probe)
{
	struct text program = {0}, line = {0};

	line_capture(&program, probe);
	if (program.len)
		text_printf(&line, "%s/%s: %s", system, event, program.s);
	lines->failed |= program.failed || line.failed;
	if (line.len && !text_has_line(now, line.s))
		text_printf(lines, "%s\n", line.s);
	text_free(&program);
	text_free(&line);
}

int ktrace_session_texts(struct ktrace_session *s,
			 bool (*want)(const char *system, const char *name,
				      void *data),
			 void *data)
{
	char *probes, *next, *line, *event, *now = NULL, name[160];
	struct text lines = {0};
	int err;

	/* The source is not loaded, or tells nobody: then there are none that we may record. */
	if (session_root_read(s, "probes", &probes))
		return 0;
	err = ktrace_session_read(s, "capture", &now, NULL);
	next = probes;
	while (!err && (line = strsep(&next, "\n"))) {
		event = line_name(line, name, sizeof(name));
		if (event && want(name, event, data))
			capture_append(&lines, now, name, event, line);
	}
	if (lines.failed)
		err = error_set(-ENOMEM, "out of memory");
	if (!err && lines.len)
		err = captures_write(s, lines.s);
	text_free(&lines);
	free(now);
	free(probes);
	return err;
}
