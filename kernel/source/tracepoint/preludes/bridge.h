/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/etherdevice.h>
#include <linux/if_bridge.h>
#include <net/ipv6.h>
/* btf: mac_addr bridge_id net_bridge net_bridge_port net_bridge_fdb_key net_bridge_fdb_entry */
#include "bridge.btf.h"
