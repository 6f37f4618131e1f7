// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: the reader, and all outputs, on any metadata and any two
 * streams.
 *
 *	input	| u32 length | metadata | u32 length | cpu0 | cpu1 |
 *
 * fuzz/pack makes an input from a trace.  A crash becomes a file in fuzz/seeds.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/output.h>

#include "common/call_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ktrace_memory take(const uint8_t **data, size_t *size)
{
	struct ktrace_memory memory = {*data, *size};
	uint32_t len = 0;

	if (*size >= sizeof(len)) {
		memcpy(&len, *data, sizeof(len));
		*data += sizeof(len);
		*size -= sizeof(len);
	}
	memory.data = *data;
	memory.size = len < *size ? len : *size;
	*data += memory.size;
	*size -= memory.size;
	return memory;
}

/* A copy of exactly this size, so that reads after its end are found. */
static struct ktrace_memory copy_of(struct ktrace_memory memory)
{
	void *copy = malloc(memory.size ? memory.size : 1);

	memcpy(copy, memory.data, memory.size);
	return (struct ktrace_memory){copy, memory.size};
}

static char directory[] = "/tmp/ktrace-fuzz-XXXXXX";

static int line_take(void *data, uint32_t tid, const char *text, size_t size)
{
	static volatile char sum; /* all of it is there to be read */

	(void)data;
	for (size_t i = 0; i < size; i++)
		sum += text[i];
	/* A failure ends the output. */
	return tid == UINT32_MAX ? -ENOSPC : 0;
}

static void run(struct ktrace *trace, const char *kind, int fd,
		const struct ktrace_output_calls *calls)
{
	const struct ktrace_output_options options = {
		.size = sizeof(options),
		.fd = fd,
		.path = directory,
		.calls = calls,
		.stacks = calls && calls->comms,
	};
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		return;
	if (!ktrace_output_create(trace, kind, &options, &output)) {
		ktrace_output_run(output, cursor, NULL, NULL);
		ktrace_output_destroy(output);
	}
	ktrace_cursor_destroy(cursor);
}

/* What is around a frame is a frame, and began before it. */
static void check_frame(struct ktrace_spans *spans, int step)
{
	const struct ktrace_span *begun = ktrace_spans_begun(spans);
	const struct ktrace_span *ended = ktrace_spans_ended(spans);
	const struct ktrace_span *caller = ktrace_spans_caller(spans);
	static char mark;

	if (step & KTRACE_SPAN_BEGINS) {
		if (!begun || strlen(begun->name) > 63)
			abort();
		ktrace_spans_keep(spans, &mark);
	}
	if (step & KTRACE_SPAN_ENDS) {
		if (ended->took > ended->end - ended->begin ||
		    ended->self > ended->took ||
		    (ended->data && ended->data != &mark) || ended->error < 0)
			abort();
	}
	if (caller && (!step || caller->data != &mark ||
		       (begun && caller->begin > begun->begin)))
		abort();
}

/* As ktrace report --durations: spans of all events. */
static void run_spans(struct ktrace *trace, const char *kind, int fd)
{
	const struct ktrace_output_options options = {
		.size = sizeof(options),
		.fd = fd,
	};
	struct ktrace_output *output;
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	int item, step;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		return;
	if (ktrace_spans_create(cursor, &spans) ||
	    ktrace_output_create(trace, kind, &options, &output))
		abort();
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			ktrace_spans_loss(spans, ktrace_cursor_loss(cursor));
			continue;
		}
		step = ktrace_spans_event(spans, ktrace_cursor_event(cursor));
		if (step > 0)
			check_frame(spans, step);
		ktrace_output_event(output, ktrace_cursor_event(cursor),
				    step > 0 && step & KTRACE_SPAN_ENDS
					    ? ktrace_spans_ended(spans)
					    : NULL);
	}
	ktrace_output_destroy(output);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
}

static bool every_other(void *data, const struct ktrace_span *span)
{
	const bool *all = data;

	return *all || span->type->number % 2;
}

/* Both ways, all numbers of a tree are those of its root. */
static void check_tree(const struct call_tree *tree, bool deep)
{
	const struct call_node *node;
	uint64_t calls = 0, errors = 0;
	size_t at = 0;

	if (tree->nodes.nr > CALL_PATHS_MAX + 1)
		abort();
	while ((node = table_each(&tree->nodes, &at))) {
		if (node->depth > CALL_DEPTH_MAX || !node->depth)
			abort();
		if (!deep && node->depth > 1)
			continue;
		calls += node->calls;
		errors += node->errors;
	}
	if (calls != tree->root.calls || errors != tree->root.errors)
		abort();
}

