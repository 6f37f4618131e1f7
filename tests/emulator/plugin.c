// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A plugin of QEMU: which functions the guest's kernel calls, seen from outside
 *
 *	-plugin plugin.so,symbols=FILE,marker=NAME,markers=N,out=FILE
 *
 * symbols	as /proc/kallsyms is.  It need not be there when the guest starts: the guest
 *		writes it, when all modules are loaded.  So one boot is enough, and the
 *		addresses are right wherever modules are.
 * marker	a function: what is from its first call to its Nth one is written
 * out		an array of struct log_call (log.h), one for each call
 *
 * A call is seen where a tracer may hook it: at the call instruction of five bytes, or the nop
 * in its place, with which a function begins, or which follows its ENDBR64.  That comes once
 * for each call, also if the caller jumps over ENDBR64, as kernels since 6.15 do.  It is seen
 * before it is executed, whatever a tracer has put there.
 *
 * What a tracer does meanwhile is visible from outside, too: its hook runs from there until
 * the next instruction of the function is executed.  (Hooks at returns: from a call in a
 * trampoline until the next instruction there.)  It can be interrupted, and then other hooks
 * run inside of it.  A call that comes while its task runs no hook has no excuse for being
 * missed.
 *
 * Registers are in QEMU's memory where a block begins; within a block they may be in those of
 * the host.  A function that is called begins a block, and ENDBR64 changes no register.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "qemu.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define HOOK_SIZE    5
#define ENDBR_SIZE   4
#define STACK_SIZE   16384 /* of a task of the kernel, and of an interrupt */
#define RUNNING_MAX  4096
#define CPU_SIZE     65536 /* registers are in this part of QEMU's struct */
#define KERNEL_BEGIN 0xffffffff80000000

struct function {
	uint64_t address;
	bool marker;
	bool trampoline; /* whose calls are hooks at returns */
	bool switcher;	 /* of tasks; its second argument is the next one */
};

static const char *symbols, *marker, *out_path;
static FILE *out;
static struct function *functions; /* by address */
static size_t nr_functions;
static unsigned int nr_markers, markers_max; /* calls of the marker */

static void fail(const char *what)
{
	fprintf(stderr, "plugin: %s\n", what);
	exit(1);
}

/* ---- functions ------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct function *f = a, *g = b;

	return (f->address > g->address) - (f->address < g->address);
}

static bool is_trampoline(const char *name)
{
	return !strcmp(name, "kt_trampolines") ||
	       !strcmp(name, "arch_rethook_trampoline");
}

/* Of several names of one function, one entry is left. */
static void functions_sort(void)
{
	size_t nr = 0;

	qsort(functions, nr_functions, sizeof(*functions), by_address);
	for (size_t i = 0; i < nr_functions; i++) {
		if (nr && functions[nr - 1].address == functions[i].address) {
			functions[nr - 1].marker |= functions[i].marker;
			functions[nr - 1].trampoline |= functions[i].trampoline;
			functions[nr - 1].switcher |= functions[i].switcher;
		} else {
			functions[nr++] = functions[i];
		}
	}
	nr_functions = nr;
}

static void functions_read(void)
{
	FILE *file = fopen(symbols, "r");
	char line[1024], name[512];
	bool marked = false;
	uint64_t address;
	size_t room = 0;
	char type;

	if (!file)
		fail("the symbols cannot be read");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %c %511s", &address, &type,
			   name) != 3 ||
		    !strchr("tTwW", type) || address < KERNEL_BEGIN)
			continue;
		if (nr_functions == room) {
			room = room ? 2 * room : 1 << 17;
			functions =
				realloc(functions, room * sizeof(*functions));
			if (!functions)
				fail("out of memory");
		}
		functions[nr_functions++] = (struct function){
			.address = address,
			.marker = !strcmp(name, marker),
			.trampoline = is_trampoline(name),
			.switcher = !strcmp(name, "__switch_to"),
		};
		marked |= !strcmp(name, marker);
	}
	fclose(file);
	if (!marked)
		fail("the marker is no function, or the guest's root may not see addresses");
	functions_sort();
}

