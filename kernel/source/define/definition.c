// SPDX-License-Identifier: GPL-2.0-only
/* Events that are defined at run time: definition.h. */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "definition.h"
#include "event/registry.h"
#include "session/session.h"
#include "session/sources.h"

#define CTYPE_MAX 127

/* All that one write adds and removes. */
struct change {
	struct kt_definitions *definitions;
	struct kt_session *session;
	const struct file *holder;
	struct list_head added;
	struct list_head removed;
	bool any;
};

/* ---- lines ---------------------------------------------------------------- */

static const struct kind {
	const char *name;
	u16 size;
	bool is_signed;
} kinds[] = {
	{"u8", 1, false},  {"u16", 2, false}, {"u32", 4, false},
	{"u64", 8, false}, {"s8", 1, true},   {"s16", 2, true},
	{"s32", 4, true},  {"s64", 8, true},  {"ptr", 8, false},
};

static const struct kind *kind_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	return NULL;
}

static void definition_free(const struct kt_definitions *definitions,
			    struct kt_definition *definition)
{
	u16 i;

	if (!definition)
		return;
	hash_del(&definition->named);
	if (definitions->end)
		definitions->end(definition);
	for (i = 0; i < definition->class.nr_fields; i++)
		kfree(definition->fields[i].type);
	kfree(definition->print);
	kfree(definition->names);
	kfree(definition->text);
	kfree(definition);
}

static bool is_identifier(const char *name)
{
	const char *c = name;

	if (!kt_name_char(*c) || isdigit(*c))
		return false;
	while (kt_name_char(*c))
		c++;
	return !*c && c - name <= KT_NAME_MAX;
}

static bool is_ctype(const char *type)
{
	const char *c;

	for (c = type; *c; c++) {
		if (!isascii(*c) || !isprint(*c))
			return false;
	}
	return *type && c - type <= CTYPE_MAX;
}

/* Parses "KIND CTYPE NAME".  The type may contain blanks and end with an asterisk. */
static int field_parse(struct kt_session *session,
		       struct kt_definition *definition, char *text)
{
	struct kt_class *class = &definition->class;
	struct kt_field *field = &definition->fields[class->nr_fields];
	const struct kind *kind;
	char *kind_name, *name;
	u16 i;

	if (class->nr_fields == KT_DEFINITION_FIELDS)
		return kt_refuse(session, -EINVAL, "more than %u arguments",
				 KT_DEFINITION_FIELDS);
	text = strim(text);
	kind_name = strsep(&text, " \t");
	kind = kind_find(kind_name);
	if (!kind)
		return kt_refuse(session, -EINVAL,
				 "\"%.20s\" is not u8 to u64, s8 to s64 or ptr",
				 kind_name);
	text = text ? strim(text) : "";
	name = text + strlen(text);
	while (name > text && kt_name_char(name[-1]))
		name--;
	if (!is_identifier(name) || name == text)
		return kt_refuse(
			session, -EINVAL,
			"\"%s %.60s\": a kind, a type and a name are wanted",
			kind_name, text);
	field->name = name;
	field->type = kstrndup(text, name - text, GFP_KERNEL);
	if (!field->type)
		return kt_refuse(session, -ENOMEM, "no memory");
	class->nr_fields++;
	strim((char *)field->type);
	if (!is_ctype(field->type))
		return kt_refuse(session, -EINVAL, "\"%.60s\" is not a type",
				 field->type);
	for (i = 0; i < class->nr_fields - 1; i++) {
		if (!strcmp(definition->fields[i].name, name))
			return kt_refuse(session, -EINVAL,
					 "two arguments named \"%s\"", name);
	}
	field->size = kind->size;
	field->is_signed = kind->is_signed;
	/* No gaps: they would show bytes of older records. */
	field->offset = class->size;
	class->size += field->size;
	return 0;
}

/* Makes a print format that shows all arguments in order. */
static char *print_make(const struct kt_class *class)
{
	size_t size = 8, at = 0;
	char *print;
	u16 i;

	for (i = 0; i < class->nr_fields; i++)
		size += 2 * strlen(class->fields[i].name) + 24;
	print = kmalloc(size, GFP_KERNEL);
	if (!print)
		return NULL;
	at += scnprintf(print + at, size - at, "\"");
	for (i = 0; i < class->nr_fields; i++) {
		const struct kt_field *field = &class->fields[i];
		const char *conversion = field->is_signed ? "%d" : "%u";

		if (field->size == 8)
			conversion = strchr(field->type, '*') ? "0x%llx"
				     : field->is_signed	      ? "%lld"
							      : "%llu";
		at += scnprintf(print + at, size - at, "%s%s=%s", i ? " " : "",
				field->name, conversion);
	}
	at += scnprintf(print + at, size - at, "\"");
	for (i = 0; i < class->nr_fields; i++)
		at += scnprintf(print + at, size - at, ", REC->%s",
				class->fields[i].name);
	return print;
}

