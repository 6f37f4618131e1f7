// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Values of arguments, in the notation of strace. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <linux/audit.h>

#include "call.h"
#include "base/escape.h"

void line_add(struct line *line, const char *s, size_t n)
{
	if (line->room - line->len <= n) {
		size_t room = (line->len + n + 256) * 2;
		char *more = realloc(line->s, room);

		if (!more)
			return;
		line->s = more;
		line->room = room;
	}
	memcpy(line->s + line->len, s, n);
	line->len += n;
	line->s[line->len] = '\0';
}

void line_puts(struct line *line, const char *s)
{
	line_add(line, s, strlen(s));
}

void line_text(struct line *line, const char *s)
{
	size_t n = strlen(s), length;
	char text[ESCAPE_ROOM], *end;

	for (; n; s += length, n -= length) {
		end = escape_text_char(text, (const uint8_t *)s, n, &length);
		line_add(line, text, end - text);
	}
}

void line_printf(struct line *line, const char *format, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n > 0)
		line_add(line, text,
			 (size_t)n < sizeof(text) ? (size_t)n
						  : sizeof(text) - 1);
}

static void put_escaped(struct line *line, uint8_t c, bool digit_follows)
{
	static const char letters[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
	const char *letter = c ? strchr(letters + 2, c) : NULL;

	if (letter)
		line_printf(line, "\\%c", names[letter - letters]);
	else if (c == '"' || c == '\\')
		line_printf(line, "\\%c", c);
	else if (c >= ' ' && c < 0x7f)
		line_add(line, (const char *)&c, 1);
	else
		line_printf(line, digit_follows ? "\\%03o" : "\\%o", c);
}

static bool is_binary(const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] > 0x7e || (s[i] < ' ' && (s[i] < '\t' || s[i] > '\r')))
			return true;
	return false;
}

static bool is_hex(const struct line *line, const uint8_t *s, size_t n)
{
	return line->strings == KTRACE_STRINGS_HEX ||
	       (line->strings == KTRACE_STRINGS_HEX_BINARY && is_binary(s, n));
}

static void put_hex(struct line *line, const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		line_printf(line, "\\x%02x", s[i]);
}

void value_string(struct line *line, const uint8_t *s, size_t n, bool cut)
{
	if (is_hex(line, s, n)) {
		value_hex(line, s, n, cut);
		return;
	}
	line_puts(line, "\"");
	for (size_t i = 0; i < n; i++)
		put_escaped(line, s[i],
			    i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '7');
	line_puts(line, cut ? "\"..." : "\"");
}

bool path_is_gone(const char *s, size_t *n)
{
	static const char gone[] = " (deleted)";
	size_t length = strlen(gone);

	if (*n <= length || memcmp(s + *n - length, gone, length) != 0)
		return false;
	*n -= length;
	return true;
}

void value_angled(struct line *line, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool digit = i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '7';

		if (s[i] == '<' || s[i] == '>')
			line_printf(line, digit ? "\\%03o" : "\\%o", s[i]);
		else
			put_escaped(line, s[i], digit);
	}
}

void value_path_bytes(struct line *line, const char *s, size_t n)
{
	if (is_hex(line, (const uint8_t *)s, n))
		put_hex(line, (const uint8_t *)s, n);
	else
		value_angled(line, s, n);
}

void value_path(struct line *line, const char *s, size_t n, bool file)
{
	bool deleted = file && path_is_gone(s, &n);

	line_puts(line, "<");
	value_path_bytes(line, s, n);
	line_puts(line, deleted ? ">(deleted)" : ">");
}

void value_hex(struct line *line, const uint8_t *s, size_t n, bool cut)
{
	line_puts(line, "\"");
	put_hex(line, s, n);
	line_puts(line, cut ? "\"..." : "\"");
}

/* ---- constants ------------------------------------------------------------ */

struct constant constant_begin(struct line *line)
{
	struct constant constant = {line->len, line->constants};

	line->constants = KTRACE_CONSTANTS_NAMES;
	return constant;
}

