// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes in programs and libraries: each is a uprobe of the kernel's, of all processes that run
 * the file.
 *
 * A hit is a task of the program's, which may wait.  So memory that is not there is read before
 * anything is recorded.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/userfaultfd_k.h>

#include "compat/program.h"
#include "hit.h"
#include "probe.h"
#include "session/session.h"

/* As many bytes of a text are recorded, with its NUL (lib/session/strings.h). */
#define TEXT_MAX 256

/* ---- hits ----------------------------------------------------------------- */

/* Gates live as long as preemption is off. */
static bool is_refused(const struct probe *probe)
{
	bool refused;

	preempt_disable_notrace();
	refused = kt_write_refused(probe->enabled);
	preempt_enable_notrace();
	return refused;
}

static bool is_text(const struct kt_field *field)
{
	return str_has_prefix(field->type, "string");
}

/*
 * Not where somebody else decides how long that takes, and could keep a probe from being taken away:
 * a FUSE server, who handles a userfaultfd, a device.
 */
static bool may_wait(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP) || userfaultfd_armed(vma))
		return false;
	return !vma->vm_file ||
	       file_inode(vma->vm_file)->i_sb->s_magic != FUSE_SUPER_MAGIC;
}

/* Has the page read, which lasts until it is needed elsewhere.  False: it cannot be read. */
static bool page_fetch(u64 at)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool fetched = false;

	if (mmap_read_lock_killable(mm))
		return false;
	vma = find_vma(mm, at);
	if (vma && vma->vm_start <= at && may_wait(vma))
		fetched = !fixup_user_fault(mm, at, 0, NULL);
	mmap_read_unlock(mm);
	return fetched;
}

/* A text may go on on the next page. */
static void text_fetch(u64 at)
{
	u32 size = min_t(u32, TEXT_MAX, PAGE_SIZE - offset_in_page(at));
	char text[TEXT_MAX];

	if (env_copy(text, at, size, false) &&
	    (!page_fetch(at) || env_copy(text, at, size, false)))
		return;
	if (size < TEXT_MAX && !memchr(text, '\0', size) &&
	    env_copy(text, at + size, 1, false))
		page_fetch(at + size);
}

/* What is read now is there when it is recorded. */
static void field_fetch(const struct fetch *fetch, const struct pt_regs *regs,
			bool text)
{
	unsigned int tries;
	u64 value;

	/* A number may lie on two pages. */
	for (tries = 0; tries <= 2 * fetch->nr_steps; tries++) {
		value = ((const u64 *)regs)[fetch->word];
		if (fetch_walk(fetch, regs, &value)) {
			if (text)
				text_fetch(value);
			return;
		}
		if (!page_fetch(value) ||
		    (offset_in_page(value) > PAGE_SIZE - sizeof(u64) &&
		     !page_fetch(value + sizeof(u64) - 1)))
			return;
	}
}

static noinline void memory_fetch(const struct probe_definition *definition,
				  const struct pt_regs *regs)
{
	unsigned int i, nr = definition->definition.class.nr_fields;

	for (i = 0; i < nr; i++) {
		const struct fetch *fetch = &definition->fetches[i];
		bool text = is_text(&definition->definition.fields[i]);

		if (!fetch->unread && (fetch->reads || text))
			field_fetch(fetch, regs, text);
	}
}

static __always_inline void program_hit(struct probe *probe,
					const struct pt_regs *regs)
{
	if ((probe->definition->reads || probe->enabled->capturing) &&
	    !is_refused(probe))
		memory_fetch(probe->definition, regs);
	preempt_disable_notrace();
	probe_hit(probe, regs, regs->ip);
	preempt_enable_notrace();
}

static KT_UPROBE_HANDLER(entry_hit, consumer, regs)
{
	program_hit(container_of(consumer, struct probe, program.consumer),
		    regs);
	return 0;
}

/*
 * The kernel hooks the return behind this, unless too many calls of the task are open; then it says
 * so in its log, now and then.
 */
static KT_UPROBE_HANDLER(call_hit, consumer, regs)
{
	struct probe *probe =
		container_of(consumer, struct probe, program.consumer);

	if (unlikely(kt_task_returns_nr(current) >= KT_RETURNS_MAX) &&
	    !is_refused(probe))
		atomic64_inc(&probe->program.open);
	return 0;
}

static KT_URETPROBE_HANDLER(exit_hit, consumer, regs)
{
	program_hit(container_of(consumer, struct probe, program.consumer),
		    regs);
	return 0;
}

/* ---- arming --------------------------------------------------------------- */

static int program_refuse(const struct probe *probe, int err)
{
	const char *label = program_place_label(probe->definition->text);
	struct kt_session *session = probe->enabled->session;

	switch (err) {
	case -ENOTSUPP:
	case -EOPNOTSUPP:
	case -ENOEXEC:
		return kt_refuse(session, -EINVAL,
				 "%.80s: the kernel can have no probe on this "
				 "instruction",
				 label);
	case -ENOSYS:
		return kt_refuse(session, -EOPNOTSUPP,
				 "this kernel has no probes in programs "
				 "(CONFIG_UPROBES)");
	case -EINVAL:
		return kt_refuse(session, err,
				 "%.80s: there is no code of a program, or its "
				 "semaphore is at an odd place, or another one "
				 "than that of another probe there",
				 label);
	default:
		return kt_refuse(session, err,
				 "%.80s: the kernel refuses it (error %d)",
				 label, -err);
	}
}

static int probe_arm(struct probe *probe)
{
	const struct probe_definition *definition = probe->definition;
	const struct program_place *place = &definition->program;
	int err = program_place_check(place, probe->enabled->session,
				      definition->text);

	if (err)
		return err;
	probe->program.consumer.handler = probe->returns ? call_hit : entry_hit;
	if (probe->returns)
		probe->program.consumer.ret_handler = exit_hit;
	/* It may be hit before this returns. */
	err = kt_uprobe_register(&probe->program.uprobe,
				 program_place_inode(place), place->offset,
				 place->counter, &probe->program.consumer);
	probe->armed = !err;
	return err ? program_refuse(probe, err) : 0;
}

static int program_arm(struct list_head *probes)
{
	struct probe *probe;
	int err = 0;

	list_for_each_entry(probe, probes, node) {
		if (probe->armed || probe->definition->code != &program_code)
			continue;
		/* Some hundred of them take seconds. */
		if (fatal_signal_pending(current))
			return kt_refuse(probe->enabled->session, -EINTR,
					 "interrupted");
		err = probe_arm(probe);
		if (err)
			break;
	}
	return err;
}

static void program_disarm(struct list_head *probes)
{
	struct probe *probe;
	bool any = false;

	list_for_each_entry(probe, probes, node) {
		if (!probe->armed || probe->definition->code != &program_code)
			continue;
		kt_uprobe_unregister(&probe->program.uprobe,
				     &probe->program.consumer);
		probe->armed = false;
		any = true;
	}
	if (any)
		kt_uprobes_synchronize();
}

/* Others are not known: the kernel does not count those of its own. */
static u64 program_missed(const struct probe *probe, enum miss reason)
{
	switch (reason) {
	case MISS_OPEN:
		return atomic64_read(&probe->program.open);
	case MISS_IDLE:
		return atomic64_read(&probe->idle);
	default:
		return 0;
	}
}

static bool program_show(struct seq_file *m, const struct probe *probe)
{
	seq_printf(m, "0x%llx breakpoint", probe->definition->program.offset);
	return true;
}

const struct probe_code program_code = {
	.arm = program_arm,
	.disarm = program_disarm,
	.missed = program_missed,
	.show = program_show,
};
