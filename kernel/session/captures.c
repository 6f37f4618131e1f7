// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture programs of a session's events.  Its file `capture' has a line for each:
 *
 *	SYSTEM/EVENT: PROGRAM
 *	SYSTEM/EVENT:			removes the program
 *	none				removes all programs
 *
 * If a line is refused, none takes effect.  The program of an event can be changed only
 * while the event is disabled.  What the event recorded until then has other fields, and
 * keeps its old id, which is remembered as those of events that are gone (gone.c).  The
 * event gets a new id.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <ktrace/capture_names.h>

#include "access.h"
#include "captures.h"
#include "event/capturing.h"
#include "event/gate.h"
#include "event/registry.h"
#include "gone.h"
#include "session.h"

#define LOCATION "__data_loc "

/* ---- making --------------------------------------------------------------- */

static void mask_describe(struct kt_field *field, const char *name, u16 offset)
{
	field->type = "u16";
	field->name = name;
	field->offset = offset;
	field->size = sizeof(u16);
}

static int class_make(struct kt_capturing *capturing,
		      const struct kt_class *base,
		      const struct kt_capture_field *captured)
{
	const struct kt_capture *program = &capturing->program;
	struct kt_class *class = &capturing->class;
	struct kt_field *fields;
	u16 i;

	fields = kcalloc(base->nr_fields + 2 + program->nr_fields,
			 sizeof(*fields), GFP_KERNEL);
	if (!fields)
		return -ENOMEM;
	*class = *base;
	class->print = NULL;
	class->dynamic = true;
	class->size = base->size + kt_capture_head(program);
	class->fields = fields;
	class->nr_fields = base->nr_fields + 2 + program->nr_fields;
	if (base->nr_fields)
		memcpy(fields, base->fields, base->nr_fields * sizeof(*fields));
	fields += base->nr_fields;
	mask_describe(fields++, KTRACE_CAPTURED_CUT, base->size);
	mask_describe(fields++, KTRACE_CAPTURED_UNREAD,
		      base->size + sizeof(u16));
	for (i = 0; i < program->nr_fields; i++, fields++) {
		fields->type =
			kasprintf(GFP_KERNEL, LOCATION "%.*s[]",
				  captured[i].type_length, captured[i].type);
		fields->name = kstrndup(captured[i].name,
					captured[i].name_length, GFP_KERNEL);
		if (!fields->type || !fields->name)
			return -ENOMEM;
		fields->offset = base->size + 2 * sizeof(u16) + i * sizeof(u32);
		fields->size = sizeof(u32);
	}
	return 0;
}

static bool name_taken(const struct kt_class *class, u16 index)
{
	u16 i;

	for (i = 0; i < index; i++) {
		if (!strcmp(class->fields[i].name, class->fields[index].name))
			return true;
	}
	return false;
}

static bool program_reads_kernel(const struct kt_capture *program)
{
	u16 i;

	for (i = 0; i < program->nr_ops; i++) {
		if (program->ops[i].kernel)
			return true;
	}
	return false;
}

/* Parses and verifies the text for a probe of this class. */
static int program_make(struct kt_session *session, const char *name,
			const struct kt_class *class, const char *text,
			struct kt_capture *program,
			struct kt_capture_field *fields)
{
	struct kt_capture_error error = {};
	int err = kt_capture_parse(program, text, fields, &error);

	if (err && error.at)
		return kt_refuse(session, err,
				 "%s: at character %td, \"%*pE\": %s", name,
				 error.at - text + 1,
				 (int)min_t(size_t, strlen(error.at), 40),
				 error.at, error.what);
	if (err)
		return kt_refuse(session, err, "%s: %s", name, error.what);
	if (class->arguments)
		error.what = kt_capture_place(program, class->arguments);
	if (error.what)
		return kt_refuse(session, -EINVAL, "%s: %s", name, error.what);
	if (program->paths && !class->unlocked)
		return kt_refuse(session, -EOPNOTSUPP,
				 "%s: only system calls have paths", name);
	if (!program_reads_kernel(program))
		return 0;
	if (class->program)
		return kt_refuse(session, -EPERM,
				 "%s: for a probe in a program, nothing of the "
				 "kernel is read",
				 name);
	return kt_access_kernel(session);
}

