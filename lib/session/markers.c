// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Markers of kernel modules: lists those that the control tree knows, and
 * changes the files of patterns (`marked' of each session, `print') that switch
 * them.
 *
 * For lists and counts the patterns are matched here, for all else in the
 * kernel, with the same code.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/markers.h>

#include "base/error.h"
#include "hub.h"
#include "marker/enumeration.h"
#include "session.h"
#include "type/type.h"

/* Parses "MODULE:NAME FILE:LINE FUNCTION:ORDER FORMAT" in place. */
static bool line_parse(char *line, struct ktrace_marker_info *info)
{
	char *name, *number, *place, *function;

	memset(info, 0, sizeof(*info));
	info->system = strsep(&line, " ");
	place = strsep(&line, " ");
	function = strsep(&line, " ");
	name = strchr(info->system, ':');
	if (!name || !place || !function || !line)
		return false;
	*name++ = '\0';
	info->name = name;
	info->format = line;
	number = strrchr(place, ':');
	if (!number)
		return false;
	*number++ = '\0';
	info->file = place;
	info->line = strtoul(number, NULL, 10);
	number = strrchr(function, ':');
	if (!number)
		return false;
	*number++ = '\0';
	info->function = function;
	info->order = strtoul(number, NULL, 10);
	info->kernel = true;
	return true;
}

/* Newline and backslash are written in octal there. */
static void format_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned int code;

		if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1 &&
		    strspn(text + 1, "01234567") >= 3) {
			*to++ = code;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* Calls @use for each session's folder below the root; the root is "". */
static int sessions_each(struct ktrace_session *s,
			 int (*use)(struct ktrace_session *s,
				    const char *folder, void *data),
			 void *data)
{
	char path[4096];
	struct dirent *entry;
	int err;
	DIR *dir;

	err = use(s, "", data);
	snprintf(path, sizeof(path), "%s/sessions", s->root);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "sessions/%s/", entry->d_name);
		err = use(s, path, data);
	}
	if (dir)
		closedir(dir);
	return err;
}

static bool file_says_1(struct ktrace_session *s, const char *file)
{
	bool result;
	char *text;

	/* The event has just gone. */
	if (session_root_read(s, file, &text))
		return false;
	result = *text == '1';
	free(text);
	return result;
}

static bool session_runs(struct ktrace_session *s, const char *folder)
{
	char file[4096 + 16];

	snprintf(file, sizeof(file), "%senabled", folder);
	return file_says_1(s, file);
}

/* Does a running session record it? */
static int session_has(struct ktrace_session *s, const char *folder, void *data)
{
	struct ktrace_marker_info *info = data;
	char file[4096 + 256];

	snprintf(file, sizeof(file), "%sevents/%s/%s/enabled", folder,
		 info->system, info->name);
	if (file_says_1(s, file) && session_runs(s, folder))
		info->enabled = true;
	return 0;
}

static struct kt_marker_name info_name(const struct ktrace_marker_info *info)
{
	return (struct kt_marker_name){
		.system = info->system,
		.name = info->name,
		.file = info->file,
		.function = info->function,
		.order = info->order,
	};
}

/* All markers, without their state in sessions. */
static int infos_each(struct ktrace_session *s,
		      int (*use)(struct ktrace_session *s,
				 struct ktrace_marker_info *info, void *data),
		      void *data)
{
	struct ktrace_marker_info info;
	char *text, *next, *line;
	int err;

	err = session_root_read(s, "markers", &text);
	if (err)
		return err;
	next = text;
	while (!err && (line = strsep(&next, "\n")))
		if (line_parse(line, &info))
			err = use(s, &info, data);
	free(text);
	return err;
}

struct wanted {
	char packed[RECORDER_PATTERNS];
	int (*use)(void *data, const struct ktrace_marker_info *marker);
	void *data;
};

static int info_use(struct ktrace_session *s, struct ktrace_marker_info *info,
		    void *data)
{
	struct kt_marker_name name = info_name(info);
	const struct wanted *wanted = data;

	if (*wanted->packed && !marker_wanted(wanted->packed, &name))
		return 0;
	format_unescape((char *)info->format);
	return sessions_each(s, session_has, info)
		       ?: wanted->use(wanted->data, info);
}

int ktrace_session_markers(struct ktrace_session *s,
			   const char *const *patterns, size_t nr,
			   int (*use)(void *data,
				      const struct ktrace_marker_info *marker),
			   void *data)
{
	struct wanted wanted = {.use = use, .data = data};

	if (patterns_pack(wanted.packed, patterns, nr))
		return error_set(-E2BIG, "too many patterns");
	return infos_each(s, info_use, &wanted);
}

