// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Damaged traces: cut at any place, bits flipped, random bytes, files that are empty or
 * missing.  Nothing crashes (the sanitizers' build would show it), intact parts are shown,
 * and damaged parts are reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "maker.h"
#include "rnd.h"
#include "scratch.h"

#include <ktrace.h>

#define CPUS 2

static struct ktrace_memory metadata, streams[CPUS];
static uint64_t whole; /* events of the undamaged trace */

static void store(const char *name, const void *data, size_t size)
{
	char path[512];
	int fd;

	path_of(path, name);
	/* It may be none. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, data, size), size);
	close(fd);
}

/* A small trace with every kind of content. */
static void make(void)
{
	struct maker_wakeup wake = {.comm = "woken", .pid = 4};
	char room[64] = {0};
	struct maker_exec *exec = (void *)room;
	struct maker *maker;
	uint32_t i;

	if (whole)
		return;
	scratch_make();
	maker = maker_create(directory, CPUS, 4, false, 77);
	CHECK(maker);
	maker_known(maker, 9, 9, 1, "nine");
	exec->filename = 5 << 16 | sizeof(*exec);
	memcpy(exec->data, "/bin", 5);
	for (i = 0; i < 9000; i++) {
		maker_time(maker, 5000000000000ull + i * 1000);
		if (i % 5 == 0)
			maker_event(maker, i % CPUS, MAKER_EXEC, exec,
				    sizeof(*exec) + 5);
		else
			maker_event(maker, i % CPUS, MAKER_WAKEUP, &wake,
				    sizeof(wake));
		if (i % 100 == 0)
			maker_run(maker, 0, 9 + i % 3, 9, "nine");
	}
	CHECK_EQ(maker_finish(maker, false), 0);
	whole = 9000;
	metadata = load("metadata");
	streams[0] = load("cpu0");
	streams[1] = load("cpu1");
}

struct result {
	int err;
	uint64_t events;
	uint64_t damaged;
	size_t warnings;
};

/* Reads all of a trace, and each byte of each event. */
static struct result read_all(struct ktrace *trace)
{
	struct ktrace_cursor *cursor = NULL;
	struct result result = {0};
	const struct ktrace_event *event;
	uint64_t last = 0;
	volatile uint32_t sum = 0;
	uint32_t i;
	int item;

	CHECK_EQ(ktrace_cursor_create(trace, NULL, &cursor), 0);
	event = ktrace_cursor_event(cursor);
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_LOSS) {
			if (ktrace_cursor_loss(cursor)->cause ==
			    KTRACE_LOST_DAMAGED)
				result.damaged +=
					ktrace_cursor_loss(cursor)->count;
			continue;
		}
		CHECK(event->time >= last);
		last = event->time;
		CHECK(event->size >= event->type->size);
		for (i = 0; i < event->size; i++)
			sum += event->payload[i];
		for (i = 0; i < event->type->nr_fields; i++) {
			const struct ktrace_field *f = &event->type->fields[i];
			size_t n, k;
			const uint8_t *p = ktrace_field_bytes(event, f, &n);

			for (k = 0; k < n; k++)
				sum += p[k];
			sum += ktrace_field_int(event, f);
		}
		result.events++;
	}
	result.err = item;
	while (ktrace_warning(trace, result.warnings))
		result.warnings++;
	ktrace_cursor_destroy(cursor);
	return result;
}

static struct result read_memory(const struct ktrace_memory *meta,
				 const struct ktrace_memory *list, size_t count)
{
	struct result result = {0};
	struct ktrace *trace;

	result.err = ktrace_open_memory(meta, list, count, &trace);
	if (result.err) {
		CHECK(*ktrace_last_error());
		return result;
	}
	result = read_all(trace);
	ktrace_close(trace);
	return result;
}

TEST(undamaged)
{
	struct result r;

	make();
	r = read_memory(&metadata, streams, CPUS);
	CHECK_EQ(r.err, 0);
	CHECK_EQ(r.events, whole);
	CHECK_EQ(r.warnings, 0);
	CHECK_EQ(r.damaged, 0);
}

/* Copies end exactly at the last byte, so that the sanitizers see each read beyond it. */
TEST(stream_cut_at_every_byte)
{
	uint64_t last = 0;
	size_t size;

	make();
	for (size = 0; size < streams[0].size; size += size < 300 ? 1 : 197) {
		uint8_t *copy = malloc(size ? size : 1);
		struct ktrace_memory cut = {copy, size};
		struct result r;

		memcpy(copy, streams[0].data, size);
		r = read_memory(&metadata, &cut, 1);
		CHECK_EQ(r.err, 0);
		CHECK(r.events >= last);
		if (size && !r.events)
			CHECK(r.warnings);
		last = r.events;
		free(copy);
	}
	CHECK(last < whole);
}

