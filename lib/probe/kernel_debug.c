// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The code of the kernel and of its modules: kernel_debug.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "code_place.h"
#include "debug_code.h"
#include "debug_type.h"
#include "kernel_debug.h"
#include "session/modules.h"
#include "symbol/kernel_file.h"

/* One of the kernel's image, whose address tells where the image is. */
#define FIXED_SYMBOL "_stext"

struct kernel_debug {
	struct kernel_debug *next;
	char module[64]; /* "": the kernel's image */
	struct debug_code *code;
	uint64_t slide; /* to the addresses in memory */
};

static const char *module_of(const struct place *place)
{
	return strcmp(place->module, "vmlinux") ? place->module : "";
}

/* ---- opening ----------------------------------------------------------------- */

/* One that was named; the last one wins.  NULL: none was. */
static const char *said_find(const struct ktrace_session *s, const char *module)
{
	for (size_t i = s->nr_debug_files; i--;)
		if (!strcmp(s->debug_files[i].module, module))
			return s->debug_files[i].path;
	return NULL;
}

static int missing_refuse(const char *module)
{
	struct utsname system;

	if (*module && !module_is_loaded(module))
		return error_set(-ENODATA,
				 "where the module %s is in memory is known "
				 "only while it is loaded: load it first",
				 module);
	if (uname(&system))
		return error_set(-errno, "uname: %s", strerror(errno));
	if (*module)
		return error_set(-ENODATA,
				 "the debugging information of the module %s "
				 "is not here: say its .ko, built with -g, by "
				 "--vmlinux, or install that of the kernel "
				 "(in /usr/lib/debug)",
				 module);
	return error_set(-ENODATA,
			 "the kernel's debugging information is not here: "
			 "install linux-image-%s-dbg (Debian), -dbgsym "
			 "(Ubuntu) or kernel-debuginfo (Fedora), or say "
			 "--vmlinux FILE (looked for in /usr/lib/debug, "
			 "/lib/modules/*/build, /boot)",
			 system.release);
}

static int file_open(const struct kernel_debugs *codes, const char *module)
{
	const char *said = said_find(codes->session, module);
	char whose[64];
	int fd;

	/* It may have changed since. */
	if (said) {
		fd = kernel_file_said(said, whose, sizeof(whose));
		if (fd < 0 || !strcmp(whose, module))
			return fd;
		close(fd);
		return error_set(-EINVAL, "%s is another file by now", said);
	}
	fd = *module ? module_file_open(module) : kernel_file_open();
	return fd < 0 ? missing_refuse(module) : fd;
}

/* "/sys/module/NAME/sections/SECTION": only root sees what is in there. */
static bool section_find(void *data, const char *name, uint64_t *address)
{
	const struct kernel_debug *kernel = data;
	char path[PATH_MAX];
	bool found;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s",
		 kernel->module, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	found = fscanf(file, "0x%" SCNx64, address) == 1 && *address;
	fclose(file);
	return found;
}

static int hidden_refuse(const char *module)
{
	return error_set(-EPERM,
			 "nobody knows where %s%s is in memory: its addresses "
			 "are hidden from you, be root",
			 *module ? "the module " : "the kernel", module);
}

/* The kernel's image may be anywhere (KASLR). */
static int slide_find(const struct kernel_debugs *codes,
		      struct kernel_debug *kernel)
{
	static const char line[] = " " FIXED_SYMBOL "\n";
	const char *at = strstr(codes->symbols, line), *begin;
	uint64_t own;

	if (!at)
		return hidden_refuse("");
	begin = memrchr(codes->symbols, '\n', at - codes->symbols);
	begin = begin ? begin + 1 : codes->symbols;
	if (!debug_code_address(kernel->code, FIXED_SYMBOL, &own))
		return error_set(-EINVAL,
				 "the file with the kernel's debugging "
				 "information has no symbols");
	kernel->slide = strtoull(begin, NULL, 16) - own;
	return 0;
}

