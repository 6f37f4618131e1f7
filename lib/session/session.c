// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sessions: a thin layer over the files of the control tree.
 *
 * Nothing is stored here that the kernel knows, so that the command, other
 * programs and a person with echo can use one session in turns.
 *
 * A claim is a lock (flock) on the session's folder.  It is taken before
 * anything is changed, and ends with the process that holds it, however that
 * ends.  Against programs that do not claim, the kernel allows only one opener
 * per buffer.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace.h>
#include <ktrace/modules.h>
#include <ktrace/session.h>

#include "base/error.h"
#include "base/file.h"
#include "base/loss.h"
#include "kernel/flags.h"
#include "modules.h"
#include "session.h"
#include "base/sized.h"
#include "base/text.h"

const char session_root_default[] = "/sys/kernel/ktrace";

void session_note(struct ktrace_session *s, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (!s->note)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	s->note(s->data, text);
}

/* Opening */

int session_module_load(struct ktrace_session *s, const char *name)
{
	struct ktrace_modules *modules;
	int err;

	if (module_is_loaded(name))
		return 0;
	if (s->no_load)
		return error_set(-ENOENT, "the module %s is not loaded", name);
	err = ktrace_modules_open(&modules);
	if (err)
		return err;
	session_note(s, "loading %s/%s.ko", ktrace_modules_path(modules), name);
	err = ktrace_modules_load(modules, name, false);
	ktrace_modules_close(modules);
	return err;
}

static int core_load(struct ktrace_session *s)
{
	if (module_is_loaded("ktrace"))
		return 0;
	if (s->no_load)
		return error_set(
			-ENOENT,
			"the module ktrace is not loaded: sudo ktrace load");
	if (geteuid())
		return error_set(-EPERM, "the module ktrace is not loaded, and "
					 "loading it needs root: use sudo");
	return session_module_load(s, "ktrace");
}

static int tree_mount(struct ktrace_session *s)
{
	const char *root = session_root_default;

	session_note(s, "mounting the control tree at %s", root);
	if (!mount("ktracefs", root, "ktracefs",
		   MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) ||
	    errno == EBUSY)
		return 0;
	if (errno == EPERM || errno == EACCES)
		return error_set(
			-errno,
			"ktrace's control tree is not mounted, and mounting it "
			"needs root: sudo mount -t ktracefs ktracefs %s",
			root);
	return error_set(-errno, "cannot mount ktrace's control tree at %s: %m",
			 root);
}

/* If the kernel's control tree is missing, loads the module and mounts it. */
static int tree_prepare(struct ktrace_session *s)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/version", s->root);
	if (!access(path, F_OK))
		return 0;
	if (errno == EACCES)
		return session_explain(-EACCES, s->root, "version");
	if (strcmp(s->root, session_root_default))
		return error_set(-errno, "$KTRACE_ROOT: %s: %m", path);
	err = core_load(s);
	return err ? err : tree_mount(s);
}

static int version_check(struct ktrace_session *s)
{
	char release[64];
	unsigned int abi;
	char *text;
	int err;

	err = session_root_read(s, "version", &text);
	if (err)
		return err;
	if (sscanf(text, "%63s %u", release, &abi) != 2)
		err = error_set(-EPROTO, "%s/version: cannot be understood",
				s->root);
	else if (abi != KT_ABI_VERSION)
		err = error_set(
			-EPROTO,
			"the module ktrace that is loaded (%s, interface %u) "
			"is not of this command (interface %u): sudo ktrace "
			"unload, then try again",
			release, abi, KT_ABI_VERSION);
	free(text);
	return err;
}

static bool session_name_valid(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") &&
	       strcmp(name, "..") && strlen(name) < NAME_MAX;
}

static int folder_open(struct ktrace_session *s, const char *name)
{
	if (!name) {
		s->path = strdup(s->root);
		if (!s->path)
			return error_set(-ENOMEM, "out of memory");
	} else {
		if (!session_name_valid(name))
			return error_set(-EINVAL,
					 "`%s' cannot be a session's name",
					 name);
		if (asprintf(&s->path, "%s/sessions/%s", s->root, name) < 0) {
			s->path = NULL;
			return error_set(-ENOMEM, "out of memory");
		}
		if (!mkdir(s->path, 0750))
			s->own = true;
		else if (errno != EEXIST)
			return session_explain(-errno, s->root, "sessions");
	}
	s->dir = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return session_explain(-errno, s->path, "");
	return 0;
}

int ktrace_session_open(const struct ktrace_session_options *wishes,
			struct ktrace_session **session)
{
	const char *root = getenv("KTRACE_ROOT");
	struct ktrace_session_options options;
	struct ktrace_session *s;
	int err;

	err = sized_copy(&options, sizeof(options), wishes);
	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(-ENOMEM, "out of memory");
	s->dir = -1;
	s->held = -1;
	s->note = options.note;
	s->data = options.data;
	s->no_load = options.no_load;
	s->root = strdup(root && *root ? root : session_root_default);
	if (!s->root) {
		err = error_set(-ENOMEM, "out of memory");
		goto err_close;
	}
	err = tree_prepare(s);
	if (err)
		goto err_close;
	err = version_check(s);
	if (err)
		goto err_close;
	err = folder_open(s, options.name);
	if (err)
		goto err_close;
	*session = s;
	return 0;

err_close:
	ktrace_session_close(s);
	return err;
}

