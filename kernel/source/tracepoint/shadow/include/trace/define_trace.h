/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Found ahead of the kernel's own: a trace header that is read with
 * CREATE_TRACE_POINTS set gives its helper functions, but defines nothing.
 */
