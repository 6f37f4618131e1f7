// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Markers of running programs, for other processes than their recorder: listing
 * them, and switching them on and off in running recorders.
 *
 * A recorder wants what its patterns select; the last pattern that matches
 * decides. So switching adds a pattern, for programs that start later, and
 * changes the table's entries and the hub's flags, for programs that run.
 * Printing works in the same way, in a slot that no recorder uses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/markers.h>

#include "base/error.h"
#include "hub.h"
#include "program_file.h"
#include "scan.h"
#include "recorder.h"

struct control {
	char directory[200];
	struct hub *hub;
	struct recorder *recorders[HUB_SLOTS]; /* NULL: not there */
	int files[HUB_SLOTS];
	char patterns[RECORDER_PATTERNS];
	bool on;
	bool print; /* for printing, not for recording */
	int (*use)(void *data, const struct ktrace_marker_info *marker);
	void *data;
	size_t count;
};

static void recorder_attach(struct control *c, unsigned int slot)
{
	u32 generation = smp_load_acquire(&c->hub->generations[slot]);
	struct recorder *recorder;
	char path[256];
	struct stat st;

	c->files[slot] = -1;
	if (!(generation & 1))
		return;
	snprintf(path, sizeof(path), "%s/recorder-%u", c->directory, slot);
	c->files[slot] = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (c->files[slot] < 0 || fstat(c->files[slot], &st) ||
	    (size_t)st.st_size < sizeof(*recorder))
		return;
	recorder = mmap(NULL, sizeof(*recorder), PROT_READ | PROT_WRITE,
			MAP_SHARED, c->files[slot], 0);
	if (recorder == MAP_FAILED)
		return;
	if (recorder->magic == RECORDER_MAGIC &&
	    recorder->version == HUB_VERSION &&
	    recorder->generation == generation)
		c->recorders[slot] = recorder;
	else
		munmap(recorder, sizeof(*recorder));
}

static void slot_detach(struct control *c, unsigned int slot)
{
	if (c->recorders[slot])
		munmap(c->recorders[slot], sizeof(struct recorder));
	if (c->files[slot] >= 0)
		close(c->files[slot]);
	c->recorders[slot] = NULL;
	c->files[slot] = -1;
}

static void control_close(struct control *c)
{
	for (unsigned int slot = 0; c->hub && slot < HUB_SLOTS; slot++)
		slot_detach(c, slot);
	if (c->hub)
		munmap(c->hub, sizeof(*c->hub));
}

static int control_open(struct control *c, const char *const *patterns,
			size_t nr)
{
	int err;

	err = patterns_pack(c->patterns, patterns, nr);
	if (err)
		return error_set(err,
				 "too many patterns: %u bytes is all there is "
				 "room for",
				 RECORDER_PATTERNS);
	err = hub_directory(geteuid(), c->directory, sizeof(c->directory));
	if (!err)
		err = hub_open(c->directory, &c->hub);
	if (err)
		return error_set(err, "%s: %s", c->directory, markers_why(err));
	for (unsigned int slot = 0; slot < HUB_SLOTS; slot++)
		recorder_attach(c, slot);
	return 0;
}

/* Calls @offer for the markers of @pid (0: of all running programs). */
static int control_scan(struct control *c, pid_t pid,
			int (*offer)(void *data, const char *path))
{
	char path[256];
	int err;

	snprintf(path, sizeof(path), "%s/hub", c->directory);
	err = marker_scan(path, pid, offer, c);
	if (err == -ESRCH)
		return error_set(err,
				 "process %d has no markers, or is not yours "
				 "to look at",
				 (int)pid);
	return err;
}

/* ---- listing ------------------------------------------------------------------- */

/* Does one of the recorders in the mask @which record it? */
static bool is_on(const struct control *c, u64 id, unsigned int which)
{
	unsigned int mask = READ_ONCE(*hub_flag(c->hub, id)) & which;

	for (; mask; mask &= mask - 1) {
		struct recorder *recorder = c->recorders[__builtin_ctz(mask)];
		const struct recorder_marker *entry =
			recorder ? recorder_find(recorder, id, false) : NULL;

		if (entry && READ_ONCE(entry->state) == RECORDER_WANTED)
			return true;
	}
	return false;
}

