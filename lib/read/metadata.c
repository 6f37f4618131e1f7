// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads a trace's metadata: one JSON object per line; "type" says its kind.
 *
 * The recorder appends lines while it records, so the last line may be cut off:
 * it is ignored.  A damaged line causes a warning, and what it describes is
 * missing.  Unknown kinds of lines and unknown keys are ignored: newer readers
 * know them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/loss.h"
#include "trace.h"

#define FIELDS_MAX 1024
#define NAMES_MAX  65536
/* A line's objects take up to a hundred times its memory while it is read. */
#define LINE_MAX_SIZE (8u << 20)
/* Of fields whose names came later: each time, those that were shown stay. */
#define COPIED_MAX (64u << 20)

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &value))
		return NULL;
	return value;
}

/* A member that is missing or not an integer is 0. */
static uint64_t get_number(struct json_object *o, const char *key)
{
	struct json_object *value = get(o, key);

	if (!json_object_is_type(value, json_type_int))
		return 0;
	return json_object_get_uint64(value);
}

/* A value that is too large becomes UINT32_MAX, which fails all checks. */
static uint32_t get_small(struct json_object *o, const char *key)
{
	uint64_t value = get_number(o, key);

	return value < UINT32_MAX ? value : UINT32_MAX;
}

static bool get_bool(struct json_object *o, const char *key)
{
	return json_object_get_boolean(get(o, key));
}

