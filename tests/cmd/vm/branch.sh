# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# branch.sh - ktrace branch: which way programs went; addr2line says what the places are called, gdb
# where a program was killed, ptrace (tests/kernel/branches.sh) which branches there were
# One kernel is enough: what is traced is tested by tests/kernel.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
top=$PWD
mkdir -p /mnt/branch && cd /mnt/branch || exit 1
expand=$top/tests/cmd/expand.pl
# An event of the script before may still have stacks, for which programs are followed, too.
ktrace record -q -e sched:sched_process_fork -o before -- true

cat >crash.c <<'END'
#include <stddef.h>

struct item {
	const char *name;
	struct item *next;
};

static inline __attribute__((always_inline)) int shift(int x)
{
	return x & 1 ? x * 3 : x / 2;
}

static __attribute__((noinline)) int length(const struct item *item)
{
	int n = 0;

	for (; item; item = item->next)
		n += shift(item->name[0]);
	return n;
}

static __attribute__((noinline)) int parse(const char *text)
{
	struct item items[3] = {{"a", &items[1]}, {"b", &items[2]}, {"c", NULL}};
	int sum = 0;

	for (int i = 0; text[i]; i++) {
		if (text[i] == '!')
			items[1].name = NULL;
		sum += length(items);
	}
	return sum;
}

int main(int argc, char **argv)
{
	return parse(argc > 1 ? argv[1] : "abcdefgh!") == 1;
}
END
# Most programs here are static: stepping through the loader takes more time than all else.
gcc -O1 -g -static-pie -o crash crash.c
gcc -O1 -g -o dynamic crash.c

# Lines "KIND FUNCTION SOURCE FUNCTION SOURCE" of the entries that are in the file.
entries_of()	# FILE JSON
{
	jq -r --arg file "$1" 'select(.from.file == $file and .to.file == $file) |
		"\(.kind) \(.from.function) \(.from.source) \(.to.function) \(.to.source)"' "$2"
}

