# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# function_pointees.sh - record -F: what arguments point to.  What is right is known from what
# a program does, from stat(1), /proc, and kernel/testmod/callee_typed.c
# One kernel is enough: programs are the work of the command.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/function_pointees && cd /mnt/function_pointees || exit 1
callee=/sys/kernel/debug/ktrace-callee/run
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
insmod "$KTRACE_MODULES/ktrace-callee.ko"

texts_test()
{
# ---- texts: whole, cut, none, and such that cannot be read -------------------------

run ktrace record -q -F ktrace_callee:typed_text -o t -- sh -c "echo types >$callee"
ends 0 'texts'
run ktrace report t
check 'a text stands behind its address, also if that was passed on the stack' grep -q \
	' function:typed_text: text=0xffff[0-9a-f]* "a \\"text\\"" a=1 b=2 c=3 d=4 e=5 seventh=0xffff[0-9a-f]* "on the stack"$' <<<"$out"
check 'a long one is cut, one may be empty' grep -q \
	' text=0xffff[0-9a-f]* "[0-9]\{64\}"\.\.\. a=1 .* seventh=0xffff[0-9a-f]* ""$' <<<"$out"
check 'nothing stands behind a null pointer; an error is no address' grep -q \
	' text=0x0 a=1 .* seventh=0xfffffffffffffffb ?$' <<<"$out"
check 'what cannot be read is a question mark' grep -q \
	' text=0xdead000000000100 ? a=1 .* seventh=0x8 ?$' <<<"$out"
check 'each call is there' [ "$(grep -c ' function:typed_text: ' <<<"$out")" = 4 ]
check 'and each return' [ "$(grep -c ' return:typed_text: ret=15$' <<<"$out")" = 4 ]
run ktrace report --graph t
check 'so it is in the graph' grep -q \
	' | typed_text(text=0xffff[0-9a-f]* "a \\"text\\"", a=1, .*, seventh=0xffff[0-9a-f]* "on the stack") = 15$' <<<"$out"
run ktrace report -F json t
check 'JSON has a field of its own' grep -q \
	'"e":5,"seventh":"0xffff[0-9a-f]*","__cut":0,"__unread":0,"__text_val":"a \\"text\\"","__seventh_val":"on the stack"}' <<<"$out"
check 'and says what is missing' grep -q '"text":"0xdead000000000100",.*"__unread":3,"__text_val":"",' <<<"$out"
run ktrace report -F kernel t
check 'with the formats of the kernel, the same' grep -q \
	' function:typed_text: .*seventh=0xffff[0-9a-f]* "on the stack"$' <<<"$out"
run ktrace export --to ctf -o ctf t
run babeltrace2 ctf
check 'CTF has such fields' grep -q '__text_val = "a \\"text\\"", __seventh_val = "on the stack" }' <<<"$out"
rm -r t ctf
run ktrace record -q --plain -F ktrace_callee:typed_text -o t -- sh -c "echo types >$callee"
run ktrace report t
check '--plain reads nothing' grep -q \
	' function:typed_text: text=0xffff[0-9a-f]* a=1 b=2 c=3 d=4 e=5 seventh=0xffff[0-9a-f]*$' <<<"$out"
rm -r t
}

objects_test()
{
# ---- objects of which all is known ---------------------------------------------------

run ktrace record -q -F 'ktrace_callee:pointed_*' -o t -- sh -c "echo pointees >$callee"
ends 0 'objects'
run ktrace report t
for word in 'page: page=0xffff[0-9a-f]* {flags=PG_referenced index=77}' \
	'folio: folio=0xffff[0-9a-f]* {flags=PG_referenced index=77}' \
	'bio: bio=0xffff[0-9a-f]* {op=REQ_OP_WRITE|REQ_SYNC|REQ_META sector=4242 size=8192}' \
	'device: device=0xffff[0-9a-f]* "ktrace-pointed"' \
	'dentry: dentry=0xffff[0-9a-f]* "ktrace-callee"'; do
	check "${word%%:*} shows what it is" grep -q " function:pointed_$word$" <<<"$out"
	check "of a call that returns nothing, ${word%%:*} has no result" grep -q \
		" return:pointed_${word%%:*}:$" <<<"$out"
done
run ktrace report --graph t
check 'the graph shows the same' grep -q \
	' us |   pointed_page(page=0xffff[0-9a-f]* {flags=PG_referenced index=77})$' <<<"$out"
check 'and no value of what returns nothing' [ "$(grep -c ' |   pointed_[a-z]*(.*)$' <<<"$out")" = 5 ]
check 'but that of what returns one' grep -q ' | } = 0$' <<<"$out"
rm -r t
}

