// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace probe explain: probe_explain.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/value.h"
#include "probe_explain.h"
#include "probe_trial.h"
#include "run/probes.h"

/* So many instructions are shown on each side. */
#define AROUND	       4
#define AROUND_REFUSED 2

struct explaining {
	const char *text;
	bool json;
	size_t nr; /* of places, of all texts */
	struct trial trial;
};

/* How the kernel would stop there. */
static const struct trial_place *place_tried(
	const struct explaining *x, const struct ktrace_probe_explanation *e)
{
	static const struct trial_place unknown;

	return e->file ? &unknown : trial_at(&x->trial, e->address) ?: &unknown;
}

bool probe_is_in_program(const char *text)
{
	size_t word = strcspn(text, " \t");
	const char *equals = memchr(text, '=', word);

	return *text == '/' || (equals && equals[1] == '/');
}

/* ---- the code ------------------------------------------------------------------ */

/* "FUNCTION+0xOFFSET", or an address. */
static void place_name(const struct ktrace_probe_explanation *e, int64_t offset,
		       char *name, size_t size)
{
	if (*e->function)
		snprintf(name, size, "%s+0x%" PRIx64, e->function, offset);
	else
		snprintf(name, size, "0x%" PRIx64,
			 e->address - e->offset + offset);
}

static void code_print(FILE *file, const struct ktrace_probe_explanation *e,
		       uint64_t around, const char *indent)
{
	uint64_t from = e->at > around ? e->at - around : 0;
	uint64_t to = e->at + around + 1;

	if (to > e->nr_instructions)
		to = e->nr_instructions;
	for (uint64_t i = from; i < to; i++) {
		const struct ktrace_probe_instruction *in = &e->instructions[i];
		char offset[24], bytes[3 * 15 + 1] = "";

		for (uint64_t b = 0; b < in->size && b < 15; b++)
			snprintf(bytes + 3 * b, 4, "%02x ", in->bytes[b]);
		snprintf(offset, sizeof(offset), "+0x%" PRIx64,
			 in->address - (e->address - e->offset));
		fprintf(file, "%s%s %-8s %-30s ", indent,
			i == e->at ? ">" : " ", offset, bytes);
		print_text(file, in->text);
		fputc('\n', file);
	}
	if (e->nr_instructions && e->at >= e->nr_instructions)
		fprintf(file, "%s> +0x%" PRIx64 "  behind the end\n", indent,
			e->offset);
}

/* That of a return is in the code where the function begins, but means another one. */
static bool is_return(const struct ktrace_probe_explanation *e)
{
	return strstr(e->place, "%return");
}

/* Which would do.  False: none is known. */
static bool nearest_print(FILE *file, const struct ktrace_probe_explanation *e,
			  const char *indent)
{
	const int64_t nearest[] = {e->before, e->behind};
	char name[600];
	bool found = false;

	/* Of programs, the reason may have them. */
	if (is_return(e) ||
	    (e->place_refused && strstr(e->place_refused, ": one does at ")))
		return true;
	for (size_t i = 0; i < 2; i++) {
		if (nearest[i] < 0)
			continue;
		place_name(e, nearest[i], name, sizeof(name));
		fprintf(file, "%s%s", found ? "" : indent,
			found ? " and " : "One can be at ");
		/* A stranger has chosen it. */
		print_text(file, name);
		found = true;
	}
	if (found)
		fputs(".\n", file);
	return found;
}

/* ---- as text ------------------------------------------------------------------- */

static void meaning_print(const struct ktrace_probe_explanation *e)
{
	char of[32] = "";

	if (e->size)
		snprintf(of, sizeof(of), " of 0x%" PRIx64, e->size);
	if (e->waits)
		printf("  address not known");
	else
		printf("  address 0x%" PRIx64, e->address);
	if (*e->function) {
		printf(", byte 0x%" PRIx64 "%s of ", e->offset, of);
		print_text(stdout, e->function);
	}
	printf(", in %s", e->file      ? ""
			  : *e->module ? "the module "
				       : "the kernel");
	print_text(stdout, e->file ?: e->module);
	puts(e->waits ? ", which is not loaded" : "");
	if (e->source) {
		printf("  source: ");
		print_text(stdout, e->source);
		if (e->line)
			printf(":%" PRIu64, e->line);
		putchar('\n');
	}
	if (e->inlined) {
		printf("  inlined here, innermost first: ");
		print_text(stdout, e->inlined);
		putchar('\n');
	}
}

