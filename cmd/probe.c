// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace probe: makes, checks, lists and removes events anywhere in code. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/armed.h"
#include "common/value.h"
#include "probe_explain.h"
#include "probe_trial.h"
#include "run/probes.h"

struct request {
	bool json;
	struct ktrace_session *session;
	size_t count; /* of those that were shown or changed */
	struct probes
		probes; /* add, check: the arguments, with the file of -x */
	char **texts;	/* add, check: what becomes of these */
	char **arguments;
	int nr;
};

static const char *const *texts_of(const struct request *r)
{
	return (const char *const *)r->arguments;
}

static const char *value_of(const char *equals)
{
	return equals + 1 + strspn(equals + 1, " ");
}

/* "KIND CTYPE NAME = VALUE; ...": prints each as "NAME=VALUE", or only the names. */
static void fields_show(const char *fields)
{
	while (*fields) {
		size_t length = strcspn(fields, ";");
		const char *equals = memchr(fields, '=', length);
		const char *end = equals ?: fields + length, *name;

		while (end > fields && end[-1] == ' ')
			end--;
		for (name = end; name > fields && name[-1] != ' ';)
			name--;
		if (strncmp(name, "__", 2))
			printf(" %.*s", (int)(end - name), name);
		if (verbosity > 0 && equals && strncmp(name, "__", 2))
			printf("=(%.*s)",
			       (int)(fields + length - value_of(equals)),
			       value_of(equals));
		fields += length;
		fields += strspn(fields, "; ");
	}
}

/* ---- whether the kernel takes them ------------------------------------------- */

/* Can a probe be at this place?  It is tried, and gone afterwards. */
static bool place_is_good(const char *place)
{
	struct ktrace_session *session = trial_open();
	bool good;

	if (!session)
		return false;
	good = !ktrace_session_probes_add(session, &place, 1, true,
					  trial_enable, session) &&
	       !trial_start(session);
	trial_close(session);
	return good;
}

/* No instruction is longer. */
#define INSTRUCTION_MAX 15

/* The instructions before and behind "FUNCTION+OFFSET", if nothing begins there. */
static void nearest_print(const char *text)
{
	int length = strcspn(text, " \t"), found = 0;
	const char *plus = memchr(text, '+', length);
	unsigned long offset;
	char place[600];

	if (!plus)
		return;
	offset = strtoul(plus + 1, NULL, 0);
	for (int step = -1; step <= 1; step += 2)
		for (int i = 1; i <= INSTRUCTION_MAX; i++) {
			if (step < 0 && (unsigned long)i > offset)
				break;
			snprintf(place, sizeof(place), "%.*s+0x%lx",
				 (int)(plus - text), text, offset + step * i);
			if (!place_is_good(place))
				continue;
			fprintf(stderr, "%s%s",
				found++ ? " and " : "        One can be at ",
				place);
			break;
		}
	if (found)
		fputs(".\n", stderr);
}

/* The kernel has refused to arm a place of the text: why, and what is there. */
static int refusal_print(struct ktrace_session *session, const char *text,
			 const struct trial_place *p)
{
	static const char within[] = "no instruction";
	bool is_within = strstr(p->refused, within);

	failed("%s", p->refused);
	if (trial_is_of_place(p->err) &&
	    !refusal_explain(session, text, &p->address) && is_within)
		nearest_print(text);
	return EXIT_FAILED;
}

/* The library has refused one.  If that is for its place, the code there is shown. */
static int texts_refused(struct ktrace_session *session, char *const *texts,
			 size_t nr, int err)
{
	const char *text = probe_blamed(texts, nr);

	probe_failed(texts, nr, err);
	if (text && err == -EINVAL)
		refusal_explain(session, text, NULL);
	return EXIT_FAILED;
}

