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

#include "base/error.h"
#include "base/text.h"
#include "field.h"
#include "place.h"
#include "session/modules.h"
#include "session/session.h"

/* The kernel takes so much in one write (kernel/source/probe/probe.c). */
#define LINES_MAX (1u << 20)

/* ---- lines ------------------------------------------------------------------ */

/* "SYSTEM/EVENT PLACE; FIELDS", cut up.  False: it is none. */
static bool line_cut(char *line, struct ktrace_probe *probe)
{
	char *name = strchr(line, '/'), *place = strchr(line, ' '), *fields,
	     *label;

	if (!name || !place || name > place)
		return false;
	*name++ = '\0';
	*place++ = '\0';
	place += strspn(place, " ");
	fields = place + strcspn(place, "; ");
	if (*fields)
		*fields++ = '\0';
	fields += strspn(fields, "; ");
	label = strchr(place, '/');
	*probe = (struct ktrace_probe){
		.system = line,
		.name = name,
		.place = label ? label + 1 : place,
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
	const char *lines; /* NULL: none */
};

/* Calls @use with those that patterns mean.  Cuts @lines up. */
static int lines_each(char *lines, const struct held *held,
		      const char *const *patterns, size_t nr, bool *used,
		      int (*use)(const struct ktrace_probe *probe, void *data),
		      void *data)
{
	struct ktrace_probe probe;
	char *line;
	int err = 0;

	while (!err && (line = strsep(&lines, "\n"))) {
		bool is_held = held->all || (held->lines && *line &&
					     text_has_line(held->lines, line));

		if (!line_cut(line, &probe) ||
		    !is_wanted(&probe, patterns, nr, used))
			continue;
		probe.held = is_held;
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
	struct held held = {0};
	bool *used = calloc(nr + 1, sizeof(*used));
	int err = used ? 0 : error_set(-ENOMEM, "out of memory");

	/* While its module is not loaded, there are none. */
	if (!err && module_is_loaded(PROBES_MODULE)) {
		err = lines_read(s, "probes", &lines);
		if (!err && lines_read(s, "probes_held", &held_lines))
			held_lines = NULL;
	}
	held.lines = held_lines;
	if (!err && lines)
		err = lines_each(lines, &held, patterns, nr, used, use, data);
	for (size_t i = 0; !err && i < nr; i++)
		if (!used[i])
			err = error_set(-ENOENT, "there is no probe `%s'",
					patterns[i]);
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

/* Probes that are being made. */
struct making {
	struct place *places;
	const char **expressions; /* behind the places */
	struct prototypes *prototypes;
	struct text lines;
	char *existing; /* lines of the file `probes' */
};

/* Is there a probe "SYSTEM/NAME" already, or among those of @lines? */
static bool name_is_taken(const char *lines, const char *name)
{
	size_t length = strlen(name);

	for (const char *p = lines; p && (p = strstr(p, name)); p++)
		if ((p == lines || p[-1] == '\n') && p[length] == ' ')
			return true;
	return false;
}

/* Says the names of those that have none.  Others may have the same place. */
static void name_choose(const struct making *m, struct place *place)
{
	char base[PLACE_NAME_MAX + 1], whole[2 * PLACE_NAME_MAX + 3];

	if (*place->name)
		return;
	place_event_name(place, base);
	snprintf(place->name, sizeof(place->name), "%s", base);
	for (unsigned int i = 2;; i++) {
		snprintf(whole, sizeof(whole), "%s/%s", place->system,
			 place->name);
		if (!name_is_taken(m->existing, whole) &&
		    !name_is_taken(m->lines.s, whole))
			break;
		snprintf(place->name, sizeof(place->name), "%.56s_%u", base, i);
	}
}

/* An error of one of the texts. */
static int text_blame(int err, const char *text)
{
	char why[400];

	if (err != -EINVAL && err != -ENOENT)
		return err;
	snprintf(why, sizeof(why), "%s", ktrace_last_error());
	return error_set(err, "`%s': %s", text, why);
}

static int line_make(struct making *m, size_t i)
{
	struct place *place = &m->places[i];

	name_choose(m, place);
	text_printf(&m->lines, "%s/%s ", place->system, place->name);
	place_write(place, &m->lines);
	return fields_write(m->prototypes, place, m->expressions[i], &m->lines)
		       ?: (text_puts(&m->lines, "\n"), 0);
}

static int lines_make(struct making *m, struct ktrace_session *s,
		      const char *const *texts, size_t nr)
{
	size_t which;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		err = place_parse(&m->places[i], texts[i], &m->expressions[i]);
		/* The kernel's lines end where these are. */
		if (!err && strpbrk(texts[i], ";\n"))
			err = error_set(-EINVAL, "nobody understands `;'");
		if (err)
			return text_blame(err, texts[i]);
	}
	err = places_find(s, m->places, nr, &which);
	if (err)
		return text_blame(err, texts[which]);
	err = prototypes_create(&m->prototypes);
	for (size_t i = 0; !err && i < nr; i++) {
		err = line_make(m, i);
		if (err)
			return text_blame(err, texts[i]);
	}
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

int ktrace_session_probes_add(struct ktrace_session *s,
			      const char *const *texts, size_t nr, bool held,
			      int (*use)(const struct ktrace_probe *probe,
					 void *data),
			      void *data)
{
	struct making m = {
		.places = calloc(nr + 1, sizeof(*m.places)),
		.expressions = calloc(nr + 1, sizeof(*m.expressions)),
	};
	const struct held whose = {.all = held};
	int err = m.places && m.expressions
			  ? session_module_load(s, PROBES_MODULE)
			  : error_set(-ENOMEM, "out of memory");

	err = err ?: lines_read(s, "probes", &m.existing);
	err = err ?: lines_make(&m, s, texts, nr);
	if (!err && m.lines.len)
		err = held ? lines_hold(s, m.lines.s)
			   : session_root_write(s, "probes", m.lines.s, true);
	if (!err && use && m.lines.s)
		err = lines_each(m.lines.s, &whose, NULL, 0, NULL, use, data);
	prototypes_destroy(m.prototypes);
	text_free(&m.lines);
	free(m.existing);
	free(m.expressions);
	free(m.places);
	return err;
}
