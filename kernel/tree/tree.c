// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of the control tree, and what they do.
 *
 *	/			the root session, and files of no session
 *	/sessions/NAME/		a session
 *	  buffers/cpuN
 *	  events/SYSTEM/EVENT/
 *
 * Everything here runs under kt_mutex.  A write is checked completely before anything
 * changes.
 */
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "session/access.h"
#include "session/captures.h"
#include "base/clock.h"
#include "compat/fs.h"
#include "event/depot.h"
#include "event/format.h"
#include "session/condition.h"
#include "session/gone.h"
#include "event/tracepoints.h"
#include "session/control.h"
#include "session/session.h"
#include "session/sources.h"
#include "session/stacks.h"
#include "session/list.h"
#include "session/symbols.h"
#include "session/task.h"
#include "programs_file.h"
#include "source_files.h"
#include "stacks_file.h"
#include "fs.h"
#include "buffer_file.h"
#include "session/node.h"
#include "tree.h"
#include "base/unwind.h"
#include "base/version.h"

/* How many bytes of a refused write the reason quotes. */
static int quoted(const char *text)
{
	return min_t(size_t, strlen(text), 60);
}

static int parse_switch(const struct kt_node *node, char *text, bool *value)
{
	text = strim(text);
	if (strcmp(text, "0") && strcmp(text, "1"))
		return kt_refuse(node->session, -EINVAL,
				 "0 or 1 is wanted, not \"%*pE\"", quoted(text),
				 text);
	*value = text[0] == '1';
	return 0;
}

static int parse_bytes(const struct kt_node *node, char *text, u64 min, u64 max,
		       u64 *bytes)
{
	char *end;

	text = strim(text);
	*bytes = memparse(text, &end);
	if (!isdigit(*text) || *end)
		return kt_refuse(node->session, -EINVAL,
				 "a number of bytes is wanted, not \"%*pE\"",
				 quoted(text), text);
	if (*bytes < min || *bytes > max)
		return kt_refuse(node->session, -EINVAL,
				 "%llu bytes: %llu to %llu are possible",
				 *bytes, min, max);
	return 0;
}

/* ---- files of an event ---------------------------------------------------- */

static struct kt_enabled *node_enabled(const struct kt_node *node)
{
	return kt_session_event(node->session, node->entry);
}

static int event_enabled_show(struct seq_file *m, const struct kt_node *node)
{
	const struct kt_enabled *enabled = node_enabled(node);

	seq_printf(m, "%d\n", enabled && enabled->wanted);
	return 0;
}

static int event_enabled_write(const struct kt_node *node, char *text)
{
	bool enable;
	int err = parse_switch(node, text, &enable);

	return err
		       ?: kt_session_event_enable(node->session, node->entry,
						  enable);
}

static u32 node_id(const struct kt_node *node)
{
	const struct kt_enabled *enabled = node_enabled(node);

	return enabled ? enabled->id : 0;
}

static int event_id_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%u\n", node_id(node));
	return 0;
}

static int event_format_show(struct seq_file *m, const struct kt_node *node)
{
	kt_format_show(m, node->entry, node_enabled(node));
	return 0;
}

static int event_filter_show(struct seq_file *m, const struct kt_node *node)
{
	kt_filter_show(m, node_enabled(node));
	return 0;
}

static int event_filter_write(const struct kt_node *node, char *text)
{
	return kt_filter_write(node->session, node->entry, strim(text));
}

static const struct kt_kind event_enabled = {
	.name = "enabled",
	.mode = KIND_BOTH,
	.show = event_enabled_show,
	.write = event_enabled_write,
};

static const struct kt_kind event_id = {
	.name = "id",
	.mode = KIND_READ,
	.show = event_id_show,
};

static const struct kt_kind event_format = {
	.name = "format",
	.mode = KIND_READ,
	.show = event_format_show,
	.prints = true,
};

static const struct kt_kind event_filter = {
	.name = "filter",
	.mode = KIND_BOTH,
	.show = event_filter_show,
	.write = event_filter_write,
};

