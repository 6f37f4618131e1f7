// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two markers.  The first has another version, as one from a future ktrace/marker.h may
 * have, with other data behind the version.  The second is a normal one.  For tests only;
 * never installed.
 */
#include <linux/module.h>

#include <ktrace/marker.h>

static struct {
	struct tracepoint tp;
	u32 magic;
	u16 version;
	u16 something;
	u64 more[8];
} other = {
	.tp.name = KTRACE_MARKER_POINT KBUILD_MODNAME ":other",
	.magic = KTRACE_MARKER_MAGIC,
	.version = KTRACE_MARKER_VERSION + 1,
	.something = 0xffff,
	.more = {1, 2, 3, 4, 5, 6, 7, 8}, /* no addresses */
};

static int __init other_init(void)
{
	KTRACE(ours, "the first of the module");
	asm volatile(".pushsection __tracepoints_ptrs, \"a\"\n"
		     "	.balign	4\n"
		     "	.long	%c0 - .\n"
		     ".popsection" ::"i"(&other.tp));
	return 0;
}

static void __exit other_exit(void)
{
}

module_init(other_init);
module_exit(other_exit);
MODULE_DESCRIPTION("A marker of another version, for ktrace's tests");
MODULE_LICENSE("GPL");