/* Parses "SYSTEM/EVENT PLACE". */
static int head_parse(const struct kt_definitions *definitions,
		      struct kt_session *session,
		      struct kt_definition *definition, char *text)
{
	struct kt_event *event = &definition->event;
	char *system, *name, *place = strim(text);

	name = strsep(&place, " \t");
	system = strsep(&name, "/");
	if (!name || !place || strpbrk(name, "/"))
		return kt_refuse(session, -EINVAL,
				 "\"%*pE\": SYSTEM/EVENT %s is wanted",
				 (int)min_t(size_t, strlen(text), 60), text,
				 definitions->place_name);
	event->system = system;
	event->name = name;
	return definitions->place(session, definition, place);
}

/* Parses a field, and its value if fields have one. */
static int part_parse(const struct kt_definitions *definitions,
		      struct kt_session *session,
		      struct kt_definition *definition, char *text)
{
	char *value = text;
	int err;

	if (!definitions->value)
		return field_parse(session, definition, text);
	text = strsep(&value, "=");
	if (!value)
		return kt_refuse(session, -EINVAL,
				 "\"%.60s\": a value is missing", strim(text));
	err = field_parse(session, definition, text);
	return err ?: definitions->value(session, definition, strim(value));
}

static int definition_fill(const struct kt_definitions *definitions,
			   struct kt_session *session,
			   struct kt_definition *definition)
{
	char *rest = definition->names, *part;
	int err = head_parse(definitions, session, definition,
			     strsep(&rest, ";"));

	while (!err && (part = strsep(&rest, ";"))) {
		/* The list may end with a semicolon. */
		if (!rest && !*skip_spaces(part))
			break;
		err = part_parse(definitions, session, definition, part);
	}
	err = err ?: definitions->complete(session, definition);
	if (err)
		return err;
	definition->print = print_make(&definition->class);
	definition->class.print = definition->print;
	return definition->print ? 0 : kt_refuse(session, -ENOMEM, "no memory");
}

static struct kt_definition *definition_parse(
	const struct kt_definitions *definitions, struct kt_session *session,
	const char *line)
{
	const char *reason = kt_source_unsupported(definitions->source);
	struct kt_definition *definition;
	int err;

	if (reason)
		return ERR_PTR(kt_refuse(session, -EOPNOTSUPP, "%s", reason));
	definition = kzalloc(definitions->size, GFP_KERNEL);
	if (!definition)
		goto err_memory;
	definition->text = kstrdup(line, GFP_KERNEL);
	definition->names = kstrdup(line, GFP_KERNEL);
	if (!definition->text || !definition->names)
		goto err_memory;
	INIT_LIST_HEAD(&definition->going);
	definition->event.class = &definition->class;
	definition->event.source = definitions->source;
	definition->event.owner = definitions->set.owner;
	definition->class.fields = definition->fields;
	definition->class.captures = true;
	err = definition_fill(definitions, session, definition);
	if (!err)
		return definition;
	definition_free(definitions, definition);
	return ERR_PTR(err);

err_memory:
	definition_free(definitions, definition);
	return ERR_PTR(kt_refuse(session, -ENOMEM, "no memory"));
}

/* ---- changes -------------------------------------------------------------- */

static u32 name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* NULL: it is not defined here, or is removed by now. */
static struct kt_definition *definition_find(struct kt_definitions *definitions,
					     const char *system,
					     size_t system_length,
					     const char *name)
{
	struct kt_definition *definition;

	hash_for_each_possible(definitions->names, definition, named,
			       name_hash(name)) {
		const struct kt_event *event = &definition->event;

		if (list_empty(&definition->going) &&
		    !strcmp(event->name, name) &&
		    !strncmp(event->system, system, system_length) &&
		    !event->system[system_length])
			return definition;
	}
	return NULL;
}

/* Also removes what earlier lines of the same write have added. */
static int change_remove(struct change *change, const char *name)
{
	const char *slash = strchr(name, '/');
	struct kt_definition *definition = NULL;

	if (slash)
		definition = definition_find(change->definitions, name,
					     slash - name, slash + 1);
	if (!definition)
		return kt_refuse(change->session, -ENOENT,
				 "\"%*pE\" is not defined here",
				 (int)min_t(size_t, strlen(name), 60), name);
	if (definition->entry) {
		list_add_tail(&definition->going, &change->removed);
	} else {
		list_del(&definition->node);
		definition_free(change->definitions, definition);
	}
	return 0;
}

/* Is it one of those that the change removes? */
static bool change_removes(const struct change *change,
			   const struct kt_event *event)
{
	struct kt_definition *definition;

	hash_for_each_possible(change->definitions->names, definition, named,
			       name_hash(event->name)) {
		if (&definition->event == event)
			return !list_empty(&definition->going);
	}
	return false;
}

/* The event that will have the same name once the change is applied. */
static const struct kt_event *change_namesake(const struct change *change,
					      const struct kt_event *event)
{
	const struct kt_event *namesake = kt_event_namesake(event);
	const struct kt_definition *definition =
		definition_find(change->definitions, event->system,
				strlen(event->system), event->name);

	if (definition && !definition->entry)
		return &definition->event;
	return namesake && change_removes(change, namesake) ? NULL : namesake;
}

