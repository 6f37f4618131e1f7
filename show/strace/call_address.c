// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Addresses of sockets of the families that most programs use, and parts of addresses. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/ax25.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/x25.h>

#include "call.h"

#define UNIX_PATH_MAX  108
#define IPX_SIZE       16
#define IPX_NODE       6
#define INET_SIZE      16
#define INET6_LEAST    24 /* old programs have no scope */
#define INET6_SIZE     28
#define CALL_SIGN_SIZE 7 /* of AX.25: a name of six letters and a number */

/* In each network namespace the first interface is the loopback. */
#define LOOPBACK 1

static uint16_t network_u16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static uint16_t host_u16(const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint32_t host_u32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

void value_interface(struct line *line, uint32_t index)
{
	struct constant constant = constant_begin(line);

	if (index == LOOPBACK)
		line_puts(line, "if_nametoindex(\"lo\")");
	else
		line_printf(line, "%u", index);
	constant_end(line, &constant, "%u", index);
}

void value_inet(struct line *line, const uint8_t *bytes)
{
	struct constant constant = constant_begin(line);
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, bytes, text, sizeof(text));
	line_printf(line, "inet_addr(\"%s\")", text);
	constant_end_bytes(line, &constant, bytes, 4);
}

void value_inet6(struct line *line, const uint8_t *bytes, const char *member)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct constant constant;

	inet_ntop(AF_INET6, bytes, text, sizeof(text));
	/* The member is named once, behind the address or in front of it. */
	if (line->constants == KTRACE_CONSTANTS_NAMES) {
		line_printf(line, "inet_pton(AF_INET6, \"%s\", &%s)", text,
			    member);
		return;
	}
	line_printf(line, "%s=", member);
	constant = constant_begin(line);
	line_printf(line, "inet_pton(AF_INET6, \"%s\")", text);
	constant_end_bytes(line, &constant, bytes, 16);
}

void value_hardware(struct line *line, const uint8_t *bytes, size_t n)
{
	struct constant constant = constant_begin(line);

	for (size_t i = 0; i < n; i++)
		line_printf(line, "%s%02x", i ? ":" : "", bytes[i]);
	constant_end_bytes(line, &constant, bytes, n);
}

static void put_bytes(struct line *line, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		line_printf(line, "%s%#04x", i ? ", " : "", bytes[i]);
}

static void put_port(struct line *line, const uint8_t *bytes)
{
	struct constant constant = constant_begin(line);

	line_printf(line, "htons(%u)", network_u16(bytes));
	constant_end_bytes(line, &constant, bytes, 2);
}

static void put_unix(struct line *line, const uint8_t *p, size_t n)
{
	n -= 2;
	/* It cannot be longer, whatever the length says. */
	if (n > UNIX_PATH_MAX)
		n = UNIX_PATH_MAX;
	line_puts(line, ", sun_path=");
	if (p[2]) {
		value_string(line, p + 2, strnlen((const char *)p + 2, n),
			     false);
	} else {
		line_puts(line, "@");
		value_string(line, p + 3, n - 1, false);
	}
}

static void put_inet(struct line *line, const uint8_t *p, size_t n)
{
	(void)n;
	line_puts(line, ", sin_port=");
	put_port(line, p + 2);
	line_puts(line, ", sin_addr=");
	value_inet(line, p + 4);
}

/* Does the scope name an interface? */
static bool is_of_link(const uint8_t *address)
{
	struct in6_addr in6;

	memcpy(&in6, address, sizeof(in6));
	return IN6_IS_ADDR_LINKLOCAL(&in6) || IN6_IS_ADDR_MC_LINKLOCAL(&in6);
}

static void put_inet6(struct line *line, const uint8_t *p, size_t n)
{
	struct constant constant;

	line_puts(line, ", sin6_port=");
	put_port(line, p + 2);
	line_puts(line, ", sin6_flowinfo=");
	constant = constant_begin(line);
	line_printf(line, "htonl(%u)", ntohl(host_u32(p + 4)));
	constant_end_bytes(line, &constant, p + 4, 4);
	line_puts(line, ", ");
	value_inet6(line, p + 8, "sin6_addr");
	if (n < INET6_SIZE)
		return;
	line_puts(line, ", sin6_scope_id=");
	if (is_of_link(p + 8))
		value_interface(line, host_u32(p + 24));
	else
		line_printf(line, "%u", host_u32(p + 24));
}

static void put_netlink(struct line *line, const uint8_t *p, size_t n)
{
	(void)n;
	if (host_u16(p + 2))
		line_printf(line, ", nl_pad=%#x", host_u16(p + 2));
	line_printf(line, ", nl_pid=%u, nl_groups=%#08x", host_u32(p + 4),
		    host_u32(p + 8));
}

static void put_ipx(struct line *line, const uint8_t *p, size_t n)
{
	(void)n;
	line_printf(line,
		    ", sipx_port=htons(%u), sipx_network=htonl(%#x), "
		    "sipx_node=[",
		    network_u16(p + 2), ntohl(host_u32(p + 4)));
	put_bytes(line, p + 8, IPX_NODE);
	line_printf(line, "], sipx_type=%#04x", p[14]);
	if (p[15])
		line_printf(line, ", sipx_zero=%#x", p[15]);
}

enum sign {
	SIGN_PLAIN,
	SIGN_ODD,     /* has a text, but is not as it should be */
	SIGN_NO_TEXT, /* has characters that cannot be shown */
};

/*
 * Each letter is shifted by one bit; spaces fill the end.  The last byte has the number
 * that tells the stations of one owner apart, and bits.
 */
static enum sign sign_check(const uint8_t *p)
{
	uint8_t last = p[CALL_SIGN_SIZE - 1];
	bool space = false, any = false;
	enum sign sign = SIGN_PLAIN;

