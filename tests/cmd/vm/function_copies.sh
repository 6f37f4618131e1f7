# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# function_copies.sh - record -F: arguments of a copy that the compiler made of a function are
# those that the kernel's debug file says
# One kernel is enough: tests/prototypes compares those of all copies, on each kernel.
# Only in check-all: tests/prototypes runs there, too.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/function_copies && cd /mnt/function_copies || exit 1
# One that these kernels have.
copy=__do_pipe_flags.part.0
run ktrace record -q -F $copy -o t -- sh -c 'true | true'
ends 0 'the kernel has the copy'
run ktrace report t
check 'without a debug file it has registers' grep -q \
	" function:$copy: rdi=0x[0-9a-f]* rsi=.* r9=0x[0-9a-f]*" <<<"$out"
rm -r t

# A debug file with this copy alone, in another order than the kernel's would have it. Its types
# are the kernel's, by their names.
cat >copy.c <<'END'
struct nameidata;
int used(struct nameidata *nd, const char *name);
int copy(struct nameidata *nd, void (*unknown)(void), const char *name)
	__asm__("__do_pipe_flags.part.0");
int copy(struct nameidata *nd, void (*unknown)(void), const char *name)
{
	return used(nd, name) + 1;
}
END
id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' | sed 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/')
debug=/usr/lib/debug/boot/vmlinux-$(uname -r)
mkdir -p "${debug%/*}"
file()	# BUILD ID
{
	gcc -g -O2 -fno-pic -nostdlib -shared -Wl,--build-id=0x"$1" -o "$debug" copy.c
}
file "$id"
check 'there is a debug file of this kernel' grep -q "$id" <(readelf -n "$debug")

run ktrace record -q -F $copy -o t -- sh -c 'true | true'
run ktrace report t
check 'with one it has its arguments' grep -q \
	" function:$copy: nd=0x[0-9a-f]* unknown=[^ ]* name=0x[0-9a-f]*\( \(".*"\|?\)\)\?$" <<<"$out"
check 'nobody knows whether it returns a number' grep -q " return:$copy: ret=0x[0-9a-f]*$" <<<"$out"
rm -r t
run ktrace list -F $copy -v
ends 0 'it is listed'
check 'with its prototype' grep -qF \
	"long unsigned int $copy(struct nameidata *nd, void *unknown, const char *name)  [ftrace]" <<<"$out"
run ktrace list -F 'vfs_read,__do_pipe_flags*,vfs_write' -v
check 'so are functions before and behind it' [ "$(grep -c ' vfs_read(struct file \*file\| vfs_write(struct file \*file\| '$copy'(struct nameidata \*nd' <<<"$out")" = 3 ]
run ktrace graph --alone -f $copy --entered 'name == 0' -- sh -c 'true | true'
ends 0 'conditions know its arguments'

# ---- not that of this kernel --------------------------------------------------------

file 00112233445566778899aabbccddeeff00112233
run ktrace list -F $copy -v
check 'a debug file of another kernel is not read' grep -qF "$copy  (no type information)" <<<"$out"
head -c 3000 /dev/urandom >"$debug"
run ktrace list -F $copy -v
ends 0 'a debug file that is none is no error'
rm "$debug"
finish_vm function_copies.sh
