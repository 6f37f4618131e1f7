/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The compiler finds this file before the kernel's own.  So a trace header that is read
 * with CREATE_TRACE_POINTS set gives its helper functions, but defines no tracepoints.
 */
