/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The type information (BTF) of the kernel and its modules: prototype.c has the prototypes
 * of tracepoints, signature.c those of functions.
 */
#ifndef KT_LIB_SESSION_PROTOTYPE_H
#define KT_LIB_SESSION_PROTOTYPE_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/table.h"
#include "base/text.h"
#include "btf_type.h"
#include "kernel/flags.h"
#include "namesakes.h"
#include "session.h"

struct prototype {
	const char *name;
	__u32 id; /* of the FUNC_PROTO */
};

struct prototype_list {
	struct prototype *list;
	size_t nr;
	size_t room;
	/* Each prototype of a name once.  It points into the list: no more may be added. */
	struct table by_name;
	bool ambiguous; /* a name has two prototypes */
};

/* The type information of the kernel, or of one module. */
struct type_base {
	char *module;
	struct btf *btf;
	struct prototype_list types;
	struct prototype_list names;
	struct prototype_list functions; /* empty until one is asked for */
	__u32 first;			 /* id of its own types */
};

struct prototypes {
	struct type_base *bases; /* the first is the kernel's */
	size_t nr;
	/* Does a name that several functions have tell a prototype? */
	enum {
		UNKNOWN,
		TRUSTED,
		NAMESAKES, /* not of these */
	} trust;
	int trust_error;
	struct namesakes kernel_namesakes, module_namesakes;
	const char *symbols; /* for tests; NULL: /proc/kallsyms */
	/* NULL until a copy is asked for, and if nothing is known of copies. */
	struct clones *clones;
	bool clones_searched;
	struct flags *flags; /* NULL until names are asked for */
};

int prototypes_base(struct prototypes *p, const char *module,
		    struct type_base **base);

/*
 * Modules may have been loaded since, or loaded anew: they are read when they are asked for.  What
 * was found before stays valid.
 */
void prototypes_forget_modules(struct prototypes *p);

/* Names of the bits of a C type (kernel/flags.h); they live as long as @p. */
const struct ktrace_names *prototypes_flags(struct prototypes *p,
					    const char *ctype);

int prototype_list_add(struct prototype_list *l, const char *name, __u32 id);
/* When all have been added: only then they are found.  0 or -ENOMEM. */
int prototype_list_index(struct prototype_list *l);
/* @after: NULL, or the one found before.  NULL: no other prototype has this name. */
const struct prototype *prototype_list_find(const struct prototype_list *l,
					    const char *name,
					    const struct prototype *after);
void prototype_list_free(struct prototype_list *l);

/*
 * The prototype of a function, and the type information that it belongs to; those of a copy are
 * valid until the next call (clones.h).  -ENOENT: there is none, or several functions of this name
 * have different ones.
 */
int signature_find(struct prototypes *p, const char *name, const char *module,
		   const struct btf **btf, const struct btf_type **proto);

#endif /* KT_LIB_SESSION_PROTOTYPE_H */
