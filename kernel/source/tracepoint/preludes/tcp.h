/* SPDX-License-Identifier: GPL-2.0-only */
#include <net/tcp.h>
#include <trace/events/sock.h>
