// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "common/calls.h"
#include "cmd.h"
#include "set_file.h"

/* A larger file is not a set. */
#define SET_MAX (1u << 20)

void set_free(struct set *set)
{
	selection_free(&set->selection);
	for (size_t i = 0; i < set->nr_texts; i++)
		free(set->texts[i]);
	free(set->texts);
	free(set->markers);
	memset(set, 0, sizeof(*set));
}

bool set_is_empty(const struct set *set)
{
	return selection_is_all(&set->selection) && !set->nr_markers;
}

/* Items */

/* Copies the text; the copy lives as long as the set. */
static char *text_keep(struct set *set, const char *text)
{
	char **more = realloc(set->texts, (set->nr_texts + 1) * sizeof(*more));
	char *copy = strdup(text);

	if (more)
		set->texts = more;
	if (!more || !copy) {
		free(copy);
		return NULL;
	}
	return more[set->nr_texts++] = copy;
}

/* Parses "PATTERN,PATTERN if FILTER". */
static int event_add(struct set *set, char *text, const char **why)
{
	char *filter = text + strcspn(text, " \t");
	int err;

	if (*filter) {
		*filter++ = '\0';
		filter += strspn(filter, " \t");
		if (strncmp(filter, "if", 2) ||
		    !isspace((unsigned char)filter[2])) {
			*why = "behind the pattern comes `if FILTER', or nothing";
			return -EINVAL;
		}
		filter += 2;
		filter += strspn(filter, " \t");
	}
	err = selection_add(&set->selection, text);
	*why = "it names no event: SYSTEM:EVENT is expected";
	if (!err && *filter) {
		err = selection_filter(&set->selection, filter);
		*why = "what is left out has no filter";
	}
	set->nr_events += !err;
	return err;
}

static int call_add(struct set *set, const char *text, const char **why)
{
	bool exclude = *text == '!';
	int err;

	text += exclude;
	if (!*text || text[strcspn(text, " \t,:!")]) {
		*why = "one call is expected, or a set of them like %net";
		return -EINVAL;
	}
	err = calls_add(&set->selection, text, exclude);
	if (err == -EINVAL)
		*why = "there is no such set of system calls";
	set->nr_calls += !err;
	return err;
}

