// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events of a session are recorded with their stacks.  Its file `stack' has a line for
 * each:
 *
 *	SYSTEM/EVENT: kernel	who called, in the kernel
 *	SYSTEM/EVENT: user	who called in the program that entered the kernel
 *	SYSTEM/EVENT: both
 *	SYSTEM/EVENT: branches N	the program's last branches; also behind one of these
 *	SYSTEM/EVENT: both if FILTER	only for hits that pass the filter
 *	SYSTEM/EVENT:		no stack
 *	none			no stack of any event
 *
 * If a line is refused, none takes effect.  A stack can be asked for only while the event is
 * disabled: the event gets another field, so it gets a new id, as with captures (captures.c).
 *
 * The stacks themselves are in the session's depot (event/depot.h), which is made when the
 * first event gets one.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "access.h"
#include "event/branches.h"
#include "event/deferred.h"
#include "event/depot.h"
#include "event/gate.h"
#include "event/capturing.h"
#include "event/registry.h"
#include "event/stack.h"
#include "gone.h"
#include "session.h"
#include "stacks.h"

/* One line that was written. */
struct change {
	struct list_head node;
	struct kt_enabled *enabled;
	struct kt_stacking *stacking; /* NULL: remove it */
};

static const struct kt_stacking *stacking_of(const struct kt_enabled *enabled)
{
	return enabled && enabled->gate ? enabled->gate->stacking : NULL;
}

/* ---- a line --------------------------------------------------------------- */

static int line_check(struct kt_session *session, const char *name,
		      struct kt_entry *entry)
{
	const struct kt_enabled *enabled;

	if (!entry || !kt_entry_visible(entry))
		return kt_refuse(session, -ENOENT, "there is no event \"%*pE\"",
				 (int)min_t(size_t, strlen(name), 60), name);
	if (!kt_stacks_are_possible(entry->event))
		return kt_refuse(session, -EOPNOTSUPP,
				 "%s: no stacks are recorded of it", name);
	enabled = kt_session_event(session, entry);
	if (enabled && enabled->wanted)
		return kt_refuse(session, -EBUSY,
				 "%s is enabled: disable it first", name);
	return 0;
}

/* By their bits (enum kt_stack_kind). */
static const char *const kind_names[] = {
	"",
	[KT_STACK_KERNEL] = "kernel",
	[KT_STACK_USER] = "user",
	[KT_STACK_KERNEL | KT_STACK_USER] = "both",
};

/* What a line wants of an event. */
struct wish {
	unsigned int kinds, branches;
	char *condition; /* NULL: none */
};

/* NULL: there are no more. */
static char *word_next(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t");
	} while (word && !*word);
	return word;
}

static int branches_parse(struct kt_session *session, const char *name,
			  const char *text, struct wish *wish)
{
	int err = kt_access_branches(session);

	if (err)
		return err;
	if (!text || kstrtouint(text, 10, &wish->branches) || !wish->branches ||
	    wish->branches > KT_BRANCHES_MAX)
		return kt_refuse(session, -EINVAL,
				 "%s: 1 to %d branches are wanted, not "
				 "\"%*pE\"",
				 name, KT_BRANCHES_MAX,
				 text ? (int)min_t(size_t, strlen(text), 40)
				      : 0,
				 text ?: "");
	if (kt_branch_producer_is_there())
		return 0;
	return kt_refuse(session, -ENODEV,
			 "nobody knows which branches programs take: load the "
			 "module ktrace-branch");
}

/* Whose stacks, and then "branches N": one of these, or both. */
static int wish_parse(struct kt_session *session, const char *name, char *text,
		      struct wish *wish)
{
	int kinds = 0, err = 0;
	char *word;

