// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "packets.h"
#include "seek.h"
#include "trace.h"

/* What a record or the header of a packet tells of a task. */
struct telling {
	uint64_t clock;
	uint32_t cpu;
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent; /* if @comm is empty, it has the name of this one */
	char comm[KT_COMM_LEN]; /* without a NUL if it fills the room */
};

/* All tellings of one task that were found, the latest first. */
struct history {
	struct telling *list;
	size_t nr, room;
};

/* ---- skipping --------------------------------------------------------------- */

bool seek_is_possible(const struct ktrace *trace)
{
	if (trace->frames || (trace->info.live && !trace->follow))
		return false;
	for (size_t i = 0; i < trace->nr_sources; i++)
		if (trace->sources[i].programs)
			return false;
	return true;
}

static int skipped_add(struct seek *seek, size_t *room,
		       const struct packets *packets)
{
	if (seek->nr == *room) {
		size_t more = *room * 2 + 256;
		struct skipped *list =
			realloc(seek->packets, more * sizeof(*list));

		if (!list)
			return -ENOMEM;
		seek->packets = list;
		*room = more;
	}
	seek->packets[seek->nr++] = (struct skipped){
		.source = packets->source,
		.position = packets->position,
		.end = packets->packet.end,
	};
	return 0;
}

/*
 * Skips packets up to the last but one that ends before @from.  The last one is read: it may say who
 * runs better than the header behind it, which may be of the middle of a context switch.  It and the
 * one behind it are read back, too, so that these know all that was told until @from.
 */
static int stream_find(struct seek *seek, size_t *room, struct ktrace *trace,
		       struct stream *stream, uint64_t from)
{
	struct packets packets, before = {0};
	size_t hint = 0;
	int found, err = 0;

	packets_init(&packets, trace, stream->source);
	while ((found = packets_next(&packets)) > 0 &&
	       clock_convert(&trace->clock, &hint, packets.packet.end) < from) {
		if (before.nr) {
			stream_pass_by(stream, &before.packet);
			err = skipped_add(seek, room, &before);
		}
		if (err)
			return err;
		if (packets.packet.end > seek->clock)
			seek->clock = packets.packet.end;
		before = packets;
	}
	if (before.nr)
		err = skipped_add(seek, room, &before);
	if (!err && found > 0)
		err = skipped_add(seek, room, &packets);
	return found < 0 ? found : err;
}

static int skipped_compare(const void *a, const void *b)
{
	const struct skipped *x = a, *y = b;

	return x->end > y->end ? -1 : x->end < y->end;
}

static void streams_advise(struct stream *const *streams, size_t nr, int advice)
{
	for (size_t i = 0; i < nr; i++)
		if (streams[i]->source->fd >= 0)
			posix_fadvise(streams[i]->source->fd, 0, 0, advice);
}

int seek_begin(struct seek *seek, struct ktrace *trace,
	       struct stream *const *streams, size_t nr, uint64_t from)
{
	struct stream *before = calloc(nr + 1, sizeof(*before));
	size_t room = 0;
	int err = 0;

	memset(seek, 0, sizeof(*seek));
	seek->bytes = malloc(KT_PACKET_SIZE);
	if (!before || !seek->bytes)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < nr; i++)
		before[i] = *streams[i];
	/* Reading ahead would read what is skipped. */
	streams_advise(streams, nr, POSIX_FADV_RANDOM);
	for (size_t i = 0; !err && i < nr; i++)
		err = stream_find(seek, &room, trace, streams[i], from);
	streams_advise(streams, nr, POSIX_FADV_SEQUENTIAL);
	if (err == -EBADMSG) {
		for (size_t i = 0; i < nr; i++)
			*streams[i] = before[i];
	}
	free(before);
	if (err)
		seek_free(seek);
	else if (seek->nr)
		qsort(seek->packets, seek->nr, sizeof(*seek->packets),
		      skipped_compare);
	return err;
}

/* ---- reading what was skipped ------------------------------------------------ */

static bool is_later(const struct telling *a, const struct telling *b)
{
	return a->clock != b->clock ? a->clock > b->clock : a->cpu > b->cpu;
}

