// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "eh_frame.h"
#include "frame_program.h"
#include "unwind_rows.h"
#include "unwind_table.h"

/* A CIE, read once. */
struct cie {
	struct frame_common common;
	uint8_t encoding; /* of addresses in its FDEs */
	bool augmented;	  /* its FDEs have a block of more data */
	bool good;
};

/* An FDE: one function. */
struct function {
	uint64_t begin, end;
	const struct cie *cie;
	struct dwarf_reader program;
};

struct parser {
	const struct eh_frame *frame;
	Elf_Data data; /* the section, for libdw */
	struct arena arena;
	struct table cies; /* by offset in the section */
	struct function *functions;
	size_t nr, room;
	bool sorted;
};

/* What libdw has to know of the file. */
static const unsigned char ident[EI_NIDENT] = {
	ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
};

/* Numbers of a format, DW_EH_PE_*. */
static uint64_t formatted(struct dwarf_reader *reader, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return dwarf_fixed(reader, 8);
	case DW_EH_PE_uleb128:
		return dwarf_unsigned(reader);
	case DW_EH_PE_sleb128:
		return dwarf_signed(reader);
	case DW_EH_PE_udata2:
		return dwarf_fixed(reader, 2);
	case DW_EH_PE_sdata2:
		return (int16_t)dwarf_fixed(reader, 2);
	case DW_EH_PE_udata4:
		return dwarf_fixed(reader, 4);
	case DW_EH_PE_sdata4:
		return (int32_t)dwarf_fixed(reader, 4);
	default:
		reader->bad = true;
		return 0;
	}
}

static uint64_t address_read(const struct parser *parser,
			     struct dwarf_reader *reader, uint8_t encoding)
{
	const struct eh_frame *frame = parser->frame;
	uint64_t at = frame->address + (reader->at - frame->bytes);
	uint64_t value = formatted(reader, encoding);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return at + value;
	default:
		reader->bad = true;
		return 0;
	}
}

