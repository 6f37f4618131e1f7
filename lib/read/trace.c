// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Opening a trace: metadata, streams, clock. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "trace.h"

/* Thousands of events need only a few megabytes. */
#define METADATA_MAX (256u << 20)

struct ktrace *trace_create(struct ktrace_types *types)
{
	struct ktrace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	trace->directory = -1;
	trace->until = UINT64_MAX;
	trace->types = types ? types_hold(types) : types_create();
	if (!trace->types) {
		free(trace);
		return NULL;
	}
	return trace;
}

void ktrace_close(struct ktrace *trace)
{
	size_t i;

	if (!trace)
		return;
	for (i = 0; i < trace->nr_sources; i++) {
		if (trace->sources[i].fd >= 0)
			close(trace->sources[i].fd);
	}
	for (i = 0; i < trace->nr_warnings; i++)
		free(trace->warnings[i]);
	if (trace->directory >= 0)
		close(trace->directory);
	if (trace->release)
		trace->release(trace);
	symbols_free(&trace->symbols);
	stacks_free(&trace->stacks);
	stacks_free(&trace->early_names);
	woven_free(trace);
	stacks_free(&trace->woven_names);
	sides_free(trace);
	clock_destroy(&trace->clock);
	ktrace_types_destroy(trace->types);
	arena_destroy(&trace->arena);
	free(trace->sync);
	free(trace->tasks);
	free(trace->misses);
	free(trace->probe_hits);
	free(trace->ends);
	free(trace->programs);
	free(trace->kinds);
	free(trace->files);
	free(trace->sources);
	free(trace->cpus);
	free(trace->fixed);
	free(trace->least);
	free(trace);
}

static void source_sizes(const struct ktrace *trace,
			 struct stream_source *source)
{
	uint64_t first = 0, end = trace->nr_fixed;

	if (source->programs) {
		uint64_t behind = (uint64_t)source->first_id + source->nr_ids;

		first = source->first_id;
		end = end < behind ? end : behind;
	}
	source->sizes = (struct stream_sizes){
		.fixed = trace->fixed,
		.least = trace->least,
		.first_id = first,
		.nr_ids = end > first ? end - first : 0,
	};
}

int trace_sizes(struct ktrace *trace)
{
	size_t nr = types_ids(trace->types);
	uint32_t id, size, *fixed, *least;
	bool dynamic;

	if (nr < KT_ID_FIRST)
		nr = KT_ID_FIRST;
	fixed = calloc(nr, sizeof(*fixed));
	least = calloc(nr, sizeof(*least));
	if (!fixed || !least) {
		free(fixed);
		free(least);
		return error_set(-ENOMEM, "out of memory");
	}
	free(trace->fixed);
	free(trace->least);
	trace->fixed = fixed;
	trace->least = least;
	for (id = 0; id < nr; id++) {
		if (id < KT_ID_FIRST) {
			trace->fixed[id] = kt_task_size(id);
		} else if (!types_size(trace->types, id, &size, &dynamic)) {
			trace->fixed[id] = KT_SIZE_UNKNOWN;
		} else {
			trace->fixed[id] = dynamic ? KT_SIZE_DYNAMIC : size;
			trace->least[id] = size;
		}
	}
	trace->nr_fixed = nr;
	for (size_t i = 0; i < trace->nr_sources; i++)
		source_sizes(trace, &trace->sources[i]);
	trace->nr_sized = types_total(trace->types);
	return 0;
}

int trace_clock(struct ktrace *trace)
{
	const struct ktrace_sync *first = trace->sync;
	size_t dropped;
	int err;

	err = clock_init(&trace->clock, trace->info.frequency, trace->sync,
			 trace->nr_sync, &dropped);
	if (err)
		return err;
	trace->info.nr_sync = trace->nr_sync;
	trace->info.sync = trace->sync;
	if (dropped)
		trace_warn(trace,
			   "metadata: %zu points of the clock's "
			   "calibration are out of order",
			   dropped);
	if (!trace->nr_sync) {
		trace_warn(trace, "metadata: the clock was not calibrated");
		return 0;
	}
	trace->info.realtime = first->realtime - first->monotonic;
	return 0;
}

static int source_compare(const void *a, const void *b)
{
	const struct stream_source *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->programs != y->programs)
		return x->programs - y->programs;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool cpu_has_counts(const struct ktrace_cpu *cpu)
{
	bool has = cpu->events;

	for (int i = 0; i < KTRACE_LOST_NR; i++)
		has |= !!cpu->lost[i];
	return has;
}

