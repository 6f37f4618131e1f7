// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Stacks of events.  A trace has each stack once, in its file `stacks', and an event has the
 * number of the word where its stack begins (include/uapi/ktrace.h).
 *
 * The bytes are untrusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/stack_entry.h"
#include "demangle.h"
#include "trace.h"

#define STACKS_MAX (1ull << 30)

_Static_assert((int)KTRACE_STACK_COMPLETE == KT_STACK_COMPLETE &&
		       (int)KTRACE_STACK_UNKNOWN == KT_STACK_UNKNOWN &&
		       (int)KTRACE_STACK_MISSING == KT_STACK_END_NR,
	       "ends of stacks have one order");

int stacks_add(struct stack_table *stacks, const void *bytes, size_t size)
{
	uint8_t *more;

	if (size > STACKS_MAX - stacks->size)
		return -EFBIG;
	more = realloc(stacks->bytes, stacks->size + size + 1);
	if (!more)
		return -ENOMEM;
	stacks->bytes = more;
	memcpy(more + stacks->size, bytes, size);
	stacks->size += size;
	return 0;
}

/* Reads what the file has more than before. */
static void stacks_read(struct stack_table *stacks, int directory)
{
	int fd = file_open_plain(directory, "stacks", O_RDONLY);
	static const size_t part = 1 << 20;
	void *buffer;
	ssize_t n;

	if (fd < 0)
		return;
	buffer = malloc(part);
	if (buffer)
		do
			n = pread(fd, buffer, part, stacks->size);
		while (n > 0 && !stacks_add(stacks, buffer, n));
	free(buffer);
	close(fd);
}

/* ---- entries that are not stacks ------------------------------------------- */

/* Where the names of frames are, by frame. */
struct stack_name {
	uint64_t frame;
	size_t at;
	char *function; /* demangled, when it is asked for first */
};

/* What came of a stack that was deferred. */
struct stack_resolved {
	uint64_t deferred, id;
};

static int name_compare(const void *a, const void *b)
{
	const struct stack_name *x = a, *y = b;

	return (x->frame > y->frame) - (x->frame < y->frame);
}

static int resolved_compare(const void *a, const void *b)
{
	const struct stack_resolved *x = a, *y = b;

	return (x->deferred > y->deferred) - (x->deferred < y->deferred);
}

static void names_free(struct stack_table *stacks)
{
	for (size_t i = 0; i < stacks->nr_names; i++)
		free(stacks->names[i].function);
	stacks->nr_names = 0;
}

static bool name_add(struct stack_table *stacks,
		     const struct stack_entry *entry)
{
	struct stack_name *more =
		array_grow(stacks->names, stacks->nr_names, sizeof(*more));

	if (!more)
		return false;
	stacks->names = more;
	more[stacks->nr_names++] = (struct stack_name){
		.frame = stack_entry_word(entry, 0),
		.at = entry->words - stacks->bytes - sizeof(entry->head),
	};
	return true;
}

static bool resolved_add(struct stack_table *stacks,
			 const struct stack_entry *entry)
{
	struct stack_resolved *more = array_grow(
		stacks->resolved, stacks->nr_resolved, sizeof(*more));

	if (!more)
		return false;
	stacks->resolved = more;
	more[stacks->nr_resolved++] = (struct stack_resolved){
		.deferred = stack_entry_word(entry, 0),
		.id = stack_entry_word(entry, 1),
	};
	return true;
}

static bool is_stacks(const struct stack_table *stacks)
{
	struct kt_stacks head;

	if (stacks->size < sizeof(head))
		return false;
	memcpy(&head, stacks->bytes, sizeof(head));
	return head.magic == KT_STACKS_MAGIC && head.version == KT_ABI_VERSION;
}

