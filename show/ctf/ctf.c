// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * CTF 1.8, for babeltrace2, Trace Compass and others: a directory with a file
 * of metadata and a stream for each CPU.
 *
 * Times are CLOCK_MONOTONIC in nanoseconds, as in all other outputs.  The
 * clock's offset makes them wall-clock time.  There is only one offset, so this
 * is wrong after the machine has slept.  Each event has the task that ran.  A
 * loss ends a packet: the next one has a higher count of discarded events, so
 * that readers show the loss in its place.
 *
 * If there are stacks, the context of all events has who called; events without a stack have
 * no frames.  callstack_kernel is as LTTng has it: addresses.  callstack_kernel_end, which LTTng
 * does not have, says why there are no more.  LTTng's callstack_user has addresses, too, but
 * our frames of programs are places in files, so it has them as the text report shows them,
 * with those that were inlined.  Branches before an event are strings, too.  If the stack is not
 * complete, the last string says why.
 */
#include <errno.h>
#include <fcntl.h>
#include <ktrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "ctf.h"
#include "output.h"
#include "show.h"
#include "stack.h"

/* A packet is written when it has this size. */
#define PACKET_SIZE (256u << 10)

struct packet_head {
	uint32_t magic;
	uint8_t uuid[CTF_UUID_LEN];
	uint32_t stream_id;
	uint64_t begin;
	uint64_t end;
	uint64_t content_size; /* bits */
	uint64_t packet_size;  /* bits */
	uint64_t seq;
	uint64_t discarded;
	uint32_t cpu;
} __attribute__((packed));

struct event_head {
	uint32_t id;
	uint64_t time;
	int32_t tid;
	int32_t tgid;
	char comm[16];
} __attribute__((packed));

/* How to copy an event's payload; adjacent fixed fields are one step. */
struct step {
	enum ctf_kind kind;
	uint32_t offset;
	uint32_t size;
	uint32_t elem;
	const struct ktrace_field *field;
};

struct plan {
	/* Of the begin and the end of an interrupt: the type of its end.  NULL: it is neither. */
	const struct ktrace_type *end;
	bool ends; /* it is the end itself, of this type or another one of the event */
	const struct ktrace_field *key; /* which interrupt */
	uint32_t nr_steps;
	struct step steps[];
};

/* An interrupt that has begun: what ends it. */
struct open_interrupt {
	const struct ktrace_type *end;
	uint64_t key; /* its number */
};

/* So many may be in each other, which is more than the kernel allows.  Of more, the outermost is forgotten. */
#define INTERRUPTS_MAX 32

struct ctf_stream {
	int fd;
	uint8_t *buf;
	size_t used; /* 0: there is no open packet */
	size_t room;
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
	uint64_t discarded;
	struct open_interrupt
		open[INTERRUPTS_MAX]; /* the innermost is the last */
	uint32_t nr_open;
};

struct ctf {
	struct ktrace_output show;
	int directory;
	int metadata; /* kept open, because others may change the directory */
	bool made;    /* the directory was created here */
	bool claimed; /* the metadata was created here */
	bool whole;   /* everything was written */
	int digits;   /* of the highest CPU number */
	unsigned int stacks; /* enum ctf_stacks: those that any event has */
	struct output frame; /* one of a program, as text */
	uint8_t uuid[CTF_UUID_LEN];
	struct ctf_stream *streams; /* by CPU */
	uint32_t nr_streams;
	struct plan **plans; /* by id */
	uint32_t nr_plans;
};

/* The ids of stacks are the last fields. */
static unsigned int type_stacks(const struct ktrace_type *type)
{
	uint32_t first = ktrace_type_own_fields(type), i;
	unsigned int stacks = 0;

	for (i = first; i < first + ktrace_type_stacks(type); i++)
		stacks |= strcmp(type->fields[i].name, KT_USER_STACK_FIELD)
				  ? CTF_STACK_KERNEL
				  : CTF_STACK_USER;
	if (ktrace_type_branches(type) || type->branch)
		stacks |= CTF_BRANCHES;
	return stacks;
}

