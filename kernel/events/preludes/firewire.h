/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/firewire.h>
#include <linux/firewire-constants.h>

/* A quadlet is 4 bytes; the header of an asynchronous packet has four. */
#ifndef QUADLET_SIZE
#define QUADLET_SIZE 4
#endif
#ifndef ASYNC_HEADER_QUADLET_COUNT
#define ASYNC_HEADER_QUADLET_COUNT 4
#endif
