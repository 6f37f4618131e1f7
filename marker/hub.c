// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What programs and recorders both do with the directory where they meet. */
#include "hub.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int hub_directory(u32 uid, char *path, size_t size)
{
	const char *named = secure_getenv("KTRACE_MARKERS");
	struct stat st;

	if (named)
		snprintf(path, size, "%s", named);
	else
		snprintf(path, size, "/dev/shm/ktrace-%u", uid);
	if (mkdir(path, 0700)) {
		if (errno != EEXIST)
			return -errno;
	} else if (uid != geteuid() && chown(path, uid, -1)) {
		return -errno;
	}
	if (lstat(path, &st))
		return -errno;
	/* Others could write into what we map. */
	if (!S_ISDIR(st.st_mode) || st.st_uid != uid || st.st_mode & 022)
		return -EPERM;
	return 0;
}

int hub_map(const char *directory, struct hub **hub)
{
	char path[256];
	void *p = MAP_FAILED;
	int fd;

	snprintf(path, sizeof(path), "%s/hub", directory);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, sizeof(struct hub)))
		p = mmap(NULL, sizeof(struct hub), PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	close(fd);
	*hub = p;
	if (READ_ONCE((*hub)->magic) == HUB_MAGIC &&
	    READ_ONCE((*hub)->version) != HUB_VERSION) {
		munmap(p, sizeof(struct hub));
		return -EPROTONOSUPPORT;
	}
	/* Whoever is first, all write the same. */
	WRITE_ONCE((*hub)->version, HUB_VERSION);
	WRITE_ONCE((*hub)->magic, HUB_MAGIC);
	return 0;
}

static u64 fnv(u64 hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const u8 *)bytes)[i]) * 0x100000001b3ull;
	return hash;
}

u64 marker_id(const char *file, const char *function, u32 order)
{
	u64 hash = 0xcbf29ce484222325ull;

	hash = fnv(hash, file, strlen(file) + 1);
	hash = fnv(hash, function, strlen(function) + 1);
	hash = fnv(hash, &order, sizeof(order));
	return hash ?: 1;
}

static bool pattern_matches(const char *pattern, const struct marker_name *name)
{
	char text[512];

	if (!fnmatch(pattern, name->name, 0) ||
	    !fnmatch(pattern, name->file, 0))
		return true;
	snprintf(text, sizeof(text), "%s:%s", name->system, name->name);
	if (!fnmatch(pattern, text, 0))
		return true;
	snprintf(text, sizeof(text), "%s:%s", name->file, name->function);
	if (!fnmatch(pattern, text, 0))
		return true;
	snprintf(text, sizeof(text), "%s:%s:%u", name->file, name->function,
		 name->order);
	return !fnmatch(pattern, text, 0);
}

bool marker_wanted(const char *patterns, const struct marker_name *name)
{
	const char *end = patterns + RECORDER_PATTERNS;
	bool wanted = false;

	while (patterns < end && *patterns) {
		size_t length = strnlen(patterns, end - patterns);

		if (patterns + length == end)
			break;
		if (*patterns == '!') {
			if (pattern_matches(patterns + 1, name))
				return false;
		} else if (!wanted) {
			wanted = pattern_matches(patterns, name);
		}
		patterns += length + 1;
	}
	return wanted;
}

struct recorder_marker *recorder_find(struct recorder *recorder, u64 id,
				      bool claim)
{
	for (u32 i = 0; i < RECORDER_MARKERS; i++) {
		struct recorder_marker *entry =
			&recorder->markers[(id + i) % RECORDER_MARKERS];
		u64 found = READ_ONCE(entry->id);

		if (found == id)
			return entry;
		if (!found && !claim)
			return NULL;
		if (!found &&
		    (env_cmpxchg(&entry->id, &found, id) || found == id))
			return entry;
	}
	return NULL;
}

/* Strings that do not fit are cut; the last one first. */
static void entry_describe(struct recorder_marker *entry,
			   const struct marker_description *d)
{
	const struct marker_name *name = &d->name;
	u32 n = 0;

	while (d->arguments[n].kind && n < 10) {
		entry->arguments[n] = d->arguments[n];
		n++;
	}
	entry->nr_arguments = n;
	entry->line = d->line;
	entry->order = name->order;
	snprintf(entry->text, sizeof(entry->text) - 1,
		 "%.40s%c%.60s%c%.200s%c%.100s%c%s", name->system, 0,
		 name->name, 0, d->format, 0, name->file, 0, name->function);
}

void recorder_add(struct recorder *recorder, struct hub *hub, unsigned int slot,
		  u64 id, const struct marker_description *description)
{
	struct recorder_marker *entry = recorder_find(recorder, id, true);
	u32 number = 0;

	if (!entry)
		return;
	if (!smp_load_acquire(&entry->ready)) {
		/* Several may try; a number that is not used does no harm. */
		if (!READ_ONCE(entry->event))
			__atomic_compare_exchange_n(
				&entry->event, &number,
				__atomic_add_fetch(&recorder->nr_markers, 1,
						   __ATOMIC_RELAXED),
				false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		entry_describe(entry, description);
		smp_store_release(&entry->ready, 1);
	}
	__atomic_fetch_or(hub_flag(hub, id), 1u << slot, __ATOMIC_RELEASE);
}
