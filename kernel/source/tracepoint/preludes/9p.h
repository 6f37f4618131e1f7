/* SPDX-License-Identifier: GPL-2.0-only */
#include <net/9p/9p.h>
#include <net/9p/client.h>
