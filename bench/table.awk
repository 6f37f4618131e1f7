# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# table.awk - bench/run's results for people, as Markdown

BEGIN {
	FS = "\t"
	# Some awks count bytes when they pad.
	dash = length("–") - 1
	nr_tracers = split("ktrace ftrace ftrace_tsc perf bpf lttng", tracers, " ")
	split("ktrace|ftrace|ftrace (x86-tsc)|perf record|BPF ring buffer|LTTng",
	      labels, "|")
	nr_sources = split("cpu_idle cpu_idle_pid cpu_idle_filter kmalloc console " \
			   "getppid getppid_call openat_enter openat_call yield " \
			   "function function_plain function_entry function_all " \
			   "function_callback function_filter", sources, " ")
	split("power:cpu_idle (plain)|cpu_idle, refused by pid|" \
	      "cpu_idle, refused by a filter|kmem:kmalloc|printk:console (200-byte string)|" \
	      "raw_syscalls: getppid, enter or exit|" \
	      "syscalls: getppid, enter or exit|syscalls: openat, enter with path|" \
	      "syscalls: openat, enter or exit|sched:sched_switch|" \
	      "a call: entry and exit, 3 arguments|a call: entry and exit|a call: entry alone|" \
	      "a call, all functions hooked|a call, without trampolines|" \
	      "a call, refused at its end", source_labels, "|")
	nr_stacks = split("cpu_idle_kernel cpu_idle_user cpu_idle_user31 cpu_idle_user_fp", stacks, " ")
	split("kernel, 8 functions|program, 10 functions|program, 31 functions|" \
	      "program with frame pointers, 10", stack_labels, "|")
	nr_samples = split("sample sample_kernel sample_user sample_user_fp", samples, " ")
	split("no stack|kernel, 8 functions|program, 10 functions|" \
	      "program with frame pointers, 10", sample_labels, "|")
	nr_probes = split("probe probe_entry program program_return", probes, " ")
	split("kernel, an instruction: a jump|kernel, where a function begins|" \
	      "program, where a function begins|program, where it has returned", probe_labels, "|")
	nr_workloads = split("dbench tbench build", workloads, " ")
}

{
	if (!($1 in seen)) {
		seen[$1]
		kernels[++nr_kernels] = $1
	}
}

$2 == "missing" {
	missing[$1, $3] = $4
}

$2 == "results" && $3 == "version" {
	version[$1, $4] = $5
}

$2 == "results" && $3 != "version" {
	value[$1, $3, $4, $6] = $5
	if (!(($1, $3) in known)) {
		known[$1, $3]
		benches[$1, ++nr_benches[$1]] = $3
	}
	if (!(($1, $3, $4) in known)) {
		known[$1, $3, $4]
		order[$1, $3, ++count[$1, $3]] = $4
		unit[$1, $3, $4] = $6
	}
}

# Cells are padded so that the table can be read as it is.
function row(width,   i, line) {
	line = "|"
	for (i = 1; i <= nr_cells; i++)
		line = line sprintf(" %-*s |", i == 1 ? 36 : cell[i] == "–" ? width + dash : width,
				    cell[i])
	print line
	nr_cells = 0
}

function rule(n,   i, line) {
	line = "|---|"
	for (i = 2; i <= n; i++)
		line = line "---:|"
	print line
}

function add(text) {
	cell[++nr_cells] = text
}

function get(kernel, bench, tracer, what,   v) {
	if (!((kernel, bench, tracer, what) in value))
		return "–"
	v = value[kernel, bench, tracer, what]
	return v == "-" ? "–" : v
}

function events(kernel, what, with_untraced,   i, s, some) {
	for (s = 1; s <= nr_sources; s++)
		some += count[kernel, sources[s]]
	if (!some)
		return
	add(what == "bytes" ? "bytes per event" : "instructions added per event")
	for (i = 1; i <= nr_tracers; i++)
		add(labels[i])
	if (with_untraced)
		add("untraced loop")
	i = nr_cells
	row(16)
	rule(i)
	for (s = 1; s <= nr_sources; s++) {
		if (!count[kernel, sources[s]])
			continue
		add(source_labels[s])
		for (i = 1; i <= nr_tracers; i++)
			add(get(kernel, sources[s], tracers[i], what))
		if (with_untraced)
			add(get(kernel, sources[s], "untraced", what))
		row(16)
	}
	print ""
}

