/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The running totals in the header of a packet: events until its end, with those that were
 * overwritten, and losses until its begin.
 *
 * A recording may go on in another trace (rotation.c).  Packets there get their totals less what
 * the earlier traces have, so each trace is one of its own.
 */
#ifndef KT_LIB_RECORD_TOTALS_H
#define KT_LIB_RECORD_TOTALS_H

#include <ktrace.h>

/* All zero: none. */
struct totals {
	__u64 events;
	/* What was overwritten is not in the header: who counts it here does so by itself. */
	__u64 lost[KT_LOST_NR];
};

struct totals totals_of(const struct kt_packet *p);
/* The totals of a copy become those of its trace; @base: what earlier ones have. */
void packet_rebase(struct kt_packet *p, const struct totals *base);

#endif /* KT_LIB_RECORD_TOTALS_H */
