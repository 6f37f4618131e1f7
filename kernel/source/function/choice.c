// SPDX-License-Identifier: GPL-2.0-only
/* Lines that choose functions: choice.h. */
#include <linux/ctype.h>
#include <linux/hash.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "choice.h"
#include "hooks.h"
#include "pattern.h"
#include "program.h"
#include "session/access.h"
#include "session/session.h"

#define CHOICES_MAX  (1u << 17)
#define PATTERNS_MAX 1024u
#define LINE_MAX     (1u << 16)
#define NAMES_BITS   12

/* ---- finding -------------------------------------------------------------- */

static struct hlist_head *named(const struct choices *choices, const char *name)
{
	u32 hash = full_name_hash(NULL, name, strlen(name));

	return &choices->names[hash_32(hash, NAMES_BITS)];
}

static bool module_matches(const struct choice *choice, const char *module)
{
	return !choice->module ||
	       kt_glob_match(choice->module, module ?: "vmlinux");
}

/* The later one of both; either may be NULL. */
static struct choice *choice_later(struct choice *a, struct choice *b)
{
	return !a || (b && b->number > a->number) ? b : a;
}

struct choice *choice_for(const struct choices *choices, const char *name,
			  const char *module)
{
	struct choice *found = NULL, *choice;

	list_for_each_entry(choice, &choices->patterns, pattern) {
		if (!kt_glob_match(choice->name, name) ||
		    !module_matches(choice, module))
			continue;
		choice->matched = true;
		found = choice_later(found, choice);
	}
	if (!choices->names)
		return found;
	hlist_for_each_entry(choice, named(choices, name), named) {
		if (strcmp(choice->name, name) ||
		    !module_matches(choice, module))
			continue;
		choice->matched = true;
		found = choice_later(found, choice);
	}
	return found;
}

bool choices_mean_name(const struct choices *choices, const char *name)
{
	const struct choice *choice;

	if (choices->names) {
		hlist_for_each_entry(choice, named(choices, name), named) {
			if (!strcmp(choice->name, name))
				return true;
		}
	}
	list_for_each_entry(choice, &choices->patterns, pattern) {
		if (kt_glob_match(choice->name, name))
			return true;
	}
	return false;
}

u8 choices_asks(const struct choices *choices)
{
	const struct choice *choice;
	u8 asks = 0;

	list_for_each_entry(choice, &choices->all, node) {
		if (choice->what.on && choice->what.role != FUNCTION_ROOT)
			asks |= ASKS_SCOPE;
		/* It waits for its module.  Otherwise its functions say it. */
		if (choice->what.on && choice->what.role == FUNCTION_AROUND &&
		    !choice->matched)
			asks |= ASKS_AROUND;
		if (choice->what.condition)
			asks |= ASKS_CONDITION;
	}
	return asks;
}

/* ---- adding and taking away ----------------------------------------------- */

void choices_begin(struct choices *choices, const struct choices *before)
{
	*choices = (struct choices){.last = before ? before->last : 0};
	INIT_LIST_HEAD(&choices->all);
	INIT_LIST_HEAD(&choices->patterns);
}

static int names_make(struct choices *choices)
{
	if (!choices->names)
		choices->names = kvcalloc(1 << NAMES_BITS,
					  sizeof(*choices->names), GFP_KERNEL);
	return choices->names ? 0 : -ENOMEM;
}

/* If it names a function, there are names. */
static void choice_put(struct choices *choices, struct choice *choice)
{
	choices->last = choice->number;
	choices->nr++;
	list_add_tail(&choice->node, &choices->all);
	if (choice->is_pattern) {
		choices->nr_patterns++;
		list_add_tail(&choice->pattern, &choices->patterns);
	} else {
		hlist_add_head(&choice->named, named(choices, choice->name));
	}
}

static void choice_take(struct choices *choices, struct choice *choice)
{
	choices->nr--;
	list_del(&choice->node);
	if (choice->is_pattern) {
		choices->nr_patterns--;
		list_del(&choice->pattern);
	} else {
		hlist_del(&choice->named);
	}
}

