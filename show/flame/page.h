/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_SHOW_FLAME_PAGE_H
#define KT_SHOW_FLAME_PAGE_H

/* page.html, which the build makes into C.  It has "@DATA@" where its data goes. */
extern const char flame_page[];

#endif /* KT_SHOW_FLAME_PAGE_H */
