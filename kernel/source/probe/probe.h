/* SPDX-License-Identifier: GPL-2.0-only */
/* An event of a probe: what its line says, and what it is in a session. */
#ifndef KT_KERNEL_SOURCE_PROBE_H
#define KT_KERNEL_SOURCE_PROBE_H

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/list.h>

#include "compat/uprobe.h"
#include "event/event.h"
#include "fetch.h"
#include "place.h"
#include "program_place.h"
#include "source/define/definition.h"

/* Why hits are missed. */
enum miss {
	MISS_NESTED,
	MISS_OPEN,
	MISS_IDLE,
	MISSES,
};

struct kt_session;
struct module;
struct pool;
struct probe;
struct probing;
struct return_slot;
struct seq_file;

/* What differs by whose code a place is in. */
struct probe_code {
	/*
	 * Those of the list that are not armed, in code of this kind: 0, or refused with the
	 * reason.  Then those that are armed nevertheless are to be taken away.  May wait.
	 */
	int (*arm)(struct list_head *probes);
	/* Takes those of the list away that are armed, in code of this kind, and waits for hits. */
	void (*disarm)(struct list_head *probes);
	u64 (*missed)(const struct probe *probe, enum miss reason);
	/* Of one that is armed, "0xADDRESS WAY".  False: it is not, after all. */
	bool (*show)(struct seq_file *m, const struct probe *probe);
};

/* What a session has counted of an event, as long as both are there. */
struct probe_count {
	struct list_head node;	       /* of the session's counts */
	struct hlist_node event;       /* of the definition's counts */
	const struct probing *probing; /* the session's state */
	const struct probe_definition *definition;
	const struct probe *probe; /* it is attached; NULL: it is not */
	/* Of those that have gone. */
	u64 hits;
	u64 missed[MISSES];
};

struct probe_definition {
	struct kt_definition definition;
	struct hlist_head
		counts;	  /* one for each session that has attached it */
	const char *text; /* the place, as written */
	const struct probe_code *code;
	union {
		struct place kernel;
		struct program_place program;
	};
	bool returns;
	bool reads; /* memory */
	struct fetch fetches[KT_DEFINITION_FIELDS];
};

/* An event in a session. */
struct probe {
	struct list_head
		node; /* of the session's probes, or of those that are going */
	struct kt_enabled *enabled;
	const struct probe_definition *definition;
	struct probe_count *count;
	bool armed;
	bool registered; /* the kernel has its kprobe */
	bool stuck;	 /* the kernel cannot take it away */
	bool waits;	 /* for its module */
	char *refusal; /* why it was not armed when its module came; NULL: it was */
	u64 before[MISSES];	      /* missed before its module went */
	unsigned long __percpu *hits; /* those of idle, too */
	bool returns;
	bool quick; /* it records registers alone */
	atomic64_t
		idle; /* hits, or calls whose return is wanted, while RCU did not see the CPU */
	unsigned long
		location; /* where ftrace calls: of those of entries.c; 0: it is none */
	atomic64_t nested; /* of those of entries.c */
	struct {
		struct pool *pool; /* NULL: none, or it was given back */
		struct return_slot *slot;
		struct rethook *returns;
		atomic64_t open; /* missed: too many */
	} hooked;		 /* a return, but a kretprobe's: returns.h */
	union {
		struct kprobe entry;
		struct kretprobe exit; /* where rethook cannot be used */
		struct {
			struct uprobe_consumer consumer;
			struct kt_uprobe uprobe;
			atomic64_t open; /* calls that were not hooked */
		} program;
	};
};

extern const struct probe_code kernel_code, program_code;

/* Arms those of the list that have waited for a module. */
void kernel_module_came(struct list_head *probes, const struct module *module);
/*
 * Takes those away that are in a module, or only those in the code with which it begins; they wait
 * for it again.
 */
void kernel_module_goes(struct list_head *probes, const struct module *module,
			bool all);

/*
 * Follows modules.  @of: the probes of a session; NULL: it never had any.  0 or an error.
 */
int modules_init(struct list_head *(*of)(const struct kt_session *session));
void modules_exit(void);

#endif /* KT_KERNEL_SOURCE_PROBE_H */
