/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
/* btf btrfs: +inode +rb_node +list_head +work_struct +refcount_struct BTRFS_RESERVE_NO_FLUSH btrfs_key */
#include "btrfs.btf.h"
