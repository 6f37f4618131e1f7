/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of calls that programs and the kernel have for different things. */
#ifndef KT_CMD_COMMON_CALL_NAME_H
#define KT_CMD_COMMON_CALL_NAME_H

#include <stdbool.h>

#define CALL_NAME_MAX 128

/*
 * Do programs know the call of an event by another name?  Then @other becomes the event's name with
 * that.  @own: the kernel's name, too, means this call.  It does not if programs use it for another
 * call: what is chown in the kernel is chown32 for 32-bit programs, and their chown is chown16.
 */
bool call_name_other(const char *system, const char *name,
		     char other[CALL_NAME_MAX], bool *own);

#endif /* KT_CMD_COMMON_CALL_NAME_H */