	wish->condition = strstr(text, " if ");
	if (wish->condition) {
		*wish->condition = '\0';
		wish->condition = strim(wish->condition + strlen(" if "));
	}
	while (!err && (word = word_next(&text))) {
		if (!strcmp(word, "branches") && !wish->branches) {
			err = branches_parse(session, name, word_next(&text),
					     wish);
			continue;
		}
		kinds = match_string(kind_names, ARRAY_SIZE(kind_names), word);
		if (kinds < 0 || wish->kinds || wish->branches)
			err = kt_refuse(session, -EINVAL,
					"%s: kernel, user, both, branches N or "
					"nothing is wanted, not \"%*pE\"",
					name,
					(int)min_t(size_t, strlen(word), 40),
					word);
		else
			wish->kinds = kinds;
	}
	return err;
}

/* @text: a filter over the event's own fields. */
static int condition_make(struct kt_session *session,
			  struct kt_stacking *stacking, const char *name,
			  const struct kt_class *class, const char *text)
{
	struct kt_filter_error error = {};
	int err;

	stacking->condition = kstrdup(text, GFP_KERNEL);
	if (!stacking->condition)
		return -ENOMEM;
	err = kt_predicate_make(&stacking->predicate, class, text, &error);
	if (!err || err == -ENOMEM)
		return err;
	return kt_refuse(session, err, "%s: in the filter, \"%*pE\": %s", name,
			 (int)min_t(size_t, strlen(error.at), 40), error.at,
			 error.what);
}

/* The event has a gate afterwards, so that nothing can fail when the change is made. */
static int change_prepare(struct kt_session *session, struct change *change,
			  struct kt_entry *entry, const char *name,
			  const struct wish *wish)
{
	struct kt_enabled *enabled = change->enabled;
	const struct kt_class *class;
	struct kt_stacking *stacking;

	if (!session->depot)
		session->depot = kt_depot_create(session->stack_size);
	if (!session->depot || (!enabled->gate && kt_gate_create(enabled)))
		return -ENOMEM;
	class = kt_capture_class(entry, enabled);
	stacking = kt_stacking_make(session->depot, class, wish->kinds,
				    wish->branches);
	if (IS_ERR(stacking))
		return kt_refuse(session, PTR_ERR(stacking),
				 "%s: its stacks cannot be recorded: error %ld",
				 name, PTR_ERR(stacking));
	change->stacking = stacking;
	return wish->condition ? condition_make(session, stacking, name, class,
						wish->condition)
			       : 0;
}

static int change_make(struct kt_session *session, struct change *change,
		       char *line)
{
	char *text = line, *name = strim(strsep(&text, ":"));
	struct kt_entry *entry;
	struct wish wish = {};
	bool wanted;
	int err;

	if (!text)
		return kt_refuse(
			session, -EINVAL,
			"\"%*pE\": SYSTEM/EVENT: kernel, user, both or "
			"branches N is wanted",
			(int)min_t(size_t, strlen(name), 60), name);
	entry = kt_entry_named(name);
	err = line_check(session, name, entry);
	if (!err)
		err = wish_parse(session, name, text, &wish);
	if (err)
		return err;
	wanted = wish.kinds || wish.branches;
	if (wish.condition && !wanted)
		return kt_refuse(session, -EINVAL,
				 "%s: a filter, but no stack is wanted", name);
	change->enabled = kt_session_event_make(session, entry);
	if (change->enabled && wanted)
		err = change_prepare(session, change, entry, name, &wish);
	if (err == -EOPNOTSUPP)
		return kt_refuse(
			session, err,
			"this kernel cannot record stacks of programs");
	if (!change->enabled || err == -ENOMEM)
		return kt_refuse(session, -ENOMEM, "no memory");
	return err;
}

/* ---- changes -------------------------------------------------------------- */

/* The event is detached, and no CPU runs its probe any more. */
static void stacking_replace(struct kt_enabled *enabled,
			     struct kt_stacking *stacking)
{
	if (!stacking && !stacking_of(enabled))
		return;
	if (enabled->id) {
		kt_gone_keep(enabled->session, enabled->event->entry, enabled);
		enabled->id = 0;
	}
	kt_gate_stack(enabled, stacking);
}