/* Of one text, the first place that is refused has what is there.  Returns an exit status. */
static int text_try(struct trial *trial, const char *text)
{
	int err = trial_run(trial, false);

	if (err)
		return failed("%s", trial_reason());
	for (size_t i = 0; i < trial->nr; i++)
		if (trial->list[i].err)
			return refusal_print(trial->session, text,
					     &trial->list[i]);
	return EXIT_OK;
}

/* Would the kernel take all of them?  Returns an exit status. */
static int probes_try(const struct request *r)
{
	struct trial trial = {.session = trial_open()};
	int status = EXIT_OK, err;

	if (!trial.session)
		return EXIT_FAILED;
	err = ktrace_session_probes_add(trial.session, texts_of(r), r->nr, true,
					trial_add, &trial);
	if (err)
		status = texts_refused(trial.session, r->arguments, r->nr, err);
	else if (r->nr == 1)
		status = text_try(&trial, r->arguments[0]);
	else if (trial_start(trial.session))
		status = failed("%s", trial_reason());
	trial_close(trial.session);
	trial_free(&trial);
	return status;
}

/* ---- add -------------------------------------------------------------------- */

static int added_show(const struct ktrace_probe *probe, void *data)
{
	if (probe_is_left_out(data, probe))
		return 0;
	say("%s:%s %s %s%s: ktrace record -e %s:%s", probe->system, probe->name,
	    probe->armed ? "waits for the module of" : "is at", probe->place,
	    probe->armed ? ", which is not loaded" : "", probe->system,
	    probe->name);
	return 0;
}

static int probes_add(struct request *r)
{
	struct left_out left = {.texts = r->arguments};
	int err;

	if (!r->nr)
		return misused(&command_probe,
			       "add: which? Say a PLACE and VALUES, like "
			       "'vfs_read count'");
	/* What the kernel refuses, it refuses when a probe is armed. */
	err = probes_try(r);
	if (err)
		return err;
	err = ktrace_session_probes_add(r->session, texts_of(r), r->nr, false,
					added_show, &left);
	left_out_tell(&left);
	if (err)
		return probe_failed(r->arguments, r->nr, err);
	return EXIT_OK;
}

/* ---- check ------------------------------------------------------------------ */

/* A text of several places has as many lines. */
struct check {
	struct trial trial;
	struct left_out left;
};

static int check_add(const struct ktrace_probe *probe, void *data)
{
	struct check *check = data;

	return probe_is_left_out(&check->left, probe)
		       ? 0
		       : trial_add(probe, &check->trial);
}

/* What is at a place that is refused is shown of the first one.  Returns an exit status. */
static int places_show(const struct trial *trial, const char *text)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < trial->nr; i++) {
		const struct trial_place *p = &trial->list[i];

		printf("%s:", p->place);
		fields_show(p->fields);
		printf("  %s\n", p->err	  ? "refused"
				 : p->way ? p->way->words
					  : "not known: its module may have "
					    "gone");
		if (!p->err)
			continue;
		fflush(stdout);
		status = status ? failed("%s", p->refused)
				: refusal_print(trial->session, text, p);
	}
	return status;
}

/* Returns an exit status. */
static int probe_check(char *text)
{
	struct check check = {
		.trial.session = trial_open(),
		.left.texts = &text,
	};
	struct trial *trial = &check.trial;
	int status, err;

	if (!trial->session)
		return EXIT_FAILED;
	err = ktrace_session_probes_add(trial->session,
					(const char *const *)&text, 1, true,
					check_add, &check);
	left_out_tell(&check.left);
	/* In a program there is only one way. */
	if (err)
		status = texts_refused(trial->session, &text, 1, err);
	else if (trial_run(trial, !probe_is_in_program(text)))
		status = failed("%s", trial_reason());
	else
		status = places_show(trial, text);
	trial_close(trial->session);
	trial_free(trial);
	return status;
}

