# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# common.sh - what the scripts in tools/ share; sourced, never run
#
# Works in any POSIX shell. Everything that is generated is below $build, which git ignores;
# it can be removed and built again.

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

# Exits with a message if a program is missing; it says how to install it.
need() {
	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool is not installed: run tools/setup"
	done
}

# Exits if busybox needs libraries: the initrd has none.
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