/* The last bytes of each packet matter most: step by one there. */
TEST(stream_cut_around_packets)
{
	const uint8_t *data = streams[0].data;
	size_t begin = 0, size;
	uint64_t events = 0;

	make();
	data = streams[0].data;
	while (begin < streams[0].size) {
		struct kt_packet packet;
		size_t end;

		memcpy(&packet, data + begin, sizeof(packet));
		end = begin + ((packet.used + 7) & ~7u);
		for (size = end - 20; size < end; size++) {
			struct ktrace_memory cut = {data, size};
			struct result r = read_memory(&metadata, &cut, 1);

			CHECK_EQ(r.err, 0);
			if (size < begin + packet.used) {
				CHECK_EQ(r.events, events);
				CHECK_EQ(r.warnings, 1);
			} else {
				CHECK_EQ(r.events, events + packet.events);
			}
		}
		events += packet.events;
		begin = end;
	}
	CHECK_EQ(events, whole / 2);
}

TEST(metadata_cut_at_every_byte)
{
	size_t size;

	make();
	for (size = 0; size < metadata.size; size++) {
		char *copy = malloc(size ? size : 1);
		struct ktrace_memory cut = {copy, size};
		struct result r;

		memcpy(copy, metadata.data, size);
		r = read_memory(&cut, streams, size % 61 ? 0 : CPUS);
		/*
		 * Without the first line, nothing can be read; with it, the trace can be
		 * opened.
		 */
		if (memchr(copy, '\n', size)) {
			CHECK_EQ(r.err, 0);
			CHECK(r.warnings);
		} else {
			CHECK_EQ(r.err, -EBADMSG);
		}
		free(copy);
	}
}

TEST(flipped_bits)
{
	uint8_t *copy[CPUS];
	struct ktrace_memory list[CPUS];
	uint32_t i, k, c;

	make();
	for (c = 0; c < CPUS; c++) {
		copy[c] = malloc(streams[c].size);
		list[c] = (struct ktrace_memory){copy[c], streams[c].size};
	}
	for (i = 0; i < 300; i++) {
		for (c = 0; c < CPUS; c++)
			memcpy(copy[c], streams[c].data, streams[c].size);
		for (k = 0; k < 1 + rnd(20); k++) {
			c = rnd(CPUS);
			/* Every other change is in a packet's header. */
			size_t at =
				rnd(2) ? rnd(streams[c].size)
				       : rnd(streams[c].size / 65000) * 65432 +
						 rnd(128);

			copy[c][at % streams[c].size] ^= 1u << rnd(8);
		}
		CHECK_EQ(read_memory(&metadata, list, CPUS).err, 0);
	}
	for (c = 0; c < CPUS; c++)
		free(copy[c]);
}

TEST(flipped_bits_in_metadata)
{
	char *copy;
	uint32_t i, k;

	make();
	copy = malloc(metadata.size);
	for (i = 0; i < 300; i++) {
		struct ktrace_memory meta = {copy, metadata.size};

		memcpy(copy, metadata.data, metadata.size);
		for (k = 0; k < 1 + rnd(10); k++)
			copy[rnd(metadata.size)] ^= 1u << rnd(8);
		read_memory(&meta, streams, CPUS);
	}
	free(copy);
}

TEST(goes_on_behind_damage)
{
	uint8_t *copy;
	struct ktrace_memory list;
	struct kt_packet packet;
	struct result r;
	size_t second;

	make();
	copy = malloc(streams[0].size);
	memcpy(copy, streams[0].data, streams[0].size);
	list = (struct ktrace_memory){copy, streams[0].size};
	memcpy(&packet, copy, sizeof(packet));
	second = (packet.used + 7) & ~7u;
	memcpy(&packet, copy + second, sizeof(packet));

	/* Destroy the header of the second packet. */
	memset(copy + second, 0xaa, 100);
	r = read_memory(&metadata, &list, 1);
	CHECK_EQ(r.err, 0);
	CHECK_EQ(r.events, whole / 2 - packet.events);
	CHECK_EQ(r.damaged, packet.events);
	CHECK(r.warnings);

	/* Keep the header, but damage its records in the middle. */
	memcpy(copy, streams[0].data, streams[0].size);
	memset(copy + second + 30000, 0xff, 100);
	r = read_memory(&metadata, &list, 1);
	CHECK_EQ(r.events + r.damaged, whole / 2);
	CHECK(r.damaged > 100 && r.damaged < packet.events);
	CHECK(r.warnings);
	free(copy);
}

