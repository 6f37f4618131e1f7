/* SPDX-License-Identifier: GPL-2.0-only */
#include <media/videobuf2-v4l2.h>
