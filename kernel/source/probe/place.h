/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a probe is:
 *
 *	[MODULE[{BUILD}]:]FUNCTION[+OFFSET]	an instruction of a function; OFFSET in bytes
 *	[MODULE:]FUNCTION%return	where the function has returned to
 *	0xADDRESS[/TEXT][%return]	the same, if several functions have the name
 *
 * TEXT says to people what is there.  Nothing is looked up for an address, so whoever knows the
 * addresses of many functions spares the kernel the walk over all symbols for each line.
 *
 * A module that is named need not be loaded: then the address is 0, and its function is looked for
 * when the module comes.  BUILD is a module's build id: another build is refused, because it may have
 * other code there.
 */
#ifndef KT_KERNEL_SOURCE_PLACE_H
#define KT_KERNEL_SOURCE_PLACE_H

#include <linux/moduleparam.h>
#include <linux/types.h>

struct kt_session;

struct place {
	unsigned long address;
	bool returns;
	bool moves; /* its module may go, and come back elsewhere */
	char module
		[MODULE_NAME_LEN]; /* if it moves: whose it is; "": no module's */
};

void places_init(void);
/* A module comes or goes: what is known of one may be wrong by now.  Under kt_mutex. */
void places_forget(void);

/* Is it loaded, or being loaded so far that it has functions? */
bool place_module_is_there(const char *module);

/* Refuses, with the reason, what is no place.  Address 0: its module is not there. */
int place_find(struct place *place, struct kt_session *session,
	       const char *text);
/*
 * What messages show of a place's text: the label of an address, if it has one; no build.  Until the
 * next call, under kt_mutex.
 */
const char *place_label(const char *text);
/* Why the kernel's register_kprobe() says this of it. */
int place_refuse(struct kt_session *session, const char *text, int err);

#endif /* KT_KERNEL_SOURCE_PLACE_H */
