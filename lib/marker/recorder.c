// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Makes, reads and removes what a recorder of markers shares with programs
 * (marker/hub.h).  Nothing in it is trusted: programs may write anywhere into
 * it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "fault.h"
#include "hub.h"
#include "program_file.h"
#include "entry.h"
#include "enumeration.h"
#include "scan.h"
#include "recorder.h"
#include "publish.h"
#include "shared.h"
#include "type/type.h"

#define BUFFER	     (1u << 20)
#define LOCKED	     4 /* rings for threads without rseq */
#define CPUS_MAX     8192
#define TICKS	     100 /* per second: USER_HZ is the same everywhere */
#define SCAN_SECONDS 5	 /* limit for looking at another user's programs */

struct markers {
	char directory[200];
	int at;	      /* @directory, opened: so nobody can replace it */
	uint32_t uid; /* its owner */
	uint32_t gid;
	pid_t scanner; /* looks at that user's programs; 0: none */
	char patterns
		[RECORDER_PATTERNS]; /* programs may write to the recorder's */
	struct hub *hub;
	struct recorder *recorder;
	struct marker_rings rings;
	uint64_t size;
	uint32_t first_id;
	unsigned int slot;
	int lock; /* of the slot, as long as this process lives */
	int fd;
	bool started;
	bool seen[RECORDER_MARKERS]; /* by entry: decided upon, and looked at */
	bool known[RECORDER_MARKERS]; /* by number: its type was returned */
	/*
	 * For markers_names(): by entry: was looked at; by number: names were
	 * searched.
	 */
	bool named[RECORDER_MARKERS];
	bool searched[RECORDER_MARKERS];
	void (*warn)(void *data, const char *text);
	void *data;
	u32 homeless; /* not 0: a warning was given */
	u32 nr_pids;  /* processes that are recorded; 0: all */
	u32 pids[RECORDER_PIDS];
	u32 timeless; /* the part of the hub's count that was there before */
	u64 missing;  /* a copy, because programs may write to the recorder's */
	struct enum_files files;
};

/*
 * Opens a file in the directory.  The directory may belong to another user, who
 * may have put anything there, so only his own files are touched.  With O_CREAT
 * the file becomes his.
 */
static int file_open(const struct markers *m, const char *name, int flags)
{
	const int safe = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = openat(m->at, name, safe);
	struct stat st;

	if (fd >= 0 && flags & O_EXCL) {
		close(fd);
		return -EEXIST;
	}
	if (fd < 0 && errno == ENOENT && flags & O_CREAT) {
		/* No existing file is given to the user. */
		fd = openat(m->at, name, safe | O_CREAT | O_EXCL, 0600);
		if (fd >= 0 && m->uid != geteuid() && fchown(fd, m->uid, -1)) {
			close(fd);
			return -EPERM;
		}
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != m->uid) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* -1: a recorder has it, or it cannot be made. */
static int slot_lock(const struct markers *m, unsigned int slot)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "lock-%u", slot);
	fd = file_open(m, name, O_CREAT);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void recorder_name(unsigned int slot, char name[32])
{
	snprintf(name, 32, "recorder-%u", slot);
}

/*
 * Programs keep it mapped: gives its memory back, and marks it so that programs
 * that would still write to it see that the recorder has gone.
 */
static void memory_clear(const struct markers *m, const char *name)
{
	int fd = file_open(m, name, 0);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  st.st_size);
	close(fd);
}

/* After this no program begins to write. */
static void slot_switch_off(struct hub *hub, unsigned int slot)
{
	u8 bit = 1u << slot;

	for (size_t i = 0; i < HUB_FLAGS; i++)
		if (READ_ONCE(hub->flags[i]) & bit)
			__atomic_and_fetch(&hub->flags[i], (u8)~bit,
					   __ATOMIC_RELAXED);
	smp_store_release(&hub->generations[slot],
			  (READ_ONCE(hub->generations[slot]) + 1) & ~1u);
}

