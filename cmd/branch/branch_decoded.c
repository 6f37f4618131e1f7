// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is missing of branches that a processor has recorded as packets: see branch_show.h. */
#include "branch_show.h"
#include "cmd.h"
#include "common/value.h"

void branch_decoded_tell(const struct branch_show *show)
{
	const struct ktrace_branches_decoded *d =
		ktrace_branches_decoded(show->branches);

	if (!d)
		return;
	if (d->lost)
		say("%s older branches were left out: the buffer of a CPU keeps "
		    "the newest (--size)",
		    count_text(d->lost).s);
	if (d->overflows)
		say("branches are missing at %s places: the processor could not "
		    "write as fast as it ran",
		    count_text(d->overflows).s);
	if (d->untraced)
		say("%s threads or processes were not traced: they had ended "
		    "before that could begin, or there were too many",
		    count_text(d->untraced).s);
	if (d->gaps)
		say("branches are missing at %s places: the buffer of the "
		    "packets was full (perf record -m ,64M makes it larger)",
		    count_text(d->gaps).s);
	if (d->missing)
		say("%s programs or libraries that were mapped are not here, or were "
		    "changed since",
		    count_text(d->missing).s);
	if (d->unread)
		say("branches are missing at %s places: the code that ran there "
		    "could not be read",
		    count_text(d->unread).s);
	if (d->errors)
		say("branches are missing at %s places: the packets are damaged, "
		    "or do not fit the code that is here",
		    count_text(d->errors).s);
	if (d->skipped)
		say("%s of %s of packets were skipped there",
		    bytes_text(d->skipped).s, bytes_text(d->bytes).s);
	if (d->unowned)
		say("branches are missing at %s places: it is not known which "
		    "thread ran there",
		    count_text(d->unowned).s);
	if (d->untold)
		say("%s records of the kernel were lost: names and mappings may "
		    "be missing, and who ran",
		    count_text(d->untold).s);
}

const char *branch_decoded_reason(const struct branch_show *show)
{
	const struct ktrace_branches_decoded *d =
		ktrace_branches_decoded(show->branches);

	if (!d || !d->bytes)
		return ": it has no packets";
	if (d->missing)
		return ": the programs that ran are not here, or were changed "
		       "since";
	if (d->unowned)
		return ": it is not known which threads ran";
	if (d->unread)
		return ": the code that ran could not be read";
	return d->errors ? ": the packets are damaged" : "";
}
