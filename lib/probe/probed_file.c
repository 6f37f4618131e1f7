// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Places in programs and libraries: probed_file.h.
 *
 * The kernel wants to know a byte of the file, and does not ask what is there.  So whatever the
 * tables of the file say of addresses is checked here.
 */
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/library.h>
#include <ktrace/probes.h>

#include "base/error.h"
#include "base/text.h"
#include "code_place.h"
#include "debug_code.h"
#include "instruction.h"
#include "pattern.h"
#include "probed_file.h"
#include "program_code.h"
#include "program_lines.h"
#include "program_return.h"
#include "return_address.h"
#include "symbol/program_functions.h"
#include "symbol/unwind_file.h"
#include "symbol/usdt.h"

struct probed_file {
	struct probed_file *next;
	struct program_file program;
	struct program_functions functions;
	struct usdt *usdts;
	size_t nr_usdts;
	struct stat seen; /* what was read */
	int debug_fd; /* the file that has its debugging information; -1: none, or itself */
	bool asked;		 /* whether it has some */
	struct debug_code *code; /* NULL: it has none */
	char *why;		 /* it cannot be read; NULL: there is none */
	bool is_32;
	bool is_go;
	bool keeps_returns; /* return_address.h */
};

/* ---- files ------------------------------------------------------------------ */

static void file_free(struct probed_file *file)
{
	debug_code_close(file->code);
	free(file->why);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
	program_functions_close(&file->functions);
	free(file->usdts);
	free(file->program.path);
	free(file);
}

void probed_files_close(struct probed_file *list)
{
	struct probed_file *next;

	for (; list; list = next) {
		next = list->next;
		file_free(list);
	}
}

