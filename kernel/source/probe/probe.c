// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events anywhere in code.  A line of the root's files `probes' and `probes_held'
 * (source/define/definition.h) is
 *
 *	SYSTEM/EVENT PLACE; KIND CTYPE NAME = VALUE; ...
 *
 * place.h says what a PLACE is, fetch.h what a VALUE is.  A capture program of the event has the
 * values of its first eight fields as arguments.
 *
 * Each session that records an event has a probe of its own for it.  They are armed when all of a
 * batch are there, and taken away together.
 */
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "armed.h"
#include "base/rethook.h"
#include "base/symbol.h"
#include "base/version.h"
#include "entries.h"
#include "place.h"
#include "probe.h"
#include "program_file.h"
#include "session/access.h"
#include "session/node.h"
#include "session/session.h"
#include "session/sources.h"

/* A session. */
struct probing {
	struct list_head probes; /* no next: none was attached yet */
	struct list_head counts; /* then, too; of events that are still there */
	u64 missed[MISSES];	 /* by those that have gone */
};

/* Detached, but may still run. */
static LIST_HEAD(going);
static struct kt_source source;
static struct kt_definitions definitions;

static struct probe_definition *definition_of(
	const struct kt_definition *definition)
{
	return container_of(definition, struct probe_definition, definition);
}

/* ---- attaching ------------------------------------------------------------ */

static struct probing *probing_of(struct kt_enabled *enabled)
{
	struct probing *probing = enabled->state;

	if (!probing->probes.next) {
		INIT_LIST_HEAD(&probing->probes);
		INIT_LIST_HEAD(&probing->counts);
	}
	return probing;
}

static struct list_head *session_probes(const struct kt_session *session)
{
	struct probing *probing = kt_source_state(session, &source);

	return probing && probing->probes.next ? &probing->probes : NULL;
}

/* That of the session; made when it attaches the event for the first time.  NULL: no memory. */
static struct probe_count *count_of(struct probing *probing,
				    struct probe_definition *definition)
{
	struct probe_count *count;

	hlist_for_each_entry(count, &definition->counts, event) {
		if (count->probing == probing)
			return count;
	}
	count = kzalloc(sizeof(*count), GFP_KERNEL_ACCOUNT);
	if (!count)
		return NULL;
	count->probing = probing;
	count->definition = definition;
	hlist_add_head(&count->event, &definition->counts);
	list_add_tail(&count->node, &probing->counts);
	return count;
}

static void count_free(struct probe_count *count)
{
	hlist_del(&count->event);
	list_del(&count->node);
	kfree(count);
}

static int probe_attach(struct kt_enabled *enabled)
{
	struct probing *probing = probing_of(enabled);
	struct probe_definition *definition = definition_of(
		container_of(enabled->event, struct kt_definition, event));
	struct probe_count *count = count_of(probing, definition);
	struct probe *probe;

	probe = count ? kzalloc(sizeof(*probe), GFP_KERNEL) : NULL;
	if (probe)
		probe->hits = alloc_percpu_gfp(
			unsigned long, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!probe || !probe->hits) {
		kfree(probe);
		return kt_refuse(enabled->session, -ENOMEM, "no memory");
	}
	probe->count = count;
	count->probe = probe;
	probe->enabled = enabled;
	probe->definition = definition;
	probe->returns = definition->returns;
	probe->quick = !definition->reads;
	list_add_tail(&probe->node, &probing->probes);
	return 0;
}

static int probes_commit(struct kt_session *session)
{
	struct probing *probing = kt_source_state(session, &source);

	return kernel_code.arm(&probing->probes)
		       ?: program_code.arm(&probing->probes);
}

static void probe_detach(struct kt_enabled *enabled)
{
	struct probing *probing = probing_of(enabled);
	struct probe *probe;

	list_for_each_entry(probe, &probing->probes, node) {
		if (probe->enabled != enabled)
			continue;
		list_move_tail(&probe->node, &going);
		return;
	}
}

/* Those that only find RCU idle are missed. */
static u64 probe_hits(const struct probe *probe)
{
	/* First: each of these has been counted as a hit before. */
	u64 hits = -atomic64_read(&probe->idle);
	int cpu;

	for_each_possible_cpu(cpu)
		hits += READ_ONCE(*per_cpu_ptr(probe->hits, cpu));
	return hits;
}

static u64 probe_missed(const struct probe *probe, enum miss reason)
{
	return probe->before[reason] +
	       probe->definition->code->missed(probe, reason);
}

/* What it has counted stays. */
static void probe_settle(const struct probe *probe)
{
	struct probing *probing = probe->enabled->state;
	struct probe_count *count = probe->count;
	u64 missed;
	enum miss i;

	for (i = 0; i < MISSES; i++) {
		missed = probe_missed(probe, i);
		probing->missed[i] += missed;
		count->missed[i] += missed;
	}
	count->hits += probe_hits(probe);
	/* It may be attached anew by now. */
	if (count->probe == probe)
		count->probe = NULL;
}

