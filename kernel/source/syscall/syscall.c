// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: an event for each call and direction, made from the kernel's own metadata
 * of its calls (FTRACE_SYSCALLS).
 *
 *	syscalls:sys_enter_NAME		the arguments
 *	syscalls:sys_exit_NAME		what it returned
 *	compat_syscalls:...		the same of 32-bit programs
 *	...:sys_enter_unknown, sys_exit_unknown
 *					of numbers that have no metadata
 *
 * All share the tracepoints sys_enter and sys_exit.  A session that wants events of a
 * direction attaches one probe to its tracepoint.  A table by number tells the probe which
 * event is enabled, if any.
 *
 * 32-bit programs have numbers of their own.  The names of their calls are known at build
 * time, from the header from which the kernel makes its own table.  The prototype is that
 * of the native call of the same name.  If there is none, or the kernel has another
 * function for 32 bits, the arguments are shown as six registers.  Calls that are made by another
 * one, such as connect by socketcall, are recorded as what they are (parts.h).
 *
 * A capture program of a call gets its registers as a0 to a5.  At entry, a6 is the stack
 * pointer.  At exit, a6 is the return value, and a7 the fields of the enter event that
 * could not be read (pending.h).  At entry the program loads the registers that it names
 * from where the kernel has saved them; at exit they are copied.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <trace/events/syscalls.h>
#include <trace/syscall.h>

#include "event/capturing.h"
#include "base/symbol.h"
#include "event/write.h"
#include "parts.h"
#include "pending.h"
#include "event/tracepoints.h"
#include "session/session.h"
#include "session/sources.h"
#include "source/tracepoint/tracepoint.h"
#include "call.h"
#include "hooks.h"
#include "base/version.h"

#define UNREAD 7 /* this argument of an exit's program */

static const char *const systems[ABIS] = {
	[NATIVE] = "syscalls",
	[COMPAT] = "compat_syscalls",
};

static struct call *calls[ABIS][NUMBERS + 1];

/* ---- probes --------------------------------------------------------------- */

static noinline void enter_lacks(const struct kt_enabled *enabled,
				 struct pt_regs *regs, u16 unread)
{
	struct hooks *hooks = enabled->state;

	kt_pending_set(&hooks->pending, syscall_get_nr(current, regs), unread);
}

/* The payload begins with the call's own arguments, stored as above. */
static noinline void enter_capture(struct kt_enabled *enabled,
				   struct pt_regs *regs)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[ENTER]);
	struct kt_capture_frame *frame;
	u16 unread;

	kt_probe_enter();
	if (likely(kt_capture_begin(enabled, &frame))) {
		enter_store_all(call, frame->payload, regs);
		unread = kt_capture_end(enabled, frame, (const u64 *)regs);
		if (unlikely(unread))
			enter_lacks(enabled, regs, unread);
	}
	kt_probe_exit();
}

/* False: nothing has happened, and enter_capture() must be used. */
static __always_inline bool enter_try_string(struct kt_enabled *enabled,
					     struct pt_regs *regs)
{
	const struct kt_capture *program = &enabled->capturing->program;
	const struct call *call =
		container_of(enabled->event, struct call, events[ENTER]);
	struct kt_ring *ring = kt_ring_here(enabled);
	u32 own_size, begin, size;
	struct kt_record record;
	void *payload, *text;
	u64 address, head;
	bool done;

	if (!program->string_simple || unlikely(!kt_write_may_try(enabled)))
		return false;
	address = ((const u64 *)regs)[program->string_argument];
	if (!kt_capture_try_string(enabled->capturing, ring->owner, address,
				   &text, &size))
		return false;
	/* Read late, so that it needs no place on the stack during the call above. */
	own_size = enabled->capturing->own_size;
	begin = own_size + sizeof(u64);
	head = READ_ONCE(ring->head); /* before the clock */
	done = kt_ring_try_reserve(ring, &record, head, kt_stamp_tsc(),
				   enabled->id, begin + size, KT_RECORD_DYNAMIC,
				   &payload);
	if (likely(done)) {
		enter_store_all(call, payload, regs);
		*(u64 *)(payload + own_size) =
			kt_capture_string_head(begin, size);
		kt_capture_copy(payload + begin, text, size);
		kt_ring_commit(ring, &record);
	}
	kt_scratch_give(ring->owner, text);
	return done;
}

