// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>
#include <time.h>

#include "common/value.h"
#include "fields.h"
#include "show.h"

#define WAITS_SHOWN 3

/* ---- numbers ----------------------------------------------------------------- */

static uint64_t length_of(const struct rows *rows)
{
	return rows->end > rows->begin ? rows->end - rows->begin : 1;
}

static double percent_of(uint64_t part, double all)
{
	return 100.0 * part / all;
}

static struct value_text rate_text(const struct rows *rows, uint64_t count)
{
	double rate = count * 1e9 / length_of(rows);
	struct value_text text;

	if (rate >= 100000)
		return rough_text(rate);
	snprintf(text.s, sizeof(text.s),
		 rate < 10 && rate > 0 ? "%.1f" : "%.0f", rate);
	return text;
}

/* May it be more than the number says? */
static bool is_least(const struct field *field, const struct row *row)
{
	if (!row->least)
		return false;
	return field->kind == FIELD_RATE ||
	       (field->kind == FIELD_PERCENT &&
		strcmp(field->word, "unknown") != 0) ||
	       (field->kind == FIELD_TIME && strcmp(field->word, "mean") != 0);
}

static struct value_text number_text(const struct rows *rows,
				     const struct field *field, uint64_t value)
{
	struct value_text text;

	switch (field->kind) {
	case FIELD_PERCENT:
		snprintf(text.s, sizeof(text.s), "%.1f",
			 percent_of(value, length_of(rows)));
		return text;
	case FIELD_RATE:
		return rate_text(rows, value);
	case FIELD_TIME:
		return ns_text(value);
	default:
		snprintf(text.s, sizeof(text.s), value ? "%lu" : "-", value);
		return text;
	}
}

/* ---- lines ------------------------------------------------------------------- */

static void number_show(FILE *f, const struct rows *rows,
			const struct field *field, const struct row *row)
{
	struct value_text text = number_text(rows, field, field->value(row));
	bool least = is_least(field, row);
	int room = (int)field->width - (int)strlen(text.s) - 2 * least;

	fprintf(f, "%*s%s%s", room > 0 ? room : 0, "", least ? ">=" : "",
		text.s);
}

static void name_show(FILE *f, const struct rows *rows, const struct row *row)
{
	bool waits = by_is_of_threads(rows->by) && rows->has_waits;
	int used = strlen(row->name);

	fputs("  ", f);
	print_text(f, row->name);
	if (row->self)
		used += fprintf(f, " (this)");
	if (waits && used < 16)
		fprintf(f, "%*s", 16 - used, "");
}

static void waits_show(FILE *f, const struct rows *rows, const struct row *row)
{
	size_t nr = row->nr_waits < WAITS_SHOWN ? row->nr_waits : WAITS_SHOWN;

	for (size_t i = 0; i < nr; i++) {
		const struct row_wait *wait = &row->waits[i];

		fputs(i ? ", " : "  ", f);
		print_text(f, wait->reason);
		if (wait->state != KTRACE_STATE_SLEEPING)
			fprintf(f, " (%s)",
				ktrace_timeline_state_name(wait->state));
		fprintf(f, " %.1f", percent_of(wait->ns, length_of(rows)));
	}
}

void rows_row_show(FILE *f, const struct rows *rows, const struct row *row)
{
	for (const struct field *field = fields; field->word; field++) {
		if (!field_is_shown(field, rows))
			continue;
		if (field->kind == FIELD_NAME)
			name_show(f, rows, row);
		else if (field->kind == FIELD_WAITS)
			waits_show(f, rows, row);
		else
			number_show(f, rows, field, row);
	}
	putc('\n', f);
}

void rows_titles_show(FILE *f, const struct rows *rows, unsigned int sorted)
{
	for (const struct field *field = fields; field->word; field++) {
		bool is_sorted = field == &fields[sorted];
		char title[32];

		if (!field_is_shown(field, rows))
			continue;
		snprintf(title, sizeof(title), is_sorted ? "[%s]" : "%s",
			 field->title);
		if (field->width)
			fprintf(f, "%*s", field->width, title);
		else
			fprintf(f,
				field->kind == FIELD_NAME ? "  %-16s" : "  %s",
				title);
	}
	putc('\n', f);
}

