/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: the working directory of a task. */
#ifndef KT_KERNEL_COMPAT_PATH_H
#define KT_KERNEL_COMPAT_PATH_H

#include <linux/fs_struct.h>

#ifdef KT_HAS_FS_SEQLOCK
#define kt_fs_begin(fs)	     read_seqbegin(&(fs)->seq)
#define kt_fs_retry(fs, seq) read_seqretry(&(fs)->seq, seq)
#else
#define kt_fs_begin(fs)	     read_seqcount_begin(&(fs)->seq)
#define kt_fs_retry(fs, seq) read_seqcount_retry(&(fs)->seq, seq)
#endif

#endif /* KT_KERNEL_COMPAT_PATH_H */
