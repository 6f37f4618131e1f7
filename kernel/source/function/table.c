// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a session: table.h. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/lock.h"
#include "table.h"

#define SLOTS_MIN 64
/* Readers take no larger index (lib/type/type.h). */
#define FUNCTIONS_MAX (1u << 20)

struct function function_none;
/* Was taken out of a slot; others may be behind it. */
static struct function function_gone;
static struct function_slots slots_none = {.at = {&function_none}};

void functions_begin(struct functions *functions)
{
	functions->slots = &slots_none;
}

void functions_synchronize(void)
{
	synchronize_rcu();
	synchronize_rcu_tasks_rude();
}

/*
 * Hooks may look into it already: the function is complete.  It takes the place of one that
 * is gone, so that it is found at once if a module has been loaded again.  Not so an @heir: it
 * must not be found before the one whose place it will take.
 */
static void slots_put(struct function_slots *slots, struct function *function,
		      bool heir)
{
	u64 at = function_slot(slots, function->ip);

	while (slots->at[at] != &function_none && (heir || slots->at[at]->ip))
		at = (at + 1) & slots->mask;
	smp_store_release(&slots->at[at], function);
}

/* The table anew, without those that are gone, and with room for as many again. */
static int slots_make(struct functions *functions)
{
	struct function_slots *old = functions->slots, *slots;
	u32 i, nr = max(roundup_pow_of_two(4 * functions->nr + 1), SLOTS_MIN);

	slots = kvmalloc(struct_size(slots, at, nr), GFP_KERNEL_ACCOUNT);
	if (!slots)
		return -ENOMEM;
	slots->mask = nr - 1;
	for (i = 0; i < nr; i++)
		slots->at[i] = &function_none;
	for (i = 0; i < functions->nr; i++) {
		if (functions->all[i]->ip)
			slots_put(slots, functions->all[i], false);
	}
	smp_store_release(&functions->slots, slots);
	if (old != &slots_none) {
		functions_synchronize();
		kvfree(old);
	}
	return 0;
}

static int room_make(struct functions *functions)
{
	u32 room = max(64u, 2 * functions->room);
	struct function **all;

	if (functions->slots && 2 * functions->nr >= functions->slots->mask &&
	    slots_make(functions))
		return -ENOMEM;
	if (!functions->slots && slots_make(functions))
		return -ENOMEM;
	if (functions->nr < functions->room)
		return 0;
	all = kvmalloc_array(room, sizeof(*all), GFP_KERNEL_ACCOUNT);
	if (!all)
		return -ENOMEM;
	if (functions->nr)
		memcpy(all, functions->all, functions->nr * sizeof(*all));
	kvfree(functions->all);
	functions->all = all;
	functions->room = room;
	return 0;
}

struct function *function_add(struct functions *functions, unsigned long ip,
			      unsigned long address, const char *name,
			      const char *module,
			      const struct function_choice *choice, bool heir)
{
	size_t length = strlen(name) + 1,
	       more = module ? strlen(module) + 1 : 0;
	struct function *function;

	lockdep_assert_held(&kt_mutex);
	if (functions->nr == FUNCTIONS_MAX)
		return ERR_PTR(-ENOSPC);
	if (room_make(functions))
		return ERR_PTR(-ENOMEM);
	function = kzalloc(struct_size(function, text, length + more),
			   GFP_KERNEL_ACCOUNT);
	if (!function)
		return ERR_PTR(-ENOMEM);
	function->ip = ip;
	function->address = address;
	function->name = function->text;
	memcpy(function->text, name, length);
	if (module)
		function->module =
			memcpy(function->text + length, module, more);
	function->index = functions->nr;
	/* It is not hooked yet. */
	function->choice = *choice;
	function->choice.on = false;
	function->next = *choice;
	functions->all[functions->nr++] = function;
	slots_put(functions->slots, function, heir);
	return function;
}

/* Whoever is looking for one may pass by until all CPUs have left. */
void functions_cut(struct functions *functions, u32 nr)
{
	struct function_slots *slots = functions->slots;
	u32 i = functions->nr;

	lockdep_assert_held(&kt_mutex);
	if (i == nr)
		return;
	while (i-- > nr) {
		u64 at = function_slot(slots, functions->all[i]->ip);

		while (slots->at[at] != functions->all[i])
			at = (at + 1) & slots->mask;
		WRITE_ONCE(slots->at[at], &function_gone);
	}
	functions_synchronize();
	while (functions->nr > nr)
		kfree(functions->all[--functions->nr]);
}

void function_end(struct function *function)
{
	WRITE_ONCE(function->ip, 0);
	WRITE_ONCE(function->direct_ip, 0);
	function->next.on = false;
}

/* It was put there before its heir, so it is found first. */
void function_inherit(struct functions *functions, struct function *function)
{
	struct function_slots *slots = functions->slots;
	u64 at = function_slot(slots, function->ip);

	for (; slots->at[at] != &function_none; at = (at + 1) & slots->mask) {
		if (slots->at[at] == function)
			WRITE_ONCE(slots->at[at], function->heir);
	}
	function_end(function);
	function->heir = NULL;
}

void functions_free(struct functions *functions)
{
	while (functions->nr)
		kfree(functions->all[--functions->nr]);
	kvfree(functions->all);
	if (functions->slots != &slots_none)
		kvfree(functions->slots);
	memset(functions, 0, sizeof(*functions));
}
