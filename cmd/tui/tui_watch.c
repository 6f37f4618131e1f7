// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Each round reads all new events, but only the newest become text.  Which ones
 * these are is known at the end of the round, so events are copied to a ring
 * first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <ktrace/output.h>

#include <ktrace/recording.h>

#include "base/loss.h"
#include "base/now.h"
#include "cmd.h"
#include "common/count.h"
#include "common/output.h"
#include "common/trace.h"
#include "tui_watch.h"
#include "common/value.h"

#define BUFFER	   (8ull << 20)
#define ROUND_NS   150000000ull	 /* limit of the time to read */
#define RATE_NS	   1000000000ull /* between two computations of rates */
#define COMM_ROOM  32
#define EVENTS_MAX 64 /* events that become text in a round */

/* A copy of an item of the cursor. */
struct found {
	int item;
	struct ktrace_event event;
	struct ktrace_loss loss;
	char comm[COMM_ROOM];
	uint8_t *payload;
	size_t room;
};

struct watch {
	struct ktrace_session *session;
	struct ktrace_recording *recording;
	struct ktrace *trace;
	struct ktrace_cursor *cursor;
	struct ktrace_output *output;
	char *text; /* what the output wrote in this round */
	size_t text_size;
	char *directory;
	char parent[64]; /* of a directory that will be removed */
	bool kept;
	bool started;
	bool behind;
	int error;
	uint64_t began, ended;
	uint64_t newest; /* time of the last event */

	uint64_t *counts; /* by id */
	uint64_t *before;
	double *rates;
	size_t nr;
	uint64_t rated; /* when rates were computed */

	struct found found[EVENTS_MAX];
	size_t nr_found;
	uint64_t read; /* number of events */
};

static struct watch_lines lines;

struct watch_lines *watch_lines(void)
{
	return &lines;
}

/* Beginning */

static int directory_choose(struct watch *w, const char *path)
{
	const char *tmp = getenv("TMPDIR");
	size_t len;

	w->kept = path;
	if (!path) {
		snprintf(w->parent, sizeof(w->parent), "%.40s/ktrace-XXXXXX",
			 tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(w->parent)) {
			int status =
				failed("%s: %s", w->parent, strerror(errno));

			*w->parent = '\0';
			return status;
		}
		if (asprintf(&w->directory, "%s/trace", w->parent) < 0)
			return failed("out of memory");
		return EXIT_OK;
	}
	w->directory = strdup(path);
	if (!w->directory)
		return failed("out of memory");
	for (len = strlen(path); len > 1 && w->directory[len - 1] == '/';)
		w->directory[--len] = '\0';
	return output_prepare(w->directory);
}

static void directory_remove(struct watch *w)
{
	if (w->kept || !*w->parent)
		return;
	ktrace_remove(w->directory);
	rmdir(w->parent);
}

/*
 * Opens the session again, with a claim that ends with the recording.  Events
 * that a killed recorder left in the buffers are not part of this trace.
 */
static int session_take(struct watch *w, const char *name)
{
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.name = name,
		.no_load = true,
	};

	if (ktrace_session_open(&options, &w->session) ||
	    ktrace_session_claim(w->session) ||
	    ktrace_session_write(w->session, "enabled", "0") ||
	    ktrace_session_write(w->session, "reset", "1"))
		return failed_in_library();
	return EXIT_OK;
}

static void warn(void *data, const char *text)
{
	say("%s", text);
}

static int text_add(void *data, const char *text, size_t size)
{
	struct watch *w = data;
	char *all = realloc(w->text, w->text_size + size);

	if (!all)
		return -ENOMEM;
	memcpy(all + w->text_size, text, size);
	w->text = all;
	w->text_size += size;
	return 0;
}

