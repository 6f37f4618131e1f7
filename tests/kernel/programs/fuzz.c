// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fuzz - the control tree in hostile hands
 *
 *   fuzz -s SEED -t SECONDS -g GROUP -m MODULES -d DIR [-v] TREE SCRIPT...
 *
 * Three processes at once write texts, most of them a little wrong, into every
 * file of TREE, read, make and remove sessions, and do to buffer files
 * everything that files allow.  One is root.  It loads and unloads modules (of
 * the folder MODULES), takes CPUs offline and online, and makes the test
 * module's tracepoints fire (DIR/run).  The others are the user nobody, in
 * GROUP, which the mount lets in.  They write the words and strings of SCRIPTs,
 * which are the tests of what is accepted and refused.
 *
 * SEED determines what each process does, but not how the processes interleave.
 * -v prints each step before it is made.  The caller finds out whether the
 * kernel complained. Here only a process that ends badly, or does not end, is
 * an error.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktrace.h>

#include "../rnd.h"

#define SEEDS_MAX  8192
#define EVENTS_MAX 4096
#define TEXT_MAX   (300 << 10) /* more than any file takes */
#define HELD	   6	       /* files that each process has open */

struct text {
	const char *file; /* the file it was written to, if known */
	char *text;
};

static const char *tree, *modules, *test_dir;
static struct text seeds[SEEDS_MAX];
static uint32_t nr_seeds;
static char *events[EVENTS_MAX];
static uint32_t nr_events;
static bool verbose, root;
static int held[HELD];
static char text[TEXT_MAX + 1];
static uint64_t nr_steps, nr_taken, nr_refused;

/* The files of a session, then those that only the root has. */
static const char *const files[] = {
	"enabled",
	"mode",
	"buffer_size",
	"cpus",
	"overflow",
	"reset",
	"error",
	"tasks",
	"pids",
	"marked",
	"capture",
	"info",
	"gone",
	"trace",
	"owner",
	"events/enabled",
	"types",
	"available",
	"stack",
	"stack_size",
	"stacks",
	"profile_rate",
	"filtered",
	"programs",
	"functions",
	"probed",
	"probe_hits",
	"function_table",
	"function_programs",
	"function_scope",
	"define",
	"markers",
	"print",
	"printed",
	"undefined",
	"version",
	"branches",
	"probes",
	"probes_held",
	"available_functions",
};
#define SESSION_FILES 29
#define FILES	      (sizeof(files) / sizeof(*files))

static const char *const parts[] = {"enabled", "filter", "format", "id"};

static const char *const module_names[] = {
	"ktrace-test",	  "ktrace-test-probes", "ktrace-syscalls",
	"ktrace-marked",  "ktrace-printed",	"ktrace-queue",
	"ktrace-client1", "ktrace-watch",	"ktrace-profile",
	"ktrace-branch",  "ktrace-functions",	"ktrace-probes",
};

static void die(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Prints one line, whatever it contains. */
static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...)
{
	char line[512], *at;
	va_list args;

	nr_steps++;
	if (!verbose)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (at = line; *at; at++) {
		if (!isprint((unsigned char)*at))
			*at = '?';
	}
	printf("%s %llu: %s\n", root ? "root" : "group",
	       (unsigned long long)nr_steps, line);
	fflush(stdout);
}

/* ---- what the scripts have ------------------------------------------------ */

static const char *file_of(const char *word)
{
	const char *base = strrchr(word, '/');
	size_t i;

	base = base ? base + 1 : word;
	for (i = 0; i < FILES; i++) {
		if (!strcmp(base, files[i]))
			return files[i];
	}
	return strcmp(base, "filter") ? NULL : "filter";
}

static void seed_add(const char *file, const char *word, size_t size)
{
	char *copy = strndup(word, size), *end;

	if (!copy || nr_seeds == SEEDS_MAX)
		die("too many texts");
	/* The refused text, and behind it the words of the refusal. */
	end = strstr(copy, "::");
	if (end)
		*end = '\0';
	seeds[nr_seeds++] = (struct text){file, copy};
}

/*
 * Takes strings of a shell script, and words behind the name of a file.
 * Variables are not expanded.  Another kind of file is one text, for the file
 * `capture'.
 */
