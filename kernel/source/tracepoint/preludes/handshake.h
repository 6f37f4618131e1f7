/* SPDX-License-Identifier: GPL-2.0-only */
#include <net/tls.h>
#include <net/tls_prot.h>
/* btf: handshake_req */
#include "handshake.btf.h"
