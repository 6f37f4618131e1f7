# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# check.awk - checks cause and effect in `ktrace report' of the editor
#
# Follows the editor's thread.  Each marker must be between the syscalls to which it
# belongs, and its values must be what those moved.  Prints "ok WHAT" or "not ok WHAT" for
# each, and at the end lines "bytes N" and "count WHAT N" for comparisons.

function verdict(good, what)
{
	print (good ? "ok " : "not ok ") what (good ? "" : ": " FILENAME ":" FNR ": " $0)
}

function value(name,	text)
{
	if (!match($0, " " name "=(\"[^\"]*\"|[^ ]*)"))
		return ""
	text = substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
	gsub(/"/, "", text)
	return text
}

function begin(what)
{
	doing = what
	began = FNR
	file = value(what == "shell" ? "command" : "file")
	fd = opened = ""
	moved = calls = slept = lines = 0
}

# At the marker of the end: the descriptor that was opened must be the one that was used.
function moved_all(verb)
{
	verdict(doing == verb, verb " of " file " ends what began")
	verdict(value("file") == file, "it is the same file")
	verdict(file ~ /^!/ || (opened != "" && fd == opened),
		file ": opened between the markers, and then used")
	verdict(moved == value("bytes") && calls > 0,
		file ": " calls " calls to " verb " between the markers moved the " \
		value("bytes") " bytes that the marker tells")
	print "bytes " value("bytes")
	doing = ""
}

{
	tid = $1
	sub(/.*-/, "", tid)
	name = $4
	sub(/:$/, "", name)
}

name ~ /^ed:/ {
	if (me == "")
		me = tid
	if (tid != me)
		others++
	# While a thread is in a syscall, it does not run its own code.
	if (call != "")
		inside++
	count[name]++
}

# Other processes: a child has run its program before its parent learns of it.
name == "syscalls:sys_exit_execve" && value("ret") == 0 {
	ran[tid] = FNR
}
# Not its last sched_switch: the parent is woken before it, and may run first on another CPU.
name == "sched:sched_process_exit" {
	ended[tid] = FNR
}
name == "sched:sched_switch" && value("prev_pid") == me && doing != "" {
	slept++
	off = 1
}
name == "sched:sched_switch" && value("next_pid") == me {
	off = 0
}

tid != me || me == "" {
	next
}

# A thread has no events while it is not running.
off && name !~ /^sched:/ {
	asleep++
}

name ~ /^syscalls:sys_enter_/ {
	call = substr(name, 20)
	called = value("fd")
	size = value("count")
	number[call]++
}

name ~ /^syscalls:sys_exit_/ {
	if (call != "" && call != substr(name, 19))
		mixed++
	ret = value("ret")
	if (call == "openat" && (doing == "read" || doing == "write"))
		opened = ret
	if (call == doing && (opened == "" || called == opened) && ret >= 0) {
		# A pipe was not opened by its name.
		if (fd == "")
			fd = called
		if (called == fd) {
			moved += ret
			calls++
		}
	}
	if ((call == "clone3" || call == "clone" || call == "vfork") && doing != "") {
		child = ret
	}
	if (call == "wait4" && ret == child)
		waited = FNR
	call = ""
}

name == "ed:read_begin" {
	begin("read")
}
name == "ed:write_begin" {
	begin("write")
}
name == "ed:shell_begin" {
	begin("shell")
}
name == "ed:line" && doing == "read" {
	lines += value("length") + 1
}
name == "ed:read_end" {
	verdict(lines == value("bytes"), "the lines that were stored make as many bytes")
	if (file ~ /^!/ && ran[child] > began)
		piped++
	moved_all("read")
}
name == "ed:write_end" {
	moved_all("write")
}
name == "ed:shell_end" {
	verdict(doing == "shell" && value("command") == file, "the shell's markers have one command")
	verdict(ran[child] > began, "the process that was forked in between ran a program")
	verdict(ended[child] > ran[child] && waited > ended[child],
		"and ended before the editor was told")
	verdict(slept > 0, "the editor slept meanwhile")
	doing = ""
}

END {
	verdict(piped > 0, "what was read from a pipe came from a process forked for it")
	verdict(others == 0, "all markers are of one thread")
	verdict(inside == 0, "no marker lies inside of a system call: " \
		count["ed:line"] " and more do not")
	verdict(asleep == 0, "nor while the thread did not run")
	verdict(mixed == 0, "system calls of a thread follow one another")
	for (name in count)
		print "count " name " " count[name]
	for (call in number)
		print "calls " call " " number[call]
}
