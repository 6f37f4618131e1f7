# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# wait.sh - waiting for a state, not for a time; sourced by tests/kernel/lib.sh and
# tests/cmd/check.sh
#
# A machine may stand still for seconds at any moment.  So a test that sleeps "long enough" fails
# now and then, though the code is right.

# Waits until COMMAND succeeds.  It is tried 3,000 times, which takes at least five minutes; then a
# check has failed.  wait_until COMMAND...
wait_until() {
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ $tries -ge 3000 ]; then
			echo "not ok - waited in vain: $*"
			failed=$((${failed-0} + 1))
			return 1
		fi
		sleep 0.1
	done
}

# quietly COMMAND...
quietly() {
	"$@" >/dev/null 2>&1
}

# How often the process has left its CPU on its own.  rests PID
rests() {
	sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"
}

# Does the process sleep in this function of the kernel, or one whose name contains this?
# sleeps_in FUNCTION PID
sleeps_in() {
	grep -qs "$1" "/proc/$2/wchan"
}

# Starts COMMAND, as $held, and returns when it sleeps in FUNCTION: then its files are mapped, and a
# recorder that begins now gives the kernel their tables before it records.  Of a file that is
# mapped later, the kernel may have the table too late for the first stacks.
# hold_in FUNCTION COMMAND...
hold_in() {
	local function=$1
	shift
	"$@" >/dev/null &
	held=$!
	wait_until sleeps_in "$function" $held
}

# Ends what hold_in() has started.
let_go() {
	kill $held
	wait $held 2>/dev/null
}
