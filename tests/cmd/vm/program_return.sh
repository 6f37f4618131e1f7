# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# program_return.sh - record -x FILE -P 'FUNCTION%return': programs that look at return addresses, or
# do not return; the programs themselves say what is right
# One kernel is enough: tests/kernel/program_probes.sh asks each kernel.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/program_return && cd /mnt/program_return || exit 1

# What Go has made, by its note: there a return address must stay as it is, so the instructions that
# return are probed.
cat >go.c <<'END'
#include <stdio.h>
__asm__(".pushsection .note.go.buildid,\"a\",\"note\"\n.4byte 0, 0, 0\n.popsection");
long choose(long number);
__asm__(".globl choose\n.type choose, @function\n"
	"choose:\n"
	"	mov %rdi, %rax\n	test $1, %dil\n	je 1f\n"
	"	neg %rax\n	ret\n"
	"1:	add $1000, %rax\n	ret\n"
	".size choose, .-choose\n");
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 10; i++)
		sum += choose(i);
	printf("%ld\n", sum);
	return 0;
}
END
gcc -O2 -o go go.c
run ktrace record -q -x ./go -P 'back=choose%return $retval:s64' -P 'choose %di:s64' -o t -- ./go
check 'a program of Go goes on' grep -qx "$(./go)" <<<"$out"
run ktrace report t
check 'each of its returns is recorded' [ "$(sed -n 's/.* probe:back\(_2\)*: ret=//p' <<<"$out" | xargs)" = \
	'1000 -1 1002 -3 1004 -5 1006 -7 1008 -9' ]
check 'where it happens' [ "$(grep -c ' probe:back_2: ' <<<"$out")" = 5 ]
check 'the first argument is in another register' grep -q ' arg1=(ax)' <<<"$(
	ktrace probe add -q -x ./go 'choose $arg1'; ktrace probe list -v; ktrace probe remove -q '*')"
rm -r t
run ktrace probe check -x ./go 'choose%return'
check 'check shows each place' [ "$(grep -c "^$PWD/go:choose+0x[0-9a-f]*:" <<<"$out")" = 2 ]

# Calls that do not return, or by the return of another one.
cat >jump.c <<'END'
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;

__attribute__((noinline)) int leave(int number)
{
	if (number > 2)
		longjmp(out, number);
	return number;
}

__attribute__((noinline)) int tail(int number)
{
	return leave(number);
}

int main(void)
{
	volatile int sum = 0;

	for (volatile int i = 0; i < 6; i++) {
		int number = setjmp(out);

		sum += number ? 100 * number : tail(i);
	}
	printf("%d\n", sum);
	return 0;
}
END
gcc -O2 -o jump jump.c
run ktrace record -q -x ./jump -P 'leave%return $retval:s32' -P 'tail%return $retval:s32' -o t -- ./jump
check 'a program that jumps out of calls goes on' [ "$status $out" = '0 1203' ]
run ktrace report t
check 'calls that return are recorded' [ "$(sed -n 's/.* probe:leave_return: ret=//p' <<<"$out" | xargs)" = '0 1 2' ]
check 'also those that end in another one' [ "$(sed -n 's/.* probe:tail_return: ret=//p' <<<"$out" | xargs)" = '0 1 2' ]
rm -r t

# An exception ends the program where a return address is not its own.
cat >throw.cc <<'END'
#include <cstdio>
#include <stdexcept>

__attribute__((noinline)) int risky(int number)
{
	if (number % 2)
		throw std::runtime_error("odd");
	return number;
}

__attribute__((noinline)) int middle(int number)
{
	return risky(number) + 1;
}

__attribute__((noipa)) int half(int number)
{
	return number > 1000 ? middle(number) : 7;
}

int main()
{
	int sum = 0;

	for (int i = 0; i < 6; i++)
		try {
			sum += half(i) + middle(i);
		} catch (std::exception &) {
			sum += 100;
		}
	printf("%d\n", sum);
}
END
g++ -O2 -o throw throw.cc
run ktrace record -q -x ./throw -P 'back=_Z5riskyi%return $retval:s32' -P 'mid=_Z6middlei%return $retval:s32' -o t -- ./throw
check 'exceptions pass probes at returns' [ "$status $out" = "0 $(./throw)" ]
run ktrace report t
check 'of calls that return' [ "$(sed -n 's/.* probe:back\(_[0-9]*\)*: ret=//p' <<<"$out" | xargs)" = '0 2 4' ]
check 'and of those around them' [ "$(sed -n 's/.* probe:mid\(_[0-9]*\)*: ret=//p' <<<"$out" | xargs)" = '1 3 5' ]
rm -r t

run ktrace record -x ./throw -P 'half=_Z4halfi%return $retval:s32' -o t -- ./throw
check 'calls that would end in another one are said to be left out' \
	grep -qF 'not recorded, which may be in 1 function, that of' <<<"$err"
run ktrace report t
check 'the others are recorded' [ "$(grep -c 'probe:half: ret=7$' <<<"$out")" = 6 ]
rm -r t

# However they are said, and beside what never returns, which has a part of its own.
g++ -O2 -g -o throw_g throw.cc
address=$(nm throw_g | sed -n 's/ T _Z5riskyi$//p')
run ktrace record -x ./throw_g -P 'name=risky%return $retval:s32' -P "at=0x$address%return \$retval:s32" \
	-P 'wild=_Z5risky*%return $retval:s32' -o t -- ./throw_g
check 'nor does an exception meet those of names of the source, addresses and wildcards' \
	[ "$status $out" = "0 $(./throw)" ]
check 'a part that never returns is left out' \
	grep -qF 'left out at 1 place, _Z5riskyi.cold: _Z5riskyi.cold has no instruction' <<<"$err"
run ktrace report t
for name in name at wild; do
	check "returns of $name are recorded" \
		[ "$(sed -n "s/.* probe:$name\(_[0-9]*\)*: ret=//p" <<<"$out" | xargs)" = '0 2 4' ]
done
rm -r t throw_g

finish_vm program_return.sh
