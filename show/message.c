// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "message.h"

#define VARINT_MAX 10

/* The types of values. */
enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
};

/* NULL: there is no room for so many bytes. */
static uint8_t *message_room(struct message *m, size_t size)
{
	size_t room = m->room ? m->room : 256;
	uint8_t *more;

	if (m->failed)
		return NULL;
	if (m->room - m->size >= size)
		return m->bytes + m->size;
	while (room - m->size < size)
		room *= 2;
	more = realloc(m->bytes, room);
	if (!more) {
		m->failed = true;
		return NULL;
	}
	m->bytes = more;
	m->room = room;
	return m->bytes + m->size;
}

static size_t varint_put(uint8_t *p, uint64_t value)
{
	size_t n = 0;

	while (value > 0x7f) {
		p[n++] = value | 0x80;
		value >>= 7;
	}
	p[n++] = value;
	return n;
}

static void message_varint(struct message *m, uint64_t value)
{
	uint8_t *p = message_room(m, VARINT_MAX);

	if (p)
		m->size += varint_put(p, value);
}

static void message_key(struct message *m, uint32_t field, enum wire wire)
{
	message_varint(m, (uint64_t)field << 3 | wire);
}

static void message_add(struct message *m, const void *bytes, size_t size)
{
	uint8_t *p = message_room(m, size);

	if (!p || !size)
		return;
	memcpy(p, bytes, size);
	m->size += size;
}

void message_uint(struct message *m, uint32_t field, uint64_t value)
{
	message_key(m, field, WIRE_VARINT);
	message_varint(m, value);
}

void message_fixed64(struct message *m, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = value >> 8 * i;
	message_key(m, field, WIRE_FIXED64);
	message_add(m, bytes, sizeof(bytes));
}

void message_bytes(struct message *m, uint32_t field, const void *bytes,
		   size_t size)
{
	message_key(m, field, WIRE_BYTES);
	message_varint(m, size);
	message_add(m, bytes, size);
}

void message_text(struct message *m, uint32_t field, const char *text,
		  size_t size)
{
	static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
	size_t begin = message_begin(m, field);

	while (size) {
		size_t n = utf8_length((const uint8_t *)text, size);

		if (n)
			message_add(m, text, n);
		else
			message_add(m, unknown, sizeof(unknown) - 1);
		text += n ?: 1;
		size -= n ?: 1;
	}
	message_end(m, begin);
}

size_t message_begin(struct message *m, uint32_t field)
{
	message_key(m, field, WIRE_BYTES);
	/* Most messages are short. */
	message_add(m, "", 1);
	return m->size;
}

void message_end(struct message *m, size_t begin)
{
	uint8_t length[VARINT_MAX];
	size_t size = m->size - begin, n;

	if (m->failed)
		return;
	n = varint_put(length, size);
	if (!message_room(m, n))
		return;
	memmove(m->bytes + begin + n - 1, m->bytes + begin, size);
	memcpy(m->bytes + begin - 1, length, n);
	m->size += n - 1;
}
