# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# chart.awk - bench/run's results as an SVG bar chart: instructions per event, a group
# of bars for each source, a panel for each kernel. Bars that are longer than the axis
# are cut; all bars show their number.

BEGIN {
	FS = "\t"
	nr_tracers = split("ktrace bpf ftrace_tsc ftrace lttng perf", tracers, " ")
	split("ktrace|BPF ring buffer|ftrace (x86-tsc)|ftrace|LTTng|perf record",
	      labels, "|")
	split("#1a7f5a #7a8aa0 #93a1b5 #abb7c7 #c3ccd8 #dbe1e9", colours, " ")
	nr_sources = split("cpu_idle cpu_idle_pid cpu_idle_filter kmalloc console " \
			   "getppid getppid_call openat_enter openat_call yield " \
			   "function function_entry function_all", sources, " ")
	split("power:cpu_idle|the same, refused by pid|refused by a filter|" \
	      "kmem:kmalloc|printk:console, 200 bytes|" \
	      "raw_syscalls: getppid|syscalls: getppid|openat, enter with path|" \
	      "openat, enter or exit|sched:sched_switch|a call: entry and exit|" \
	      "a call: entry alone|a call, all hooked", source_labels, "|")
	longest = 2200
	width = 900
	left = 190
	bar = 13
}

$2 == "results" && $6 == "instructions" && $5 ~ /^[0-9]/ {
	if (!($1 in seen)) {
		seen[$1]
		kernels[++nr_kernels] = $1
	}
	value[$1, $3, $4] = $5
}

function text(x, y, what, extra) {
	printf "<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y, extra, what
}

function panel(kernel, top,   s, t, y, v, length_) {
	y = top
	text(10, y, "Instructions added per event, kernel " kernel,
	     "font-weight=\"bold\" font-size=\"15\"")
	y += 14
	for (s = 1; s <= nr_sources; s++) {
		text(left - 12, y + bar * nr_tracers / 2 + 4, source_labels[s],
		     "text-anchor=\"end\"")
		for (t = 1; t <= nr_tracers; t++) {
			if (!((kernel, sources[s], tracers[t]) in value))
				continue
			v = value[kernel, sources[s], tracers[t]]
			length_ = (v > longest ? longest : v) / longest
			length_ *= width - left - 130
			printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
				left, y, length_, bar - 2, colours[t]
			text(left + length_ + 5, y + bar - 4,
			     sprintf("%.0f %s", v, labels[t]), "font-size=\"10\"")
			y += bar
		}
		y += 10
	}
}

END {
	height = 24 + nr_sources * (nr_tracers * bar + 10) + 10
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" " \
	       "font-family=\"sans-serif\" font-size=\"12\">\n", width,
	       height * nr_kernels + 10
	print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
	for (k = 1; k <= nr_kernels; k++)
		panel(kernels[k], 22 + (k - 1) * height)
	print "</svg>"
}
