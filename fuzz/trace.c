// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: the reader, and the outputs that write to a file, on any
 * metadata and any two streams.
 *
 *	input	| u32 length | metadata | u32 length | cpu0 | cpu1 |
 *
 * fuzz/pack makes an input from a trace.  A crash becomes a file in fuzz/seeds.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

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

/* Exactly as large as it is: what is read beyond is seen. */
static struct ktrace_memory copy_of(struct ktrace_memory memory)
{
	void *copy = malloc(memory.size ? memory.size : 1);

	memcpy(copy, memory.data, memory.size);
	return (struct ktrace_memory){copy, memory.size};
}

static void run(struct ktrace *trace, const struct show_ops *ops, int fd)
{
	struct ktrace_cursor *cursor;
	struct show *show;

	if (ktrace_cursor_create(trace, NULL, &cursor))
		return;
	if (!show_create(ops, trace, fd, NULL, &show)) {
		show_cursor(show, cursor, NULL, NULL);
		show_destroy(show);
	}
	ktrace_cursor_destroy(cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ktrace_memory metadata, streams[2];
	struct ktrace *trace;
	static int null = -1;
	int i;

	if (null < 0)
		null = open("/dev/null", O_WRONLY);
	metadata = copy_of(take(&data, &size));
	streams[0] = copy_of(take(&data, &size));
	streams[1] = copy_of((struct ktrace_memory){data, size});
	if (!ktrace_open_memory(&metadata, streams, 2, &trace)) {
		run(trace, &show_text, null);
		run(trace, &show_json, null);
		ktrace_close(trace);
	}
	free((void *)metadata.data);
	for (i = 0; i < 2; i++)
		free((void *)streams[i].data);
	return 0;
}
