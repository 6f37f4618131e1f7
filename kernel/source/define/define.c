// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events for tracepoints that no header describes.  Their fields are the raw arguments, with
 * the types that the definer has read in BTF.  A line of the file `define' (definition.h) is
 *
 *	SYSTEM/EVENT TRACEPOINT [MODULE]; KIND CTYPE NAME; KIND CTYPE NAME ...
 *
 * MODULE is the module that has the tracepoint (vmlinux: the kernel itself).  It must be
 * given if several have a tracepoint of that name.  If it is not given, the event belongs
 * to the module that has the tracepoint now, and will never be attached in another.
 *
 * Arguments of tracepoints are integers and pointers.  The calling convention passes each
 * in a register or stack slot of 64 bits, whatever its size.  So one probe for each number
 * of arguments serves all prototypes.  The upper bits of a small argument are undefined:
 * only the low bytes are stored, and the field's sign says how to read them.
 *
 * A kernel with CFI checks the type of a function before it calls it indirectly, and stops
 * at such a probe.  It has no events of this kind.
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "event/capturing.h"
#include "event/event.h"
#include "event/write.h"
#include "event/tracepoints.h"
#include "session/session.h"
#include "session/sources.h"
#include "define.h"
#include "definition.h"
#include "source/numbers.h"
#include "source/tracepoint/tracepoint.h"
#include "session/node.h"

static struct kt_definitions definitions;

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

static void *const generic_probes[KT_DEFINITION_FIELDS + 1] = {
	probe_0, probe_1, probe_2, probe_3,  probe_4,  probe_5,	 probe_6,
	probe_7, probe_8, probe_9, probe_10, probe_11, probe_12,
};

/* ---- lines ---------------------------------------------------------------- */

/* Parses "TRACEPOINT [MODULE]". */
static int point_parse(struct kt_session *session,
		       struct kt_definition *definition, char *text)
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

static int definition_complete(struct kt_session *session,
			       struct kt_definition *definition)
{
	const struct kt_event *event = &definition->event;
	unsigned int nr, there = kt_tracepoint_arguments(kt_tracepoint_search(
				 event->point, event->module, &nr));

	definition->class.raw = true;
	definition->class.probe = generic_probes[definition->class.nr_fields];
	if (event->class->nr_fields <= there)
		return 0;
	return kt_refuse(session, -EINVAL,
			 "%s/%s: tracepoint %s passes %u, not %u arguments",
			 event->system, event->name, event->point, there,
			 event->class->nr_fields);
}

static int define_write(const struct kt_node *node, char *text)
{
	return kt_definitions_write(&definitions, node->session, NULL, text);
}

static int define_show(struct seq_file *m, const struct kt_node *node)
{
	kt_definitions_show(m, &definitions, false);
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

static struct kt_definitions definitions = {
	KT_DEFINITIONS(definitions, &source, sizeof(struct kt_definition)),
	.place_name = "TRACEPOINT",
	.place = point_parse,
	.complete = definition_complete,
};

void kt_define_init(void)
{
	kt_source_register(&source);
}

void kt_define_exit(void)
{
	kt_definitions_clear(&definitions);
	kt_source_unregister(&source);
}
