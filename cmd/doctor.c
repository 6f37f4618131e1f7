// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace doctor: checks what works on this machine; for all else prints reason
 * and remedy.
 *
 * It changes nothing: it does not load or mount anything.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ktrace/branches.h>
#include <ktrace/modules.h>
#include <ktrace/session.h>

#include "base/escape.h"
#include "cmd.h"
#include "common/value.h"

#define KERNEL_OLDEST_MAJOR 6
#define KERNEL_OLDEST_MINOR 1

enum verdict {
	GOOD,
	FAIR, /* works, but not as well */
	BAD,  /* the kernel cannot be recorded until it is repaired */
};

static enum verdict worst;

static void tell(enum verdict verdict, const char *topic, const char *format,
		 ...) __attribute__((format(printf, 3, 4)));

static void tell(enum verdict verdict, const char *topic, const char *format,
		 ...)
{
	static const char *const words[] = {"ok", "note", "NO"};
	va_list ap;

	if (verdict > worst)
		worst = verdict;
	printf("%-4s  %-12s  ", words[verdict], topic);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

/* Prints what to do about the line before. */
static void advise(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void advise(const char *format, ...)
{
	va_list ap;

	printf("%20s-> ", "");
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

/* Reads the first line of a file.  False: it cannot be read; errno says why. */
static bool line_read(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool found;

	if (!f)
		return false;
	found = fgets(line, size, f);
	fclose(f);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	else
		errno = ENODATA;
	return found;
}

static void kernel_examine(void)
{
	unsigned int major, minor;
	struct utsname uts;

	uname(&uts);
	if (sscanf(uts.release, "%u.%u", &major, &minor) != 2) {
		tell(FAIR, "kernel", "%s: an unusual version", uts.release);
	} else if (major < KERNEL_OLDEST_MAJOR ||
		   (major == KERNEL_OLDEST_MAJOR &&
		    minor < KERNEL_OLDEST_MINOR)) {
		tell(BAD, "kernel", "%s is too old", uts.release);
		advise("use kernel %d.%d or newer", KERNEL_OLDEST_MAJOR,
		       KERNEL_OLDEST_MINOR);
	} else {
		tell(GOOD, "kernel", "%s", uts.release);
	}
	if (strcmp(uts.machine, "x86_64"))
		tell(FAIR, "processor", "%s: ktrace is tested on x86_64",
		     uts.machine);
}

static bool capable(unsigned int capability)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[capability / 32].effective & 1u << capability % 32;
}

static void rights_examine(bool loaded)
{
	if (capable(CAP_SYS_MODULE) && capable(CAP_SYS_ADMIN)) {
		tell(GOOD, "rights",
		     "may load modules and mount the control tree");
		return;
	}
	if (loaded && !access("/sys/kernel/ktrace/enabled", W_OK)) {
		tell(GOOD, "rights",
		     "may use the control tree, as a member of its group");
		return;
	}
	if (geteuid()) {
		tell(BAD, "rights", "not root");
		advise("record with sudo; reading traces needs no rights");
		if (loaded)
			advise("or let a group record: sudo mount -o "
			       "remount,gid=GROUP,mode=770 /sys/kernel/ktrace");
		return;
	}
	tell(BAD, "rights",
	     "root without CAP_SYS_MODULE or CAP_SYS_ADMIN: a container?");
	advise("run it on the host, or in a privileged container");
}

static void modules_examine(bool loaded)
{
	const struct ktrace_modules_event *events;
	struct ktrace_modules *modules;
	struct utsname uts;
	size_t nr;

	uname(&uts);
	if (ktrace_modules_open(&modules)) {
		tell(loaded ? FAIR : BAD, "modules", "%s", ktrace_last_error());
		if (access("/lib/modules", F_OK))
			return;
		advise("the headers come with: sudo apt-get install "
		       "linux-headers-%s",
		       uts.release);
		return;
	}
	nr = ktrace_modules_events(modules, &events);
	tell(GOOD, "modules", "%zu events, in %s", nr,
	     ktrace_modules_path(modules));
	ktrace_modules_close(modules);
}

/* What may prevent loading modules: Secure Boot, lockdown, signatures. */
static void lockdown_examine(bool loaded)
{
	char line[128], *begin;
	unsigned char secure = 0;
	char word;
	int fd;

	fd = open("/sys/firmware/efi/efivars/"
		  "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		  O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		/* The value follows four bytes of attributes. */
		if (pread(fd, &secure, 1, 4) == 1)
			tell(GOOD, "Secure Boot", secure ? "on" : "off");
		close(fd);
	} else {
		tell(GOOD, "Secure Boot",
		     "off: not booted by UEFI, or not to be seen");
	}

	if (!line_read("/sys/kernel/security/lockdown", line, sizeof(line))) {
		tell(secure ? FAIR : GOOD, "lockdown", "%s",
		     errno == ENOENT ? "none, or securityfs is not mounted"
				     : strerror(errno));
	} else if (strstr(line, "[none]")) {
		tell(GOOD, "lockdown", "none");
	} else {
		begin = strchr(line, '[');
		if (begin)
			begin[strcspn(begin, "]")] = '\0';
		if (begin && !strcmp(begin + 1, "confidentiality")) {
			tell(BAD, "lockdown",
			     "confidentiality: the kernel lets nobody look "
			     "into it");
			advise("boot with lockdown=integrity, or without");
			return;
		}
		tell(loaded ? GOOD : FAIR, "lockdown",
		     "%s: the kernel takes only signed modules",
		     begin ? begin + 1 : line);
		if (!loaded)
			advise("sign ktrace's modules with a key enrolled by "
			       "mokutil (DKMS does), or switch Secure Boot "
			       "off");
	}

	if (line_read("/sys/module/module/parameters/sig_enforce", line,
		      sizeof(line))) {
		word = *line;
		tell(word == 'Y' && !loaded ? FAIR : GOOD, "signatures",
		     word == 'Y'
			     ? "the kernel demands them (module.sig_enforce)"
			     : "the kernel does not demand them");
		if (word == 'Y' && !loaded)
			advise("sign ktrace's modules with a key that the "
			       "kernel trusts");
	}
	if (line_read("/proc/sys/kernel/modules_disabled", line,
		      sizeof(line)) &&
	    *line == '1') {
		tell(loaded ? FAIR : BAD, "modules",
		     "no module may be loaded any more "
		     "(kernel.modules_disabled)");
		advise("boot anew without that setting");
	}
}

/* Is it a single word for a shell, without special characters? */
static bool is_plain(const char *name)
{
	return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "-_.,:+@%")];
}

