// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What gets into an archive, in this order, so that a reader of the trace may stop before the
 * rest:
 *
 *	NAME/metadata ...	the trace's files, as they are
 *	.build-id/ab/cdef...	a program's file, by its build id, as below /usr/lib/debug
 *	.build-id/ab/cdef....debug	its debug file
 *
 * The trace is a compressed frame, and all behind it is another one, so that the trace's checksum
 * can be compared without reading the rest.
 *
 * The trace may come from a stranger, who wants to know what is in a file that we may read.  A
 * file gets into the archive only if it has the build id that the trace says: so he knows it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/archive.h>
#include <ktrace/trace.h>

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/sized.h"
#include "base/text.h"
#include "mention.h"
#include "pack.h"
#include "program.h"
#include "read/archive.h"
#include "symbol/program_names.h"

#define STACKS_MAX (1u << 30)
/* Of the trace's folder in the archive. */
#define FOLDER_MAX 100

struct packed_file {
	char name[128]; /* in the trace's folder, or the whole name */
	int fd;
	struct stat st;
};

struct archive {
	struct ktrace_archive_options options;
	struct ktrace_archive_result result;
	struct ktrace *trace;
	char folder[FOLDER_MAX];

	struct packed_file *files; /* of the trace */
	size_t nr_files;
	struct packed_file *programs;
	size_t nr_programs;

	/* The file `stacks', with the names that it lacked. */
	struct text stacks;
	struct mentions mentions;
	struct debug_server *servers; /* NULL: nobody is asked */

	struct pack pack;
};

static int memory_short(void)
{
	return error_set(-ENOMEM, "out of memory");
}

/* An archive without this file would look as if there was none. */
static int descriptors_short(int err, const char *path)
{
	return error_set(err, "%s: %s: `ulimit -n' says how many", path,
			 strerror(-err));
}

/* ---- the trace's files ------------------------------------------------------- */

/* Takes over @fd. */
static int file_add(struct packed_file **files, size_t *nr, int fd,
		    const char *name)
{
	struct packed_file *more = array_grow(*files, *nr, sizeof(*more));

	if (!more) {
		close(fd);
		return memory_short();
	}
	*files = more;
	more += *nr;
	more->fd = fd;
	snprintf(more->name, sizeof(more->name), "%s", name);
	if (fstat(fd, &more->st) || !S_ISREG(more->st.st_mode)) {
		close(fd);
		return 0;
	}
	++*nr;
	return 0;
}

/* Readers leave out what cannot be opened, so it need not be in an archive. */
static int trace_file_add(struct archive *a, const char *name)
{
	int fd;

	if (ktrace_file_kind(name, NULL) == KTRACE_FILE_OTHER)
		return 0;
	if (a->nr_files == MANY_STREAMS)
		raise_file_limit();
	fd = file_open_plain(a->trace->directory, name, O_RDONLY);
	if (fd < 0 && errno != EINVAL && errno != ELOOP)
		return error_set(-errno, "%s: %s", name, strerror(errno));
	return fd < 0 ? 0 : file_add(&a->files, &a->nr_files, fd, name);
}

