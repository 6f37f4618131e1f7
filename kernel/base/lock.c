// SPDX-License-Identifier: GPL-2.0-only
/* The mutex of all that is no buffer: lock.h. */
#include "lock.h"

DEFINE_MUTEX(kt_mutex);
