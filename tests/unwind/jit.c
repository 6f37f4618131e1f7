// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of code that was made at run time, from files that this process writes for itself. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "symbol/jit_names.h"

#define FRAMES 4

static char map[64], dump[64];
static struct jit_process self;
static struct jit_frame frames[FRAMES];

static void clean(void)
{
	unlink(map);
	unlink(dump);
	for (int i = 0; i < FRAMES; i++) {
		free(frames[i].name);
		frames[i].name = NULL;
	}
}

static void begin(void)
{
	if (!*map) {
		snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)getpid());
		snprintf(dump, sizeof(dump), "/tmp/jit-%d.dump", (int)getpid());
		atexit(clean);
	}
	clean();
	CHECK(jit_process_find(&self, getpid()));
}

static void write_all(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static void frames_begin(void)
{
	for (int i = 0; i < FRAMES; i++) {
		free(frames[i].name);
		frames[i] = (struct jit_frame){.address = 0x1000 * (i + 1)};
	}
}

static void names_find(const char *dump_path)
{
	size_t left = JIT_FUNCTIONS_MAX;

	frames_begin();
	jit_names_find(&self, dump_path, frames, FRAMES, &left);
}

static const char *name_of(int i)
{
	return frames[i].name ? frames[i].name : "none";
}

static void map_has(const char *text)
{
	write_all(map, text, strlen(text));
	names_find(NULL);
}

TEST(a_process_is_asked_who_it_is)
{
	pid_t child = fork();
	int status;

	begin();
	CHECK_EQ(self.named, getpid());
	CHECK_EQ(self.user, geteuid());
	CHECK(self.here);
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	CHECK(!jit_process_find(&self, child));
}

TEST(a_map_names_functions)
{
	begin();
	map_has("ff0 11 first one\n0x2000 0x1 second\n2ff0 10 not the third\n");
	CHECK_STR(name_of(0), "first one");
	CHECK_EQ(frames[0].begin, 0xff0);
	CHECK_STR(name_of(1), "second");
	CHECK_STR(name_of(2), "none");
	CHECK_STR(name_of(3), "none");
}

TEST(the_last_name_of_a_place_counts)
{
	begin();
	map_has("1000 10 before\n2000 10 alone\nfff 2 after\n");
	CHECK_STR(name_of(0), "after");
	CHECK_EQ(frames[0].begin, 0xfff);
	CHECK_STR(name_of(1), "alone");
}

TEST(what_is_no_line_is_left_out)
{
	static char text[20000];
	size_t at = sprintf(text, "1000 10 long");

	begin();
	map_has("nonsense\n1000 10\n1000 10 \n\n-1000 10\n3000 10 third\n2000 1");
	CHECK_STR(name_of(0), "none");
	CHECK_STR(name_of(1), "none");
	CHECK_STR(name_of(2), "third");
	/* It looks like a line wherever it is cut. */
	while (at < sizeof(text) - 100)
		at += sprintf(text + at, " 3000 10 in it");
	strcpy(text + at, "\n2000 10 next\n");
	map_has(text);
	CHECK(!strncmp(name_of(0), "long 3000", 9));
	CHECK_STR(name_of(1), "next");
	CHECK_STR(name_of(2), "none");
}

TEST(only_what_the_process_may_have_written_is_read)
{
	begin();
	write_all(dump, "1000 10 linked\n", 15);
	CHECK(!symlink(dump, map));
	names_find(NULL);
	CHECK_STR(name_of(0), "none");
	unlink(map);
	/* Nobody writes to it: opening it would wait. */
	CHECK(!mkfifo(map, 0600));
	names_find(NULL);
	CHECK_STR(name_of(0), "none");
	unlink(map);
	map_has("1000 10 own\n");
	CHECK_STR(name_of(0), "own");
	self.user++;
	names_find(NULL);
	CHECK_STR(name_of(0), geteuid() ? "none" : "own");
	if (!geteuid()) {
		CHECK(!chown(map, 1, 1));
		self.user = 2;
		names_find(NULL);
		CHECK_STR(name_of(0), "none");
		self.user = 1;
		names_find(NULL);
		CHECK_STR(name_of(0), "own");
	}
}

/* As in a container, or after chroot(). */
TEST(a_process_may_have_another_root)
{
	begin();
	write_all(map, "1000 10 elsewhere\n", 18);
	self.here = false;
	names_find(NULL);
	CHECK_STR(name_of(0), "elsewhere");
}

TEST(no_process_can_take_all_the_time)
{
	size_t left = 3;

	begin();
	write_all(map, "0 fffff a\n0 fffff b\n0 fffff c\n", 30);
	frames_begin();
	jit_names_find(&self, NULL, frames, FRAMES, &left);
	CHECK_EQ(left, 0);
}

/* ---- jitdump ------------------------------------------------------------------ */

struct dump {
	char bytes[1024];
	size_t size;
};

static void put(struct dump *d, const void *bytes, size_t size)
{
	memcpy(d->bytes + d->size, bytes, size);
	d->size += size;
}

static void put32(struct dump *d, uint32_t value)
{
	put(d, &value, sizeof(value));
}

static void put64(struct dump *d, uint64_t value)
{
	put(d, &value, sizeof(value));
}

static void dump_begin(struct dump *d)
{
	d->size = 0;
	put(d, "DTiJ", 4);
	put32(d, 1);
	put32(d, 40);
	put32(d, 62);
	put32(d, 0);
	put32(d, getpid());
	put64(d, 0);
	put64(d, 0);
}

static void loaded(struct dump *d, uint64_t at, const char *name)
{
	put32(d, 0);
	put32(d, 16 + 40 + strlen(name) + 1 + 16);
	put64(d, 0);
	put32(d, getpid());
	put32(d, getpid());
	put64(d, at);
	put64(d, at);
	put64(d, 16);
	put64(d, 1);
	put(d, name, strlen(name) + 1);
	put(d, "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17", 16);
}

static void moved(struct dump *d, uint64_t from, uint64_t to)
{
	put32(d, 1);
	put32(d, 16 + 48);
	put64(d, 0);
	put32(d, getpid());
	put32(d, getpid());
	put64(d, to);
	put64(d, from);
	put64(d, to);
	put64(d, 16);
	put64(d, 1);
}

static void dump_make(struct dump *d)
{
	dump_begin(d);
	loaded(d, 0x1000, "first");
	/* What is not known is left out. */
	put32(d, 77);
	put32(d, 24);
	put64(d, 0);
	put64(d, 0);
	loaded(d, 0x1ff8, "second");
	moved(d, 0x1000, 0x3000);
	loaded(d, 0x4000, "taken");
	moved(d, 0x5000, 0x4000);
}

TEST(a_dump_names_functions)
{
	struct dump d;

	begin();
	dump_make(&d);
	write_all(dump, d.bytes, d.size);
	names_find(dump);
	CHECK_STR(name_of(0), "first");
	CHECK_STR(name_of(1), "second");
	CHECK_EQ(frames[1].begin, 0x1ff8);
	CHECK_STR(name_of(2), "first");
	/* No frame told what was moved there. */
	CHECK_STR(name_of(3), "none");
}

/* Anybody could make one. */
TEST(a_dump_is_no_link)
{
	struct dump d;

	begin();
	dump_make(&d);
	write_all(map, d.bytes, d.size);
	CHECK(!symlink(map, dump));
	names_find(dump);
	CHECK_STR(name_of(1), "none");
}

TEST(a_dump_may_be_cut_or_wrong)
{
	struct dump d, wrong;

	begin();
	dump_make(&d);
	for (size_t size = 0; size < d.size; size++) {
		write_all(dump, d.bytes, size);
		names_find(dump);
	}
	for (size_t at = 0; at < d.size; at++) {
		wrong = d;
		wrong.bytes[at] ^= 0xff;
		write_all(dump, wrong.bytes, wrong.size);
		names_find(dump);
		/* All that comes first must be right. */
		CHECK(at >= 12 || !strcmp(name_of(1), "none"));
	}
}

CHECK_MAIN