static int marker_add(struct set *set, const char *text, const char **why)
{
	const char **more;

	if (!text[*text == '!'] || text[strcspn(text, " \t,")]) {
		*why = "one pattern is expected, without blanks and commas";
		return -EINVAL;
	}
	more = realloc(set->markers, (set->nr_markers + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	set->markers = more;
	more[set->nr_markers++] = text;
	return 0;
}

int set_add(struct set *set, const char *line, const char **why)
{
	char *text, *rest, *end;
	int err = -EINVAL;

	*why = "out of memory";
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	text = text_keep(set, line);
	if (!text)
		return -ENOMEM;
	for (end = text + strlen(text);
	     end > text && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	rest = text + strcspn(text, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	for (const char *p = rest; *p; p++) {
		if (!iscntrl((unsigned char)*p) || *p == '\t')
			continue;
		*why = "it has a character that is none";
		return -EINVAL;
	}
	if (strcmp(text, "event") && strcmp(text, "syscall") &&
	    strcmp(text, "marker"))
		*why = "an item begins with event, syscall or marker";
	else if (!*rest)
		*why = "which one?";
	else if (*text == 'e')
		err = event_add(set, rest, why);
	else if (*text == 's')
		err = call_add(set, rest, why);
	else
		err = marker_add(set, rest, why);
	return err;
}

/* Files */

int set_folder(char *path, size_t size, bool make)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	if (config && *config == '/')
		n = snprintf(path, size, "%s/ktrace/sets", config);
	else if (home && *home)
		n = snprintf(path, size, "%s/.config/ktrace/sets", home);
	else
		return -ENOENT;
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	for (char *p = path + 1; make && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return make && mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
}

static bool name_is_valid(const char *name)
{
	if (!*name || *name == '.' || *name == '-' || strlen(name) > 200)
		return false;
	for (; *name; name++)
		if (iscntrl((unsigned char)*name))
			return false;
	return true;
}

int set_path(const char *name, char *path, size_t size)
{
	size_t len;
	int err;

	if (strchr(name, '/')) {
		len = strlen(name);
		if (len >= size)
			return -ENAMETOOLONG;
		memcpy(path, name, len + 1);
		return 0;
	}
	if (!name_is_valid(name))
		return -EINVAL;
	err = set_folder(path, size, false);
	if (err)
		return err;
	len = strlen(path);
	return snprintf(path + len, size - len, "/%s", name) < (int)(size - len)
		       ? 0
		       : -ENAMETOOLONG;
}

static int path_explained(const char *name, char path[PATH_MAX])
{
	int err = set_path(name, path, PATH_MAX);

	switch (err) {
	case 0:
		return EXIT_OK;
	case -EINVAL:
		return failed("`%s' cannot be a set's name", name);
	case -ENOENT:
		return failed("there is no place for sets: set HOME or "
			      "XDG_CONFIG_HOME, or name a file, with a slash");
	default:
		return failed("%s: %s", name, strerror(-err));
	}
}

static int line_complain(const char *path, unsigned int line, int err,
			 const char *why)
{
	return failed("%s:%u: %s", path, line,
		      err == -ENOMEM ? "out of memory" : why);
}

static int lines_read(struct set *set, const char *path, FILE *f)
{
	unsigned int number = 0;
	int status = EXIT_OK;
	char *line = NULL;
	size_t room = 0, all = 0;
	const char *why;
	ssize_t len;
	int err;

	while (!status && (len = getline(&line, &room, f)) > 0) {
		number++;
		all += len;
		if (strlen(line) != (size_t)len || all > SET_MAX) {
			status = failed("%s:%u: this is not a set", path,
					number);
			break;
		}
		line[strcspn(line, "\r\n")] = '\0';
		err = set_add(set, line, &why);
		if (err)
			status = line_complain(path, number, err, why);
	}
	if (!status && ferror(f))
		status = failed("%s: %s", path, strerror(errno));
	free(line);
	return status;
}

int set_read(struct set *set, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int status;
	FILE *f;

	status = path_explained(name, path);
	if (status)
		return status;
	f = fopen(path, "re");
	if (!f && errno == ENOENT && !strchr(name, '/'))
		return failed("there is no set `%s' (%s): `ktrace set list' "
			      "shows those that there are",
			      name, path);
	if (!f)
		return failed("%s: %s", path, strerror(errno));
	if (!fstat(fileno(f), &st) && S_ISDIR(st.st_mode))
		status = failed("%s: it is a directory", path);
	if (!status)
		status = lines_read(set, path, f);
	fclose(f);
	return status;
}

/* Writes to a temporary file first, which then gets the name. */
static int text_write(const char *path, const char *text, size_t size,
		      bool replace)
{
	char temporary[PATH_MAX + 8];
	mode_t mask;
	int fd, err = 0;

	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = file_write(fd, text, size);
	umask(mask = umask(0));
	if (!err && fchmod(fd, 0666 & ~mask))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && (replace ? rename(temporary, path) : link(temporary, path)))
		err = -errno;
	if (err || !replace)
		unlink(temporary);
	return err;
}

int set_write(const char *name, const char *text, size_t size, bool replace)
{
	char path[PATH_MAX], folder[PATH_MAX];
	int status, err;

	status = path_explained(name, path);
	if (status)
		return status;
	err = strchr(name, '/') ? 0 : set_folder(folder, sizeof(folder), true);
	if (err)
		return failed("cannot make %s: %s", folder, strerror(-err));
	err = text_write(path, text, size, replace);
	if (err == -EEXIST)
		return failed("there is a set `%s' already (%s): --force "
			      "replaces it",
			      name, path);
	if (err)
		return failed("%s: %s", path, strerror(-err));
	say("saved to %s", path);
	return EXIT_OK;
}
