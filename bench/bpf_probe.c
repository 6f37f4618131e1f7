// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * BPF programs that record events as a tracer would: a time stamp and two or
 * three values of each event, or a path, go to a ring buffer.  Compiled by
 * clang -target bpf, loaded by bpf.c.
 *
 * The programs get their arguments by BTF, which is the cheapest way, and never
 * wake the reader.  A record takes 24 bytes and the ring's header of 8, except
 * for paths; with the id of a stack it takes 32, because the ring rounds up.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <asm/unistd.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* The members that the programs read; libbpf finds their offsets. */
struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct pt_regs {
	unsigned long si;
	unsigned long orig_ax;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} ring SEC(".maps");

struct record {
	__u64 time;
	__u32 id;
	__u32 a;
	__u64 b;
};

static __always_inline void record_fill(struct record *r, __u32 id, __u32 a,
					__u64 b)
{
	r->time = bpf_ktime_get_ns();
	r->id = id;
	r->a = a;
	r->b = b;
}

static __always_inline int record(__u32 id, __u32 a, __u64 b)
{
	struct record *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r)
		return 0;
	record_fill(r, id, a, b);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle, unsigned int state, unsigned int cpu)
{
	return record(1, state, cpu);
}

/* A BPF program contains its filter. */
SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle_filter, unsigned int state, unsigned int cpu)
{
	return state == 7 ? record(1, state, cpu) : 0;
}

/* Each stack once, as deep as the kernel allows by default. */
#define STACK_DEPTH 127

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1024);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, STACK_DEPTH * sizeof(__u64));
} stacks SEC(".maps");

struct stack_record {
	struct record event;
	__s32 stack;
};

/*
 * Without BPF_F_FAST_STACK_CMP: that takes a stack for another one which has
 * the same hash.
 */
static __always_inline int record_stack(__u32 id, __u32 a, __u64 b, long stack)
{
	struct stack_record *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r)
		return 0;
	record_fill(&r->event, id, a, b);
	r->stack = stack;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle_kernel, unsigned int state, unsigned int cpu)
{
	return record_stack(1, state, cpu, bpf_get_stackid(ctx, &stacks, 0));
}

SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle_user, unsigned int state, unsigned int cpu)
{
	return record_stack(1, state, cpu,
			    bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK));
}

/* The verifier does not know the types of kmalloc's arguments. */
SEC("raw_tp/kmalloc")
int BPF_PROG(kmalloc, unsigned long call_site, const void *ptr)
{
	return record(2, call_site, (__u64)ptr);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, void *regs, long id)
{
	return record(3, id, (__u64)regs);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, void *regs, long ret)
{
	return record(4, 0, ret);
}

/*
 * The events of one call.  It is cheaper to attach to all calls and check the
 * number than to use syscalls:sys_enter_NAME, whose programs are run by perf.
 */
SEC("tp_btf/sys_enter")
int BPF_PROG(getppid_enter, void *regs, long id)
{
	return id == __NR_getppid ? record(3, id, (__u64)regs) : 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(getppid_exit, struct pt_regs *regs, long ret)
{
	return regs->orig_ax == __NR_getppid ? record(4, 0, ret) : 0;
}

/* As much room for a path as other BPF tracers reserve. */
#define PATH_ROOM 256

struct path_record {
	__u64 time;
	__u32 id;
	__u32 len;
	__u64 address;
	char path[PATH_ROOM];
};

SEC("tp_btf/sys_enter")
int BPF_PROG(openat_enter, struct pt_regs *regs, long id)
{
	struct path_record *r;

	if (id != __NR_openat)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r)
		return 0;
	r->time = bpf_ktime_get_ns();
	r->id = 7;
	r->address = regs->si;
	r->len = bpf_probe_read_user_str(r->path, sizeof(r->path),
					 (const void *)regs->si);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(openat_exit, struct pt_regs *regs, long ret)
{
	return regs->orig_ax == __NR_openat ? record(8, 0, ret) : 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	return record(5, prev->pid, next->pid);
}

#define TEXT_MAX 224

struct text_record {
	__u64 time;
	__u32 id;
	__u32 len;
	char text[TEXT_MAX - 24];
};

SEC("tp_btf/console")
int BPF_PROG(console, const char *text, unsigned long len)
{
	struct text_record *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r)
		return 0;
	if (len > sizeof(r->text))
		len = sizeof(r->text);
	r->time = bpf_ktime_get_ns();
	r->id = 6;
	r->len = len;
	bpf_probe_read_kernel(r->text, len, text);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}