/* ---- enumerations --------------------------------------------------------------- */

struct place_enums {
	struct ktrace_types *types;
	struct enum_files files;
};

static int place_add(struct ktrace_session *s, struct ktrace_marker_info *info,
		     void *data)
{
	struct kt_marker_name name = info_name(info);
	struct place_enums *enums = data;

	(void)s;
	for (size_t i = 0; i < enums->types->count; i++) {
		const struct ktrace_type *type = enums->types->types[i];

		if (!strcmp(type->system, info->system) &&
		    !strcmp(type->name, info->name))
			enum_files_add_place(&enums->files, info->system,
					     type->id, &name, info->line);
	}
	return 0;
}

void session_enums(struct ktrace_session *s, struct ktrace_types *types)
{
	struct place_enums enums = {.types = types};

	/* Without them the values are shown as numbers. */
	if (!types->count || infos_each(s, place_add, &enums))
		return;
	for (size_t i = 0; i < types->count; i++) {
		const struct ktrace_type *type = types->types[i];
		/* Constant for readers of types, but these are being made. */
		struct ktrace_field *fields = (void *)type->fields;

		for (uint32_t k = 0; k < type->nr_fields; k++)
			enum_files_name(&enums.files, type->system, type->id, k,
					&fields[k], &types->arena);
	}
	enum_files_destroy(&enums.files);
}

/* ---- files of patterns --------------------------------------------------------- */

/* Lines for the kernel; @off: they exclude.  The caller frees them. */
static int patterns_text(const char *const *patterns, size_t nr, bool off,
			 char **text)
{
	char packed[RECORDER_PATTERNS], *to;

	for (size_t i = 0; i < nr; i++)
		if (off && *patterns[i] == '!')
			return error_set(
				-EINVAL,
				"`%s': name those that are to be off, not "
				"those that are not",
				patterns[i]);
	if (patterns_pack(packed, patterns, nr))
		return error_set(-E2BIG, "too many patterns");
	*text = to = malloc(2 * RECORDER_PATTERNS);
	if (!to)
		return error_set(-ENOMEM, "out of memory");
	*to = '\0';
	for (const char *p = packed; *p; p += strlen(p) + 1)
		to += sprintf(to, "%s%s\n", off ? "!" : "", p);
	return 0;
}

static int marker_count(void *data, const struct ktrace_marker_info *marker)
{
	size_t *count = data;

	++*count;
	return 0;
}

static int markers_count(struct ktrace_session *s, const char *const *patterns,
			 size_t nr, size_t *count)
{
	*count = 0;
	return ktrace_session_markers(s, patterns, nr, marker_count, count);
}

int ktrace_session_mark(struct ktrace_session *s, const char *const *patterns,
			size_t nr, size_t *count)
{
	char *text;
	int err;

	err = patterns_text(patterns, nr, false, &text);
	if (err)
		return err;
	err = ktrace_session_write(s, "marked", text);
	free(text);
	return err ?: markers_count(s, patterns, nr, count);
}

struct running {
	const char *text;
	size_t count;
};

static int session_mark(struct ktrace_session *s, const char *folder,
			void *data)
{
	struct running *running = data;
	char file[4096 + 16];

	if (!session_runs(s, folder))
		return 0;
	running->count++;
	snprintf(file, sizeof(file), "%smarked", folder);
	return session_root_write(s, file, running->text, false);
}

int ktrace_session_mark_running(struct ktrace_session *s,
				const char *const *patterns, size_t nr, bool on,
				size_t *count)
{
	struct running running = {0};
	char *text;
	int err;

	err = patterns_text(patterns, nr, !on, &text);
	if (err)
		return err;
	running.text = text;
	err = sessions_each(s, session_mark, &running);
	free(text);
	if (err)
		return err;
	if (!running.count)
		return error_set(-ESRCH,
				 "nobody records markers: begin with ktrace "
				 "record -M PATTERN");
	return markers_count(s, patterns, nr, count);
}

int ktrace_session_print(struct ktrace_session *s, const char *const *patterns,
			 size_t nr, bool on, size_t *count)
{
	char *text;
	int err;

	err = patterns_text(patterns, nr, !on, &text);
	if (err)
		return err;
	err = session_root_write(s, "print", text, false);
	free(text);
	return err ?: markers_count(s, patterns, nr, count);
}
