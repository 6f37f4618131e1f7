// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vectors of buffers, and messages, which have one; messages of queues. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <ktrace/capture_names.h>

#include "call.h"

static void put_vector(struct line *line, const struct call_view *view,
		       const struct captured *vector,
		       const struct captured *data, uint64_t address,
		       uint64_t count, int64_t limit)
{
	const uint8_t *bytes = data->bytes;
	size_t left = data->size, word = word_size(view);
	uint64_t base, size;
	size_t i;

	if (address && !count) {
		line_puts(line, "[]");
		return;
	}
	if (!vector->there || !address) {
		value_address(line, address);
		return;
	}
	line_puts(line, "[");
	for (i = 0; i + 2 * word <= vector->size; i += 2 * word) {
		size_t here, shown;
		bool cut;

		if (i / (2 * word) == call_elements_max(view))
			break;
		base = word_read(vector->bytes + i, word);
		size = word_read(vector->bytes + i + word, word);
		here = size < view->string_max ? size : view->string_max;
		shown = here;
		/* Shows only what was transferred. */
		if (limit >= 0 && (uint64_t)limit < shown)
			shown = limit;
		cut = (limit >= 0 && (uint64_t)limit < size ? (uint64_t)limit
							    : size) > shown;
		line_puts(line, i ? ", {iov_base=" : "{iov_base=");
		if (data->there && left >= here)
			value_string(line, bytes, shown, cut);
		else
			value_address(line, base);
		line_printf(line, ", iov_len=%" PRIu64 "}", size);
		if (left < here)
			here = left;
		bytes += here;
		left -= here;
		if (limit >= 0)
			limit = (uint64_t)limit > size ? limit - (int64_t)size
						       : 0;
	}
	if (count > i / (2 * word))
		line_puts(line, i ? ", ..." : "...");
	if (vector->unread && i + 2 * word > vector->size)
		line_printf(line, " /* %#" PRIx64 " */",
			    address + vector->size);
	line_puts(line, "]");
}

void iovec_print(struct line *line, const struct call_view *view,
		 unsigned int argument, bool exit)
{
	struct captured vector = captured_get(view, exit, argument, "");
	struct captured data =
		captured_get(view, exit, argument, KTRACE_CAPTURED_DATA);

	put_vector(line, view, &vector, &data, call_argument(view, argument),
		   call_argument(view, call_word(view, argument)->from),
		   exit ? view->result : -1);
}

/* What was captured of a message. */
struct message {
	const uint8_t *bytes; /* seven words */
	struct captured name, vector, data, control;
	int64_t limit; /* bytes that were transferred; -1: all that it has */
};

static void put_message(struct line *line, const struct call_view *view,
			unsigned int argument, const struct message *m)
{
	uint64_t at_name, at_vector, at_control, nr, control;
	size_t word = word_size(view);
	uint32_t length, flags;

	at_name = word_read(m->bytes, word);
	memcpy(&length, m->bytes + word, 4);
	at_vector = word_read(m->bytes + 2 * word, word);
	nr = word_read(m->bytes + 3 * word, word);
	control = word_read(m->bytes + 5 * word, word);
	memcpy(&flags, m->bytes + 6 * word, 4);
	line_puts(line, "{msg_name=");
	/* Less than a family is no address. */
	if (at_name && m->name.there && m->name.size >= sizeof(sa_family_t))
		value_sockaddr(line, m->name.bytes, m->name.size);
	else
		value_address(line, at_name);
	line_printf(line, ", msg_namelen=%u, msg_iov=", length);
	put_vector(line, view, &m->vector, &m->data, at_vector, nr, m->limit);
	line_printf(line, ", msg_iovlen=%" PRIu64, nr);
	at_control = word_read(m->bytes + 4 * word, word);
	if (control)
		line_puts(line, ", msg_control=");
	if (control && !m->control.there)
		value_address(line, at_control);
	else if (control)
		control_print(line, view, argument, m->control.bytes,
			      m->control.size, control, at_control);
	line_printf(line, ", msg_controllen=%" PRIu64 ", msg_flags=", control);
	value_names(line, "msg", flags);
	line_puts(line, "}");
}

