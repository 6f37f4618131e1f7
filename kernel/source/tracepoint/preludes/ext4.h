/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/jbd2.h>
/* btf ext4: +inode ext4_group_t ext4_grpblk_t ext4_lblk_t ext4_fsblk_t ES_WRITTEN_B EXT4_FC_REASON_XATTR EXT4_FC_SNAP_ERR_NONE CR_POWER2_ALIGNED ext4_free_extent ext4_allocation_context ext4_allocation_request ext4_extent ext4_prealloc_space extent_status ext4_fc_stats ext4_inode_info ext4_sb_info mpage_da_data ext4_map_blocks ext4_fsmap partial_cluster */
#include "ext4.btf.h"

#define EXT4_SB(sb) ((struct ext4_sb_info *)(sb)->s_fs_info)

/* The status of an extent is in the upper bits of its block number. */
#define KT_ES_SHIFT (64 - ES_FLAGS)
#define KT_ES_BLOCK ((1ull << KT_ES_SHIFT) - 1)

static inline unsigned int ext4_es_status(struct extent_status *es)
{
	return es->es_pblk >> KT_ES_SHIFT;
}

static inline ext4_fsblk_t ext4_es_pblock(struct extent_status *es)
{
	return es->es_pblk & KT_ES_BLOCK;
}

static inline ext4_fsblk_t ext4_es_show_pblock(struct extent_status *es)
{
	ext4_fsblk_t block = ext4_es_pblock(es);

	return block == KT_ES_BLOCK ? 0 : block;
}

static inline ext4_fsblk_t ext4_ext_pblock(struct ext4_extent *extent)
{
	return le32_to_cpu(extent->ee_start_lo) |
	       (ext4_fsblk_t)le16_to_cpu(extent->ee_start_hi) << 32;
}

/* More than half of the range: the extent is not initialised. */
static inline int ext4_ext_get_actual_len(struct ext4_extent *extent)
{
	int length = le16_to_cpu(extent->ee_len);

	return length <= 0x8000 ? length : length - 0x8000;
}
