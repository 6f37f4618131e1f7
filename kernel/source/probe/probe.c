// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes anywhere in the kernel's code.  A line of the root's files `probes' and `probes_held'
 * (source/define/definition.h) is
 *
 *	SYSTEM/EVENT PLACE; KIND CTYPE NAME = VALUE; ...
 *
 * place.h says what a PLACE is, fetch.h what a VALUE is.  A capture program of the event has the
 * values of its first eight fields as arguments.
 *
 * An event is a kprobe of the kernel's, or a kretprobe, for each session that records it.  Those
 * of one place share what is patched there.  They are armed when all of a batch are there, and
 * taken away together, because each time all CPUs are waited for.
 *
 * Hits are missed if a probe is hit while another one is being handled on this CPU, and returns if
 * more calls are open than the kernel keeps.
 */
#include <linux/ctype.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "armed.h"
#include "base/symbol.h"
#include "base/version.h"
#include "compat/function.h"
#include "event/capturing.h"
#include "event/event.h"
#include "event/stack.h"
#include "event/write.h"
#include "fetch.h"
#include "place.h"
#include "session/access.h"
#include "session/node.h"
#include "session/session.h"
#include "session/sources.h"
#include "source/define/definition.h"
#include "source/numbers.h"

/* Calls of one function whose returns are awaited. */
#define OPEN_MAX 1024

struct probe_definition {
	struct kt_definition definition;
	const char *text; /* the place, as written */
	struct place place;
	bool reads; /* memory */
	struct fetch fetches[KT_DEFINITION_FIELDS];
};

enum miss {
	MISS_NESTED,
	MISS_OPEN,
	MISS_IDLE,
	MISSES,
};

/* An event in a session. */
struct probe {
	struct list_head node; /* of the session's probes, or `going' */
	struct kt_enabled *enabled;
	const struct probe_definition *definition;
	bool armed;
	bool stuck; /* the kernel cannot take it away */
	bool returns;
	bool quick;	 /* it records registers alone */
	atomic64_t idle; /* hits while RCU did not see the CPU */
	union {
		struct kprobe entry;
		struct kretprobe exit;
	};
};

