# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# stacks_tasks.sh - stacks of programs whose memory or registers are not as usual: in the middle
# of an exec, in a core dump, traced by another program, in a container
#
# One kernel is enough: how stacks are walked is tested on each by tests/kernel/programs.sh.

. "$(dirname "$0")/../check.sh"
chain=$PWD/build/user/tests/kernel/chain-static
mkdir -p /mnt/stacks_tasks && cd /mnt/stacks_tasks || exit 1

# ---- exec ------------------------------------------------------------------------

# While the new program is loaded, the registers are those of the old one.  Without random
# addresses the same program again has all at the same place, so what is read there would look
# right.  Each is a file of its own, so loading it has to wait.
cat >again.c <<'END'
#include <string.h>
#include <unistd.h>
static int deep(int n, char **argv)
{
	volatile char room[3000];
	room[n] = n ? deep(n - 1, argv) : execv(argv[0], argv);
	return room[n];
}
int main(int argc, char **argv)
{
	if (argv[1][0] == '0')
		return 0;
	argv[1][0]--;
	argv[0][strlen(argv[0]) - 1] = argv[1][0];
	return deep(5, argv);
}
END
gcc -O1 -static -no-pie -o again9 again.c
for i in 0 1 2 3 4 5 6 7 8; do cp again9 again$i; done
sync
echo 3 >/proc/sys/vm/drop_caches
run ktrace record -q -g=both -o exec --size 16M -e kmem:mm_page_alloc,exceptions:page_fault_kernel,sched:sched_switch \
	-- setarch -R ./again9 9
ends 0 'programs that execute themselves are recorded'
ktrace report --oneline -g exec | grep -a 'again[0-9]-' >events
grep 'load_elf_binary' events | grep -v 'begin_new_exec' >loading
check 'events of loading are there' [ "$(wc -l <loading)" -ge 20 ]
check 'none has frames of either program, and each says why' [ "$(grep -c 'entry_SYSCALL_64_after_hwframe <- \[exec\]$' loading)" = \
	"$(wc -l <loading)" ]

# ---- a core dump -----------------------------------------------------------------

# The program does not run any more, but its memory is there, and is read and written to a file.
cat >crash.c <<'END'
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) static int broken(int *at)
{
	*at = 1;
	return sink + 1;
}
__attribute__((noinline)) static int caller(int *at)
{
	return broken(at) + 1;
}
int main(int argc, char **argv)
{
	if (argc == 1)
		caller((int *)8);
	return sleep(6000);
}
END
gcc -g -O1 -o crash crash.c
echo "$PWD/core" >/proc/sys/kernel/core_pattern
echo 0 >/proc/sys/kernel/core_uses_pid
hold_in nanosleep ./crash held
run ktrace record -q -g=both -o dump -e kmem:mm_page_alloc,sched:sched_switch -- \
	sh -c 'ulimit -c unlimited; ./crash'
let_go
check 'it has dumped its memory' [ -s core ]
ktrace report --oneline -g dump | grep -a '^crash-' | grep 'elf_core_dump' >dumping
check 'events of a core dump are there' [ "$(wc -l <dumping)" -ge 5 ]
check 'they have the stack of the fault' [ "$(grep -c \
	' <- broken <- caller <- main <- .* <- _start$' dumping)" = \
	"$(wc -l <dumping)" ]

# ---- traced ----------------------------------------------------------------------

# The tracer stops it at each system call, and reads and writes its registers.
if command -v strace >/dev/null; then
	hold_in nanosleep "$chain" /dev/null x held 6000
	run ktrace record -q -g=user -o traced -e syscalls:sys_enter_write -- \
		strace -f -o strace.out "$chain" /dev/null "task 1"
	let_go
	ends 0 'a traced program is recorded'
	ktrace report --oneline -g traced | grep -a '^chain-static.* count=6 ' | tail -n 1 >of_traced
	check 'its stack is complete' grep -q \
		' count=6 <- leaf <- aligned <- variable <- compare <- .* <- sorted <- main <- .* <- _start$' \
		of_traced
else
	not_ok 'strace is installed'
fi

# ---- in a container --------------------------------------------------------------

# A file of an overlay is another one for the kernel's mappings than for who opens its path.
mkdir -p lower upper work root
cp crash lower/
cat >slow.c <<'END'
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static int inner(void)
{
	return syscall(SYS_sched_yield) + 1;
}
__attribute__((noinline)) static int outer(void)
{
	return inner() + 1;
}
int main(void)
{
	while (access("/known", F_OK)) {
		usleep(50000);
		outer();
	}
	return outer() & 0;
}
END
# Runs COMMAND, which is slow, until its file is in the list of TRACE: then it has its table.
# until_known TRACE COMMAND...
until_known() {
	local trace=$1
	shift
	rm -f root/known
	"$@" &
	wait_until grep -q '/slow"' "$trace/metadata"
	touch root/known
	wait
}
export -f wait_until until_known
gcc -g -O1 -static -o lower/slow slow.c
mount -t tmpfs tmpfs upper && mkdir upper/up upper/work
if mount -t overlay overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper/up,workdir=$PWD/upper/work" root
then
	run ktrace record -q -g=user -o overlay -e syscalls:sys_enter_sched_yield -- \
		bash -c 'until_known overlay unshare -pmf --mount-proc chroot root /slow'
	ends 0 'a program of a container is recorded'
	ktrace report --oneline -g overlay | grep -a '^slow-' | tail -n 1 >of_overlay
	check 'its stack has names' grep -q \
		' <- inner <- outer <- main <- .* <- _start$' of_overlay
	# A chroot has our mounts: its files have paths for us, and are not kept open, or its mounts
	# would be busy.
	run ktrace record -q -g=user -o chroot -e syscalls:sys_enter_sched_yield -- \
		bash -c 'until_known chroot chroot root /slow; umount root'
	ends 0 'a chroot is unmounted while it is recorded'
	check 'it is not mounted any more' [ ! -e root/slow ]
	check 'its file has our path' grep -q "\"path\":\"$PWD/root/slow\"" chroot/metadata
	mount -t overlay overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper/up,workdir=$PWD/upper/work" root
	run ktrace record -q -g=user -o chroot2 -e syscalls:sys_enter_sched_yield -- \
		bash -c 'until_known chroot2 chroot root /slow'
	ktrace report --oneline -g chroot2 | grep -a '^slow-' | tail -n 1 >of_chroot
	check 'if it is still there, its stack has names' grep -q \
		' <- inner <- outer <- main <- .* <- _start$' of_chroot
	umount root
else
	not_ok 'an overlay can be mounted'
fi
umount upper
finish_vm stacks_tasks.sh
