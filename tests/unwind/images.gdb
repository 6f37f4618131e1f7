# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# images.gdb - saves a process, and says where its threads are, for tests/unwind/images: $core is
# the file
set pagination off
set width 0
set backtrace past-main on
set backtrace limit 512
thread apply all frame apply all -q printf "frame %lx %lx\n", $pc, $sp
eval "gcore %s", $core
