// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the text of a probe means, with the code and the names that are there: <ktrace/probes.h>. */
#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/library.h>
#include <ktrace/probes.h>

#include "base/error.h"
#include "base/grow.h"
#include "code_view.h"
#include "debug_code.h"
#include "debug_line.h"
#include "explain_names.h"
#include "instruction.h"
#include "kernel_code.h"
#include "kernel_debug.h"
#include "kernel_pattern.h"
#include "place.h"
#include "probed_file.h"
#include "program_code.h"
#include "session/modules.h"
#include "variable.h"

struct explaining {
	struct ktrace_session *session;
	const struct ktrace_probe_explain_options *options;
	int (*use)(const struct ktrace_probe_explanation *explanation,
		   void *data);
	void *data;
	bool used; /* a place has been passed */
	const char *expressions;
	struct prototypes *prototypes;
	struct probed_file *files;
	const struct probed_file *file; /* NULL: the kernel */
	char path[PATH_MAX];
	struct text symbols;
	struct kernel_code kernel;
	struct kernel_debugs debugs;
};

/* ---- where code is --------------------------------------------------------------- */

struct program {
	const struct program_functions *functions;
	bool is_32;
};

static size_t program_read(void *data, uint64_t address, void *to, size_t size)
{
	const struct program *program = data;
	uint64_t offset;
	ssize_t nr;

	if (!code_offset(program->functions, address, true, &offset))
		return 0;
	nr = pread(program->functions->fd, to, size, offset);
	return nr > 0 ? nr : 0;
}

static void program_name(void *data, uint64_t address, struct text *text)
{
	const struct program *program = data;
	uint64_t offset, behind = 0;
	const char *name = NULL;

	if (code_offset(program->functions, address, true, &offset))
		name = program_function_find(program->functions, offset, 0,
					     &behind);
	if (!name)
		return;
	text_puts(text, name);
	if (behind)
		text_printf(text, "+0x%lx", (unsigned long)behind);
}

static const char *program_refuse(void *data, uint64_t address,
				  const uint8_t *code, size_t size)
{
	const struct program *program = data;

	(void)address;
	return instruction_is_probed(code, size, program->is_32)
		       ? NULL
		       : "the kernel can have no probe on this instruction";
}

static size_t kernel_read(void *data, uint64_t address, void *to, size_t size)
{
	return kernel_code_read(data, address, to, size);
}

static void kernel_name(void *data, uint64_t address, struct text *text)
{
	kernel_code_name(data, address, text);
}

static const char *kernel_refuse(void *data, uint64_t address,
				 const uint8_t *code, size_t size)
{
	return kernel_code_refuse(data, address, code, size);
}

/* ---- the code -------------------------------------------------------------------- */

/* A USDT probe is somewhere in a function, and its name is another one. */
static void program_part(const struct program_functions *f,
			 const struct place *place, struct code_part *part)
{
	uint64_t offset, behind = 0;

	*part = (struct code_part){
		.begin = place->address,
		.size = place->size,
		.place = place->address + place->offset,
	};
	if ((place->is_usdt || !*place->function) &&
	    code_offset(f, part->place, true, &offset)) {
		if (program_function_find(f, offset, 0, &behind))
			part->begin = part->place - behind;
		else if (!code_section(f, part->place, &part->begin))
			part->begin = part->place;
	}
	for (size_t i = 0; !part->size && i < f->nr; i++)
		if (f->all[i].begin == part->begin)
			part->size = f->all[i].size;
	/* An instruction that is there all the same is shown. */
	if (part->size && part->place - part->begin >= part->size &&
	    !*place->refused)
		part->size = 0;
}

/* "": not known. */
static const char *function_around(const struct program_functions *f,
				   uint64_t address)
{
	uint64_t offset, behind;
	const char *name = NULL;

	if (code_offset(f, address, true, &offset))
		name = program_function_find(f, offset, 0, &behind);
	return name ?: "";
}

static void lines_tell(const struct code_view *view,
		       struct ktrace_probe_instruction *list)
{
	for (unsigned int i = 0; i < view->nr; i++)
		list[i] = (struct ktrace_probe_instruction){
			.address = view->lines[i].address,
			.bytes = view->lines[i].bytes,
			.size = view->lines[i].size,
			.text = view->lines[i].text.s ?: "",
		};
}

/* Why a jump cannot take the place; NULL: it could, or nobody knows. */
static const char *jump_find(const struct explaining *x,
			     const struct code_part *part, char *room,
			     size_t size)
{
	const char *why = NULL;
	uint8_t *code;

	if (!part->size || part->size > 1u << 20 || !instructions_known())
		return NULL;
	if (kernel_code_faults(&x->kernel, part->begin, part->size))
		return "the function reads memory that may not be there (it "
		       "has entries in the kernel's table of exceptions)";
	code = malloc(part->size);
	if (code && kernel_code_read(&x->kernel, part->begin, code,
				     part->size) == part->size)
		why = code_jump_obstacle(code, part, room, size);
	free(code);
	return why;
}