/* The file is open, as far as it can be. */
static int file_check(struct probed_file *file)
{
	const struct program_functions *f = &file->functions;
	const char *path = file->program.path;
	GElf_Ehdr header;
	int err;

	if (f->err)
		return error_set(f->err, "%s: %s", path, strerror(-f->err));
	if (!f->elf || !gelf_getehdr(f->elf, &header) ||
	    (header.e_machine != EM_X86_64 && header.e_machine != EM_386) ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return error_set(-EINVAL,
				 "%s is no program or library of this machine "
				 "(ELF, x86)",
				 path);
	if (fstat(f->fd, &file->seen))
		return error_set(-errno, "%s: %s", path, strerror(errno));
	file->is_32 = header.e_machine == EM_386;
	file->is_go = is_made_by_go(f->elf);
	file->keeps_returns = file->is_go || has_exceptions(f->elf);
	err = usdt_read(f->elf, &file->usdts, &file->nr_usdts);
	return err ? error_set(err, "out of memory") : 0;
}

static void why_keep(struct probed_file *file)
{
	const char *why = ktrace_last_error();

	file->code = NULL;
	free(file->why);
	file->why = strcmp(why, DEBUG_NONE) ? strdup(why) : NULL;
}

/*
 * Debugging information, of the file itself or of its debug file.  Who lists functions, or probes
 * USDT, does not need it, and it takes time and memory.
 */
static void code_open(struct probed_file *file)
{
	struct program_functions *f = &file->functions;
	bool served;

	if (file->asked)
		return;
	file->asked = true;
	if (file->is_go || !debug_code_open(&file->code, f->fd, NULL))
		return;
	why_keep(file);
	file->debug_fd = program_debug_open(&file->program, f->fd, f->elf, NULL,
					    &served);
	if (file->debug_fd >= 0 &&
	    debug_code_open(&file->code, file->debug_fd, f->elf))
		why_keep(file);
}

static int file_read(struct probed_file *file)
{
	int fd = program_file_open(file->program.path);
	int err = fd < 0 ? -errno : 0;

	if (err)
		return error_set(err, "%s: %s", file->program.path,
				 strerror(-err));
	file->program.id_size = unwind_build_id(fd, file->program.id);
	close(fd);
	program_functions_open(&file->functions, &file->program, NULL);
	err = file_check(file);
	if (!err && !instructions_known())
		err = error_set(-ENOENT, "the library " ZYDIS_SONAME
					 " is missing: it tells where "
					 "instructions begin");
	return err;
}

int probed_file_open(struct probed_file **list, const char *path,
		     struct probed_file **file)
{
	struct probed_file *p;
	int err;

	for (p = *list; p; p = p->next)
		if (!strcmp(p->program.path, path)) {
			*file = p;
			return 0;
		}
	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(-ENOMEM, "out of memory");
	p->functions.fd = p->functions.debug_fd = p->debug_fd = -1;
	p->program.path = strdup(path);
	err = p->program.path ? file_read(p)
			      : error_set(-ENOMEM, "out of memory");
	if (err) {
		file_free(p);
		return err;
	}
	p->next = *list;
	*list = *file = p;
	return 0;
}

/* ---- places ------------------------------------------------------------------ */

/* What is the same for all places of the file. */
static void file_tell(const struct probed_file *file, struct place *place)
{
	place->is_32 = file->is_32;
	place->is_go = file->is_go;
	place->code = place->is_usdt ? NULL : file->code;
	place->why = file->why;
	place->seen.inode = file->seen.st_ino;
	place->seen.size = file->seen.st_size;
	place->seen.seconds = file->seen.st_ctim.tv_sec;
	place->seen.nanoseconds = file->seen.st_ctim.tv_nsec;
}

/* An instruction alone, or what begins there. */
static int instruction_use(const struct probed_file *file, struct place *place,
			   int (*use)(const struct place *place, void *data),
			   void *data)
{
	uint64_t address = place->address + place->offset;
	int err;

	if (!code_offset(&file->functions, address, true, &place->file_offset))
		return error_set(-EINVAL, "at 0x%" PRIx64 " %s has no code",
				 address, file->program.path);
	file_tell(file, place);
	err = code_check(&file->functions, file->program.path, place);
	/* It would say so only if the program runs, and otherwise the probe would never be hit. */
	if (!err &&
	    !code_is_taken(&file->functions, file->is_32, place->file_offset))
		err = error_set(-EINVAL, "the kernel can have no probe on this "
					 "instruction");
	return place_refuse(place, err) ?: use(place, data);
}

/* Each instruction at which the function returns, in place of the return address. */
static int returns_use(const struct probed_file *file, struct place *place,
		       int (*use)(const struct place *place, void *data),
		       void *data)
{
	struct program_returns returns = {.nr = 0};
	int err;

	file_tell(file, place);
	if (!place->size)
		place->size = code_size_at(&file->functions, place->address);
	err = program_returns_find(&file->functions, file->program.path, place,
				   &returns);
	if (err == -EINVAL && place->lenient) {
		program_returns_free(&returns);
		return place_refuse(place, err) ?: use(place, data);
	}
	place->has_offset = place->at_return = true;
	for (size_t i = 0; !err && i < returns.nr; i++) {
		place->offset = returns.offsets[i];
		place->tail_calls = i ? 0 : returns.tail_calls;
		err = instruction_use(file, place, use, data);
	}
	program_returns_free(&returns);
	return err;
}

/*
 * The place is at place->address + place->offset.  However it was said: this alone decides which
 * return addresses are replaced.
 */
static int place_use(const struct probed_file *file, struct place *place,
		     int (*use)(const struct place *place, void *data),
		     void *data)
{
	return place->returns && file->keeps_returns
		       ? returns_use(file, place, use, data)
		       : instruction_use(file, place, use, data);
}

/* ---- functions --------------------------------------------------------------- */

/* A function's name without the version of its symbol. */
static size_t name_length(const char *name)
{
	return strcspn(name, "@");
}

static bool name_matches(const char *name, const char *pattern, bool wild)
{
	size_t length = name_length(name);
	char own[sizeof(((struct place *)0)->function)];

	if (length >= sizeof(own))
		return false;
	if (!wild)
		return !strncmp(name, pattern, length) && !pattern[length];
	snprintf(own, sizeof(own), "%.*s", (int)length, name);
	return kt_glob_match(pattern, own);
}

/* Names that have that of the place in them, or begin as it does: for its message. */
static void names_like(const struct probed_file *file, const char *wanted,
		       struct text *list)
{
	const struct program_functions *f = &file->functions;
	size_t begin = strlen(wanted) < 4 ? strlen(wanted) : 4;
	unsigned int found = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < f->nr && found < 4; i++) {
			const char *name = f->all[i].name;

			if (pass ? strncmp(name, wanted, begin)
				 : !strstr(name, wanted))
				continue;
			if (list->s && strstr(list->s, name))
				continue;
			text_printf(list, "%s %.*s", found++ ? "," : "",
				    (int)name_length(name), name);
		}
}

static int function_missing(const struct probed_file *file,
			    const struct place *wanted)
{
	struct text list = {0};
	int err;

	if (!file->functions.nr)
		return error_set(-ENOENT,
				 "the functions of %s have no names: say "
				 "0xADDRESS, or install its debug symbols",
				 file->program.path);
	names_like(file, wanted->function, &list);
	err = error_set(-ENOENT, "%s has no function `%s'%s%s",
			file->program.path, wanted->function,
			list.s ? "; there is:" : "", list.s ?: "");
	text_free(&list);
	return err;
}

