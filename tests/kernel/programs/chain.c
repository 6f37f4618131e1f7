// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that knows who called whom, compiled without frame pointers.
 *
 *	chain FILE COMMAND [REPEAT]
 *
 * At the end of a chain of calls, writes the command to the file, by a system call of its own.
 * Prints where the frames are, innermost first: a line "PATH OFFSET" for each, or "[jit] ADDRESS".
 * Those between qsort() and its caller are the library's own, and are not known.
 *
 *	chain FILE COMMAND jit	the last function has no file and keeps a frame pointer
 *	chain FILE COMMAND forked	the same in a child, which writes to the code that it has got
 *	chain FILE COMMAND deep	200 frames, of which the innermost four are printed
 *	chain FILE COMMAND recursive	20 frames of one function
 *	chain FILE COMMAND fork	in a child that has mapped nothing
 *	chain FILE COMMAND vfork	the same by vfork(): it shares the memory
 *	chain FILE COMMAND mapped:N	with so many more mappings of text
 *	chain FILE COMMAND changed:N	the same; then half of them become one, a quarter goes, and the
 *					last function has no file and is between them
 *	chain FILE COMMAND left:N	the same; then all but 1200 go, it calls itself "left", and makes
 *					code as before
 *	chain FILE COMMAND moved:N	with so many mappings the last function has no file and is moved;
 *					two seconds later something else is mapped
 *	chain FILE COMMAND children:N	the same; then 300 children, one after the other, call themselves
 *					"child", map something, and end
 *	chain FILE COMMAND gone	the outer part of the stack is no memory of the program's
 *
 *	chain FILE COMMAND away	the outer part of the stack is not there before it is read
 *
 *	chain FILE COMMAND HOW SECONDS	sleeps so long at the end
 */
#include <alloca.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLED(function) __attribute__((noinline, noclone)) function
#define FRAMES_MAX	 300

static uintptr_t frames[FRAMES_MAX];
static int nr;
static int fd;
static const char *command;
static long (*leaf_of)(void);
static volatile int sink;

static void called_from(void *address)
{
	if (nr < FRAMES_MAX)
		frames[nr++] = (uintptr_t)address;
}

static long CALLED(leaf)(void)
{
	long result;

	/* All others do this behind their calls, so the innermost one is the first. */
	called_from(__builtin_return_address(0));
	__asm__ volatile("syscall\n"
			 ".globl chain_leaf_entered\n"
			 "chain_leaf_entered:"
			 : "=a"(result)
			 : "a"(SYS_write), "D"(fd), "S"(command),
			   "d"(strlen(command))
			 : "rcx", "r11", "memory");
	return result;
}

extern char chain_leaf_entered[];

/* Its frame is found by rbp, from one place in memory. */
static int CALLED(aligned)(int n)
{
	volatile char large[100] __attribute__((aligned(64)));

	large[n] = n + leaf_of();
	called_from(__builtin_return_address(0));
	return large[n];
}

static int CALLED(variable)(int n)
{
	volatile char *room = alloca(n * 10);

	room[n] = n + aligned(n);
	called_from(__builtin_return_address(0));
	return room[n];
}

static int CALLED(deep)(int n)
{
	int below = n ? deep(n - 1) : variable(3);

	if (n < 1)
		called_from(__builtin_return_address(0));
	return below + sink;
}

static int compare(const void *a, const void *b)
{
	if (!nr) {
		variable(*(const int *)a);
		called_from(__builtin_return_address(0));
	}
	return *(const int *)a - *(const int *)b;
}

static void CALLED(sorted)(void)
{
	int numbers[] = {3, 2};

	qsort(numbers, 2, sizeof(*numbers), compare);
	called_from(__builtin_return_address(0));
	sink = numbers[0];
}

/* push rbp; mov rbp, rsp; call rdi; pop rbp; ret: as code that is made while programs run. */
static long (*made)(long (*)(void));
static void *made_at;

static long CALLED(by_made)(void)
{
	long result = made(leaf);

	called_from(__builtin_return_address(0));
	return result + sink;
}

static void made_make(void)
{
	static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5,
					     0xff, 0xd7, 0x5d, 0xc3};
	void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[40];
	FILE *map;

	if (place == MAP_FAILED)
		exit(1);
	memcpy(place, code, sizeof(code));
	/* As just-in-time compilers do for tracers. */
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map ||
	    fprintf(map, "%lx %zx calls what it gets\n", (long)place,
		    sizeof(code)) < 0 ||
	    fclose(map))
		exit(1);
	made_at = place;
	made = (long (*)(long (*)(void)))(uintptr_t)place;
}

static void frame_print(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end, offset;
	char path[4096] = "";

	while (fscanf(maps, "%lx-%lx %*s %lx %*s %*s%4095[^\n]\n", &begin, &end,
		      &offset, path) >= 3) {
		if (address >= begin && address < end) {
			if (path[strspn(path, " ")])
				printf("%s %#lx\n", path + strspn(path, " "),
				       address - begin + offset);
			else
				printf("[jit] %#lx\n", address);
			break;
		}
		*path = '\0';
	}
	fclose(maps);
}

static void frames_print(void)
{
	frame_print((uintptr_t)chain_leaf_entered);
	for (int i = 0; i < nr; i++)
		frame_print(frames[i]);
}