static noinline void enter_string(struct kt_enabled *enabled,
				  struct pt_regs *regs)
{
	bool done;

	kt_probe_enter();
	done = enter_try_string(enabled, regs);
	kt_probe_exit();
	if (unlikely(!done))
		enter_capture(enabled, regs);
}

/* All but the common case of enter_write(). */
static noinline void enter_write_slow(struct kt_enabled *enabled,
				      struct pt_regs *regs)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[ENTER]);
	struct kt_write write __kt_uninitialized;
	void *payload;

	payload = kt_write_begin(&write, enabled, call->enter.size, 0);
	if (!payload)
		return;
	enter_store(call, payload, regs);
	kt_write_end(&write, 0);
}

static noinline void enter_write(struct kt_enabled *enabled,
				 struct pt_regs *regs)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[ENTER]);
	struct kt_write write __kt_uninitialized;
	void *payload;

	kt_probe_enter();
	if (likely(kt_write_may_try(enabled)) &&
	    likely(kt_write_try_begin(&write, enabled, call->enter.size, 0,
				      &payload))) {
		enter_store(call, payload, regs);
		kt_write_try_end(&write);
	} else if (!kt_write_refused(enabled)) {
		enter_write_slow(enabled, regs);
	}
	kt_probe_exit();
}

static noinline void enter_compat(struct hooks *hooks, struct pt_regs *regs)
{
	struct pt_regs part;
	struct kt_enabled *enabled =
		enabled_find_compat(hooks, ENTER, &part, &regs);

	if (!enabled)
		return;
	if (enabled->capturing)
		enter_string(enabled, regs);
	else
		enter_write(enabled, regs);
}

/* Most calls are not enabled: for these, the probe needs no stack frame. */
static void probe_enter(void *data, struct pt_regs *regs, long number)
{
	struct kt_enabled *enabled;

	if (unlikely(in_ia32_syscall())) {
		enter_compat(data, regs);
		return;
	}
	enabled = enabled_find(data, ENTER, number);
	if (!enabled)
		return;
	if (enabled->capturing)
		enter_string(enabled, regs);
	else
		enter_write(enabled, regs);
}

static __always_inline void exit_store(const struct call *call, void *to,
				       long number, long result)
{
	if (unlikely(call->unknown)) {
		memcpy(to, &number, sizeof(number));
		to += sizeof(number);
	}
	memcpy(to, &result, sizeof(result));
}

static __always_inline u32 exit_size(const struct call *call)
{
	return sizeof(long) << call->unknown;
}

/* @unread: what kt_pending_take() returned */
static noinline void exit_capture(struct kt_enabled *enabled,
				  struct pt_regs *regs, long result, u16 unread)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[EXIT]);
	long number = syscall_get_nr(current, regs);
	struct kt_capture_frame *frame;

	kt_probe_enter();
	if (likely(kt_capture_begin(enabled, &frame))) {
		/* The registers still have what the program passed. */
		syscall_get_arguments(current, regs,
				      (unsigned long *)frame->arguments);
		frame->arguments[6] = result;
		frame->arguments[UNREAD] = unread;
		exit_store(call, frame->payload, number, result);
		kt_capture_end(enabled, frame, frame->arguments);
	}
	kt_probe_exit();
}

/*
 * If nothing is missing, most programs have nothing to capture.  Their result is known, and
 * needs no scratch area.
 */