/* NULL: the recorder has counted nothing. */
static const struct ktrace_cpu *end_find(const struct ktrace *trace,
					 const struct stream_source *source)
{
	const struct ktrace_cpu key = {.stream = source->number,
				       .programs = source->programs};

	return trace->nr_ends ? bsearch(&key, trace->ends, trace->nr_ends,
					sizeof(key), trace_end_compare)
			      : NULL;
}

/* Connects the streams with the recorder's counts at the end. */
static void trace_ends(struct ktrace *trace)
{
	size_t i;

	for (i = 0; i < trace->nr_sources; i++) {
		struct stream_source *source = &trace->sources[i];
		const struct ktrace_cpu *end = end_find(trace, source);

		if (end)
			trace->cpus[i] = *end;
		trace->cpus[i].cpu = source->cpu;
		if (trace->cpus[i].known)
			source->end = &trace->cpus[i];
	}
	if (!trace->info.reason && !trace->info.live)
		trace_warn(trace,
			   "the recording was cut off: what its end would "
			   "have told of losses is not known");
}

/* A stream without a file has lost all that the recorder has counted in it. */
static int missing_add(struct ktrace *trace, const struct ktrace_cpu *end)
{
	struct stream_source *source;

	/* Of one that grows. */
	if (trace->pump && trace->nr_sources == STREAMS_MAX) {
		trace_warn(trace, "there are more streams than are read");
		return 0;
	}
	source = trace_source_new(trace);
	if (!source)
		return error_set(-ENOMEM, "out of memory");
	source->number = end->stream;
	source->programs = end->programs;
	trace_describe(trace, source);
	trace_warn(trace, "%s%u: the file is missing: what it had is lost",
		   end->programs ? "programs" : "cpu", end->stream);
	return 0;
}

/* Afterwards trace_ends() finds a source for each of the recorder's counts. */
int trace_missing(struct ktrace *trace)
{
	bool *found = calloc(trace->nr_ends + 1, sizeof(*found));
	int err = found ? 0 : error_set(-ENOMEM, "out of memory");

	for (size_t i = 0; !err && i < trace->nr_sources; i++) {
		const struct ktrace_cpu *end =
			end_find(trace, &trace->sources[i]);

		if (end)
			found[end - trace->ends] = true;
	}
	for (size_t i = 0; !err && i < trace->nr_ends; i++)
		if (!found[i] && cpu_has_counts(&trace->ends[i]))
			err = missing_add(trace, &trace->ends[i]);
	free(found);
	return err;
}

/* Completes the trace after metadata and streams were found. */
static int trace_finish(struct ktrace *trace)
{
	struct ktrace_info *info = &trace->info;
	size_t i;
	int err;

	err = woven_types(trace);
	if (!err)
		err = trace_sizes(trace);
	if (!err)
		err = trace_clock(trace);
	if (err)
		return err;

	if (trace->nr_sources)
		qsort(trace->sources, trace->nr_sources,
		      sizeof(*trace->sources), source_compare);
	trace->cpus = calloc(trace->nr_sources + 1, sizeof(*trace->cpus));
	if (!trace->cpus)
		return error_set(-ENOMEM, "out of memory");
	for (i = 0; i < trace->nr_sources; i++) {
		trace->cpus[i].cpu = trace->sources[i].cpu;
		trace->cpus[i].stream = trace->sources[i].number;
		trace->cpus[i].programs = trace->sources[i].programs;
		info->bytes += trace->sources[i].size;
	}
	trace_ends(trace);
	info->nr_cpus = trace->nr_sources;
	info->cpus = trace->cpus;
	return 0;
}

struct stream_source *trace_source_new(struct ktrace *trace)
{
	struct stream_source *source;

	if (!trace->pump) {
		source = array_grow(trace->sources, trace->nr_sources,
				    sizeof(*source));
		if (!source)
			return NULL;
		trace->sources = source;
	}
	source = &trace->sources[trace->nr_sources++];
	*source = (struct stream_source){.fd = -1};
	return source;
}

/*
 * An export opens the same number again, so this takes the most that is
 * allowed.
 */
void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * A stream that the metadata does not describe belongs to the CPU of its
 * number.
 */
void trace_describe(const struct ktrace *trace, struct stream_source *source)
{
	const struct programs_stream *programs = NULL;

	if (source->programs && source->number < trace->nr_programs)
		programs = &trace->programs[source->number];
	source->cpu = source->number;
	source->nr_ids = UINT32_MAX;
	if (programs && programs->known) {
		source->cpu = programs->cpu;
		source->user = programs->user;
		source->first_id = programs->first_id;
		source->nr_ids = programs->nr_ids;
	}
	source_sizes(trace, source);
}

