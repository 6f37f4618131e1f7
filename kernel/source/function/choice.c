// SPDX-License-Identifier: GPL-2.0-only
/* Lines that choose functions: choice.h. */
#include <linux/kstrtox.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "choice.h"
#include "hooks.h"
#include "pattern.h"
#include "session/access.h"
#include "session/session.h"

#define CHOICES_MAX 1024

/* ---- matching ------------------------------------------------------------- */

struct choice *choice_for(const struct list_head *choices, const char *name,
			  const char *module)
{
	struct choice *found = NULL, *choice;

	list_for_each_entry(choice, choices, node) {
		if (!kt_glob_match(choice->name, name) ||
		    (choice->module &&
		     !kt_glob_match(choice->module, module ?: "vmlinux")))
			continue;
		choice->matched = true;
		found = choice;
	}
	return found;
}

bool choices_mean_name(const struct list_head *choices, const char *name)
{
	const struct choice *choice;

	list_for_each_entry(choice, choices, node) {
		if (kt_glob_match(choice->name, name))
			return true;
	}
	return false;
}

bool choices_have_scope(const struct list_head *choices)
{
	const struct choice *choice;

	list_for_each_entry(choice, choices, node) {
		if (choice->what.on && choice->what.role != FUNCTION_ROOT)
			return true;
	}
	return false;
}

/* ---- parsing -------------------------------------------------------------- */

static const struct {
	const char *name;
	struct function_result result;
} results[] = {
	{"void", {}},	     {"u8", {8}},	  {"u16", {16}},
	{"u32", {32}},	     {"u64", {64}},	  {"s8", {8, true}},
	{"s16", {16, true}}, {"s32", {32, true}}, {"s64", {64, true}},
};

const char *result_name(struct function_result result)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(results) - 1; i++) {
		if (results[i].result.bits == result.bits &&
		    results[i].result.is_signed == result.is_signed)
			break;
	}
	return results[i].name;
}

static bool result_parse(struct function_result *result, const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(results); i++) {
		if (!strcmp(word, results[i].name)) {
			*result = results[i].result;
			return true;
		}
	}
	return false;
}

/* Behind the colon. */
static int program_parse(struct kt_session *session, struct choice *choice,
			 const char *text)
{
	int err = 0;

	if (!choice->what.on || choice->what.role == FUNCTION_CUT)
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\": it is not recorded, so there is "
				 "nothing to capture",
				 choice->name);
	text = skip_spaces(text ?: "");
	if (!*text)
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\": a capture program is missing",
				 choice->name);
	choice->what.program =
		program_get(&hooks_of(session)->programs, session, choice->name,
			    text, choice->what.words, &err);
	return err;
}

/* "[MODULE:]NAME [WORDS] [RESULT] [inside] [direct] [: PROGRAM]" behind the sign. */
static int choice_parse(struct kt_session *session, struct choice *choice,
			char *text)
{
	char *word, *name = strsep(&text, " \t");

	choice->what.words = FUNCTION_WORDS;
	choice->what.result.bits = 64;
	choice->name = name;
	if (strchr(name, ':')) {
		choice->module = strsep((char **)&choice->name, ":");
		if (!*choice->module)
			return kt_refuse(session, -EINVAL,
					 "\":%.60s\": the module is missing",
					 choice->name);
	}
	if (!*choice->name)
		return kt_refuse(session, -EINVAL, "a function is missing");
	while ((word = strsep(&text, " \t"))) {
		if (!*word)
			continue;
		if (!strcmp(word, ":"))
			return program_parse(session, choice, text);
		if (result_parse(&choice->what.result, word))
			continue;
		if (!strcmp(word, "inside") &&
		    choice->what.role != FUNCTION_CUT)
			choice->what.role = FUNCTION_INSIDE;
		else if (!strcmp(word, "direct"))
			choice->what.direct = kt_access_code();
		else if (kstrtou8(word, 10, &choice->what.words) ||
			 choice->what.words > FUNCTION_WORDS_MAX)
			return kt_refuse(session, -EINVAL,
					 "\"%.20s\" is not a number of "
					 "arguments up to %u, nor void, s32 or "
					 "the like, nor inside or direct",
					 word, FUNCTION_WORDS_MAX);
		else if (!choice->what.on)
			break;
	}
	/* Somebody has looked at what the arguments of this one are, not of all. */
	if (choice->what.direct && strpbrk(choice->name, "*?["))
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\" has wildcards, so it cannot be "
				 "direct",
				 choice->name);
	return 0;
}

