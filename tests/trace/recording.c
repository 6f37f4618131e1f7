// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The end of a recording if the control tree fails: everything in the buffers is still
 * written, and accounted for.
 */
#include "tree.h"

#include "read/frame.h"

static void begin(void)
{
	mode = KT_MODE_OVERWRITE;
	begin_with(1, -1);
}

/* All intact buffers are in the trace, and its end has the reason. */
static void end_check(const char *reason)
{
	const struct ktrace_info *info;
	struct ktrace *trace;
	char path[512];

	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	path_of(path, "t");
	CHECK_EQ(ktrace_open(path, &trace), 0);
	info = ktrace_get_info(trace);
	CHECK(info->reason);
	CHECK(strstr(info->reason, reason));
	CHECK_EQ(info->nr_cpus, 2);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK(info->cpus[i].known);
		CHECK_EQ(info->cpus[i].events, EVENTS);
		CHECK_EQ(info->cpus[i].lost[KTRACE_LOST_UNWRITTEN], 0);
	}
	CHECK_EQ(info->bytes, 2 * sizeof(struct kt_packet));
	ktrace_close(trace);
	tree_remove();
}

TEST(all_is_well)
{
	begin();
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	end_check("over");
}

TEST(a_cpu_that_was_plugged_in_cannot_be_read)
{
	begin();
	tree_file("buffers/cpu2", "no buffer at all");
	CHECK(ktrace_recording_stop(recording, "over") < 0);
	CHECK(strstr(ktrace_last_error(), "cpu2"));
	end_check("cpu2");
}

/* "SOURCE/REASON COUNT" of each in the trace, which are those of the recording as well. */
static void misses_check(const char *want)
{
	const struct ktrace_miss *misses;
	struct ktrace *trace;
	char path[512], got[256] = "";

	path_of(path, "t");
	CHECK_EQ(ktrace_open(path, &trace), 0);
	const struct ktrace_info *info = ktrace_get_info(trace);
	CHECK_EQ(ktrace_recording_misses(recording, &misses), info->nr_misses);
	for (uint32_t i = 0; i < info->nr_misses; i++) {
		CHECK_STR(info->misses[i].source, misses[i].source);
		CHECK_EQ(info->misses[i].count, misses[i].count);
		snprintf(got + strlen(got), sizeof(got) - strlen(got),
			 "%s/%s %lu\n", info->misses[i].source,
			 info->misses[i].reason ?: "", info->misses[i].count);
	}
	CHECK_STR(got, want);
	ktrace_close(trace);
}

/* Those that came during the recording; also of a source that has come since. */
TEST(what_sources_miss)
{
	mode = KT_MODE_OVERWRITE;
	keep = false;
	begin_with(1, -1);
	keep = true;
	tree_file(
		"overflow",
		"cpu0 events 7 full 0\nsource\nsource odd\nsource odd missed\n"
		"source knock missed 6\nsource hook missed 24 nmi 2 node 19 "
		"idle 3\nsource new missed 1 late 1\nsource odd lost 3\n");
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	misses_check("knock/ 1\nhook/nmi 0\nhook/node 10\nhook/idle 3\n"
		     "new/late 1\n");
	end_check("done");
}

/* With the buffers of before, also what was missed then. */
TEST(what_sources_have_missed)
{
	begin();
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	misses_check("knock/ 5\nhook/nmi 2\nhook/node 9\n");
	end_check("done");
}

/* A module that was loaded anew counts from 0. */
TEST(what_a_new_source_misses)
{
	mode = KT_MODE_OVERWRITE;
	keep = false;
	begin_with(1, -1);
	keep = true;
	tree_file("overflow", "source knock missed 3\n");
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	misses_check("knock/ 3\n");
	end_check("done");
}

/* "SYSTEM:NAME HITS NESTED OPEN IDLE" of each in the trace, which are those of the recording as well. */
static void hits_check(const char *want)
{
	const struct ktrace_probe_hits *hits;
	struct ktrace *trace;
	char path[512], got[256] = "";

	path_of(path, "t");
	CHECK_EQ(ktrace_open(path, &trace), 0);
	const struct ktrace_info *info = ktrace_get_info(trace);
	CHECK_EQ(ktrace_recording_probe_hits(recording, &hits),
		 info->nr_probe_hits);
	for (uint32_t i = 0; i < info->nr_probe_hits; i++) {
		const struct ktrace_probe_hits *probe = &info->probe_hits[i];

		CHECK_STR(probe->name, hits[i].name);
		CHECK_EQ(probe->hits, hits[i].hits);
		snprintf(got + strlen(got), sizeof(got) - strlen(got),
			 "%s:%s %lu %lu %lu %lu\n", probe->system, probe->name,
			 probe->hits, probe->missed_nested, probe->missed_open,
			 probe->missed_idle);
	}
	CHECK_STR(got, want);
	ktrace_close(trace);
}

/* Those since it began: one has gone meanwhile, one was not reached, one was made anew. */
TEST(what_probes_were_hit)
{
	mode = KT_MODE_OVERWRITE;
	keep = false;
	begin_with(1, -1);
	keep = true;
	tree_file("probe_hits",
		  "probe:idle hits 7 missed nested 1 open 0 idle 0\n"
		  "probe:both hits 6 missed nested 3 open 2 idle 3\nodd\n"
		  "probe odd hits 1\nprobe:odd hits x missed\n"
		  "net:new hits 1 missed nested 0 open 8 idle 2\n"
		  "probe:old hits 2 missed nested 0 open 0 idle 1\n");
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	hits_check("probe:both 1 2 0 0\nnet:new 1 0 8 2\nprobe:old 2 0 0 1\n");
	end_check("done");
}

