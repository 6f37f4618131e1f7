# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Shared by the scripts here; sourced.  They run in the guest, as root, one after the other,
# each in its own shell.  Each leaves the control tree as it was: all events disabled, the
# root session off and empty.

: "${KTRACE_MODULES:?is for a guest: see tests/kernel/run}"
tree=/sys/kernel/ktrace
test_dir=/sys/kernel/debug/ktrace-test
bin=$(cd "${KTRACE_TESTS:-build/user/tests/kernel}" && pwd)
export tree test_dir bin
. tests/wait.sh

# Prints the result of a check.  check WHAT COMMAND...
check() {
	local what=$1
	shift
	if "$@"; then
		echo "ok - $what"
	else
		echo "not ok - $what ($*)"
	fi
}

# is VALUE WANTED
is() {
	[ "$1" = "$2" ] && return
	echo "# \"$1\" instead of \"$2\""
	return 1
}

# at_least NUMBER LIMIT
at_least() {
	[ "$1" -ge "$2" ] && return
	echo "# $1 is less than $2"
	return 1
}

not() {
	! "$@"
}

# Writes TEXT into FILE of the tree, as one line.  put FILE TEXT
put() {
	printf '%s\n' "$2" 2>/dev/null >"$tree/$1"
}

get() {
	cat "$tree/$1"
}

# With way=direct, the same, but functions are hooked by trampolines where they can be
# (trampolines.sh): not by lines with wildcards.
if [ "${way-}" = direct ]; then
	put() {
		local text=$2
		case $1 in
		*functions) text=$(printf '%s\n' "$2" | sed '/^+[a-z]./ {
			/^[^ ]*[*?[]/! { s/ if / direct&/; t; s/ :/ direct :/; t; s/$/ direct/; } }') ;;
		esac
		printf '%s\n' "$text" 2>/dev/null >"$tree/$1"
	}
	get() {
		case $1 in
		*functions) sed 's/ direct\( :\| if \|$\)/\1/' "$tree/$1" ;;
		*) cat "$tree/$1" ;;
		esac
	}
fi

# A bad write: it fails, changes nothing, and the session's error tells why.
# refuses FILE TEXT WORDS
refuses() {
	local before after error dir=
	case $1 in
	sessions/*) dir=${1#sessions/}; dir=sessions/${dir%%/*}/ ;;
	esac
	before=$(get "$1" 2>/dev/null)
	if put "$1" "$2"; then
		echo "# it was accepted"
		return 1
	fi
	after=$(get "$1" 2>/dev/null)
	is "$after" "$before" || return 1
	error=$(get "${dir}error")
	case $error in
	"$tree/$1: "*"$3"*) ;;
	*)	echo "# error says: $error"
		return 1 ;;
	esac
}

# at_most NUMBER LIMIT
at_most() {
	[ "$1" -le "$2" ] && return
	echo "# $1 is more than $2"
	return 1
}

# Prints for how many grace periods COMMAND waits.  graces COMMAND...
graces() {
	local tracing=/sys/kernel/tracing probe self
	printf 'p:%s %s\n' kt_srcu synchronize_srcu kt_rcu synchronize_rcu \
		>$tracing/kprobe_events
	# Others in the kernel wait, too.
	read -r self _ </proc/self/stat
	echo "$self" >$tracing/set_event_pid
	echo 1 >$tracing/options/event-fork
	for probe in kt_srcu kt_rcu; do
		echo 1 >$tracing/events/kprobes/$probe/enable
	done
	# Enabling the probes waits too.
	echo >$tracing/trace
	"$@" >&2
	grep -c 'kt_s*rcu:' $tracing/trace
	echo 0 >$tracing/options/event-fork
	echo >$tracing/set_event_pid
	for probe in kt_srcu kt_rcu; do
		echo 0 >$tracing/events/kprobes/$probe/enable
	done
	echo >$tracing/kprobe_events
}

# What ktrace-functions needs stays once it was used.
load_module() {
	[ "$1" != ktrace-functions ] || [ -e /sys/module/ktrace_trampoline ] ||
		load_module ktrace-trampoline
	insmod "$KTRACE_MODULES/$1.ko"
}

# hits CONTEXT: how often the test module hit it
hits() {
	sed -n "s/^$1 //p" "$test_dir/hits"
}

test_run() {
	echo "$1" >"$test_dir/run"
}

# Disables and empties everything.
clean() {
	put enabled 0
	put events/enabled 0
	put pids ''
	put cpus all
	put mode discard
	put buffer_size 4194304
	put reset 1
}

# The number behind WORD on the line of ktread that begins with LINE, in its output
# OUTPUT.  number OUTPUT LINE WORD
number() {
	echo "$1" | sed -n "s/^$2 .*\<$3 \([0-9]*\).*/\1/p"
}

# sum OUTPUT: all events that a reader got, and all that the kernel lost
sum() {
	echo "$1" | awk '/^total/ { print $3 + $5 + $7 + $9 + $11 + $15 }'
}

# count OUTPUT SYSTEM:NAME
count() {
	echo "$1" | sed -n "s/^event $2 //p"
}

# Has the process opened the buffers, if it is a ktread?  It catches SIGUSR1 from then on.  reads PID
reads() {
	grep -qs '^SigCgt:.*[2367abef]..$' "/proc/$1/status"
}

# The ids of the stacks of events, one a line, in an output of ktread: they are at the end of their
# records, in the order of time.  stack_ids SYSTEM:NAME <OUTPUT
stack_ids() {
	last_words "$1"
}

# The last 4 bytes of the records of events as numbers, in the same way.  last_words SYSTEM:NAME <OUTPUT
last_words() {
	sort -n -k 2,2 | awk -v event="$1" -v digits=0123456789abcdef '
		$4 == event {
			hex = substr($NF, length($NF) - 7)
			n = 0
			for (k = 7; k > 0; k -= 2) {
				n = n * 16 + index(digits, substr(hex, k, 1)) - 1
				n = n * 16 + index(digits, substr(hex, k + 1, 1)) - 1
			}
			print n
		}'
}
