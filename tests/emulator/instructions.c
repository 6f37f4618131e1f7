// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A plugin of QEMU: which instructions programs of the guest execute, seen from outside
 *
 *	-plugin instructions.so,lo=ADDRESS,hi=ADDRESS,out=FILE
 *
 * lo, hi	the part of memory in which they are: programs that are linked to there
 * out		an array of struct log_instruction (log.h), one for each instruction that was begun
 *
 * An instruction that faults is begun again, and so is one with a rep prefix.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "qemu.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* As gdb numbers the registers of QEMU 7.2.  The C library has a thread's data there. */
#define FS_BASE 24

static uint64_t lo, hi;
static FILE *out;
static GByteArray *bytes;

static void fail(const char *what)
{
	fprintf(stderr, "instructions: %s\n", what);
	exit(1);
}

static uint64_t thread_now(void)
{
	uint64_t base;

	g_byte_array_set_size(bytes, 0);
	if (x86_cpu_gdb_read_register(qemu_get_cpu(0), bytes, FS_BASE) != 8)
		fail("QEMU does not tell the base of fs");
	memcpy(&base, bytes->data, sizeof(base));
	return base;
}

static void executed(unsigned int cpu, void *address)
{
	struct log_instruction instruction = {
		.address = (uint64_t)address,
		.thread = thread_now(),
	};

	if (!fwrite(&instruction, sizeof(instruction), 1, out))
		fail("the instructions cannot be written");
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	size_t nr = qemu_plugin_tb_n_insns(block);

	for (size_t i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn =
			qemu_plugin_tb_get_insn(block, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (address >= lo && address < hi)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, executed, QEMU_NO_REGISTERS,
				(void *)address);
	}
}

static void ended(qemu_plugin_id_t id, void *data)
{
	if (fclose(out))
		fail("the instructions cannot be written");
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info,
			int argc, char **argv)
{
	const char *path = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "lo=", 3))
			lo = strtoull(argv[i] + 3, NULL, 0);
		else if (!strncmp(argv[i], "hi=", 3))
			hi = strtoull(argv[i] + 3, NULL, 0);
		else if (!strncmp(argv[i], "out=", 4))
			path = argv[i] + 4;
	}
	if (lo >= hi || !path)
		fail("lo=ADDRESS,hi=ADDRESS,out=FILE are wanted");
	if (info->nr_cpus != 1)
		fail("the order of instructions is known of one processor only");
	out = fopen(path, "w");
	if (!out)
		fail("the file of instructions cannot be written");
	bytes = g_byte_array_new();
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
