/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_RECORD_H
#define KT_CMD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/recording.h>

#include "common/child.h"
#include "common/process.h"
#include "common/select.h"
#include "set/set_file.h"
#include "common/signals.h"

struct record {
	/* Asked for. */
	struct selection selection;
	struct set set;		    /* --set; keeps what the others point to */
	struct processes processes; /* -p */
	pid_t *pids; /* of those, and of the command with --only */
	size_t nr_pids;
	char **command; /* NULL: none */
	const char *output;
	const char *name; /* of the session; NULL: the default one */
	uint64_t buffer;
	uint64_t duration;    /* ns; 0: none */
	const char **markers; /* patterns; of the programs' markers */
	size_t nr_markers;
	bool overwrite;
	bool only;
	bool keep;
	bool stream_failed; /* it could not be told how far it is whole */
	bool stream; /* to @out, which was standard output, not to a directory */
	int out;

	struct ktrace_session *session; /* NULL: only markers are recorded */
	struct ktrace_recording *recording;
	struct ktrace_recording_status status; /* at the end */
	size_t nr_events;		       /* enabled */
	uint64_t left;			       /* by the recorder before */
	struct child child;
	struct signals signals;
	bool interrupted;
	int terminated; /* by this signal */
	bool progress;
	uint64_t began, ended, shown, synced; /* ns */
	uint64_t shown_bytes;
};

/* record_markers.c; those that return an int: an exit status */

/* "a*,b": patterns of markers; @list is changed, and stays. */
int record_markers_add(struct record *r, char *list);
/* What the sets have, to what -e and -M named. */
int record_sets_take(struct record *r);
/* Those of kernel modules. */
int record_markers_enable(struct record *r);
/* Does a kernel module have such markers, and may we record them? */
bool record_markers_in_kernel(const struct record *r);

/* Tells what was recorded, what was lost, and how to see it. */
int record_summarize(struct record *r);

#endif /* KT_CMD_RECORD_H */
