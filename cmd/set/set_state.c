// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * All or nothing: before an event is changed, its state is stored.  If one
 * change fails, all are undone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <ktrace/markers.h>

#include "cmd.h"
#include "common/call_name.h"
#include "common/calls.h"
#include "set_state.h"

/* The filter of an event, to be freed; NULL: none. */
static char *filter_read(struct ktrace_session *session, const char *system,
			 const char *name)
{
	char path[512], *text;

	snprintf(path, sizeof(path), "events/%s/%s/filter", system, name);
	if (ktrace_session_read(session, path, &text, NULL))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	if (*text && strcmp(text, "none"))
		return text;
	free(text);
	return NULL;
}

/* Enabling */

struct change {
	const struct ktrace_known *event;
	char *filter; /* before */
	bool filtered;
};

struct changes {
	struct ktrace_session *session;
	struct change *list;
	size_t nr;
};

static void changes_undo(struct changes *c)
{
	while (c->nr) {
		struct change *change = &c->list[--c->nr];
		const struct ktrace_known *e = change->event;

		if (!e->enabled)
			ktrace_session_enable(c->session, e->system, e->name,
					      false);
		if (change->filtered)
			ktrace_session_filter(c->session, e->system, e->name,
					      change->filter);
		free(change->filter);
	}
}

static void changes_free(struct changes *c)
{
	while (c->nr)
		free(c->list[--c->nr].filter);
	free(c->list);
}

static int event_enable(struct changes *c, const struct ktrace_known *e,
			const char *filter)
{
	struct change *change = &c->list[c->nr++];

	*change = (struct change){
		.event = e,
		.filter = filter_read(c->session, e->system, e->name),
	};
	if (filter || change->filter) {
		change->filtered = true;
		if (ktrace_session_filter(c->session, e->system, e->name,
					  filter))
			return failed("the filter `%s' does not fit %s:%s: %s",
				      filter ? filter : "", e->system, e->name,
				      ktrace_last_error());
	}
	if (!e->enabled &&
	    ktrace_session_enable(c->session, e->system, e->name, true))
		return failed_in_library();
	return EXIT_OK;
}

static void unknown_tell(const char *pattern, void *data)
{
	size_t *dropped = data;

	say("left out: there is no event `%s' here", pattern);
	++*dropped;
}

static int events_enable(struct set *set, struct changes *changes,
			 const struct ktrace_known *known, size_t nr,
			 enum set_unknown unknown, struct set_counts *counts)
{
	struct selection *s = &set->selection;
	int status = EXIT_OK;

	if (unknown == SET_LEAVE_OUT) {
		if (selection_drop_unknown(s, known, nr, unknown_tell,
					   &counts->unknown))
			return failed("out of memory");
	} else {
		status = selection_check_known(s, known, nr, changes->session);
	}
	/* No pattern is left. */
	if (selection_is_all(s))
		return status;
	for (size_t i = 0; !status && i < nr; i++) {
		const struct ktrace_known *e = &known[i];

		if (!selection_match(s, e->system, e->name))
			continue;
		status = event_enable(
			changes, e, selection_filter_of(s, e->system, e->name));
		counts->events++;
	}
	return status;
}

static int marker_count(void *data, const struct ktrace_marker_info *marker)
{
	++*(size_t *)data;
	return 0;
}

/*
 * Enables markers of programs in running recorders, markers of kernel modules
 * in the session.  A pattern may mean both, so one place for it is enough.
 */
static int markers_enable(const struct set *set, struct ktrace_session *session,
			  struct set_counts *counts)
{
	size_t nr = set->nr_markers, kernel = 0;
	int err;

	if (!nr)
		return EXIT_OK;
	if (session && ktrace_session_markers(session, set->markers, nr,
					      marker_count, &kernel))
		return failed_in_library();
	err = ktrace_markers_switch(set->markers, nr, true, &counts->markers);
	if (err && (err != -ESRCH || !kernel))
		return failed("the set's markers cannot be switched on: %s",
			      ktrace_last_error());
	if (session && ktrace_session_mark(session, set->markers, nr,
					   &counts->kernel_markers))
		return failed_in_library();
	return EXIT_OK;
}

int set_enable(struct set *set, struct ktrace_session *session,
	       enum set_unknown unknown, struct set_counts *counts)
{
	struct changes changes = {.session = session};
	struct ktrace_known *known = NULL;
	const char *const *patterns;
	int status = EXIT_OK;
	size_t nr = 0;

	*counts = (struct set_counts){0};
	if (session && !selection_is_all(&set->selection)) {
		patterns = selection_patterns(&set->selection, &nr);
		if (ktrace_session_prepare(session, patterns, nr) ||
		    ktrace_session_known(session, &known, &nr))
			return failed_in_library();
		changes.list = calloc(nr + 1, sizeof(*changes.list));
		status = changes.list ? events_enable(set, &changes, known, nr,
						      unknown, counts)
				      : failed("out of memory");
	}
	if (!status)
		status = markers_enable(set, session, counts);
	if (status)
		changes_undo(&changes);
	changes_free(&changes);
	free(known);
	return status;
}