/* They are between the stacks; if the file has grown, the new ones are looked for. */
static void entries_index(struct stack_table *stacks)
{
	size_t names = stacks->nr_names, resolved = stacks->nr_resolved;
	size_t at = stacks->indexed ?: sizeof(struct kt_stacks);
	struct stack_entry entry;
	bool room = true;

	if (!is_stacks(stacks))
		return;
	while (room &&
	       stack_entry_next(stacks->bytes, stacks->size, &at, &entry)) {
		if (entry.head.kind == KT_STACK_NAME &&
		    entry.head.frames >= 3 && entry.head.frames <= KT_STACK_MAX)
			room = name_add(stacks, &entry);
		else if (entry.head.kind == KT_STACK_RESOLVED &&
			 entry.head.frames == 2)
			room = resolved_add(stacks, &entry);
		if (room)
			stacks->indexed = at;
	}
	if (stacks->nr_names != names)
		qsort(stacks->names, stacks->nr_names, sizeof(*stacks->names),
		      name_compare);
	if (stacks->nr_resolved != resolved)
		qsort(stacks->resolved, stacks->nr_resolved,
		      sizeof(*stacks->resolved), resolved_compare);
}

/* ---- stacks ---------------------------------------------------------------- */

/* False: the table has no whole entry of this id. */
static bool entry_find(const struct stack_table *stacks, uint32_t id,
		       struct stack_entry *entry)
{
	size_t at = (size_t)id * sizeof(uint64_t);

	return is_stacks(stacks) &&
	       stack_entry_next(stacks->bytes, stacks->size, &at, entry);
}

/*
 * The id of the stack that was found when memory could be read, or else of that which was found
 * at once; *@resolved: the former.
 */
static uint32_t deferred_id(struct stack_table *stacks, uint32_t id,
			    const struct stack_entry *entry, bool *resolved)
{
	struct stack_resolved key = {.deferred = id}, *found;
	uint64_t number;

	entries_index(stacks);
	found = stacks->nr_resolved
			? bsearch(&key, stacks->resolved, stacks->nr_resolved,
				  sizeof(key), resolved_compare)
			: NULL;
	*resolved = found;
	number = found ? found->id : stack_entry_word(entry, 0);
	/* No stack has the number 0, so a senseless one is not found. */
	return number <= UINT32_MAX ? number : 0;
}

/* *@resolved: no more can be known of it later. */
static bool stack_find(struct stack_table *stacks, uint32_t id,
		       struct ktrace_stack *stack, bool *resolved)
{
	struct stack_entry entry;

	*resolved = true;
	if (!entry_find(stacks, id, &entry))
		return false;
	if (entry.head.kind == KT_STACK_DEFERRED && entry.head.frames == 2) {
		id = deferred_id(stacks, id, &entry, resolved);
		if (!entry_find(stacks, id, &entry))
			return false;
	}
	if ((entry.head.kind != KT_STACK_KERNEL &&
	     entry.head.kind != KT_STACK_USER &&
	     entry.head.kind != KT_STACK_BRANCHES &&
	     entry.head.kind != KT_STACK_INTERRUPTED) ||
	    entry.head.end >= KT_STACK_END_NR ||
	    entry.head.frames > KT_STACK_MAX)
		return false;
	stack->id = id;
	stack->branches = entry.head.kind == KT_STACK_BRANCHES;
	stack->user = entry.head.kind == KT_STACK_USER || stack->branches;
	stack->exact = entry.head.kind != KT_STACK_KERNEL;
	stack->nr = stack->branches ? kt_stack_branches(entry.head.frames) * 2
				    : entry.head.frames;
	stack->end = (enum ktrace_stack_end)entry.head.end;
	stack->addresses = (const uint64_t *)entry.words;
	return true;
}

unsigned int ktrace_type_stacks(const struct ktrace_type *type)
{
	return !!type_stack_field(type, KT_STACK_FIELD) +
	       !!type_stack_field(type, KT_USER_STACK_FIELD);
}

/*
 * The table is a cache: what it has not yet is read when it is needed; and once more at the end, where
 * the names are.
 */
static bool stack_get(struct ktrace *trace, uint32_t id,
		      struct ktrace_stack *stack)
{
	struct stack_table *stacks = &trace->stacks;
	bool resolved, found = stack_find(stacks, id, stack, &resolved);

	if ((found && resolved && trace->info.live) || trace->directory < 0 ||
	    stacks->whole)
		return found;
	/* The bytes move when there are more. */
	*stack = (struct ktrace_stack){.id = id, .end = KTRACE_STACK_DAMAGED};
	stacks_read(stacks, trace->directory);
	stacks->whole = !trace->info.live;
	return stack_find(stacks, id, stack, &resolved);
}

bool trace_stack(const struct ktrace *const_trace, uint32_t id, bool branches,
		 struct ktrace_stack *stack)
{
	struct ktrace *trace = (struct ktrace *)const_trace;

