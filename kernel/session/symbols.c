// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `symbols': the functions that come and go while the kernel runs, those of
 * modules and of BPF programs, say.  A recorder reads the functions of the kernel's image
 * once after each boot, from /proc/kallsyms.  The kernel takes 2,000 instructions for each
 * line of that file, and there is no way to read a part of it.
 *
 * The lines are as in the file `symbols' of a trace, but not sorted.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "base/line.h"
#include "base/symbol.h"
#include "node.h"
#include "symbols.h"

static void symbol_show(void *data, const struct kt_symbol *symbol)
{
	static const char digits[] = "0123456789abcdef";
	struct line line = line_begin(data);
	const char *begin = line.to;
	char address[2 * sizeof(symbol->address) + 1];
	int digit;

	for (digit = 0; digit < sizeof(address) - 1; digit++)
		address[digit] =
			digits[symbol->address >>
				       (4 * (sizeof(address) - 2 - digit)) &
			       0xf];
	address[digit] = ' ';
	line_add_bytes(&line, address, sizeof(address));
	line_add(&line, symbol->name);
	line_add_literal(&line, " ");
	line_add(&line, symbol->module);
	line_add_literal(&line, "\n");
	line_end(&line, data, begin);
}

/* The rights that count are those of the process that opened the file, as in kallsyms. */
static int symbols_show(struct seq_file *m, const struct kt_node *node)
{
	if (!kt_symbols_shown(m->file->f_cred))
		return -EPERM;
	return kt_symbols_moving(symbol_show, m);
}

const struct kt_kind kt_symbols_file = {
	.name = "symbols",
	.mode = S_IFREG | 0440,
	.show = symbols_show,
	.show_size = 512 << 10,
};