# The build for 6.1 has nothing that a module's type information could refer to.
if [ -e /sys/kernel/btf/ktrace_callee ]; then
	texts_test
	objects_test
else
	echo "# the test module has no type information here: its texts are not tested"
fi

# ---- files -------------------------------------------------------------------------

echo hello >'the file'
# Its name differs.
opens=$(grep -owE -m 1 'do_filp_open|do_file_open' /sys/kernel/ktrace/available_functions)
run ktrace record -q -F "vfs_read,vfs_open,$opens,do_sys_openat2,security_inode_permission" \
	-o t -- /bin/cat 'the file'
ends 0 'a file'
run ktrace report t
check 'a file has its name, a position its value' grep -q \
	'^cat-.* function:vfs_read: file=0xffff[0-9a-f]* "the file" buf=0x[0-9a-f]* count=[0-9]* pos=0xffff[0-9a-f]* 0$' <<<"$out"
check 'after the first read, it is another' grep -q \
	'^cat-.* file=0xffff[0-9a-f]* "the file" .* pos=0xffff[0-9a-f]* 6$' <<<"$out"
check 'so have a path' grep -q '^cat-.* function:vfs_open: path=0xffff[0-9a-f]* "the file" ' <<<"$out"
check 'a name that the kernel has copied' grep -q \
	'^cat-.* function:do_fil[pe]_open: dfd=-100 pathname=0xffff[0-9a-f]* "the file" ' <<<"$out"
check 'and one in memory of the program' grep -q \
	'^cat-.* function:do_sys_openat2: dfd=-100 filename=0x[0-7][0-9a-f]* "the file" ' <<<"$out"
check 'an inode has its number and device' grep -q "^cat-.* function:security_inode_permission: \
inode=0xffff[0-9a-f]* {ino=$(stat -c %i .) dev=$(stat -c %Hd:%Ld .)} mask=" <<<"$out"
rm -r t

# ---- what is asked for -------------------------------------------------------------

run ktrace record -q -F vfs_read -o t \
	--read 'file->f_path.dentry->d_parent->d_name.name,file->f_inode->i_ino' \
	--read 'file->f_inode->i_sb->s_type->name,buf:string' -- /bin/cat 'the file'