static noinline void exit_write_idle(struct kt_enabled *enabled,
				     struct pt_regs *regs, long result)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[EXIT]);
	const struct kt_capture *program = &enabled->capturing->program;
	u32 size = exit_size(call);
	struct kt_write write __kt_uninitialized;
	void *payload;

	kt_probe_enter();
	if (likely(kt_write_may_try(enabled)) &&
	    likely(kt_write_try_begin(&write, enabled,
				      size + kt_capture_head(program),
				      KT_RECORD_DYNAMIC, &payload))) {
		exit_store(call, payload, syscall_get_nr(current, regs),
			   result);
		kt_capture_nothing(program, payload, size);
		kt_write_try_end(&write);
	} else {
		exit_capture(enabled, regs, result, 0);
	}
	kt_probe_exit();
}

static noinline void exit_write_slow(struct kt_enabled *enabled,
				     struct pt_regs *regs, long result)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[EXIT]);
	struct kt_write write __kt_uninitialized;
	void *payload;

	payload = kt_write_begin(&write, enabled, exit_size(call), 0);
	if (!payload)
		return;
	exit_store(call, payload, syscall_get_nr(current, regs), result);
	kt_write_end(&write, 0);
}

/* Only unknown calls have the number in the payload.  The size of all others is constant. */
static noinline void exit_write(struct kt_enabled *enabled,
				struct pt_regs *regs, long result)
{
	const struct call *call =
		container_of(enabled->event, struct call, events[EXIT]);
	struct kt_write write __kt_uninitialized;
	void *payload;

	kt_probe_enter();
	if (likely(!call->unknown) && likely(kt_write_may_try(enabled)) &&
	    likely(kt_write_try_begin(&write, enabled, sizeof(result), 0,
				      &payload))) {
		memcpy(payload, &result, sizeof(result));
		kt_write_try_end(&write);
	} else if (!kt_write_refused(enabled)) {
		exit_write_slow(enabled, regs, result);
	}
	kt_probe_exit();
}

static noinline void exit_any(struct hooks *hooks, struct pt_regs *regs,
			      long result, struct kt_enabled *enabled)
{
	u16 unread =
		kt_pending_take(&hooks->pending, syscall_get_nr(current, regs));

	if (likely(!unread) &&
	    kt_capture_idles(&enabled->capturing->program, UNREAD))
		exit_write_idle(enabled, regs, result);
	else
		exit_capture(enabled, regs, result, unread);
}

static noinline void exit_compat(struct hooks *hooks, struct pt_regs *regs,
				 long result)
{
	struct pt_regs part, *own = regs;
	struct kt_enabled *enabled =
		enabled_find_compat(hooks, EXIT, &part, &regs);

	if (!enabled)
		return;
	result = kt_part_result(regs, own, result);
	if (enabled->capturing)
		exit_any(hooks, regs, result, enabled);
	else
		exit_write(enabled, regs, result);
}

static void probe_exit(void *data, struct pt_regs *regs, long result)
{
	struct kt_enabled *enabled;

	if (unlikely(in_ia32_syscall())) {
		exit_compat(data, regs, result);
		return;
	}
	enabled = enabled_find(data, EXIT, syscall_get_nr(current, regs));
	if (!enabled)
		return;
	if (enabled->capturing)
		exit_any(data, regs, result, enabled);
	else
		exit_write(enabled, regs, result);
}

static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sys_enter(probe_enter);
	check_trace_callback_type_sys_exit(probe_exit);
}

/* ---- attaching ------------------------------------------------------------ */

static void *const probes[DIRECTIONS] = {
	[ENTER] = probe_enter,
	[EXIT] = probe_exit,
};

static const struct kt_class exit_class, exit_class_unknown;

static enum direction direction_of(const struct kt_event *event)
{
	return event->class == &exit_class ||
			       event->class == &exit_class_unknown
		       ? EXIT
		       : ENTER;
}

static const struct call *call_of(const struct kt_event *event,
				  enum direction direction)
{
	return direction == ENTER
		       ? container_of(event, struct call, events[ENTER])
		       : container_of(event, struct call, events[EXIT]);
}

