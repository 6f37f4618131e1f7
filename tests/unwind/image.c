// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include "image.h"
#include "symbol/unwind_file.h"

#define FILES_MAX   512
#define THREADS_MAX 256
#define TEXTS_MAX   4

struct mapped {
	u64 begin, end, page;
};

static struct {
	const char *bytes;
	size_t size;
	Elf *elf;
	u64 vdso;
	/* The note NT_FILE: the kernel's fs/binfmt_elf.c describes it. */
	const char *mapped; /* struct mapped; it is not aligned */
	u64 nr_mapped, page_size;
	const char *paths, *paths_end;
	struct user_regs_struct registers[THREADS_MAX];
	pid_t tids[THREADS_MAX];
	u32 nr_threads;
	struct kt_unwind_space space;
	struct kt_unwind_map *maps;
	struct kt_unwind_file *files; /* one for each mapping */
} image;

/* Files have several mappings. */
static struct made {
	char *path;
	struct kt_unwind_table table;
	struct unwind_bytes bytes;
	bool good;
	/* What of the file is mapped to be run: gdb's core files do not have these mappings. */
	struct text {
		u64 offset, size;
	} texts[TEXTS_MAX];
	u32 nr_texts;
} made[FILES_MAX];
static u32 nr_made;

static struct kt_unwind_cache cache;

static const char *memory(u64 from, size_t size)
{
	GElf_Phdr segment;
	size_t nr;

	elf_getphdrnum(image.elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(image.elf, i, &segment) ||
		    segment.p_type != PT_LOAD || from < segment.p_vaddr ||
		    segment.p_filesz < size ||
		    from - segment.p_vaddr > segment.p_filesz - size)
			continue;
		if (segment.p_offset > image.size ||
		    segment.p_filesz > image.size - segment.p_offset)
			return NULL;
		return image.bytes + segment.p_offset +
		       (from - segment.p_vaddr);
	}
	return NULL;
}

bool env_stack_begin(u64 *limit)
{
	*limit = 1ull << 47;
	return true;
}

bool env_stack_word(u64 from, u64 *word)
{
	const char *bytes = memory(from, sizeof(*word));

	if (bytes)
		memcpy(word, bytes, sizeof(*word));
	return bytes != NULL;
}

void env_stack_end(void)
{
}

u64 env_register(const void *registers, u32 number)
{
	const struct user_regs_struct *all = registers;
	const u64 values[] = {
		all->rax, all->rdx, all->rcx, all->rbx, all->rsi, all->rdi,
		all->rbp, all->rsp, all->r8,  all->r9,	all->r10, all->r11,
		all->r12, all->r13, all->r14, all->r15,
	};

	return values[number];
}

static const char *status_read(const char *bytes, size_t size)
{
	struct elf_prstatus status;

	if (size < sizeof(status))
		return "a note of a thread is too short";
	if (image.nr_threads == THREADS_MAX)
		return "there are too many threads";
	memcpy(&status, bytes, sizeof(status));
	memcpy(&image.registers[image.nr_threads], status.pr_reg,
	       sizeof(image.registers[0]));
	image.tids[image.nr_threads++] = status.pr_pid;
	return NULL;
}

static const char *files_read(const char *bytes, size_t size)
{
	u64 head[2];

	if (size >= sizeof(head))
		memcpy(head, bytes, sizeof(head));
	if (size < sizeof(head) || !head[1] ||
	    head[0] > (size - sizeof(head)) / sizeof(struct mapped))
		return "the note of files is too short";
	image.nr_mapped = head[0];
	image.page_size = head[1];
	image.mapped = bytes + sizeof(head);
	image.paths = image.mapped + head[0] * sizeof(struct mapped);
	image.paths_end = bytes + size;
	return NULL;
}

static void auxiliary_read(const char *bytes, size_t size)
{
	Elf64_auxv_t pair;

	for (; size >= sizeof(pair);
	     size -= sizeof(pair), bytes += sizeof(pair)) {
		memcpy(&pair, bytes, sizeof(pair));
		if (pair.a_type == AT_SYSINFO_EHDR)
			image.vdso = pair.a_un.a_val;
	}
}

static const char *notes_read(const GElf_Phdr *segment)
{
	Elf_Data *data = elf_getdata_rawchunk(image.elf, segment->p_offset,
					      segment->p_filesz, ELF_T_NHDR);
	size_t at = 0, next, name, about;
	const char *err = NULL, *bytes;
	GElf_Nhdr note;

	for (; data && !err &&
	       (next = gelf_getnote(data, at, &note, &name, &about));
	     at = next) {
		bytes = (const char *)data->d_buf + about;
		if (note.n_type == NT_PRSTATUS)
			err = status_read(bytes, note.n_descsz);
		else if (note.n_type == NT_FILE)
			err = files_read(bytes, note.n_descsz);
		else if (note.n_type == NT_AUXV)
			auxiliary_read(bytes, note.n_descsz);
	}
	return err;
}

static void texts_find(int fd, struct made *file)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Phdr segment;
	size_t nr;

	if (elf && !elf_getphdrnum(elf, &nr))
		for (size_t i = 0; i < nr && file->nr_texts < TEXTS_MAX; i++)
			if (gelf_getphdr(elf, i, &segment) &&
			    segment.p_type == PT_LOAD && segment.p_flags & PF_X)
				file->texts[file->nr_texts++] = (struct text){
					segment.p_offset, segment.p_filesz};
	elf_end(elf);
}

static struct made *made_new(const char *path)
{
	struct made *new = &made[nr_made];

	if (nr_made == FILES_MAX)
		return NULL;
	*new = (struct made){.path = strdup(path)};
	if (!new->path)
		return NULL;
	nr_made++;
	return new;
}

