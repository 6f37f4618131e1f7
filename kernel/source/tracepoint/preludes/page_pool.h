/* SPDX-License-Identifier: GPL-2.0-only */
#if __has_include(<net/page_pool/types.h>)
#include <net/page_pool/types.h>
#endif
#if __has_include(<net/page_pool.h>)
#include <net/page_pool.h>
#endif
