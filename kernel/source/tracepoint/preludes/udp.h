/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/udp.h>
#include <net/ip.h>
#include <net/sock.h>
#include <net/udp.h>
#include <trace/events/sock.h>
