// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/now.h"

#include "cmd.h"
#include "debuginfod.h"
#include "value.h"

/* How often the line is written. */
#define SHOWN_NS 100000000ull

static void line_clear(struct debuginfod *d)
{
	if (d->shown)
		fputs("\r\033[K", stderr);
	d->shown = 0;
}

/* The path may be a stranger's. */
static void line_show(struct debuginfod *d, const char *path, uint64_t bytes)
{
	const char *base = strrchr(path, '/');
	uint64_t now = now_ns();
	char *name;

	if (!d->progress || now - d->shown < SHOWN_NS)
		return;
	name = escape_text(base && base[1] ? base + 1 : path);
	d->shown = now;
	fprintf(stderr, "\r\033[Kdebug file of %.40s: %s", name ? name : "?",
		bytes ? bytes_text(bytes).s : "asking");
	free(name);
}

static bool progress(void *data, const char *path, uint64_t bytes)
{
	struct debuginfod *d = data;

	if (!path) {
		line_clear(d);
		return false;
	}
	line_show(d, path, bytes);
	return d->interrupted && d->interrupted(d->data);
}

static void warn(void *data, const char *text)
{
	char *escaped = escape_text(text);

	line_clear(data);
	say("%s", escaped ? escaped : text);
	free(escaped);
}

int debuginfod_option(struct debuginfod *d)
{
	if (!ktrace_debuginfod_built())
		return failed("--debuginfod: this ktrace was built without it: "
			      "install libdebuginfod-dev and build it again");
	d->wanted = true;
	return EXIT_OK;
}

/*
 * How long libdebuginfod waits is for the caller to say, in its variables.  But its own defaults
 * are for a debugger that somebody looks at: a minute and a half, three times.
 */
void debuginfod_patience(const struct debuginfod *d)
{
	if (!d->wanted)
		return;
	setenv("DEBUGINFOD_TIMEOUT", "30", 0);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
}

const struct ktrace_debuginfod *debuginfod_options(struct debuginfod *d)
{
	const char *timeout = getenv("DEBUGINFOD_TIMEOUT");
	int seconds = timeout ? atoi(timeout) : 0;

	if (!d->wanted)
		return NULL;
	if (seconds > 0 && seconds < 86400)
		d->options.silent_ms = seconds * 1000u;
	d->options.size = sizeof(d->options);
	d->options.progress = progress;
	d->options.warn = warn;
	d->options.data = d;
	d->progress = isatty(STDERR_FILENO) && verbosity >= 0;
	return &d->options;
}