static const struct kt_kind *const event_children[] = {
	&event_enabled, &event_filter, &event_format, &event_id, NULL,
};

static const struct kt_kind event_dir = {
	.mode = KIND_DIR,
	.children = event_children,
};

/* ---- events/ and events/SYSTEM/ ------------------------------------------- */

/* For the events of a system, or of all systems if there is none. */
static int events_enabled_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%c\n",
		   kt_session_events_state(node->session, node->system));
	return 0;
}

static int events_enabled_write(const struct kt_node *node, char *text)
{
	bool enable;
	int err = parse_switch(node, text, &enable);

	return err
		       ?: kt_session_events_enable(node->session, node->system,
						   enable);
}

static bool system_find(const struct kt_node *dir, const char *name,
			size_t length, struct kt_node *child)
{
	struct kt_entry *entry = kt_entry_find(dir->system, name, length);

	if (!entry || !kt_entry_visible(entry))
		return false;
	child->kind = &event_dir;
	child->entry = entry;
	return true;
}

static bool system_next(const struct kt_node *dir, unsigned long *pos,
			char *name)
{
	struct kt_entry *entry;

	xa_for_each_start(&dir->system->entries, *pos, entry, *pos) {
		if (!kt_entry_visible(entry))
			continue;
		strscpy(name, entry->event->name, KT_CHILD_NAME_SIZE);
		return true;
	}
	return false;
}

static const struct kt_kind events_enabled = {
	.name = "enabled",
	.mode = KIND_BOTH,
	.show = events_enabled_show,
	.write = events_enabled_write,
};

static const struct kt_kind *const events_children[] = {
	&events_enabled,
	NULL,
};

static const struct kt_kind system_dir = {
	.mode = KIND_DIR,
	.children = events_children,
	.find = system_find,
	.next = system_next,
};

static bool events_find(const struct kt_node *dir, const char *name,
			size_t length, struct kt_node *child)
{
	struct kt_system *system = kt_system_find(name, length);

	if (!system || !system->nr_visible)
		return false;
	child->kind = &system_dir;
	child->system = system;
	return true;
}

static bool events_next(const struct kt_node *dir, unsigned long *pos,
			char *name)
{
	struct kt_system *system;

	xa_for_each_start(&kt_systems, *pos, system, *pos) {
		if (!system->nr_visible)
			continue;
		strscpy(name, system->name, KT_CHILD_NAME_SIZE);
		return true;
	}
	return false;
}

static const struct kt_kind events_dir = {
	.name = "events",
	.mode = KIND_DIR,
	.children = events_children,
	.find = events_find,
	.next = events_next,
};

/* ---- files of a session --------------------------------------------------- */

static int enabled_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%d\n", node->session->enabled);
	return 0;
}

static int enabled_write(const struct kt_node *node, char *text)
{
	bool enable;
	int err = parse_switch(node, text, &enable);

	return err ?: kt_session_enable(node->session, enable);
}

static const char *const mode_names[] = {
	[KT_MODE_DISCARD] = "discard",
	[KT_MODE_OVERWRITE] = "overwrite",
};

static int mode_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%s\n", mode_names[node->session->buffers.mode]);
	return 0;
}

static int mode_write(const struct kt_node *node, char *text)
{
	int mode =
		match_string(mode_names, ARRAY_SIZE(mode_names), strim(text));

	if (mode < 0)
		return kt_refuse(node->session, -EINVAL,
				 "discard or overwrite is wanted, not \"%*pE\"",
				 quoted(text), text);
	return kt_buffer_settings(node->session, mode,
				  node->session->buffers.packets,
				  node->session->buffers.wanted);
}

static int buffer_size_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%zu\n", kt_buffer_bytes(&node->session->buffers));
	return 0;
}

