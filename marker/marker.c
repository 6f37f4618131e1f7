// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Markers in a program: made known when an object is loaded, recorded when hit.
 *
 * Hits happen in any context, including signal handlers, so nothing on their
 * path waits or allocates.  If memory must be mapped first, the first thread
 * that needs it does so.  Other threads, or a handler that interrupted it,
 * record nothing at that time.
 */
#define KTRACE_DISABLED /* it has no markers of its own */
#include <ktrace/marker.h>

#include "argument.h"
#include "handler.h"
#include "hub.h"
#include "marker.h"
#include "object.h"
#include "publish.h"
#include "timeless.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
/* Aligned to a cache line they are a nanosecond faster. */
#define EXPORT_FAST __attribute__((visibility("default"), aligned(64)))
/* A payload may be on the small stack of a signal handler. */
_Static_assert(KT_ARGUMENTS_DATA_MAX == KTRACE_FIXED_MAX + KTRACE_STRINGS_MAX &&
		       KT_ARGUMENT_STRING_MAX == KTRACE_STRING_MAX,
	       "what authors are told");

EXPORT const uint8_t ktrace_marker_off[1];
/* What on points to while this process has handlers. */
static const uint8_t handled[1] = {HUB_HANDLED};

static struct hub *hub;
static char directory[200];

/*
 * A recorder's memory, as it is mapped here.  It does not change, and stays
 * when the recorder goes, because threads may still write to it.
 */
struct mapped {
	u32 mask; /* the recorder's bit */
	u32 slot;
	u32 generation;
	u32 key;    /* another one for each, above the bits of an id */
	bool meant; /* or the recorder wants other processes; no memory then */
	struct marker_rings rings;
	struct recorder *recorder;
};

static const struct mapped nobody; /* wants nothing */
static const struct mapped *mapped[HUB_SLOTS] = {
	&nobody, &nobody, &nobody, &nobody, &nobody, &nobody, &nobody, &nobody,
};
static u32 nr_mapped;		/* in all the time */
static bool mapping[HUB_SLOTS]; /* somebody is about to change it */

static __thread struct {
	const struct mapped *last; /* to whom the short way leads */
	u32 tid;
	u32 introduced[HUB_RECORDERS]; /* to this generation */
} self __attribute__((tls_model("initial-exec"))) = {.last = &nobody};

/* ---- recorders -------------------------------------------------------------- */

static bool printer_valid(const struct recorder *printer, u32 generation)
{
	return printer->magic == RECORDER_MAGIC &&
	       printer->version == HUB_VERSION &&
	       printer->generation == generation;
}

static bool recorder_valid(const struct recorder *recorder, u32 generation,
			   u64 size)
{
	u64 rings = (u64)recorder->cpus + recorder->locked;

	return recorder->magic == RECORDER_MAGIC &&
	       recorder->version == HUB_VERSION &&
	       recorder->generation == generation && recorder->size <= size &&
	       recorder->packets >= KT_RING_PACKETS_MIN &&
	       recorder->packets <= KT_RING_PACKETS_MAX && recorder->cpus &&
	       recorder->locked &&
	       RECORDER_RINGS + rings * marker_ring_size(recorder->packets) <=
		       recorder->size;
}

static int recorder_file(unsigned int slot)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/recorder-%u", directory, slot);
	return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * If the recorder has gone, its place may belong to another by now: that does
 * no harm.
 */
static int ring_furnish(const struct marker_rings *rings, u32 number)
{
	const struct mapped *m =
		(void *)((u8 *)rings - offsetof(struct mapped, rings));
	int fd = recorder_file(m->slot), err;

	if (fd < 0)
		return -errno;
	err = fallocate(fd, FALLOC_FL_KEEP_SIZE,
			RECORDER_RINGS + number * rings->stride, rings->stride)
		      ? -errno
		      : 0;
	close(fd);
	return err;
}

/*
 * Maps all memory of a recorder, and in front of it a page for its struct
 * mapped.
 */
