// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Markers of programs that run, for others than their recorder: which there are, and
 * switching them on and off in recorders that run.
 *
 * What a recorder wants are its patterns, the last of which that matches decides; so
 * to switch is to add one, for programs that begin later, and to change the table's
 * entries and the hub's flags, for those that run.
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

#include <ktrace/session.h>

#include "error.h"
#include "hub.h"
#include "marker_elf.h"
#include "marker_scan.h"

struct control {
	char directory[200];
	struct hub *hub;
	struct recorder *recorders[HUB_RECORDERS]; /* NULL: not there */
	int files[HUB_RECORDERS];
	char patterns[RECORDER_PATTERNS];
	bool on;
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

static void control_close(struct control *c)
{
	for (unsigned int slot = 0; c->hub && slot < HUB_RECORDERS; slot++) {
		if (c->recorders[slot])
			munmap(c->recorders[slot], sizeof(struct recorder));
		if (c->files[slot] >= 0)
			close(c->files[slot]);
	}
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
		err = hub_map(c->directory, &c->hub);
	if (err)
		return error_set(err, "%s: %s", c->directory, strerror(-err));
	for (unsigned int slot = 0; slot < HUB_RECORDERS; slot++)
		recorder_attach(c, slot);
	return 0;
}

/* Calls @offer for the markers of @pid, 0: of all that run. */
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

/* Does a recorder get it? */
static bool is_on(const struct control *c, u64 id)
{
	unsigned int mask = READ_ONCE(*hub_flag(c->hub, id));

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
		.enabled = is_on(c, marker_id(d)),
	};

	if (*c->patterns && !marker_wanted(c->patterns, &d->name))
		return 0;
	return c->use(c->data, &info);
}

static int file_list(void *data, const char *path)
{
	int err = marker_elf_each(path, marker_list, data);

	/* No program that can be read; others are. */
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
	for (unsigned int slot = 0; slot < HUB_RECORDERS; slot++) {
		if (!c->recorders[slot])
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

/* Programs read them meanwhile: the first letter of the new ones comes last. */
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

	for (unsigned int slot = 0; slot < HUB_RECORDERS; slot++) {
		if (!c->recorders[slot])
			continue;
		any++;
		flock(c->files[slot], LOCK_EX);
		if (patterns_append(c->recorders[slot], c->patterns, c->on))
			err = error_set(-ENOSPC,
					"a recorder has no room for more "
					"patterns: begin a new recording");
		flock(c->files[slot], LOCK_UN);
	}
	if (!any)
		return error_set(-ESRCH,
				 "nobody records markers: begin with ktrace "
				 "record -M PATTERN");
	return err;
}

int ktrace_markers_switch(const char *const *patterns, size_t nr, bool on,
			  size_t *count)
{
	struct control c = {.on = on};
	int err = control_open(&c, patterns, nr);

	if (!err)
		err = recorders_switch(&c);
	if (!err)
		err = control_scan(&c, 0, file_switch);
	control_close(&c);
	if (!err)
		*count = c.count;
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
		/* Others may write there meanwhile. */
		memcpy(all, c.recorders[slot]->patterns, RECORDER_PATTERNS);
		for (const char *p = all; !err && *p; p += strlen(p) + 1)
			err = use(data, p);
	}
	control_close(&c);
	if (!err && !any)
		err = error_set(-ESRCH, "nobody records markers");
	return err;
}
