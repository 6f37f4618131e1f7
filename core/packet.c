// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Checks that bytes are a packet; packet.h says what is done with it. */
#include "packet.h"

int kt_walk_begin(struct kt_walk *walk, const void *bytes, size_t len)
{
	struct kt_packet *packet = &walk->packet;

	if (len < sizeof(*packet))
		return -ENODATA;
	memcpy(packet, bytes, sizeof(*packet));
	if (packet->magic != KT_PACKET_MAGIC)
		return -EBADMSG;
	if (packet->version != KT_ABI_VERSION)
		return -EPROTONOSUPPORT;
	if (packet->header_size < sizeof(*packet) ||
	    packet->header_size > packet->used ||
	    packet->used > packet->packet_size ||
	    packet->packet_size > KT_PACKET_SIZE ||
	    (packet->header_size | packet->used) & 3 ||
	    packet->begin > packet->end)
		return -EBADMSG;
	if (packet->used > len)
		return -ENODATA;

	walk->time = packet->begin;
	walk->next = (const u8 *)bytes + packet->header_size;
	walk->end = (const u8 *)bytes + packet->used;
	return 0;
}
