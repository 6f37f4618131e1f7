// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See program_names.h.
 *
 * Each file is opened once more, by its path: so no descriptor is kept for each of many
 * files, but only for those to which the path did not lead when they were mapped.  If it leads to
 * another file by now, as the build id tells, functions have no names; their file and offset are
 * told anyway.
 */
#include <errno.h>
#include <ktrace.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/stack_entry.h"
#include "program_functions.h"
#include "program_names.h"

#define TEXT_MAX ((KT_STACK_MAX - 2) * sizeof(uint64_t))
/* Of a path, so that half of the text at least is for the function. */
#define PATH_SHOWN (TEXT_MAX / 2 - 1)

/* ---- frames --------------------------------------------------------------- */

/*
 * Without their guess bit, frames are moved up by one bit.  Then bit 0 tells that the frame is the
 * instruction itself, and not behind a call: where a stack begins, and the ends of branches.
 */
struct frames {
	uint64_t *words;
	size_t nr, room;
};

static int word_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts them, and keeps each once. */
static void frames_once(struct frames *f)
{
	size_t kept = 0;

	if (f->nr)
		qsort(f->words, f->nr, sizeof(*f->words), word_compare);
	for (size_t i = 0; i < f->nr; i++)
		if (!kept || f->words[i] != f->words[kept - 1])
			f->words[kept++] = f->words[i];
	f->nr = kept;
}

/* Makes room for one more: much may be the same.  False: no memory. */
static bool frames_grow(struct frames *f)
{
	uint64_t *more;

	frames_once(f);
	if (f->nr * 2 < f->room)
		return true;
	f->room = f->room ? f->room * 2 : 4096;
	more = realloc(f->words, f->room * sizeof(*more));
	if (!more)
		return false;
	f->words = more;
	return true;
}

static int frame_add(struct frames *f, uint64_t word, bool begins)
{
	word &= ~KT_FRAME_GUESS;
	if (!(word >> KT_FRAME_FILE_SHIFT))
		return 0;
	if (f->nr == f->room && !frames_grow(f))
		return -ENOMEM;
	f->words[f->nr++] = word << 1 | begins;
	return 0;
}

/* From @at on. */
static int frames_find(struct frames *f, const uint8_t *stacks, size_t size,
		       size_t at)
{
	struct stack_entry entry;
	unsigned int nr;
	int err = 0;

	while (!err && stack_entry_next(stacks, size, &at, &entry)) {
		nr = stack_entry_frames(&entry);
		/* Branches are instructions, all of them. */
		for (unsigned int i = 0; !err && i < nr; i++)
			err = frame_add(f, stack_entry_word(&entry, i),
					!i || entry.head.kind ==
							KT_STACK_BRANCHES);
	}
	frames_once(f);
	return err;
}

/* Takes off those that are in @named. */
static void frames_subtract(struct frames *f, const struct frames *named)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->nr; i++)
		if (!named->nr ||
		    !bsearch(&f->words[i], named->words, named->nr,
			     sizeof(*f->words), word_compare))
			f->words[kept++] = f->words[i];
	f->nr = kept;
}

