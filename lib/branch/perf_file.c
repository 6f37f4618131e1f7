// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads what `perf record' has written: see perf_trace.h.
 *
 * Source of the format: perf.data-file-format.txt in perf's documentation, of the kernel's source; of the
 * records that perf itself adds, its event.h; of what it says of Intel's PT, its intel-pt.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "perf_trace.h"

#define MAGIC	      "PERFILE2"
#define MAGIC_SWAPPED "2ELIFREP"
/* A record says its size in 16 bits. */
#define RECORD_MAX 65536
#define EVENTS_MAX 4096
#define IDS_MAX	   (1u << 20) /* of all events together */
#define TEXT_MAX   4096

/* Records that perf adds. */
enum {
	AUXTRACE_INFO = 70,
	AUXTRACE = 71,
	COMPRESSED = 81,
	COMPRESSED2 = 83,
};

/* Of the words in AUXTRACE_INFO. */
enum {
	OF_INTEL_PT = 1, /* the kind of the packets */
	WORD_SHIFT = 1,
	WORD_MULT,
	WORD_ZERO,
	WORD_HAS_ZERO,
	WORD_MTC_BITS = 11,
	WORD_CTC_EBX,
	WORD_CTC_EAX,
	WORD_NOMINAL = 15,
	WORDS,
};

/* Numbers of what the file tells besides. */
enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_OSRELEASE = 4,
	FEATURE_CPUID = 9,
	FEATURES = 256
};

struct section {
	uint64_t offset, size;
};

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[FEATURES / 64];
};

struct auxtrace {
	struct perf_event_header head;
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu, pad;
};

/* Of a file that was mapped; its path is behind it. */
struct build_id {
	struct perf_event_header head;
	uint32_t pid;
	unsigned char id[20];
	uint8_t size, pad[3]; /* the size is only there if the head says so */
};

#define BUILD_ID_SIZE (1u << 15)

/* One kind of events: which of its records have what behind them. */
struct layout {
	struct perf_event_attr attr;
	struct section ids;
};

/* The number of an event: records of it have it as their last word. */
struct numbered {
	uint64_t id;
	const struct layout *layout;
};

struct reading {
	struct perf_trace *trace;
	const char *path;
	uint64_t size; /* of the file */
	struct header header;
	struct layout *layouts;
	size_t nr_layouts;
	bool same;		  /* all have the same behind them */
	struct numbered *numbers; /* in order; only if they have not */
	size_t nr_numbers;
	bool told;		   /* that these are packets of Intel's PT */
	uint64_t mtc_bits, config; /* which bits of config are MTCFreq */
	uint8_t record[RECORD_MAX];
};

static int damaged(const struct reading *r, const char *what)
{
	return error_set(-EBADMSG, "%s: damaged: %s", r->path, what);
}

/* All of it, or none. */
static bool read_at(const struct reading *r, void *to, size_t size, uint64_t at)
{
	ssize_t n = 1;

	if (at > r->size || size > r->size - at)
		return false;
	for (uint8_t *next = to; size && n > 0; size -= n, next += n, at += n) {
		n = pread(r->trace->fd, next, size, at);
		if (n <= 0)
			return false;
	}
	return true;
}

static bool is_inside(const struct reading *r, const struct section *section)
{
	return section->offset <= r->size &&
	       section->size <= r->size - section->offset;
}

/* ---- kinds of events ------------------------------------------------------ */

static int numbered_compare(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int numbers_read(struct reading *r)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < r->nr_layouts; i++) {
		const struct layout *layout = &r->layouts[i];

		nr += layout->ids.size / sizeof(uint64_t);
		if (!is_inside(r, &layout->ids) || nr > IDS_MAX)
			return damaged(r, "the numbers of an event");
		if (!(layout->attr.sample_type & PERF_SAMPLE_IDENTIFIER))
			return damaged(r, "records have no numbers");
	}
	r->numbers = calloc(nr + 1, sizeof(*r->numbers));
	if (!r->numbers)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < r->nr_layouts; i++) {
		const struct section *ids = &r->layouts[i].ids;

		for (uint64_t at = 0; at + sizeof(uint64_t) <= ids->size;
		     at += sizeof(uint64_t)) {
			struct numbered *to = &r->numbers[r->nr_numbers++];

			to->layout = &r->layouts[i];
			if (!read_at(r, &to->id, sizeof(to->id),
				     ids->offset + at))
				return damaged(r, "the numbers of an event");
		}
	}
	qsort(r->numbers, r->nr_numbers, sizeof(*r->numbers), numbered_compare);
	return 0;
}

