// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"
#include "who.h"

static int pid_add(struct who *who, const char *word)
{
	uint32_t *pids;
	uint64_t pid;

	if (number_parse(word, &pid))
		return -EINVAL;
	pids = realloc(who->pids, (who->nr_pids + 1) * sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	who->pids = pids;
	pids[who->nr_pids++] = pid;
	return 0;
}

int who_pids(struct who *who, const struct command *command, const char *list)
{
	char *copy = strdup(list), *next = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&next, ",")))
		err = pid_add(who, word);
	free(copy);
	if (err == -ENOMEM)
		return failed("out of memory");
	if (err)
		return misused(command,
			       "-p `%s' is not the number of a process", list);
	return EXIT_OK;
}

bool who_is_all(const struct who *who)
{
	return !who->comm && !who->nr_pids;
}

bool who_match_thread(const struct who *who, uint32_t tid, uint32_t tgid,
		      const char *comm)
{
	if (who->comm && fnmatch(who->comm, comm, 0))
		return false;
	for (size_t i = 0; i < who->nr_pids; i++)
		if (tgid == who->pids[i] || tid == who->pids[i])
			return true;
	return !who->nr_pids;
}

bool who_match(const struct who *who, const struct ktrace_event *event)
{
	return who_match_thread(who, event->tid, event->tgid, event->comm);
}

void who_free(struct who *who)
{
	free(who->pids);
}
