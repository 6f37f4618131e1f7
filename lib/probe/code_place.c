// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Places that debugging information finds: code_place.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "code_place.h"
#include "debug_line.h"

int code_places(struct debug_code *code, uint64_t slide,
		const struct place *wanted, const char *text,
		int (*use)(const struct place *place, void *data), void *data)
{
	struct place place = *wanted;
	struct debug_place *list;
	size_t nr, used = 0;
	int err = debug_places(code, text, &list, &nr);

	if (err)
		return err;
	place.code = code;
	place.slide = slide;
	for (size_t i = 0; !err && i < nr; i++) {
		/* What was put into another function does not return. */
		if (wanted->returns && (list[i].inlined || list[i].offset))
			continue;
		place.address = list[i].address + slide - list[i].offset;
		place.offset = list[i].offset;
		place.has_offset = list[i].offset;
		place.owner = list[i].owner;
		/* It is called by what was asked for. */
		if (list[i].inlined)
			snprintf(place.line, sizeof(place.line), "%s", text);
		else if (!*wanted->line)
			snprintf(place.asked, sizeof(place.asked), "%.63s",
				 text);
		snprintf(place.function, sizeof(place.function), "%s",
			 list[i].symbol ?: "");
		used++;
		err = use(&place, data);
	}
	free(list);
	return err || used ? err : -ENOENT;
}