static int choice_make(struct kt_session *session, struct list_head *choices,
		       const char *line)
{
	struct choice *choice;
	const char *c;

	if (!strchr("+-!", *line))
		return kt_refuse(session, -EINVAL,
				 "\"%*pE\": +FUNCTION, -FUNCTION, !FUNCTION or "
				 "none is wanted",
				 (int)min_t(size_t, strlen(line), 60), line);
	for (c = line; *c; c++) {
		if (*c != '\t' && (*c < ' ' || *c > '~'))
			return kt_refuse(session, -EINVAL,
					 "\"%*pE\" is no pattern of functions",
					 (int)min_t(size_t, strlen(line), 60),
					 line);
	}
	choice = kzalloc(struct_size(choice, text, strlen(line) + 1),
			 GFP_KERNEL);
	if (!choice)
		return kt_refuse(session, -ENOMEM, "no memory");
	list_add_tail(&choice->node, choices);
	strcpy(choice->text, line + 1);
	choice->what.on = *line != '-';
	choice->what.role = *line == '!' ? FUNCTION_CUT : FUNCTION_ROOT;
	return choice_parse(session, choice, strim(choice->text));
}

int choices_parse(struct list_head *choices, struct kt_session *session,
		  char *text)
{
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		line = strim(line);
		if (*line)
			err = choice_make(session, choices, line);
	}
	if (!err && list_empty(choices))
		return kt_refuse(session, -EINVAL,
				 "+FUNCTION, -FUNCTION, !FUNCTION or none is "
				 "wanted");
	return err;
}

/* ---- a session's lines ---------------------------------------------------- */

void choices_drop(struct list_head *choices)
{
	struct choice *choice, *next;

	list_for_each_entry_safe(choice, next, choices, node)
		kfree(choice);
	INIT_LIST_HEAD(choices);
}

static bool choices_same(const struct choice *a, const struct choice *b)
{
	return !strcmp(a->name, b->name) &&
	       !strcmp(a->module ?: "", b->module ?: "");
}

static bool choices_have(const struct list_head *choices,
			 const struct choice *like)
{
	const struct choice *choice;

	list_for_each_entry(choice, choices, node) {
		if (choices_same(choice, like))
			return true;
	}
	return false;
}

/* Asked before anything changes: each line is compared with each symbol. */
int choices_fit(struct hooks *hooks, const struct list_head *choices)
{
	const struct choice *choice;
	size_t nr = 0;

	list_for_each_entry(choice, choices, node)
		nr++;
	if (nr <= CHOICES_MAX) {
		list_for_each_entry(choice, &hooks->choices, node)
			nr += !choices_have(choices, choice);
	}
	if (nr <= CHOICES_MAX)
		return 0;
	return kt_refuse(hooks->session, -ENOSPC,
			 "more than %u lines: write none first", CHOICES_MAX);
}

void choices_add(struct hooks *hooks, struct list_head *choices)
{
	struct choice *old, *next;

	list_for_each_entry_safe(old, next, &hooks->choices, node) {
		if (!choices_have(choices, old))
			continue;
		list_del(&old->node);
		kfree(old);
	}
	list_splice_tail_init(choices, &hooks->choices);
}

static void choice_show(struct seq_file *m, const struct choice *choice)
{
	bool plain = !choice->what.on || choice->what.role == FUNCTION_CUT;

	seq_printf(m, "%c%s%s%s",
		   !choice->what.on ? '-'
		   : plain	    ? '!'
				    : '+',
		   choice->module ?: "", choice->module ? ":" : "",
		   choice->name);
	if (!plain) {
		seq_printf(m, " %u", choice->what.words);
		if (choice->what.result.bits != 64 ||
		    choice->what.result.is_signed)
			seq_printf(m, " %s", result_name(choice->what.result));
		if (choice->what.role == FUNCTION_INSIDE)
			seq_puts(m, " inside");
		if (choice->what.direct)
			seq_puts(m, " direct");
		if (choice->what.program)
			seq_printf(m, " : %s",
				   program_text(choice->what.program));
	}
	seq_putc(m, '\n');
}

void choices_show(struct seq_file *m, const struct list_head *choices)
{
	const struct choice *choice;

	list_for_each_entry(choice, choices, node)
		choice_show(m, choice);
}
