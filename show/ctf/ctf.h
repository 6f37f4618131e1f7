/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Shared by the two halves of the CTF output: metadata and streams. */
#ifndef KT_SHOW_CTF_H
#define KT_SHOW_CTF_H

#include <ktrace/trace.h>

#define CTF_MAGIC    0xc1fc1fc1u
#define CTF_UUID_LEN 16

/* The version of lttng-modules whose names events have. */
#define CTF_LTTNG_MAJOR 2
#define CTF_LTTNG_MINOR 13

/* How a field is stored in a CTF event; metadata and streams must agree. */
enum ctf_kind {
	CTF_INTEGER,  /* copied */
	CTF_ENUM,     /* an integer with names */
	CTF_CHARS,    /* a fixed array of characters, copied */
	CTF_STRING,   /* up to its NUL */
	CTF_ARRAY,    /* fixed, copied */
	CTF_SEQUENCE, /* u32 count, elements */
};

struct ctf_field {
	enum ctf_kind kind;
	uint32_t elem;	/* bytes of an element */
	uint32_t count; /* of CHARS, ARRAY */
};

struct ctf_field ctf_field(const struct ktrace_type *type,
			   const struct ktrace_field *field);

/* What viewers know the event as; the caller frees it.  NULL: no memory. */
char *ctf_event_name(const struct ktrace_type *type);
/* Is the field a plain integer, though it has names? */
bool ctf_is_integer(const struct ktrace_type *type,
		    const struct ktrace_field *field);
/* Viewers take the end of an interrupt without its begin amiss. */
bool ctf_ends_interrupt(const struct ktrace_type *type);
/*
 * If @type is the begin or the end of an interrupt: the type of its end, always the first one if an
 * event has several types.  NULL: it is neither, or there is none.
 */
const struct ktrace_type *ctf_interrupt_end(const struct ktrace_types *types,
					    const struct ktrace_type *type);

/*
 * The number of an event in CTF.  An end without its begin is an event of its own, so that it is
 * there and counted, and harmless.
 */
static inline uint32_t ctf_event_id(const struct ktrace_type *type,
				    bool unbegun)
{
	return 2 * type->number + unbegun;
}

/* Which stacks are in the context of all events.  Bits. */
enum ctf_stacks {
	CTF_STACK_KERNEL = 1, /* u32 count, addresses, u8 why it ends */
	CTF_STACK_USER = 2,   /* u32 count, strings */
	CTF_BRANCHES = 4,     /* u32 count, strings */
};

/* In the place of enum ktrace_stack_end: the event was to have no stack. */
#define CTF_STACK_NONE 255

/* The text of the file metadata; the caller frees it.  NULL: no memory. */
char *ctf_metadata(const struct ktrace *trace, const uint8_t uuid[CTF_UUID_LEN],
		   unsigned int stacks);

#endif /* KT_SHOW_CTF_H */
