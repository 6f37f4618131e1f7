// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/function_names.h"
#include "probes.h"

/* ---- programs ----------------------------------------------------------------- */

static const char *const libraries[] = {
	"/usr/local/lib/x86_64-linux-gnu",
	"/usr/local/lib",
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

/* The file @name of a directory, if there is one.  To be freed. */
static char *file_in(const char *directory, int length, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), "%.*s/%s", length, directory, name) >=
		    PATH_MAX ||
	    stat(path, &st) || !S_ISREG(st.st_mode))
		return NULL;
	return realpath(path, NULL);
}

static char *file_search(const char *name)
{
	const char *from = getenv("PATH") ?: "/usr/bin:/bin";
	char *found = NULL;

	while (!found && *from) {
		int length = strcspn(from, ":");

		if (length)
			found = file_in(from, length, name);
		from += length + (from[length] == ':');
	}
	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(*libraries);
	     i++)
		found = file_in(libraries[i], strlen(libraries[i]), name);
	return found;
}

char *program_path(const char *name)
{
	char *path =
		strchr(name, '/') ? realpath(name, NULL) : file_search(name);

	if (!path && strchr(name, '/'))
		failed("%s: %s", name, strerror(errno));
	else if (!path)
		failed("there is no program or library `%s': say its path",
		       name);
	return path;
}

/* As texts have it: characters that end something there are written as \NNN. */
static char *path_escape(const char *path)
{
	char *escaped = malloc(4 * strlen(path) + 1), *to = escaped;

	for (; escaped && *path; path++) {
		if (strchr(" \t\n:;\\", *path))
			to += sprintf(to, "\\%03o", (unsigned char)*path);
		else
			*to++ = *path;
	}
	if (escaped)
		*to = '\0';
	return escaped;
}

int probes_file(struct probes *probes, const struct command *command,
		const char *name)
{
	char *path;

	free(probes->file);
	probes->file = NULL;
	if (!strcmp(name, "kernel"))
		return EXIT_OK;
	if (!*name)
		return misused(command, "-x needs a program or library");
	path = program_path(name);
	if (!path)
		return EXIT_FAILED;
	probes->file = path_escape(path);
	free(path);
	return probes->file ? EXIT_OK : failed("out of memory");
}

/* The text with the file in front of its place.  To be freed. */
static char *text_make(const char *file, const char *text)
{
	size_t word, name;
	char *made = NULL;

	text += strspn(text, " \t");
	if (!file || *text == '/')
		return strdup(text);
	word = strcspn(text, " \t");
	name = strcspn(text, "=");
	name = name < word ? name + 1 : 0;
	if (text[name] == '/')
		return strdup(text);
	if (asprintf(&made, "%.*s%s:%s", (int)name, text, file, text + name) <
	    0)
		return NULL;
	return made;
}

/* ---- options ------------------------------------------------------------------ */

int probes_option(struct probes *probes, const struct command *command,
		  const char *text)
{
	size_t room = (probes->nr + 1) * sizeof(*probes->texts);
	const char **filters;
	char **texts;

	if (!text[strspn(text, " \t")])
		return misused(command, "-P needs a place, like vfs_read or "
					"'vfs_read%%return $retval'");
	texts = realloc(probes->texts, room);
	if (!texts)
		return failed("out of memory");
	probes->texts = texts;
	filters = realloc(probes->filters, room);
	if (!filters)
		return failed("out of memory");
	probes->filters = filters;
	filters[probes->nr] = NULL;
	texts[probes->nr] = text_make(probes->file, text);
	if (!texts[probes->nr])
		return failed("out of memory");
	probes->nr++;
	return EXIT_OK;
}

void probes_filter(struct probes *probes, const char *filter)
{
	probes->filters[probes->nr - 1] = filter;
}

/* Behind the name of the event, if there is one. */
static const char *function_place(const char *text)
{
	size_t length = strcspn(text, " \t");
	const char *equals = memchr(text, '=', length);

	return equals && *text != '/' ? equals + 1 : text;
}

/* The name of the function of the kernel that a text means. */
static void function_name(const char *text, char *name, size_t size)
{
	size_t length;
	const char *colon;

	text = function_place(text);
	length = strcspn(text, " \t+%");
	colon = memchr(text, ':', length);
	if (colon) {
		length -= colon + 1 - text;
		text = colon + 1;
	}
	snprintf(name, size, "%.*s", (int)length, text);
}

int probe_failed(char *const *texts, size_t nr, int err)
{
	const char *why = ktrace_last_error();
	char name[256];
	const char *const pattern = name;

	failed("%s", why);
	/* The error begins with "`TEXT'". */
	for (size_t i = 0; err == -ENOENT && i < nr; i++) {
		if (strncmp(why + 1, texts[i], strlen(texts[i])))
			continue;
		/* What a program has, the library tells. */
		if (*function_place(texts[i]) == '/')
			break;
		function_name(texts[i], name, sizeof(name));
		function_names_near(&pattern, 1);
		break;
	}
	return EXIT_FAILED;
}

/* What is made of each. */
struct making {
	const struct probes *probes;
	struct selection *selection;
};

static int probe_select(const struct ktrace_probe *probe, void *data)
{
	struct making *making = data;
	const char *filter = making->probes->filters[probe->text];
	char pattern[160];

	snprintf(pattern, sizeof(pattern), "%s:%s", probe->system, probe->name);
	if (selection_add(making->selection, pattern) ||
	    (filter && selection_filter(making->selection, filter)))
		return -ENOMEM;
	return 0;
}

int probes_make(struct probes *probes, struct ktrace_session *session,
		struct selection *selection)
{
	struct making making = {.probes = probes, .selection = selection};
	int err;

	if (!probes->nr)
		return EXIT_OK;
	err = ktrace_session_probes_add(session,
					(const char *const *)probes->texts,
					probes->nr, true, probe_select,
					&making);
	return err ? probe_failed(probes->texts, probes->nr, err) : EXIT_OK;
}

void probes_free(struct probes *probes)
{
	for (size_t i = 0; i < probes->nr; i++)
		free(probes->texts[i]);
	free(probes->file);
	free(probes->texts);
	free(probes->filters);
}
