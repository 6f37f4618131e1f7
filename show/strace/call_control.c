// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Control messages of sendmsg and recvmsg, as strace shows them: descriptors,
 * credentials and times with their values, others only by name.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "call.h"

struct control {
	uint64_t length; /* as the header says, including itself */
	int32_t level;
	int32_t type;
	const uint8_t *data;
	size_t size; /* bytes of it that were captured */
};

static size_t long_size(const struct call_view *view)
{
	return call_is_compat(view) ? 4 : 8;
}

/* @unknown is printed for values without a name. */
static void put_name(struct line *line, const char *set, int32_t value,
		     const char *unknown)
{
	const struct ktrace_names *names = ktrace_names_find(set, NULL);
	uint32_t i = 0;

	while (names && i < names->count &&
	       names->names[i].value != (uint32_t)value)
		i++;
	if (names && i < names->count)
		line_puts(line, names->names[i].name);
	else
		line_printf(line, "%#x%s", value, names ? unknown : "");
}

static void put_level(struct line *line, const struct control *c)
{
	line_puts(line, ", cmsg_level=");
	put_name(line, "sockopt_level", c->level, " /* SOL_??? */");
	line_puts(line, ", cmsg_type=");
	if (c->level == SOL_SOCKET)
		put_name(line, "cmsg_socket", c->type, " /* SCM_??? */");
	else
		put_name(line, c->level ? "" : "sockopt_ip", c->type,
			 " /* IP_??? */");
}

static void put_rights(struct line *line, const struct call_view *view,
		       unsigned int argument, const struct control *c,
		       bool paths, bool cut)
{
	struct path_list list = paths_of(view, argument);
	int32_t fd;

	for (size_t i = 0; (i + 1) * sizeof(fd) <= c->size; i++) {
		memcpy(&fd, c->data + i * sizeof(fd), sizeof(fd));
		line_printf(line, "%s%d", i ? ", " : ", cmsg_data=[", fd);
		if (paths)
			path_print_next(line, &list);
	}
	if (c->size >= sizeof(fd))
		line_puts(line, cut ? ", ...]" : "]");
}

/* A time is two longs. */
static void put_time(struct line *line, const struct call_view *view,
		     const struct control *c, const char *fraction)
{
	size_t size = long_size(view);
	int64_t v[2];
	int32_t small[2];

	if (c->size < 2 * size)
		return;
	memcpy(v, c->data, 2 * size);
	if (size == sizeof(*small)) {
		memcpy(small, c->data, sizeof(small));
		v[0] = small[0];
		v[1] = small[1];
	}
	line_printf(line, ", cmsg_data={tv_sec=%" PRId64 ", %s=%" PRId64 "}",
		    v[0], fraction, v[1]);
}

static void put_socket(struct line *line, const struct call_view *view,
		       unsigned int argument, const struct control *c,
		       bool first, bool cut)
{
	struct ucred u;

	switch (c->type) {
	case SCM_RIGHTS:
		put_rights(line, view, argument, c, first, cut);
		break;
	case SCM_CREDENTIALS:
		if (c->size < sizeof(u))
			break;
		memcpy(&u, c->data, sizeof(u));
		line_printf(line, ", cmsg_data={pid=%d, uid=%u, gid=%u}", u.pid,
			    u.uid, u.gid);
		break;
	case 29: /* SO_TIMESTAMP_OLD */
	case SO_TIMESTAMP_NEW:
		put_time(line, view, c, "tv_usec");
		break;
	case 35: /* SO_TIMESTAMPNS_OLD */
	case SO_TIMESTAMPNS_NEW:
		put_time(line, view, c, "tv_nsec");
		break;
	}
}

void control_print(struct line *line, const struct call_view *view,
		   unsigned int argument, const uint8_t *bytes, size_t size,
		   uint64_t whole, uint64_t address)
{
	size_t word = long_size(view), head = word + 8, at = 0;
	bool cut = size < whole;

	if (size < head) {
		value_address(line, address);
		return;
	}
	line_puts(line, "[");
	while (size - at >= head) {
		struct control c = {.data = bytes + at + head};
		size_t left = size - at;
		bool beyond;

		memcpy(&c.length, bytes + at, word);
		memcpy(&c.level, bytes + at + word, 4);
		memcpy(&c.type, bytes + at + word + 4, 4);
		line_printf(line, "%s{cmsg_len=%" PRIu64, at ? ", " : "",
			    c.length);
		put_level(line, &c);
		beyond = c.length > left;
		left = beyond ? left : c.length < head ? head : c.length;
		c.size = left - head;
		if (c.level == SOL_SOCKET)
			put_socket(line, view, argument, &c, !at,
				   beyond && cut);
		line_puts(line, "}");
		left = (left + word - 1) & ~(word - 1);
		at = left < size - at ? at + left : size;
	}
	if (cut)
		line_puts(line, ", ...");
	else if (at < size)
		line_printf(line, ", ... /* %#" PRIx64 " */", address + at);
	line_puts(line, "]");
}
