// SPDX-License-Identifier: GPL-2.0-only
/* Values of fields: fetch.h. */
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <linux/swab.h>

#include "fetch.h"

/* ---- reading -------------------------------------------------------------- */

static u64 swapped(u64 value, u8 size)
{
	switch (size) {
	case 2:
		return swab16(value);
	case 4:
		return swab32(value);
	default:
		return swab64(value);
	}
}

bool fetch_walk(const struct fetch *fetch, const struct pt_regs *regs,
		u64 *value)
{
	const struct fetch_step *step = fetch->steps,
				*end = step + fetch->nr_steps;
	u64 at = *value, read;

	for (; step < end; step++) {
		switch (step->code) {
		case FETCH_ADD:
			at += step->value;
			break;
		case FETCH_AND:
			at &= step->value;
			break;
		case FETCH_SHIFT:
			at >>= step->value;
			break;
		case FETCH_INDEX:
			at += ((const u64 *)regs)[step->size] * step->value;
			break;
		case FETCH_SWAP:
			at = swapped(at, step->size);
			break;
		default:
			read = 0;
			if (env_copy(&read, at, step->size,
				     (s64)at < 0 && !fetch->program)) {
				*value = at;
				return false;
			}
			at = read;
		}
	}
	*value = at;
	return true;
}

/* ---- parsing -------------------------------------------------------------- */

static const struct {
	const char *name;
	u8 word;
} registers[] = {
#define REGISTER(name)                                              \
	{                                                           \
#name, offsetof(struct pt_regs, name) / sizeof(u64) \
	}
	REGISTER(ax),  REGISTER(bx),	REGISTER(cx),  REGISTER(dx),
	REGISTER(si),  REGISTER(di),	REGISTER(bp),  REGISTER(sp),
	REGISTER(r8),  REGISTER(r9),	REGISTER(r10), REGISTER(r11),
	REGISTER(r12), REGISTER(r13),	REGISTER(r14), REGISTER(r15),
	REGISTER(ip),  REGISTER(flags),
};

static bool register_parse(u8 *number, const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		if (!strcmp(registers[i].name, word)) {
			*number = registers[i].word;
			return true;
		}
	}
	return false;
}

/* The next word; NULL: there is none. */
static char *word_next(char **text)
{
	char *word;

	do
		word = strsep(text, " \t");
	while (word && !*word);
	return word;
}

/* Of "@SIZE" and "swapSIZE": of a number's bytes. */
static bool size_parse(struct fetch_step *step, enum fetch_code code,
		       const char *size)
{
	step->code = code;
	return !kstrtou8(size, 10, &step->size) &&
	       (step->size == 1 || step->size == 2 || step->size == 4 ||
		step->size == 8);
}

/* "NUMBER * +", behind a register. */
static bool index_parse(struct fetch_step *step, char **text)
{
	const char *number = word_next(text), *times = word_next(text),
		   *plus = word_next(text);

	step->code = FETCH_INDEX;
	return plus && !strcmp(times, "*") && !strcmp(plus, "+") &&
	       !kstrtou64(number, 10, &step->value) && step->value <= 8 &&
	       is_power_of_2(step->value);
}

/* "NUMBER OPERATOR". */
static bool number_parse(struct fetch_step *step, const char *number,
			 const char *operator)
{
	if (!operator|| kstrtou64(number, 0, &step->value))
		return false;
	if (!strcmp(operator, "+")) {
		step->code = FETCH_ADD;
	} else if (!strcmp(operator, "-")) {
		step->code = FETCH_ADD;
		step->value = -step->value;
	} else if (!strcmp(operator, "&")) {
		step->code = FETCH_AND;
	} else if (!strcmp(operator, ">>") && step->value < 64) {
		step->code = FETCH_SHIFT;
	} else {
		return false;
	}
	return true;
}

#define SWAP "swap"

const char *fetch_parse(struct fetch *fetch, char *text, bool program)
{
	struct fetch_step *step;
	char *word = word_next(&text);
	bool good;

	if (!word)
		return "a value is missing";
	fetch->program = program;
	fetch->unread = !strcmp(word, "unread");
	if (!fetch->unread && !register_parse(&fetch->word, word))
		return "a value begins with a register, as di, or is unread";
	while ((word = word_next(&text))) {
		if (fetch->unread)
			return "nothing can follow unread";
		if (fetch->nr_steps == FETCH_STEPS_MAX)
			return "it has too many words";
		step = &fetch->steps[fetch->nr_steps++];
		if (*word == '@')
			good = size_parse(step, FETCH_READ, word + 1);
		else if (str_has_prefix(word, SWAP))
			good = size_parse(step, FETCH_SWAP,
					  word + strlen(SWAP)) &&
			       step->size > 1;
		else if (register_parse(&step->size, word))
			good = index_parse(step, &text);
		else
			good = number_parse(step, word, word_next(&text));
		if (!good)
			return "behind the register, @1, @2, @4, @8, swap2, "
			       "swap4, swap8, a number with +, -, & or >> "
			       "behind it, or a register and `1 * +' are wanted";
		fetch->reads |= step->code == FETCH_READ;
	}
	return NULL;
}
