// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A recording that goes on in other traces: nothing is missing in between, whatever fails. */
#include "tree.h"

/* What readers find in a trace, from its packets and from its end. */
struct found {
	uint64_t first, last; /* numbers of packets */
	uint64_t events, recorded;
	uint64_t full, overwritten;	      /* by the end */
	uint64_t told_full, told_overwritten; /* by the cursor */
};

static void packets_find(const char *name, uint32_t cpu, struct found *found)
{
	struct kt_packet packet;
	char file[64], path[512];
	int fd;

	snprintf(file, sizeof(file), "%s/cpu%u", name, cpu);
	path_of(path, file);
	fd = open(path, O_RDONLY);
	*found = (struct found){.first = UINT64_MAX};
	while (fd >= 0 && read(fd, &packet, sizeof(packet)) == sizeof(packet)) {
		if (found->first == UINT64_MAX)
			found->first = packet.seq;
		else
			CHECK_EQ(packet.seq, found->last + 1);
		found->last = packet.seq;
	}
	if (fd >= 0)
		close(fd);
}

static void trace_find(const char *name, const char *reason, uint32_t cpu,
		       struct found *found)
{
	const struct ktrace_loss *loss;
	struct ktrace_cursor *cursor;
	const struct ktrace_cpu *end;
	struct ktrace *trace;
	char path[512];
	int item;

	packets_find(name, cpu, found);
	path_of(path, name);
	CHECK_EQ(ktrace_open(path, &trace), 0);
	CHECK_STR(ktrace_get_info(trace)->reason, reason);
	CHECK(cpu < ktrace_get_info(trace)->nr_cpus);
	end = &ktrace_get_info(trace)->cpus[cpu];
	CHECK(end->known);
	found->events = end->events;
	found->recorded = end->recorded;
	found->full = end->lost[KTRACE_LOST_FULL];
	found->overwritten = end->lost[KTRACE_LOST_OVERWRITTEN];
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		CHECK_EQ(item, KTRACE_LOSS);
		loss = ktrace_cursor_loss(cursor);
		if (loss->cpu != cpu)
			continue;
		if (loss->cause == KTRACE_LOST_FULL)
			found->told_full += loss->count;
		else if (loss->cause == KTRACE_LOST_OVERWRITTEN)
			found->told_overwritten += loss->count;
		else /* The packets say that they have events, but have none. */
			CHECK_EQ(loss->cause, KTRACE_LOST_DAMAGED);
	}
	CHECK_EQ(item, KTRACE_END);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	CHECK_EQ(found->told_full, found->full);
	CHECK_EQ(found->told_overwritten, found->overwritten);
	CHECK_EQ(found->recorded, found->events + found->overwritten);
}

static void rotate(const char *name)
{
	char path[512];

	path_of(path, name);
	if (ktrace_recording_rotate(recording, path, "it goes on"))
		check_fail("%s", ktrace_last_error());
}

static void begin_anew(enum kt_mode its_mode, uint32_t packets)
{
	mode = its_mode;
	keep = false;
	begin_with(packets, -1);
	keep = true;
}

/* All packets are there, one behind the other, and so are all losses, each once. */
static void parts_check(uint32_t cpu, uint64_t packets)
{
	static const char *const names[] = {"t", "u", "v", "w"};
	uint64_t next = 0, events = 0, full = 0, overwritten = 0;
	struct found found;

	for (int i = 0; i < 4; i++) {
		trace_find(names[i], i == 3 ? "over" : "it goes on", cpu,
			   &found);
		if (found.first != UINT64_MAX) {
			CHECK_EQ(found.first, next);
			next = found.last + 1;
		}
		events += found.events;
		full += found.full;
		overwritten += found.overwritten;
	}
	CHECK_EQ(next, packets);
	CHECK_EQ(events, EVENTS * packets);
	CHECK_EQ(full, lost_each * (packets - 1) + lost_last);
	CHECK_EQ(overwritten, overwritten_each * (packets - 1));
}