static int recording_begin(struct watch *w, const struct watch_options *o)
{
	struct ktrace_recording_options options = {
		.size = sizeof(options),
		.directory = w->directory,
		.version = "ktrace " KTRACE_VERSION,
		.buffer = BUFFER,
		.follow = true,
		.programs = o->patterns,
		.nr_programs = o->nr_patterns,
		.warn = warn,
	};
	struct ktrace_output_options text = {
		.size = sizeof(text),
		.write = text_add,
		.data = w,
	};
	struct sysinfo info;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!sysinfo(&info) && cpus > 0 &&
	    (uint64_t)info.totalram * info.mem_unit / 32 / cpus < BUFFER)
		options.buffer = 1 << 20;
	if (ktrace_recording_create(w->session, &options, &w->recording) ||
	    ktrace_recording_start(w->recording))
		return failed_in_library();
	w->started = true;
	if (ktrace_recording_follow(w->recording, !w->kept, &w->trace) ||
	    ktrace_cursor_create(w->trace, NULL, &w->cursor))
		return failed_in_library();
	if (ktrace_output_create(w->trace, "text", &text, &w->output))
		return failed_in_library();
	return EXIT_OK;
}

static void watch_destroy(struct watch *w)
{
	ktrace_output_destroy(w->output);
	ktrace_cursor_destroy(w->cursor);
	ktrace_close(w->trace);
	ktrace_recording_destroy(w->recording);
	ktrace_session_close(w->session);
	free(w->text);
	if (w->directory)
		directory_remove(w);
	for (size_t i = 0; i < EVENTS_MAX; i++)
		free(w->found[i].payload);
	free(w->directory);
	free(w->counts);
	free(w->before);
	free(w->rates);
	free(w);
}

int watch_start(const struct watch_options *options, struct watch **watch)
{
	struct watch *w = calloc(1, sizeof(*w));
	int status;

	if (!w)
		return failed("out of memory");
	status = options->kernel ? session_take(w, options->name) : EXIT_OK;
	if (!status)
		status = directory_choose(w, options->directory);
	if (!status)
		status = recording_begin(w, options);
	if (status) {
		if (w->started)
			ktrace_recording_stop(w->recording, "error");
		watch_destroy(w);
		return status;
	}
	w->began = w->rated = now_ns();
	*watch = w;
	return EXIT_OK;
}

/* Reading */

static int counts_grow(struct watch *w, uint32_t id)
{
	size_t nr = id + 256;
	uint64_t *counts = realloc(w->counts, nr * sizeof(*counts));
	uint64_t *before;
	double *rates;

	if (counts)
		w->counts = counts;
	before = realloc(w->before, nr * sizeof(*before));
	if (before)
		w->before = before;
	rates = realloc(w->rates, nr * sizeof(*rates));
	if (rates)
		w->rates = rates;
	if (!counts || !before || !rates)
		return -ENOMEM;
	memset(counts + w->nr, 0, (nr - w->nr) * sizeof(*counts));
	memset(before + w->nr, 0, (nr - w->nr) * sizeof(*before));
	memset(rates + w->nr, 0, (nr - w->nr) * sizeof(*rates));
	w->nr = nr;
	return 0;
}

static int event_copy(struct watch *w, const struct ktrace_event *event)
{
	struct found *f = &w->found[w->nr_found % EVENTS_MAX];

	if (event->type->id >= w->nr && counts_grow(w, event->type->id))
		return -ENOMEM;
	w->counts[event->type->id]++;
	w->read++;
	w->newest = event->time;
	if (f->room < event->size) {
		uint8_t *more = realloc(f->payload, event->size);

		if (!more)
			return -ENOMEM;
		f->payload = more;
		f->room = event->size;
	}
	f->item = KTRACE_EVENT;
	f->event = *event;
	memcpy(f->payload, event->payload, event->size);
	snprintf(f->comm, sizeof(f->comm), "%s", event->comm);
	f->event.payload = f->payload;
	f->event.comm = f->comm;
	w->nr_found++;
	return 0;
}

static void loss_copy(struct watch *w, const struct ktrace_loss *loss)
{
	struct found *f = &w->found[w->nr_found++ % EVENTS_MAX];

	f->item = KTRACE_LOSS;
	f->loss = *loss;
}

static void lines_add(char *text, size_t size)
{
	char *end = text + size, *line = text, *next;

	for (; line < end && (next = memchr(line, '\n', end - line));
	     line = next + 1) {
		char **place = &lines.list[lines.nr % WATCH_LINES];

		free(*place);
		*place = strndup(line, next - line);
		lines.nr += *place != NULL;
	}
}