/* Behind those that are there. */
static int frames_append(struct frames *f, const uint64_t *words, size_t nr)
{
	uint64_t *more;

	if (f->room - f->nr < nr) {
		f->room = f->nr + nr + f->nr / 2;
		more = realloc(f->words, f->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->words = more;
	}
	if (nr)
		memcpy(f->words + f->nr, words, nr * sizeof(*words));
	f->nr += nr;
	return 0;
}

/* ---- entries -------------------------------------------------------------- */

struct entry {
	struct kt_stack head;
	uint64_t frame, behind;
	char text[TEXT_MAX];
};

/* A name that is too long is cut. */
static size_t text_add(struct entry *entry, size_t at, const char *text,
		       size_t max)
{
	size_t length = strnlen(text, max);

	memcpy(entry->text + at, text, length);
	entry->text[at + length] = '\0';
	return at + length + 1;
}

static size_t places_add(const struct program_functions *functions,
			 uint64_t offset, uint64_t back, char *text,
			 size_t room)
{
	uint64_t address;

	return functions->places && program_address(functions, offset - back,
						    &address)
		       ? source_place_texts(functions->places, address, text,
					    room)
		       : 0;
}

/* Begins an entry; @name: NULL: not known.  Returns the length of its texts. */
static size_t entry_begin(struct entry *entry, uint64_t frame, const char *name,
			  const struct program_file *file)
{
	size_t length;

	memset(entry, 0, sizeof(*entry));
	entry->frame = frame;
	length = text_add(entry, 0, name ? name : "",
			  TEXT_MAX - strnlen(file->path, PATH_SHOWN) - 2);
	return text_add(entry, length, file->path, PATH_SHOWN);
}

/* @length: of its texts.  Returns its size. */
static size_t entry_end(struct entry *entry, size_t length)
{
	length = (length + sizeof(uint64_t) - 1) / sizeof(uint64_t);
	entry->head.frames = 2 + length;
	entry->head.kind = KT_STACK_NAME;
	return sizeof(entry->head) + entry->head.frames * sizeof(uint64_t);
}

/* The frames of one file, behind each other. */
struct run {
	const struct program_file *file;
	const uint64_t *words;
	size_t nr;
	bool early;
};

static bool is_exact(const struct run *run, size_t index)
{
	return run->words[index] & 1;
}

static uint64_t offset_of(const struct run *run, size_t index)
{
	return run->words[index] >> 1 & KT_FRAME_PLACE_MASK;
}

/* A place that is behind a call, too, has two entries; early, each may be such a place. */
static uint64_t frame_of(const struct run *run, size_t index)
{
	uint64_t frame = run->words[index] >> 1;
	bool twice =
		is_exact(run, index) &&
		(run->early || (index && run->words[index - 1] >> 1 == frame));

	return frame | (twice ? KT_FRAME_GUESS : 0);
}

static size_t entry_make(struct entry *entry, const struct run *run,
			 size_t index,
			 const struct program_functions *functions)
{
	uint64_t offset = offset_of(run, index), behind = 0;
	bool back = !is_exact(run, index);
	const char *name =
		program_function_find(functions, offset, back, &behind);
	size_t length =
		entry_begin(entry, frame_of(run, index), name, run->file);

	entry->behind = behind;
	length += places_add(functions, offset, back, entry->text + length,
			     TEXT_MAX - length);
	return entry_end(entry, length);
}

/* ---- all of them ---------------------------------------------------------- */

/* Files that stay open. */
#define EARLY_FILES 16
/* Between two times that code is asked for: and more, if that takes long. */
#define CODE_PAUSE_NS 1000000000ull
#define CODE_SHARE    9

struct early_file {
	uint32_t number; /* 0: none */
	struct program_functions functions;
};

struct program_names_early {
	struct frames named, later;
	struct early_file files[EARLY_FILES];
	size_t next; /* its place is taken */
	uint64_t code_at;
};

static int named_add(struct program_names_early *early, const struct run *run,
		     size_t first, size_t nr)
{
	return frames_append(&early->named, run->words + first, nr);
}

static int later_add(struct program_names_early *early, const struct run *run,
		     size_t first, size_t nr)
{
	return frames_append(&early->later, run->words + first, nr);
}

struct names {
	struct program_tables *tables;
	struct frames frames;
	struct program_names_early *early; /* NULL: there are no more */
	struct entry entry;
	size_t left;	    /* functions of code that was made */
	int missing;	    /* 0, or why names of some files are */
	uint64_t code_took; /* ns */
	int (*put)(void *data, const void *bytes, size_t size);
	void *data;
};

static struct run run_find(const struct names *names, size_t first)
{
	const uint64_t *words = names->frames.words + first;
	size_t number = words[0] >> 1 >> KT_FRAME_FILE_SHIFT;
	struct run run = {.words = words, .early = names->early != NULL};

	while (first + run.nr < names->frames.nr &&
	       words[run.nr] >> 1 >> KT_FRAME_FILE_SHIFT == number)
		run.nr++;
	if (number < names->tables->nr)
		run.file = names->tables->files[number];
	return run;
}

static int entries_put(struct names *names, const struct run *run,
		       const struct program_functions *functions)
{
	size_t length;
	int err = 0;

	for (size_t i = 0; !err && i < run->nr; i++) {
		length = entry_make(&names->entry, run, i, functions);
		err = names->put(names->data, &names->entry, length);
	}
	return err;
}

static int file_put(struct names *names, const struct run *run)
{
	struct program_functions functions;
	int err;

	names->tables->nr_unkept += run->file->kept < 0;
	program_functions_open(&functions, run->file, names->tables->servers);
	err = entries_put(names, run, &functions);
	if (functions.err)
		names->missing = functions.err;
	program_functions_close(&functions);
	return err;
}

/* The file in which a process tells what code it makes: such processes map it. */
static const char *dump_find(const struct program_tables *tables,
			     const struct jit_process *maker)
{
	const struct program_file *file;
	const char *base;
	char name[32];

	snprintf(name, sizeof(name), "jit-%d.dump", (int)maker->named);
	for (size_t i = 0; i < tables->nr; i++) {
		file = tables->files[i];
		base = file && file->pid == maker->pid
			       ? strrchr(file->path, '/')
			       : NULL;
		if (base && !strcmp(base + 1, name))
			return file->path;
	}
	return NULL;
}

static int code_put(struct names *names, const struct run *run)
{
	struct jit_frame *frames = calloc(run->nr, sizeof(*frames));
	const struct jit_process *maker = &run->file->maker;
	struct entry *entry = &names->entry;
	size_t length;
	int err = frames ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < run->nr; i++)
		frames[i].address = offset_of(run, i) - !is_exact(run, i);
	if (!err && maker->pid)
		jit_names_find(maker, dump_find(names->tables, maker), frames,
			       run->nr, &names->left);
	for (size_t i = 0; !err && i < run->nr; i++) {
		if (names->early && !frames[i].name) {
			err = later_add(names->early, run, i, 1);
			continue;
		}
		length = entry_begin(entry, frame_of(run, i), frames[i].name,
				     run->file);
		if (frames[i].name)
			entry->behind = offset_of(run, i) - frames[i].begin;
		err = names->put(names->data, entry, entry_end(entry, length));
		if (!err && names->early)
			err = named_add(names->early, run, i, 1);
	}
	for (size_t i = 0; frames && i < run->nr; i++)
		free(frames[i].name);
	free(frames);
	return err;
}