# The largest difference of any of the loops: near 0.0 means no cost.
function worst(kernel, tracer, state,   s, v, most) {
	most = "–"
	for (s = 1; s <= nr_sources; s++) {
		v = get(kernel, sources[s] " " state, tracer, "instructions")
		if (v != "–" && (most == "–" || v > most))
			most = v
	}
	return most
}

function disabled(kernel,   i, n, s, some) {
	for (s = 1; s <= nr_sources; s++)
		some += count[kernel, sources[s]]
	if (!some)
		return
	add("instructions added, at most")
	for (i = 1; i <= nr_tracers; i++)
		add(labels[i])
	n = nr_cells
	row(16)
	rule(n)
	add("loaded, nothing enabled")
	for (i = 1; i <= nr_tracers; i++)
		add(worst(kernel, tracers[i], "loaded"))
	row(16)
	add("enabled and disabled again")
	for (i = 1; i <= nr_tracers; i++)
		add(worst(kernel, tracers[i], "disabled"))
	row(16)
	print ""
}

function workload(kernel, name,   i, t, n, e) {
	if (!count[kernel, name])
		return
	add(name ", " unit[kernel, name, "vanilla"])
	add("rate")
	add("against vanilla")
	add("events")
	add("trace MB")
	add("bytes per event")
	add("trace MB/s")
	n = nr_cells
	row(15)
	rule(n)
	for (i = 1; i <= count[kernel, name]; i++) {
		t = order[kernel, name, i]
		add(t)
		add(sprintf("%.1f", get(kernel, name, t, unit[kernel, name, "vanilla"])))
		e = get(kernel, name, t, "events")
		if (e == "–") {
			while (nr_cells < n)
				add("–")
			row(15)
			continue
		}
		add(get(kernel, name, t, "percent") " %")
		add(sprintf("%.2f M", e / 1e6))
		add(sprintf("%.1f", get(kernel, name, t, "bytes") / 1e6))
		add(e ? sprintf("%.1f", get(kernel, name, t, "bytes") / e) : "–")
		add(get(kernel, name, t, "trace MB/s"))
		row(15)
	}
	print ""
}

function million(kernel, tracer, what,   v) {
	v = get(kernel, "find", tracer, what)
	return v == "–" ? v : sprintf("%.1f", v / 1e6)
}

function find(kernel,   i, n, t, plain, all, name, dear, cheap) {
	plain = get(kernel, "find", "plain", "instructions")
	if (plain == "–")
		return
	add("find, millions of instructions")
	add("all of it")
	add("× plain")
	add("tracer's process")
	add("rest of the cost")
	add("before and after")
	add("calls")
	n = nr_cells
	row(16)
	rule(n)
	name["plain"] = "plain"
	name["strace"] = "strace -f -o /dev/null"
	name["ktrace"] = "ktrace syscalls -o /dev/null"
	for (i = 1; i <= count[kernel, "find"]; i++) {
		t = order[kernel, "find", i]
		all = get(kernel, "find", t, "instructions")
		add(name[t])
		add(million(kernel, t, "instructions"))
		add(sprintf("%.2f", all / plain))
		add(million(kernel, t, "instructions in the tracer"))
		add(million(kernel, t, "instructions in its own context"))
		add(million(kernel, t, "instructions before and after"))
		add(get(kernel, "find", t, "calls"))
		row(16)
	}
	print ""
	dear = get(kernel, "find", "strace", "instructions") - plain
	cheap = get(kernel, "find", "ktrace", "instructions") - plain
	if (dear > 0 && cheap > 0)
		printf "What strace adds to find is %.1f times what ktrace adds. A command " \
		       "that does nothing\ntakes %s million instructions under " \
		       "`ktrace syscalls`.\n\n", dear / cheap,
		       million(kernel, "ktrace",
			       "instructions for a command that does nothing")
}