/* The last function that begins there or before; NULL: all are behind. */
static struct function *function_before(uint64_t address)
{
	size_t low = 0, high = nr_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &functions[low - 1] : NULL;
}

/* That is hooked at this address; NULL: none. */
static struct function *function_hooked_at(uint64_t address)
{
	struct function *f = function_before(address);

	return f && (address == f->address ||
		     address == f->address + ENDBR_SIZE)
		       ? f
		       : NULL;
}

/* ---- registers ------------------------------------------------------------- */

/* As QEMU has them. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, REGISTERS = 16 };

static const uint64_t *registers;

/*
 * QEMU's struct of a processor is not ours to know.  But only in one place of it are sixteen
 * words in a row what QEMU tells a debugger.
 */
static void registers_find(void)
{
	static const int gdb_order[] = {RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP};
	const char *cpu = qemu_get_cpu(0);
	GByteArray *bytes = g_byte_array_new();
	uint64_t values[REGISTERS];

	for (int i = 0; i < REGISTERS; i++) {
		g_byte_array_set_size(bytes, 0);
		if (x86_cpu_gdb_read_register((void *)cpu, bytes, i) != 8)
			fail("QEMU tells no registers of 64 bits");
		memcpy(&values[i < 8 ? gdb_order[i] : i], bytes->data, 8);
	}
	for (size_t at = 0; at < CPU_SIZE; at += sizeof(uint64_t)) {
		if (memcmp(cpu + at, values, sizeof(values)))
			continue;
		registers = (const uint64_t *)(cpu + at);
		return;
	}
	fail("QEMU's registers are not found");
}

/* ---- hooks that run -------------------------------------------------------- */

static struct {
	uint64_t behind; /* the next instruction */
	uint64_t rsp;	 /* 0: not known */
	uint64_t task;
} running[RUNNING_MAX];
static size_t nr_running;

/* That runs; 0: none has been switched to yet. */
static uint64_t task;

/* A hook may be preempted.  Then it is no reason for what other tasks do. */
static bool hook_runs(void)
{
	for (size_t i = nr_running; i--;)
		if (running[i].task == task)
			return true;
	return false;
}

static void hook_begin(uint64_t behind, uint64_t rsp)
{
	if (nr_running == RUNNING_MAX)
		fail("too many hooks run: have they no end?");
	running[nr_running].behind = behind;
	running[nr_running].task = task;
	running[nr_running++].rsp = rsp;
}

/*
 * A function may have a loop that begins there: then this comes again, and nothing runs.  If
 * a return is hooked, the function's stack is further below.
 */
static void hook_end(uint64_t behind)
{
	for (size_t i = nr_running; i--;) {
		if (running[i].behind != behind ||
		    (running[i].rsp &&
		     running[i].rsp - registers[RSP] >= STACK_SIZE))
			continue;
		nr_running--;
		memmove(&running[i], &running[i + 1],
			(nr_running - i) * sizeof(*running));
		return;
	}
}

/* ---- what is executed ------------------------------------------------------ */

static void call_write(const struct function *f, bool known)
{
	struct log_call call = {.address = f->address};

	if (known) {
		call.flags |= LOG_KNOWN;
		call.rsp = registers[RSP];
		call.registers[0] = registers[RDI];
		call.registers[1] = registers[RSI];
		call.registers[2] = registers[RDX];
		call.registers[3] = registers[RCX];
		call.registers[4] = registers[R8];
		call.registers[5] = registers[R9];
	}
	if (hook_runs())
		call.flags |= LOG_HOOK;
	if (!fwrite(&call, sizeof(call), 1, out))
		fail("the calls cannot be written");
}

static void called(const struct function *f, bool known)
{
	if (!registers)
		registers_find();
	if (f->marker)
		nr_markers++;
	if (!out || !nr_markers)
		return;
	call_write(f, known);
	if (nr_markers < markers_max)
		return;
	if (fclose(out))
		fail("the calls cannot be written");
	out = NULL;
}