static int session_examine(void *data, const char *name)
{
	struct ktrace_session *session = data;
	char *shown;
	bool running;

	if (!ktrace_session_is_left(session, name, &running) || !running)
		return 0;
	shown = escape_text(name);
	tell(FAIR, "session",
	     "`%s' records, and nobody reads it: its recorder was killed",
	     shown ? shown : "");
	free(shown);
	if (!is_plain(name))
		advise("its folder is in %s/sessions: remove that",
		       ktrace_session_path(session));
	else
		advise("sudo rmdir %s/sessions/%s, or keep what it has: sudo ktrace "
		       "record -S %s --keep",
		       ktrace_session_path(session), name, name);
	return 0;
}

static bool tree_examine(void)
{
	const char *root = getenv("KTRACE_ROOT");
	char path[4096];
	struct ktrace_session_options options = {.size = sizeof(options),
						 .no_load = true};
	struct ktrace_session *session;
	char version[128];

	if (!root || !*root)
		root = "/sys/kernel/ktrace";
	snprintf(path, sizeof(path), "%s/version", root);
	if (access(path, F_OK) && errno != EACCES &&
	    access("/sys/module/ktrace", F_OK)) {
		tell(GOOD, "loaded", "no: record and list load what they need");
		return false;
	}
	if (!line_read(path, version, sizeof(version))) {
		tell(GOOD, "loaded", "yes, but %s %s", root,
		     errno == EACCES ? "is for root only" : "is not mounted");
		return true;
	}
	if (ktrace_session_open(&options, &session)) {
		tell(BAD, "loaded", "%s", ktrace_last_error());
		return true;
	}
	tell(GOOD, "loaded", "%s, control tree %s", version,
	     ktrace_session_path(session));
	if (ktrace_session_claim(session))
		tell(FAIR, "in use", "%s", ktrace_last_error());
	ktrace_sessions_each(session, session_examine, session);
	ktrace_session_close(session);
	return true;
}