static int probes_check(struct request *r)
{
	int status = EXIT_OK;

	if (!r->nr)
		return misused(&command_probe, "check: which?");
	for (int i = 0; i < r->nr; i++)
		status = probe_check(r->arguments[i]) ?: status;
	return output_finish(status);
}

/* ---- explain ---------------------------------------------------------------- */

static int explain(struct request *r)
{
	if (!r->nr)
		return misused(&command_probe, "explain: which?");
	return probes_explain(r->arguments, r->nr, r->json);
}

/* ---- list ------------------------------------------------------------------- */

static int probe_show(const struct ktrace_probe *probe, void *data)
{
	struct request *r = data;

	r->count++;
	printf("%s:%s  ", probe->system, probe->name);
	print_text(stdout, probe->place);
	putchar(' ');
	fields_show(probe->fields);
	if (verbosity > 0)
		armed_print(probe);
	puts(probe->held ? "  [of a recorder]" : "");
	return 0;
}

static int probe_json(const struct ktrace_probe *probe, void *data)
{
	struct request *r = data;

	fputs(r->count++ ? ",\n{\"system\":" : "[\n{\"system\":", stdout);
	print_json(stdout, probe->system);
	fputs(",\"name\":", stdout);
	print_json(stdout, probe->name);
	fputs(",\"place\":", stdout);
	print_json(stdout, probe->place);
	fputs(",\"fields\":", stdout);
	print_json(stdout, probe->fields);
	printf(",\"held\":%s,", probe->held ? "true" : "false");
	armed_json(probe);
	putchar('}');
	return 0;
}

static int probes_list(struct request *r)
{
	if (ktrace_session_probes_each(r->session, texts_of(r), r->nr,
				       r->json ? probe_json : probe_show, r))
		return output_finish(failed_in_library());
	if (r->json)
		puts(r->count ? "\n]" : "[]");
	else if (!r->count)
		say("there are no probes: `ktrace probe add' makes one");
	return output_finish(EXIT_OK);
}

/* ---- remove ----------------------------------------------------------------- */

static int removed_count(const struct ktrace_probe *probe, void *data)
{
	struct request *r = data;

	r->count++;
	return 0;
}

static int probes_remove(struct request *r)
{
	if (!r->nr)
		return misused(&command_probe,
			       "remove: which? Name a PATTERN, or '*'");
	if (ktrace_session_probes_remove(r->session, texts_of(r), r->nr,
					 removed_count, r))
		return failed_in_library();
	say("%zu probe%s removed", r->count, r->count == 1 ? "" : "s");
	return EXIT_OK;
}

/* ---- the command ------------------------------------------------------------- */

static const struct action {
	const char *name;
	int (*act)(struct request *r);
	bool makes;  /* probes of its arguments */
	bool writes; /* JSON */
	bool alone;  /* it needs no session, or has its own */
} actions[] = {
	{"add", probes_add, .makes = true},
	{"check", probes_check, .makes = true},
	{"explain", explain, .makes = true, .writes = true, .alone = true},
	{"list", probes_list, .writes = true},
	{"remove", probes_remove, .makes = false},
};

/* The arguments become texts, which have the file of -x. */
static int texts_make(struct request *r)
{
	int status = EXIT_OK;

	for (int i = 0; !status && i < r->nr; i++)
		status = probes_append(&r->probes, r->arguments[i]);
	if (status)
		return status;
	r->texts = probes_texts(&r->probes, 0);
	r->arguments = r->texts;
	return r->texts ? EXIT_OK : EXIT_FAILED;
}

