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

static int frames_find(struct frames *f, const uint8_t *stacks, size_t size)
{
	size_t at = sizeof(struct kt_stacks);
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
};

static bool is_exact(const struct run *run, size_t index)
{
	return run->words[index] & 1;
}

static uint64_t offset_of(const struct run *run, size_t index)
{
	return run->words[index] >> 1 & KT_FRAME_PLACE_MASK;
}

/* A place that is behind a call, too, has two entries. */
static uint64_t frame_of(const struct run *run, size_t index)
{
	uint64_t frame = run->words[index] >> 1;
	bool twice = is_exact(run, index) && index &&
		     run->words[index - 1] >> 1 == frame;

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

struct names {
	struct program_tables *tables;
	struct frames frames;
	struct entry entry;
	size_t left; /* functions of code that was made */
	int missing; /* 0, or why names of some files are */
	int (*put)(void *data, const void *bytes, size_t size);
	void *data;
};

static struct run run_find(const struct names *names, size_t first)
{
	const uint64_t *words = names->frames.words + first;
	size_t number = words[0] >> 1 >> KT_FRAME_FILE_SHIFT;
	struct run run = {.words = words};

	while (first + run.nr < names->frames.nr &&
	       words[run.nr] >> 1 >> KT_FRAME_FILE_SHIFT == number)
		run.nr++;
	if (number < names->tables->nr)
		run.file = names->tables->files[number];
	return run;
}

static int file_put(struct names *names, const struct run *run)
{
	struct program_functions functions;
	size_t length;
	int err = 0;

	names->tables->nr_unkept += run->file->kept < 0;
	program_functions_open(&functions, run->file, names->tables->servers);
	for (size_t i = 0; !err && i < run->nr; i++) {
		length = entry_make(&names->entry, run, i, &functions);
		err = names->put(names->data, &names->entry, length);
	}
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
		length = entry_begin(entry, frame_of(run, i), frames[i].name,
				     run->file);
		if (frames[i].name)
			entry->behind = offset_of(run, i) - frames[i].begin;
		err = names->put(names->data, entry, entry_end(entry, length));
	}
	for (size_t i = 0; frames && i < run->nr; i++)
		free(frames[i].name);
	free(frames);
	return err;
}

int program_names(struct program_tables *tables, const void *stacks,
		  size_t size,
		  int (*put)(void *data, const void *bytes, size_t size),
		  void *data)
{
	struct names *names = calloc(1, sizeof(*names));
	struct run run;
	int err;

	if (!names)
		return -ENOMEM;
	tables->nr_unkept = 0;
	names->tables = tables;
	names->left = JIT_FUNCTIONS_MAX;
	names->put = put;
	names->data = data;
	err = frames_find(&names->frames, stacks, size);
	for (size_t i = 0; !err && i < names->frames.nr; i += run.nr) {
		run = run_find(names, i);
		if (run.file)
			err = run.file->code ? code_put(names, &run)
					     : file_put(names, &run);
	}
	err = err ?: names->missing;
	free(names->frames.words);
	free(names);
	return err;
}
