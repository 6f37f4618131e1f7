/* SPDX-License-Identifier: GPL-2.0-only */
#include <rdma/ib_umad.h>
#include <rdma/ib_user_mad.h>