static const struct mapped *recorder_open(unsigned int slot, u32 generation)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct recorder *recorder;
	struct mapped *m = NULL;
	struct stat st;
	char *p;
	int fd;

	fd = recorder_file(slot);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || (size_t)st.st_size < sizeof(*recorder))
		goto out_close;
	p = mmap(NULL, page + st.st_size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		goto out_close;
	recorder = mmap(p + page, st.st_size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_FIXED, fd, 0);
	if (recorder == MAP_FAILED ||
	    !(slot == HUB_PRINTER
		      ? printer_valid(recorder, generation)
		      : recorder_valid(recorder, generation, st.st_size))) {
		munmap(p, page + st.st_size);
		goto out_close;
	}
	m = (void *)p;
	*m = (struct mapped){
		.mask = 1u << slot,
		.slot = slot,
		.generation = generation,
		.key = __atomic_add_fetch(&nr_mapped, 1, __ATOMIC_RELAXED)
		       << KT_ID_BITS,
		.rings = marker_rings((u8 *)recorder + RECORDER_RINGS,
				      recorder->packets, recorder->cpus,
				      recorder->locked),
		.recorder = recorder,
		.meant = process_meant(recorder),
	};
	m->rings.furnish = ring_furnish;
	m->rings.monotonic = recorder->monotonic;
	m->rings.missing = &recorder->missing;
	if (!m->meant)
		munmap(recorder, st.st_size);
out_close:
	close(fd);
	return m;
}

/* NULL: it is gone, cannot be mapped, or is being mapped by another thread. */
static const struct mapped *recorder_map(unsigned int slot)
{
	const struct mapped *m = smp_load_acquire(&mapped[slot]);
	u32 generation = smp_load_acquire(&hub->generations[slot]);

	if (!(generation & 1))
		return NULL;
	if (likely(m->generation == generation))
		return likely(m->meant) ? m : NULL;
	if (timeless)
		return NULL; /* it may not even open a file */
	if (__atomic_test_and_set(&mapping[slot], __ATOMIC_ACQUIRE))
		return NULL;
	m = recorder_open(slot, generation);
	if (m)
		smp_store_release(&mapped[slot], m);
	__atomic_clear(&mapping[slot], __ATOMIC_RELEASE);
	return m && m->meant ? m : NULL;
}

/* ---- markers ------------------------------------------------------------------ */

static void marker_measure(struct ktrace_marker *marker)
{
	marker->size = 0;
	marker->kinds = 0;
	for (const struct ktrace_argument *a = marker->arguments; a->kind;
	     a++) {
		marker->size +=
			a->kind == KTRACE_ARG_STRING ? sizeof(u32) : a->size;
		marker->kinds |= 1u << a->kind;
	}
	marker->step[0] = kt_units(KT_HEADER_COMPACT + marker->size);
	marker->step[1] = 1ull << 32;
}

static void marker_point(struct ktrace_marker *marker)
{
	__atomic_store_n(&marker->on,
			 marker->handlers ? handled : hub_flag(hub, marker->id),
			 __ATOMIC_RELEASE);
}

static void marker_begin(struct ktrace_marker *marker,
			 const struct kt_marker_name *name, const char *path)
{
	const struct marker_description description = {
		.name = *name,
		.format = marker->format,
		.arguments = marker->arguments,
		.line = marker->line,
		.path = *path == '/' ? path : NULL,
	};

	marker->id = marker_id(&description);
	marker_measure(marker);
	for (unsigned int slot = 0; slot < HUB_SLOTS; slot++) {
		const struct mapped *m = recorder_map(slot);

		if (m && ((marker->flags & KTRACE_FLAG_FORCED &&
			   slot != HUB_PRINTER) ||
			  marker_wanted(m->recorder->patterns, name)))
			recorder_add(m->recorder, hub, slot, marker->id,
				     &description);
	}
	marker->handlers = handlers_wanted(name);
	marker_point(marker);
}

static void in_child(void)
{
	markers_unlock();
	handlers_in_child();
	marker_tid_forget();
	self.last = &nobody;
	memset(self.introduced, 0, sizeof(self.introduced));
}

