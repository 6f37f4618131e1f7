// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The code of the running kernel: kernel_code.h.
 *
 * It is read from /proc/kcore, an ELF file with a segment for each part of the kernel's memory, as
 * it is now: what the kernel or others have patched is seen so.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "hooked_return.h"
#include "kernel/cache.h"
#include "kernel_code.h"

#define KCORE "/proc/kcore"

/* Addresses are secrets (KASLR), so only root may read them. */
#define CACHE_NAME "areas"
#define CACHE_MODE 0600

/* ---- memory ------------------------------------------------------------------ */

static int segments_read(struct kernel_code *k)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(k->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_phentsize != sizeof(segment))
		return -EIO;
	k->segments = calloc(header.e_phnum + 1, sizeof(*k->segments));
	if (!k->segments)
		return -ENOMEM;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (pread(k->fd, &segment, sizeof(segment),
			  header.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return -EIO;
		if (segment.p_type != PT_LOAD)
			continue;
		k->segments[k->nr_segments++] = (struct kernel_segment){
			segment.p_vaddr, segment.p_memsz, segment.p_offset};
	}
	return 0;
}

void kernel_code_open(struct kernel_code *k, const struct text *symbols)
{
	*k = (struct kernel_code){
		.symbols = symbols->s ?: "",
		.symbols_size = symbols->s ? symbols->len : 0,
	};
	k->fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	k->err = k->fd < 0 ? -errno : segments_read(k);
}

void kernel_code_close(struct kernel_code *k)
{
	if (k->fd >= 0)
		close(k->fd);
	free(k->segments);
	free(k->patched);
	free(k->exceptions);
	free(k->blacklist);
	*k = (struct kernel_code){.fd = -1};
}

size_t kernel_code_read(const struct kernel_code *k, uint64_t address, void *to,
			size_t size)
{
	for (size_t i = 0; i < k->nr_segments; i++) {
		const struct kernel_segment *s = &k->segments[i];
		uint64_t at = address - s->address;
		ssize_t nr;

		if (at >= s->size)
			continue;
		if (size > s->size - at)
			size = s->size - at;
		nr = pread(k->fd, to, size, s->offset + at);
		return nr > 0 ? nr : 0;
	}
	return 0;
}

/* ---- names ------------------------------------------------------------------- */

/* The line that begins at the byte, or in front of it. */
static const char *line_at(const struct kernel_code *k, size_t at)
{
	const char *line = k->symbols + at;

	while (line > k->symbols && line[-1] != '\n')
		line--;
	return line;
}

void kernel_code_name(const struct kernel_code *k, uint64_t address,
		      struct text *text)
{
	size_t low = 0, high = k->symbols_size;
	const char *line = NULL, *module;
	uint64_t begin;
	char *name;

	/* The last line whose address is not behind this one. */
	while (low < high) {
		const char *middle = line_at(k, low + (high - low) / 2);

		if (strtoull(middle, NULL, 16) <= address) {
			line = middle;
			low = strchrnul(middle, '\n') + 1 - k->symbols;
		} else {
			high = middle - k->symbols;
		}
	}
	if (!line)
		return;
	begin = strtoull(line, &name, 16);
	/* Of aliases the first. */
	while (line > k->symbols) {
		const char *before = line_at(k, line - 1 - k->symbols);
		char *its_name;

		if (strtoull(before, &its_name, 16) != begin)
			break;
		line = before;
		name = its_name;
	}
	if (*name != ' ')
		return;
	name++;
	text_add(text, name, strcspn(name, " \n"));
	if (address != begin)
		text_printf(text, "+0x%" PRIx64, address - begin);
	module = name + strcspn(name, " \n");
	if (*module == ' ')
		text_printf(text, " [%.*s]", (int)strcspn(module + 1, "\n"),
			    module + 1);
}

/* ---- reasons ------------------------------------------------------------------- */

/* What the linker's names say; both must be there. */
static const struct {
	const char *begin, *end;
} area_names[AREAS] = {
	[AREA_JUMPS] = {"__start___jump_table", "__stop___jump_table"},
	[AREA_CALLS] = {"__start_static_call_sites",
			"__stop_static_call_sites"},
	[AREA_EXCEPTIONS] = {"__start___ex_table", "__stop___ex_table"},
	[AREA_INIT] = {"_sinittext", "_einittext"},
	[AREA_NOINSTR] = {"__noinstr_text_start", "__noinstr_text_end"},
	[AREA_ENTRY] = {"__entry_text_start", "__entry_text_end"},
	[AREA_KPROBES] = {"__kprobes_text_start", "__kprobes_text_end"},
};

static void area_note(struct kernel_code *k, uint64_t address, const char *name)
{
	for (int i = 0; i < AREAS; i++) {
		if (!strcmp(name, area_names[i].begin))
			k->areas[i].begin = address;
		else if (!strcmp(name, area_names[i].end))
			k->areas[i].end = address;
	}
}

/* The kernel takes 450 million instructions to print all its symbols. */
static bool areas_kept(struct kernel_code *k)
{
	char *kept;
	size_t size;
	bool good;

	if (cache_read(&cache_kernel, CACHE_NAME, &kept, &size))
		return false;
	good = size == sizeof(k->areas);
	if (good)
		memcpy(k->areas, kept, size);
	free(kept);
	return good;
}

