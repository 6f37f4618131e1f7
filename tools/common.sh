# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# common.sh - what the scripts in tools/ share; sourced, never run
#
# Works in any POSIX shell.  Everything generated goes below $build, which
# git ignores; removing it loses nothing but time.

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 1
build=$top/build
prog=${0##*/}

# The folder of depmod and modprobe, which is not on the PATH of all users.
PATH=$PATH:/usr/sbin:/sbin

note() {
	printf '%s: %s\n' "$prog" "$*" >&2
}

die() {
	note "$@"
	exit 1
}

# Ends with one line that says what is missing and how to get it.
need() {
	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool is not installed: run tools/setup"
	done
}

# Dies if busybox would need a library: in the initrd there is none.
need_static_busybox() {
	need busybox readelf
	busybox=$(command -v busybox)
	! readelf -lW "$busybox" 2>/dev/null | grep -q INTERP ||
		die "$busybox needs shared libraries, and a guest begins without any:" \
			"install Debian's package busybox-static (tools/setup does), which" \
			"takes the place of the package busybox"
}

# Prints the comment block that opens the calling script, as its help text.
usage() {
	sed -n '4,/^[^#]/ { /^#/ !q; s/^# \{0,1\}//; p; }' "$0"
}
