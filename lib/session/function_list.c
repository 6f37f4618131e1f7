// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which functions there are: those that can be recorded, and why others cannot. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/text.h"
#include "function_pattern.h"
#include "session.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

struct range {
	uint64_t begin, end;
};

/* A walk over the functions. */
struct walk {
	const char *const *patterns;
	size_t nr_patterns;
	bool *used; /* patterns */
	int (*use)(const struct ktrace_function *function, void *data);
	void *data;
	struct prototypes *prototypes; /* NULL: none */
	/* Lines "NAME MODULE" of those that can be recorded, sorted. */
	char **available;
	size_t nr_available;
	/* Where nothing can be recorded: what runs at boot, noinstr, no kprobes. */
	struct range init, quiet, entry;
	struct range *forbidden;
	size_t nr_forbidden;
};

static bool walk_wants(struct walk *w, const char *module, const char *name)
{
	return functions_match(w->patterns, w->nr_patterns, module, name,
			       w->used) > 0;
}

/* ---- those that can be recorded ------------------------------------------- */

static int walk_use(struct walk *w, const char *name, const char *module)
{
	struct ktrace_function function = {.name = name, .module = module};
	struct arena arena = {0};
	int err;

	if (w->prototypes &&
	    prototypes_text(w->prototypes, name, module, &arena,
			    &function.prototype, &function.in_registers))
		function.prototype = NULL;
	err = w->use(&function, w->data);
	arena_destroy(&arena);
	return err;
}

static int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t lines_count(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* Cuts the text up. */
static int available_read(struct walk *w, char *text)
{
	char *line;

	w->available = calloc(lines_count(text) + 1, sizeof(*w->available));
	if (!w->available)
		return error_set(-ENOMEM, "out of memory");
	while ((line = strsep(&text, "\n")))
		if (strchr(line, ' '))
			w->available[w->nr_available++] = line;
	qsort(w->available, w->nr_available, sizeof(*w->available),
	      line_compare);
	return 0;
}

static int available_use(struct walk *w)
{
	char name[512], module[64];
	int err = 0;

	for (size_t i = 0; !err && i < w->nr_available; i++) {
		/* Static functions may have one name. */
		if (i && !strcmp(w->available[i - 1], w->available[i]))
			continue;
		if (sscanf(w->available[i], "%511s %63s", name, module) == 2 &&
		    walk_wants(w, module, name))
			err = walk_use(w, name, module);
	}
	return err;
}

/* ---- those that cannot ---------------------------------------------------- */

static int forbidden_read(struct walk *w)
{
	FILE *file = fopen(BLACKLIST, "re");
	struct range range, *more;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	/* Without it, less is known. */
	while (!err && file && getline(&line, &room, file) > 0) {
		if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64, &range.begin,
			   &range.end) != 2)
			continue;
		more = reallocarray(w->forbidden, w->nr_forbidden + 1,
				    sizeof(*more));
		if (!more) {
			err = error_set(-ENOMEM, "out of memory");
			break;
		}
		w->forbidden = more;
		w->forbidden[w->nr_forbidden++] = range;
	}
	free(line);
	if (file)
		fclose(file);
	return err;
}

static bool range_has(struct range range, uint64_t address)
{
	return address >= range.begin && address < range.end;
}

static const char *missing_why(const struct walk *w, uint64_t address,
			       const char *name)
{
	size_t len = strlen(name);

	if (range_has(w->init, address))
		return "ran when the kernel booted, and is gone";
	if (range_has(w->quiet, address) || range_has(w->entry, address))
		return "runs where the kernel may not be traced (noinstr)";
	if (len > 5 && !strcmp(name + len - 5, ".cold"))
		return "a part of another function, which is never called";
	for (size_t i = 0; i < w->nr_forbidden; i++)
		if (range_has(w->forbidden[i], address))
			return "the kernel forbids probes there";
	return "the kernel was built without a place for hooks there (notrace, "
	       "or assembler)";
}

/* A line of session_symbols(). */
struct symbol {
	uint64_t address;
	char name[512];
	char module[64];
};

static void name_copy(char *name, size_t room, const char *from, size_t len)
{
	if (len >= room)
		len = room - 1;
	memcpy(name, from, len);
	name[len] = '\0';
}

static void symbol_parse(struct symbol *symbol, const char *line)
{
	const char *name, *module;

	symbol->address = hex_read(line, &name);
	name += *name == ' ';
	module = name + strcspn(name, " \n");
	name_copy(symbol->name, sizeof(symbol->name), name, module - name);
	if (*module == ' ')
		module++;
	else
		module = "vmlinux";
	name_copy(symbol->module, sizeof(symbol->module), module,
		  strcspn(module, "\n"));
}