void choices_drop(struct choices *choices)
{
	struct choice *choice, *next;

	list_for_each_entry_safe(choice, next, &choices->all, node)
		kfree(choice);
	kvfree(choices->names);
	choices_begin(choices, choices);
}

static bool choices_same(const struct choice *a, const struct choice *b)
{
	return !strcmp(a->name, b->name) &&
	       !strcmp(a->module ?: "", b->module ?: "");
}

static bool choices_have(const struct choices *choices,
			 const struct choice *like)
{
	const struct choice *choice;

	if (like->is_pattern) {
		list_for_each_entry(choice, &choices->patterns, pattern) {
			if (choices_same(choice, like))
				return true;
		}
	} else if (choices->names) {
		hlist_for_each_entry(choice, named(choices, like->name),
				     named) {
			if (choices_same(choice, like))
				return true;
		}
	}
	return false;
}

static int too_many(struct kt_session *session)
{
	return kt_refuse(session, -ENOSPC,
			 "more than %u lines: write none first", CHOICES_MAX);
}

/* Asked before anything changes. */
int choices_fit(struct choices *choices, struct kt_session *session,
		const struct choices *more)
{
	u32 nr = more->nr, nr_patterns = more->nr_patterns;
	const struct choice *choice;

	list_for_each_entry(choice, &choices->all, node) {
		bool stays = !choices_have(more, choice);

		cond_resched();
		if (fatal_signal_pending(current))
			return kt_refuse(session, -EINTR, "interrupted");
		nr += stays;
		nr_patterns += stays && choice->is_pattern;
	}
	if (more->names && names_make(choices))
		return kt_refuse(session, -ENOMEM, "no memory");
	if (nr > CHOICES_MAX)
		return too_many(session);
	if (nr_patterns > PATTERNS_MAX)
		return kt_refuse(session, -ENOSPC,
				 "more than %u lines with wildcards: write "
				 "none first",
				 PATTERNS_MAX);
	return 0;
}

void choices_add(struct choices *choices, struct choices *more)
{
	struct choice *choice, *next;

	list_for_each_entry_safe(choice, next, &choices->all, node) {
		cond_resched();
		if (!choices_have(more, choice))
			continue;
		choice_take(choices, choice);
		kfree(choice);
	}
	list_for_each_entry_safe(choice, next, &more->all, node) {
		choice_take(more, choice);
		choice_put(choices, choice);
	}
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

/* Where a condition cannot be. */
static bool is_plain(const struct choice *choice)
{
	return !choice->what.on || choice->what.role == FUNCTION_CUT;
}

/* Behind the colon. */
static int program_parse(struct hooks *hooks, struct choice *choice,
			 const char *text)
{
	struct kt_session *session = hooks->session;
	int err = 0;

	if (!function_is_recorded(&choice->what))
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
		program_get(&hooks->programs, session, choice->name, text,
			    choice->what.words, &err);
	return err;
}

/* Ends the text at the colon that is a word, outside of quotes: what follows.  NULL: none. */
static char *program_split(char *text)
{
	char quote = '\0', *at;

	for (at = text; *at; at++) {
		if (quote && *at == '\\' && at[1])
			at++;
		else if (quote)
			quote = *at == quote ? '\0' : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == ':' && at > text && isspace(at[-1]) &&
			 (!at[1] || isspace(at[1])))
			break;
	}
	if (!*at)
		return NULL;
	*at = '\0';
	return at + 1;
}

/* Behind "if": a condition, and perhaps a program. */
static int condition_parse(struct hooks *hooks, struct choice *choice,
			   char *text)
{
	struct kt_session *session = hooks->session;
	char *program;
	int err = 0;

	if (is_plain(choice))
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\": it is not recorded, so there is "
				 "nothing to decide",
				 choice->name);
	text = skip_spaces(text ?: "");
	program = program_split(text);
	text = strim(text);
	if (!*text)
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\": a condition is missing",
				 choice->name);
	choice->what.condition = condition_get(&hooks->conditions, session,
					       choice->name, text, &err);
	return err ?: program ? program_parse(hooks, choice, program) : 0;
}

