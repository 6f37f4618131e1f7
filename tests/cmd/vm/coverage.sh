# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# coverage.sh - ktrace branch --coverage: the lines that have run are those that gcov counts
# One kernel is enough: what is traced is tested by tests/kernel.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/coverage/other && cd /mnt/coverage || exit 1

cat >swap.h <<'END'
static inline void swap(int *a, int *b)
{
	int c = *a;

	*a = *b;
	*b = c;
	if (c == 123456)
		*a = 7;
}
END
cat >sort.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "swap.h"

static jmp_buf back;
static volatile sig_atomic_t signals;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void handle(int number)
{
	if (number == SIGUSR1)
		signals++;
	else
		signals = 100;
}

static int classify(int x)
{
	switch (x % 5) {
	case 0:
		return 1;
	case 1:
		return 2;
	case 7:
		return 3;
	default:
		break;
	}
	if (x > 1000) {
		x = 0;
		return x;
	}
	return 4;
}

static void never(void)
{
	puts("never");
}

static void leap(int n)
{
	if (n)
		leap(n - 1);
	longjmp(back, 1);
	never();
}

int main(int argc, char **argv)
{
	int numbers[20], sum = 0;

	signal(SIGUSR1, handle);
	for (int i = 0; i < 20; i++)
		numbers[i] = i * 7 % 20;
	qsort(numbers, 20, sizeof(int), compare);
	for (int i = 0; i < 20; i++) {
		if (numbers[i] % 2 && argc > 5)
			never();
		sum += classify(numbers[i]);
		swap(&numbers[i], &sum);
	}
	raise(SIGUSR1);
	if (!setjmp(back))
		leap(5);
	else
		sum++;
	while (sum > 1000000)
		never();
	return sum == 12345;
}
END
gcc -O0 -g --coverage -o counted sort.c && ./counted && gcov -o . counted-sort.c >gcov.log
gcc -O0 -g -o sort sort.c

# lines FILE SOURCE: of a trace file, as "LINE COUNT"
lines()
{
	awk -F'[:,]' -v file="$2" '$1 == "SF" { on = $2 ~ "/" file "$" } on && $1 == "DA" { print $2, $3 }' "$1"
}

# counts SOURCE: the same of what gcov has written
counts()
{
	awk -F: '{ gsub(/[ *]/, "", $1); n = $2 + 0; if ($1 != "-" && n) print n, ($1 ~ /^#/ ? 0 : $1) }' "$1.gcov"
}

run ktrace branch --coverage sort.info -- ./sort
ends 0 'it runs' 'genhtml -o html sort.info'
check 'for genhtml' [ "$(grep -c '^TN:$' sort.info) $(grep -c '^end_of_record$' sort.info)" = \
	"$(grep -c '^SF:/' sort.info) $(grep -c '^SF:/' sort.info)" ]
for source in sort.c swap.h; do
	lines sort.info $source | sort >ours
	counts $source | sort >theirs
	join ours theirs >joined
	echo "# $source: $(wc -l <ours) lines, gcov $(wc -l <theirs), both $(wc -l <joined)"
	# Labels have no code of their own; a function begins at its brace, and not at its name.
	check "$source: all lines that gcov knows" [ "$(join -v2 ours theirs | while read -r line count; do
		sed -n "${line}p" $source | grep -q 'case\|default' ||
			sed -n "$((line + 1))p" $source | grep -q '^{' || echo "$line"; done)" = '' ]
	check "$source: those that have run are those that gcov says" \
		[ "$(awk '($2 > 0) != ($3 > 0)' joined)" = '' ]
	# setjmp() returns twice, which gcov does not count.
	check "$source: as often" [ "$(awk '$2 != $3 { print $1 }' joined | while read -r line; do
		sed -n "${line}p" $source; done | grep -v setjmp)" = '' ]
done
check 'lines that have not run are there, too' [ "$(lines sort.info sort.c | grep -c ' 0$')" -ge 8 ]
check 'sums of them' [ "$(awk -F'[:,]' '/^SF/ { n = h = 0 } /^DA/ { n++; h += $3 > 0 } /^LF/ { bad += $2 != n }
	/^LH/ { bad += $2 != h } END { print bad + 0 }' sort.info)" = 0 ]
check 'no source that is not here' [ "$(grep '^SF:' sort.info | cut -c4- | xargs -d '\n' ls 2>&1 >/dev/null)" = '' ]

# ---- optimized, and other programs --------------------------------------------------

gcc -O2 -g -o fast sort.c
run ktrace branch --coverage fast.info -- ./fast
lines fast.info sort.c | sort >ours
counts sort.c | sort >theirs
join ours theirs >joined
# The compiler may move a piece of a line to where it always runs.
check 'optimized: what has not run is not said to have run' \
	[ "$(awk '$2 > 0 && $3 == 0' joined | wc -l)" -le 1 ]
check 'and most of what has run is said to' [ "$(awk '$2 > 0 && $3 > 0' joined | wc -l)" -ge 15 ]
(cd other && gcc -O0 -g -o ../elsewhere ../sort.c)
run ktrace branch --coverage both.info -- sh -c './sort; ./elsewhere'
check 'two programs of the same source are one record' [ "$(grep -c '^SF:.*sort.c$' both.info)" = 1 ]
lines sort.info sort.c | awk '{ print $1, $2 * 2 }' >doubled
check 'and add up' [ "$(lines both.info sort.c)" = "$(cat doubled)" ]
gcc -O0 -g -o relative -fdebug-prefix-map="$PWD=." sort.c
run ktrace branch --coverage relative.info -- ./relative
check 'a source that is nowhere is left out' [ "$(grep -c 'sort.c$' relative.info)" = 0 ]
# One row for each line, with calls amid, and a check of the stack behind main().
gcc -O0 -g -gno-column-info -fstack-protector-all -o rows sort.c
run ktrace branch --coverage rows.info -- ./rows
lines rows.info sort.c | sort >ours
counts sort.c | sort >theirs
check 'a call amid a row does not count twice' [ "$(join ours theirs | awk '$2 > $3 { print $1 }' | while read -r line; do
	sed -n "${line}p" sort.c; done | grep -v setjmp)" = '' ]
strip -o stripped sort
run ktrace branch --coverage stripped.info -- ./stripped
check 'a program without -g has no lines' [ "$(grep -c 'sort.c$' stripped.info)" = 0 ]
check 'and is told why' grep -q 'was the program compiled with -g' <<<"$err"
run ktrace branch -s 4K --coverage short.info -- ./sort
check 'what was overwritten is said' grep -q 'were overwritten: what ran before may be missing' <<<"$err"

# ---- what is refused ----------------------------------------------------------------

for option in --flat --calls '-n 5' '-F json'; do
	run ktrace branch --coverage x.info $option -- ./sort
	ends 2 "with $option" '--coverage is about all branches'
done
run ktrace branch --coverage /nowhere/x -- touch has_run
ends 1 'a folder that is not there' '/nowhere/x: No such file'
check 'before anything runs' [ ! -e has_run ]
run ktrace branch --coverage /dev/full -- ./sort
ends 1 'no space' '/dev/full: '
run ktrace branch --coverage '' -- ./sort
ends 2 'no name' 'needs the name of a file'

finish_vm coverage.sh