static void probes_synchronize(void)
{
	struct probe *probe, *next;

	kernel_code.disarm(&going);
	program_code.disarm(&going);
	list_for_each_entry_safe(probe, next, &going, node) {
		probe_settle(probe);
		list_del(&probe->node);
		kfree(probe->refusal);
		if (probe->stuck)
			continue;
		free_percpu(probe->hits);
		kfree(probe);
	}
}

static const char *const misses[] = {
	[MISS_NESTED] = "nested",
	[MISS_OPEN] = "open",
	[MISS_IDLE] = "idle",
	NULL,
};

static u64 probes_missed(const void *state, unsigned int reason)
{
	const struct probing *probing = state;
	u64 sum = probing->missed[reason];
	const struct probe *probe;

	if (probing->probes.next)
		list_for_each_entry(probe, &probing->probes, node)
			sum += probe_missed(probe, reason);
	return sum;
}

static bool probing_end(void *state)
{
	struct probing *probing = state;
	struct probe_count *count, *next;

	if (probing->counts.next)
		list_for_each_entry_safe(count, next, &probing->counts, node)
			count_free(count);
	return true;
}

/* ---- the files ------------------------------------------------------------ */

static int line_place(struct kt_session *session,
		      struct kt_definition *definition, char *text)
{
	struct probe_definition *probe = definition_of(definition);
	int err;

	probe->text = strim(text);
	if (place_is_program(probe->text)) {
		err = program_place_find(&probe->program, session, probe->text);
		probe->returns = probe->program.returns;
		probe->code = err ? NULL : &program_code;
	} else {
		err = place_find(&probe->kernel, session, probe->text);
		probe->returns = probe->kernel.returns;
		probe->code = &kernel_code;
	}
	definition->event.stops = !probe->returns;
	definition->event.program = probe->code == &program_code;
	definition->class.program = definition->event.program;
	return err;
}

static int line_value(struct kt_session *session,
		      struct kt_definition *definition, char *text)
{
	struct probe_definition *probe = definition_of(definition);
	struct fetch *fetch = &probe->fetches[definition->class.nr_fields - 1];
	const char *why =
		fetch_parse(fetch, text, probe->code == &program_code);

	probe->reads |= fetch->reads;
	return why ? kt_refuse(session, -EINVAL, "%s: %s",
			       definition
				       ->fields[definition->class.nr_fields - 1]
				       .name,
			       why)
		   : 0;
}

static int line_complete(struct kt_session *session,
			 struct kt_definition *definition)
{
	struct probe_definition *probe = definition_of(definition);
	unsigned int i;

	for (i = 0; i < definition->class.nr_fields; i++) {
		struct fetch *fetch = &probe->fetches[i];

		fetch->offset = definition->fields[i].offset;
		fetch->plain = !fetch->unread && !fetch->nr_steps &&
			       fetch->offset + 8 <= definition->class.size;
	}
	return 0;
}

static void line_end(struct kt_definition *definition)
{
	struct probe_definition *probe = definition_of(definition);
	struct probe_count *count;
	struct hlist_node *next;

	hlist_for_each_entry_safe(count, next, &probe->counts, event)
		count_free(count);
	if (probe->code == &program_code)
		program_place_put(&probe->program);
}

static int lines_write(const struct kt_node *node, const struct file *holder,
		       char *text)
{
	int err = kt_access_kernel(node->session);

	if (err)
		return err;
	return kt_definitions_write(&definitions, node->session, holder, text);
}

/* Addresses are for those who may know where the kernel is (KASLR). */
static void line_show(struct seq_file *m,
		      const struct kt_definition *definition)
{
	const char *text = definition->text, *place = strpbrk(text, " \t");
	const char *end = place ? skip_spaces(place) : text;
	int length = end - text;

	if (!strncmp(end, "0x", 2) && !kt_symbols_shown(m->file->f_cred)) {
		end += 2;
		while (isxdigit(*end))
			end++;
		seq_printf(m, "%.*s0x0%s\n", length, text, end);
	} else {
		seq_printf(m, "%s\n", text);
	}
}

static int probes_write(const struct kt_node *node, char *text)
{
	return lines_write(node, NULL, text);
}

static int probes_show(struct seq_file *m, const struct kt_node *node)
{
	kt_definitions_show(m, &definitions, false);
	return 0;
}

static int held_write(const struct kt_node *node, char *text)
{
	return lines_write(node, kt_access_file(), text);
}

static int held_show(struct seq_file *m, const struct kt_node *node)
{
	kt_definitions_show(m, &definitions, true);
	return 0;
}

static void held_release(const struct kt_node *node, const struct file *file)
{
	kt_definitions_release(&definitions, file);
}

