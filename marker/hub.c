// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What both programs and recorders do with the directory where they meet. */
#include "hub.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int hub_directory(u32 uid, char *path, size_t size)
{
	const char *named = secure_getenv("KTRACE_MARKERS");
	struct stat st;

	if (named && strlen(named) >= size)
		return -ENAMETOOLONG;
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
	/* Others could write into the memory that we map. */
	if (!S_ISDIR(st.st_mode) || st.st_uid != uid || st.st_mode & 022)
		return -EPERM;
	return 0;
}

int hub_map(int directory, u32 uid, struct hub **hub)
{
	int create = uid == geteuid() ? O_CREAT : 0;
	void *p = NULL;
	struct stat st;
	int fd, err;

	fd = openat(directory, "hub",
		    create | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		    0600);
	if (fd < 0)
		return -errno;
	/*
	 * Allocates all its memory now: if there is none left later, touching
	 * it would end us.
	 */
	err = fstat(fd, &st) ? errno : 0;
	if (!err && (!S_ISREG(st.st_mode) || st.st_uid != uid))
		err = EPERM;
	if (!err && st.st_size < (off_t)sizeof(struct hub))
		err = posix_fallocate(fd, 0, sizeof(struct hub));
	if (!err) {
		p = mmap(NULL, sizeof(struct hub), PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
		err = p == MAP_FAILED ? errno : 0;
	}
	close(fd);
	if (err)
		return -err;
	*hub = p;
	return 0;
}

int hub_begin(struct hub *hub)
{
	if (READ_ONCE(hub->magic) == HUB_MAGIC &&
	    READ_ONCE(hub->version) != HUB_VERSION)
		return -EPROTONOSUPPORT;
	/* All write the same, so it does not matter who is first. */
	WRITE_ONCE(hub->version, HUB_VERSION);
	WRITE_ONCE(hub->magic, HUB_MAGIC);
	return 0;
}

int hub_open(const char *directory, struct hub **hub)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = hub_map(fd, geteuid(), hub);
	close(fd);
	if (err)
		return err;
	err = hub_begin(*hub);
	if (err)
		munmap(*hub, sizeof(**hub));
	return err;
}

static u32 hash_add(u32 hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const u8 *)bytes)[i]) * 0x01000193u;
	return hash;
}

static u32 hash_string(u32 hash, const char *s)
{
	return hash_add(hash, s, strlen(s) + 1);
}

u64 marker_id(const struct marker_description *d)
{
	const u32 begin = 0x811c9dc5u;
	u32 name, place;

	name = hash_string(begin, d->name.system);
	name = hash_string(name, d->name.name);
	place = hash_string(begin, d->name.file);
	place = hash_string(place, d->name.function);
	place = hash_add(place, &d->name.order, sizeof(d->name.order));
	place = hash_string(place, d->format);
	for (const struct ktrace_argument *a = d->arguments; a->kind; a++)
		place = hash_add(place, a, sizeof(*a));
	return ((u64)name << 32 | place) ?: 1;
}

bool marker_wanted(const char *patterns, const struct kt_marker_name *name)
{
	const char *end = patterns + RECORDER_PATTERNS;
	bool wanted = false;

	while (patterns < end && *patterns) {
		size_t length = strnlen(patterns, end - patterns);
		bool exclude = *patterns == '!';

		if (patterns + length == end)
			break;
		if (wanted == exclude &&
		    kt_marker_match(patterns + exclude, name))
			wanted = !exclude;
		patterns += length + 1;
	}
	return wanted;
}

int patterns_pack(char packed[RECORDER_PATTERNS], const char *const *patterns,
		  size_t nr)
{
	size_t used = 0, left = RECORDER_PATTERNS - 1;
	bool includes = false;

	for (size_t i = 0; i < nr; i++)
		includes |= *patterns[i] != '!';
	memset(packed, 0, RECORDER_PATTERNS);
	if (nr && !includes)
		used = sprintf(packed, "*") + 1;
	for (int exclude = 0; exclude < 2; exclude++) {
		for (size_t i = 0; i < nr; i++) {
			size_t size = strlen(patterns[i]) + 1;

			if ((*patterns[i] == '!') != exclude || size == 1)
				continue;
			if (size > left - used)
				return -E2BIG;
			memcpy(packed + used, patterns[i], size);
			used += size;
		}
	}
	return 0;
}

/* The entries in which @id may be, in their order. */
static struct recorder_marker *entry_at(struct recorder *recorder, u64 id,
					u32 i)
{
	return &recorder->markers[((id >> 32) + i) % RECORDER_MARKERS];
}