static void types_examine(void)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		tell(FAIR, "BTF",
		     "/sys/kernel/btf/vmlinux: %s: tracepoints without a "
		     "header cannot be recorded",
		     strerror(errno));
		advise("use a kernel with CONFIG_DEBUG_INFO_BTF, as "
		       "distributions have it");
	} else {
		tell(GOOD, "BTF",
		     "there: tracepoints without a header are recorded by "
		     "prototype");
	}
	if (access("/sys/kernel/tracing/available_events", R_OK) &&
	    access("/sys/kernel/debug/tracing/available_events", R_OK)) {
		tell(FAIR, "tracefs",
		     "not readable: events known by prototype only are listed "
		     "under `kernel'");
		advise("sudo mount -t tracefs tracefs /sys/kernel/tracing");
	} else {
		tell(GOOD, "tracefs", "readable");
	}
}

/* Is it in this file of the control tree?  False also if there is no tree. */
static bool trace_says(const char *wanted)
{
	FILE *f = fopen("/sys/kernel/ktrace/trace", "re");
	bool found = false;
	char line[128];

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strcmp(line, wanted);
	if (f)
		fclose(f);
	return found;
}

static void clock_examine(void)
{
	char line[128] = "unknown";

	/* Decided when the module was loaded; later changes have no effect. */
	if (trace_says("trusted 0\n")) {
		tell(FAIR, "clock",
		     "the TSC, which the kernel has stopped trusting since "
		     "ktrace was loaded: what happens on different CPUs may be "
		     "recorded in a wrong order");
		advise("unload ktrace and load it again, for the kernel's "
		       "clock");
		return;
	}
	line_read("/sys/devices/system/clocksource/clocksource0/"
		  "current_clocksource",
		  line, sizeof(line));
	if (!strcmp(line, "tsc")) {
		tell(GOOD, "clock",
		     "tsc: the kernel trusts it, time stamps cost least");
	} else {
		tell(FAIR, "clock",
		     "%s: the kernel does not trust the TSC; time stamps cost "
		     "more",
		     line);
		advise("if the machine's TSC is good after all: boot with "
		       "tsc=reliable");
	}
}

/* Per-CPU symbols have small addresses: finds one that is not per-CPU. */
static bool symbols_are_there(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	bool found = false;
	char line[256];

	while (f && !found && fgets(line, sizeof(line), f))
		found = strtoull(line, NULL, 16) > UINT32_MAX;
	if (f)
		fclose(f);
	return found;
}

static void symbols_examine(void)
{
	if (symbols_are_there())
		tell(GOOD, "symbols", "readable");
	else
		tell(geteuid() ? GOOD : FAIR, "symbols",
		     "hidden%s: addresses of functions are shown as numbers",
		     geteuid() ? " from this user" : " (kernel.kptr_restrict)");
}

/* Does the processor write its branches to memory, as 64-bit records? */
static bool processor_stores_branches(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	bool found = false;
	char line[8192];

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "flags", 5) && strstr(line, " bts ") &&
			strstr(line, " dtes64 ");
	if (f)
		fclose(f);
	return found;
}