# The offset of the code of these programs is its address.
outside_of()	# FILE JSON: all of its places, as addr2line has them
{
	jq -r --arg file "$1" '.from, .to | objects | select(.file == $file and .source) |
		"\(.offset) \(.inlined[0].function // .function) \(.source)"' "$2" | sort -u >ours
	awk '{ printf "0x%x\n", $1 }' ours | addr2line -fie "$1" -a | awk '
		/^0x/ { if (name) print name; name = ""; n = 0; next }
		++n == 1 { name = $1 }
		n == 2 { sub(/ \(discriminator.*/, ""); name = name " " $0 }
		END { print name }' >theirs
	awk '{ print $2, $3 }' ours | paste -d '|' - theirs | awk -F '|' '$1 != $2' >differ
	[ "$(wc -l <ours)" -ge 8 ] && [ ! -s differ ]
}

# ---- how it died ------------------------------------------------------------------

run ktrace branch -- ./crash
ends 139 'a program that is killed'
died=$(tail -n 1 <<<"$out")
check 'and by what' [ "${died% at *}" = 'killed by SIGSEGV (Segmentation fault)' ]
at=$(gdb -batch -ex run -ex 'info symbol $pc' -ex 'info line *$pc' ./crash 2>/dev/null |
	sed -n 's/^\(length\) + \([0-9]*\) in section.*/\1 \2/p; s/^Line \([0-9]*\) of "\([^"]*\)".*/\1 \2/p' |
	tr '\n' ' ')
set -- $at
check 'and where, as gdb says' [ "${died#* at }" = \
	"$1+$(printf '0x%x' "$2") $4:$3" ]
check 'and how it got there' [ "$(grep -v '^ *-- ' <<<"$out" | tail -n 8 | grep -c '^ *call *parse+.* crash.c:30 → length crash.c:17$')" = 1 ]
# Unless it has left its CPU meanwhile.
for _ in {1..5}; do
	! grep -q '^└ *return .*  ×8$' <<<"$out" || break
	run ktrace branch -- ./crash
done
check 'the rounds before are one' grep -q '^└ *return .*  ×8$' <<<"$out"
check 'what ktrace did before the exec is not there' [ -z "$(grep 'child_prepare\|\[ktrace\]' <<<"$out")" ]
run ktrace branch -n 5 -- ./crash
check 'only the last ones' [ "$(grep -c ' → \|^ *at \|^ *--' <<<"$out")" = 5 ]

# Each run takes the same way.
run setarch -R ktrace branch -s 1M -F json -o all.json -- ./crash abcd
ends 0 'a program that ends'
check 'JSON' jq -es 'all(.thread and .kind)' all.json >/dev/null
check 'all of it is there' [ "$(jq -c 'select(.kind == "read") | [.overwritten, .unread, .ended]' all.json)" = \
	'[0,0,true]' ]
check 'its calls' [ "$(entries_of "$PWD/crash" all.json | awk '$1 ~ /^call/ { print $2, $4 }' | grep -c '^parse length$')" = 4 ]
check 'and returns' [ "$(entries_of "$PWD/crash" all.json | awk '$1 == "return" { print $2, $4 }' | grep -c '^length parse$')" = 4 ]
check 'places are called as addr2line does' outside_of "$PWD/crash" all.json
head differ | sed 's/^/# /'
run ktrace branch -s 1M -F json -o dynamic.json -- ./dynamic abcd
check 'those of libraries are known, too' [ "$(jq -r '.to.function? // empty' dynamic.json | grep -c '^_dl_relocate_object$')" -ge 1 ]
check 'and called as addr2line does' outside_of "$PWD/dynamic" dynamic.json
run setarch -R ktrace branch -s 1M -o all.text -- ./crash abcd
expanded=$(perl "$expand" <all.text)
check 'text has as many branches as JSON' [ "$expanded" = "$(jq -r 'select(.to) | 1' all.json | wc -l)" ]
run setarch -R ktrace branch -s 1M --flat -- ./crash abcd
flat=$(awk 'NR > 1 { gsub(/,/, "", $1); n += $1 } END { print n }' <<<"$out")
check 'and so have the counts, but for system calls' [ "$flat" = \
	"$(jq -r 'select(.to and .kind != "syscall") | 1' all.json | wc -l)" ]
check 'the most frequent one comes first' awk 'NR == 1 { next } { gsub(/,/, "", $1) }
	NR > 2 && $1 + 0 > last { exit bad = 1 } { last = $1 + 0 } END { exit bad }' <<<"$out"
run ktrace branch -v -n 20 -- ./crash
check '-v: whole paths' grep -q " $PWD/crash.c:[0-9]" <<<"$out"

# ---- calls ------------------------------------------------------------------------

# The part of a function, moved to the left.
part_of()	# FUNCTION
{
	awk -v name="$1" 'match($0, /^ */) && $1 == name && !on { on = 1; indent = RLENGTH; print substr($0, indent + 1); next }
		on && RLENGTH <= indent { exit } on { print substr($0, indent + 1) }' | sed 's/ \[[^]]*\]//'
}
run ktrace branch --calls -- ./crash
check 'its calls' [ "$(part_of main <<<"$out")" = 'main
  parse
    length  ×8
    length  <- killed here' ]
cat >calls.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
static jmp_buf out;
volatile int sum;
__attribute__((noinline)) static void leaf(int x) { sum += x; }
__attribute__((noinline)) static void handler(int number) { leaf(number); sum++; }
__attribute__((noinline)) static void leaves(int x) { leaf(x); longjmp(out, 1); }
__attribute__((noinline)) static void around(int x) { if (!setjmp(out)) leaves(x); leaf(x); sum++; }
__attribute__((noinline)) static void twice(int x) { leaf(x); leaf(x + 1); sum++; }
__attribute__((noinline)) static void tail(int x) { leaf(x); twice(x); }
__attribute__((noinline)) static int deep(int x) { if (x) sum ^= deep(x - 1) * x; return sum ^ x; }
int main(void)
{
	signal(SIGUSR1, handler);
	twice(1);
	tail(2);
	around(3);
	kill(getpid(), SIGUSR1);
	for (int i = 0; i < 100; i++)
		leaf(i);
	sum += deep(2000);
	return 0;
}
END
gcc -O2 -fno-ipa-cp -fno-ipa-sra -fno-optimize-strlen -static -o calls calls.c
run ktrace branch -s 1M --calls -- ./calls
ends 0 'calls of a program with signals and longjmp()'
part_of main <<<"$out" >tree
check 'a call' grep -q '^  twice$' tree
check 'what it calls' [ "$(part_of twice <tree)" = 'twice
  leaf  ×2' ]
check 'the tail of a function has its caller' [ "$(grep -A 2 '^  tail$' tree | xargs)" = 'tail leaf twice' ]
check 'a handler is below what it interrupts' [ "$(grep -A 1 'sent to handler$' tree | sed 's/^ *//' | xargs)" = 'sent to handler leaf' ]
check 'which is a call of main' [ "$(awk '/^  [^ ]/ { above = $1 } /sent to handler/ { print above }' tree)" = kill ]
check 'longjmp() ends what is inside' [ "$(awk '/^  [^ ]/ { on = $1 == "around" } on && /^    [^ ]/ { print $1 }' tree | sort -u | grep -c '^leaf$')" = 1 ]
check 'calls that are the same are one' grep -q '^  leaf  ×100$' tree
check 'as deep as they are' [ "$(grep -c '  (*[0-9]*)* *deep$' tree)" = 2001 ]

# ---- what is mapped changes -------------------------------------------------------

for name in alpha beta; do
	echo "__attribute__((noinline)) int $name(int x) { return x > 3 ? x : $name(x + 1) + 1; }" >$name.c
	gcc -O1 -fPIC -shared -o $name.so $name.c
done
cat >loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < atoi(argv[1]); i++) {
		const char *name = i % 2 ? "beta" : "alpha";
		char path[64];
		snprintf(path, sizeof(path), "./%s.so", name);
		void *library = dlopen(path, RTLD_NOW);
		sum += ((int (*)(int))dlsym(library, name))(1);
		printf("%p\n", dlsym(library, name));
		dlclose(library);
	}
	return sum == 1;
}
END
gcc -O1 -o loads loads.c
run ktrace branch -s 16M -F json -o loads.json -- ./loads 4
ends 0 'libraries that come and go'
check 'at the same address' [ "$(sort -u <<<"$out" | wc -l)" = 1 ]
for name in alpha beta; do
	check "each has its calls: $name" [ "$(jq -r --arg file "$PWD/$name.so" 'select(.kind == "return" and
		.to.file == $file and .to.function and .from.function == .to.function) | .to.function' loads.json | sort | uniq -c |
		xargs)" = "6 $name" ]
