// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd.h"
#include "program_path.h"

/* A process may have been given one without $PATH. */
#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

static const char *const libraries[] = {
	"/usr/local/lib/x86_64-linux-gnu",
	"/usr/local/lib",
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

/*
 * In another root: links in it lead to what is in it.  A file that another mount hides there is found
 * by the path all the same, so what the path leads to is compared.
 */
static char *path_in(const char *root, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT};
	int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char link[64], real[PATH_MAX], *found = NULL;
	struct stat wanted, got;
	ssize_t length = -1;
	int fd;

	if (directory < 0)
		return NULL;
	fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));
	close(directory);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, real, sizeof(real) - 1);
	real[length < 0 ? 0 : length] = '\0';
	/* Of our own mounts, the link has the root's path, too. */
	for (const char *behind = real; *behind && !found;
	     behind = strchrnul(behind + 1, '/')) {
		if (asprintf(&found, "%s%s", root, behind) < 0)
			found = NULL;
		if (found && (fstat(fd, &wanted) || stat(found, &got) ||
			      !file_is_same(&wanted, &got))) {
			free(found);
			found = NULL;
		}
	}
	close(fd);
	errno = ENOENT;
	return found;
}

static char *path_real(const char *root, const char *path)
{
	return *root ? path_in(root, path) : realpath(path, NULL);
}

/* The file @name of a directory, if there is one. */
static char *file_in(const char *root, const char *directory, int length,
		     const char *name)
{
	char path[PATH_MAX], *found;
	struct stat st;

	if (snprintf(path, sizeof(path), "%.*s/%s", length, directory, name) >=
	    PATH_MAX)
		return NULL;
	found = path_real(root, path);
	if (!found || (!stat(found, &st) && S_ISREG(st.st_mode)))
		return found;
	free(found);
	return NULL;
}

static char *file_search(const char *root, const char *name)
{
	const char *from = *root ? PATH_DEFAULT
				 : getenv("PATH") ?: PATH_DEFAULT;
	char *found = NULL;

	while (!found && *from) {
		int length = strcspn(from, ":");

		if (length)
			found = file_in(root, from, length, name);
		from += length + (from[length] == ':');
	}
	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(*libraries);
	     i++)
		found = file_in(root, libraries[i], strlen(libraries[i]), name);
	return found;
}

/* *@root "": ours; other mounts are another root, too.  False: it cannot be known. */
static bool root_find(pid_t pid, char *root, size_t size)
{
	struct stat ours, theirs, our_mounts, their_mounts;
	char mounts[40];

	*root = '\0';
	if (!pid)
		return true;
	snprintf(root, size, "/proc/%d/root", (int)pid);
	snprintf(mounts, sizeof(mounts), "/proc/%d/ns/mnt", (int)pid);
	if (stat("/", &ours) || stat(root, &theirs) ||
	    stat("/proc/self/ns/mnt", &our_mounts) ||
	    stat(mounts, &their_mounts))
		return false;
	if (file_is_same(&ours, &theirs) &&
	    file_is_same(&our_mounts, &their_mounts))
		*root = '\0';
	return true;
}

char *program_path(const char *name, pid_t pid)
{
	bool is_path = strchr(name, '/');
	char root[32], *path;

	if (!root_find(pid, root, sizeof(root))) {
		failed("%s: %s", root, strerror(errno));
		return NULL;
	}
	path = is_path ? path_real(root, name) : file_search(root, name);
	if (!path && is_path)
		failed("%s: %s%s", name, strerror(errno),
		       *root ? ", in the root of the process" : "");
	else if (!path)
		failed("there is no program or library `%s'%s: say its path",
		       name, *root ? " in the root of the process" : "");
	return path;
}