void ktrace_session_close(struct ktrace_session *s)
{
	if (!s)
		return;
	if (s->held >= 0)
		close(s->held);
	if (s->dir >= 0)
		close(s->dir);
	if (s->own)
		rmdir(s->path);
	for (size_t i = 0; i < s->nr_debug_files; i++)
		free(s->debug_files[i].path);
	free(s->debug_files);
	flags_close(s->flags);
	enums_close(s->enums);
	arena_destroy(&s->arena);
	free(s->path);
	free(s->root);
	free(s);
}

const char *ktrace_session_path(const struct ktrace_session *s)
{
	return s->path;
}

static pid_t owner_get(struct ktrace_session *s)
{
	pid_t owner = 0;
	char *text;

	if (!file_read(s->dir, "owner", &text, NULL)) {
		owner = atoi(text);
		free(text);
	}
	return owner;
}

int ktrace_session_claim(struct ktrace_session *s)
{
	char path[64], comm[64] = "another program";
	pid_t owner;
	char *text;

	if (!flock(s->dir, LOCK_EX | LOCK_NB)) {
		owner = owner_get(s);
		if (!owner || owner == getpid())
			return 0;
	} else if (errno != EWOULDBLOCK) {
		return error_set(-errno, "%s: cannot be locked: %m", s->path);
	} else {
		owner = owner_get(s);
	}
	if (owner) {
		snprintf(path, sizeof(path), "/proc/%d/comm", owner);
		if (!file_read(AT_FDCWD, path, &text, NULL)) {
			text[strcspn(text, "\n")] = '\0';
			snprintf(comm, sizeof(comm), "%s (process %d)", text,
				 owner);
			free(text);
		}
	}
	return error_set(-EBUSY,
			 "%s records already: end it first, or record beside "
			 "it with --session NAME",
			 comm);
}

/* Contents of the files */

/* Parses "cpu0 events 12 full 3 ...".  False: the line is not about a CPU. */
static bool counts_parse(char *line, struct ktrace_cpu *cpu)
{
	char *word, *value;

	memset(cpu, 0, sizeof(*cpu));
	word = strsep(&line, " ");
	if (strncmp(word, "cpu", 3))
		return false;
	cpu->cpu = strtoul(word + 3, NULL, 10);
	while ((word = strsep(&line, " ")) && (value = strsep(&line, " "))) {
		uint64_t n = strtoull(value, NULL, 10);

		if (!strcmp(word, "events"))
			cpu->events = n;
		for (int i = 0; i < KTRACE_LOST_NR; i++)
			if (!strcmp(word, loss_name(i)))
				cpu->lost[i] = n;
	}
	cpu->known = true;
	return true;
}

int ktrace_session_counts(struct ktrace_session *s, struct ktrace_cpu **cpus,
			  size_t *nr_cpus)
{
	struct ktrace_cpu *list = NULL, *more;
	char *text, *next, *line;
	size_t nr = 0;
	int err;

	err = ktrace_session_read(s, "overflow", &text, NULL);
	if (err)
		return err;
	next = text;
	while ((line = strsep(&next, "\n"))) {
		more = realloc(list, (nr + 1) * sizeof(*list));
		if (!more) {
			free(list);
			free(text);
			return error_set(-ENOMEM, "out of memory");
		}
		list = more;
		nr += counts_parse(line, &list[nr]);
	}
	free(text);
	*cpus = list;
	*nr_cpus = nr;
	return 0;
}

int session_clock(struct ktrace_session *s, struct ktrace_clock *clock,
		  uint32_t *next_id)
{
	struct ktrace_clock c = {.trusted = true};
	char *text, *next, *line;
	bool synced = false;
	int err;

	err = ktrace_session_read(s, "trace", &text, NULL);
	if (err)
		return err;
	next = text;
	while ((line = strsep(&next, "\n"))) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(line, "trace_id"))
			c.trace_id = strtoull(value, NULL, 0);
		else if (!strcmp(line, "clock"))
			snprintf(c.name, sizeof(c.name), "%s", value);
		else if (!strcmp(line, "frequency"))
			c.frequency = strtoull(value, NULL, 10);
		else if (!strcmp(line, "trusted"))
			c.trusted = strcmp(value, "0");
		else if (!strcmp(line, "next_id"))
			*next_id = strtoul(value, NULL, 10);
		else if (!strcmp(line, "sync"))
			synced = sscanf(value, "%lu %lu %lu", &c.sync.clock,
					&c.sync.monotonic,
					&c.sync.realtime) == 3;
	}
	free(text);
	if (!synced || !*c.name || !c.frequency)
		return error_set(-EPROTO, "%s/trace: cannot be understood",
				 s->path);
	*clock = c;
	return 0;
}

int ktrace_session_clock(struct ktrace_session *s, struct ktrace_clock *clock)
{
	uint32_t next_id;

	return session_clock(s, clock, &next_id);
}

