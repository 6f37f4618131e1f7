// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prepares a guest for the tests of sleep.  Its devices stay awake, because virtio's file
 * system does not survive their suspend and resume.  The parameter unstable=1 tells the
 * kernel not to trust the TSC any more.
 *
 * Unloading undoes nothing.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <asm/tsc.h>

static bool unstable;
module_param(unstable, bool, 0444);
MODULE_PARM_DESC(unstable, "the TSC is not to be trusted from now on");

static int __init sleep_init(void)
{
	struct pci_dev *device = NULL;

	/* These tests use no sleep state in which devices lose power. */
	for_each_pci_dev(device) dev_pm_syscore_device(&device->dev, true);
	if (unstable)
		mark_tsc_unstable("a test says so");
	return 0;
}

static void __exit sleep_exit(void)
{
}

module_init(sleep_init);
module_exit(sleep_exit);
MODULE_DESCRIPTION("For the tests of ktrace");
MODULE_LICENSE("GPL");
