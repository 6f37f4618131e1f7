// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace tui: shows, switches and records events, in the terminal.
 *
 * However the program ends, by a key or a signal, it completes the recording
 * and restores the terminal.
 */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "cmd.h"
#include "run/signals.h"
#include "screen.h"
#include "tui.h"
#include "tui_option.h"

#define ADVICE                                             \
	"the browser needs a terminal: `ktrace list' and " \
	"`ktrace markers' print the same"

#define ROUND_NS      250000000ull   /* between reads of the recording */
#define LOOK_NS	      1000000000ull  /* between updates of the screen */
#define REFRESH_NS    2000000000ull  /* between refreshes of the tree: least, */
#define REFRESH_MAX   10000000000ull /* most, */
#define REFRESH_SHARE 10	     /* and no more than 1/10 of the time */

void tui_messages(struct tui *t)
{
	screen_messages(t->message, sizeof(t->message));
}

/* Running */

/* Copies the counts into the tree. */
static bool count_clear(struct item *leaf, void *data)
{
	leaf->count = 0;
	leaf->rate = 0;
	return true;
}

static void counts_take(struct tui *t)
{
	const struct ktrace_types *types;

	tree_walk(&t->tree.root, count_clear, NULL);
	types = t->watch ? watch_known(t->watch) : NULL;
	for (size_t i = 0; types && i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);
		uint64_t count = watch_count(t->watch, type->id);
		struct item *leaf;

		if (!count)
			continue;
		leaf = tree_find(&t->tree, type->system, type->name, false);
		if (!leaf)
			leaf = tree_find(&t->tree, type->system, type->name,
					 true);
		if (!leaf)
			continue;
		leaf->count += count;
		leaf->rate += watch_rate(t->watch, type->id);
	}
	tui_rows(t);
}

static void screen_look(struct tui *t)
{
	size_t end = t->top + tui_page(t);
	bool changed = false;

	for (size_t i = t->top; i < end && i < t->tree.nr_rows; i++)
		if (t->tree.rows[i].item->leaf)
			changed |= tree_look(&t->tree, t->tree.rows[i].item);
	if (!changed)
		return;
	if (t->watch)
		watch_types(t->watch);
	tui_rows(t);
}

static void all_look(struct tui *t)
{
	uint64_t ids = t->tree.ids;

	if (tree_refresh(&t->tree))
		failed_in_library();
	/* Somebody else has enabled events that the trace does not know. */
	if (t->watch && t->tree.ids != ids)
		watch_types(t->watch);
	t->described = NULL;
	tui_rows(t);
}

/* Returns the signal that ended it, or 0. */
static int loop(struct tui *t, const struct signals *signals)
{
	uint64_t round = 0, look = 0, all = now_ns() + REFRESH_NS, now, took;
	int ended = 0, key;

	while (!t->quit && !ended) {
		struct pollfd fds[2] = {
			{.fd = STDIN_FILENO, .events = POLLIN},
			{.fd = signals->fd, .events = POLLIN},
		};

		if (t->described != t->item)
			tui_describe(t);
		tui_messages(t);
		tui_draw(t);
		if (poll(fds, 2, ROUND_NS / 1000000) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			ended = signals_take(signals, NULL);
		/* The end of a child does not end us. */
		if (ended == SIGCHLD)
			ended = 0;
		/* The terminal is gone. */
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			ended = SIGHUP;
		while (!t->quit && !ended && (key = getch()) != ERR)
			tui_key(t, key);
		now = now_ns();
		if (t->watch && now - round >= ROUND_NS) {
			round = now;
			if (!watch_round(t->watch)) {
				failed_in_library();
				tui_stop(t, "error");
			}
			counts_take(t);
		}
		if (now >= look) {
			screen_look(t);
			look = now + LOOK_NS;
		}
		if (now >= all) {
			all_look(t);
			counts_take(t);
			took = now_ns() - now;
			took *= REFRESH_SHARE;
			if (took < REFRESH_NS)
				took = REFRESH_NS;
			all = now_ns() +
			      (took < REFRESH_MAX ? took : REFRESH_MAX);
		}
	}
	return ended;
}

static int tui_run(struct tui *t, const struct signals *signals)
{
	char last[sizeof(t->message)];
	int status, ended = 0;

	if (tree_refresh(&t->tree))
		return failed_in_library();
	status = errors_catch();
	if (status)
		return status;
	status = screen_open(ADVICE, true);
	if (!status) {
		tui_rows(t);
		ended = loop(t, signals);
		*t->message = '\0';
		tui_stop(t, "stopped");
		screen_close();
	}
	tui_messages(t);
	snprintf(last, sizeof(last), "%s", t->message);
	errors_release();
	if (*last)
		fprintf(stderr, "ktrace: %s\n", last);
	if (!status && ended && ended != SIGINT)
		status = 128 + ended;
	return status;
}

static void tui_free(struct tui *t)
{
	t->item = NULL;
	tui_describe(t);
	for (size_t i = 0; i < t->nr_sets; i++)
		free(t->sets[i]);
	free(t->sets);
	ktrace_session_close(t->tree.session);
	tree_destroy(&t->tree);
}

static int option_handle(void *data, int option)
{
	struct ktrace_session_options *options = data;

	switch (option) {
	case 'l':
		options->no_load = true;
		return EXIT_OK;
	case 'S':
		options->name = optarg;
		return EXIT_OK;
	default:
		return option_forgotten(&command_tui, option);
	}
}

static int tui_main(int argc, char **argv)
{
	static const char *const all[] = {"*", "syscalls:*",
					  "compat_syscalls:*"};
	struct ktrace_session_options session_options = {
		.size = sizeof(session_options),
		.note = note,
	};
	struct ktrace_session *session = NULL;
	struct tui t = {.click_row = -1};
	const char *why = NULL;
	struct signals signals;
	int status;

	status = options_parse(&command_tui, argc, argv, option_handle,
			       &session_options);
	if (status != OPTIONS_TAKEN)
		return status;
	t.session = session_options.name;
	if (optind < argc)
		return misused(&command_tui, "it takes no argument");
	setlocale(LC_ALL, "");
	status = screen_check(ADVICE);
	if (status)
		return status;
	status = signals_prepare(&signals);
	if (status)
		return status;
	/* Markers of programs work without the kernel's part. */
	if (ktrace_session_open(&session_options, &session) ||
	    ktrace_session_prepare(session, all, 3))
		why = ktrace_last_error();
	if (tree_create(&t.tree, session, why))
		return failed("out of memory");
	status = tui_run(&t, &signals);
	tui_free(&t);
	close(signals.fd);
	return status;
}

const struct command command_tui = {
	.name = "tui",
	.what = "browse, switch and watch in the terminal",
	.usage = "[OPTION...]",
	.about = "Shows all that can be recorded as a tree: kernel events, "
		 "system calls, markers.\n"
		 "Space switches on and off, / searches, r records, ? explains "
		 "all keys.\n",
	.options = tui_options,
	.main = tui_main,
};
