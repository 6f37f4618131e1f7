# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# program_values.sh - values of variables that armed probes record, at many places of programs, are
# those that the debugger prints there, hit by hit
# One kernel is enough.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
tests=$(realpath "$(dirname "$0")/../../probe")
words=$(realpath build/user/tests/probe/probe-words)
mkdir -p /mnt/program_values && cd /mnt/program_values || exit 1
places=0
hits=0

# The values that can be asked for at an address, by debug information, up to eight: those of the
# variables that `ktrace probe explain' names there, and of what they point to. A name that means two
# variables, because one function was put into another, is not asked for.
cat >choose.awk <<'END_AWK'
FNR == NR { there[$1 " " $2]; next }
$1 != "value" || !($2 " " $3 in there) { next }
{
	key = $2 " " $3 " " $4
	what = $0
	sub(/^([^ ]+ ){5}/, "", what)
	if (key in said && said[key] != what)
		two[$2 " " $3]
	if (key in said)
		next
	said[key] = what
	keys[++nr] = key
}
END {
	for (i = 1; i <= nr; i++) {
		split(keys[i], k, " ")
		if ((k[1] " " k[2]) in two || n[k[1]] == 8)
			continue
		print k[1], n[k[1]]++, k[2], k[3]
	}
}
END_AWK

# Numbers are compared as they are, but for what shows as a name: the debugger knows its number.
cat >compare.py <<'END_PYTHON'
import collections
import json
import sys

wanted = {}
for line in open('chosen'):
    address, number, name, path = line.split()
    wanted[address, name, path] = 'v' + number

theirs = collections.defaultdict(list)
for line in open('theirs'):
    address, name, path, value = line.split()
    if (address, name, path) in wanted:
        theirs[address, name, path].append(value)

ours = collections.defaultdict(list)
for line in open('ours'):
    event = json.loads(line)
    ours[event['event']].append(event['fields'])

# as the debugger knows them
NAMES = {'RED': -1, 'GREEN': 0, 'BLUE': 200, 'FEW': 1, 'MANY': 0x100000000}


def plain(value):
    if value is None:
        return 'unread'
    if isinstance(value, str):
        value = NAMES[value] if value in NAMES else int(value, 0)
    return int(value) & (1 << 64) - 1


same = wrong = 0
for key, field in wanted.items():
    hits = ours['probe:p' + key[0]]
    # One place may have several lines in the debugger's list.
    values = theirs[key]
    if not hits or len(values) % len(hits) or (values and len(values) < len(hits)):
        print('# %s: %d hits, %d in the debugger' % (' '.join(key), len(hits), len(values)))
        wrong += 1
        continue
    times = len(values) // len(hits)
    for i, hit in enumerate(hits):
        said = values[i * times]
        said = said if said == 'unread' else int(said) & (1 << 64) - 1
        if plain(hit[field]) == said:
            same += 1
        else:
            print('# %s, hit %d: %s, in the debugger %s' % (' '.join(key), i, hit[field], said))
            wrong += 1
print(same, wrong, sum(1 for p in {k[0] for k in wanted} if ours['probe:p' + p]), sum(map(len, ours.values())))
END_PYTHON

compare()	# LEAST SOURCE COMPILER OPTION...
{
	local least=$1 source=$2 probes=() address number name path line
	shift 2
	"$@" -w -g "$tests/$source" -o program
	# shellcheck disable=SC2046
	(cd "$tests" && "$words" -a /mnt/program_values/program \
		$(sed -n 's/^\(__attr.*\|static.*\)[ *]\([a-z_]*\)(.*/\2/p' "$source" | grep -v attr) \
		$(grep -n 'sink =\|return\|sum\|hash\|part\|area' "$source" | sed "s/:.*//; s/^/$source:/")) >words
	# shellcheck disable=SC2046
	ktrace probe explain -j -x ./program $(awk '$1 == "value" { print $2 }' words | sort -u) |
		jq -r '.[] | .address as $a | .variables[] |
			select(.where != null and (.global | not)) | "\($a) \(.name)"' >names
	awk -f choose.awk names words >chosen
	line=
	while read -r address number name path; do
		[ "$number" != 0 ] || { [ -z "$line" ] || probes+=(-P "$line"); line="p$address=$address"; }
		[ "$path" != - ] || path=
		line+=" v$number=$name$path"
	done <chosen
	[ -z "$line" ] || probes+=(-P "$line")
	rm -rf t
	# The same addresses of variables as in the debugger: the same arguments, and an empty environment.
	run ktrace record -q -x ./program "${probes[@]}" -o t -- setarch -R env -i "$PWD/program"
	ends 0 "$* $source: $((${#probes[@]} / 2)) places have probes"
	ktrace report -F json t >ours
	rm -f theirs
	WORDS=$PWD/words VALUES=$PWD/theirs gdb -nx -batch -ex 'set confirm off' -ex 'unset environment' \
		-x "$tests/judge.py" "$PWD/program" >log 2>&1
	out=$(python3 compare.py 2>&1 || cat log; echo 0 0 0 0)
	read -r same wrong there of_ours <<<"$(grep -m 1 '^[0-9 ]*$' <<<"$out")"
	check "$* $source: $same values are the debugger's, $wrong are not" [ "$same" -ge "$least" -a "$wrong" = 0 ]
	places=$((places + there))
	hits=$((hits + of_ours))
}

run ktrace load
compare 250 sample.c gcc -O2
compare 250 sample.c gcc -O1
compare 50 sample.cc g++ -O2
echo "# $places places, $hits hits"
check 'there are many places' [ "$places" -ge 100 ]

finish_vm program_values.sh
