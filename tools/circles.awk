# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# circles.awk - finds files that need each other in a circle
#
#   awk -f tools/circles.awk FILE...
#
# A file needs another one if it includes it, or if it calls a function that only the other
# one defines. Functions are recognised by the project's style: a definition begins in the
# first column. Only calls within one top folder count: core calls functions of its world
# (core/env.h), which each world defines. Prints the files of each circle, and why they need
# each other.

function normal(path) {
	while (sub(/(^|\/)\.\//, "/", path))
		;
	while (match(path, /[^\/]+\/\.\.\//))
		path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
	return path
}

function folder_of(path) {
	return match(path, /.*\//) ? substr(path, 1, RLENGTH) : ""
}

function top_of(path) {
	sub(/\/.*/, "", path)
	return path
}

# Where an include leads: beside the file, from the top folder, or in core.
function target_of(file, name,	path, top) {
	path = normal(folder_of(file) name)
	if (path in known)
		return path
	top = top_of(file) "/"
	if ((top name) in known)
		return top name
	return ("core/" name) in known ? "core/" name : ""
}

function tie(from, to, by) {
	if (from == to || ((from, to) in tied))
		return
	tied[from, to] = by
	needs[from] = needs[from] " " to
}

# Removes comments, strings and characters; `inside' tells if a comment is still open.
function bare(line,	out, at) {
	out = ""
	while (line != "") {
		if (inside) {
			at = index(line, "*/")
			if (!at)
				return out
			line = substr(line, at + 2)
			inside = 0
			continue
		}
		if (!match(line, /\/\*|\/\/|"|'/))
			return out line
		out = out substr(line, 1, RSTART - 1)
		at = substr(line, RSTART, 2)
		if (at == "/*") {
			inside = 1
			line = substr(line, RSTART + 2)
		} else if (at == "//") {
			return out
		} else {
			at = substr(at, 1, 1)
			line = substr(line, RSTART + 1)
			while (line != "" && substr(line, 1, 1) != at)
				line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
			line = substr(line, 2)
			out = out " "
		}
	}
	return out
}

# Depth-first search (Tarjan's algorithm): files that reach each other are one circle.
function visit(file,	list, n, i, other, members) {
	number[file] = low[file] = ++visited
	stack[++height] = file
	waiting[file] = 1
	n = split(needs[file], list, " ")
	for (i = 1; i <= n; i++) {
		other = list[i]
		if (!(other in number)) {
			visit(other)
			if (low[other] < low[file])
				low[file] = low[other]
		} else if (other in waiting && number[other] < low[file]) {
			low[file] = number[other]
		}
	}
	if (low[file] != number[file])
		return
	members = 0
	do {
		other = stack[height--]
		delete waiting[other]
		circle[other] = file
		members++
	} while (other != file)
	if (members > 1)
		tell(file, members)
}

function tell(first, members,	file, list, n, i) {
	printf "%s: a circle of %d files:\n", first, members
	for (file in circle) {
		if (circle[file] != first)
			continue
		n = split(needs[file], list, " ")
		for (i = 1; i <= n; i++)
			if (list[i] in circle && circle[list[i]] == first)
				printf "  %s needs %s: %s\n", file, list[i], tied[file, list[i]] | "sort"
	}
	close("sort")
}

BEGIN {
	for (i = 1; i < ARGC; i++)
		known[ARGV[i]] = 1
}

FNR == 1 {
	inside = 0
	file = FILENAME
	files[file] = 1
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	target = target_of(FILENAME, part[2])
	if (target != "")
		tie(file, target, "includes " part[2])
	next
}

{
	line = bare($0)
	# A definition: not static, not a prototype.
	if (FILENAME ~ /\.c$/ && line ~ /^[a-z]/ && line !~ /^(static|typedef|extern|return|goto|else)/ &&
	    line !~ /;[ \t]*$/ && match(line, /[a-z_][a-z_0-9]*\(/)) {
		name = substr(line, RSTART, RLENGTH - 1)
		if (name !~ /^(if|for|while|switch|sizeof|defined|[A-Z_]+)$/) {
			if (name in definer && definer[name] != file)
				definer[name] = "several"
			else
				definer[name] = file
		}
	}
	# Not in headers, where these are nearly always declarations.
	while (FILENAME ~ /\.c$/ && match(line, /[a-z_][a-z_0-9]*\(/)) {
		calls[file, substr(line, RSTART, RLENGTH - 1)] = 1
		line = substr(line, RSTART + RLENGTH)
	}
}

END {
	for (call in calls) {
		split(call, part, SUBSEP)
		other = definer[part[2]]
		if (other && other != "several" && top_of(other) == top_of(part[1]))
			tie(part[1], other, "calls " part[2])
	}
	for (file in files)
		if (!(file in number))
			visit(file)
}
