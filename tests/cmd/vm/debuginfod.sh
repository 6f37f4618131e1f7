# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# debuginfod.sh - a recorder that asks a server for debug files when the recording is over
#
# One kernel is enough: what is asked for depends on programs.
# Only in check-all: tests/cmd/debuginfod asks the same server natively.

. "$(dirname "$0")/../check.sh"
top=$PWD
chain=$PWD/build/user/tests/kernel/chain-static
mkdir -p /mnt/debuginfod && cd /mnt/debuginfod || exit 1
export HOME=$PWD
unset "${!DEBUGINFOD_@}" http_proxy https_proxy all_proxy HTTP_PROXY ALL_PROXY
ip link set lo up

strip -o bare "$chain"
id=$(readelf -n bare | awk '/Build ID/ { print $3 }')
mkdir -p "files/buildid/$id"
objcopy --only-keep-debug "$chain" "files/buildid/$id/debuginfo"
python3 "$top/tests/cmd/debug_server.py" >port 2>server.err &
server=$!
for i in $(seq 300); do [ -s port ] && break; sleep 0.1; done
export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)

# Each with a cache of its own.  The first runs of the program make its file known: how long its
# tables take to be there, nobody tells.
often='for i in $(seq 8); do ./bare /dev/null x fork; sleep 0.25; done'
recorder()	# TRACE OPTIONS... -- COMMAND...
{
	local trace=$1
	shift
	exec env DEBUGINFOD_CACHE_PATH="$PWD/cache.$trace" "$(type -P ktrace)" record -o "$trace" \
		-e sched:sched_process_fork -g=user --debuginfod "$@"
}
# Returns when the recorder asks.
in_background()	# TRACE OPTIONS... -- COMMAND...
{
	rm -f asked
	(recorder "$@") >"$1.out" 2>&1 &
	asking=$!
	for i in $(seq 300); do [ -s asked ] && return; sleep 0.1; done
	return 1
}

run recorder named -- sh -c "$often; env >variables"
ends 0 'a server has the debug file'
ktrace report -g named >report
check 'functions have names and lines' grep -q '^	main+0x[0-9a-f]* (bare) at chain\.c:[0-9]*$' report
check 'the command has the variables that we had' [ "$(grep ^DEBUGINFOD_ variables | cut -d= -f1 | sort | tr '\n' ' ')" = \
	'DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS ' ]

touch silent
check 'it is asked at the end' in_background killed -- sh -c "$often"
kill -KILL $asking
wait $asking 2>/dev/null
check 'by then the trace has the events' \
	[ "$(ktrace report killed 2>/dev/null | grep -c 'parent_comm=bare')" -ge 1 ]

in_background ended -- sh -c "$often"
kill -TERM $asking
wait $asking
check 'a signal ends the asking' [ $? = 143 ]
check 'which says so' grep -q 'from a server: interrupted' ended.out
run ktrace report ended
ends 0 'its trace is whole'
check 'it has the events' grep -q parent_comm=bare <<<"$out"
check 'nothing is missing' [ -z "$err" ]

in_background longer -d 8 -- \
	sh -c "$often; trap 'echo >got' TERM; sleep 60 & wait; kill \$!"
kill -TERM $asking
wait $asking
check 'a command that runs longer gets the signal' [ -e got ]
rm silent
kill $server
finish_vm debuginfod.sh
