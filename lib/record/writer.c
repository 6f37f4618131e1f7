// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Writes a trace's metadata: JSON Lines, appended during the recording.
 *
 * Each call makes its lines in memory and gives them to the sink at once, which
 * takes all or none.  ktrace-trace(5) describes the lines; metadata.c reads
 * them.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/loss.h"
#include "base/sized.h"
#include "base/text.h"
#include "read/follow.h"
#include "sink.h"
#include "type/type.h"
#include "writer.h"

struct ktrace_writer {
	struct sink *sink;
	/* Of the sink's lines: the feed of stacks has some while others write theirs. */
	pthread_mutex_t lock;
	bool own;	  /* the sink is destroyed with the writer */
	uint8_t *written; /* ids of types, one bit each */
	size_t nr_hits;	  /* of probes */
};

/* Appends @text and frees it. */
static int writer_append(struct ktrace_writer *writer, struct text *text)
{
	int err = 0;

	pthread_mutex_lock(&writer->lock);
	if (text->failed)
		err = error_set(-ENOMEM, "metadata: out of memory");
	else if (text->len)
		err = writer->sink->ops->lines(writer->sink, text->s,
					       text->len);
	pthread_mutex_unlock(&writer->lock);
	text_free(text);
	return err;
}

/* Macros, because keys are constants, and a trace of all events has 100,000 of them. */
#define text_name(text, key) text_puts(text, ",\"" key "\":")

#define text_key(text, key, value)      \
	do {                            \
		text_name(text, key);   \
		text_json(text, value); \
	} while (0)

#define text_key_number(text, key, value) \
	do {                              \
		text_name(text, key);     \
		text_number(text, value); \
	} while (0)

static void head_text(struct text *text, const struct ktrace_writer_head *head)
{
	char machine[2 * sizeof(((struct utsname *)0)->version)];
	struct utsname uts;
	size_t i;

	uname(&uts);
	snprintf(machine, sizeof(machine), "%s %s", uts.machine, uts.version);
	text_printf(text,
		    "{\"type\":\"trace\",\"format\":%d,\"id\":\"0x%" PRIx64
		    "\"",
		    KTRACE_FORMAT, head->id);
	text_key(text, "version", head->version ? head->version : "ktrace");
	text_key(text, "host", head->host ? head->host : uts.nodename);
	text_key(text, "kernel", head->kernel ? head->kernel : uts.release);
	text_key(text, "machine", head->machine ? head->machine : machine);
	text_printf(text, ",\"cpus\":%u,\"command\":[", head->nr_cpus);
	for (i = 0; head->command && head->command[i]; i++) {
		if (i)
			text_puts(text, ",");
		text_json(text, head->command[i]);
	}
	text_puts(text, "]");
	if (head->mode)
		text_key(text, "mode", head->mode);
	text_printf(text, ",\"start\":%" PRIu64 "}\n", head->start);
}

int writer_create(struct sink *sink, const struct ktrace_writer_head *wishes,
		  struct ktrace_writer **result)
{
	struct ktrace_writer_head head;
	struct ktrace_writer *writer;
	struct text text = {0};
	int err;

	err = sized_copy(&head, sizeof(head), wishes);
	if (err)
		return err;
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return error_set(-ENOMEM, "out of memory");
	writer->sink = sink;
	pthread_mutex_init(&writer->lock, NULL);
	writer->written = calloc(1, TYPE_ID_MAX / 8);
	if (!writer->written) {
		err = error_set(-ENOMEM, "out of memory");
		goto err_writer;
	}
	head_text(&text, &head);
	err = writer_append(writer, &text);
	if (err)
		goto err_writer;
	*result = writer;
	return 0;

err_writer:
	ktrace_writer_destroy(writer);
	return err;
}

int ktrace_writer_create(const char *directory,
			 const struct ktrace_writer_head *head,
			 struct ktrace_writer **writer)
{
	struct sink *sink;
	int err;

	err = directory_sink_open(directory, &sink);
	if (err)
		return err;
	err = writer_create(sink, head, writer);
	if (err)
		sink->ops->destroy(sink);
	else
		(*writer)->own = true;
	return err;
}

void ktrace_writer_destroy(struct ktrace_writer *writer)
{
	if (!writer)
		return;
	if (writer->own)
		writer->sink->ops->destroy(writer->sink);
	pthread_mutex_destroy(&writer->lock);
	free(writer->written);
	free(writer);
}