void message_print(struct line *line, const struct call_view *view,
		   unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument, "");
	const struct message m = {
		.bytes = c.bytes,
		.name = captured_get(view, exit, argument,
				     KTRACE_CAPTURED_NAME),
		.vector = captured_get(view, exit, argument,
				       KTRACE_CAPTURED_VECTOR),
		.data = captured_get(view, exit, argument,
				     KTRACE_CAPTURED_DATA),
		.control = captured_get(view, exit, argument,
					KTRACE_CAPTURED_CONTROL),
		.limit = exit ? view->result : -1,
	};

	if (!c.there || c.size < 7 * word_size(view) ||
	    (exit && call_failed(view)))
		value_address(line, call_argument(view, argument));
	else
		put_message(line, view, argument, &m);
}

/* Takes the next @size bytes, at most @max, out of what all messages have together. */
static struct captured part_take(struct captured *all, uint64_t size,
				 uint64_t max)
{
	struct captured part = *all;

	part.size = size < max ? size : max;
	part.there = all->there && part.size <= all->size;
	part.unread = false;
	if (!part.there) {
		*all = (struct captured){0};
		return (struct captured){0};
	}
	all->bytes += part.size;
	all->size -= part.size;
	return part;
}

/* The layout of struct mmsghdr, for 64-bit programs only. */
#define LENGTH_AT offsetof(struct mmsghdr, msg_len)

struct message_parts {
	struct captured name, vector, data;
};

static struct message message_take(struct message_parts *parts,
				   const struct call_view *view,
				   const uint8_t *bytes)
{
	struct message m = {.bytes = bytes, .limit = -1};
	struct mmsghdr h;
	uint64_t length = 0;

	memcpy(&h, bytes, sizeof(h));
	m.name = part_take(&parts->name,
			   h.msg_hdr.msg_name ? h.msg_hdr.msg_namelen : 0,
			   KTRACE_CAPTURED_MESSAGE_NAME);
	m.vector =
		part_take(&parts->vector,
			  (uint64_t)h.msg_hdr.msg_iovlen * sizeof(struct iovec),
			  KTRACE_CAPTURED_MESSAGE_VECTOR);
	if (m.vector.size >= sizeof(struct iovec))
		memcpy(&length, m.vector.bytes + sizeof(length),
		       sizeof(length));
	if (h.msg_hdr.msg_iovlen)
		m.data = part_take(&parts->data, length, view->string_max);
	return m;
}

void messages_print(struct line *line, const struct call_view *view,
		    unsigned int argument)
{
	struct captured c = captured_get(view, true, argument, "");
	struct message_parts parts = {
		captured_get(view, true, argument, KTRACE_CAPTURED_NAME),
		captured_get(view, true, argument, KTRACE_CAPTURED_VECTOR),
		captured_get(view, true, argument, KTRACE_CAPTURED_DATA),
	};
	bool failed = call_failed(view), sent = *call_word(view, argument)->set;
	/* So many were sent, or received. */
	uint64_t done = failed ? 0 : (uint64_t)view->result;
	uint64_t nr = failed || sent
			      ? (uint32_t)call_argument(view, argument + 1)
			      : done;
	size_t size = sizeof(struct mmsghdr), i;

	if (!c.there || !call_argument(view, argument) ||
	    (c.size < size && nr)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (i = 0; i < nr && (i + 1) * size <= c.size; i++) {
		struct message m =
			message_take(&parts, view, c.bytes + i * size);
		uint32_t length;

		memcpy(&length, m.bytes + LENGTH_AT, sizeof(length));
		if (!failed && !sent)
			m.limit = length;
		line_puts(line, i ? ", {msg_hdr=" : "{msg_hdr=");
		put_message(line, view, argument, &m);
		if (i < done)
			line_printf(line, ", msg_len=%u", length);
		line_puts(line, "}");
	}
	if (i < nr && c.unread)
		line_printf(line, ", ... /* %#" PRIx64 " */",
			    call_argument(view, argument) + i * size);
	else if (i < nr)
		line_puts(line, ", ...");
	line_puts(line, "]");
}

/* Its type, a long, and its text (msgop(2)). */
void queued_print(struct line *line, const struct call_view *view,
		  unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, exit, argument, "");
	size_t type = word_size(view), length;
	uint64_t whole =
		exit ? (uint64_t)view->result : call_argument(view, word->from);

	if (!c.there || c.size < type || (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return;
	}
	length = c.size - type;
	if (length > view->string_max)
		length = view->string_max;
	line_printf(line, "{mtype=%" PRId64 ", mtext=",
		    type == 4 ? (int32_t)word_read(c.bytes, type)
			      : (int64_t)word_read(c.bytes, type));
	value_string(line, c.bytes + type, length, whole > length);
	line_puts(line, "}");
}