struct recorder_marker *recorder_find(struct recorder *recorder, u64 id,
				      bool claim)
{
	for (u32 i = 0; i < RECORDER_MARKERS; i++) {
		struct recorder_marker *entry = entry_at(recorder, id, i);
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

/* If the strings do not fit they are cut, the last one first. */
static void entry_describe(struct recorder_marker *entry,
			   const struct marker_description *d)
{
	const struct kt_marker_name *name = &d->name;
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

/* How long the first @nr strings of an entry are. */
static size_t text_size(const struct recorder_marker *entry, int nr)
{
	size_t size = 0;

	while (nr--)
		size += strlen(entry->text + size) + 1;
	return size;
}

/* They begin with system and name, */
static bool entry_namesake(const struct recorder_marker *a,
			   const struct recorder_marker *b)
{
	return !memcmp(a->text, b->text, text_size(a, 2));
}

/* which the format follows. */
static bool entry_same(const struct recorder_marker *a,
		       const struct recorder_marker *b)
{
	return !memcmp(a->text, b->text, text_size(a, 3)) &&
	       a->nr_arguments == b->nr_arguments &&
	       !memcmp(a->arguments, b->arguments, sizeof(a->arguments));
}

/*
 * If several entries have the same name, the one that was claimed first decides
 * the format and arguments.  Probing starts at one slot, so the first claimed
 * entry is found first.  Entries with the same format and arguments share its
 * number.
 */
static enum recorder_state entry_decide(struct recorder *recorder,
					struct recorder_marker *entry)
{
	u64 id = entry->id;

	for (u32 i = 0; i < RECORDER_MARKERS; i++) {
		struct recorder_marker *other = entry_at(recorder, id, i);
		u32 state;

		if (other == entry)
			break;
		if (READ_ONCE(other->id) >> 32 != id >> 32)
			continue;
		state = smp_load_acquire(&other->state);
		/* Another thread is filling it. */
		for (int n = 0; state == RECORDER_OPEN && n < 1000; n++) {
			sched_yield();
			state = smp_load_acquire(&other->state);
		}
		if (state == RECORDER_OPEN)
			return state; /* was killed: the next one fills it */
		if (state == RECORDER_REFUSED || !entry_namesake(entry, other))
			continue;
		if (!entry_same(entry, other))
			return RECORDER_REFUSED;
		WRITE_ONCE(entry->number, READ_ONCE(other->number));
		return RECORDER_WANTED;
	}
	/* Several may get here; an unused number does no harm. */
	if (!READ_ONCE(entry->number)) {
		u32 none = 0, number = __atomic_add_fetch(&recorder->nr_markers,
							  1, __ATOMIC_RELAXED);

		__atomic_compare_exchange_n(&entry->number, &none, number,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	return RECORDER_WANTED;
}

/*
 * The file comes before its markers, so that it can be found for each of them.
 */
static void recorder_add_file(struct recorder *recorder, const char *path)
{
	u64 id = (u64)hash_string(~0u, path) << 32 | hash_string(1, path) | 1;
	size_t size = strlen(path) + 1;
	struct recorder_marker *entry;

	if (size >= RECORDER_TEXT)
		return;
	entry = recorder_find(recorder, id, true);
	if (!entry || smp_load_acquire(&entry->state) != RECORDER_OPEN)
		return;
	memcpy(entry->text, path, size);
	smp_store_release(&entry->state, RECORDER_FILE);
}

void recorder_add(struct recorder *recorder, struct hub *hub, unsigned int slot,
		  u64 id, const struct marker_description *description)
{
	struct recorder_marker *entry;
	u32 open = RECORDER_OPEN, off = RECORDER_OFF, decided;

	if (slot != HUB_PRINTER && description->path)
		recorder_add_file(recorder, description->path);
	entry = recorder_find(recorder, id, true);
	if (!entry) {
		__atomic_fetch_add(&recorder->nr_homeless, 1, __ATOMIC_RELAXED);
		return;
	}
	if (smp_load_acquire(&entry->state) == RECORDER_OPEN) {
		entry_describe(entry, description);
		/* Only a trace is restricted to one format per name. */
		decided = slot == HUB_PRINTER ? RECORDER_WANTED
					      : entry_decide(recorder, entry);
		__atomic_compare_exchange_n(&entry->state, &open, decided,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	}
	__atomic_compare_exchange_n(&entry->state, &off, RECORDER_WANTED, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (READ_ONCE(entry->state) == RECORDER_WANTED)
		__atomic_fetch_or(hub_flag(hub, id), 1u << slot,
				  __ATOMIC_RELEASE);
}

void recorder_drop(struct recorder *recorder, struct hub *hub,
		   unsigned int slot, u64 id)
{
	struct recorder_marker *entry = recorder_find(recorder, id, false);
	u32 wanted = RECORDER_WANTED;

	if (!entry || !__atomic_compare_exchange_n(
			      &entry->state, &wanted, RECORDER_OFF, false,
			      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	/* Another marker may have the same flag; then this one stays on. */
	for (u32 i = 0; i < RECORDER_MARKERS; i++) {
		const struct recorder_marker *other = &recorder->markers[i];

		if (READ_ONCE(other->state) == RECORDER_WANTED &&
		    hub_flag(hub, other->id) == hub_flag(hub, id))
			return;
	}
	__atomic_fetch_and(hub_flag(hub, id), (u8) ~(1u << slot),
			   __ATOMIC_RELEASE);
}