static void slot_clear(const struct markers *m, unsigned int slot)
{
	char name[32];

	recorder_name(slot, name);
	memory_clear(m, name);
	unlinkat(m->at, name, 0);
}

/*
 * Takes the first free slot.  The locks of killed recorders are free, and what
 * they have left, here or in other slots, is removed.
 */
static int slots_look(struct markers *m)
{
	for (unsigned int slot = 0; slot < HUB_RECORDERS; slot++) {
		int lock = slot_lock(m, slot);

		if (lock < 0)
			continue;
		slot_switch_off(m->hub, slot);
		slot_clear(m, slot);
		if (m->lock < 0) {
			m->lock = lock;
			m->slot = slot;
		} else {
			close(lock);
		}
	}
	return m->lock >= 0
		       ? 0
		       : error_set(-EBUSY,
				   "%u recorders of markers run already: end "
				   "one of them",
				   HUB_RECORDERS);
}

/* The highest number of CPUs: a CPU's number is that of its ring. */
static u32 cpus_possible(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	u32 cpus = sysconf(_SC_NPROCESSORS_CONF);
	char line[64], *last;

	if (!file)
		return cpus;
	/* "0-7", or "0"; in theory "0-3,8-11". */
	if (fgets(line, sizeof(line), file)) {
		last = line + strlen(line);
		while (last > line && !strchr("-,", last[-1]))
			last--;
		if (isdigit((unsigned char)*last) &&
		    strtoul(last, NULL, 10) < CPUS_MAX)
			cpus = strtoul(last, NULL, 10) + 1;
	}
	fclose(file);
	return cpus;
}

static u32 packets_of(uint64_t buffer)
{
	u32 packets = KT_RING_PACKETS_MIN;

	while (packets < KT_RING_PACKETS_MAX &&
	       (uint64_t)packets << KT_PACKET_SHIFT < (buffer ?: BUFFER))
		packets *= 2;
	return packets;
}

/* Sets the processes that are recorded. */
static int pids_put(struct markers *m, const struct markers_options *options)
{
	struct timespec now;

	if (options->nr_pids > RECORDER_PIDS)
		return error_set(-E2BIG,
				 "markers can be recorded of %u processes at "
				 "most: name fewer with -p",
				 RECORDER_PIDS);
	clock_gettime(CLOCK_BOOTTIME, &now);
	m->recorder->begun =
		now.tv_sec * TICKS + now.tv_nsec / (1000000000 / TICKS);
	m->nr_pids = m->recorder->nr_pids = options->nr_pids;
	for (size_t i = 0; i < options->nr_pids; i++)
		m->pids[i] = m->recorder->pids[i] = options->pids[i];
	return 0;
}

/*
 * Allocates the memory, because if memory is short, programs that touch it
 * first would be killed.  For rings with locks only what is touched here is
 * allocated: programs that need such a ring allocate the rest.  Returns an
 * errno, like posix_fallocate().
 */
static int memory_take(struct markers *m, u32 cpus, size_t ring,
		       uint64_t *taken)
{
	uint64_t locked = RECORDER_RINGS + cpus * ring;
	const size_t head = KT_CONTROL_SIZE + sizeof(struct kt_packet);
	int err;

	*taken = locked + LOCKED * head;
	err = posix_fallocate(m->fd, 0, locked);
	for (u32 i = 0; !err && i < LOCKED; i++)
		err = posix_fallocate(m->fd, locked + i * ring, head);
	if (!err && ftruncate(m->fd, m->size))
		err = errno;
	return err;
}