/* Sets the entry of each number of this call.  @value NULL: removes the event. */
static void table_set(struct hooks *hooks, const struct kt_event *event,
		      struct kt_enabled *value)
{
	enum direction direction = direction_of(event);
	const struct call *call = call_of(event, direction);
	unsigned int abi, number;

	for (abi = 0; abi < ABIS; abi++) {
		struct kt_enabled **enabled =
			hooks->tables[direction].enabled[abi];

		for (number = call->first; number <= call->last; number++) {
			if (calls[abi][number] == call)
				smp_store_release(&enabled[number], value);
		}
	}
}

static bool is_compat(const struct kt_event *event)
{
	return !strcmp(event->system, systems[COMPAT]);
}

static int syscall_attach(struct kt_enabled *enabled)
{
	enum direction direction = direction_of(enabled->event);
	struct hooks *hooks = enabled->state;
	int err;

	if (!hooks->tables[direction].nr_enabled) {
		err = tracepoint_probe_register(
			kt_entry_tracepoint(enabled->event->entry),
			probes[direction], hooks);
		if (err)
			return kt_tracepoint_refuse(enabled, err);
	}
	hooks->tables[direction].nr_enabled++;
	hooks->tables[direction].nr_compat += is_compat(enabled->event);
	table_set(hooks, enabled->event, enabled);
	return 0;
}

static void syscall_detach(struct kt_enabled *enabled)
{
	enum direction direction = direction_of(enabled->event);
	struct hooks *hooks = enabled->state;

	table_set(hooks, enabled->event, NULL);
	hooks->tables[direction].nr_compat -= is_compat(enabled->event);
	if (!--hooks->tables[direction].nr_enabled)
		tracepoint_probe_unregister(
			kt_entry_tracepoint(enabled->event->entry),
			probes[direction], hooks);
}

static u64 syscalls_missed(const void *state, unsigned int reason)
{
	const struct hooks *hooks = state;

	return atomic_long_read(&hooks->unread);
}

static const char *const misses[] = {"unread", NULL};

static struct kt_source source = {
	.name = "syscall",
	.owner = THIS_MODULE,
	.state_size = sizeof(struct hooks),
	.attach = syscall_attach,
	.detach = syscall_detach,
	.synchronize = kt_tracepoints_synchronize,
	.missed = syscalls_missed,
	.misses = misses,
	.points = &kt_tracepoints,
	.partial = true,
	.explicit = true,
};

/* ---- describing calls ----------------------------------------------------- */

static const struct kt_class exit_class = {
	.fields = &exit_field,
	.nr_fields = 1,
	.size = 8,
	.captures = true,
	.unlocked = true,
	.probe = probe_exit,
	.print = "\"ret=%lld\", REC->ret",
};

static const struct kt_class exit_class_unknown = {
	.fields = exit_fields,
	.nr_fields = 2,
	.size = 16,
	.captures = true,
	.unlocked = true,
	.probe = probe_exit,
	.print = "\"nr=%lld ret=%lld\", REC->nr, REC->ret",
};

static void call_describe(struct call *call,
			  const struct syscall_metadata *meta, bool compat)
{
	unsigned int i;

	call->nr_arguments =
		meta ? min_t(u32, meta->nb_args, ARGUMENTS) : ARGUMENTS;
	for (i = 0; i < call->nr_arguments; i++) {
		struct kt_field *field = &call->fields[i];

		if (meta)
			field_describe(field, meta->types[i], meta->args[i],
				       compat);
		else
			field_describe(field, "unsigned long",
				       register_names[i], compat);
		field->offset = call->enter.size;
		call->enter.size += field->size;
		call->last_wide = field->size == sizeof(u64);
	}
	for (i = 0; i < ARGUMENTS; i++)
		call->offsets[i] = i < call->nr_arguments
					   ? call->fields[i].offset
					   : call->enter.size;
	memcpy(call->registers, registers[compat], sizeof(call->registers));
	call->enter.fields = call->fields;
	call->enter.nr_fields = call->nr_arguments;
}

