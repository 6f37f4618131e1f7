// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The kernel modules: finds, loads and unloads them.
 *
 * A folder of modules belongs to one kernel release.  It holds ktrace.ko, the
 * probe modules, and events.index with one line "SYSTEM:EVENT MODULE" per
 * event, so that only modules that a pattern needs are loaded.  Folders are
 * tried in this order:
 *
 *	$KTRACE_MODULES			if set, only this one
 *	/lib/modules/RELEASE/ktrace	installed
 *	../../modules/KERNEL		beside the program: not installed
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktrace/modules.h>

#include "base/error.h"
#include "base/file.h"
#include "modules.h"

struct ktrace_modules {
	char *path;
	char *index; /* the events' names are in it */
	struct ktrace_modules_event *events;
	size_t nr_events;
};

static const char *const suffixes[] = {".ko", ".ko.xz", ".ko.zst", ".ko.gz"};

static int file_find(char *path, size_t size, const char *dir, const char *name)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		int n = snprintf(path, size, "%s/%s%s", dir, name, suffixes[i]);

		if (n > 0 && (size_t)n < size && !access(path, R_OK))
			return 0;
	}
	return -ENOENT;
}

/* Copies the value of @key in the file's section .modinfo. */
static int modinfo_get(const char *path, const char *key, char *value,
		       size_t size)
{
	size_t len = strlen(key), names;
	Elf_Scn *section = NULL;
	int fd, err = -ENOENT;
	Elf *elf;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF ||
	    elf_getshdrstrndx(elf, &names)) {
		err = -ENOEXEC;
		goto out;
	}
	while ((section = elf_nextscn(elf, section))) {
		const char *name, *p, *end;
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".modinfo"))
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		p = data->d_buf;
		for (end = p + data->d_size; p < end;
		     p += strnlen(p, end - p) + 1) {
			if (strnlen(p, end - p) > len && p[len] == '=' &&
			    !strncmp(p, key, len)) {
				snprintf(value, size, "%.*s",
					 (int)strnlen(p + len + 1,
						      end - p - len - 1),
					 p + len + 1);
				err = 0;
				goto out;
			}
		}
	}
out:
	elf_end(elf);
	close(fd);
	return err;
}

/*
 * Does the folder have a ktrace.ko for @release?  If it is for another release,
 * this is stored in @other.
 */
static bool folder_fits(const char *dir, const char *release, char *other,
			size_t size)
{
	char path[PATH_MAX], magic[256];
	int err;

	if (file_find(path, sizeof(path), dir, "ktrace"))
		return false;
	err = modinfo_get(path, "vermagic", magic, sizeof(magic));
	if (err)
		return err == -ENOEXEC; /* compressed: the kernel will tell */
	magic[strcspn(magic, " ")] = '\0';
	if (!strcmp(magic, release))
		return true;
	snprintf(other, size, "%s", magic);
	return false;
}

static bool folder_fits_beside(char *dir, size_t size, const char *release,
			       char *other, size_t other_size)
{
	char exe[PATH_MAX], base[PATH_MAX + 32];
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *d;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len < 0)
		return false;
	exe[len] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(base, sizeof(base), "%s/../../modules", exe);
	d = opendir(base);
	if (!d)
		return false;
	while (!found && (entry = readdir(d))) {
		int n;

		if (entry->d_name[0] == '.')
			continue;
		n = snprintf(dir, size, "%s/%s", base, entry->d_name);
		found = n > 0 && (size_t)n < size &&
			folder_fits(dir, release, other, other_size);
	}
	closedir(d);
	return found;
}

static int folder_find(char *dir, size_t size)
{
	const char *env = getenv("KTRACE_MODULES");
	char other[256] = "";
	struct utsname uts;

	uname(&uts);
	if (env && *env) {
		snprintf(dir, size, "%s", env);
		if (folder_fits(dir, uts.release, other, sizeof(other)))
			return 0;
		if (*other)
			return error_set(
				-ENOEXEC,
				"the modules in %s ($KTRACE_MODULES) are for "
				"kernel %s, but %s runs: build them with `make "
				"modules KERNEL=running'",
				dir, other, uts.release);
		return error_set(-ENOENT,
				 "$KTRACE_MODULES: there is no ktrace.ko in %s",
				 dir);
	}
	snprintf(dir, size, "/lib/modules/%s/ktrace", uts.release);
	if (folder_fits(dir, uts.release, other, sizeof(other)))
		return 0;
	if (folder_fits_beside(dir, size, uts.release, other, sizeof(other)))
		return 0;
	return error_set(-ENOENT,
			 "ktrace's modules are not built for this kernel (%s): "
			 "in ktrace's sources run `make modules "
			 "KERNEL=running', and perhaps `sudo make install'",
			 uts.release);
}