	*stack = (struct ktrace_stack){
		.id = id,
		.end = id ? KTRACE_STACK_DAMAGED : KTRACE_STACK_MISSING,
	};
	if (!id)
		return false;
	if (stack_get(trace, id, stack) && stack->branches == branches)
		return true;
	*stack = (struct ktrace_stack){.id = id, .end = KTRACE_STACK_DAMAGED};
	if (!trace->stacks.warned)
		trace_warn(trace, "stacks of events are missing: the file "
				  "`stacks' is damaged or incomplete");
	trace->stacks.warned = true;
	return false;
}

bool ktrace_stack_find(const struct ktrace *trace, uint32_t id,
		       struct ktrace_stack *stack)
{
	return trace_stack(trace, id, false, stack);
}

static bool event_stack(const struct ktrace *trace,
			const struct ktrace_event *event, const char *name,
			struct ktrace_stack *stack)
{
	const struct ktrace_field *field = type_stack_field(event->type, name);
	uint32_t id = field ? ktrace_field_int(event, field) : KT_STACK_UNASKED;

	if (id == KT_STACK_UNASKED)
		return false;
	trace_stack(trace, id, false, stack);
	return true;
}

bool ktrace_event_stack(const struct ktrace *trace,
			const struct ktrace_event *event,
			struct ktrace_stack *stack)
{
	return event_stack(trace, event, KT_STACK_FIELD, stack);
}

bool ktrace_event_user_stack(const struct ktrace *trace,
			     const struct ktrace_event *event,
			     struct ktrace_stack *stack)
{
	return event_stack(trace, event, KT_USER_STACK_FIELD, stack);
}

/* ---- names of programs' frames -------------------------------------------- */

int trace_name_early(struct ktrace *trace, const void *bytes, size_t size)
{
	static const struct kt_stacks head = {KT_STACKS_MAGIC, KT_ABI_VERSION};
	struct stack_table *names = &trace->early_names;
	int err = names->size ? 0 : stacks_add(names, &head, sizeof(head));

	return err ?: stacks_add(names, bytes, size);
}

/* A text of an entry, if it ends in it; moves behind it. */
static const char *text_take(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', end - text);

	if (!nul)
		return NULL;
	*at = nul + 1;
	return *text ? text : NULL;
}

/* The function as people read it.  It belongs to @name, or is @symbol itself. */
static const char *name_function(struct stack_name *name, const char *symbol)
{
	char text[DEMANGLED_MAX];

	if (symbol && !name->function)
		name->function = strdup(demangle(symbol, text) ? text : symbol);
	return name->function ?: symbol;
}

/* What is known of a frame: the texts of its entry. */
struct stack_texts {
	struct stack_name *name;
	uint64_t behind; /* the beginning of the function */
	const char *symbol, *file;
	const char *at, *end; /* positions and inlined functions */
};

static struct stack_name *name_find(const struct stack_table *stacks,
				    uint64_t frame)
{
	struct stack_name key = {.frame = frame};

	return stacks->nr_names ? bsearch(&key, stacks->names, stacks->nr_names,
					  sizeof(key), name_compare)
				: NULL;
}

/* A place that is also behind a call has a name of its own as an instruction. */
static bool texts_find_in(struct stack_table *names, uint64_t frame, bool exact,
			  struct stack_texts *texts)
{
	struct kt_stack head;

	entries_index(names);
	texts->name = exact ? name_find(names, frame | KT_FRAME_GUESS) : NULL;
	if (!texts->name)
		texts->name = name_find(names, frame);
	if (!texts->name)
		return false;
	texts->at = (const char *)names->bytes + texts->name->at;
	memcpy(&head, texts->at, sizeof(head));
	texts->end = texts->at + sizeof(head) + head.frames * sizeof(uint64_t);
	texts->at += sizeof(head) + sizeof(uint64_t);
	memcpy(&texts->behind, texts->at, sizeof(texts->behind));
	texts->at += sizeof(uint64_t);
	texts->symbol = text_take(&texts->at, texts->end);
	texts->file = text_take(&texts->at, texts->end);
	return true;
}