/* A file that is not there any more has no text. */
static struct made *file_made(const char *path)
{
	struct made *new;
	int fd;

	for (u32 i = 0; i < nr_made; i++)
		if (!strcmp(made[i].path, path))
			return &made[i];
	new = made_new(path);
	fd = new ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return new;
	texts_find(fd, new);
	/* As the kernel gets them. */
	new->good = new->nr_texts && !unwind_make(fd, &new->bytes) &&
		    !unwind_by_offset(fd, &new->bytes) &&
		    !kt_unwind_table_open(&new->table, new->bytes.bytes,
					  new->bytes.size);
	close(fd);
	return new;
}

static struct made *vdso_made(const GElf_Phdr *segment)
{
	const char *bytes = memory(segment->p_vaddr, segment->p_filesz);
	struct made *new = bytes ? made_new("[vdso]") : NULL;

	if (new)
		new->good = !unwind_make_image(bytes, segment->p_filesz,
					       &new->bytes) &&
			    !kt_unwind_table_open(&new->table, new->bytes.bytes,
						  new->bytes.size);
	return new;
}

/* @made: NULL: code that the process has made */
static void map_add(u64 begin, u64 end, u64 bias, const struct made *from)
{
	u32 nr = image.space.nr++;
	struct kt_unwind_file *file = &image.files[nr];

	file->table = from && from->good ? &from->table : NULL;
	file->label = bias;
	image.maps[nr] = (struct kt_unwind_map){begin, end, bias, file};
}

static void mapped_add(const struct mapped *map, const char *path)
{
	u64 offset = map->page * image.page_size;
	const struct made *file = file_made(path);

	for (u32 i = 0; file && i < file->nr_texts; i++) {
		const struct text *text = &file->texts[i];

		if (offset >= text->offset + text->size ||
		    offset + (map->end - map->begin) <= text->offset)
			continue;
		map_add(map->begin, map->end, map->begin - offset, file);
		break;
	}
}

static bool is_mapped(u64 address)
{
	struct mapped map;

	for (u64 i = 0; i < image.nr_mapped; i++) {
		memcpy(&map, image.mapped + i * sizeof(map), sizeof(map));
		if (address >= map.begin && address < map.end)
			return true;
	}
	return false;
}

static void files_add(void)
{
	const char *path = image.paths, *end;
	struct mapped map;

	for (u64 i = 0; i < image.nr_mapped; i++) {
		end = memchr(path, 0, image.paths_end - path);
		if (!end)
			break;
		memcpy(&map, image.mapped + i * sizeof(map), sizeof(map));
		mapped_add(&map, path);
		path = end + 1;
	}
}

/* Memory that is run and is no file's. */
static void segments_add(size_t nr)
{
	const struct made *vdso;
	GElf_Phdr segment;

	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(image.elf, i, &segment) ||
		    segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) ||
		    is_mapped(segment.p_vaddr))
			continue;
		vdso = segment.p_vaddr == image.vdso ? vdso_made(&segment)
						     : NULL;
		map_add(segment.p_vaddr, segment.p_vaddr + segment.p_memsz,
			vdso ? segment.p_vaddr : 0, vdso);
	}
}

static int map_order(const void *a, const void *b)
{
	const struct kt_unwind_map *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static const char *maps_read(void)
{
	static u64 salt;
	size_t nr;

	elf_getphdrnum(image.elf, &nr);
	image.maps = calloc(nr + image.nr_mapped, sizeof(*image.maps));
	image.files = calloc(nr + image.nr_mapped, sizeof(*image.files));
	if (!image.maps || !image.files)
		return "out of memory";
	files_add();
	segments_add(nr);
	qsort(image.maps, image.space.nr, sizeof(*image.maps), map_order);
	image.space.maps = image.maps;
	image.space.salt = salt += 0x9e3779b97f4a7c15ull;
	return NULL;
}

static const char *file_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &status))
		status.st_size = 0;
	bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return "it cannot be mapped";
	image.bytes = bytes;
	image.size = status.st_size;
	return NULL;
}

const char *image_open(const char *path)
{
	const char *err = file_map(path);
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t nr;

	if (err)
		return err;
	elf_version(EV_CURRENT);
	image.elf = elf_memory((char *)image.bytes, image.size);
	if (!image.elf || !gelf_getehdr(image.elf, &header) ||
	    header.e_type != ET_CORE || header.e_machine != EM_X86_64)
		return "it is no core file of this processor";
	elf_getphdrnum(image.elf, &nr);
	for (size_t i = 0; i < nr && !err; i++)
		if (gelf_getphdr(image.elf, i, &segment) &&
		    segment.p_type == PT_NOTE)
			err = notes_read(&segment);
	if (err)
		return err;
	if (!image.nr_threads || !image.nr_mapped)
		return "it has no threads, or no files";
	return maps_read();
}

void image_close(void)
{
	while (nr_made) {
		unwind_bytes_free(&made[--nr_made].bytes);
		free(made[nr_made].path);
	}
	free(image.maps);
	free(image.files);
	elf_end(image.elf);
	if (image.bytes)
		munmap((void *)image.bytes, image.size);
	memset(&image, 0, sizeof(image));
}

u32 image_threads(void)
{
	return image.nr_threads;
}

pid_t image_thread(u32 number)
{
	return image.tids[number];
}

void image_walk(u32 number, u64 shift, struct walked *stack)
{
	const struct user_regs_struct *registers = &image.registers[number];
	const struct kt_unwind_start start = {
		.ip = registers->rip,
		.sp = registers->rsp + shift,
		.bp = registers->rbp,
		.bx = registers->rbx,
		.registers = registers,
	};

	walked_take(&image.space, &cache, &start, KT_STACK_MAX, stack);
}