/* Parses a line in place.  False: it is not valid. */
static bool index_parse(char *line, struct ktrace_modules_event *event)
{
	char *name = strchr(line, ':');
	char *module = name ? strchr(name, ' ') : NULL;

	if (!module)
		return false;
	*name++ = *module++ = '\0';
	event->system = line;
	event->name = name;
	event->module = module;
	return true;
}

static int index_read(struct ktrace_modules *m)
{
	char path[PATH_MAX], *line, *next;
	size_t lines = 1;
	int err;

	snprintf(path, sizeof(path), "%s/events.index", m->path);
	err = file_read(AT_FDCWD, path, &m->index, NULL);
	if (err)
		return error_set(err, "%s: %s: build the modules anew", path,
				 strerror(-err));
	for (line = m->index; (line = strchr(line, '\n')); line++)
		lines++;
	m->events = calloc(lines, sizeof(*m->events));
	if (!m->events)
		return error_set(-ENOMEM, "out of memory");
	for (next = m->index; (line = strsep(&next, "\n"));)
		m->nr_events += index_parse(line, &m->events[m->nr_events]);
	return 0;
}

int ktrace_modules_open(struct ktrace_modules **modules)
{
	struct ktrace_modules *m;
	char dir[PATH_MAX];
	int err;

	err = folder_find(dir, sizeof(dir));
	if (err)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		return error_set(-ENOMEM, "out of memory");
	m->path = realpath(dir, NULL);
	if (!m->path) {
		err = error_set(-errno, "%s: %m", dir);
		goto err_close;
	}
	err = index_read(m);
	if (err)
		goto err_close;
	*modules = m;
	return 0;

err_close:
	ktrace_modules_close(m);
	return err;
}

void ktrace_modules_close(struct ktrace_modules *m)
{
	if (!m)
		return;
	free(m->events);
	free(m->index);
	free(m->path);
	free(m);
}

const char *ktrace_modules_path(const struct ktrace_modules *m)
{
	return m->path;
}

size_t ktrace_modules_events(const struct ktrace_modules *m,
			     const struct ktrace_modules_event **events)
{
	*events = m->events;
	return m->nr_events;
}

bool module_is_loaded(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	for (char *p = path + strlen("/sys/module/"); *p; p++)
		if (*p == '-')
			*p = '_';
	return !access(path, F_OK);
}

/* "kernel/fs/a-b.ko" is the module a_b. */
static bool path_means(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *at = slash ? slash + 1 : path;

	for (; *name; at++, name++)
		if (*at != *name && !(*at == '-' && *name == '_'))
			return false;
	return !strcmp(at, ".ko");
}

bool module_is_builtin(const char *name)
{
	char path[PATH_MAX], *text, *next, *line;
	struct utsname uts;
	bool found = false;

	uname(&uts);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.builtin",
		 uts.release);
	if (file_read(AT_FDCWD, path, &text, NULL))
		return false;
	for (next = text; !found && (line = strsep(&next, "\n"));)
		found = path_means(line, name);
	free(text);
	return found;
}