/* Is it the number itself?  That may have a comment, and be one of several flags. */
static bool is_unnamed(const char *text)
{
	return (*text >= '0' && *text <= '9' && !strchr(text, '|')) ||
	       *text == '-';
}

/* Names alone are there already: the number need not be made. */
static bool is_done(struct line *line, const struct constant *constant)
{
	line->constants = constant->constants;
	return line->constants == KTRACE_CONSTANTS_NAMES ||
	       line->len == constant->begin;
}

static void put_constant(struct line *line, const struct constant *constant,
			 bool named, const char *number)
{
	size_t length = line->len - constant->begin;
	char *text = line->s + constant->begin;

	if (line->constants == KTRACE_CONSTANTS_BOTH) {
		if (!named && is_unnamed(text))
			return;
		text = strndup(text, length);
	} else {
		text = NULL;
	}
	line->len = constant->begin;
	line_puts(line, number);
	if (!text)
		return;
	line_puts(line, " /* ");
	line_puts(line, text);
	line_puts(line, " */");
	free(text);
}

static void put_number(struct line *line, const struct constant *constant,
		       bool named, const char *format, va_list ap)
{
	char number[64];

	if (is_done(line, constant))
		return;
	vsnprintf(number, sizeof(number), format, ap);
	put_constant(line, constant, named, number);
}

void constant_end(struct line *line, const struct constant *constant,
		  const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_number(line, constant, false, format, ap);
	va_end(ap);
}

void constant_end_named(struct line *line, const struct constant *constant,
			const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put_number(line, constant, true, format, ap);
	va_end(ap);
}

void constant_end_plain(struct line *line, const struct constant *constant)
{
	line->constants = constant->constants;
}

void constant_end_bytes(struct line *line, const struct constant *constant,
			const uint8_t *bytes, size_t n)
{
	struct line number = {0};

	if (is_done(line, constant))
		return;
	value_hex(&number, bytes, n, false);
	put_constant(line, constant, true, number.s ? number.s : "");
	free(number.s);
}

static const char *name_of(const struct ktrace_names *names, uint64_t value,
			   uint64_t mask)
{
	for (uint32_t i = 0; i < names->count; i++) {
		/* Names outside of the mask are for other bits. */
		if (names->names[i].value == value &&
		    !(mask && names->names[i].value & ~mask))
			return names->names[i].name;
	}
	return NULL;
}

const char *name_find(const char *set, uint64_t value)
{
	const struct ktrace_names *names = ktrace_names_find(set, NULL);

	return names ? name_of(names, value, 0) : NULL;
}

/* Prints 0x40, and AT_??? as a comment: nothing of the value has a name. */
static void put_unnamed(struct line *line, const char *set, uint64_t value)
{
	const char *unknown = ktrace_names_unknown(set);

	line_printf(line, "%#" PRIx64, value);
	if (unknown)
		line_printf(line, " /* %s */", unknown);
}

static void put_flags(struct line *line, const char *set,
		      const struct ktrace_names *names, uint64_t value,
		      uint64_t mask)
{
	const char *name = name_of(names, value & mask, mask);
	size_t begin = line->len;

	if (mask && name) {
		line_puts(line, name);
		value &= ~mask;
	} else if (mask && value & mask) {
		put_unnamed(line, set, value & mask);
		value &= ~mask;
	} else if (!mask && !value) {
		name = name_of(names, 0, 0);
		line_puts(line, name ? name : "0");
		return;
	}
	for (uint32_t i = 0; i < names->count; i++) {
		uint64_t bits = names->names[i].value;

		if (!bits || (mask && !(bits & ~mask)) ||
		    (value & bits) != bits)
			continue;
		if (line->len > begin)
			line_puts(line, "|");
		line_puts(line, names->names[i].name);
		value &= ~bits;
	}
	if (line->len == begin && value)
		put_unnamed(line, set, value);
	else if (line->len == begin)
		line_puts(line, "0");
	else if (value)
		line_printf(line, "|%#" PRIx64, value);
}

