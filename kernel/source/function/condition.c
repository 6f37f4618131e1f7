// SPDX-License-Identifier: GPL-2.0-only
/* Conditions of functions: condition.h. */
#include <linux/slab.h>
#include <linux/string.h>

#include "base/lock.h"
#include "condition.h"
#include "session/session.h"

#define CONDITIONS_MAX 1024

#define FIELD(n, suffix, bytes, sign)                                          \
	{                                                                      \
		.type = (sign) ? "s64" : "u64", .name = "a" #n suffix,         \
		.offset = (n) * sizeof(u64), .size = bytes, .is_signed = sign, \
	}
#define ARGUMENT(n)                                                     \
	FIELD(n, "", 8, false), FIELD(n, "_u8", 1, false),              \
		FIELD(n, "_u16", 2, false), FIELD(n, "_u32", 4, false), \
		FIELD(n, "_u64", 8, false), FIELD(n, "_s8", 1, true),   \
		FIELD(n, "_s16", 2, true), FIELD(n, "_s32", 4, true),   \
		FIELD(n, "_s64", 8, true)

static const struct kt_field fields[] = {
	ARGUMENT(0), ARGUMENT(1), ARGUMENT(2),
	ARGUMENT(3), ARGUMENT(4), ARGUMENT(5),
};

/* What a condition is about, as if it were an event's payload. */
static const struct kt_class registers = {
	.fields = fields,
	.nr_fields = ARRAY_SIZE(fields),
	.size = FUNCTION_WORDS * sizeof(u64),
};

void conditions_begin(struct function_conditions *conditions)
{
	INIT_LIST_HEAD(&conditions->all);
	conditions->nr = 0;
}

/* Lines that follow each other often have the same. */
static const struct function_condition *condition_find(
	const struct function_conditions *conditions, const char *text)
{
	const struct function_condition *condition;

	list_for_each_entry_reverse(condition, &conditions->all, node)
	{
		if (!strcmp(condition->text, text))
			return condition;
	}
	return NULL;
}

static int condition_compile(struct function_condition *condition,
			     struct kt_session *session, const char *name,
			     const char *text)
{
	struct kt_filter_error error = {};
	int err = kt_predicate_make(&condition->predicate, &registers, text,
				    &error);

	if (!err || err == -ENOMEM)
		return err ? kt_refuse(session, err, "no memory") : 0;
	return kt_refuse(session, err, "%.60s: at character %td, \"%.40s\": %s",
			 name, error.at - text + 1, error.at, error.what);
}

const struct function_condition *condition_get(
	struct function_conditions *conditions, struct kt_session *session,
	const char *name, const char *text, int *err)
{
	const struct function_condition *found =
		condition_find(conditions, text);
	struct function_condition *condition;

	lockdep_assert_held(&kt_mutex);
	if (found)
		return found;
	if (conditions->nr == CONDITIONS_MAX) {
		*err = kt_refuse(session, -ENOSPC,
				 "more than %u conditions: use another session",
				 CONDITIONS_MAX);
		return NULL;
	}
	condition = kzalloc(struct_size(condition, text, strlen(text) + 1),
			    GFP_KERNEL);
	if (!condition) {
		*err = kt_refuse(session, -ENOMEM, "no memory");
		return NULL;
	}
	*err = condition_compile(condition, session, name, text);
	if (*err) {
		kfree(condition);
		return NULL;
	}
	strcpy(condition->text, text);
	list_add_tail(&condition->node, &conditions->all);
	conditions->nr++;
	return condition;
}

void conditions_cut(struct function_conditions *conditions, u32 nr)
{
	struct function_condition *last;

	while (conditions->nr > nr) {
		last = list_last_entry(&conditions->all,
				       struct function_condition, node);
		list_del(&last->node);
		kfree(last->predicate);
		kfree(last);
		conditions->nr--;
	}
}
