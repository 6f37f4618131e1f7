# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# stops.gdb - where a program is at each of the system calls that were given with `catch
# syscall', for gdb.awk; exit_group must be one of them
set pagination off
set width 0
set print inferior-events off
set backtrace past-main on
handle all nostop noprint pass
run
while $_isvoid($_exitcode)
	# At the entry, not at the return.
	if $rax == -38
		thread
		printf "call %ld %lx %lx %lx %lx %lx %lx\n", $orig_rax, $rdi, $rsi, $rdx, $r10, $r8, $r9
		frame apply all -q printf "frame %lx %lx\n", $pc, $sp
		if $orig_rax == 231
			info proc mappings
		end
	end
	continue
end