static void script_read(const char *path)
{
	const char *file = NULL, *at;
	bool named = false; /* in this line */
	static char script[1 << 20];
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	script[fread(script, 1, sizeof(script) - 1, f)] = '\0';
	fclose(f);
	if (!strstr(path, ".sh")) {
		/* The first byte is not part of the text. */
		seed_add("capture", script + 1, strlen(script + 1));
		return;
	}
	for (at = script; *at;) {
		size_t size;

		named = named && *at != '\n';
		if (*at == '#') {
			at += strcspn(at, "\n");
		} else if (*at == '\'' || *at == '"') {
			size = strcspn(at + 1, *at == '"' ? "\"" : "'");
			seed_add(file, at + 1, size);
			at += size + (at[size + 1] ? 2 : 1);
		} else if (isspace((unsigned char)*at)) {
			at++;
		} else {
			char word[128];

			size = strcspn(at, " \t\n'\"");
			snprintf(word, sizeof(word), "%.*s", (int)size, at);
			if (file_of(word)) {
				file = file_of(word);
				named = true;
			} else if (named) {
				seed_add(file, at, size);
			}
			at += size;
		}
	}
}

/* The events that exist at the start. */
static void events_read(void)
{
	struct dirent *system, *event;
	char path[PATH_MAX];
	DIR *all, *one;

	snprintf(path, sizeof(path), "%s/events", tree);
	all = opendir(path);
	while (all && (system = readdir(all))) {
		snprintf(path, sizeof(path), "%s/events/%s", tree,
			 system->d_name);
		one = *system->d_name == '.' ? NULL : opendir(path);
		while (one && nr_events < EVENTS_MAX && (event = readdir(one)))
			if (*event->d_name != '.' &&
			    strcmp(event->d_name, "enabled") &&
			    asprintf(&events[nr_events], "%s/%s",
				     system->d_name, event->d_name) > 0)
				nr_events++;
		if (one)
			closedir(one);
	}
	if (!all || !nr_events)
		die(path);
	closedir(all);
}

/* ---- names and texts ------------------------------------------------------ */

static const char *any_event(void)
{
	/* The few events that the tests use and that are hit. */
	static const char *const known[] = {
		"ktrace_test/test_hit",
		"profile/sample",
		"ktrace_test/test_string",
		"raw/hit",
		"raw/one",
		"raw/none",
		"function/callee_sum",
		"probe/hit",
		"syscalls/sys_enter_openat",
		"syscalls/sys_enter_read",
	};

	return rnd(3) ? known[rnd(sizeof(known) / sizeof(*known))]
		      : events[rnd(nr_events)];
}

static void session_name(char *name, size_t size)
{
	if (rnd(30))
		snprintf(name, size, "fuzz%u", rnd(4));
	else
		snprintf(name, size, "%.80s", seeds[rnd(nr_seeds)].text);
}

/* The path of @file (NULL: of any) in any session. */
static void any_path(char *path, size_t size, const char *file)
{
	char session[100] = "", name[81];
	uint32_t i;

	if (!rnd(3)) {
		session_name(name, sizeof(name));
		snprintf(session, sizeof(session), "sessions/%s/", name);
	}
	if (file && strcmp(file, "filter")) {
		for (i = SESSION_FILES; i < FILES; i++) {
			if (!strcmp(file, files[i]))
				*session = '\0';
		}
		snprintf(path, size, "%s/%s%s", tree, session, file);
	} else if (file || !rnd(3)) {
		snprintf(path, size, "%s/%sevents/%s/%s", tree, session,
			 any_event(), file ? file : parts[rnd(4)]);
	} else {
		i = rnd(*session ? SESSION_FILES : FILES);
		snprintf(path, size, "%s/%s%s", tree, session, files[i]);
	}
}

/* Mostly a text for a file with its own language. */
static const struct text *any_seed(void)
{
	static const char *const rich[] = {
		"define",	  "filter",
		"capture",	  "marked",
		"print",	  "pids",
		"probes",	  "functions",
		"function_table", "function_programs",
		"function_scope",
	};
	const struct text *from;
	uint32_t tries, i;

	for (tries = rnd(40); tries; tries--) {
		from = &seeds[rnd(nr_seeds)];
		for (i = 0; i < sizeof(rich) / sizeof(*rich); i++) {
			if (from->file && !strcmp(from->file, rich[i]))
				return from;
		}
	}
	return &seeds[rnd(nr_seeds)];
}

