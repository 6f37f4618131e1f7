// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

/* Packets that are copied before they are written: fewer, because each CPU has the memory. */
#define COPIES 4

static bool buffer_overwrites(const struct buffer *b)
{
	return b->control->mode == KT_MODE_OVERWRITE;
}

static bool packet_is_sound(const struct kt_packet *p, uint64_t seq)
{
	return p->magic == KT_PACKET_MAGIC && p->seq == seq &&
	       p->used >= sizeof(*p) && p->used <= KT_PACKET_SIZE;
}

static size_t packet_bytes(const struct kt_packet *p)
{
	return (load(&p->used) + 7) & ~7u;
}

int buffer_out_open(struct buffer *b)
{
	struct sink_stream *out;
	int err;

	if (b->out)
		return 0;
	err = b->sink->ops->open(b->sink, KTRACE_FILE_CPU, b->cpu, &out);
	if (err)
		return err;
	/* Whoever counts sees the stream that it points to. */
	__atomic_store_n(&b->out, out, __ATOMIC_RELEASE);
	return 0;
}

/* The packet to copy, which has @events and such totals, is in the sink. */
static void buffer_advance(struct buffer *b, uint64_t events,
			   const struct totals *totals)
{
	b->overwritten += totals->events - events - b->last.events;
	b->last = *totals;
	store(&b->events, b->events + events);
	/* Whoever sees it sees the bytes: kernel.c. */
	__atomic_store_n(&b->next, b->next + 1, __ATOMIC_RELEASE);
}

/* Writes one packet that may vanish meanwhile, and gives it back. */
static int buffer_copy_one(struct buffer *b)
{
	const struct kt_packet *p = buffer_packet(b, b->next);
	bool sound = packet_is_sound(p, b->next);
	uint64_t seq = b->next, events = load(&p->events);
	struct iovec iov = {b->copy, packet_bytes(p)};
	struct totals totals;
	int n;

	if (sound)
		memcpy(b->copy, p, iov.iov_len);
	if (ioctl(b->fd, KT_PUT_CONSUMED, &seq)) {
		if (errno != ESTALE)
			return -errno;
		b->next = __atomic_load_n(&b->control->consumed,
					  __ATOMIC_ACQUIRE);
		return 0;
	}
	if (!sound)
		return -EBADMSG;
	totals = totals_of((struct kt_packet *)b->copy);
	packet_rebase((struct kt_packet *)b->copy, &b->base);
	n = b->sink->ops->append(b->out, &iov, 1);
	if (n < 0) {
		/* It is not in the buffer any more. */
		b->unwritten += events;
		return n;
	}
	buffer_advance(b, events, &totals);
	return 1;
}

/* Of a packet that stays where it is. */
static void *packet_copy(struct buffer *b, int index, const struct kt_packet *p)
{
	struct kt_packet *copy = (void *)(b->copy + index * KT_PACKET_SIZE);

	memcpy(copy, p, packet_bytes(p));
	packet_rebase(copy, &b->base);
	return copy;
}

/* Writes some packets with one call and gives them back. Returns how many. */
static int buffer_copy_batch(struct buffer *b, uint64_t most)
{
	struct iovec iov[BATCH];
	int nr = 0, max = b->copy ? COPIES : BATCH, done;

	while (nr < max && (uint64_t)nr < most) {
		const struct kt_packet *p = buffer_packet(b, b->next + nr);

		if (!packet_is_sound(p, b->next + nr))
			return -EBADMSG;
		iov[nr].iov_base = b->copy ? packet_copy(b, nr, p) : (void *)p;
		iov[nr].iov_len = packet_bytes(p);
		nr++;
	}
	done = b->sink->ops->append(b->out, iov, nr);
	for (int i = 0; i < done; i++) {
		const struct kt_packet *p = buffer_packet(b, b->next);
		struct totals totals = totals_of(p);
		uint64_t seq = b->next;

		buffer_advance(b, p->events, &totals);
		if (ioctl(b->fd, KT_PUT_CONSUMED, &seq))
			return -errno;
	}
	return done;
}

