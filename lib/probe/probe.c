// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Probes: <ktrace/probes.h>.  Each becomes a line of the control tree's file `probes', or
 * `probes_held', whose lines go with the open file (kernel/source/probe/README.md).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/probes.h>

#include "armed.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/table.h"
#include "base/text.h"
#include "field.h"
#include "kernel_debug.h"
#include "kernel_pattern.h"
#include "place.h"
#include "probed_file.h"
#include "session/modules.h"
#include "session/session.h"
#include "symbol/kernel_file.h"

/* The kernel takes so much in one write (kernel/source/probe/probe.c). */
#define LINES_MAX (1u << 20)

/* ---- lines ------------------------------------------------------------------ */

/* "SYSTEM/EVENT PLACE; FIELDS", cut up.  False: it is none. */
static bool line_cut(char *line, struct ktrace_probe *probe)
{
	char *name = strchr(line, '/'), *place = strchr(line, ' '), *fields;

	if (!name || !place || name > place)
		return false;
	*name++ = '\0';
	*place++ = '\0';
	place += strspn(place, " ");
	fields = place + strcspn(place, "; ");
	if (*fields)
		*fields++ = '\0';
	fields += strspn(fields, "; ");
	*probe = (struct ktrace_probe){
		.system = line,
		.name = name,
		.place = place_shown(place),
		.fields = fields,
	};
	return true;
}

static bool is_wanted(const struct ktrace_probe *probe,
		      const char *const *patterns, size_t nr, bool *used)
{
	bool wanted = !nr;

	for (size_t i = 0; i < nr; i++)
		if (ktrace_pattern_match(patterns[i], probe->system,
					 probe->name))
			used[i] = wanted = true;
	return wanted;
}

/* Which lines are held. */
struct held {
	bool all;
	const char *lines;	   /* NULL: none */
	const struct armed *armed; /* NULL: not known */
};

/* Calls @use with those that patterns mean.  Cuts @lines up. */
static int lines_each(char *lines, const struct held *held,
		      const char *const *patterns, size_t nr, bool *used,
		      int (*use)(const struct ktrace_probe *probe, void *data),
		      void *data)
{
	char *line, reason[ARMED_REASON];
	struct ktrace_probe probe;
	int err = 0;

	while (!err && (line = strsep(&lines, "\n"))) {
		bool is_held = held->all || (held->lines && *line &&
					     text_has_line(held->lines, line));

		if (!line_cut(line, &probe) ||
		    !is_wanted(&probe, patterns, nr, used))
			continue;
		probe.held = is_held;
		if (held->armed)
			armed_find(held->armed, &probe, reason);
		err = use(&probe, data);
	}
	return err;
}

/* Lines of people may have tabs. */
static int lines_read(struct ktrace_session *s, const char *file, char **lines)
{
	int err = session_root_read(s, file, lines);

	for (char *c = err ? NULL : *lines; c && *c; c++)
		if (*c == '\t')
			*c = ' ';
	return err;
}

int ktrace_session_probes_each(
	struct ktrace_session *s, const char *const *patterns, size_t nr,
	int (*use)(const struct ktrace_probe *probe, void *data), void *data)
{
	char *lines = NULL, *held_lines = NULL;
	struct armed armed = {0};
	struct held held = {.armed = &armed};
	bool *used = calloc(nr + 1, sizeof(*used));
	int err = used ? 0 : error_set(-ENOMEM, "out of memory");

	/* While its module is not loaded, there are none. */
	if (!err && module_is_loaded(PROBES_MODULE)) {
		err = lines_read(s, "probes", &lines);
		if (!err && lines_read(s, "probes_held", &held_lines))
			held_lines = NULL;
		err = err ?: armed_read(s, &armed);
	}
	held.lines = held_lines;
	if (!err && lines)
		err = lines_each(lines, &held, patterns, nr, used, use, data);
	for (size_t i = 0; !err && i < nr; i++)
		if (!used[i])
			err = error_set(-ENOENT, "there is no probe `%s'",
					patterns[i]);
	armed_free(&armed);
	free(held_lines);
	free(lines);
	free(used);
	return err;
}

