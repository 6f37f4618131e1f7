/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What events of system calls and signals have beyond their registers: the memory to which arguments
 * point, the paths of file descriptors, who has sent a signal.  So a trace can be shown as strace
 * shows calls, and its arguments are texts in all other outputs, too.
 */
#ifndef KT_CMD_RUN_DECODED_H
#define KT_CMD_RUN_DECODED_H

#include "common/select.h"

/* Also zeroed: nothing is decoded. */
struct decoded {
	bool wanted;
	uint32_t string_max; /* bytes of data */
	uint8_t paths;	     /* of enum ktrace_paths */
	bool unabbreviated;  /* also what --no-abbrev shows */
	bool possibly; /* it is no mistake if nothing that is selected can be decoded */
};

/*
 * Makes the session capture it for the calls of which one event is selected.  They must be known
 * and disabled.  Takes away what the session captures otherwise.  Returns an exit status.
 */
int decoded_calls(struct ktrace_session *session, const struct decoded *decoded,
		  const struct selection *selection);

/* What signal:signal_delivered tells. */
enum decoded_signals {
	DECODED_SIGNALS_ALL,   /* of each signal, who has sent it and why */
	DECODED_SIGNALS_KILLS, /* of SIGKILL alone, with what the process ends */
	DECODED_SIGNALS_NONE,  /* there is no such event */
};

/* Makes the event known, but does not enable it.  If it does not tell all, says why. */
enum decoded_signals decoded_signals(struct ktrace_session *session);

/*
 * All of that, of what is selected, for a recording of any events.  Events that the session knows
 * must be asked for behind it.  *@signals: signal:signal_delivered is to be enabled, too, whatever
 * is selected.  Returns an exit status.
 */
int decoded_prepare(struct ktrace_session *session,
		    const struct decoded *decoded,
		    const struct selection *selection, bool *signals);
/* Has the system events of single calls? */
bool decoded_calls_system(const char *system);
/* Is it an event of a call, or of signals that are delivered? */
bool decoded_fits(const struct ktrace_known *known);
/*
 * Fails if none of the events that are selected can be decoded; says it if these are only signals.
 * Returns an exit status.
 */
int decoded_check(const struct selection *selection,
		  const struct ktrace_known *known, size_t nr);

#endif /* KT_CMD_RUN_DECODED_H */
