// SPDX-License-Identifier: GPL-2.0-only
/*
 * Markers of kernel modules (include/ktrace/marker.h) as events, MODULE:NAME.
 *
 * A marker begins with its tracepoint.  So the kernel's notifier announces it, whether its
 * module is loaded before ktrace or after.  All places of a module that use the same name
 * are one event, with a probe attached to each place.  A place whose format or arguments
 * differ from those of the first is refused, and a message is logged.
 *
 * The module with the markers holds no reference on us, and calls only our probes.  So it
 * can be unloaded while it is recorded.  Then the registry detaches its events before we
 * forget them, because the registry's notifier is called first.
 *
 * A marker that is hit can have several uses.  Sessions' probes are here; a session's file
 * `marked' selects markers that are enabled as soon as they appear.  print.c and probe.c
 * have the other uses.
 *
 * All is protected by kt_mutex.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "argument.h"
#include "event/buffer.h"
#include "event/event.h"
#include "event/write.h"
#include "event/tracepoints.h"
#include "session/control.h"
#include "session/session.h"
#include "session/sources.h"
#include "source/tracepoint/tracepoint.h"
#include "marker.h"
#include "source/numbers.h"
#include "pattern.h"

#define ARGUMENTS_MAX 10
#define NAME_ROOM     40
#define TYPE_ROOM     24

static_assert(KT_ARGUMENTS_DATA_MAX == KTRACE_FIXED_MAX + KTRACE_STRINGS_MAX);
static_assert(KT_ARGUMENT_STRING_MAX == KTRACE_STRING_MAX);

struct marked {
	struct list_head node;
	struct module *module;
	struct kt_site *sites;
	unsigned int nr_sites;
	bool forced;
	bool numbers; /* neither strings nor arrays */
	unsigned int nr_strings;
	struct kt_event event;
	struct kt_class class;
	struct kt_field fields[ARGUMENTS_MAX];
	char names[ARGUMENTS_MAX][NAME_ROOM];
	char types[ARGUMENTS_MAX][TYPE_ROOM];
};

static LIST_HEAD(marked_list);
static struct kt_source source;
static struct kt_event_set marked_set = {.owner = THIS_MODULE};

static struct marked *marked_of(const struct kt_event *event)
{
	return container_of(event, struct marked, event);
}

/* ---- probes --------------------------------------------------------------- */

/* Returns the payload's size. */
static u32 data_store(const struct marked *marked, u8 *payload,
		      const u64 *values)
{
	const struct ktrace_argument *argument =
		marked->sites[0].marker->arguments;
	u32 size = marked->class.size, left = marked->nr_strings;
	const struct kt_field *field = marked->fields;

	for (; argument->kind; argument++, field++, values++) {
		u8 *to = payload + field->offset;
		u32 location;

		switch (argument->kind) {
		case KTRACE_ARG_STRING:
			location = kt_argument_string(payload, size, *values,
						      argument->size, --left);
			location = size | location << 16;
			size += location >> 16;
			memcpy(to, &location, sizeof(location));
			break;
		case KTRACE_ARG_BYTES:
			if (env_copy(to, *values, argument->size, true))
				memset(to, 0, argument->size);
			break;
		default:
			kt_number_store(to, *values, field->size);
		}
	}
	return size;
}

/* The size of the record is known only after the strings have been read. */
static noinline void data_record(struct kt_enabled *enabled,
				 const struct marked *marked, const u64 *values)
{
	unsigned int flags = marked->nr_strings ? KT_RECORD_DYNAMIC : 0;
	struct kt_ring *ring = kt_ring_here(enabled);
	struct kt_write write;
	void *payload, *slot;
	u32 size;

	payload = kt_scratch_take(ring->owner, KT_ARGUMENTS_DATA_MAX + 8);
	if (unlikely(!payload)) {
		env_add_local(&ring->control->lost[KT_LOST_NESTED], 1);
		return;
	}
	size = data_store(marked, payload, values);
	slot = kt_write_begin(&write, enabled, size, flags);
	if (slot) {
		kt_tail_zero(slot, size);
		memcpy(slot, payload, size);
		kt_write_end(&write, flags);
	}
	kt_scratch_give(ring->owner, payload);
}

