/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the plugins use of QEMU.
 *
 * Debian has no header of the interface for plugins.  These declarations are made after its
 * documentation, version 1: that of QEMU 6.0 to 8.2.
 *
 * Version 1 gives plugins no registers.  But QEMU is linked so that its modules find its
 * functions, and then plugins find them, too.
 */
#ifndef KT_TESTS_EMULATOR_QEMU_H
#define KT_TESTS_EMULATOR_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 1
#define EXPORT		    __attribute__((visibility("default")))

/* ---- the interface ------------------------------------------------------------------ */

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb; /* a block of instructions that is translated in one go */
struct qemu_plugin_insn; /* one of them; it is gone when translated() returns */

struct qemu_info {
	const char *target;
	int version_min, version;
	bool system;
	int nr_cpus, max_cpus;
};

enum qemu_registers {
	QEMU_NO_REGISTERS, /* the only value that version 1 knows what to do with */
};

EXPORT extern int qemu_plugin_version;
/* Other than 0: QEMU ends. */
EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
			       const struct qemu_info *info, int argc,
			       char **argv);

typedef void qemu_translated_fn(qemu_plugin_id_t id,
				struct qemu_plugin_tb *block);
typedef void qemu_executed_fn(unsigned int cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   qemu_translated_fn *translated);
/* @executed is called before the instruction is executed. */
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_executed_fn *executed,
					    enum qemu_registers registers,
					    void *data);
/*
 * Throws all translations away, and what was registered.  Calls @done when that has happened:
 * not at once, but between two blocks.
 */
void qemu_plugin_reset(qemu_plugin_id_t id, void (*done)(qemu_plugin_id_t id));

/* Called when QEMU ends. */
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    void (*ended)(qemu_plugin_id_t id,
						  void *data),
				    void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
	const struct qemu_plugin_tb *block, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

/* ---- what modules of QEMU have ------------------------------------------------------ */

/* GLib's. */
typedef struct _GByteArray {
	uint8_t *data;
	unsigned int len;
} GByteArray;

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int length);

void *qemu_get_cpu(int index);
/* Appends the value of a register, by the number that gdb has for it. */
int x86_cpu_gdb_read_register(void *cpu, GByteArray *to, int number);

#endif /* KT_TESTS_EMULATOR_QEMU_H */