/* ---- removing --------------------------------------------------------------- */

struct removal {
	struct text lines;
	int (*use)(const struct ktrace_probe *probe, void *data);
	void *data;
};

static int removal_note(const struct ktrace_probe *probe, void *data)
{
	struct removal *removal = data;

	text_printf(&removal->lines, "!%s/%s\n", probe->system, probe->name);
	return 0;
}

static int removal_tell(const struct ktrace_probe *probe, void *data)
{
	struct removal *removal = data;
	char line[160];

	snprintf(line, sizeof(line), "!%s/%s", probe->system, probe->name);
	return text_has_line(removal->lines.s, line)
		       ? removal->use(probe, removal->data)
		       : 0;
}

int ktrace_session_probes_remove(
	struct ktrace_session *s, const char *const *patterns, size_t nr,
	int (*use)(const struct ktrace_probe *probe, void *data), void *data)
{
	struct removal removal = {.use = use, .data = data};
	const struct held nobody = {0};
	char *before = NULL;
	int err = ktrace_session_probes_each(s, patterns, nr, removal_note,
					     &removal);

	if (!err && removal.lines.failed)
		err = error_set(-ENOMEM, "out of memory");
	if (!err && removal.lines.len) {
		err = lines_read(s, "probes", &before);
		err = err
			      ?: session_root_write(s, "probes",
						    removal.lines.s, true);
		if (!err && use)
			err = lines_each(before, &nobody, NULL, 0, NULL,
					 removal_tell, &removal);
	}
	free(before);
	text_free(&removal.lines);
	return err;
}

/* ---- adding ----------------------------------------------------------------- */

/* A place that a text means. */
struct made {
	struct place place;
	size_t text;		 /* which of the texts */
	const char *expressions; /* behind the place */
	bool further;		 /* it is not the first event of its text */
	char *left_out;		 /* why it is no event; NULL: it is one */
};

struct making {
	struct ktrace_session *session;
	const char *const *texts;
	struct made *list;
	size_t nr;
	struct probed_file *files;
	struct prototypes *prototypes;
	struct text symbols; /* of the kernel; none until one is needed */
	struct kernel_debugs codes;
	struct text lines;
	char *existing; /* lines of the file `probes' */
	char **names;	/* SYSTEM/NAME of these, and of those that are made */
	size_t nr_names;
	struct table taken; /* names */
};

/* Is there a probe "SYSTEM/NAME" already, or among those that are made? */
static bool name_is_taken(const struct making *m, const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&m->taken, hash, slot)))
		if (!strcmp(slot->value, name))
			return true;
	return false;
}

static int name_take(struct making *m, const char *name, size_t length)
{
	char **more = array_grow(m->names, m->nr_names, sizeof(*more));
	char *own = more ? strndup(name, length) : NULL;

	if (more)
		m->names = more;
	if (!own)
		return error_set(-ENOMEM, "out of memory");
	m->names[m->nr_names++] = own;
	return table_add(&m->taken, table_hash(own, length), own)
		       ? error_set(-ENOMEM, "out of memory")
		       : 0;
}

/* Those that there are. */
static int names_read(struct making *m)
{
	const char *line = m->existing;
	int err = 0;

	for (; !err && line && *line; line += *line == '\n') {
		err = name_take(m, line, strcspn(line, " \n"));
		line += strcspn(line, "\n");
	}
	return err;
}

/* Says the names of those that have none.  Others may have the same place, or the same name. */
static int name_choose(struct making *m, struct made *made)
{
	char base[PLACE_NAME_MAX + 1], whole[2 * PLACE_NAME_MAX + 3];
	struct place *place = &made->place;
	bool said = *place->name && !made->further;

	if (!*place->name)
		place_event_name(place, place->name);
	snprintf(base, sizeof(base), "%s", place->name);
	for (unsigned int i = 2;; i++) {
		snprintf(whole, sizeof(whole), "%s/%s", place->system,
			 place->name);
		if (said || !name_is_taken(m, whole))
			return name_take(m, whole, strlen(whole));
		snprintf(place->name, sizeof(place->name), "%.56s_%u", base, i);
	}
}