static void change_undo(struct change *change)
{
	struct kt_enabled *enabled = change->enabled;

	kt_stacking_free(change->stacking);
	/* Drops a gate that was made for the change. */
	if (enabled && enabled->gate && !stacking_of(enabled))
		kt_gate_stack(enabled, NULL);
}

static int stacks_clear(struct kt_session *session)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		if (stacking_of(enabled) && enabled->wanted)
			return kt_refuse(session, -EBUSY,
					 "%s/%s is enabled: disable it first",
					 enabled->event->system,
					 enabled->event->name);
	}
	kt_for_each_event(session, enabled)
		stacking_replace(enabled, NULL);
	return 0;
}

/* The last line for an event counts. */
int kt_stack_file_write(struct kt_session *session, char *text)
{
	struct change *change, *next;
	LIST_HEAD(changes);
	char *line;
	int err = 0;

	lockdep_assert_held(&kt_mutex);
	if (!strcmp(strim(text), "none"))
		return stacks_clear(session);
	while (!err && (line = strsep(&text, "\n"))) {
		line = strim(line);
		if (!*line)
			continue;
		change = kzalloc(sizeof(*change), GFP_KERNEL);
		if (!change) {
			err = kt_refuse(session, -ENOMEM, "no memory");
			break;
		}
		list_add_tail(&change->node, &changes);
		err = change_make(session, change, line);
	}
	list_for_each_entry_safe(change, next, &changes, node) {
		if (err)
			change_undo(change);
		else
			stacking_replace(change->enabled, change->stacking);
		kfree(change);
	}
	return err;
}

static void stacking_show(struct seq_file *m, const struct kt_event *event,
			  const struct kt_stacking *stacking)
{
	const char *kind = kind_names[stacking->kinds & ~KT_STACK_BRANCHES];

	seq_printf(m, "%s/%s:%s%s", event->system, event->name,
		   *kind ? " " : "", kind);
	if (stacking->branches)
		seq_printf(m, " branches %u", stacking->branches);
	if (stacking->condition)
		seq_printf(m, " if %s", stacking->condition);
	seq_putc(m, '\n');
}

void kt_stack_file_show(struct seq_file *m, struct kt_session *session)
{
	const struct kt_stacking *stacking;
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		stacking = stacking_of(enabled);
		if (stacking)
			stacking_show(m, enabled->event, stacking);
	}
}

/* ---- the depot ------------------------------------------------------------ */

int kt_stack_size_change(struct kt_session *session, u32 bytes)
{
	lockdep_assert_held(&kt_mutex);
	if (bytes == session->stack_size)
		return 0;
	/* Records may have ids of it. */
	if (session->depot)
		return kt_refuse(session, -EBUSY,
				 "the session has stacks: write none to stack, "
				 "then 1 to reset");
	session->stack_size = bytes;
	return 0;
}

void kt_stacks_show_missed(struct seq_file *m, const struct kt_session *session)
{
	u64 full, nested, away;

	if (!session->depot)
		return;
	full = kt_depot_lost(session->depot, KT_DEPOT_FULL);
	nested = kt_depot_lost(session->depot, KT_DEPOT_NESTED);
	away = kt_depot_lost(session->depot, KT_DEPOT_AWAY);
	seq_printf(
		m,
		"source stacks missed %llu full %llu nested %llu away %llu\n",
		full + nested + away, full, nested, away);
}

void kt_stacks_forget(struct kt_session *session)
{
	struct kt_enabled *enabled;

	lockdep_assert_held(&kt_mutex);
	if (!session->depot)
		return;
	kt_deferred_forget(session->depot);
	kt_for_each_event(session, enabled) {
		if (stacking_of(enabled)) {
			kt_depot_empty(session->depot);
			return;
		}
	}
	kt_depot_free(session->depot);
	session->depot = NULL;
}
