// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: a trace's stream of branches, with any bytes.
 *
 * Each branch that has a time is an event, once; those of a CPU come in the order of time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ktrace/branch_list.h>

#include "base/file.h"
#include "read/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static volatile uint64_t all;

static struct ktrace *trace_make(const uint8_t *data, size_t size)
{
	static const char metadata[] =
		"{\"type\":\"trace\",\"format\":2,\"id\":\"0x9\",\"cpus\":1}\n"
		"{\"type\":\"clock\",\"name\":\"mono\",\"frequency\":1000000000,\"sync\":"
		"[{\"clock\":0,\"monotonic\":0,\"realtime\":0}]}\n"
		"{\"type\":\"stream\",\"stream\":0,\"kind\":\"branches\"}\n"
		"{\"type\":\"end\",\"reason\":\"command\",\"cpus\":[]}\n";
	struct ktrace *trace = trace_create(NULL);
	int fd = memfd_create("branches", MFD_CLOEXEC);

	check(trace && fd >= 0);
	check(!file_write(fd, data, size));
	check(!metadata_read(trace, metadata, sizeof(metadata) - 1));
	check(side_is_known(trace, 0) && !side_add(trace, 0, fd));
	check(!trace_opened(trace, 0, &trace));
	return trace;
}

static void place_read(const struct ktrace_branch_place *place)
{
	const char *text = place->inlined;

	all += strlen(place->file) +
	       (place->function ? strlen(place->function) : 0);
	for (uint32_t i = 0; i < place->nr_inlined * 2; i++)
		all += strlen(text), text += strlen(text) + 1;
}

/* How many of the entries are no stamps. */
static uint64_t branches_count(struct ktrace *trace)
{
	const struct ktrace_branch_thread *thread;
	struct ktrace_branch_place place;
	struct ktrace_branches *branches;
	uint64_t nr = 0;

	check(!ktrace_trace_branches(trace, &branches) && branches);
	for (size_t i = 0; (thread = ktrace_branches_thread(branches, i)); i++)
		for (size_t n = 0; n < thread->nr; n++) {
			struct ktrace_branch branch =
				ktrace_branches_get(branches, i, n);

			nr += !ktrace_branch_is_stamp(&branch);
			for (int to = 0; to <= 1; to++)
				if (ktrace_branches_place(branches, i, n, to,
							  &place))
					place_read(&place);
		}
	return nr;
}

static uint64_t events_count(struct ktrace *trace)
{
	struct ktrace_stack_frame frame;
	struct ktrace_cursor *cursor;
	struct ktrace_stack places;
	uint64_t time = 0, nr = 0;

	check(!ktrace_cursor_create(trace, NULL, &cursor));
	while (ktrace_cursor_next(cursor) == KTRACE_EVENT) {
		const struct ktrace_event *event = ktrace_cursor_event(cursor);

		check(event->type->branch && event->time >= time);
		time = event->time;
		check(ktrace_event_branches(trace, event, &places));
		check(places.nr == 2);
		for (uint32_t i = 0; i < places.nr; i++) {
			ktrace_stack_frame(trace, &places, i, &frame);
			all += frame.function ? strlen(frame.function) : 0;
		}
		nr++;
	}
	ktrace_cursor_destroy(cursor);
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktrace *trace = trace_make(data, size);
	uint64_t events = events_count(trace);

	check(events <= branches_count(trace));
	ktrace_close(trace);
	return 0;
}