int buffer_copy(struct buffer *b, uint64_t most)
{
	int err = buffer_out_open(b);

	if (err)
		return err;
	return buffer_overwrites(b) ? buffer_copy_one(b)
				    : buffer_copy_batch(b, most);
}

int buffer_drain(struct buffer *b)
{
	uint64_t produced =
		__atomic_load_n(&b->control->produced, __ATOMIC_ACQUIRE);
	int n, total = 0;

	while (b->next < produced) {
		n = buffer_copy(b, produced - b->next);
		if (n < 0)
			return n;
		total += n;
	}
	return total;
}

int buffer_turn_prepare(struct buffer *b)
{
	if (!b->copy)
		b->copy = malloc(COPIES * KT_PACKET_SIZE);
	return b->copy ? 0 : -ENOMEM;
}

void buffer_turn(struct buffer *b, struct sink *sink)
{
	uint64_t overwritten = b->base.lost[KT_LOST_OVERWRITTEN];

	if (b->out)
		b->sink->ops->close(b->out);
	b->out = NULL;
	b->sink = sink;
	b->base = b->last;
	b->base.lost[KT_LOST_OVERWRITTEN] = overwritten + b->overwritten;
	b->overwritten = 0;
	b->events = 0;
}

void buffer_count_unwritten(struct buffer *b)
{
	uint64_t produced, before = 0;

	do {
		produced = load(&b->control->produced);
		b->next = load(&b->control->consumed);
		for (uint64_t seq = b->next; seq != produced; seq++) {
			b->unwritten += load(&buffer_packet(b, seq)->events);
			if (ioctl(b->fd, KT_PUT_CONSUMED, &seq))
				return;
		}
		if (produced == before)
			return;
		before = produced;
	} while (!ioctl(b->fd, KT_FLUSH));
}

int buffer_open(struct buffer *b, int session, uint32_t cpu, struct sink *sink)
{
	char path[64];
	uint64_t size;
	void *map;
	int err;

	b->cpu = cpu;
	b->sink = sink;
	snprintf(path, sizeof(path), "buffers/cpu%u", cpu);
	b->fd = openat(session, path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0) {
		if (errno == EBUSY)
			return error_set(-errno,
					 "another program reads this session's "
					 "buffers: end it first, or record "
					 "beside it with --session NAME");
		return error_set(-errno, "%s: %m", path);
	}
	if (ioctl(b->fd, KT_GET_SIZE, &size)) {
		err = error_set(-errno, "%s: %m", path);
		goto err_close;
	}
	b->size = KT_CONTROL_SIZE + size;
	map = mmap(NULL, b->size, PROT_READ, MAP_SHARED, b->fd, 0);
	if (map == MAP_FAILED) {
		err = error_set(-errno, "%s: cannot be mapped: %m", path);
		goto err_close;
	}
	b->control = map;
	b->packets = (const uint8_t *)map + KT_CONTROL_SIZE;
	if (b->control->magic != KT_CONTROL_MAGIC ||
	    b->control->version != KT_ABI_VERSION ||
	    b->control->packet_size != KT_PACKET_SIZE ||
	    (uint64_t)b->control->packets * KT_PACKET_SIZE != size) {
		err = error_set(-EPROTO,
				"%s: the module ktrace is not of this version",
				path);
		goto err_unmap;
	}
	if (buffer_overwrites(b)) {
		b->copy = malloc(KT_PACKET_SIZE);
		if (!b->copy) {
			err = error_set(-ENOMEM, "out of memory");
			goto err_unmap;
		}
	}
	b->next = load(&b->control->consumed);
	return 0;

err_unmap:
	munmap(map, b->size);
err_close:
	close(b->fd);
	return err;
}

void buffer_close(struct buffer *b)
{
	if (b->out)
		b->sink->ops->close(b->out);
	free(b->copy);
	munmap((void *)b->control, b->size);
	close(b->fd);
	free(b);
}