static int marker_list(void *data, const struct marker_description *d,
		       bool forced)
{
	struct control *c = data;
	struct ktrace_marker_info info = {
		.system = d->name.system,
		.name = d->name.name,
		.format = d->format,
		.file = d->name.file,
		.function = d->name.function,
		.order = d->name.order,
		.line = d->line,
		.enabled = is_on(c, marker_id(d), (u8)~HUB_HANDLED),
		.printed = is_on(c, marker_id(d), HUB_HANDLED),
	};

	if (*c->patterns && !marker_wanted(c->patterns, &d->name))
		return 0;
	return c->use(c->data, &info);
}

static int file_list(void *data, const char *path)
{
	int err = marker_elf_each(path, marker_list, data);

	/* The file cannot be read; others can. */
	return err == -ENOMEM || err > 0 ? err : 0;
}

int ktrace_markers_list(int pid, const char *const *patterns, size_t nr,
			int (*use)(void *data,
				   const struct ktrace_marker_info *marker),
			void *data)
{
	struct control c = {.use = use, .data = data};
	int err = control_open(&c, patterns, nr);

	if (!err)
		err = control_scan(&c, pid, file_list);
	control_close(&c);
	return err;
}

/* ---- switching ----------------------------------------------------------------- */

static int marker_switch(void *data, const struct marker_description *d,
			 bool forced)
{
	struct control *c = data;
	u64 id = marker_id(d);

	if (!marker_wanted(c->patterns, &d->name))
		return 0;
	for (unsigned int slot = 0; slot < HUB_SLOTS; slot++) {
		if (!c->recorders[slot] || c->print != (slot == HUB_PRINTER))
			continue;
		if (c->on)
			recorder_add(c->recorders[slot], c->hub, slot, id, d);
		else
			recorder_drop(c->recorders[slot], c->hub, slot, id);
	}
	c->count++;
	return 0;
}

static int file_switch(void *data, const char *path)
{
	marker_elf_each(path, marker_switch, data);
	return 0;
}

/*
 * Programs read them at the same time, so the first letter of the new ones is
 * written last.
 */
static int patterns_append(struct recorder *recorder, const char *patterns,
			   bool on)
{
	char *all = recorder->patterns, *end = all;
	char text[RECORDER_PATTERNS];
	size_t size = 0, room;

	while (end < all + RECORDER_PATTERNS && *end)
		end += strnlen(end, all + RECORDER_PATTERNS - end) + 1;
	room = end < all + RECORDER_PATTERNS ? all + RECORDER_PATTERNS - end
					     : 0;
	for (; *patterns; patterns += strlen(patterns) + 1) {
		if (size + strlen(patterns) + 3 > room)
			return -ENOSPC;
		size += sprintf(text + size, "%s%s", on ? "" : "!", patterns) +
			1;
	}
	if (!size)
		return 0;
	memcpy(end + 1, text + 1, size - 1);
	__atomic_store_n(end, *text, __ATOMIC_RELEASE);
	return 0;
}

static int recorders_switch(struct control *c)
{
	int err = 0, any = 0;

	for (unsigned int slot = 0; slot < HUB_SLOTS; slot++) {
		if (!c->recorders[slot] || c->print != (slot == HUB_PRINTER))
			continue;
		any++;
		flock(c->files[slot], LOCK_EX);
		if (patterns_append(c->recorders[slot], c->patterns, c->on))
			err = error_set(
				-ENOSPC,
				c->print
					? "there is no room for more patterns: begin anew with --no-print '*'"
					: "a recorder has no room for more patterns: begin a new recording");
		flock(c->files[slot], LOCK_UN);
	}
	if (!any && c->print)
		return 0; /* nothing is printed, so nothing is to be removed */
	if (!any)
		return error_set(-ESRCH,
				 "nobody records markers: begin with ktrace "
				 "record -M PATTERN");
	return err;
}

static int control_switch(struct control *c, size_t *count)
{
	int err = recorders_switch(c);

	if (!err)
		err = control_scan(c, 0, file_switch);
	if (!err)
		*count = c->count;
	return err;
}

