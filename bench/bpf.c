// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * bpf - runs a command while BPF programs record events
 *
 *	bpf OBJECT PROGRAM[,PROGRAM...] RESULT COMMAND [ARG...]
 *
 * Nobody reads the ring buffer meanwhile: it is made large enough for all of the
 * command's events.  Afterwards the file RESULT says how many events were
 * recorded and how many bytes they took: "EVENTS BYTES".
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct total {
	unsigned long events;
	unsigned long bytes;
};

static void fail(const char *what)
{
	fprintf(stderr, "bpf: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int count(void *data, void *record __attribute__((unused)), size_t size)
{
	struct total *total = data;

	total->events++;
	/* Each record has a header of 8 bytes and is padded to 8. */
	total->bytes += 8 + (size + 7) / 8 * 8;
	return 0;
}

static bool listed(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = list; (at = strstr(at, name)); at += len)
		if ((at == list || at[-1] == ',') &&
		    (at[len] == '\0' || at[len] == ','))
			return true;
	return false;
}

static int run(char **command)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid) {
		execvp(command[0], command);
		fail(command[0]);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct total total = {0};
	struct bpf_program *program;
	struct bpf_object *object;
	struct ring_buffer *ring;
	FILE *result;
	int status;

	if (argc < 5) {
		fprintf(stderr,
			"usage: bpf OBJECT PROGRAMS RESULT COMMAND...\n");
		return 2;
	}
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	object = bpf_object__open(argv[1]);
	if (!object)
		fail(argv[1]);
	bpf_object__for_each_program(program, object) bpf_program__set_autoload(
		program, listed(argv[2], bpf_program__name(program)));
	if (bpf_object__load(object))
		fail("the kernel refuses the programs");
	bpf_object__for_each_program(
		program, object) if (bpf_program__autoload(program) &&
				     !bpf_program__attach(program))
		fail(bpf_program__name(program));
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"),
				count, &total, NULL);
	if (!ring)
		fail("cannot map the ring buffer");

	status = run(argv + 4);
	if (ring_buffer__consume(ring) < 0)
		fail("cannot read the ring buffer");
	result = fopen(argv[3], "w");
	if (!result ||
	    fprintf(result, "%lu %lu\n", total.events, total.bytes) < 0 ||
	    fclose(result))
		fail(argv[3]);
	bpf_object__close(object);
	return status;
}