/* @at: where the first entry begins. */
static int frames_put(struct names *names, const void *stacks, size_t size,
		      size_t at,
		      int (*run_put)(struct names *names,
				     const struct run *run))
{
	struct run run;
	int err = frames_find(&names->frames, stacks, size, at);

	if (names->early)
		frames_subtract(&names->frames, &names->early->named);
	for (size_t i = 0; !err && i < names->frames.nr; i += run.nr) {
		run = run_find(names, i);
		err = run_put(names, &run);
	}
	free(names->frames.words);
	return err;
}

static struct names *names_begin(struct program_tables *tables,
				 int (*put)(void *data, const void *bytes,
					    size_t size),
				 void *data)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	tables->nr_unkept = 0;
	names->tables = tables;
	names->left = JIT_FUNCTIONS_MAX;
	names->put = put;
	names->data = data;
	return names;
}

static int run_put_last(struct names *names, const struct run *run)
{
	if (!run->file)
		return 0;
	return run->file->code ? code_put(names, run) : file_put(names, run);
}

int program_names(struct program_tables *tables, const void *stacks,
		  size_t size,
		  int (*put)(void *data, const void *bytes, size_t size),
		  void *data)
{
	struct names *names = names_begin(tables, put, data);
	int err;

	if (!names)
		return -ENOMEM;
	err = frames_put(names, stacks, size, sizeof(struct kt_stacks),
			 run_put_last)
		      ?: names->missing;
	free(names);
	return err;
}

/* ---- while a recording goes on ---------------------------------------------- */

struct program_names_early *program_names_early_create(void)
{
	return calloc(1, sizeof(struct program_names_early));
}

void program_names_early_destroy(struct program_names_early *early)
{
	if (!early)
		return;
	for (size_t i = 0; i < EARLY_FILES; i++)
		if (early->files[i].number)
			program_functions_close(&early->files[i].functions);
	free(early->named.words);
	free(early->later.words);
	free(early);
}

/* Open, also for the next call.  NULL: too many files are open. */
static struct program_functions *functions_early(
	struct program_names_early *early, const struct program_file *file)
{
	struct early_file *open;

	for (size_t i = 0; i < EARLY_FILES; i++)
		if (early->files[i].number == file->number)
			return &early->files[i].functions;
	open = &early->files[early->next++ % EARLY_FILES];
	if (open->number)
		program_functions_close(&open->functions);
	program_functions_open(&open->functions, file, NULL);
	open->number = open->functions.err ? 0 : file->number;
	if (open->number)
		return &open->functions;
	program_functions_close(&open->functions);
	return NULL;
}

static int file_put_early(struct names *names, const struct run *run)
{
	const struct program_functions *functions =
		functions_early(names->early, run->file);

	if (!functions)
		return later_add(names->early, run, 0, run->nr);
	return entries_put(names, run, functions)
		       ?: named_add(names->early, run, 0, run->nr);
}

/* What code a program has made, it may tell later, and in a file of any size. */
static int code_put_early(struct names *names, const struct run *run)
{
	struct program_names_early *early = names->early;
	uint64_t began = now_ns();
	int err;

	if (began < early->code_at)
		return later_add(early, run, 0, run->nr);
	err = code_put(names, run);
	names->code_took += now_ns() - began;
	return err;
}

static int run_put_early(struct names *names, const struct run *run)
{
	/* It is told of soon. */
	if (!run->file)
		return later_add(names->early, run, 0, run->nr);
	return run->file->code ? code_put_early(names, run)
			       : file_put_early(names, run);
}

int program_names_early(struct program_names_early *early,
			struct program_tables *tables, const void *bytes,
			size_t size,
			int (*put)(void *data, const void *bytes, size_t size),
			void *data)
{
	struct names *names = names_begin(tables, put, data);
	size_t named = early->named.nr;
	int err;

	if (!names)
		return -ENOMEM;
	names->early = early;
	/* Those from before are with the new ones. */
	names->frames = early->later;
	early->later = (struct frames){0};
	err = frames_put(names, bytes, size, 0, run_put_early);
	if (early->named.nr != named)
		frames_once(&early->named);
	if (names->code_took)
		early->code_at = now_ns() + CODE_PAUSE_NS +
				 names->code_took * CODE_SHARE;
	free(names);
	return err;
}
