// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Makes events known: finds the probe modules that patterns need, and the
 * tracepoints that have only a prototype; reports what cannot be recorded.
 *
 * A tracepoint without an event (in the file `undefined') is one of
 *	its probe module is not loaded, as no pattern wants it	left alone
 *	its probe module cannot be loaded			defined
 *	it has no TRACE_EVENT, or one that could not be built	defined
 * so a definition never prevents that a probe module is loaded later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/modules.h>
#include <ktrace/session.h>

#include "base/error.h"
#include "base/file.h"
#include "base/table.h"
#include "modules.h"
#include "session.h"

/* Patterns */

/* The patterns of one prepare. */
struct wish {
	const char *const *patterns;
	size_t nr;
	struct ktrace_patterns *set;
};

/* @system is NULL: may one mean an event of this name, in any system? */
static bool wish_match(const struct wish *wish, const char *system,
		       const char *name)
{
	return ktrace_patterns_match(wish->set, system, name, NULL, NULL);
}

static int wish_make(struct wish *wish)
{
	int err;

	wish->set = ktrace_patterns_new();
	err = wish->set ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < wish->nr; i++)
		err = ktrace_patterns_add(wish->set, wish->patterns[i]);
	return err;
}

/* Does a pattern have the full name of the system? */
static bool wish_names(const struct wish *wish, const char *system)
{
	size_t len = strlen(system);

	for (size_t i = 0; i < wish->nr; i++)
		if (!strncmp(wish->patterns[i], system, len) &&
		    (!wish->patterns[i][len] || wish->patterns[i][len] == ':'))
			return true;
	return false;
}

/* Missing events */

static int missing_add(struct ktrace_session *s, const char *system,
		       const char *name, const char *reason)
{
	struct ktrace_missing *m;

	m = realloc(s->missing, (s->nr_missing + 1) * sizeof(*m));
	if (!m)
		return error_set(-ENOMEM, "out of memory");
	s->missing = m;
	m += s->nr_missing;
	m->system = arena_strdup(&s->arena, system);
	m->name = arena_strdup(&s->arena, name);
	m->reason = arena_strdup(&s->arena, reason);
	if (!m->system || !m->name || !m->reason)
		return error_set(-ENOMEM, "out of memory");
	s->nr_missing++;
	return 0;
}

/* Is it among the first @nr of those that are missing? */
static bool missing_is_told(const struct ktrace_session *s, size_t nr,
			    const char *system, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(s->missing[i].name, name) &&
		    !strcmp(s->missing[i].system, system))
			return true;
	return false;
}

static void missing_clear(struct ktrace_session *s)
{
	arena_destroy(&s->arena);
	memset(&s->arena, 0, sizeof(s->arena));
	free(s->missing);
	s->missing = NULL;
	s->nr_missing = 0;
}

size_t ktrace_session_missing(const struct ktrace_session *s,
			      const struct ktrace_missing **missing)
{
	*missing = s->missing;
	return s->nr_missing;
}

/* Probe modules */

/* A probe module that could not be loaded, and why. */
struct refusal {
	const char *module;
	char reason[256];
};

struct refusals {
	struct refusal *list;
	size_t nr;
};

static const char *refusals_find(const struct refusals *r, const char *module)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!strcmp(r->list[i].module, module))
			return r->list[i].reason;
	return NULL;
}

static int refusals_add(struct refusals *r, const char *module)
{
	struct refusal *list;

	list = realloc(r->list, (r->nr + 1) * sizeof(*list));
	if (!list)
		return error_set(-ENOMEM, "out of memory");
	r->list = list;
	list[r->nr].module = module;
	snprintf(list[r->nr].reason, sizeof(list->reason), "%s",
		 ktrace_last_error());
	r->nr++;
	return 0;
}

static int probes_load(struct ktrace_session *s,
		       const struct ktrace_modules *modules,
		       const struct wish *wish, struct refusals *refusals)
{
	const struct ktrace_modules_event *events;
	size_t nr = ktrace_modules_events(modules, &events), loaded = 0;
	const char *last = NULL;
	int err;

	for (size_t i = 0; i < nr; i++) {
		const struct ktrace_modules_event *e = &events[i];

		if ((last && !strcmp(last, e->module)) ||
		    !wish_match(wish, e->system, e->name) ||
		    refusals_find(refusals, e->module))
			continue;
		last = e->module;
		if (module_is_loaded(e->module))
			continue;
		if (!loaded++)
			session_note(s, "loading probe modules from %s",
				     ktrace_modules_path(modules));
		err = ktrace_modules_load((struct ktrace_modules *)modules,
					  e->module,
					  wish_names(wish, e->system));
		if (err == -EPERM || err == -EKEYREJECTED || err == -ENOKEY)
			return err; /* the other modules would fail, too */
		if (err) {
			err = refusals_add(refusals, e->module);
			if (err)
				return err;
		}
	}
	return 0;
}

/*
 * Sources that are modules of their own. They are not in the index, which lists probes of
 * tracepoints. A module is loaded if a pattern begins with a prefix, or is one without its
 * colon.
 */
static const struct source_module {
	const char *name;
	const char *prefixes[8]; /* the last one is NULL */
} source_modules[] = {
	/*
	 * It has 700 events, which together contain the same as those of raw_syscalls:
	 * `*' does not mean them.
	 */
	{"ktrace-syscalls",
	 {"syscalls:", "compat_syscalls:", "*syscalls:", "sys_enter_",
	  "sys_exit_"}},
	{"ktrace-profile", {"profile:"}},
};