int ktrace_writer_clock(struct ktrace_writer *writer, const char *name,
			uint64_t frequency, const struct ktrace_sync *sync,
			bool trusted)
{
	struct text text = {0};

	text_puts(&text, "{\"type\":\"clock\",\"name\":");
	text_json(&text, name);
	text_printf(&text,
		    ",\"frequency\":%" PRIu64 ",\"sync\":[{\"clock\":%" PRIu64
		    ",\"monotonic\":%" PRIu64 ",\"realtime\":%" PRIu64
		    "}]%s}\n",
		    frequency, sync->clock, sync->monotonic, sync->realtime,
		    trusted ? "" : ",\"trusted\":false");
	return writer_append(writer, &text);
}

static void text_names(struct text *text, const struct ktrace_names *names)
{
	uint32_t i;

	if (names->flags) {
		text_puts(text, ",\"flags\":{\"delim\":");
		text_json(text, names->delim ? names->delim : "|");
		text_puts(text, ",\"map\":[");
	} else {
		text_puts(text, ",\"symbols\":[");
	}
	for (i = 0; i < names->count; i++) {
		text_puts(text, i ? ",[" : "[");
		text_number(text, names->names[i].value);
		text_puts(text, ",");
		text_json(text, names->names[i].name);
		text_puts(text, "]");
	}
	text_puts(text, names->flags ? "]}" : "]");
}

static void text_field(struct text *text, const struct ktrace_field *field)
{
	text_puts(text, "{\"name\":");
	text_json(text, field->name);
	text_key(text, "ctype", field->ctype);
	text_key_number(text, "offset", field->offset);
	text_key_number(text, "size", field->size);
	text_key(text, "kind", kind_name(field->kind, field->place));
	if (field->kind == KTRACE_ARRAY || field->kind == KTRACE_BITMASK)
		text_words(text, ",\"elem\":%u,\"signed\":%s", field->elem,
			   field->is_signed ? "true" : "false");
	if (field->base != KTRACE_DEC)
		text_key(text, "base", base_name(field->base));
	if (field->names)
		text_names(text, field->names);
	text_puts(text, "}");
}

static void text_type(struct text *text, const struct ktrace_type *type)
{
	uint32_t i;

	text_words(text, "{\"type\":\"%s\",\"id\":%u",
		   type->variant_of ? "variant" : "event", type->id);
	if (type->variant_of)
		text_key_number(text, "index", type->index);
	text_key(text, "system", type->system);
	text_key(text, "name", type->name);
	text_words(text, ",\"size\":%u,\"dynamic\":%s", type->size,
		   type->dynamic ? "true" : "false");
	if (type->short_size)
		text_key_number(text, "short", type->short_size);
	if (type->marker)
		text_key_number(text, "user", type->user);
	text_puts(text, ",\"fields\":[");
	for (i = 0; i < type->nr_fields; i++) {
		if (i)
			text_puts(text, ",");
		text_field(text, &type->fields[i]);
	}
	text_puts(text, "]");
	if (type->print)
		text_key(text, "print", type->print);
	text_puts(text, "}\n");
}

static void text_layout(struct text *text, const struct ktrace_layout *layout)
{
	text_puts(text, "{\"type\":\"struct\"");
	text_key(text, "name", layout->name);
	text_printf(text, ",\"size\":%u,\"members\":[", layout->size);
	for (uint32_t i = 0; i < layout->nr_members; i++) {
		const struct ktrace_member *member = &layout->members[i];

		text_puts(text, i ? ",{\"name\":" : "{\"name\":");
		text_json(text, member->name);
		text_key_number(text, "offset", member->offset);
		text_key_number(text, "size", member->size);
		if (member->is_signed)
			text_puts(text, ",\"signed\":true");
		if (member->type)
			text_key(text, "struct", member->type);
		text_puts(text, "}");
	}
	text_puts(text, "]}\n");
}

static bool writer_wants(const struct ktrace_writer *writer, uint32_t id)
{
	return id && id < TYPE_ID_MAX &&
	       !(writer->written[id / 8] & 1u << id % 8);
}

static void writer_mark(struct ktrace_writer *writer, uint32_t id)
{
	writer->written[id / 8] |= 1u << id % 8;
}