/* Branches that are events have no id, and a table of names of their own. */
static bool texts_find(const struct ktrace *const_trace,
		       const struct ktrace_stack *stack, uint32_t index,
		       struct stack_texts *texts)
{
	struct ktrace *trace = (struct ktrace *)const_trace;
	uint64_t frame = stack->addresses[index] & ~KT_FRAME_GUESS;
	bool exact = stack->branches || (stack->exact && !index);

	if (stack->branches && !stack->id)
		return texts_find_in(&trace->woven_names, frame, exact, texts);
	return texts_find_in(&trace->stacks, frame, exact, texts) ||
	       texts_find_in(&trace->early_names, frame, exact, texts);
}

/*
 * The next inlined function, outward; it is at @position, which becomes that of its call.  NULL:
 * there are no more.
 */
static const char *inlined_take(struct stack_texts *texts,
				const char **position)
{
	const char *function = text_take(&texts->at, texts->end);

	if (function)
		*position = text_take(&texts->at, texts->end);
	return function;
}

void ktrace_stack_frame(const struct ktrace *trace,
			const struct ktrace_stack *stack, uint32_t index,
			struct ktrace_stack_frame *place)
{
	uint64_t word = stack->addresses[index];
	struct stack_texts texts;

	*place = (struct ktrace_stack_frame){
		.offset = word & KT_FRAME_PLACE_MASK,
		.address = word & KT_FRAME_PLACE_MASK,
		.guess = word & KT_FRAME_GUESS,
	};
	if (!texts_find(trace, stack, index, &texts))
		return;
	place->symbol = texts.symbol;
	place->file = texts.file;
	place->function = name_function(texts.name, place->symbol);
	if (place->function)
		place->offset = texts.behind;
	place->source = text_take(&texts.at, texts.end);
	while (place->inlined < KTRACE_INLINED_MAX &&
	       inlined_take(&texts, &place->source))
		place->inlined++;
}

void ktrace_stack_inlined(const struct ktrace *trace,
			  const struct ktrace_stack *stack, uint32_t index,
			  uint32_t nr, struct ktrace_stack_frame *place)
{
	struct stack_table *stacks = (struct stack_table *)&trace->stacks;
	char text[DEMANGLED_MAX];
	struct stack_texts texts;
	const char *next;

	*place = (struct ktrace_stack_frame){
		.address = stack->addresses[index] & KT_FRAME_PLACE_MASK,
		.guess = stack->addresses[index] & KT_FRAME_GUESS,
	};
	if (!texts_find(trace, stack, index, &texts))
		return;
	place->file = texts.file;
	next = text_take(&texts.at, texts.end);
	do {
		place->source = next;
		place->symbol = inlined_take(&texts, &next);
	} while (nr-- && place->symbol);
	if (!place->symbol)
		return;
	free(stacks->inlined);
	stacks->inlined = demangle(place->symbol, text) ? strdup(text) : NULL;
	place->function = stacks->inlined ?: place->symbol;
}

/* ---- ends ------------------------------------------------------------------ */

const char *ktrace_stack_end_text(enum ktrace_stack_end end)
{
	static const char *const texts[] = {
		[KTRACE_STACK_TRUNCATED] = "there are more frames",
		[KTRACE_STACK_NO_TABLE] = "no table has this function",
		[KTRACE_STACK_HOOKED] =
			"a tracer has replaced the return address",
		[KTRACE_STACK_BROKEN] = "the next frame is on no stack",
		[KTRACE_STACK_ABSENT] = "page not present",
		[KTRACE_STACK_NO_RULE] = "no rule for this place",
		[KTRACE_STACK_CORRUPT] = "the next frame is not above",
		[KTRACE_STACK_NO_MAPS] = "mappings not known yet",
		[KTRACE_STACK_CONTEXT] = "the program cannot be read here",
		[KTRACE_STACK_EXEC] =
			"no stack: the program is being replaced (exec)",
		[KTRACE_STACK_MISSING] = "no stack: there was no room for it",
		[KTRACE_STACK_DAMAGED] = "no stack: the trace is damaged",
	};

	return end < sizeof(texts) / sizeof(*texts) ? texts[end] : NULL;
}

void stacks_free(struct stack_table *stacks)
{
	names_free(stacks);
	free(stacks->names);
	free(stacks->resolved);
	free(stacks->inlined);
	free(stacks->bytes);
}