static bool pattern_names(const char *pattern, const char *prefix)
{
	size_t length = strlen(prefix);

	if (!strncmp(pattern, prefix, length))
		return true;
	/* All events of a system. */
	return prefix[length - 1] == ':' && strlen(pattern) == length - 1 &&
	       !strncmp(pattern, prefix, length - 1);
}

static bool wish_names_source(const struct wish *wish,
			      const struct source_module *module)
{
	for (size_t i = 0; i < wish->nr; i++)
		for (const char *const *p = module->prefixes; *p; p++)
			if (pattern_names(wish->patterns[i], *p))
				return true;
	return false;
}

static int sources_load(struct ktrace_session *s,
			const struct ktrace_modules *modules,
			const struct wish *wish)
{
	size_t nr = sizeof(source_modules) / sizeof(*source_modules);
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct source_module *module = &source_modules[i];

		if (!wish_names_source(wish, module) ||
		    module_is_loaded(module->name))
			continue;
		session_note(s, "loading %s/%s.ko",
			     ktrace_modules_path(modules), module->name);
		err = ktrace_modules_load((struct ktrace_modules *)modules,
					  module->name, false);
	}
	return err;
}

/* The events that exist, by the hash of their names alone. */
struct known_names {
	struct ktrace_known *list;
	struct table by_name;
};

static int known_names_read(struct ktrace_session *s, struct known_names *names)
{
	size_t nr;
	int err = ktrace_session_known(s, &names->list, &nr);

	for (size_t i = 0; !err && i < nr; i++) {
		struct ktrace_known *known = &names->list[i];

		if (table_add(&names->by_name,
			      table_hash(known->name, strlen(known->name)),
			      known))
			err = error_set(-ENOMEM, "out of memory");
	}
	return err;
}

static void known_names_free(struct known_names *names)
{
	table_free(&names->by_name);
	free(names->list);
}

static bool known_names_have(const struct known_names *names,
			     const char *system, const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&names->by_name, hash, slot))) {
		const struct ktrace_known *known = slot->value;

		if (!strcmp(known->name, name) &&
		    !strcmp(known->system, system))
			return true;
	}
	return false;
}

static bool event_exists(struct ktrace_session *s, const char *system,
			 const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "events/%s/%s", system, name);
	return !faccessat(s->dir, path, F_OK, 0);
}

/* Looking for so many files takes longer than reading the list of all events. */
#define LOOKED_FOR_MAX 16

static int probes_missing(struct ktrace_session *s,
			  const struct ktrace_modules *modules,
			  const struct wish *wish,
			  const struct refusals *refusals)
{
	const struct ktrace_modules_event *events;
	size_t nr = ktrace_modules_events(modules, &events), looked_for = 0;
	const size_t told = s->nr_missing;
	struct known_names names = {0};
	const char *reason;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct ktrace_modules_event *e = &events[i];

		if (!wish_match(wish, e->system, e->name))
			continue;
		if (looked_for++ == LOOKED_FOR_MAX)
			err = known_names_read(s, &names);
		if (err)
			break;
		if (names.list ? known_names_have(&names, e->system, e->name)
			       : event_exists(s, e->system, e->name))
			continue;
		/* The modules' list has each event once. */
		if (missing_is_told(s, told, e->system, e->name))
			continue;
		/* Existing tracepoints have an event or a reason now. */
		reason = refusals_find(refusals, e->module);
		err = missing_add(s, e->system, e->name,
				  reason ? reason
					 : "the kernel module that has the "
					   "tracepoint is not loaded");
	}
	known_names_free(&names);
	return err;
}

/* Tracepoints with only a prototype */

/*
 * Sorted pairs "NAME\0SYSTEM": the system of a tracepoint in ftrace.  Read when
 * needed.
 */
