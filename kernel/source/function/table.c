// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a session: table.h. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/lock.h"
#include "table.h"

#define BITS_MIN 6

/* Hooks may look into it already: the function is complete. */
static void slots_put(struct function_slots *slots, struct function *function)
{
	u32 at = hash_64(function->ip, slots->bits);

	while (slots->at[at])
		at = (at + 1) & ((1u << slots->bits) - 1);
	smp_store_release(&slots->at[at], function);
}

/* The table anew, without those that are gone, and with room for as many again. */
static int slots_make(struct functions *functions)
{
	struct function_slots *old = functions->slots, *slots;
	unsigned int bits = BITS_MIN;
	u32 i;

	while (1u << bits < 4 * functions->nr)
		bits++;
	slots = kvzalloc(struct_size(slots, at, 1u << bits), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	slots->bits = bits;
	for (i = 0; i < functions->nr; i++) {
		if (functions->all[i]->ip)
			slots_put(slots, functions->all[i]);
	}
	smp_store_release(&functions->slots, slots);
	if (old)
		synchronize_rcu();
	kvfree(old);
	return 0;
}

static int room_make(struct functions *functions)
{
	u32 room = max(64u, 2 * functions->room);
	struct function **all;

	if (functions->slots &&
	    2 * functions->nr >= 1u << functions->slots->bits &&
	    slots_make(functions))
		return -ENOMEM;
	if (!functions->slots && slots_make(functions))
		return -ENOMEM;
	if (functions->nr < functions->room)
		return 0;
	all = kvmalloc_array(room, sizeof(*all), GFP_KERNEL);
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
			      const struct function_choice *choice)
{
	size_t length = strlen(name) + 1,
	       more = module ? strlen(module) + 1 : 0;
	struct function *function;

	lockdep_assert_held(&kt_mutex);
	if (room_make(functions))
		return ERR_PTR(-ENOMEM);
	function =
		kzalloc(struct_size(function, text, length + more), GFP_KERNEL);
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
	slots_put(functions->slots, function);
	return function;
}

/*
 * In the reverse order: no function is behind another that was put there later.  Whoever
 * is looking for one may pass by until all CPUs have left.
 */
void functions_cut(struct functions *functions, u32 nr)
{
	struct function_slots *slots = functions->slots;
	u32 i = functions->nr;

	lockdep_assert_held(&kt_mutex);
	if (i == nr)
		return;
	while (i-- > nr) {
		u32 at = hash_64(functions->all[i]->ip, slots->bits);

		while (slots->at[at] != functions->all[i])
			at = (at + 1) & ((1u << slots->bits) - 1);
		WRITE_ONCE(slots->at[at], NULL);
	}
	synchronize_rcu();
	while (functions->nr > nr)
		kfree(functions->all[--functions->nr]);
}

void functions_free(struct functions *functions)
{
	while (functions->nr)
		kfree(functions->all[--functions->nr]);
	kvfree(functions->all);
	kvfree(functions->slots);
	memset(functions, 0, sizeof(*functions));
}