struct seen {
	struct code_view view;
	struct ktrace_probe_instruction lines[CODE_VIEW_MAX];
	char why[200];
	char refused[200];
	char obstacle[200];
};

/* It is hooked where the function begins, where a probe may be all the same. */
static void return_refuse(const struct explaining *x, const struct place *place,
			  struct seen *seen)
{
	const char *why = NULL;

	if (!x->file && x->options->refused && place->returns &&
	    !place_is_in_module(place) && !*seen->refused)
		why = kernel_code_refuse_return(place->function);
	if (why)
		snprintf(seen->refused, sizeof(seen->refused),
			 "this return must not be hooked: %s", why);
}

static void refusal_note(struct seen *seen, const char *why)
{
	if (!*seen->refused && why)
		snprintf(seen->refused, sizeof(seen->refused), "%s", why);
}

static int code_tell(struct explaining *x, const struct place *place,
		     struct ktrace_probe_explanation *e, struct seen *seen)
{
	struct program program = {.is_32 = place->is_32};
	struct code_source source = {
		.read = kernel_read,
		.name = kernel_name,
		.refuse = kernel_refuse,
		.data = &x->kernel,
	};
	struct code_part part = {
		.begin = place->address,
		.size = place->size,
		.place = place->address + place->offset,
	};
	int err;

	if (x->file) {
		program.functions = probed_file_functions(x->file);
		source = (struct code_source){
			.is_32 = place->is_32,
			.read = program_read,
			.name = program_name,
			.refuse = program_refuse,
			.data = &program,
		};
		program_part(program.functions, place, &part);
		e->offset = part.place - part.begin;
		e->size = part.size;
		if (place->is_usdt)
			e->function =
				function_around(program.functions, part.place);
	}
	snprintf(seen->refused, sizeof(seen->refused), "%s", place->refused);
	return_refuse(x, place, seen);
	e->before = e->behind = -1;
	/* Several functions have the name that a pattern means. */
	if (!x->file && !part.place && *seen->refused) {
		e->no_code = "it has no address of its own";
		return 0;
	}
	if (place->waits) {
		e->no_code = "its module is not loaded";
		return 0;
	}
	if (!x->file && x->kernel.err)
		err = error_set(x->kernel.err, "/proc/kcore: %s",
				strerror(-x->kernel.err));
	else
		err = code_view_make(&seen->view, &source, &part);
	if (err == -ENOMEM)
		return err;
	if (err) {
		snprintf(seen->why, sizeof(seen->why), "%s",
			 ktrace_last_error());
		e->no_code = seen->why;
		return 0;
	}
	lines_tell(&seen->view, seen->lines);
	e->instructions = seen->lines;
	e->nr_instructions = seen->view.nr;
	e->at = seen->view.at;
	if (seen->view.has_before)
		e->before = seen->view.before - part.begin;
	if (seen->view.has_behind)
		e->behind = seen->view.behind - part.begin;
	if (e->at == e->nr_instructions)
		return 0;
	if (!seen->view.begins)
		refusal_note(seen, "no instruction begins there");
	else if (!seen->view.is_taken)
		refusal_note(seen, source.refuse(source.data, part.place,
						 seen->lines[e->at].bytes,
						 seen->lines[e->at].size));
	if (!x->file && x->options->refused && !*seen->refused)
		e->no_jump = jump_find(x, &part, seen->obstacle,
				       sizeof(seen->obstacle));
	return 0;
}

/* ---- the source ------------------------------------------------------------------ */

/* Functions that were put into others, the innermost first. */
static void inlined_tell(struct debug_code *code,
			 const struct debug_where *where, struct text *text)
{
	struct debug_scopes scopes;
	bool meant = !where->owner;
	const char *name;

	debug_search(code);
	if (!debug_scopes(code, where->address, &scopes))
		return;
	for (unsigned int i = scopes.nr; i--;) {
		Dwarf_Die *die = &scopes.list[i];

		meant |= die->addr == where->owner;
		if (!meant || dwarf_tag(die) != DW_TAG_inlined_subroutine)
			continue;
		name = debug_name(die);
		text_printf(text, "%s%s", text->len ? " " : "", name ?: "?");
	}
}

static void source_tell(const struct place *place,
			struct ktrace_probe_explanation *e,
			struct text *inlined)
{
	const struct scope scope = {.place = place};
	struct debug_where where;

	if (!place->code)
		return;
	where = variable_where(&scope);
	e->line = debug_line_of(place->code, where.address, &e->source);
	inlined_tell(place->code, &where, inlined);
	if (inlined->len)
		e->inlined = inlined->s;
}

/* ---- places ---------------------------------------------------------------------- */

