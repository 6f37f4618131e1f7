// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cgroups.h"

struct cgroup {
	uint32_t pid;
	uint64_t round;
	char *path; /* NULL: not known */
};

/*
 * Lines are ID:CONTROLLERS:PATH, as cgroups(7) says.  ID 0 is the hierarchy of version 2; before
 * that, systemd has one of its own.
 */
static char *path_of(char *text)
{
	char *next = text, *line, *path, *named = NULL;

	while ((line = strsep(&next, "\n"))) {
		if (!strncmp(line, "0::", 3))
			return strdup(line + 3);
		path = strstr(line, ":name=systemd:");
		if (path)
			named = path + strlen(":name=systemd:");
	}
	return named ? strdup(named) : NULL;
}

static char *path_read(const struct cgroups *c, uint32_t pid)
{
	char name[256], *text, *path;
	size_t size;

	snprintf(name, sizeof(name), "%s/%u/cgroup", c->proc, pid);
	if (file_read(AT_FDCWD, name, &text, &size))
		return NULL;
	path = path_of(text);
	free(text);
	return path;
}

void cgroups_round(struct cgroups *c)
{
	c->round++;
}

const char *cgroups_find(struct cgroups *c, uint32_t pid)
{
	struct cgroup *group = table_find(&c->by_pid, pid);
	char *path;

	if (!group) {
		group = calloc(1, sizeof(*group));
		if (!group || table_add(&c->by_pid, pid, group)) {
			free(group);
			return NULL;
		}
		group->pid = pid;
	}
	if (group->round != c->round) {
		path = path_read(c, pid);
		/* If it has ended, it was in the one where it was before. */
		if (path) {
			free(group->path);
			group->path = path;
		}
		group->round = c->round;
	}
	return group->path ?: "(not known)";
}

static void cgroup_free(struct cgroup *group)
{
	free(group->path);
	free(group);
}

void cgroups_forget(struct cgroups *c)
{
	struct table kept = {0};
	struct cgroup *group;
	size_t at = 0;

	while ((group = table_each(&c->by_pid, &at)))
		if (group->round != c->round ||
		    table_add(&kept, group->pid, group))
			cgroup_free(group);
	table_free(&c->by_pid);
	c->by_pid = kept;
}

void cgroups_free(struct cgroups *c)
{
	struct cgroup *group;
	size_t at = 0;

	while ((group = table_each(&c->by_pid, &at)))
		cgroup_free(group);
	table_free(&c->by_pid);
}
