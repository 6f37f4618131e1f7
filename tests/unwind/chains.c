// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Walks real stacks of this program, by tables of its own files.
 *
 * The program knows which of its functions called each other.  In addition libgcc walks the same
 * stack: both must have the same frames to the last one.
 */
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "callee.h"
#include "self.h"

#define KNOWN_MAX  16
#define STACK_SIZE 65536

/*
 * Return addresses of the functions that are being called, the first one first.  Volatile,
 * because the compiler believes that raise() calls none of ours.
 */
static volatile u64 known[KNOWN_MAX];
static volatile unsigned int nr_known;

#define CALLED()                                                       \
	(known[nr_known++] = (uintptr_t)__builtin_extract_return_addr( \
		 __builtin_return_address(0)))
#define RETURN() (nr_known--)

static struct walked stack;
static void *theirs[KT_STACK_MAX + 1];
static int nr_theirs;
static bool walked;

static void (*then)(void); /* what the innermost function calls */

/* Both walks, from the same place. */
static noinline void walk(void)
{
	ucontext_t context;

	CALLED();
	getcontext(&context);
	self_walk(&context, &stack);
	nr_theirs = backtrace(theirs, KT_STACK_MAX + 1);
	walked = true;
	RETURN();
	asm volatile("" ::: "memory");
}

static void check_walk(unsigned int nr)
{
	u32 at = 0;

	CHECK(walked);
	walked = false;
	for (u32 i = 1; i < stack.nr && (int)i < nr_theirs; i++)
		if (stack.frames[i] != (uintptr_t)theirs[i])
			check_fail("frame %u is %#llx, not %p (end %u)", i,
				   (unsigned long long)stack.frames[i],
				   theirs[i], stack.end);
	CHECK_EQ(stack.nr, nr_theirs);
	CHECK_EQ(stack.end, KT_STACK_COMPLETE);
	CHECK_EQ(stack.guesses[0] | stack.guesses[1], 0);
	/* The functions that we know are among them, the last one first. */
	for (unsigned int i = nr; i-- > 0;) {
		while (at < stack.nr && stack.frames[at] != known[i])
			at++;
		CHECK(at < stack.nr);
	}
}

#define THROUGH(name) static noinline void through_##name(void (*next)(void))

/* A function that calls @next and does something afterwards, so that its frame stays. */
#define CALL(next)                             \
	do {                                   \
		CALLED();                      \
		(next)();                      \
		RETURN();                      \
		asm volatile("" ::: "memory"); \
	} while (0)

THROUGH(plain)
{
	CALL(next);
}

THROUGH(alloca)
{
	char *room = alloca(100 + 16 * nr_known);

	asm volatile("" ::"r"(room) : "memory");
	CALL(next);
}

THROUGH(realigned)
{
	char aligned[128] __attribute__((aligned(64)));
	char *room = alloca(100 + 16 * nr_known);

	asm volatile("" ::"r"(aligned), "r"(room) : "memory");
	CALL(next);
}

__attribute__((optimize("no-omit-frame-pointer"))) THROUGH(frame_pointer)
{
	CALL(next);
}

THROUGH(large)
{
	char room[100000];

	asm volatile("" ::"r"(room) : "memory");
	CALL(next);
}

#define STACK_OF(name, outer, inner)           \
	static noinline void name(void)        \
	{                                      \
		through_##outer(inner);        \
		asm volatile("" ::: "memory"); \
	}

STACK_OF(with_large, large, then)
STACK_OF(with_realigned, realigned, with_large)
STACK_OF(with_frame_pointer, frame_pointer, with_realigned)
STACK_OF(with_alloca, alloca, with_frame_pointer)
STACK_OF(with_all, plain, with_alloca)

/* How many are known while walk() runs: it, and what is around it. */
#define KNOWN_ALL 6

TEST(own_functions)
{
	then = walk;
	with_all();
	check_walk(KNOWN_ALL);
}

TEST(functions_of_a_library)
{
	then = walk;
	callee_through(with_all);
	check_walk(KNOWN_ALL);
}

static int compare(const void *a, const void *b)
{
	if (!walked)
		with_all();
	return *(const int *)a - *(const int *)b;
}

TEST(a_callback_of_qsort)
{
	int numbers[] = {3, 1, 2};

	then = walk;
	qsort(numbers, 3, sizeof(*numbers), compare);
	check_walk(KNOWN_ALL);
}

static jmp_buf behind_fault;

static void handle(int signal)
{
	with_all();
	if (signal == SIGSEGV)
		siglongjmp(behind_fault, 1);
}

static void handle_set(int signal, int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};

	sigaction(signal, &action, NULL);
}

static noinline void send_signal(void)
{
	CALLED();
	raise(SIGUSR1);
	RETURN();
	asm volatile("" ::: "memory");
}

TEST(a_signal_handler)
{
	handle_set(SIGUSR1, 0);
	then = walk;
	send_signal();
	check_walk(KNOWN_ALL + 1);
}

static char other_stack[STACK_SIZE * 4] __attribute__((aligned(16)));

TEST(a_signal_handler_on_its_own_stack)
{
	const stack_t own = {.ss_sp = other_stack,
			     .ss_size = sizeof(other_stack)};
	const stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&own, NULL);
	handle_set(SIGUSR1, SA_ONSTACK);
	then = walk;
	send_signal();
	sigaltstack(&none, NULL);
	check_walk(KNOWN_ALL + 1);
}