/* A session. */
struct probing {
	struct list_head probes; /* no next: none was attached yet */
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

static const struct kprobe *kprobe_of(const struct probe *probe)
{
	return probe->returns ? &probe->exit.kp : &probe->entry;
}

/* ---- hits ----------------------------------------------------------------- */

/*
 * Fields follow each other without gaps.  So all bytes of a value can be stored, if there is room:
 * the next field's come later.
 */
static __always_inline void values_store(
	const struct probe_definition *definition, u8 *payload,
	const struct pt_regs *regs)
{
	unsigned int i, nr = definition->definition.class.nr_fields;
	const struct fetch *fetch = definition->fetches;
	u32 unread = 0;
	u64 value;

	for (i = 0; i < nr; i++, fetch++) {
		if (likely(fetch->plain)) {
			*(u64 *)(payload + fetch->offset) =
				((const u64 *)regs)[fetch->word];
			continue;
		}
		value = fetch_value(fetch, regs, i, &unread);
		kt_number_store(payload + fetch->offset, value,
				definition->definition.fields[i].size);
	}
}

/* Programs get the values of the first fields. */
static noinline void hit_capture(struct kt_enabled *enabled,
				 const struct probe_definition *definition,
				 const struct pt_regs *regs,
				 const struct kt_caller *caller)
{
	const struct kt_field *fields = definition->definition.fields;
	unsigned int i, nr = definition->definition.class.nr_fields;
	struct kt_capture_frame *frame;
	u32 unread = 0;
	u64 value;

	if (!kt_capture_begin(enabled, &frame))
		return;
	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	memset(frame->arguments, 0, sizeof(frame->arguments));
	for (i = 0; i < nr; i++) {
		value = fetch_value(&definition->fetches[i], regs, i, &unread);
		if (i < KT_CAPTURE_ARGUMENTS)
			frame->arguments[i] = value;
		kt_number_store(frame->payload + fields[i].offset, value,
				fields[i].size);
	}
	this_cpu_write(kt_capture_reader, frame->reader);
	*kt_stack_caller(frame->payload) = *caller;
	kt_capture_end(enabled, frame, frame->arguments);
}

/* Without conditions, and where the record fits into the packet.  False: nothing happened. */
static __always_inline bool hit_try(struct kt_enabled *enabled,
				    const struct probe_definition *definition,
				    const struct pt_regs *regs)
{
	u32 size = definition->definition.class.size;
	struct kt_write write __kt_uninitialized;
	void *payload;

	if (!kt_write_may_try(enabled) ||
	    !kt_write_try_begin(&write, enabled, size, 0, &payload))
		return false;
	kt_tail_zero(payload, size);
	values_store(definition, payload, regs);
	kt_write_try_end(&write);
	return true;
}

static __always_inline void hit_write(struct kt_enabled *enabled,
				      const struct probe_definition *definition,
				      const struct pt_regs *regs)
{
	u32 size = definition->definition.class.size;
	struct kt_write write __kt_uninitialized;
	void *payload = kt_write_begin(&write, enabled, size, 0);

	if (!payload)
		return;
	kt_tail_zero(payload, size);
	values_store(definition, payload, regs);
	kt_write_end(&write, 0);
}

/* With conditions or a stack. */
static noinline void hit_judge(struct kt_enabled *enabled,
			       const struct probe_definition *definition,
			       const struct pt_regs *regs,
			       const struct kt_caller *caller)
{
	const struct kt_gate *gate = READ_ONCE(enabled->gate);
	struct kt_ring *ring = this_cpu_ptr(enabled->rings);
	u32 size = definition->definition.class.size;
	struct {
		struct kt_caller caller; /* kt_stack_caller() */
		u8 payload[];
	} * room;

	/* It has just gone. */
	if (!gate)
		hit_write(enabled, definition, regs);
	if (!gate || !kt_gate_admits(gate))
		return;
	room = kt_gate_begin(ring, sizeof(*room) + size);
	if (!room)
		return;
	room->caller = *caller;
	/* The gate copies whole units. */
	kt_tail_zero(room->payload, size);
	values_store(definition, room->payload, regs);
	kt_gate_end(gate, ring->owner, room->payload, size, 0);
	kt_scratch_give(ring->owner, room);
}

/*
 * Reading memory may fault, and what serves the fault may be probed, too: then this would go on
 * until the stack overflows.  So one reads at a time in each context (event/capturing.h).
 */
static bool reading_begin(struct kt_enabled *enabled, u32 *before)
{
	/* Else a hit that nobody wants would be counted as lost. */
	if (kt_write_refused(enabled))
		return false;
	*before = this_cpu_read(kt_capture_reader);
	if (*before && !kt_capture_interrupts(*before)) {
		env_add_local(&this_cpu_ptr(enabled->rings)
				       ->control->lost[KT_LOST_RECURSION],
			      1);
		return false;
	}
	this_cpu_write(kt_capture_reader, preempt_count() | 1);
	return true;
}

/*
 * A breakpoint counts as a non-maskable interrupt, wherever it is; and there, stacks and strings of
 * programs are not read.  But none runs with interrupts on: so if they were on where it was hit,
 * this is the only one, and may be left out of the count.  They are off until it returns.
 */
static __always_inline int breakpoint_levels(const struct pt_regs *regs)
{
	return in_nmi() && (regs->flags & X86_EFLAGS_IF) && irqs_disabled()
		       ? NMI_OFFSET + HARDIRQ_OFFSET
		       : 0;
}

/* All but a record of registers without conditions. */
static noinline void hit_slow(struct probe *probe, const struct pt_regs *regs,
			      unsigned long pc)
{
	/* Of what was stopped, all registers are those of that moment. */
	const struct kt_caller caller = {pc, regs->sp, regs->bp,
					 probe->returns ? NULL : regs};
	const struct probe_definition *definition = probe->definition;
	struct kt_enabled *enabled = probe->enabled;
	int count = preempt_count(), levels = breakpoint_levels(regs);
	u32 before;

	if (unlikely(levels))
		preempt_count_set(count - levels);
	barrier();
	/* What an idle CPU does; gates live as long as RCU sees us. */
	if (unlikely(!kt_rcu_is_watching())) {
		atomic64_inc(&probe->idle);
	} else if (enabled->capturing) {
		hit_capture(enabled, definition, regs, &caller);
	} else if (!definition->reads || reading_begin(enabled, &before)) {
		if (READ_ONCE(enabled->gate))
			hit_judge(enabled, definition, regs, &caller);
		else
			hit_write(enabled, definition, regs);
		if (definition->reads)
			this_cpu_write(kt_capture_reader, before);
	}
	barrier();
	/* Not by adding: if there is one bit for all levels, an interrupt may have set it again. */
	if (unlikely(levels))
		preempt_count_set(count);
}

static __always_inline void hit(struct probe *probe, const struct pt_regs *regs,
				unsigned long pc)
{
	kt_probe_enter();
	if (!probe->quick || unlikely(probe->enabled->capturing) ||
	    !hit_try(probe->enabled, probe->definition, regs))
		hit_slow(probe, regs, pc);
	kt_probe_exit();
}

static int entry_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	hit(container_of(kprobe, struct probe, entry), regs,
	    (unsigned long)kprobe->addr);
	return 0;
}

