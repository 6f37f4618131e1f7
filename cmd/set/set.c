// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace set: keeps what is enabled in files. */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "set_file.h"
#include "set_state.h"

struct options {
	char *items; /* lines, from -e, -f, -c and -M */
	size_t items_size;
	FILE *stream;
	bool open_event; /* the last line is an event, so -f may follow */
	const char *session;
	const char *note;
	bool force;
	bool known;
};

static int session_open(const struct options *o, bool no_load,
			struct ktrace_session **session)
{
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.name = o->session,
		.no_load = no_load,
		.note = note,
	};

	return ktrace_session_open(&options, session);
}

/* Saving */

/* Checks each line that was made from options as a line of a file. */
static int items_check(const char *items)
{
	char *copy = strdup(items), *next = copy, *line;
	int status = copy ? EXIT_OK : failed("out of memory");
	struct set set = {0};
	const char *why;

	while (!status && (line = strsep(&next, "\n")))
		if (set_add(&set, line, &why))
			status = misused(&command_set, "`%s': %s", line, why);
	set_free(&set);
	free(copy);
	return status;
}

static int enabled_print(const struct options *o, FILE *f)
{
	struct ktrace_session *session = NULL;
	int status, err;
	size_t nr;

	/* If the module was never loaded, nothing is enabled. */
	err = session_open(o, true, &session);
	if (err && (o->session || err != -ENOENT))
		say("events of the kernel are left out: %s",
		    ktrace_last_error());
	status = set_print_enabled(f, session, &nr);
	ktrace_session_close(session);
	if (!status && !nr)
		status = failed("nothing is enabled: name the items of the set "
				"with -e, -c or -M, or enable them first");
	return status;
}

static int save(struct options *o, char **names, int nr)
{
	char *text = NULL;
	int status = EXIT_OK;
	size_t size;
	FILE *f;

	if (nr != 1)
		return misused(&command_set, "save takes one name");
	if (o->note && strchr(o->note, '\n'))
		return misused(&command_set, "a note is one line");
	f = open_memstream(&text, &size);
	if (!f)
		return failed("out of memory");
	set_print_head(f, names[0], o->note);
	if (o->items) {
		status = items_check(o->items);
		fputs(o->items, f);
	} else {
		status = enabled_print(o, f);
	}
	fclose(f);
	if (!status)
		status = set_write(names[0], text, size, o->force);
	free(text);
	return status;
}

/* Loading */

static int load(const struct options *o, char **names, int nr)
{
	struct ktrace_session *session = NULL;
	struct set_counts counts;
	struct set set = {0};
	int status = EXIT_OK;

	if (!nr)
		return misused(&command_set, "load which set?");
	for (int i = 0; !status && i < nr; i++)
		status = set_read(&set, names[i]);
	if (!status && set_is_empty(&set))
		status = failed("there is nothing in it: nothing is enabled");
	if (!status && !selection_is_all(&set.selection) &&
	    session_open(o, false, &session))
		status = failed_in_library();
	/* For markers of kernel modules, if there are any. */
	if (!status && !session)
		session_open(o, true, &session);
	if (!status)
		status = set_enable(&set, session,
				    o->known ? SET_LEAVE_OUT : SET_REFUSE,
				    &counts);
	if (!status && !selection_is_all(&set.selection))
		say("%zu event%s enabled in %s", counts.events,
		    counts.events == 1 ? " is" : "s are",
		    ktrace_session_path(session));
	if (!status && set.nr_markers)
		say("%zu marker%s of programs that run %s now on",
		    counts.markers, counts.markers == 1 ? "" : "s",
		    counts.markers == 1 ? "is" : "are");
	if (!status && counts.kernel_markers)
		say("%zu marker%s of kernel modules %s now on",
		    counts.kernel_markers,
		    counts.kernel_markers == 1 ? "" : "s",
		    counts.kernel_markers == 1 ? "is" : "are");
	ktrace_session_close(session);
	set_free(&set);
	return status;
}

