# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# report_filter.sh - a filter that `ktrace report' applies means what it means to the kernel: of the same
# calls, recorded twice at the same time, with the filter and without it
# One kernel is enough.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/report_filter && cd /mnt/report_filter || exit 1

# Numbers of all sizes and signs, and names.
cat >calls.py <<'END_PYTHON'
import os
fd = os.open('file', os.O_RDWR | os.O_CREAT)
for offset in (0, 1, -1, 7, 4096, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 32, (1 << 62) + 5, -(1 << 62)):
    for whence in (0, 1, 2, 3, 9):
        try:
            os.lseek(fd, offset, whence)
        except OSError:
            pass
for name in ('file', 'filed', 'other', 'Files', 'f', '', 'a file', 'fi*e'):
    try:
        os.close(os.open(name, os.O_RDONLY))
    except OSError:
        pass
END_PYTHON

# The process is the same in both recordings. Each has taken the time for itself.
calls()	# TRACE OPTION...
{
	ktrace report -q -C 'python3*' --columns task,cpu,event,fields "$@" 2>&1
}

same()	# FILTER EVENT...
{
	local filter=$1 event events=()
	shift
	for event; do
		events+=(-e "$event" -f "$filter")
	done
	rm -rf all some
	run ktrace record -q -S all -o all -e "$(IFS=,; echo "$*")" -- \
		ktrace record -q -S some -o some "${events[@]}" -- python3 calls.py
	[ -e all ] && [ -e some ] || { not_ok "$filter: is recorded"; return; }
	calls some >recorded
	calls all "${events[@]}" >reported
	out=$(diff recorded reported | head -n 8)
	check "$filter: $(wc -l <recorded) calls" [ -z "$out" -a -s recorded -a \
		"$(wc -l <recorded)" -lt "$(calls all | wc -l)" ]
}

run ktrace load
same 'offset < 0' syscalls:sys_enter_lseek
same 'offset > 2147483647' syscalls:sys_enter_lseek
same 'offset == 4294967296 || whence == 9' syscalls:sys_enter_lseek
same 'whence >= 2 && offset <= 7' syscalls:sys_enter_lseek
same 'offset & 1' syscalls:sys_enter_lseek
same 'ret < 0' syscalls:sys_exit_lseek syscalls:sys_exit_openat
same 'ret == 0 || ret == 4096' syscalls:sys_exit_lseek syscalls:sys_exit_openat
same 'comm ~ "py*" && offset != 0' syscalls:sys_enter_lseek

finish_vm report_filter.sh