static int program_run(char *const *argv)
{
	extern char **environ;
	int err, status;
	pid_t pid;

	err = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* Loads a module of the kernel with modprobe. */
static int module_probe(const char *name)
{
	char *argv[] = {"modprobe", "-q", (char *)name, NULL};

	return program_run(argv);
}

/* Explains why the kernel refused a module: its errno says little. */
static int refusal_explain(int err, const char *path)
{
	char lockdown[64];

	if (err == -EPERM && geteuid())
		return error_set(
			err, "loading ktrace's modules needs root: use sudo");
	switch (err) {
	case -EPERM:
		if (!module_lockdown(lockdown, sizeof(lockdown)))
			return error_set(
				err,
				"the kernel refuses %s, because it is locked "
				"down (%s) as Secure Boot demands and the "
				"module is not signed: sign it with a key "
				"enrolled by mokutil (DKMS does both), or "
				"switch Secure Boot off",
				path, lockdown);
		return error_set(
			err,
			"the kernel refuses %s: modules are disabled until the "
			"next boot (sysctl kernel.modules_disabled), or this "
			"is a container without CAP_SYS_MODULE",
			path);
	case -EKEYREJECTED:
	case -ENOKEY:
		return error_set(
			err,
			"the kernel refuses %s, because it takes only modules "
			"signed by a key it trusts (module.sig_enforce): sign "
			"it with a key enrolled by mokutil",
			path);
	case -ENOEXEC:
	case -EINVAL:
		return error_set(
			err,
			"the kernel refuses %s, which was not built for it: in "
			"ktrace's sources run `make modules KERNEL=running'",
			path);
	case -ENOENT:
		return error_set(err,
				 "%s needs something that this kernel does not "
				 "have: dmesg says what",
				 path);
	default:
		return error_set(err, "cannot load %s: %s; dmesg may say more",
				 path, strerror(-err));
	}
}

static int file_load(const char *path)
{
	int fd, err = 0;

	if (strcmp(path + strlen(path) - 3, ".ko")) {
		char *argv[] = {"insmod", (char *)path, NULL};

		if (!program_run(argv))
			return 0;
		return error_set(-EIO, "cannot load %s: insmod says why above",
				 path);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "%s: %m", path);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		err = refusal_explain(-errno, path);
	close(fd);
	return err;
}

int ktrace_modules_load(struct ktrace_modules *m, const char *name,
			bool with_others)
{
	char path[PATH_MAX], depends[1024] = "", *next = depends, *other;
	int err;

	if (module_is_loaded(name))
		return 0;
	if (file_find(path, sizeof(path), m->path, name))
		return error_set(-EIO,
				 "%s/%s.ko is missing: build the modules anew",
				 m->path, name);
	modinfo_get(path, "depends", depends, sizeof(depends));
	while ((other = strsep(&next, ","))) {
		if (!*other || module_is_loaded(other))
			continue;
		if (!strncmp(other, "ktrace", 6)) {
			err = ktrace_modules_load(m, other, false);
			if (err)
				return err;
			continue;
		}
		if (!with_others)
			return error_set(-ENOENT, "the module %s is not loaded",
					 other);
		if (module_probe(other))
			return error_set(-ENOENT,
					 "the module %s cannot be loaded",
					 other);
	}
	return file_load(path);
}

/* Its trampolines may be on the stacks of tasks.  It needs none of the others. */
static bool module_stays(const char *name)
{
	return !strcmp(name, "ktrace_trampoline");
}

/* The kernel lists the newest first, so users come before what they use. */
int ktrace_modules_unload(void)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;
	FILE *f;

	if (!module_is_loaded("ktrace"))
		return 0;
	if (umount2(session_root_default, 0) && errno != EINVAL &&
	    errno != ENOENT)
		return error_set(-errno,
				 errno == EPERM ? "taking modules out of the "
						  "kernel needs root: use sudo"
						: "%s is in use (%s): end what "
						  "records or reads there",
				 session_root_default, strerror(errno));
	f = fopen("/proc/modules", "re");
	if (!f)
		return error_set(-errno, "/proc/modules: %m");
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, " ")] = '\0';
		if (strncmp(line, "ktrace_", 7) && strcmp(line, "ktrace"))
			continue;
		if (syscall(SYS_delete_module, line, O_NONBLOCK) &&
		    errno != ENOENT && !module_stays(line)) {
			err = error_set(-errno, "cannot unload %s: %s", line,
					errno == EWOULDBLOCK ? "it is in use"
							     : strerror(errno));
			break;
		}
	}
	free(line);
	fclose(f);
	return err;
}

int module_lockdown(char *mode, size_t size)
{
	char text[128], *begin, *end;
	FILE *f;

	f = fopen("/sys/kernel/security/lockdown", "re");
	if (!f)
		return -errno;
	if (!fgets(text, sizeof(text), f))
		*text = '\0';
	fclose(f);
	begin = strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return -EINVAL;
	*end = '\0';
	if (!strcmp(begin + 1, "none"))
		return -ENOENT;
	snprintf(mode, size, "%s", begin + 1);
	return 0;
}
