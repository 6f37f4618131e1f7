// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libFuzzer target: a file of `perf record', with any bytes; and the same bytes as packets of Intel's PT.
 *
 * Whatever comes, each entry has a kind, and the buffer is not left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "branch/perf_trace.h"
#include "branch/pt_decode.h"

#define ENTRIES 1024u
/* The program: its bytes are those of the input. */
#define CODE 0x401000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct input {
	const uint8_t *bytes;
	size_t size;
} input;

static volatile uint64_t all;

static void check(bool good)
{
	if (!good)
		abort();
}

static uint32_t runs(void *data, uint64_t offset, uint64_t tsc, uint64_t *time)
{
	*time = tsc;
	return 1 + offset / 4096 % 3;
}

static bool missing(void *data, uint64_t offset)
{
	return offset % 512 == 7;
}

static size_t code(void *data, void *bytes, size_t size, uint64_t address,
		   uint64_t *time)
{
	const struct input *in = data;
	uint64_t at = address - CODE;

	if (at >= in->size)
		return 0;
	if (size > in->size - at)
		size = in->size - at;
	memcpy(bytes, in->bytes + at, size);
	return size;
}

static void packets_decode(void)
{
	static struct kt_branch entries[ENTRIES];
	uint32_t endless = 0;
	const struct pt_side side = {.runs = runs,
				     .missing = missing,
				     .code = code,
				     .data = &input,
				     .endless = &endless};
	const struct pt_packets packets = {.bytes = input.bytes,
					   .size = input.size};
	struct pt_processor processor = {.family = 6, .model = 158};
	struct ktrace_branches_decoded losses = {0};
	struct kt_branch_log log = {0};

	/* A file says these. */
	if (input.size > 10) {
		processor.mtc_frequency = input.bytes[0];
		processor.nominal = input.bytes[1];
		memcpy(&processor.ctc_eax, input.bytes + 2, 4);
		memcpy(&processor.ctc_ebx, input.bytes + 6, 4);
	}
	kt_branch_log_open(&log, entries, ENTRIES);
	check(!pt_decode(&packets, &processor, &side, &log, &losses));
	check(losses.bytes == input.size && losses.skipped <= input.size);
	for (uint64_t i = 0; i < log.head && i < ENTRIES; i++) {
		unsigned int kind = entries[i].from >> KT_BRANCH_KIND_SHIFT;

		check(kind && (kind < KT_BRANCH_KINDS ||
			       (kind >= PT_LEFT_BY_CALL && kind <= PT_CAME)));
	}
}

static void file_read_in(void)
{
	struct perf_trace trace;
	char path[40];
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	check(fd >= 0 && !file_write(fd, input.bytes, input.size));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!perf_trace_open(&trace, path)) {
		for (size_t i = 0; i < trace.nr_news; i++)
			if (trace.news[i].kind == PERF_MAPS) {
				all += strlen(trace.news[i].map.path);
				check(trace.news[i].map.begin <
				      trace.news[i].map.end);
			}
		for (size_t i = 0; i < trace.nr_parts; i++)
			check(trace.parts[i].at <= input.size &&
			      trace.parts[i].size <=
				      input.size - trace.parts[i].at);
	}
	perf_trace_close(&trace);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input = (struct input){data, size};
	check(pt_decoder_known());
	file_read_in();
	packets_decode();
	return 0;
}
