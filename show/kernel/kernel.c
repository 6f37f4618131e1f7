// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prints events as the kernel does: kernel_print.c runs the kernel's own print
 * format on each.  It does this in a child process, because formats come from
 * the trace and are not trusted.
 *
 * Events are sent to the child in batches, and shown when the answers have
 * come.  If the child dies, the events without an answer are sent again, one by
 * one.  If it dies again, events of that type are shown as text from then on.
 * So are events whose format libtraceevent does not understand.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "jail.h"
#include "kernel_print.h"
#include "line.h"
#include "program.h"
#include "show.h"

#define EVENTS_MAX   2048 /* in a batch */
#define REQUESTS_MAX (1u << 20)
#define HEAD_ROOM    512
#define READ_SIZE    65536
/* If so many types kill the child, it is not started again. */
#define REFUSED_MAX 16

/* An event of a batch, or a loss. */
struct entry {
	const struct ktrace_type
		*type;	   /* NULL: a loss, whose text is its head */
	uint32_t head_end; /* in heads_text */
	uint32_t request;  /* its begin in requests */
};

struct kernel {
	struct ktrace_output show;
	struct output output;
	struct line_heads heads;
	/* For events that are not printed by their format. */
	struct programs programs;
	struct jail jail;
	uint32_t refused[REFUSED_MAX]; /* types, by id */
	unsigned int nr_refused;

	struct entry entries[EVENTS_MAX];
	uint32_t nr_entries;
	struct output heads_text; /* in memory only */
	uint8_t *requests;
	uint32_t requests_size;
	char *answer;
	uint32_t read_begin, read_end; /* read, but not used yet */
	uint8_t read[READ_SIZE];
};