/*
 * QEMU gives a callback one word.  An instruction at ADDRESS of a function f is hooked; the
 * function is found again by it.
 */
static void called_first(unsigned int cpu, void *address)
{
	called(function_hooked_at((uint64_t)address), true);
	hook_begin((uint64_t)address + HOOK_SIZE, registers[RSP]);
}

/* Nobody has called it: the function before it goes on in it, in the same block. */
static void called_within(unsigned int cpu, void *address)
{
	called(function_hooked_at((uint64_t)address), false);
	hook_begin((uint64_t)address + HOOK_SIZE, 0);
}

static void trampoline_calls(unsigned int cpu, void *address)
{
	hook_begin((uint64_t)address + HOOK_SIZE, 0);
}

/* It begins a block: it is jumped to. */
static void task_switched(unsigned int cpu, void *address)
{
	if (registers)
		task = registers[RSI];
}

static void hook_ended(unsigned int cpu, void *address)
{
	if (nr_running)
		hook_end((uint64_t)address);
}

/* ---- what is translated ---------------------------------------------------- */

static bool is_call(const struct qemu_plugin_insn *insn)
{
	const uint8_t *code = qemu_plugin_insn_data(insn);

	return qemu_plugin_insn_size(insn) == HOOK_SIZE && code[0] == 0xe8;
}

static bool is_nop(const struct qemu_plugin_insn *insn)
{
	const uint8_t *code = qemu_plugin_insn_data(insn);

	return qemu_plugin_insn_size(insn) == HOOK_SIZE && code[0] == 0x0f &&
	       code[1] == 0x1f;
}

static bool in_trampoline(uint64_t address)
{
	const struct function *f = function_before(address);

	return f && f->trampoline;
}

static void watch(struct qemu_plugin_insn *insn, qemu_executed_fn *executed)
{
	qemu_plugin_register_vcpu_insn_exec_cb(
		insn, executed, QEMU_NO_REGISTERS,
		(void *)qemu_plugin_insn_vaddr(insn));
}

/* Does a hook, or the call of one, end before this address? */
static bool is_behind_hook(uint64_t address)
{
	return function_hooked_at(address - HOOK_SIZE) ||
	       in_trampoline(address - HOOK_SIZE);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	size_t nr = qemu_plugin_tb_n_insns(block);
	uint64_t begin = 0;

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn =
			qemu_plugin_tb_get_insn(block, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		const struct function *f;

		if (!i)
			begin = address;
		if (address < KERNEL_BEGIN)
			return;
		/* The end comes first: an empty function may follow a hook. */
		if (is_behind_hook(address))
			watch(insn, hook_ended);
		f = function_hooked_at(address);
		if (f && f->switcher && address == f->address)
			watch(insn, task_switched);
		if (f && (is_call(insn) || is_nop(insn)))
			watch(insn, begin == address || begin == f->address
					    ? called_first
					    : called_within);
		else if (is_call(insn) && in_trampoline(address))
			watch(insn, trampoline_calls);
	}
}

static void begin(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}

/* Until there are symbols.  What was translated before is translated again. */
static void translated_early(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	if (functions || access(symbols, R_OK))
		return;
	functions_read();
	qemu_plugin_reset(id, begin);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "symbols=", 8))
			symbols = strdup(argv[i] + 8);
		else if (!strncmp(argv[i], "marker=", 7))
			marker = strdup(argv[i] + 7);
		else if (!strncmp(argv[i], "markers=", 8))
			markers_max = strtoul(argv[i] + 8, NULL, 10);
		else if (!strncmp(argv[i], "out=", 4))
			out_path = argv[i] + 4;
	}
	if (!symbols || !marker || !markers_max || !out_path)
		fail("symbols=FILE,marker=NAME,markers=N,out=FILE are wanted");
	if (info->nr_cpus != 1)
		fail("the order of calls is known of one processor only");
	out = fopen(out_path, "w");
	if (!out)
		fail("the file of calls cannot be written");
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated_early);
	return 0;
}