# What a stack adds to an event: the event without it is measured, too.
function stack_table(kernel, what,   s, i, n, plain, v) {
	for (s = 1; s <= nr_stacks; s++)
		n += count[kernel, stacks[s]]
	if (!n)
		return
	add(what " that a stack adds")
	for (i = 1; i <= nr_tracers; i++)
		add(labels[i])
	n = nr_cells
	row(16)
	rule(n)
	for (s = 1; s <= nr_stacks; s++) {
		add(stack_labels[s])
		for (i = 1; i <= nr_tracers; i++) {
			plain = get(kernel, "cpu_idle", tracers[i], what)
			v = get(kernel, stacks[s], tracers[i], what)
			add(v == "–" || plain == "–" ? "–" : sprintf("%.1f", v - plain))
		}
		row(16)
	}
	print ""
}

function probe_table(kernel, what,   s, n) {
	if (!count[kernel, "probe"])
		return
	add(what " of a hit, 3 values")
	add("ktrace")
	add("ftrace")
	add("does nothing")
	n = nr_cells
	row(16)
	rule(n)
	for (s = 1; s <= nr_probes; s++) {
		add(probe_labels[s])
		add(get(kernel, probes[s], "ktrace", what))
		add(get(kernel, probes[s], "ftrace", what))
		add(get(kernel, probes[s], "empty", what))
		row(16)
	}
	print ""
}

function sample_table(kernel, what,   s, n) {
	if (!count[kernel, "sample"])
		return
	add(what " of a sample")
	add("ktrace")
	add("perf record")
	n = nr_cells
	row(16)
	rule(n)
	for (s = 1; s <= nr_samples; s++) {
		add(sample_labels[s])
		add(get(kernel, samples[s], "ktrace", what))
		add(get(kernel, samples[s], "perf", what))
		row(16)
	}
	print ""
}

function program_table(kernel,   b, bench, n) {
	for (b = 1; b <= nr_benches[kernel]; b++) {
		bench = benches[kernel, b]
		if (!sub(/^stacks of /, "", bench))
			continue
		if (!n) {
			add("instructions that two stacks add")
			add("ktrace")
			add("perf record")
			add("functions")
			add("calls")
			n = nr_cells
			row(16)
			rule(n)
		}
		add(bench)
		add(get(kernel, "stacks of " bench, "ktrace", "instructions"))
		add(get(kernel, "stacks of " bench, "perf", "instructions"))
		add(get(kernel, "stacks of " bench, "untraced", "functions"))
		add(get(kernel, "stacks of " bench, "untraced", "calls"))
		row(16)
	}
	if (n)
		print ""
}

# The cost of ktrace for a command that does nothing.
function begin(kernel,   n, i, t) {
	if (!count[kernel, "begin"])
		return
	add("before and after a command")
	add("instructions / million")
	n = nr_cells
	row(24)
	rule(n)
	for (i = 1; i <= count[kernel, "begin"]; i++) {
		t = order[kernel, "begin", i]
		add("`" t "`")
		add(sprintf("%.0f", get(kernel, "begin", t, "instructions") / 1e6))
		row(24)
	}
	print ""
}

function switching(kernel,   i, n, w, what) {
	if (!count[kernel, "all functions hooked"])
		return
	n = split("hooked|let go", what, "|")
	add("all of the kernel's functions")
	for (w = 1; w <= n; w++)
		add(what[w] " / ms")
	add("functions")
	n = nr_cells
	row(16)
	rule(n)
	for (i = 1; i <= nr_tracers; i++) {
		if (get(kernel, "all functions hooked", tracers[i], "ms") == "–")
			continue
		add(labels[i])
		for (w = 1; w <= n - 2; w++)
			add(get(kernel, "all functions " what[w], tracers[i], "ms"))
		add(get(kernel, "all functions hooked", tracers[i], "functions"))
		row(16)
	}
	print ""
}

