# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# list.sh - list, load and unload
# One kernel is enough: the list is that of ktrace itself.

. "$(dirname "$0")/../check.sh"
cd /mnt || exit 1

run ktrace unload
ends 0 unload
check 'the module is gone' [ ! -e /sys/module/ktrace ]
run ktrace list --loaded
ends 1 'list --loaded without the module' 'ktrace load'
run ktrace load
ends 0 load 'is loaded'
check 'the tree is mounted' [ -e /sys/kernel/ktrace/version ]
run ktrace unload
ends 0 'unload again'

run ktrace list sched
ends 0 'list loads the module' 'events in 1 system'
check 'list: the system' grep -qx sched <<<"$out"
check 'list: an event' grep -qx '    sched_switch' <<<"$out"
check 'only what is needed is loaded' [ "$(grep -c ^ktrace_ /proc/modules)" -le 2 ]
run ktrace list -q 'sched:sched_switch' -v
check 'list -v: a field' grep -qE '^ +char prev_comm\[15\]' <<<"$out"
check 'list -q: nothing else' [ -z "$err" ]
run ktrace list --json sched:sched_switch
check 'list --json' grep -q '"system":"sched","name":"sched_switch"' <<<"$out"
run ktrace list shed:sched_switch
ends 1 'list of nothing' 'sched:sched_switch'

run ktrace list
ends 0 'list of all'
known=$(grep -c '^    [a-z0-9_]' <<<"$out")
missing=$(sed -n '/^Cannot be recorded/,$p' <<<"$out" | grep -c '^    ')
# Every tracepoint that has an event in ftrace must be listed, whether it can be recorded or
# not.
err=$(awk -F: '
	FNR == NR { if (sub(/^    /, "")) { sub(/ .*/, ""); sub(/^.*:/, ""); have[$0] = 1 } next }
	$1 !~ /^(syscalls|ftrace|synthetic|kprobes|uprobes)$/ && !have[$2]
	' <(echo "$out") \
	/sys/kernel/tracing/available_events)
check 'every event of ftrace is listed' [ -z "$err" ]
check 'of modules that are not there it says so' \
	grep -qx '  the kernel module that has the tracepoint is not loaded' <<<"$out"
err=$(sed -n '/^Cannot be recorded/,$s/^    //p' <<<"$out" | sort | uniq -d)
check 'one reason each' [ -z "$err" ]
echo "# $((known - missing)) events can be recorded, $missing cannot"
sed -n '/^Cannot be recorded/,$p' <<<"$out" | sed 's/^/#   /' | head -n 40

# ---- functions --------------------------------------------------------------------------

run ktrace list -F 'vfs_*,rcu_is_watching' -v
ends 0 'functions' ' more cannot be recorded'
check 'below their module' [ "$(head -n 1 <<<"$out")" = vmlinux ]
check 'with their types' grep -qxF \
	'    ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)  [trampoline]' \
	<<<"$out"
err=$(diff <(sed '/^Cannot/,$d' <<<"$out" | grep -oE '[ *]vfs_[a-z0-9_]+(\(|  \(no)' |
		grep -o 'vfs_[a-z0-9_]*' | sort -u) \
	<(sed -n 's/^\(vfs_[a-z0-9_]*\)\( .*\)\?$/\1/p' \
		/sys/kernel/tracing/available_filter_functions | sort -u))
check 'each that ftrace can hook' [ -z "$err" ]
check 'and that cannot be, why' grep -qx '    rcu_is_watching' \
	<<<"$(sed -n '/^Cannot be recorded:/,$p' <<<"$out")"
run ktrace list -q -j -F vfs_read,do_one_initcall,start_kernel
check 'as JSON' [ "$(jq -r '.[] | .name + " " + (.trampoline | tostring)' <<<"$out" | sort |
	tr '\n' ' ')" = 'do_one_initcall true start_kernel null vfs_read true ' ]
check 'what is gone' [ "$(jq -r '.[] | select(.name == "start_kernel").missing' <<<"$out")" = \
	'ran when the kernel booted, and is gone' ]
run ktrace list -F vfs_raed
ends 1 'no such function' 'there is no function'
check 'which are near' grep -q 'Is it one of these? vfs_read' <<<"$err"
check 'and where it is, if it is inlined' grep -q '`ktrace probe check vfs_raed.* shows where' <<<"$err"
run ktrace list -q -j -F vfs_read,vfs_raed
ends 1 'one that is, one that is not' 'there is no function'
check 'what was found is whole' [ "$(jq -r '.[].name' <<<"$out")" = vfs_read ]
run ktrace list -F vfs_read sched
ends 2 'functions and events' 'one by one'
rmmod ktrace_functions
run ktrace list -l -F vfs_read
ends 1 'functions, if nothing is loaded' 'ktrace-functions is not loaded'

KTRACE_MODULES=/nonexistent run ktrace load
ends 0 'load is content when all is loaded'
run ktrace unload
KTRACE_MODULES=/nonexistent run ktrace load
ends 1 'no modules' /nonexistent
ktrace load -q
finish_vm list.sh
