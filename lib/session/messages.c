// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Capture programs for vectors of buffers, and for messages, which have one. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <ktrace/capture_names.h>

#include "maker.h"

#define CONTROL_ROOM  512 /* of a message's control data */
#define CONTROL_PATHS 8

void vector_make(struct maker *m, const struct ktrace_word *word)
{
	unsigned int i = m->index, max = m->string_max;
	unsigned int size = m->compat ? 4 : 8;

	if (!strcmp(word->set, "plain")) {
		list_make(m, word, "struct iovec", 2 * size, STRUCTS_MAX);
		return;
	}
	field_begin(m, "struct iovec", "");
	/* What a failed call should have filled is known as well. */
	if (m->exit)
		text_words(m->text, "a%u if ", i);
	else
		condition(m);
	text_words(m->text, "a%u a%d %u * bytes %u end", i, word->from,
		   2 * size, 2 * size * VECTOR_MAX);
	field_begin(m, "u8", KTRACE_CAPTURED_DATA);
	condition(m);
	text_words(
		m->text,
		"a%d each %u a%u i %u * + @%u a%u i %u * + %u + @%u bytes %u "
		"next end",
		word->from, rounds_for(max), i, 2 * size, size, i, 2 * size,
		size, size, max);
}

void message_make(struct maker *m)
{
	unsigned int i = m->index, max = m->string_max;
	/*
	 * Members: msg_name, msg_namelen, msg_iov, msg_iovlen and so on, with
	 * padding.
	 */
	unsigned int size = m->compat ? 4 : 8, n = size;

	bytes_make(m, "struct user_msghdr", 7 * size);
	field_begin(m, "struct sockaddr", KTRACE_CAPTURED_NAME);
	condition(m);
	text_words(m->text, "a%u @%u a%u %u + @4 bytes 128 end", i, n, i, n);
	field_begin(m, "struct iovec", KTRACE_CAPTURED_VECTOR);
	condition(m);
	text_words(m->text, "a%u %u + @%u a%u %u + @%u %u * bytes %u end", i,
		   2 * n, n, i, 3 * n, n, 2 * n, 2 * n * VECTOR_MAX);
	field_begin(m, "u8", KTRACE_CAPTURED_DATA);
	condition(m);
	text_words(m->text,
		   "a%u %u + @%u each %u a%u %u + @%u i %u * + @%u "
		   "a%u %u + @%u i %u * + %u + @%u bytes %u next end",
		   i, 3 * n, n, rounds_for(max), i, 2 * n, n, 2 * n, n, i,
		   2 * n, n, 2 * n, n, n, max);
	field_begin(m, "u8", KTRACE_CAPTURED_CONTROL);
	condition(m);
	text_words(m->text, "a%u %u + @%u a%u %u + @%u bytes %d end", i, 4 * n,
		   n, i, 5 * n, n, CONTROL_ROOM);
}

/* Begins a loop over the messages; in it the words of message_at() push an address. */
static void each_message(struct maker *m, const char *suffix, const char *type,
			 const char *begin, const char *nr, unsigned int max)
{
	field_begin(m, type, suffix);
	text_words(m->text, "%s %s each %u ", begin, nr, max);
}

/* Pushes the address of a member of the loop's message. */
static void message_at(struct maker *m, size_t member)
{
	text_words(m->text, "a%u i %zu * + %zu + ", m->index,
		   sizeof(struct mmsghdr), member);
}

void messages_make(struct maker *m, const struct ktrace_word *word)
{
	const size_t name = offsetof(struct msghdr, msg_name),
		     length = offsetof(struct msghdr, msg_namelen),
		     vector = offsetof(struct msghdr, msg_iov),
		     buffers = offsetof(struct msghdr, msg_iovlen);
	unsigned int size = sizeof(struct mmsghdr), i = m->index;
	bool sent = !strcmp(word->set, "sent");
	char nr[96], begin[48];

	/* What was not sent is shown as well; what was not received is nothing. */
	if (sent)
		snprintf(nr, sizeof(nr), "a%d 4294967295 &", word->from);
	else
		snprintf(nr, sizeof(nr), CALL_OK " a6 *");
	if (sent)
		snprintf(begin, sizeof(begin), "a%u if", i);
	else
		snprintf(begin, sizeof(begin), CALL_OK " a%u * if", i);
	field_begin(m, "u8", "");
	text_words(m->text, "%s a%u %s %u * bytes %u end", begin, i, nr, size,
		   size * KTRACE_CAPTURED_MESSAGES);
	each_message(m, KTRACE_CAPTURED_NAME, "u8", begin, nr,
		     KTRACE_CAPTURED_MESSAGES);
	message_at(m, name);
	text_puts(m->text, "@8 ");
	message_at(m, length);
	text_puts(m->text, "@4 ");
	message_at(m, name);
	text_words(m->text, "@8 0 == 0 == * bytes %u next end",
		   KTRACE_CAPTURED_MESSAGE_NAME);
	each_message(m, KTRACE_CAPTURED_VECTOR, "struct iovec", begin, nr,
		     KTRACE_CAPTURED_MESSAGES);
	message_at(m, vector);
	text_puts(m->text, "@8 ");
	message_at(m, buffers);
	text_words(m->text, "@8 16 * bytes %u next end",
		   KTRACE_CAPTURED_MESSAGE_VECTOR);
	/* Only of the first buffer of each message: a loop cannot be in a loop. */
	field_begin(m, "u8", KTRACE_CAPTURED_DATA);
	text_words(m->text, "a%u 0 == 0 == %s * each %u ", i, nr,
		   rounds_for(m->string_max));
	message_at(m, buffers);
	text_puts(m->text, "@8 if ");
	message_at(m, vector);
	text_puts(m->text, "@8 @8 ");
	message_at(m, vector);
	text_words(m->text, "@8 8 + @8 bytes %u end next", m->string_max);
}

void message_paths(struct maker *m)
{
	unsigned int i = m->index, n = m->compat ? 4 : 8;
	char any[32], control[80];

	snprintf(any, sizeof(any), "a%u %u + @%u 0 == 0 ==", i, 5 * n, n);
	snprintf(control, sizeof(control), "a%u %u + @%u a%u - %s * a%u +", i,
		 4 * n, n, i, any, i);
	paths_begin(m, m->name);
	condition(m);
	/* cmsg_level, cmsg_type, and the number from cmsg_len */
	text_words(
		m->text,
		"%s %s %u + @4 %d == * %s %u + @4 %d == * %s @%u %u - 2 >> * "
		"each %d a%u %u + @%u %u + i 4 * + @4 %s %d next end",
		any, control, n, SOL_SOCKET, control, n + 4, SCM_RIGHTS,
		control, n, n + 8, CONTROL_PATHS, i, 4 * n, n, n + 8,
		paths_word(m), PATHS_ROOM);
}
