// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Branches that perf has recorded by Intel's PT.
 *
 * The packets of each CPU, or of each thread, become a buffer as contexts of CPUs have it (cpus.h); so what parts
 * those by thread parts these, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/branches.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/sized.h"
#include "contexts.h"
#include "cpus.h"
#include "perf_branches.h"
#include "perf_side.h"
#include "perf_trace.h"
#include "pt_decode.h"
#include "pt_resolve.h"
#include "symbol/debug_server.h"

/* Packets that are decoded at a time: they lie in memory behind each other. */
#define RUN_MAX (1ull << 30)
/* Entries of all buffers together: 1 GB, as what is traced has. */
#define KEPT_MAX ((1ull << 30) / sizeof(struct kt_branch))

struct recorded {
	struct perf_trace *trace;
	struct perf_side side;
	struct cpus cpus;
	uint32_t endless;	/* as struct pt_side has it */
	size_t entries;		/* of each buffer */
	size_t kept;		/* of all */
	struct kt_branch *ring; /* so many */
};

/* ---- packets -------------------------------------------------------------- */

/* Parts from @first on that follow each other in a buffer. */
static size_t run_find(const struct perf_trace *trace, size_t first,
		       uint64_t *size)
{
	const struct perf_part *part = &trace->parts[first];
	size_t nr = 1;

	*size = part->size;
	for (; first + nr < trace->nr_parts; nr++, part++) {
		if (!perf_part_is_beside(&part[1], part) ||
		    part[1].offset != part->offset + part->size ||
		    part[1].size > RUN_MAX - *size)
			break;
		*size += part[1].size;
	}
	return nr;
}

static int run_read(const struct perf_trace *trace, size_t first, size_t nr,
		    uint8_t *bytes)
{
	ssize_t n;

	for (size_t i = first; i < first + nr; i++) {
		const struct perf_part *part = &trace->parts[i];

		for (uint64_t done = 0; done < part->size;
		     done += n, bytes += n) {
			n = pread(trace->fd, bytes, part->size - done,
				  part->at + done);
			if (n <= 0)
				return error_set(
					n ? -errno : -EBADMSG, "packets: %s",
					n ? strerror(errno)
					  : "the file has become shorter");
		}
	}
	return 0;
}

static int run_decode(struct recorded *r, struct kt_branch_log *log,
		      struct ktrace_branches_decoded *losses, size_t first,
		      size_t nr, uint64_t size)
{
	const struct perf_part *part = &r->trace->parts[first];
	const struct pt_side side = {
		.runs = perf_side_runs,
		.missing = perf_side_missing,
		.code = perf_side_code,
		.data = &r->side,
		.endless = &r->endless,
	};
	struct pt_packets packets = {
		.size = size,
		.offset = part->offset,
		.cpu = part->cpu == PERF_NO_CPU ? 0 : part->cpu,
	};
	uint8_t *bytes;
	int err;

	if (size > RUN_MAX)
		return error_set(-EFBIG,
				 "a piece of the packets has %llu bytes",
				 (unsigned long long)size);
	bytes = malloc(size + 1);
	if (!bytes)
		return branches_out_of_memory();
	err = run_read(r->trace, first, nr, bytes);
	if (!err) {
		packets.bytes = bytes;
		perf_side_begin(&r->side, part);
		err = pt_decode(&packets, &r->trace->processor, &side, log,
				losses)
			      ? branches_out_of_memory()
			      : 0;
	}
	free(bytes);
	return err;
}

/* ---- buffers -------------------------------------------------------------- */

/* Where a list begins anew, others may have run since what is before that. */
static int holes_find(struct cpus *cpus, const struct branch_thread *buffer)
{
	const struct kt_branch *last = NULL;

	for (size_t i = 0; i < buffer->shown.nr; i++) {
		const struct kt_branch *entry = &buffer->entries[i];
		unsigned int kind = entry->from >> KT_BRANCH_KIND_SHIFT;
		struct cpu_hole *more;

		if (!kt_branch_is_stamp(kind))
			continue;
		if (last && kind == KT_BRANCH_BEGINS) {
			more = array_grow(cpus->holes, cpus->nr_holes,
					  sizeof(*more));
			if (!more)
				return branches_out_of_memory();
			cpus->holes = more;
			more[cpus->nr_holes++] =
				(struct cpu_hole){last->to, entry->to};
		}
		last = entry;
	}
	return 0;
}

/* As what is read of a CPU. */
static int buffer_keep(struct recorded *r, const struct kt_branch_log *log,
		       struct ktrace_branches_decoded *losses)
{
	struct branch_thread *more =
		array_grow(r->cpus.buffers, r->cpus.nr_buffers, sizeof(*more));
	uint64_t first = log->head > r->entries ? log->head - r->entries : 0;
	size_t nr = log->head - first;

	if (!more)
		return branches_out_of_memory();
	if (nr > KEPT_MAX - r->kept) {
		nr = KEPT_MAX - r->kept;
		first = log->head - nr;
	}
	r->kept += nr;
	losses->lost += first;
	r->cpus.buffers = more;
	more += r->cpus.nr_buffers;
	*more = (struct branch_thread){
		.entries = malloc((nr + 1) * sizeof(*more->entries)),
		.shown = {.nr = nr, .lost = first},
	};
	if (!more->entries)
		return branches_out_of_memory();
	for (size_t i = 0; i < nr; i++)
		more->entries[i] = r->ring[(first + i) & log->mask];
	r->cpus.nr_buffers++;
	return holes_find(&r->cpus, more);
}