static int recorder_make(struct markers *m,
			 const struct markers_options *options)
{
	u32 cpus = cpus_possible(), rings = cpus + LOCKED;
	u32 packets = packets_of(options->buffer);
	enum kt_mode mode =
		options->overwrite ? KT_MODE_OVERWRITE : KT_MODE_DISCARD;
	uint64_t taken;
	char name[32];
	void *p;
	int err;

	m->size = RECORDER_RINGS + rings * marker_ring_size(packets);
	recorder_name(m->slot, name);
	m->fd = file_open(m, name, O_CREAT | O_EXCL);
	if (m->fd < 0)
		return error_set(m->fd, "%s/%s: %s", m->directory, name,
				 strerror(-m->fd));
	err = memory_take(m, cpus, marker_ring_size(packets), &taken);
	if (err)
		return error_set(-err,
				 "%s/%s: no room for buffers of %llu MB (%s): "
				 "make them smaller (-s), or name a directory "
				 "with more room in KTRACE_MARKERS",
				 m->directory, name,
				 (unsigned long long)taken >> 20,
				 strerror(err));
	p = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED)
		return error_set(-errno, "%s/%s: cannot be mapped: %m",
				 m->directory, name);
	m->recorder = p;
	m->timeless = READ_ONCE(m->hub->timeless[m->slot]);
	if (m->uid != geteuid() && fault_guard(p, m->size))
		return error_set(-ENOSPC, "too many users at once");
	*m->recorder = (struct recorder){
		.magic = RECORDER_MAGIC,
		.version = HUB_VERSION,
		.generation = READ_ONCE(m->hub->generations[m->slot]) + 1,
		.cpus = cpus,
		.locked = LOCKED,
		.packets = packets,
		.first_id = options->first_id,
		.size = m->size,
		.trace_id = options->trace_id,
		.missing = options->missing,
		.monotonic = options->monotonic,
	};
	err = pids_put(m, options);
	if (err)
		return err;
	m->rings =
		marker_rings((u8 *)p + RECORDER_RINGS, packets, cpus, LOCKED);
	m->rings.monotonic = options->monotonic;
	m->missing = options->missing;
	m->rings.missing = &m->missing;
	for (u32 i = 0; i < rings; i++) {
		marker_ring_init(&m->rings, i, mode, options->trace_id);
		marker_ring(&m->rings, i)->bare = i >= cpus;
	}
	err = patterns_pack(m->patterns, options->patterns,
			    options->nr_patterns);
	memcpy(m->recorder->patterns, m->patterns, sizeof(m->patterns));
	return err ? error_set(err,
			       "too many patterns for markers: %u bytes is all "
			       "there is room for",
			       RECORDER_PATTERNS)
		   : 0;
}

