// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The attributes of a performance event, as far as the call's own arguments make sense
 * without the rest: what is measured, and each bit that is set.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <linux/perf_event.h>

#include <ktrace/capture_names.h>

#include "call.h"

#define ATTR_SHOWN offsetof(struct perf_event_attr, wakeup_events)
#define HALF	   0xffffffffu
#define BYTE	   0xffu

/* The compiler says where the bit is: one attribute that has nothing else. */
#define BIT(member)                 \
	{                           \
#member,            \
		{                   \
			.member = 1 \
		}                   \
	}

static const struct {
	const char *name;
	struct perf_event_attr one;
} bits[] = {
	BIT(disabled),
	BIT(inherit),
	BIT(pinned),
	BIT(exclusive),
	BIT(exclude_user),
	BIT(exclude_kernel),
	BIT(exclude_hv),
	BIT(exclude_idle),
	BIT(mmap),
	BIT(comm),
	BIT(freq),
	BIT(inherit_stat),
	BIT(enable_on_exec),
	BIT(task),
	BIT(watermark),
	BIT(precise_ip),
	BIT(mmap_data),
	BIT(sample_id_all),
	BIT(exclude_host),
	BIT(exclude_guest),
	BIT(exclude_callchain_kernel),
	BIT(exclude_callchain_user),
	BIT(mmap2),
	BIT(comm_exec),
	BIT(use_clockid),
	BIT(context_switch),
	BIT(write_backward),
	BIT(namespaces),
	BIT(ksymbol),
	BIT(bpf_event),
	BIT(aux_output),
	BIT(cgroup),
	BIT(text_poke),
	BIT(build_id),
	BIT(inherit_thread),
	BIT(remove_on_exec),
	BIT(sigtrap),
};

/* The bits are in the word behind this member. */
static uint64_t bits_of(const struct perf_event_attr *attr)
{
	uint64_t word;

	memcpy(&word,
	       (const uint8_t *)attr +
		       offsetof(struct perf_event_attr, read_format) +
		       sizeof(attr->read_format),
	       sizeof(word));
	return word;
}

/* How exact the address of a sample must be. */
static void put_precise(struct line *line, unsigned int precise)
{
	static const char *const meanings[] = {
		"arbitrary skid",
		"constant skid",
		"requested to have 0 skid",
		"must have 0 skid",
	};

	line_printf(line, ", precise_ip=%u /* %s */", precise,
		    meanings[precise]);
}

static void put_bits(struct line *line, const struct perf_event_attr *attr,
		     bool all)
{
	struct perf_event_attr unnamed = {0};
	uint64_t word = bits_of(attr);

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		uint64_t bit = bits_of(&bits[i].one);

		if (!strcmp(bits[i].name, "precise_ip"))
			put_precise(line, attr->precise_ip);
		else if (all || word & bit)
			line_printf(line, ", %s=%d", bits[i].name,
				    !!(word & bit));
	}
	unnamed.__reserved_1--;
	if (attr->__reserved_1)
		line_printf(line, ", __reserved_1=%#x /* Bits 63..%d */",
			    (unsigned int)attr->__reserved_1,
			    __builtin_ctzll(bits_of(&unnamed)));
}

/* Which one of several devices is measured; 0: any. */
static void put_device(struct line *line, uint64_t config)
{
	if (config >> 32)
		line_printf(line, "%#" PRIx64 "<<32|", config >> 32);
}

static void put_cache(struct line *line, uint64_t config)
{
	uint32_t half = config & HALF;

	put_device(line, config);
	if (half >> 24)
		line_printf(line, "%#x<<24|", half >> 24);
	value_names(line, "perf_cache_result", half >> 16 & BYTE);
	line_puts(line, "<<16|");
	value_names(line, "perf_cache_op", half >> 8 & BYTE);
	line_puts(line, "<<8|");
	value_names(line, "perf_cache", half & BYTE);
}

static void put_config(struct line *line, const struct perf_event_attr *attr)
{
	line_puts(line, ", config=");
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		put_device(line, attr->config);
		value_names(line, "perf_hardware", attr->config & HALF);
		break;
	case PERF_TYPE_SOFTWARE:
		value_names(line, "perf_software", attr->config);
		break;
	case PERF_TYPE_TRACEPOINT:
		line_printf(line, "%" PRIu64, (uint64_t)attr->config);
		break;
	case PERF_TYPE_HW_CACHE:
		put_cache(line, attr->config);
		break;
	default:
		line_printf(line, "%#" PRIx64, (uint64_t)attr->config);
	}
}

