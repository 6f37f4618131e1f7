# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# program_probe.sh - record -x FILE -P, ktrace probe -x, ktrace list -x: probes in programs; the
# program itself and the kernel's own uprobe events say what is right
# One kernel is enough: tests/kernel/program_probes.sh asks each kernel.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/program_probe && cd /mnt/program_probe || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || mount -t tracefs tracefs $tracing

# ---- functions ----------------------------------------------------------------------

cat >prog.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noipa)) static

PROBED long greet(const char *who, int number, long big)
{
	return strlen(who) + number + big;
}

PROBED int deep(int depth)
{
	return depth ? deep(depth - 1) + 1 : 0;
}

/* It keeps its value below the stack, where nobody else may write. */
long leaf(long value);
__asm__(".globl leaf\n.type leaf, @function\n"
	"leaf:\n"
	"	mov %rdi, -8(%rsp)\n"
	"	mov %rdi, -128(%rsp)\n"
	".globl leaf_middle\n"
	"leaf_middle:\n"
	"	nop\n"
	"	mov -8(%rsp), %rax\n"
	"	add -128(%rsp), %rax\n"
	"	ret\n"
	".size leaf, .-leaf\n");

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 3;
	long sum = 0;

	for (int i = 0; i < calls; i++)
		sum += greet(i % 2 ? "odd" : "even", i, -1000000000000l * i) + leaf(i) - 2 * i;
	deep(20);
	printf("%ld\n", sum);
	return 0;
}
END
gcc -O2 -fno-optimize-sibling-calls -o prog prog.c
wanted=$(./prog)

run ktrace record -x ./prog -P 'greet who=$arg1:string number=$arg2:s32 big=$arg3:s64' -f 'number != 1' \
	-P 'back=greet%return $retval:s64' -o t -- ./prog 3
ends 0 'a function and its return' 'recorded'
check 'the program does what it did' grep -qx -- "$wanted" <<<"$out"
check 'the probes go with the recording' [ -z "$(cat $tree/probes)" ]
run ktrace report t
check 'parameters, and a filter' [ "$(sed -n 's/^prog-.* probe:greet: who=0x[0-9a-f]* //p' <<<"$out" | xargs)" = \
	'even number=0 big=0 even number=2 big=-2000000000000' ]
check 'what is returned' [ "$(sed -n 's/^prog-.* probe:back: ret=//p' <<<"$out" | xargs)" = \
	'4 -999999999996 -1999999999994' ]
rm -r t

# The same by the kernel's own events, at the same hits.
at=0x$(nm prog | awk '$3 == "greet" { print $1 }')
echo "p:kt_greet $PWD/prog:$at n=%si:s32 big=%dx:s64 who=+0(%di):string" >$tracing/uprobe_events
echo 1 >$tracing/events/uprobes/enable
echo >$tracing/trace
run ktrace record -q -P "$PWD/prog:greet \$arg2:s32 \$arg3:s64 %di:string" -o t -- ./prog 50
echo 0 >$tracing/events/uprobes/enable
sed -n 's/.*kt_greet: ([^)]*) n=\(.*\) big=\(.*\) who=\(.*\)/\1 \2 \3/p' $tracing/trace >theirs
ktrace report t | sed -n 's/.* probe:greet: arg2=\(.*\) arg3=\(.*\) di=[^ ]* \(".*"\)$/\1 \2 \3/p' >ours
check "values are the kernel's own" cmp ours theirs
check 'of all calls' [ "$(wc -l <ours)" = 50 ]
echo >$tracing/uprobe_events
rm -r t