static int made_leave_out(struct made *made, const char *why)
{
	made->left_out = strdup(why);
	return made->left_out ? 0 : error_set(-ENOMEM, "out of memory");
}

static int made_add(struct making *m, const struct place *place, size_t text,
		    const char *expressions)
{
	struct made *more = array_grow(m->list, m->nr, sizeof(*more));

	if (!more)
		return error_set(-ENOMEM, "out of memory");
	m->list = more;
	more[m->nr] = (struct made){
		.place = *place,
		.text = text,
		.expressions = expressions,
	};
	m->nr++;
	return *place->refused
		       ? made_leave_out(&more[m->nr - 1], place->refused)
		       : 0;
}

static void mades_free(struct made *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(list[i].left_out);
	free(list);
}

/* A text that may mean several places. */
struct expansion {
	struct making *making;
	size_t text;
	const char *expressions;
};

static int expansion_add(const struct place *place, void *data)
{
	const struct expansion *e = data;

	return made_add(e->making, place, e->text, e->expressions);
}

static int text_read(struct making *m, size_t i)
{
	struct expansion expansion = {.making = m, .text = i};
	const char *text = m->texts[i];
	struct probed_file *file;
	char path[PATH_MAX];
	struct place place;
	int err = place_parse(&place, text, &expansion.expressions);

	/* The kernel's lines end where these are. */
	if (!err && strpbrk(text, ";\n"))
		err = error_set(-EINVAL, "nobody understands `;'");
	if (err || !place.path)
		return err ?: made_add(m, &place, i, expansion.expressions);
	err = place_path(&place, path);
	err = err ?: probed_file_open(&m->files, path, &file);
	return err
		       ?: probed_file_places(file, &place, expansion_add,
					     &expansion);
}

/* Instead of each pattern, the functions of the kernel that it means. */
static int patterns_expand(struct making *m)
{
	struct expansion expansion = {.making = m};
	struct made *list = m->list;
	size_t nr = m->nr;
	int err = 0;

	m->list = NULL;
	m->nr = 0;
	for (size_t i = 0; !err && i < nr; i++) {
		expansion.text = list[i].text;
		expansion.expressions = list[i].expressions;
		if (kernel_pattern_is(&list[i].place))
			err = kernel_pattern_places(m->session, &list[i].place,
						    expansion_add, &expansion);
		else
			err = expansion_add(&list[i].place, &expansion);
		if (err)
			err = place_blame(err, m->texts[list[i].text]);
	}
	mades_free(list, nr);
	return err;
}

/* Those of the kernel have no addresses yet. */
static int kernel_places_find(struct making *m)
{
	struct place **places = calloc(m->nr + 1, sizeof(*places));
	size_t *texts = calloc(m->nr + 1, sizeof(*texts)), nr = 0, which = 0;
	int err = places && texts ? 0 : error_set(-ENOMEM, "out of memory");

	for (size_t i = 0; !err && i < m->nr; i++) {
		if (m->list[i].place.path || m->list[i].left_out)
			continue;
		texts[nr] = m->list[i].text;
		places[nr++] = &m->list[i].place;
	}
	if (!err && nr)
		err = session_symbols(m->session, &m->symbols);
	if (!err && nr) {
		m->codes = (struct kernel_debugs){
			.session = m->session,
			.prototypes = m->prototypes,
			.symbols = m->symbols.s,
		};
		err = places_find(m->symbols.s, places, nr, &which);
		if (err)
			err = place_blame(err, m->texts[texts[which]]);
	}
	free(texts);
	free(places);
	return err;
}

