// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libtraceevent needs records in the form of ftrace: with a common header of 8
 * bytes before the payload, which changes the offsets in __data_loc fields.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/trace.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "jail.h"
#include "kernel_print.h"

#define HEADER_SIZE 8
#define RECORD_MAX  (HEADER_SIZE + KERNEL_PAYLOAD_MAX)
#define TEXT_ROOM   65536

/* The type in libtraceevent; the index is the type's id. */
struct kernel_type {
	struct tep_event *event;
	bool tried;
};

struct printer {
	const struct ktrace *trace;
	int fd;
	struct tep_handle *tep;
	struct trace_seq seq;
	struct kernel_type *types;
	uint32_t nr_types;
	uint16_t next_id; /* ids of ftrace have 16 bits */
	uint8_t record[RECORD_MAX];
	/* Answers that have not been sent. */
	uint8_t text[TEXT_ROOM];
	size_t used;
};

static char *symbol_name(void *priv, unsigned long long *address, char **module)
{
	struct printer *printer = priv;
	uint64_t offset;
	const char *name;

	*module = NULL;
	name = ktrace_symbol(printer->trace, *address, &offset);
	if (!name)
		return NULL;
	*address -= offset;
	return (char *)name;
}

/* NULL: the format cannot be parsed. */
static struct tep_event *type_parse(struct printer *printer,
				    const struct ktrace_type *type)
{
	struct ktrace_type copy = *type;
	struct tep_event *event = NULL;
	char *text;

	if (!type->print || printer->next_id == UINT16_MAX)
		return NULL;
	copy.id = ++printer->next_id;
	text = ktrace_type_format(&copy);
	if (!text)
		return NULL;
	if (!tep_parse_event(printer->tep, text, strlen(text), type->system))
		event = tep_find_event(printer->tep, copy.id);
	free(text);
	return event && !(event->flags & TEP_EVENT_FL_FAILED) ? event : NULL;
}

static struct tep_event *type_get(struct printer *printer,
				  const struct ktrace_type *type)
{
	struct kernel_type *slot;

	if (type->number >= printer->nr_types) {
		uint32_t nr = type->number + 256;
		struct kernel_type *types =
			realloc(printer->types, nr * sizeof(*types));

		if (!types)
			return NULL;
		memset(types + printer->nr_types, 0,
		       (nr - printer->nr_types) * sizeof(*types));
		printer->types = types;
		printer->nr_types = nr;
	}
	slot = &printer->types[type->number];
	if (!slot->tried) {
		slot->tried = true;
		slot->event = type_parse(printer, type);
	}
	return slot->event;
}

/* Makes the record in ftrace's form.  Returns its size. */
static uint32_t record_make(struct printer *printer,
			    const struct kernel_request *request,
			    const uint8_t *payload,
			    const struct ktrace_type *type, uint16_t id)
{
	uint8_t *record = printer->record;
	uint32_t size = request->size; /* it fits, as was checked */
	uint32_t i;

	memset(record, 0, HEADER_SIZE);
	memcpy(record, &id, sizeof(id));
	memcpy(record + 4, &request->tid, sizeof(request->tid));
	memcpy(record + HEADER_SIZE, payload, size);
	for (i = 0; i < type->nr_fields; i++) {
		const struct ktrace_field *field = &type->fields[i];
		uint8_t *p = record + HEADER_SIZE + field->offset;
		uint32_t loc, offset, begin, len;

		if (field->place == KTRACE_FIXED)
			continue;
		/*
		 * libtraceevent does not check it, so it must be inside the
		 * record.
		 */
		memcpy(&loc, p, sizeof(loc));
		offset = loc & 0xffff;
		len = loc >> 16;
		begin = offset;
		if (field->place == KTRACE_REL_LOC)
			begin += field->offset + sizeof(loc);
		else
			offset += HEADER_SIZE;
		if (begin > size || offset > 0xffff) {
			offset = 0;
			len = 0;
		} else if (len > size - begin) {
			len = size - begin;
		}
		loc = len << 16 | offset;
		memcpy(p, &loc, sizeof(loc));
	}
	return size + HEADER_SIZE;
}

static void text_flush(struct printer *printer)
{
	if (!jail_write(printer->fd, printer->text, printer->used))
		_exit(EXIT_SUCCESS);
	printer->used = 0;
}

static void text_send(struct printer *printer, const void *data, size_t n)
{
	const uint8_t *s = data;

	while (n) {
		size_t part = sizeof(printer->text) - printer->used;

		if (part > n)
			part = n;
		memcpy(printer->text + printer->used, s, part);
		printer->used += part;
		s += part;
		n -= part;
		if (printer->used == sizeof(printer->text))
			text_flush(printer);
	}
}

static void event_print(struct printer *printer,
			const struct kernel_request *request,
			const uint8_t *payload)
{
	const struct ktrace_type *type = ktrace_types_get(
		ktrace_get_types(printer->trace), request->type);
	struct tep_event *event = type ? type_get(printer, type) : NULL;
	struct tep_record record = {
		.ts = request->time,
		.cpu = request->cpu,
		.data = printer->record,
	};
	uint32_t length = KERNEL_UNKNOWN;

	if (!event) {
		text_send(printer, &length, sizeof(length));
		return;
	}
	record.size = record_make(printer, request, payload, type, event->id);
	trace_seq_reset(&printer->seq);
	tep_print_event(printer->tep, &printer->seq, &record, "%s",
			TEP_PRINT_INFO);
	length = printer->seq.len < KERNEL_TEXT_MAX ? printer->seq.len
						    : KERNEL_TEXT_MAX;
	text_send(printer, &length, sizeof(length));
	text_send(printer, printer->seq.buffer, length);
}

void kernel_print(int fd, volatile uint64_t *steps, void *trace)
{
	struct printer *printer = calloc(1, sizeof(*printer));
	struct kernel_request request;
	uint32_t size, used;
	uint8_t *batch;

	if (!printer)
		return;
	printer->trace = trace;
	printer->fd = fd;
	trace_seq_init(&printer->seq);
	printer->tep = tep_alloc();
	if (!printer->tep)
		return;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(printer->tep, 8);
	tep_set_page_size(printer->tep, 4096);
	tep_set_file_bigendian(printer->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(printer->tep, TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(printer->tep, symbol_name, printer);

	/*
	 * Reads a whole batch before it answers, so that both sides never
	 * block.
	 */
	while (jail_read(fd, &size, sizeof(size))) {
		batch = malloc(size);
		if (!batch || !jail_read(fd, batch, size))
			return;
		for (used = 0; used < size; used += request.size) {
			++*steps;
			memcpy(&request, batch + used, sizeof(request));
			used += sizeof(request);
			event_print(printer, &request, batch + used);
		}
		free(batch);
		text_flush(printer);
	}
}