static void variables_print(const struct ktrace_probe_explanation *e)
{
	if (e->nr_variables)
		puts("  names:");
	for (uint64_t i = 0; i < e->nr_variables; i++) {
		const struct ktrace_probe_variable *v = &e->variables[i];

		printf("    ");
		print_text(stdout, v->name);
		printf(": ");
		print_text(stdout, *v->type ? v->type : "(no type)");
		printf(", %s", v->where ? "" : "not here: ");
		print_text(stdout, v->where ?: v->why);
		puts(v->is_global ? " (global)" : "");
	}
}

static void values_print(const struct ktrace_probe_explanation *e)
{
	if (e->nr_values)
		puts("  values:");
	for (uint64_t i = 0; i < e->nr_values; i++) {
		const struct ktrace_probe_value *v = &e->values[i];

		printf("    ");
		/* That of a member is the file's. */
		print_text(stdout, v->name);
		printf(": %s", v->kind);
		if (strcmp(v->kind, v->type)) {
			printf(", shown as ");
			print_text(stdout, v->type);
		}
		printf(": %s", v->steps);
		if (!strncmp(v->type, "string", 6) && e->file)
			printf(" in the program");
		putchar('\n');
	}
	if (e->values_refused) {
		printf("  values are refused: ");
		print_text(stdout, e->values_refused);
		putchar('\n');
		return;
	}
	printf("  an event takes %" PRIu64 " bytes", e->bytes);
	if (e->texts)
		printf(" and %s", e->texts == 1 ? "its text" : "its texts");
	putchar('\n');
}

/* What doc/probes.md has measured, on 6.12; "": nothing. */
static const char *cost_find(const struct way *way,
			     const struct ktrace_probe_explanation *e)
{
	if (e->file)
		return ", in all processes that run the file: about a "
		       "microsecond";
	if (!way || is_return(e))
		return "";
	if (!strcmp(way->name, "jump"))
		return ", about 214 instructions with three registers";
	if (!strcmp(way->name, "ftrace"))
		return *e->module ? ", about 275 instructions with three "
				    "registers"
				  : ", about 120 instructions with three "
				    "registers";
	return "";
}

static void way_print(const struct explaining *x,
		      const struct ktrace_probe_explanation *e)
{
	const struct trial_place *tried = place_tried(x, e);
	const struct way *way = tried->way;

	if (e->place_refused || tried->err) {
		printf("  refused: ");
		print_text(stdout, e->place_refused ?: tried->refused);
		putchar('\n');
		/* Another place does not help if all are refused, and may help if its code is not known. */
		if ((e->place_refused || trial_is_of_place(tried->err)) &&
		    !nearest_print(stdout, e, "  ") && e->nr_instructions)
			puts("  No place near it would do.");
		return;
	}
	if (e->waits) {
		puts("  armed when its module comes");
		return;
	}
	printf("  armed by %s%s\n",
	       e->file ? "an exception at each hit"
	       : way   ? way->words
		       : "what the kernel chooses: it could not be tried",
	       cost_find(way, e));
	if (e->no_jump && way && way->may_improve)
		printf("  no jump: %s\n", e->no_jump);
	if (e->tail_calls)
		printf("  not recorded: calls that end by a jump to another "
		       "function (tail calls), which may be at %" PRIu64
		       " place%s\n",
		       e->tail_calls, e->tail_calls == 1 ? "" : "s");
}

static int place_print(const struct ktrace_probe_explanation *e, void *data)
{
	struct explaining *x = data;

	if (x->nr++)
		putchar('\n');
	print_text(stdout, e->place);
	putchar('\n');
	meaning_print(e);
	if (e->no_code)
		printf("  code: not known: %s\n", e->no_code);
	else
		puts("  code:");
	code_print(stdout, e, AROUND, "   ");
	variables_print(e);
	values_print(e);
	way_print(x, e);
	return 0;
}

