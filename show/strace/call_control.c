// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Control messages of sendmsg and recvmsg: descriptors, credentials, times, and what
 * the internet protocol says of a packet.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/errqueue.h>
#include <linux/time_types.h>

#include "call.h"

/* Numbers of old kernels, which the headers name only for their own word size. */
#define TIMESTAMP_OLD	 29
#define TIMESTAMPNS_OLD	 35
#define TIMESTAMPING_OLD 37
#define SCM_SECURITY	 3

struct control {
	const struct call_view *view;
	unsigned int argument;
	uint64_t length; /* as the header says, including itself */
	int32_t level;
	int32_t type;
	const uint8_t *data;
	size_t size; /* bytes of it that were captured */
	bool first;
	bool cut; /* there are more */
};

/* @unknown is printed for values without a name. */
static void put_name(struct line *line, const char *set, int32_t value,
		     const char *unknown)
{
	const struct ktrace_names *names = ktrace_names_find(set, NULL);
	struct constant constant = constant_begin(line);
	uint32_t i = 0;

	while (names && i < names->count &&
	       names->names[i].value != (uint32_t)value)
		i++;
	if (names && i < names->count)
		line_puts(line, names->names[i].name);
	else
		line_printf(line, "%#x%s", value, names ? unknown : "");
	constant_end(line, &constant, "%#x", value);
}

static void put_level(struct line *line, const struct control *c)
{
	line_puts(line, ", cmsg_level=");
	put_name(line, "sockopt_level", c->level, " /* SOL_??? */");
	line_puts(line, ", cmsg_type=");
	if (c->level == SOL_SOCKET)
		put_name(line, "cmsg_socket", c->type, " /* SCM_??? */");
	else
		put_name(line, c->level == IPPROTO_IP ? "cmsg_ip" : "", c->type,
			 " /* IP_??? */");
}

/* Begins the next element.  False: enough of them were shown. */
static bool put_element(struct line *line, const struct control *c, size_t i)
{
	line_puts(line, i ? ", " : "");
	if (i < call_elements_max(c->view))
		return true;
	line_puts(line, "...");
	return false;
}

static void put_rights(struct line *line, const struct control *c)
{
	struct path_list list = paths_of(c->view, c->argument);
	size_t i, nr = c->size / sizeof(int32_t);
	int32_t fd;

	line_puts(line, "[");
	for (i = 0; i < nr && put_element(line, c, i); i++) {
		memcpy(&fd, c->data + i * sizeof(fd), sizeof(fd));
		line_printf(line, "%d", fd);
		/* Only the first message's paths were recorded. */
		if (c->first)
			path_print_next(line, &list);
	}
	line_puts(line, c->cut && i == nr ? ", ...]" : "]");
}

static void put_credentials(struct line *line, const struct control *c)
{
	struct ucred u;

	memcpy(&u, c->data, sizeof(u));
	line_printf(line, "{pid=%d, uid=%u, gid=%u}", u.pid, u.uid, u.gid);
}

static void put_text(struct line *line, const struct control *c)
{
	value_string(line, c->data, c->size, c->cut);
}

/* Times in two words of @size each; what is too short is none. */
static void put_times(struct line *line, const struct control *c, size_t size,
		      unsigned int nr, const char *fraction)
{
	int32_t small[2];
	int64_t v[2];

	if (c->size < nr * 2 * size) {
		line_puts(line, "???");
		return;
	}
	line_puts(line, nr > 1 ? "[" : "");
	for (unsigned int i = 0; i < nr; i++) {
		const uint8_t *at = c->data + i * 2 * size;

		if (size == sizeof(*small)) {
			memcpy(small, at, sizeof(small));
			v[0] = small[0];
			v[1] = small[1];
		} else {
			memcpy(v, at, sizeof(v));
		}
		line_printf(line, "%s{tv_sec=%" PRId64 ", %s=%" PRIu64 "}",
			    i ? ", " : "", v[0], fraction, (uint64_t)v[1]);
	}
	line_puts(line, nr > 1 ? "]" : "");
}

static void put_socket_time(struct line *line, const struct control *c)
{
	size_t word = word_size(c->view), wide = sizeof(int64_t);

	switch (c->type) {
	case TIMESTAMP_OLD:
		put_times(line, c, word, 1, "tv_usec");
		break;
	case SO_TIMESTAMP_NEW:
		put_times(line, c, wide, 1, "tv_usec");
		break;
	case TIMESTAMPNS_OLD:
		put_times(line, c, word, 1, "tv_nsec");
		break;
	case SO_TIMESTAMPNS_NEW:
		put_times(line, c, wide, 1, "tv_nsec");
		break;
	case TIMESTAMPING_OLD:
		put_times(line, c, word, 3, "tv_nsec");
		break;
	default:
		put_times(line, c, wide, 3, "tv_nsec");
	}
}

static void put_numbers(struct line *line, const struct control *c)
{
	uint32_t value;

	line_puts(line, "[");
	for (size_t i = 0; (i + 1) * sizeof(value) <= c->size; i++) {
		if (!put_element(line, c, i))
			break;
		memcpy(&value, c->data + i * sizeof(value), sizeof(value));
		line_printf(line, "%u", value);
	}
	line_puts(line, "]");
}

