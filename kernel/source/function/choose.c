// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions a session hooks.  A line of its file `functions' is one of
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
 * (direct.c); it counts only if it comes from who may load modules.  PROGRAM is a capture program (core/capture.h), which is run at the entry; the
 * colon is a word of its own.
 *
 * If a line is refused, none counts.  The last line that matches a function counts.  Lines
 * are kept, for modules that are loaded later.
 *
 * What can be hooked is what the kernel has a symbol and ftrace a place for.  Functions
 * that run only while a module is initialised are left out: their memory is given back,
 * and ftrace forgets them without saying so.  So are those whose returns cannot be hooked
 * (returns.h).
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "base/symbol.h"
#include "choose.h"
#include "direct.h"
#include "hooks.h"
#include "pattern.h"
#include "returns.h"
#include "session/access.h"
#include "session/node.h"
#include "session/session.h"

#define CHOICES_MAX 1024

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

/* A walk over the symbols that adds what is chosen to a session. */
struct scan {
	struct hooks *hooks;
	const struct list_head *choices;
	const struct module *only; /* NULL: all */
	int err;
};

static unsigned long text_begin,
	text_end; /* of vmlinux, but for what is gone since boot */
DEFINE_STATIC_CALL_NULL(find_module, find_module);

const char *choose_init(void)
{
	unsigned long find = kt_symbol("find_module");

	text_begin = kt_symbol("_stext");
	text_end = kt_symbol("_etext");
	if (!find || !text_begin || !text_end)
		return "the kernel has no find_module, _stext or _etext";
	static_call_update(find_module, (void *)find);
	return NULL;
}

/* ---- matching ------------------------------------------------------------- */

/*
 * Of the symbol at @address: NULL, if it is the kernel's own.  There is no other interface
 * to ask than the text of an address, "NAME [MODULE]".
 */
static const char *module_of(unsigned long address, char text[KSYM_SYMBOL_LEN])
{
	char *module;

	if (address >= text_begin && address < text_end)
		return NULL;
	sprint_symbol_no_offset(text, address);
	module = strrchr(text, '[');
	if (!module)
		return "";
	module[strcspn(module, "]")] = '\0';
	return module + 1;
}

static struct choice *choice_for(const struct list_head *choices,
				 const char *name, const char *module)
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

/* Before its module is looked for, which takes longer. */
static bool name_matches(const struct list_head *choices, const char *name)
{
	const struct choice *choice;

	list_for_each_entry(choice, choices, node) {
		if (kt_glob_match(choice->name, name))
			return true;
	}
	return false;
}

/* ftrace's place is the first instruction, or the second behind a landing pad (IBT). */
#define PAD_SIZE 4

/* Is there anything to hook?  0: no; variables have symbols, too. */
static unsigned long symbol_location(unsigned long address,
				     const struct module *only)
{
	unsigned long ip;

	if (only && !within_module_core(address, only))
		return 0;
	if (returns_forbid(address))
		return 0;
	ip = function_location(address);
	return ip - address <= PAD_SIZE ? ip : 0;
}

/* In the table; but its records may not be what is asked for.  The function, or its heir. */
static struct function *function_choose(struct functions *functions,
					struct function *function,
					const struct function_choice *choice)
{
	struct function *heir;

	while (function->heir)
		function = function->heir;
	if (!choice->on || choice->role == FUNCTION_CUT ||
	    (choice->words == function->choice.words &&
	     choice->program == function->choice.program)) {
		function->next = *choice;
		function->next.words = function->choice.words;
		function->next.program = function->choice.program;
		return function;
	}
	heir = function_add(functions, function->ip, function->address,
			    function->name, function->module, choice);
	if (IS_ERR(heir))
		return heir;
	function->heir = heir;
	function->next.on = false;
	return heir;
}

/*
 * Somebody has looked at what the arguments of a function are.  This is another one if the
 * name occurs twice, and may be if its module came later.
 */
static void function_doubt(const struct scan *scan, struct choice *choice,
			   struct function *function)
{
	if (!choice->first)
		choice->first = function;
	if (!scan->only && choice->first == function)
		return;
	choice->first->next.direct = false;
	function->next.direct = false;
}