static int source_places_add(struct making *m, const struct made *made)
{
	struct expansion expansion = {
		.making = m,
		.text = made->text,
		.expressions = made->expressions,
	};

	return kernel_debug_places(&m->codes, &made->place, expansion_add,
				   &expansion);
}

/* Places that only debugging information knows, among the others. */
static int source_places_find(struct making *m)
{
	struct made *list = m->list;
	size_t nr = m->nr;
	int err = 0;

	m->list = NULL;
	m->nr = 0;
	for (size_t i = 0; !err && i < nr; i++) {
		const struct place *place = &list[i].place;

		if (!place->path && (*place->line || place->is_missing))
			err = source_places_add(m, &list[i]);
		else
			err = made_add(m, place, list[i].text,
				       list[i].expressions);
		if (err)
			err = place_blame(err, m->texts[list[i].text]);
	}
	mades_free(list, nr);
	return err;
}

/* Debugging information may know a name that is unknown without it. */
static int source_fields_write(struct making *m, struct made *made,
			       struct text *fields)
{
	char why[200];
	bool sourceless;
	int err;

	snprintf(why, sizeof(why), "%s", ktrace_last_error());
	err = kernel_debug_take(&m->codes, &made->place);
	if (err) {
		char source[300];

		snprintf(source, sizeof(source), "%s", ktrace_last_error());
		return error_set(-EINVAL, "%s. Of other variables, %s", why,
				 source);
	}
	return fields_write(m->prototypes, &made->place, made->expressions,
			    fields, &sourceless);
}

static int line_make(struct making *m, struct made *made)
{
	const struct place *place = &made->place;
	struct text fields = {0};
	bool sourceless;
	int err = fields_write(m->prototypes, place, made->expressions, &fields,
			       &sourceless);

	if (sourceless) {
		text_free(&fields);
		fields = (struct text){0};
		err = source_fields_write(m, made, &fields);
	}
	/* Whatever names files have: a line is one probe. */
	if (!err && fields.s && strchr(fields.s, '\n'))
		err = error_set(-EINVAL,
				"the names of its values have newlines");
	err = err ?: name_choose(m, made);
	if (!err && (fields.len || place->has_offset))
		place_build_find(&made->place);
	if (!err) {
		text_printf(&m->lines, "%s/%s ", place->system, place->name);
		place_write(place, &m->lines);
		text_printf(&m->lines, "%s\n", fields.s ?: "");
	}
	m->lines.failed |= fields.failed;
	text_free(&fields);
	return err;
}

/*
 * The lines of a text.  If what is wanted cannot be had at some of its places, the others have it;
 * at one at least.  Returns the number of the first place behind.
 */
static int text_lines(struct making *m, size_t *next)
{
	size_t first = *next, text = m->list[first].text, nr = 0, end = first;
	const struct made *refused = NULL;
	int err = 0;

	while (end < m->nr && m->list[end].text == text)
		end++;
	for (size_t i = first; !err && i < end; i++) {
		struct made *made = &m->list[i];

		if (made->left_out)
			continue;
		made->further = nr > 0;
		err = line_make(m, made);
		if (!err)
			nr++;
		if (err != -EINVAL || end - first == 1)
			continue;
		refused = refused ?: made;
		err = made_leave_out(made, ktrace_last_error());
	}
	/* If no value was refused, all places were. */
	refused = refused ?: &m->list[first];
	if (!err && !nr)
		err = error_set(-EINVAL, "%s: %s", refused->place.function,
				refused->left_out);
	*next = end;
	return err ? place_blame(err, m->texts[text]) : 0;
}

static int lines_make(struct making *m, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr; i++) {
		err = text_read(m, i);
		if (err)
			return place_blame(err, m->texts[i]);
	}
	err = prototypes_create(&m->prototypes);
	err = err ?: patterns_expand(m);
	err = err ?: kernel_places_find(m);
	err = err ?: source_places_find(m);
	for (size_t i = 0; !err && i < m->nr;)
		err = text_lines(m, &i);
	if (!err && m->lines.failed)
		err = error_set(-ENOMEM, "out of memory");
	if (!err && m->lines.len >= LINES_MAX)
		err = error_set(-E2BIG, "too many probes at once");
	return err;
}