static enum ktrace_span_part any_part(const struct ktrace_type *type,
				      void *data)
{
	return type->index % (KTRACE_SPAN_AROUND + 1);
}

/* As ktrace stat --tree and --callers; with a scope, if not all types count. */
static void run_tree(struct ktrace *trace, bool all)
{
	struct call_tree tree = {.by_thread = !all}, callers = {0};
	const struct ktrace_span_scope scope = {
		.size = sizeof(scope),
		.part = any_part,
		.depth = 3,
		.no_interrupts = true,
		.within = ktrace_types_count(ktrace_get_types(trace)) % 2,
	};
	struct ktrace_cursor *cursor;
	struct ktrace_spans *spans;
	int item, step;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		return;
	if (ktrace_spans_create(cursor, &spans) ||
	    (!all && ktrace_spans_scope(spans, &scope)))
		abort();
	if (!all)
		ktrace_spans_pauses(spans, KTRACE_PAUSE_INTERRUPTS |
						   KTRACE_PAUSE_SLEEP);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			ktrace_spans_loss(spans, ktrace_cursor_loss(cursor));
			continue;
		}
		step = ktrace_spans_event(spans, ktrace_cursor_event(cursor));
		if (step > 0 && call_tree_event(&tree, spans, step, every_other,
						&all, true))
			abort();
	}
	if (call_tree_invert(&callers, &tree, 0))
		abort();
	check_tree(&tree, true);
	check_tree(&callers, false);
	call_tree_sort(&tree, CALL_TOTAL);
	call_tree_sort(&callers, CALL_SELF);
	call_tree_free(&tree);
	call_tree_free(&callers);
	ktrace_spans_destroy(spans);
	ktrace_cursor_destroy(cursor);
}

static void directory_empty(void)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static void directory_remove(void)
{
	directory_empty();
	rmdir(directory);
}

/* Printing formats takes longer than all else, because it needs a process. */
static bool has_formats(const struct ktrace_memory *metadata)
{
	return memmem(metadata->data, metadata->size, "\"print\"", 7);
}

static void run_all(struct ktrace *trace, const struct ktrace_memory *metadata,
		    int null)
{
	static const char *const paths[] = {"/etc/passwd", NULL};
	static const struct ktrace_output_calls options[] = {
		{.string_max = 32, .durations = true, .times = true},
		{.string_max = UINT32_MAX, .json = true},
		{.string_max = 0, .colors = true, .returns = KTRACE_RETURNS_OK},
		{.summary = true, .sort = KTRACE_SORT_NAME},
		{.string_max = 32,
		 .constants = KTRACE_CONSTANTS_NUMBERS,
		 .comms = true,
		 .touching = paths},
		{.string_max = 32,
		 .comms = true,
		 .separate = line_take,
		 .statuses = KTRACE_STATUS_ALL & ~KTRACE_STATUS_OK,
		 .signals_hidden = 1ull << (SIGCHLD - 1)},
		{.string_max = 32, .comms = true, .separate = line_take},
		{.string_max = 32,
		 .constants = KTRACE_CONSTANTS_BOTH,
		 .strings = KTRACE_STRINGS_HEX_BINARY,
		 .relative = true,
		 .counts = true},
	};
	const struct ktrace_output_kind *kind;
	size_t i;

	for (i = 0; (kind = ktrace_output_kind(i)); i++) {
		if (!strcmp(kind->name, "kernel") && !has_formats(metadata))
			continue;
		run(trace, kind->name, kind->directory ? -1 : null, NULL);
		directory_empty();
		if (!kind->directory)
			run_spans(trace, kind->name, null);
	}
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		run(trace, "strace", null, &options[i]);
	run_tree(trace, true);
	run_tree(trace, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktrace_memory metadata, streams[2];
	struct ktrace *trace;
	static int null = -1;
	int i;

	if (null < 0) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || !mkdtemp(directory))
			abort();
		atexit(directory_remove);
	}
	metadata = copy_of(take(&data, &size));
	streams[0] = copy_of(take(&data, &size));
	streams[1] = copy_of((struct ktrace_memory){data, size});
	if (!ktrace_open_memory(&metadata, streams, 2, &trace)) {
		run_all(trace, &metadata, null);
		ktrace_close(trace);
	}
	free((void *)metadata.data);
	for (i = 0; i < 2; i++)
		free((void *)streams[i].data);
	return 0;
}