/* "A+B+C": each set but the last has one name for the bits in its mask. */
static void put_parts(struct line *line, const char *sets, uint64_t value)
{
	size_t length = strcspn(sets, "+");
	const struct ktrace_names *names;
	struct constant constant;
	uint64_t mask = 0;
	const char *name;
	char set[64];

	for (; sets[length]; length = strcspn(sets, "+")) {
		snprintf(set, sizeof(set), "%.*s", (int)length, sets);
		sets += length + 1;
		names = ktrace_names_find(set, &mask);
		name = names ? name_of(names, value & mask, mask) : NULL;
		constant = constant_begin(line);
		if (name)
			line_puts(line, name);
		else
			put_unnamed(line, set, value & mask);
		constant_end(line, &constant, "%#" PRIx64, value & mask);
		value &= ~mask;
		if (value || sets[strcspn(sets, "+")])
			line_puts(line, "|");
	}
	if (value)
		value_names(line, sets, value);
}

static void put_names(struct line *line, const char *set, uint64_t value)
{
	uint64_t mask = 0;
	const struct ktrace_names *names = ktrace_names_find(set, &mask);
	const char *name;

	if (!names) {
		line_printf(line, "%#" PRIx64, value);
		return;
	}
	if (names->flags) {
		put_flags(line, set, names, value, mask);
		return;
	}
	name = name_of(names, value, 0);
	if (name)
		line_puts(line, name);
	else
		put_unnamed(line, set, value);
}

/* Numbers that people know as such. */
static bool set_is_decimal(const char *set)
{
	static const char *const sets[] = {"key", "key_reqkeys", "socketcall",
					   "iocb_command", "sockopt_txrehash"};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (!strcmp(set, sets[i]))
			return true;
	}
	return false;
}

static void put_decimal(struct line *line, const char *set, int32_t value)
{
	const struct ktrace_names *names = ktrace_names_find(set, NULL);
	const char *name = names ? name_of(names, (uint32_t)value, 0) : NULL;
	const char *unknown = ktrace_names_unknown(set);

	if (name)
		line_puts(line, name);
	else if (unknown)
		line_printf(line, "%d /* %s */", value, unknown);
	else
		line_printf(line, "%d", value);
}

void value_names(struct line *line, const char *set, uint64_t value)
{
	struct constant constant;

	if (strchr(set, '+')) {
		put_parts(line, set, value);
		return;
	}
	constant = constant_begin(line);
	if (set_is_decimal(set)) {
		put_decimal(line, set, (int32_t)value);
		constant_end(line, &constant, "%d", (int32_t)value);
	} else {
		put_names(line, set, value);
		constant_end(line, &constant, "%#" PRIx64, value);
	}
}

void value_commented(struct line *line, const char *set, int64_t value)
{
	const char *name = ktrace_names_unknown(set);
	const struct ktrace_names *names = ktrace_names_find(set, NULL);

	for (uint32_t i = 0; names && i < names->count; i++)
		if (names->names[i].value == (uint64_t)value)
			name = names->names[i].name;
	line_printf(line, "%" PRId64, value);
	if (name && line->constants != KTRACE_CONSTANTS_NUMBERS)
		line_printf(line, " /* %s */", name);
}

void value_address(struct line *line, uint64_t address)
{
	if (address)
		line_printf(line, "%#" PRIx64, address);
	else
		line_puts(line, "NULL");
}

void value_comm(struct line *line, int32_t pid)
{
	const char *comm =
		line->comm && pid > 0 ? line->comm(line->data, pid) : NULL;

	if (comm)
		value_path(line, comm, strlen(comm), false);
}

void value_pid(struct line *line, int32_t pid)
{
	line_printf(line, "%d", pid);
	value_comm(line, pid);
}

void value_id16(struct line *line, uint16_t value)
{
	value_id(line, value == UINT16_MAX ? UINT32_MAX : value);
}

void value_id(struct line *line, uint32_t value)
{
	if (value == UINT32_MAX)
		line_puts(line, "-1");
	else
		line_printf(line, "%u", value);
}