static int found_show(struct watch *w)
{
	size_t nr = w->nr_found < EVENTS_MAX ? w->nr_found : EVENTS_MAX;
	int err = 0;

	for (size_t i = w->nr_found - nr; !err && i < w->nr_found; i++) {
		const struct found *f = &w->found[i % EVENTS_MAX];

		err = f->item == KTRACE_EVENT
			      ? ktrace_output_event(w->output, &f->event, NULL)
			      : ktrace_output_loss(w->output, &f->loss);
	}
	w->nr_found = 0;
	if (!err)
		err = ktrace_output_finish(w->output);
	if (!err)
		lines_add(w->text, w->text_size);
	w->text_size = 0;
	return err;
}

/* If reading is behind, uses the time of the events, which runs slower. */
static void rates_make(struct watch *w)
{
	uint64_t now = w->behind ? w->newest : now_ns();
	double seconds;

	if (now < w->rated + RATE_NS)
		return;
	seconds = (now - w->rated) / 1e9;
	for (size_t i = 0; i < w->nr; i++) {
		w->rates[i] = (w->counts[i] - w->before[i]) / seconds;
		w->before[i] = w->counts[i];
	}
	w->rated = now;
}

/* Reads what is there, for at most @limit ns. */
static int round_read(struct watch *w, uint64_t limit)
{
	uint64_t began = now_ns();
	int item = 0, err = 0;
	size_t n = 0;

	w->behind = false;
	while (!err && (item = ktrace_cursor_next(w->cursor)) > 0) {
		if (item == KTRACE_EVENT)
			err = event_copy(w, ktrace_cursor_event(w->cursor));
		else
			loss_copy(w, ktrace_cursor_loss(w->cursor));
		if (!(++n & 1023) && now_ns() - began > limit) {
			w->behind = true;
			break;
		}
	}
	if (err || item < 0)
		return err ?: item;
	rates_make(w);
	return found_show(w);
}

bool watch_round(struct watch *w)
{
	struct ktrace_recording_status status;

	if (w->error)
		return false;
	ktrace_recording_status(w->recording, &status);
	w->error = status.error;
	if (!w->error)
		w->error = ktrace_recording_sync(w->recording, w->trace);
	if (!w->error)
		w->error = round_read(w, ROUND_NS);
	return !w->error;
}

void watch_types(struct watch *w)
{
	ktrace_recording_types(w->recording);
}

int watch_fd(const struct watch *w)
{
	return ktrace_recording_fd(w->recording);
}

uint64_t watch_count(const struct watch *w, uint32_t id)
{
	return id < w->nr ? w->counts[id] : 0;
}

double watch_rate(const struct watch *w, uint32_t id)
{
	return id < w->nr ? w->rates[id] : 0;
}

const struct ktrace_types *watch_known(const struct watch *w)
{
	return ktrace_get_types(w->trace);
}

void watch_status(struct watch *w, struct watch_status *status)
{
	struct ktrace_recording_status s;

	ktrace_recording_status(w->recording, &s);
	*status = (struct watch_status){
		.directory = w->kept ? w->directory : NULL,
		.duration = (w->ended ? w->ended : now_ns()) - w->began,
		/*
		 * Events in open packets of programs are known only when they
		 * are read.
		 */
		.events = s.recorded > w->read ? s.recorded : w->read,
		.behind = w->behind,
	};
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (loss_is_event(i))
			status->lost += s.lost[i];
}

/* Ending */

int watch_stop(struct watch *w, const char *reason)
{
	struct ktrace_recording_status s;
	int status = EXIT_OK;
	uint64_t lost = 0;

	if (ktrace_recording_stop(w->recording, reason))
		status = failed_in_library();
	/* The last lines, if reading them takes little time. */
	if (!status && !w->error &&
	    !ktrace_recording_sync(w->recording, w->trace))
		round_read(w, ROUND_NS);
	ktrace_recording_status(w->recording, &s);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (loss_is_event(i))
			lost += s.lost[i];
	if (w->kept) {
		output_hand_over(w->directory);
		say("recorded %s events, %s lost: to see them, ktrace report %s",
		    count_text(s.events).s, count_text(lost).s, w->directory);
	} else if (!status) {
		say("watched %s events, %s lost; nothing was kept",
		    count_text(s.events).s, count_text(lost).s);
	}
	watch_destroy(w);
	return status;
}
