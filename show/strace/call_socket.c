// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Socket options: what one is called, and its value, depends on the level. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>

#include "call.h"

#define ICMP_FILTER 1

static const char *option_set(uint64_t level)
{
	switch (level) {
	case SOL_SOCKET:
		return "sockopt_socket";
	case IPPROTO_TCP:
		return "sockopt_tcp";
	case IPPROTO_IP:
		return "sockopt_ip";
	case IPPROTO_IPV6:
		return "sockopt_ipv6";
	case SOL_RAW:
		return "sockopt_raw";
	case SOL_PACKET:
		return "sockopt_packet";
	case SOL_NETLINK:
		return "sockopt_netlink";
	default:
		return "";
	}
}

static bool is_filter(uint64_t level, uint64_t option)
{
	return level == SOL_SOCKET && option == SO_ATTACH_FILTER;
}

void option_name_print(struct line *line, const struct call_view *view,
		       unsigned int argument)
{
	uint32_t option = call_argument(view, argument);
	uint64_t level = call_argument(view, 1);
	bool filter =
		call_word(view, argument + 1)->out && is_filter(level, option);

	value_names(line, filter ? "sockopt_get" : option_set(level), option);
}

/* A value of which @size bytes are there: the kernel may have stored less than all. */
struct option {
	struct line *line;
	const struct call_view *view;
	const uint8_t *bytes;
	size_t size;
	bool any; /* member was printed */
};

/* Prints the next member, of 4 bytes at @at; if a part is there, that in hexadecimal. */
static void member_print(struct option *o, const char *name, size_t at,
			 bool is_signed)
{
	uint32_t value;

	if (o->size <= at)
		return;
	line_printf(o->line, "%s%s=", o->any ? ", " : "{", name);
	o->any = true;
	if (o->size < at + sizeof(value)) {
		value_hex(o->line, o->bytes + at, o->size - at, false);
		return;
	}
	memcpy(&value, o->bytes + at, sizeof(value));
	if (is_signed)
		line_printf(o->line, "%d", (int32_t)value);
	else
		line_printf(o->line, "%u", value);
}

static void members_print(struct option *o, const char *const *names,
			  bool is_signed)
{
	for (size_t i = 0; names[i]; i++)
		member_print(o, names[i], 4 * i, is_signed);
	line_puts(o->line, o->any ? "}" : "{}");
}

static const char *const linger_members[] = {"l_onoff", "l_linger", NULL};
static const char *const peer_members[] = {"pid", "uid", "gid", NULL};
static const char *const ring_members[] = {
	"tp_block_size", "tp_block_nr", "tp_frame_size", "tp_frame_nr", NULL};
static const char *const statistics_members[] = {"tp_packets", "tp_drops",
						 "tp_freeze_q_cnt", NULL};

/* [1] */
static void number_print(struct option *o)
{
	int32_t value;

	if (o->size < sizeof(value)) {
		value_hex(o->line, o->bytes, o->size, false);
		return;
	}
	memcpy(&value, o->bytes, sizeof(value));
	line_printf(o->line, "[%d]", value);
}

/* [SOCK_TXREHASH_ENABLED] */
static void rehash_print(struct option *o)
{
	static const char set[] = "sockopt_txrehash";
	uint32_t value;

	if (o->size < sizeof(value)) {
		number_print(o);
		return;
	}
	memcpy(&value, o->bytes, sizeof(value));
	line_puts(o->line, "[");
	value_names(o->line, set, value);
	line_puts(o->line, "]");
}

/* [ECONNREFUSED] */
static void error_print(struct option *o)
{
	struct constant constant;
	const char *name = NULL;
	int32_t value;

	if (o->size >= sizeof(value)) {
		memcpy(&value, o->bytes, sizeof(value));
		name = strerrorname_np(value);
	}
	if (!name || !value) {
		number_print(o);
		return;
	}
	line_puts(o->line, "[");
	constant = constant_begin(o->line);
	line_puts(o->line, name);
	constant_end(o->line, &constant, "%d", value);
	line_puts(o->line, "]");
}

static void addresses_print(struct option *o)
{
	line_puts(o->line, "{imr_multiaddr=");
	value_inet(o->line, o->bytes);
	line_puts(o->line, ", imr_interface=");
	value_inet(o->line, o->bytes + 4);
	line_puts(o->line, "}");
}

static void addresses6_print(struct option *o)
{
	uint32_t interface;

	memcpy(&interface, o->bytes + sizeof(struct in6_addr),
	       sizeof(interface));
	line_puts(o->line, "{");
	value_inet6(o->line, o->bytes, "ipv6mr_multiaddr");
	line_puts(o->line, ", ipv6mr_interface=");
	value_interface(o->line, interface);
	line_puts(o->line, "}");
}