	for (size_t i = 0; i < CALL_SIGN_SIZE - 1; i++) {
		uint8_t c = p[i] >> 1;
		bool letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');

		/* A text with these could end the comment that it is in. */
		if (c < ' ' || c > '~' || c == '*' || c == '/')
			return SIGN_NO_TEXT;
		if (p[i] & 1 || (!letter && c != ' ') || (space && c != ' '))
			sign = SIGN_ODD;
		if (c == ' ')
			space = true;
		else
			any = true;
	}
	if (last & ~0x1e || (!any && last))
		sign = SIGN_ODD;
	return sign;
}

static void put_sign_text(struct line *line, const uint8_t *p)
{
	unsigned int number = p[CALL_SIGN_SIZE - 1] >> 1 & 0xf;
	size_t n = CALL_SIGN_SIZE - 1;

	while (n && p[n - 1] >> 1 == ' ')
		n--;
	if (!n && !number) {
		line_puts(line, "*");
		return;
	}
	for (size_t i = 0; i < n; i++)
		line_printf(line, "%c", p[i] >> 1);
	line_printf(line, "-%u", number);
}

static void put_sign(struct line *line, const uint8_t *p)
{
	enum sign sign = sign_check(p);

	if (sign != SIGN_PLAIN) {
		line_puts(line, "{ax25_call=");
		value_hex(line, p, CALL_SIGN_SIZE, false);
		line_puts(line, "}");
	}
	if (sign == SIGN_NO_TEXT)
		return;
	line_puts(line, sign == SIGN_ODD ? " /* " : "");
	put_sign_text(line, p);
	line_puts(line, sign == SIGN_ODD ? " */" : "");
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Relays on the way may follow. */
static void put_ax25(struct line *line, const uint8_t *p, size_t n)
{
	size_t head = sizeof(struct sockaddr_ax25), relays, there, i;
	int32_t count =
		host_u32(p + offsetof(struct sockaddr_ax25, sax25_ndigis));
	bool full = count || n > head;

	line_puts(line, full ? ", fsa_ax25={sax25_call=" : ", sax25_call=");
	put_sign(line, p + offsetof(struct sockaddr_ax25, sax25_call));
	line_printf(line, ", sax25_ndigis=%d", count);
	if (!full)
		return;
	line_puts(line, "}");
	relays = least(count > 0 ? count : 0, AX25_MAX_DIGIS);
	there = least((n - head) / CALL_SIGN_SIZE, AX25_MAX_DIGIS);
	for (i = 0; i < relays && i < there; i++) {
		line_puts(line, i ? ", " : ", fsa_digipeater=[");
		put_sign(line, p + head + i * CALL_SIGN_SIZE);
	}
	if (relays > there)
		line_puts(line, i ? ", ..." : ", fsa_digipeater=[...");
	line_puts(line, relays ? "]" : "");
	if (n > head + there * CALL_SIGN_SIZE)
		line_puts(line, ", ...");
}

static void put_x25(struct line *line, const uint8_t *p, size_t n)
{
	const uint8_t *address = p + offsetof(struct sockaddr_x25, sx25_addr);
	size_t room = sizeof(struct x25_address);
	size_t length = strnlen((const char *)address, room);
	bool cut = length == room;

	(void)n;
	line_puts(line, ", sx25_addr={x25_addr=");
	value_string(line, address, cut ? room - 1 : length, cut);
	line_puts(line, "}");
}

static void put_packet(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_ll ll;
	struct constant constant;
	size_t at = offsetof(struct sockaddr_ll, sll_addr);
	size_t shown;

	memcpy(&ll, p, sizeof(ll));
	line_puts(line, ", sll_protocol=");
	constant = constant_begin(line);
	line_puts(line, "htons(");
	value_names(line, "ethernet_protocol", ntohs(ll.sll_protocol));
	line_puts(line, ")");
	constant_end_bytes(line, &constant,
			   p + offsetof(struct sockaddr_ll, sll_protocol), 2);
	line_puts(line, ", sll_ifindex=");
	value_interface(line, ll.sll_ifindex);
	line_puts(line, ", sll_hatype=");
	value_names(line, "hardware_type", ll.sll_hatype);
	line_puts(line, ", sll_pkttype=");
	value_names(line, "packet_type", ll.sll_pkttype);
	line_printf(line, ", sll_halen=%u", ll.sll_halen);
	if (!ll.sll_halen)
		return;
	shown = least(ll.sll_halen, n - at);
	line_puts(line, ", sll_addr=[");
	put_bytes(line, p + at, shown);
	line_puts(line, shown < ll.sll_halen ? ", ...]" : "]");
}

static const struct {
	uint16_t family;
	size_t least; /* an address that is shorter is shown as bytes */
	void (*print)(struct line *line, const uint8_t *p, size_t n);
} families[] = {
	{AF_UNIX, 3, put_unix},
	{AF_INET, INET_SIZE, put_inet},
	{AF_AX25, sizeof(struct sockaddr_ax25), put_ax25},
	{AF_IPX, IPX_SIZE, put_ipx},
	{AF_X25, sizeof(struct sockaddr_x25), put_x25},
	{AF_INET6, INET6_LEAST, put_inet6},
	{AF_NETLINK, sizeof(struct sockaddr_nl), put_netlink},
	{AF_PACKET, sizeof(struct sockaddr_ll), put_packet},
};

bool value_sockaddr_members(struct line *line, const uint8_t *p, size_t n)
{
	uint16_t family = host_u16(p);

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (families[i].family != family || n < families[i].least)
			continue;
		families[i].print(line, p, n);
		return true;
	}
	return false;
}
