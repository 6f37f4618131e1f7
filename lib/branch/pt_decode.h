/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packets of Intel's Processor Trace become entries of a buffer of branches, as a CPU's context has them
 * (include/uapi/ktrace_branch.h): stamps say whose branches come next.
 *
 * libipt decodes the packets, with the code that ran; it is loaded when it is needed.  Source of the
 * packets: Intel's Software Developer's Manual, volume 3, chapter "Intel Processor Trace".
 */
#ifndef KT_LIB_BRANCH_PT_DECODE_H
#define KT_LIB_BRANCH_PT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/branch_list.h>

#include "branch_log.h"

/*
 * Kinds of entries that are only there until pt_resolve(): where a program left, and where it came back, are
 * told at different times, and perhaps on different CPUs.
 */
enum pt_entry_kind {
	/* The program has called the kernel; `to' is behind the call, 0: not known. */
	PT_LEFT_BY_CALL = 64,
	PT_LEFT, /* it was interrupted: `from' has not run yet */
	PT_CAME, /* it goes on at `to' */
};

/* The processor that made the packets.  All zero: not known; then times are less exact. */
struct pt_processor {
	uint16_t family;
	uint8_t model, stepping;
	uint8_t mtc_frequency;	   /* as in IA32_RTIT_CTL.MTCFreq */
	uint8_t nominal;	   /* its ratio without turbo */
	uint32_t ctc_eax, ctc_ebx; /* of CPUID 0x15 */
};

struct pt_packets {
	const uint8_t *bytes;
	size_t size;
	uint64_t
		offset; /* of the first byte in the whole of this CPU or thread */
	uint32_t cpu;
};

/* What must be known beside the packets. */
struct pt_side {
	/*
	 * A program goes on.  @offset: of the packet that says so; @tsc: the processor's time, 0: not
	 * known.  The thread, 0: not known; sets *@time, which goes into stamps.
	 */
	uint32_t (*runs)(void *data, uint64_t offset, uint64_t tsc,
			 uint64_t *time);
	/* Are packets missing that were made since the last time, before @offset?  */
	bool (*missing)(void *data, uint64_t offset);
	/*
	 * Copies code of that thread, up to @size bytes, and returns how many these are.  May set *@time if
	 * it had to look later.
	 */
	size_t (*code)(void *data, void *bytes, size_t size, uint64_t address,
		       uint64_t *time);
	void *data;
	/* Loops that were left, because they need no packets to go on: of all packets of a trace. */
	uint32_t *endless;
};

/* Is libipt there? */
bool pt_decoder_known(void);

/* Adds to @log and to @losses.  0 or -ENOMEM. */
int pt_decode(const struct pt_packets *packets,
	      const struct pt_processor *processor, const struct pt_side *side,
	      struct kt_branch_log *log,
	      struct ktrace_branches_decoded *losses);

#endif /* KT_LIB_BRANCH_PT_DECODE_H */