static void put_bytes(struct line *line, const struct control *c)
{
	line_puts(line, "[");
	for (size_t i = 0; i < c->size && put_element(line, c, i); i++)
		line_printf(line, "%#x", c->data[i]);
	line_puts(line, "]");
}

static void put_packet(struct line *line, const struct control *c)
{
	struct in_pktinfo info;

	memcpy(&info, c->data, sizeof(info));
	line_puts(line, "{ipi_ifindex=");
	value_interface(line, info.ipi_ifindex);
	line_puts(line, ", ipi_spec_dst=");
	value_inet(line, (const uint8_t *)&info.ipi_spec_dst);
	line_puts(line, ", ipi_addr=");
	value_inet(line, (const uint8_t *)&info.ipi_addr);
	line_puts(line, "}");
}

/* An error, and the address of whoever has reported it. */
struct reported {
	struct sock_extended_err error;
	struct sockaddr_in offender;
};

static void put_error(struct line *line, const struct control *c)
{
	struct sock_extended_err e;

	memcpy(&e, c->data, sizeof(e));
	line_printf(line,
		    "{ee_errno=%u, ee_origin=%u, ee_type=%u, ee_code=%u, "
		    "ee_info=%u, ee_data=%u, offender=",
		    e.ee_errno, e.ee_origin, e.ee_type, e.ee_code, e.ee_info,
		    e.ee_data);
	value_sockaddr(line, c->data + offsetof(struct reported, offender),
		       sizeof(struct sockaddr_in));
	line_puts(line, "}");
}

static void put_address(struct line *line, const struct control *c)
{
	value_sockaddr(line, c->data,
		       c->size < sizeof(struct sockaddr_storage)
			       ? c->size
			       : sizeof(struct sockaddr_storage));
}

static const struct {
	int32_t level;
	int32_t type;
	size_t least; /* if there is less, nothing of it is shown */
	void (*print)(struct line *line, const struct control *c);
} messages[] = {
	{SOL_SOCKET, SCM_RIGHTS, sizeof(int32_t), put_rights},
	{SOL_SOCKET, SCM_CREDENTIALS, sizeof(struct ucred), put_credentials},
	{SOL_SOCKET, SCM_SECURITY, 1, put_text},
	{SOL_SOCKET, TIMESTAMP_OLD, 1, put_socket_time},
	{SOL_SOCKET, TIMESTAMPNS_OLD, 1, put_socket_time},
	{SOL_SOCKET, TIMESTAMPING_OLD, 1, put_socket_time},
	{SOL_SOCKET, SO_TIMESTAMP_NEW, 1, put_socket_time},
	{SOL_SOCKET, SO_TIMESTAMPNS_NEW, 1, put_socket_time},
	{SOL_SOCKET, SO_TIMESTAMPING_NEW, 1, put_socket_time},
	{IPPROTO_IP, IP_PKTINFO, sizeof(struct in_pktinfo), put_packet},
	{IPPROTO_IP, IP_TTL, sizeof(uint32_t), put_numbers},
	{IPPROTO_IP, IP_TOS, 1, put_bytes},
	{IPPROTO_IP, IP_RECVOPTS, 1, put_bytes},
	{IPPROTO_IP, IP_RETOPTS, 1, put_bytes},
	{IPPROTO_IP, IP_RECVERR, sizeof(struct reported), put_error},
	{IPPROTO_IP, IP_ORIGDSTADDR, sizeof(struct sockaddr_in), put_address},
	{IPPROTO_IP, IP_CHECKSUM, sizeof(uint32_t), put_numbers},
	{IPPROTO_IP, SCM_SECURITY, 1, put_text},
};

static void put_data(struct line *line, const struct control *c)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		if (messages[i].level != c->level ||
		    messages[i].type != c->type || c->size < messages[i].least)
			continue;
		line_puts(line, ", cmsg_data=");
		messages[i].print(line, c);
		return;
	}
}

void control_print(struct line *line, const struct call_view *view,
		   unsigned int argument, const uint8_t *bytes, size_t size,
		   uint64_t whole, uint64_t address)
{
	size_t word = word_size(view), head = word + 8, at = 0;
	bool cut = size < whole, odd = false;

	if (size < head) {
		value_address(line, address);
		return;
	}
	line_puts(line, "[");
	while (!odd && size - at >= head) {
		struct control c = {
			.view = view,
			.argument = argument,
			.data = bytes + at + head,
			.first = !at,
		};
		size_t left = size - at;

		c.length = word_read(bytes + at, word);
		memcpy(&c.level, bytes + at + word, 4);
		memcpy(&c.type, bytes + at + word + 4, 4);
		line_printf(line, "%s{cmsg_len=%" PRIu64, at ? ", " : "",
			    c.length);
		put_level(line, &c);
		/* A length without the header: nothing that follows is known. */
		odd = c.length < head;
		c.cut = cut && c.length > left;
		if (c.length < left)
			left = odd ? head : c.length;
		c.size = left - head;
		put_data(line, &c);
		line_puts(line, "}");
		left = (left + word - 1) & ~(word - 1);
		at = left < size - at ? at + left : size;
	}
	if (at < size && (odd || !cut))
		line_printf(line, ", ... /* %#" PRIx64 " */", address + at);
	else if (cut)
		line_puts(line, ", ...");
	line_puts(line, "]");
}
