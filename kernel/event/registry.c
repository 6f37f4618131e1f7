// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of systems and events.  registry.h describes the structs.
 *
 * Sources register events when they are loaded. An event's probe and its point may be in
 * different modules, and either may come or go first: whoever keeps the table of a kind of
 * points says when points come and go. If a point goes while its event is enabled, the
 * event is disabled in all sessions. Events of sources that have no points exist while
 * they are registered.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "base/lock.h"
#include "registry.h"

DEFINE_XARRAY(kt_systems);

static struct kt_point always;	     /* for events whose source has no points */
static DEFINE_HASHTABLE(systems, 7); /* by name */
static DEFINE_HASHTABLE(entries, 10); /* of all systems, by event name */
static unsigned long last_cookie;
static const struct kt_registry_ops *registry_ops;

static u32 name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* ---- systems -------------------------------------------------------------- */

void kt_system_release(struct kref *ref)
{
	struct kt_system *system = container_of(ref, struct kt_system, ref);

	xa_destroy(&system->entries);
	kfree(system);
}

struct kt_system *kt_system_find(const char *name, size_t length)
{
	struct kt_system *system;

	hash_for_each_possible(systems, system, node,
			       full_name_hash(NULL, name, length)) {
		if (strlen(system->name) == length &&
		    !memcmp(system->name, name, length))
			return system;
	}
	return NULL;
}

/*
 * Finds or makes the system with this name, and takes a reference for an entry.  The system
 * stays in kt_systems until its last entry leaves.
 */
static struct kt_system *system_join(const char *name)
{
	struct kt_system *system = kt_system_find(name, strlen(name));

	if (system) {
		kref_get(&system->ref);
		return system;
	}
	system = kzalloc(sizeof(*system), GFP_KERNEL);
	if (!system)
		return NULL;
	kref_init(&system->ref);
	strscpy(system->name, name, sizeof(system->name));
	xa_init(&system->entries);
	system->cookie = ++last_cookie;
	if (xa_err(xa_store(&kt_systems, system->cookie, system, GFP_KERNEL))) {
		kt_system_put(system);
		return NULL;
	}
	hash_add(systems, &system->node, name_hash(system->name));
	return system;
}

static void system_tidy(struct kt_system *system)
{
	if (!xa_empty(&system->entries))
		return;
	xa_erase(&kt_systems, system->cookie);
	hash_del(&system->node);
}

/* ---- entries -------------------------------------------------------------- */

void kt_entry_release(struct kref *ref)
{
	struct kt_entry *entry = container_of(ref, struct kt_entry, ref);

	kt_system_put(entry->system);
	kfree(entry);
}

struct kt_entry *kt_entry_find(struct kt_system *system, const char *name,
			       size_t length)
{
	struct kt_entry *entry;

	hash_for_each_possible(entries, entry, node,
			       full_name_hash(NULL, name, length)) {
		const char *found = entry->event->name;

		if (entry->system == system && strlen(found) == length &&
		    !memcmp(found, name, length))
			return entry;
	}
	return NULL;
}

/* Does this event record all that its point offers? */
static bool entry_is_complete(const struct kt_entry *entry)
{
	return !entry->event->source->partial;
}

/* kt_node_alive() reads these fields without kt_mutex: hence WRITE_ONCE. */
static void entry_show(struct kt_entry *entry, struct kt_point *point)
{
	WRITE_ONCE(entry->point, point);
	point->nr_entries += entry_is_complete(entry);
	WRITE_ONCE(entry->system->nr_visible, entry->system->nr_visible + 1);
}

static void entry_hide(struct kt_entry *entry)
{
	if (!entry->point)
		return;
	entry->point->nr_entries -= entry_is_complete(entry);
	WRITE_ONCE(entry->point, NULL);
	WRITE_ONCE(entry->system->nr_visible, entry->system->nr_visible - 1);
}

/* ---- points --------------------------------------------------------------- */

static struct kt_point *point_for(const struct kt_event *event)
{
	const struct kt_point_kind *kind = event->source->points;

	return kind ? kind->find(event) : &always;
}

const char *kt_point_module(const struct kt_point *point)
{
	return point->module ? module_name(point->module) : "vmlinux";
}