static bool hub_find(void)
{
	static bool tried;
	void *p;

	if (tried)
		return hub;
	tried = true;
	if (hub_directory(geteuid(), directory, sizeof(directory)) ||
	    hub_open(directory, &hub)) {
		/* Nobody will record, but there may be handlers. */
		p = mmap(NULL, sizeof(*hub), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		hub = p == MAP_FAILED ? NULL : p;
	}
	if (hub)
		pthread_atfork(markers_lock, markers_unlock, in_child);
	return hub;
}

EXPORT void ktrace_markers_add(struct ktrace_marker *const *begin,
			       struct ktrace_marker *const *end)
{
	const struct object *object;

	if (begin == end)
		return;
	markers_lock();
	if (object_find(begin) || !hub_find())
		goto out;
	object = object_add(begin, end);
	if (!object)
		goto out;
	for (struct ktrace_marker *const *at = begin; at < end; at++) {
		struct kt_marker_name name;

		if ((*at)->version != KTRACE_MARKER_VERSION)
			continue;
		name = object_marker_name(object, at);
		marker_begin(*at, &name, object->path);
	}
out:
	markers_unlock();
}

EXPORT void ktrace_markers_remove(struct ktrace_marker *const *begin,
				  struct ktrace_marker *const *end)
{
	struct object *object;

	(void)end;
	markers_lock();
	object = object_remove(begin);
	markers_unlock();
	/*
	 * A thread may be about to print its name; at the end of the process,
	 * for ever.
	 */
	if (object && !handlers_wait(1000))
		object_free(object);
}

void markers_handle(u32 handler, const char *patterns)
{
	for (const struct object *o = objects_next(NULL); o;
	     o = objects_next(o))
		for (struct ktrace_marker *const *at = o->begin; at < o->end;
		     at++) {
			struct ktrace_marker *marker = *at;
			struct kt_marker_name name;
			bool wanted;

			if (marker->version != KTRACE_MARKER_VERSION)
				continue;
			name = object_marker_name(o, at);
			wanted = patterns && marker_wanted(patterns, &name);
			WRITE_ONCE(marker->handlers,
				   wanted ? marker->handlers | handler
					  : marker->handlers & ~handler);
			marker_point(marker);
		}
}

/* ---- hits ---------------------------------------------------------------------- */

struct payload {
	u8 prefix[MARKER_PREFIX_ROOM];
	u8 bytes[KT_ARGUMENTS_DATA_MAX + 8];
} __attribute__((aligned(8)));

static void thread_introduce(const struct mapped *m)
{
	struct {
		u8 prefix[MARKER_PREFIX_ROOM];
		struct kt_task task;
	} record;

	self.tid = marker_tid();
	record.task = (struct kt_task){
		.tid = self.tid,
		.tgid = getpid(),
		.parent = getppid(),
	};
	pthread_getname_np(pthread_self(), record.task.comm, KT_COMM_LEN);
	if (marker_ring_write(&m->rings, KT_ID_TASK, &record.task,
			      sizeof(record.task), MARKER_TASK))
		self.introduced[m->slot] = m->generation;
}

/* The recorder's event id of the marker; 0: it does not want the marker. */
static u32 marker_event(struct ktrace_marker *marker, const struct mapped *m)
{
	u64 known = READ_ONCE(marker->events[m->slot]);
	const struct recorder_marker *entry;
	u32 event;

	if (likely(known >> 32 == m->generation))
		return known;
	entry = recorder_find(m->recorder, marker->id, false);
	/* It may be wanted later, so a refusal is not cached. */
	if (!entry || smp_load_acquire(&entry->state) != RECORDER_WANTED)
		return 0;
	event = m->recorder->first_id + READ_ONCE(entry->number) - 1;
	known = (u64)m->generation << 32 | event;
	WRITE_ONCE(marker->events[m->slot], known);
	return event;
}

/*
 * The payload of a marker whose arguments have at most 8 bytes each.  It is
 * stored in whole words, because it will be loaded in whole words: if a load
 * needs two stores, the processor waits.
 */
static u32 payload_numbers(struct payload *payload,
			   const struct ktrace_marker *marker,
			   const u64 *values)
{
	u64 *word = (u64 *)payload->bytes, bits = 0;
	unsigned int used = 0;

	for (const struct ktrace_argument *a = marker->arguments; a->kind;
	     a++) {
		unsigned int size = a->size * 8;
		u64 value = *values++ << (64 - size) >> (64 - size);

		bits |= value << used;
		used += size;
		if (used >= 64) {
			*word++ = bits;
			used -= 64;
			bits = used ? value >> (size - used) : 0;
		}
	}
	*word = bits;
	return marker->size;
}

/* For kt_argument_string(): it is our own memory, so it is present. */
long env_copy_string(void *to, u64 from, u32 max, bool kernel)
{
	const char *string = (void *)(uintptr_t)from;
	size_t length = strnlen(string, max);

	(void)kernel;
	memcpy(to, string, length);
	return length;
}

static u32 payload_any(struct payload *payload,
		       const struct ktrace_marker *marker, const u64 *values)
{
	u32 size = marker->size, left = 0;
	u8 *at = payload->bytes;

	for (const struct ktrace_argument *a = marker->arguments; a->kind; a++)
		left += a->kind == KTRACE_ARG_STRING;
	for (const struct ktrace_argument *a = marker->arguments; a->kind;
	     a++) {
		const void *pointer = (void *)(uintptr_t)*values;
		u32 location;

		if (a->kind == KTRACE_ARG_STRING) {
			location = kt_argument_string(payload->bytes, size,
						      *values, a->size, --left);
			location = size | location << 16;
			size += location >> 16;
			memcpy(at, &location, sizeof(location));
			at += sizeof(location);
		} else if (a->kind == KTRACE_ARG_BYTES) {
			memcpy(at, pointer, a->size);
			at += a->size;
		} else {
			memcpy(at, values, a->size);
			at += a->size;
		}
		values++;
	}
	return size;
}

/* Was printing asked for from outside? */
static bool printer_wants(const struct ktrace_marker *marker)
{
	const struct mapped *m = recorder_map(HUB_PRINTER);
	const struct recorder_marker *entry;

	entry = m ? recorder_find(m->recorder, marker->id, false) : NULL;
	return entry && smp_load_acquire(&entry->state) == RECORDER_WANTED;
}

/* Returns which recorders want it. */
static noinline unsigned int hit_handled(struct ktrace_marker *marker,
					 const u64 *values, const u64 *words)
{
	unsigned int mask = READ_ONCE(*hub_flag(hub, marker->id));
	bool print = mask & HUB_HANDLED && printer_wants(marker);

	if (print || READ_ONCE(marker->handlers))
		handlers_run(marker, values, words, print);
	return mask & ~HUB_HANDLED;
}

void marker_leave_short(void)
{
	self.last = &nobody;
}

/*
 * If the thread has not mapped a recorder's memory, it does not know what this
 * recorder wants.
 */
static noinline void hit_timeless(struct ktrace_marker *marker,
				  unsigned int mask)
{
	for (; mask; mask &= mask - 1) {
		unsigned int slot = __builtin_ctz(mask);
		const struct mapped *m = smp_load_acquire(&mapped[slot]);

		/*
		 * Known here not to be for it: it wants other processes, or
		 * other markers.
		 */
		if (m->generation ==
			    smp_load_acquire(&hub->generations[slot]) &&
		    (!m->meant || !marker_event(marker, m)))
			continue;
		__atomic_add_fetch(&hub->timeless[slot], 1, __ATOMIC_RELAXED);
	}
}

/* Records @values, or the payload in @words. */
static __always_inline void hit(struct ktrace_marker *marker, const u64 *values,
				const u64 *words)
{
	const u32 large = 1u << KTRACE_ARG_STRING | 1u << KTRACE_ARG_BYTES;
	unsigned int mask = READ_ONCE(*marker->on);
	struct payload payload;
	bool dynamic = marker->kinds & 1u << KTRACE_ARG_STRING;
	int saved = errno; /* the program's, which may read it later */
	u32 size = 0;

	if (unlikely(mask & HUB_HANDLED))
		mask = hit_handled(marker, values, words);
	if (unlikely(timeless)) {
		hit_timeless(marker, mask);
		mask = 0;
	}
	for (; mask; mask &= mask - 1) {
		unsigned int slot = __builtin_ctz(mask);
		const struct mapped *m = recorder_map(slot);
		u32 event = m ? marker_event(marker, m) : 0;

		if (!event)
			continue;
		if (unlikely(self.introduced[slot] != m->generation)) {
			if (timeless_ask()) {
				marker_leave_short();
				hit_timeless(marker, mask);
				break;
			}
			thread_introduce(m);
		}
		/* Writing leaves a payload as it is. */
		if (size)
			;
		else if (words)
			memcpy(payload.bytes, words, size = marker->size);
		else if (marker->kinds & large)
			size = payload_any(&payload, marker, values);
		else
			size = payload_numbers(&payload, marker, values);
		marker_ring_write(&m->rings, event, payload.bytes, size,
				  dynamic ? MARKER_DYNAMIC : 0);
		if (event >= KT_ID_EXTENDED || !marker_rseq_works())
			continue;
		/* The fast path reads the plain counter. */
		if (unlikely(m->rings.monotonic ||
			     READ_ONCE(m->recorder->missing))) {
			self.last = &nobody;
			continue;
		}
		self.last = m;
		WRITE_ONCE(marker->last, m->key | event);
	}
	errno = saved;
}

/*
 * The fast path of a marker whose payload the caller has put into words.  It
 * writes to the recorder to which the thread wrote last.  If that recorder is
 * gone, the memory of its ring is cleared, so the ring has no last writer and
 * the fast path fails.
 */
static __always_inline bool hit_words(struct ktrace_marker *marker,
				      unsigned int words, u64 a, u64 b, u64 c)
{
	const struct mapped *m = self.last;
	u32 id;

	if (unlikely(READ_ONCE(*marker->on) != m->mask))
		return false;
	id = READ_ONCE(marker->last) ^ m->key;
	if (unlikely(id >= KT_ID_EXTENDED))
		return false;
	return marker_ring_words(&m->rings, (const void *)marker->step,
				 self.tid, id, words, a, b, c);
}

static noinline void words_slow(struct ktrace_marker *marker, u64 a, u64 b,
				u64 c)
{
	const u64 words[] = {a, b, c};

	hit(marker, NULL, words);
}

EXPORT_FAST void ktrace_words_0(struct ktrace_marker *marker)
{
	if (unlikely(!hit_words(marker, 0, 0, 0, 0)))
		words_slow(marker, 0, 0, 0);
}

EXPORT_FAST void ktrace_words_1(struct ktrace_marker *marker, uint64_t a)
{
	if (unlikely(!hit_words(marker, 1, a, 0, 0)))
		words_slow(marker, a, 0, 0);
}

EXPORT_FAST void ktrace_words_2(struct ktrace_marker *marker, uint64_t a,
				uint64_t b)
{
	if (unlikely(!hit_words(marker, 2, a, b, 0)))
		words_slow(marker, a, b, 0);
}

EXPORT_FAST void ktrace_words_3(struct ktrace_marker *marker, uint64_t a,
				uint64_t b, uint64_t c)
{
	if (unlikely(!hit_words(marker, 3, a, b, c)))
		words_slow(marker, a, b, c);
}

#define ARGUMENTS_0
#define ARGUMENTS_1  , uint64_t a
#define ARGUMENTS_2  ARGUMENTS_1, uint64_t b
#define ARGUMENTS_3  ARGUMENTS_2, uint64_t c
#define ARGUMENTS_4  ARGUMENTS_3, uint64_t d
#define ARGUMENTS_5  ARGUMENTS_4, uint64_t e
#define ARGUMENTS_6  ARGUMENTS_5, uint64_t f
#define ARGUMENTS_7  ARGUMENTS_6, uint64_t g
#define ARGUMENTS_8  ARGUMENTS_7, uint64_t h
#define ARGUMENTS_9  ARGUMENTS_8, uint64_t i
#define ARGUMENTS_10 ARGUMENTS_9, uint64_t j

#define HIT(n, ...)                                                            \
	EXPORT void ktrace_hit_##n(struct ktrace_marker *marker ARGUMENTS_##n) \
	{                                                                      \
		const u64 values[] = {__VA_ARGS__};                            \
                                                                               \
		hit(marker, values, NULL);                                     \
	}

HIT(0, 0)
HIT(1, a)
HIT(2, a, b)
HIT(3, a, b, c)
HIT(4, a, b, c, d)
HIT(5, a, b, c, d, e)
HIT(6, a, b, c, d, e, f)
HIT(7, a, b, c, d, e, f, g)
HIT(8, a, b, c, d, e, f, g, h)
HIT(9, a, b, c, d, e, f, g, h, i)
HIT(10, a, b, c, d, e, f, g, h, i, j)