/* After E2BIG the kernel has stored which size it knows. */
static void put_size(struct line *line, const struct call_view *view,
		     unsigned int argument, uint32_t size)
{
	struct captured now =
		captured_get(view, true, argument, KTRACE_CAPTURED_NOW);

	line_puts(line, ", size=");
	value_names(line, "perf_size", size);
	if (view->result != -E2BIG || now.size < sizeof(size))
		return;
	memcpy(&size, now.bytes, sizeof(size));
	line_puts(line, " => ");
	value_names(line, "perf_size", size);
}

/* Does the program's struct go beyond this member's begin? */
#define HAS(member) (size > offsetof(struct perf_event_attr, member))

/* What a sample has of registers, stacks, and of other events. */
static void put_samples(struct line *line, const struct perf_event_attr *attr,
			size_t size)
{
	if (HAS(sample_regs_intr))
		line_printf(line, ", sample_regs_intr=%#" PRIx64,
			    (uint64_t)attr->sample_regs_intr);
	if (HAS(aux_watermark))
		line_printf(line, ", aux_watermark=%u", attr->aux_watermark);
	if (HAS(sample_max_stack))
		line_printf(line, ", sample_max_stack=%u",
			    attr->sample_max_stack);
	if (HAS(__reserved_2) && attr->__reserved_2)
		line_printf(line, " /* bytes 110..111: %#x */",
			    attr->__reserved_2);
	if (HAS(aux_sample_size))
		line_printf(line, ", aux_sample_size=%u",
			    attr->aux_sample_size);
	if (HAS(__reserved_3) && attr->__reserved_3)
		line_printf(line, " /* bytes 116..119: %#x */",
			    attr->__reserved_3);
	if (HAS(sig_data))
		line_printf(line, ", sig_data=%#" PRIx64,
			    (uint64_t)attr->sig_data);
}

/* A breakpoint has an address and a length where other events have more of their configuration. */
static void put_more_config(struct line *line,
			    const struct perf_event_attr *attr, size_t size)
{
	bool breakpoint = attr->type == PERF_TYPE_BREAKPOINT;

	if (breakpoint) {
		line_puts(line, ", bp_type=");
		value_names(line, "perf_breakpoint", attr->bp_type);
	}
	line_printf(line, ", %s=%#" PRIx64, breakpoint ? "bp_addr" : "config1",
		    (uint64_t)attr->config1);
	if (HAS(bp_len))
		line_printf(line,
			    breakpoint ? ", bp_len=%" PRIu64
				       : ", config2=%#" PRIx64,
			    (uint64_t)attr->config2);
}

/* What is left out otherwise. */
static void put_rest(struct line *line, const struct perf_event_attr *attr,
		     size_t size)
{
	line_printf(line, ", wakeup_%s=%u",
		    attr->watermark ? "watermark" : "events",
		    attr->wakeup_events);
	put_more_config(line, attr, size);
	if (HAS(branch_sample_type) &&
	    attr->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		line_puts(line, ", branch_sample_type=");
		value_names(line, "perf_branch", attr->branch_sample_type);
	}
	if (HAS(sample_regs_user))
		line_printf(line, ", sample_regs_user=%#" PRIx64,
			    (uint64_t)attr->sample_regs_user);
	if (HAS(sample_stack_user) &&
	    attr->sample_type & PERF_SAMPLE_STACK_USER)
		line_printf(line, ", sample_stack_user=%#x",
			    attr->sample_stack_user);
	if (HAS(clockid) && attr->use_clockid) {
		line_puts(line, ", clockid=");
		value_names(line, "clock", (uint32_t)attr->clockid);
	}
	put_samples(line, attr, size);
}

void event_print(struct line *line, const struct call_view *view,
		 unsigned int argument)
{
	struct captured c = captured_get(view, false, argument, "");
	struct perf_event_attr attr = {0};
	size_t size = c.size < sizeof(attr) ? c.size : sizeof(attr);

	if (c.there && size >= ATTR_SHOWN)
		memcpy(&attr, c.bytes, size);
	if (size < ATTR_SHOWN || c.unread ||
	    (attr.size && attr.size < PERF_ATTR_SIZE_VER0)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "{type=");
	value_names(line, "perf_type", attr.type);
	put_size(line, view, argument, attr.size);
	put_config(line, &attr);
	line_printf(line, ", sample_%s=%" PRIu64, attr.freq ? "freq" : "period",
		    (uint64_t)attr.sample_period);
	line_puts(line, ", sample_type=");
	value_names(line, "perf_sample", attr.sample_type);
	line_puts(line, ", read_format=");
	value_names(line, "perf_read", attr.read_format);
	put_bits(line, &attr, view->unabbreviated);
	if (view->unabbreviated)
		put_rest(line, &attr, size);
	/* There is always more, which few use. */
	if (!view->unabbreviated || attr.size > size)
		line_puts(line, ", ...");
	line_puts(line, "}");
}
