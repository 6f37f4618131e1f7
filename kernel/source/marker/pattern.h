/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of patterns that select markers: see pattern.c.
 *
 * A list is a field of its owner, initially zero, and protected by kt_mutex.
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

/* Does the pattern match this place?  It must not begin with a `!' that excludes. */
bool kt_pattern_matches(const char *pattern, const struct kt_site *site);
/* Is this place selected?  The last pattern of the list that matches it decides. */
bool kt_patterns_want(const struct kt_patterns *patterns,
		      const struct kt_site *site);

/*
 * Makes a new list from @old and @text, which was written to a file.  Each line is a
 * pattern to be added; an empty @text removes all.  Errors give a reason.  The caller frees
 * @new only on success.
 */
int kt_patterns_change(struct kt_session *session,
		       const struct kt_patterns *old, char *text,
		       struct kt_patterns *new);
void kt_patterns_free(struct kt_patterns *patterns);
void kt_patterns_show(struct seq_file *m, const struct kt_patterns *patterns);

#endif /* KT_KERNEL_SOURCE_MARKER_PATTERN_H */