/* The second part has nothing of the second CPU, the third one nothing at all. */
static void parts_make(enum kt_mode its_mode)
{
	struct ktrace_recording_status status;

	lost_each = 3;
	lost_last = 2;
	overwritten_each = its_mode == KT_MODE_OVERWRITE ? 5 : 0;
	begin_anew(its_mode, 3);
	rotate("u");
	buffer_make(0, 3, 20);
	rotate("v");
	rotate("w");
	buffer_make(0, 23, 1);
	buffer_make(1, 3, 9);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_status(recording, &status);
	CHECK_EQ(status.events, EVENTS * (24 + 12));
	CHECK_EQ(status.recorded,
		 status.events + status.lost[KTRACE_LOST_OVERWRITTEN]);
	CHECK_EQ(status.bytes_newest, 10 * sizeof(struct kt_packet));
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	parts_check(0, 24);
	parts_check(1, 12);
	lost_each = lost_last = overwritten_each = 0;
	tree_remove();
}

TEST(it_goes_on_in_other_traces)
{
	parts_make(KT_MODE_DISCARD);
}

/* What the buffers had, each time. */
TEST(snapshots)
{
	parts_make(KT_MODE_OVERWRITE);
}

/* Each trace has the misses of its time, and the recording all of them. */
TEST(what_sources_miss_meanwhile)
{
	const struct ktrace_miss *misses;

	begin_anew(KT_MODE_DISCARD, 1);
	tree_file("overflow", "source knock missed 9\n");
	rotate("u");
	tree_file("overflow", "source knock missed 10\n");
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	CHECK_EQ(ktrace_recording_misses(recording, &misses), 1);
	CHECK_EQ(misses->count, 5);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (int i = 0; i < 2; i++) {
		struct ktrace *trace;
		char path[512];

		path_of(path, i ? "u" : "t");
		CHECK_EQ(ktrace_open(path, &trace), 0);
		CHECK_EQ(ktrace_get_info(trace)->nr_misses, 1);
		CHECK_EQ(ktrace_get_info(trace)->misses->count, i ? 1 : 4);
		ktrace_close(trace);
	}
	tree_remove();
}

/* The threads may read what is there. */
static void written_await(uint64_t events)
{
	struct ktrace_recording_status status;

	do
		ktrace_recording_status(recording, &status);
	while (status.events < events);
}

/* However fast they come, none is missing between two traces. */
TEST(what_sources_miss_all_the_time)
{
	const struct ktrace_miss *misses;
	uint64_t sum = 0;

	ticks = 5;
	begin_anew(KT_MODE_DISCARD, 1);
	rotate("u");
	rotate("v");
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ticks = 0;
	for (int i = 0; i < 3; i++) {
		struct ktrace *trace;
		char path[512];

		path_of(path, i == 0 ? "t" : i == 1 ? "u" : "v");
		CHECK_EQ(ktrace_open(path, &trace), 0);
		CHECK_EQ(ktrace_get_info(trace)->nr_misses, 1);
		sum += ktrace_get_info(trace)->misses->count;
		ktrace_close(trace);
	}
	CHECK_EQ(ktrace_recording_misses(recording, &misses), 1);
	CHECK(sum >= 3);
	CHECK_EQ(misses->count, sum);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	tree_remove();
}

/* How often is it said in what is written of the new trace? */
static int times_said(const char *name, const char *what)
{
	char path[512], text[8192] = "";
	int times = 0;
	FILE *f;

	path_of(path, name);
	f = fopen(path, "r");
	CHECK(f);
	CHECK(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	for (const char *at = text; (at = strstr(at, what)); at++)
		times++;
	return times;
}

/* A task has the name that it had when the trace began: later ones come with the events. */
TEST(names_of_tasks)
{
	renames = 10;
	begin_anew(KT_MODE_DISCARD, 1);
	CHECK_EQ(renames, 12);
	rotate("u");
	renames = 0;
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	CHECK_EQ(times_said("t/metadata", "name1"), 1);
	CHECK_EQ(times_said("t/metadata", "other"), 2);
	CHECK_EQ(times_said("u/metadata", "name12"), 1);
	CHECK_EQ(times_said("u/metadata", "name13"), 0);
	CHECK_EQ(times_said("u/metadata", "other"), 2);
	tree_remove();
}

/* When they began may be overwritten. */
TEST(tasks_of_a_snapshot)
{
	renames = 10;
	begin_anew(KT_MODE_OVERWRITE, 1);
	CHECK_EQ(renames, 12);
	rotate("u");
	CHECK_EQ(renames, 15);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	renames = 0;
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	CHECK_EQ(times_said("t/metadata", "name1"), 1);
	CHECK_EQ(times_said("t/metadata", "other"), 3);
	CHECK_EQ(times_said("u/metadata", "name1"), 1);
	CHECK_EQ(times_said("u/metadata", "other"), 3);
	tree_remove();
}

/* Where nothing can be made, the recording goes on where it is. */
TEST(it_cannot_go_on_elsewhere)
{
	char path[512];

	begin_anew(KT_MODE_DISCARD, 3);
	path_of(path, "missing/u");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -ENOENT);
	path_of(path, "t");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EEXIST);
	written_await(EVENTS * (3 + 3));
	buffer_make(0, 3, 4);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EINVAL);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct found found;

		trace_find("t", "over", cpu, &found);
		CHECK_EQ(found.events, EVENTS * (cpu ? 3 : 7));
	}
	tree_remove();
}

