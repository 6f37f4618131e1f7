// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "common/function_names.h"
#include "complete.h"

static void name_print(void *data, const char *name, const char *module)
{
	const char *prefix = data, *colon = strchr(prefix, ':');
	size_t length = colon ? colon - prefix : 0;

	if (!colon) {
		if (!strncmp(name, prefix, strlen(prefix)))
			puts(name);
		return;
	}
	module = module ?: "vmlinux";
	if (strlen(module) == length && !memcmp(module, prefix, length) &&
	    !strncmp(name, colon + 1, strlen(colon + 1)))
		printf("%s:%s\n", module, name);
}

int complete_functions(const char *prefix)
{
	function_names_each(name_print, (void *)prefix);
	return output_finish(EXIT_OK);
}
