// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * images [--shifted] CORE... - walks the stacks of processes that were saved, and compares with libdw and gdb
 *
 * With --shifted, all stacks begin a word too far, so that each should be wrong.
 *
 * CORE is an ELF core file.  libdw walks the same file; CORE.gdb, if it is there, is what gdb has
 * said of the process (images.gdb).
 *
 * A frame that neither of them has at its place is wrong if it is not marked as a guess.  So is
 * a stack that is said to be complete if both go on.
 *
 * Prints what differs, and a line for each file:
 *
 *	sum CORE THREADS FRAMES EQUAL GUESSED LONGER MARKED WRONG
 *
 * EQUAL: complete, and the same frames as one of them.  GUESSED: the same, but some are marked.
 * LONGER: complete, and the frames that both of them have are the same.  MARKED: incomplete, and
 * says so; the frames that there are are right.
 */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image.h"

#define OTHERS_MAX 256
#define FRAMES_MAX 512

struct other {
	pid_t tid;
	u32 nr;
	Dwarf_Addr frames[FRAMES_MAX];
};

struct others {
	const char *name;
	u32 nr;
	struct other all[OTHERS_MAX];
};

static struct others libdw = {.name = "libdw"}, gdb = {.name = "gdb"};

struct sum {
	u32 threads, frames, equal, guessed, longer, marked, wrong;
};

static void die(const char *path, const char *why)
{
	fprintf(stderr, "images: %s: %s\n", path, why);
	exit(2);
}

static struct other *other_add(struct others *others, pid_t tid)
{
	if (others->nr == OTHERS_MAX)
		die(others->name, "it has too many threads");
	others->all[others->nr] = (struct other){.tid = tid};
	return &others->all[others->nr++];
}

static const struct other *other_find(const struct others *others, pid_t tid)
{
	for (u32 i = 0; i < others->nr; i++)
		if (others->all[i].tid == tid)
			return &others->all[i];
	return NULL;
}

static int libdw_frame(Dwfl_Frame *frame, void *data)
{
	struct other *other = data;

	if (other->nr == FRAMES_MAX ||
	    !dwfl_frame_pc(frame, &other->frames[other->nr], NULL))
		return DWARF_CB_ABORT;
	other->nr++;
	return DWARF_CB_OK;
}

static int libdw_thread(Dwfl_Thread *thread, void *data)
{
	(void)data;
	/* It may end with an error: there are frames until then. */
	dwfl_thread_getframes(thread, libdw_frame,
			      other_add(&libdw, dwfl_thread_tid(thread)));
	return DWARF_CB_OK;
}

static void libdw_read(const char *path)
{
	static char *no_debug_files = "/nowhere";
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &no_debug_files,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	FILE *file = fopen(path, "r");
	Elf *core =
		file ? elf_begin(fileno(file), ELF_C_READ_MMAP, NULL) : NULL;

	libdw.nr = 0;
	if (!dwfl || !core || dwfl_core_file_report(dwfl, core, NULL) < 0 ||
	    dwfl_report_end(dwfl, NULL, NULL) ||
	    dwfl_core_file_attach(dwfl, core) < 0 ||
	    dwfl_getthreads(dwfl, libdw_thread, NULL))
		die(path, dwfl_errmsg(-1));
	dwfl_end(dwfl);
	elf_end(core);
	fclose(file);
}

/* "Thread 1 (... (LWP TID)):" or "(process TID):" */
static bool gdb_thread(const char *line, int *tid)
{
	const char *at = strstr(line, "LWP ");

	if (strncmp(line, "Thread ", 7))
		return false;
	at = at ?: strstr(line, "process ");
	return at && sscanf(at, "%*[^0-9]%d", tid) == 1;
}

/* For each thread "frame PC SP".  Functions that were inlined repeat a frame. */
static void gdb_read(const char *core)
{
	char path[4096], line[256], last[256] = "";
	struct other *other = NULL;
	FILE *file;
	Dwarf_Addr pc;
	int tid;

	gdb.nr = 0;
	snprintf(path, sizeof(path), "%s.gdb", core);
	file = fopen(path, "r");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (gdb_thread(line, &tid)) {
			other = other_add(&gdb, tid);
			last[0] = '\0';
		} else if (sscanf(line, "frame %lx", &pc) == 1 && other &&
			   strcmp(line, last) && other->nr < FRAMES_MAX) {
			other->frames[other->nr++] = pc;
			strcpy(last, line);
		}
	}
	fclose(file);
}

