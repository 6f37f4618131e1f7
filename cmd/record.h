/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_RECORD_H
#define KT_CMD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/recording.h>

#include "run/child.h"
#include "run/decoded.h"
#include "run/probes.h"
#include "run/process.h"
#include "common/debuginfod.h"
#include "common/patterns.h"
#include "common/select.h"
#include "common/series.h"
#include "set/set_file.h"
#include "run/signals.h"
#include "run/stacks.h"

/* Of a recording in several traces: see record_parts.c. */
struct parts {
	/* From the command line: */
	uint64_t bytes; /* a part ends when it has so many; 0: no limit */
	uint64_t ns;	/* or after this time; 0: no limit */
	uint64_t max;	/* how many are kept, beside the newest; 0: all */
	uint64_t all;	/* the recording ends at so many bytes; 0: no limit */
	const char *event; /* takes a snapshot; NULL: none */

	bool possible;	      /* it can go on in another trace */
	struct series series; /* those that have ended */
	uint64_t gone;	      /* the first ones, that were removed */
	uint64_t stayed;      /* of them: they could not be removed */
	uint64_t began;	      /* ns: the newest one */
	uint64_t events;      /* in those that have ended */
	uint64_t looked;      /* ns: at the sizes, and at the trigger */
	bool failed;
};

/* What takes snapshots: see record_trigger.c. */
struct trigger {
	struct ktrace_session *session; /* NULL: nothing does */
	struct selection selection;
	char *text;
	bool armed;
	bool unseen;	/* the last look has failed */
	uint64_t fired; /* ns */
};

struct wait;

struct record {
	/* From the command line: */
	struct selection selection;
	struct set set;		    /* --set; owns texts that others point to */
	struct processes processes; /* -p */
	pid_t *pids;		    /* those, and with --only the command */
	size_t nr_pids;
	char **command; /* NULL: none */
	const char *output;
	const char *name; /* of the session; NULL: the default one */
	uint64_t buffer;
	uint64_t duration;	   /* ns; 0: none */
	struct patterns markers;   /* of programs */
	struct patterns functions; /* of the kernel */
	struct probes probes;	   /* -P */
	bool filterless;	   /* the last -e means functions */
	bool probe_last;	   /* the last of -e and -P is a -P */
	struct patterns reads;	   /* what is read at their calls */
	bool plain; /* does not read what arguments of functions point to */
	struct patterns around; /* functions are recorded only within these */
	const char *entered;	/* NULL: whatever their arguments are */
	struct stacks_wanted stacks;
	struct decoded decoded;
	bool branch_trace;
	uint64_t branch_bytes; /* of a thread's buffer; 0: as usual */
	struct debuginfod debuginfod;
	unsigned int rate; /* of samples, for each second and CPU; 0: none */
	bool overwrite;
	const char *cpus; /* NULL: all */
	bool only;
	bool keep;
	struct parts parts;
	struct trigger trigger;
	bool stream_failed; /* telling the reader of the stream has failed */
	bool followed;	    /* another process reads the trace on disk */
	bool untold;	    /* telling such a process has failed */
	bool stream;	    /* to @out, which was standard output */
	int out;

	struct ktrace_session *session;	  /* NULL: only markers are recorded */
	struct ktrace_branches *branches; /* NULL: no event has some */
	struct ktrace_branches *way;	  /* NULL: the trace has none */
	bool written;			  /* all of what was recorded */
	char *stack_size; /* that of the session before; NULL: it was not changed */
	struct ktrace_recording *recording;
	struct ktrace_recording_status status; /* at the end */
	size_t nr_events;		       /* number of enabled events */
	uint64_t left;			       /* unread, at the start */
	struct child child;
	struct signals signals;
	struct wait *wait; /* while the recording runs */
	bool interrupted;
	int terminated; /* the signal that ended it */
	bool progress;
	uint64_t began, ended, shown, synced; /* ns */
	uint64_t shown_bytes;
};

/* An int is an exit status. */

extern const struct command_option record_option_rows[];
/* Takes the command line; OPTIONS_TAKEN: it makes sense. */
int record_options(struct record *r, int argc, char **argv);
/* Is it about markers alone? */
bool record_is_of_markers(const struct record *r);
bool record_samples_are_wanted(const struct record *r);

/* Take arguments of -e, and of -F if it is a number, as none of functions is. */
int record_event_option(struct record *r, char *words);
int record_rate_option(struct record *r, const char *text);
/* Adds the items of the sets to those of -e and -M. */
int record_sets_take(struct record *r);
/* Enables the markers of kernel modules. */
int record_markers_enable(struct record *r);
/* True if a kernel module has such markers and we may record them. */
bool record_markers_in_kernel(const struct record *r);

/* The room for stacks, before an event has some; and as it was before, when none has. */
int record_stacks_prepare(struct record *r);
int record_stacks_end(struct record *r);
/* Do the options about stacks and branches make sense? */
int record_stacks_check(const struct record *r, bool only_markers);
/* Begins to trace the branches that events are to have, and those that the trace is to have. */
int record_branches_begin(struct record *r);
/* After the end: how many the trace has, if it was to have some. */
void record_branches_print(const struct record *r);

/* Do the options about sizes, parts and snapshots make sense?  Sets the mode. */
int record_parts_check(struct record *r);
/* Before the recording begins, and when it begins. */
int record_parts_prepare(struct record *r);
int record_parts_begin(struct record *r);
void record_parts_end(struct record *r);
/* False: the recording failed, or is to end: *@reason says why; NULL: it failed. */
bool record_parts_round(struct record *r, const char **reason);
/* SIGUSR2 has come.  False: the recording failed. */
bool record_parts_signalled(struct record *r);

/* Makes its session, before the recording; and lets it wait for the event, in the recording. */
int record_trigger_open(struct record *r);
int record_trigger_arm(struct record *r);
/* Has the event happened?  Then it waits no more.  An exit status. */
int record_trigger_look(struct record *r, bool *fired);
void record_trigger_close(struct record *r);

/* The line of progress, if there is to be one. */
void record_progress_show(struct record *r);
void record_progress_clear(struct record *r);

/* Prints what was recorded, what was lost, and how to see it. */
int record_summarize(struct record *r);

#endif /* KT_CMD_RECORD_H */
