// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "feed.h"
#include "metadata.h"
#include "probe/enumeration.h"
#include "read/trace.h"
#include "symbols.h"
#include "tasks.h"
#include "tsc.h"
#include "writer.h"

/* Is the type missing in the metadata? */
static bool type_is_new(const struct ktrace_known *known, void *data)
{
	const struct metadata *m = data;

	return known->id && (known->id >= m->nr_ids || !m->ids[known->id]);
}

static int id_note(struct metadata *m, uint32_t id)
{
	if (id >= m->nr_ids) {
		size_t nr = id + 256;
		bool *ids = realloc(m->ids, nr * sizeof(*ids));

		if (!ids)
			return error_set(-ENOMEM, "out of memory");
		memset(ids + m->nr_ids, 0, (nr - m->nr_ids) * sizeof(*ids));
		m->ids = ids;
		m->nr_ids = nr;
	}
	m->ids[id] = true;
	return 0;
}

/* Events of the kernel have lower ids. */
static uint32_t markers_first_id(const struct metadata *m)
{
	uint32_t first = UINT32_MAX;

	feed_each(m, feed)
		if (feed->first_id && feed->first_id < first)
			first = feed->first_id;
	return first;
}

static int type_note(struct metadata *m, const struct ktrace_type *type)
{
	if (type->id >= markers_first_id(m))
		return error_set(
			-EOVERFLOW,
			"%s:%s has the id of a program's marker, and cannot be shown: enable so many events before the recording begins",
			type->system, type->name);
	m->symbols |= type_shows_symbols(type) || type_has_stack(type);
	return id_note(m, type->id);
}

/* Types that are still texts are system calls, which have no symbols. */
static int types_note(struct metadata *m, const struct ktrace_types *types)
{
	int err = 0;

	for (size_t i = 0; !err && i < types->count; i++)
		err = type_note(m, types->types[i]);
	for (uint32_t id = 0; !err && id < types->nr_text_ids; id++)
		if (types->texts[id].text)
			err = id_note(m, id);
	return err;
}

/* Reads the types that got an id since the last time.  NULL: there are none. */
int metadata_types_read(struct metadata *m, struct ktrace_types **types,
			uint32_t *next_id)
{
	struct ktrace_clock clock;
	int err;

	*types = NULL;
	*next_id = 0;
	if (!m->session)
		return 0;
	err = session_clock(m->session, &clock, next_id);
	if (err || (*next_id && *next_id == m->next_id))
		return err;
	err = session_types_recorded(m->session,
				     m->next_id ? type_is_new : NULL, m,
				     m->unread, types);
	if (!err)
		session_enums(m->session, *types);
	if (!err)
		probe_enumerations(m->session, *types);
	return err;
}

/* Takes over @types. */
int metadata_types_append(struct metadata *m, struct ktrace_types *types,
			  uint32_t next_id)
{
	int err = 0;

	if (!types)
		return 0;
	/* An event with the id of a marker is refused, and not described as what it is. */
	if (!m->unread)
		err = writer_types_below(m->writer, types, markers_first_id(m));
	if (!err)
		err = types_note(m, types);
	if (!err)
		m->next_id = next_id;
	if (!err && m->types)
		return types_move(m->types, types);
	ktrace_types_destroy(types);
	return err;
}

int metadata_types_write(struct metadata *m)
{
	struct ktrace_types *types;
	uint32_t next_id;
	int err = metadata_types_read(m, &types, &next_id);

	err = err ?: metadata_types_append(m, types, next_id);
	if (err || !m->session)
		return err;
	return m->unread ? functions_ask(&m->functions, m->session, m->types)
			 : functions_write(&m->functions, m->session, m->writer,
					   &m->symbols);
}

/* Reads the kernel's clock or, without the kernel, the same clock directly. */
int metadata_clock_read(const struct metadata *m, struct ktrace_clock *clock)
{
	uint64_t missing = 0;

	if (m->session)
		return ktrace_session_clock(m->session, clock);
	feed_each(m, feed)
		if (feed->ops->missing)
			missing = feed->ops->missing(feed);
	tsc_clock(clock, missing);
	return 0;
}

int metadata_clock_write(struct metadata *m)
{
	struct ktrace_clock clock;
	int err = 0;

	if (m->session)
		err = sleeps_write(&m->sleeps, m->session, m->writer);
	if (err >= 0)
		err = metadata_clock_read(m, &clock);
	if (err)
		return err;
	return ktrace_writer_clock(m->writer, clock.name, clock.frequency,
				   &clock.sync, clock.trusted);
}

/* The number of streams so far, which are the kernel's.  Without it, that of CPUs. */
static uint32_t cpus_nr(const struct metadata *m)
{
	size_t nr = 0;

	feed_each(m, feed)
		nr += feed->ops->nr_streams(feed);
	return nr ?: (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
}

int metadata_first(struct metadata *m, const struct ktrace_recording_options *o)
{
	struct ktrace_writer_head head = {.size = sizeof(head)};
	struct ktrace_clock clock;
	int err;

	err = metadata_clock_read(m, &clock);
	if (err)
		return err;
	sleeps_begin(&m->sleeps, &clock);
	m->begun = m->calibrated = clock.sync.monotonic;
	head.id = clock.trace_id;
	head.start = clock.sync.realtime;
	head.version = o->version;
	head.command = o->command;
	head.mode = o->overwrite ? "overwrite" : "discard";
	m->nr_cpus = m->nr_cpus ?: cpus_nr(m);
	head.nr_cpus = m->nr_cpus;
	err = writer_create(m->sink, &head, &m->writer);
	if (err)
		return err;
	err = ktrace_writer_clock(m->writer, clock.name, clock.frequency,
				  &clock.sync, clock.trusted);
	if (err)
		return err;
	return metadata_types_write(m);
}

int metadata_tasks_write(struct metadata *m)
{
	size_t size;
	int err;

	if (!m->session)
		return 0;
	err = ktrace_session_read(m->session, "tasks", &m->tasks, &size);
	return err ?: ktrace_writer_tasks_text(m->writer, m->tasks, size);
}

int metadata_tasks_complete(struct metadata *m)
{
	return m->session ? tasks_complete(m->session, m->writer, m->tasks) : 0;
}

/*
 * Adds a calibration point each time that the recording is twice as long as at
 * the last one.  So times are exact early, and a long recording has few points.
 */
int metadata_calibrate(struct metadata *m, const struct ktrace_clock *clock)
{
	uint64_t now = clock->sync.monotonic;

	if (now - m->calibrated < m->calibrated - m->begun)
		return 0;
	m->calibrated = now;
	return ktrace_writer_clock(m->writer, clock->name, clock->frequency,
				   &clock->sync, clock->trusted);
}

void metadata_symbols_write(struct metadata *m)
{
	if (m->symbols)
		symbols_write(m->session, m->writer, &m->symbols_told);
}

void metadata_free(struct metadata *m)
{
	ktrace_writer_destroy(m->writer);
	if (m->sink)
		m->sink->ops->destroy(m->sink);
	functions_free(&m->functions);
	ktrace_types_destroy(m->types);
	free(m->symbols_told);
	free(m->ids);
	free(m->tasks);
}
