// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ktrace/session.h>

#include "process.h"
#include "common/value.h"

/* Finds the process of a pid or tid. */
static int process_find(uint64_t number, struct process *process)
{
	char path[64], line[256];
	long tgid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/status",
		 (unsigned long long)number);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %ld", &tgid) == 1)
			break;
	fclose(f);
	if (!tgid)
		return -ESRCH;
	*process = (struct process){.pid = tgid};
	/* Says when it ends, even if its pid is used again. */
	process->fd = syscall(SYS_pidfd_open, process->pid, 0);
	process->ended = process->fd < 0;
	return 0;
}

static int process_add(struct processes *processes, const char *word,
		       const struct command *command)
{
	struct process *more;
	uint64_t number;

	if (number_parse(word, &number) || !number)
		return misused(command,
			       "-p `%s' is not the number of a process", word);
	more = realloc(processes->list, (processes->nr + 1) * sizeof(*more));
	if (!more)
		return failed("out of memory");
	processes->list = more;
	if (process_find(number, &more[processes->nr]))
		return failed("there is no process %s", word);
	processes->nr++;
	return EXIT_OK;
}

int processes_add(struct processes *processes, const char *list,
		  const struct command *command)
{
	char *copy = strdup(list), *next = copy, *word;
	int status = copy ? EXIT_OK : failed("out of memory");

	while (!status && (word = strsep(&next, ", ")))
		status = process_add(processes, word, command);
	free(copy);
	return status;
}

bool processes_ended(struct processes *processes)
{
	size_t ended = 0;

	for (size_t i = 0; i < processes->nr; i++) {
		struct process *p = &processes->list[i];
		struct pollfd fd = {.fd = p->fd, .events = POLLIN};

		if (!p->ended)
			p->ended = poll(&fd, 1, 0) > 0;
		ended += p->ended;
	}
	return processes->nr && ended == processes->nr;
}

int processes_pids(const struct processes *processes, pid_t command,
		   pid_t **pids, size_t *nr)
{
	pid_t *list = calloc(processes->nr + 1, sizeof(*list));

	if (!list)
		return failed("out of memory");
	for (size_t i = 0; i < processes->nr; i++)
		list[i] = processes->list[i].pid;
	list[processes->nr] = command;
	*pids = list;
	*nr = processes->nr + !!command;
	return EXIT_OK;
}

int pids_write(struct ktrace_session *session, const pid_t *pids, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *f;
	int err;

	if (!nr)
		return EXIT_OK;
	f = open_memstream(&text, &size);
	if (!f)
		return failed("out of memory");
	for (size_t i = 0; i < nr; i++)
		fprintf(f, "%d\n", pids[i]);
	fclose(f);
	err = ktrace_session_write(session, "pids", text);
	free(text);
	return err ? failed_in_library() : EXIT_OK;
}

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->nr; i++)
		if (processes->list[i].fd >= 0)
			close(processes->list[i].fd);
	free(processes->list);
}
