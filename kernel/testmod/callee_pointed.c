// SPDX-License-Identifier: GPL-2.0-only
/* Functions whose arguments point to objects of which all is known: see callee.c. */
#include <linux/bio.h>
#include <linux/blk_types.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/page-flags.h>

#include "callee.h"

CALLEE void pointed_page(struct page *page);
CALLEE void pointed_folio(struct folio *folio);
CALLEE void pointed_device(struct device *device);
CALLEE void pointed_bio(struct bio *bio);
CALLEE void pointed_dentry(struct dentry *dentry);

CALLEE void pointed_page(struct page *page)
{
}

CALLEE void pointed_folio(struct folio *folio)
{
}

CALLEE void pointed_device(struct device *device)
{
}

CALLEE void pointed_bio(struct bio *bio)
{
}

CALLEE void pointed_dentry(struct dentry *dentry)
{
}

/* A page that nobody else knows. */
static int pages(void)
{
	struct page *page = alloc_page(GFP_KERNEL);
	struct folio *folio;

	if (!page)
		return -ENOMEM;
	folio = page_folio(page);
	folio->index = 77;
	folio_set_referenced(folio);
	pointed_page(page);
	pointed_folio(folio);
	folio_clear_referenced(folio);
	folio->index = 0;
	__free_page(page);
	return 0;
}

static int devices(void)
{
	struct device *device = root_device_register("ktrace-pointed");

	if (IS_ERR(device))
		return PTR_ERR(device);
	pointed_device(device);
	root_device_unregister(device);
	return 0;
}

int pointed_all(struct dentry *dentry)
{
	struct bio bio = {
		.bi_opf = REQ_OP_WRITE | REQ_SYNC | REQ_META,
		.bi_iter = {.bi_sector = 4242, .bi_size = 8192},
	};

	pointed_bio(&bio);
	pointed_dentry(dentry);
	return pages() ?: devices();
}
