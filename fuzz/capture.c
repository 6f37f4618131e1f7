// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: any capture program, as text and as binary.  If the
 * verifier accepts a program, it must stay within its bounds.  Each byte that a
 * record counts must have been written by the run: so two runs on different old
 * contents must agree.
 */
#include <stdint.h>
#include <stdlib.h>

#include "../tests/capture/memory.h"

#define HEAD 8

static void check(int good)
{
	if (!good)
		abort();
}

static u32 run(const struct kt_capture *capture, u8 *payload, u8 leftover)
{
	u64 arguments[KT_CAPTURE_ARGUMENTS];
	u32 size, max = kt_capture_size_max(capture, HEAD), where, i;

	for (i = 0; i < KT_CAPTURE_ARGUMENTS; i++)
		arguments[i] = i & 1 ? MEMORY_BASE + 64 * i : i;
	memset(payload, leftover, max);
	size = kt_capture_run(capture, arguments, payload, HEAD);
	check(size <= max);
	/* The first argument is zero. */
	if (kt_capture_idles(capture, 0))
		check(size == HEAD + kt_capture_head(capture));
	for (i = 0; i < capture->nr_fields; i++) {
		memcpy(&where, payload + HEAD + 4 + 4 * i, 4);
		check((where & 0xffff) + (where >> 16) <= size);
	}
	return size;
}

static void run_twice(const struct kt_capture *capture)
{
	u32 max = kt_capture_size_max(capture, HEAD);
	u8 *a = malloc(max), *b = malloc(max);
	u32 size;

	check(a && b);
	size = run(capture, a, 0x00);
	check(size == run(capture, b, 0xff));
	check(!memcmp(a + HEAD, b + HEAD, size - HEAD));
	free(a);
	free(b);
}

static void try_ops(const uint8_t *data, size_t size)
{
	struct kt_capture capture;

	memset(&capture, 0, sizeof(capture));
	memcpy(&capture, data, size < sizeof(capture) ? size : sizeof(capture));
	if (!kt_capture_verify(&capture))
		run_twice(&capture);
}

static void try_text(const uint8_t *data, size_t size)
{
	struct kt_capture_field fields[KT_CAPTURE_FIELDS_MAX];
	struct kt_capture_error error = {0};
	struct kt_capture capture;
	char *text = malloc(size + 1);

	check(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	if (kt_capture_parse(&capture, text, fields, &error))
		check(error.what && (!error.at || (error.at >= text &&
						   error.at <= text + size)));
	else
		run_twice(&capture);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 i;

	if (!size)
		return 0;
	for (i = 0; i < MEMORY_SIZE; i++)
		memory_bytes[i] = i % 61 ? i : 0;
	if (*data & 1)
		try_text(data + 1, size - 1);
	else
		try_ops(data + 1, size - 1);
	return 0;
}