/* Showing sets */

static int show(char **names, int nr)
{
	int status = EXIT_OK;
	char path[PATH_MAX];

	if (!nr)
		return misused(&command_set, "show which set?");
	for (int i = 0; i < nr && !status; i++) {
		struct set set = {0};
		size_t size;
		char *text;
		int err;

		/*
		 * Only a valid set is printed, so that the output can be
		 * loaded.
		 */
		status = set_read(&set, names[i]);
		set_free(&set);
		if (status || set_path(names[i], path, sizeof(path)))
			break;
		err = file_read(AT_FDCWD, path, &text, &size);
		if (err)
			return failed("%s: %s", path, strerror(-err));
		fwrite(text, 1, size, stdout);
		free(text);
	}
	return output_finish(status);
}

static int remove_all(char **names, int nr)
{
	char path[PATH_MAX];

	if (!nr)
		return misused(&command_set, "remove which set?");
	for (int i = 0; i < nr; i++) {
		struct set set = {0};
		int status;

		/*
		 * A path may name any file, which is removed only if it is a
		 * set.
		 */
		status = strchr(names[i], '/') ? set_read(&set, names[i])
					       : EXIT_OK;
		set_free(&set);
		if (status)
			return status;
		if (set_path(names[i], path, sizeof(path)))
			return failed("`%s' cannot be a set's name", names[i]);
		if (unlink(path))
			return failed("%s: %s", path, strerror(errno));
	}
	return EXIT_OK;
}

static int visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* The first comment is the set's note. */
static void note_read(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");

	*text = '\0';
	if (!f)
		return;
	if (!fgets(text, size, f) || *text != '#')
		*text = '\0';
	fclose(f);
	text[strcspn(text, "\r\n")] = '\0';
	memmove(text, text + strspn(text, "# "),
		strlen(text + strspn(text, "# ")) + 1);
}

