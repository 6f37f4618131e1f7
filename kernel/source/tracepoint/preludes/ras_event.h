/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/aer.h>
#include <linux/cper.h>
#include <linux/pci.h>
#include <linux/ras.h>