/* ---- as JSON -------------------------------------------------------------------- */

static void json_text(const char *name, const char *value)
{
	printf(",\"%s\":", name);
	print_json(stdout, value);
}

/* -1: none. */
static void json_offset(const char *name, int64_t offset)
{
	if (offset < 0)
		printf(",\"%s\":null", name);
	else
		printf(",\"%s\":%" PRId64, name, offset);
}

static void code_json(const struct ktrace_probe_explanation *e)
{
	if (e->waits) {
		fputs(",\"code\":null", stdout);
		json_text("no_code", e->no_code);
		return;
	}
	fputs(",\"code\":[", stdout);
	for (uint64_t i = 0; i < e->nr_instructions; i++) {
		const struct ktrace_probe_instruction *in = &e->instructions[i];

		printf("%s{\"address\":\"0x%" PRIx64 "\",\"offset\":%" PRIu64
		       ",\"bytes\":\"",
		       i ? "," : "", in->address,
		       in->address - (e->address - e->offset));
		for (uint64_t b = 0; b < in->size; b++)
			printf("%02x", in->bytes[b]);
		putchar('"');
		json_text("text", in->text);
		printf(",\"here\":%s}", i == e->at ? "true" : "false");
	}
	putchar(']');
	json_text("no_code", e->no_code);
}

static void variables_json(const struct ktrace_probe_explanation *e)
{
	fputs(",\"variables\":[", stdout);
	for (uint64_t i = 0; i < e->nr_variables; i++) {
		const struct ktrace_probe_variable *v = &e->variables[i];

		printf("%s{\"name\":", i ? "," : "");
		print_json(stdout, v->name);
		json_text("type", v->type);
		json_text("where", v->where);
		json_text("why", v->why);
		printf(",\"parameter\":%s,\"global\":%s}",
		       v->is_parameter ? "true" : "false",
		       v->is_global ? "true" : "false");
	}
	putchar(']');
}

static void values_json(const struct ktrace_probe_explanation *e)
{
	fputs(",\"values\":[", stdout);
	for (uint64_t i = 0; i < e->nr_values; i++) {
		const struct ktrace_probe_value *v = &e->values[i];

		printf("%s{\"name\":", i ? "," : "");
		print_json(stdout, v->name);
		json_text("kind", v->kind);
		json_text("type", v->type);
		json_text("words", v->words);
		json_text("steps", v->steps);
		printf(",\"size\":%" PRIu64 "}", v->size);
	}
	printf("],\"bytes\":%" PRIu64 ",\"texts\":%" PRIu64, e->bytes,
	       e->texts);
	json_text("values_refused", e->values_refused);
}

static int place_json(const struct ktrace_probe_explanation *e, void *data)
{
	struct explaining *x = data;
	const struct trial_place *tried = place_tried(x, e);
	bool refused = e->place_refused || tried->err;

	fputs(x->nr++ ? ",\n{\"probe\":" : "[\n{\"probe\":", stdout);
	print_json(stdout, x->text);
	json_text("place", e->place);
	json_text("file", e->file);
	json_text("module", *e->module ? e->module : NULL);
	json_text("function", *e->function ? e->function : NULL);
	if (e->waits)
		fputs(",\"address\":null", stdout);
	else
		printf(",\"address\":\"0x%" PRIx64 "\"", e->address);
	printf(",\"offset\":%" PRIu64 ",\"size\":%" PRIu64, e->offset, e->size);
	json_text("source", e->source);
	printf(",\"line\":%" PRIu64, e->line);
	json_text("inlined", e->inlined);
	code_json(e);
	json_offset("before", e->before);
	json_offset("behind", e->behind);
	variables_json(e);
	values_json(e);
	json_text("refused", e->place_refused
				     ?: refused ? tried->refused
						: NULL);
	json_text("way", refused      ? NULL
			 : e->file    ? "breakpoint"
			 : tried->way ? tried->way->name
				      : NULL);
	json_text("no_jump", e->no_jump);
	printf(",\"tail_calls\":%" PRIu64 "}", e->tail_calls);
	return 0;
}