static int history_insert(struct history *history,
			  const struct telling *telling)
{
	size_t at = history->nr;

	if (history->nr == history->room) {
		size_t room = history->room * 2 + 4;
		struct telling *list =
			realloc(history->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		history->list = list;
		history->room = room;
	}
	/* Packets are read backwards, so it nearly always belongs to the end. */
	while (at && is_later(telling, &history->list[at - 1]))
		at--;
	memmove(&history->list[at + 1], &history->list[at],
		(history->nr - at) * sizeof(*telling));
	history->list[at] = *telling;
	history->nr++;
	return 0;
}

static int telling_add(struct seek *seek, const struct telling *telling)
{
	struct history *history = table_find(&seek->histories, telling->tid);

	if (!history) {
		history = calloc(1, sizeof(*history));
		if (!history)
			return -ENOMEM;
		if (table_add(&seek->histories, telling->tid, history)) {
			free(history);
			return -ENOMEM;
		}
	}
	return history_insert(history, telling);
}

static int batch_add(struct seek *seek, size_t *nr,
		     const struct telling *telling)
{
	if (!telling->tid || telling->tid >= TASKS_MAX)
		return 0;
	if (*nr == seek->batch_room) {
		size_t room = seek->batch_room * 2 + 64;
		struct telling *batch =
			realloc(seek->batch, room * sizeof(*batch));

		if (!batch)
			return -ENOMEM;
		seek->batch = batch;
		seek->batch_room = room;
	}
	seek->batch[(*nr)++] = *telling;
	return 0;
}

static int header_tell(struct seek *seek, size_t *nr,
		       const struct kt_packet *packet)
{
	struct telling telling = {
		.clock = packet->begin,
		.cpu = packet->cpu,
		.tid = packet->tid,
		.tgid = packet->tgid,
	};

	if (!packet->comm[0])
		return 0;
	memcpy(telling.comm, packet->comm, sizeof(telling.comm));
	return batch_add(seek, nr, &telling);
}

static int record_tell(struct seek *seek, size_t *nr,
		       const struct kt_walk *walk)
{
	struct telling telling = {
		.clock = walk->time,
		.cpu = walk->packet.cpu,
	};
	struct kt_task task;

	memcpy(&task, walk->payload, sizeof(task));
	telling.tid = task.tid;
	telling.tgid = task.tgid;
	telling.parent = task.parent;
	memcpy(telling.comm, task.comm, sizeof(telling.comm));
	return batch_add(seek, nr, &telling);
}

/* Up to where the packet is damaged, as stream.c reads it. */
static int packet_tell(struct seek *seek, const struct skipped *packet,
		       const uint8_t *bytes, size_t size)
{
	const struct stream_sizes *sizes = &packet->source->sizes;
	struct kt_walk walk;
	size_t nr = 0;
	uint64_t time;
	int err;

	if (kt_walk_begin(&walk, bytes, size))
		return 0;
	err = header_tell(seek, &nr, &walk.packet);
	for (time = walk.time;
	     !err && kt_walk_next(&walk, stream_size_of, sizes) > 0 &&
	     walk.time >= time && walk.time <= walk.packet.end;
	     time = walk.time)
		if (unlikely(walk.id == KT_ID_TASK))
			err = record_tell(seek, &nr, &walk);
	while (!err && nr--)
		err = telling_add(seek, &seek->batch[nr]);
	return err;
}

static int packet_read_back(struct seek *seek)
{
	const struct skipped *packet = &seek->packets[seek->read++];
	const struct stream_source *source = packet->source;
	uint64_t left = source->size - packet->position;
	size_t size = left < KT_PACKET_SIZE ? left : KT_PACKET_SIZE;
	ssize_t n;

	if (source->fd < 0)
		return packet_tell(seek, packet,
				   source->data + packet->position, size);
	n = source_read(source, packet->position, seek->bytes, size);
	return n < 0 ? n : packet_tell(seek, packet, seek->bytes, n);
}

/* The latest telling before @clock of those that were read; NULL: none. */
static const struct telling *history_find(const struct seek *seek, uint32_t tid,
					  uint64_t clock)
{
	const struct history *history = table_find(&seek->histories, tid);
	size_t low = 0, high = history ? history->nr : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->list[middle].clock < clock)
			high = middle;
		else
			low = middle + 1;
	}
	return history && low < history->nr ? &history->list[low] : NULL;
}

/* Reads back until nothing later can be found. */
static int telling_find(struct seek *seek, uint32_t tid, uint64_t clock,
			const struct telling **found)
{
	int err = 0;

	for (;;) {
		*found = history_find(seek, tid, clock);
		if (err || seek->read == seek->nr ||
		    (*found && seek->packets[seek->read].end < (*found)->clock))
			return err;
		err = packet_read_back(seek);
	}
}

/* The name that the metadata has of a task; NULL: none. */
static const char *first_name(const struct ktrace *trace, uint32_t tid)
{
	for (size_t i = trace->nr_tasks; i; i--)
		if (trace->tasks[i - 1].tid == tid)
			return trace->tasks[i - 1].comm;
	return NULL;
}

int seek_task(struct seek *seek, const struct ktrace *trace, uint32_t tid,
	      uint64_t clock, uint32_t *tgid, char comm[KT_COMM_LEN + 1])
{
	const struct telling *found;
	const char *name;
	int err = telling_find(seek, tid, clock, &found);

	if (err || !found)
		return err;
	*tgid = found->tgid;
	/* The name of who made it, when it did.  Each step leads back in time, so there is an end. */
	while (found && !found->comm[0]) {
		tid = found->parent;
		err = telling_find(seek, tid, found->clock, &found);
		if (err)
			return err;
	}
	name = found ? found->comm : first_name(trace, tid) ?: "<...>";
	memset(comm, 0, KT_COMM_LEN + 1);
	memcpy(comm, name, strnlen(name, KT_COMM_LEN));
	return 1;
}

void seek_free(struct seek *seek)
{
	struct history *history;
	size_t at = 0;

	while ((history = table_each(&seek->histories, &at))) {
		free(history->list);
		free(history);
	}
	table_free(&seek->histories);
	free(seek->packets);
	free(seek->bytes);
	free(seek->batch);
	memset(seek, 0, sizeof(*seek));
}