TEST(a_fault_in_assembly)
{
	char to[64];
	void *volatile nowhere = (void *)8;

	handle_set(SIGSEGV, SA_NODEFER);
	then = walk;
	if (!sigsetjmp(behind_fault, 1))
		memcpy(to, nowhere, sizeof(to) - nr_known);
	check_walk(KNOWN_ALL);
	nr_known = 0;
}

TEST(the_dynamic_linker_looks_up_a_function)
{
	then = walk;
	callee_hook = with_all;
	CHECK_EQ(callee_lazy(21), 42);
	callee_hook = NULL;
	check_walk(KNOWN_ALL);
}

static void *run_thread(void *argument)
{
	pthread_attr_t attributes;
	size_t size;
	void *begin;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &begin, &size);
	pthread_attr_destroy(&attributes);
	self_add_stack(begin, size);
	with_all();
	return NULL;
}

TEST(a_thread)
{
	pthread_t thread;

	then = walk;
	CHECK_EQ(pthread_create(&thread, NULL, run_thread, NULL), 0);
	pthread_join(thread, NULL);
	check_walk(KNOWN_ALL);
}

static void run_coroutine(void)
{
	with_all();
}

TEST(a_coroutine)
{
	ucontext_t here, there;

	then = walk;
	getcontext(&there);
	there.uc_stack.ss_sp = other_stack;
	there.uc_stack.ss_size = sizeof(other_stack);
	there.uc_link = &here;
	makecontext(&there, run_coroutine, 0);
	swapcontext(&here, &there);
	check_walk(KNOWN_ALL);
}

/* --- each instruction --- */

#define TRAP_FLAG 0x100

static char trap_stack[STACK_SIZE * 4] __attribute__((aligned(16)));
static unsigned int nr_steps, nr_failed;
static u64 failed_at;
static struct walked failed;
static volatile sig_atomic_t stepping;

/* The frames of who called stepped(): the ends of all stacks. */
static u64 outer[KT_STACK_MAX];
static u32 nr_outer;

static void step(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	if (!stepping) {
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	self_walk(context, &stack);
	nr_steps++;
	if (stack.end == KT_STACK_COMPLETE && stack.nr > nr_outer &&
	    !stack.guesses[0] &&
	    !memcmp(stack.frames + stack.nr - nr_outer, outer,
		    nr_outer * sizeof(*outer)))
		return;
	if (!nr_failed++) {
		failed_at = stack.frames[0];
		failed = stack;
	}
}

/* Calls that go through everything that the C library has of assembly. */
static noinline void stepped(void)
{
	static char from[300], to[300];
	int numbers[] = {5, 3, 4, 1, 2};
	struct timespec now;

	stepping = 1;
	asm volatile("pushf\n\torq $0x100, (%%rsp)\n\tpopf" ::: "memory", "cc");
	clock_gettime(CLOCK_MONOTONIC, &now);
	callee_stepped(1);
	for (size_t size = 1; size < sizeof(from); size = 3 * size + nr_known) {
		memset(from, 'a', size);
		memcpy(to, from, size);
		memmove(to + 1, to, size / 2);
		from[size] = '\0';
		numbers[0] += strlen(from) + memcmp(from, to, size);
	}
	walked = true;
	qsort(numbers, 5, sizeof(*numbers), compare);
	snprintf(to, sizeof(to), "%d %s %f", numbers[0], "text", 1.5);
	free(malloc(100 + numbers[1]));
	getppid();
	stepping = 0;
	walked = false;
	asm volatile("" ::: "memory");
}

TEST(each_instruction)
{
	const stack_t own = {.ss_sp = trap_stack,
			     .ss_size = sizeof(trap_stack)};
	const stack_t none = {.ss_flags = SS_DISABLE};
	struct sigaction action = {.sa_sigaction = step,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK};

	/* The frames above this function: the last ones of any stack. */
	then = walk;
	with_all();
	nr_outer = stack.nr - 12;
	memcpy(outer, stack.frames + 12, nr_outer * sizeof(*outer));
	check_walk(KNOWN_ALL);
	sigaltstack(&own, NULL);
	sigaction(SIGTRAP, &action, NULL);
	stepped();
	signal(SIGTRAP, SIG_DFL);
	sigaltstack(&none, NULL);
	check_note("%u instructions, %u stacks wrong", nr_steps, nr_failed);
	for (u32 i = 0; nr_failed && i < failed.nr; i++)
		check_note("  %#llx", (unsigned long long)failed.frames[i]);
	CHECK(nr_steps > 3000);
	CHECK_EQ(nr_failed, 0);
}

/*
 * Without tables, only frames that stand on rbp are found, and that is said.
 */
TEST(without_tables)
{
	const struct kt_unwind_space all = self_space;
	ucontext_t context;

	self_space.nr = 0;
	self_space.salt++;
	getcontext(&context);
	self_walk(&context, &stack);
	self_space = all;
	CHECK(stack.nr == 1 || stack.guesses[0] & 2);
	CHECK(stack.end != KT_STACK_CORRUPT && stack.end != KT_STACK_NO_RULE);
}

int main(int argc, char **argv)
{
	void *none[1];
	int status;

	/* Loads libgcc, so that its text has a table, too. */
	backtrace(none, 1);
	self_open();
	self_add_stack(other_stack, sizeof(other_stack));
	status = check_run(argc, argv);
	self_close();
	return status;
}