static void areas_read(struct kernel_code *k)
{
	FILE *file;
	char line[600], *name;

	if (areas_kept(k))
		return;
	file = fopen("/proc/kallsyms", "re");
	while (file && fgets(line, sizeof(line), file)) {
		uint64_t address = strtoull(line, &name, 16);

		/* " T NAME"; a module's name would be behind a tab. */
		if (!address || strlen(name) < 5 || name[3] != '_')
			continue;
		name[strcspn(name, "\n")] = '\0';
		area_note(k, address, name + 3);
	}
	/* If addresses are hidden, there are none. */
	if (file && feof(file) && k->areas[AREA_INIT].end)
		cache_write(&cache_kernel, CACHE_NAME, CACHE_MODE,
			    (const char *)k->areas, sizeof(k->areas));
	if (file)
		fclose(file);
}

static int address_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Entries of a table begin with how far away from them their code is. */
static void table_read(const struct kernel_code *k, enum kernel_area area,
		       size_t entry, uint64_t **list, size_t *nr)
{
	const struct kernel_range *range = &k->areas[area];
	uint64_t size = range->end - range->begin;
	char *bytes;
	uint64_t *more;

	/* Some ten thousand entries are usual. */
	if (!range->begin || range->end < range->begin || size > 64u << 20)
		return;
	bytes = malloc(size + 1);
	more = reallocarray(*list, *nr + size / entry + 1, sizeof(*more));
	if (more)
		*list = more;
	if (bytes && more &&
	    kernel_code_read(k, range->begin, bytes, size) == size)
		for (size_t i = 0; i + entry <= size; i += entry) {
			int32_t far;

			memcpy(&far, bytes + i, sizeof(far));
			more[(*nr)++] = range->begin + i + (int64_t)far;
		}
	free(bytes);
	if (*nr)
		qsort(*list, *nr, sizeof(**list), address_compare);
}

/* Lines "0xBEGIN-0xEND NAME". */
static void blacklist_read(struct kernel_code *k)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/blacklist", "re");
	char line[600];

	while (file && fgets(line, sizeof(line), file)) {
		struct kernel_range *more = array_grow(
			k->blacklist, k->nr_blacklist, sizeof(*more));
		struct kernel_range range;

		if (!more)
			break;
		k->blacklist = more;
		if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64, &range.begin,
			   &range.end) == 2)
			more[k->nr_blacklist++] = range;
	}
	if (file)
		fclose(file);
}

void kernel_code_reasons(struct kernel_code *k)
{
	areas_read(k);
	/* struct jump_entry, struct static_call_site, struct exception_table_entry */
	table_read(k, AREA_JUMPS, 16, &k->patched, &k->nr_patched);
	table_read(k, AREA_CALLS, 8, &k->patched, &k->nr_patched);
	table_read(k, AREA_EXCEPTIONS, 12, &k->exceptions, &k->nr_exceptions);
	blacklist_read(k);
}

static bool is_in(const struct kernel_code *k, enum kernel_area area,
		  uint64_t address)
{
	return address >= k->areas[area].begin && address < k->areas[area].end;
}

static bool is_listed(const struct kernel_code *k, uint64_t address)
{
	for (size_t i = 0; i < k->nr_blacklist; i++)
		if (address >= k->blacklist[i].begin &&
		    address < k->blacklist[i].end)
			return true;
	return false;
}

/* The first of the list that is not below @begin is below @end. */
static bool any_within(const uint64_t *list, size_t nr, uint64_t begin,
		       uint64_t end)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list[middle] < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && list[low] < end;
}

const char *kernel_code_refuse(const struct kernel_code *k, uint64_t address,
			       const uint8_t *code, size_t size)
{
	if (is_in(k, AREA_INIT, address))
		return "it ran while the kernel started, and has been freed";
	if (is_in(k, AREA_NOINSTR, address))
		return "the function is noinstr: the kernel enters and leaves "
		       "itself there, before it can be traced";
	if (is_in(k, AREA_ENTRY, address))
		return "it is where the kernel is entered and left";
	if (is_in(k, AREA_KPROBES, address) || is_listed(k, address))
		return "the function is listed in kprobes/blacklist: probes "
		       "need it themselves";
	/* Of two or five bytes. */
	if (any_within(k->patched, k->nr_patched, address, address + 1))
		return "the kernel changes this instruction while it runs: it "
		       "is a static branch or a static call";
	if (size >= 2 && code[0] == 0x0f && code[1] == 0x0b)
		return "it is the trap of a BUG() or WARN()";
	return NULL;
}

const char *kernel_code_refuse_return(const char *function)
{
	for (size_t i = 0;
	     i < sizeof(kt_hooked_returns) / sizeof(*kt_hooked_returns); i++)
		if (!strcmp(kt_hooked_returns[i].name, function))
			return kt_hooked_returns[i].why;
	return NULL;
}

bool kernel_code_faults(const struct kernel_code *k, uint64_t begin,
			uint64_t size)
{
	return any_within(k->exceptions, k->nr_exceptions, begin, begin + size);
}
