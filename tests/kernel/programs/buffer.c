// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a buffer file allows and refuses.  Runs in the guest, on an enabled session with few
 * events: buffer [TEST]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace.h>

#include "check.h"

#define TREE "/sys/kernel/ktrace/"
#define CPU0 TREE "buffers/cpu0"

static int buffer_open(int flags)
{
	int fd = open(CPU0, flags | O_CLOEXEC);

	if (fd < 0)
		check_fail(CPU0 ": %s", strerror(errno));
	return fd;
}

static uint64_t buffer_size(int fd)
{
	uint64_t size = 0;

	CHECK_EQ(ioctl(fd, KT_GET_SIZE, &size), 0);
	CHECK(size >= 2 * KT_PACKET_SIZE);
	return size;
}

static void *buffer_map(int fd, size_t size, int prot, int flags, off_t at)
{
	void *map = mmap(NULL, size, prot, flags, fd, at);

	return map == MAP_FAILED ? NULL : map;
}

static void tree_write(const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), TREE "%s", file);
	fd = open(path, O_WRONLY);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

TEST(the_mapping_is_as_large_as_the_buffer)
{
	int fd = buffer_open(O_RDONLY);
	size_t size = buffer_size(fd) + KT_CONTROL_SIZE;
	const struct kt_control *control;
	void *map = buffer_map(fd, size, PROT_READ, MAP_SHARED, 0);

	CHECK(map != NULL);
	control = map;
	CHECK_EQ(control->magic, KT_CONTROL_MAGIC);
	CHECK_EQ(control->version, KT_ABI_VERSION);
	CHECK_EQ(control->packet_size, KT_PACKET_SIZE);
	CHECK_EQ(control->cpu, 0);
	munmap(map, size);

	CHECK(!buffer_map(fd, size + 4096, PROT_READ, MAP_SHARED, 0));
	CHECK_EQ(errno, EINVAL);
	CHECK(!buffer_map(fd, 4096, PROT_READ, MAP_SHARED, size));
	CHECK(!buffer_map(fd, 4096, PROT_READ, MAP_SHARED, 1ll << 60));
	map = buffer_map(fd, 4096, PROT_READ, MAP_SHARED, size - 4096);
	CHECK(map != NULL);
	munmap(map, 4096);
	close(fd);
}

TEST(nobody_can_write)
{
	int fd = buffer_open(O_RDWR);
	size_t size = buffer_size(fd) + KT_CONTROL_SIZE;
	int kinds[] = {MAP_SHARED, MAP_PRIVATE};
	size_t i;
	void *map;

	for (i = 0; i < 2; i++) {
		CHECK(!buffer_map(fd, size, PROT_READ | PROT_WRITE, kinds[i],
				  0));
		CHECK_EQ(errno, EPERM);
		CHECK(!buffer_map(fd, size, PROT_WRITE, kinds[i], 0));
		CHECK(!buffer_map(fd, size, PROT_READ | PROT_EXEC, kinds[i],
				  0));
		map = buffer_map(fd, size, PROT_READ, kinds[i], 0);
		CHECK(map != NULL);
		CHECK(mprotect(map, size, PROT_READ | PROT_WRITE));
		CHECK_EQ(errno, EACCES);
		CHECK(mprotect(map, 4096, PROT_READ | PROT_EXEC));
		/* Nor can it be mapped larger than it is. */
		CHECK(mremap(map, size, size + 4096, MREMAP_MAYMOVE) ==
		      MAP_FAILED);
		munmap(map, size);
	}
	CHECK_EQ(write(fd, "x", 1), -1);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(buffer_size(fd) + KT_CONTROL_SIZE, size);
	close(fd);

	CHECK(fd >= 0);
	close(fd);
}

TEST(ioctls_check_what_they_are_given)
{
	int fd = buffer_open(O_RDONLY);
	uint64_t produced, consumed, seq;

	CHECK_EQ(ioctl(fd, KT_GET_PRODUCED, &produced), 0);
	CHECK_EQ(ioctl(fd, KT_GET_CONSUMED, &consumed), 0);
	CHECK(consumed <= produced);
	seq = produced + 1000000;
	CHECK(ioctl(fd, KT_PUT_CONSUMED, &seq) == -1 && errno == EINVAL);
	seq = ~0ull;
	CHECK(ioctl(fd, KT_PUT_CONSUMED, &seq) == -1 && errno == EINVAL);
	CHECK(ioctl(fd, KT_PUT_CONSUMED, 8) == -1 && errno == EFAULT);
	CHECK(ioctl(fd, KT_GET_SIZE, 8) == -1 && errno == EFAULT);
	CHECK(ioctl(fd, KT_GET_SIZE, -8l) == -1 && errno == EFAULT);
	CHECK(ioctl(fd, _IO(KT_IOC, 99)) == -1 && errno == ENOTTY);
	CHECK(ioctl(fd, 0x5401) == -1 && errno == ENOTTY);
	close(fd);
}