/* @meta may be NULL. */
static struct call *call_make(enum abi abi, const char *name,
			      const struct syscall_metadata *meta)
{
	static const char *const tracepoints[DIRECTIONS] = {
		[ENTER] = "sys_enter",
		[EXIT] = "sys_exit",
	};
	struct call *call = kzalloc(sizeof(*call), GFP_KERNEL);
	enum direction direction;

	if (!call)
		return NULL;
	for (direction = 0; direction < DIRECTIONS; direction++) {
		struct kt_event *event = &call->events[direction];

		snprintf(call->names[direction], sizeof(call->names[0]),
			 "%s_%s", tracepoints[direction], name);
		event->system = systems[abi];
		event->name = call->names[direction];
		event->point = tracepoints[direction];
		event->source = &source;
		event->owner = THIS_MODULE;
	}
	call_describe(call, meta, abi == COMPAT);
	call->enter.captures = true;
	call->enter.unlocked = true;
	call->enter.probe = probe_enter;
	call->enter.arguments = words[abi];
	call->events[ENTER].class = &call->enter;
	call->events[EXIT].class = &exit_class;
	return call;
}

static struct call *unknown_make(enum abi abi)
{
	struct call *call = call_make(abi, "unknown", NULL);
	unsigned int i;

	if (!call)
		return NULL;
	call->unknown = true;
	call->last = NUMBERS;
	call->last_wide = true;
	for (i = 0; i < ARGUMENTS; i++)
		call->offsets[i] = unknown_fields[1].offset + i * sizeof(u64);
	call->enter.fields = unknown_fields;
	call->enter.nr_fields = ARRAY_SIZE(unknown_fields);
	call->enter.size = 56;
	call->enter.print = "\"nr=%lld\", REC->nr";
	call->events[EXIT].class = &exit_class_unknown;
	return call;
}

/* ---- which calls there are ------------------------------------------------ */

/* Names by number, from the kernel's table for 32-bit programs. */
#define __SYSCALL(nr, name)		       [nr] = #name,
#define __SYSCALL_NORETURN(nr, name)	       [nr] = #name,
#define __SYSCALL_WITH_COMPAT(nr, name, other) [nr] = #name,
static const char *const compat_names[] = {
#ifdef CONFIG_IA32_EMULATION
#include <asm/syscalls_32.h>
#endif
};

static struct kt_event_set set = {.owner = THIS_MODULE};
static struct kt_event **events;

static const char *name_of(const char *function)
{
	return str_has_prefix(function, "sys_") ? function + 4 : function;
}

/* Events are known by name, so a second number of the same name means the same call. */
static struct call *call_find(enum abi abi, const char *name, unsigned int end)
{
	unsigned int number;

	for (number = 0; number < end; number++) {
		struct call *call = calls[abi][number];

		if (call &&
		    !strcmp(call->names[ENTER] + strlen("sys_enter_"), name))
			return call;
	}
	return NULL;
}

static int call_add(enum abi abi, unsigned int number, const char *function,
		    const struct syscall_metadata *meta)
{
	const char *name = name_of(function);
	struct call *call = call_find(abi, name, number);

	if (!call) {
		call = call_make(abi, name, meta);
		if (!call)
			return -ENOMEM;
		call->first = number;
	}
	call->last = number;
	calls[abi][number] = call;
	return 0;
}

static const struct syscall_metadata *meta_find(
	struct syscall_metadata *const *metas, const char *function)
{
	unsigned int number;

	for (number = 0; number < NR_syscalls && number < NUMBERS; number++) {
		if (metas[number] && !strcmp(metas[number]->name, function))
			return metas[number];
	}
	return NULL;
}

/* A part without a number of its own gets the next one behind @last. */
static int part_add(struct syscall_metadata *const *metas, const char *name,
		    unsigned int *last, u16 *number)
{
	const struct call *call = call_find(COMPAT, name, NUMBERS);
	char function[64];
	int err;

	if (call) {
		*number = call->first;
		return 0;
	}
	snprintf(function, sizeof(function), "sys_%s", name);
	err = call_add(COMPAT, *last, function, meta_find(metas, function));
	if (!err)
		*number = (*last)++;
	return err;
}

