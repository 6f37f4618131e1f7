# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# lib.sh - for tests of analyses: SCRIPT KTRACE ANALYSE-MAKE ... has sourced this, with $here

. "$here/../cmd/check.sh"
ktrace=$(realpath "$1")
make=$(realpath "$2")
PATH=$(dirname "$ktrace"):$PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export PYTHONDONTWRITEBYTECODE=1

not()	# COMMAND...
{
	! "$@"
}

# Makes the trace t of a script on standard input.
trace()
{
	rm -rf t && mkdir t && "$make" t || not_ok 'a trace is made'
}

# What the JSON of the last run has: an expression of python, in which d is the object.
is()	# WHAT EXPRESSION VALUE
{
	local got
	got=$(printf '%s\n' "$out" | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$2" 2>&1)
	check "$1 ($got)" [ "$got" = "$3" ]
}

# Only lines of these events are left in the metadata, as if no others had been enabled.
only()	# SYSTEM:NAME...
{
	python3 - "$@" <<-'END'
	import json, sys
	lines = open("t/metadata").read().splitlines()
	with open("t/metadata", "w") as f:
	    for line in lines:
	        o = json.loads(line)
	        if o["type"] != "event" or o["system"] + ":" + o["name"] in sys.argv[1:]:
	            print(line, file=f)
	END
}
