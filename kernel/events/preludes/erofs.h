/* SPDX-License-Identifier: GPL-2.0-only */
/* btf erofs: +inode +super_block erofs_off_t erofs_nid_t erofs_blk_t erofs_inode erofs_map_blocks */
#include "erofs.btf.h"

#define EROFS_I(node) container_of(node, struct erofs_inode, vfs_inode)