/*
 * The second stream of the new trace cannot be made, when all writes to it already: each trace
 * has what it says, and what is left is counted.
 */
TEST(it_fails_when_it_has_gone_on)
{
	struct ktrace_recording_status status;
	struct found found;
	char path[512];

	begin_anew(KT_MODE_DISCARD, 3);
	written_await(EVENTS * (3 + 3));
	path_of(path, "u");
	scarce = "cpu1";
	scarce_left = 0;
	CHECK_EQ(ktrace_recording_rotate(recording, path, "on"), -EMFILE);
	path_of(path, "v");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "on"), -EMFILE);
	CHECK(access(path, F_OK));
	buffer_make(0, 3, 5);
	scarce = NULL;
	CHECK(ktrace_recording_stop(recording, "over") < 0);
	ktrace_recording_status(recording, &status);
	CHECK_EQ(status.events, EVENTS * (3 + 3));
	CHECK_EQ(status.events_newest, 0);
	CHECK_EQ(status.unwritten, EVENTS * 5);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		trace_find("t", "on", cpu, &found);
		CHECK_EQ(found.events, EVENTS * 3);
	}
	tree_remove();
}

/* The same for the stacks, which go on after the events. */
TEST(stacks_fail_when_events_have_gone_on)
{
	struct found found;
	char path[512];

	stacked = true;
	begin_anew(KT_MODE_DISCARD, 3);
	stacked = false;
	path_of(path, "u");
	scarce = "stacks";
	scarce_left = 0;
	CHECK_EQ(ktrace_recording_rotate(recording, path, "on"), -EMFILE);
	scarce = NULL;
	buffer_make(0, 3, 5);
	CHECK(ktrace_recording_stop(recording, "over") < 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	trace_find("t", "on", 0, &found);
	CHECK_EQ(found.events, EVENTS * 3);
	trace_find("u", strerror(EMFILE), 0, &found);
	CHECK_EQ(found.events, EVENTS * 5);
	tree_remove();
}

/* However fast the events come, it goes on: who waits for it serves signals. */
TEST(it_goes_on_under_a_load_that_never_ends)
{
	struct ktrace_recording_status status;
	uint64_t next[2] = {0}, events = 0;
	struct found found;

	begin_anew(KT_MODE_DISCARD, PACKETS);
	overloaded = true;
	rotate("u");
	rotate("v");
	overloaded = false;
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_status(recording, &status);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	for (int i = 0; i < 6; i++) {
		trace_find(i < 2   ? "t"
			   : i < 4 ? "u"
				   : "v",
			   i < 4 ? "it goes on" : "over", i % 2, &found);
		CHECK_EQ(found.first, next[i % 2]);
		next[i % 2] = found.last + 1;
		events += found.events;
	}
	CHECK_EQ(events, status.events);
	tree_remove();
}

/* Nobody knows what is in the buffers that an earlier recorder has left. */
TEST(what_was_kept_cannot_go_on_elsewhere)
{
	char path[512];

	mode = KT_MODE_DISCARD;
	begin_with(3, -1);
	path_of(path, "u");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EOPNOTSUPP);
	CHECK(strstr(ktrace_last_error(), "keep"));
	CHECK(access(path, F_OK));
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	tree_remove();
}

TEST(a_stream_cannot_go_on_elsewhere)
{
	int output = memfd_create("output", MFD_CLOEXEC);
	char path[512];

	mode = KT_MODE_DISCARD;
	keep = false;
	begin_with(3, output);
	keep = true;
	path_of(path, "u");
	CHECK_EQ(ktrace_recording_rotate(recording, path, "no"), -EOPNOTSUPP);
	CHECK(strstr(ktrace_last_error(), "that somebody follows"));
	CHECK(access(path, F_OK));
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	close(output);
	tree_remove();
}

CHECK_MAIN
