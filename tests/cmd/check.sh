# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# check.sh - shared by the tests of the command; sourced
#
# Each check prints a line "ok WHAT", or "not ok WHAT" with the output.  $out and $err are
# the output of the last run, $status is its exit status.

. "${BASH_SOURCE%/*}/../wait.sh"
passed=0
failed=0
# Each run has a file of its own for stderr, because what an earlier run left in the
# background may still write. No process is started for it: a suite has thousands of runs.
run_dir=$(mktemp -d)
runs=0

ok()	# WHAT
{
	echo "ok $*"
	passed=$((passed + 1))
}

not_ok()	# WHAT
{
	echo "not ok $*"
	failed=$((failed + 1))
	printf '%s\n' "$out" | head -n 20 | sed 's/^/#   | /'
	printf '%s\n' "$err" | head -n 20 | sed 's/^/#   ! /'
	echo "#   exit status $status"
}

run()	# COMMAND...
{
	local file=$run_dir/$((++runs))
	out=$("$@" 2>"$file")
	status=$?
	IFS= read -r -d '' err <"$file" || :
	while [[ $err == *$'\n' ]]; do
		err=${err%$'\n'}
	done
}

check()	# WHAT CONDITION...
{
	local what=$1
	shift
	if "$@"; then
		ok "$what"
	else
		not_ok "$what"
	fi
}

# Checks how the last run has ended.
ends()	# STATUS WHAT [WORDS OF STDERR...]
{
	local expected=$1 what=$2 word
	shift 2
	if [ "$status" -ne "$expected" ]; then
		not_ok "$what: exit status $expected"
		return
	fi
	for word; do
		case $err in
		*"$word"*) ;;
		*)	not_ok "$what: says \"$word\""
			return ;;
		esac
	done
	ok "$what"
}

finish()
{
	echo "$passed passed, $failed failed"
	rm -rf "$run_dir"
	[ "$failed" -eq 0 ]
	exit
}

# Those of the patterns, separated by commas, that mean functions of this kernel, for -F.
patterns_here()	# PATTERNS
{
	local - pattern here=
	set -f
	for pattern in ${1//,/ }; do
		! grep -qE "^${pattern//\*/[^ ]*}( |$)" /sys/kernel/tracing/available_filter_functions ||
			here+=,$pattern
	done
	echo "${here#,}"
}

# Functions that can be hooked and share their name with no other.  In a guest, `sort' of that file
# itself takes 65 s, and this 1 s.
functions_once()
{
	sed 's/ .*//' /sys/kernel/tracing/available_filter_functions | sort | uniq -u
}

# For a script that tests/cmd/run runs.
finish_vm()	# NAME
{
	echo "# end of $1"
	finish
}

# The outputs that --help of report or export explains, one a line.
formats_of_help()	# COMMAND
{
	ktrace "$1" --help | awk '/^FORMAT is one of$/ { on = 1; next } !NF { on = 0 } on { print $1 }'
}
