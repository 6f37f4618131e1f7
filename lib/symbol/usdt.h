/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * USDT probes of a program: places that its authors have marked with DTRACE_PROBE() or STAP_PROBE()
 * of <sys/sdt.h>.  Each is a note of the file, as SystemTap's wiki describes them
 * (UserSpaceProbeImplementation): addresses, names, and where the arguments are.
 */
#ifndef KT_LIB_SYMBOL_USDT_H
#define KT_LIB_SYMBOL_USDT_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct usdt {
	const char *provider, *name;
	const char *arguments; /* "SIZE@OPERAND ..." */
	uint64_t address;
	uint64_t
		semaphore; /* address of the number of its users; 0: it has none */
};

/*
 * Those of the file, in its order, but for notes that are none; *@list is to be freed, the texts are
 * the file's.  0, or -ENOMEM.
 */
int usdt_read(Elf *elf, struct usdt **list, size_t *nr);

#endif /* KT_LIB_SYMBOL_USDT_H */
