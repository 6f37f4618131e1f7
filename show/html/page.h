/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_SHOW_HTML_PAGE_H
#define KT_SHOW_HTML_PAGE_H

/* The files of page/, which the build makes into C.  It has "@DATA@" where its data goes. */
extern const char html_page[];

#endif /* KT_SHOW_HTML_PAGE_H */