static bool is_same_layout(const struct perf_event_attr *a,
			   const struct perf_event_attr *b)
{
	const uint64_t behind = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return a->sample_id_all == b->sample_id_all &&
	       !((a->sample_type ^ b->sample_type) & behind);
}

static int layouts_read(struct reading *r)
{
	const struct section *attrs = &r->header.attrs;
	uint64_t each = r->header.attr_size, nr;

	if (!is_inside(r, attrs) ||
	    each < PERF_ATTR_SIZE_VER0 + sizeof(struct section) ||
	    each > RECORD_MAX || attrs->size / each > EVENTS_MAX ||
	    attrs->size < each)
		return damaged(r, "its events");
	nr = attrs->size / each;
	r->layouts = calloc(nr, sizeof(*r->layouts));
	if (!r->layouts)
		return error_set(-ENOMEM, "out of memory");
	r->same = true;
	for (uint64_t i = 0; i < nr; i++) {
		struct layout *layout = &r->layouts[r->nr_layouts++];
		size_t size = each - sizeof(struct section);
		uint64_t at = attrs->offset + i * each;

		if (!read_at(r, &layout->ids, sizeof(layout->ids), at + size))
			return damaged(r, "its events");
		if (size > sizeof(layout->attr))
			size = sizeof(layout->attr);
		if (!read_at(r, &layout->attr, size, at))
			return damaged(r, "its events");
		r->same &= is_same_layout(&layout->attr, &r->layouts[0].attr);
	}
	return r->same ? 0 : numbers_read(r);
}

/* What stands behind a record; NULL: its event is not known. */
static const struct perf_event_attr *layout_of(const struct reading *r,
					       size_t size)
{
	const struct numbered *found;
	struct numbered key = {0};

	if (r->same)
		return &r->layouts[0].attr;
	/* The last word says whose it is. */
	if (size < sizeof(struct perf_event_header) + sizeof(key.id))
		return NULL;
	memcpy(&key.id, r->record + size - sizeof(key.id), sizeof(key.id));
	/* What was there at first, perf tells as if its first event had. */
	if (!key.id)
		return &r->layouts[0].attr;
	found = bsearch(&key, r->numbers, r->nr_numbers, sizeof(key),
			numbered_compare);
	return found ? &found->layout->attr : NULL;
}

/* ---- records of perf ------------------------------------------------------ */

static int info_take(struct reading *r, size_t size)
{
	const size_t begin = sizeof(struct perf_event_header) + 8;
	struct perf_trace *trace = r->trace;
	uint64_t words[WORDS] = {0};
	uint32_t kind = 0;
	bool kernel = false;

	if (size >= begin)
		memcpy(&kind, r->record + sizeof(struct perf_event_header),
		       sizeof(kind));
	if (kind != OF_INTEL_PT)
		return error_set(
			-EOPNOTSUPP,
			"%s: its AUX areas are not of Intel's PT (perf "
			"record -e intel_pt//u)",
			r->path);
	memcpy(words, r->record + begin,
	       size - begin < sizeof(words) ? size - begin : sizeof(words));
	if (words[WORD_SHIFT] < 64 && words[WORD_HAS_ZERO])
		trace->clock = (struct perf_conversion){
			.known = true,
			.shift = words[WORD_SHIFT],
			.mult = words[WORD_MULT],
			.zero = words[WORD_ZERO],
		};
	r->mtc_bits = words[WORD_MTC_BITS];
	trace->processor.ctc_ebx = words[WORD_CTC_EBX];
	trace->processor.ctc_eax = words[WORD_CTC_EAX];
	trace->processor.nominal = words[WORD_NOMINAL];
	/* The first word is the number of the events' kind. */
	for (size_t i = 0; i < r->nr_layouts; i++)
		if (r->layouts[i].attr.type == words[0]) {
			r->config = r->layouts[i].attr.config;
			kernel |= !r->layouts[i].attr.exclude_kernel;
		}
	/* Its code is not in a file, and behind it all is lost until decoding can begin anew. */
	if (kernel)
		return error_set(
			-EOPNOTSUPP,
			"%s: it has branches of the kernel, too, which "
			"cannot be decoded: perf record -e intel_pt//u "
			"leaves them out",
			r->path);
	/* It is a field of four bits. */
	if (r->mtc_bits)
		trace->processor.mtc_frequency =
			((r->config & r->mtc_bits) >>
			 __builtin_ctzll(r->mtc_bits)) &
			15;
	r->told = true;
	return 0;
}