static void scan_visit(void *data, const char *name, unsigned long address)
{
	struct scan *scan = data;
	struct functions *functions = &scan->hooks->functions;
	char text[KSYM_SYMBOL_LEN];
	struct function *function;
	struct choice *choice;
	const char *module;
	unsigned long ip;

	if (scan->err)
		return;
	cond_resched();
	if (fatal_signal_pending(current))
		scan->err = -EINTR;
	if (scan->err || !name_matches(scan->choices, name))
		return;
	ip = symbol_location(address, scan->only);
	if (!ip)
		return;
	module = module_of(address, text);
	choice = choice_for(scan->choices, name, module);
	if (!choice)
		return;
	function = function_find(functions, ip, false);
	if (function)
		function = function_choose(functions, function, &choice->what);
	else if (choice->what.on)
		function = function_add(functions, ip, address, name, module,
					&choice->what);
	else
		return;
	if (IS_ERR(function))
		scan->err = PTR_ERR(function);
	else
		function_doubt(scan, choice, function);
}

/* All functions that are meant: in the table, with what becomes of them. */
static int scan_run(struct hooks *hooks, const struct list_head *choices,
		    const struct module *only)
{
	struct scan scan = {hooks, choices, only};
	struct choice *choice;
	int err;

	if (list_empty(choices))
		return 0;
	list_for_each_entry(choice, choices, node)
		choice->first = NULL;
	err = kt_symbols_each(scan_visit, &scan, only);
	if (err)
		return kt_refuse(hooks->session, err,
				 "the kernel does not tell its symbols");
	if (scan.err)
		return kt_refuse(hooks->session, scan.err,
				 scan.err == -EINTR ? "interrupted"
						    : "no memory");
	return 0;
}

/* ---- changes -------------------------------------------------------------- */

static void choices_drop(struct list_head *choices)
{
	struct choice *choice, *next;

	list_for_each_entry_safe(choice, next, choices, node)
		kfree(choice);
	INIT_LIST_HEAD(choices);
}

void choices_free(struct hooks *hooks)
{
	choices_drop(&hooks->choices);
}

/* Does it depend on what is running whether a call is recorded? */
static bool choices_have_scope(const struct list_head *choices)
{
	const struct choice *choice;

	list_for_each_entry(choice, choices, node) {
		if (choice->what.on && choice->what.role != FUNCTION_ROOT)
			return true;
	}
	return false;
}

/* Before functions of @choices are hooked. */
static int scope_begin(struct hooks *hooks, const struct list_head *choices)
{
	int err;

	if (!choices_have_scope(choices))
		return 0;
	err = scope_make(&hooks->scope);
	if (!err) {
		WRITE_ONCE(hooks->scope.on, true);
		hooks_scope_changed(hooks);
		return 0;
	}
	return kt_refuse(hooks->session, err,
			 err == -ENOMEM ? "no memory"
					: "the kernel does not say when tasks "
					  "end");
}

/* When it has become clear which choices there are. */
static void scope_end(struct hooks *hooks)
{
	WRITE_ONCE(hooks->scope.on, choices_have_scope(&hooks->choices));
	hooks_scope_changed(hooks);
}

/* How many there were before a change. */
struct before {
	u32 functions;
	u32 programs;
};

static struct before before_of(const struct hooks *hooks)
{
	return (struct before){hooks->functions.nr, hooks->programs.nr};
}

/*
 * The change takes place, or nothing of it.  If new functions were hooked for a moment, calls
 * of them may be open, and in the buffers.
 */
static int change_make(struct hooks *hooks, struct before before, int err)
{
	struct functions *functions = &hooks->functions;
	u32 i;

	if (err) {
		functions_cut(functions, before.functions);
		programs_cut(&hooks->programs, before.programs);
	} else {
		err = hooks_update(hooks);
		if (!err)
			return 0;
		for (i = before.functions; i < functions->nr; i++)
			function_end(functions->all[i]);
	}
	for (i = 0; i < functions->nr; i++) {
		functions->all[i]->next = functions->all[i]->choice;
		functions->all[i]->heir = NULL;
	}
	return err;
}

