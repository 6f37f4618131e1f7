/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/cpufreq.h>
#include <linux/pm.h>
#include <linux/pm_qos.h>
