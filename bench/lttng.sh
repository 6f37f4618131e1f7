# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# lttng.sh - LTTng's tools, which bench/prepare has unpacked, to measure its modules and
# its library. Sourced with $lttng_root. The tools expect to be installed, so variables
# must tell them where their parts are.

lttng_libraries=$lttng_root/lib/x86_64-linux-gnu
export LTTNG_SESSION_CONFIG_XSD_PATH=$lttng_root/share/xml/lttng

lttng() {
	LD_LIBRARY_PATH=$lttng_libraries "$lttng_root/bin/lttng" "$@"
}

# Starts the daemon, $lttng_daemon. If it does not start, the log's last lines say why.
lttng_daemon_start() {	# <log> <option>...
	local log=$1 i
	shift
	LD_LIBRARY_PATH=$lttng_libraries "$lttng_root/bin/lttng-sessiond" --quiet \
		--consumerd64-path="$lttng_libraries/lttng/libexec/lttng-consumerd" \
		--consumerd64-libdir="$lttng_libraries" "$@" </dev/null >"$log" 2>&1 &
	lttng_daemon=$!
	for ((i = 0; i < 600; i++)); do
		! lttng --no-sessiond list >/dev/null 2>&1 || return 0
		kill -0 $lttng_daemon 2>/dev/null || break
		sleep 0.1
	done
	lttng_daemon_stop
	echo "lttng-sessiond does not start: $(tail -n 1 "$log")" >&2
	return 1
}

lttng_daemon_stop() {
	kill "$lttng_daemon" 2>/dev/null
	wait "$lttng_daemon"
	lttng_daemon=
}
