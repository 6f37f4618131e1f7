// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calling probes and printing; see handler.h.
 *
 * KTRACE_PRINT in the environment says what to print from the start.  What
 * others ask for later (ktrace markers --print) is in the hub.
 */
#include "handler.h"
#include "object.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Lines in a second. */
#define LINES_MAX 100
#define LINE_SIZE 1024

/* The probes, by the number of their bit.  Changed with markers_lock() held. */
static struct {
	struct ktrace_marker_probe *probe;
	char patterns[RECORDER_PATTERNS];
} probes[HANDLERS_MAX];

static struct {
	u32 epoch;
	u32 running[2]; /* handlers_run(), by the epoch's lowest bit */
} all;
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;

static __thread struct {
	u32 running[2]; /* in this thread */
	u32 probes;	/* a bit for each */
} self __attribute__((tls_model("initial-exec")));

/* ---- patterns ---------------------------------------------------------------------- */

int handler_patterns(const char *list, char packed[RECORDER_PATTERNS])
{
	char *copy = strdup(list), *rest = copy, *word;
	const char **words = calloc(strlen(list) + 1, sizeof(*words));
	size_t nr = 0;
	int err = -ENOMEM;

	if (copy && words) {
		while ((word = strsep(&rest, ",")))
			if (*word)
				words[nr++] = word;
		err = nr ? patterns_pack(packed, words, nr) : -EINVAL;
	}
	free(words);
	free(copy);
	return err;
}

/* The patterns of KTRACE_PRINT. */
static const char *print_patterns(void)
{
	static char patterns[RECORDER_PATTERNS];
	static bool read;
	const char *list;

	if (!read) {
		read = true;
		list = secure_getenv("KTRACE_PRINT");
		if (list && handler_patterns(list, patterns) == -E2BIG)
			dprintf(STDERR_FILENO,
				"ktrace: KTRACE_PRINT is too long: %u bytes is "
				"all there is room for\n",
				RECORDER_PATTERNS);
	}
	return patterns;
}

u32 handlers_wanted(const struct kt_marker_name *name)
{
	u32 wanted = marker_wanted(print_patterns(), name) ? HANDLER_PRINT : 0;

	for (unsigned int i = 1; i < HANDLERS_MAX; i++)
		if (probes[i].probe && marker_wanted(probes[i].patterns, name))
			wanted |= 1u << i;
	return wanted;
}

/* ---- printing ---------------------------------------------------------------------- */

static u64 seconds_now(void)
{
	struct timespec ts;

	/*
	 * The clock that every thread may read, because it does not use the
	 * processor's counter.
	 */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec + 1;
}

static u32 nr_suppressed;

static void suppressed_tell(void)
{
	u32 nr = __atomic_exchange_n(&nr_suppressed, 0, __ATOMIC_RELAXED);
	char line[80];
	int length;

	if (!nr)
		return;
	length = snprintf(line, sizeof(line),
			  "ktrace: %u lines of markers were not printed\n", nr);
	length = write(STDERR_FILENO, line, length);
}

/* May one more line be printed in this second? */
static bool line_allowed(void)
{
	static u64 second;
	static u32 nr;
	u64 now = seconds_now(), then = READ_ONCE(second);

	if (then != now && env_cmpxchg(&second, &then, now)) {
		WRITE_ONCE(nr, 0);
		suppressed_tell();
	}
	if (__atomic_add_fetch(&nr, 1, __ATOMIC_RELAXED) <= LINES_MAX)
		return true;
	__atomic_add_fetch(&nr_suppressed, 1, __ATOMIC_RELAXED);
	return false;
}

static void marker_print(const struct ktrace_marker *marker, const u64 *values)
{
	char line[LINE_SIZE];
	size_t size, done = 0;
	ssize_t n;

	if (!line_allowed())
		return;
	size = marker_line(line, sizeof(line), marker_system(marker), marker,
			   values);
	while (done < size) {
		n = write(STDERR_FILENO, line + done, size - done);
		if (n < 0 && errno != EINTR)
			return;
		done += n < 0 ? 0 : n;
	}
}

static __attribute__((destructor)) void print_end(void)
{
	suppressed_tell();
}

/* ---- running ------------------------------------------------------------------------ */

static unsigned int run_enter(void)
{
	unsigned int which = READ_ONCE(all.epoch) & 1;

	self.running[which]++;
	/* [A] Before the handlers are read; pairs with [B]. */
	__atomic_add_fetch(&all.running[which], 1, __ATOMIC_SEQ_CST);
	return which;
}

