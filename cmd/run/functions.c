// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "common/function_names.h"
#include "functions.h"

/* Or a slip of the pen in its name would not be seen. */
static void waiting_say(const char *const *patterns, size_t nr,
			const char *meanwhile)
{
	for (size_t i = 0; i < nr; i++)
		if (ktrace_function_waits(patterns[i]))
			say("the module %.*s is not loaded: %s",
			    (int)strcspn(patterns[i], ":"), patterns[i],
			    meanwhile);
}

int functions_enable(struct ktrace_session *session,
		     const struct ktrace_functions *functions)
{
	size_t count;
	int err = ktrace_session_functions_choose(session, functions, &count);

	if (err) {
		failed_in_library();
		if (err != -ENOENT)
			return EXIT_FAILED;
		function_names_near(functions->roots, functions->nr_roots);
		function_names_near(functions->cut, functions->nr_cut);
		function_names_near(functions->around, functions->nr_around);
		return EXIT_FAILED;
	}
	waiting_say(functions->roots, functions->nr_roots,
		    "its functions are recorded when it is");
	waiting_say(functions->around, functions->nr_around,
		    "nothing is recorded within its functions before it is");
	waiting_say(functions->cut, functions->nr_cut,
		    "its functions are cut when it is");
	if (verbosity > 0)
		say("%zu functions", count);
	return EXIT_OK;
}