static void group_print(struct option *o)
{
	size_t at = offsetof(struct group_req, gr_group);
	uint32_t interface;

	memcpy(&interface, o->bytes, sizeof(interface));
	line_puts(o->line, "{gr_interface=");
	value_interface(o->line, interface);
	line_puts(o->line, ", gr_group=");
	value_sockaddr(o->line, o->bytes + at, sizeof(struct sockaddr_storage));
	line_puts(o->line, "}");
}

static void packet_member_print(struct option *o)
{
	uint16_t type, length;
	uint32_t interface;

	memcpy(&interface, o->bytes, sizeof(interface));
	memcpy(&type, o->bytes + 4, sizeof(type));
	memcpy(&length, o->bytes + 6, sizeof(length));
	line_puts(o->line, "{mr_ifindex=");
	value_interface(o->line, interface);
	line_puts(o->line, ", mr_type=");
	value_names(o->line, "packet_mreq", type);
	line_printf(o->line, ", mr_alen=%u, mr_address=", length);
	value_hardware(o->line, o->bytes + 8, length < 8 ? length : 8);
	line_puts(o->line, "}");
}

/* Types of messages that are kept out, one bit each. */
static void icmp_filter_print(struct option *o)
{
	const char *space = "";
	uint32_t types = UINT32_MAX;

	memcpy(&types, o->bytes,
	       o->size < sizeof(types) ? o->size : sizeof(types));
	if (__builtin_popcount(types) > 16) {
		types = ~types;
		line_puts(o->line, "~");
	}
	line_puts(o->line, "[");
	for (unsigned int i = 0; i < 32; i++) {
		if (!(types >> i & 1))
			continue;
		line_puts(o->line, space);
		space = " ";
		value_names(o->line, "icmp_type", i);
	}
	line_puts(o->line, "]");
}

static void groups_print(struct option *o)
{
	uint32_t value;

	line_puts(o->line, "[");
	for (size_t i = 0; i + sizeof(value) <= o->size; i += sizeof(value)) {
		memcpy(&value, o->bytes + i, sizeof(value));
		line_printf(o->line, "%s%u", i ? ", " : "", value);
	}
	line_puts(o->line, "]");
}

static bool is_number(uint64_t option)
{
	const struct ktrace_names *names =
		ktrace_names_find("sockopt_number", NULL);

	for (uint32_t i = 0; names && i < names->count; i++) {
		if (names->names[i].value == option)
			return true;
	}
	return false;
}

/* Is it a filter that is to be attached? */
static bool is_program(uint64_t level, uint64_t option)
{
	return is_filter(level, option) ||
	       (level == SOL_SOCKET && option == SO_ATTACH_REUSEPORT_CBPF);
}

static bool is_list(uint64_t level, uint64_t option)
{
	return level == SOL_NETLINK && option == NETLINK_LIST_MEMBERSHIPS;
}

/* The length before the call or after it; 0: it is not known. */
static int32_t length_of(const struct call_view *view, bool exit)
{
	const struct ktrace_word *word = call_word(view, 3);
	struct captured c;
	int32_t length = 0;

	if (!word->out)
		return call_argument(view, word->from);
	c = captured_get(view, exit, word->from, "");
	if (c.size >= sizeof(length))
		memcpy(&length, c.bytes, sizeof(length));
	return length;
}

/* The instructions that the call has stored: the length is their number. */
static void filter_print(struct option *o)
{
	uint64_t address = call_argument(o->view, 3);
	struct captured c = captured_get(o->view, true, 3, "_filter");

	if (o->view->unabbreviated)
		insns_print(o->line, "socket", &c, address,
			    length_of(o->view, true));
	else
		value_address(o->line, address);
}

/* struct sock_fprog: a number of instructions, and where they are. */
static void program_print(struct option *o)
{
	struct captured c = captured_get(o->view, false, 3, "_filter");
	struct sock_fprog program;

	memcpy(&program, o->bytes, sizeof(program));
	line_printf(o->line, "{len=%u, filter=", program.len);
	if (o->view->unabbreviated)
		insns_print(o->line, "socket", &c, (uintptr_t)program.filter,
			    program.len);
	else
		value_address(o->line, (uintptr_t)program.filter);
	line_puts(o->line, "}");
}

/* Values that the call returns.  False: nothing is known of it. */
static bool returned_print(struct option *o, uint64_t level, uint64_t option)
{
	if (is_filter(level, option))
		filter_print(o);
	else if (level == SOL_SOCKET && option == SO_LINGER)
		members_print(o, linger_members, true);
	else if (level == SOL_SOCKET && option == SO_PEERCRED)
		members_print(o, peer_members, true);
	else if (level == SOL_SOCKET && option == SO_ERROR)
		error_print(o);
	else if (level == SOL_SOCKET && option == SO_TXREHASH)
		rehash_print(o);
	else if (level == SOL_SOCKET && is_number(option))
		number_print(o);
	else if (level == SOL_PACKET && option == PACKET_STATISTICS)
		members_print(o, statistics_members, false);
	else if (level == SOL_RAW && option == ICMP_FILTER)
		icmp_filter_print(o);
	else if (is_list(level, option))
		groups_print(o);
	else if (level == SOL_NETLINK)
		number_print(o);
	else
		return false;
	return true;
}

