/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are defined at run time, by lines of a file in the root of the control tree:
 *
 *	SYSTEM/EVENT PLACE; KIND CTYPE NAME [= VALUE]; KIND CTYPE NAME [= VALUE] ...
 *	!SYSTEM/EVENT
 *
 * A source says what PLACE and VALUE are: tracepoints (define.c).  KIND is how the field is
 * recorded: u8 .. u64, s8 .. s64 or ptr.  CTYPE is its type in C, which is only shown.  The second
 * form removes the event.
 *
 * What is written through an open file may be held by it: then it goes when that file is closed,
 * as after the death of a program.
 *
 * A write may have many lines; if one is refused, none takes effect.  So all lines are
 * checked, and all memory is allocated, before anything changes.
 *
 * All is protected by kt_mutex.
 */
#ifndef KT_KERNEL_SOURCE_DEFINITION_H
#define KT_KERNEL_SOURCE_DEFINITION_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/moduleparam.h>

#include <ktrace.h>

#include "event/event.h"

struct file;
struct kt_session;
struct seq_file;

/* The source's own struct begins with it. */
struct kt_definition {
	struct list_head node;	/* in kt_definitions.list, or in change.added */
	struct list_head going; /* in change.removed; else empty */
	struct hlist_node named;   /* in kt_definitions.names */
	struct kt_entry *entry;	   /* NULL: it may still be refused */
	const struct file *holder; /* only compared; NULL: none */
	struct kt_event event;
	struct kt_class class;
	struct kt_field fields[KT_DEFINITION_FIELDS];
	char module[MODULE_NAME_LEN]; /* that event.module points to */
	char *text;		      /* as written */
	char *names; /* a copy of text, cut into strings; names point into it */
	char *print;
};

struct kt_definitions {
	struct kt_source *source;
	size_t size;		/* of the source's own struct */
	const char *place_name; /* what messages call PLACE */
	/* Parses PLACE.  The text stays: it is part of definition->names. */
	int (*place)(struct kt_session *session,
		     struct kt_definition *definition, char *text);
	/* Parses VALUE of the last field.  NULL: fields have none. */
	int (*value)(struct kt_session *session,
		     struct kt_definition *definition, char *text);
	/* Shows the definition's line, if that is not the text.  May be NULL. */
	void (*show)(struct seq_file *m,
		     const struct kt_definition *definition);
	/* Sets what is left of the class, when there are all fields. */
	int (*complete)(struct kt_session *session,
			struct kt_definition *definition);
	/* Gives back what the source's own struct holds.  May be NULL. */
	void (*end)(struct kt_definition *definition);

	struct list_head list;
	/* Those of the list, and those that are being added, by the event's name. */
	DECLARE_HASHTABLE(names, 10);
	struct kt_event_set set;
};

#define KT_DEFINITIONS(name, _source, _size)  \
	.source = (_source), .size = (_size), \
	.list = LIST_HEAD_INIT((name).list),  \
	.set = {                              \
		.owner = THIS_MODULE,         \
	}

/* @holder: of what is added; NULL: none.  What is removed may have any. */
int kt_definitions_write(struct kt_definitions *definitions,
			 struct kt_session *session, const struct file *holder,
			 char *text);
/* @held: only those that have a holder. */
void kt_definitions_show(struct seq_file *m,
			 const struct kt_definitions *definitions, bool held);
/* When @holder is closed.  Another file may have its address afterwards. */
void kt_definitions_release(struct kt_definitions *definitions,
			    const struct file *holder);
/* When the source goes. */
void kt_definitions_clear(struct kt_definitions *definitions);

#endif /* KT_KERNEL_SOURCE_DEFINITION_H */