static __always_inline void marker_record(struct kt_enabled *enabled,
					  const u64 *values, unsigned int nr)
{
	const struct marked *marked = marked_of(enabled->event);
	struct kt_write write;
	void *payload;

	kt_probe_enter();
	if (unlikely(!marked->numbers)) {
		data_record(enabled, marked, values);
	} else {
		payload =
			kt_write_begin(&write, enabled, marked->class.size, 0);
		if (payload) {
			kt_tail_zero(payload, marked->class.size);
			kt_numbers_store(&marked->class, payload, values, nr);
			kt_write_end(&write, 0);
		}
	}
	kt_probe_exit();
}

#define MARKER_PROBE(nr)                                                 \
	static ktrace_called_##nr probe_##nr;                            \
	static void probe_##nr(void *data, struct ktrace_marker *marker, \
			       KT_U64_##nr)                              \
	{                                                                \
		const u64 values[] = {KT_NAMES_##nr};                    \
                                                                         \
		marker_record(data, values, nr);                         \
	}

static ktrace_called_0 probe_0;

static void probe_0(void *data, struct ktrace_marker *marker)
{
	marker_record(data, NULL, 0);
}
MARKER_PROBE(1)
MARKER_PROBE(2)
MARKER_PROBE(3)
MARKER_PROBE(4)
MARKER_PROBE(5)
MARKER_PROBE(6)
MARKER_PROBE(7)
MARKER_PROBE(8)
MARKER_PROBE(9)
MARKER_PROBE(10)

static void *const probes[ARGUMENTS_MAX + 1] = {
	probe_0, probe_1, probe_2, probe_3, probe_4,  probe_5,
	probe_6, probe_7, probe_8, probe_9, probe_10,
};

/* ---- attaching ------------------------------------------------------------ */

static void sites_detach(struct kt_enabled *enabled, unsigned int nr)
{
	struct marked *marked = marked_of(enabled->event);

	while (nr--)
		tracepoint_probe_unregister(&marked->sites[nr].marker->tp,
					    marked->class.probe, enabled);
}

static int marker_attach(struct kt_enabled *enabled)
{
	struct marked *marked = marked_of(enabled->event);
	unsigned int i;

	for (i = 0; i < marked->nr_sites; i++) {
		int err =
			tracepoint_probe_register(&marked->sites[i].marker->tp,
						  marked->class.probe, enabled);

		if (err) {
			sites_detach(enabled, i);
			return kt_tracepoint_refuse(enabled, err);
		}
	}
	return 0;
}

static void marker_detach(struct kt_enabled *enabled)
{
	sites_detach(enabled, marked_of(enabled->event)->nr_sites);
}

/* ---- description ---------------------------------------------------------- */

static bool name_taken(const struct marked *marked, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(marked->names[i], marked->names[nr]))
			return true;
	}
	return false;
}

static void field_name(struct marked *marked, unsigned int nr,
		       const char **format)
{
	char *name = marked->names[nr];
	const char *word;
	u32 length = kt_argument_word(format, &word);

	/* Leave room for a number. */
	length = min_t(u32, length, NAME_ROOM - 9);
	if (length)
		snprintf(name, NAME_ROOM, "%.*s", (int)length, word);
	else
		snprintf(name, NAME_ROOM, "arg%u", nr + 1);
	if (name_taken(marked, nr))
		snprintf(name + strlen(name), 8, "_%u", nr + 1);
	marked->fields[nr].name = name;
}

static void field_make(struct marked *marked, unsigned int nr,
		       const struct ktrace_argument *argument,
		       const char **format)
{
	struct kt_field *field = &marked->fields[nr];

	field_name(marked, nr, format);
	field->offset = marked->class.size;
	field->size = argument->size;
	switch (argument->kind) {
	case KTRACE_ARG_SIGNED:
		field->type = kt_argument_integer(argument->size, true);
		field->is_signed = true;
		break;
	case KTRACE_ARG_BOOL:
		field->type = "bool";
		break;
	case KTRACE_ARG_POINTER:
		field->type = "void *";
		break;
	case KTRACE_ARG_STRING:
		field->type = "__data_loc char[]";
		field->size = sizeof(u32);
		field->is_signed = true;
		marked->class.dynamic = true;
		marked->numbers = false;
		marked->nr_strings++;
		break;
	case KTRACE_ARG_BYTES:
		snprintf(marked->types[nr], TYPE_ROOM, "unsigned char[%u]",
			 argument->size);
		field->type = marked->types[nr];
		field->len = argument->size;
		marked->numbers = false;
		break;
	default:
		field->type = kt_argument_integer(argument->size, false);
		break;
	}
	marked->class.size += field->size;
	marked->class.nr_fields++;
}