static int parts_make(struct syscall_metadata *const *metas)
{
	unsigned int of, i, last = KT_PARTS_FIRST;
	int err = 0;

	for (of = 0; of < KT_PARTS_OF; of++) {
		for (i = 0; !err && i < KT_PARTS_EACH; i++) {
			if (kt_part_names[of][i])
				err = part_add(metas, kt_part_names[of][i],
					       &last, &kt_part_numbers[of][i]);
		}
	}
	return err;
}

static int calls_make(struct syscall_metadata *const *metas)
{
	struct call *unknown[ABIS];
	unsigned int abi, number;
	int err = 0;

	for (number = 0; !err && number < NR_syscalls && number < NUMBERS;
	     number++) {
		if (metas[number])
			err = call_add(NATIVE, number, metas[number]->name,
				       metas[number]);
	}
	for (number = 0;
	     !err && number < ARRAY_SIZE(compat_names) && number < NUMBERS;
	     number++) {
		const char *name = compat_names[number];

		if (name && strcmp(name, "sys_ni_syscall"))
			err = call_add(COMPAT, number, name,
				       meta_find(metas, name));
	}
	if (!err && ARRAY_SIZE(compat_names))
		err = parts_make(metas);
	for (abi = 0; !err && abi < ABIS; abi++) {
		unknown[abi] = unknown_make(abi);
		if (!unknown[abi])
			return -ENOMEM;
		for (number = 0; number <= NUMBERS; number++) {
			if (!calls[abi][number])
				calls[abi][number] = unknown[abi];
		}
	}
	return err;
}

/* Several numbers may mean one call.  True for the last of them. */
static bool call_is_last(enum abi abi, unsigned int number)
{
	return calls[abi][number] && calls[abi][number]->last == number;
}

static void calls_free(void)
{
	unsigned int abi, number;

	for (abi = 0; abi < ABIS; abi++) {
		for (number = 0; number <= NUMBERS; number++) {
			if (call_is_last(abi, number))
				kfree(calls[abi][number]);
		}
	}
	kfree(events);
}

static int events_collect(void)
{
	unsigned int abi, number;
	size_t nr = 0;

	events = kcalloc(ABIS * (NUMBERS + 1) * DIRECTIONS, sizeof(*events),
			 GFP_KERNEL);
	if (!events)
		return -ENOMEM;
	for (abi = 0; abi < ABIS; abi++) {
		for (number = 0; number <= NUMBERS; number++) {
			if (!call_is_last(abi, number))
				continue;
			events[nr++] = &calls[abi][number]->events[ENTER];
			events[nr++] = &calls[abi][number]->events[EXIT];
		}
	}
	set.events = events;
	set.nr_events = nr;
	return 0;
}

static int __init syscalls_init(void)
{
	struct syscall_metadata ***metas;
	int err;

	/* The list of all metadata is freed after boot; this table stays. */
	metas = (struct syscall_metadata ***)kt_symbol("syscalls_metadata");
	if (!metas || !*metas) {
		pr_err("ktrace: the kernel has no metadata of its system calls "
		       "(FTRACE_SYSCALLS)\n");
		return -ENOENT;
	}
	err = calls_make(*metas);
	if (!err)
		err = events_collect();
	if (err)
		goto err_free;
	kt_source_register(&source);
	err = kt_events_register(&set);
	if (err)
		goto err_source;
	return 0;

err_source:
	kt_source_unregister(&source);
err_free:
	calls_free();
	return err;
}

static void __exit syscalls_exit(void)
{
	kt_events_unregister(&set);
	kt_source_unregister(&source);
	calls_free();
}

module_init(syscalls_init);
module_exit(syscalls_exit);
MODULE_AUTHOR("The ktrace authors");
MODULE_DESCRIPTION("Events of system calls, for ktrace");
MODULE_VERSION(KT_RELEASE);
MODULE_LICENSE("GPL");