static const struct action *action_find(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

enum {
	VMLINUX = OPTION_OWN,
};

static int option_handle(void *data, int option)
{
	struct request *r = data;

	switch (option) {
	case 'j':
		r->json = true;
		return EXIT_OK;
	case 'x':
		return probes_file(&r->probes, &command_probe, optarg);
	case VMLINUX:
		return probes_debug_file(&r->probes, optarg);
	default:
		return option_forgotten(&command_probe, option);
	}
}

static int probe_main(int argc, char **argv)
{
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.note = note,
	};
	const struct action *action;
	struct request r = {0};
	int status;

	status = options_parse(&command_probe, argc, argv, option_handle, &r);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind == argc)
		return misused(&command_probe,
			       "add, check, explain, list or remove?");
	action = action_find(argv[optind]);
	if (!action)
		return misused(&command_probe,
			       "`%s': add, check, explain, list or remove is "
			       "wanted",
			       argv[optind]);
	if (r.json && !action->writes)
		return misused(&command_probe, "-j is for list and explain");
	if (r.probes.file && !action->makes)
		return misused(&command_probe,
			       "-x is for add, check and explain");
	if (r.probes.nr_debug_files && !action->makes)
		return misused(&command_probe,
			       "--vmlinux is for add, check and explain");
	r.arguments = argv + optind + 1;
	r.nr = argc - optind - 1;
	status = action->makes ? texts_make(&r) : EXIT_OK;
	if (!status && !action->alone &&
	    ktrace_session_open(&options, &r.session))
		status = failed_in_library();
	trial_debug_files(&r.probes);
	if (!status && r.session)
		status = trial_debug_files_use(r.session);
	if (!status)
		status = action->act(&r);
	ktrace_session_close(r.session);
	probes_texts_free(r.texts);
	probes_free(&r.probes);
	return status;
}

static const struct command_option options[] = {
	OPTION('x', "exec", "FILE",
	       "add, check, explain: in this program or library, in all processes that run it",
	       .kind = ARGUMENT_PROGRAM),
	OPTION_VMLINUX_ROW(VMLINUX),
	OPTION('j', "json", NULL, "list, explain: as JSON"),
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW(
		"list, check: also where values come from; list: also how those that are being "
		"recorded are armed, and what they have missed; explain: also global variables"),
	{0},
};

const struct command command_probe = {
	.name = "probe",
	.what = "make events anywhere in the code of the kernel and of programs",
	.usage =
		"add PROBE... | check PROBE... | explain PROBE... | list [PATTERN...] | "
		"remove PATTERN...",
	.about =
		"PROBE is `[[SYSTEM:]NAME=]PLACE [VALUE...]'. It stays until it is "
		"removed; those of\n"
		"`ktrace record -P' end with the recording.\n"
		"\n"
		"PLACE is [MODULE:]FUNCTION, where it begins; FUNCTION+OFFSET, an "
		"instruction of it;\n"
		"FUNCTION%return, where it has returned to; or 0xADDRESS. With debugging "
		"information,\n"
		"FUNCTION:LINE, counted from where it begins, and FILE:LINE. In a program (-x), "
		"also with\n"
		"wildcards, and usdt:[PROVIDER:]NAME.\n"
		"\n"
		"VALUE is `[NAME=]EXPRESSION[:FORMAT]': an expression of C over "
		"parameters, local\n"
		"variables, $retval, "
		"$arg1, $stack0 and registers (%di), with ., ->, [N], *, & and "
		"casts; $params: all\n"
		"parameters. Without any: all parameters, or $retval. FORMAT is "
		"u8 to u64, s8 to\n"
		"s64, x8 to x64, be16 to be64, string or symbol.\n",
	.options = options,
	.operand = ARGUMENT_PROBE,
	.operand_words = "add check explain list remove",
	.examples =
		"    ktrace probe add 'vfs_read file->f_path.dentry->d_name.name "
		"count'\n"
		"    ktrace probe add 'opened=do_sys_openat2%return'\n"
		"    ktrace probe check 'vfs_read+0x15 %di'\n"
		"    ktrace probe explain -x ./program main:12\n"
		"    ktrace probe add -x bash 'readline%return $retval:string'\n"
		"    ktrace record -e 'probe:*' -d 10s\n"
		"    ktrace probe remove '*'\n",
	.main = probe_main,
};
