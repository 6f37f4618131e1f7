/* SPDX-License-Identifier: GPL-2.0-only */
#if __has_include(<linux/filelock.h>)
#include <linux/filelock.h>
#endif
