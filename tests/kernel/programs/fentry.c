// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fentry - attaches BPF programs to the begin and the end of a function of the kernel
 *
 *   fentry FUNCTION VALUE COMMAND [ARG...]
 *
 * They are called while the command runs, and look only at calls whose second argument is VALUE.
 * Then prints how many began, how many ended, and the sum of what these returned.  FUNCTION takes
 * three arguments.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSN(c, d, s, o, i)                                              \
	{                                                                \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), \
		.imm = (i)                                               \
	}

/* Words of the function's context: its arguments, then what it returned. */
#define SECOND 8
#define RESULT 24

static void fail(const char *what)
{
	fprintf(stderr, "fentry: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* What is in the map: calls that began, calls that ended, the sum of the results. */
struct sums {
	uint64_t begun, ended, returned;
};

/* Counts in the map's word at @word, and adds the result to the one behind it if @result. */
static void attach(const char *function, int value, int map,
		   enum bpf_attach_type type, int word, bool result)
{
	struct bpf_insn program[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 2, 1, SECOND, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 12, value),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, word, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 0),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 2, word + 8, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	const struct bpf_insn load =
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 2, 6, RESULT, 0);
	static char log[65536];
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = type,
		    .log_buf = log, .log_size = sizeof(log), .log_level = 1);
	int fd, id = libbpf_find_vmlinux_btf_id(function, type);

	if (id < 0)
		fail(function);
	if (result)
		program[12] = load;
	options.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", program,
			   sizeof(program) / sizeof(*program), &options);
	if (fd < 0)
		fail(*log ? log : "loading");
	if (bpf_raw_tracepoint_open(NULL, fd) < 0)
		fail("attaching");
}

int main(int argc, char **argv)
{
	struct sums sums;
	uint32_t key = 0;
	int map, status;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr,
			"usage: fentry FUNCTION VALUE COMMAND [ARG...]\n");
		return 2;
	}
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(key),
			     sizeof(sums), 1, NULL);
	if (map < 0)
		fail("map");
	attach(argv[1], atoi(argv[2]), map, BPF_TRACE_FENTRY, 0, false);
	attach(argv[1], atoi(argv[2]), map, BPF_TRACE_FEXIT, 8, true);
	pid = fork();
	if (!pid) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "fentry: the command failed\n");
		return 1;
	}
	if (bpf_map_lookup_elem(map, &key, &sums))
		fail("map");
	printf("%llu %llu %llu\n", (unsigned long long)sums.begun,
	       (unsigned long long)sums.ended,
	       (unsigned long long)sums.returned);
	return 0;
}