/* A function that is to be called in place of another. */
static int function_indirect(const struct place *wanted)
{
	return error_set(-EINVAL,
			 "`%s' only chooses, once, which function is called by "
			 "that name: see `ktrace list -x FILE *%s*'",
			 wanted->function, wanted->function);
}

static void function_name(const struct probed_file *file, size_t i,
			  struct place *place)
{
	const char *name = file->functions.all[i].name;

	snprintf(place->function, sizeof(place->function), "%.*s",
		 (int)name_length(name), name);
}

static int function_place(const struct probed_file *file, size_t i,
			  const struct place *wanted,
			  int (*use)(const struct place *place, void *data),
			  void *data)
{
	const struct program_functions *f = &file->functions;
	struct place place = *wanted;

	function_name(file, i, &place);
	place.address = f->all[i].begin;
	place.size = code_size(f, i);
	if (place.size && place.offset >= place.size) {
		int err =
			error_set(-EINVAL,
				  "+%" PRIu64
				  " is past the end: %s has %" PRIu64 " bytes",
				  place.offset, place.function, place.size);

		err = place_refuse(&place, err);
		if (err)
			return err;
	}
	return place_use(file, &place, use, data);
}

/* Several functions of the name: their addresses. */
static int functions_refuse(const struct probed_file *file,
			    const struct place *wanted, unsigned int nr)
{
	const struct program_functions *f = &file->functions;
	struct text list = {0};
	unsigned int shown = 0;
	int err;

	for (size_t i = 0; i < f->nr && shown < 4; i++)
		if (name_matches(f->all[i].name, wanted->function, false) &&
		    (!i || f->all[i - 1].begin != f->all[i].begin))
			text_printf(&list, "%s0x%" PRIx64, shown++ ? " " : "",
				    f->all[i].begin);
	err = error_set(-EINVAL,
			"%u functions are called `%s': say the address of one, "
			"%s%s",
			nr, wanted->function, list.s ?: "",
			nr > shown ? " ..." : "");
	text_free(&list);
	return err;
}

/* One of many must not keep the kernel from taking the others. */
static bool function_is_probed(const struct probed_file *file, size_t i)
{
	uint64_t offset;

	return code_offset(&file->functions, file->functions.all[i].begin, true,
			   &offset) &&
	       code_is_taken(&file->functions, file->is_32, offset);
}

static int function_refused(const struct probed_file *file, size_t i,
			    const struct place *wanted,
			    int (*use)(const struct place *place, void *data),
			    void *data)
{
	struct place place = *wanted;

	function_name(file, i, &place);
	file_tell(file, &place);
	place.address = file->functions.all[i].begin;
	place.size = code_size(&file->functions, i);
	snprintf(place.refused, sizeof(place.refused),
		 "the kernel can have no probe on its first instruction");
	return use(&place, data);
}

static int functions_find(const struct probed_file *file,
			  const struct place *wanted,
			  int (*use)(const struct place *place, void *data),
			  void *data)
{
	const struct program_functions *f = &file->functions;
	bool wild = place_is_wild(wanted->function), indirect = false;
	struct place one_of_many = *wanted;
	size_t first = 0;
	unsigned int nr = 0, refused = 0;
	uint64_t last = 0;
	int err = 0;

	one_of_many.lenient = true;
	for (size_t i = 0; !err && i < f->nr; i++) {
		if (!name_matches(f->all[i].name, wanted->function, wild))
			continue;
		indirect |= f->all[i].indirect;
		/* An alias is no other function. */
		if (f->all[i].indirect || f->all[i].begin == last)
			continue;
		last = f->all[i].begin;
		if (wild && !function_is_probed(file, i)) {
			refused++;
			err = function_refused(file, i, wanted, use, data);
			continue;
		}
		if (!nr++)
			first = i;
		if (nr > PROBED_PLACES_MAX)
			return error_set(-EINVAL,
					 "`%s' means more than %d functions",
					 wanted->function, PROBED_PLACES_MAX);
		if (wild)
			err = function_place(file, i, &one_of_many, use, data);
	}
	if (err || (nr && wild))
		return err;
	if (nr > 1)
		return functions_refuse(file, wanted, nr);
	if (nr)
		return function_place(file, first, wanted, use, data);
	if (refused)
		return error_set(-EINVAL,
				 "the kernel can have no probe on the first "
				 "instruction of %u functions that it means",
				 refused);
	return indirect ? function_indirect(wanted)
			: function_missing(file, wanted);
}

