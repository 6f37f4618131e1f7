# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tests/syscalls/view.sh - runs in the guest: options of ktrace syscalls that strace has, too:
# strace says what must be shown
. tests/kernel/lib.sh

rm -rf /tmp/view
mkdir /tmp/view
cd /tmp/view || exit 1
like() {
	grep -qE -- "$1" lines || { cat lines; return 1; }
}
has() {
	grep -qF -- "$1" lines || { cat lines; return 1; }
}

# same OPTION... -- COMMAND...: are the lines those of strace?  ktrace names the thread in each.
same() {
	strace -o theirs "$@" >/dev/null 2>&1 </dev/null
	ktrace syscalls -q -o lines "$@" >/dev/null 2>&1 </dev/null
	sed -i 's/^\[pid *[0-9]*\(<[^>]*>\)\?\] //' lines
	diff theirs lines
}

# ---- constants -------------------------------------------------------------------

for style in raw abbrev verbose; do
	check "-X $style: as strace" same -X $style -e trace=openat,newfstatat,fadvise64 -- \
		cat /etc/passwd
	check "-X $style: modes and signals, as strace" \
		same -X $style -e trace=rt_sigaction,fchmodat,umask,mknodat,kill -- \
		sh -c 'trap : USR1; kill -USR1 $$; umask 027; exec mknod fifo p'
	rm -f fifo
done
check "-X: no other style" not ktrace syscalls -q -X nonsense -- true

cd /tmp && rm -r /tmp/view
echo "# end of view.sh"
