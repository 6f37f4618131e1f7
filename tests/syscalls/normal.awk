# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Converts the output of strace -f -o and of ktrace syscalls to one form: a line for each
# call, with unfinished calls joined; the calls of a thread together; processes numbered;
# and words for what differs from run to run.

function task(pid) {
	if (!(pid in tasks))
		tasks[pid] = pid
	return pid
}

# Replaces what differs in each run of a program.
function normal(text,	call) {
	call = text
	sub(/\(.*/, "", call)
	gsub(/0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+/, "ADDR", text)
	gsub(/ +/, " ", text)
	if (call == "getrandom")
		sub(/"[^"]*"/, "RANDOM", text)
	if (call ~ /^(clone3?|v?fork|set_tid_address|getpid|getppid|gettid|wait4|rt_sigreturn)$/)
		sub(/= [0-9]+$/, "= PID", text)
	if (call ~ /^(kill|tgkill|tkill|rt_sigqueueinfo|wait4|getpgid|getpgrp|ptrace|prlimit64)$/)
		gsub(/[0-9][0-9][0-9]+/, "PID", text)
	gsub(/tms_c?[us]time=[0-9]+( \/\* [0-9.]+ s \*\/)?/, "TICKS", text)
	if (call == "times")
		sub(/= [0-9]+$/, "= TICKS", text)
	gsub(/si_pid=[0-9]+/, "si_pid=PID", text)
	gsub(/si_[us]time=[0-9]+/, "si_TIME", text)
	if (call ~ /^(add_key|request_key|keyctl)$/)
		gsub(/[0-9][0-9][0-9][0-9][0-9]+/, "KEY", text)
	sub(/F_SETOWN, [0-9]+/, "F_SETOWN, PID", text)
	gsub(/pid=[1-9][0-9]*/, "pid=PID", text)
	if (call == "futex")
		sub(/, [0-9][0-9][0-9]+, /, ", PID, ", text)
	# strace prints two names for one number.
	sub(/BTRFS_IOC_CLONE or /, "", text)
	sub(/SNDCTL_TMR_[A-Z]+ or /, "", text)
	gsub(/parent_tid=\[[0-9]+\]/, "parent_tid=[PID]", text)
	gsub(/tv_sec=[0-9]+, tv_u?n?sec=[0-9]+/, "TIME", text)
	gsub(/ \/\* 20[0-9-]+T[^*]*\*\//, "", text)
	gsub(/\/tmp\/cc[A-Za-z0-9]+/, "/tmp/ccNAME", text)
	gsub(/(socket|pipe):\[[0-9]+\]/, "&INO", text)
	gsub(/\[[0-9]+\]INO/, "[INO]", text)
	gsub(/uptime=.*procs=[0-9]+/, "SYSINFO", text)
	gsub(/\/proc\/[0-9]+/, "/proc/PID", text)
	gsub(/st_ino=[0-9]+/, "st_ino=INO", text)
	# System V queues, semaphores and memory have new numbers each time.
	if (call ~ /^(msg|sem|shm)(get|snd|rcv|ctl|at)$/) {
		sub(/\([0-9]+/, "(ID", text)
		if (call ~ /get$/)
			sub(/= [0-9]+$/, "= ID", text)
	}
	gsub(/_[soacd]time=[1-9][0-9]*/, "_TIME", text)
	gsub(/_(ls|lr|c|l)pid=[1-9][0-9]*/, "_PID", text)
	gsub(/f_(bfree|bavail|ffree|files|blocks)=[0-9]+/, "f_N", text)
	gsub(/sin6?_port=htons\([0-9]+\)/, "PORT", text)
	gsub(/sin6?_port="[\\x0-9a-f]+"( \/\* htons\([0-9]+\) \*\/)?/, "PORT", text)
	# sqlite reads random bytes, and has some in its journal: in the header, and in the sum behind each page.
	if ((call == "read" && text ~ /\.\.\., 44\) = 44$/) ||
	    (call == "pwrite64" && text ~ /(\.\.\., 512, 0\) = 512|", 4, [0-9]+\) = 4)$/))
		sub(/"([^"\\]|\\.)*"/, "RANDOM", text)
	# curl waits for events of two files for as long as is left of 200 ms.
	if (call == "poll")
		sub(/\], 2, [0-9]+\)/, "], 2, LEFT)", text)
	return text
}

{
	if ($1 == "[pid") {
		pid = $2 + 0
		sub(/^\[pid +[0-9]+\] /, "")
	} else if ($1 ~ /^[0-9]+$/) {
		pid = $1
		sub(/^[0-9]+ +/, "")
	} else {
		pid = 0
	}
	if (/^(\*\*\*|strace:)/)
		next
	# From now on the thread has this number.
	if (/^\+\+\+ superseded by execve in pid [0-9]+ \+\+\+$/) {
		begun[pid] = begun[$7]
		sub(/[0-9]+/, "PID")
	}
	# Only a ptrace tracer sees an ignored signal.
	if (/^--- SIG(CHLD|CONT|URG|WINCH) /)
		next
	n = task(pid)
	if (/ <unfinished \.\.\.>$/) {
		sub(/ <unfinished \.\.\.>$/, "")
		begun[pid] = $0
		next
	}
	if (/^<\.\.\. [a-z0-9_]+ resumed>/) {
		sub(/^<\.\.\. [a-z0-9_]+ resumed>/, "")
		$0 = begun[pid] $0
	}
	lines[n, ++count[n]] = normal($0)
}

END {
	# Print them in the order of their numbers.
	while (1) {
		least = ""
		for (n in tasks)
			if (least == "" || n + 0 < least)
				least = n + 0
		if (least == "")
			break
		delete tasks[least]
		nr++
		for (i = 1; i <= count[least]; i++)
			print nr ": " lines[least, i]
	}
}
