// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Addresses of sockets: what follows the family depends on it.  call_address.c has the families
 * that most programs use.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_alg.h>
#include <linux/if_xdp.h>
#include <linux/mctp.h>
#include <linux/nfc.h>
#include <linux/qrtr.h>
#include <linux/vm_sockets.h>

#include "call.h"

#define INET_SIZE   16
#define INET6_LEAST 24 /* old programs have no scope */

/* Not in a header for programs: the kernel has it in net/af_ieee802154.h. */
#define STATION_SIZE 8 /* of an address of IEEE 802.15.4 */

enum station {
	STATION_NONE = 0,
	STATION_SHORT = 2,
};

struct sockaddr_station {
	uint16_t family;
	uint32_t type;
	uint16_t network;
	uint8_t address[STATION_SIZE];
};

/* linux/rxrpc.h has it with the structs of libc's headers, which are others there. */
struct sockaddr_rxrpc {
	uint16_t family;
	uint16_t service;
	uint16_t type;
	uint16_t length;
	uint8_t transport[28]; /* an address of its own */
};

/* A number whose name is less known than it: the name is a comment. */
static void put_with_name(struct line *line, const char *set, uint64_t value)
{
	enum ktrace_output_constants asked = line->constants;

	if (asked == KTRACE_CONSTANTS_NAMES)
		line->constants = KTRACE_CONSTANTS_BOTH;
	value_names(line, set, value);
	line->constants = asked;
}

/* The transport is an address inside of the address. */
static void put_rxrpc(struct line *line, const uint8_t *p, size_t n)
{
	size_t at = offsetof(struct sockaddr_rxrpc, transport), size;
	struct sockaddr_rxrpc rx;
	uint16_t family;

	memcpy(&rx, p, sizeof(rx));
	memcpy(&family, rx.transport, sizeof(family));
	size = rx.length < n - at ? rx.length : n - at;
	line_puts(line, ", srx_service=");
	put_with_name(line, "rxrpc_service", rx.service);
	line_puts(line, ", transport_type=");
	value_names(line, "socket_kind", rx.type);
	line_printf(line, ", transport_len=%u, transport={", rx.length);
	if (family == AF_INET)
		line_puts(line, "sin={sin_");
	else if (family == AF_INET6)
		line_puts(line, "sin6={sin6_");
	line_puts(line, "family=");
	value_names(line, "family", family);
	if ((family == AF_INET && size >= INET_SIZE) ||
	    (family == AF_INET6 && size >= INET6_LEAST)) {
		value_sockaddr_members(line, p + at, size);
	} else if (size > sizeof(family)) {
		line_puts(line, ", ");
		value_string(line, p + at + sizeof(family),
			     size - sizeof(family), false);
	}
	line_puts(line, family == AF_INET || family == AF_INET6 ? "}}" : "}");
}

static void put_station(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_station s;
	uint16_t address;

	(void)n;
	memcpy(&s, p, sizeof(s));
	memcpy(&address, s.address, sizeof(address));
	line_puts(line, ", addr={addr_type=");
	put_with_name(line, "station_type", s.type);
	line_puts(line, ", pan_id=");
	put_with_name(line, "station_network", s.network);
	if (s.type == STATION_SHORT) {
		line_puts(line, ", short_addr=");
		put_with_name(line, "station_address", address);
	} else if (s.type != STATION_NONE) {
		line_puts(line, ", hwaddr=");
		value_hardware(line, s.address, STATION_SIZE);
	}
	line_puts(line, "}");
}

/* With its NUL, if it is there; else it was cut. */
static void put_text(struct line *line, const uint8_t *p, size_t n)
{
	size_t length = strnlen((const char *)p, n);
	bool cut = n && length == n;

	value_string(line, p, length - cut, cut);
}

static void put_alg(struct line *line, const uint8_t *p, size_t n)
{
	size_t name = offsetof(struct sockaddr_alg_new, salg_name);
	struct sockaddr_alg_new alg;

	memcpy(&alg, p, name);
	line_puts(line, ", salg_type=");
	put_text(line, alg.salg_type, sizeof(alg.salg_type));
	line_puts(line, ", salg_feat=");
	put_with_name(line, "alg", alg.salg_feat);
	line_puts(line, ", salg_mask=");
	put_with_name(line, "alg", alg.salg_mask);
	line_puts(line, ", salg_name=");
	put_text(line, p + name, n - name);
}

static void put_nfc(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_nfc_llcp nfc = {0};
	size_t name = sizeof(nfc.service_name);

	memcpy(&nfc, p, n < sizeof(nfc) ? n : sizeof(nfc));
	line_puts(line, ", dev_idx=");
	value_interface(line, nfc.dev_idx);
	line_printf(line, ", target_idx=%#x, nfc_protocol=", nfc.target_idx);
	value_names(line, "nfc_protocol", nfc.nfc_protocol);
	if (n < sizeof(nfc)) {
		line_puts(line, n > sizeof(struct sockaddr_nfc) ? ", ..." : "");
		return;
	}
	line_puts(line, ", dsap=");
	put_with_name(line, "nfc_sap", nfc.dsap);
	line_puts(line, ", ssap=");
	put_with_name(line, "nfc_sap", nfc.ssap);
	line_puts(line, ", service_name=");
	if (nfc.service_name_len < name)
		name = nfc.service_name_len;
	value_string(line, (const uint8_t *)nfc.service_name, name, false);
	line_printf(line, ", service_name_len=%" PRIu64,
		    (uint64_t)nfc.service_name_len);
}

