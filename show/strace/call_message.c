// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Vectors of buffers, and messages, which have one. */
#include <inttypes.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "call.h"

static void put_vector(struct line *line, const struct call_view *view,
		       const struct captured *vector,
		       const struct captured *data, uint64_t address,
		       int64_t limit)
{
	const uint8_t *bytes = data->bytes;
	size_t left = data->size, word = word_size(view);
	uint64_t base, size;

	if (!vector->there || !address) {
		value_address(line, address);
		return;
	}
	line_puts(line, "[");
	for (size_t i = 0; i + 2 * word <= vector->size; i += 2 * word) {
		size_t here, shown;
		bool cut;

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
	if (vector->unread)
		line_printf(line, ", ... /* %#" PRIx64 " */",
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
		   exit ? view->result : -1);
}

void message_print(struct line *line, const struct call_view *view,
		   unsigned int argument, bool exit)
{
	struct captured message = captured_get(view, exit, argument, "");
	struct captured name =
		captured_get(view, exit, argument, KTRACE_CAPTURED_NAME);
	struct captured vector =
		captured_get(view, exit, argument, KTRACE_CAPTURED_VECTOR);
	struct captured data =
		captured_get(view, exit, argument, KTRACE_CAPTURED_DATA);
	struct captured in =
		captured_get(view, exit, argument, KTRACE_CAPTURED_CONTROL);
	uint64_t at_name, at_vector, at_control, nr, control;
	size_t word = word_size(view);
	uint32_t length, flags;

	if (!message.there || message.size < 7 * word ||
	    (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return;
	}
	at_name = word_read(message.bytes, word);
	memcpy(&length, message.bytes + word, 4);
	at_vector = word_read(message.bytes + 2 * word, word);
	nr = word_read(message.bytes + 3 * word, word);
	control = word_read(message.bytes + 5 * word, word);
	memcpy(&flags, message.bytes + 6 * word, 4);
	line_puts(line, "{msg_name=");
	if (at_name && name.there)
		value_sockaddr(line, name.bytes, name.size);
	else
		value_address(line, at_name);
	line_printf(line, ", msg_namelen=%u, msg_iov=", length);
	put_vector(line, view, &vector, &data, at_vector,
		   exit ? view->result : -1);
	line_printf(line, ", msg_iovlen=%" PRIu64, nr);
	at_control = word_read(message.bytes + 4 * word, word);
	if (control)
		line_puts(line, ", msg_control=");
	if (control && !in.there)
		value_address(line, at_control);
	else if (control)
		control_print(line, view, argument, in.bytes, in.size, control,
			      at_control);
	line_printf(line, ", msg_controllen=%" PRIu64 ", msg_flags=", control);
	value_names(line, "msg", flags);
	line_puts(line, "}");
}
