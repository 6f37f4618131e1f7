// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a pattern of places in the kernel means, where one of them cannot be had. */
#include "check.h"
#include "probe/kernel_pattern.h"
#include "probe/place.h"
#include "session/module_image.h"
#include "session/modules.h"
#include "symbol/build_id.h"

static struct ktrace_function functions[2];
static size_t nr_functions;

/* The functions here are all of the image: nobody asks for modules. */
bool module_is_loaded(const char *name)
{
	(void)name;
	abort();
}

bool module_is_builtin(const char *name)
{
	(void)name;
	abort();
}

int module_image_open(const char *module, struct module_image **image)
{
	(void)module;
	(void)image;
	abort();
}

void module_image_close(struct module_image *image)
{
	(void)image;
	abort();
}

unsigned int module_image_functions(const struct module_image *image,
				    const char *name, uint64_t *size)
{
	(void)image;
	(void)name;
	(void)size;
	abort();
}

void module_image_build(const struct module_image *image, struct build_id *id)
{
	(void)image;
	(void)id;
	abort();
}

bool build_id_module(const char *module, struct build_id *id)
{
	(void)module;
	(void)id;
	abort();
}

/* Symbols are given by the tests. */
int session_root_read(struct ktrace_session *s, const char *file, char **text)
{
	(void)s;
	(void)file;
	(void)text;
	abort();
}

/* Instead of those of the kernel. */
int ktrace_session_functions_each(
	struct ktrace_session *s, const char *const *patterns, size_t nr,
	int (*use)(const struct ktrace_function *function, void *data),
	void *data)
{
	int err = 0;

	(void)s;
	(void)patterns;
	CHECK_EQ(nr, 1);
	for (size_t i = 0; !err && i < nr_functions; i++)
		err = use(&functions[i], data);
	return err;
}

static struct place found[2];
static size_t nr_found;

static int place_note(const struct place *place, void *data)
{
	(void)data;
	found[nr_found++] = *place;
	return 0;
}

static int pattern_expand(const char *text)
{
	struct place pattern;
	const char *rest;

	nr_found = 0;
	CHECK_EQ(place_parse(&pattern, text, &rest), 0);
	CHECK(kernel_pattern_is(&pattern));
	return kernel_pattern_places(NULL, &pattern, place_note, NULL);
}

TEST(long_names)
{
	static char name[600];

	memset(name, 'a', sizeof(name) - 1);
	functions[0] =
		(struct ktrace_function){.name = name, .module = "vmlinux"};
	nr_functions = 1;
	CHECK_EQ(pattern_expand("a*"), 0);
	CHECK_EQ(nr_found, 1);
	CHECK_STR(found[0].refused, "its name is too long");
}

TEST(gone)
{
	struct place *const places[] = {&found[0], &found[1]};
	size_t which;

	functions[0] =
		(struct ktrace_function){.name = "first", .module = "vmlinux"};
	functions[1] =
		(struct ktrace_function){.name = "second", .module = "vmlinux"};
	nr_functions = 2;
	CHECK_EQ(pattern_expand("*s*"), 0);
	CHECK_EQ(nr_found, 2);
	CHECK_EQ(places_find("ff00 second\nff40 third\n", places, 2, &which),
		 0);
	CHECK_STR(found[0].refused, "it has gone meanwhile");
	CHECK(!found[0].is_missing);
	CHECK_STR(found[1].refused, "");
	CHECK_EQ(found[1].address, 0xff00);
	CHECK_EQ(found[1].size, 0x40);
}

CHECK_MAIN