static const char *any_piece(void)
{
	static const char *const numbers[] = {
		"0",	 "-1", "1",	   "2047",	 "65536",
		"4096",	 "\n", ";",	   "4294967295", "18446744073709551615",
		"1 1 *", "\t", "\x80\xff", "a0",	 "9223372036854775808",
	};

	return rnd(2) ? numbers[rnd(sizeof(numbers) / sizeof(*numbers))]
		      : seeds[rnd(nr_seeds)].text;
}

/* Replaces @out bytes at @at by @piece. */
static size_t text_splice(size_t size, size_t at, size_t out, const char *piece)
{
	size_t in = strlen(piece);

	if (size - out + in > TEXT_MAX)
		return size;
	memmove(text + at + in, text + at + out, size - at - out);
	memcpy(text + at, piece, in);
	return size - out + in;
}

static size_t mutate(size_t size)
{
	uint32_t times = 1 + rnd(4);

	while (times--) {
		size_t at = rnd(size + 1), out = rnd(size - at + 1);
		const char *piece = any_piece();

		switch (rnd(7)) {
		case 0:
			size = text_splice(size, at, 0, piece);
			break;
		case 1:
			size = text_splice(size, at, out, piece);
			break;
		case 2:
			size = text_splice(size, at, out, "");
			break;
		case 3:
			if (size)
				text[at % size] ^= 1u << rnd(8);
			break;
		case 4:
			size = at;
			break;
		case 5: /* the same again, as a line of its own */
			size = text_splice(size, size, 0, "\n");
			size = text_splice(size, size, 0, piece);
			break;
		default: /* much of it */
			for (out = rnd(12) ? rnd(20) : rnd(20000); out; out--)
				size = text_splice(size, at, 0, piece);
		}
	}
	return size;
}

/* ---- steps ---------------------------------------------------------------- */

static void count(ssize_t done)
{
	if (verbose)
		printf("%s %llu= %s\n", root ? "root" : "group",
		       (unsigned long long)nr_steps,
		       done < 0 ? strerrorname_np(errno) : "taken");
	if (done < 0)
		nr_refused++;
	else
		nr_taken++;
}

/* If the buffers filled all memory, the machine would do nothing else. */
static bool too_large(const char *path, size_t size)
{
	text[size] = '\0';
	return strstr(path, "/buffer_size") &&
	       (size > 6 || strpbrk(text, "gGtTpPeE")) && rnd(20);
}

static void step_write(void)
{
	const struct text *from = any_seed();
	size_t size = strlen(from->text);
	char path[PATH_MAX];
	int fd;

	any_path(path, sizeof(path), rnd(4) ? from->file : NULL);
	memcpy(text, from->text, size);
	if (rnd(3))
		size = mutate(size);
	if (too_large(path, size))
		return;
	tell("write %zu bytes to %s: %.200s", size, path, text);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	count(write(fd, text, size));
	close(fd);
}

/* Uses a session as users do. */
static void step_run(void)
{
	static const struct {
		const char *file;
		const char *text;
	} writes[] = {
		{"enabled", "1"},      {"enabled", "1"},
		{"enabled", "0"},      {"reset", "1"},
		{"buffer_size", "1M"}, {"buffer_size", "131072"},
		{"cpus", "1"},	       {"cpus", "0-1:1/2"},
		{"cpus", "all"},       {"mode", "overwrite"},
		{"mode", "discard"},   {"capture", "none"},
		{"pids", "\n"},	       {"filter", "none"},
		{"marked", "*"},
	};
	uint32_t i = rnd(sizeof(writes) / sizeof(*writes) + 4);
	char path[PATH_MAX];
	const char *put = rnd(4) ? "1" : "0";
	int fd;

	if (i < sizeof(writes) / sizeof(*writes)) {
		any_path(path, sizeof(path), writes[i].file);
		put = writes[i].text;
	} else {
		any_path(path, sizeof(path), "filter");
		strcpy(strrchr(path, '/'), "/enabled");
	}
	tell("write %s: %s", path, put);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	count(write(fd, put, strlen(put)));
	close(fd);
}

