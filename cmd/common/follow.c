// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A part that is over has the name PATH.NUMBER, and the next part the next number, or PATH.  Names change while
 * they are looked at, so parts are known by their inodes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "follow.h"
#include "output.h"

struct follow {
	int (*use)(void *data, struct ktrace *trace,
		   struct ktrace_cursor_options *options);
	void *data;
	char path[PATH_MAX];
	char part[PATH_MAX]; /* the one that is read */
	struct stat seen;    /* its directory, before it was opened */
	bool moved;	     /* it was another one when it was opened */
	bool goes_on;	     /* the recording does, in another part */
};

static volatile sig_atomic_t interrupted;

static void interrupt_note(int number)
{
	interrupted = 1;
}

bool follow_is_over(void *data)
{
	return interrupted;
}

/* The second Ctrl-C ends the process. */
static void interrupt_catch(void)
{
	const struct sigaction action = {
		.sa_handler = interrupt_note,
		.sa_flags = SA_RESETHAND,
	};

	sigaction(SIGINT, &action, NULL);
}

static bool is_part_of_more(const struct ktrace_info *info)
{
	return info->reason && (!strncmp(info->reason, "rotation", 8) ||
				!strncmp(info->reason, "snapshot", 8));
}

static int part_use(void *data, struct ktrace *trace,
		    struct ktrace_cursor_options *options)
{
	struct follow *f = data;
	struct stat now;
	int status;

	f->moved = stat(f->part, &now) || !file_is_same(&now, &f->seen);
	if (f->moved)
		return EXIT_OK;
	options->stop = follow_is_over;
	status = f->use(f->data, trace, options);
	f->goes_on = is_part_of_more(ktrace_get_info(trace));
	return status;
}

/* ---- the next part ---------------------------------------------------------- */

static void part_name(struct follow *f, uint64_t number)
{
	if (!number)
		snprintf(f->part, sizeof(f->part), "%s", f->path);
	else
		snprintf(f->part, sizeof(f->part), "%s.%" PRIu64, f->path,
			 number);
}

/* The number of a part's name; 0: it is none. */
static uint64_t part_number(const char *entry, const char *name)
{
	size_t length = strlen(name);
	uint64_t number;
	char rest;

	if (strncmp(entry, name, length) || entry[length] != '.' ||
	    sscanf(entry + length + 1, "%" SCNu64 "%c", &number, &rest) != 1)
		return 0;
	return number;
}

/* The part that is @f->seen, and the first one behind it; 0: there is none. */
static void parts_look(struct follow *f, const struct output_place *place,
		       uint64_t *own, uint64_t *next)
{
	int fd = openat(place->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	uint64_t number;

	*own = *next = 0;
	while (dir && (entry = readdir(dir)))
		if ((number = part_number(entry->d_name, place->name)) &&
		    !fstatat(place->parent, entry->d_name, &st,
			     AT_SYMLINK_NOFOLLOW) &&
		    file_is_same(&st, &f->seen))
			*own = number;
	if (dir)
		rewinddir(dir);
	while (dir && *own && (entry = readdir(dir))) {
		number = part_number(entry->d_name, place->name);
		if (number > *own && (!*next || number < *next))
			*next = number;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* Sets f->part and f->seen.  False: there is no further part. */
static bool part_next(struct follow *f)
{
	struct output_place place;
	uint64_t own, next, before;
	struct stat st = {0};
	bool found;

	if (output_place(&place, f->path) || place.parent < 0)
		return false;
	parts_look(f, &place, &own, &next);
	/* PATH may get a number between the two looks. */
	do {
		before = next;
		part_name(f, next);
		found = !stat(f->part, &st) && !file_is_same(&st, &f->seen);
		parts_look(f, &place, &own, &next);
	} while (next != before);
	close(place.parent);
	if (!own && found)
		say("a part of the recording was removed before the next one "
		    "was found: parts in between are not shown");
	f->seen = st;
	return found;
}

int follow_run(struct query *q, const char *path,
	       int (*use)(void *data, struct ktrace *trace,
			  struct ktrace_cursor_options *options),
	       void *data)
{
	struct follow f = {
		.use = use,
		.data = data,
	};
	const char *now = path;
	size_t length;
	int status;

	q->follow = true;
	snprintf(f.path, sizeof(f.path), "%s", path ?: TRACE_DEFAULT);
	for (length = strlen(f.path); length > 1 && f.path[length - 1] == '/';)
		f.path[--length] = '\0';
	part_name(&f, 0);
	if (stat(f.part, &f.seen))
		f.seen = (struct stat){0}; /* opening it says why */
	interrupt_catch();
	do {
		f.goes_on = f.moved = false;
		status = query_run(q, now, part_use, &f);
		now = f.part;
		if (f.moved && !status)
			f.moved = !stat(f.part, &f.seen);
	} while (!status && !interrupted && !q->ended_early &&
		 (f.moved || (f.goes_on && part_next(&f))));
	return status;
}
