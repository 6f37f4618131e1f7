// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events defined at run time, for tracepoints that no header describes.  Their fields are
 * the raw arguments, with the types that the definer has read in BTF.
 *
 *	SYSTEM/EVENT TRACEPOINT [MODULE]; KIND CTYPE NAME; KIND CTYPE NAME ...
 *	!SYSTEM/EVENT
 *
 * MODULE is the module that has the tracepoint (vmlinux: the kernel itself).  It must be
 * given if several have a tracepoint of that name.  If it is not given, the event belongs
 * to the module that has the tracepoint now, and will never be attached in another.
 *
 * KIND is how the argument is recorded: u8 .. u64, s8 .. s64 or ptr.  CTYPE is its type in
 * C, which is only shown.
 *
 * Arguments of tracepoints are integers and pointers.  The calling convention passes each
 * in a register or stack slot of 64 bits, whatever its size.  So one probe for each number
 * of arguments serves all prototypes.  The upper bits of a small argument are undefined:
 * only the low bytes are stored, and the field's sign says how to read them.
 *
 * A kernel with CFI checks the type of a function before it calls it indirectly, and stops
 * at such a probe.  It has no events of this kind.
 *
 * A write may have many lines; if one is refused, none takes effect.  So all lines are
 * checked, and all memory is allocated, before anything changes.
 */
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event/capturing.h"
#include "event/event.h"
#include "event/write.h"
#include "event/tracepoints.h"
#include "session/session.h"
#include "session/sources.h"
#include "define.h"
#include "source/numbers.h"
#include "source/tracepoint/tracepoint.h"
#include "session/node.h"

#define ARGUMENTS_MAX 12
#define CTYPE_MAX     127

struct definition {
	struct list_head node;	/* in definitions, or in change.added */
	struct list_head going; /* in change.removed; else empty */
	struct kt_entry *entry; /* used while it is being added */
	struct kt_event event;
	struct kt_class class;
	struct kt_field fields[ARGUMENTS_MAX];
	char module[MODULE_NAME_LEN]; /* of the tracepoint */
	char *text;		      /* as written */
	char *names; /* a copy of text, cut into strings; names point into it */
	char *print;
};

/* All that one write adds and removes. */
struct change {
	struct list_head added;
	struct list_head removed;
	bool any;
};

static LIST_HEAD(definitions);
static struct kt_source source;
static struct kt_event_set definition_set = {.owner = THIS_MODULE};

/* ---- probes --------------------------------------------------------------- */

/* Programs get the first arguments as they were passed. */
static noinline void generic_capture(struct kt_enabled *enabled,
				     const u64 *arguments, unsigned int nr)
{
	struct kt_capture_frame *frame;
	unsigned int i;

	if (!kt_capture_begin(enabled, &frame))
		return;
	for (i = 0; i < KT_CAPTURE_ARGUMENTS; i++)
		frame->arguments[i] = i < nr ? arguments[i] : 0;
	kt_numbers_store(enabled->event->class, frame->payload, arguments, nr);
	kt_capture_end(enabled, frame, frame->arguments);
}

static __always_inline void generic_record(struct kt_enabled *enabled,
					   const u64 *arguments,
					   unsigned int nr)
{
	const struct kt_class *class = enabled->event->class;
	struct kt_write write __kt_uninitialized;
	void *payload;

	kt_probe_enter();
	if (unlikely(enabled->capturing)) {
		generic_capture(enabled, arguments, nr);
	} else {
		payload = kt_write_begin(&write, enabled, class->size, 0);
		if (payload) {
			kt_tail_zero(payload, class->size);
			kt_numbers_store(class, payload, arguments, nr);
			kt_write_end(&write, 0);
		}
	}
	kt_probe_exit();
}