static int exit_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);

	/* It is just being taken away. */
	if (kretprobe)
		hit(container_of(kretprobe, struct probe, exit), regs,
		    get_kretprobe_retaddr(instance));
	return 0;
}

/* ---- attaching ------------------------------------------------------------ */

static struct probing *probing_of(struct kt_enabled *enabled)
{
	struct probing *probing = enabled->state;

	if (!probing->probes.next)
		INIT_LIST_HEAD(&probing->probes);
	return probing;
}

static int probe_attach(struct kt_enabled *enabled)
{
	struct probing *probing = probing_of(enabled);
	struct probe_definition *definition = definition_of(
		container_of(enabled->event, struct kt_definition, event));
	struct probe *probe;

	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return kt_refuse(enabled->session, -ENOMEM, "no memory");
	probe->enabled = enabled;
	probe->definition = definition;
	probe->returns = definition->place.returns;
	probe->quick = !definition->reads;
	list_add_tail(&probe->node, &probing->probes);
	return 0;
}

/* The kernel may take a probe, and yet never call it. */
static int probe_check(const struct probe *probe)
{
	const char *why = armed_obstacle(kprobe_of(probe));

	return why ? kt_refuse(probe->enabled->session, -EBUSY, "%.80s: %s",
			       place_label(probe->definition->text), why)
		   : 0;
}

static int probe_arm(struct probe *probe)
{
	const struct probe_definition *definition = probe->definition;
	struct place place = definition->place;
	int err = 0;

	/* Its module may have gone, or come back, since the line was written. */
	if (place.moves)
		err = place_find(&place, probe->enabled->session,
				 definition->text);
	if (err)
		return err;
	if (probe->returns) {
		probe->exit.kp.addr = (void *)place.address;
		probe->exit.handler = exit_hit;
		probe->exit.maxactive = OPEN_MAX;
		err = register_kretprobe(&probe->exit);
	} else {
		probe->entry.addr = (void *)place.address;
		probe->entry.pre_handler = entry_hit;
		err = register_kprobe(&probe->entry);
	}
	probe->armed = !err;
	return err ? place_refuse(probe->enabled->session,
				  probe->definition->text, err)
		   : probe_check(probe);
}

static int probes_commit(struct kt_session *session)
{
	struct probing *probing = kt_source_state(session, &source);
	struct probe *probe;
	int err = 0;

	/* The newest are at the end. */
	list_for_each_entry_reverse(probe, &probing->probes, node)
	{
		if (err || probe->armed)
			break;
		err = probe_arm(probe);
	}
	return err;
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

static int stuck_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	return 0;
}

static int stuck_return(struct kretprobe_instance *instance,
			struct pt_regs *regs)
{
	return 0;
}

/*
 * The kernel goes on calling it.  So what it uses stays, which is the probe itself, and this
 * module; and what the hits use can go once they do nothing.
 */
static void probe_leave(struct probe *probe)
{
	probe->armed = false;
	probe->stuck = true;
	if (probe->returns) {
		WRITE_ONCE(probe->exit.kp.pre_handler, stuck_hit);
		WRITE_ONCE(probe->exit.handler, stuck_return);
	} else {
		WRITE_ONCE(probe->entry.pre_handler, stuck_hit);
	}
	__module_get(THIS_MODULE);
	synchronize_rcu();
	pr_warn("ktrace: the kernel cannot take away the probe at %pS\n",
		kprobe_of(probe)->addr);
}

/*
 * Where ftrace calls, disarming can fail.  The functions that unregister do not tell, but forget
 * the address, and have then already freed what returns need.  So this comes first: of what is
 * disarmed, nothing can fail.
 */
static bool probe_disarm(struct probe *probe)
{
	struct kprobe *kprobe = (struct kprobe *)kprobe_of(probe);
	int err = kprobe_ftrace(kprobe) ? disable_kprobe(kprobe) : 0;

	/* What the kernel could not arm, it does not know. */
	if (!err || err == -EINVAL)
		return true;
	probe_leave(probe);
	return false;
}

/* How many at once. */
#define BATCH 128