static void edge_note(struct walk *w, const struct symbol *symbol)
{
	const struct {
		const char *name;
		uint64_t *edge;
	} edges[] = {
		{"_sinittext", &w->init.begin},
		{"_einittext", &w->init.end},
		{"__noinstr_text_start", &w->quiet.begin},
		{"__noinstr_text_end", &w->quiet.end},
		{"__entry_text_start", &w->entry.begin},
		{"__entry_text_end", &w->entry.end},
	};

	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++)
		if (!strcmp(symbol->name, edges[i].name))
			*edges[i].edge = symbol->address;
}

static bool is_available(const struct walk *w, const struct symbol *symbol)
{
	char line[sizeof(symbol->name) + sizeof(symbol->module) + 1];
	char *key = line;

	snprintf(line, sizeof(line), "%s %s", symbol->name, symbol->module);
	return bsearch(&key, w->available, w->nr_available,
		       sizeof(*w->available), line_compare);
}

/* The room in front of a function has a symbol of its own. */
static bool is_function(const struct symbol *symbol)
{
	return strncmp(symbol->name, "__pfx_", 6) != 0;
}

static int symbol_use(struct walk *w, const struct symbol *symbol)
{
	const struct ktrace_function function = {
		.name = symbol->name,
		.module = symbol->module,
		.missing = missing_why(w, symbol->address, symbol->name),
	};

	if (!is_function(symbol) || is_available(w, symbol) ||
	    !walk_wants(w, symbol->module, symbol->name))
		return 0;
	return w->use(&function, w->data);
}

static int symbols_walk(struct walk *w, const char *symbols,
			int (*use)(struct walk *w, const struct symbol *symbol))
{
	struct symbol symbol;
	int err = 0;

	while (!err && *symbols) {
		symbol_parse(&symbol, symbols);
		err = use(w, &symbol);
		symbols = strchrnul(symbols, '\n');
		symbols += *symbols == '\n';
	}
	return err;
}

static int symbol_note(struct walk *w, const struct symbol *symbol)
{
	edge_note(w, symbol);
	return 0;
}

/* Twice: where sections begin is known only at their ends. */
static int missing_use(struct walk *w, const char *symbols)
{
	int err = forbidden_read(w);

	err = err ?: symbols_walk(w, symbols, symbol_note);
	return err ?: symbols_walk(w, symbols, symbol_use);
}

static int symbol_match(struct walk *w, const struct symbol *symbol)
{
	return is_function(symbol) &&
	       walk_wants(w, symbol->module, symbol->name);
}

bool function_exists(struct ktrace_session *s, const char *pattern)
{
	bool used = false;
	struct walk w = {.patterns = &pattern, .nr_patterns = 1, .used = &used};
	struct text symbols = {0};
	bool exists = !session_symbols(s, &symbols) && symbols.s &&
		      symbols_walk(&w, symbols.s, symbol_match) > 0;

	text_free(&symbols);
	return exists;
}

/* ---- all ------------------------------------------------------------------ */

static int walk_check(const struct walk *w)
{
	for (size_t i = 0; i < w->nr_patterns; i++)
		if (!w->used[i])
			return error_set(-ENOENT,
					 "there is no function `%s': it does "
					 "not exist, its module is not "
					 "loaded, or it is inlined wherever "
					 "it is called",
					 function_pattern_bare(w->patterns[i]));
	return 0;
}

int ktrace_session_functions_each(
	struct ktrace_session *s, const char *const *patterns,
	size_t nr_patterns,
	int (*use)(const struct ktrace_function *function, void *data),
	void *data)
{
	struct walk w = {.patterns = patterns, .nr_patterns = nr_patterns};
	struct text symbols = {0};
	char *text = NULL;
	int err;

	w.use = use;
	w.data = data;
	w.used = calloc(nr_patterns + 1, sizeof(*w.used));
	err = w.used ? functions_some_wanted(patterns, nr_patterns)
		     : error_set(-ENOMEM, "out of memory");
	err = err ?: session_module_load(s, FUNCTIONS_MODULE);
	err = err ?: session_root_read(s, "available_functions", &text);
	if (!err && prototypes_create(&w.prototypes))
		session_note(s, "%s", ktrace_last_error());
	err = err ?: available_read(&w, text);
	err = err ?: available_use(&w);
	/* Their names may be hidden from us; those that can be recorded are known anyway. */
	if (!err && session_symbols(s, &symbols))
		session_note(s, "%s", ktrace_last_error());
	err = err ?: missing_use(&w, symbols.s ?: "");
	err = err ?: walk_check(&w);
	prototypes_destroy(w.prototypes);
	free(w.forbidden);
	free(w.available);
	free(w.used);
	free(text);
	text_free(&symbols);
	return err;
}
