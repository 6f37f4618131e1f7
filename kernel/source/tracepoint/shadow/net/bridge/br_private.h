/* SPDX-License-Identifier: GPL-2.0-only */
/* In place of a header that only the kernel has: the prelude has its types. */