static int trace_files_find(struct archive *a, const char *path)
{
	int fd = openat(a->trace->directory, ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err = error_set(-errno, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (errno = 0, entry = readdir(dir)))
		err = trace_file_add(a, entry->d_name);
	if (!err && errno)
		err = error_set(-errno, "%s: %s", path, strerror(errno));
	closedir(dir);
	return err;
}

/* The metadata, then by name, so that an archive of the same trace is the same. */
static int file_compare(const void *a, const void *b)
{
	const struct packed_file *x = a, *y = b;
	int x_first = !strcmp(x->name, "metadata");
	int y_first = !strcmp(y->name, "metadata");

	return y_first - x_first ?: strverscmp(x->name, y->name);
}

static void folder_name(struct archive *a, const char *path)
{
	char real[PATH_MAX], *name;

	name = realpath(path, real) ? strrchr(real, '/') + 1 : real;
	if (name == real || !*name || *name == '.' ||
	    strlen(name) >= sizeof(a->folder))
		name = "trace";
	snprintf(a->folder, sizeof(a->folder), "%s", name);
}

/* ---- stacks and their names -------------------------------------------------- */

static int name_put(void *data, const void *bytes, size_t size)
{
	struct archive *a = data;
	uint64_t frame;

	memcpy(&frame, (const char *)bytes + sizeof(struct kt_stack),
	       sizeof(frame));
	if (mentions_name(&a->mentions, frame))
		return 0;
	text_add(&a->stacks, bytes, size);
	a->result.named++;
	return a->stacks.failed ? -ENOMEM : 0;
}

/*
 * Files that programs had mapped and whose frames have no names: by number, as program_names()
 * wants them.
 */
static int tables_make(struct archive *a, struct program_tables *tables,
		       struct program_file *files)
{
	const struct ktrace *trace = a->trace;

	tables->nr = KT_FRAME_FILE_MAX + 1;
	tables->files = calloc(tables->nr, sizeof(*tables->files));
	if (!tables->files)
		return -ENOMEM;
	for (size_t i = 0; i < trace->nr_files; i++) {
		uint32_t number = trace->files[i].number;

		if (!a->mentions.nameless[number] || tables->files[number])
			continue;
		/* Without a build id nobody knows whether the file is the same. */
		if (program_of(&trace->files[i], &files[i]) ||
		    !files[i].id_size)
			files[i] = (struct program_file){
				.number = number,
				.path = (char *)trace->files[i].path,
				.id_size = KT_UNWIND_ID_MAX,
			};
		/* Who made it can only tell names to the recorder. */
		files[i].code = !strcmp(files[i].path, PROGRAM_CODE);
		tables->files[number] = &files[i];
	}
	return 0;
}

static int names_make(struct archive *a)
{
	struct program_tables tables = {
		.control = -1, .cache.dir = -1, .servers = a->servers};
	size_t size = a->mentions.whole;
	struct program_file *files =
		calloc(a->trace->nr_files + 1, sizeof(*files));
	char *stacks = malloc(size + 1);
	int err = files && stacks ? tables_make(a, &tables, files) : -ENOMEM;

	/* What is appended must not be behind a part of a stack. */
	if (!err) {
		memcpy(stacks, a->stacks.s, size);
		a->stacks.len = size;
		err = program_names(&tables, stacks, size, name_put, a);
	}
	free(tables.files);
	free(stacks);
	free(files);
	if (too_many_open(err))
		return descriptors_short(err, "names of functions");
	return err ? memory_short() : 0;
}

static int stacks_read(struct archive *a)
{
	size_t i = 0, size;
	int err;

	while (i < a->nr_files && strcmp(a->files[i].name, "stacks"))
		i++;
	if (i == a->nr_files)
		return 0;
	err = file_read_fd(a->files[i].fd, STACKS_MAX, &a->stacks.s, &size);
	if (err)
		return error_set(err, "stacks: %s", strerror(-err));
	a->stacks.len = size;
	a->stacks.room = size + 1;
	if (mentions_find(&a->mentions, (const uint8_t *)a->stacks.s, size))
		return memory_short();
	for (i = 0; i < a->trace->nr_files; i++)
		if (a->mentions.nameless[a->trace->files[i].number])
			return names_make(a);
	return 0;
}

/* ---- files of programs ------------------------------------------------------- */

static void id_name(const struct program_file *file, const char *end,
		    char name[sizeof(((struct packed_file *)0)->name)])
{
	char *at = name + sprintf(name, ARCHIVE_ID_FOLDER "%02x/", file->id[0]);

	for (size_t i = 1; i < file->id_size; i++)
		at += sprintf(at, "%02x", file->id[i]);
	strcpy(at, end);
}

_Static_assert(sizeof(ARCHIVE_ID_FOLDER "/.debug") + 2 * KT_UNWIND_ID_MAX <=
		       sizeof(((struct packed_file *)0)->name),
	       "a build id fits into the name");

static bool is_packed(const struct archive *a, const char *name)
{
	for (size_t i = 0; i < a->nr_programs; i++)
		if (!strcmp(a->programs[i].name, name))
			return true;
	return false;
}

static int program_add(struct archive *a, const struct program_file *file)
{
	char name[sizeof(a->programs->name)];
	const char *why;
	int fd, debug, err;

	fd = program_open(file, &why);
	if (too_many_open(fd))
		return descriptors_short(fd, file->path);
	if (fd < 0) {
		a->result.left_out++;
		if (a->options.left_out)
			a->options.left_out(a->options.data, file->path, why);
		return 0;
	}
	id_name(file, "", name);
	/* The same file may have been mapped by two paths. */
	if (is_packed(a, name)) {
		close(fd);
		return 0;
	}
	if (a->nr_files + a->nr_programs >= MANY_STREAMS)
		raise_file_limit();
	debug = program_debug(file, fd, a->servers);
	err = file_add(&a->programs, &a->nr_programs, fd, name);
	a->result.files += !err;
	if (!err && too_many_open(debug))
		return descriptors_short(debug, file->path);
	if (debug < 0)
		return err;
	id_name(file, ".debug", name);
	if (!err)
		return file_add(&a->programs, &a->nr_programs, debug, name);
	close(debug);
	return err;
}

static int programs_find(struct archive *a)
{
	const struct ktrace *trace = a->trace;
	struct program_file file;
	int err = 0;

	for (size_t i = 0; !err && i < trace->nr_files; i++) {
		uint32_t number = trace->files[i].number;

		/* The first line of a number is valid. */
		if (!a->mentions.files[number])
			continue;
		a->mentions.files[number] = false;
		/* The vDSO and code that was made are no files. */
		if (trace->files[i].path[0] == '[')
			continue;
		if (program_of(&trace->files[i], &file))
			file.id_size = 0;
		err = program_add(a, &file);
	}
	return err;
}

/* ---- writing ----------------------------------------------------------------- */

static uint64_t sizes_add(const struct packed_file *files, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += files[i].st.st_size;
	return sum;
}

static int trace_write(struct archive *a)
{
	char name[FOLDER_MAX + sizeof(a->files->name)];
	struct stat st;
	bool whole;
	int err;

	if (fstat(a->trace->directory, &st))
		return error_set(-errno, "%s", strerror(errno));
	snprintf(name, sizeof(name), "%s/", a->folder);
	err = pack_folder(&a->pack, name, &st);
	for (size_t i = 0; !err && i < a->nr_files; i++) {
		const struct packed_file *file = &a->files[i];

		snprintf(name, sizeof(name), "%s/%s", a->folder, file->name);
		if (!strcmp(file->name, "stacks"))
			err = pack_text(&a->pack, name, &file->st, a->stacks.s,
					a->stacks.len);
		else
			err = pack_file(&a->pack, name, &file->st, 0600,
					file->fd, &whole);
	}
	return err;
}

static int programs_write(struct archive *a)
{
	bool whole;
	int err = 0;

	for (size_t i = 0; !err && i < a->nr_programs; i++) {
		const struct packed_file *file = &a->programs[i];

		err = pack_file(&a->pack, file->name, &file->st, 0644, file->fd,
				&whole);
		if (err || whole)
			continue;
		a->result.left_out++;
		if (a->options.left_out)
			a->options.left_out(
				a->options.data, file->name,
				"it has become shorter: it is not whole");
	}
	return err;
}

static int all_write(struct archive *a, int fd)
{
	int err;

	a->result.trace_bytes = sizes_add(a->files, a->nr_files);
	a->result.file_bytes = sizes_add(a->programs, a->nr_programs);
	a->pack.all = a->result.trace_bytes + a->result.file_bytes;
	a->pack.progress = a->options.progress;
	a->pack.data = a->options.data;
	err = pack_begin(&a->pack, fd);
	if (!err)
		err = trace_write(a);
	if (!err)
		err = pack_part_end(&a->pack);
	if (!err)
		err = programs_write(a);
	if (!err)
		err = pack_end(&a->pack);
	a->result.bytes = a->pack.bytes;
	return err;
}

static int all_find(struct archive *a, const char *path)
{
	int err = ktrace_open(path, &a->trace);

	if (err)
		return err;
	if (a->trace->directory < 0)
		return error_set(-EEXIST, "%s: it is an archive already", path);
	folder_name(a, path);
	err = trace_files_find(a, path);
	if (err)
		return err;
	qsort(a->files, a->nr_files, sizeof(*a->files), file_compare);
	err = stacks_read(a);
	return err || a->options.no_files ? err : programs_find(a);
}

static void files_close(struct packed_file *files, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		close(files[i].fd);
	free(files);
}

int ktrace_archive_write(const char *trace, int fd,
			 const struct ktrace_archive_options *options,
			 struct ktrace_archive_result *result, size_t size)
{
	struct archive *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return memory_short();
	err = sized_copy(&a->options, sizeof(a->options), options);
	if (!err)
		err = debug_server_open(a->options.debuginfod, &a->servers);
	if (!err)
		err = all_find(a, trace);
	if (!err)
		err = all_write(a, fd);
	memset(result, 0, size);
	memcpy(result, &a->result,
	       size < sizeof(a->result) ? size : sizeof(a->result));
	debug_server_close(a->servers);
	pack_free(&a->pack);
	files_close(a->files, a->nr_files);
	files_close(a->programs, a->nr_programs);
	mentions_free(&a->mentions);
	text_free(&a->stacks);
	ktrace_close(a->trace);
	free(a);
	return err;
}