run ktrace record -q -x ./prog -P deep -P 'deep%return' -g=user -o t -- ./prog
run ktrace report -g t
check 'each call is one frame deeper' [ "$(awk '
	/ probe:deep: *$/ { if (n) print n; n = 0; on = 1; next }
	/ probe:/ { on = 0 }
	on && /^	deep\+/ { n++ }' <<<"$out" | head -n 20 | xargs)" = "$(seq 1 20 | xargs)" ]
check 'up to main' [ "$(grep -c '^	main+' <<<"$out")" = 42 ]
rm -r t

# The kernel has the tables of these programs before they run, so it does not matter when the recorder
# hears of them; here it is stopped until then.
run ktrace record -q -x ./prog -P deep -g=user -o t -- \
	sh -c 'kill -STOP $PPID; ./prog; kill -CONT $PPID'
ends 0 'a probe in a program, and the recorder is stopped'
run ktrace report -g t
check 'the first stack is whole, too' [ "$(grep -c '^	main+' <<<"$out")" = 21 ]
rm -r t
cat >stop.c <<'END'
#include <signal.h>
#include <unistd.h>
/* In the place of libc's, for the recorder's child. */
int execvp(const char *file, char *const argv[])
{
	kill(getppid(), SIGSTOP);
	return execvpe(file, argv, environ);
}
END
cat >interpreter.c <<'END'
#include <signal.h>
#include <unistd.h>
int main(void)
{
	return kill(getppid(), SIGCONT);
}
END
gcc -D_GNU_SOURCE -shared -fPIC -o stop.so stop.c && gcc -O1 -o interpreter interpreter.c || exit 1
printf '#! %s\n' "$PWD/interpreter" >script
chmod +x script
run env PATH="$PWD:$PATH" LD_PRELOAD="$PWD/stop.so" \
	ktrace record -q -e syscalls:sys_enter_kill -g=user -o t -- script
ends 0 'a script is the command, and the recorder is stopped'
run ktrace report -g t
check 'its interpreter has a whole stack' grep -q '^	_start+.*(interpreter)' <<<"$out"
rm -r t

# ---- variables and lines, by debugging information ------------------------------------

cat >vars.c <<'END'
#include <stdio.h>
enum color { RED, GREEN = 5 };
struct inner { short a, b; };
struct point {
	int x, y;
	const char *label;
	enum color color;
	unsigned low : 3, high : 5;
	char name[12];
	struct inner inner[2];
	struct point *next;
};
static volatile int counter = 7;
static inline __attribute__((always_inline)) int twice(int number)
{
	return number * 2 + counter;
}
__attribute__((noipa)) static long work(struct point *p, const char *text, long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++) {
		sum += p->x * i;
		sum += twice(i);
		printf("%ld\n", sum);
	}
	return sum;
}
__attribute__((noipa)) static int other(int start)
{
	return twice(start) + 1;
}
int main(void)
{
	struct point q = {.x = -9}, p = {3, 2, "a label", GREEN, 5, 17, "inner", {{1, 2}, {3, -4}}, &q};
	long sum = work(&p, "text", 4);
	return sum + other(3) != 72;
}
END
for level in -O0 -O2; do
	gcc $level -g -o vars vars.c
	rm -rf t
	run ktrace record -q -x ./vars -P work -P 'ret=work%return' \
		-P 'all=work p->x p->label text p->name p->color p->low p->high second=p->inner[1].b p->next->x counter' \
		-P 'vars.c:22 i sum p->y' -P 'line=work:5 i sum' -P 'cast=other ((long)start):u8 same=start' -o t -- ./vars
	ends 0 "variables ($level)"
	run ktrace report t
	check "all parameters ($level)" grep -q ' probe:work: p=0x[0-9a-f]* text=0x[0-9a-f]* "text" n=4$' <<<"$out"
	check "what is returned, with its type ($level)" grep -q ' probe:ret: ret=58$' <<<"$out"
	check "members, bitfields, arrays, a global one ($level)" grep -q \
		' probe:all: x=3 label=0x[0-9a-f]* "a label" text=0x[0-9a-f]* "text" name=0x[0-9a-f]* "inner" color=GREEN low=5 high=17 second=-4 x_2=-9 counter=7$' <<<"$out"
	check "local variables at a line of the file ($level)" [ "$(sed -n 's/.* probe:vars_c_22: //p' <<<"$out" | xargs)" = \
		'i=0 sum=0 y=2 i=1 sum=7 y=2 i=2 sum=19 y=2 i=3 sum=36 y=2' ]
	check "and of the function ($level)" [ "$(grep -c ' probe:line: i=[0-3] sum=[0-9]*$' <<<"$out")" = 4 ]
	check "a cast ($level)" grep -q ' probe:cast: start=3 same=3$' <<<"$out"
	rm -r t