/* Without its own, a module's debugging information alone says what its types are. */
static void types_take(const struct kernel_debugs *codes,
		       struct kernel_debug *kernel)
{
	const struct btf *others = NULL;
	struct type_base *base;

	if (*kernel->module) {
		if (prototypes_base(codes->prototypes, kernel->module, &base))
			return;
		others = base->btf;
	}
	if (!prototypes_base(codes->prototypes, "vmlinux", &base))
		debug_type_base(kernel->code, base->btf, others);
}

static int code_open(const struct kernel_debugs *codes,
		     struct kernel_debug *kernel, int fd)
{
	const struct debug_sections sections = {section_find, kernel};
	const char *module = kernel->module;
	uint64_t text;
	int err;

	if (*module && !section_find(kernel, ".text", &text))
		return hidden_refuse(module);
	err = *module ? debug_code_open_loaded(&kernel->code, fd, &sections)
		      : debug_code_open(&kernel->code, fd, NULL);
	if (err)
		return err;
	types_take(codes, kernel);
	return *module ? 0 : slide_find(codes, kernel);
}

static void code_free(struct kernel_debug *kernel)
{
	debug_code_close(kernel->code);
	free(kernel);
}

void kernel_debugs_close(struct kernel_debugs *codes)
{
	struct kernel_debug *next;

	for (; codes->list; codes->list = next) {
		next = codes->list->next;
		code_free(codes->list);
	}
}

static int code_get(struct kernel_debugs *codes, const char *module,
		    struct kernel_debug **found)
{
	struct kernel_debug *kernel;
	int fd, err;

	for (kernel = codes->list; kernel; kernel = kernel->next)
		if (!strcmp(kernel->module, module)) {
			*found = kernel;
			return 0;
		}
	fd = file_open(codes, module);
	if (fd < 0)
		return fd;
	kernel = calloc(1, sizeof(*kernel));
	err = kernel ? 0 : error_set(-ENOMEM, "out of memory");
	if (!err) {
		snprintf(kernel->module, sizeof(kernel->module), "%s", module);
		err = code_open(codes, kernel, fd);
	}
	close(fd);
	if (err) {
		if (kernel)
			code_free(kernel);
		return err == -ENOENT ? -ENODATA : err;
	}
	kernel->next = codes->list;
	*found = codes->list = kernel;
	return 0;
}

/* ---- where no probe can be ------------------------------------------------------ */

struct span {
	uint64_t begin, end;
};

struct finding {
	const struct kernel_debugs *codes;
	struct kernel_debug *kernel;
	struct place *list;
	size_t nr;
	size_t nr_init;
	struct span *refused;
	size_t nr_refused;
};

/* What ran only at the beginning, or would only at the end, is not in memory. */
static bool is_init(const struct finding *f, const struct place *place)
{
	const char *section =
		debug_code_section(f->kernel->code, place_source(place));

	/* A module that can be unloaded has what it ends with. */
	return section &&
	       (!strncmp(section, ".init.", 6) ||
		(!*f->kernel->module && !strncmp(section, ".exit.", 6)));
}

/* Without debugfs, the kernel itself refuses these. */
static void refused_read(struct finding *f)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/blacklist", "re");
	struct span span, *more;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64, &span.begin,
			   &span.end) != 2)
			continue;
		more = array_grow(f->refused, f->nr_refused, sizeof(*more));
		if (!more)
			break;
		f->refused = more;
		more[f->nr_refused++] = span;
	}
	if (file)
		fclose(file);
}

static bool is_refused(const struct finding *f, const struct place *place)
{
	uint64_t address = place->address + place->offset;

	for (size_t i = 0; i < f->nr_refused; i++)
		if (address >= f->refused[i].begin &&
		    address < f->refused[i].end)
			return true;
	return false;
}

/* ---- places ----------------------------------------------------------------------- */

/* How many symbols of the module have the name? */
static unsigned int namesakes(const struct kernel_debugs *codes,
			      const struct place *place)
{
	char line[sizeof(place->function) + sizeof(place->module) + 3];
	const char *at = codes->symbols;
	unsigned int nr = 0;

	snprintf(line, sizeof(line), " %s %s\n", place->function,
		 place->module);
	while ((at = strstr(at, line))) {
		nr++;
		at++;
	}
	return nr;
}