/* By the address, as objdump shows it: the function that it is in. */
static int address_find(const struct probed_file *file,
			const struct place *wanted,
			int (*use)(const struct place *place, void *data),
			void *data)
{
	struct place place = *wanted;
	uint64_t offset, behind = 0;
	const char *name = NULL;

	if (code_offset(&file->functions, place.address, true, &offset))
		name = program_function_find(&file->functions, offset, 0,
					     &behind);
	if (name) {
		snprintf(place.function, sizeof(place.function), "%.*s",
			 (int)name_length(name), name);
		place.address -= behind;
		place.offset = behind;
		place.has_offset = behind;
	}
	if (place.returns && place.offset)
		return error_set(-EINVAL, "no function begins there");
	return place_use(file, &place, use, data);
}

/* ---- USDT -------------------------------------------------------------------- */

static int usdt_missing(const struct probed_file *file,
			const struct place *wanted)
{
	struct text list = {0};
	int err;

	if (!file->nr_usdts)
		return error_set(-ENOENT, "%s has no USDT probes",
				 file->program.path);
	for (size_t i = 0; i < file->nr_usdts && i < 4; i++)
		text_printf(&list, " %s:%s", file->usdts[i].provider,
			    file->usdts[i].name);
	err = error_set(-ENOENT, "%s has no USDT probe `%s%s%s'; there is:%s%s",
			file->program.path, wanted->provider,
			*wanted->provider ? ":" : "", wanted->function,
			list.s ?: "", file->nr_usdts > 4 ? " ..." : "");
	text_free(&list);
	return err;
}

static int usdt_place(const struct probed_file *file, const struct usdt *usdt,
		      const struct place *wanted,
		      int (*use)(const struct place *place, void *data),
		      void *data)
{
	struct place place = *wanted;

	snprintf(place.provider, sizeof(place.provider), "%s", usdt->provider);
	snprintf(place.function, sizeof(place.function), "%s", usdt->name);
	place.address = usdt->address;
	place.arguments = usdt->arguments;
	if (usdt->semaphore && !code_offset(&file->functions, usdt->semaphore,
					    false, &place.counter))
		return error_set(-EINVAL,
				 "the semaphore of %s:%s is nowhere in %s",
				 usdt->provider, usdt->name,
				 file->program.path);
	return place_use(file, &place, use, data);
}

static int usdts_find(const struct probed_file *file,
		      const struct place *wanted,
		      int (*use)(const struct place *place, void *data),
		      void *data)
{
	unsigned int nr = 0;
	int err = 0;

	for (size_t i = 0; !err && i < file->nr_usdts; i++) {
		const struct usdt *usdt = &file->usdts[i];

		if (!kt_glob_match(wanted->function, usdt->name) ||
		    (*wanted->provider &&
		     !kt_glob_match(wanted->provider, usdt->provider)))
			continue;
		if (++nr > PROBED_PLACES_MAX)
			return error_set(-EINVAL,
					 "`usdt:%s' means more than %d probes",
					 wanted->function, PROBED_PLACES_MAX);
		err = usdt_place(file, usdt, wanted, use, data);
	}
	return err || nr ? err : usdt_missing(file, wanted);
}

/* A place in a file, and what it is for. */
struct using
{
	const struct probed_file *file;
	int (*use)(const struct place *place, void *data);
	void *data;
};

static int source_use(const struct place *found, void *data)
{
	const struct using *using = data;
	struct place place = *found;

	return place_use(using->file, &place, using->use, using->data);
}

/* What debugging information says of a line, or of a function that was put into others. */
static int source_find(const struct probed_file *file,
		       const struct place *wanted, const char *text,
		       int (*use)(const struct place *place, void *data),
		       void *data)
{
	struct using using = {file, use, data};

	return code_places(file->code, 0, wanted, text, source_use, &using);
}

static int lines_missing(const struct probed_file *file)
{
	return file->code ? 0
			  : error_set(-EINVAL, "lines of %s are not known: %s",
				      file->program.path,
				      file->why ?: DEBUG_NONE_HINT);
}

/* An inlined function is in no table of symbols, and a copy has another name there. */
static int function_find_source(
	const struct probed_file *file, const struct place *wanted,
	int (*use)(const struct place *place, void *data), void *data)
{
	if (!file->code || wanted->has_offset ||
	    place_is_wild(wanted->function))
		return -ENOENT;
	return source_find(file, wanted, wanted->function, use, data);
}

