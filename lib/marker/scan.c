// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Every program with markers maps the hub.  /proc/PID/maps shows this, and the
 * files of the program.  Processes come and go during the scan: those that
 * cannot be read are left out.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scan.h"

struct seen {
	dev_t dev;
	ino_t ino;
};

struct scan {
	int (*use)(void *data, const char *path);
	void *data;
	struct stat hub;
	struct seen *seen;
	size_t nr_seen;
};

static bool seen_before(struct scan *s, const struct stat *st)
{
	struct seen *more;

	for (size_t i = 0; i < s->nr_seen; i++)
		if (s->seen[i].dev == st->st_dev &&
		    s->seen[i].ino == st->st_ino)
			return true;
	more = realloc(s->seen, (s->nr_seen + 1) * sizeof(*more));
	if (!more)
		return false;
	s->seen = more;
	more[s->nr_seen++] = (struct seen){st->st_dev, st->st_ino};
	return false;
}

/* The path of a line of maps; NULL: it has none.  @code: it may be executed. */
static char *line_path(char *line, bool *code)
{
	char *path = strchr(line, '/'), *end;
	const char *rights = strchr(line, ' ');

	if (!path || !rights)
		return NULL;
	*code = strlen(rights) > 4 && rights[3] == 'x';
	end = path + strcspn(path, "\n");
	*end = '\0';
	return path;
}

/*
 * As the process itself sees it: it may be in a container.  If our path names
 * the same file, use our path: it is still valid when the process has ended.
 */
static bool path_stat(pid_t pid, const char *path, char *full, size_t size,
		      struct stat *st)
{
	struct stat here;

	snprintf(full, size, "/proc/%d/root%s", pid, path);
	if (stat(full, st) || !S_ISREG(st->st_mode))
		return false;
	if (!stat(path, &here) && here.st_dev == st->st_dev &&
	    here.st_ino == st->st_ino)
		snprintf(full, size, "%s", path);
	return true;
}

static bool process_has_hub(const struct scan *s, pid_t pid, FILE *maps)
{
	char *line = NULL, full[4200];
	bool has = false, code;
	size_t room = 0;
	struct stat st;

	while (!has && getline(&line, &room, maps) > 0) {
		const char *path = line_path(line, &code);

		has = path && strlen(path) > 4 &&
		      !strcmp(path + strlen(path) - 4, "/hub") &&
		      path_stat(pid, path, full, sizeof(full), &st) &&
		      st.st_ino == s->hub.st_ino && st.st_dev == s->hub.st_dev;
	}
	free(line);
	rewind(maps);
	return has;
}

static int process_scan(struct scan *s, pid_t pid)
{
	char *line = NULL, full[4200], name[64];
	int err = -ESRCH;
	size_t room = 0;
	struct stat st;
	FILE *maps;
	bool code;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return -ESRCH;
	if (process_has_hub(s, pid, maps))
		err = 0;
	while (!err && getline(&line, &room, maps) > 0) {
		const char *path = line_path(line, &code);

		if (path && code &&
		    path_stat(pid, path, full, sizeof(full), &st) &&
		    !seen_before(s, &st))
			err = s->use(s->data, full);
	}
	free(line);
	fclose(maps);
	return err;
}

int marker_scan(const char *hub, pid_t pid,
		int (*use)(void *data, const char *path), void *data)
{
	struct scan s = {.use = use, .data = data};
	struct dirent *entry;
	int err = 0;
	DIR *proc;

	if (stat(hub, &s.hub))
		return pid ? -ESRCH : 0;
	if (pid) {
		err = process_scan(&s, pid);
		free(s.seen);
		return err;
	}
	proc = opendir("/proc");
	while (!err && proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		err = process_scan(&s, atoi(entry->d_name));
		if (err == -ESRCH)
			err = 0;
	}
	if (proc)
		closedir(proc);
	free(s.seen);
	return err;
}