/* ---- one text -------------------------------------------------------------------- */

/*
 * How the kernel would stop at each place.  Instead of the values there is a register, which is
 * everywhere: what is wrong with them is told without that.  False: no session could be had, and a
 * message has been printed.
 */
static bool ways_try(struct explaining *x)
{
	struct ktrace_session *session = trial_open();
	int length = strcspn(x->text, " \t");
	char *place = NULL;

	if (!session)
		return false;
	x->trial.session = session;
	if (asprintf(&place, "%.*s %%di", length, x->text) < 0)
		place = NULL;
	if (place &&
	    !ktrace_session_probes_add(session, (const char *const *)&place, 1,
				       true, trial_add, &x->trial))
		trial_run(&x->trial, true);
	free(place);
	trial_close(session);
	return true;
}

/* Is there a place that is refused, stopped at by an exception, or was not tried? */
static bool reasons_wanted(const struct trial *trial)
{
	bool wanted = !trial->nr;

	for (size_t i = 0; i < trial->nr; i++)
		wanted |=
			!trial->list[i].way || trial->list[i].way->may_improve;
	return wanted;
}

/* Returns an exit status. */
static int text_explain(struct explaining *x)
{
	struct ktrace_session_options session_options = {
		.size = sizeof(session_options),
		.note = note,
	};
	struct ktrace_probe_explain_options options = {
		.size = sizeof(options),
		.globals = verbosity > 0,
	};
	struct ktrace_session *session = NULL;
	int status = EXIT_OK, err;

	if (!probe_is_in_program(x->text)) {
		/* It must be over when the code is read: that is as it is then. */
		if (!ways_try(x))
			return EXIT_FAILED;
		options.refused = reasons_wanted(&x->trial);
		if (ktrace_session_open(&session_options, &session))
			return failed_in_library();
		status = trial_debug_files_use(session);
		if (status) {
			ktrace_session_close(session);
			return status;
		}
	}
	err = ktrace_session_probe_explain(session, x->text, &options,
					   x->json ? place_json : place_print,
					   x);
	if (err) {
		char *text = (char *)x->text;

		fflush(stdout);
		status = probe_failed(&text, 1, err);
	}
	ktrace_session_close(session);
	return status;
}

int probes_explain(char *const *texts, size_t nr, bool json)
{
	struct explaining x = {.json = json};
	int status = EXIT_OK;

	for (size_t i = 0; i < nr; i++) {
		x.text = texts[i];
		x.trial = (struct trial){0};
		status = text_explain(&x) ?: status;
		trial_free(&x.trial);
	}
	if (json)
		puts(x.nr ? "\n]" : "[]");
	return output_finish(status);
}

/* ---- refusals -------------------------------------------------------------------- */

struct refusal {
	const uint64_t *at; /* NULL: the library has refused it */
	bool printed;
};

static int refused_print(const struct ktrace_probe_explanation *e, void *data)
{
	struct refusal *refusal = data;

	/* Of several places, the first that is refused has been told. */
	if (refusal->printed || !e->nr_instructions ||
	    !(refusal->at ? e->address == *refusal->at : !!e->place_refused))
		return 0;
	refusal->printed = true;
	/* That no instruction begins there, the kernel has said itself, and why no return is hooked. */
	if (refusal->at && e->place_refused && e->at < e->nr_instructions &&
	    e->instructions[e->at].address == e->address &&
	    !strstr(e->place_refused, "must not be hooked"))
		fprintf(stderr, "        There, %s.\n", e->place_refused);
	nearest_print(stderr, e, "        ");
	code_print(stderr, e, AROUND_REFUSED, "       ");
	return 0;
}

bool refusal_explain(struct ktrace_session *session, const char *text,
		     const uint64_t *at)
{
	const struct ktrace_probe_explain_options options = {
		.size = sizeof(options),
		.refused = at,
	};
	struct refusal refusal = {.at = at};

	fflush(stdout);
	return !ktrace_session_probe_explain(session, text, &options,
					     refused_print, &refusal) &&
	       refusal.printed;
}
