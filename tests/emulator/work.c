// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * work OVERFLOW COUNTS - does what programs do, between calls of setdomainname()
 *
 * What happens between two of these calls is compared.  OVERFLOW is the file of the control tree
 * that counts what was missed.  It is read before and after the call, so the number of calls
 * that were missed in between the two is known exactly, if none was missed in reading.  That
 * depends on interrupts: so there are TRIES calls at the begin, and as many at the end.  COUNTS
 * says which of them, from 0, are taken ("begin N", "end N"), and has the four texts, each
 * behind a line "at N".
 */
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 3
#define TRIES  5

static void check(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

/* ---- what is counted ------------------------------------------------------- */

static char counts[2 * TRIES][2][4096];
static unsigned int nr_marks;
static int overflow;

static void count(char *text)
{
	check(pread(overflow, text, sizeof(**counts) - 1, 0) > 0, "overflow");
}

/* Nothing else calls it. */
static void mark(void)
{
	static char name[64];

	check(!getdomainname(name, sizeof(name)), "getdomainname");
	for (int i = 0; i < TRIES; i++, nr_marks++) {
		count(counts[nr_marks][0]);
		check(!setdomainname(name, strlen(name)), "setdomainname");
		count(counts[nr_marks][1]);
	}
}

/* The line about functions is the same before and after. */
static int is_exact(unsigned int nr)
{
	const char *before = strstr(counts[nr][0], "source function");
	const char *after = strstr(counts[nr][1], "source function");
	size_t length = before ? strcspn(before, "\n") : 0;

	return before && after && !strncmp(before, after, length + 1);
}

/* From @first on. */
static unsigned int mark_choose(unsigned int first)
{
	for (unsigned int i = first; i < first + TRIES; i++)
		if (is_exact(i))
			return i;
	return first;
}

static void counts_write(const char *path)
{
	unsigned int begin = mark_choose(0), end = mark_choose(TRIES);
	FILE *file = fopen(path, "w");

	check(!!file, path);
	fprintf(file, "begin %u\nend %u\n", begin, end);
	fprintf(file, "at 0\n%sat 1\n%s", counts[begin][0], counts[begin][1]);
	fprintf(file, "at 2\n%sat 3\n%s", counts[end][0], counts[end][1]);
	check(!fclose(file), path);
}

/* ---- work ------------------------------------------------------------------ */

static void files_use(void)
{
	char path[64], bytes[8192] = {0};
	struct stat about;

	for (int i = 0; i < 10; i++) {
		int fd;

		snprintf(path, sizeof(path), "/dev/shm/work-%d", i);
		fd = open(path, O_CREAT | O_RDWR, 0600);
		check(fd >= 0, path);
		check(write(fd, bytes, sizeof(bytes)) == sizeof(bytes), path);
		check(pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes),
		      path);
		check(!ftruncate(fd, 10) && !fstat(fd, &about), path);
		check(!fsync(fd) && !close(fd), path);
		check(!rename(path, "/dev/shm/work"), path);
		check(!unlink("/dev/shm/work"), path);
		check(stat("/nowhere/at/all", &about), path);
	}
}

static void folder_read(const char *path)
{
	DIR *folder = opendir(path);
	struct stat about;
	struct dirent *entry;

	check(!!folder, path);
	while ((entry = readdir(folder)))
		fstatat(dirfd(folder), entry->d_name, &about,
			AT_SYMLINK_NOFOLLOW);
	closedir(folder);
}

static void file_read(const char *path)
{
	char bytes[4096];
	int fd = open(path, O_RDONLY);

	check(fd >= 0, path);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	close(fd);
}

static void memory_use(void)
{
	size_t size = 1 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(memory != MAP_FAILED, "mmap");
	memset(memory, 1, size);
	check(!mprotect(memory, size / 2, PROT_READ), "mprotect");
	check(!munmap(memory, size), "munmap");
}

static void signalled(int number)
{
}

/* A program, a pipe, a signal, and sleep: tasks are switched. */
static void children_use(void)
{
	int ends[2], status;
	char c = 'c';
	pid_t child;

	check(!pipe(ends), "pipe");
	child = fork();
	if (!child) {
		usleep(2000);
		if (write(ends[1], &c, 1) == 1)
			execl("/bin/true", "true", NULL);
		_exit(1);
	}
	check(child > 0 && read(ends[0], &c, 1) == 1, "fork");
	check(waitpid(child, &status, 0) == child && !status, "true");
	close(ends[0]);
	close(ends[1]);
	signal(SIGUSR1, signalled);
	check(!raise(SIGUSR1), "raise");
}

static void sockets_use(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2], poll = epoll_create1(0);
	char bytes[1000] = {0};

	check(poll >= 0 && !socketpair(AF_UNIX, SOCK_STREAM, 0, ends),
	      "socketpair");
	check(!epoll_ctl(poll, EPOLL_CTL_ADD, ends[1], &event), "epoll");
	check(send(ends[0], bytes, sizeof(bytes), 0) == sizeof(bytes), "send");
	check(epoll_wait(poll, &event, 1, 1000) == 1, "epoll");
	check(recv(ends[1], bytes, sizeof(bytes), 0) == sizeof(bytes), "recv");
	close(ends[0]);
	close(ends[1]);
	close(poll);
}

static void loopback_use(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr *any = (struct sockaddr *)&address;
	socklen_t size = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0), served;
	char bytes[3000] = {0};

	check(server >= 0 && client >= 0, "socket");
	check(!bind(server, any, size) && !listen(server, 1), "listen");
	check(!getsockname(server, any, &size), "getsockname");
	check(!connect(client, any, size), "connect");
	served = accept(server, NULL, NULL);
	check(served >= 0, "accept");
	check(send(client, bytes, sizeof(bytes), 0) == sizeof(bytes), "send");
	check(recv(served, bytes, sizeof(bytes), MSG_WAITALL) == sizeof(bytes),
	      "recv");
	close(client);
	close(served);
	close(server);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *data)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void threads_use(void)
{
	pthread_t threads[3];

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++)
		check(!pthread_create(&threads[i], NULL, waiter, NULL),
		      "pthread_create");
	usleep(5000);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void watches_use(void)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 3000000};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int watch = inotify_init1(IN_NONBLOCK);
	char bytes[1000];

	check(timer >= 0 && !timerfd_settime(timer, 0, &soon, NULL), "timerfd");
	check(read(timer, bytes, 8) == 8, "timerfd");
	check(watch >= 0 && inotify_add_watch(watch, "/dev/shm", IN_CREATE) > 0,
	      "inotify");
	check(!mkdir("/dev/shm/folder", 0700) &&
		      !symlink("x", "/dev/shm/folder/link"),
	      "mkdir");
	check(read(watch, bytes, sizeof(bytes)) > 0, "inotify");
	check(!unlink("/dev/shm/folder/link") && !rmdir("/dev/shm/folder"),
	      "rmdir");
	close(timer);
	close(watch);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: work OVERFLOW COUNTS\n");
		return 2;
	}
	overflow = open(argv[1], O_RDONLY);
	check(overflow >= 0, argv[1]);
	mark();
	for (int i = 0; i < ROUNDS; i++) {
		files_use();
		folder_read("/proc");
		folder_read("/sys/kernel");
		file_read("/proc/self/maps");
		file_read("/proc/meminfo");
		memory_use();
		children_use();
		sockets_use();
		loopback_use();
		threads_use();
		watches_use();
	}
	mark();
	counts_write(argv[2]);
	return 0;
}