static int buffer_size_write(const struct kt_node *node, char *text)
{
	const u64 max = (u64)KT_RING_PACKETS_MAX << KT_PACKET_SHIFT;
	struct kt_session *session = node->session;
	u64 packets, bytes;
	int err = parse_bytes(node, text, 1, max, &bytes);

	if (err)
		return err;
	packets = roundup_pow_of_two(DIV_ROUND_UP_ULL(bytes, KT_PACKET_SIZE));
	return kt_buffer_settings(session, session->buffers.mode,
				  max_t(u64, packets, KT_RING_PACKETS_MIN),
				  session->buffers.wanted);
}

static int overflow_show(struct seq_file *m, const struct kt_node *node)
{
	kt_buffers_show(m, &node->session->buffers);
	kt_sources_show_missed(m, node->session);
	kt_stacks_show_missed(m, node->session);
	return 0;
}

static int reset_write(const struct kt_node *node, char *text)
{
	if (strcmp(strim(text), "1"))
		return kt_refuse(node->session, -EINVAL,
				 "1 is wanted, not \"%*pE\"", quoted(text),
				 text);
	return kt_session_reset(node->session);
}

static int error_show(struct seq_file *m, const struct kt_node *node)
{
	const struct kt_session *session = node->session;

	if (session->reason[0])
		seq_printf(m, "%s: %s\n", session->blame ?: "?",
			   session->reason);
	return 0;
}

static int tasks_show(struct seq_file *m, const struct kt_node *node)
{
	kt_tasks_show(m);
	return 0;
}

static int pids_show(struct seq_file *m, const struct kt_node *node)
{
	kt_pids_show(m, node->session);
	return 0;
}

static int pids_write(const struct kt_node *node, char *text)
{
	return kt_pids_write(node->session, text);
}

static int capture_show(struct seq_file *m, const struct kt_node *node)
{
	kt_capture_show(m, node->session);
	return 0;
}

static int capture_write(const struct kt_node *node, char *text)
{
	return kt_capture_write(node->session, text);
}

static int stack_size_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%u\n", node->session->stack_size);
	return 0;
}

static int stack_size_write(const struct kt_node *node, char *text)
{
	u64 bytes;
	int err = parse_bytes(node, text, KT_DEPOT_MIN, KT_DEPOT_MAX, &bytes);

	return err ?: kt_stack_size_change(node->session, round_up(bytes, 8));
}

static int filtered_show(struct seq_file *m, const struct kt_node *node)
{
	kt_filters_show(m, node->session);
	return 0;
}

static int filtered_write(const struct kt_node *node, char *text)
{
	return kt_filters_write(node->session, strim(text));
}

static int available_show(struct seq_file *m, const struct kt_node *node)
{
	kt_list_available(m, node->session);
	return 0;
}

static int info_show(struct seq_file *m, const struct kt_node *node)
{
	kt_list_info(m, node->session);
	return 0;
}

static int gone_show(struct seq_file *m, const struct kt_node *node)
{
	kt_gone_show(m, node->session);
	return 0;
}

static int types_show(struct seq_file *m, const struct kt_node *node)
{
	kt_gone_show(m, node->session);
	kt_list_types(m, node->session);
	return 0;
}

static int trace_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "trace_id 0x%016llx\n", node->session->buffers.trace_id);
	kt_clock_show(m);
	seq_printf(m, "next_id %u\n", node->session->next_id);
	return 0;
}

static int owner_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%d\n", READ_ONCE(node->session->buffers.owner));
	return 0;
}

static const struct kt_kind session_enabled = {
	.name = "enabled",
	.mode = KIND_BOTH,
	.show = enabled_show,
	.write = enabled_write,
};

static const struct kt_kind session_mode = {
	.name = "mode",
	.mode = KIND_BOTH,
	.show = mode_show,
	.write = mode_write,
};

static const struct kt_kind session_buffer_size = {
	.name = "buffer_size",
	.mode = KIND_BOTH,
	.show = buffer_size_show,
	.write = buffer_size_write,
};

