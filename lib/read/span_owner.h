/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Who has spans open: found by a hash that whoever makes a trace cannot foresee, and in
 * lists, so that nobody has to look at all.
 */
#ifndef KT_LIB_READ_SPAN_OWNER_H
#define KT_LIB_READ_SPAN_OWNER_H

#include "base/table.h"
#include "cursor.h"
#include "span_rule.h"

#define NAME_ROOM 64

/* More than a recorder takes.  Spans of further users do not end when their threads end. */
#define SPAN_USERS 32

/* What a scope knows of a thread (span_scope.c). */
struct span_state {
	uint64_t outermost; /* serial of the call that began it */
	uint32_t depth;	    /* of calls that are not hidden */
	bool cut;	    /* in a function that is cut */
	bool within;	    /* in a call that roots must be within */
};

struct open_span {
	struct ktrace_span span; /* its strings are set when it is handed out */
	uint32_t type;		 /* of the begin: its id, for its role */
	enum span_lane lane;
	uint64_t keys[SPAN_KEYS];
	struct cursor_place place;
	uint64_t serial; /* counts all spans, in the order of their begins */
	uint64_t inside; /* ns in the frames directly inside it */
	uint64_t interrupted, slept; /* those of the owner, when it began */
	struct span_state state;     /* since it began */
	bool hidden;		     /* the scope leaves it out */
	char name[NAME_ROOM];
	char comm[KT_COMM_LEN + 1];
};

/* What owners are in, oldest first. */
enum owner_list {
	IN_KERNEL,   /* have spans of the kernel, */
	IN_PROGRAMS, /* or of programs: a list for each user */
	IN_REQUESTS, /* all of that kind */
	IN_EXECS, /* a thread that is not its process's first has begun an exec */
	LISTS_NR,
};

struct span_list {
	struct span_owner *oldest, *newest;
	size_t nr;
	size_t nr_open; /* of IN_KERNEL and IN_PROGRAMS: spans */
};

struct span_owner {
	enum ktrace_span_owner kind;
	/* Of which programs' list: 0: of users who are not known, n: of users[n - 1]. */
	uint32_t slot;
	uint64_t id[SPAN_KEYS];
	uint32_t tgid;
	uint32_t nr;
	uint32_t held[2]; /* of these: of the kernel, and of programs */
	uint32_t room;
	struct open_span *open; /* the innermost last */
	uint64_t interrupted;	/* ns until now (span_pause.c) */
	/* Requests under way that have one key: how many completions cannot be assigned. */
	uint32_t ambiguous;
	struct {
		struct span_owner *older, *newer;
		bool in;
	} links[LISTS_NR];
};

struct ktrace_spans {
	const struct ktrace_cursor *cursor;
	struct span_role *roles; /* by the type's id */
	size_t nr_roles;
	struct table owners; /* by owner_number() */
	uint64_t seed[SPAN_KEYS];
	struct span_list lists[LISTS_NR];	   /* but for IN_PROGRAMS */
	struct span_list programs[SPAN_USERS + 1]; /* by slot */
	size_t nr_open;
	uint64_t deaths; /* those of the cursor that have been seen */
	uint32_t users[SPAN_USERS]; /* whose programs have markers */
	uint32_t nr_users;
	struct open_span ended;
	uint64_t serial;
	struct table
		finished; /* of struct finished_calls, by thread: see span_frame.c */
	/* Of the last event, or NULL; the pointers are valid until the next event. */
	struct open_span *begun;
	struct open_span *caller; /* the frame around that, or around @ended */
	struct ktrace_span_counts counts[KTRACE_SPAN_NR];
	struct ktrace_span_scope
		scope;	     /* its function is NULL: there is none */
	bool hidden;	     /* the last event's call */
	unsigned int pauses; /* enum ktrace_span_pause */
	/*
	 * Told of each span that will not be paired, before it goes; NULL: nobody wants to know.
	 * @count: the one of its kind that says why.
	 */
	void (*dropped)(void *data, const struct open_span *open,
			const uint64_t *count);
	void *dropped_data;
	struct ktrace_span_counts hidden_counts;
};

void owners_init(struct ktrace_spans *spans);
void owners_destroy(struct ktrace_spans *spans);

/* NULL: there is none. */
struct span_owner *owner_find(const struct ktrace_spans *spans,
			      enum ktrace_span_owner kind, const uint64_t *id);
