/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/hrtimer.h>
#include <linux/posix-timers.h>
#include <linux/tick.h>
