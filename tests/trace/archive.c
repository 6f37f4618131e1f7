// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Archives of traces as strangers make them: links, devices, paths that lead elsewhere, files twice
 * or far too large, cut at each place, with bits flipped.  What is no archive of a trace is
 * refused in words, nothing is left in the folder for temporary files, and nothing crashes (the
 * sanitizers' build would show it).
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zstd.h>

#include <ktrace/branch_list.h>

#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"

#include "base/tar.h"
#include <ktrace.h>

#define EVENTS 50

static struct ktrace_memory metadata, stream;
static char archive_path[512], temporary[512];

/* The tar file that is made. */
static char bytes[1 << 20];
static size_t size;

static void make(void)
{
	struct maker_wakeup wake = {.comm = "woken", .pid = 4};
	struct maker *maker;

	size = 0;
	if (*directory)
		return;
	scratch_make();
	maker = maker_create(directory, 1, 4, false, 77);
	CHECK(maker);
	for (int i = 0; i < EVENTS; i++) {
		maker_time(maker, 5000000000000ull + i * 1000);
		maker_event(maker, 0, MAKER_WAKEUP, &wake, sizeof(wake));
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	metadata = load("metadata");
	stream = load("cpu0");
	path_of(archive_path, "archive");
	path_of(temporary, "");
	CHECK(!setenv("TMPDIR", temporary, 1));
}

static void bytes_add(const void *more, size_t nr)
{
	CHECK(size + nr <= sizeof(bytes));
	memcpy(bytes + size, more, nr);
	size += nr;
}

static void zeros_add(size_t nr)
{
	CHECK(size + nr <= sizeof(bytes));
	memset(bytes + size, 0, nr);
	size += nr;
}

/* The header says @claimed bytes. */
static void entry_add(const char *name, char kind, uint64_t claimed,
		      struct ktrace_memory content)
{
	struct tar_entry entry = {.size = claimed, .mode = 0600, .kind = kind};
	char block[TAR_BLOCK];

	strcpy(entry.name, name);
	CHECK_EQ(tar_write(&entry, block), 0);
	bytes_add(block, sizeof(block));
	bytes_add(content.data, content.size);
	zeros_add(tar_rest(content.size));
}

static void file_add(const char *name, struct ktrace_memory content)
{
	entry_add(name, TAR_FILE, content.size, content);
}

static void trace_add(void)
{
	file_add("t/metadata", metadata);
	file_add("t/cpu0", stream);
}

static size_t store(size_t cut)
{
	static char packed[1 << 20];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t n;
	FILE *f = fopen(archive_path, "w");

	CHECK(f && context);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(context, packed, sizeof(packed), bytes, size);
	CHECK(!ZSTD_isError(n));
	ZSTD_freeCCtx(context);
	CHECK_EQ(fwrite(packed, 1, cut < n ? cut : n, f), cut < n ? cut : n);
	fclose(f);
	return n;
}

/* How many files there are in the folder for temporary files. */
static int files_count(void)
{
	DIR *dir = opendir(temporary);
	int nr = 0;

	CHECK(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* The number of events, or why it cannot be opened. */
static int64_t events_read(void)
{
	int before = files_count(), err, item;
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	int64_t events = 0;

	err = ktrace_open(archive_path, &trace);
	if (err) {
		CHECK(strstr(ktrace_last_error(), archive_path) ||
		      strstr(ktrace_last_error(), "trace"));
		CHECK_EQ(files_count(), before);
		return err;
	}
	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	CHECK_EQ(files_count(), before);
	while ((item = ktrace_cursor_next(cursor)) > 0)
		events += item == KTRACE_EVENT;
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	CHECK_EQ(files_count(), before);
	return events;
}

static int64_t stored_read(void)
{
	zeros_add(2 * TAR_BLOCK);
	store(SIZE_MAX);
	return events_read();
}

TEST(whole)
{
	make();
	entry_add("t/", TAR_FOLDER, 0, (struct ktrace_memory){"", 0});
	trace_add();
	CHECK_EQ(stored_read(), EVENTS);
	/* As tar makes them of a folder: in another order, and with a dot before. */
	make();
	file_add("./t/cpu0", stream);
	file_add("./t/metadata", metadata);
	CHECK_EQ(stored_read(), EVENTS);
}

static struct ktrace_memory text_of(const char *text)
{
	return (struct ktrace_memory){text, strlen(text)};
}

/* Which streams are read is told by the metadata, wherever it is. */
TEST(branches)
{
	static const char line[] =
		"{\"type\":\"stream\",\"stream\":1,\"kind\":\"branches\"}\n";
	static const uint32_t branches[] = {0x5242544b, 1};
	struct ktrace_memory side = {branches, sizeof(branches)};
	struct ktrace_branches *read;
	size_t room = metadata.size + strlen(line);
	char *both = malloc(room + 1);
	struct ktrace *trace;

	CHECK(both);
	for (int behind = 0; behind <= 1; behind++) {
		make();
		memcpy(both, metadata.data, metadata.size);
		strcpy(both + metadata.size, line);
		if (!behind)
			file_add("t/metadata",
				 (struct ktrace_memory){both, room});
		file_add("t/cpu0", stream);
		file_add("t/stream1", side);
		file_add("t/stream2", text_of("nobody knows"));
		if (behind)
			file_add("t/metadata",
				 (struct ktrace_memory){both, room});
		zeros_add(2 * TAR_BLOCK);
		store(SIZE_MAX);
		CHECK_EQ(ktrace_open(archive_path, &trace), 0);
		CHECK_EQ(ktrace_trace_branches(trace, &read), 0);
		CHECK(read);
		CHECK(strstr(ktrace_warning(trace, 0),
			     "stream2: the metadata does not name its kind"));
		CHECK(!ktrace_warning(trace, 1));
		ktrace_close(trace);
	}
	free(both);
}

/* What follows the trace is not looked at. */
TEST(programs_behind_it)
{
	make();
	trace_add();
	entry_add(".build-id/ab/cd", '2', 0, (struct ktrace_memory){"", 0});
	bytes_add("no header", 9);
	zeros_add(TAR_BLOCK);
	CHECK_EQ(stored_read(), EVENTS);
	make();
	entry_add(".build-id/ab/cd", TAR_FILE, 1,
		  (struct ktrace_memory){"x", 1});
	trace_add();
	CHECK_EQ(stored_read(), -EINVAL);
	CHECK(strstr(ktrace_last_error(),
		     "no trace at the archive's beginning"));
}

TEST(names)
{
	static const char *const refused[] = {
		"/t/cpu1",	   "../t/cpu1",	  "t/../cpu1", "t/../../cpu1",
		"t/./cpu1",	   "t//cpu1",	  "cpu1",      "other/cpu1",
		"t/sub/cpu1",	   "t/letter",	  "t/.cpu1",   "t/cpu01",
		"t/cpu99999999",   "t/metadata/", "t",	       "",
		"/etc/passwd",	   "..",	  "./../x",    "t/cpu1 ",
		"t/.build-id/a/b",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		make();
		trace_add();
		file_add(refused[i], stream);
		CHECK_EQ(stored_read(), -EINVAL);
		CHECK(strstr(ktrace_last_error(), "does not write"));
		make();
		file_add(refused[i], stream);
		trace_add();
		CHECK_EQ(stored_read(), -EINVAL);
	}
}

TEST(kinds)
{
	for (int kind = 1; kind < 256; kind++) {
		if (kind == TAR_FILE)
			continue;
		make();
		trace_add();
		entry_add("t/cpu1", kind, 0, (struct ktrace_memory){"", 0});
		CHECK_EQ(stored_read(), -EINVAL);
		CHECK(strstr(ktrace_last_error(), "no file"));
	}
}

TEST(twice)
{
	static const char *const names[] = {"t/metadata", "t/cpu0", "t/stacks",
					    "t/symbols", "t/stream7"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		make();
		trace_add();
		if (i >= 2)
			file_add(names[i], stream);
		CHECK_EQ(stored_read(), EVENTS);
		size -= 2 * TAR_BLOCK;
		file_add(names[i], stream);
		CHECK_EQ(stored_read(), -EINVAL);
		CHECK(strstr(ktrace_last_error(), "second time"));
	}
}

/* So that a small archive does not fill a disk, or the memory. */
TEST(too_large)
{
	make();
	trace_add();
	entry_add("t/cpu1", TAR_FILE, 1ull << 60, stream);
	CHECK_EQ(stored_read(), -ENOSPC);
	CHECK(strstr(ktrace_last_error(), "set TMPDIR"));
	make();
	entry_add("t/metadata", TAR_FILE, 1ull << 30, metadata);
	CHECK_EQ(stored_read(), -EFBIG);
	make();
	trace_add();
	entry_add("t/symbols", TAR_FILE, UINT64_MAX, metadata);
	CHECK_EQ(stored_read(), -EFBIG);
	make();
	trace_add();
	entry_add("t/stacks", TAR_FILE, 1ull << 31, metadata);
	CHECK_EQ(stored_read(), -EFBIG);
}

/* Nobody reads it, so it is not unpacked. */
TEST(unknown_streams)
{
	static const char zeros[700000];
	struct rlimit limit = {.rlim_cur = sizeof(zeros) - 1,
			       .rlim_max = RLIM_INFINITY};

	make();
	CHECK(stream.size < sizeof(zeros));
	trace_add();
	file_add("t/stream1", (struct ktrace_memory){zeros, sizeof(zeros)});
	zeros_add(2 * TAR_BLOCK);
	store(SIZE_MAX);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_EQ(events_read(), EVENTS);
	limit.rlim_cur = RLIM_INFINITY;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	make();
	trace_add();
	entry_add("t/stream1", TAR_FILE, 1ull << 60,
		  (struct ktrace_memory){zeros, 1000});
	CHECK_EQ(stored_read(), -EFBIG);
	CHECK(strstr(ktrace_last_error(), "does not know"));
}

TEST(nowhere_to_unpack)
{
	make();
	trace_add();
	zeros_add(2 * TAR_BLOCK);
	store(SIZE_MAX);
	CHECK(!setenv("TMPDIR", "/nowhere", 1));
	struct ktrace *trace;
	int err = ktrace_open(archive_path, &trace);

	CHECK(!setenv("TMPDIR", temporary, 1));
	CHECK_EQ(err, -ENOENT);
	CHECK(strstr(ktrace_last_error(), "cannot unpack into /nowhere"));
}

/* Without metadata, or with metadata that is none. */
TEST(no_trace)
{
	make();
	CHECK_EQ(stored_read(), -EINVAL);
	make();
	file_add("t/cpu0", stream);
	CHECK_EQ(stored_read(), -EINVAL);
	make();
	file_add("t/metadata", stream);
	CHECK_EQ(stored_read(), -EBADMSG);
	make();
	bytes_add(metadata.data, metadata.size);
	CHECK_EQ(stored_read(), -EBADMSG);
	CHECK(strstr(ktrace_last_error(), "no archive of a trace"));
	make();
	CHECK_EQ(store(SIZE_MAX) > 0, 1);
	CHECK_EQ(events_read(), -EBADMSG);
}

TEST(cut)
{
	size_t all;

	make();
	trace_add();
	zeros_add(2 * TAR_BLOCK);
	all = store(SIZE_MAX);
	for (size_t cut = 4; cut < all; cut++) {
		store(cut);
		CHECK_EQ(events_read(), -EBADMSG);
		CHECK(strstr(ktrace_last_error(), "cut off"));
	}
	for (size_t cut = 0; cut < 4; cut++) {
		store(cut);
		CHECK_EQ(events_read(), -ENOTDIR);
	}
}

/* The tar file within is cut: as if it was cut before it was compressed. */
TEST(cut_inside)
{
	size_t all;

	make();
	trace_add();
	all = size;
	for (size_t i = 0; i < all; i += 61) {
		size = i;
		store(SIZE_MAX);
		CHECK_EQ(events_read(), -EBADMSG);
	}
}

/* Each byte of a header.  A space may stand in the place of a zero of its sum. */
#define SUM_BEGIN 148
#define SUM_END	  156

TEST(headers_damaged)
{
	int64_t events;

	make();
	trace_add();
	zeros_add(2 * TAR_BLOCK);
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		bytes[i] ^= 1 << i % 8;
		store(SIZE_MAX);
		events = events_read();
		CHECK(events == -EBADMSG ||
		      (events == EVENTS && i >= SUM_BEGIN && i < SUM_END));
		bytes[i] ^= 1 << i % 8;
	}
}

/* Of what is compressed: the checksum tells, or the decompression; or nothing has changed. */
TEST(bits_flipped)
{
	static char packed[1 << 16];
	int64_t events;
	size_t all;
	FILE *f;

	make();
	trace_add();
	zeros_add(2 * TAR_BLOCK);
	all = store(SIZE_MAX);
	CHECK(all <= sizeof(packed));
	f = fopen(archive_path, "r");
	CHECK_EQ(fread(packed, 1, all, f), all);
	fclose(f);
	for (size_t i = 4; i < all; i++) {
		packed[i] ^= 1 << i % 8;
		f = fopen(archive_path, "w");
		CHECK_EQ(fwrite(packed, 1, all, f), all);
		fclose(f);
		events = events_read();
		CHECK(events < 0 || events == EVENTS);
		packed[i] ^= 1 << i % 8;
	}
}

/* ---- headers ------------------------------------------------------------------ */

TEST(headers_of_all_sizes)
{
	static const uint64_t sizes[] = {0,	     1,
					 511,	     (1ull << 33) - 1,
					 1ull << 33, 1ull << 40,
					 UINT64_MAX};
	struct tar_entry entry = {.name = "a", .kind = TAR_FILE}, read;
	char block[TAR_BLOCK];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		entry.size = sizes[i];
		CHECK_EQ(tar_write(&entry, block), 0);
		CHECK_EQ(tar_read(block, &read), 1);
		CHECK_EQ(read.size, sizes[i]);
		CHECK(tar_rest(sizes[i]) < TAR_BLOCK);
		CHECK_EQ((sizes[i] + tar_rest(sizes[i])) & (TAR_BLOCK - 1), 0);
	}
}

TEST(headers_of_all_names)
{
	struct tar_entry entry = {.kind = TAR_FILE}, read;
	char block[TAR_BLOCK];

	for (int folder = 1; folder < 200; folder++)
		for (int last = 1; last < 110; last += 9) {
			memset(entry.name, 0, sizeof(entry.name));
			if (folder + 1 + last >= TAR_NAME_MAX)
				continue;
			memset(entry.name, 'f', folder);
			entry.name[folder] = '/';
			memset(entry.name + folder + 1, 'l', last);
			if (folder + 1 + last > 100 &&
			    (folder > 155 || last > 100)) {
				CHECK_EQ(tar_write(&entry, block),
					 -ENAMETOOLONG);
				continue;
			}
			CHECK_EQ(tar_write(&entry, block), 0);
			CHECK_EQ(tar_read(block, &read), 1);
			CHECK_STR(read.name, entry.name);
		}
}

CHECK_MAIN