struct system_names {
	bool read;
	char *text;
	char **names;
	size_t nr;
};

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* If there is no tracefs (not mounted, locked down), the list stays empty. */
static void system_names_read(struct system_names *n)
{
	static const char *const files[] = {
		"/sys/kernel/tracing/available_events",
		"/sys/kernel/debug/tracing/available_events",
	};
	char *next, *line;
	size_t lines = 0;

	n->read = true;
	for (size_t i = 0; !n->text && i < sizeof(files) / sizeof(*files); i++)
		if (file_read(AT_FDCWD, files[i], &n->text, NULL))
			n->text = NULL;
	if (!n->text)
		return;
	for (char *p = n->text; *p; p++)
		lines += *p == '\n';
	n->names = calloc(lines + 1, sizeof(*n->names));
	if (!n->names)
		return;
	next = n->text;
	while ((line = strsep(&next, "\n")) && n->nr < lines) {
		char *colon = strchr(line, ':');
		size_t len = colon ? colon - line : 0;

		if (!colon)
			continue;
		/* "SYSTEM:NAME" becomes "NAME\0SYSTEM": the same length. */
		char system[len + 1];

		memcpy(system, line, len);
		system[len] = '\0';
		memmove(line, colon + 1, strlen(colon + 1) + 1);
		memcpy(line + strlen(line) + 1, system, len);
		n->names[n->nr++] = line;
	}
	qsort(n->names, n->nr, sizeof(*n->names), name_compare);
}

static const char *system_names_find(struct system_names *n, const char *name)
{
	char **found;

	if (!n->read)
		system_names_read(n);
	if (!n->nr)
		return NULL;
	found = bsearch(&name, n->names, n->nr, sizeof(*n->names),
			name_compare);
	return found ? *found + strlen(*found) + 1 : NULL;
}

static void system_names_free(struct system_names *n)
{
	free(n->names);
	free(n->text);
}

/* Does a probe module that is not loaded yet have this tracepoint's event? */
static bool probe_will_come(const struct ktrace_modules *modules,
			    const struct refusals *refusals, const char *system,
			    const char *name)
{
	const struct ktrace_modules_event *events;
	size_t nr = modules ? ktrace_modules_events(modules, &events) : 0;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(events[i].name, name) &&
		    !strcmp(events[i].system, system))
			return !module_is_loaded(events[i].module) &&
			       !refusals_find(refusals, events[i].module);
	return false;
}

static int tracepoint_define(struct ktrace_session *s,
			     struct prototypes **prototypes, const char *system,
			     const char *name, const char *module)
{
	char *line;
	int err;

	if (!*prototypes) {
		session_note(s, "defining events from the kernel's type "
				"information (BTF)");
		err = prototypes_create(prototypes);
		if (err)
			return err;
	}
	err = prototypes_define(*prototypes, system, name, module, &line);
	if (err)
		return err;
	err = session_root_write(s, "define", line, true);
	free(line);
	return err;
}

static int tracepoints_define(struct ktrace_session *s,
			      const struct ktrace_modules *modules,
			      const struct refusals *refusals,
			      const struct wish *wish)
{
	struct prototypes *prototypes = NULL;
	struct system_names systems = {0};
	char *text, *next, *name;
	char why[256] = "";
	int err;

	err = session_root_read(s, "undefined", &text);
	if (err)
		return err;
	next = text;
	while (!err && (name = strsep(&next, "\n"))) {
		char *module = strchr(name, ' ');
		const char *system;

		if (!module)
			continue;
		*module++ = '\0';
		if (!wish_match(wish, NULL, name))
			continue;
		system = system_names_find(&systems, name);
		if (!system)
			system = strcmp(module, "vmlinux") ? module : "kernel";
		if (!wish_match(wish, system, name) ||
		    probe_will_come(modules, refusals, system, name))
			continue;
		if (!*why &&
		    tracepoint_define(s, &prototypes, system, name, module)) {
			err = missing_add(s, system, name, ktrace_last_error());
			/* Without BTF there is one reason for all. */
			if (!prototypes)
				snprintf(why, sizeof(why), "%s",
					 ktrace_last_error());
		} else if (*why) {
			err = missing_add(s, system, name, why);
		}
	}
	prototypes_destroy(prototypes);
	system_names_free(&systems);
	free(text);
	return err;
}

int ktrace_session_prepare(struct ktrace_session *s,
			   const char *const *patterns, size_t nr_patterns)
{
	struct wish wish = {.patterns = patterns, .nr = nr_patterns};
	struct ktrace_modules *modules = NULL;
	struct refusals refusals = {0};
	int err = 0;

	missing_clear(s);
	if (s->no_load)
		return 0;
	err = wish_make(&wish);
	/* Even without modules on disk some may be loaded. */
	if (!err && ktrace_modules_open(&modules))
		session_note(s, "%s", ktrace_last_error());
	if (!err && modules)
		err = probes_load(s, modules, &wish, &refusals);
	if (!err && modules)
		err = sources_load(s, modules, &wish);
	if (!err)
		err = tracepoints_define(s, modules, &refusals, &wish);
	if (!err && modules)
		err = probes_missing(s, modules, &wish, &refusals);
	free(refusals.list);
	ktrace_modules_close(modules);
	ktrace_patterns_free(wish.set);
	return err;
}
