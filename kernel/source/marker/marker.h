/* SPDX-License-Identifier: GPL-2.0-only */
/* Markers of kernel modules: see marker.c. */
#ifndef KT_KERNEL_SOURCE_MARKER_H
#define KT_KERNEL_SOURCE_MARKER_H

#ifndef KTRACE_DISABLED
#define KTRACE_DISABLED /* we have no markers of our own */
#endif
#include <ktrace/marker_probe.h>

struct kt_kind;
struct kt_session;
struct seq_file;

/* A place of a marker.  Its address may change. */
struct kt_site {
	struct ktrace_marker *marker;
	const char *module;
	unsigned int order;	    /* in its function, from 1 */
	struct kt_printer *printer; /* for print.c; NULL: not printed */
};

int kt_markers_init(void);
void kt_markers_exit(void);

/* All functions below are called under kt_mutex. */

void kt_sites_each(void (*visit)(struct kt_site *site, void *data), void *data);

/*
 * Shows the control tree's file `markers', a line for each place:
 * "MODULE:NAME FILE:LINE FUNCTION:ORDER FORMAT".
 */
void kt_markers_show(struct seq_file *m);

/* A session's file `marked': patterns of the markers that it records. */
int kt_marked_write(struct kt_session *session, char *text);
void kt_marked_show(struct seq_file *m, const struct kt_session *session);

/*
 * What else is done with places, besides recording.  A user is told when places come and
 * go, under kt_mutex.
 */
struct kt_site_user {
	void (*add)(struct kt_site *site);
	/* Returns whether tracepoints must be synchronized before forget(). */
	bool (*remove)(struct kt_site *site);
	void (*forget)(struct kt_site *site); /* may be NULL */
	void (*clear)(void);		      /* at the end; may be NULL */
};

extern const struct kt_site_user kt_site_prints; /* print.c */
extern const struct kt_site_user kt_site_probes; /* probe.c */

/* In files.c: the users, and the lists of files, including those of print.c. */
extern const struct kt_site_user *const kt_site_users[];
extern const struct kt_kind *const kt_marker_root_files[];
extern const struct kt_kind *const kt_marker_session_files[];

/*
 * In probe.c: functions that are called on each hit.  A detached function may still run
 * until tracepoints are synchronized.
 */
int kt_site_attach(const struct kt_site *site,
		   struct ktrace_marker_probe *probe);
void kt_site_detach(const struct kt_site *site,
		    struct ktrace_marker_probe *probe);

/*
 * In print.c: lines in the kernel's log.  The file `print' has patterns, the file `printed'
 * counts.
 */
int kt_prints_write(struct kt_session *session, char *text);
void kt_prints_show(struct seq_file *m);
void kt_printed_show(struct seq_file *m);

#endif /* KT_KERNEL_SOURCE_MARKER_H */
