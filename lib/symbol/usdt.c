// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* USDT probes: usdt.h. */
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "program_file.h"
#include "section.h"
#include "usdt.h"

#define NOTES	  ".note.stapsdt"
#define BASE	  ".stapsdt.base"
#define NOTE_NAME "stapsdt"
#define NOTE_TYPE 3

/* A text that ends within the note; NULL: it does not. */
static const char *text_take(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = memchr(text, '\0', end - text);

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static uint64_t word_take(const char **at, size_t size)
{
	uint64_t word = 0;

	/* The machine's byte order: both are x86. */
	memcpy(&word, *at, size);
	*at += size;
	return word;
}

/* @base: where BASE is; 0: not known.  Whoever moves sections of a file does not mend notes. */
static bool note_read(struct usdt *usdt, const char *at, size_t size,
		      size_t word, uint64_t base)
{
	const char *end = at + size;
	uint64_t noted;

	if (size < 3 * word)
		return false;
	usdt->address = word_take(&at, word);
	noted = word_take(&at, word);
	usdt->semaphore = word_take(&at, word);
	if (base && noted) {
		usdt->address += base - noted;
		if (usdt->semaphore)
			usdt->semaphore += base - noted;
	}
	usdt->provider = text_take(&at, end);
	usdt->name = usdt->provider ? text_take(&at, end) : NULL;
	usdt->arguments = usdt->name ? text_take(&at, end) : NULL;
	return usdt->arguments;
}

static int notes_read(Elf_Data *data, size_t word, uint64_t base,
		      struct usdt **list, size_t *nr)
{
	size_t at = 0, next, name, text;
	GElf_Nhdr note;

	while ((next = gelf_getnote(data, at, &note, &name, &text))) {
		const char *bytes = data->d_buf;
		struct usdt *more;

		at = next;
		if (note.n_type != NOTE_TYPE ||
		    note.n_namesz != sizeof(NOTE_NAME) ||
		    memcmp(bytes + name, NOTE_NAME, sizeof(NOTE_NAME)))
			continue;
		more = array_grow(*list, *nr, sizeof(*more));
		if (!more)
			return -ENOMEM;
		*list = more;
		*nr += note_read(&more[*nr], bytes + text, note.n_descsz, word,
				 base);
	}
	return 0;
}

int usdt_read(Elf *elf, struct usdt **list, size_t *nr)
{
	GElf_Shdr header;
	uint64_t base = section_named(elf, BASE, &header) ? header.sh_addr : 0;
	Elf_Scn *section = section_named(elf, NOTES, &header);
	Elf_Data *data;
	size_t word;
	int err;

	*list = NULL;
	*nr = 0;
	if (!section || header.sh_size > PROGRAM_SECTION_MAX ||
	    header.sh_flags & SHF_COMPRESSED)
		return 0;
	data = elf_getdata(section, NULL);
	if (!data)
		return 0;
	word = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
	err = notes_read(data, word, base, list, nr);
	if (err) {
		free(*list);
		*list = NULL;
		*nr = 0;
	}
	return err;
}
