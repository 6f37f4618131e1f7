// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/function_names.h"
#include "common/program_path.h"
#include "probes.h"

/* ---- programs ----------------------------------------------------------------- */

/* As texts have it: characters that end something there are written as \NNN. */
static char *path_escape(const char *path)
{
	char *escaped = malloc(4 * strlen(path) + 1), *to = escaped;

	for (; escaped && *path; path++) {
		if ((unsigned char)*path <= ' ' || *path == 0x7f ||
		    strchr(":;\\", *path))
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
	if (!*name)
		return misused(command, "-x needs a program or library");
	probes->file = strcmp(name, "kernel") ? name : NULL;
	return EXIT_OK;
}

/* The text with the path of the file in front of its place.  To be freed. */
static char *text_make(const char *file, const char *text)
{
	size_t word, name;
	char *made = NULL;

	text += strspn(text, " \t");
	if (*text == '/')
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

/* ---- files with debugging information ------------------------------------------ */

int probes_debug_file(struct probes *probes, const char *path)
{
	const char **more = reallocarray(
		probes->debug_files, probes->nr_debug_files + 1, sizeof(*more));

	if (!more)
		return failed("out of memory");
	probes->debug_files = more;
	more[probes->nr_debug_files++] = path;
	return EXIT_OK;
}

int probes_debug_files_use(const struct probes *probes,
			   struct ktrace_session *session)
{
	for (size_t i = 0; i < probes->nr_debug_files; i++)
		if (ktrace_session_debug_file(session, probes->debug_files[i]))
			return failed_in_library();
	return EXIT_OK;
}

/* ---- options ------------------------------------------------------------------ */

int probes_option(struct probes *probes, const struct command *command,
		  const char *text)
{
	if (!text[strspn(text, " \t")])
		return misused(command, "-P needs a place, like vfs_read or "
					"'vfs_read%%return $retval'");
	return probes_append(probes, text);
}

int probes_append(struct probes *probes, const char *text)
{
	struct probe_option *more;

	more = realloc(probes->list, (probes->nr + 1) * sizeof(*more));
	if (!more)
		return failed("out of memory");
	probes->list = more;
	more[probes->nr++] = (struct probe_option){
		.text = text,
		.file = probes->file,
	};
	return EXIT_OK;
}

int probes_are_said(const struct probes *probes, const struct command *command)
{
	if (probes->nr)
		return EXIT_OK;
	if (probes->file)
		return misused(
			command,
			"-x is about the -P behind it, and there is none");
	if (probes->nr_debug_files)
		return misused(command,
			       "--vmlinux is about -P, and there is none");
	return EXIT_OK;
}

void probes_filter(struct probes *probes, const char *filter)
{
	probes->list[probes->nr - 1].filter = filter;
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

/* The error begins with "`TEXT':", and a text may be how another one begins. */
const char *probe_blamed(char *const *texts, size_t nr)
{
	const char *why = ktrace_last_error();

	for (size_t i = 0; *why == '`' && i < nr; i++) {
		size_t length = strlen(texts[i]);

		if (!strncmp(why + 1, texts[i], length) &&
		    !strncmp(why + 1 + length, "':", 2))
			return texts[i];
	}
	return NULL;
}

int probe_failed(char *const *texts, size_t nr, int err)
{
	const char *text = probe_blamed(texts, nr);
	char name[256];
	const char *const pattern = name;

	failed_in_library();
	/* What a program has, the library tells. */
	if (err == -ENOENT && text && *function_place(text) != '/') {
		function_name(text, name, sizeof(name));
		function_names_near(&pattern, 1);
	}
	return EXIT_FAILED;
}

void left_out_tell(struct left_out *left)
{
	if (left->nr)
		say("`%s': left out at %zu place%s, %s%s",
		    left->texts[left->text], left->nr, left->nr == 1 ? "" : "s",
		    left->nr == 1 ? "" : "as ", left->first);
	if (left->nr_tail)
		say("`%s': calls that end by a jump to another function (tail "
		    "calls) are not recorded, which may be in %zu function%s, "
		    "%s%s",
		    left->texts[left->text], left->nr_tail,
		    left->nr_tail == 1 ? "" : "s",
		    left->nr_tail == 1 ? "" : "as ", left->first_tail);
	left->nr = left->nr_tail = 0;
}

static void tail_calls_note(struct left_out *left,
			    const struct ktrace_probe *probe)
{
	if (!probe->tail_calls || left->nr_tail++)
		return;
	snprintf(left->first_tail, sizeof(left->first_tail),
		 "that of %s: at %" PRIu64 " place%s", probe->place,
		 probe->tail_calls, probe->tail_calls == 1 ? "" : "s");
}

bool probe_is_left_out(struct left_out *left, const struct ktrace_probe *probe)
{
	if (probe->text != left->text)
		left_out_tell(left);
	left->text = probe->text;
	if (!probe->left_out) {
		tail_calls_note(left, probe);
		return false;
	}
	if (!left->nr++)
		snprintf(left->first, sizeof(left->first), "%s: %s",
			 probe->place, probe->left_out);
	return true;
}

/* What is made of each. */
struct making {
	const struct probes *probes;
	struct left_out left;
	struct selection *selection;
};

static int probe_select(const struct ktrace_probe *probe, void *data)
{
	struct making *making = data;
	const char *filter = making->probes->list[probe->text].filter;
	char pattern[160];

	if (probe_is_left_out(&making->left, probe))
		return 0;
	snprintf(pattern, sizeof(pattern), "%s:%s", probe->system, probe->name);
	if (probe->armed)
		say("%s waits for the module of %s, which is not loaded",
		    pattern, probe->place);
	if (selection_add(making->selection, pattern) ||
	    (filter && selection_filter(making->selection, filter)))
		return -ENOMEM;
	return 0;
}

/* One of the texts.  NULL: a message has been printed. */
static char *text_complete(const struct probe_option *option, pid_t pid)
{
	char *path, *file = NULL, *text = NULL;

	if (!option->file) {
		text = strdup(option->text);
	} else {
		path = program_path(option->file, pid);
		if (!path)
			return NULL;
		file = path_escape(path);
		free(path);
		text = file ? text_make(file, option->text) : NULL;
		free(file);
	}
	if (!text)
		failed("out of memory");
	return text;
}

char **probes_texts(const struct probes *probes, pid_t pid)
{
	char **texts = calloc(probes->nr + 1, sizeof(*texts));

	if (!texts) {
		failed("out of memory");
		return NULL;
	}
	for (size_t i = 0; i < probes->nr; i++) {
		texts[i] = text_complete(&probes->list[i], pid);
		if (!texts[i]) {
			probes_texts_free(texts);
			return NULL;
		}
	}
	return texts;
}

void probes_texts_free(char **texts)
{
	for (char **text = texts; text && *text; text++)
		free(*text);
	free(texts);
}

int probes_make(struct probes *probes, struct ktrace_session *session,
		struct selection *selection, pid_t pid)
{
	struct making making = {.probes = probes, .selection = selection};
	char **texts;
	int err, status = EXIT_OK;

	if (!probes->nr)
		return EXIT_OK;
	status = probes_debug_files_use(probes, session);
	if (status)
		return status;
	texts = probes_texts(probes, pid);
	if (!texts)
		return EXIT_FAILED;
	making.left.texts = texts;
	err = ktrace_session_probes_add(session, (const char *const *)texts,
					probes->nr, true, probe_select,
					&making);
	left_out_tell(&making.left);
	if (err)
		status = probe_failed(texts, probes->nr, err);
	probes_texts_free(texts);
	return status;
}

/* "SYSTEM:EVENT 0xADDRESS WAY missed ...[: REASON]". */
static int line_tell(const char *line)
{
	char name[160], way[16];
	const char *why;

	if (sscanf(line, "%159s %*s %15s", name, way) != 2)
		return EXIT_OK;
	if (!strcmp(way, "waiting"))
		say("%s waits for its module", name);
	if (strcmp(way, "refused"))
		return EXIT_OK;
	why = strstr(line, ": ");
	return failed("%s was not recorded when its module came: %s", name,
		      why ? why + 2 : "refused");
}

int probes_tell(struct ktrace_session *session)
{
	char *text, *next, *line;
	int status = EXIT_OK;

	/* There is no such file if nobody has made a probe. */
	if (ktrace_session_read(session, "probed", &text, NULL))
		return EXIT_OK;
	for (next = text; (line = strsep(&next, "\n"));)
		status = line_tell(line) ?: status;
	free(text);
	return status;
}

void probes_free(struct probes *probes)
{
	free(probes->list);
	free(probes->debug_files);
}
