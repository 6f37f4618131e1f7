/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of patterns that say which markers are meant: see pattern.c.
 *
 * A list is somebody's field, zero at first, and protected by kt_mutex.
 */
#ifndef KT_KERNEL_SOURCE_MARKER_PATTERN_H
#define KT_KERNEL_SOURCE_MARKER_PATTERN_H

#include <linux/types.h>

struct kt_session;
struct kt_site;
struct seq_file;

struct kt_patterns {
	char **texts;
	unsigned int nr;
};

/* Does one pattern mean this place?  A `!' in front is not one of its letters here. */
bool kt_pattern_matches(const char *pattern, const struct kt_site *site);
/* The last one of the list that matches says whether. */
bool kt_patterns_want(const struct kt_patterns *patterns,
		      const struct kt_site *site);

/*
 * What @old becomes by @text, which was written to a file: a pattern on each line, to
 * be added; nothing: none are left.  Refuses with a reason, and @new is to be freed
 * only if it does not.
 */
int kt_patterns_change(struct kt_session *session,
		       const struct kt_patterns *old, char *text,
		       struct kt_patterns *new);
void kt_patterns_free(struct kt_patterns *patterns);
void kt_patterns_show(struct seq_file *m, const struct kt_patterns *patterns);

#endif /* KT_KERNEL_SOURCE_MARKER_PATTERN_H */