/* How many branches the processor keeps, as perf says it; 0: none. */
static unsigned int processor_records(void)
{
	static const char *const files[] = {
		"/sys/bus/event_source/devices/cpu/caps/branches",
		"/sys/bus/event_source/devices/cpu_core/caps/branches",
	};
	unsigned int nr = 0;
	char line[32];

	for (size_t i = 0; !nr && i < sizeof(files) / sizeof(*files); i++)
		if (line_read(files[i], line, sizeof(line)))
			nr = strtoul(line, NULL, 10);
	return nr;
}

/* Who finds branches: as the control tree says it, if the module is loaded; and the processor, by perf. */
static void branches_examine(void)
{
	const char *reason = ktrace_branches_without_pt();
	FILE *f = fopen("/sys/kernel/ktrace/branches", "re");
	bool told = false;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		tell(GOOD, "branches", "%s", line);
		told = true;
	}
	if (f)
		fclose(f);
	tell(GOOD, "branches", "pt: %s%s", reason ? "no: " : "user",
	     reason ?: "");
	if (told)
		return;
	tell(GOOD, "branches", "step: user");
	tell(GOOD, "branches",
	     processor_stores_branches()
		     ? "bts: the processor has it; the kernel is asked when "
		       "ktrace-branch is loaded"
		     : "bts: no: this machine has no branch trace store");
	tell(GOOD, "branches",
	     processor_records()
		     ? "lbr: the processor has it; the kernel is asked when "
		       "ktrace-branch is loaded"
		     : "lbr: no: this machine has no last branch records");
}

/* Markers need no kernel module, just a file system in memory. */
static bool programs_examine(void)
{
	const char *named = getenv("KTRACE_MARKERS");
	const char *where = named ? named : "/dev/shm";

	if (!access(where, W_OK | X_OK)) {
		tell(GOOD, "programs", "their markers can be recorded");
		return true;
	}
	tell(FAIR, "programs", "their markers cannot be recorded: %s: %s",
	     where, strerror(errno));
	advise("mount a tmpfs there, or name another place in KTRACE_MARKERS");
	return false;
}

static void space_examine(void)
{
	struct sysinfo info;
	struct statvfs fs;
	uint64_t bytes;

	if (!statvfs(".", &fs)) {
		bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
		tell(bytes < 1ull << 30 ? FAIR : GOOD, "disk", "%s free here",
		     bytes_text(bytes).s);
		if (bytes < 1ull << 30)
			advise("a busy machine fills that in a minute: record "
			       "elsewhere with -o, fewer events with -e, or "
			       "for a time with --duration");
	}
	if (!sysinfo(&info)) {
		bytes = (uint64_t)info.freeram * info.mem_unit;
		tell(GOOD, "memory", "%s free", bytes_text(bytes).s);
	}
}

static int doctor_main(int argc, char **argv)
{
	bool loaded, programs;
	int status;

	status = options_parse(&command_doctor, argc, argv, option_none, NULL);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		return misused(&command_doctor, "it takes no argument");
	kernel_examine();
	loaded = tree_examine();
	rights_examine(loaded);
	modules_examine(loaded);
	lockdown_examine(loaded);
	types_examine();
	clock_examine();
	symbols_examine();
	branches_examine();
	programs = programs_examine();
	space_examine();
	putchar('\n');
	if (worst == BAD)
		printf("The kernel's events cannot be recorded here until the "
		       "lines marked NO are mended.\n%s",
		       programs ? "Markers of programs can: ktrace record -M.\n"
				: "");
	else if (worst == FAIR)
		puts("ktrace can record here; the notes say what could be "
		     "better.");
	else
		puts("ktrace can record here.");
	return output_finish(worst == BAD ? EXIT_FAILED : EXIT_OK);
}

const struct command command_doctor = {
	.name = "doctor",
	.what = "say what works on this machine, and what to do about the rest",
	.usage = "",
	.about = "It changes nothing. The exit status is 0 if the kernel's "
		 "events can be\nrecorded here.\n",
	.main = doctor_main,
};