/* What is enabled */

struct state {
	FILE *f;
	struct ktrace_session *session;
	struct ktrace_known *known; /* sorted */
	size_t nr;
	bool calls;    /* all calls are enabled */
	char **marked; /* "SYSTEM:NAME" enabled by patterns of markers */
	size_t nr_marked;
	size_t items;
};

static int known_compare(const void *a, const void *b)
{
	const struct ktrace_known *x = a, *y = b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->name, y->name);
}

static const struct ktrace_known *known_find(const struct state *s,
					     const char *system,
					     const char *name)
{
	const struct ktrace_known key = {.system = system, .name = name};

	return bsearch(&key, s->known, s->nr, sizeof(key), known_compare);
}

/* In the name of its event. */
static const char *call_of(const struct ktrace_known *e)
{
	static const char *const ways[] = {"sys_enter_", "sys_exit_"};

	for (size_t i = 0; i < 2; i++)
		if (!strncmp(e->name, ways[i], strlen(ways[i])))
			return e->name + strlen(ways[i]);
	return e->name;
}

static bool is_call(const struct ktrace_known *e)
{
	return !strcmp(e->system, "syscalls") ||
	       !strcmp(e->system, "compat_syscalls");
}

/* Would the item "syscall NAME" enable the event? */
static bool call_means(const struct ktrace_known *e, const char *name)
{
	char other[CALL_NAME_MAX];
	bool own, has_other;

	if (!is_call(e))
		return false;
	has_other = call_name_other(e->system, e->name, other, &own);
	return (own && !strcmp(call_of(e), name)) ||
	       (has_other &&
		!strcmp(other + strlen(e->name) - strlen(call_of(e)), name));
}

static bool is_bare(const struct state *s, const struct ktrace_known *e)
{
	char *filter =
		e->enabled ? filter_read(s->session, e->system, e->name) : NULL;
	bool bare = e->enabled && !filter;

	free(filter);
	return bare;
}

/* Are the calls in which it may be made enabled, too, as the item enables them? */
static bool makers_bare(const struct state *s, const char *call)
{
	static const char *const ways[] = {"sys_enter_%s", "sys_exit_%s"};
	const struct ktrace_known *e;
	const char *maker;
	char name[256];

	for (size_t i = 0; (maker = calls_maker(call, i)); i++)
		for (size_t k = 0; k < 2; k++) {
			snprintf(name, sizeof(name), ways[k], maker);
			e = known_find(s, "compat_syscalls", name);
			if (e && !is_bare(s, e))
				return false;
		}
	return true;
}

/*
 * The name of the event's call, if the item "syscall NAME" would enable exactly
 * what is enabled: entry and exit, for 64-bit and 32-bit programs.
 */
static const char *call_whole(const struct state *s,
			      const struct ktrace_known *e)
{
	const char *call = is_call(e) ? call_of(e) : NULL;

	if (!call || !makers_bare(s, call))
		return NULL;
	for (size_t i = 0; i < s->nr; i++) {
		const struct ktrace_known *other = &s->known[i];
		bool same = is_call(other) && !strcmp(call_of(other), call);
		bool meant = call_means(other, call);

		if ((same && !meant) || (meant && !is_bare(s, other)))
			return NULL;
	}
	return call;
}

static void event_print(struct state *s, const struct ktrace_known *e)
{
	char *filter = filter_read(s->session, e->system, e->name);

	fprintf(s->f, "event %s:%s%s%s\n", e->system, e->name,
		filter ? " if " : "", filter ? filter : "");
	free(filter);
	s->items++;
}

/* Prints one line for a call, when its first event comes. */
static void call_print(struct state *s, const struct ktrace_known *e,
		       const char *call)
{
	char name[256];
	const struct ktrace_known *native;

	if (!strncmp(e->name, "sys_exit_", 9))
		return;
	if (*e->system == 'c') {
		fprintf(s->f, "syscall %s\n", call);
		s->items++;
		return;
	}
	snprintf(name, sizeof(name), "sys_enter_%s", call);
	native = known_find(s, "compat_syscalls", name);
	if (native)
		return; /* the line was printed for that event */
	fprintf(s->f, "syscall %s\n", call);
	s->items++;
}

/* Are entry and exit of all calls enabled, for 64-bit and 32-bit programs? */
static bool calls_whole(const struct state *s)
{
	bool any = false;

	for (size_t i = 0; i < s->nr; i++) {
		const struct ktrace_known *e = &s->known[i];

		if (!is_call(e))
			continue;
		any = true;
		if (!is_bare(s, e))
			return false;
	}
	return any;
}

/* Markers of kernel modules that patterns enable in the session. */