/* The lines go when the file is closed, which the session does. */
static int lines_hold(struct ktrace_session *s, const char *lines)
{
	char path[PATH_MAX];

	if (s->held < 0) {
		snprintf(path, sizeof(path), "%s/probes_held", s->root);
		s->held = open(path, O_WRONLY | O_CLOEXEC);
	}
	if (s->held < 0)
		return session_explain(-errno, s->root, "probes_held");
	return session_fd_write(s, s->held, "probes_held", lines);
}

/* The texts' lines are in their order. */
struct using
{
	const struct making *making;
	size_t nr;
	int (*use)(const struct ktrace_probe *probe, void *data);
	void *data;
};

static uint64_t made_address(const struct made *made)
{
	const struct place *place = &made->place;

	return place->waits ? 0 : place->address + place->offset;
}

static int left_out_use(const struct using *using, const struct made *made)
{
	const struct ktrace_probe probe = {
		.system = made->place.system,
		.name = made->place.name,
		.place = made->place.function,
		.fields = "",
		.text = made->text,
		.left_out = made->left_out,
		.address = made_address(made),
	};

	return using->use(&probe, using->data);
}

/* Those that are left out, up to the next event. */
static int left_outs_use(struct using *using)
{
	const struct making *m = using->making;
	int err = 0;

	while (!err && using->nr < m->nr && m->list[using->nr].left_out)
		err = left_out_use(using, &m->list[using->nr++]);
	return err;
}

static int made_use(const struct ktrace_probe *probe, void *data)
{
	struct using *using = data;
	struct ktrace_probe own = *probe;
	int err = left_outs_use(using);

	const struct made *made;

	if (err)
		return err;
	made = &using->making->list[using->nr++];
	own.text = made->text;
	own.armed = made->place.waits ? "waiting" : NULL;
	own.address = made_address(made);
	own.tail_calls = made->place.tail_calls;
	return using->use(&own, using->data);
}

int ktrace_session_debug_file(struct ktrace_session *s, const char *path)
{
	struct session_debug_file *more, file = {.path = NULL};
	int fd = kernel_file_said(path, file.module, sizeof(file.module));

	if (fd < 0)
		return fd;
	close(fd);
	more = array_grow(s->debug_files, s->nr_debug_files, sizeof(*more));
	s->debug_files = more ?: s->debug_files;
	file.path = more ? strdup(path) : NULL;
	if (!file.path)
		return error_set(-ENOMEM, "out of memory");
	more[s->nr_debug_files++] = file;
	return 0;
}

int ktrace_session_probes_add(struct ktrace_session *s,
			      const char *const *texts, size_t nr, bool held,
			      int (*use)(const struct ktrace_probe *probe,
					 void *data),
			      void *data)
{
	struct making m = {.session = s, .texts = texts};
	struct using using = {.making = &m, .use = use, .data = data};
	const struct held whose = {.all = held};
	int err = session_module_load(s, PROBES_MODULE);

	err = err ?: lines_read(s, "probes", &m.existing);
	err = err ?: names_read(&m);
	err = err ?: lines_make(&m, nr);
	if (!err && m.lines.len)
		err = held ? lines_hold(s, m.lines.s)
			   : session_root_write(s, "probes", m.lines.s, true);
	if (!err && use && m.lines.s)
		err = lines_each(m.lines.s, &whose, NULL, 0, NULL, made_use,
				 &using)
			      ?: left_outs_use(&using);
	kernel_debugs_close(&m.codes);
	prototypes_destroy(m.prototypes);
	probed_files_close(m.files);
	text_free(&m.symbols);
	text_free(&m.lines);
	table_free(&m.taken);
	for (size_t i = 0; i < m.nr_names; i++)
		free(m.names[i]);
	free(m.names);
	free(m.existing);
	mades_free(m.list, m.nr);
	return err;
}