int ktrace_writer_type(struct ktrace_writer *writer,
		       const struct ktrace_type *type)
{
	struct text text = {0};
	int err;

	if (!type->variant_of && !writer_wants(writer, type->id))
		return 0;
	text_type(&text, type);
	err = writer_append(writer, &text);
	if (!err && !type->variant_of)
		writer_mark(writer, type->id);
	return err;
}

static bool writer_wants_type(const struct ktrace_writer *writer,
			      const struct ktrace_type *type, uint32_t limit)
{
	return type->id < limit && writer_wants(writer, type->id);
}

int ktrace_writer_types(struct ktrace_writer *writer,
			const struct ktrace_types *types)
{
	return writer_types_below(writer, types, UINT32_MAX);
}

int writer_types_below(struct ktrace_writer *writer,
		       const struct ktrace_types *types, uint32_t limit)
{
	struct text text = {0};
	size_t i;
	int err;

	/* Layouts may be repeated: readers use the first. */
	for (i = 0; i < types->nr_layouts; i++)
		text_layout(&text, types->layouts[i]);
	for (i = 0; i < types->count; i++) {
		if (writer_wants_type(writer, types->types[i], limit))
			text_type(&text, types->types[i]);
	}
	err = writer_append(writer, &text);
	if (err)
		return err;
	for (i = 0; i < types->count; i++) {
		if (writer_wants_type(writer, types->types[i], limit))
			writer_mark(writer, types->types[i]->id);
	}
	return 0;
}

int writer_names(struct ktrace_writer *writer, const struct ktrace_type *type)
{
	struct text text = {0};

	for (uint32_t i = 0; i < type->nr_fields; i++) {
		const struct ktrace_field *field = &type->fields[i];

		if (!field->names)
			continue;
		text_printf(&text, "{\"type\":\"names\",\"id\":%u,\"field\":%u",
			    type->id, i);
		text_key(&text, "ctype", field->ctype);
		text_names(&text, field->names);
		text_puts(&text, "}\n");
	}
	return writer_append(writer, &text);
}

int writer_programs(struct ktrace_writer *writer, uint32_t stream,
		    uint32_t user, uint32_t cpu, uint32_t first_id,
		    uint32_t nr_ids)
{
	struct text text = {0};

	text_printf(&text,
		    "{\"type\":\"programs\",\"stream\":%u,\"user\":%u,"
		    "\"cpu\":%u,\"first\":%u,\"events\":%u}\n",
		    stream, user, cpu, first_id, nr_ids);
	return writer_append(writer, &text);
}

int writer_stream(struct ktrace_writer *writer, uint32_t stream,
		  const char *kind)
{
	struct text text = {0};

	text_printf(&text,
		    "{\"type\":\"stream\",\"stream\":%u,\"kind\":\"%s\"}\n",
		    stream, kind);
	return writer_append(writer, &text);
}

int writer_file(struct ktrace_writer *writer, uint32_t number, const char *path,
		const uint8_t *id, size_t id_size)
{
	struct text text = {0};

	text_printf(&text, "{\"type\":\"file\",\"number\":%u", number);
	text_key(&text, "path", path);
	if (id_size)
		text_name(&text, "build_id");
	for (size_t i = 0; i < id_size; i++)
		text_printf(&text, "%s%02x", i ? "" : "\"", id[i]);
	text_puts(&text, id_size ? "\"}\n" : "}\n");
	return writer_append(writer, &text);
}

int writer_point(struct ktrace_writer *writer, uint64_t clock)
{
	char line[POINT_SIZE + 1];
	int err;

	point_print(line, clock);
	pthread_mutex_lock(&writer->lock);
	err = writer->sink->ops->point(writer->sink, line, POINT_SIZE);
	pthread_mutex_unlock(&writer->lock);
	return err;
}

static void text_task(struct text *text, uint32_t tid, uint32_t tgid,
		      uint32_t parent, const char *comm)
{
	text_printf(text,
		    "{\"type\":\"task\",\"tid\":%u,\"tgid\":%u,\"parent\":%u",
		    tid, tgid, parent);
	text_key(text, "comm", comm);
	text_puts(text, "}\n");
}