void value_device(struct line *line, uint64_t device)
{
	struct constant constant = constant_begin(line);

	line_printf(line, "makedev(%#x, %#x)", major(device), minor(device));
	constant_end(line, &constant, "%#" PRIx64, device);
}

void value_signal(struct line *line, uint64_t signal)
{
	const struct ktrace_names *names = ktrace_names_find("signal", NULL);
	const char *name = name_of(names, signal, 0);
	struct constant constant = constant_begin(line);

	if (name)
		line_puts(line, name);
	else if (signal == 32)
		line_puts(line, "SIGRTMIN");
	else if (signal > 32 && signal <= 64)
		line_printf(line, "SIGRT_%" PRIu64, signal - 32);
	else
		line_printf(line, "%d", (int32_t)signal);
	constant_end(line, &constant, "%d", (int32_t)signal);
}

void value_syscall(struct line *line, uint64_t number, uint32_t arch)
{
	const struct ktrace_names *names =
		arch == AUDIT_ARCH_X86_64
			? ktrace_names_find("syscall_number", NULL)
			: NULL;
	const char *name = names ? name_of(names, number, 0) : NULL;
	struct constant constant = constant_begin(line);

	if (name)
		line_puts(line, name);
	else
		line_printf(line, "%" PRIu64, number);
	constant_end(line, &constant, "%" PRIu64, number);
}

void value_signals(struct line *line, uint64_t set)
{
	const struct ktrace_names *names = ktrace_names_find("signal", NULL);
	bool inverse = __builtin_popcountll(set) >= 42;
	const char *space = "";

	if (inverse)
		set = ~set;
	line_puts(line, inverse ? "~[" : "[");
	for (unsigned int signal = 1; signal <= 64; signal++) {
		struct constant constant;
		const char *name;

		if (!(set & 1ull << (signal - 1)))
			continue;
		line_puts(line, space);
		space = " ";
		name = name_of(names, signal, 0);
		constant = constant_begin(line);
		if (name)
			line_puts(line, name + strlen("SIG"));
		else if (signal == 32)
			line_puts(line, "RTMIN");
		else
			line_printf(line, "RT_%u", signal - 32);
		constant_end(line, &constant, "%u", signal);
	}
	line_puts(line, "]");
}

void value_signals_old(struct line *line, uint32_t set)
{
	/* If most are in the set, those that are not are shown. */
	bool most = __builtin_popcount(set) >= 21;

	value_signals(line, most ? set | (uint64_t)UINT32_MAX << 32 : set);
}

static void put_mode(struct line *line, uint64_t mode)
{
	static const struct {
		mode_t type;
		const char *name;
	} types[] = {
		{S_IFREG, "S_IFREG"},	{S_IFDIR, "S_IFDIR"},
		{S_IFLNK, "S_IFLNK"},	{S_IFCHR, "S_IFCHR"},
		{S_IFBLK, "S_IFBLK"},	{S_IFIFO, "S_IFIFO"},
		{S_IFSOCK, "S_IFSOCK"},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if ((mode & S_IFMT) != types[i].type)
			continue;
		line_printf(line, "%s|", types[i].name);
		mode &= ~S_IFMT;
	}
	if (mode & S_IFMT) {
		line_printf(line, "%#03o", (unsigned int)mode);
		return;
	}
	if (mode & S_ISUID)
		line_puts(line, "S_ISUID|");
	if (mode & S_ISGID)
		line_puts(line, "S_ISGID|");
	if (mode & S_ISVTX)
		line_puts(line, "S_ISVTX|");
	line_printf(line, "%#03o", (unsigned int)mode & 0777);
}

void value_mode(struct line *line, uint64_t mode)
{
	struct constant constant = constant_begin(line);

	put_mode(line, mode);
	/* A type that has no name is no name of the whole. */
	if (mode & S_IFMT)
		constant_end(line, &constant, "%#03o", (unsigned int)mode);
	else
		constant_end_named(line, &constant, "%#03o",
				   (unsigned int)mode);
}

bool makes_file(uint64_t flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}