static void step_capture(void)
{
	const char *program = seeds[rnd(nr_seeds)].text;
	char path[PATH_MAX];
	size_t size;
	int fd;

	any_path(path, sizeof(path), "capture");
	size = snprintf(text, 8192, "%s: %s%s", any_event(),
			rnd(2) ? "char x: " : "", program);
	if (size >= 8192)
		return;
	if (rnd(2))
		size = mutate(size);
	text[size] = '\0';
	tell("write %s: %.200s", path, text);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	count(write(fd, text, size));
	close(fd);
}

static void step_read(void)
{
	char path[PATH_MAX];
	int fd, i;

	any_path(path, sizeof(path), NULL);
	tell("read %s", path);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	for (i = rnd(4); i >= 0; i--) {
		if (!rnd(4))
			lseek(fd, (off_t)rnd(100000) - 50, rnd(3));
		count(read(fd, text, 1 + rnd(rnd(2) ? 100 : TEXT_MAX - 1)));
	}
	close(fd);
}

static void step_session(void)
{
	char name[81], path[PATH_MAX];

	session_name(name, sizeof(name));
	snprintf(path, sizeof(path), "%s/sessions/%s", tree, name);
	/* Nothing outside of the tree. */
	if (strstr(name, "..") || *name == '/')
		return;
	if (rnd(2)) {
		tell("mkdir %s", path);
		count(mkdir(path, 0700));
	} else {
		tell("rmdir %s", path);
		count(rmdir(path));
	}
}

/* Opens a file and keeps it open, whatever happens to its session or event. */
static void step_hold(void)
{
	int *fd = &held[rnd(HELD)];
	char path[PATH_MAX];

	if (*fd >= 0)
		close(*fd);
	if (rnd(2)) {
		any_path(path, sizeof(path), "enabled");
		sprintf(strrchr(path, '/'), "/buffers/cpu%u", rnd(3));
	} else {
		any_path(path, sizeof(path), NULL);
	}
	tell("open %s", path);
	*fd = open(path, (rnd(3) ? O_RDONLY : O_RDWR) | O_NONBLOCK);
	count(*fd);
}

static void held_map(int fd)
{
	size_t size =
		rnd(2) ? 4096u * (1 + rnd(80)) : KT_CONTROL_SIZE + (1 << 20);
	off_t at = rnd(2) ? 0 : (off_t)4096 * rnd(1100);
	int prot = rnd(4) ? PROT_READ : (int)rnd(8);
	volatile const char *map;

	tell("mmap %zu %d at %lld", size, prot, (long long)at);
	map = mmap(NULL, size, prot, rnd(2) ? MAP_SHARED : MAP_PRIVATE, fd, at);
	count(map == MAP_FAILED ? -1 : 0);
	if (map == MAP_FAILED)
		return;
	if (prot & PROT_READ)
		(void)map[rnd(size)];
	mprotect((void *)map, size, rnd(8));
	munmap((void *)map, size);
}

static void held_ioctl(int fd)
{
	static const unsigned long commands[] = {
		KT_GET_SIZE,	 KT_GET_PRODUCED, KT_GET_CONSUMED,
		KT_PUT_CONSUMED, KT_FLUSH,
	};
	unsigned long command = commands[rnd(5)], bad = rnd(2) ? 8 : -8l;
	uint64_t value = 0;

	if (!rnd(20))
		command ^= 1ul << rnd(32);
	if (command == KT_PUT_CONSUMED && rnd(4))
		ioctl(fd, KT_GET_CONSUMED, &value);
	else
		value = rnd(3) ? rnd(20) : ~(uint64_t)rnd(3);
	tell("ioctl %lx, %llu", command, (unsigned long long)value);
	count(rnd(20) ? ioctl(fd, command, &value) : ioctl(fd, command, bad));
}

static void step_held(void)
{
	int fd = held[rnd(HELD)];
	struct pollfd wait = {fd, POLLIN | POLLOUT, 0};

	if (fd < 0)
		return;
	switch (rnd(6)) {
	case 0:
		tell("poll");
		count(poll(&wait, 1, 0));
		break;
	case 1:
		held_map(fd);
		break;
	case 2:
		tell("read, write");
		count(pread(fd, text, 1 + rnd(5000), rnd(3000)));
		count(write(fd, "1", 1));
		break;
	default:
		held_ioctl(fd);
	}
}

/* ---- root's steps --------------------------------------------------------- */