void choices_module(struct hooks *hooks, const struct module *module)
{
	const struct before before = before_of(hooks);
	int err = scan_run(hooks, &hooks->choices, module);

	/* Most modules have none that is meant. */
	if (!err && hooks->functions.nr == before.functions)
		return;
	if (change_make(hooks, before, err))
		pr_warn("ktrace: functions of %s are not hooked: %s\n",
			module->name, hooks->session->reason);
}

static bool module_there(const char *name)
{
	bool found;

	preempt_disable();
	found = static_call(find_module)(name);
	preempt_enable();
	return found;
}

/* Nothing is meant by it now.  May it wait for its module? */
static int choice_check(struct kt_session *session, const struct choice *choice)
{
	const char *module = choice->module;

	if (choice->matched)
		return 0;
	if (choice->what.on && module && strcmp(module, "vmlinux") &&
	    !module_there(module))
		return 0;
	return kt_refuse(session, -ENOENT,
			 "no function \"%s%s%.60s\" can be hooked: see "
			 "available_functions",
			 module ?: "", module ? ":" : "", choice->name);
}

static const struct {
	const char *name;
	struct function_result result;
} results[] = {
	{"void", {}},	     {"u8", {8}},	  {"u16", {16}},
	{"u32", {32}},	     {"u64", {64}},	  {"s8", {8, true}},
	{"s16", {16, true}}, {"s32", {32, true}}, {"s64", {64, true}},
};

static const char *result_name(struct function_result result)
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

static int lines_parse(struct kt_session *session, struct list_head *choices,
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
static int choices_fit(struct hooks *hooks, const struct list_head *choices)
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

/* The new lines, behind the old ones that still say something. */
static void choices_add(struct hooks *hooks, struct list_head *choices)
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

/* ---- the files ------------------------------------------------------------ */

static int functions_clear(struct hooks *hooks)
{
	int err;
	u32 i;

	for (i = 0; i < hooks->functions.nr; i++)
		hooks->functions.all[i]->next.on = false;
	err = change_make(hooks, before_of(hooks), 0);
	if (!err)
		choices_drop(&hooks->choices);
	scope_end(hooks);
	return err;
}

static int functions_write(const struct kt_node *node, char *text)
{
	struct hooks *hooks = hooks_make(node->session);
	struct before before;
	struct choice *choice;
	LIST_HEAD(choices);
	int err;

	if (!hooks)
		return kt_refuse(node->session, -ENOMEM, "no memory");
	text = strim(text);
	if (!strcmp(text, "none"))
		return functions_clear(hooks);
	before = before_of(hooks);
	err = kt_access_kernel(node->session);
	err = err ?: lines_parse(node->session, &choices, text);
	err = err ?: choices_fit(hooks, &choices);
	err = err ?: scan_run(hooks, &choices, NULL);
	list_for_each_entry(choice, &choices, node)
		err = err ?: choice_check(node->session, choice);
	err = err ?: scope_begin(hooks, &choices);
	err = change_make(hooks, before, err);
	if (!err)
		choices_add(hooks, &choices);
	scope_end(hooks);
	choices_drop(&choices);
	return err;
}

/* As it may be written again. */
static int functions_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);
	const struct choice *choice;

	if (!hooks)
		return 0;
	list_for_each_entry(choice, &hooks->choices, node) {
		bool plain =
			!choice->what.on || choice->what.role == FUNCTION_CUT;

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
				seq_printf(m, " %s",
					   result_name(choice->what.result));
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
	return 0;
}

static const char *const roles[] = {
	[FUNCTION_ROOT] = "root",
	[FUNCTION_INSIDE] = "inside",
	[FUNCTION_CUT] = "cut",
};

/* What ftrace has made of it by now: it depends on who else hooks the function. */
static const char *function_way(const struct function *function)
{
	if (!function->choice.on || function->way == UNHOOKED || !function->ip)
		return "-";
	return direct_at(function->ip) ? "direct" : "ftrace";
}

/*
 * INDEX STATE ADDRESS MODULE NAME WORDS RESULT ROLE PROGRAM WAY; who reads addresses can undo
 * KASLR.
 */
