/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Records of one kind of event, from both tracers.
 *
 * Both tracers describe fields in the same way.  These are ftrace's fields.  Each must be
 * among ours, but may have another offset and be narrower.
 */
#ifndef KT_TESTS_ORACLE_H
#define KT_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FTRACE_HEADER 8
#define CPUS_MAX      64

/* The place of a field in a payload. */
struct place {
	unsigned int offset;
	unsigned int size;
};

struct field {
	char *name;
	struct place ftrace;
	struct place ktrace;
	bool dynamic; /* __data_loc */
	bool string;  /* ends with a NUL */
	bool array;
	bool is_signed; /* of an array: its elements are */
};

/* A payload; offsets count from its begin.  Its memory is not freed. */
struct record {
	uint64_t time;
	const uint8_t *payload;
	uint32_t size;
};

struct records {
	struct record *all;
	size_t nr;
	size_t room;
};

struct kind {
	char *system;
	char *name;
	unsigned int ftrace_id;
	unsigned int ktrace_id;
	bool dynamic;
	unsigned int size; /* of the fixed part */
	struct field *fields;
	unsigned int nr_fields;
	struct records ftrace[CPUS_MAX];
	struct records ktrace[CPUS_MAX];
};

struct result {
	size_t compared;
	size_t strings;
	size_t reordered;
	size_t changed; /* equal, except for volatile fields */
	size_t different;
	uint64_t distance; /* largest, of an event's two times */
};

extern struct kind *kinds;
extern unsigned int nr_kinds;

void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
char *read_file(const char *path); /* NULL: cannot be read */
void write_file(const char *path, const char *text);
void records_add(struct records *records, uint64_t time, const uint8_t *payload,
		 uint32_t size);

bool kind_read(struct kind *kind, const char *system, const char *name);
void ftrace_read(void);
void ktrace_read(void);
void kind_compare(const struct kind *kind, unsigned int cpu,
		  struct result *result);

#endif /* KT_TESTS_ORACLE_H */