/* Of those on `going', from the first one on: how many of a kind. */
static void batch_drop(bool returns)
{
	static struct kretprobe *exits[BATCH];
	static struct kprobe *entries[BATCH];
	struct probe *probe;
	int nr;

	do {
		nr = 0;
		list_for_each_entry(probe, &going, node) {
			if (!probe->armed || probe->returns != returns ||
			    !probe_disarm(probe))
				continue;
			if (returns)
				exits[nr] = &probe->exit;
			else
				entries[nr] = &probe->entry;
			probe->armed = false;
			if (++nr == BATCH)
				break;
		}
		if (returns)
			unregister_kretprobes(exits, nr);
		else
			unregister_kprobes(entries, nr);
	} while (nr == BATCH);
}

static u64 probe_missed(const struct probe *probe, enum miss reason)
{
	switch (reason) {
	case MISS_NESTED:
		return kprobe_of(probe)->nmissed;
	case MISS_OPEN:
		return probe->returns ? probe->exit.nmissed : 0;
	default:
		return atomic64_read(&probe->idle);
	}
}

static void probes_synchronize(void)
{
	struct probe *probe, *next;
	struct probing *probing;
	unsigned int i;

	batch_drop(false);
	batch_drop(true);
	list_for_each_entry_safe(probe, next, &going, node) {
		probing = probe->enabled->state;
		for (i = 0; i < MISSES; i++)
			probing->missed[i] += probe_missed(probe, i);
		list_del(&probe->node);
		if (!probe->stuck)
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

/* ---- the files ------------------------------------------------------------ */

static int line_place(struct kt_session *session,
		      struct kt_definition *definition, char *text)
{
	struct probe_definition *probe = definition_of(definition);
	int err;

	probe->text = strim(text);
	err = place_find(&probe->place, session, probe->text);
	definition->event.stops = !probe->place.returns;
	return err;
}

static int line_value(struct kt_session *session,
		      struct kt_definition *definition, char *text)
{
	struct probe_definition *probe = definition_of(definition);
	struct fetch *fetch = &probe->fetches[definition->class.nr_fields - 1];
	const char *why = fetch_parse(fetch, text);

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
};

/* What is written through an open file goes when that is closed. */
static const struct kt_kind held_file = {
	.name = "probes_held",
	.mode = S_IFREG | 0660,
	.show = held_show,
	.show_size = 16 * PAGE_SIZE,
	.write = held_write,
	.write_max = 1 << 20,
	.release = held_release,
};

/* Addresses are shown to those to whom /proc/kallsyms shows them. */
static void probed_line(struct seq_file *m, const struct probe *probe)
{
	const struct kt_event *event = probe->enabled->event;
	const struct kprobe *kprobe = kprobe_of(probe);
	const char *way = probe->armed ? armed_way(kprobe) : NULL;
	enum miss i;

	if (!way)
		return;
	seq_printf(m, "%s:%s 0x%lx %s missed", event->system, event->name,
		   kt_symbols_shown(m->file->f_cred)
			   ? (unsigned long)kprobe->addr
			   : 0,
		   way);
	for (i = 0; i < MISSES; i++)
		seq_printf(m, " %s %llu", misses[i], probe_missed(probe, i));
	seq_putc(m, '\n');
}

static int probed_show(struct seq_file *m, const struct kt_node *node)
{
	const struct probing *probing = kt_source_state(node->session, &source);
	const struct probe *probe;

	if (probing && probing->probes.next)
		list_for_each_entry(probe, &probing->probes, node)
			probed_line(m, probe);
	return 0;
}

static const struct kt_kind probed_file = {
	.name = "probed",
	.mode = S_IFREG | 0440,
	.show = probed_show,
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
};

static const struct kt_kind *const session_files[] = {&probed_file, NULL};
static const struct kt_kind *const root_files[] = {&probes_file, &held_file,
						   NULL};

static struct kt_source source = {
	.name = "probe",
	.owner = THIS_MODULE,
	.root_files = root_files,
	.session_files = session_files,
	.state_size = sizeof(struct probing),
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
	if (!kt_symbols_placed() || !armed_init())
		return -EOPNOTSUPP;
	kt_source_register(&source);
	return 0;
}

static void __exit probes_exit(void)
{
	kt_definitions_clear(&definitions);
	kt_source_unregister(&source);
}

module_init(probes_init);
module_exit(probes_exit);
MODULE_AUTHOR("The ktrace authors");
MODULE_DESCRIPTION("Events anywhere in the kernel's code, for ktrace");
MODULE_VERSION(KT_RELEASE);
MODULE_LICENSE("GPL");