static const struct kt_kind session_overflow = {
	.name = "overflow",
	.mode = KIND_READ,
	.show = overflow_show,
};

static const struct kt_kind session_reset = {
	.name = "reset",
	.mode = KIND_WRITE,
	.write = reset_write,
};

static const struct kt_kind session_error = {
	.name = "error",
	.mode = KIND_READ,
	.show = error_show,
};

static const struct kt_kind session_tasks = {
	.name = "tasks",
	.mode = KIND_READ,
	.show = tasks_show,
	.show_size = 16 * PAGE_SIZE,
};

static const struct kt_kind session_pids = {
	.name = "pids",
	.mode = KIND_BOTH,
	.show = pids_show,
	.write = pids_write,
	.write_max = 64 << 10,
};

static const struct kt_kind session_capture = {
	.name = "capture",
	.mode = KIND_BOTH,
	.show = capture_show,
	.show_size = 16 * PAGE_SIZE,
	.write = capture_write,
	.write_max = 256 << 10,
};

static const struct kt_kind session_stack_size = {
	.name = "stack_size",
	.mode = KIND_BOTH,
	.show = stack_size_show,
	.write = stack_size_write,
};

static const struct kt_kind session_available = {
	.name = "available",
	.mode = KIND_READ,
	.show = available_show,
	.show_size = 256 << 10,
};

static const struct kt_kind session_filtered = {
	.name = "filtered",
	.mode = KIND_BOTH,
	.show = filtered_show,
	.show_size = 4 * PAGE_SIZE,
	.write = filtered_write,
};

static const struct kt_kind session_info = {
	.name = "info",
	.mode = KIND_READ,
	.show = info_show,
	.show_size = 1 << 20,
	.prints = true,
};

static const struct kt_kind session_gone = {
	.name = "gone",
	.mode = KIND_READ,
	.show = gone_show,
	.show_size = 16 * PAGE_SIZE,
};

static const struct kt_kind session_types = {
	.name = "types",
	.mode = KIND_READ,
	.show = types_show,
	.show_size = 512 << 10,
	.prints = true,
};

static const struct kt_kind session_trace = {
	.name = "trace",
	.mode = KIND_READ,
	.show = trace_show,
};

static const struct kt_kind session_owner = {
	.name = "owner",
	.mode = KIND_READ,
	.show = owner_show,
};

#define SESSION_CHILDREN                                                       \
	&session_enabled, &session_mode, &session_buffer_size, &kt_cpus_file,  \
		&session_overflow, &session_reset, &session_error,             \
		&session_tasks, &session_pids, &session_capture,               \
		&session_available, &session_filtered, &session_info,          \
		&session_gone, &session_types, &session_trace, &session_owner, \
		&kt_stack_file, &session_stack_size, &kt_stacks_file,          \
		&kt_buffers_dir, &events_dir

/* ---- sessions/ ------------------------------------------------------------ */

static const struct kt_kind *const session_children[] = {
	SESSION_CHILDREN,
	NULL,
};

static const struct kt_kind session_dir = {
	.mode = KIND_DIR,
	.children = session_children,
	.find = kt_source_files_find,
	.next = kt_source_files_next,
};

static bool sessions_find(const struct kt_node *dir, const char *name,
			  size_t length, struct kt_node *child)
{
	struct kt_session *session = kt_session_find(name, length);

	if (!session || session == kt_session_root())
		return false;
	child->kind = &session_dir;
	child->session = session;
	return true;
}

static bool sessions_next(const struct kt_node *dir, unsigned long *pos,
			  char *name)
{
	struct kt_session *session;

	/* The list is ordered by cookie. */
	list_for_each_entry(session, &kt_sessions, node) {
		if (session->cookie < *pos || session == kt_session_root())
			continue;
		strscpy(name, session->name, KT_CHILD_NAME_SIZE);
		*pos = session->cookie;
		return true;
	}
	return false;
}