done
run ktrace branch -s 64M -F json -o loads.json -- ./loads 40
check 'what ktrace did before the exec is not there, however many changes there are' [ "$(jq -r \
	'.from.file? // empty' loads.json | head -n 1 | grep -c '/ld-linux')" = 1 ]
check 'all have names' [ "$(jq -r 'select(.to and (.from.file == null)) | .from.address' loads.json | wc -l)" = 0 ]
check 'also if there are more changes than are kept: the last ones' [ "$(jq -r 'select(.kind == "return" and
	.to.function and .from.function == .to.function) | .to.function' loads.json | grep '^alpha$\|^beta$' |
	tail -n 12 | uniq -c | xargs)" = '3 alpha 3 beta 3 alpha 3 beta' ]
run ktrace branch -s 16M -F json -o exec.json -- sh -c 'exec ./crash abcd'
ends 0 'an exec'
check 'both programs are there' [ "$(jq -r '.to.file? // empty' exec.json | grep -x "$PWD/crash\|.*/dash\|.*/bash" | uniq | wc -l)" -ge 2 ]
check 'places behind it, as addr2line has them' outside_of "$PWD/crash" exec.json
cat >names.cc <<'END'
namespace shop { template <class T> struct basket { __attribute__((noinline)) static T price(T x) { return x * 2; } }; }
int main(int argc, char **) { return shop::basket<int>::price(argc) == 1; }
END
g++ -O1 -g -static -o names names.cc
run ktrace branch -- ./names
check 'names of C++' grep -q ' → shop::basket<int>::price names.cc:1' <<<"$out"
cat >inlined.cc <<'END'
volatile int sum;
namespace shop { inline __attribute__((always_inline)) void count(int x) { for (; x > 0; x--) sum += x; } }
int main(int argc, char **argv) { shop::count(argc + 5); return 0; }
END
g++ -O1 -g -static -o inlined inlined.cc
run ktrace branch -- ./inlined
check 'also of those that were put into others' grep -q 'shop::count in main+0x[0-9a-f]* inlined.cc:2' <<<"$out"
cp crash gone
run ktrace branch -n 60 -- sh -c 'exec ./gone abcdefgh'
check 'a stripped copy' [ "$status" = 0 ]
strip gone
run ktrace branch -- ./gone
check 'a program without names has its file and offset' grep -q ' → gone+0x[0-9a-f]*$' <<<"$out"

