// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sets of signals and of the ways in which calls end, and what strace can do besides. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <ktrace/output.h>

#include "common/value.h"
#include "syscalls.h"

#define SIGNALS	 64
#define REALTIME 32 /* the kernel's SIGRTMIN; glibc uses some of them itself */

/* 0: it is none. */
static unsigned int signal_number(const char *name)
{
	uint64_t number = 0;

	if (!strncasecmp(name, "sig", 3))
		name += 3;
	if (!strncasecmp(name, "rt_", 3) && isdigit((unsigned char)name[3])) {
		if (number_parse(name + 3, &number) ||
		    number > SIGNALS - REALTIME)
			return 0;
		number += REALTIME;
	} else if (!strcasecmp(name, "rtmin")) {
		number = REALTIME;
	} else if (isdigit((unsigned char)*name)) {
		if (number_parse(name, &number))
			return 0;
	}
	if (number)
		return number <= SIGNALS ? number : 0;
	for (int i = 1; i < REALTIME; i++) {
		const char *known = sigabbrev_np(i);

		if (known && !strcasecmp(known, name))
			return i;
	}
	/* Second names. */
	if (!strcasecmp(name, "io"))
		return SIGIO;
	return !strcasecmp(name, "iot") ? SIGABRT : 0;
}

static uint64_t signal_bit(const char *name)
{
	unsigned int number = signal_number(name);

	return number ? 1ull << (number - 1) : 0;
}

static uint64_t status_bit(const char *name)
{
	static const struct {
		const char *name;
		enum ktrace_output_statuses bit;
	} names[] = {
		{"successful", KTRACE_STATUS_OK},
		{"failed", KTRACE_STATUS_FAILED},
		{"unfinished", KTRACE_STATUS_UNFINISHED},
		{"unavailable", KTRACE_STATUS_UNAVAILABLE},
		{"detached", KTRACE_STATUS_DETACHED},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i].name, name))
			return names[i].bit;
	}
	return 0;
}

/* "a,b", "!a,b", "all", "none", "!none": @all: all bits. */
static int set_parse(const char *text, uint64_t all,
		     uint64_t (*bit)(const char *name), uint64_t *set)
{
	bool inverse = *text == '!';
	char *copy, *next, *word;
	uint64_t bits = 0;
	int err = 0;

	text += inverse;
	if (!strcmp(text, "all") || !strcmp(text, "none")) {
		bits = *text == 'a' ? all : 0;
	} else {
		next = copy = strdup(text);
		if (!copy)
			return -ENOMEM;
		while (!err && (word = strsep(&next, ","))) {
			uint64_t one = bit(word);

			err = one ? 0 : -EINVAL;
			bits |= one;
		}
		free(copy);
	}
	if (!err)
		*set = inverse ? all & ~bits : bits;
	return err;
}

int signals_parse(const char *text, uint64_t *set)
{
	return set_parse(text, UINT64_MAX, signal_bit, set);
}

int statuses_parse(const char *text, uint32_t *set)
{
	uint64_t bits;
	int err = set_parse(text, KTRACE_STATUS_ALL, status_bit, &bits);

	/* No call is shown by this one; 0 stands for all. */
	if (!err)
		*set = bits ?: KTRACE_STATUS_UNAVAILABLE;
	return err;
}

const char *expression_refused(const char *text)
{
	static const char tampers[] =
		"programs are not stopped at their calls, so these cannot be "
		"changed: strace does that";
	static const char unknown[] = "this is not known here: strace does it";
	static const struct {
		const char *name;
		const char *why;
	} names[] = {
		{"inject", tampers},
		{"fault", tampers},
		{"kvm", unknown},
		{"abbrev",
		 "none is known, which is --no-abbrev, for all calls"},
		{"a", "none is known, which is --no-abbrev, for all calls"},
		{"verbose", "structs are shown, --no-abbrev shows all of them"},
		{"v", "structs are shown, --no-abbrev shows all of them"},
		{"raw", "-X raw shows numbers, for all calls"},
		{"x", "-X raw shows numbers, for all calls"},
		{"read", "-s and -x show data, of all descriptors"},
		{"reads", "-s and -x show data, of all descriptors"},
		{"r", "-s and -x show data, of all descriptors"},
		{"write", "-s and -x show data, of all descriptors"},
		{"writes", "-s and -x show data, of all descriptors"},
		{"w", "-s and -x show data, of all descriptors"},
		{"quiet", unknown},
		{"silent", unknown},
		{"q", unknown},
	};
	size_t length = strcspn(text, "=");

	for (size_t i = 0; text[length] && i < sizeof(names) / sizeof(*names);
	     i++) {
		if (strlen(names[i].name) == length &&
		    !strncmp(names[i].name, text, length))
			return names[i].why;
	}
	return NULL;
}
