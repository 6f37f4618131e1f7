// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The last error message of each thread, which a caller may print later. */
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

/* Not in a header, so that it is the version of the library that runs. */
unsigned int ktrace_lib_version(void)
{
	return KTRACE_LIB_VERSION;
}