/* How many of the first frames are the same. */
static u32 same(const struct walked *ours, const struct other *other)
{
	u32 i = 0;

	while (other && i < ours->nr && i < other->nr &&
	       ours->frames[i] == other->frames[i])
		i++;
	return i;
}

static bool is_guess(const struct walked *ours, u32 frame)
{
	return ours->guesses[frame / 64] >> frame % 64 & 1;
}

static void show(const struct walked *ours, const struct other *const others[2])
{
	u32 nr = ours->nr;

	for (int i = 0; i < 2; i++)
		if (others[i] && others[i]->nr > nr)
			nr = others[i]->nr;
	for (u32 i = 0; i < nr; i++) {
		printf("#   %16llx%s",
		       (unsigned long long)(i < ours->nr ? ours->frames[i] : 0),
		       i < ours->nr && is_guess(ours, i) ? "?" : " ");
		for (int k = 0; k < 2; k++)
			printf(" %16llx",
			       (unsigned long long)(others[k] && i < others[k]->nr
							    ? others[k]->frames
								      [i]
							    : 0));
		putchar('\n');
	}
}

/* The result of this thread.  The stack is checked as far as one of the others goes. */
static u32 *thread_compare(const struct walked *ours,
			   const struct other *const others[2], u32 *most,
			   struct sum *sum)
{
	bool guessed = ours->guesses[0] | ours->guesses[1];
	bool equal = false, ended = false;

	*most = 0;
	for (int i = 0; i < 2; i++) {
		u32 n = same(ours, others[i]);

		if (!others[i] || n < *most)
			continue;
		ended = n > *most ? false : ended;
		*most = n;
		ended |= n == others[i]->nr;
		equal |= n == ours->nr && n == others[i]->nr;
	}
	if (*most < ours->nr && !ended)
		return is_guess(ours, *most) ? &sum->marked : &sum->wrong;
	if (ours->end != KT_STACK_COMPLETE)
		return &sum->marked;
	if (equal)
		return guessed ? &sum->guessed : &sum->equal;
	return ended ? &sum->longer : &sum->wrong;
}

static void thread_judge(u32 number, u64 shift, struct sum *sum)
{
	const pid_t tid = image_thread(number);
	const struct other *const others[2] = {other_find(&libdw, tid),
					       other_find(&gdb, tid)};
	struct walked ours;
	u32 most, *counted;

	image_walk(number, shift, &ours);
	sum->threads++;
	sum->frames += ours.nr;
	counted = thread_compare(&ours, others, &most, sum);
	++*counted;
	if (counted == &sum->marked)
		printf("# thread %d: %u frames, which end with %u\n", tid,
		       ours.nr, ours.end);
	if (counted != &sum->wrong)
		return;
	printf("# thread %d: WRONG at frame %u, ends with %u; ours, libdw, gdb:\n",
	       tid, most, ours.end);
	show(&ours, others);
}

static void core_judge(const char *path, u64 shift)
{
	const char *why = image_open(path);
	struct sum sum = {0};

	if (why)
		die(path, why);
	libdw_read(path);
	gdb_read(path);
	for (u32 i = 0; i < image_threads(); i++)
		thread_judge(i, shift, &sum);
	image_close();
	printf("sum %s %u %u %u %u %u %u %u\n", path, sum.threads, sum.frames,
	       sum.equal, sum.guessed, sum.longer, sum.marked, sum.wrong);
}

int main(int argc, char **argv)
{
	bool shifted = argc > 1 && !strcmp(argv[1], "--shifted");

	if (argc < 2 + shifted) {
		fprintf(stderr, "usage: images [--shifted] CORE...\n");
		return 2;
	}
	for (int i = 1 + shifted; i < argc; i++)
		core_judge(argv[i], shifted ? 8 : 0);
	return 0;
}
