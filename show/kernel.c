// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events as the kernel itself would print them: each record is put back into
 * the form that ftrace gives it, and libtraceevent runs the kernel's own print
 * format over it.
 *
 * That form has a common header of 8 bytes in front of the payload, which moves
 * what __data_loc fields point to.
 */
#include <errno.h>
#include <stdlib.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "line.h"
#include "program.h"
#include "show.h"

#define HEADER_SIZE 8
#define RECORD_MAX  (HEADER_SIZE + 65536)

/* How a type is known to libtraceevent, by the type's id. */
struct kernel_type {
	struct tep_event *event;
	bool tried;
};

struct kernel {
	struct show show;
	struct output output;
	struct line_heads heads;
	/* For what libtraceevent does not understand. */
	struct programs programs;

	struct tep_handle *tep;
	struct trace_seq seq;
	struct kernel_type *types;
	uint32_t nr_types;
	uint16_t next_id; /* ftrace has 16 bits for them */
	uint8_t record[RECORD_MAX];
};

static char *kernel_symbol(void *priv, unsigned long long *address,
			   char **module)
{
	struct kernel *kernel = priv;
	uint64_t offset;
	const char *name;

	*module = NULL;
	name = ktrace_symbol(kernel->show.trace, *address, &offset);
	if (!name)
		return NULL;
	*address -= offset;
	return (char *)name;
}

static int kernel_open(struct show *show)
{
	struct kernel *kernel = (struct kernel *)show;

	trace_seq_init(&kernel->seq);
	programs_init(&kernel->programs, show->trace, false);
	kernel->tep = tep_alloc();
	if (!kernel->tep || output_init(&kernel->output, show->fd))
		return show_fail(-ENOMEM, "out of memory");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(kernel->tep, 8);
	tep_set_page_size(kernel->tep, 4096);
	tep_set_file_bigendian(kernel->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(kernel->tep, TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(kernel->tep, kernel_symbol, kernel);
	return 0;
}

/* NULL: not understood. */
static struct tep_event *kernel_parse(struct kernel *kernel,
				      const struct ktrace_type *type)
{
	struct ktrace_type copy = *type;
	struct tep_event *event = NULL;
	char *text;

	if (kernel->next_id == UINT16_MAX)
		return NULL;
	copy.id = ++kernel->next_id;
	text = ktrace_type_format(&copy);
	if (!text)
		return NULL;
	if (!tep_parse_event(kernel->tep, text, strlen(text), type->system))
		event = tep_find_event(kernel->tep, copy.id);
	free(text);
	return event && !(event->flags & TEP_EVENT_FL_FAILED) ? event : NULL;
}

static int kernel_type(struct kernel *kernel, const struct ktrace_type *type,
		       struct tep_event **event)
{
	struct kernel_type *slot;

	if (type->id >= kernel->nr_types) {
		uint32_t nr = type->id + 256;
		struct kernel_type *types =
			realloc(kernel->types, nr * sizeof(*types));

		if (!types)
			return show_fail(-ENOMEM, "out of memory");
		memset(types + kernel->nr_types, 0,
		       (nr - kernel->nr_types) * sizeof(*types));
		kernel->types = types;
		kernel->nr_types = nr;
	}
	slot = &kernel->types[type->id];
	if (!slot->tried) {
		slot->tried = true;
		slot->event = kernel_parse(kernel, type);
	}
	*event = slot->event;
	return 0;
}

/* Puts the record together; returns its size. */
static uint32_t kernel_record(struct kernel *kernel,
			      const struct ktrace_event *event,
			      const struct tep_event *tep_event)
{
	uint8_t *record = kernel->record;
	uint16_t id = tep_event->id;
	uint32_t size = event->size;
	uint32_t i;

	if (size > RECORD_MAX - HEADER_SIZE)
		size = RECORD_MAX - HEADER_SIZE;
	memset(record, 0, HEADER_SIZE);
	memcpy(record, &id, sizeof(id));
	memcpy(record + 4, &event->tid, sizeof(event->tid));
	memcpy(record + HEADER_SIZE, event->payload, size);
	for (i = 0; i < event->type->nr_fields; i++) {
		const struct ktrace_field *field = &event->type->fields[i];
		uint8_t *p = record + HEADER_SIZE + field->offset;
		uint32_t loc, offset, begin, len;

		if (field->place == KTRACE_FIXED)
			continue;
		/* libtraceevent believes it: it must stay inside. */
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

/* One line, and nothing in it that acts on a terminal. */
static void kernel_line(struct output *output, struct trace_seq *seq)
{
	unsigned int i, len = seq->len;

	while (len && seq->buffer[len - 1] == '\n')
		len--;
	for (i = 0; i < len; i++) {
		unsigned char c = seq->buffer[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			seq->buffer[i] = c == '\n' ? ' ' : '?';
	}
	output_write(output, seq->buffer, len);
	output_add(output, "\n", 1);
}

static int kernel_event(struct show *show, const struct ktrace_event *event)
{
	struct kernel *kernel = (struct kernel *)show;
	struct output *output = &kernel->output;
	struct tep_event *tep_event = NULL;
	struct tep_record record = {
		.ts = event->time,
		.cpu = event->cpu,
		.data = kernel->record,
	};
	int err;

	err = kernel_type(kernel, event->type, &tep_event);
	if (err)
		return err;
	if (line_head(&kernel->heads, output, event))
		return show_fail(-ENOMEM, "out of memory");
	if (!tep_event) {
		if (programs_run(&kernel->programs, output, event))
			return show_fail(-ENOMEM, "out of memory");
		output_add(output, "\n", 1);
		return output->err;
	}

	record.size = kernel_record(kernel, event, tep_event);
	trace_seq_reset(&kernel->seq);
	tep_print_event(kernel->tep, &kernel->seq, &record, "%s",
			TEP_PRINT_INFO);
	output_write(output, tep_event->name, strlen(tep_event->name));
	output_puts(output, ": ");
	kernel_line(output, &kernel->seq);
	return output->err;
}

static int kernel_loss(struct show *show, const struct ktrace_loss *loss)
{
	struct kernel *kernel = (struct kernel *)show;

	line_loss(&kernel->output, loss);
	return kernel->output.err;
}

static int kernel_finish(struct show *show)
{
	return output_flush(&((struct kernel *)show)->output);
}

static void kernel_release(struct show *show)
{
	struct kernel *kernel = (struct kernel *)show;

	tep_free(kernel->tep);
	trace_seq_destroy(&kernel->seq);
	free(kernel->types);
	line_heads_destroy(&kernel->heads);
	programs_destroy(&kernel->programs);
	output_destroy(&kernel->output);
}

const struct show_ops show_kernel = {
	.name = "kernel",
	.what = "a line for each event, in the kernel's own print format",
	.size = sizeof(struct kernel),
	.open = kernel_open,
	.event = kernel_event,
	.loss = kernel_loss,
	.finish = kernel_finish,
	.release = kernel_release,
};