#define GENERIC_PROBE(nr)                                \
	static void probe_##nr(void *data, KT_U64_##nr)  \
	{                                                \
		const u64 arguments[] = {KT_NAMES_##nr}; \
                                                         \
		generic_record(data, arguments, nr);     \
	}

static void probe_0(void *data)
{
	generic_record(data, NULL, 0);
}
GENERIC_PROBE(1)
GENERIC_PROBE(2)
GENERIC_PROBE(3)
GENERIC_PROBE(4)
GENERIC_PROBE(5)
GENERIC_PROBE(6)
GENERIC_PROBE(7)
GENERIC_PROBE(8)
GENERIC_PROBE(9)
GENERIC_PROBE(10)
GENERIC_PROBE(11)
GENERIC_PROBE(12)

static void *const generic_probes[ARGUMENTS_MAX + 1] = {
	probe_0, probe_1, probe_2, probe_3,  probe_4,  probe_5,	 probe_6,
	probe_7, probe_8, probe_9, probe_10, probe_11, probe_12,
};

/* ---- definitions ---------------------------------------------------------- */

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

static void definition_free(struct definition *definition)
{
	u16 i;

	if (!definition)
		return;
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
		       struct definition *definition, char *text)
{
	struct kt_class *class = &definition->class;
	struct kt_field *field = &definition->fields[class->nr_fields];
	const struct kind *kind;
	char *kind_name, *name;
	u16 i;

	if (class->nr_fields == ARGUMENTS_MAX)
		return kt_refuse(session, -EINVAL, "more than %u arguments",
				 ARGUMENTS_MAX);
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

/* Parses "TRACEPOINT [MODULE]". */
static int point_parse(struct kt_session *session,
		       struct definition *definition, char *text)
{
	char *module = strim(text), *name = strsep(&module, " \t");
	const struct kt_tracepoint *found;
	unsigned int nr;

	if (module)
		module = skip_spaces(module);
	found = kt_tracepoint_search(name, module, &nr);
	if (!nr)
		return kt_refuse(session, -ENOENT,
				 "there is no tracepoint \"%*pE\"%s%*pE",
				 (int)min_t(size_t, strlen(name), 60), name,
				 module ? " in " : "",
				 (int)strnlen(module ?: "", 56), module ?: "");
	if (nr > 1)
		return kt_refuse(session, -EINVAL,
				 "several modules have a tracepoint \"%.60s\": "
				 "name the module behind it",
				 name);
	strscpy(definition->module, kt_point_module(&found->point),
		sizeof(definition->module));
	definition->event.point = name;
	definition->event.module = definition->module;
	return 0;
}

/* Parses "SYSTEM/EVENT TRACEPOINT [MODULE]". */
static int head_parse(struct kt_session *session, struct definition *definition,
		      char *text)
{
	struct kt_event *event = &definition->event;
	char *system, *name, *tracepoint = strim(text);

	name = strsep(&tracepoint, " \t");
	system = strsep(&name, "/");
	if (!name || !tracepoint || strpbrk(name, "/"))
		return kt_refuse(session, -EINVAL,
				 "\"%*pE\": SYSTEM/EVENT TRACEPOINT is wanted",
				 (int)min_t(size_t, strlen(text), 60), text);
	event->system = system;
	event->name = name;
	return point_parse(session, definition, tracepoint);
}

static int arguments_check(struct kt_session *session,
			   const struct definition *definition)
{
	const struct kt_event *event = &definition->event;
	unsigned int nr, there = kt_tracepoint_arguments(kt_tracepoint_search(
				 event->point, event->module, &nr));

	if (event->class->nr_fields <= there)
		return 0;
	return kt_refuse(session, -EINVAL,
			 "%s/%s: tracepoint %s passes %u, not %u arguments",
			 event->system, event->name, event->point, there,
			 event->class->nr_fields);
}

static struct definition *definition_parse(struct kt_session *session,
					   const char *line)
{
	const char *reason = kt_source_unsupported(&source);
	struct definition *definition;
	char *rest, *part;
	int err;

	if (reason)
		return ERR_PTR(kt_refuse(session, -EOPNOTSUPP, "%s", reason));
	definition = kzalloc(sizeof(*definition), GFP_KERNEL);
	if (!definition)
		goto err_memory;
	definition->text = kstrdup(line, GFP_KERNEL);
	definition->names = kstrdup(line, GFP_KERNEL);
	if (!definition->text || !definition->names)
		goto err_memory;
	INIT_LIST_HEAD(&definition->going);
	definition->event.class = &definition->class;
	definition->event.source = &source;
	definition->event.owner = THIS_MODULE;
	definition->class.fields = definition->fields;
	definition->class.captures = true;
	definition->class.raw = true;

	rest = definition->names;
	err = head_parse(session, definition, strsep(&rest, ";"));
	while (!err && (part = strsep(&rest, ";"))) {
		/* The list may end with a semicolon. */
		if (!rest && !*skip_spaces(part))
			break;
		err = field_parse(session, definition, part);
	}
	if (!err)
		err = arguments_check(session, definition);
	if (err)
		goto err_free;
	definition->class.probe = generic_probes[definition->class.nr_fields];
	definition->class.print = print_make(&definition->class);
	definition->print = (char *)definition->class.print;
	if (!definition->print)
		goto err_memory;
	return definition;

err_memory:
	err = kt_refuse(session, -ENOMEM, "no memory");
err_free:
	definition_free(definition);
	return ERR_PTR(err);
}

/* ---- the file ------------------------------------------------------------- */

static bool definition_is(const struct definition *definition, const char *name)
{
	size_t length = strlen(definition->event.system);

	return !strncmp(name, definition->event.system, length) &&
	       name[length] == '/' &&
	       !strcmp(name + length + 1, definition->event.name);
}

/* Also removes what earlier lines of the same write have added. */
static int change_remove(struct kt_session *session, struct change *change,
			 const char *name)
{
	struct definition *definition;

	list_for_each_entry(definition, &change->added, node) {
		if (definition_is(definition, name)) {
			list_del(&definition->node);
			definition_free(definition);
			return 0;
		}
	}
	list_for_each_entry(definition, &definitions, node) {
		if (definition_is(definition, name) &&
		    list_empty(&definition->going)) {
			list_add_tail(&definition->going, &change->removed);
			return 0;
		}
	}
	return kt_refuse(session, -ENOENT, "\"%*pE\" is not defined here",
			 (int)min_t(size_t, strlen(name), 60), name);
}

/* The event that will have the same name once the change is applied. */
static const struct kt_event *change_namesake(const struct change *change,
					      const struct kt_event *event)
{
	const struct kt_event *namesake = kt_event_namesake(event);
	const struct definition *definition;

	list_for_each_entry(definition, &change->added, node) {
		if (!strcmp(definition->event.system, event->system) &&
		    !strcmp(definition->event.name, event->name))
			return &definition->event;
	}
	list_for_each_entry(definition, &change->removed, going) {
		if (&definition->event == namesake)
			return NULL;
	}
	return namesake;
}

static int change_add(struct kt_session *session, struct change *change,
		      const char *line)
{
	struct definition *definition = definition_parse(session, line);
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
		err = kt_refuse(session, -EINVAL, "%s/%s: %s", event->system,
				event->name, why);
		definition_free(definition);
		return err;
	}
	list_add_tail(&definition->node, &change->added);
	return 0;
}

static int change_read(struct kt_session *session, struct change *change,
		       char *text)
{
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		line = strim(line);
		if (!*line)
			continue;
		change->any = true;
		err = *line == '!' ? change_remove(session, change,
						   skip_spaces(line + 1))
				   : change_add(session, change, line);
	}
	if (!err && !change->any)
		err = kt_refuse(session, -EINVAL, "nothing is defined there");
	return err;
}