static int buffers_decode(struct recorded *r,
			  struct ktrace_branches_decoded *losses)
{
	const struct perf_part *parts = r->trace->parts;
	struct kt_branch_log log;
	size_t nr, i = 0;
	uint64_t size;
	int err = 0;

	while (!err && i < r->trace->nr_parts) {
		const struct perf_part *buffer = &parts[i];

		log = (struct kt_branch_log){0};
		kt_branch_log_open(&log, r->ring, r->entries);
		for (; !err && i < r->trace->nr_parts &&
		       perf_part_is_beside(&parts[i], buffer);
		     i += nr) {
			losses->gaps += &parts[i] != buffer;
			nr = run_find(r->trace, i, &size);
			err = run_decode(r, &log, losses, i, nr, size);
		}
		err = err ?: buffer_keep(r, &log, losses);
	}
	return err;
}

static int threads_make(struct recorded *r, struct ktrace_branches *branches)
{
	int err = perf_side_visits(&r->side, &r->cpus);

	r->cpus.time = UINT64_MAX;
	err = err ?: cpus_part(&r->cpus, branches);
	for (size_t i = 0; !err && i < branches->nr; i++) {
		struct branch_thread *thread = &branches->threads[i];
		const struct perf_thread *of =
			perf_side_thread(&r->side, thread->shown.tid);

		if (of)
			memcpy(thread->shown.comm, of->comm, sizeof(of->comm));
		err = pt_resolve(thread, of ? of->ended : 0);
	}
	branches->decoded.lost += branches->cpus.lost;
	return err;
}

static void recorded_free(struct recorded *r)
{
	for (size_t i = 0; i < r->cpus.nr_buffers; i++)
		free(r->cpus.buffers[i].entries);
	for (size_t i = 0; i < r->cpus.nr_visits; i++)
		free(r->cpus.visits[i].change.maps);
	free(r->cpus.buffers);
	free(r->cpus.holes);
	free(r->cpus.visits);
	free(r->ring);
	perf_side_close(&r->side);
}

/* ---- all of it ------------------------------------------------------------ */

int perf_branches_make(struct contexts *contexts, struct perf_trace *trace,
		       uint32_t bytes)
{
	struct ktrace_branches *branches = &contexts->branches;
	struct recorded r = {.trace = trace,
			     .entries = KTRACE_BRANCHES_BYTES_MIN /
					sizeof(struct kt_branch)};
	int err;

	while (r.entries * sizeof(struct kt_branch) < bytes)
		r.entries *= 2;
	r.ring = calloc(r.entries, sizeof(*r.ring));
	if (!r.ring)
		return branches_out_of_memory();
	branches->decoded.gaps = trace->gaps;
	branches->decoded.untold = trace->untold;
	err = perf_side_open(&r.side, trace, &contexts->tables,
			     &branches->decoded);
	err = err ?: buffers_decode(&r, &branches->decoded);
	err = err ?: threads_make(&r, branches);
	err = err ?: branches_want(branches);
	err = err ?: mapped_names_find(&branches->names, &contexts->tables);
	recorded_free(&r);
	return err;
}

int perf_contexts_open(const struct ktrace_branches_options *options,
		       struct contexts **opened)
{
	struct contexts *contexts;
	int err;

	if (options->bytes && (options->bytes < KTRACE_BRANCHES_BYTES_MIN ||
			       options->bytes > KTRACE_BRANCHES_BYTES_MAX))
		return error_set(-EINVAL, "a buffer has %u to %u bytes, not %u",
				 KTRACE_BRANCHES_BYTES_MIN,
				 KTRACE_BRANCHES_BYTES_MAX, options->bytes);
	if (!pt_decoder_known())
		return error_set(-ENOSYS,
				 "%s is not there, by which packets of Intel's "
				 "PT are decoded: install libipt2",
				 IPT_SONAME);
	contexts = calloc(1, sizeof(*contexts));
	if (!contexts)
		return branches_out_of_memory();
	contexts->branches.traced = true;
	contexts->branches.is_decoded = true;
	contexts->followed = true;
	program_tables_begin(&contexts->tables);
	err = debug_server_open(options->debuginfod, &contexts->servers);
	contexts->tables.servers = contexts->servers;
	if (err)
		ktrace_branches_close(&contexts->branches);
	else
		*opened = contexts;
	return err;
}

int ktrace_branches_open_recorded(const char *path,
				  const struct ktrace_branches_options *wishes,
				  struct ktrace_branches **opened)
{
	struct ktrace_branches_options options;
	struct contexts *contexts;
	struct perf_trace trace;
	int err;

	err = sized_copy(&options, sizeof(options), wishes);
	err = err ?: perf_contexts_open(&options, &contexts);
	if (err)
		return err;
	/* All of it is read now. */
	contexts->ended = true;
	err = perf_trace_open(&trace, path);
	err = err
		      ?: perf_branches_make(
				 contexts, &trace,
				 options.bytes ?: KTRACE_BRANCHES_RECORDED);
	perf_trace_close(&trace);
	if (err)
		ktrace_branches_close(&contexts->branches);
	else
		*opened = &contexts->branches;
	return err;
}
