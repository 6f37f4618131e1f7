// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where functions can be hooked.
 *
 * That is what the kernel has a symbol and ftrace a place for.  Functions that run only while
 * a module is initialised are left out: their memory is given back, and ftrace forgets them
 * without saying so.  So are those whose returns cannot be hooked (base/rethook.h).
 *
 * The kernel looks through all its forbidden places for each function that is asked for, which
 * takes four fifths of the time of a list of all functions.  The answers for functions of its
 * image stay the same until the next boot, so they are kept: a bit for each symbol.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "base/rethook.h"
#include "base/symbol.h"
#include "hooks.h"
#include "available.h"

/* By the number of a symbol.  NULL: nobody has asked yet. */
static unsigned long *known;
static u32 nr_known;

const char *available_init(void)
{
	return kt_symbols_placed() ? NULL
				   : "the kernel has no __module_address, "
				     "_stext or _etext";
}

void available_exit(void)
{
	kvfree(known);
}

static unsigned long place_find(unsigned long address)
{
	unsigned long ip = function_location(address);

	/* Forbidden places last: they take the longest. */
	return ip && !kt_rethook_forbids(address) ? ip : 0;
}

static bool is_known(u32 number, unsigned long address)
{
	return number < nr_known && kt_symbol_in_image(address);
}

unsigned long available_at(u32 number, unsigned long address)
{
	if (!is_known(number, address))
		return place_find(address);
	return test_bit(number, known) ? function_location(address) : 0;
}

/* ---- a list of all -------------------------------------------------------- */

struct listing {
	struct seq_file *m;
	unsigned long *bits;
	u32 nr;
};

static void count_visit(void *data, const char *name, unsigned long address)
{
	struct listing *listing = data;

	listing->nr++;
}

static void learn_visit(void *data, const char *name, unsigned long address)
{
	struct listing *listing = data;

	cond_resched();
	if (kt_symbol_in_image(address) && place_find(address))
		__set_bit(listing->nr, listing->bits);
	listing->nr++;
}

/* Modules' symbols come last, and may be others the next time: there are bits for some. */
static int image_learn(void)
{
	struct listing listing = {};
	u32 nr;
	int err;

	if (known)
		return 0;
	err = kt_symbols_each(count_visit, &listing, false);
	if (err)
		return err;
	nr = listing.nr;
	listing.bits = kvcalloc(BITS_TO_LONGS(nr), sizeof(long), GFP_KERNEL);
	if (!listing.bits)
		return -ENOMEM;
	listing.nr = 0;
	kt_symbols_each(learn_visit, &listing, false);
	known = listing.bits;
	nr_known = nr;
	return 0;
}

static void show_visit(void *data, const char *name, unsigned long address)
{
	struct listing *listing = data;
	u32 number = listing->nr++;
	char module[MODULE_NAME_LEN];

	if (is_known(number, address) ? test_bit(number, known)
				      : place_find(address))
		seq_printf(listing->m, "%s %s\n", name,
			   kt_symbol_module(address, module) ?: "vmlinux");
}

int available_list(struct seq_file *m)
{
	struct listing listing = {.m = m};

	return image_learn() ?: kt_symbols_each(show_visit, &listing, false);
}