static int open_streams(struct ktrace *trace, const char *path)
{
	struct dirent *entry;
	int err = 0, fd;
	DIR *dir;

	/* Not dup(): the copy would share the position with other readers. */
	fd = openat(trace->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		err = error_set(-errno, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (errno = 0, entry = readdir(dir))) {
		struct stream_source *source;
		enum ktrace_file kind;
		struct stat st = {0};
		uint32_t number;

		kind = ktrace_file_kind(entry->d_name, &number);
		if (kind != KTRACE_FILE_CPU && kind != KTRACE_FILE_PROGRAMS &&
		    (kind != KTRACE_FILE_STREAM ||
		     !side_is_known(trace, number)))
			continue;
		if (trace->nr_sources == MANY_STREAMS)
			raise_file_limit();
		fd = file_open_plain(trace->directory, entry->d_name,
				     trace->forget ? O_RDWR : O_RDONLY);
		if (fd < 0 || fstat(fd, &st)) {
			trace_warn(trace, "%s: %s", entry->d_name,
				   errno == EINVAL ? "not a file: left out"
						   : strerror(errno));
			if (fd >= 0)
				close(fd);
			continue;
		}
		if (kind == KTRACE_FILE_STREAM) {
			err = side_add(trace, number, fd);
			if (err)
				error_set(err, "out of memory");
			errno = 0;
			continue;
		}
		source = trace_source_new(trace);
		if (!source) {
			close(fd);
			err = error_set(-ENOMEM, "out of memory");
			break;
		}
		source->number = number;
		source->programs = kind == KTRACE_FILE_PROGRAMS;
		trace_describe(trace, source);
		source->fd = fd;
		source->size = trace->info.live ? 0 : st.st_size;
		posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	if (!err && errno)
		err = error_set(-errno, "%s: %s", path, strerror(errno));
	closedir(dir);
	if (!err && !trace->nr_sources)
		trace_warn(trace, "%s holds no streams (cpu0 …)", path);
	return err;
}

struct stream_source *trace_source(struct ktrace *trace, enum ktrace_file kind,
				   uint32_t number, int fd)
{
	struct stream_source *source = trace_source_new(trace);
	struct ktrace_cpu *cpu = &trace->cpus[trace->nr_sources - 1];

	source->number = number;
	source->programs = kind == KTRACE_FILE_PROGRAMS;
	trace_describe(trace, source);
	source->fd = fd;
	cpu->cpu = source->cpu;
	cpu->stream = number;
	cpu->programs = source->programs;
	trace->info.cpus = trace->cpus;
	trace->info.nr_cpus = trace->nr_sources;
	return source;
}

/* Reads what was added since the last time. */
static int open_metadata(struct ktrace *trace, const char *path)
{
	struct stat st;
	ssize_t n = 0;
	off_t used = 0, size;
	char *data;
	int fd, err;

	fd = file_open_plain(trace->directory, "metadata", O_RDONLY);
	if (fd < 0)
		return error_set(-errno,
				 errno == ENOENT ? "%s: not a trace: it has no "
						   "file named metadata"
				 : errno == EINVAL ? "%s/metadata: not a file"
						   : "%s/metadata: %m",
				 path);
	if (fstat(fd, &st) || st.st_size > METADATA_MAX) {
		err = error_set(-EINVAL, "%s/metadata: far too large", path);
		goto out_fd;
	}
	size = st.st_size - trace->metadata_size;
	if (size < 0) {
		err = error_set(-ESTALE,
				"%s/metadata has become shorter while it was "
				"read: open the trace again",
				path);
		goto out_fd;
	}
	data = malloc(size + 1);
	if (!data) {
		err = error_set(-ENOMEM, "out of memory");
		goto out_fd;
	}
	while (used < size) {
		n = pread(fd, data + used, size - used,
			  trace->metadata_size + used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += n;
	}
	/* Somebody may be writing the rest of a line. */
	while (trace->info.live && n >= 0 && used && data[used - 1] != '\n')
		used--;
	if (n < 0)
		err = error_set(-errno, "%s/metadata: %s", path,
				strerror(errno));
	else if (!used && (trace->metadata_size || trace->follow))
		err = 0;
	else if (!used)
		err = error_set(-EBADMSG,
				"%s/metadata is empty: the recording "
				"ended before it began",
				path);
	else
		err = metadata_read(trace, data, used);
	if (err == -EBADMSG && used)
		error_set(err,
			  "%s: not a trace: its metadata does not begin "
			  "as that of one",
			  path);
	free(data);
	trace->metadata_size += used;
out_fd:
	close(fd);
	return err;
}

int trace_opened(struct ktrace *trace, int err, struct ktrace **result)
{
	if (!err)
		err = trace_finish(trace);
	if (err) {
		ktrace_close(trace);
		return err;
	}
	*result = trace;
	return 0;
}

int trace_open_directory(struct ktrace *trace, int directory, const char *path,
			 struct ktrace **result)
{
	int err;

	trace->directory = directory;
	errno = directory < 0 ? -directory : 0;
	if (directory < 0)
		err = error_set(
			-errno, "%s: %s", path,
			errno == ENOTDIR
				? "not a trace: a trace is a directory, or an "
				  "archive of `ktrace archive'"
				: strerror(errno));
	else
		err = open_metadata(trace, path);
	if (!err)
		err = open_streams(trace, path);
	if (!err && !trace->info.live)
		err = trace_missing(trace);
	return trace_opened(trace, err, result);
}

int trace_open_live(int directory, const char *path, bool forget,
		    struct ktrace_types *types, struct ktrace **result)
{
	struct ktrace *trace = trace_create(types);
	int fd;

	if (!trace)
		return error_set(-ENOMEM, "out of memory");
	trace->info.live = true;
	trace->forget = forget;
	trace->until = 0;
	fd = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	return trace_open_directory(trace, fd < 0 ? -errno : fd, path, result);
}

int trace_grow(struct ktrace *trace, uint32_t number, bool programs,
	       uint64_t size, bool open)
{
	for (size_t i = 0; i < trace->nr_sources; i++) {
		struct stream_source *source = &trace->sources[i];

		if (source->number != number || source->programs != programs)
			continue;
		trace->info.bytes += size - source->size;
		source->size = size;
		source->open = open;
		source->grown++;
		return 0;
	}
	return -ENOENT;
}

void trace_advance(struct ktrace *trace, uint64_t until)
{
	trace->until = until;
	trace->round++;
}

int trace_update(struct ktrace *trace)
{
	int err = 0;

	if (trace->info.nr_sync != trace->nr_sync) {
		clock_destroy(&trace->clock);
		err = trace_clock(trace);
	}
	if (err || types_total(trace->types) == trace->nr_sized)
		return err;
	return trace_sizes(trace);
}

int trace_refresh(struct ktrace *trace)
{
	int err = open_metadata(trace, "the trace");

	return err ?: trace_update(trace);
}

int trace_over(struct ktrace *trace)
{
	int err = trace_update(trace);

	if (err)
		return err;
	trace->info.live = false;
	trace_ends(trace);
	trace->info.nr_cpus = trace->nr_sources;
	trace_advance(trace, UINT64_MAX);
	return 0;
}

int trace_complete(struct ktrace *trace)
{
	int err = open_metadata(trace, "the trace");

	return err ?: trace_over(trace);
}

int ktrace_open_memory(const struct ktrace_memory *metadata,
		       const struct ktrace_memory *streams, size_t nr_streams,
		       struct ktrace **result)
{
	struct ktrace *trace = trace_create(NULL);
	size_t i;
	int err;

	if (!trace)
		return error_set(-ENOMEM, "out of memory");
	err = metadata_read(trace, metadata->data, metadata->size);
	for (i = 0; !err && i < nr_streams; i++) {
		struct stream_source *source = trace_source_new(trace);

		if (!source) {
			err = error_set(-ENOMEM, "out of memory");
			break;
		}
		source->cpu = source->number = i;
		source->data = streams[i].data;
		source->size = streams[i].size;
	}
	return trace_opened(trace, err, result);
}

uint64_t ktrace_clock_time(const struct ktrace *trace, uint64_t clock)
{
	size_t hint = clock_hint(&trace->clock, clock);

	return clock_convert(&trace->clock, &hint, clock);
}

const struct ktrace_info *ktrace_get_info(const struct ktrace *trace)
{
	return &trace->info;
}

const struct ktrace_types *ktrace_get_types(const struct ktrace *trace)
{
	return trace->types;
}

/* A cache: read when it is first needed. */
static const struct symbol_table *symbols_of(const struct ktrace *trace)
{
	struct ktrace *cache = (struct ktrace *)trace;

	if (!trace->symbols_read) {
		cache->symbols_read = true;
		if (trace->directory >= 0)
			symbols_read(cache);
	}
	return &trace->symbols;
}

const char *ktrace_symbol(const struct ktrace *trace, uint64_t address,
			  uint64_t *offset)
{
	return symbols_find(symbols_of(trace), address, offset);
}

const char *ktrace_symbol_module(const struct ktrace *trace, uint64_t address)
{
	return symbols_module(symbols_of(trace), address);
}
