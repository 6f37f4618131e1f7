// SPDX-License-Identifier: GPL-2.0-only
/* Loads and unloads ktrace.ko. */
#include <linux/init.h>
#include <linux/module.h>

#include "base/clock.h"
#include "base/object.h"
#include "base/poison.h"
#include "event/print.h"
#include "event/registry.h"
#include "event/tracepoints.h"
#include "program/space.h"
#include "session/control.h"
#include "session/session.h"
#include "source/define/define.h"
#include "source/marker/marker.h"
#include "source/tracepoint/tracepoint.h"
#include "base/symbol.h"
#include "base/unwind.h"
#include "base/work.h"
#include "tree/fs.h"
#include "tree/tree.h"
#include "base/version.h"

static void sessions_end(void)
{
	mutex_lock(&kt_mutex);
	while (!list_empty(&kt_sessions))
		kt_session_end(
			list_last_entry(&kt_sessions, struct kt_session, node));
	mutex_unlock(&kt_mutex);
}

static int __init kt_init(void)
{
	struct kt_session *root;
	int err;

	kt_poison_init();
	err = kt_clock_init();
	if (err)
		return err;
	kt_symbol_init();
	kt_object_init();
	kt_unwind_init();
	kt_print_init();
	err = kt_buffer_init();
	if (err)
		goto err_clock;
	kt_registry_init(&kt_session_registry_ops);
	err = kt_tracepoints_init();
	if (err)
		goto err_buffer;
	mutex_lock(&kt_mutex);
	root = kt_session_create("");
	mutex_unlock(&kt_mutex);
	err = PTR_ERR_OR_ZERO(root);
	if (err)
		goto err_tracepoints;
	kt_tracepoint_init();
	kt_define_init();
	err = kt_markers_init();
	if (err)
		goto err_sources;
	err = kt_fs_init(&kt_tree_root);
	if (err)
		goto err_markers;
	return 0;

err_markers:
	kt_markers_exit();
err_sources:
	kt_define_exit();
	kt_tracepoint_exit();
	sessions_end();
err_tracepoints:
	kt_tracepoints_exit();
err_buffer:
	kt_buffer_exit();
err_clock:
	kt_unwind_exit();
	kt_clock_exit();
	return err;
}

/* Nothing is mounted and no probe module is loaded: each would hold a reference on us. */
static void __exit kt_exit(void)
{
	kt_fs_exit();
	sessions_end();
	kt_markers_exit();
	kt_define_exit();
	kt_tracepoint_exit();
	kt_tracepoints_exit();
	kt_buffer_exit();
	kt_works_exit();
	kt_unwind_exit();
	kt_clock_exit();
	kt_spaces_exit();
}

module_init(kt_init);
module_exit(kt_exit);
MODULE_AUTHOR("The ktrace authors");
MODULE_DESCRIPTION("Records what the kernel does");
MODULE_VERSION(KT_RELEASE);
MODULE_LICENSE("GPL");