# The library stays mapped until ktrace has read it: its time of access tells.
cat >gone.c <<'END'
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int fd = open(argv[1], O_RDONLY);
	struct timespec never[2] = {{0}};
	struct stat stat;
	unlink(argv[1]);
	futimens(fd, never);
	for (int i = 0; i < 600; i++) {
		fstat(fd, &stat);
		if (stat.st_atim.tv_sec)
			break;
		usleep(50000);
	}
	return ((int (*)(int))dlsym(library, "alpha"))(1) == 1;
}
END
gcc -O1 -o gone.prog gone.c
mkdir touched
mount -t tmpfs -o strictatime none touched
cp alpha.so touched/
run ktrace branch -s 4M -o unlinked -- ./gone.prog touched/alpha.so
umount touched
check 'a library that was deleted' grep -q ' → alpha' unlinked
for name in first second; do
	printf '__attribute__((noinline)) int %s(int x) { return x * 3; }\nint main(int c, char **v) { return %s(c) == 1; }\n' \
		$name $name >$name.c
	gcc -O1 -g -static -no-pie -o $name $name.c
done
run ktrace branch -s 1M --flat -- sh -c './first; ./second'
for name in first second; do
	check "programs at the same address are not mixed up: $name" [ "$(grep -c " → $name $name.c:1" <<<"$out")" = 1 ]
done

# ---- threads and children ---------------------------------------------------------

cat >many.c <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int step(int x) { return x < 2 ? x : step(x - 1) + step(x - 2); }
static void *thread(void *data) { return (void *)(long)(step(7) == 1); }
int main(void)
{
	pthread_t other;
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	if (!fork())
		_exit(step(6) == 1);
	wait(NULL);
	return 0;
}
END
gcc -O1 -fno-optimize-sibling-calls -g -static -o many many.c
run ktrace branch -F json -o many.json -- ./many
check 'its threads and children' [ "$(jq -r '.thread' many.json | sort -u | wc -l)" = 3 ]
check 'all of their branches' [ "$(jq -r 'select(.kind == "call" and .to.function == "step") | .thread' many.json |
	sort | uniq -c | awk '{ print $1 }' | sort -n | xargs)" = '25 41' ]
run ktrace branch --alone -F json -o many.json -- ./many
check '--alone' [ "$(jq -r '.thread' many.json | sort -u | wc -l)" = 1 ]

cat >worker.c <<'END'
#include <pthread.h>
#include <stddef.h>
static void *works(void *data) { *(volatile int *)data = 1; return NULL; }
int main(void)
{
	pthread_t other;
	pthread_create(&other, NULL, works, NULL);
	pthread_join(other, NULL);
	return 0;
}
END
gcc -O1 -g -static -o worker worker.c
run ktrace branch -- ./worker
ends 139 'a program of which a thread is killed'
check 'it is that thread' [ "$(grep '^killed by' <<<"$out" | sed 's/+0x[0-9a-f]*//')" = \
	'killed by SIGSEGV (Segmentation fault) at works worker.c:3' ]

