/* SPDX-License-Identifier: GPL-2.0-only */
#if __has_include(<ufs/ufshcd.h>)
#include <ufs/ufshcd.h>
#endif
#if __has_include(<ufs/ufs.h>)
#include <ufs/ufs.h>
#endif