/* Opens our own directory, or another user's, which is never made here. */
static int directory_open(struct markers *m,
			  const struct markers_options *options)
{
	struct stat st;
	int err = 0;

	m->uid = options->other ? options->uid : geteuid();
	if (options->other)
		snprintf(m->directory, sizeof(m->directory),
			 "/dev/shm/ktrace-%u", m->uid);
	else
		err = hub_directory(m->uid, m->directory, sizeof(m->directory));
	if (err)
		return err;
	m->at = open(m->directory,
		     O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	/* What KTRACE_MARKERS names may be a link. */
	if (m->at < 0 && errno == ENOTDIR && !options->other)
		m->at = open(m->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->at < 0 || fstat(m->at, &st))
		return -errno;
	if (st.st_uid != m->uid || st.st_mode & 022)
		return -EPERM;
	m->gid = st.st_gid;
	if (options->other &&
	    faccessat(m->at, "hub", F_OK, AT_SYMLINK_NOFOLLOW))
		return -ENOENT;
	return 0;
}

const char *markers_why(int err)
{
	return err == -EPROTONOSUPPORT
		       ? "it is of another version of ktrace: end the programs "
			 "that were started with that, then remove it"
		       : strerror(-err);
}

int markers_create(const struct markers_options *options,
		   struct markers **result)
{
	struct markers *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return error_set(-ENOMEM, "out of memory");
	m->lock = -1;
	m->fd = -1;
	m->at = -1;
	m->first_id = options->first_id;
	m->warn = options->warn;
	m->data = options->data;
	err = directory_open(m, options);
	if (!err)
		err = hub_map(m->at, m->uid, &m->hub);
	if (!err && m->uid != geteuid())
		err = fault_guard(m->hub, sizeof(*m->hub));
	if (!err)
		err = hub_begin(m->hub);
	if (err) {
		error_set(err, "%s: markers cannot be recorded: %s",
			  m->directory, markers_why(err));
		goto err_destroy;
	}
	err = slots_look(m);
	if (err)
		goto err_destroy;
	err = recorder_make(m, options);
	if (err)
		goto err_destroy;
	*result = m;
	return 0;

err_destroy:
	markers_destroy(m);
	return err;
}

static int marker_offer(void *data, const struct marker_description *d,
			bool forced)
{
	struct markers *m = data;
	const struct kt_marker_name *name = &d->name;

	if (forced || marker_wanted(m->patterns, name))
		recorder_add(m->recorder, m->hub, m->slot, marker_id(d), d);
	return 0;
}

/* A file that is not a readable program has no markers for us. */
static int file_offer(void *data, const char *path)
{
	marker_elf_each(path, marker_offer, data);
	return 0;
}

/*
 * Offers the markers of programs that run already; if processes are named, only
 * of these.
 */
static int programs_scan(struct markers *m, const char *path)
{
	int err = 0;

	if (!m->nr_pids)
		return marker_scan(path, 0, file_offer, m);
	for (u32 i = 0; !err && i < m->nr_pids; i++) {
		err = marker_scan(path, m->pids[i], file_offer, m);
		/* It has no markers, or has ended. */
		if (err == -ESRCH)
			err = 0;
	}
	return err;
}

/*
 * A child with the other user's rights looks at that user's programs.  If it is
 * misled, or hangs, only markers of programs that run already are missed.
 */
static _Noreturn void user_scan(struct markers *m, const char *path)
{
	struct rlimit limit = {SCAN_SECONDS, SCAN_SECONDS};

	setrlimit(RLIMIT_CPU, &limit);
	close_range(3, ~0u, 0);
	if (setgroups(0, NULL) || setresgid(m->gid, m->gid, m->gid) ||
	    setresuid(m->uid, m->uid, m->uid))
		_exit(1);
	programs_scan(m, path);
	_exit(0);
}

/* Reaps the child if it has ended; @end: kills it first. */
static bool scanner_reap(struct markers *m, bool end)
{
	if (m->scanner > 0 && end)
		kill(m->scanner, SIGKILL);
	if (m->scanner > 0 && waitpid(m->scanner, NULL, end ? 0 : WNOHANG))
		m->scanner = 0;
	return m->scanner <= 0;
}

static int start_as_user(struct markers *m, const char *path, bool wait)
{
	static const struct timespec rest = {.tv_nsec = 5000000};

	m->scanner = fork();
	if (!m->scanner)
		user_scan(m, path);
	for (int i = 0; wait && !scanner_reap(m, i == SCAN_SECONDS * 200); i++)
		nanosleep(&rest, NULL);
	return 0;
}

/*
 * Programs that start from here on offer their markers themselves; for those
 * that run already this is done here.
 */
int markers_start(struct markers *m, bool wait)
{
	char path[256];

	smp_store_release(&m->hub->generations[m->slot],
			  m->recorder->generation);
	m->started = true;
	snprintf(path, sizeof(path), "%s/hub", m->directory);
	return m->uid == geteuid() ? programs_scan(m, path)
				   : start_as_user(m, path, wait);
}

void markers_stop(struct markers *m)
{
	scanner_reap(m, true);
	if (m->started)
		slot_switch_off(m->hub, m->slot);
	m->started = false;
}

void markers_destroy(struct markers *m)
{
	if (!m)
		return;
	markers_stop(m);
	enum_files_destroy(&m->files);
	if (m->recorder) {
		slot_clear(m, m->slot);
		fault_forget(m->recorder);
		munmap(m->recorder, m->size);
	}
	if (m->fd >= 0)
		close(m->fd);
	if (m->lock >= 0)
		close(m->lock);
	if (m->hub) {
		fault_forget(m->hub);
		munmap(m->hub, sizeof(*m->hub));
	}
	if (m->at >= 0)
		close(m->at);
	free(m);
}

/* ---- types ---------------------------------------------------------------------- */

/* 0: a program has damaged the entry. */
static int type_make(const struct markers *m, struct arena *arena,
		     const struct recorder_marker *entry,
		     struct ktrace_type **result)
{
	struct ktrace_type *type = arena_alloc(arena, sizeof(*type));
	struct ktrace_field *fields;
	struct entry_text text;
	unsigned int nr = READ_ONCE(entry->nr_arguments);
	u32 number = READ_ONCE(entry->number);
	const char *format;
	int err;

	if (nr > 10 || !number || number > RECORDER_MARKERS)
		return 0;
	entry_text_read(&text, entry);
	format = text.format;
	fields = arena_alloc(arena, (nr + 1) * sizeof(*fields));
	if (!type || !fields)
		return -ENOMEM;
	type->id = m->first_id + number - 1;
	type->marker = true;
	type->user = m->uid;
	type->system = arena_strdup(arena, text.system);
	type->name = arena_strdup(arena, text.name);
	type->fields = fields;
	for (unsigned int i = 0; i < nr; i++) {
		struct ktrace_argument argument = entry->arguments[i];

		err = entry_field(fields, i, &argument, &format, arena);
		if (err)
			return err == -ENOMEM ? err : 0;
		fields[i].offset = type->size;
		type->size += fields[i].size;
		type->dynamic |= fields[i].place != KTRACE_FIXED;
		type->nr_fields++;
	}
	if (!type->system || !type->name)
		return -ENOMEM;
	*result = type;
	return 1;
}

static int type_add(struct markers *m, struct ktrace_types *types,
		    const struct recorder_marker *entry)
{
	struct ktrace_type *type;
	int made = type_make(m, &types->arena, entry, &type), err;

	if (made <= 0 || m->known[type->id - m->first_id])
		return made < 0 ? made : 0;
	m->known[type->id - m->first_id] = true;
	/* A damaged entry is not an error. */
	err = types_add(types, type);
	return err == -ENOMEM ? err : 0;
}

static void warn_printf(const struct markers *m, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (!m->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	m->warn(m->data, text);
}

static void refused_tell(const struct markers *m,
			 const struct recorder_marker *entry)
{
	struct entry_text text;

	entry_text_read(&text, entry);
	warn_printf(m,
		    "the marker %s:%s in %s:%u is not recorded: another one of "
		    "this name has another format; rename one of them",
		    text.system, text.name, text.file, entry->line);
}

void markers_types_again(struct markers *m)
{
	/* Why one was refused is told once. */
	for (u32 i = 0; i < RECORDER_MARKERS; i++)
		if (READ_ONCE(m->recorder->markers[i].state) !=
		    RECORDER_REFUSED)
			m->seen[i] = false;
	memset(m->known, 0, sizeof(m->known));
}

int markers_types(struct markers *m, struct ktrace_types *types)
{
	u32 homeless = READ_ONCE(m->recorder->nr_homeless);
	int err = 0;

	for (u32 i = 0; i < RECORDER_MARKERS && !err; i++) {
		const struct recorder_marker *entry = &m->recorder->markers[i];
		u32 state = smp_load_acquire(&entry->state);

		if (m->seen[i] || state == RECORDER_OPEN ||
		    state == RECORDER_FILE)
			continue;
		if (state == RECORDER_REFUSED)
			refused_tell(m, entry);
		else
			err = type_add(m, types, entry);
		m->seen[i] = !err;
	}
	if (homeless && !m->homeless)
		warn_printf(m,
			    "there are more markers than the %u that can be "
			    "recorded at once: choose narrower patterns (-M)",
			    RECORDER_MARKERS);
	m->homeless |= homeless;
	return err;
}

static void files_look(struct markers *m)
{
	char path[RECORDER_TEXT + 1];

	for (u32 i = 0; i < RECORDER_MARKERS; i++) {
		const struct recorder_marker *entry = &m->recorder->markers[i];

		if (m->named[i] ||
		    smp_load_acquire(&entry->state) != RECORDER_FILE)
			continue;
		snprintf(path, sizeof(path), "%.*s", RECORDER_TEXT,
			 entry->text);
		enum_files_add(&m->files, path);
		m->named[i] = true;
	}
}

static int names_add(struct markers *m, struct ktrace_types *types,
		     const struct recorder_marker *entry)
{
	struct arena *arena = &types->arena;
	struct ktrace_field *fields;
	struct ktrace_type *type;
	int made = type_make(m, arena, entry, &type), err;
	bool any = false;

	if (made <= 0 || m->searched[type->id - m->first_id])
		return made < 0 ? made : 0;
	m->searched[type->id - m->first_id] = true;
	if (!enum_files_has(&m->files, type->system))
		files_look(m);
	fields = (void *)type->fields;
	for (uint32_t i = 0; i < type->nr_fields; i++) {
		enum_files_name(&m->files, type->system, entry->id, i,
				&fields[i], arena);
		any |= !!fields[i].names;
	}
	err = any ? types_add(types, type) : 0;
	return err == -ENOMEM ? err : 0;
}

int markers_names(struct markers *m, struct ktrace_types *types)
{
	int err = 0;

	for (u32 i = 0; i < RECORDER_MARKERS && !err; i++) {
		const struct recorder_marker *entry = &m->recorder->markers[i];
		u32 state = smp_load_acquire(&entry->state);

		if (m->named[i] || state == RECORDER_OPEN ||
		    state == RECORDER_FILE || state == RECORDER_REFUSED)
			continue;
		m->named[i] = true;
		err = names_add(m, types, entry);
	}
	return err;
}

void markers_missing(struct markers *m, uint64_t ticks)
{
	WRITE_ONCE(m->missing, ticks);
	WRITE_ONCE(m->recorder->missing, ticks);
}

/* ---- events ----------------------------------------------------------------------- */

size_t markers_nr_rings(const struct markers *m)
{
	return m->rings.cpus + m->rings.locked;
}

size_t markers_packets(const struct markers *m)
{
	return (m->rings.mask + 1) >> KT_PACKET_SHIFT;
}

uint32_t markers_max(void)
{
	return RECORDER_MARKERS;
}

uint64_t markers_open_packet(const struct markers *m, size_t index)
{
	return marker_ring_open(&m->rings, index);
}

int markers_read(struct markers *m, size_t index, bool all, void *packet,
		 uint32_t *size)
{
	int err;

	do
		err = marker_ring_read(&m->rings, index, packet, size);
	while (err == -ESTALE);
	if (!err && all)
		err = marker_ring_read_open(&m->rings, index, packet, size);
	return err;
}

int markers_peek(const struct markers *m, size_t index, void *packet,
		 uint32_t *size)
{
	return marker_ring_read_open(&m->rings, index, packet, size);
}

void markers_lost(const struct markers *m, size_t index,
		  uint64_t lost[KTRACE_LOST_NR])
{
	struct marker_ring *ring = marker_ring(&m->rings, index);

	memset(lost, 0, KTRACE_LOST_NR * sizeof(*lost));
	for (int i = 0; i < KT_LOST_NR; i++)
		lost[i] = READ_ONCE(ring->control.lost[i]);
}

uint32_t markers_timeless(const struct markers *m)
{
	return READ_ONCE(m->hub->timeless[m->slot]) - m->timeless;
}