# The cost of writing to a file: a column for each reader, after that of the probes.
function reading(kernel,   i, s, n, some, name, bench, what, row_name) {
	split("ktrace record|trace-cmd record|ftrace (x86-tsc)|perf record|BPF|LTTng",
	      name, "|")
	split("instructions of probes|instructions of the reader|bytes", what, "|")
	split("probes|reader|bytes", row_name, "|")
	for (s = 1; s <= nr_sources; s++)
		some += count[kernel, sources[s] " to a file"]
	if (!some)
		return
	add("instructions per event, to a file")
	for (i = 1; i <= nr_tracers; i++)
		if (tracers[i] !~ /^(ftrace_tsc|bpf)$/)
			add(name[i])
	n = nr_cells
	row(16)
	rule(n)
	for (s = 1; s <= nr_sources; s++) {
		bench = sources[s] " to a file"
		if (!count[kernel, bench])
			continue
		for (n = 1; n <= 3; n++) {
			add(source_labels[s] ": " row_name[n])
			for (i = 1; i <= nr_tracers; i++)
				if (tracers[i] !~ /^(ftrace_tsc|bpf)$/)
					add(get(kernel, bench, tracers[i], what[n]))
			row(16)
		}
	}
	print ""
}

# Lists the tracers that lost events, and where. For a single event, all that were fired
# must have been recorded.
function losses(kernel,   b, bench, t, n, some) {
	for (b = 1; b <= nr_benches[kernel]; b++) {
		bench = benches[kernel, b]
		if (bench !~ / lost$/)
			continue
		for (t = 1; t <= count[kernel, bench]; t++) {
			n = get(kernel, bench, order[kernel, bench, t], "events")
			if (n + 0 == 0)
				continue
			print "- " bench ": " n " events (" order[kernel, bench, t] ")"
			some = 1
		}
	}
	if (some)
		print ""
}

function native(kernel,   n, b, bench, event, least) {
	add("the ring alone, ns per event")
	add("ktrace")
	add("floor")
	add("ratio")
	n = nr_cells
	row(16)
	rule(n)
	for (b = 1; b <= nr_benches[kernel]; b++) {
		bench = benches[kernel, b]
		if (bench ~ /^marker/)
			continue
		event = get(kernel, bench, "ktrace", "ns")
		least = get(kernel, bench, "floor", "ns")
		add("payload of " bench)
		add(event)
		add(least)
		add(least > 0 ? sprintf("%.2f", event / least) : "–")
		row(16)
	}
	print ""
}

function markers(kernel,   n, b, bench, event, least) {
	add("markers of programs, ns per event")
	add("ktrace")
	add("floor")
	add("ratio")
	add("LTTng")
	n = nr_cells
	row(28)
	rule(n)
	for (b = 1; b <= nr_benches[kernel]; b++) {
		bench = benches[kernel, b]
		if (bench !~ /^marker/)
			continue
		event = get(kernel, bench, "ktrace", "ns")
		least = get(kernel, bench, "floor", "ns")
		add(substr(bench, 9))
		add(event)
		add(least)
		add(least + 0 > 0 ? sprintf("%.2f", event / least) : "–")
		add(get(kernel, bench, "lttng", "ns"))
		row(28)
	}
	print ""
}

END {
	for (k = 1; k <= nr_kernels; k++) {
		kernel = kernels[k]
		if (kernel == "native") {
			print "### Native, in user space\n"
			native(kernel)
			markers(kernel)
			continue
		}
		print "### Kernel " kernel "\n"
		for (i = 1; i <= nr_tracers; i++) {
			if ((kernel, tracers[i]) in missing)
				print "- " labels[i] ": " missing[kernel, tracers[i]]
			else if ((kernel, tracers[i]) in version)
				print "- " labels[i] ": " version[kernel, tracers[i]]
		}
		print ""
		events(kernel, "instructions", 1)
		events(kernel, "bytes", 0)
		probe_table(kernel, "instructions")
		stack_table(kernel, "instructions")
		stack_table(kernel, "bytes")
		sample_table(kernel, "instructions")
		sample_table(kernel, "bytes")
		program_table(kernel)
		disabled(kernel)
		find(kernel)
		begin(kernel)
		switching(kernel)
		reading(kernel)
		for (i = 1; i <= nr_workloads; i++)
			workload(kernel, workloads[i])
		losses(kernel)
	}
}