const char *kt_entry_module(const struct kt_entry *entry)
{
	return entry->event->module ?: kt_point_module(entry->point);
}

/* Each entry that is attached to points of @kind. */
#define for_each_entry_of(kind, entry, system, at_system, at_entry) \
	xa_for_each(&kt_systems, at_system, system)                 \
		xa_for_each(&(system)->entries, at_entry, entry)    \
			if ((entry)->event->source->points == (kind))

void kt_points_came(const struct kt_point_kind *kind)
{
	unsigned long at_system, at_entry;
	struct kt_system *system;
	struct kt_entry *entry;
	struct kt_point *point;

	lockdep_assert_held(&kt_mutex);
	for_each_entry_of(kind, entry, system, at_system, at_entry) {
		point = entry->point ? NULL : kind->find(entry->event);
		if (point)
			entry_show(entry, point);
	}
}

void kt_points_going(const struct kt_point_kind *kind,
		     const struct module *module)
{
	unsigned long at_system, at_entry;
	struct kt_system *system;
	struct kt_entry *entry, *next;
	LIST_HEAD(going);

	lockdep_assert_held(&kt_mutex);
	for_each_entry_of(kind, entry, system, at_system, at_entry) {
		if (entry->point && entry->point->module == module)
			list_add_tail(&entry->going, &going);
	}
	registry_ops->drop(&going, false);
	list_for_each_entry_safe(entry, next, &going, going) {
		entry_hide(entry);
		list_del(&entry->going);
	}
}

/* ---- registering ---------------------------------------------------------- */

static bool name_is_good(const char *name)
{
	const char *c;

	if (!name || !*name || strlen(name) > KT_NAME_MAX)
		return false;
	/* This name is taken: by the file in the directory. */
	if (!strcmp(name, "enabled"))
		return false;
	for (c = name; *c; c++) {
		if (!kt_name_char(*c) && !strchr("-.+", *c))
			return false;
	}
	return name[0] != '.';
}

static const char *class_complaint(const struct kt_class *class)
{
	u16 i;

	for (i = 0; i < class->nr_fields; i++) {
		const struct kt_field *field = &class->fields[i];

		if (!field->name || !field->type)
			return "a field has no name or type";
		if (field->offset + field->size > class->size)
			return "a field lies outside of the payload";
	}
	return NULL;
}

static bool class_equal(const struct kt_class *a, const struct kt_class *b)
{
	u16 i;

	if (a->size != b->size || a->dynamic != b->dynamic ||
	    a->nr_fields != b->nr_fields)
		return false;
	for (i = 0; i < a->nr_fields; i++) {
		const struct kt_field *x = &a->fields[i], *y = &b->fields[i];

		if (strcmp(x->name, y->name) || strcmp(x->type, y->type) ||
		    x->offset != y->offset || x->size != y->size ||
		    x->len != y->len || x->is_signed != y->is_signed)
			return false;
	}
	return true;
}

const char *kt_event_complaint(const struct kt_event *event)
{
	if (!name_is_good(event->system) || !name_is_good(event->name))
		return "the name is not one that a file can have";
	if (!event->source || !event->source->number)
		return "its source is not registered";
	if (!event->class || (event->source->points && !event->point))
		return "it has no point or class";
	if (event->source->points && !event->class->probe)
		return "it has no probe";
	return class_complaint(event->class);
}

const char *kt_event_clash(const struct kt_event *event,
			   const struct kt_event *other)
{
	return class_equal(other->class, event->class)
		       ? "there is one of that name already"
		       : "there is one of that name with another format";
}

struct kt_event *kt_event_namesake(const struct kt_event *event)
{
	struct kt_system *system =
		kt_system_find(event->system, strlen(event->system));
	struct kt_entry *entry =
		system ? kt_entry_find(system, event->name, strlen(event->name))
		       : NULL;

	return entry ? entry->event : NULL;
}

struct kt_entry *kt_entry_named(const char *name)
{
	const char *slash = strchr(name, '/');
	struct kt_system *system;

	if (!slash)
		return NULL;
	system = kt_system_find(name, slash - name);
	if (!system)
		return NULL;
	return kt_entry_find(system, slash + 1, strlen(slash + 1));
}

struct kt_entry *kt_entry_make(struct kt_event_set *set, struct kt_event *event)
{
	struct kt_system *system;
	struct kt_entry *entry;