uint64_t session_clock_missing(struct ktrace_session *s)
{
	static const char word[] = "\nmissing ";
	uint64_t missing = 0;
	const char *line;
	char *text;

	if (ktrace_session_read(s, "trace", &text, NULL))
		return 0;
	line = strstr(text, word);
	if (line)
		missing = strtoull(line + strlen(word), NULL, 10);
	free(text);
	return missing;
}

/* Events on and off */

static int event_file(char *path, size_t size, const char *system,
		      const char *name, const char *file)
{
	int n;

	if (name)
		n = snprintf(path, size, "events/%s/%s/%s", system, name, file);
	else if (system)
		n = snprintf(path, size, "events/%s/%s", system, file);
	else
		n = snprintf(path, size, "events/%s", file);
	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

int ktrace_session_enable(struct ktrace_session *s, const char *system,
			  const char *name, bool on)
{
	char path[PATH_MAX];

	if (event_file(path, sizeof(path), system, name, "enabled"))
		return error_set(-ENAMETOOLONG, "the event's name is too long");
	return ktrace_session_write(s, path, on ? "1" : "0");
}

int ktrace_session_filter(struct ktrace_session *s, const char *system,
			  const char *name, const char *filter)
{
	char path[PATH_MAX];

	if (event_file(path, sizeof(path), system, name, "filter"))
		return error_set(-ENAMETOOLONG, "the event's name is too long");
	return ktrace_session_write(s, path, filter ? filter : "0");
}

_Static_assert(KTRACE_SAMPLE_RATE_DEFAULT == KT_PROFILE_RATE_DEFAULT &&
		       KTRACE_SAMPLE_RATE_MAX == KT_PROFILE_RATE_MAX,
	       "the kernel's bounds");

/* The kernel takes no more in one write than STACK_LINES_MAX and a line. */
#define STACK_LINES_MAX (128u << 10)

int ktrace_session_stacks(
	struct ktrace_session *s, enum ktrace_stacks whose, const char *filter,
	bool (*want)(const struct ktrace_known *known, void *data), void *data)
{
	static const char *const names[] = {
		"",
		[KTRACE_STACKS_KERNEL] = "kernel",
		[KTRACE_STACKS_USER] = "user",
		[KTRACE_STACKS_BOTH] = "both",
	};
	struct ktrace_known *known;
	struct text lines = {0};
	char last[32] = "";
	size_t nr;
	int err;

	/* To the kernel, each line is about another event. */
	if (filter && strchr(filter, '\n'))
		return error_set(-EINVAL, "a filter for stacks is one line");
	if ((unsigned int)whose > KTRACE_STACKS_BOTH)
		return error_set(-EINVAL, "there are no such stacks: %u",
				 (unsigned int)whose);
	if (s->branches)
		snprintf(last, sizeof(last), " branches %u", s->branches);
	err = ktrace_session_known(s, &known, &nr);
	if (err)
		return err;
	for (size_t i = 0; !err && i < nr; i++) {
		if (!known[i].stackless && want(&known[i], data))
			text_printf(&lines, "%s/%s: %s%s%s%s\n",
				    known[i].system, known[i].name,
				    names[whose], last, filter ? " if " : "",
				    filter ?: "");
		if (lines.failed)
			err = error_set(-ENOMEM, "out of memory");
		else if (lines.len > STACK_LINES_MAX ||
			 (lines.len && i + 1 == nr)) {
			err = ktrace_session_write(s, "stack", lines.s);
			lines.len = 0;
		}
	}
	free(lines.s);
	free(known);
	return err;
}

int ktrace_session_branches(struct ktrace_session *s, unsigned int nr)
{
	int err;

	if (nr > KTRACE_BRANCHES_OF_EVENT)
		return error_set(-EINVAL, "an event has %d branches at most",
				 KTRACE_BRANCHES_OF_EVENT);
	err = nr ? session_module_load(s, "ktrace-branch") : 0;
	if (!err)
		s->branches = nr;
	return err;
}

/* @empty: the buffers, too. */
static int choice_clear(struct ktrace_session *s, bool empty)
{
	static const struct {
		const char *file;
		const char *text;
		bool empties;
	} steps[] = {
		/* First, because filters use fields that other steps remove. */
		{"filtered", "none", false},
		{"enabled", "0", false},
		{"events/enabled", "0", false},
		{"marked", "\n", false},
		{"pids", "\n", false},
		{"stack", "none", false},
		{"reset", "1", true},
		/* With empty buffers the old programs are not needed. */
		{"capture", "none", false},
	};
	int err;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (steps[i].empties && !empty)
			continue;
		err = ktrace_session_write(s, steps[i].file, steps[i].text);
		if (err)
			return err;
	}
	/* Only if ktrace-functions is loaded. */
	return faccessat(s->dir, "functions", F_OK, 0)
		       ? 0
		       : ktrace_session_write(s, "functions", "none");
}

int ktrace_session_clear(struct ktrace_session *s)
{
	return choice_clear(s, false);
}

int ktrace_session_reset(struct ktrace_session *s)
{
	return choice_clear(s, true);
}