/* On a stack whose outer part is then taken away. */
static void gone_run(void)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t top = (uintptr_t)stack + 32768 + 256, old;

	/*
	 * The page above cannot be read: the caller of the function that is called here would
	 * have its frame there.
	 */
	mprotect(stack + 32768 + 4096, 65536 - 32768 - 4096, PROT_NONE);
	top = (uintptr_t)stack + 32768 + 4096;
	__asm__ volatile("movq %%rsp, %0\n\t"
			 "movq %1, %%rsp\n\t"
			 "call *%2\n\t"
			 "movq %0, %%rsp"
			 : "=&r"(old)
			 : "r"(top), "r"(leaf)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			   "r11", "memory", "cc");
}

static void vfork_run(void)
{
	pid_t child = vfork();

	if (!child) {
		sorted();
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		exit(1);
}

/* Each second page cannot be run, so the kernel does not make one mapping of all. */
static char *mapped_make(size_t mappings)
{
	size_t size = mappings * 2 * 4096;
	int text = memfd_create("text", 0);
	char *all;

	if (text < 0 || ftruncate(text, size))
		exit(1);
	all = mmap(NULL, size, PROT_READ, MAP_SHARED, text, 0);
	if (all == MAP_FAILED)
		exit(1);
	for (size_t at = 0; at < size; at += 8192)
		if (mprotect(all + at, 4096, PROT_READ | PROT_EXEC))
			exit(1);
	return all;
}

static void changed_run(size_t mappings)
{
	size_t quarter = mappings / 4 * 2 * 4096;
	char *all = mapped_make(mappings);

	if (mprotect(all + quarter, 2 * quarter, PROT_READ | PROT_EXEC) ||
	    munmap(all + 3 * quarter, quarter))
		exit(1);
	made_make();
	leaf_of = by_made;
	sorted();
}

static void left_run(size_t mappings)
{
	size_t left = 600 * 2 * 4096;
	char *all = mapped_make(mappings);

	if (munmap(all + left, mappings * 2 * 4096 - left) ||
	    prctl(PR_SET_NAME, "left"))
		exit(1);
	made_make();
	leaf_of = by_made;
	sorted();
}

static void moved_run(size_t mappings)
{
	char *all = mapped_make(mappings), *place;

	made_make();
	place = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED ||
	    mremap(made_at, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, place) !=
		    place)
		exit(1);
	made = (long (*)(long (*)(void)))(uintptr_t)place;
	sleep(2);
	if (mprotect(all + 4096, 4096, PROT_READ | PROT_EXEC))
		exit(1);
	leaf_of = by_made;
	sorted();
}

static void children_run(size_t mappings)
{
	char *all = mapped_make(mappings);

	for (int i = 0; i < 300; i++) {
		pid_t child = fork();

		if (!child)
			_exit(prctl(PR_SET_NAME, "child") ||
			      mprotect(all + 4096, 4096,
				       PROT_READ | PROT_EXEC));
		if (child < 0 || waitpid(child, NULL, 0) != child)
			exit(1);
	}
	sorted();
}

/* Takes the pages of the stack away, but for the innermost ones; they come back when read. */
static char *away_end;

static long CALLED(leaf_away)(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	char *from = (char *)((here + 4096) & ~4095ul);
	long result = madvise(from, away_end - from, MADV_DONTNEED);

	result += leaf();
	called_from(__builtin_return_address(0));
	return result;
}

static int CALLED(large)(int n)
{
	volatile char room[20000];

	room[n] = variable(n);
	called_from(__builtin_return_address(0));
	return room[n];
}

static void away_main(void)
{
	sink = large(3);
}

/* Memory of a file keeps what it has when it is taken away. */
static void away_run(void)
{
	static ucontext_t here, there;
	size_t size = 1 << 20;
	int memory = memfd_create("stack", 0);
	char *stack;

	if (memory < 0 || ftruncate(memory, size))
		exit(1);
	stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (stack == MAP_FAILED || getcontext(&there))
		exit(1);
	away_end = stack + size;
	leaf_of = leaf_away;
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, away_main, 0);
	swapcontext(&here, &there);
}

int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "";

	if (argc < 3)
		return 1;
	fd = open(argv[1], O_WRONLY);
	command = argv[2];
	leaf_of = leaf;
	if (!strcmp(how, "forked"))
		made_make();
	if (!strncmp(how, "fork", 4)) {
		pid_t child = fork();

		if (child) {
			waitpid(child, NULL, 0);
			return 0;
		}
	}
	if (!strcmp(how, "forked")) {
		leaf_of = by_made;
		if (mprotect(made_at, 4096, PROT_READ | PROT_WRITE) ||
		    mprotect(made_at, 4096, PROT_READ | PROT_EXEC))
			return 1;
		sorted();
	} else if (!strcmp(how, "jit")) {
		made_make();
		leaf_of = by_made;
		sorted();
	} else if (!strcmp(how, "deep")) {
		deep(200);
	} else if (!strcmp(how, "recursive")) {
		deep(20);
	} else if (!strcmp(how, "vfork")) {
		vfork_run();
	} else if (!strncmp(how, "mapped:", 7)) {
		mapped_make(strtoul(how + 7, NULL, 10));
		sorted();
	} else if (!strncmp(how, "changed:", 8)) {
		changed_run(strtoul(how + 8, NULL, 10));
	} else if (!strncmp(how, "left:", 5)) {
		left_run(strtoul(how + 5, NULL, 10));
	} else if (!strncmp(how, "moved:", 6)) {
		moved_run(strtoul(how + 6, NULL, 10));
	} else if (!strncmp(how, "children:", 9)) {
		children_run(strtoul(how + 9, NULL, 10));
	} else if (!strcmp(how, "away")) {
		away_run();
	} else if (!strcmp(how, "gone")) {
		gone_run();
	} else {
		sorted();
	}
	frames_print();
	if (argc > 4)
		sleep(atoi(argv[4]));
	return fd < 0;
}
