/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Markers of this program; see marker.c. */
#ifndef KT_MARKER_MARKER_H
#define KT_MARKER_MARKER_H

#include "env.h"

/* Of all that match, or NULL: of all, this bit is set or cleared.  Needs markers_lock(). */
void markers_handle(u32 handler, const char *patterns);

/* Makes the thread's next hit take the slow path. */
void marker_leave_short(void);

#endif /* KT_MARKER_MARKER_H */