TEST(random_bytes)
{
	static uint8_t noise[70000];
	struct ktrace_memory memory = {noise, sizeof(noise)};
	struct kt_packet packet = {.magic = KT_PACKET_MAGIC,
				   .version = KT_ABI_VERSION,
				   .header_size = sizeof(packet),
				   .packet_size = KT_PACKET_SIZE,
				   .used = 60000,
				   .begin = 5000000000000ull,
				   .end = UINT64_MAX,
				   .trace_id = 77};
	uint32_t i, k;

	make();
	for (i = 0; i < 200; i++) {
		for (k = 0; k < sizeof(noise); k++)
			noise[k] = rnd(256);
		if (i % 2)
			memcpy(noise, &packet, sizeof(packet));
		CHECK_EQ(read_memory(&metadata, &memory, 1).err, 0);
		CHECK_EQ(read_memory(&memory, streams, 2).err, -EBADMSG);
	}
}

static int try_open(void)
{
	struct ktrace *trace;
	int err = ktrace_open(directory, &trace);

	if (err) {
		CHECK(*ktrace_last_error());
		check_note("%s", ktrace_last_error());
	} else {
		struct result r = read_all(trace);

		if (r.warnings)
			check_note("%s", ktrace_warning(trace, 0));
		ktrace_close(trace);
	}
	return err;
}

/* Appends a frame of zstd with one block that is not compressed (RFC 8878, 3.1.1).  @text: below 256 bytes. */
static void frame_add(struct ktrace_memory *to, const char *text)
{
	size_t n = strlen(text);
	uint8_t head[9] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, n, 1 | n << 3, n >> 5};

	memcpy((uint8_t *)to->data + to->size, head, sizeof(head));
	memcpy((uint8_t *)to->data + to->size + sizeof(head), text, n);
	to->size += sizeof(head) + n;
}

/* The name of a function; NULL: there is none, and then a warning must say why. */
static bool symbol_is(const void *symbols, size_t size, uint64_t address,
		      const char *name, const char *warning)
{
	const char *found, *said;
	struct ktrace *trace;
	uint64_t offset;
	bool good;

	store("symbols", symbols, size);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	found = ktrace_symbol(trace, address, &offset);
	said = ktrace_warning(trace, 0);
	good = name ? found && !strcmp(found, name) : !found;
	good &= warning ? said && strstr(said, warning) : !said;
	ktrace_close(trace);
	return good;
}

TEST(packed_symbols)
{
	/* A frame that says it has 2^40 bytes. */
	static const uint8_t huge[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0,
				       0,    0,	   1,	 0,    0,    1, 0, 0};
	/* One of 16 MiB, whose 128 blocks are each 128 KiB of newlines. */
	uint8_t room[512], copy[512], many[9 + 128 * 4];
	struct ktrace_memory packed = {room, 0};
	size_t frames;

	memcpy(many, (uint8_t[]){0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 1}, 9);
	for (uint32_t i = 0; i < 128; i++) {
		uint32_t block = (i == 127) | 1 << 1 | 131072 << 3;

		memcpy(many + 9 + 4 * i, &block, 3);
		many[9 + 4 * i + 3] = '\n';
	}
	make();
	store("metadata", metadata.data, metadata.size);
	store("cpu0", streams[0].data, streams[0].size);
	store("cpu1", streams[1].data, streams[1].size);
	frame_add(&packed, "ffffffff81000000 first\n");
	frame_add(&packed, "ffffffff81001000 second\n");
	frames = packed.size;
	strcpy((char *)room + frames, "ffffffffc0000000 third module\n");
	packed.size += strlen((char *)room + frames);
	CHECK(symbol_is(room, packed.size, 0xffffffff81000001, "first", NULL));
	CHECK(symbol_is(room, packed.size, 0xffffffff81001001, "second", NULL));
	CHECK(symbol_is(room, packed.size, 0xffffffffc0000001, "third", NULL));
	/* Only frames, and only text. */
	CHECK(symbol_is(room, frames, 0xffffffff81001001, "second", NULL));
	CHECK(symbol_is(room + frames, packed.size - frames, 0xffffffffc0000001,
			"third", NULL));
	CHECK(symbol_is(huge, sizeof(huge), 1, NULL, "larger than 64 MiB"));
	CHECK(symbol_is(many, sizeof(many), 0, NULL, "more than"));
	CHECK(symbol_is(room, 20, 0xffffffff81000001, NULL, "damaged"));
	room[4] ^= 8; /* reserved */
	CHECK(symbol_is(room, packed.size, 0xffffffff81000001, NULL,
			"damaged"));
	room[4] ^= 8;
	for (size_t i = 0; i < frames; i++) {
		struct ktrace *trace;
		uint64_t offset;

		memcpy(copy, room, packed.size);
		copy[i] ^= 1 << i % 8;
		store("symbols", copy, i & 1 ? packed.size : i);
		CHECK_EQ(ktrace_open(directory, &trace), 0);
		ktrace_symbol(trace, 0xffffffff81000001, &offset);
		ktrace_close(trace);
	}
}