/* The letters of a CIE say what its data has, in the same order. */
static bool augmentation_read(const struct parser *parser, struct cie *cie,
			      const Dwarf_CIE *entry)
{
	const char *letter = entry->augmentation;
	struct dwarf_reader data = {
		.at = entry->augmentation_data,
		.end = entry->augmentation_data + entry->augmentation_data_size,
	};

	cie->encoding = DW_EH_PE_absptr;
	if (!*letter)
		return true;
	/* Without the size, it is not known what else there is. */
	if (*letter++ != 'z')
		return false;
	cie->augmented = true;
	for (; *letter; letter++) {
		switch (*letter) {
		case 'R':
			cie->encoding = dwarf_fixed(&data, 1);
			break;
		case 'L':
			dwarf_fixed(&data, 1);
			break;
		case 'P':
			formatted(&data, dwarf_fixed(&data, 1));
			break;
		case 'S':
			cie->common.signal = true;
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

static void cie_read(const struct parser *parser, struct cie *cie,
		     Dwarf_Off offset)
{
	const Dwarf_CIE *entry;
	Dwarf_CFI_Entry found;
	Dwarf_Off next;

	if (offset >= parser->data.d_size ||
	    dwarf_next_cfi(ident, (Elf_Data *)&parser->data, true, offset,
			   &next, &found) ||
	    !dwarf_cfi_cie_p(&found))
		return;
	entry = &found.cie;
	cie->common.code_factor = entry->code_alignment_factor;
	cie->common.data_factor = entry->data_alignment_factor;
	cie->good = entry->return_address_register == FRAME_RIP &&
		    augmentation_read(parser, cie, entry) &&
		    frame_program_begin(&cie->common,
					(struct dwarf_reader){
						entry->initial_instructions,
						entry->initial_instructions_end,
						false});
}

/* NULL: out of memory. */
static const struct cie *cie_find(struct parser *parser, Dwarf_Off offset)
{
	struct cie *cie = table_find(&parser->cies, offset);

	if (cie)
		return cie;
	cie = arena_alloc(&parser->arena, sizeof(*cie));
	if (!cie || table_add(&parser->cies, offset, cie))
		return NULL;
	cie_read(parser, cie, offset);
	return cie;
}

/* The segment that has all of @begin to @end.  NULL: none. */
static const struct eh_frame_text *text_find(const struct eh_frame *frame,
					     uint64_t begin, uint64_t end)
{
	for (unsigned int i = 0; i < frame->nr_texts; i++) {
		const struct eh_frame_text *text = &frame->texts[i];

		if (begin >= text->address && begin < end &&
		    end - text->address <= text->size)
			return text;
	}
	return NULL;
}

/* Reads text from @begin to @end. */
static bool text_read(const struct eh_frame *frame, uint64_t begin,
		      uint64_t end, uint8_t *bytes)
{
	const struct eh_frame_text *text = text_find(frame, begin, end);

	return text && end - begin <= EH_FRAME_READ_MAX &&
	       frame->read(frame->source,
			   text->offset + (begin - text->address), bytes,
			   end - begin);
}

static int function_add(struct parser *parser, const struct function *function)
{
	struct function *more;

	if (parser->nr == parser->room) {
		parser->room = parser->room ? 2 * parser->room : 256;
		more = realloc(parser->functions, parser->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		parser->functions = more;
	}
	if (parser->nr &&
	    function->begin <= parser->functions[parser->nr - 1].begin)
		parser->sorted = false;
	parser->functions[parser->nr++] = *function;
	return 0;
}

static int fde_read(struct parser *parser, const Dwarf_FDE *entry)
{
	const struct cie *cie = cie_find(parser, entry->CIE_pointer);
	struct dwarf_reader *program;
	struct function function = {
		.cie = cie,
		.program = {entry->start, entry->end, false},
	};

	if (!cie)
		return -ENOMEM;
	if (!cie->good)
		return 0;
	program = &function.program;
	function.begin = address_read(parser, program, cie->encoding);
	function.end = function.begin + formatted(program, cie->encoding);
	if (cie->augmented)
		dwarf_block(program, dwarf_unsigned(program));
	if (program->bad ||
	    !text_find(parser->frame, function.begin, function.end))
		return 0;
	return function_add(parser, &function);
}

static int section_read(struct parser *parser)
{
	const Elf_Data *data = &parser->data;
	Dwarf_CFI_Entry entry;
	Dwarf_Off at = 0, next;
	uint32_t size;
	int err = 0;

	while (!err && data->d_size - at > sizeof(size)) {
		/* The C library's own end of the section may lie inside. */
		memcpy(&size, (const char *)data->d_buf + at, sizeof(size));
		if (!size) {
			at += sizeof(size);
			continue;
		}
		if (dwarf_next_cfi(ident, (Elf_Data *)data, true, at, &next,
				   &entry))
			break;
		if (!dwarf_cfi_cie_p(&entry))
			err = fde_read(parser, &entry.fde);
		if (next <= at || next > data->d_size)
			break;
		at = next;
	}
	return err;
}

/* Of two functions that begin at the same place the first one in the section counts. */
static int function_compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->program.at < y->program.at) -
	       (x->program.at > y->program.at);
}

/* The size of an instruction that compilers fill gaps with.  0: it is none. */
static size_t filler_size(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	if (*bytes == 0xcc || *bytes == 0x00)
		return 1;
	while (at < size && (bytes[at] == 0x66 || bytes[at] == 0x2e))
		at++;
	if (at < size && bytes[at] == 0x90)
		return at + 1;
	if (size - at < 3 || bytes[at] != 0x0f || bytes[at + 1] != 0x1f)
		return 0;
	switch (bytes[at + 2]) { /* its operand */
	case 0x00:
		return at + 3;
	case 0x40:
		return at + 4;
	case 0x44:
		return at + 5;
	case 0x80:
		return at + 7;
	case 0x84:
		return at + 8;
	default:
		return 0;
	}
}

/* Nobody is ever between two functions if nothing but alignment is there. */
static bool gap_filled(const uint8_t *bytes, size_t size)
{
	size_t at = 0, by;

	while (at < size) {
		by = filler_size(bytes + at, size - at);
		if (!by)
			return false;
		at += by;
	}
	return true;
}

/*
 * What is between two functions is not covered.  A row says so, but for alignment: rows for
 * all of it would make tables larger by a fifth.
 *
 * The C library's clone() ends its description just before the system call, because the
 * description is wrong for the child.  In the parent, and at the call itself, it still holds.
 *
 * Nobody has called what the kernel starts (psABI AMD64, 3.4.1).  The dynamic linker's own start
 * has no description.
 */
static int gap_add(const struct eh_frame *frame, uint64_t begin, uint64_t end,
		   struct unwind_rows *rows)
{
	static const uint8_t syscall[] = {0x0f, 0x05};
	uint8_t bytes[EH_FRAME_READ_MAX];

	if (text_read(frame, begin, end, bytes)) {
		if (gap_filled(bytes, end - begin))
			return 0;
		if (end - begin > sizeof(syscall) &&
		    !memcmp(bytes, syscall, sizeof(syscall)))
			begin += sizeof(syscall);
		if (frame->entry - begin < end - begin &&
		    gap_filled(bytes, frame->entry - begin))
			return unwind_rows_add(rows, frame->entry,
					       KT_UNWIND_END);
	}
	return unwind_rows_add(rows, begin, KT_UNWIND_NONE);
}

/*
 * A coroutine of makecontext() returns to the first byte of the C library's __start_context,
 * so nothing called it, whatever the function before it is.  The name is not in
 * stripped files; the first instructions are always the same.
 */
static bool is_start_context(const struct eh_frame *frame,
			     const struct function *function)
{
	static const uint8_t begin[] = {
		0x48, 0x89, 0xdc,	/* mov %rbx,%rsp */
		0x48, 0x8b, 0x3c, 0x24, /* mov (%rsp),%rdi */
		0x48, 0x85, 0xff,	/* test %rdi,%rdi */
	};
	uint8_t bytes[sizeof(begin)];

	return text_read(frame, function->begin,
			 function->begin + sizeof(begin), bytes) &&
	       !memcmp(bytes, begin, sizeof(begin));
}

static int functions_run(struct parser *parser, struct unwind_rows *rows)
{
	int err = 0;

	for (size_t i = 0; !err && i < parser->nr; i++) {
		const struct function *function = &parser->functions[i];
		uint64_t end = function->end, next = UINT64_MAX;

		if (i + 1 < parser->nr)
			next = function[1].begin;
		if (next < end)
			end = next;
		if (function->begin == end)
			continue;
		if (i && function[-1].end < function->begin &&
		    is_start_context(parser->frame, function))
			err = unwind_rows_add(rows, function->begin - 1,
					      KT_UNWIND_END);
		if (!err)
			err = frame_program_run(&function->cie->common,
						function->program,
						function->begin, end, rows);
		if (!err && end < next)
			err = gap_add(parser->frame, end, next, rows);
	}
	return err;
}

int eh_frame_rows(const struct eh_frame *frame, struct unwind_rows *rows)
{
	struct parser parser = {
		.frame = frame,
		.data =
			{
				.d_buf = (void *)frame->bytes,
				.d_type = ELF_T_BYTE,
				.d_version = EV_CURRENT,
				.d_size = frame->size,
			},
		.sorted = true,
	};
	int err = section_read(&parser);

	if (!parser.sorted)
		qsort(parser.functions, parser.nr, sizeof(*parser.functions),
		      function_compare);
	if (!err)
		err = functions_run(&parser, rows);
	free(parser.functions);
	table_free(&parser.cies);
	arena_destroy(&parser.arena);
	return err;
}