/* The marker's own header ensures this, but we cannot know with which header it was built. */
static bool marker_fits(const struct ktrace_marker *marker)
{
	const struct ktrace_argument *argument;
	u32 size = 0;

	for (argument = marker->arguments; argument->kind; argument++)
		size += argument->kind == KTRACE_ARG_STRING ? sizeof(u32)
							    : argument->size;
	return size <= KTRACE_FIXED_MAX &&
	       argument - marker->arguments <= ARGUMENTS_MAX;
}

static bool markers_equal(const struct ktrace_marker *a,
			  const struct ktrace_marker *b)
{
	size_t i;

	if (strcmp(a->format, b->format))
		return false;
	for (i = 0; a->arguments[i].kind == b->arguments[i].kind &&
		    a->arguments[i].size == b->arguments[i].size;
	     i++) {
		if (!a->arguments[i].kind)
			return true;
	}
	return false;
}

/* ---- what sessions record ------------------------------------------------- */

/* @patterns may be NULL. */
static bool marked_wanted(const struct marked *marked,
			  const struct kt_patterns *patterns)
{
	unsigned int i;

	for (i = 0; patterns && i < marked->nr_sites; i++) {
		if (kt_patterns_want(patterns, &marked->sites[i]))
			return true;
	}
	return false;
}

static void marked_give(struct kt_session *session, struct marked *marked)
{
	if (kt_session_event_enable(session, marked->event.entry, true))
		pr_warn("ktrace: marker %s:%s is not recorded: %s\n",
			marked->event.system, marked->event.name,
			session->reason);
}

/* Enables a new event in all sessions that want it. */
static void marked_offer(struct marked *marked)
{
	struct kt_session *session;

	list_for_each_entry(session, &kt_sessions, node) {
		if (marked->forced ||
		    marked_wanted(marked, kt_source_state(session, &source)))
			marked_give(session, marked);
	}
}

/* ---- coming and going ----------------------------------------------------- */

static struct marked *marked_find(const struct module *module, const char *name)
{
	struct marked *marked;

	list_for_each_entry(marked, &marked_list, node) {
		if (marked->module == module &&
		    !strcmp(marked->event.name, name))
			return marked;
	}
	return NULL;
}

/* If a function is inlined, its place is listed more than once. */
static bool site_known(const struct marked *marked,
		       const struct ktrace_marker *marker)
{
	unsigned int i;

	for (i = 0; i < marked->nr_sites; i++) {
		if (marked->sites[i].marker == marker)
			return true;
	}
	return false;
}

static int site_add(struct marked *marked, struct ktrace_marker *marker)
{
	struct kt_site *sites;

	sites = krealloc_array(marked->sites, marked->nr_sites + 1,
			       sizeof(*sites), GFP_KERNEL);
	if (!sites)
		return -ENOMEM;
	sites[marked->nr_sites++] = (struct kt_site){
		.marker = marker,
		.module = module_name(marked->module),
	};
	marked->forced |= marker->flags & KTRACE_FLAG_FORCED;
	marked->sites = sites;
	return 0;
}

static void marked_free(struct marked *marked)
{
	kfree(marked->sites);
	kfree(marked);
}

static struct marked *marked_make(struct module *module,
				  struct ktrace_marker *marker)
{
	const struct ktrace_argument *argument = marker->arguments;
	const char *format = marker->format;
	struct marked *marked = kzalloc(sizeof(*marked), GFP_KERNEL);

	if (!marked)
		return NULL;
	marked->module = module;
	marked->numbers = true;
	for (; argument->kind; argument++)
		field_make(marked, argument - marker->arguments, argument,
			   &format);
	marked->class.fields = marked->fields;
	marked->class.probe = probes[marked->class.nr_fields];
	marked->event.system = module->name;
	marked->event.name = marker->name;
	marked->event.point = marker->tp.name;
	marked->event.module = module->name;
	marked->event.class = &marked->class;
	marked->event.source = &source;
	marked->event.owner = THIS_MODULE;
	if (!site_add(marked, marker))
		return marked;
	marked_free(marked);
	return NULL;
}

