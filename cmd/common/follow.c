// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A part that is over has the name PATH.NUMBER, and the next part the next number, or PATH if it is the newest.
 * Names change while they are looked at, so a part is opened once, and then known by its inode.
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
#include "series.h"

struct follow {
	int (*use)(void *data, struct ktrace *trace,
		   struct ktrace_cursor_options *options);
	void *data;
	char path[PATH_MAX];
	char part[PATH_MAX]; /* the one that is read */
	int directory; /* of that; -1: it is an archive, or cannot be opened */
	struct stat seen; /* the same */
	bool goes_on;	  /* the recording does, in another part */
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
	int status;

	options->stop = follow_is_over;
	status = f->use(f->data, trace, options);
	f->goes_on = is_part_of_more(ktrace_get_info(trace));
	return status;
}

/* ---- the next part ---------------------------------------------------------- */

/* The number of the part that is f->seen; 0: it has none. */
static uint64_t number_find(const struct follow *f,
			    const struct output_place *place)
{
	int fd = openat(place->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	uint64_t number, own = 0;
	struct dirent *entry;
	struct stat st;

	while (dir && !own && (entry = readdir(dir)))
		if ((number = series_number(entry->d_name, place->name)) &&
		    !fstatat(place->parent, entry->d_name, &st,
			     AT_SYMLINK_NOFOLLOW) &&
		    file_is_same(&st, &f->seen))
			own = number;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return own;
}

/*
 * @number 0: the newest.  -1: there is none.  In a folder like /tmp others can make such a name, but not with
 * the owner of the part before: a recorder under sudo gives parts that are over to the caller.
 */
static int part_open(struct follow *f, const struct output_place *place,
		     uint64_t number)
{
	char name[NAME_MAX + 16];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%s", place->name);
	if (number)
		snprintf(name, sizeof(name), "%s.%" PRIu64, place->name,
			 number);
	fd = openat(place->parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || file_is_same(&st, &f->seen) ||
	    (st.st_uid && st.st_uid != f->seen.st_uid)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int next_open(struct follow *f, const struct output_place *place,
		     uint64_t *number)
{
	uint64_t own = number_find(f, place);
	int next = own ? part_open(f, place, own + 1) : -1, newest;

	*number = own + 1;
	if (next >= 0)
		return next;
	newest = part_open(f, place, 0);
	/* It may have got its number between the two looks. */
	next = own ? part_open(f, place, own + 1) : -1;
	if (next >= 0 && newest >= 0)
		close(newest);
	if (next >= 0)
		return next;
	*number = 0;
	if (!own && newest >= 0)
		say("a part of the recording was removed before the next one "
		    "was found: parts in between are not shown");
	return newest;
}

/* False: there is no further part. */
static bool part_next(struct follow *f)
{
	struct output_place place;
	uint64_t number = 0;
	struct stat st;
	int next = -1;

	/* It may have another owner by now. */
	if (f->directory < 0 || fstat(f->directory, &f->seen) ||
	    output_place(&place, f->path))
		return false;
	if (place.parent >= 0) {
		next = next_open(f, &place, &number);
		close(place.parent);
	}
	/* The user has named a part with its number. */
	if (next < 0 && !stat(f->path, &st) && file_is_same(&st, &f->seen))
		return false;
	if (next < 0) {
		say("the recording went on in a further part, which is not "
		    "there any more: %s",
		    f->path);
		return false;
	}
	snprintf(f->part, sizeof(f->part), "%s", f->path);
	if (number)
		snprintf(f->part, sizeof(f->part), "%s.%" PRIu64, f->path,
			 number);
	close(f->directory);
	f->directory = next;
	return true;
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
	/* If it fails, the query says why. */
	f.directory = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	interrupt_catch();
	do {
		f.goes_on = false;
		q->directory = f.directory;
		status = query_run(q, now, part_use, &f);
		now = f.part;
	} while (!status && !interrupted && !q->ended_early && f.goes_on &&
		 part_next(&f));
	if (f.directory >= 0)
		close(f.directory);
	return status;
}
