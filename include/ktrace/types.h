/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Types of events: how a payload is laid out, and how its values are best
 * shown.
 *
 * A set of types comes from a trace (trace.h), or from the kernel's own
 * description of its events.  A type, its fields and their names belong to the
 * set and live as long as it.
 */
#ifndef KTRACE_TYPES_H
#define KTRACE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/library.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ktrace_kind {
	KTRACE_INT,	/* 1, 2, 4 or 8 bytes, signed */
	KTRACE_UINT,	/* 1, 2, 4 or 8 bytes, unsigned */
	KTRACE_POINTER, /* as KTRACE_UINT */
	KTRACE_STRING,	/* ends at the first NUL, or where its room ends */
	KTRACE_ARRAY,	/* of integers of @elem bytes */
	KTRACE_BITMASK, /* words of @elem bytes; bit 0 of word 0 first */
	KTRACE_BYTES,	/* anything else; of size 0: it is not recorded */
};

/* Where the value of a field is. */
enum ktrace_place {
	KTRACE_FIXED,	 /* the value itself is at @offset */
	KTRACE_DATA_LOC, /* at @offset: u16 offset in the payload, u16 length */
	KTRACE_REL_LOC,	 /* the same, offset from the end of these 4 bytes */
};

/* How a value is best shown. */
enum ktrace_base {
	KTRACE_DEC,
	KTRACE_HEX,
	KTRACE_OCT,
	KTRACE_BOOL,
	KTRACE_DEV,    /* dev_t: major:minor */
	KTRACE_SYMBOL, /* the address of a function */
	KTRACE_MAC,    /* from here on bytes: a hardware address */
	KTRACE_IP4,
	KTRACE_IP6,
	KTRACE_UUID,
	KTRACE_SOCKADDR,
	KTRACE_FLOAT, /* IEEE 754, 4 or 8 bytes */
};

struct ktrace_name {
	uint64_t value;
	const char *name;
};

/*
 * Names of values.  Each value of flags is a mask; they are tried in order.
 * The flag with value 0 is for the case that none of the others is set.
 */
struct ktrace_names {
	bool flags;	   /* false: one name per value */
	const char *delim; /* printed between flags */
	uint32_t count;
	const struct ktrace_name *names;
};

struct ktrace_field {
	const char *name;
	const char *ctype; /* as in C, an array as "char[16]" */
	uint32_t offset;
	uint32_t size; /* of what is at @offset */
	enum ktrace_kind kind;
	enum ktrace_place place;
	enum ktrace_base base;
	bool is_signed; /* for arrays: the elements are */
	uint32_t elem;	/* for arrays and bitmasks: bytes per element */
	const struct ktrace_names *names; /* NULL: none */
	uint64_t reserved[2];
};

struct ktrace_type {
	uint32_t id;
	uint32_t size; /* of the payload's fixed part */
	bool dynamic;  /* payloads may be larger than @size */
	/*
	 * A marker of a program of the user @user: who wrote the program has chosen the names,
	 * so they may be those of an event of the kernel.
	 */
	bool marker;
	/*
	 * Each event is a branch of a program, which ktrace_event_branches() tells.  Only in traces
	 * that have all branches (ktrace record --branch-trace).
	 */
	bool branch;
	uint32_t user;
	const char *system;
	const char *name;
	const char *print; /* the kernel's print format; NULL: none */
	uint32_t nr_fields;
	const struct ktrace_field *fields;

	/* Only of types from ktrace_types_parse() (session.h). */
	bool enabled;
	const char *module; /* "vmlinux" for the kernel itself */

	/*
	 * Types of a set are numbered from 0, in the order of ktrace_types_get().  What a
	 * program keeps for each type is best kept in an array by this number: variants
	 * share an id.
	 */
	uint32_t number;
	/*
	 * Some types have variants: types for those payloads that begin with a certain index
	 * (u32).  The calls of all functions are variants of one type, say.  NULL: this is no
	 * variant.
	 */
	const struct ktrace_type *variant_of;
	uint32_t index;
	/*
	 * Records with the id @id + 1 are of this type, too.  They have only this many bytes of
	 * the payload; those that follow are zero.  Whoever gets payloads from a cursor finds
	 * them complete.  0: there are no such records.
	 */
	uint32_t short_size;
};

/*
 * A set of types: ktrace_get_types() has that of a trace, ktrace_types_parse() (session.h)
 * makes one of the kernel's own description.
 */
struct ktrace_types;

KTRACE_API void ktrace_types_destroy(struct ktrace_types *types);
KTRACE_API size_t ktrace_types_count(const struct ktrace_types *types);
KTRACE_API const struct ktrace_type *ktrace_types_get(
	const struct ktrace_types *types, size_t index);
/* NULL: there is no such type.  Never a variant. */
KTRACE_API const struct ktrace_type *ktrace_types_find(
	const struct ktrace_types *types, uint32_t id);

/*
 * The layouts of the structs in captured fields: those whose ctype is
 * "__data_loc struct NAME[]", and the structs in them.
 */
struct ktrace_member {
	const char *name;
	const char *type; /* the name of a struct; NULL: not a struct */
	uint32_t offset;
	uint32_t size;
	bool is_signed;
};

struct ktrace_layout {
	const char *name;
	uint32_t size;
	uint32_t nr_members;
	const struct ktrace_member *members;
};

/* NULL: there is no such layout. */
KTRACE_API const struct ktrace_layout *ktrace_layout_find(
	const struct ktrace_types *types, const char *name);

/*
 * The type in the form of ftrace's format file, with a common header of 8 bytes
 * in front of its fields.  The caller frees it.  NULL: out of memory.
 */
KTRACE_API char *ktrace_type_format(const struct ktrace_type *type);

/* NULL: the type has no such field. */
KTRACE_API const struct ktrace_field *ktrace_field_find(
	const struct ktrace_type *type, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_TYPES_H */
