/* SPDX-License-Identifier: GPL-2.0-only */
#include <net/ipv6.h>
#include <net/neighbour.h>
