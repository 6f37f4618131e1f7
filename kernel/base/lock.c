// SPDX-License-Identifier: GPL-2.0-only
/* kt_mutex: see lock.h. */
#include <linux/export.h>

#include "lock.h"

DEFINE_MUTEX(kt_mutex);
EXPORT_SYMBOL_GPL(kt_mutex);