/*
 * "[MODULE:]NAME [WORDS] [RESULT] [inside | around] [direct] [if CONDITION] [: PROGRAM]"
 * behind the sign.
 */
static int choice_parse(struct hooks *hooks, struct choice *choice, char *text)
{
	struct kt_session *session = hooks->session;
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
	choice->is_pattern = strpbrk(choice->name, "*?[\\");
	while ((word = strsep(&text, " \t"))) {
		if (!*word)
			continue;
		if (!strcmp(word, ":"))
			return program_parse(hooks, choice, text);
		if (!strcmp(word, "if"))
			return condition_parse(hooks, choice, text);
		if (result_parse(&choice->what.result, word))
			continue;
		if (!strcmp(word, "inside") &&
		    choice->what.role != FUNCTION_CUT)
			choice->what.role = FUNCTION_INSIDE;
		else if (!strcmp(word, "around") &&
			 choice->what.role != FUNCTION_CUT)
			choice->what.role = FUNCTION_AROUND;
		else if (!strcmp(word, "direct"))
			choice->what.direct =
				choice->what.role != FUNCTION_CUT &&
				kt_access_code();
		else if (kstrtou8(word, 10, &choice->what.words) ||
			 choice->what.words > FUNCTION_WORDS_MAX)
			return kt_refuse(session, -EINVAL,
					 "\"%.20s\" is not a number of "
					 "arguments up to %u, nor void, s32 or "
					 "the like, nor inside, around, direct "
					 "or if",
					 word, FUNCTION_WORDS_MAX);
		else if (!choice->what.on)
			break;
	}
	/* Somebody has looked at what the arguments of this one are, not of all. */
	if (choice->what.direct && choice->is_pattern)
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\" has wildcards, so it cannot be "
				 "direct",
				 choice->name);
	return 0;
}

static int choice_make(struct choices *choices, struct hooks *hooks,
		       const char *line)
{
	struct kt_session *session = hooks->session;
	struct choice *choice;
	const char *c;
	int err;

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
	if (strlen(line) > LINE_MAX)
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\": the line has more than %u "
				 "characters",
				 line, LINE_MAX);
	if (choices->nr == CHOICES_MAX)
		return too_many(session);
	choice = kzalloc(struct_size(choice, text, strlen(line) + 1),
			 GFP_KERNEL_ACCOUNT);
	if (!choice || names_make(choices)) {
		kfree(choice);
		return kt_refuse(session, -ENOMEM, "no memory");
	}
	strcpy(choice->text, line + 1);
	choice->what.on = *line != '-';
	choice->what.role = *line == '!' ? FUNCTION_CUT : FUNCTION_ROOT;
	choice->number = choices->last + 1;
	err = choice_parse(hooks, choice, strim(choice->text));
	if (err)
		kfree(choice);
	else
		choice_put(choices, choice);
	return err;
}

int choices_parse(struct choices *choices, struct hooks *hooks, char *text)
{
	struct kt_session *session = hooks->session;
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		cond_resched();
		if (fatal_signal_pending(current))
			return kt_refuse(session, -EINTR, "interrupted");
		line = strim(line);
		if (*line)
			err = choice_make(choices, hooks, line);
	}
	if (!err && !choices->nr)
		return kt_refuse(session, -EINVAL,
				 "+FUNCTION, -FUNCTION, !FUNCTION or none is "
				 "wanted");
	return err;
}

/* ---- showing -------------------------------------------------------------- */

static void choice_show(struct seq_file *m, const struct choice *choice)
{
	bool plain = is_plain(choice);

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
		if (choice->what.role == FUNCTION_AROUND)
			seq_puts(m, " around");
		if (choice->what.direct)
			seq_puts(m, " direct");
		if (choice->what.condition)
			seq_printf(m, " if %s", choice->what.condition->text);
		if (choice->what.program)
			seq_printf(m, " : %s",
				   program_text(choice->what.program));
	}
	seq_putc(m, '\n');
}

void choices_show(struct seq_file *m, const struct choices *choices)
{
	const struct choice *choice;

	list_for_each_entry(choice, &choices->all, node)
		choice_show(m, choice);
}
