/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ktrace probe explain: what the text of a probe means, and what is there. */
#ifndef KT_CMD_PROBE_EXPLAIN_H
#define KT_CMD_PROBE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/probes.h>

/* Prints what each of the texts means, and how it would be armed.  Returns an exit status. */
int probes_explain(char *const *texts, size_t nr, bool json);

/*
 * A text was refused, which has been said.  If that is for its place, prints the code there, and the
 * nearest places that would do; if it was the kernel when it armed what is @at this address, also why,
 * as far as it is known; NULL: it was the library.  @session may be NULL if the place is in a
 * program.  False: there is nothing to say.
 */
bool refusal_explain(struct ktrace_session *session, const char *text,
		     const uint64_t *at);

/* Is the place of a text in a program? */
bool probe_is_in_program(const char *text);

#endif /* KT_CMD_PROBE_EXPLAIN_H */