/* Any name that needs no quoting. */
static int session_name_check(const struct qstr *name)
{
	unsigned int i;

	if (name->len > KT_SESSION_NAME_MAX)
		return -ENAMETOOLONG;
	for (i = 0; i < name->len; i++) {
		if (!isgraph(name->name[i]))
			return -EINVAL;
	}
	return 0;
}

static int sessions_make(struct inode *dir, struct dentry *dentry)
{
	struct kt_session *session;
	struct inode *inode;
	int err;

	err = session_name_check(&dentry->d_name);
	if (err)
		return err;
	mutex_lock(&kt_mutex);
	if (kt_session_find(dentry->d_name.name, dentry->d_name.len)) {
		err = -EEXIST;
		goto err_unlock;
	}
	session = kt_session_create(dentry->d_name.name);
	if (IS_ERR(session)) {
		err = PTR_ERR(session);
		goto err_unlock;
	}
	inode = kt_node_inode(dir->i_sb,
			      &(struct kt_node){
				      .kind = &session_dir,
				      .session = kt_session_get(session),
			      });
	if (IS_ERR(inode)) {
		err = PTR_ERR(inode);
		kt_session_end(session);
		goto err_unlock;
	}
	mutex_unlock(&kt_mutex);
	d_instantiate(dentry, inode);
	return 0;

err_unlock:
	mutex_unlock(&kt_mutex);
	return err;
}

/* Removes the session with all that it has recorded, but not while somebody reads it. */
static int sessions_rmdir(struct inode *dir, struct dentry *dentry)
{
	struct kt_session *session = kt_node_of(d_inode(dentry))->session;
	int err = 0;

	mutex_lock(&kt_mutex);
	if (session->dead)
		err = -ENOENT;
	else if (kt_buffers_busy(&session->buffers, 0))
		err = -EBUSY;
	else
		kt_session_end(session);
	mutex_unlock(&kt_mutex);
	if (!err)
		clear_nlink(d_inode(dentry));
	return err;
}

KT_MKDIR(sessions_mkdir, sessions_make)

static const struct inode_operations sessions_iops = {
	.lookup = kt_dir_lookup,
	.mkdir = sessions_mkdir,
	.rmdir = sessions_rmdir,
};

static const struct kt_kind sessions_dir = {
	.name = "sessions",
	.mode = KIND_DIR,
	.find = sessions_find,
	.next = sessions_next,
	.iops = &sessions_iops,
};

/* ---- files of no session -------------------------------------------------- */

static int version_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%s %d\n", KT_RELEASE, KT_ABI_VERSION);
	return 0;
}

static int unwinder_show(struct seq_file *m, const struct kt_node *node)
{
	seq_printf(m, "%s\n", kt_unwinder());
	return 0;
}

static bool undefined_visit(const struct kt_tracepoint *tracepoint, void *data)
{
	if (!tracepoint->point.nr_entries)
		seq_printf(data, "%s %s\n", tracepoint->tp->name,
			   kt_point_module(&tracepoint->point));
	return true;
}

static int undefined_show(struct seq_file *m, const struct kt_node *node)
{
	kt_tracepoints_each(undefined_visit, m);
	return 0;
}

static const struct kt_kind root_version = {
	.name = "version",
	.mode = KIND_READ,
	.show = version_show,
};

static const struct kt_kind root_unwinder = {
	.name = "unwinder",
	.mode = KIND_READ,
	.show = unwinder_show,
};

static const struct kt_kind root_undefined = {
	.name = "undefined",
	.mode = KIND_READ,
	.show = undefined_show,
	.show_size = 16 * PAGE_SIZE,
};

static const struct kt_kind *const root_children[] = {
	SESSION_CHILDREN,  &sessions_dir,   &kt_kernel_reads_file,
	&kt_programs_file, &root_undefined, &kt_symbols_file,
	&root_unwinder,	   &root_version,   NULL,
};

const struct kt_kind kt_tree_root = {
	.mode = KIND_DIR,
	.children = root_children,
	.find = kt_source_files_find,
	.next = kt_source_files_next,
};