static int change_add(struct change *change, const char *line)
{
	struct kt_definition *definition =
		definition_parse(change->definitions, change->session, line);
	const struct kt_event *event, *namesake;
	const char *why;
	int err;

	if (IS_ERR(definition))
		return PTR_ERR(definition);
	event = &definition->event;
	why = kt_event_complaint(event);
	namesake = why ? NULL : change_namesake(change, event);
	if (namesake)
		why = kt_event_clash(event, namesake);
	if (why) {
		err = kt_refuse(change->session, -EINVAL, "%s/%s: %s",
				event->system, event->name, why);
		definition_free(change->definitions, definition);
		return err;
	}
	definition->holder = change->holder;
	list_add_tail(&definition->node, &change->added);
	hash_add(change->definitions->names, &definition->named,
		 name_hash(event->name));
	return 0;
}

static int change_read(struct change *change, char *text)
{
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		/* Some sources take long for a line. */
		if (fatal_signal_pending(current))
			return kt_refuse(change->session, -EINTR,
					 "interrupted");
		line = strim(line);
		if (!*line)
			continue;
		change->any = true;
		err = *line == '!'
			      ? change_remove(change, skip_spaces(line + 1))
			      : change_add(change, line);
	}
	if (!err && !change->any)
		err = kt_refuse(change->session, -EINVAL,
				"nothing is defined there");
	return err;
}

/* The last step that can fail. */
static int change_prepare(struct change *change)
{
	struct kt_definition *definition;

	list_for_each_entry(definition, &change->added, node) {
		definition->entry = kt_entry_make(&change->definitions->set,
						  &definition->event);
		if (!definition->entry)
			return kt_refuse(change->session, -ENOMEM, "no memory");
	}
	return 0;
}

static void change_apply(struct change *change)
{
	struct kt_definition *definition, *next;
	LIST_HEAD(going);

	list_for_each_entry(definition, &change->removed, going)
		list_add_tail(&definition->event.entry->going, &going);
	kt_entries_remove(&going);
	list_for_each_entry_safe(definition, next, &change->removed, going) {
		list_del(&definition->node);
		definition_free(change->definitions, definition);
	}
	list_for_each_entry(definition, &change->added, node)
		kt_entry_publish(definition->entry);
	list_splice_tail(&change->added, &change->definitions->list);
}

static void change_drop(struct change *change)
{
	struct kt_definition *definition, *next;

	list_for_each_entry_safe(definition, next, &change->removed, going)
		list_del_init(&definition->going);
	list_for_each_entry_safe(definition, next, &change->added, node) {
		if (definition->entry)
			kt_entry_cancel(definition->entry);
		definition_free(change->definitions, definition);
	}
}

/* ---- what sources call ---------------------------------------------------- */

int kt_definitions_write(struct kt_definitions *definitions,
			 struct kt_session *session, const struct file *holder,
			 char *text)
{
	struct change change = {
		.definitions = definitions,
		.session = session,
		.holder = holder,
		.added = LIST_HEAD_INIT(change.added),
		.removed = LIST_HEAD_INIT(change.removed),
	};
	int err;

	lockdep_assert_held(&kt_mutex);
	err = change_read(&change, text);
	err = err ?: change_prepare(&change);
	if (err)
		change_drop(&change);
	else
		change_apply(&change);
	return err;
}
EXPORT_SYMBOL_GPL(kt_definitions_write);

void kt_definitions_show(struct seq_file *m,
			 const struct kt_definitions *definitions, bool held)
{
	const struct kt_definition *definition;

	list_for_each_entry(definition, &definitions->list, node) {
		if (held && !definition->holder)
			continue;
		if (definitions->show)
			definitions->show(m, definition);
		else
			seq_printf(m, "%s\n", definition->text);
	}
}
EXPORT_SYMBOL_GPL(kt_definitions_show);

/* Those of a holder; NULL: all. */
static void definitions_remove(struct kt_definitions *definitions,
			       const struct file *holder)
{
	struct change change = {
		.definitions = definitions,
		.added = LIST_HEAD_INIT(change.added),
		.removed = LIST_HEAD_INIT(change.removed),
	};
	struct kt_definition *definition;

	lockdep_assert_held(&kt_mutex);
	list_for_each_entry(definition, &definitions->list, node) {
		if (!holder || definition->holder == holder)
			list_add_tail(&definition->going, &change.removed);
	}
	/* Else it would wait for the probes of nothing. */
	if (!list_empty(&change.removed))
		change_apply(&change);
}

void kt_definitions_release(struct kt_definitions *definitions,
			    const struct file *holder)
{
	definitions_remove(definitions, holder);
}
EXPORT_SYMBOL_GPL(kt_definitions_release);

void kt_definitions_clear(struct kt_definitions *definitions)
{
	mutex_lock(&kt_mutex);
	definitions_remove(definitions, NULL);
	mutex_unlock(&kt_mutex);
}
EXPORT_SYMBOL_GPL(kt_definitions_clear);