static int list(int nr)
{
	struct dirent **entries;
	char folder[PATH_MAX], path[PATH_MAX + 300], text[80];
	int found, bad = 0, err;

	if (nr)
		return misused(&command_set, "list takes no name");
	err = set_folder(folder, sizeof(folder), false);
	if (err)
		return failed("there is no place for sets: set HOME");
	found = scandir(folder, &entries, visible, alphasort);
	if (found < 0 && errno != ENOENT)
		return failed("%s: %s", folder, strerror(errno));
	for (int i = 0; i < found; i++) {
		const char *name = entries[i]->d_name;
		struct set set = {0};

		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (set_read(&set, name)) {
			bad++;
		} else {
			note_read(path, text, sizeof(text));
			printf("%-20s %3u event%s %3u syscall%s %3zu marker%s %s\n",
			       name, set.nr_events,
			       set.nr_events == 1 ? " " : "s", set.nr_calls,
			       set.nr_calls == 1 ? " " : "s", set.nr_markers,
			       set.nr_markers == 1 ? " " : "s",
			       strcmp(text, name) ? text : "");
		}
		set_free(&set);
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	fflush(stdout);
	say("%d set%s in %s", found < 0 ? 0 : found, found == 1 ? "" : "s",
	    folder);
	return output_finish(bad ? EXIT_FAILED : EXIT_OK);
}

/* Options */

static int item_add(struct options *o, const char *kind, const char *text)
{
	if (!o->stream)
		o->stream = open_memstream(&o->items, &o->items_size);
	if (!o->stream)
		return failed("out of memory");
	if (strchr(text, '\n'))
		return misused(&command_set, "`%s': it has a line's end", text);
	fprintf(o->stream, "%s%s %s", o->items_size ? "\n" : "", kind, text);
	fflush(o->stream);
	o->open_event = *kind == 'e';
	return EXIT_OK;
}

/* Adds a line for each of "a,b". */
static int items_add(struct options *o, const char *kind, const char *list)
{
	char *copy = strdup(list), *next = copy, *word;
	int status = copy ? EXIT_OK : failed("out of memory");

	while (!status && (word = strsep(&next, ",")))
		status = item_add(o, kind, word);
	free(copy);
	return status;
}

static int option_handle(void *data, int option)
{
	struct options *o = data;

	switch (option) {
	case 'c':
		return items_add(o, "syscall", optarg);
	case 'e':
		return item_add(o, "event", optarg);
	case 'f':
		if (!o->open_event)
			return misused(&command_set,
				       "-f belongs to the -e before it, and "
				       "there is none");
		fprintf(o->stream, " if %s", optarg);
		fflush(o->stream);
		o->open_event = false;
		return strchr(optarg, '\n')
			       ? misused(&command_set, "a filter is one line")
			       : EXIT_OK;
	case 'F':
		o->force = true;
		return EXIT_OK;
	case 'k':
		o->known = true;
		return EXIT_OK;
	case 'M':
		return items_add(o, "marker", optarg);
	case 'n':
		o->note = optarg;
		return EXIT_OK;
	case 'S':
		o->session = optarg;
		return EXIT_OK;
	default:
		return option_forgotten(&command_set, option);
	}
}

static int action(struct options *o, const char *what, char **names, int nr)
{
	if (o->stream) {
		fputc('\n', o->stream);
		fclose(o->stream);
		if (strcmp(what, "save"))
			return misused(&command_set,
				       "-e, -c and -M belong to save");
	}
	if (!strcmp(what, "save"))
		return save(o, names, nr);
	if (!strcmp(what, "load"))
		return load(o, names, nr);
	if (!strcmp(what, "list"))
		return list(nr);
	if (!strcmp(what, "show"))
		return show(names, nr);
	if (!strcmp(what, "remove"))
		return remove_all(names, nr);
	return misused(&command_set,
		       "`%s': it is save, load, list, show or remove", what);
}

static int set_main(int argc, char **argv)
{
	struct options o = {0};
	int status;

	status = options_parse(&command_set, argc, argv, option_handle, &o);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind == argc)
		return misused(&command_set,
			       "what? save, load, list, show or remove");
	status = action(&o, argv[optind], argv + optind + 1, argc - optind - 1);
	free(o.items);
	return status;
}

static const struct command_option options[] = {
	OPTION('e', "event", "PATTERN,...", "events, as of ktrace record",
	       .kind = ARGUMENT_EVENT),
	OPTION('f', "filter", "FILTER", "of the -e before it"),
	OPTION('c', "call", "CALL,...",
	       "system calls, or sets of them like %net",
	       .kind = ARGUMENT_CALL),
	OPTION('M', "markers", "PATTERN,...", "markers, as of ktrace record"),
	OPTION('n', "note", "TEXT", "what it is for"),
	OPTION('F', "force", NULL, "replace the set of this name"),
	OPTION('k', "known", NULL,
	       "load what this machine has, leave out the rest"),
	OPTION_SESSION_ROW,
	OPTION_SESSION_OLD_ROW,
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("say what is done"),
	{0},
};

const struct command command_set = {
	.name = "set",
	.what = "keep what is enabled in files, and enable it again",
	.usage = "save|load|list|show|remove [OPTION...] [NAME...]",
	.about =
		"A NAME with a slash is a file; others are in "
		"~/.config/ktrace/sets.\n"
		"\n"
		"    save NAME   what -e, -c and -M name; without these what is "
		"enabled now, in the\n"
		"                session and by recorders of markers that run\n"
		"    load NAME   enable it, beside what is: all of it, or "
		"nothing\n"
		"    list        which there are\n"
		"    show NAME   print it\n"
		"    remove NAME\n",
	.options = options,
	.operand = ARGUMENT_SET,
	.operand_words = "save load list show remove",
	.examples = "    ktrace set save wakeups -e 'sched:sched_wak*' -e "
		    "sched_switch -f 'next_pid != 0'\n"
		    "    ktrace record --set wakeups\n",
	.main = set_main,
};
