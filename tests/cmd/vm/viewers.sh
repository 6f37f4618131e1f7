# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# viewers.sh - recordings of a kernel, exported for viewers, are what these read, and have all
# events
# One kernel is enough: time lines are made by the reader.

. "$(dirname "$0")/../check.sh"
viewers=$PWD/tests/viewers
mkdir -p /mnt/viewers && cd /mnt/viewers || exit 1

cat >work <<'END'
i=0
while [ $i -lt 4 ]; do
	/bin/true
	cat /etc/passwd >/dev/null
	sleep 0.01
	i=$((i + 1))
done
dd if=/dev/zero of=zeros bs=4k count=100 2>/dev/null
sync
END

formats()	# TRACE
{
	run ktrace export -q --to json -o "$1.json" "$1"
	ends 0 "json of $1"
	run ktrace export -q --to perfetto -o "$1.perfetto" "$1"
	ends 0 "perfetto of $1"
	run python3 "$viewers/perfetto.py" "$1.perfetto" "$1.json"
	ends 0 "perfetto has it all: $1 ($out)"
	run ktrace export -q --to chrome -o "$1.chrome" "$1"
	ends 0 "chrome of $1"
	run python3 "$viewers/chrome.py" "$1.chrome" "$1.json"
	ends 0 "chrome has it all: $1 ($out)"
	run ktrace export -q --to firefox -o "$1.firefox" "$1"
	ends 0 "firefox of $1"
	ktrace export -q --to folded -o "$1.folded" "$1"
	run python3 "$viewers/firefox.py" "$1.firefox" "$1.chrome" "$1.folded"
	ends 0 "firefox has it all: $1 ($out)"
	run ktrace export -q --to html -o "$1.html" "$1"
	ends 0 "html of $1"
	run python3 "$viewers/html.py" "$1.html" "$1.chrome" "$1.json" "$1.folded"
	ends 0 "html has it all: $1 ($out)"
	run ktrace export -q --to ctf -o "$1.ctf" "$1"
	ends 0 "ctf of $1"
	babeltrace2 "$1.ctf" >"$1.lines"
	run python3 "$viewers/compass.py" "$1.ctf/metadata" <"$1.lines"
	ends 0 "Trace Compass reads it: $1 ($out)"
}

run ktrace record -q -a -e 'sched:*,irq:*,irq_vectors:*,syscalls:*,block:*' -o all -- sh work
ends 0 'everything is recorded'
formats all
run ktrace record -q -a -F 'vfs_read,vfs_write,ksys_read,rw_verify_area' -e 'sched:*' -o functions -- sh work
ends 0 'functions are recorded'
formats functions
run ktrace record -q -a -g -e 'sched:sched_switch,sched:sched_waking' -o stacks -- sh work
ends 0 'stacks are recorded'
formats stacks
run ktrace record -q -F 99 -g -e 'syscalls:*' -o samples -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
ends 0 'samples are recorded'
ktrace export -q --to folded -e profile:sample -o samples.folded samples
run ktrace export -q --to firefox -e profile:sample -o samples.firefox samples
ktrace export -q --to chrome -e profile:sample -o samples.chrome samples
run python3 "$viewers/firefox.py" samples.firefox samples.chrome samples.folded
ends 0 "samples are samples ($out)"
check 'of a thread' [ $((${out% *} - ${out#* })) -ge 5 ]
finish_vm viewers.sh
