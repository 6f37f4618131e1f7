// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdio.h>

#include "base/loss.h"
#include "cmd.h"
#include "losses.h"
#include "misses.h"
#include "value.h"

static bool cpu_wanted(const struct ktrace_cursor_options *o, uint32_t cpu)
{
	for (size_t i = 0; i < o->nr_cpus; i++)
		if (o->cpus[i] == cpu)
			return true;
	return !o->nr_cpus;
}

void losses_complete(struct count *c, const struct ktrace_info *info,
		     const struct ktrace_cursor_options *o)
{
	/* For a part of the time only the packets have counts. */
	bool part = o->from || o->to;

	for (uint32_t i = 0; !part && i < info->nr_cpus; i++) {
		const struct ktrace_cpu *known = &info->cpus[i];
		struct count_cpu *cpu;

		if (!known->known || !cpu_wanted(o, known->cpu) ||
		    (!known->events && !loss_total(known->lost)))
			continue;
		cpu = count_cpu(c, known->cpu);
		if (cpu)
			count_known(cpu, known);
	}
	count_losses(c);
}

uint64_t losses_since(const struct ktrace_cursor *cursor, int item)
{
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	uint64_t since = ktrace_cursor_losing_since(cursor);

	if (item == KTRACE_LOSS && !loss->programs &&
	    loss->cause != KTRACE_LOST_TASK && (!since || loss->from < since))
		since = loss->from;
	return since;
}

void losses_cut(struct count *c, const struct ktrace_cursor *cursor, int item,
		uint64_t until)
{
	uint64_t since = losses_since(cursor, item);

	if (since && since <= until)
		c->losing = since;
}

static void lost_print(const struct count *c)
{
	printf("\n%14s\n", "lost");
	for (int i = 0; i < KTRACE_LOST_NR; i++) {
		if (!c->lost[i])
			continue;
		printf("%14s  %s", count_text(c->lost[i]).s, loss_text(i));
		if (loss_remedy(i))
			printf(": %s", loss_remedy(i));
		putchar('\n');
	}
	if (c->losing)
		printf("%14s  from %lu.%09lu on, until behind the part: how many is not known\n",
		       "", c->losing / 1000000000, c->losing % 1000000000);
}

void losses_print(const struct count *c, const struct ktrace_miss *misses,
		  size_t nr_misses)
{
	bool missed = misses_any(misses, nr_misses), lost = c->losing != 0;

	for (int i = 0; i < KTRACE_LOST_NR; i++)
		lost |= c->lost[i] != 0;
	if (lost)
		lost_print(c);
	if (missed)
		misses_print(misses, nr_misses);
	if (!lost && !missed)
		puts("\nnothing was lost");
}

void losses_json(const uint64_t *lost)
{
	fputs("\"lost\":{", stdout);
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		printf("%s\"%s\":%lu", i ? "," : "", loss_name(i), lost[i]);
	putchar('}');
}
