// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bpf - attaches a BPF program to a marker
 *
 *   bpf MARKER COMMAND [ARG...]	MARKER: ktrace:MODULE:NAME, with at least two arguments
 *
 * Attaches the program as to a raw tracepoint while the command runs.  Then prints how
 * often it was called, and the sums of the first and the second argument.  The program has
 * a dozen instructions, and needs neither a compiler nor a library.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSN(c, d, s, o, i)                                              \
	{                                                                \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), \
		.imm = (i)                                               \
	}

static int bpf(int command, union bpf_attr *attr)
{
	int fd = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0) {
		fprintf(stderr, "bpf: command %d: %s\n", command,
			strerror(errno));
		exit(1);
	}
	return fd;
}

static int map_make(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 24,
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int program_load(int map)
{
	struct bpf_insn program[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 6, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 2, 6, 0, 0),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 2, 8, BPF_ADD),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 2, 6, 8, 0),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 2, 16, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (uintptr_t)program,
		.insn_cnt = sizeof(program) / sizeof(*program),
		.license = (uintptr_t) "GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

int main(int argc, char **argv)
{
	int map, program, status;
	union bpf_attr attr;
	uint64_t sums[3];
	uint32_t key = 0;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: bpf MARKER COMMAND [ARG...]\n");
		return 2;
	}
	map = map_make();
	program = program_load(map);
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)argv[1];
	attr.raw_tracepoint.prog_fd = program;
	bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "bpf: the command failed\n");
		return 1;
	}
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)sums;
	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	printf("%llu %llu %llu\n", (unsigned long long)sums[0],
	       (unsigned long long)sums[1], (unsigned long long)sums[2]);
	return 0;
}
