/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line of a session's file `functions' says which functions are hooked.  It is one of
 *
 *	+PATTERN [WORDS] [RESULT] [inside] [direct] [: PROGRAM]
 *				these, too
 *	-PATTERN		not these
 *	!PATTERN		neither these nor what they call
 *	none			none any more, and no line counts any more
 *
 * PATTERN is NAME or MODULE:NAME, each with wildcards (core/pattern.h); the module of the
 * kernel itself is vmlinux.  All functions of a name are meant, by whatever alias.  WORDS
 * is how many words of arguments are recorded: six (the default) are in registers, further
 * ones, up to 16, on the stack.
 * RESULT is what is returned: `void', or a number as s32 or u8 (default: u64).  With
 * `inside', calls are recorded only while one of those that are chosen without it, the
 * roots, is running.  The file `function_scope' limits that (scope.h).  `direct' says that
 * the function takes no arguments on the stack, so that it can be hooked the short way
 * (direct.c); it counts only if it comes from who may load modules.  PROGRAM is a capture
 * program (core/capture.h), which is run at the entry; the colon is a word of its own.
 *
 * If a line is refused, none counts.  The last line that matches a function counts.  Lines
 * are kept, for modules that are loaded later.
 */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CHOICE_H
#define KT_KERNEL_SOURCE_FUNCTION_CHOICE_H

#include <linux/list.h>

#include "table.h"

struct hooks;
struct kt_session;
struct seq_file;

/* A line. */
struct choice {
	struct list_head node;
	struct function_choice what;
	bool matched;
	struct function *first; /* that it means, in a scan */
	const char *module;	/* NULL: any */
	const char *name;
	char text[]; /* both, cut up */
};

/* The lines of @text, for a session; it is cut up.  If refused, some may be there. */
int choices_parse(struct list_head *choices, struct kt_session *session,
		  char *text);
void choices_drop(struct list_head *choices);
/* May these lines be added to the session's? */
int choices_fit(struct hooks *hooks, const struct list_head *choices);
/* The new lines, behind the old ones that still say something. */
void choices_add(struct hooks *hooks, struct list_head *choices);
/* As they may be written again. */
void choices_show(struct seq_file *m, const struct list_head *choices);
/* Does it depend on what is running whether a call is recorded? */
bool choices_have_scope(const struct list_head *choices);

/* May a line mean functions of this name?  The module takes longer to be found. */
bool choices_mean_name(const struct list_head *choices, const char *name);
/* The line that counts for a function; @module: NULL, if it is the kernel's own. */
struct choice *choice_for(const struct list_head *choices, const char *name,
			  const char *module);

/* As lines say it. */
const char *result_name(struct function_result result);

#endif /* KT_KERNEL_SOURCE_FUNCTION_CHOICE_H */