static int kernel_open(struct ktrace_output *show)
{
	struct kernel *kernel = (struct kernel *)show;

	programs_init(&kernel->programs, show->trace, PROGRAM_TEXT);
	times_init(&kernel->heads.times, show->trace, show->time);
	kernel->heads.colors = show->colors;
	kernel->requests = malloc(REQUESTS_MAX);
	kernel->answer = malloc(KERNEL_TEXT_MAX);
	if (!kernel->requests || !kernel->answer ||
	    output_init(&kernel->heads_text, NULL, NULL) ||
	    output_init(&kernel->output, show->write, show->data))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

static bool is_refused(const struct kernel *kernel,
		       const struct ktrace_type *type)
{
	if (kernel->nr_refused == REFUSED_MAX)
		return true;
	for (unsigned int i = 0; i < kernel->nr_refused; i++) {
		if (kernel->refused[i] == type->number)
			return true;
	}
	return false;
}

static bool is_asked(const struct kernel *kernel, const struct entry *entry)
{
	return entry->type && !is_refused(kernel, entry->type);
}

static uint32_t request_end(const struct kernel *kernel, uint32_t i)
{
	return i + 1 < kernel->nr_entries ? kernel->entries[i + 1].request
					  : kernel->requests_size;
}

/* Sends the entries from @from to @to.  False: the child is gone. */
static bool requests_send(const struct kernel *kernel, uint32_t from,
			  uint32_t to)
{
	uint32_t size = 0, i, begin;

	for (i = from; i < to; i++) {
		if (is_asked(kernel, &kernel->entries[i]))
			size += request_end(kernel, i) -
				kernel->entries[i].request;
	}
	if (!jail_send(&kernel->jail, &size, sizeof(size)))
		return false;
	/* Entries that are adjacent are sent at once. */
	for (i = from; i < to;) {
		if (!is_asked(kernel, &kernel->entries[i])) {
			i++;
			continue;
		}
		begin = kernel->entries[i].request;
		while (i < to && is_asked(kernel, &kernel->entries[i]))
			i++;
		if (!jail_send(&kernel->jail, kernel->requests + begin,
			       request_end(kernel, i - 1) - begin))
			return false;
	}
	return true;
}

/* Writes one line, with nothing in it that acts on a terminal. */
static void line_put(struct output *output, const char *s, size_t n)
{
	size_t length;

	while (n && s[n - 1] == '\n')
		n--;
	while (n) {
		for (length = 0; length < n && length < OUTPUT_ROOM &&
				 ((s[length] >= ' ' && s[length] < 0x7f) ||
				  s[length] == '\t');)
			length++;
		if (length) {
			output_add(output, s, length);
		} else if (*s == '\n') {
			output_add(output, " ", 1);
			length = 1;
		} else {
			output_room(output, ESCAPE_ROOM);
			output->p = escape_text_char(
				output->p, (const uint8_t *)s, n, &length);
		}
		s += length;
		n -= length;
	}
}

static int text_put(struct kernel *kernel, const struct entry *entry)
{
	const uint8_t *at = kernel->requests + entry->request;
	struct kernel_request request;
	struct ktrace_event event = {.type = entry->type};

	memcpy(&request, at, sizeof(request));
	event.time = request.time;
	event.payload = at + sizeof(request);
	event.size = request.size;
	if (programs_run(&kernel->programs, &kernel->output, &event))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

/* Reads a part of the child's answers.  False: it is gone. */
static bool answer_read(struct kernel *kernel, void *data, uint32_t n)
{
	uint8_t *p = data;

	while (n) {
		uint32_t part = kernel->read_end - kernel->read_begin;
		ssize_t done;

		if (!part) {
			done = jail_receive(&kernel->jail, kernel->read,
					    READ_SIZE);
			if (done <= 0)
				return false;
			kernel->read_begin = 0;
			kernel->read_end = done;
			continue;
		}
		if (part > n)
			part = n;
		memcpy(p, kernel->read + kernel->read_begin, part);
		kernel->read_begin += part;
		p += part;
		n -= part;
	}
	return true;
}

static bool answer_get(struct kernel *kernel, uint32_t *length)
{
	if (!answer_read(kernel, length, sizeof(*length)))
		return false;
	if (*length == KERNEL_UNKNOWN)
		return true;
	return *length <= KERNEL_TEXT_MAX &&
	       answer_read(kernel, kernel->answer, *length);
}

/* Shows the entries from *@from to @to that have answers; advances *@from. */
static int entries_show(struct kernel *kernel, uint32_t *from, uint32_t to)
{
	struct output *output = &kernel->output;
	uint32_t length, begin;
	int err = 0;

	for (; !err && *from < to; ++*from) {
		const struct entry *entry = &kernel->entries[*from];
		bool asked = is_asked(kernel, entry);

		if (asked && !answer_get(kernel, &length))
			return 0;
		begin = *from ? entry[-1].head_end : 0;
		output_write(output, kernel->heads_text.buf + begin,
			     entry->head_end - begin);
		if (!entry->type)
			continue;
		if (asked && length != KERNEL_UNKNOWN) {
			line_put(output, entry->type->name,
				 strlen(entry->type->name));
			output_puts(output, ": ");
			line_put(output, kernel->answer, length);
		} else {
			err = text_put(kernel, entry);
		}
		output_add(output, "\n", 1);
	}
	return err ? err : output->err;
}

static int child_start(struct kernel *kernel)
{
	uint64_t offset;
	int err;

	if (kernel->jail.pid || kernel->nr_refused == REFUSED_MAX)
		return 0;
	/* The child can open no file, so symbols are read before it starts. */
	ktrace_symbol(kernel->show.trace, 0, &offset);
	err = jail_start(&kernel->jail, kernel_print, kernel->show.trace);
	if (err)
		return error_set(err,
				 "cannot run the trace's print formats safely, "
				 "in a confined process: %s; the format text "
				 "needs none",
				 strerror(-err));
	return 0;
}

static int batch_show(struct kernel *kernel)
{
	uint32_t from = 0, to;
	bool one = false; /* send one by one */
	int err = 0;

	while (!err && from < kernel->nr_entries) {
		err = child_start(kernel);
		if (err)
			break;
		to = one ? from + 1 : kernel->nr_entries;
		if (kernel->jail.pid)
			requests_send(kernel, from, to);
		err = entries_show(kernel, &from, to);
		if (err || from == to)
			continue;
		jail_stop(&kernel->jail);
		kernel->read_begin = kernel->read_end = 0;
		if (one)
			kernel->refused[kernel->nr_refused++] =
				kernel->entries[from].type->number;
		one = !one;
	}
	kernel->nr_entries = 0;
	kernel->requests_size = 0;
	kernel->heads_text.p = kernel->heads_text.buf;
	return err;
}

/* Adds an entry that has room for a payload of @size. */
static int entry_add(struct kernel *kernel, uint32_t size, struct entry **entry)
{
	struct output *heads = &kernel->heads_text;
	int err;

	if (kernel->nr_entries == EVENTS_MAX ||
	    kernel->requests_size + sizeof(struct kernel_request) + size >
		    REQUESTS_MAX ||
	    heads->end - heads->p < HEAD_ROOM) {
		err = batch_show(kernel);
		if (err)
			return err;
	}
	*entry = &kernel->entries[kernel->nr_entries++];
	(*entry)->type = NULL;
	(*entry)->request = kernel->requests_size;
	return 0;
}

static void head_end(struct kernel *kernel, struct entry *entry)
{
	entry->head_end = kernel->heads_text.p - kernel->heads_text.buf;
}

static int kernel_event(struct ktrace_output *show,
			const struct ktrace_event *event)
{
	struct kernel *kernel = (struct kernel *)show;
	struct kernel_request request = {
		.time = event->time,
		.type = event->type->number,
		.cpu = event->cpu,
		.tid = event->tid,
		.size = event->size < KERNEL_PAYLOAD_MAX ? event->size
							 : KERNEL_PAYLOAD_MAX,
	};
	struct entry *entry;
	int err;

	err = entry_add(kernel, request.size, &entry);
	if (err)
		return err;
	entry->type = event->type;
	if (line_head(&kernel->heads, &kernel->heads_text, event))
		return error_set(-ENOMEM, "out of memory");
	head_end(kernel, entry);
	memcpy(kernel->requests + kernel->requests_size, &request,
	       sizeof(request));
	kernel->requests_size += sizeof(request);
	if (request.size)
		memcpy(kernel->requests + kernel->requests_size, event->payload,
		       request.size);
	kernel->requests_size += request.size;
	return 0;
}

static int kernel_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss)
{
	struct kernel *kernel = (struct kernel *)show;
	struct entry *entry;
	int err = entry_add(kernel, 0, &entry);

	if (err)
		return err;
	line_loss(&kernel->heads_text, loss, show->colors);
	head_end(kernel, entry);
	return 0;
}

static int kernel_finish(struct ktrace_output *show)
{
	struct kernel *kernel = (struct kernel *)show;
	int err = batch_show(kernel);

	return err ? err : output_flush(&kernel->output);
}

static void kernel_release(struct ktrace_output *show)
{
	struct kernel *kernel = (struct kernel *)show;

	jail_stop(&kernel->jail);
	line_heads_destroy(&kernel->heads);
	programs_destroy(&kernel->programs);
	output_destroy(&kernel->heads_text);
	output_destroy(&kernel->output);
	free(kernel->requests);
	free(kernel->answer);
}

const struct show_ops show_kernel = {
	.kind.name = "kernel",
	.kind.what = "a line for each event, in the kernel's own print format",
	.kind.times = true,
	.size = sizeof(struct kernel),
	.open = kernel_open,
	.event = kernel_event,
	.loss = kernel_loss,
	.finish = kernel_finish,
	.release = kernel_release,
};