int ktrace_markers_switch(const char *const *patterns, size_t nr, bool on,
			  size_t *count)
{
	struct control c = {.on = on};
	int err = control_open(&c, patterns, nr);

	if (!err)
		err = control_switch(&c, count);
	control_close(&c);
	return err;
}

/* ---- printing ------------------------------------------------------------------ */

/* The slot for printing is like that of a recorder, but without a process. */
static int printer_make(struct control *c, const char *path)
{
	u32 generation = READ_ONCE(c->hub->generations[HUB_PRINTER]) | 1;
	struct recorder *printer;
	int fd, err;

	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(-errno, "%s: %m", path);
	/* Programs that touch memory that is not allocated would be killed. */
	err = posix_fallocate(fd, 0, sizeof(*printer));
	if (err) {
		error_set(-err, "%s: %s", path, strerror(err));
		goto err_close;
	}
	printer = mmap(NULL, sizeof(*printer), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (printer == MAP_FAILED) {
		err = errno;
		error_set(-err, "%s: cannot be mapped: %m", path);
		goto err_close;
	}
	printer->magic = RECORDER_MAGIC;
	printer->version = HUB_VERSION;
	printer->generation = generation;
	printer->size = sizeof(*printer);
	c->recorders[HUB_PRINTER] = printer;
	c->files[HUB_PRINTER] = fd;
	smp_store_release(&c->hub->generations[HUB_PRINTER], generation);
	return 0;

err_close:
	close(fd);
	unlink(path);
	return -err;
}

/* Ends all printing. */
static void printer_end(struct control *c, const char *path)
{
	u32 *generation = &c->hub->generations[HUB_PRINTER];

	smp_store_release(generation, (READ_ONCE(*generation) + 1) & ~1u);
	for (size_t i = 0; i < HUB_FLAGS; i++)
		if (READ_ONCE(c->hub->flags[i]) & HUB_HANDLED)
			__atomic_and_fetch(&c->hub->flags[i], (u8)~HUB_HANDLED,
					   __ATOMIC_RELAXED);
	unlink(path);
}

static int control_print(struct control *c, size_t *count)
{
	bool all = !c->on && !strcmp(c->patterns, "*");
	char path[256];
	int err = 0;

	snprintf(path, sizeof(path), "%s/recorder-%u", c->directory,
		 HUB_PRINTER);
	if (c->on && !c->recorders[HUB_PRINTER])
		err = printer_make(c, path);
	if (!err)
		err = control_switch(c, count);
	if (!err && all)
		printer_end(c, path);
	return err;
}

int ktrace_markers_print(const char *const *patterns, size_t nr, bool on,
			 size_t *count)
{
	struct control c = {.on = on, .print = true};
	char path[256];
	int err = control_open(&c, patterns, nr), lock = -1;

	if (err)
		goto out;
	/* Only one process at a time. */
	snprintf(path, sizeof(path), "%s/lock-%u", c.directory, HUB_PRINTER);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock < 0 || flock(lock, LOCK_EX)) {
		err = error_set(-errno, "%s: %m", path);
		goto out;
	}
	/* Opens the slot again: it may have changed. */
	slot_detach(&c, HUB_PRINTER);
	recorder_attach(&c, HUB_PRINTER);
	err = control_print(&c, count);
out:
	if (lock >= 0)
		close(lock);
	control_close(&c);
	return err;
}

int ktrace_markers_patterns(int (*use)(void *data, const char *pattern),
			    void *data)
{
	struct control c = {0};
	int err = control_open(&c, NULL, 0);
	bool any = false;

	for (unsigned int slot = 0; !err && slot < HUB_RECORDERS; slot++) {
		char all[RECORDER_PATTERNS + 1] = "";

		if (!c.recorders[slot])
			continue;
		any = true;
		/* A copy, because others may write there at the same time. */
		memcpy(all, c.recorders[slot]->patterns, RECORDER_PATTERNS);
		for (const char *p = all; !err && *p; p += strlen(p) + 1)
			err = use(data, p);
	}
	control_close(&c);
	if (!err && !any)
		err = error_set(-ESRCH, "nobody records markers");
	return err;
}