TEST(a_flush_makes_a_packet_and_wakes_the_reader)
{
	int fd = buffer_open(O_RDONLY);
	size_t size = buffer_size(fd) + KT_CONTROL_SIZE;
	volatile const struct kt_control *control =
		buffer_map(fd, size, PROT_READ, MAP_SHARED, 0);
	struct pollfd wait = {fd, POLLIN, 0};
	uint64_t seq;

	CHECK(control != NULL);
	while (control->consumed != control->produced) {
		seq = control->consumed;
		CHECK_EQ(ioctl(fd, KT_PUT_CONSUMED, &seq), 0);
	}
	usleep(50000);
	CHECK_EQ(ioctl(fd, KT_FLUSH), 0);
	CHECK_EQ(poll(&wait, 1, 5000), 1);
	CHECK(wait.revents & POLLIN);
	seq = control->consumed;
	CHECK(control->produced > seq);
	CHECK_EQ(ioctl(fd, KT_PUT_CONSUMED, &seq), 0);
	CHECK(ioctl(fd, KT_PUT_CONSUMED, &seq) == -1 && errno == EINVAL);
	munmap((void *)control, size);
	close(fd);
}

TEST(a_reader_that_waits_is_woken)
{
	int fd = buffer_open(O_RDONLY);
	struct pollfd wait = {fd, POLLIN, 0};
	uint64_t produced, consumed;
	pid_t pid;

	do {
		CHECK_EQ(ioctl(fd, KT_GET_PRODUCED, &produced), 0);
		CHECK_EQ(ioctl(fd, KT_GET_CONSUMED, &consumed), 0);
		if (produced != consumed)
			ioctl(fd, KT_PUT_CONSUMED, &consumed);
	} while (produced != consumed);
	pid = fork();
	if (!pid) {
		usleep(300000);
		ioctl(fd, KT_FLUSH);
		_exit(0);
	}
	CHECK_EQ(poll(&wait, 1, 20000), 1);
	waitpid(pid, NULL, 0);
	close(fd);
}

TEST(one_recorder_at_a_time)
{
	int fd = buffer_open(O_RDONLY), again = buffer_open(O_RDONLY);
	pid_t pid = fork();
	int status;

	if (!pid) {
		int other = open(TREE "buffers/cpu1", O_RDONLY);

		_exit(other >= 0 || errno != EBUSY);
	}
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	close(fd);
	close(again);
}

/* The mapping alone keeps the memory, and the session from being removed. */
TEST(a_mapping_outlives_its_file)
{
	const struct kt_control *control;
	size_t size;
	int fd;

	CHECK_EQ(mkdir(TREE "sessions/mapped", 0700), 0);
	fd = open(TREE "sessions/mapped/buffers/cpu0", O_RDONLY);
	CHECK(fd >= 0);
	size = buffer_size(fd) + KT_CONTROL_SIZE;
	control = buffer_map(fd, size, PROT_READ, MAP_SHARED, 0);
	CHECK(control != NULL);
	close(fd);
	CHECK(rmdir(TREE "sessions/mapped") && errno == EBUSY);
	CHECK_EQ(control->magic, KT_CONTROL_MAGIC);
	munmap((void *)control, size);
	CHECK_EQ(rmdir(TREE "sessions/mapped"), 0);
}

/* The session is gone, except for processes that have its files open. */
TEST(files_of_a_removed_session_answer)
{
	char text[16];
	int fd;

	CHECK_EQ(mkdir(TREE "sessions/gone", 0700), 0);
	tree_write("sessions/gone/enabled", "1");
	fd = open(TREE "sessions/gone/enabled", O_RDWR);
	CHECK(fd >= 0);
	CHECK_EQ(rmdir(TREE "sessions/gone"), 0);
	CHECK(read(fd, text, sizeof(text)) == -1 && errno == ENODEV);
	CHECK(write(fd, "1", 1) == -1 && errno == ENODEV);
	close(fd);
	CHECK(open(TREE "sessions/gone/enabled", O_RDWR) < 0 &&
	      errno == ENOENT);
}

CHECK_MAIN