static void step_module(void)
{
	uint32_t i = rnd(sizeof(module_names) / sizeof(*module_names));
	char path[PATH_MAX], *at;
	int fd;

	if (rnd(3)) {
		tell("load %s", module_names[i]);
		snprintf(path, sizeof(path), "%s/%s.ko", modules,
			 module_names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		count(syscall(SYS_finit_module, fd, "", 0));
		close(fd);
	} else {
		tell("unload %s", module_names[i]);
		snprintf(path, sizeof(path), "%s", module_names[i]);
		while ((at = strchr(path, '-')))
			*at = '_';
		count(syscall(SYS_delete_module, path, O_NONBLOCK));
	}
}

static void file_put(const char *path, const char *put)
{
	int fd = open(path, O_WRONLY);

	tell("write %s: %s", path, put);
	if (fd < 0)
		return;
	count(write(fd, put, strlen(put)));
	close(fd);
}

static void step_cpu(void)
{
	file_put("/sys/devices/system/cpu/cpu1/online", rnd(3) ? "1" : "0");
}

static void step_hits(void)
{
	static const char *const runs[] = {"task 300", "string 20 100",
					   "storm 30", "task 5"};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/run", test_dir);
	file_put(path, runs[rnd(4)]);
}

/* ---- processes ------------------------------------------------------------ */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static const struct {
	void (*step)(void);
	uint32_t weight, weight_root;
} steps[] = {
	{step_write, 30, 30}, {step_run, 20, 20},   {step_capture, 8, 8},
	{step_read, 10, 5},   {step_session, 6, 6}, {step_hold, 6, 4},
	{step_held, 20, 10},  {step_module, 0, 6},  {step_cpu, 0, 2},
	{step_hits, 0, 12},
};
#define STEPS (sizeof(steps) / sizeof(*steps))

static int process_run(double seconds)
{
	double end = now() + seconds;
	uint32_t all = 0, i;

	for (i = 0; i < HELD; i++)
		held[i] = -1;
	for (i = 0; i < STEPS; i++)
		all += root ? steps[i].weight_root : steps[i].weight;
	while (now() < end) {
		uint32_t at = rnd(all);

		for (i = 0;; i++) {
			uint32_t weight =
				root ? steps[i].weight_root : steps[i].weight;

			if (at < weight)
				break;
			at -= weight;
		}
		steps[i].step();
	}
	printf("# %s: %llu steps, %llu taken, %llu refused\n",
	       root ? "root" : "group", (unsigned long long)nr_steps,
	       (unsigned long long)nr_taken, (unsigned long long)nr_refused);
	fflush(stdout);
	/* If nothing or everything was accepted, the process has tested little. */
	return nr_taken < 10 || nr_refused < 10;
}

static void become_member(gid_t group)
{
	if (setgroups(0, NULL) || setresgid(group, group, group) ||
	    setresuid(65534, 65534, 65534))
		die("group");
}

int main(int argc, char **argv)
{
	uint64_t first = 1;
	double seconds = 60;
	int option, i, status, bad = 0;
	gid_t group = 0;
	pid_t pids[3];

	while ((option = getopt(argc, argv, "s:t:g:m:d:v")) != -1) {
		switch (option) {
		case 's':
			first = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = atof(optarg);
			break;
		case 'g':
			group = atoi(optarg);
			break;
		case 'm':
			modules = optarg;
			break;
		case 'd':
			test_dir = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind < 2 || !group || !modules || !test_dir) {
		fputs("usage: fuzz -s SEED -t SECONDS -g GROUP -m MODULES "
		      "-d DIR [-v] TREE SCRIPT...\n",
		      stderr);
		return 2;
	}
	tree = argv[optind++];
	while (optind < argc)
		script_read(argv[optind++]);
	events_read();
	printf("# seed %llu, %u texts, %u events\n", (unsigned long long)first,
	       nr_seeds, nr_events);
	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		seed = first * 3 + i;
		root = !i;
		if (!root)
			become_member(group);
		/* All processes end earlier, so this finds one that hangs. */
		alarm(seconds + 120);
		return process_run(seconds);
	}
	for (i = 0; i < 3; i++) {
		waitpid(pids[i], &status, 0);
		if (status) {
			printf("# process %d ended with %#x\n", i, status);
			bad = 1;
		}
	}
	return bad;
}