static int table_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);
	bool addresses = file_ns_capable(m->file, &init_user_ns, CAP_SYSLOG);
	u32 i;

	for (i = 0; hooks && i < hooks->functions.nr; i++) {
		const struct function *function = hooks->functions.all[i];

		seq_printf(m, "%u %s 0x%lx %s %s %u %s %s ", function->index,
			   !function->ip	 ? "gone"
			   : function->choice.on ? "on"
						 : "off",
			   addresses ? function->address : 0,
			   function->module ?: "vmlinux", function->name,
			   function->choice.words,
			   result_name(function->choice.result),
			   roles[function->choice.role]);
		if (function->choice.program)
			seq_printf(m, "%u", function->choice.program->number);
		else
			seq_puts(m, "-");
		seq_printf(m, " %s\n", function_way(function));
	}
	return 0;
}

/* NUMBER PROGRAM */
static int programs_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);
	u32 i;

	for (i = 0; hooks && i < hooks->programs.nr; i++)
		seq_printf(m, "%u %s\n", i,
			   program_text(hooks->programs.all[i]));
	return 0;
}

static void available_visit(void *m, const char *name, unsigned long address)
{
	char text[KSYM_SYMBOL_LEN];

	if (symbol_location(address, NULL))
		seq_printf(m, "%s %s\n", name,
			   module_of(address, text) ?: "vmlinux");
}

static int available_show(struct seq_file *m, const struct kt_node *node)
{
	return kt_symbols_each(available_visit, m, false);
}

static const struct kt_kind functions_file = {
	.name = "functions",
	.mode = S_IFREG | 0660,
	.show = functions_show,
	.show_size = 16 * PAGE_SIZE,
	.write = functions_write,
	.write_max = 128 << 10,
};

/* A line: "depth N" or "interrupts yes|no". */
static int scope_parse(struct kt_session *session, struct scope *scope,
		       char *line)
{
	char *name = strsep(&line, " \t"), *value = line ? strim(line) : "";

	if (!strcmp(name, "depth")) {
		if (!kstrtou32(value, 10, &scope->depth))
			return 0;
		return kt_refuse(session, -EINVAL,
				 "depth \"%.20s\": a number is wanted (0: any "
				 "depth)",
				 value);
	}
	if (!strcmp(name, "interrupts")) {
		if (!kstrtobool(value, &scope->no_interrupts)) {
			scope->no_interrupts = !scope->no_interrupts;
			return 0;
		}
		return kt_refuse(session, -EINVAL,
				 "interrupts \"%.20s\": yes or no is wanted",
				 value);
	}
	return kt_refuse(session, -EINVAL,
			 "\"%.20s\": depth or interrupts is wanted", name);
}

static int scope_write(const struct kt_node *node, char *text)
{
	struct hooks *hooks = hooks_make(node->session);
	struct scope scope;
	char *line;
	int err = 0;

	if (!hooks)
		return kt_refuse(node->session, -ENOMEM, "no memory");
	scope = hooks->scope;
	text = strim(text);
	while (!err && (line = strsep(&text, "\n")))
		err = scope_parse(node->session, &scope, strim(line));
	if (err)
		return err;
	WRITE_ONCE(hooks->scope.depth, scope.depth);
	WRITE_ONCE(hooks->scope.no_interrupts, scope.no_interrupts);
	return 0;
}

static int scope_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);

	seq_printf(m, "depth %u\ninterrupts %s\n",
		   hooks ? hooks->scope.depth : 0,
		   hooks && hooks->scope.no_interrupts ? "no" : "yes");
	return 0;
}

static const struct kt_kind scope_file = {
	.name = "function_scope",
	.mode = S_IFREG | 0660,
	.show = scope_show,
	.write = scope_write,
};

static const struct kt_kind table_file = {
	.name = "function_table",
	.mode = S_IFREG | 0440,
	.show = table_show,
	.show_size = 4 << 20,
};

static const struct kt_kind programs_file = {
	.name = "function_programs",
	.mode = S_IFREG | 0440,
	.show = programs_show,
	.show_size = 16 * PAGE_SIZE,
};

static const struct kt_kind available_file = {
	.name = "available_functions",
	.mode = S_IFREG | 0440,
	.show = available_show,
	.show_size = 4 << 20,
};

const struct kt_kind *const function_root_files[] = {&available_file, NULL};
const struct kt_kind *const function_session_files[] = {
	&functions_file, &scope_file, &table_file, &programs_file, NULL};
