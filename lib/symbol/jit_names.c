// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See jit_names.h.
 *
 * Compilers name thousands of functions for each that has a frame.  So nothing is kept of a
 * file but the names of frames: each function that it tells is looked up among the frames.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jit_names.h"
#include "program_file.h"

/* Names that are longer are cut, because frames have no room for them. */
#define NAME_SHOWN 1024

/* ---- the process ---------------------------------------------------------- */

/* Is it the same of this process and of that? */
static bool is_shared(pid_t pid, const char *what)
{
	struct stat its, own;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	if (stat(path, &its))
		return false;
	snprintf(path, sizeof(path), "/proc/self/%s", what);
	return !stat(path, &own) && its.st_dev == own.st_dev &&
	       its.st_ino == own.st_ino;
}

bool jit_process_find(struct jit_process *process, pid_t pid)
{
	char path[40], line[4096];
	unsigned int user;
	bool found = false;
	FILE *status;
	char *last;

	*process = (struct jit_process){.pid = pid, .named = pid};
	/* Services have the same root, but often a /tmp of their own. */
	process->here = is_shared(pid, "root") && is_shared(pid, "ns/mnt");
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status)) {
		/* The second number is the effective user. */
		if (sscanf(line, "Uid: %*u %u", &user) == 1) {
			process->user = user;
			found = true;
		}
		/* The last number is that of the innermost namespace. */
		last = strrchr(line, '\t');
		if (!strncmp(line, "NSpid:", 6) && last)
			process->named = atoi(last);
	}
	if (status)
		fclose(status);
	return found;
}

/* ---- frames --------------------------------------------------------------- */

struct frames {
	struct jit_frame *all;
	size_t nr;
	size_t *left; /* of the caller's */
};

/* The first frame that is not below the address. */
static size_t frame_first(const struct frames *frames, uint64_t address)
{
	size_t low = 0, high = frames->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (frames->all[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* @name: NULL: not known. */
static void function_add(struct frames *frames, uint64_t begin, uint64_t size,
			 const char *name)
{
	struct jit_frame *frame;

	for (size_t i = frame_first(frames, begin);
	     i < frames->nr && frames->all[i].address - begin < size; i++) {
		if (!*frames->left)
			return;
		--*frames->left;
		frame = &frames->all[i];
		free(frame->name);
		frame->name = name ? strndup(name, NAME_SHOWN) : NULL;
		frame->begin = begin;
	}
}

/* False: enough was read. */
static bool function_begin(struct frames *frames)
{
	return *frames->left && --*frames->left;
}

/* ---- perf-PID.map --------------------------------------------------------- */

/* In bytes: some four million functions. */
#define MAP_MAX (256 << 20)

/* BEGIN SIZE NAME: two hexadecimal numbers, and what is left. */
static void line_read(struct frames *frames, char *line)
{
	uint64_t begin, size;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &begin, &size, &at) ==
		    2 &&
	    line[at])
		function_add(frames, begin, size, line + at);
}

static void map_read(struct frames *frames, FILE *map)
{
	char line[4096];
	bool whole = true, begins;

	/* Lines may be long, or all the file a hole without any. */
	while (function_begin(frames) && ftello(map) < MAP_MAX &&
	       fgets(line, sizeof(line), map)) {
		begins = whole;
		whole = strchr(line, '\n');
		/* What follows in a line that was too long is no line. */
		if (begins)
			line_read(frames, line);
	}
}

/* ---- jit-PID.dump --------------------------------------------------------- */

#define DUMP_MAGIC   0x4a695444u /* as the machine's words are */
#define DUMP_VERSION 1

struct dump_head {
	uint32_t magic, version;
	uint32_t size; /* of all that comes before the records */
	uint32_t machine, unused, pid;
	uint64_t time, flags;
};

enum {
	DUMP_LOADED = 0,
	DUMP_MOVED = 1,
};

struct dump_record {
	uint32_t kind;
	uint32_t size; /* with this */
	uint64_t time;
};

struct dump_loaded {
	uint32_t pid, thread;
	uint64_t place, begin, size, index;
	/* The name, with a NUL, and the code follow. */
};

struct dump_moved {
	uint32_t pid, thread;
	uint64_t place, before, begin, size, index;
};

_Static_assert(sizeof(struct dump_head) == 40, "layout of jitdump");
_Static_assert(sizeof(struct dump_record) == 16, "layout of jitdump");
_Static_assert(sizeof(struct dump_loaded) == 40, "layout of jitdump");
_Static_assert(sizeof(struct dump_moved) == 48, "layout of jitdump");

static void loaded_read(struct frames *frames, FILE *dump, size_t left)
{
	struct dump_loaded loaded;
	char name[NAME_SHOWN + 1];
	size_t length;

	if (left < sizeof(loaded) || !fread(&loaded, sizeof(loaded), 1, dump))
		return;
	left -= sizeof(loaded);
	length = left < NAME_SHOWN ? left : NAME_SHOWN;
	length = fread(name, 1, length, dump);
	name[length] = '\0';
	if (*name)
		function_add(frames, loaded.begin, loaded.size, name);
}

/* Its name was told where it was before: it is known if a frame was there. */
static void moved_read(struct frames *frames, FILE *dump, size_t left)
{
	struct dump_moved moved;
	char *name = NULL;
	size_t i;

	if (left < sizeof(moved) || !fread(&moved, sizeof(moved), 1, dump))
		return;
	i = frame_first(frames, moved.before);
	if (i < frames->nr && frames->all[i].name &&
	    frames->all[i].begin == moved.before)
		name = strdup(frames->all[i].name);
	function_add(frames, moved.begin, moved.size, name);
	free(name);
}

static void dump_read(struct frames *frames, FILE *dump)
{
	struct dump_record record;
	struct dump_head head;
	off_t at;

	if (!fread(&head, sizeof(head), 1, dump) || head.magic != DUMP_MAGIC ||
	    head.version != DUMP_VERSION || head.size < sizeof(head))
		return;
	at = head.size;
	while (function_begin(frames) && !fseeko(dump, at, SEEK_SET) &&
	       fread(&record, sizeof(record), 1, dump) &&
	       record.size >= sizeof(record)) {
		if (record.kind == DUMP_LOADED)
			loaded_read(frames, dump, record.size - sizeof(record));
		else if (record.kind == DUMP_MOVED)
			moved_read(frames, dump, record.size - sizeof(record));
		at += record.size;
	}
}

/* ---- files ---------------------------------------------------------------- */

/* Takes over @fd.  NULL: it is not open, or no file that the process may have written. */
static FILE *owned_open(const struct jit_process *process, int fd)
{
	struct stat st;
	FILE *file = NULL;

	if (fd >= 0 && !fstat(fd, &st) &&
	    (st.st_uid == process->user || !st.st_uid))
		file = fdopen(fd, "r");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

/* In another root, which may have links to anywhere in ours. */
static int within_open(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return -1;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

/* @path: as the process knows it. */
static FILE *its_open(const struct jit_process *process, const char *path)
{
	char root[40];
	int seen;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)process->pid);
	seen = process->here ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)
			     : within_open(root, path);
	return owned_open(process, program_file_reopen(seen));
}

void jit_names_find(const struct jit_process *process, const char *dump,
		    struct jit_frame *frames, size_t nr, size_t *left)
{
	struct frames all = {frames, nr, left};
	char map[40];
	FILE *file;

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)process->named);
	file = its_open(process, map);
	if (file) {
		map_read(&all, file);
		fclose(file);
	}
	file = dump ? its_open(process, dump) : NULL;
	if (file) {
		dump_read(&all, file);
		fclose(file);
	}
}