/* NULL, or why it is refused. */
static const char *marker_add(struct module *module,
			      struct ktrace_marker *marker)
{
	struct marked *marked = marked_find(module, marker->name);

	if (!marker_fits(marker))
		return "its arguments have too many bytes";
	if (!marked) {
		marked = marked_make(module, marker);
		if (!marked)
			return "no memory";
		list_add_tail(&marked->node, &marked_list);
		return NULL;
	}
	if (site_known(marked, marker))
		return NULL;
	if (!markers_equal(marked->sites[0].marker, marker))
		return "there is one of that name with another format";
	return site_add(marked, marker) ? "no memory" : NULL;
}

static void marked_remove(struct marked *marked)
{
	kt_event_remove(&marked->event);
	list_del(&marked->node);
	marked_free(marked);
}

/* The number of this marker among those of its function, by line, from 1. */
static unsigned int site_order(const struct module *module,
			       const struct ktrace_marker *marker)
{
	const struct marked *marked;
	unsigned int order = 1, i;

	list_for_each_entry(marked, &marked_list, node) {
		for (i = 0; marked->module == module && i < marked->nr_sites;
		     i++) {
			const struct ktrace_marker *other =
				marked->sites[i].marker;

			if (other->line < marker->line &&
			    !strcmp(other->function, marker->function) &&
			    !strcmp(other->file, marker->file))
				order++;
		}
	}
	return order;
}

static void sites_number(struct marked *marked)
{
	unsigned int i;

	for (i = 0; i < marked->nr_sites; i++)
		marked->sites[i].order =
			site_order(marked->module, marked->sites[i].marker);
}

static void sites_handle(struct marked *marked)
{
	const struct kt_site_user *const *user;
	unsigned int i;

	for (i = 0; i < marked->nr_sites; i++) {
		for (user = kt_site_users; *user; user++)
			(*user)->add(&marked->sites[i]);
	}
}

/* Returns whether the caller must synchronize tracepoints. */
static bool sites_unhandle(struct marked *marked)
{
	const struct kt_site_user *const *user;
	bool any = false;
	unsigned int i;

	for (i = 0; i < marked->nr_sites; i++) {
		for (user = kt_site_users; *user; user++)
			any |= (*user)->remove(&marked->sites[i]);
	}
	return any;
}

static void sites_forget(struct marked *marked)
{
	const struct kt_site_user *const *user;
	unsigned int i;

	for (i = 0; i < marked->nr_sites; i++) {
		for (user = kt_site_users; *user; user++)
			if ((*user)->forget)
				(*user)->forget(&marked->sites[i]);
	}
}

static void module_coming(struct module *module)
{
	struct marked *marked, *next;
	const char *why;
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++) {
		struct tracepoint *tp =
			tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);
		struct ktrace_marker *marker;

		/* Only then it may be the begin of a marker. */
		if (!str_has_prefix(tp->name, KTRACE_MARKER_POINT))
			continue;
		marker = container_of(tp, struct ktrace_marker, tp);
		if (marker->magic != KTRACE_MARKER_MAGIC)
			continue;
		/* With another version, the fields below may have another layout. */
		if (marker->version != KTRACE_MARKER_VERSION) {
			pr_warn("ktrace: marker %s refused: it was built with "
				"another ktrace/marker.h\n",
				tp->name + strlen(KTRACE_MARKER_POINT));
			continue;
		}
		why = marker_add(module, marker);
		if (why)
			pr_warn("ktrace: marker %s:%s at %s:%u refused: %s\n",
				module->name, marker->name, marker->file,
				marker->line, why);
	}
	/* Register an event only when all its places are known. */
	list_for_each_entry_safe(marked, next, &marked_list, node) {
		if (marked->module != module ||
		    !kt_event_add(&marked_set, &marked->event, &why))
			continue;
		pr_warn("ktrace: marker %s:%s refused: %s\n", module->name,
			marked->event.name, why);
		marked_remove(marked);
	}
	list_for_each_entry(marked, &marked_list, node) {
		if (marked->module == module)
			sites_number(marked);
	}
	list_for_each_entry(marked, &marked_list, node) {
		if (marked->module != module)
			continue;
		sites_handle(marked);
		marked_offer(marked);
	}
}

