// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The distance of two words is the number of letters to insert, delete or
 * replace, or to swap with the next one (optimal string alignment).  If one
 * word contains the other, they are similar, too.
 */
#include <stdio.h>
#include <string.h>

#include <ktrace/trace.h>

#include "near.h"
#include "value.h"

#define WORD_MAX 64

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][WORD_MAX + 1];
	unsigned int *before = rows[0], *last = rows[1], *now = rows[2], *t;
	size_t na = strlen(a), nb = strlen(b);

	if (na > WORD_MAX || nb > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = min(min(last[j], now[j - 1]) + 1,
				     last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = min(now[j], before[j - 2] + 1);
		}
		t = before;
		before = last;
		last = now;
		now = t;
	}
	return last[nb];
}

/* Compares "sched_swich" with "sched:sched_switch" and with its event. */
static unsigned int distance_of_event(const char *word, const char *name)
{
	const char *event = strchr(name, ':');
	unsigned int d = distance(word, name);

	if (event && !strchr(word, ':'))
		d = min(d, distance(word, event + 1));
	if (strlen(word) >= 3 && strstr(name, word))
		d = min(d, 2);
	return d;
}

void near_init(struct near *near, const char *word)
{
	memset(near, 0, sizeof(*near));
	near->word = word;
}

void near_add(struct near *near, const char *name)
{
	unsigned int limit = 1 + strlen(near->word) / 4;
	unsigned int d = distance_of_event(near->word, name);
	size_t at;

	if ((d > limit && d > 2) || strlen(name) >= NEAR_NAME_SIZE)
		return;
	if (d == 2 && limit < 2 && !strstr(name, near->word))
		return;
	for (at = near->nr; at > 0 && near->distances[at - 1] > d; at--)
		;
	if (at == NEAR_MAX)
		return;
	if (near->nr < NEAR_MAX)
		near->nr++;
	memmove(&near->names[at + 1], &near->names[at],
		(near->nr - at - 1) * sizeof(*near->names));
	memmove(&near->distances[at + 1], &near->distances[at],
		(near->nr - at - 1) * sizeof(*near->distances));
	strcpy(near->names[at], name);
	near->distances[at] = d;
}

void near_fields(struct near *near, const struct ktrace_type *type)
{
	for (uint32_t i = 0; i < ktrace_type_own_fields(type); i++) {
		const char *name = type->fields[i].name;
		bool told = false;

		for (size_t j = 0; j < near->nr; j++)
			told |= !strcmp(near->names[j], name);
		if (!told)
			near_add(near, name);
	}
}

bool near_print(const struct near *near)
{
	if (!near->nr)
		return false;
	fputs("        Is it one of these?", stderr);
	for (size_t i = 0; i < near->nr; i++) {
		fputs(i ? ", " : " ", stderr);
		print_text(stderr, near->names[i]);
	}
	fputc('\n', stderr);
	return true;
}
