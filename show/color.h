/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a terminal makes visible: escape sequences (ECMA-48, SGR) of the eight colours that people adapt to
 * their background.  Neither yellow nor blue is among them, which cannot be read on one of white and black.
 */
#ifndef KT_SHOW_COLOR_H
#define KT_SHOW_COLOR_H

#define COLOR_END   "\33[0m"
#define COLOR_NAME  "\33[1m" /* what happened: bold */
#define COLOR_ERROR "\33[31m"
#define COLOR_LOSS  "\33[1;31m"
#define COLOR_MINOR "\33[2m"
#define COLOR_TASK  "\33[36m"
#define COLOR_TIME  "\33[32m"

#endif /* KT_SHOW_COLOR_H */
