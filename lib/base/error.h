/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Error messages, for ktrace_last_error(). */
#ifndef KT_LIB_BASE_ERROR_H
#define KT_LIB_BASE_ERROR_H

/* Stores the message and returns @err, a negative errno. */
int error_set(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* KT_LIB_BASE_ERROR_H */
