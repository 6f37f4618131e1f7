// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "module_file.h"

struct search {
	const char *module;
	struct build_id build_id;
	bool (*use)(void *data, const char *path,
		    const struct build_id *build_id);
	void *data;
};

/* "a-b.ko", or "a-b.ko.xz", is the module a_b. */
static bool name_fits(const char *file, const char *module)
{
	for (; *module; file++, module++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return !strncmp(file, ".ko", 3) && (!file[3] || file[3] == '.');
}

/* With folders below it, or without. */
static bool folder_search(const struct search *search, const char *folder,
			  bool deep)
{
	char *const roots[] = {(char *)folder, NULL};
	bool found = false;
	FTSENT *entry;
	FTS *fts;

	/* A kernel has thousands of modules, and their names suffice. */
	fts = fts_open(roots,
		       FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_NOSTAT,
		       NULL);
	while (fts && !found && (entry = fts_read(fts))) {
		if (entry->fts_info == FTS_D && entry->fts_level > 0 && !deep)
			fts_set(fts, entry, FTS_SKIP);
		if (entry->fts_info != FTS_D &&
		    name_fits(entry->fts_name, search->module))
			found = search->use(search->data, entry->fts_path,
					    &search->build_id);
	}
	if (fts)
		fts_close(fts);
	return found;
}

void marker_module_find(const char *module, const char *source,
			bool (*use)(void *data, const char *path,
				    const struct build_id *build_id),
			void *data)
{
	struct search search = {.module = module, .use = use, .data = data};
	char folder[PATH_MAX];
	struct utsname system;
	char *slash;

	if (!build_id_module(module, &search.build_id) || uname(&system))
		return;
	if (strlen(source) + 2 < sizeof(folder)) {
		sprintf(folder, "%s%s", *source == '/' ? "" : "./", source);
		while ((slash = strrchr(folder, '/')) && slash > folder) {
			*slash = '\0';
			if (folder_search(&search, folder, false))
				return;
		}
	}
	if (*source == '/' && folder_search(&search, ".", false))
		return;
	snprintf(folder, sizeof(folder), "/lib/modules/%s", system.release);
	folder_search(&search, folder, true);
}