done
# Names of values: another unit has an enumeration of the same name, and so has the kernel.  Of two in
# one unit, nobody knows which is meant.
cat >enums.cc <<'END'
enum pid_type { MINE = 1, YOURS };
namespace a { enum class kind { A_ONE = 1 }; }
namespace b { enum class kind : short { B_ONE = 1, B_MINUS = -2 }; }
namespace c { enum class only : short { C_ONE = 1 }; }
typedef enum { T_TWO = 2 } two;
struct pair { enum pid_type own; two second; c::only third; };
extern "C" {
__attribute__((noipa)) int names(enum pid_type own, a::kind first, b::kind second, two third, const struct pair *pair)
{
	return own + int(first) + int(second) + third + pair->own;
}
int elsewhere(void);
}
int main()
{
	struct pair pair = {YOURS, T_TWO, c::only::C_ONE};
	names(MINE, a::kind::A_ONE, b::kind::B_MINUS, T_TWO, &pair);
	return names((enum pid_type)7, a::kind::A_ONE, b::kind::B_ONE, T_TWO, &pair) + elsewhere() != 14;
}
END
cat >elsewhere.c <<'END'
enum pid_type { THEIRS = 1 };
__attribute__((noipa)) static int named(enum pid_type own) { return own; }
int elsewhere(void) { return named(THEIRS); }
END
gcc -g -O1 -c elsewhere.c && g++ -g -O1 -o enums enums.cc elsewhere.o
run ktrace record -q -x ./enums -P 'names own first second third pair->own *pair' -P named -o t -- ./enums
ktrace report t | sed -n 's/.* probe:n/n/p' >ours
check 'values have the names of their own type' [ "$(cat ours)" = \
	'names: own=MINE first=1 second=-2 third=T_TWO own_2=YOURS own_3=YOURS second_2=T_TWO third_2=C_ONE
names: own=7 first=1 second=1 third=T_TWO own_2=YOURS own_3=YOURS second_2=T_TWO third_2=C_ONE
named: own=THEIRS' ]
rm -r t
# Names of files that strangers have made begin no line of ours.
cat >hostile.c <<'END'
enum type_with_a_name_of_40_characters_______ { FINE = 1 };
struct struct_with_a_name_of_40_characters_____ { int x; };
struct pair { int member_with_a_name_of_40_characters_____, other; };
__attribute__((noipa)) static int hostile(enum type_with_a_name_of_40_characters_______ own,
	struct struct_with_a_name_of_40_characters_____ *p, struct pair pair)
{
	return own + p->x + pair.member_with_a_name_of_40_characters_____;
}
int main(void)
{
	struct struct_with_a_name_of_40_characters_____ s = {2};
	struct pair pair = {3};
	return hostile(FINE, &s, pair) != 6;
}
END
gcc -g -O1 -o hostile hostile.c
perl -0777 -pi -e 's/(type|struct|member)_with_a_name_of_40_characters_+/my $t = "$1 y = di\nprobe\/evil \/bin\/sh:0x1; u8 u8 z = di;u8 u8"; substr($t . "_" x 80, 0, length $&)/ge' hostile
run ktrace record -q -x ./hostile -P 'hostile own p pair' -P 'all=hostile' -o t -- ./hostile
ends 0 'names with newlines'
check 'are no lines' [ "$(ktrace report t | sed -n 's/.* probe://p' | sed 's/=[^ ]*//g; s/member_[^ ]*/member/' | sort)" = \
	'all: own p member other
hostile: own p member other' ]
rm -r t
ktrace probe add -q -x ./hostile 'hostile own p pair'
check 'nor in the list of them' [ "$(grep -c . $tree/probes) $(grep -c '^probe/evil' $tree/probes)" = '1 0' ]
ktrace probe remove -q '*'

# Who records is not always who has made them.
ktrace probe add -q -x ./enums 'names own third' named
run ktrace record -q -e 'probe:*' -o t -- ./enums
check 'also if another process made the probe' [ "$(ktrace report t | sed -n 's/.* probe:n/n/p' | xargs)" = \
	'names: own=MINE third=T_TWO names: own=7 third=T_TWO named: own=THEIRS' ]
rm -r t
cp enums enums.old
cp enums.old enums
run ktrace record -q -e 'probe:*' -o t -- ./enums
ends 1 'another file of that name is not probed'
ktrace probe remove -q '*'
rm -rf t

# By the debugger: the same at the same line.
cat >commands <<'END'
set debuginfod enabled off
break vars.c:24
commands
silent
printf "i=%ld sum=%ld\n", i, sum
continue
end
run
END
gdb -q -batch -x commands ./vars 2>gdb.err | grep '^i=' >theirs || cat gdb.err
run ktrace record -q -x ./vars -P 'at=vars.c:24 i sum' -o t -- ./vars
ktrace report t | sed -n 's/.* probe:at: //p' >ours
check "the debugger sees the same" cmp ours theirs
check 'each time' [ "$(wc -l <ours)" = 4 ]
rm -r t
run ktrace record -q -x ./vars -P 'twice' -o t -- ./vars
check 'each place where a function was put' [ "$(ktrace report t | grep -c ' probe:twice\(_2\)*:')" = 5 ]
rm -r t
gcc -O0 -g -o plain vars.c
run ktrace record -q -x ./plain -P 'twice number' -o t -- ./plain
check 'with its own parameter' [ "$(ktrace report t | grep -c ' probe:twice\(_2\)*: number=[0-3]$')" = 5 ]
rm -r t
run ktrace record -q -x ./vars -P 'other start $params' -o t -- ./vars
check 'a variable, and all parameters' grep -q ' probe:other: start=3 start_2=3$' <<<"$(ktrace report t)"
rm -r t
run ktrace record -x ./vars -P 'vars.c:22 $arg1' -o t -- ./vars
ends 1 'a parameter by its number behind the beginning' 'only where the function begins'
run ktrace record -x ./vars -P 'vars.c:22 $params' -o t -- ./vars
ends 1 'or all of them' 'only where the function begins'
# Of what was put there, no instruction may be left.
sed 's/volatile int counter/int counter/' vars.c >folded.c
gcc -O2 -g -o folded folded.c
run ktrace record -q -x ./folded -P 'twice number' -o t -- ./folded
check 'the variable of what was put there, or none' [ -z "$(grep 'there is no variable' <<<"$err")" ]
rm -rf t
cat >class.cc <<'END'
struct Base { int x = 1; };
struct Derived : Base { int x = 2; int y = 3; };
__attribute__((noipa)) static int use(Derived *object) { return object->x + object->y; }
int main() { Derived object; return use(&object) != 5; }
END
g++ -O2 -g -o class class.cc
run ktrace record -q -x ./class -P 'use object->x object->y' -P 'plain=use' -o t -- ./class
run ktrace report t
check "a class's own member comes first" grep -q ' probe:use: x=2 y=3$' <<<"$out"
check 'without a name nothing is guessed of C++' grep -q ' probe:plain: *$' <<<"$out"
rm -r t
run ktrace record -x ./vars -P 'work nothing' -o t -- ./vars
ends 1 'no such variable' 'here, but p, text'
run ktrace record -x ./vars -P 'othr start' -o t -- ./vars
ends 1 'no such function, with debugging information' 'has no function'
run ktrace record -x ./vars -P 'vars.c:900' -o t -- ./vars
ends 1 'a line without code' 'line 900 has no code'
run ktrace record -x ./vars -P 'none.c:9' -o t -- ./vars
ends 1 'no such file' 'debugging information has no file'
run ktrace record -x ./prog -P 'prog.c:9' -o t -- ./prog
ends 1 'no debugging information' 'compile with -g'
gcc -O2 -g -gsplit-dwarf -o split vars.c
run ktrace record -x ./split -P 'vars.c:24' -o t -- ./split
ends 1 'debugging information in further files' 'without -gsplit-dwarf'
run ktrace record -x ./split -P 'other start' -o t -- ./split
ends 1 'a variable of it' "start'" 'in further files'
gcc -O2 -g -o vars vars.c
objcopy --only-keep-debug vars vars.debug
strip vars
objcopy --add-gnu-debuglink=vars.debug vars
run ktrace record -q -x ./vars -P 'other start' -P 'vars.c:24 i' -o t -- ./vars
ends 0 'a stripped program with its debug file'
check 'has its variables' [ "$(ktrace report t | grep -c ' probe:\(other: start=3\|vars_c_24: i=[0-3]\)$')" = 5 ]
rm -r t

# A 32-bit program has its arguments on the stack.
cat >old.c <<'END'
__attribute__((noipa)) static int add(int a, int b, const char *text) { return a + b + text[0]; }
__attribute__((force_align_arg_pointer)) void _start(void)
{
	int code = add(-7, 9, "a text") != 2 + 'a';

	__asm__ volatile("int $0x80" : : "a"(1), "b"(code));
	__builtin_unreachable();
}
END
gcc -m32 -O1 -ffreestanding -fno-pic -fno-stack-protector -nostdlib -static -no-pie -o old old.c
run ktrace record -q -x ./old -P 'add $arg1:s32 $arg2:s32 $arg3:string $stack2:s32' -P 'add%return $retval:s32' -o t -- ./old
ends 0 'a 32-bit program'
run ktrace report t
check 'its parameters' grep -q ' probe:add: arg1=-7 arg2=9 arg3=0x[0-9a-f]* "a text" stack2=9$' <<<"$out"
check 'and what it returns' grep -q ' probe:add_return: ret=99$' <<<"$out"
rm -r t

# ---- places -------------------------------------------------------------------------

run ktrace record -q -x ./prog -P 'leaf_middle=leaf+0xa %di -' -o t -- ./prog
ends 1 'an expression that is none' 'leaf'
second=$(objdump -d --no-show-raw-insn prog | awk '/<leaf_middle>:/ { getline; sub(":", "", $1); print $1 }')
begin=$(nm prog | awk '$3 == "leaf" { print $1 }')
offset=$((0x$second - 0x$begin))
run ktrace record -q -x ./prog -P "leaf+$offset %di:u64" -P "0x$second value=%di:u64" -o t -- ./prog
ends 0 'an instruction within, and its address'
check 'what lies below the stack is unharmed' grep -qx -- "$wanted" <<<"$out"
run ktrace report t
check 'both are hit' [ "$(grep -c ' probe:leaf_0x[0-9a-f]*\(_2\)*: \(di\|value\)=[012]$' <<<"$out")" = 6 ]
rm -r t
run ktrace record -x ./prog -P "leaf+$((offset - 1))" -o t -- ./prog
ends 1 'within an instruction' 'no instruction begins there'
check 'where one does' grep -q "leaf+0x5 and leaf+0x$(printf %x $offset)" <<<"$err"
check 'nothing is recorded' [ ! -e t ]
run ktrace record -x ./prog -P 'greet+4000' -o t -- ./prog
ends 1 'past the end' 'greet has'
run ktrace record -x ./prog -P 'gree' -o t -- ./prog
ends 1 'no such function' 'has no function'
check 'like which there is one' grep -q 'there is: greet' <<<"$err"
check 'none of the kernel is named' [ -z "$(grep 'Is it one of these' <<<"$err")" ]
run ktrace record -x ./prog -P 'greet who' -o t -- ./prog
ends 1 'a parameter of which nothing is known' 'not known'
run ktrace record -x ./prog -P 'usdt:x' -o t -- ./prog
ends 1 'no USDT probe' 'has no USDT probes'
run ktrace record -x ./prog.c -P 'main' -o t -- ./prog
ends 1 'what is no program' 'is no program'
run ktrace record -x ./nothing -P 'main' -o t -- ./prog
ends 1 'no file' 'No such file'
run ktrace record -x nothing -P 'main' -o t -- ./prog
ends 1 'no program of this name' 'say its path'
run ktrace record -x '' -P 'main' -o t -- ./prog
ends 2 'no file at all' '-x needs'
run ktrace record -x ./prog -e sched:sched_switch -o t -- ./prog
ends 2 '-x without -P' '-x is about the -P behind it'
run ktrace record -P /prog -o t -- ./prog
ends 1 'a file without a place' 'place is missing'

run ktrace record -q -x ./prog -P 'greet' -x kernel -P 'vfs_write' -o t -- ./prog
run ktrace report t
check 'the kernel again' [ "$(grep -c '^prog-.* probe:vfs_write: file=' <<<"$out")" = 1 ]
check 'beside the program' [ "$(grep -c '^prog-.* probe:greet:' <<<"$out")" = 3 ]
rm -r t

mkdir 'a dir;b:c'
cp prog 'a dir;b:c/pr=og'
run ktrace record -q -x 'a dir;b:c/pr=og' -P 'my:name=greet $arg2:u32' -o t -- 'a dir;b:c/pr=og'
ends 0 'a path with blanks and colons'
check 'it is hit' [ "$(ktrace report t | grep -c ' my:name: arg2=[012]$')" = 3 ]
rm -r t 'a dir;b:c'

# Two functions of a name.
cat >two.c <<'END'
__attribute__((noipa)) static int same(int n) { return n + 1; }
int other(int n) { return same(n); }
END
cat >one.c <<'END'
__attribute__((noipa)) static int same(int n) { return n; }
int other(int n);
int main(void) { return same(1) + other(2) != 4; }
END
gcc -O2 -o two one.c two.c
run ktrace record -x ./two -P 'same' -o t -- ./two
ends 1 'a name that two functions have' '2 functions are called'
one=$(sed -n 's/.*say the address of one, \(0x[0-9a-f]*\) .*/\1/p' <<<"$err")
run ktrace record -q -x ./two -P "$one" -o t -- ./two
check 'the address of one' [ "$(ktrace report t | grep -c ' probe:same:')" = 1 ]
rm -r t
run ktrace record -q -x ./two -P 's?me' -P 'oth*' -o t -- ./two
check 'wildcards mean both' [ "$(ktrace report t | sed -n 's/.* probe:\([^:]*\):.*/\1/p' | sort | xargs)" = \
	'other same same_2' ]
rm -r t
run ktrace record -q -x libc.so.6 -P 'strlen' -o t -- ./two
ends 1 'a function that only chooses' 'only chooses'

# What cannot be had everywhere is recorded where it can; of more texts than can be had, the addresses.
cat >many.c <<'END'
__attribute__((noipa)) int many_texts(const char *a, const char *b, const char *c, const char *d,
	const char *e, const char *f, const char *g, const char *h, const char *i, int last)
{
	return *a + *b + *c + *d + *e + *f + *g + *h + *i + last;
}
__attribute__((noipa)) int many_less(int number) { return number + 1; }
int many_locked(long *n);
__asm__(".globl many_locked\n.type many_locked, @function\nmany_locked: lock incq (%rdi)\n	ret\n"
	".size many_locked, .-many_locked\n");
int main(void)
{
	long n = 1;
	many_locked(&n);
	return many_texts("A", "B", "C", "D", "E", "F", "G", "H", "I", many_less(3)) != 625;
}
END
gcc -g -O2 -o many many.c
run ktrace record -x ./many -P 'many_*' -o t -- ./many
ends 0 'wildcards and parameters' "many_*': left out at 1 place, many_locked: the kernel can have no probe"
run ktrace report t
check 'eight texts, and the address of the ninth' [ "$(sed -n 's/.* probe:many_texts: //p' <<<"$out" |
	sed 's/0x[0-9a-f]*/X/g')" = 'a=X "A" b=X "B" c=X "C" d=X "D" e=X "E" f=X "F" g=X "G" h=X "H" i=X last=4' ]
check 'the other function' grep -q ' probe:many_less: number=3$' <<<"$out"
rm -r t
run ktrace record -x ./many -P 'x=many_* number' -o t -- ./many
ends 0 'a value that only some have' "number': left out at 2 places, as many_locked: the kernel"
check 'those have it, and the name' [ "$(ktrace report t | sed -n 's/.* probe://p')" = 'x: number=3' ]
rm -r t
run ktrace record -x ./many -P 'many_* nothing' -o t -- ./many
ends 1 'a value that none has' "many_texts: " "nothing"
run ktrace record -x ./many -P 'many_texts a b c d e f g h i' -o t -- ./many
ends 1 'a ninth text by name' 'a text must be among the first 8 values'

# ---- USDT ---------------------------------------------------------------------------

# As <sys/sdt.h> writes them, with each form of operand.
cat >usdt.c <<'END'
#include <stdint.h>
#include <stdio.h>

#define PROBE(name, semaphore, arguments)                                      \
	"990:	nop\n"                                                         \
	"	.pushsection .note.stapsdt,\"\",\"note\"\n"                    \
	"	.balign 4\n"                                                   \
	"	.4byte 992f-991f, 994f-993f, 3\n"                              \
	"991:	.asciz \"stapsdt\"\n"                                          \
	"992:	.balign 4\n"                                                   \
	"993:	.8byte 990b\n"                                                 \
	"	.8byte _.stapsdt.base\n"                                       \
	"	.8byte " semaphore "\n"                                        \
	"	.asciz \"forms\"\n"                                            \
	"	.asciz \"" name "\"\n"                                         \
	"	.asciz \"" arguments "\"\n"                                    \
	"994:	.balign 4\n"                                                   \
	"	.popsection\n"

__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

uint16_t wanted __attribute__((section(".probes")));
static const int64_t numbers[] = {100, -200, 300, -400};
static const char text[] = "a text";

long fire(const int64_t *array, long index);
__asm__(".globl fire\n.type fire, @function\n"
	"fire:\n"
	"	push %rbx\n"
	"	mov $0x1234567890abcdef, %rax\n"
	"	mov $-5, %r8d\n"
	"	lea text(%rip), %r9\n"
	"	push $77\n"
	PROBE("forms", "0",
	      "8@%rax -4@%eax 2@%ax 1@%al 1@%ah -4@%r8d 8@$42 -4@$-7 -8@(%rdi,%rsi,8) -8@8(%rdi) 8@(%rsp) 4@%xmm0 4@numbers(%rip) -8@-8(%rdi,%rsi,8)")
	PROBE("text", "wanted", "8@%r9 8@%r9")
	PROBE("text", "wanted", "8@%rdi 8@%r9")
	PROBE("bare", "0", "")
	"	pop %rbx\n	pop %rbx\n"
	"	ret\n"
	".size fire, .-fire\n");

int main(void)
{
	fire(numbers, 2);
	printf("%d %s\n", *(volatile uint16_t *)&wanted, text + 2);
	return 0;
}
END
gcc -O2 -o usdt usdt.c
run ktrace list -x ./usdt 'usdt:*'
check 'they are listed' [ "$(xargs <<<"$out")" = 'usdt:forms:forms usdt:forms:text usdt:forms:text usdt:forms:bare' ]
run ktrace record -q -x ./usdt -P 'usdt:forms:forms' -o t -- ./usdt
run ktrace report t
check 'all forms of operands' grep -q \
	' probe:forms: arg1=0x1234567890abcdef arg2=-1867788817 arg3=52719 arg4=239 arg5=205 arg6=-5 arg7=0x2a arg8=-7 arg9=300 arg10=-200 arg11=0x4d$' <<<"$out"
rm -r t
run ktrace record -q -x ./usdt -P 'usdt:forms one=$arg14 $arg11:u64' -P 'usdt:text $arg2:string' -P 'usdt:*:bare' -o t -- ./usdt
check 'the semaphore is raised, for each place' grep -qx '2 text' <<<"$out"
check 'and lowered' [ "$(./usdt)" = '0 text' ]
run ktrace report t
check 'arguments that are chosen' grep -q ' probe:forms: one=-200 arg11=77$' <<<"$out"
check 'a probe that is in two places' [ "$(grep -c ' probe:text\(_2\)*: arg2=0x[0-9a-f]* "a text"$' <<<"$out")" = 2 ]
check 'one without arguments' grep -q ' probe:bare: *$' <<<"$out"
rm -r t
for bad in '$arg12:a register' '$arg13:an address' '$arg15:only 14' 'x:no names'; do
	run ktrace record -x ./usdt -P "usdt:forms ${bad%:*}" -o t -- ./usdt
	ends 1 "what a probe cannot read: ${bad%:*}" "$(sed 's/.*://; s/^an* //; s/only 14/only 14/' <<<"$bad")"
done
run ktrace record -x ./usdt -P 'usdt:nothing' -o t -- ./usdt
ends 1 'no such probe' 'there is: forms:forms forms:text'

# Names of a file are what its author wants them to be: they become no place, and no command of a terminal.
cat >evil.c <<'END'
__attribute__((noipa)) int evil(int n) { return n + 1; }
int main(void) { return evil(1) != 2; }
END
gcc -O2 -c evil.c
objcopy --redefine-sym "evil=evil:0x1000(0x2000)%return;$(printf '\033')" evil.o
gcc -o evil evil.o
run ktrace list -x ./evil 'evil*'
check 'a name is shown without control characters' grep -qxF 'evil:0x1000(0x2000)%return;\x1b' <<<"$out"
run ktrace record -q -x ./evil -P 'evil* $arg1:s32' -o t -- ./evil
check 'it is only a name' [ "$(ktrace report t | grep -c ' probe:evil_0x1000_0x2000__return__: arg1=1$')" = 1 ]
rm -r t
# Text at an address of the kernel.
cat >kernel.c <<'END'
#include <stdlib.h>
__attribute__((noipa)) void text(const char *text) { __asm__ volatile("" : : "r"(text)); }
int main(int argc, char **argv) { text((const char *)strtoul(argv[1], NULL, 16)); text("mine"); }
END
gcc -O2 -o kernel kernel.c
run ktrace record -q -x ./kernel -P 'text $arg1:string' -o t -- ./kernel "$(awk '$3 == "linux_banner" { print $1 }' /proc/kallsyms)"
run ktrace report t
check 'a program cannot have the kernel read' [ "$(grep -c ' probe:text: .*Linux version' <<<"$out") $(grep -c ' "mine"$' <<<"$out")" = '0 1' ]
rm -r t
# An instruction that the kernel cannot probe is told beforehand: the program does not run.
cat >locked.c <<'END'
long locked(long *n);
__asm__(".globl locked\n.type locked, @function\nlocked: lock incq (%rdi)\n	ret\n.size locked, .-locked\n");
int main(void) { long n = 1; locked(&n); return n != 2; }
END
gcc -O2 -o locked locked.c
run ktrace probe check -x ./locked locked
ends 1 'an instruction that is not probed' 'can have no probe on this instruction'
check 'the code there is shown' grep -q '^       > +0x0  *f0 48 ff 07 ' <<<"$err"
check 'and where one can be' grep -qx '        One can be at locked+0x4\.' <<<"$err"
run ktrace record -x ./locked -P 'lock*' -o t -- ./locked
ends 1 'nor with wildcards' 'on the first instruction of 1 functions'
run ktrace probe list -x ./locked
ends 2 '-x of what makes none' '-x is for add, check and explain'

# ---- processes ----------------------------------------------------------------------

cat >sleeper.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noipa)) void tick(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv) { for (int i = 0; ; i++) { tick(atoi(argv[1])); usleep(10000); } }
END
gcc -O2 -o sleeper sleeper.c
./sleeper 1 & one=$!
./sleeper 2 & two=$!
run ktrace record -q -x ./sleeper -P 'tick $arg1:u32' -p $one -d 1 -o t
run ktrace report t
check 'the process that is wanted' [ "$(grep -c ' probe:tick: arg1=1$' <<<"$out")" -gt 5 ]
check 'no other' [ -z "$(grep ' probe:tick: arg1=2$' <<<"$out")" ]
rm -r t
# Two processes hit it, one of them is recorded.
ktrace record -q -x ./sleeper -P 'tick $arg1:u32' -p $one -o t & recorder=$!
ticks() { cat $tree/probed $tree/sessions/*/probed 2>/dev/null | sed -n 's/^probe:tick .* hits \([0-9]*\) .*/\1/p'; }
for _ in $(seq 600); do
	[ "$(ticks)0" -gt 500 ] && break
	sleep 0.1
done
kill -STOP $one $two
for _ in $(seq 100); do
	[ "$(grep -c '^State:.T' /proc/$one/status /proc/$two/status | grep -c ':1$')" = 2 ] && break
	sleep 0.1
done
hits=$(ticks)
kill -INT $recorder
wait $recorder
kill -CONT $one $two
recorded=$(ktrace report -q t | grep -c ' probe:tick: ')
check 'both are hits of the probe' [ "$recorded" -lt "$hits" ]
check 'as often' [ "$recorded" -gt $((hits / 3)) ]
rm -r t
run ktrace record -q -x ./sleeper -P 'tick $arg1:u32' -d 1 -o t
run ktrace report t
check 'all processes' [ "$(grep -o ' probe:tick: arg1=.*' <<<"$out" | sort -u | xargs)" = \
	'probe:tick: arg1=1 probe:tick: arg1=2' ]
rm -r t
# A recorder that is killed leaves nothing.
ktrace record -q -x ./sleeper -P 'tick $arg1:u32' -o t &
recorder=$!
while ! grep -q tick $tree/probes 2>/dev/null; do sleep 0.1; done
until cat $tree/probed $tree/sessions/*/probed 2>/dev/null | grep -q tick; do sleep 0.1; done
run ktrace probe list -v
check 'list -v says how it is armed' grep -q "^probe:tick  $PWD/sleeper:tick  arg1=(di)  \[breakpoint; [0-9]* hits*\]  \[of a recorder\]$" <<<"$out"
run ktrace probe list -j
check 'and JSON what is missed' [ "$(python3 -c 'import json, sys; p, = json.load(sys.stdin); print(p["armed"], *p["missed"].items())' <<<"$out")" = \
	"breakpoint ('nested', 0) ('open', 0) ('idle', 0)" ]
kill -9 $recorder
wait $recorder 2>/dev/null
while [ -n "$(cat $tree/probes)" ]; do sleep 0.1; done
check 'after SIGKILL no probe is left' [ -z "$(cat $tree/probes)" ]
check 'programs run on' kill -0 $one $two
kill $one $two
rm -rf t

# A process with another root: the file of this path that it means.  Links there lead to what is there.
gcc -O2 -static -o static sleeper.c
mkdir -p root/usr/bin
cp static root/usr/bin/sleeper-real
ln -s /usr/bin root/bin
ln -s /bin/sleeper-real root/usr/bin/sleeper-inside
chroot root /bin/sleeper-inside 3 & one=$!
until grep -q sleeper /proc/$one/comm; do sleep 0.1; done
run ktrace record -q -x /bin/sleeper-inside -P 'tick $arg1:u32' -p $one -d 1 -o t
ends 0 "a path of the process's root"
check 'which is hit' [ "$(ktrace report t | grep -c ' probe:tick: arg1=3$')" -gt 5 ]
rm -r t
run ktrace record -q -x sleeper-inside -P 'tick $arg1:u32' -p $one -d 1 -o t
ends 0 'a name there'
rm -r t
run ktrace list -p $one -x sleeper-inside tick
check 'its functions' [ "$out" = tick ]
run ktrace record -q -x ./sleeper -P 'tick' -p $one -d 1 -o t
ends 1 'what is not in it' 'in the root of the process'
kill $one

# The same in mounts of its own, where a file lies on another one.
mkdir over
unshare -m sh -c 'mount --bind root over && mount --bind static root/usr/bin/sleeper-real && exec chroot root /bin/sleeper-inside 4' & one=$!
until grep -q sleeper /proc/$one/comm; do sleep 0.1; done
run ktrace record -q -x /usr/bin/sleeper-real -P 'tick $arg1:u32' -p $one -d 1 -o t
ends 0 'a path of its mounts'
check 'which is hit, too' [ "$(ktrace report t | grep -c ' probe:tick: arg1=4$')" -gt 5 ]
kill $one
rm -r t

# A file that is replaced: who runs the old one is still probed.
cp sleeper old
./old 5 & one=$!
until grep -q old /proc/$one/comm; do sleep 0.1; done
run ktrace probe add -q -x ./old 'tick $arg1:u32'
cp sleeper new && mv new old
./old 6 & two=$!
run ktrace record -q -e probe:tick -d 1 -o t
check 'the old file, not the new one' [ "$(ktrace report t | grep -o ' probe:tick: arg1=.*' | sort -u | xargs)" = 'probe:tick: arg1=5' ]
rm -r t
kill $one $two
run ktrace probe remove '*'

# ---- ktrace probe, ktrace list ------------------------------------------------------

run ktrace probe add -x ./prog 'greet $arg2:s32' 'middle=leaf+'$offset
ends 0 'add' 'probe:greet is at /mnt/program_probe/prog:greet'
run ktrace probe list
check 'list' [ "$out" = "probe:greet  $PWD/prog:greet  arg2
probe:middle  $PWD/prog:leaf+0x$(printf %x $offset) " ]
run ktrace record -q -e 'probe:*' -o t -- ./prog
check 'they are recorded as others are' [ "$(ktrace report t | grep -c ' probe:\(greet: arg2=\|middle:\)')" = 6 ]
rm -r t
run ktrace probe remove '*'
ends 0 'remove' '2 probes removed'
run ktrace probe check -x ./prog 'greet $arg1:string'
check 'check says what it costs' grep -q "^$PWD/prog:greet: arg1  an exception at each hit" <<<"$out"
run ktrace probe explain -x ./prog 'greet who=$arg1:string'
check 'explain says what would be recorded' grep -qx \
	'    who: u64, shown as string: %di, the text at that address in the program' <<<"$out"
run ktrace list -x ./prog 'gr*' 'leaf*'
check 'functions are listed' [ "$(xargs <<<"$out")" = 'leaf greet' ] || echo "# $out"
run ktrace list -x ./prog -v 'greet'
check 'with addresses' grep -q "^greet  $(sed 's/0x0*/0x/' <<<"$at")  [0-9]* bytes$" <<<"$out"
run ktrace list -x ./prog -j 'greet'
check 'as JSON' [ "$(python3 -c 'import json, sys; p, = json.load(sys.stdin); print(p["name"], p["address"])' <<<"$out")" = \
	"greet $((at))" ]
run ktrace list -x ./prog 'nothing'
ends 1 'list: none' 'no function or USDT probe'

finish_vm program_probe.sh
