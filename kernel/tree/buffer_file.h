/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder `buffers' and its files: see buffer_file.c. */
#ifndef KT_KERNEL_TREE_BUFFER_FILE_H
#define KT_KERNEL_TREE_BUFFER_FILE_H

#include "event/buffer.h"

struct kt_kind;
struct kt_session;

/* The directory of the CPUs' files. */
extern const struct kt_kind kt_buffers_dir;
/* Which CPUs have one. */
extern const struct kt_kind kt_cpus_file;

/*
 * Buffers of this mode and size, of these CPUs; what is in the old ones is dropped.  0, or a
 * refusal.
 */
int kt_buffer_settings(struct kt_session *session, enum kt_mode mode,
		       u32 packets, const struct cpumask *wanted);

#endif /* KT_KERNEL_TREE_BUFFER_FILE_H */
