// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace load and ktrace unload: load and unload the kernel modules. */
#include <stdlib.h>
#include <unistd.h>

#include <ktrace/modules.h>
#include <ktrace/session.h>

#include "cmd.h"
#include "common/select.h"

static const struct command_option options[] = {
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("say what is done"),
	{0},
};

static int load_main(int argc, char **argv)
{
	struct ktrace_session_options session_options = {
		.size = sizeof(session_options),
		.note = note,
	};
	struct selection selection = SELECTION_EMPTY;
	struct ktrace_session *session;
	const char *const *patterns;
	struct ktrace_known *known = NULL;
	size_t nr = 0;
	int status;

	status = options_parse(&command_load, argc, argv, option_none, NULL);
	if (status != OPTIONS_TAKEN)
		return status;
	for (int i = optind; i < argc; i++)
		if (selection_add(&selection, argv[i]))
			return misused(&command_load, "`%s' names no event",
				       argv[i]);
	if (ktrace_session_open(&session_options, &session))
		return failed_in_library();
	status = EXIT_OK;
	if (!selection_is_all(&selection)) {
		patterns = selection_patterns(&selection, &nr);
		if (ktrace_session_prepare(session, patterns, nr))
			status = failed_in_library();
	}
	if (!status && ktrace_session_known(session, &known, &nr))
		status = failed_in_library();
	if (!status) {
		status = selection_check_known(&selection, known, nr, session);
		say("ktrace is loaded, its control tree is %s; %zu events are known",
		    ktrace_session_path(session), nr);
	}
	free(known);
	ktrace_session_close(session);
	selection_free(&selection);
	return status;
}

static int unload_main(int argc, char **argv)
{
	int status;

	status = options_parse(&command_unload, argc, argv, option_none, NULL);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		return misused(&command_unload, "it takes no argument");
	return ktrace_modules_unload() ? failed_in_library() : EXIT_OK;
}

const struct command command_load = {
	.name = "load",
	.what = "load the kernel modules and mount the control tree",
	.usage = "[OPTION...] [PATTERN...]",
	.about = "Other commands do this when they need it. With a PATTERN the "
		 "probe modules of\n"
		 "these events are loaded too; '*' loads all.\n",
	.options = options,
	.operand = ARGUMENT_EVENT,
	.main = load_main,
};

const struct command command_unload = {
	.name = "unload",
	.what = "unmount the control tree and take the modules out of the "
		"kernel",
	.usage = "[OPTION...]",
	.options = options,
	.main = unload_main,
};