int probed_file_places(struct probed_file *file, const struct place *wanted,
		       int (*use)(const struct place *place, void *data),
		       void *data)
{
	int err;

	if (wanted->is_usdt)
		return usdts_find(file, wanted, use, data);
	code_open(file);
	if (wanted->is_address)
		return address_find(file, wanted, use, data);
	if (*wanted->line)
		return lines_missing(file)
			       ?: source_find(file, wanted, wanted->line, use,
					      data);
	err = functions_find(file, wanted, use, data);
	if (err != -ENOENT)
		return err;
	err = function_find_source(file, wanted, use, data);
	/* The file's own names are more than those of the source. */
	return err == -ENOENT ? function_missing(file, wanted) : err;
}

struct debug_code *probed_file_code(struct probed_file *file, const char *place,
				    uint64_t *address)
{
	const struct stat *seen = &file->seen;
	const char *brace = place + strcspn(place, "{/;\n");
	uint64_t offset = strtoull(place, NULL, 16), inode;
	int64_t size, seconds;
	long nanoseconds;

	if (sscanf(brace, "{%" SCNu64 ":%" SCNd64 ":%" SCNd64 ".%ld}", &inode,
		   &size, &seconds, &nanoseconds) == 4 &&
	    (inode != seen->st_ino || size != seen->st_size ||
	     seconds != seen->st_ctim.tv_sec ||
	     nanoseconds != seen->st_ctim.tv_nsec))
		return NULL;
	if (!program_address(&file->functions, offset, address))
		return NULL;
	code_open(file);
	return file->code;
}

const struct program_functions *probed_file_functions(
	const struct probed_file *file)
{
	return &file->functions;
}

/* ---- what there is ----------------------------------------------------------- */

struct listing {
	const char *const *patterns;
	size_t nr;
	bool *used;
	int (*use)(const struct ktrace_program_place *place, void *data);
	void *data;
};

static int place_list(const struct listing *l,
		      const struct ktrace_program_place *place)
{
	bool wanted = !l->nr;

	for (size_t i = 0; i < l->nr; i++)
		if (kt_glob_match(l->patterns[i], place->name))
			l->used[i] = wanted = true;
	return wanted ? l->use(place, l->data) : 0;
}

static int functions_list(const struct listing *l,
			  const struct probed_file *file)
{
	const struct program_functions *f = &file->functions;
	char name[sizeof(((struct place *)0)->function)];
	int err = 0;

	for (size_t i = 0; !err && i < f->nr; i++) {
		const struct ktrace_program_place place = {
			.name = name,
			.address = f->all[i].begin,
			.size = code_size(f, i),
			.indirect = f->all[i].indirect,
		};

		snprintf(name, sizeof(name), "%.*s",
			 (int)name_length(f->all[i].name), f->all[i].name);
		/* A table may have a name twice, with and without its version. */
		if (i && f->all[i - 1].begin == place.address &&
		    name_matches(f->all[i - 1].name, name, false))
			continue;
		err = place_list(l, &place);
	}
	return err;
}

static int usdts_list(const struct listing *l, const struct probed_file *file)
{
	int err = 0;

	for (size_t i = 0; !err && i < file->nr_usdts; i++) {
		const struct usdt *usdt = &file->usdts[i];
		struct text name = {0};

		text_printf(&name, "usdt:%s:%s", usdt->provider, usdt->name);
		err = name.failed
			      ? error_set(-ENOMEM, "out of memory")
			      : place_list(l,
					   &(struct ktrace_program_place){
						   .name = name.s,
						   .arguments = usdt->arguments,
						   .address = usdt->address,
					   });
		text_free(&name);
	}
	return err;
}

static int lines_list(struct probed_file *file, const char *pattern,
		      int (*use)(const struct ktrace_program_place *place,
				 void *data),
		      void *data)
{
	code_open(file);
	return lines_missing(file)
		       ?: program_lines(file->code, pattern, use, data);
}

int ktrace_program_places(const char *path, const char *const *patterns,
			  size_t nr,
			  int (*use)(const struct ktrace_program_place *place,
				     void *data),
			  void *data)
{
	struct listing l = {
		.patterns = patterns,
		.nr = nr,
		.used = calloc(nr + 1, sizeof(bool)),
		.use = use,
		.data = data,
	};
	struct probed_file *file = NULL, *list = NULL;
	int err = l.used ? probed_file_open(&list, path, &file)
			 : error_set(-ENOMEM, "out of memory");

	err = err ?: functions_list(&l, file);
	err = err ?: usdts_list(&l, file);
	for (size_t i = 0; !err && i < nr; i++) {
		if (l.used[i])
			continue;
		if (is_lines(patterns[i]))
			err = lines_list(file, patterns[i], use, data);
		else
			err = error_set(-ENOENT,
					"%s has no function or USDT probe `%s'",
					path, patterns[i]);
	}
	probed_files_close(list);
	free(l.used);
	return err;
}
