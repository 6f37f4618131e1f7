// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "object.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "order.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t lock_signals; /* as they were before it was taken */
static struct object *objects;

void markers_lock(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&lock);
	lock_signals = before;
}

void markers_unlock(void)
{
	sigset_t before = lock_signals;

	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The file name of what @address lies in, as /proc/PID/maps has it. */
static const char *object_name(const void *address, char path[PATH_MAX])
{
	const void *entry = (void *)(uintptr_t)getauxval(AT_ENTRY);
	Dl_info info, program;
	static const char self_exe[] = "/proc/self/exe";
	const char *slash;

	/* musl knows no names in a program that is linked statically. */
	if (!dladdr(address, &info) || !info.dli_fname)
		info.dli_fname = self_exe;
	else if (dladdr(entry, &program) && program.dli_fbase == info.dli_fbase)
		info.dli_fname = self_exe;
	if (!realpath(info.dli_fname, path)) {
		*path = '\0';
		if (info.dli_fname == self_exe)
			return program_invocation_short_name;
		snprintf(path, PATH_MAX, "%s", info.dli_fname);
	}
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* NULL: there is no memory for it. */
static u32 *object_orders(struct ktrace_marker *const *begin,
			  struct ktrace_marker *const *end)
{
	size_t nr = end - begin;
	struct marker_place *places = calloc(nr, sizeof(*places));
	u32 *orders = calloc(nr, sizeof(*orders));

	for (size_t i = 0; places && i < nr; i++) {
		const struct ktrace_marker *m = begin[i];

		/* What another version has where is not known here. */
		places[i] =
			m->version == KTRACE_MARKER_VERSION
				? (struct marker_place){m->file, m->function,
							m->line}
				: (struct marker_place){"", "", 0};
	}
	if (!places || !orders || places_order(places, nr, orders)) {
		free(orders);
		orders = NULL;
	}
	free(places);
	return orders;
}

struct object *object_add(struct ktrace_marker *const *begin,
			  struct ktrace_marker *const *end)
{
	char path[PATH_MAX] = "";
	const char *system = object_name(*begin, path);
	size_t size = strlen(path) + 1;
	struct object *object =
		malloc(sizeof(*object) + size + strlen(system) + 1);

	if (!object)
		return NULL;
	object->orders = object_orders(begin, end);
	if (!object->orders) {
		free(object);
		return NULL;
	}
	object->begin = begin;
	object->end = end;
	memcpy(object->path, path, size);
	object->system = strcpy(object->path + size, system);
	object->next = objects;
	smp_store_release(&objects, object);
	return object;
}

struct object *object_find(struct ktrace_marker *const *begin)
{
	struct object *object = objects;

	while (object && object->begin != begin)
		object = object->next;
	return object;
}

struct object *object_remove(struct ktrace_marker *const *begin)
{
	struct object **at = &objects, *object;

	while ((object = *at) && object->begin != begin)
		at = &object->next;
	if (object)
		smp_store_release(at, object->next);
	return object;
}

void object_free(struct object *object)
{
	free(object->orders);
	free(object);
}

struct object *objects_next(const struct object *object)
{
	return object ? object->next : objects;
}

struct kt_marker_name object_marker_name(const struct object *object,
					 struct ktrace_marker *const *at)
{
	return (struct kt_marker_name){
		.system = object->system,
		.name = (*at)->name,
		.file = (*at)->file,
		.function = (*at)->function,
		.order = object->orders[at - object->begin],
	};
}

const char *marker_system(const struct ktrace_marker *marker)
{
	for (struct object *o = smp_load_acquire(&objects); o;
	     o = smp_load_acquire(&o->next))
		for (struct ktrace_marker *const *at = o->begin; at < o->end;
		     at++)
			if (*at == marker)
				return o->system;
	return program_invocation_short_name;
}