struct kt_capturing *kt_capturing_make(struct kt_session *session,
				       const char *name,
				       const struct kt_class *class,
				       const char *text, int *err)
{
	struct kt_capture_field fields[KT_CAPTURE_FIELDS_MAX];
	struct kt_capturing *capturing, *whole;
	u16 i;

	*err = -ENOMEM;
	capturing = kzalloc(sizeof(*capturing), GFP_KERNEL);
	if (!capturing)
		goto err_memory;
	capturing->text = kstrdup(text, GFP_KERNEL);
	if (!capturing->text)
		goto err_memory;
	*err = program_make(session, name, class, text, &capturing->program,
			    fields);
	if (*err)
		goto err_free;
	/* Most programs have few operations, and there may be a thousand programs. */
	*err = -ENOMEM;
	whole = capturing;
	capturing = kmemdup(whole,
			    offsetof(struct kt_capturing,
				     program.ops[whole->program.nr_ops]),
			    GFP_KERNEL);
	if (!capturing) {
		capturing = whole;
		goto err_memory;
	}
	kfree(whole);
	capturing->own_size = class->size;
	/* Copies are rounded up to a unit, and strings are written by whole words. */
	capturing->frame_size = ALIGN(
		sizeof(struct kt_capture_frame) + KT_STRING_SLACK +
			kt_capture_size_max(&capturing->program, class->size),
		sizeof(u64));
	*err = class_make(capturing, class, fields);
	if (*err)
		goto err_memory;
	for (i = 0; i < capturing->class.nr_fields; i++) {
		if (!name_taken(&capturing->class, i))
			continue;
		*err = kt_refuse(session, -EINVAL,
				 "%s: two fields named \"%s\"", name,
				 capturing->class.fields[i].name);
		goto err_free;
	}
	return capturing;

err_memory:
	kt_refuse(session, *err, "no memory");
err_free:
	kt_capturing_free(capturing);
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_capturing_make);

/* ---- the file ------------------------------------------------------------- */

/* One line that was written. */
struct change {
	struct list_head node;
	struct kt_enabled *enabled;
	struct kt_capturing *capturing; /* NULL: remove it */
};

static int change_check(struct kt_session *session, const char *name,
			struct kt_entry *entry)
{
	const struct kt_enabled *enabled;

	if (!entry || !kt_entry_visible(entry))
		return kt_refuse(session, -ENOENT, "there is no event \"%*pE\"",
				 (int)min_t(size_t, strlen(name), 60), name);
	if (!entry->event->class->captures)
		return kt_refuse(session, -EOPNOTSUPP,
				 "%s: its probe captures nothing", name);
	enabled = kt_session_event(session, entry);
	if (enabled && enabled->wanted)
		return kt_refuse(session, -EBUSY,
				 "%s is enabled: disable it first", name);
	if (enabled && enabled->filter_text)
		return kt_refuse(session, -EBUSY,
				 "%s has a filter: remove it first", name);
	if (enabled && enabled->gate && enabled->gate->stacking)
		return kt_refuse(session, -EBUSY,
				 "%s is recorded with its stack: remove that "
				 "first",
				 name);
	return 0;
}

static int change_make(struct kt_session *session, struct change *change,
		       char *line)
{
	char *program = line, *name = strsep(&program, ":");
	struct kt_entry *entry;
	int err;

	name = strim(name);
	if (!program)
		return kt_refuse(session, -EINVAL,
				 "\"%*pE\": SYSTEM/EVENT: PROGRAM is wanted",
				 (int)min_t(size_t, strlen(name), 60), name);
	entry = kt_entry_named(name);
	err = change_check(session, name, entry);
	if (err)
		return err;
	program = strim(program);
	if (*program) {
		change->capturing = kt_capturing_make(
			session, name, entry->event->class, program, &err);
		if (!change->capturing)
			return err;
	}
	change->enabled = kt_session_event_make(session, entry);
	return change->enabled ? 0 : kt_refuse(session, -ENOMEM, "no memory");
}

/* The event is detached, and no CPU runs its probe any more. */
static void capturing_replace(struct kt_enabled *enabled,
			      struct kt_capturing *capturing)
{
	if (enabled->id) {
		kt_gone_keep(enabled->session, enabled->event->entry, enabled);
		enabled->id = 0;
	}
	kt_capturing_free(enabled->capturing);
	enabled->capturing = capturing;
}

static int capture_clear(struct kt_session *session)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		const struct kt_event *event = enabled->event;

		if (!enabled->capturing)
			continue;
		if (enabled->wanted)
			return kt_refuse(session, -EBUSY,
					 "%s/%s is enabled: disable it first",
					 event->system, event->name);
		/*
		 * The filter was compiled for the fields and the size that include the
		 * program's.
		 */
		if (enabled->filter_text)
			return kt_refuse(session, -EBUSY,
					 "%s/%s has a filter: remove it first",
					 event->system, event->name);
		if (enabled->gate && enabled->gate->stacking)
			return kt_refuse(session, -EBUSY,
					 "%s/%s is recorded with its stack: "
					 "remove that first",
					 event->system, event->name);
	}
	kt_for_each_event(session, enabled) {
		if (enabled->capturing)
			capturing_replace(enabled, NULL);
	}
	return 0;
}

int kt_capture_write(struct kt_session *session, char *text)
{
	struct change *change, *next;
	LIST_HEAD(changes);
	char *line;
	int err = 0;

	lockdep_assert_held(&kt_mutex);
	if (!strcmp(strim(text), "none"))
		return capture_clear(session);
	while (!err && text) {
		line = text;
		text = strchr(line, '\n');
		if (text)
			*text++ = '\0';
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
			kt_capturing_free(change->capturing);
		else
			capturing_replace(change->enabled, change->capturing);
		kfree(change);
	}
	return err;
}

void kt_capture_show(struct seq_file *m, struct kt_session *session)
{
	struct kt_enabled *enabled;

	kt_for_each_event(session, enabled) {
		if (enabled->capturing)
			seq_printf(m, "%s/%s: %s\n", enabled->event->system,
				   enabled->event->name,
				   enabled->capturing->text);
	}
}