static void clock_show(FILE *f, int64_t wall)
{
	time_t seconds = wall / 1000000000;
	char text[16];
	struct tm tm;

	if (wall > 0 && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%H:%M:%S", &tm))
		fprintf(f, "%s  ", text);
}

void rows_summary_show(FILE *f, const struct rows *rows)
{
	double wall = (double)length_of(rows) * (rows->cpus ?: 1);
	const char *least = rows->least ? ">=" : "";

	clock_show(f, rows->realtime);
	fprintf(f, "%lu.%06lu s, for %s; %zu threads, by %s\n",
		rows->begin / 1000000000, rows->begin / 1000 % 1000000,
		duration_text(rows->end - rows->begin).s, rows->nr_threads,
		rows_by_names[rows->by]);
	fprintf(f, "%u CPUs: ", rows->cpus);
	if (rows->idle || rows->all.states[KTRACE_STATE_RUNNING])
		fprintf(f, "%s%.1f%% used, %.1f%% idle, %.1f%% unknown; ",
			least,
			percent_of(rows->all.states[KTRACE_STATE_RUNNING],
				   wall),
			percent_of(rows->idle, wall),
			percent_of(rows->unknown, wall));
	else
		fputs("who ran is not known; ", f);
	if (rows->all.switches)
		fprintf(f, "%s%s switches/s, ", least,
			rate_text(rows, rows->all.switches).s);
	if (rows->has_waits)
		fprintf(f, "%s%s calls/s, ", least,
			rate_text(rows, rows->all.calls).s);
	fprintf(f, "%s%s events/s; %s lost", least,
		rate_text(rows, rows->all.events).s, count_text(rows->lost).s);
	if (rows->losing)
		fprintf(f, ", more since %lu.%06lu s",
			rows->losing / 1000000000,
			rows->losing / 1000 % 1000000);
	putc('\n', f);
}

void rows_show(FILE *f, const struct rows *rows, unsigned int sorted,
	       uint64_t head)
{
	size_t nr = head && head < rows->nr ? head : rows->nr;

	rows_summary_show(f, rows);
	rows_titles_show(f, rows, sorted);
	for (size_t i = 0; i < nr; i++)
		rows_row_show(f, rows, &rows->list[i]);
	if (nr < rows->nr)
		fprintf(f, "%10zu more rows: --head 0 shows all\n",
			rows->nr - nr);
	putc('\n', f);
}

/* ---- JSON --------------------------------------------------------------------- */

static void states_json(FILE *f, const struct sums *sums)
{
	const char *before = "";

	fputs("\"states\":{", f);
	for (int i = 0; i < KTRACE_STATE_NR; i++) {
		if (i == KTRACE_STATE_DEAD)
			continue;
		fprintf(f, "%s\"%s\":%lu", before,
			ktrace_timeline_state_name(i), sums->states[i]);
		before = ",";
	}
	fprintf(f, "},\"switches\":%lu,\"preemptions\":%lu,", sums->switches,
		sums->preemptions);
}

static void waits_json(FILE *f, const struct row *row)
{
	fputs(",\"waits\":[", f);
	for (size_t i = 0; i < row->nr_waits; i++) {
		fprintf(f, "%s{\"state\":\"%s\",\"reason\":", i ? "," : "",
			ktrace_timeline_state_name(row->waits[i].state));
		print_json(f, row->waits[i].reason);
		fprintf(f, ",\"ns\":%lu}", row->waits[i].ns);
	}
	putc(']', f);
}

static void row_json(FILE *f, const struct rows *rows, const struct row *row)
{
	fputs("{\"name\":", f);
	print_json(f, row->name);
	fprintf(f, ",\"least\":%s,", row->least ? "true" : "false");
	if (rows->by == BY_EVENT) {
		fprintf(f, "\"events\":%lu}", row->sums.events);
		return;
	}
	if (by_is_of_threads(rows->by)) {
		fprintf(f, "\"tid\":%u,\"pid\":%u,\"threads\":%u,\"self\":%s,",
			row->tid, row->tgid, row->threads,
			row->self ? "true" : "false");
		states_json(f, &row->sums);
		fprintf(f, "\"events\":%lu,", row->sums.events);
	}
	fprintf(f, "\"calls\":%lu,\"errors\":%lu", row->sums.calls,
		row->sums.errors);
	if (by_is_of_threads(rows->by))
		waits_json(f, row);
	else
		fprintf(f, ",\"total\":%lu,\"max\":%lu", row->total, row->max);
	putc('}', f);
}

void rows_json(FILE *f, const struct rows *rows)
{
	const struct sums *all = &rows->all;

	fprintf(f,
		"{\"begin\":%lu,\"end\":%lu,\"realtime\":%ld,\"by\":\"%s\","
		"\"cpus\":%u,\"running\":%lu,\"idle\":%lu,\"unknown\":%lu,"
		"\"switches\":%lu,\"calls\":%lu,\"errors\":%lu,\"events\":%lu,"
		"\"lost\":%lu,\"losing\":%lu,\"least\":%s,\"waits_known\":%s,\"rows\":[",
		rows->begin, rows->end, rows->realtime, rows_by_names[rows->by],
		rows->cpus, all->states[KTRACE_STATE_RUNNING], rows->idle,
		rows->unknown, all->switches, all->calls, all->errors,
		all->events, rows->lost, rows->losing,
		rows->least ? "true" : "false",
		rows->has_waits ? "true" : "false");
	for (size_t i = 0; i < rows->nr; i++) {
		fputs(i ? "," : "", f);
		row_json(f, rows, &rows->list[i]);
	}
	fputs("]}\n", f);
}