static void module_going(struct module *module)
{
	struct marked *marked, *next;
	bool any = false;

	list_for_each_entry(marked, &marked_list, node) {
		if (marked->module == module)
			any |= sites_unhandle(marked);
	}
	if (any)
		tracepoint_synchronize_unregister();
	list_for_each_entry_safe(marked, next, &marked_list, node) {
		if (marked->module != module)
			continue;
		sites_forget(marked);
		marked_remove(marked);
	}
}

static int markers_notify(struct notifier_block *block, unsigned long action,
			  void *data)
{
	struct tp_module *tp_module = data;

	mutex_lock(&kt_mutex);
	switch (action) {
	case MODULE_STATE_COMING:
		module_coming(tp_module->mod);
		break;
	case MODULE_STATE_GOING:
		module_going(tp_module->mod);
		break;
	}
	mutex_unlock(&kt_mutex);
	return NOTIFY_OK;
}

static struct notifier_block markers_notifier = {
	.notifier_call = markers_notify,
};

/* Enables forced markers, so that a recorder knows of them before the first hit. */
static void markers_offer(struct kt_session *session)
{
	struct marked *marked;

	list_for_each_entry(marked, &marked_list, node) {
		if (marked->forced)
			marked_give(session, marked);
	}
}

static bool patterns_end(void *state)
{
	kt_patterns_free(state);
	return true;
}

/* The state of a session is the patterns of the markers that it records. */
static struct kt_source source = {
	.name = "marker",
	.owner = THIS_MODULE,
	.root_files = kt_marker_root_files,
	.session_files = kt_marker_session_files,
	.state_size = sizeof(struct kt_patterns),
	.state_end = patterns_end,
	.offer = markers_offer,
	.attach = marker_attach,
	.detach = marker_detach,
	.synchronize = kt_tracepoints_synchronize,
	.points = &kt_tracepoints,
	.explicit = true,
};

/* After kt_registry_init(), so that the registry's notifier is called before ours. */
int __init kt_markers_init(void)
{
	int err;

	kt_source_register(&source);
	err = register_tracepoint_module_notifier(&markers_notifier);
	if (err)
		kt_source_unregister(&source);
	return err;
}

/* Unregistering calls the notifier with GOING for each module that is loaded. */
void kt_markers_exit(void)
{
	const struct kt_site_user *const *user;

	unregister_tracepoint_module_notifier(&markers_notifier);
	for (user = kt_site_users; *user; user++)
		if ((*user)->clear)
			(*user)->clear();
	kt_source_unregister(&source);
}

int kt_marked_write(struct kt_session *session, char *text)
{
	struct kt_patterns *old = kt_source_state_make(session, &source);
	struct kt_patterns patterns;
	struct marked *marked;
	LIST_HEAD(coming);
	LIST_HEAD(going);
	int err;

	if (!old)
		return kt_refuse(session, -ENOMEM, "no memory");
	err = kt_patterns_change(session, old, text, &patterns);
	if (err)
		return err;
	list_for_each_entry(marked, &marked_list, node) {
		struct list_head *entry = &marked->event.entry->going;

		if (marked_wanted(marked, &patterns))
			list_add_tail(entry, &coming);
		else if (marked_wanted(marked, old))
			list_add_tail(entry, &going);
	}
	err = kt_session_entries_enable(session, &coming, true);
	if (err) {
		kt_patterns_free(&patterns);
		return err;
	}
	kt_session_entries_enable(session, &going, false);
	kt_patterns_free(old);
	*old = patterns;
	return 0;
}

void kt_marked_show(struct seq_file *m, const struct kt_session *session)
{
	const struct kt_patterns *patterns = kt_source_state(session, &source);

	if (patterns)
		kt_patterns_show(m, patterns);
}

/* ---- the list ------------------------------------------------------------- */

void kt_sites_each(void (*visit)(struct kt_site *site, void *data), void *data)
{
	struct marked *marked;
	unsigned int i;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(marked, &marked_list, node) {
		for (i = 0; i < marked->nr_sites; i++)
			visit(&marked->sites[i], data);
	}
}

static void site_show(struct kt_site *site, void *data)
{
	const struct ktrace_marker *marker = site->marker;
	struct seq_file *m = data;

	seq_printf(m, "%s:%s %s:%u %s:%u ", site->module, marker->name,
		   marker->file, marker->line, marker->function, site->order);
	seq_escape(m, marker->format, "\n\\");
	seq_putc(m, '\n');
}

void kt_markers_show(struct seq_file *m)
{
	kt_sites_each(site_show, m);
}
