# SPDX-License-Identifier: GPL-2.0-only
#
# What is asked of the kernel's headers rather than concluded from its version.

kt-has = $(shell grep -qsw $(2) $(srctree)/include/linux/$(1) && echo -DKT_HAS_$(3))

ccflags-y += $(call kt-has,timekeeping.h,ktime_get_snapshot_id,SNAPSHOT_ID)
ccflags-y += $(call kt-has,fs_struct.h,seqlock_t,FS_SEQLOCK)