TEST(files)
{
	struct ktrace *trace;
	char path[512];
	pid_t writer;

	make();
	CHECK_EQ(ktrace_open("/nonexistent", &trace), -ENOENT);
	check_note("%s", ktrace_last_error());
	path_of(path, "metadata");
	CHECK_EQ(ktrace_open(path, &trace), -ENOTDIR);
	check_note("%s", ktrace_last_error());

	CHECK_EQ(try_open(), 0);
	store("cpu0", "", 0);
	CHECK_EQ(try_open(), 0);
	store("cpu0", streams[0].data, streams[0].size - 1000);
	CHECK_EQ(try_open(), 0);
	path_of(path, "cpu0");
	unlink(path);
	CHECK_EQ(try_open(), 0);
	path_of(path, "cpu1");
	unlink(path);
	CHECK_EQ(try_open(), 0);
	/* Opening it must not wait for a writer, nor be noticed by one: a device would be, too. */
	CHECK_EQ(mkfifo(path, 0600), 0);
	writer = fork();
	if (!writer) {
		open(path, O_WRONLY);
		_exit(0);
	}
	usleep(100000);
	CHECK_EQ(try_open(), 0);
	usleep(100000);
	CHECK_EQ(waitpid(writer, NULL, WNOHANG), 0);
	kill(writer, SIGKILL);
	CHECK_EQ(waitpid(writer, NULL, 0), writer);
	/* Whoever made the trace must not make us open a device. */
	path_of(path, "cpu2");
	CHECK_EQ(symlink("/dev/zero", path), 0);
	CHECK_EQ(try_open(), 0);
	store("metadata", "", 0);
	CHECK_EQ(try_open(), -EBADMSG);
	store("metadata", "{}\n", 3);
	CHECK_EQ(try_open(), -EBADMSG);
	store("metadata", "{\"type\":\"trace\",\"format\":99}\n", 29);
	CHECK_EQ(try_open(), -EPROTONOSUPPORT);
	path_of(path, "metadata");
	unlink(path);
	CHECK_EQ(try_open(), -ENOENT);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(try_open(), -EINVAL);
	unlink(path);
	CHECK_EQ(symlink("/dev/null", path), 0);
	CHECK_EQ(try_open(), -ELOOP);
	unlink(path);
}

TEST(symbols_that_are_no_file)
{
	struct ktrace *trace;
	uint64_t offset = 0;
	char path[512];

	make();
	store("metadata", metadata.data, metadata.size);
	path_of(path, "symbols");
	unlink(path);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	/* Ends the test if it waits for a writer. */
	alarm(60);
	CHECK(!ktrace_symbol(trace, 0xffffffff81000000ull, &offset));
	alarm(0);
	ktrace_close(trace);
	unlink(path);
	CHECK_EQ(symlink("/dev/zero", path), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	CHECK(!ktrace_symbol(trace, 0xffffffff81000000ull, &offset));
	ktrace_close(trace);
}

/* As many as in a file of some megabytes: a linear search for each would take minutes. */
TEST(many_structs)
{
	const struct ktrace_layout *layout;
	size_t size, nr = 300000, i;
	struct ktrace *trace;
	char *text, name[32];
	struct ktrace_memory memory;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "{\"type\":\"trace\",\"format\":1}\n");
	for (i = 0; i < nr; i++)
		fprintf(f,
			"{\"type\":\"struct\",\"name\":\"s%zu\",\"size\":%zu,"
			"\"members\":[]}\n",
			i, i % 1000);
	/* The first struct of a name counts. */
	fprintf(f, "{\"type\":\"struct\",\"name\":\"s7\",\"size\":1,"
		   "\"members\":[]}\n");
	fclose(f);
	memory = (struct ktrace_memory){text, size};
	alarm(150);
	CHECK_EQ(ktrace_open_memory(&memory, NULL, 0, &trace), 0);
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		layout = ktrace_layout_find(ktrace_get_types(trace), name);
		CHECK(layout);
		CHECK_EQ(layout->size, i % 1000);
		CHECK_STR(layout->name, name);
	}
	alarm(0);
	CHECK(!ktrace_layout_find(ktrace_get_types(trace), "s"));
	ktrace_close(trace);
	free(text);
}

CHECK_MAIN
