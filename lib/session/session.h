/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parts of a session that its own files share. */
#ifndef KT_LIB_SESSION_H
#define KT_LIB_SESSION_H

#include <ktrace/session.h>

#include "base/arena.h"
#include "kernel/btf.h"

struct ktrace_session {
	char *path;
	char *root; /* of the control tree; where the session is the root: equal */
	int dir;    /* the session's folder; its lock is the claim */
	bool own; /* made by us, removed at the end */
	bool no_load;

	void (*note)(void *data, const char *text);
	void *data;

	struct enums *enums; /* NULL: nobody has asked for them yet */

	/* Of the last prepare. */
	struct arena arena;
	struct ktrace_missing *missing;
	size_t nr_missing;
};

void session_note(struct ktrace_session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What the trace's clock adds to the time stamp counter; 0: nothing, or it cannot tell. */
uint64_t session_clock_missing(struct ktrace_session *s);

/* Says why a file of the control tree refused; returns @err. */
int session_explain(int err, const char *dir, const char *file);

/* A file of the control tree's root; @append as to a list. */
int session_root_write(struct ktrace_session *s, const char *file,
		       const char *text, bool append);
int session_root_read(struct ktrace_session *s, const char *file, char **text);

/* The kernel's type information, which is kept.  NULL: no memory. */
struct enums *session_kernel_enums(struct ktrace_session *s);

/* Has an event a filter?  Costs less than ktrace_session_known(). */
int session_any_filtered(struct ktrace_session *s, bool *any);

/*
 * What `info' says of the events that are wanted, or, @want NULL, of all; free() it.
 */
int session_info(struct ktrace_session *s,
		 bool (*want)(const struct ktrace_known *known, void *data),
		 void *data, char **text, size_t *size);

/*
 * As ktrace_session_types(), of what may be in the buffers.  @late: system calls are taken
 * apart when somebody asks for them; the types do not outlive the session then.
 */
int session_types_recorded(struct ktrace_session *s,
			   bool (*want)(const struct ktrace_known *known,
					void *data),
			   void *data, bool late, struct ktrace_types **types);

/* As ktrace_session_clock(); @next_id: events that are new later get it, or larger. */
int session_clock(struct ktrace_session *s, struct ktrace_clock *clock,
		  uint32_t *next_id);

/* Gives arguments of modules' markers the names of their enumerations, where they are known. */
void session_enums(struct ktrace_session *s, struct ktrace_types *types);

/* Prototypes of tracepoints, see prototype.c. */
struct prototypes;

int prototypes_create(struct prototypes **prototypes);
void prototypes_destroy(struct prototypes *p);
/*
 * Writes the definition of @system/@tracepoint, a line for the file `define'.
 * The caller frees it.
 */
int prototypes_define(struct prototypes *p, const char *system,
		      const char *tracepoint, const char *module, char **line);

#endif /* KT_LIB_SESSION_H */