static const struct kt_kind probes_file = {
	.name = "probes",
	.mode = S_IFREG | 0660,
	.show = probes_show,
	.show_size = 16 * PAGE_SIZE,
	.write = probes_write,
	.write_max = 1 << 20,
	.prepare = program_files_find,
	.finish = program_files_put,
};

/* What is written through an open file goes when that is closed. */
static const struct kt_kind held_file = {
	.name = "probes_held",
	.mode = S_IFREG | 0660,
	.show = held_show,
	.show_size = 16 * PAGE_SIZE,
	.write = held_write,
	.write_max = 1 << 20,
	.prepare = program_files_find,
	.finish = program_files_put,
	.release = held_release,
};

static void probed_line(struct seq_file *m, const struct probe *probe)
{
	const struct kt_event *event = probe->enabled->event;
	size_t begin = m->count;
	enum miss i;

	seq_printf(m, "%s:%s ", event->system, event->name);
	if (probe->waits || probe->refusal) {
		seq_printf(m, "0x0 %s", probe->waits ? "waiting" : "refused");
	} else if (!probe->armed || !probe->definition->code->show(m, probe)) {
		m->count = begin;
		return;
	}
	seq_printf(m, " hits %llu missed", probe_hits(probe));
	for (i = 0; i < MISSES; i++)
		seq_printf(m, " %s %llu", misses[i], probe_missed(probe, i));
	if (probe->refusal)
		seq_printf(m, ": %s", probe->refusal);
	seq_putc(m, '\n');
}

static int probed_show(struct seq_file *m, const struct kt_node *node)
{
	const struct list_head *probes = session_probes(node->session);
	const struct probe *probe;

	if (probes)
		list_for_each_entry(probe, probes, node)
			probed_line(m, probe);
	return 0;
}

static const struct kt_kind probed_file = {
	.name = "probed",
	.mode = S_IFREG | 0440,
	.show = probed_show,
	.show_size = 4 * PAGE_SIZE,
};

static void hits_line(struct seq_file *m, const struct probe_count *count)
{
	const struct kt_event *event = &count->definition->definition.event;
	const struct probe *probe = count->probe;
	enum miss i;

	seq_printf(m, "%s:%s hits %llu missed", event->system, event->name,
		   count->hits + (probe ? probe_hits(probe) : 0));
	for (i = 0; i < MISSES; i++)
		seq_printf(m, " %s %llu", misses[i],
			   count->missed[i] +
				   (probe ? probe_missed(probe, i) : 0));
	seq_putc(m, '\n');
}

static int hits_show(struct seq_file *m, const struct kt_node *node)
{
	const struct probing *probing = kt_source_state(node->session, &source);
	const struct probe_count *count;

	if (probing && probing->counts.next)
		list_for_each_entry(count, &probing->counts, node)
			hits_line(m, count);
	return 0;
}

static const struct kt_kind hits_file = {
	.name = "probe_hits",
	.mode = S_IFREG | 0440,
	.show = hits_show,
	.show_size = 4 * PAGE_SIZE,
};

/* ---- what there is -------------------------------------------------------- */

static struct kt_definitions definitions = {
	KT_DEFINITIONS(definitions, &source, sizeof(struct probe_definition)),
	.place_name = "PLACE",
	.place = line_place,
	.value = line_value,
	.show = line_show,
	.complete = line_complete,
	.end = line_end,
};

static const struct kt_kind *const session_files[] = {&probed_file, &hits_file,
						      NULL};
static const struct kt_kind *const root_files[] = {&probes_file, &held_file,
						   NULL};

static struct kt_source source = {
	.name = "probe",
	.owner = THIS_MODULE,
	.root_files = root_files,
	.session_files = session_files,
	.state_size = sizeof(struct probing),
	.state_end = probing_end,
	.attach = probe_attach,
	.commit = probes_commit,
	.detach = probe_detach,
	.synchronize = probes_synchronize,
	.missed = probes_missed,
	.misses = misses,
	.explicit = true,
	.hooks_code = true,
};

static int __init probes_init(void)
{
	int err;

	if (!kt_symbols_placed() || !armed_init())
		return -EOPNOTSUPP;
	places_init();
	entries_init(kt_rethook_init());
	err = modules_init(session_probes);
	if (err)
		return err;
	kt_source_register(&source);
	return 0;
}

static void __exit probes_exit(void)
{
	kt_definitions_clear(&definitions);
	modules_exit();
	kt_source_unregister(&source);
	entries_exit();
}

module_init(probes_init);
module_exit(probes_exit);
MODULE_AUTHOR("The ktrace authors");
MODULE_DESCRIPTION("Events anywhere in the kernel's code, for ktrace");
MODULE_VERSION(KT_RELEASE);
MODULE_LICENSE("GPL");
