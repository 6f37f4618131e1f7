/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A line of a session's file `functions' says which functions are hooked.  It is one of
 *
 *	+PATTERN [WORDS] [RESULT] [inside | around] [direct] [if CONDITION] [: PROGRAM]
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
 * roots, is running.  The file `function_scope' limits that (scope.h).  With `around', calls
 * are not recorded, but roots are only while one of them is running.  `direct' says that
 * the function takes no arguments on the stack, so that it can be hooked the short way
 * (direct.c); it counts only if it comes from who may load modules.  CONDITION says
 * which calls count, by their arguments (condition.h).  PROGRAM is a capture program
 * (core/capture.h), which is run at the entry; the colon is a word of its own.
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
	struct list_head node; /* choices.all */
	union {
		struct list_head pattern; /* choices.patterns, */
		struct hlist_node named;  /* or choices.names */
	};
	u64 number; /* the last line counts */
	struct function_choice what;
	bool matched;
	bool is_pattern; /* of names; that of the module may be one, too */
	struct function *first; /* that it means, in a scan */
	const char *module;	/* NULL: any */
	const char *name;
	char text[]; /* both, cut up */
};

/*
 * Lines.  Those that name a function are found by a hash of the name, so there may be one for
 * each function.  Each pattern is compared with each function's name.
 */
struct choices {
	struct list_head all; /* in the order in which they were written */
	struct list_head patterns;
	struct hlist_head *names; /* NULL: there are none */
	u32 nr;
	u32 nr_patterns;
	u64 last; /* number of a line */
};

/* None yet; lines that come behind those of @before. */
void choices_begin(struct choices *choices, const struct choices *before);
/* The lines of @text, for a session; it is cut up.  If refused, some may be there. */
int choices_parse(struct choices *choices, struct hooks *hooks, char *text);
void choices_drop(struct choices *choices);
/* May the lines of @more be added? */
int choices_fit(struct choices *choices, struct kt_session *session,
		const struct choices *more);
/* Takes the lines of @more, behind the old ones that still say something. */
void choices_add(struct choices *choices, struct choices *more);
/* As they may be written again. */
void choices_show(struct seq_file *m, const struct choices *choices);
/* What they ask of calls: of enum asks (hooks.h). */
u8 choices_asks(const struct choices *choices);

/* May a line mean functions of this name?  The module takes longer to be found. */
bool choices_mean_name(const struct choices *choices, const char *name);
/* The line that counts for a function; @module: NULL, if it is the kernel's own. */
struct choice *choice_for(const struct choices *choices, const char *name,
			  const char *module);

/* As lines say it. */
const char *result_name(struct function_result result);

#endif /* KT_KERNEL_SOURCE_FUNCTION_CHOICE_H */