static bool is_member6(uint64_t option)
{
	return option == IPV6_ADD_MEMBERSHIP ||
	       option == IPV6_DROP_MEMBERSHIP || option == IPV6_JOIN_ANYCAST ||
	       option == IPV6_LEAVE_ANYCAST;
}

static bool is_group(uint64_t level, uint64_t option)
{
	return (level == IPPROTO_IP || level == IPPROTO_IPV6) &&
	       (option == MCAST_JOIN_GROUP || option == MCAST_LEAVE_GROUP);
}

/*
 * What a value must have to be taken: @least bytes, or exactly so many.  0: nothing is
 * known of it.
 */
static size_t size_needed(uint64_t level, uint64_t option, bool *exactly)
{
	*exactly = false;
	if (level == SOL_SOCKET && option == SO_LINGER)
		return sizeof(struct linger);
	if (level == SOL_NETLINK ||
	    (level == SOL_SOCKET &&
	     (is_number(option) || option == SO_TXREHASH)))
		return sizeof(int32_t);
	*exactly = is_program(level, option);
	if (*exactly)
		return sizeof(struct sock_fprog);
	if (level == IPPROTO_IP &&
	    (option == IP_ADD_MEMBERSHIP || option == IP_DROP_MEMBERSHIP))
		return sizeof(struct ip_mreq);
	if (level == IPPROTO_IPV6 && is_member6(option))
		return sizeof(struct ipv6_mreq);
	if (is_group(level, option))
		return sizeof(struct group_req);
	if (level == SOL_RAW && option == ICMP_FILTER)
		return 1;
	if (level != SOL_PACKET)
		return 0;
	*exactly = true;
	switch (option) {
	case PACKET_RX_RING:
	case PACKET_TX_RING:
		return sizeof(struct tpacket_req);
	case PACKET_ADD_MEMBERSHIP:
	case PACKET_DROP_MEMBERSHIP:
		return sizeof(struct packet_mreq);
	default:
		return 0;
	}
}

static void set_print(struct option *o, uint64_t level, uint64_t option)
{
	if (level == SOL_SOCKET && option == SO_LINGER)
		members_print(o, linger_members, true);
	else if (level == SOL_SOCKET && option == SO_TXREHASH)
		rehash_print(o);
	else if (is_program(level, option))
		program_print(o);
	else if (is_group(level, option))
		group_print(o);
	else if (level == IPPROTO_IP)
		addresses_print(o);
	else if (level == IPPROTO_IPV6)
		addresses6_print(o);
	else if (level == SOL_RAW)
		icmp_filter_print(o);
	else if (level == SOL_PACKET &&
		 (option == PACKET_RX_RING || option == PACKET_TX_RING))
		members_print(o, ring_members, false);
	else if (level == SOL_PACKET)
		packet_member_print(o);
	else
		number_print(o);
}

void option_print(struct line *line, const struct call_view *view,
		  unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument, "");
	uint64_t level = call_argument(view, 1);
	uint64_t option = (uint32_t)call_argument(view, 2);
	struct option o = {line, view, c.bytes, c.size, false};
	bool exactly, known;
	int32_t length = length_of(view, exit);
	int32_t room = length_of(view, false);
	size_t needed = size_needed(level, option, &exactly);

	known = exit || needed;
	/* There was no room for one element, so nothing of it was read. */
	if (exit && is_list(level, option) && !call_failed(view) &&
	    length > 0 && room > 0 && room < (int32_t)sizeof(int32_t) &&
	    call_argument(view, argument)) {
		line_puts(line, "[]");
		return;
	}
	if (!c.there || !call_argument(view, argument) ||
	    (exit && call_failed(view)) ||
	    (known && (length <= 0 || room <= 0)) ||
	    (!exit && ((size_t)length < needed || c.size < needed ||
		       (exactly && needed && (size_t)length != needed)))) {
		value_address(line, call_argument(view, argument));
	} else if (!exit && !needed && c.size < (size_t)length &&
		   c.size < view->string_max) {
		/* A part of what is not known says nothing. */
		value_address(line, call_argument(view, argument));
	} else if (!exit && needed) {
		set_print(&o, level, option);
	} else if (exit && returned_print(&o, level, option)) {
		return;
	} else if (c.size == sizeof(int32_t)) {
		number_print(&o);
	} else {
		/* More may be there, for options that are structs. */
		size_t shown =
			c.size < view->string_max ? c.size : view->string_max;

		value_string(line, c.bytes, shown, c.cut || shown < c.size);
	}
}
