/* SPDX-License-Identifier: GPL-2.0-only */
#include <net/sctp/sctp.h>