static int marked_note(void *data, const struct ktrace_marker_info *m)
{
	struct state *s = data;
	char **more = realloc(s->marked, (s->nr_marked + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->marked = more;
	if (asprintf(&more[s->nr_marked], "%s:%s", m->system, m->name) < 0)
		return -ENOMEM;
	s->nr_marked++;
	return 0;
}

static bool is_marked(const struct state *s, const struct ktrace_known *e)
{
	size_t len = strlen(e->system);

	for (size_t i = 0; i < s->nr_marked; i++)
		if (!strncmp(s->marked[i], e->system, len) &&
		    s->marked[i][len] == ':' &&
		    !strcmp(s->marked[i] + len + 1, e->name))
			return true;
	return false;
}

/* Saves the patterns themselves: they hold also for modules loaded later. */
static int marks_print(struct state *s)
{
	char *text, *next, *line;
	const char **patterns;
	size_t nr = 0;
	int err = 0;

	if (ktrace_session_read(s->session, "marked", &text, NULL))
		return EXIT_OK; /* an older kernel module */
	patterns = calloc(strlen(text) + 1, sizeof(*patterns));
	next = text;
	while (patterns && (line = strsep(&next, "\n"))) {
		if (!*line)
			continue;
		fprintf(s->f, "marker %s\n", line);
		patterns[nr++] = line;
		s->items++;
	}
	if (nr)
		err = ktrace_session_markers(s->session, patterns, nr,
					     marked_note, s);
	free(patterns);
	free(text);
	return err ? failed_in_library() : EXIT_OK;
}

/* Are all events of [@first, @end), one system, enabled without filters? */
static bool system_whole(const struct state *s, size_t first, size_t end)
{
	if (end - first < 2 || is_call(&s->known[first]))
		return false;
	for (size_t i = first; i < end; i++) {
		char *filter;

		if (!s->known[i].enabled || is_marked(s, &s->known[i]))
			return false;
		filter = filter_read(s->session, s->known[i].system,
				     s->known[i].name);
		free(filter);
		if (filter)
			return false;
	}
	return true;
}

static void system_print(struct state *s, size_t first, size_t end)
{
	if (s->calls && is_call(&s->known[first]))
		return;
	if (system_whole(s, first, end)) {
		fprintf(s->f, "event %s:*\n", s->known[first].system);
		s->items++;
		return;
	}
	for (size_t i = first; i < end; i++) {
		const struct ktrace_known *e = &s->known[i];
		const char *call;

		if (!e->enabled || is_marked(s, e))
			continue;
		call = call_whole(s, e);
		if (call)
			call_print(s, e, call);
		else
			event_print(s, e);
	}
}

static int events_print(struct state *s)
{
	int status = marks_print(s);

	if (status)
		return status;
	if (ktrace_session_known(s->session, &s->known, &s->nr))
		return failed_in_library();
	qsort(s->known, s->nr, sizeof(*s->known), known_compare);
	s->calls = calls_whole(s);
	if (s->calls) {
		fputs("syscall *\n", s->f);
		s->items++;
	}
	for (size_t i = 0, end; i < s->nr; i = end) {
		for (end = i; end < s->nr; end++)
			if (strcmp(s->known[i].system, s->known[end].system))
				break;
		system_print(s, i, end);
	}
	while (s->nr_marked)
		free(s->marked[--s->nr_marked]);
	free(s->marked);
	free(s->known);
	return EXIT_OK;
}

/* Of equal patterns, with and without a `!', only the last one is kept. */
struct patterns {
	char **list;
	size_t nr;
};

static int pattern_note(void *data, const char *pattern)
{
	struct patterns *p = data;
	const char *bare = pattern + (*pattern == '!');
	char **more;
	size_t left = 0;

	for (size_t i = 0; i < p->nr; i++) {
		if (strcmp(p->list[i] + (*p->list[i] == '!'), bare))
			p->list[left++] = p->list[i];
		else
			free(p->list[i]);
	}
	p->nr = left;
	more = realloc(p->list, (p->nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->list = more;
	more[p->nr] = strdup(pattern);
	if (!more[p->nr])
		return -ENOMEM;
	p->nr++;
	return 0;
}

static int markers_print(struct state *s)
{
	struct patterns p = {0};
	int err = ktrace_markers_patterns(pattern_note, &p);

	for (size_t i = 0; i < p.nr; i++) {
		fprintf(s->f, "marker %s\n", p.list[i]);
		free(p.list[i]);
	}
	s->items += p.nr;
	free(p.list);
	if (err && err != -ESRCH)
		return failed_in_library();
	return EXIT_OK;
}

int set_print_enabled(FILE *f, struct ktrace_session *session, size_t *nr_items)
{
	struct state s = {.f = f, .session = session};
	int status = session ? events_print(&s) : EXIT_OK;

	if (!status)
		status = markers_print(&s);
	*nr_items = s.items;
	return status;
}

void set_print_head(FILE *f, const char *name, const char *note)
{
	time_t now = time(NULL);
	struct utsname system;
	char date[32];
	struct tm tm;

	uname(&system);
	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &tm);
	if (note)
		fprintf(f, "# %s\n", note);
	else
		fprintf(f, "# %s\n",
			strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
	fprintf(f, "# saved %s on %s, Linux %s\n", date, system.nodename,
		system.release);
}
