/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A message of protocol buffers, as it is written: fields one after another, each a key and a
 * value (https://protobuf.dev/programming-guides/encoding/).
 */
#ifndef KT_SHOW_MESSAGE_H
#define KT_SHOW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct message {
	uint8_t *bytes;
	size_t size, room;
	bool failed; /* there was no memory */
};

void message_uint(struct message *message, uint32_t field, uint64_t value);
void message_fixed64(struct message *message, uint32_t field, uint64_t value);
void message_bytes(struct message *message, uint32_t field, const void *bytes,
		   size_t size);
/* A text; what is not valid UTF-8 becomes U+FFFD. */
void message_text(struct message *message, uint32_t field, const char *text,
		  size_t size);
/* A message in it is between these; returns what message_end() needs. */
size_t message_begin(struct message *message, uint32_t field);
void message_end(struct message *message, size_t begin);

#endif /* KT_SHOW_MESSAGE_H */