static void put_vsock(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_vm vm;
	bool zero = true;

	(void)n;
	memcpy(&vm, p, sizeof(vm));
	if (vm.svm_reserved1)
		line_printf(line, ", svm_reserved1=%#x", vm.svm_reserved1);
	line_puts(line, ", svm_cid=");
	value_names(line, "vsock_machine", vm.svm_cid);
	line_puts(line, ", svm_port=");
	value_names(line, "vsock_port", vm.svm_port);
	line_puts(line, ", svm_flags=");
	value_names(line, "vsock_flags", vm.svm_flags);
	for (size_t i = 0; i < sizeof(vm.svm_zero); i++)
		zero &= !vm.svm_zero[i];
	if (zero)
		return;
	line_puts(line, ", svm_zero=");
	value_hex(line, vm.svm_zero, sizeof(vm.svm_zero), false);
}

static void put_qrtr(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_qrtr q;

	(void)n;
	memcpy(&q, p, sizeof(q));
	line_puts(line, ", sq_node=");
	value_names(line, "qrtr_node", q.sq_node);
	line_puts(line, ", sq_port=");
	value_names(line, "qrtr_port", q.sq_port);
}

static void put_xdp(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_xdp x;

	(void)n;
	memcpy(&x, p, sizeof(x));
	line_puts(line, ", sxdp_flags=");
	value_names(line, "xdp_flags", x.sxdp_flags);
	line_puts(line, ", sxdp_ifindex=");
	value_interface(line, x.sxdp_ifindex);
	line_printf(line, ", sxdp_queue_id=%u", x.sxdp_queue_id);
	if (x.sxdp_flags & XDP_SHARED_UMEM)
		line_printf(line, ", sxdp_shared_umem_fd=%d",
			    (int)x.sxdp_shared_umem_fd);
	else if (x.sxdp_shared_umem_fd)
		line_printf(line, ", sxdp_shared_umem_fd=%#x",
			    x.sxdp_shared_umem_fd);
}

static void put_mctp(struct line *line, const uint8_t *p, size_t n)
{
	struct sockaddr_mctp m;

	(void)n;
	memcpy(&m, p, sizeof(m));
	if (m.__smctp_pad0)
		line_printf(line, ", __smctp_pad0=%#x", m.__smctp_pad0);
	line_puts(line, ", smctp_network=");
	value_names(line, "mctp_network", m.smctp_network);
	line_puts(line, ", smctp_addr={s_addr=");
	value_names(line, "mctp_address", m.smctp_addr.s_addr);
	line_printf(line, "}, smctp_type=%#x, smctp_tag=%#x", m.smctp_type,
		    m.smctp_tag);
	if (m.__smctp_pad1)
		line_printf(line, ", __smctp_pad1=%#x", m.__smctp_pad1);
}

static const struct {
	uint16_t family;
	size_t least; /* an address that is shorter is shown as bytes */
	void (*print)(struct line *line, const uint8_t *p, size_t n);
} families[] = {
	{AF_RXRPC, sizeof(struct sockaddr_rxrpc), put_rxrpc},
	{AF_IEEE802154, sizeof(struct sockaddr_station), put_station},
	{AF_ALG, offsetof(struct sockaddr_alg_new, salg_name) + 1, put_alg},
	{AF_NFC, sizeof(struct sockaddr_nfc), put_nfc},
	{AF_VSOCK, sizeof(struct sockaddr_vm), put_vsock},
	{AF_QIPCRTR, sizeof(struct sockaddr_qrtr), put_qrtr},
	{AF_XDP, sizeof(struct sockaddr_xdp), put_xdp},
	{AF_MCTP, sizeof(struct sockaddr_mctp), put_mctp},
};

static bool put_rare(struct line *line, uint16_t family, const uint8_t *p,
		     size_t n)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (families[i].family != family || n < families[i].least)
			continue;
		families[i].print(line, p, n);
		return true;
	}
	return false;
}

void value_sockaddr(struct line *line, const uint8_t *p, size_t n)
{
	uint16_t family;

	if (n < sizeof(family)) {
		value_string(line, p, n, false);
		return;
	}
	memcpy(&family, p, sizeof(family));
	line_puts(line, "{sa_family=");
	value_names(line, "family", family);
	if (!value_sockaddr_members(line, p, n) &&
	    !put_rare(line, family, p, n) && n > sizeof(family)) {
		line_puts(line, ", sa_data=");
		value_string(line, p + sizeof(family), n - sizeof(family),
			     false);
	}
	line_puts(line, "}");
}