static unsigned int any_stacks(const struct ktrace_types *types)
{
	unsigned int stacks = 0;

	for (size_t i = 0; i < ktrace_types_count(types); i++)
		stacks |= type_stacks(ktrace_types_get(types, i));
	return stacks;
}

static int ctf_open(struct ktrace_output *show)
{
	struct ctf *ctf = (struct ctf *)show;
	const struct ktrace_info *info = ktrace_get_info(show->trace);

	ctf->directory = -1;
	ctf->metadata = -1;
	if (!show->path)
		return error_set(-EINVAL, "CTF is a directory: say which one");
	/* A trace is private until its owner gives it away. */
	ctf->made = !mkdir(show->path, 0700);
	if (!ctf->made && errno != EEXIST)
		return error_set(-errno, "%s: %s", show->path, strerror(errno));
	ctf->directory = open(show->path,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ctf->directory < 0)
		return error_set(-errno, "%s: %s", show->path, strerror(errno));
	/* Created first, so that no trace is overwritten, but written last. */
	ctf->metadata = openat(ctf->directory, "metadata",
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (ctf->metadata < 0 && errno == EEXIST)
		return error_set(-EEXIST,
				 "%s holds a trace already: name another place",
				 show->path);
	if (ctf->metadata < 0)
		return error_set(-errno, "%s/metadata: %s", show->path,
				 strerror(errno));

	ctf->claimed = true;

	ctf->digits =
		snprintf(NULL, 0, "%u",
			 info->nr_cpus ? info->cpus[info->nr_cpus - 1].cpu : 0);
	ctf->stacks = any_stacks(ktrace_get_types(show->trace));
	if (ctf->stacks & (CTF_STACK_USER | CTF_BRANCHES) &&
	    output_init(&ctf->frame, NULL, NULL))
		return error_set(-ENOMEM, "out of memory");
	/* A trace that is exported twice has the same UUID. */
	memcpy(ctf->uuid, &info->id, sizeof(info->id));
	memcpy(ctf->uuid + 8, &info->start, sizeof(info->start));
	ctf->uuid[6] = (ctf->uuid[6] & 0x0f) | 0x40;
	ctf->uuid[8] = (ctf->uuid[8] & 0x3f) | 0x80;
	return 0;
}

static int ctf_write(struct ctf *ctf, int fd, const void *data, size_t n)
{
	int err = file_write(fd, data, n);

	return err ? error_set(err, "%s: cannot write: %s", ctf->show.path,
			       strerror(-err))
		   : 0;
}

/* Names have leading zeros, because babeltrace2 orders equal times by them. */
static void stream_name(const struct ctf *ctf, uint32_t cpu, char name[32])
{
	snprintf(name, 32, "channel0_%0*u", ctf->digits, cpu);
}

static int stream_open(struct ctf *ctf, uint32_t cpu)
{
	struct ctf_stream *stream;
	char name[32];

	if (cpu >= ctf->nr_streams) {
		uint32_t i, nr = cpu + 16;
		struct ctf_stream *streams =
			realloc(ctf->streams, nr * sizeof(*streams));

		if (!streams)
			return error_set(-ENOMEM, "out of memory");
		for (i = ctf->nr_streams; i < nr; i++)
			streams[i] = (struct ctf_stream){.fd = -1};
		ctf->streams = streams;
		ctf->nr_streams = nr;
	}
	stream = &ctf->streams[cpu];
	if (stream->fd >= 0)
		return 0;
	stream_name(ctf, cpu, name);
	stream->fd = openat(ctf->directory, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (stream->fd < 0)
		return error_set(-errno, "%s/%s: %s", ctf->show.path, name,
				 strerror(errno));
	return 0;
}

static int stream_room(struct ctf_stream *stream, size_t n)
{
	size_t room = stream->room ? stream->room : PACKET_SIZE + 16384;
	uint8_t *buf;

	if (stream->room - stream->used >= n)
		return 0;
	while (room - stream->used < n)
		room *= 2;
	buf = realloc(stream->buf, room);
	if (!buf)
		return error_set(-ENOMEM, "out of memory");
	stream->buf = buf;
	stream->room = room;
	return 0;
}

/* Writes the open packet, if there is one. */
static int packet_write(struct ctf *ctf, uint32_t cpu)
{
	struct ctf_stream *stream = &ctf->streams[cpu];
	struct packet_head head = {
		.magic = CTF_MAGIC,
		.begin = stream->begin,
		.end = stream->end,
		.content_size = stream->used * 8,
		.packet_size = stream->used * 8,
		.seq = stream->seq,
		.discarded = stream->discarded,
		.cpu = cpu,
	};
	size_t used = stream->used;

	if (!used)
		return 0;
	memcpy(head.uuid, ctf->uuid, sizeof(head.uuid));
	memcpy(stream->buf, &head, sizeof(head));
	stream->used = 0;
	stream->seq++;
	return ctf_write(ctf, stream->fd, stream->buf, used);
}

static int packet_begin(struct ctf_stream *stream, uint64_t time)
{
	int err = stream_room(stream, PACKET_SIZE + 16384);

	if (err)
		return err;
	stream->used = sizeof(struct packet_head);
	stream->begin = time;
	stream->end = time;
	return 0;
}

/* Both halves of an interrupt have this field; without one, there is only one of its type. */
static const struct ktrace_field *interrupt_key(const struct ktrace_type *type)
{
	static const char *const names[] = {"irq", "vec", "vector"};
	const struct ktrace_field *field = NULL;

	for (size_t i = 0; !field && i < sizeof(names) / sizeof(names[0]); i++)
		field = ktrace_field_find(type, names[i]);
	return field && field->kind <= KTRACE_POINTER ? field : NULL;
}

static struct plan *plan_make(const struct ktrace_types *types,
			      const struct ktrace_type *type)
{
	struct plan *plan = calloc(
		1, sizeof(*plan) + type->nr_fields * sizeof(struct step));
	uint32_t i;

	if (!plan)
		return NULL;
	plan->end = ctf_interrupt_end(types, type);
	plan->ends = ctf_ends_interrupt(type);
	plan->key = plan->end ? interrupt_key(type) : NULL;
	/* Stacks are in the context, and not their ids. */
	for (i = 0; i < ktrace_type_own_fields(type); i++) {
		const struct ktrace_field *field = &type->fields[i];
		struct ctf_field ctf = ctf_field(type, field);
		struct step *last = plan->nr_steps
					    ? &plan->steps[plan->nr_steps - 1]
					    : NULL;
		struct step step = {
			.kind = ctf.kind,
			.offset = field->offset,
			.size = field->size,
			.elem = ctf.elem,
			.field = field,
		};

		/* All of these are plain copies. */
		if (ctf.kind == CTF_ENUM || ctf.kind == CTF_CHARS ||
		    ctf.kind == CTF_ARRAY)
			step.kind = CTF_INTEGER;
		if (last && last->kind == CTF_INTEGER &&
		    step.kind == CTF_INTEGER &&
		    last->offset + last->size == step.offset)
			last->size += step.size;
		else
			plan->steps[plan->nr_steps++] = step;
	}
	return plan;
}

static struct plan *ctf_plan(struct ctf *ctf, const struct ktrace_type *type)
{
	if (type->number >= ctf->nr_plans) {
		uint32_t nr = type->number + 256;
		struct plan **plans = realloc(ctf->plans, nr * sizeof(*plans));

		if (!plans)
			return NULL;
		memset(plans + ctf->nr_plans, 0,
		       (nr - ctf->nr_plans) * sizeof(*plans));
		ctf->plans = plans;
		ctf->nr_plans = nr;
	}
	if (!ctf->plans[type->number])
		ctf->plans[type->number] =
			plan_make(ktrace_get_types(ctf->show.trace), type);
	return ctf->plans[type->number];
}

/* Copies a value whose size is in the record. */
static int put_dynamic(struct ctf_stream *stream,
		       const struct ktrace_event *event,
		       const struct step *step)
{
	size_t n;
	const uint8_t *s = ktrace_field_bytes(event, step->field, &n);
	int err = stream_room(stream, n + sizeof(uint32_t));
	uint8_t *p = stream->buf + stream->used;
	uint32_t count;

	if (err)
		return err;
	if (step->kind == CTF_STRING) {
		memcpy(p, s, n);
		p[n] = '\0';
		stream->used += n + 1;
		return 0;
	}
	count = n / step->elem;
	memcpy(p, &count, sizeof(count));
	memcpy(p + sizeof(count), s, count * step->elem);
	stream->used += sizeof(count) + count * step->elem;
	return 0;
}

/* The length, the addresses, and why there are no more. */
static int put_stack(struct ctf_stream *stream, const struct ktrace *trace,
		     const struct ktrace_event *event)
{
	struct ktrace_stack stack = {0};
	uint8_t *p, end = CTF_STACK_NONE;
	size_t size;
	int err;

	if (ktrace_event_stack(trace, event, &stack))
		end = stack.end;
	size = stack.nr * sizeof(*stack.addresses);
	err = stream_room(stream, sizeof(stack.nr) + size + sizeof(end));
	if (err)
		return err;
	p = stream->buf + stream->used;
	memcpy(p, &stack.nr, sizeof(stack.nr));
	if (size)
		memcpy(p + sizeof(stack.nr), stack.addresses, size);
	p[sizeof(stack.nr) + size] = end;
	stream->used += sizeof(stack.nr) + size + sizeof(end);
	return 0;
}

/* The string that is in ctf->frame, which is empty afterwards. */
static int put_frame(struct ctf *ctf, struct ctf_stream *stream)
{
	size_t size;
	int err;

	output_add(&ctf->frame, "", 1);
	size = ctf->frame.p - ctf->frame.buf;
	ctf->frame.p = ctf->frame.buf;
	err = stream_room(stream, size);
	if (err)
		return err;
	memcpy(stream->buf + stream->used, ctf->frame.buf, size);
	stream->used += size;
	return 0;
}

static int put_user_frames(struct ctf *ctf, struct ctf_stream *stream,
			   const struct ktrace_stack *stack, uint32_t *nr)
{
	const char *end = ktrace_stack_end_text(stack->end);
	const struct ktrace *trace = ctf->show.trace;
	struct stack_part part = {0};
	int err = 0;

	while (!err && stack_part_next(trace, stack, ctf->show.frames, &part)) {
		stack_part_put(&ctf->frame, trace, stack, &part,
			       ctf->show.frames);
		err = put_frame(ctf, stream);
		++*nr;
	}
	if (err || !end)
		return err;
	output_puts(&ctf->frame, "[");
	output_puts(&ctf->frame, end);
	output_puts(&ctf->frame, "]");
	++*nr;
	return put_frame(ctf, stream);
}

/* How many strings, which is known when they are there, and the strings. */
static int put_user_stack(struct ctf *ctf, struct ctf_stream *stream,
			  const struct ktrace_event *event)
{
	size_t at = stream->used;
	struct ktrace_stack stack;
	uint32_t nr = 0;
	int err = stream_room(stream, sizeof(nr));

	if (err)
		return err;
	stream->used += sizeof(nr);
	if (ktrace_event_user_stack(ctf->show.trace, event, &stack))
		err = put_user_frames(ctf, stream, &stack, &nr);
	memcpy(stream->buf + at, &nr, sizeof(nr));
	return err;
}

static int put_branches(struct ctf *ctf, struct ctf_stream *stream,
			const struct ktrace_event *event)
{
	struct ktrace_stack places = {0};
	const char *end = NULL;
	uint32_t nr;
	int err;

	if (ktrace_event_branches(ctf->show.trace, event, &places))
		end = branches_end_text(&places);
	nr = places.nr / 2 + !!end;
	err = stream_room(stream, sizeof(nr));
	if (err)
		return err;
	memcpy(stream->buf + stream->used, &nr, sizeof(nr));
	stream->used += sizeof(nr);
	for (uint32_t i = 0; !err && i < places.nr / 2; i++) {
		branch_put(&ctf->frame, ctf->show.trace, &places, i,
			   ctf->show.frames);
		err = put_frame(ctf, stream);
	}
	if (err || !end)
		return err;
	output_puts(&ctf->frame, "[");
	output_puts(&ctf->frame, end);
	output_puts(&ctf->frame, "]");
	return put_frame(ctf, stream);
}

static int put_stacks(struct ctf *ctf, struct ctf_stream *stream,
		      const struct ktrace_event *event)
{
	int err = 0;

	if (ctf->stacks & CTF_STACK_KERNEL)
		err = put_stack(stream, ctf->show.trace, event);
	if (!err && ctf->stacks & CTF_STACK_USER)
		err = put_user_stack(ctf, stream, event);
	if (!err && ctf->stacks & CTF_BRANCHES)
		err = put_branches(ctf, stream, event);
	return err;
}

/* Follows which interrupts are open on a CPU.  Is the event the end of one that is not? */
static bool is_unbegun(struct ctf_stream *stream, const struct plan *plan,
		       const struct ktrace_event *event)
{
	struct open_interrupt this = {.end = plan->end};
	uint32_t i = stream->nr_open;

	if (!plan->end)
		return false;
	if (plan->key)
		this.key = ktrace_field_int(event, plan->key);
	if (!plan->ends) {
		if (i == INTERRUPTS_MAX)
			memmove(stream->open, stream->open + 1,
				--i * sizeof(this));
		stream->open[i] = this;
		stream->nr_open = i + 1;
		return false;
	}
	while (i && (stream->open[i - 1].end != this.end ||
		     stream->open[i - 1].key != this.key))
		i--;
	if (!i)
		return true;
	/* The ends of those that are in it were lost. */
	stream->nr_open = i - 1;
	return false;
}

static int ctf_event(struct ktrace_output *show,
		     const struct ktrace_event *event)
{
	struct ctf *ctf = (struct ctf *)show;
	const struct plan *plan = ctf_plan(ctf, event->type);
	struct ctf_stream *stream;
	struct event_head head;
	uint32_t i;
	int err;

	if (!plan)
		return error_set(-ENOMEM, "out of memory");
	err = stream_open(ctf, event->cpu);
	if (err)
		return err;
	stream = &ctf->streams[event->cpu];
	if (stream->used >= PACKET_SIZE) {
		err = packet_write(ctf, event->cpu);
		if (err)
			return err;
	}
	if (!stream->used) {
		err = packet_begin(stream, event->time);
		if (err)
			return err;
	}
	stream->end = event->time;

	err = stream_room(stream, sizeof(head));
	if (err)
		return err;
	head.id = ctf_event_id(event->type, is_unbegun(stream, plan, event));
	head.time = event->time;
	head.tid = event->tid;
	head.tgid = event->tgid;
	memset(head.comm, 0, sizeof(head.comm));
	memcpy(head.comm, event->comm, strnlen(event->comm, 16));
	memcpy(stream->buf + stream->used, &head, sizeof(head));
	stream->used += sizeof(head);
	err = put_stacks(ctf, stream, event);
	if (err)
		return err;

	for (i = 0; i < plan->nr_steps; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind == CTF_INTEGER) {
			err = stream_room(stream, step->size);
			if (err)
				return err;
			memcpy(stream->buf + stream->used,
			       event->payload + step->offset, step->size);
			stream->used += step->size;
		} else {
			err = put_dynamic(stream, event, step);
			if (err)
				return err;
		}
	}
	return 0;
}

static int ctf_loss(struct ktrace_output *show, const struct ktrace_loss *loss)
{
	struct ctf *ctf = (struct ctf *)show;
	struct ctf_stream *stream;
	int err;

	/* Task records are not events. */
	if (loss->cause == KTRACE_LOST_TASK)
		return 0;
	err = stream_open(ctf, loss->cpu);
	if (err)
		return err;
	stream = &ctf->streams[loss->cpu];
	/*
	 * Readers ignore the count of the first packet, so that one must be
	 * empty.
	 */
	if (!stream->seq && !stream->used) {
		err = packet_begin(stream, loss->from);
		if (!err)
			err = packet_write(ctf, loss->cpu);
	} else if (stream->used > sizeof(struct packet_head)) {
		err = packet_write(ctf, loss->cpu);
	}
	if (err)
		return err;
	stream->discarded += loss->count;
	if (!stream->used)
		err = packet_begin(stream, loss->time);
	return err;
}

static int ctf_finish(struct ktrace_output *show)
{
	struct ctf *ctf = (struct ctf *)show;
	char *text;
	uint32_t i;
	int err = 0;

	if (ctf->metadata < 0)
		return error_set(-EINVAL, "%s: is finished", show->path);
	for (i = 0; !err && i < ctf->nr_streams; i++) {
		if (ctf->streams[i].fd >= 0)
			err = packet_write(ctf, i);
	}
	if (err)
		return err;
	text = ctf_metadata(show->trace, ctf->uuid, ctf->stacks);
	if (!text)
		return error_set(-ENOMEM, "out of memory");
	err = ctf_write(ctf, ctf->metadata, text, strlen(text));
	if (close(ctf->metadata) && !err)
		err = error_set(-errno, "%s/metadata: %s", show->path,
				strerror(errno));
	ctf->metadata = -1;
	ctf->whole = !err;
	free(text);
	return err;
}

/* An incomplete output would prevent the next attempt. */
static void ctf_remove(struct ctf *ctf)
{
	char name[32];

	for (uint32_t i = 0; i < ctf->nr_streams; i++) {
		if (ctf->streams[i].fd < 0)
			continue;
		stream_name(ctf, i, name);
		unlinkat(ctf->directory, name, 0);
	}
	unlinkat(ctf->directory, "metadata", 0);
}

static void ctf_release(struct ktrace_output *show)
{
	struct ctf *ctf = (struct ctf *)show;
	uint32_t i;

	if (ctf->claimed && !ctf->whole)
		ctf_remove(ctf);
	if (ctf->made && !ctf->whole)
		rmdir(ctf->show.path);
	if (ctf->metadata >= 0)
		close(ctf->metadata);
	for (i = 0; i < ctf->nr_streams; i++) {
		if (ctf->streams[i].fd >= 0)
			close(ctf->streams[i].fd);
		free(ctf->streams[i].buf);
	}
	for (i = 0; i < ctf->nr_plans; i++)
		free(ctf->plans[i]);
	free(ctf->streams);
	free(ctf->plans);
	output_destroy(&ctf->frame);
	if (ctf->directory >= 0)
		close(ctf->directory);
}

const struct show_ops show_ctf = {
	.kind.name = "ctf",
	.kind.what = "a CTF 1.8 directory, for babeltrace2 and Trace Compass",
	.kind.directory = true,
	.size = sizeof(struct ctf),
	.open = ctf_open,
	.event = ctf_event,
	.loss = ctf_loss,
	.finish = ctf_finish,
	.release = ctf_release,
};
