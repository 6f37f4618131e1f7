// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a guest fit for the tests of sleep: its devices stay awake, because virtio's file
 * system does not survive what they would do.  With the parameter unstable=1 it tells the
 * kernel that the TSC is not to be trusted, which is for good.
 *
 * Unloading leaves all as it is.
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

	/* The test of sleep in question goes to no state in which they lose power. */
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
