// SPDX-License-Identifier: GPL-2.0-only
/* Capture programs of functions: program.h. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/lock.h"
#include "call.h"
#include "event/capturing.h"
#include "program.h"
#include "session/captures.h"
#include "session/session.h"

#define PROGRAMS_MAX 1024

static const struct function_program *program_find(
	const struct function_programs *programs, const char *text, u8 words)
{
	u32 i;

	for (i = 0; i < programs->nr; i++) {
		const struct function_program *program = programs->all[i];

		if (program->words == words &&
		    !strcmp(program->capturing->text, text))
			return program;
	}
	return NULL;
}

static int room_make(struct function_programs *programs)
{
	u32 room = max(16u, 2 * programs->room);
	struct function_program **all;

	if (programs->nr < programs->room)
		return 0;
	all = krealloc(programs->all, room * sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	programs->all = all;
	programs->room = room;
	return 0;
}

static struct function_program *program_make(struct kt_session *session,
					     const char *name, const char *text,
					     u8 words, int *err)
{
	const struct kt_class class = {
		.size = sizeof(struct entry) + words * sizeof(u64),
		.arguments = hook_words,
	};
	struct function_program *program =
		kzalloc(sizeof(*program), GFP_KERNEL);

	if (!program) {
		*err = kt_refuse(session, -ENOMEM, "no memory");
		return NULL;
	}
	program->words = words;
	program->capturing =
		kt_capturing_make(session, name, &class, text, err);
	if (!program->capturing) {
		kfree(program);
		return NULL;
	}
	return program;
}

const struct function_program *program_get(struct function_programs *programs,
					   struct kt_session *session,
					   const char *name, const char *text,
					   u8 words, int *err)
{
	const struct function_program *found =
		program_find(programs, text, words);
	struct function_program *program;

	lockdep_assert_held(&kt_mutex);
	if (found)
		return found;
	if (programs->nr == PROGRAMS_MAX) {
		*err = kt_refuse(session, -ENOSPC,
				 "more than %u capture programs: use another "
				 "session",
				 PROGRAMS_MAX);
		return NULL;
	}
	if (room_make(programs)) {
		*err = kt_refuse(session, -ENOMEM, "no memory");
		return NULL;
	}
	program = program_make(session, name, text, words, err);
	if (!program)
		return NULL;
	program->number = programs->nr;
	programs->all[programs->nr++] = program;
	return program;
}

const char *program_text(const struct function_program *program)
{
	return program->capturing->text;
}

void programs_cut(struct function_programs *programs, u32 nr)
{
	while (programs->nr > nr) {
		struct function_program *program =
			programs->all[--programs->nr];

		kt_capturing_free(program->capturing);
		kfree(program);
	}
}

void programs_free(struct function_programs *programs)
{
	programs_cut(programs, 0);
	kfree(programs->all);
	memset(programs, 0, sizeof(*programs));
}