static int found_add(const struct place *found, void *data)
{
	struct finding *f = data;
	struct place *more;

	if (is_init(f, found)) {
		f->nr_init++;
		return 0;
	}
	more = array_grow(f->list, f->nr, sizeof(*more));
	if (!more)
		return error_set(-ENOMEM, "out of memory");
	f->list = more;
	more[f->nr] = *found;
	found = &more[f->nr];
	snprintf(more[f->nr].module, sizeof(found->module), "%s",
		 f->kernel->module);
	more[f->nr].is_missing = false;
	/* A module is told by its name, if that is enough. */
	more[f->nr].is_address =
		*found->module && namesakes(f->codes, found) != 1;
	f->nr++;
	return 0;
}

static int found_use(struct finding *f,
		     int (*use)(const struct place *place, void *data),
		     void *data)
{
	bool several = f->nr > 1;
	size_t used = 0;
	int err = 0;

	if (!f->nr)
		return error_set(-ENOENT,
				 "its code ran only at the beginning, and is "
				 "gone");
	if (several)
		refused_read(f);
	for (size_t i = 0; !err && i < f->nr; i++) {
		if (several && is_refused(f, &f->list[i]))
			snprintf(f->list[i].refused, sizeof(f->list[i].refused),
				 "the kernel must not be stopped there "
				 "(kprobes/blacklist)");
		else
			used++;
		err = use(&f->list[i], data);
	}
	if (!err && !used)
		err = error_set(-EINVAL,
				"the kernel must not be stopped at any of its "
				"%zu places (kprobes/blacklist)",
				f->nr);
	return err;
}

/* Of a line, or of a function that has no symbol: it may have been put into others. */
static int source_places(struct kernel_debugs *codes,
			 const struct place *wanted,
			 int (*use)(const struct place *place, void *data),
			 void *data)
{
	struct finding f = {.codes = codes};
	int err = code_get(codes, module_of(wanted), &f.kernel);

	if (err)
		return err;
	err = code_places(f.kernel->code, f.kernel->slide, wanted,
			  *wanted->line ? wanted->line : wanted->function,
			  found_add, &f);
	if (!err)
		err = found_use(&f, use, data);
	free(f.list);
	free(f.refused);
	return err;
}

/*
 * A line of a file: of the image or, if that has no such file, of the first module that has it and
 * whose debugging information is here.
 */
static int file_places(struct kernel_debugs *codes, const struct place *wanted,
		       int (*use)(const struct place *place, void *data),
		       void *data)
{
	int err = source_places(codes, wanted, use, data), other = err;
	struct place in_module = *wanted;
	char why[600];
	FILE *modules;

	if (err != -ENODATA || *wanted->module || *wanted->function)
		return err;
	snprintf(why, sizeof(why), "%s", ktrace_last_error());
	modules = fopen("/proc/modules", "re");
	while (other == -ENODATA && modules &&
	       fscanf(modules, "%63s%*[^\n]", in_module.module) == 1)
		other = source_places(codes, &in_module, use, data);
	if (modules)
		fclose(modules);
	return other == -ENODATA ? error_set(err, "%s", why) : other;
}

int kernel_debug_places(struct kernel_debugs *codes, const struct place *wanted,
			int (*use)(const struct place *place, void *data),
			void *data)
{
	int err;

	if (*wanted->line)
		return file_places(codes, wanted, use, data);
	if (wanted->has_offset)
		return place_missing(wanted);
	err = source_places(codes, wanted, use, data);
	return err == -ENOENT || err == -ENODATA ? place_missing(wanted) : err;
}

int kernel_debug_take(struct kernel_debugs *codes, struct place *place)
{
	struct kernel_debug *kernel;
	int err = code_get(codes, module_of(place), &kernel);

	if (err)
		return err;
	place->code = kernel->code;
	place->slide = kernel->slide;
	return 0;
}