# ---- a process that runs ----------------------------------------------------------

bash -c 'while :; do :; done' &
busy=$!
sleep 600 &
sleeps=$!
run ktrace branch -p $busy -d 3s
ends 0 '-p'
# What it does while its buffer is copied overwrites some entries.
check 'what it does' grep -q '^thread '$busy': [1-4],[0-9]* entries, the newest; .* before were overwritten$' <<<"$out"
check 'by name' grep -q 'execute_command' <<<"$out"
check 'it goes on' kill -0 $busy
run ktrace branch -p $busy,$sleeps,$busy -d 3s -F json
check 'several, each once' [ "$(jq -r 'select(.kind == "read") | .thread' <<<"$out" | sort -n | xargs)" = \
	"$(printf '%s\n' $busy $sleeps | sort -n | xargs)" ]
run ktrace branch -p $sleeps -d 300ms
check 'that sleeps' [ "$out" = "thread $sleeps: no entries: it has not run its program meanwhile" ]
# The processor time of the busy process, in ticks.
busy_ticks()
{
	awk '{ print $14 + $15 }' /proc/$busy/stat
}
busy_has()	# TICKS
{
	[ "$(busy_ticks)" -ge "$1" ]
}
# Traces it in the background, as $tracer; returns when it has run meanwhile.
branch_begin()	# FILE OPTION...
{
	local file=$1
	shift
	# Or a message of the tracer before would be found.
	rm -f err
	timeout 600 ktrace branch -p $busy "$@" >"$file" 2>err &
	tracer=$!
	wait_until grep -qs tracing err
	wait_until busy_has $(($(busy_ticks) + 20))
}
branch_begin interrupted
kill -INT $tracer
wait $tracer
check 'Ctrl-C shows what there is' [ $? = 0 -a -s interrupted ]
branch_begin ended -n 3
kill $busy
wait $tracer
check 'it ends with the process' [ $? = 0 ]
check 'whose end is there' grep -q '^ *-- .* has ended$' ended
check 'and by what' grep -q '^killed by SIGTERM (Terminated) at ' ended
kill $sleeps

# ---- what is refused --------------------------------------------------------------

run ktrace branch
ends 2 'nothing to trace' 'Name a command, or processes'
run ktrace branch -p 1 -- true
ends 2 'both' 'one of them'
run ktrace branch --kernel -- true
ends 1 '--kernel' 'a processor that records them'
for size in 1 128M x; do
	run ktrace branch -s $size -- true
	ends 2 "-s $size" '4K to 64M'
done
run ktrace branch -n 0 -- true
ends 2 '-n 0' 'not a number'
run ktrace branch -F xml -- true
ends 2 '-F xml' 'text or json'
run ktrace branch --flat --calls -- true
ends 2 '--flat and --calls' 'one of them'
run ktrace branch --flat -F json -- true
ends 2 '--flat with JSON' 'each branch is a line'
run ktrace branch -- ./missing
ends 127 'a command that is not there' 'no such command'
run ktrace branch -o /nowhere/x -- true
ends 1 'a file that cannot be made' '/nowhere/x'
run ktrace branch -o /dev/full -- true
ends 1 'a file that is full' 'space left'
run ktrace branch -p 2 -d 1s
ends 1 'a thread of the kernel' 'is the kernel'
run setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock sh -c 'ulimit -l 64; ktrace branch -s 1M -- true'
ends 1 'too much locked memory' 'locked memory'
run setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace ktrace branch -- true
ends 1 'without the right to look into programs' 'permi'
run ktrace branch -- sh -c 'kill -TERM $$'
ends 143 'the exit status is that of the command'
# The hooks go some time after the context, when all tasks that were traced have noticed.
for _ in {1..100}; do
	out=$(grep 'single_step\|sigreturn\|perf_event_mmap' /sys/kernel/debug/kprobes/list)
	[ "$out" ] || break
	sleep 0.1
done
check 'nothing is left' [ -z "$out" ]
finish_vm branch.sh
