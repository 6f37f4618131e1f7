// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads the buffers of contexts of CPUs: see cpus.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "contexts.h"
#include "cpus.h"

/* Counts are of a whole context, and each of its CPUs has them. */
static void counts_add(struct ktrace_branches_cpus *sum,
		       const struct ktrace_branch_thread *cpu, bool first)
{
	sum->lost += cpu->lost;
	if (!first)
		return;
	sum->unread += cpu->unread;
	/* Each context counts the same programs. */
	if (sum->unfollowed < cpu->unfollowed)
		sum->unfollowed = cpu->unfollowed;
}

static int context_read(struct contexts *contexts, struct cpus *cpus, int fd)
{
	struct branch_thread *more;
	int found;

	for (uint32_t n = 0;; n++) {
		more = array_grow(cpus->buffers, cpus->nr_buffers,
				  sizeof(*more));
		if (!more)
			return branches_out_of_memory();
		cpus->buffers = more;
		more += cpus->nr_buffers;
		*more = (struct branch_thread){0};
		found = entries_read(contexts, fd, n, more);
		if (found <= 0) {
			free(more->entries);
			return found;
		}
		if (!cpus->nr_buffers++)
			cpus->time = more->read_at;
		counts_add(&contexts->branches.cpus, &more->shown, !n);
	}
}

/* Programs may go on mapping as fast as this is read, so it ends with what is too late. */
static int visits_read(struct cpus *cpus, int fd)
{
	struct kt_branch_maps read = {0};
	struct mapped_change *change;
	struct kt_branch_map *less;
	struct visit *more;
	int found;

	while (true) {
		more = array_grow(cpus->visits, cpus->nr_visits, sizeof(*more));
		if (!more)
			return branches_out_of_memory();
		cpus->visits = more;
		more += cpus->nr_visits;
		*more = (struct visit){0};
		change = &more->change;
		found = mapped_change_read(fd, &read, change);
		if (found <= 0)
			break;
		read.change++;
		if (change->since > cpus->time) {
			free(change->maps);
			read.thread++;
			read.change = 0;
			continue;
		}
		less = realloc(change->maps, (change->nr + 1) * sizeof(*less));
		if (less)
			change->maps = less;
		more->tid = read.tid;
		memcpy(more->comm, read.comm, sizeof(more->comm) - 1);
		cpus->nr_visits++;
	}
	free(change->maps);
	return found ? error_set(found, "what programs have mapped: %s",
				 strerror(-found))
		     : 0;
}

int cpus_read(struct contexts *contexts)
{
	struct cpus cpus = {0};
	int err = 0;

	for (size_t i = 0; !err && i < contexts->nr; i++)
		err = context_read(contexts, &cpus, contexts->fds[i]);
	/* Each context tells of all CPUs. */
	if (!err && contexts->nr)
		err = visits_read(&cpus, contexts->fds[0]);
	err = err ?: cpus_part(&cpus, &contexts->branches);
	for (size_t i = 0; i < cpus.nr_buffers; i++)
		free(cpus.buffers[i].entries);
	for (size_t i = 0; i < cpus.nr_visits; i++)
		free(cpus.visits[i].change.maps);
	free(cpus.buffers);
	free(cpus.visits);
	return err;
}
