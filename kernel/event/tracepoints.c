// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of tracepoints, kept up to date as modules come and go: tracepoints.h.
 *
 * A probe takes the arguments that it was made for, so an event is only for the
 * tracepoint of the module that it names.  One that names none was made from the
 * kernel's headers: it is for vmlinux or a module that came with the kernel, never for
 * one from elsewhere.
 *
 * The kernel's notifier announces tracepoints.  It is called with the list of modules
 * locked, and takes kt_mutex: so nobody (un)registers it under kt_mutex.
 */
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "base/lock.h"
#include "base/symbol.h"
#include "tracepoints.h"

static DEFINE_HASHTABLE(tracepoints, 10);

static u32 name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* ---- finding -------------------------------------------------------------- */

struct tracepoint *kt_tracepoint_find(const char *name)
{
	struct kt_tracepoint *tracepoint;

	hash_for_each_possible(tracepoints, tracepoint, node, name_hash(name)) {
		if (!tracepoint->point.module &&
		    !strcmp(tracepoint->tp->name, name))
			return tracepoint->tp;
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_tracepoint_find);

struct kt_tracepoint *kt_tracepoint_search(const char *name, const char *module,
					   unsigned int *nr)
{
	struct kt_tracepoint *tracepoint, *found = NULL;

	*nr = 0;
	hash_for_each_possible(tracepoints, tracepoint, node, name_hash(name)) {
		if (strcmp(tracepoint->tp->name, name) ||
		    (module &&
		     strcmp(kt_point_module(&tracepoint->point), module)))
			continue;
		found = tracepoint;
		++*nr;
	}
	return found;
}

static bool tracepoint_known(const char *name, const struct module *module)
{
	struct kt_tracepoint *tracepoint;

	hash_for_each_possible(tracepoints, tracepoint, node, name_hash(name)) {
		if (tracepoint->point.module == module &&
		    !strcmp(tracepoint->tp->name, name))
			return true;
	}
	return false;
}

static bool tracepoint_fits(const struct kt_tracepoint *tracepoint,
			    const struct kt_event *event)
{
	const struct module *module = tracepoint->point.module;

	if (strcmp(tracepoint->tp->name, event->point))
		return false;
	if (event->module
		    ? strcmp(kt_point_module(&tracepoint->point), event->module)
		    : module && test_bit(TAINT_OOT_MODULE, &module->taints))
		return false;
	/* A definition may be older than the module that has its tracepoint now. */
	if (!event->class->raw ||
	    event->class->nr_fields <= kt_tracepoint_arguments(tracepoint))
		return true;
	pr_warn("ktrace: %s:%s has more arguments than tracepoint %s\n",
		event->system, event->name, event->point);
	return false;
}

/* Of several the oldest, which is vmlinux's if that has one. */
static struct kt_point *tracepoint_for(const struct kt_event *event)
{
	struct kt_tracepoint *tracepoint;
	struct kt_point *found = NULL;

	/* The newest is first. */
	hash_for_each_possible(tracepoints, tracepoint, node,
			       name_hash(event->point)) {
		if (tracepoint_fits(tracepoint, event))
			found = &tracepoint->point;
	}
	return found;
}

const struct kt_point_kind kt_tracepoints = {
	.find = tracepoint_for,
};
EXPORT_SYMBOL_GPL(kt_tracepoints);

bool kt_event_at_tracepoint(const struct kt_event *event, const char *name)
{
	return event->source->points == &kt_tracepoints &&
	       !strcmp(event->point, name);
}

void kt_tracepoints_each(bool (*visit)(const struct kt_tracepoint *tracepoint,
				       void *data),
			 void *data)
{
	struct kt_tracepoint *tracepoint;
	unsigned int bucket;

	hash_for_each(tracepoints, bucket, tracepoint, node) {
		if (!visit(tracepoint, data))
			return;
	}
}

/* ---- what they pass ------------------------------------------------------- */

#ifdef CONFIG_BPF_EVENTS
/* What BPF programs are told of the kernel's own. */
static void raw_events_find(const struct bpf_raw_event_map **begin,
			    const struct bpf_raw_event_map **end)
{
	static const struct bpf_raw_event_map *found[2];

	if (!found[1]) {
		found[0] = (void *)kt_symbol("__start__bpf_raw_tp");
		found[1] = (void *)kt_symbol("__stop__bpf_raw_tp");
	}
	*begin = found[0];
	*end = found[0] ? found[1] : NULL;
}
#endif

unsigned int kt_tracepoint_arguments(const struct kt_tracepoint *tracepoint)
{
#ifdef CONFIG_BPF_EVENTS
	const struct module *module = tracepoint->point.module;
	const struct bpf_raw_event_map *event, *end;

	if (module) {
		event = module->bpf_raw_events;
		end = event + module->num_bpf_raw_events;
	} else {
		raw_events_find(&event, &end);
	}
	for (; event < end; event++) {
		if (event->tp == tracepoint->tp)
			return event->num_args;
	}
#endif
	/* Not known: as many as come in registers, beside the probe's data. */
	return 5;
}

int kt_own_probes_attach(struct kt_own_probe *probes, unsigned int nr,
			 void *data)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		probes[i].tp = kt_tracepoint_find(probes[i].name);
		err = probes[i].tp ? tracepoint_probe_register_prio(
					     probes[i].tp, probes[i].probe,
					     data, probes[i].priority)
				   : -ENOENT;
		if (err) {
			kt_own_probes_detach(probes, i, data);
			kt_tracepoints_synchronize();
			return err;
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(kt_own_probes_attach);

void kt_own_probes_detach(const struct kt_own_probe *probes, unsigned int nr,
			  void *data)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tp, probes[nr].probe,
					    data);
}
EXPORT_SYMBOL_GPL(kt_own_probes_detach);