/* With the buffers of before, all of them; also without the file, as with an older module. */
TEST(what_probes_have_been_hit)
{
	char path[512];

	begin();
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	hits_check("probe:old 9 4 0 0\nprobe:idle 7 1 0 0\n"
		   "probe:both 5 1 2 3\n");
	end_check("done");
	begin();
	path_of(path, "tree/probe_hits");
	CHECK(!unlink(path));
	CHECK_EQ(ktrace_recording_stop(recording, "done"), 0);
	hits_check("");
	end_check("done");
}

/* They were chosen by a recorder that was killed; the next one has all again. */
TEST(cpus_of_the_recorder_before)
{
	char path[512], text[16] = "";
	FILE *f;

	begin();
	tree_file("cpus", "0-1\n");
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	tree_path(path, "cpus");
	f = fopen(path, "r");
	CHECK(f);
	CHECK(fgets(text, sizeof(text), f));
	fclose(f);
	CHECK(!strncmp(text, "all", 3));
	tree_remove();
}

TEST(it_cannot_be_switched_off)
{
	char path[512];

	begin();
	tree_path(path, "enabled");
	CHECK(!unlink(path));
	CHECK_EQ(ktrace_recording_stop(recording, "over"), -ENOENT);
	CHECK(strstr(ktrace_last_error(), "enabled"));
	end_check("over");
}

/*
 * Who reads a stream of it needs no memory for the buffers: CPUs take turns, as their
 * packets did, and again and again it is said up to where they are whole.
 */
static void order_check(const uint32_t first[2])
{
	int output = memfd_create("output", MFD_CLOEXEC), points = 0;
	uint64_t last = 0, until = 0;
	struct kt_packet packet;
	struct frame frame;
	uint32_t packets = 0;

	mode = KT_MODE_OVERWRITE;
	begin_with(PACKETS, output);
	buffer_make(0, first[0], PACKETS);
	buffer_make(1, first[1], PACKETS);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	CHECK_EQ(lseek(output, 0, SEEK_SET), 0);
	while (read(output, &frame, sizeof(frame)) == sizeof(frame)) {
		off_t next = lseek(output, 0, SEEK_CUR) + frame.size;

		CHECK_EQ(frame.magic, FRAME_MAGIC);
		if (frame.kind == FRAME_SYNC) {
			CHECK_EQ(read(output, &until, sizeof(until)),
				 sizeof(until));
			CHECK(until >= last);
			points++;
		} else if (frame.kind == KTRACE_FILE_CPU && frame.size) {
			CHECK_EQ(read(output, &packet, sizeof(packet)),
				 sizeof(packet));
			CHECK(packet.begin > last);
			CHECK(packet.begin > until);
			last = packet.begin;
			packets++;
		}
		CHECK_EQ(lseek(output, next, SEEK_SET), next);
	}
	CHECK_EQ(packets, 2 * PACKETS);
	CHECK(points >= 3);
	close(output);
	tree_remove();
}

TEST(what_is_left_comes_in_order)
{
	order_check((const uint32_t[]){0, 0});
}

/* The writer has overwritten packets since the buffers were opened. */
TEST(what_is_left_comes_in_order_after_a_wrap)
{
	order_check((const uint32_t[]){10, 3});
}

/* Packets of a CPU in a stream, up to a frame that says up to where it is whole. */
static uint32_t packets_whole(int output, uint32_t cpu)
{
	uint32_t packets = 0, whole = 0;
	struct frame frame;
	off_t next;

	CHECK_EQ(lseek(output, 0, SEEK_SET), 0);
	while (read(output, &frame, sizeof(frame)) == sizeof(frame)) {
		next = lseek(output, 0, SEEK_CUR) + frame.size;
		if (frame.kind == FRAME_SYNC)
			whole = packets;
		else
			packets += frame.kind == KTRACE_FILE_CPU &&
				   frame.number == cpu && frame.size;
		CHECK_EQ(lseek(output, next, SEEK_SET), next);
	}
	return whole;
}

/*
 * Its events are where those of the other CPUs are of the same time: the next sync finds
 * it, before readers are told that its events' times are over.
 */
TEST(a_cpu_is_plugged_in_while_a_stream_is_read)
{
	int output = memfd_create("output", MFD_CLOEXEC);

	mode = KT_MODE_DISCARD;
	begin_with(3, output);
	CHECK_EQ(ktrace_recording_sync(recording, NULL), 0);
	CHECK_EQ(packets_whole(output, 1), 3);
	buffer_make(2, 0, 5);
	CHECK_EQ(ktrace_recording_sync(recording, NULL), 0);
	CHECK_EQ(packets_whole(output, 2), 5);
	CHECK_EQ(ktrace_recording_stop(recording, "over"), 0);
	ktrace_recording_destroy(recording);
	ktrace_session_close(session);
	CHECK_EQ(packets_whole(output, 2), 5);
	close(output);
	tree_remove();
}

CHECK_MAIN