ends 0 'expressions'
run ktrace report t
check 'are read beside the rest' grep -q "^cat-.* function:vfs_read: file=0xffff[0-9a-f]* \
{\"the file\" name=\"function_pointees\" i_ino=$(stat -c %i 'the file') \
f_inode_i_sb_s_type_name=\"$(stat -f -c %T .)\"} buf=0x[0-9a-f]* {text=" <<<"$out"
rm -r t
run ktrace record -q --plain -F vfs_read --read 'file->f_inode->i_ino' -o t -- /bin/cat 'the file'
run ktrace report t
check 'with --plain, nothing else' grep -q "^cat-.* file=0xffff[0-9a-f]* \
{i_ino=$(stat -c %i 'the file')} buf=0x[0-9a-f]* count=[0-9]* pos=0xffff[0-9a-f]*$" <<<"$out"
rm -r t
run ktrace graph -q -f vfs_read --depth 2 --read 'file->f_inode->i_ino' --columns task -- /bin/cat 'the file'
check 'in a graph' grep -q "^cat-.* | vfs_read(file=0xffff[0-9a-f]* \
{\"the file\" i_ino=$(stat -c %i 'the file')}, buf=" <<<"$out"
check 'those that it calls have what is asked for' grep -q "^cat-.* |   rw_verify_area(read_write=0, \
file=0xffff[0-9a-f]* {i_ino=$(stat -c %i 'the file')}, ppos=" <<<"$out"
run ktrace graph -q --plain -f vfs_read --alone --columns task -- /bin/cat 'the file'
check 'with --plain, nothing' grep -q '^cat-.* | vfs_read(file=0xffff[0-9a-f]*, buf=0x[0-9a-f]*, count=[0-9]*, pos=0xffff[0-9a-f]*) = 6$' <<<"$out"
run ktrace graph -f vfs_read --read 'file->f_pth' -- true
ends 1 'a member that is not there' "struct file has no member \`f_pth', but" f_path
run ktrace graph -i t --read 'file->f_mode'
ends 2 'of a trace' '-i shows a trace' 'for what happens now'
wrong()	# EXPRESSION WORDS...
{
	local expression=$1
	shift
	run ktrace record -F vfs_read --read "$expression" -o t -- true
	ends 1 "$expression" "\`$expression' cannot be read: " "$@"
}
wrong 'fil->f_mode' 'no function has such an argument'
wrong 'file->f_pth' "struct file has no member \`f_pth', but" f_path
wrong 'file->f_path' 'choose a member'
wrong 'count->x' 'it is no pointer'
wrong 'file->f_mode:hex' 'only :string may stand there'
wrong 'file->f_mode:string' 'no address of a text'
check 'nothing is chosen' [ -z "$(cat /sys/kernel/ktrace/functions)" ]
wrong 'file->' 'a member is missing'
# A program has 16 fields at most; and who reads more is told.
members=$(printf 'file->f_inode->i_%s,' ino mode flags size blocks rdev generation opflags \
	bytes blkbits version.counter count.counter writecount.counter dio_count.counter \
	sb data.nrpages fsnotify_mask)
run ktrace record -F vfs_read --read "${members%,}" -o t -- true
ends 1 'more than there is room for' 'there is no room for it'
run ktrace record --read 'file->f_mode' -o t -- true
ends 2 'no function' '-F is missing'

# ---- tasks, sockets ----------------------------------------------------------------

run ktrace record -q -F wake_up_new_task,tcp_connect,inet_release -o t -- bash -c '
	sleep 0 & echo $!
	wait
	: <>/dev/tcp/127.0.0.1/81' 2>/dev/null
pid=$(head -1 <<<"$out")
run ktrace report t
check 'a task has its name and number' grep -q \
	"^bash-.* function:wake_up_new_task: p=0xffff[0-9a-f]* {comm=\"bash\" pid=$pid}$" <<<"$out"
check 'a socket has its family and addresses' grep -qE \
	'^bash-.* function:tcp_connect: sk=0xffff[0-9a-f]* \{family=AF_INET src=127\.0\.0\.1:[0-9]+ dst=127\.0\.0\.1:81\}$' <<<"$out"
check 'through struct socket too' grep -q \
	'^bash-.* function:inet_release: sock=0xffff[0-9a-f]* {family=AF_INET src=' <<<"$out"
rm -r t

# ---- many: what they point to is not read ------------------------------------------

run ktrace record -q -F 'vfs_*' -o t -- true
run sh -c 'grep -c __cut t/metadata'
check 'a hundred functions are few' [ "$out" -gt 10 ]
rm -r t
# Functions that were chosen before are described, too.
rmmod ktrace-functions
run ktrace record -q -F 's*' -o t -- true
run sh -c 'grep "\"type\":\"variant\"" t/metadata | grep -c __cut'
check 'thousands are not' [ "$out" = 0 ]
rm -r t

rmmod ktrace-callee
echo "# end of function_pointees.sh"