static int place_explain(const struct place *place, void *data)
{
	struct explaining *x = data;
	struct ktrace_probe_explanation e = {
		.file = x->file ? x->path : NULL,
		.module = place->module,
		.function = place->function,
		.address = place->waits ? 0 : place->address + place->offset,
		.offset = place->offset,
		.size = place->size,
		.waits = place->waits,
		.tail_calls = place->tail_calls,
	};
	struct arena arena = {0};
	struct explained_names names = {.arena = &arena};
	struct explained_values values = {.arena = &arena};
	struct text name = {0}, inlined = {0};
	struct seen *seen = calloc(1, sizeof(*seen));
	struct place source = *place;
	int err = seen ? 0 : error_set(-ENOMEM, "out of memory");

	/* The kernel's debugging information need not be here. */
	if (!x->file && !place->code && !place->waits)
		kernel_debug_take(&x->debugs, &source);
	place_write(place, &name);
	if (!err && name.failed)
		err = error_set(-ENOMEM, "out of memory");
	err = err ?: code_tell(x, place, &e, seen);
	err = err
		      ?: explained_names_find(&names, x->prototypes, &source,
					      x->options->globals);
	err = err
		      ?: explained_values_find(&values, x->prototypes, place,
					       &source, x->expressions);
	if (!err) {
		source_tell(&source, &e, &inlined);
		e.place = place_shown(name.s);
		e.variables = names.list;
		e.nr_variables = names.nr;
		e.values = values.list;
		e.nr_values = values.nr;
		e.bytes = values.bytes;
		e.texts = values.texts;
		e.values_refused = values.refused;
		e.place_refused = *seen->refused ? seen->refused : NULL;
		x->used = true;
		err = x->use(&e, x->data);
	}
	if (seen)
		code_view_free(&seen->view);
	free(seen);
	free(names.list);
	free(values.list);
	text_free(&inlined);
	text_free(&name);
	arena_destroy(&arena);
	return err;
}

/* Places in the kernel: one, or those of the functions that a pattern means. */
struct places {
	struct place *list;
	struct place **pointers;
	size_t nr;
};

static int places_add(const struct place *place, void *data)
{
	struct places *places = data;
	struct place *more =
		array_grow(places->list, places->nr, sizeof(*more));

	if (!more)
		return error_set(-ENOMEM, "out of memory");
	places->list = more;
	more[places->nr++] = *place;
	return 0;
}

static int places_locate(struct places *places, const char *symbols)
{
	size_t which;

	places->pointers = calloc(places->nr + 1, sizeof(*places->pointers));
	if (!places->pointers)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < places->nr; i++)
		places->pointers[i] = &places->list[i];
	return places_find(symbols, places->pointers, places->nr, &which);
}

static int places_explain(struct explaining *x, const struct places *places)
{
	const struct place *place;
	int err = 0;

	for (size_t i = 0; !err && i < places->nr; i++) {
		place = &places->list[i];
		if (*place->line || place->is_missing)
			err = kernel_debug_places(&x->debugs, place,
						  place_explain, x);
		else
			err = place_explain(place, x);
	}
	return err;
}

static int kernel_explain(struct explaining *x, struct place *place)
{
	struct places places = {0};
	int err;

	if (!x->session)
		return error_set(-EINVAL,
				 "places in the kernel need a session");
	err = session_module_load(x->session, PROBES_MODULE);
	err = err ?: session_symbols(x->session, &x->symbols);
	if (!err && kernel_pattern_is(place))
		err = kernel_pattern_places(x->session, place, places_add,
					    &places);
	else
		err = err ?: places_add(place, &places);
	err = err ?: places_locate(&places, x->symbols.s);
	if (!err) {
		x->debugs = (struct kernel_debugs){
			.session = x->session,
			.prototypes = x->prototypes,
			.symbols = x->symbols.s,
		};
		kernel_code_open(&x->kernel, &x->symbols);
		if (x->options->refused)
			kernel_code_reasons(&x->kernel);
		err = places_explain(x, &places);
	}
	free(places.pointers);
	free(places.list);
	return err;
}

static int program_explain(struct explaining *x, struct place *place)
{
	struct probed_file *file;
	int err = place_path(place, x->path);

	err = err ?: probed_file_open(&x->files, x->path, &file);
	if (err)
		return err;
	x->file = file;
	return probed_file_places(file, place, place_explain, x);
}

int ktrace_session_probe_explain(
	struct ktrace_session *session, const char *text,
	const struct ktrace_probe_explain_options *options,
	int (*use)(const struct ktrace_probe_explanation *explanation,
		   void *data),
	void *data)
{
	struct explaining x = {
		.session = session,
		.options = options,
		.use = use,
		.data = data,
		.kernel.fd = -1,
	};
	struct place place;
	int err;

	if (options->size < sizeof(*options))
		return error_set(-EINVAL, "the options are of another version");
	err = place_parse(&place, text, &x.expressions);
	if (!err && strpbrk(text, ";\n"))
		err = error_set(-EINVAL, "nobody understands `;'");
	place.lenient = true;
	err = err ?: prototypes_create(&x.prototypes);
	err = err
		      ?: place.path ? program_explain(&x, &place)
				    : kernel_explain(&x, &place);
	kernel_code_close(&x.kernel);
	kernel_debugs_close(&x.debugs);
	text_free(&x.symbols);
	prototypes_destroy(x.prototypes);
	probed_files_close(x.files);
	return err && !x.used ? place_blame(err, text) : err;
}
