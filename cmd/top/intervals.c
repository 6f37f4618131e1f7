// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace top: items of a cursor become intervals, which are shown when they have ended. */
#include <errno.h>
#include <string.h>

#include "base/loss.h"
#include "cmd.h"
#include "common/losses.h"
#include "fields.h"
#include "show.h"
#include "top.h"

/* Intervals without an item that are shown one by one. */
#define EMPTY_MAX 1000

/* ---- intervals --------------------------------------------------------------- */

bool top_is_over(const struct top *top)
{
	return top->error || (top->count && top->shown >= top->count);
}

static int rows_take(struct top *top, enum rows_by by)
{
	struct rows_wish wish = top->wish;
	struct rows *rows = &top->rows[by];
	bool calls_cut = top->tally.begin < top->tally.calls_changed;
	int err;

	wish.by = by;
	wish.cpus = ktrace_get_info(top->trace)->nr_cpus;
	if (top->wish.by != by)
		wish.column = field_default(by);
	wish.has_waits = top->input ? need_seen(&top->calls_seen,
						top->tally.types, ALL_CALLS)
				    : top->waits && !calls_cut;
	wish.calls_cut = calls_cut;
	wish.cgroups = top->input ? NULL : &top->cgroups;
	err = rows_make(rows, &top->tally, &wish);
	rows->realtime = ktrace_wall_time(top->trace, rows->begin);
	return err;
}

/* The screen can change to rows of any kind; groups are looked for only if they are wanted. */
static int screen_take(struct top *top)
{
	int err = 0;

	if (top->paused) {
		top->lost_paused += top->tally.lost;
		return 0;
	}
	for (int by = 0; !err && by < BY_NR; by++)
		if (by != BY_CGROUP || top->wish.by == BY_CGROUP)
			err = rows_take(top, by);
	return err;
}

static int interval_show(struct top *top)
{
	const struct rows *rows = &top->rows[top->wish.by];
	int err;

	if (top->screen)
		return screen_take(top);
	err = rows_take(top, top->wish.by);
	if (err)
		return err;
	if (top->json)
		rows_json(top->out, rows);
	else
		rows_show(top->out, rows, top->wish.column, top->head);
	if (!fflush(top->out))
		return 0;
	top->unwritten = true;
	return -errno;
}

/* Adds losses that the recorder knows, and the trace does not have yet. */
static void losses_add(struct top *top)
{
	struct ktrace_recording_status status;
	uint64_t lost = 0, told = top->tally.lost;

	ktrace_recording_status(top->live.recording, &status);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (loss_is_event(i))
			lost += status.lost[i];
	if (lost < top->tally.lost_all)
		lost = top->tally.lost_all;
	top->tally.lost = lost > top->lost_shown ? lost - top->lost_shown : 0;
	top->tally.unplaced = top->tally.lost > told;
	top->lost_shown += top->tally.lost;
}

/* Without events of switches no state shows that a gap has begun. */
static void gap_take(struct top *top)
{
	uint64_t since = losses_since(top->cursor, top->item);

	top->tally.losing = since < top->tally.end ? since : 0;
}

static int interval_close(struct top *top, uint64_t end)
{
	int err = tally_close(&top->tally, end);

	/* The recorder has counted what is missing. */
	if (top->live.recording)
		losses_add(top);
	else
		gap_take(top);
	err = err ?: interval_show(top);
	top->shown++;
	tally_next(&top->tally);
	return err;
}

/* The clock of a damaged trace may jump by years: then an interval may be longer. */
static uint64_t end_of(const struct top *top, uint64_t time)
{
	uint64_t passed = (time - top->tally.begin) / top->interval;

	return top->tally.begin +
	       top->interval * (passed > EMPTY_MAX ? passed : 1);
}

int top_pass(struct top *top, uint64_t time)
{
	int err = 0;

	while (!err && top->interval && !top_is_over(top) &&
	       time >= top->tally.begin &&
	       time - top->tally.begin >= top->interval)
		err = interval_close(top, end_of(top, time));
	return err;
}

/* ---- errors --------------------------------------------------------------------- */

int top_status(const struct top *top, int err)
{
	/* Who reads the lines needs no more. */
	if (!err || err == -EPIPE)
		return EXIT_OK;
	if (err == -ENOMEM)
		return failed("out of memory");
	if (!top->unwritten)
		return failed_in_library();
	/* Of standard output output_finish() tells it. */
	return top->out == stdout
		       ? EXIT_FAILED
		       : failed("%s: %s", top->live.output, strerror(-err));
}

/* ---- reading ------------------------------------------------------------------ */

int top_begin(struct top *top, struct ktrace *trace,
	      const struct ktrace_cursor *cursor, uint64_t begin)
{
	top->trace = trace;
	top->cursor = cursor;
	top->tally.types = ktrace_get_types(trace);
	top->tally.who = &top->who;
	top->tally.begin = begin;
	top->counting = true;
	return tally_create(&top->tally, cursor);
}

int top_item(struct top *top, struct ktrace_cursor *cursor, int item)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	int err;

	top->now = item == KTRACE_LOSS ? loss->time : event->time;
	if (!top->tally.begin)
		top->tally.begin = top->now;
	top->item = item;
	err = top_pass(top, top->now);
	top->item = KTRACE_END;
	if (err || top_is_over(top))
		return err;
	return item == KTRACE_LOSS ? tally_loss(&top->tally, loss)
				   : tally_event(&top->tally, event);
}

int top_read(struct top *top, struct ktrace_cursor *cursor)
{
	int item = KTRACE_END, err = 0;

	while (!err && !top_is_over(top) &&
	       (item = ktrace_cursor_next(cursor)) > 0)
		err = top_item(top, cursor, item);
	return err ?: item < 0 ? item : 0;
}

int top_end(struct top *top, uint64_t time)
{
	int err = top_pass(top, time);

	if (err || top_is_over(top) || !top->tally.begin ||
	    time < top->tally.begin ||
	    (time == top->tally.begin && top->shown && !top->tally.lost))
		return err;
	return interval_close(top, time);
}

void top_done(struct top *top)
{
	if (top->counting)
		tally_free(&top->tally);
	top->counting = false;
}
