/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef NAMESAKES_H
#define NAMESAKES_H

namespace first
{
struct n;
}

namespace second
{
struct n;
}

namespace third
{
struct outer {
	struct n;
	n *within;
};
} // namespace third

first::n *one_make();
second::n *two_make();
third::outer *three_make();
long there_use(void *any);

#endif
