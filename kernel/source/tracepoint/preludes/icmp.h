/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/icmp.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