/* The last step that can fail. */
static int change_prepare(struct kt_session *session, struct change *change)
{
	struct definition *definition;

	list_for_each_entry(definition, &change->added, node) {
		definition->entry =
			kt_entry_make(&definition_set, &definition->event);
		if (!definition->entry)
			return kt_refuse(session, -ENOMEM, "no memory");
	}
	return 0;
}

static void change_apply(struct change *change)
{
	struct definition *definition, *next;
	LIST_HEAD(going);

	list_for_each_entry(definition, &change->removed, going)
		list_add_tail(&definition->event.entry->going, &going);
	kt_entries_remove(&going);
	list_for_each_entry_safe(definition, next, &change->removed, going) {
		list_del(&definition->node);
		definition_free(definition);
	}
	list_for_each_entry(definition, &change->added, node)
		kt_entry_publish(definition->entry);
	list_splice_tail(&change->added, &definitions);
}

static void change_drop(struct change *change)
{
	struct definition *definition, *next;

	list_for_each_entry_safe(definition, next, &change->removed, going)
		list_del_init(&definition->going);
	list_for_each_entry_safe(definition, next, &change->added, node) {
		if (definition->entry)
			kt_entry_cancel(definition->entry);
		definition_free(definition);
	}
}

static int define_write(const struct kt_node *node, char *text)
{
	struct change change = {
		.added = LIST_HEAD_INIT(change.added),
		.removed = LIST_HEAD_INIT(change.removed),
	};
	int err;

	lockdep_assert_held(&kt_mutex);
	err = change_read(node->session, &change, text);
	err = err ?: change_prepare(node->session, &change);
	if (err)
		change_drop(&change);
	else
		change_apply(&change);
	return err;
}

static int define_show(struct seq_file *m, const struct kt_node *node)
{
	struct definition *definition;

	list_for_each_entry(definition, &definitions, node)
		seq_printf(m, "%s\n", definition->text);
	return 0;
}

static const struct kt_kind define_file = {
	.name = "define",
	.mode = S_IFREG | 0660,
	.show = define_show,
	.show_size = 16 * PAGE_SIZE,
	.write = define_write,
	.write_max = 256 << 10,
};

/* ---- the source ----------------------------------------------------------- */

static const struct kt_kind *const root_files[] = {&define_file, NULL};

static const char *define_unsupported(void)
{
	if (IS_ENABLED(CONFIG_CFI) || IS_ENABLED(CONFIG_CFI_CLANG))
		return "this kernel checks the types of calls (CFI)";
	return NULL;
}

static struct kt_source source = {
	.name = "define",
	.owner = THIS_MODULE,
	.root_files = root_files,
	.unsupported = define_unsupported,
	.attach = kt_tracepoint_attach,
	.detach = kt_tracepoint_detach,
	.synchronize = kt_tracepoints_synchronize,
	.points = &kt_tracepoints,
};

static void definitions_clear(void)
{
	struct definition *definition;
	struct change change = {
		.added = LIST_HEAD_INIT(change.added),
		.removed = LIST_HEAD_INIT(change.removed),
	};

	mutex_lock(&kt_mutex);
	list_for_each_entry(definition, &definitions, node)
		list_add_tail(&definition->going, &change.removed);
	change_apply(&change);
	mutex_unlock(&kt_mutex);
}

void kt_define_init(void)
{
	kt_source_register(&source);
}

void kt_define_exit(void)
{
	definitions_clear();
	kt_source_unregister(&source);
}