static void run_leave(unsigned int which)
{
	__atomic_sub_fetch(&all.running[which], 1, __ATOMIC_RELEASE);
	self.running[which]--;
}

static bool is_over(u64 end)
{
	return end && seconds_now() > end;
}

int handlers_wait(unsigned int ms)
{
	u64 end = ms ? seconds_now() + (ms + 999) / 1000 : 0;
	int err = 0;

	if (handlers_inside())
		return -EDEADLK;
	pthread_mutex_lock(&waiting);
	/* [B] After handlers were removed; pairs with [A]. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int i = 0; i < 2 && !err; i++) {
		u32 *running = &all.running[(all.epoch + 1) & 1];

		while (__atomic_load_n(running, __ATOMIC_ACQUIRE) && !err) {
			sched_yield();
			err = is_over(end) ? -ETIMEDOUT : 0;
		}
		WRITE_ONCE(all.epoch, all.epoch + 1);
	}
	pthread_mutex_unlock(&waiting);
	return err;
}

/* The child has no other threads, so nothing of theirs is under way. */
void handlers_in_child(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	waiting = unlocked;
	all.running[0] = self.running[0];
	all.running[1] = self.running[1];
	nr_suppressed = 0;
}

/* Each value as a number of 64 bits of its kind. */
static void values_unpack(const struct ktrace_marker *marker, const u64 *values,
			  const u64 *words, u64 unpacked[10])
{
	const u8 *at = (const u8 *)words;
	unsigned int nr = 0;

	for (const struct ktrace_argument *a = marker->arguments;
	     a->kind && nr < 10; a++, nr++) {
		unsigned int shift = 64 - 8 * (a->size < 8 ? a->size : 8);

		unpacked[nr] = 0;
		if (!words) {
			unpacked[nr] = values[nr];
			continue;
		}
		memcpy(&unpacked[nr], at, a->size);
		at += a->size;
		if (a->kind == KTRACE_ARG_SIGNED)
			unpacked[nr] = (s64)(unpacked[nr] << shift) >> shift;
	}
}

/*
 * A probe that runs in this thread is called neither by itself nor by what
 * interrupts it.
 */
static void probe_call(unsigned int i, const struct ktrace_marker *marker,
		       const u64 *values)
{
	struct ktrace_marker_probe *probe = READ_ONCE(probes[i].probe);
	u32 bit = 1u << i;

	if (!probe)
		return;
	if (self.probes & bit) {
		__atomic_add_fetch(&probe->missed, 1, __ATOMIC_RELAXED);
		return;
	}
	self.probes |= bit;
	probe->hit(probe, marker, (const uint64_t *)values);
	self.probes &= ~bit;
}

void handlers_run(struct ktrace_marker *marker, const u64 *values,
		  const u64 *words, bool print)
{
	unsigned int which = run_enter();
	u32 handlers =
		READ_ONCE(marker->handlers) | (print ? HANDLER_PRINT : 0);
	int saved = errno;
	u64 unpacked[10];

	values_unpack(marker, values, words, unpacked);
	if (handlers & HANDLER_PRINT)
		marker_print(marker, unpacked);
	for (handlers &= ~HANDLER_PRINT; handlers; handlers &= handlers - 1)
		probe_call(__builtin_ctz(handlers), marker, unpacked);
	errno = saved;
	run_leave(which);
}

/* ---- probes ------------------------------------------------------------------------- */

int handler_add(struct ktrace_marker_probe *probe,
		const char patterns[RECORDER_PATTERNS])
{
	unsigned int free = 0;

	if (handler_find(probe))
		return -EBUSY;
	for (unsigned int i = HANDLERS_MAX - 1; i; i--)
		if (!probes[i].probe)
			free = i;
	if (!free)
		return -ENOSPC;
	memcpy(probes[free].patterns, patterns, RECORDER_PATTERNS);
	probe->missed = 0;
	smp_store_release(&probes[free].probe, probe);
	return free;
}

unsigned int handler_find(const struct ktrace_marker_probe *probe)
{
	unsigned int i = HANDLERS_MAX - 1;

	while (i && probes[i].probe != probe)
		i--;
	return i;
}

/* What is under way may still call it: so it stays where it is. */
void handler_retire(unsigned int handler)
{
	probes[handler].patterns[0] = '\0';
}

void handler_remove(unsigned int handler)
{
	probes[handler].probe = NULL;
}

bool handlers_inside(void)
{
	return self.running[0] || self.running[1];
}