int ktrace_writer_tasks(struct ktrace_writer *writer,
			const struct ktrace_task *tasks, size_t nr_tasks)
{
	struct text text = {0};
	size_t i;

	for (i = 0; i < nr_tasks; i++)
		text_task(&text, tasks[i].tid, tasks[i].tgid, tasks[i].parent,
			  tasks[i].comm);
	return writer_append(writer, &text);
}

int ktrace_writer_tasks_text(struct ktrace_writer *writer, const char *s,
			     size_t size)
{
	const char *end = s + size;
	struct text text = {0};

	while (s < end) {
		const char *newline = memchr(s, '\n', end - s);
		uint32_t tid, tgid, parent;
		char line[128];
		int comm = -1;
		size_t n;

		if (!newline)
			break;
		n = newline - s;
		if (n < sizeof(line)) {
			memcpy(line, s, n);
			line[n] = '\0';
			/*
			 * The name may begin with spaces, so only one space is
			 * skipped.
			 */
			if (sscanf(line, "%u %u %u%n", &tid, &tgid, &parent,
				   &comm) == 3 &&
			    comm > 0)
				text_task(&text, tid, tgid, parent,
					  line[comm] ? line + comm + 1 : "");
		}
		s = newline + 1;
	}
	return writer_append(writer, &text);
}

int writer_symbols(struct ktrace_writer *writer, const char *text, size_t size)
{
	return writer->sink->ops->symbols(writer->sink, text, size);
}

int ktrace_writer_misses(struct ktrace_writer *writer,
			 const struct ktrace_miss *misses, size_t nr_misses)
{
	struct text text = {0};

	for (size_t i = 0; i < nr_misses; i++) {
		text_puts(&text, "{\"type\":\"missed\"");
		text_key(&text, "source", misses[i].source);
		if (misses[i].reason)
			text_key(&text, "reason", misses[i].reason);
		text_key_number(&text, "count", misses[i].count);
		text_puts(&text, "}\n");
	}
	return writer_append(writer, &text);
}

int ktrace_writer_probe_hits(struct ktrace_writer *writer,
			     const struct ktrace_probe_hits *hits,
			     size_t nr_hits)
{
	struct text text = {0};

	if (nr_hits > KTRACE_PROBE_HITS_MAX - writer->nr_hits)
		return error_set(-E2BIG,
				 "metadata: hits of more than %d probes",
				 KTRACE_PROBE_HITS_MAX);
	writer->nr_hits += nr_hits;
	for (size_t i = 0; i < nr_hits; i++) {
		text_puts(&text, "{\"type\":\"hits\"");
		text_key(&text, "system", hits[i].system);
		text_key(&text, "name", hits[i].name);
		text_key_number(&text, "hits", hits[i].hits);
		text_key_number(&text, "nested", hits[i].missed_nested);
		text_key_number(&text, "open", hits[i].missed_open);
		text_key_number(&text, "idle", hits[i].missed_idle);
		text_puts(&text, "}\n");
	}
	return writer_append(writer, &text);
}

int ktrace_writer_end(struct ktrace_writer *writer,
		      const struct ktrace_cpu *cpus, size_t nr_cpus,
		      const char *reason)
{
	struct text text = {0};
	size_t i, j;
	int err;

	text_puts(&text, "{\"type\":\"end\",\"cpus\":[");
	for (i = 0; i < nr_cpus; i++) {
		/* Streams of the kernel have the numbers of their CPUs. */
		text_printf(&text, "%s{\"cpu\":%u,\"events\":%" PRIu64,
			    i ? "," : "",
			    cpus[i].programs ? cpus[i].stream : cpus[i].cpu,
			    cpus[i].events);
		if (cpus[i].programs)
			text_puts(&text, ",\"programs\":true");
		text_printf(&text, ",\"recorded\":%" PRIu64, cpus[i].recorded);
		for (j = 0; j < KTRACE_LOST_NR; j++) {
			if (loss_is_recorded(j))
				text_printf(&text, ",\"%s\":%" PRIu64,
					    loss_name(j), cpus[i].lost[j]);
		}
		text_puts(&text, "}");
	}
	text_puts(&text, "]");
	text_key(&text, "reason", reason);
	text_puts(&text, "}\n");
	err = writer_append(writer, &text);
	if (!err && writer->sink->ops->flush)
		err = writer->sink->ops->flush(writer->sink);
	return err;
}
