// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of other modules that get the arguments of markers:
 * include/ktrace/marker_probe.h.
 *
 * A function is attached to all places that match its pattern, when it is registered and
 * when a module with such places is loaded.  Its module uses our symbols, so it is unloaded
 * before us.
 */
#include <linux/export.h>
#include <linux/tracepoint.h>

#include "compat/compat.h"
#include "session/session.h"
#include "marker.h"
#include "source/numbers.h"
#include "pattern.h"

static LIST_HEAD(marker_probes);

static __always_inline void probe_hit(struct ktrace_marker_probe *probe,
				      const struct ktrace_marker *marker,
				      const u64 *values)
{
	kt_probe_enter();
	probe->hit(probe, marker, values);
	kt_probe_exit();
}

#define HIT(nr)                                                        \
	static ktrace_called_##nr hit_##nr;                            \
	static void hit_##nr(void *data, struct ktrace_marker *marker, \
			     KT_U64_##nr)                              \
	{                                                              \
		const u64 values[] = {KT_NAMES_##nr};                  \
                                                                       \
		probe_hit(data, marker, values);                       \
	}

static ktrace_called_0 hit_0;

static void hit_0(void *data, struct ktrace_marker *marker)
{
	probe_hit(data, marker, NULL);
}
HIT(1)
HIT(2)
HIT(3)
HIT(4)
HIT(5)
HIT(6)
HIT(7)
HIT(8)
HIT(9)
HIT(10)

static void *const hits[] = {
	hit_0, hit_1, hit_2, hit_3, hit_4,  hit_5,
	hit_6, hit_7, hit_8, hit_9, hit_10,
};

static void *site_hit(const struct kt_site *site)
{
	unsigned int nr = 0;

	while (site->marker->arguments[nr].kind)
		nr++;
	return hits[nr];
}

int kt_site_attach(const struct kt_site *site,
		   struct ktrace_marker_probe *probe)
{
	return tracepoint_probe_register(&site->marker->tp, site_hit(site),
					 probe);
}

void kt_site_detach(const struct kt_site *site,
		    struct ktrace_marker_probe *probe)
{
	/*
	 * If there was no memory to attach it, there may be none; then the kernel would
	 * complain.
	 */
	if (!rcu_access_pointer(site->marker->tp.funcs))
		return;
	tracepoint_probe_unregister(&site->marker->tp, site_hit(site), probe);
}

static void probe_attach(struct ktrace_marker_probe *probe,
			 const struct kt_site *site)
{
	int err;

	if (!kt_pattern_matches(probe->pattern, site))
		return;
	err = kt_site_attach(site, probe);
	if (err)
		pr_warn("ktrace: the probe of %s is not attached to %s:%s: "
			"error %d\n",
			probe->pattern, site->module, site->marker->name, err);
}

static void probe_detach(struct ktrace_marker_probe *probe,
			 const struct kt_site *site)
{
	if (kt_pattern_matches(probe->pattern, site))
		kt_site_detach(site, probe);
}

static void site_probe(struct kt_site *site)
{
	struct ktrace_marker_probe *probe;

	list_for_each_entry(probe, &marker_probes, node)
		probe_attach(probe, site);
}

static bool site_unprobe(struct kt_site *site)
{
	struct ktrace_marker_probe *probe;

	list_for_each_entry(probe, &marker_probes, node)
		probe_detach(probe, site);
	return !list_empty(&marker_probes);
}

static void visit_attach(struct kt_site *site, void *probe)
{
	probe_attach(probe, site);
}

static void visit_detach(struct kt_site *site, void *probe)
{
	probe_detach(probe, site);
}

static bool probe_known(const struct ktrace_marker_probe *probe)
{
	const struct ktrace_marker_probe *other;

	list_for_each_entry(other, &marker_probes, node) {
		if (other == probe)
			return true;
	}
	return false;
}

int ktrace_marker_probe_register(struct ktrace_marker_probe *probe)
{
	int err = 0;

	if (!probe->pattern || !probe->hit)
		return -EINVAL;
	mutex_lock(&kt_mutex);
	if (probe_known(probe)) {
		err = -EBUSY;
	} else {
		list_add_tail(&probe->node, &marker_probes);
		kt_sites_each(visit_attach, probe);
	}
	mutex_unlock(&kt_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ktrace_marker_probe_register);

void ktrace_marker_probe_unregister(struct ktrace_marker_probe *probe)
{
	bool known;

	mutex_lock(&kt_mutex);
	known = probe_known(probe);
	if (known) {
		kt_sites_each(visit_detach, probe);
		list_del(&probe->node);
	}
	mutex_unlock(&kt_mutex);
	if (known)
		tracepoint_synchronize_unregister();
}
EXPORT_SYMBOL_GPL(ktrace_marker_probe_unregister);

const struct kt_site_user kt_site_probes = {
	.add = site_probe,
	.remove = site_unprobe,
};
