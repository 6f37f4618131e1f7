# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# json.awk - bench/run's results as a list of objects

BEGIN {
	FS = "\t"
	print "["
}

$2 == "results" && $3 != "version" {
	if (count++)
		print ","
	printf "{\"bench\": \"%s\", \"tracer\": \"%s\", \"kernel\": \"%s\", " \
	       "\"unit\": \"%s\", \"value\": %s}",
	       $3, $4, $1, $6, $5 ~ /^-?[0-9]/ ? $5 : "null"
}

END {
	print "\n]"
}