/* Its bytes follow the record.  Returns how many these are in *@behind. */
static int part_take(struct reading *r, size_t size, uint64_t at,
		     uint64_t *behind)
{
	struct perf_trace *trace = r->trace;
	struct auxtrace head = {0};
	struct perf_part *more;

	if (size < sizeof(head))
		return damaged(r, "an AUX area");
	memcpy(&head, r->record, sizeof(head));
	if (at > r->size || head.size > r->size - at)
		return damaged(r, "an AUX area: was the file cut off?");
	more = array_grow(trace->parts, trace->nr_parts, sizeof(*more));
	if (!more)
		return error_set(-ENOMEM, "out of memory");
	trace->parts = more;
	more[trace->nr_parts++] = (struct perf_part){
		.at = at,
		.offset = head.offset,
		.size = head.size,
		.buffer = head.idx,
		.tid = head.tid,
		.cpu = head.cpu,
	};
	*behind = head.size;
	return 0;
}

static int record_take(struct reading *r, uint64_t at, size_t size,
		       uint64_t *behind)
{
	struct perf_event_header head;
	const struct perf_event_attr *layout;

	memcpy(&head, r->record, sizeof(head));
	switch (head.type) {
	case AUXTRACE_INFO:
		return info_take(r, size);
	case AUXTRACE:
		return part_take(r, size, at + size, behind);
	case COMPRESSED:
	case COMPRESSED2:
		return error_set(-EOPNOTSUPP,
				 "%s: its records are compressed: perf record "
				 "without -z makes a file that can be read",
				 r->path);
	}
	if (head.type >= PERF_RECORD_MAX)
		return 0;
	layout = layout_of(r, size);
	r->trace->untold += !layout;
	if (layout && perf_record_take(r->trace, layout, r->record, size))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

static int records_read(struct reading *r)
{
	uint64_t at = r->header.data.offset, end, behind;
	struct perf_event_header head;
	int err = 0;

	/* Of a recording that was killed, it is not written. */
	if (!is_inside(r, &r->header.data) || !r->header.data.size)
		return damaged(r, "its records: was the recording cut off?");
	end = at + r->header.data.size;
	for (; !err && at < end; at += head.size + behind) {
		behind = 0;
		if (end - at < sizeof(head) ||
		    !read_at(r, &head, sizeof(head), at) ||
		    head.size < sizeof(head) || head.size > end - at ||
		    !read_at(r, r->record, head.size, at))
			return damaged(r, "a record");
		err = record_take(r, at, head.size, &behind);
	}
	return err;
}

/* ---- what the file tells besides ------------------------------------------ */

static bool feature_find(const struct reading *r, unsigned int number,
			 struct section *section)
{
	const uint64_t *bits = r->header.features;
	uint64_t at = r->header.data.offset + r->header.data.size;

	if (!(bits[number / 64] >> number % 64 & 1))
		return false;
	for (unsigned int i = 0; i < number; i++)
		at += sizeof(*section) * (bits[i / 64] >> i % 64 & 1);
	return read_at(r, section, sizeof(*section), at) &&
	       is_inside(r, section);
}

/* A text of a feature. */
static bool feature_read(const struct reading *r, unsigned int number,
			 char text[TEXT_MAX])
{
	struct section section;
	uint32_t size;

	if (!feature_find(r, number, &section) || section.size < sizeof(size) ||
	    !read_at(r, &size, sizeof(size), section.offset) ||
	    size >= TEXT_MAX || size > section.size - sizeof(size) ||
	    !read_at(r, text, size, section.offset + sizeof(size)))
		return false;
	text[size] = '\0';
	return true;
}

static int build_id_keep(struct perf_trace *trace, const char *path,
			 const unsigned char *bytes, unsigned int size)
{
	struct perf_build_id *id = arena_alloc(&trace->texts, sizeof(*id));
	char *copy = arena_strdup(&trace->texts, path);

	if (!id || !copy)
		return -ENOMEM;
	*id = (struct perf_build_id){.path = copy, .size = size};
	memcpy(id->id, bytes, size);
	return table_add(&trace->build_ids, table_hash(path, strlen(path)), id)
		       ? -ENOMEM
		       : 0;
}

/* perf has read them when it ended. */
static int build_ids_read(struct reading *r)
{
	struct build_id known;
	struct section section;
	int err = 0;

	if (!feature_find(r, FEATURE_BUILD_ID, &section))
		return 0;
	while (!err && section.size > sizeof(known)) {
		unsigned int size = 20;

		if (!read_at(r, &known, sizeof(known), section.offset) ||
		    known.head.size <= sizeof(known) ||
		    known.head.size > section.size ||
		    !read_at(r, r->record, known.head.size, section.offset))
			return damaged(r, "its build ids");
		if (known.head.misc & BUILD_ID_SIZE)
			size = known.size;
		r->record[known.head.size - 1] = '\0';
		if (size && size <= sizeof(known.id))
			err = build_id_keep(r->trace,
					    (const char *)r->record +
						    sizeof(known),
					    known.id, size);
		section.offset += known.head.size;
		section.size -= known.head.size;
	}
	return err ? error_set(err, "out of memory") : 0;
}

static void features_read(struct reading *r)
{
	struct perf_trace *trace = r->trace;
	unsigned int family, model, stepping;
	struct utsname name;
	char text[TEXT_MAX];

	if (feature_read(r, FEATURE_OSRELEASE, text))
		trace->same_kernel =
			!uname(&name) && !strcmp(text, name.release);
	if (feature_read(r, FEATURE_CPUID, text) &&
	    sscanf(text, "GenuineIntel,%u,%u,%u", &family, &model, &stepping) ==
		    3) {
		trace->processor.family = family;
		trace->processor.model = model;
		trace->processor.stepping = stepping;
	}
}

/* ---- all of it ------------------------------------------------------------ */

static int header_read(struct reading *r)
{
	struct header *header = &r->header;

	if (!read_at(r, header->magic, sizeof(header->magic), 0))
		return damaged(r, "it is empty");
	if (!memcmp(header->magic, MAGIC_SWAPPED, sizeof(header->magic)))
		return error_set(-EOPNOTSUPP,
				 "%s: it is of a machine with the other order "
				 "of bytes",
				 r->path);
	if (memcmp(header->magic, MAGIC, sizeof(header->magic)) != 0)
		return error_set(-EINVAL, "%s: it is no file of perf record",
				 r->path);
	if (!read_at(r, header, sizeof(*header), 0) ||
	    header->size < sizeof(*header))
		return error_set(-EOPNOTSUPP,
				 "%s: it was written to a pipe: perf inject -i "
				 "%s -o FILE makes a file that can be read",
				 r->path, r->path);
	return 0;
}

static int trace_read(struct reading *r)
{
	int err = header_read(r);

	err = err ?: layouts_read(r);
	err = err ?: records_read(r);
	if (err)
		return err;
	if (!r->told)
		return error_set(-ENODATA,
				 "%s: it has no packets of Intel's PT: perf "
				 "record -e intel_pt//u",
				 r->path);
	features_read(r);
	err = build_ids_read(r);
	if (err)
		return err;
	perf_records_sort(r->trace);
	return 0;
}

int perf_trace_open(struct perf_trace *trace, const char *path)
{
	struct reading *r = calloc(1, sizeof(*r));
	struct stat st;
	int err = 0;

	*trace = (struct perf_trace){.fd = -1};
	if (!r)
		return error_set(-ENOMEM, "out of memory");
	trace->fd = file_reopen(open(path, O_PATH | O_CLOEXEC), O_RDONLY);
	if (trace->fd < 0 || fstat(trace->fd, &st))
		err = error_set(-errno, "%s: %s", path, strerror(errno));
	r->trace = trace;
	r->path = path;
	if (!err) {
		r->size = st.st_size;
		trace->made = st.st_mtime;
		err = trace_read(r);
	}
	free(r->numbers);
	free(r->layouts);
	free(r);
	return err;
}

void perf_trace_close(struct perf_trace *trace)
{
	if (trace->fd >= 0)
		close(trace->fd);
	table_free(&trace->build_ids);
	arena_destroy(&trace->texts);
	free(trace->news);
	free(trace->turns);
	free(trace->holes);
	free(trace->parts);
}
