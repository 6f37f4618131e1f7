# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# archive.sh - a trace and its programs in one file: it is read where the programs are not
#
# One kernel is enough: what is packed does not depend on it.

. "$(dirname "$0")/../check.sh"
chain=$PWD/build/user/tests/kernel/chain-static
tree=/sys/kernel/ktrace
mkdir -p /mnt/archive && cd /mnt/archive || exit 1

id_of()	# FILE
{
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

# Where the program's file lies in an archive.
place_of()	# FILE
{
	local id
	id=$(id_of "$1")
	echo ".build-id/${id:0:2}/${id:2}"
}

# ---- of a recording that has ended -------------------------------------------------

cp "$chain" program
hold_in nanosleep ./program /dev/null x held 6000
ktrace record -q -o whole -e sched:sched_process_fork -g=both -- sh -c \
	'./program /dev/null x fork; :' >/dev/null
libc=$(ldd /bin/sh | awk '/libc/ { print $3 }')
check 'the metadata says which files there are' grep -q \
	"\"type\":\"file\",\"number\":[0-9]*,\"path\":\"$PWD/program\",\"build_id\":\"$(id_of program)\"" \
	whole/metadata
check 'the vDSO, too' grep -q '"path":"\[vdso\]","build_id":"[0-9a-f]*"' whole/metadata
ktrace report -g whole >of_whole
grep -A40 'parent_comm=program' of_whole >of_program
check 'functions have names and lines' grep -q '^	main+0x[0-9a-f]* (program) at chain\.c:[0-9]*$' of_program
run ktrace archive whole
ends 0 'it is packed' 'packed the trace' 'in whole.tar.zst'
tar -tf whole.tar.zst >content
check 'with the program' grep -qx "$(place_of program)" content
check 'and libraries' grep -qx "$(place_of "$libc")" content
tar -xOf whole.tar.zst "$(place_of program)" | cmp -s - program
check 'which is as it was' [ "${PIPESTATUS[1]}" = 0 ]

# ---- of one that was killed --------------------------------------------------------

ktrace record -q -o killed -e sched:sched_process_fork,kmem:kmalloc -g=both:'sched:*' -- \
	sleep 1000 &
pid=$!
wait_until grep -qx 1 $tree/enabled
for i in $(seq 10); do ./program /dev/null x fork >/dev/null; done
# Other events make packets full, so that they are written; the report is one who makes them.
has_program() {
	ls -lR /etc >/dev/null
	ktrace report -g -e 'sched:*' killed 2>/dev/null | grep -A40 'parent_comm=program' >of_program
	grep -q '^	kernel_clone+' of_program
}
wait_until has_program
kill -KILL $pid
wait $pid 2>/dev/null
let_go
check 'it was killed' [ "$(grep -c '"type":"end"' killed/metadata)" = 0 ]
kill $(pgrep -x sleep)
ktrace report -g -e 'sched:*' killed >of_killed 2>/dev/null
grep -A40 'parent_comm=program' of_killed >of_program
check 'a killed recorder leaves stacks' [ -s of_program ]
check 'with the functions of the kernel' grep -q '^	kernel_clone+' of_program
check 'without names of the program' [ "$(grep -c '(program)' of_program)" = 0 ]
check 'but with the list of files' grep -q "\"path\":\"$PWD/program\"" killed/metadata
run ktrace archive killed
ends 0 'it is packed, too' 'no names for' 'packed the trace'
ktrace report -g -e 'sched:*' killed.tar.zst >archived 2>/dev/null
grep -A40 'parent_comm=program' archived >of_program
check 'then the program has names and lines' grep -q \
	'^	main+0x[0-9a-f]* (program) at chain\.c:[0-9]*$' of_program
check 'and the kernel' grep -q '^	kernel_clone+' of_program
check 'all else is as before' diff <(grep -v '^	' of_killed) <(grep -v '^	' archived)

# ---- where there is nothing of it --------------------------------------------------

# What another machine has: the archives and the command, with its libraries.
ktrace=$(command -v ktrace)
mkdir -p elsewhere/tmp
mv whole.tar.zst killed.tar.zst elsewhere
ldd "$ktrace" | grep -o '/[^ ]*' | while read -r file; do
	mkdir -p "elsewhere${file%/*}" && cp -L "$file" "elsewhere$file"
done
cp "$ktrace" elsewhere/ktrace
mv program program.away
for trace in whole killed; do
	run chroot elsewhere /ktrace report -g -e 'sched:*' $trace.tar.zst
	[ $trace = whole ] && wanted=of_whole || wanted=archived
	check "$trace: the report is the same where the programs are not" cmp -s $wanted - <<<"$out"
done
check 'nothing is left there' [ -z "$(ls -A elsewhere/tmp)" ]

# What cannot be packed is told, and the rest is packed.
run ktrace archive -o later.tar.zst whole
ends 0 'the program is away' "$PWD/program is left out: there is no such file"
cp /bin/true program
run ktrace archive --force -o later.tar.zst whole
ends 0 'another program has its place' "$PWD/program is left out: it has changed since"
check 'it is not in the archive' [ "$(tar -tf later.tar.zst | grep -c "$(place_of program.away)")" = 0 ]
ktrace report -g later.tar.zst | cmp -s - of_whole
check 'the trace is' [ "${PIPESTATUS[1]}" = 0 ]

# On the host, which has another kernel: tests/cmd/run looks at these.
if [ -d /mnt/out ]; then
	cp elsewhere/whole.tar.zst /mnt/out/archive.tar.zst
	cp of_whole /mnt/out/archive.report
fi
finish_vm archive.sh
