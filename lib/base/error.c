// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* One message per thread, so that a caller can print it later. */
#include <stdarg.h>
#include <stdio.h>

#include <ktrace/library.h>

#include "error.h"

static __thread char message[512];

int error_set(int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	return err;
}

const char *ktrace_last_error(void)
{
	return message;
}

/* Here, as each part of the library has it. */
unsigned int ktrace_lib_version(void)
{
	return KTRACE_LIB_VERSION;
}