/* It must not be there; NULL: out of memory. */
struct span_owner *owner_create(struct ktrace_spans *spans,
				enum ktrace_span_owner kind,
				const uint64_t *id);
/* Forgets the owner if it has nothing open. */
void owner_put(struct ktrace_spans *spans, struct span_owner *owner);

/* That of the owner's user, if there is one for each. */
struct span_list *list_of(struct ktrace_spans *spans,
			  const struct span_owner *owner, enum owner_list list);
/* As the newest; it is not in the list. */
void list_link(struct ktrace_spans *spans, struct span_owner *owner,
	       enum owner_list list);
void list_unlink(struct ktrace_spans *spans, struct span_owner *owner,
		 enum owner_list list);
/* What it has open has changed: of the kernel, or of programs. */
void owner_relist(struct ktrace_spans *spans, struct span_owner *owner,
		  enum owner_list list);

/* The one on top of those that it has was filled in. */
void open_add(struct ktrace_spans *spans, struct span_owner *owner);
/* It will not be paired: @count says why. */
void open_drop(struct ktrace_spans *spans, struct span_owner *owner, uint32_t i,
	       uint64_t *count);

/* The innermost frame of the owner (NULL: none) that began before @serial.  NULL: none. */
struct open_span *owner_frame(const struct span_owner *owner, uint64_t serial);
/* The innermost interrupt of the event's CPU that began before.  NULL: none. */
struct open_span *interrupt_frame(const struct ktrace_spans *spans,
				  const struct ktrace_event *event,
				  uint64_t serial);
/*
 * The innermost frame in which the event's thread was when the frame @open of it, or of its
 * CPU, began.  NULL: none.
 */
struct open_span *frame_around(const struct ktrace_spans *spans,
			       const struct ktrace_event *event,
			       const struct open_span *open);
/* It has ended with the event: what is around it is told.  0 or -ENOMEM. */
int frame_end(struct ktrace_spans *spans, struct open_span *open,
	      const struct span_role *role, const struct ktrace_event *event);
/*
 * The event tells all of it.  Those inside it were told before.  0 or -ENOMEM.
 */
int frame_whole(struct ktrace_spans *spans, struct open_span *open,
		const struct span_role *role, const struct ktrace_event *event);
void frames_destroy(struct ktrace_spans *spans);

/* A call begins, which the owner does not have yet: is it hidden?  Of whole calls: it ends. */
void scope_enter(struct ktrace_spans *spans, const struct span_owner *owner,
		 struct open_span *open, const struct span_role *role,
		 const struct ktrace_event *event);

/* A span of the owner begins with the event. */
void pauses_begin(const struct ktrace_spans *spans,
		  const struct span_owner *owner, struct open_span *open,
		  const struct ktrace_event *event);
/* It has ended with the event: how long it took, without pauses. */
void pauses_end(struct ktrace_spans *spans, struct span_owner *owner,
		struct open_span *open, const struct ktrace_event *event);

/* There are markers of this user's programs. */
void user_note(struct ktrace_spans *spans, uint32_t user);
/* The owner of what programs of spans->users[@i] say of the thread; NULL: nothing. */
struct span_owner *owner_of_user(const struct ktrace_spans *spans, uint32_t tid,
				 uint32_t i);
/* Whose spans those of the kernel's events are on this CPU and in this thread. */
void owner_id_kernel(uint64_t id[SPAN_KEYS], enum ktrace_span_owner kind,
		     const struct ktrace_event *event);
/*
 * Whose spans an event's are.  Programs of each user have owners of their own: who says that he
 * is a thread cannot change what the thread has open.
 */
void owner_id(uint64_t id[SPAN_KEYS], enum ktrace_span_owner kind,
	      const struct ktrace_event *event, const uint64_t keys[SPAN_KEYS]);

/*
 * The CPU runs another thread now, so the handlers of its interrupts have ended, whether their ends
 * were recorded or not.  Soft interrupts stay: kernels for real-time take the CPU from them, too.
 */
void interrupts_end(struct ktrace_spans *spans, uint32_t cpu);

static inline struct ktrace_span_counts *counts_of(
	struct ktrace_spans *spans, const struct span_owner *owner, uint32_t i)
{
	const struct open_span *open = &owner->open[i];

	return open->hidden ? &spans->hidden_counts
			    : &spans->counts[open->span.kind];
}

#endif /* KT_LIB_READ_SPAN_OWNER_H */
