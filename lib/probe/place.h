/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where a probe is: the first word of its text (<ktrace/probes.h>). */
#ifndef KT_LIB_PROBE_PLACE_H
#define KT_LIB_PROBE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "session/session.h"

struct debug_code;

#define PLACE_NAME_MAX 63 /* of a system or event (kernel/event/registry.h) */

struct place {
	char system[PLACE_NAME_MAX + 1];
	char name[PLACE_NAME_MAX + 1]; /* "": not said */
	char module[64];	       /* "": not said, or none */
	char build
		[65]; /* the module's build id, in hexadecimal; "": not known */
	char function[512]; /* "": an address alone */
	uint64_t address;   /* of the function, or what was said */
	uint64_t size;	    /* of the function; 0: not known */
	uint64_t offset;
	bool has_offset;
	bool returns;
	bool is_address; /* it was said by its address */
	bool waits;	 /* its module is not loaded */
	bool is_missing; /* in the kernel: no symbol has the function's name */

	/* In a program or library; NULL: in the kernel. */
	const char *path; /* in the text, as it is written there */
	/* Also in the kernel. */
	char line
		[256]; /* FUNCTION:LINE, FILE:LINE, or a function that was inlined; "": not said */
	size_t path_length;
	bool is_usdt;	   /* function is its name */
	char provider[64]; /* "": not said */
	/*
	 * A place where there can be no probe is given all the same, with the reason in @refused; ""
	 * if there can be one.
	 */
	bool lenient;
	bool is_one_of_many; /* that a pattern means, in the kernel */
	char refused[200];
	/* What is set when it is found. */
	bool is_32;
	bool is_go; /* the file is made by Go, whose functions pass arguments in other registers */
	bool at_return; /* offset is that of an instruction which returns */
	unsigned int
		tail_calls; /* program_return.h; of several such places, only the first one has it */
	const char *arguments; /* of a USDT probe; NULL: it is none */
	char asked
		[64]; /* how a function was called that has another symbol, as in C++; else "" */
	struct debug_code *code; /* NULL: it has no debugging information */
	const char *why;	 /* that cannot be read; NULL: there is none */
	const void *
		owner; /* in this, the function that is meant; NULL: the innermost one */
	uint64_t slide; /* how far the addresses of code are below those here */
	uint64_t file_offset;
	uint64_t counter; /* offset of the semaphore; 0: it has none */
	struct {
		uint64_t inode;
		int64_t size, seconds;
		long nanoseconds;
	} seen; /* the file that was looked into, by stat(2); the time of its last change */
};

/*
 * *@rest: what is behind the place.  The text must stay.  A function may have wildcards.
 * -EINVAL, with a message.
 */
int place_parse(struct place *place, const char *text, const char **rest);

/* Has the name of a function wildcards? */
bool place_is_wild(const char *name);
/* Not in the kernel's own image. */
bool place_is_in_module(const struct place *place);

/*
 * Finds the functions of all, by their names or addresses; of lines, only the module that they are
 * in.  Those of modules that are not loaded, but could be, have no address.  A name that no symbol has
 * is missing: debugging information may know where it was inlined.  -ENOENT, -EINVAL: *@which is
 * wrong, with a message.
 */
int places_find(const char *symbols, struct place *const *places, size_t nr,
		size_t *which);
/* The error for one that is missing. */
int place_missing(const struct place *place);

/* Where it is in the file of its code. */
static inline uint64_t place_source(const struct place *place)
{
	return place->address + place->offset - place->slide;
}

/*
 * Refuses a place that was found, as error_set() does: but if it is lenient, that is noted, and 0 is
 * returned.
 */
int place_refuse(struct place *place, int err);

/* Puts the text of a probe in front of its error. */
int place_blame(int err, const char *text);

/* The path of a place in a program, of PATH_MAX bytes: what the text writes as \NNN is one byte. */
int place_path(const struct place *place, char *path);

/*
 * Which build of its module the place is for, if it is in a module that tells: another build may have
 * other code and other types.
 */
void place_build_find(struct place *place);
/* As the kernel takes it. */
void place_write(const struct place *place, struct text *text);
/* That, as people read it, in the same room: without addresses that have names. */
const char *place_shown(char *place);
/* A name for its event. */
void place_event_name(const struct place *place, char name[PLACE_NAME_MAX + 1]);

#endif /* KT_LIB_PROBE_PLACE_H */
