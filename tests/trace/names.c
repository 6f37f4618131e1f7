// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which files of a folder belong to a trace. */
#include <ktrace/trace.h>

#include "check.h"

TEST(files_of_a_trace)
{
	uint32_t number = 7;

	CHECK_EQ(ktrace_file_kind("metadata", &number), KTRACE_FILE_METADATA);
	CHECK_EQ(ktrace_file_kind("symbols", &number), KTRACE_FILE_SYMBOLS);
	CHECK_EQ(ktrace_file_kind("stacks", &number), KTRACE_FILE_STACKS);
	CHECK_EQ(number, 7);
	CHECK_EQ(ktrace_file_kind("cpu0", &number), KTRACE_FILE_CPU);
	CHECK_EQ(number, 0);
	CHECK_EQ(ktrace_file_kind("cpu65535", &number), KTRACE_FILE_CPU);
	CHECK_EQ(number, 65535);
	CHECK_EQ(ktrace_file_kind("programs12", &number), KTRACE_FILE_PROGRAMS);
	CHECK_EQ(number, 12);
	CHECK_EQ(ktrace_file_kind("programs12", NULL), KTRACE_FILE_PROGRAMS);
	CHECK_EQ(ktrace_file_kind("stream3", &number), KTRACE_FILE_STREAM);
	CHECK_EQ(number, 3);
}

/* A file with only a similar name is neither read nor removed with a trace. */
TEST(files_of_others)
{
	static const char *const names[] = {
		"",
		"cpu",
		"cpu-1",
		"cpu+1",
		"cpu 1",
		"cpu01",
		"cpu1 ",
		"cpu1x",
		"CPU1",
		"programs",
		"metadata0",
		"metadata.x",
		"symbols1",
		/* Larger than any CPU number; 0 and 1 if truncated to 32 or 64 bits. */
		"cpu65536",
		"cpu4294967296",
		"programs4294967297",
		"cpu18446744073709551616",
		"cpu18446744073709551617",
	};
	uint32_t number = 7;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (ktrace_file_kind(names[i], &number) != KTRACE_FILE_OTHER)
			check_fail("%s is taken for a trace's", names[i]);
	CHECK_EQ(number, 7);
}

CHECK_MAIN
