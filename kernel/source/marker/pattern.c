// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of patterns that users write to files of the control tree.  Each line is a pattern
 * of markers (core/pattern.h); if it begins with a `!', it excludes what it matches.
 *
 * A list is replaced, never changed.  So if a write is refused, nothing has changed.
 */
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../../core/pattern.h"
#include "session/session.h"
#include "marker.h"
#include "pattern.h"

#define PATTERNS_MAX 256

bool kt_pattern_matches(const char *pattern, const struct kt_site *site)
{
	const struct ktrace_marker *marker = site->marker;
	const struct kt_marker_name name = {
		.system = site->module,
		.name = marker->name,
		.file = marker->file,
		.function = marker->function,
		.order = site->order,
	};

	return kt_marker_match(pattern, &name);
}

bool kt_patterns_want(const struct kt_patterns *patterns,
		      const struct kt_site *site)
{
	unsigned int i = patterns->nr;

	while (i--) {
		const char *text = patterns->texts[i];
		bool exclude = *text == '!';

		if (kt_pattern_matches(text + exclude, site))
			return !exclude;
	}
	return false;
}

void kt_patterns_free(struct kt_patterns *patterns)
{
	while (patterns->nr)
		kfree(patterns->texts[--patterns->nr]);
	kfree(patterns->texts);
	patterns->texts = NULL;
}

void kt_patterns_show(struct seq_file *m, const struct kt_patterns *patterns)
{
	unsigned int i;

	for (i = 0; i < patterns->nr; i++)
		seq_printf(m, "%s\n", patterns->texts[i]);
}

static void pattern_remove(struct kt_patterns *patterns, unsigned int at)
{
	kfree(patterns->texts[at]);
	patterns->nr--;
	memmove(patterns->texts + at, patterns->texts + at + 1,
		(patterns->nr - at) * sizeof(*patterns->texts));
}

static int pattern_add(struct kt_patterns *patterns, const char *text)
{
	const char *bare = text + (*text == '!');
	unsigned int i = 0;
	char *copy;

	/* The new pattern replaces an earlier one for the same markers. */
	while (i < patterns->nr) {
		const char *other = patterns->texts[i];

		if (strcmp(bare, "*") && strcmp(other + (*other == '!'), bare))
			i++;
		else
			pattern_remove(patterns, i);
	}
	/* There is nothing from which to exclude. */
	if (*text == '!' && !patterns->nr)
		return 0;
	if (patterns->nr == PATTERNS_MAX)
		return -ENOSPC;
	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	patterns->texts[patterns->nr++] = copy;
	return 0;
}

static bool pattern_is_good(const char *text)
{
	text += *text == '!';
	if (!*text)
		return false;
	for (; *text; text++) {
		if (!isgraph(*text) && *text != ' ')
			return false;
	}
	return true;
}

static int line_add(struct kt_session *session, struct kt_patterns *patterns,
		    const char *line)
{
	int err;

	if (!pattern_is_good(line))
		return kt_refuse(session, -EINVAL,
				 "\"%*pE\" is no pattern of markers",
				 (int)min_t(size_t, strlen(line), 60), line);
	err = pattern_add(patterns, line);
	if (err == -ENOSPC)
		return kt_refuse(session, err,
				 "there are %u patterns already: write an "
				 "empty line to forget them",
				 PATTERNS_MAX);
	return err ? kt_refuse(session, err, "no memory") : 0;
}

int kt_patterns_change(struct kt_session *session,
		       const struct kt_patterns *old, char *text,
		       struct kt_patterns *new)
{
	struct kt_patterns patterns = {};
	unsigned int i;
	int err = 0;
	char *line;

	lockdep_assert_held(&kt_mutex);
	patterns.texts =
		kcalloc(PATTERNS_MAX, sizeof(*patterns.texts), GFP_KERNEL);
	if (!patterns.texts)
		return kt_refuse(session, -ENOMEM, "no memory");
	text = strim(text);
	for (i = 0; !err && *text && i < old->nr; i++)
		err = line_add(session, &patterns, old->texts[i]);
	while (!err && (line = strsep(&text, "\n"))) {
		line = strim(line);
		if (*line)
			err = line_add(session, &patterns, line);
	}
	if (err)
		kt_patterns_free(&patterns);
	else
		*new = patterns;
	return err;
}
