/* SPDX-License-Identifier: GPL-2.0-only */
#if __has_include(<linux/cachefiles.h>)
#include <linux/cachefiles.h>
#endif
#include <linux/fscache-cache.h>
#include <linux/netfs.h>
/* btf cachefiles: CACHEFILES_CONTENT_NO_DATA cachefiles_volume cachefiles_object */
#include "cachefiles.btf.h"