	lockdep_assert_held(&kt_mutex);
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return NULL;
	system = system_join(event->system);
	if (!system)
		goto err_free;
	kref_init(&entry->ref);
	entry->event = event;
	entry->set = set;
	entry->system = system;
	entry->cookie = ++last_cookie;
	INIT_LIST_HEAD(&entry->going);
	if (xa_reserve(&system->entries, entry->cookie, GFP_KERNEL))
		goto err_system;
	return entry;

err_system:
	system_tidy(system);
	kt_system_put(system);
err_free:
	kfree(entry);
	return NULL;
}

/* Cannot fail: kt_entry_make() has reserved its place. */
void kt_entry_publish(struct kt_entry *entry)
{
	struct kt_event *event = entry->event;
	struct kt_point *point;

	lockdep_assert_held(&kt_mutex);
	xa_store(&entry->system->entries, entry->cookie, entry, GFP_KERNEL);
	hash_add(entries, &entry->node, name_hash(event->name));
	event->entry = entry;
	point = point_for(event);
	if (point)
		entry_show(entry, point);
}

void kt_entry_cancel(struct kt_entry *entry)
{
	lockdep_assert_held(&kt_mutex);
	xa_release(&entry->system->entries, entry->cookie);
	system_tidy(entry->system);
	kt_entry_put(entry);
}

int kt_event_add(struct kt_event_set *set, struct kt_event *event,
		 const char **why)
{
	struct kt_event *namesake;
	struct kt_entry *entry;

	*why = kt_event_complaint(event);
	if (*why)
		return -EINVAL;
	namesake = kt_event_namesake(event);
	if (namesake) {
		*why = kt_event_clash(event, namesake);
		return -EINVAL;
	}
	entry = kt_entry_make(set, event);
	if (!entry) {
		*why = "no memory";
		return -ENOMEM;
	}
	kt_entry_publish(entry);
	return 0;
}

/* Removes the entry from the tables.  Whoever still holds a reference sees that it is gone. */
static void entry_remove(struct kt_entry *entry)
{
	entry_hide(entry);
	hash_del(&entry->node);
	entry->event->entry = NULL;
	WRITE_ONCE(entry->event, NULL);
	entry->set = NULL;
	xa_erase(&entry->system->entries, entry->cookie);
	system_tidy(entry->system);
	kt_entry_put(entry);
}

void kt_entries_remove(struct list_head *going)
{
	lockdep_assert_held(&kt_mutex);
	registry_ops->drop(going, true);
	while (!list_empty(going)) {
		struct kt_entry *entry =
			list_first_entry(going, struct kt_entry, going);

		list_del(&entry->going);
		entry_remove(entry);
	}
}

void kt_event_remove(struct kt_event *event)
{
	LIST_HEAD(going);

	if (!event->entry)
		return;
	list_add(&event->entry->going, &going);
	kt_entries_remove(&going);
}

int kt_events_register(struct kt_event_set *set)
{
	size_t i;
	int err = 0;

	mutex_lock(&kt_mutex);
	for (i = 0; i < set->nr_events; i++) {
		struct kt_event *event = set->events[i];
		const char *why;

		err = kt_event_add(set, event, &why);
		if (!err)
			continue;
		pr_warn("ktrace: %s: event %s:%s refused: %s\n",
			set->owner ? module_name(set->owner) : "ktrace",
			event->system, event->name, why);
		if (err == -ENOMEM)
			break;
		err = 0;
	}
	mutex_unlock(&kt_mutex);
	if (err)
		kt_events_unregister(set);
	return err;
}
EXPORT_SYMBOL_GPL(kt_events_register);

void kt_events_unregister(struct kt_event_set *set)
{
	LIST_HEAD(going);
	size_t i;

	mutex_lock(&kt_mutex);
	for (i = 0; i < set->nr_events; i++) {
		struct kt_entry *entry = set->events[i]->entry;

		if (entry)
			list_add_tail(&entry->going, &going);
	}
	kt_entries_remove(&going);
	mutex_unlock(&kt_mutex);
}
EXPORT_SYMBOL_GPL(kt_events_unregister);

void __init kt_registry_init(const struct kt_registry_ops *ops)
{
	registry_ops = ops;
}