void kt_tracepoints_synchronize(void)
{
	tracepoint_synchronize_unregister();
}
EXPORT_SYMBOL_GPL(kt_tracepoints_synchronize);

/* ---- coming and going ----------------------------------------------------- */

/*
 * Of those with one name in one module the first counts: inlining may have it that one
 * is listed twice, and markers of one name are one event.
 */
static void tracepoint_add(struct tracepoint *tp, struct module *module)
{
	struct kt_tracepoint *tracepoint;

	if (tracepoint_known(tp->name, module))
		return;
	tracepoint = kzalloc(sizeof(*tracepoint), GFP_KERNEL);
	if (!tracepoint) {
		pr_err("ktrace: no memory for tracepoint %s\n", tp->name);
		return;
	}
	tracepoint->tp = tp;
	tracepoint->point.module = module;
	hash_add(tracepoints, &tracepoint->node, name_hash(tp->name));
}

static void tracepoints_add(struct module *module)
{
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++)
		tracepoint_add(
			tracepoint_ptr_deref(&module->tracepoints_ptrs[i]),
			module);
	kt_points_came(&kt_tracepoints);
}

static void tracepoints_remove(const struct module *module)
{
	struct kt_tracepoint *tracepoint;
	struct hlist_node *next;
	unsigned int bucket;

	kt_points_going(&kt_tracepoints, module);
	hash_for_each_safe(tracepoints, bucket, next, tracepoint, node) {
		if (tracepoint->point.module == module) {
			hash_del(&tracepoint->node);
			kfree(tracepoint);
		}
	}
	/* There may be another for what was attached to them. */
	kt_points_came(&kt_tracepoints);
}

static int tracepoints_notify(struct notifier_block *block,
			      unsigned long action, void *data)
{
	const struct tp_module *tp_module = data;

	mutex_lock(&kt_mutex);
	switch (action) {
	case MODULE_STATE_COMING:
		tracepoints_add(tp_module->mod);
		break;
	case MODULE_STATE_GOING:
		tracepoints_remove(tp_module->mod);
		break;
	}
	mutex_unlock(&kt_mutex);
	return NOTIFY_OK;
}

static struct notifier_block notifier = {
	.notifier_call = tracepoints_notify,
};

static void tracepoint_add_builtin(struct tracepoint *tp, void *unused)
{
	tracepoint_add(tp, NULL);
}

int __init kt_tracepoints_init(void)
{
	int err;

	mutex_lock(&kt_mutex);
	for_each_kernel_tracepoint(tracepoint_add_builtin, NULL);
	kt_points_came(&kt_tracepoints);
	mutex_unlock(&kt_mutex);
	err = register_tracepoint_module_notifier(&notifier);
	if (err) {
		mutex_lock(&kt_mutex);
		tracepoints_remove(NULL);
		mutex_unlock(&kt_mutex);
	}
	return err;
}

/* All event sets are unregistered: their modules need this one. */
void kt_tracepoints_exit(void)
{
	/* Replays GOING for each module that is loaded. */
	unregister_tracepoint_module_notifier(&notifier);
	mutex_lock(&kt_mutex);
	tracepoints_remove(NULL);
	mutex_unlock(&kt_mutex);
}
