/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces a header that only the kernel has; the prelude defines its types. */