static const char *get_string(struct json_object *o, const char *key)
{
	struct json_object *value = get(o, key);

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

/* Copies the string into @arena.  NULL if there is none, or no memory. */
static const char *copy_string(struct arena *arena, struct json_object *o,
			       const char *key)
{
	const char *s = get_string(o, key);

	return s ? arena_strdup(arena, s) : NULL;
}

static void read_command(struct ktrace *trace, struct json_object *o)
{
	struct json_object *list = get(o, "command");
	struct text text = {0};
	size_t i;

	if (!json_object_is_type(list, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(list); i++) {
		const char *s = json_object_get_string(
			json_object_array_get_idx(list, i));

		if (i)
			text_puts(&text, " ");
		text_puts(&text, s ? s : "");
	}
	if (text.len)
		trace->info.command =
			arena_strndup(&trace->arena, text.s, text.len);
	text_free(&text);
}

static int read_head(struct ktrace *trace, struct json_object *o)
{
	struct ktrace_info *info = &trace->info;
	const char *id = get_string(o, "id");
	uint64_t format = get_number(o, "format");

	if (!format || format > KTRACE_FORMAT)
		return error_set(
			-EPROTONOSUPPORT,
			"the trace has format %llu, but this ktrace reads "
			"formats 1 to %d: use the ktrace that wrote it",
			(unsigned long long)format, KTRACE_FORMAT);
	trace->have_head = true;
	info->id = id ? strtoull(id, NULL, 0) : 0;
	info->version = copy_string(&trace->arena, o, "version");
	info->host = copy_string(&trace->arena, o, "host");
	info->kernel = copy_string(&trace->arena, o, "kernel");
	info->machine = copy_string(&trace->arena, o, "machine");
	info->mode = copy_string(&trace->arena, o, "mode");
	info->start = get_number(o, "start");
	trace->overwrite = info->mode && !strcmp(info->mode, "overwrite");
	read_command(trace, o);
	return 0;
}

static int read_sync(struct ktrace *trace, struct json_object *o)
{
	struct ktrace_sync *sync;

	if (!json_object_is_type(o, json_type_object))
		return -EINVAL;
	sync = array_grow(trace->sync, trace->nr_sync, sizeof(*sync));
	if (!sync)
		return -ENOMEM;
	trace->sync = sync;
	/*
	 * Callers may use the array before trace_clock() is called
	 * again.
	 */
	trace->info.sync = sync;
	sync = &trace->sync[trace->nr_sync++];
	sync->clock = get_number(o, "clock");
	sync->monotonic = get_number(o, "monotonic");
	sync->realtime = get_number(o, "realtime");
	return 0;
}

static int read_clock(struct ktrace *trace, struct json_object *o)
{
	struct json_object *list = get(o, "sync"), *trusted;
	size_t i;
	int err;

	trusted = get(o, "trusted");
	if (trusted && !json_object_get_boolean(trusted) &&
	    !trace->clock_distrusted) {
		trace->clock_distrusted = true;
		trace_warn(trace, "the kernel found out that its processors do "
				  "not agree on the clock: what happened on "
				  "different CPUs may be in a wrong order");
	}
	if (!trace->info.clock) {
		trace->info.clock = copy_string(&trace->arena, o, "name");
		trace->info.frequency = get_number(o, "frequency");
	}
	if (!json_object_is_type(list, json_type_array))
		return -EINVAL;
	for (i = 0; i < json_object_array_length(list); i++) {
		err = read_sync(trace, json_object_array_get_idx(list, i));
		if (err)
			return err;
	}
	return 0;
}

static const struct ktrace_names *read_names(struct ktrace *trace,
					     struct json_object *o)
{
	struct arena *arena = &trace->types->arena;
	struct json_object *flags = get(o, "flags");
	struct json_object *list =
		flags ? get(flags, "map") : get(o, "symbols");
	struct ktrace_names *names;
	struct ktrace_name *entries;
	size_t i, count;

	if (!json_object_is_type(list, json_type_array))
		return NULL;
	count = json_object_array_length(list);
	if (!count || count > NAMES_MAX)
		return NULL;
	names = arena_alloc(arena, sizeof(*names));
	entries = arena_alloc(arena, count * sizeof(*entries));
	if (!names || !entries)
		return NULL;
	if (flags) {
		names->flags = true;
		names->delim = copy_string(arena, flags, "delim");
		if (!names->delim || !*names->delim)
			names->delim = "|";
	}
	names->names = entries;
	for (i = 0; i < count; i++) {
		struct json_object *pair = json_object_array_get_idx(list, i);
		struct json_object *value;
		const char *name;

		if (!json_object_is_type(pair, json_type_array) ||
		    json_object_array_length(pair) != 2)
			continue;
		value = json_object_array_get_idx(pair, 0);
		name = json_object_get_string(
			json_object_array_get_idx(pair, 1));
		if (!json_object_is_type(value, json_type_int) || !name)
			continue;
		/*
		 * Keeps the sign of negative values, and all 64 bits of large
		 * ones.
		 */
		entries[names->count].value =
			json_object_get_int64(value) < 0
				? (uint64_t)json_object_get_int64(value)
				: json_object_get_uint64(value);
		entries[names->count].name = arena_strdup(arena, name);
		if (!entries[names->count].name)
			return NULL;
		names->count++;
	}
	return names->count ? names : NULL;
}

static int read_field(struct ktrace *trace, struct json_object *o,
		      struct ktrace_field *field)
{
	struct arena *arena = &trace->types->arena;
	const char *kind = get_string(o, "kind");
	const char *base = get_string(o, "base");

	field->name = copy_string(arena, o, "name");
	field->ctype = copy_string(arena, o, "ctype");
	field->offset = get_small(o, "offset");
	field->size = get_small(o, "size");
	field->elem = get_small(o, "elem");
	if (!field->name)
		return -EINVAL;
	if (!field->ctype)
		field->ctype = "";
	/* Unknown kinds and bases are shown as plain bytes. */
	if (!kind || kind_parse(kind, &field->kind, &field->place)) {
		field->kind = KTRACE_BYTES;
		field->place = KTRACE_FIXED;
	}
	if (base)
		base_parse(base, &field->base);
	field->is_signed = field->kind == KTRACE_INT || get_bool(o, "signed");
	if (field->kind <= KTRACE_POINTER || field->kind == KTRACE_ARRAY)
		field->names = read_names(trace, o);
	return 0;
}

/* Reads all of a type but its id. */
static int read_type(struct ktrace *trace, struct json_object *o,
		     struct ktrace_type **result)
{
	struct arena *arena = &trace->types->arena;
	struct json_object *list = get(o, "fields");
	struct ktrace_field *fields;
	struct ktrace_type *type;
	size_t i, count = 0;

	if (json_object_is_type(list, json_type_array))
		count = json_object_array_length(list);
	if (count > FIELDS_MAX)
		return -EINVAL;
	type = arena_alloc(arena, sizeof(*type));
	fields = arena_alloc(arena, (count + 1) * sizeof(*fields));
	if (!type || !fields)
		return -ENOMEM;
	type->system = copy_string(arena, o, "system");
	type->name = copy_string(arena, o, "name");
	type->print = copy_string(arena, o, "print");
	type->size = get_small(o, "size");
	type->dynamic = get_bool(o, "dynamic");
	type->fields = fields;
	if (!type->system || !type->name)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		if (read_field(trace, json_object_array_get_idx(list, i),
			       &fields[i]))
			return -EINVAL;
		type->nr_fields++;
	}
	*result = type;
	return 0;
}

static int read_event(struct ktrace *trace, struct json_object *o)
{
	uint32_t id = get_small(o, "id");
	struct ktrace_type *type;
	int err;

	if (id < KT_ID_FIRST)
		return -EINVAL;
	err = read_type(trace, o, &type);
	if (err)
		return err;
	type->id = id;
	type->short_size = get_small(o, "short");
	type->marker = get(o, "user");
	type->user = get_small(o, "user");
	return types_add(trace->types, type);
}

static int read_variant(struct ktrace *trace, struct json_object *o)
{
	struct ktrace_type *type;
	int err;

	err = read_type(trace, o, &type);
	if (err)
		return err;
	return types_add_variant(trace->types, get_small(o, "id"),
				 get_small(o, "index"), type);
}

/* Copies the fields, because returned events point to the old ones. */
static struct ktrace_field *fields_change(struct ktrace *trace,
					  struct ktrace_type *type)
{
	struct ktrace_field *copy;
	size_t size = type->nr_fields * sizeof(*copy);

	if (!trace->info.live)
		return (void *)type->fields;
	if (trace->copied + size > COPIED_MAX)
		return NULL;
	trace->copied += size;
	copy = arena_alloc(&trace->types->arena, size);
	if (copy)
		type->fields = memcpy(copy, type->fields, size);
	return copy;
}

/*
 * Names that were found after the event's description.  The first ones are
 * kept.
 */
static int read_later_names(struct ktrace *trace, struct json_object *o)
{
	uint32_t id = get_small(o, "id"), nr = get_small(o, "field");
	const struct ktrace_names *names;
	struct ktrace_field *fields;
	struct ktrace_type *type;

	type = (void *)ktrace_types_find(trace->types, id);
	/* The event's own line was damaged. */
	if (!type)
		return 0;
	if (nr >= type->nr_fields || type->fields[nr].kind > KTRACE_POINTER)
		return -EINVAL;
	if (type->fields[nr].names)
		return 0;
	names = read_names(trace, o);
	fields = names ? fields_change(trace, type) : NULL;
	if (!fields)
		return -EINVAL;
	fields[nr].names = names;
	fields[nr].ctype = copy_string(&trace->types->arena, o, "ctype")
				   ?: fields[nr].ctype;
	return 0;
}

static int read_layout(struct ktrace *trace, struct json_object *o)
{
	struct arena *arena = &trace->types->arena;
	struct json_object *list = get(o, "members");
	struct ktrace_layout layout = {0};
	struct ktrace_member *members;
	size_t i, count;

	layout.name = copy_string(arena, o, "name");
	layout.size = get_small(o, "size");
	if (!layout.name || layout.size > KT_PACKET_SIZE ||
	    !json_object_is_type(list, json_type_array))
		return -EINVAL;
	count = json_object_array_length(list);
	if (count > FIELDS_MAX)
		return -EINVAL;
	members = arena_alloc(arena, (count + 1) * sizeof(*members));
	if (!members)
		return -ENOMEM;
	layout.members = members;
	for (i = 0; i < count; i++) {
		struct json_object *m = json_object_array_get_idx(list, i);
		struct ktrace_member *member = &members[layout.nr_members++];

		member->name = copy_string(arena, m, "name");
		member->type = copy_string(arena, m, "struct");
		member->offset = get_small(m, "offset");
		member->size = get_small(m, "size");
		member->is_signed = get_bool(m, "signed");
		/* Decoders rely on this. */
		if (!member->name || member->offset > layout.size ||
		    member->size > layout.size - member->offset)
			return -EINVAL;
	}
	return types_add_layout(trace->types, &layout);
}

static int read_task(struct ktrace *trace, struct json_object *o)
{
	struct ktrace_task *task;

	task = array_grow(trace->tasks, trace->nr_tasks, sizeof(*task));
	if (!task)
		return -ENOMEM;
	trace->tasks = task;
	task = &trace->tasks[trace->nr_tasks];
	task->tid = get_small(o, "tid");
	task->tgid = get_small(o, "tgid");
	task->parent = get_small(o, "parent");
	task->comm = copy_string(&trace->arena, o, "comm");
	if (!task->comm)
		return -EINVAL;
	trace->nr_tasks++;
	return 0;
}

static int read_programs(struct ktrace *trace, struct json_object *o)
{
	uint32_t number = get_small(o, "stream"), cpu = get_small(o, "cpu");
	bool has_ids = get(o, "events");

	if (number >= CPUS_MAX || cpu >= CPUS_MAX)
		return -EINVAL;
	while (trace->nr_programs <= number) {
		struct programs_stream *more = array_grow(
			trace->programs, trace->nr_programs, sizeof(*more));

		if (!more)
			return -ENOMEM;
		trace->programs = more;
		more[trace->nr_programs++] = (struct programs_stream){0};
	}
	if (trace->programs[number].known)
		return 0;
	trace->programs[number] = (struct programs_stream){
		.known = true,
		.cpu = cpu,
		.user = get_small(o, "user"),
		.first_id = has_ids ? get_small(o, "first") : 0,
		.nr_ids = has_ids ? get_small(o, "events") : UINT32_MAX,
	};
	return 0;
}

/* Only a kind of these characters may be printed unescaped. */
static bool kind_is_plain(const char *kind)
{
	return *kind && !kind[strspn(kind, "abcdefghijklmnopqrstuvwxyz"
					   "0123456789-")];
}

static int read_stream(struct ktrace *trace, struct json_object *o)
{
	uint32_t number = get_small(o, "stream");
	const char *kind = get_string(o, "kind");

	if (number >= CPUS_MAX || !kind || !kind_is_plain(kind))
		return -EINVAL;
	while (trace->nr_kinds <= number) {
		const char **more = array_grow(trace->kinds, trace->nr_kinds,
					       sizeof(*more));

		if (!more)
			return -ENOMEM;
		trace->kinds = more;
		more[trace->nr_kinds++] = NULL;
	}
	if (trace->kinds[number])
		return 0;
	trace->kinds[number] = arena_strdup(&trace->arena, kind);
	return trace->kinds[number] ? 0 : -ENOMEM;
}

static int read_file(struct ktrace *trace, struct json_object *o)
{
	struct mapped_file *file;
	uint32_t number = get_small(o, "number");

	if (!number || number > KT_FRAME_FILE_MAX ||
	    trace->nr_files > KT_FRAME_FILE_MAX)
		return -EINVAL;
	file = array_grow(trace->files, trace->nr_files, sizeof(*file));
	if (!file)
		return -ENOMEM;
	trace->files = file;
	file = &trace->files[trace->nr_files];
	file->number = number;
	file->path = copy_string(&trace->arena, o, "path");
	file->build_id = copy_string(&trace->arena, o, "build_id");
	if (!file->path)
		return -EINVAL;
	trace->nr_files++;
	return 0;
}

static int read_missed(struct ktrace *trace, struct json_object *o)
{
	struct ktrace_miss *miss;

	if (trace->nr_misses == MISSES_MAX)
		return -EINVAL;
	miss = array_grow(trace->misses, trace->nr_misses, sizeof(*miss));
	if (!miss)
		return -ENOMEM;
	trace->misses = miss;
	trace->info.misses = miss;
	miss = &trace->misses[trace->nr_misses];
	*miss = (struct ktrace_miss){
		.source = copy_string(&trace->arena, o, "source"),
		.reason = copy_string(&trace->arena, o, "reason"),
		.count = get_number(o, "count"),
	};
	if (!miss->source)
		return -EINVAL;
	trace->info.nr_misses = ++trace->nr_misses;
	return 0;
}

static int read_hits(struct ktrace *trace, struct json_object *o)
{
	size_t nr = trace->info.nr_probe_hits;
	struct ktrace_probe_hits *probe;

	if (nr == KTRACE_PROBE_HITS_MAX)
		return -EINVAL;
	probe = array_grow(trace->probe_hits, nr, sizeof(*probe));
	if (!probe)
		return -ENOMEM;
	trace->probe_hits = probe;
	trace->info.probe_hits = probe;
	probe[nr] = (struct ktrace_probe_hits){
		.system = copy_string(&trace->arena, o, "system"),
		.name = copy_string(&trace->arena, o, "name"),
		.hits = get_number(o, "hits"),
		.missed_nested = get_number(o, "nested"),
		.missed_open = get_number(o, "open"),
		.missed_idle = get_number(o, "idle"),
	};
	if (!probe[nr].system || !probe[nr].name)
		return -EINVAL;
	trace->info.nr_probe_hits = nr + 1;
	return 0;
}

int trace_end_compare(const void *a, const void *b)
{
	const struct ktrace_cpu *x = a, *y = b;

	if (x->programs != y->programs)
		return x->programs - y->programs;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

/* Sorts them, and leaves one for each stream.  Returns how many. */
static size_t ends_sort(struct ktrace_cpu *ends, size_t count)
{
	size_t nr = 1;

	qsort(ends, count, sizeof(*ends), trace_end_compare);
	for (size_t i = 1; i < count; i++)
		if (trace_end_compare(&ends[nr - 1], &ends[i]))
			ends[nr++] = ends[i];
	return nr;
}

static int read_end(struct ktrace *trace, struct json_object *o)
{
	struct json_object *list = get(o, "cpus");
	size_t i, count;

	trace->info.reason = copy_string(&trace->arena, o, "reason");
	if (!trace->info.reason)
		trace->info.reason = "stopped";
	read_sync(trace, get(o, "sync"));
	if (!json_object_is_type(list, json_type_array))
		return -EINVAL;
	count = json_object_array_length(list);
	if (trace->ends || !count)
		return 0;
	if (count > 2 * CPUS_MAX)
		return -EINVAL;
	trace->ends = calloc(count, sizeof(*trace->ends));
	if (!trace->ends)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct json_object *c = json_object_array_get_idx(list, i);
		struct ktrace_cpu *cpu = &trace->ends[i];

		cpu->cpu = cpu->stream = get_small(c, "cpu");
		cpu->programs = json_object_get_boolean(get(c, "programs"));
		cpu->known = true;
		cpu->events = get_number(c, "events");
		cpu->recorded = get_number(c, "recorded");
		for (int cause = 0; cause < KTRACE_LOST_NR; cause++)
			if (loss_is_recorded(cause))
				cpu->lost[cause] =
					get_number(c, loss_name(cause));
	}
	trace->nr_ends = ends_sort(trace->ends, count);
	return 0;
}

/* It is written again in the same place: follow.c reads it there. */
static int read_point(struct ktrace *trace)
{
	trace->point_at = trace->line_at;
	return 0;
}

static int read_line(struct ktrace *trace, struct json_object *o)
{
	const char *type = get_string(o, "type");

	if (!type)
		return -EINVAL;
	if (!strcmp(type, "trace"))
		return trace->have_head ? -EEXIST : read_head(trace, o);
	if (!strcmp(type, "clock"))
		return read_clock(trace, o);
	if (!strcmp(type, "event"))
		return read_event(trace, o);
	if (!strcmp(type, "variant"))
		return read_variant(trace, o);
	if (!strcmp(type, "names"))
		return read_later_names(trace, o);
	if (!strcmp(type, "struct"))
		return read_layout(trace, o);
	if (!strcmp(type, "task"))
		return read_task(trace, o);
	if (!strcmp(type, "programs"))
		return read_programs(trace, o);
	if (!strcmp(type, "stream"))
		return read_stream(trace, o);
	if (!strcmp(type, "file"))
		return read_file(trace, o);
	if (!strcmp(type, "missed"))
		return read_missed(trace, o);
	if (!strcmp(type, "hits"))
		return read_hits(trace, o);
	if (!strcmp(type, "point"))
		return read_point(trace);
	if (!strcmp(type, "end"))
		return read_end(trace, o);
	return 0;
}

/*
 * Whoever follows a running recording may have this description from its
 * writer.  Then the line need not be parsed, which saves half of the start
 * time.
 */
static bool line_is_known(const struct ktrace *trace, const char *line)
{
	static const char event[] = "{\"type\":\"event\",\"id\":";
	static const char layout[] = "{\"type\":\"struct\",\"name\":\"";
	char name[128];
	size_t len;

	if (!trace->info.live)
		return false;
	if (!strncmp(line, event, sizeof(event) - 1))
		return ktrace_types_find(trace->types,
					 strtoul(line + sizeof(event) - 1, NULL,
						 10));
	if (strncmp(line, layout, sizeof(layout) - 1))
		return false;
	line += sizeof(layout) - 1;
	len = strcspn(line, "\"\n");
	if (len >= sizeof(name))
		return false;
	memcpy(name, line, len);
	name[len] = '\0';
	return ktrace_layout_find(trace->types, name);
}

int metadata_read(struct ktrace *trace, const char *data, size_t size)
{
	struct json_tokener *tokener = json_tokener_new();
	const char *p = data, *end = data + size;
	unsigned int line = 0;
	int err = 0;

	if (!tokener)
		return error_set(-ENOMEM, "out of memory");
	while (p < end) {
		const char *newline = memchr(p, '\n', end - p);
		struct json_object *o = NULL;

		line++;
		if (!newline) {
			trace_warn(trace, "metadata: cut off in line %u", line);
			break;
		}
		if (line_is_known(trace, p)) {
			p = newline + 1;
			continue;
		}
		trace->line_at = trace->metadata_size + (p - data);
		json_tokener_reset(tokener);
		if (newline - p <= LINE_MAX_SIZE)
			o = json_tokener_parse_ex(tokener, p, newline - p);
		err = o ? read_line(trace, o) : -EINVAL;
		json_object_put(o);
		if (err == -ENOMEM || err == -EPROTONOSUPPORT)
			break;
		if (!trace->have_head) {
			err = -EBADMSG;
			break;
		}
		if (err)
			trace_warn(trace, "metadata: line %u is damaged", line);
		err = 0;
		p = newline + 1;
	}
	json_tokener_free(tokener);
	if (err == -ENOMEM)
		return error_set(err, "out of memory");
	if (err == -EBADMSG || (!err && !trace->have_head))
		return error_set(-EBADMSG,
				 "this is no trace: its metadata does "
				 "not begin as one");
	return err;
}
