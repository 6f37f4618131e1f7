// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes in modules that come and go.  A probe is armed before the first function of its module
 * runs, and taken away before its code is freed; then it waits for the module again.
 *
 * The kernel calls these functions without a lock of ours, and waits for them.  Nobody loads a
 * module under kt_mutex, or waits for one, so they may take it.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "optimizer.h"
#include "place.h"
#include "probe.h"
#include "session/session.h"

/* What modules_init() was told. */
static struct list_head *(*probes_of)(const struct kt_session *session);

static void session_came(struct kt_session *session,
			 const struct module *module)
{
	struct list_head *probes = probes_of(session);
	char reason[KT_REASON_MAX];

	if (!probes)
		return;
	/* That of the last write stays. */
	memcpy(reason, session->reason, sizeof(reason));
	kernel_module_came(probes, module);
	memcpy(session->reason, reason, sizeof(reason));
}

static void session_goes(struct kt_session *session,
			 const struct module *module, bool all)
{
	struct list_head *probes = probes_of(session);

	if (probes)
		kernel_module_goes(probes, module, all);
}

static int module_came(struct notifier_block *block, unsigned long state,
		       void *data)
{
	struct kt_session *session;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	mutex_lock(&kt_mutex);
	places_forget();
	list_for_each_entry(session, &kt_sessions, node)
		session_came(session, data);
	mutex_unlock(&kt_mutex);
	return NOTIFY_OK;
}

static int module_goes(struct notifier_block *block, unsigned long state,
		       void *data)
{
	struct kt_session *session;

	/* When it runs, the code with which it has begun goes. */
	if (state != MODULE_STATE_GOING && state != MODULE_STATE_LIVE)
		return NOTIFY_DONE;
	mutex_lock(&kt_mutex);
	places_forget();
	list_for_each_entry(session, &kt_sessions, node)
		session_goes(session, data, state == MODULE_STATE_GOING);
	mutex_unlock(&kt_mutex);
	/* Also those that were taken away before; none is armed there from now on. */
	optimizer_settle();
	return NOTIFY_OK;
}

/* After the kernel's kprobes (0), which then know where in the module none may be. */
static struct notifier_block comes = {
	.notifier_call = module_came,
	.priority = -1,
};

/* Before them: they would give up what is armed. */
static struct notifier_block goes = {
	.notifier_call = module_goes,
	.priority = 1,
};

int modules_init(struct list_head *(*of)(const struct kt_session *session))
{
	int err;

	probes_of = of;
	optimizer_init();
	err = register_module_notifier(&comes);
	if (err)
		return err;
	err = register_module_notifier(&goes);
	if (err)
		unregister_module_notifier(&comes);
	return err;
}

void modules_exit(void)
{
	unregister_module_notifier(&goes);
	unregister_module_notifier(&comes);
}
