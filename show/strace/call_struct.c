// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Structs: structs.tab says which members are shown and how; the trace has
 * their offsets.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "call.h"

static uint64_t member_value(const struct ktrace_member *member,
			     const uint8_t *bytes)
{
	uint64_t value = 0;
	unsigned int unused;

	if (!member->size || member->size > sizeof(value))
		return 0;
	memcpy(&value, bytes + member->offset, member->size);
	unused = 64 - 8 * member->size;
	if (member->is_signed)
		return (int64_t)(value << unused) >> unused;
	return value;
}

static const struct ktrace_member *member_find(
	const struct ktrace_layout *layout, const char *name)
{
	for (uint32_t i = 0; i < layout->nr_members; i++) {
		if (!strcmp(layout->members[i].name, name))
			return &layout->members[i];
	}
	return NULL;
}

static void put_limit(struct line *line, uint64_t value, bool wide)
{
	/* The second value is that of 32-bit programs. */
	if (value == UINT64_MAX || (!wide && value == UINT32_MAX))
		line_puts(line, wide ? "RLIM64_INFINITY" : "RLIM_INFINITY");
	else if (value > 1024 && value % 1024 == 0)
		line_printf(line, "%" PRIu64 "*1024", value / 1024);
	else
		line_printf(line, "%" PRIu64, value);
}

static void put_handler(struct line *line, uint64_t value)
{
	if (value == 0)
		line_puts(line, "SIG_DFL");
	else if (value == 1)
		line_puts(line, "SIG_IGN");
	else
		line_printf(line, "%#" PRIx64, value);
}

static void put_epoll_data(struct line *line, uint64_t value)
{
	line_printf(line, "{u32=%u, u64=%" PRIu64 "}", (uint32_t)value, value);
}

static void put_longs(struct line *line, const uint8_t *p, size_t n,
		      size_t size)
{
	uint64_t value = 0;

	line_puts(line, "[");
	for (size_t i = 0; i + size <= n; i += size) {
		memcpy(&value, p + i, size);
		line_printf(line, "%s%" PRIu64, i ? ", " : "", value);
	}
	line_puts(line, "]");
}

static void put_pair(struct line *line, const uint8_t *p)
{
	uint32_t value[2];

	memcpy(value, p, sizeof(value));
	line_printf(line, "{val=[%#x, %#x]}", value[0], value[1]);
}

/* A string to which a member of a command's union points. */
static void put_member_string(struct line *line, const struct call_view *view,
			      const char *name, uint64_t address)
{
	const char *dot = strrchr(name, '.');
	char suffix[KTRACE_WORD_MAX + 2];
	struct captured c;

	snprintf(suffix, sizeof(suffix), "_%s", dot ? dot + 1 : name);
	c = captured_get(view, false, view->call->command + 1, suffix);
	if (c.there && c.size)
		value_string(line, c.bytes,
			     strnlen((const char *)c.bytes, c.size), c.cut);
	else
		value_address(line, address);
}

static void put_member(struct line *line, const struct call_view *view,
		       const struct ktrace_word *word,
		       const struct ktrace_member *member, const uint8_t *bytes)
{
	uint64_t value = member_value(member, bytes);
	const uint8_t *at = bytes + member->offset;
	const char *w = word->word;

	/* Without the copies of the sign, where the sign has no meaning. */
	if (member->size < sizeof(value) && *w && !w[1] && strchr("FEuxo", *w))
		value &= (1ull << 8 * member->size) - 1;

	if (!strcmp(w, "S")) {
		if (!value_struct(line, view, word->set, NULL, at,
				  member->size))
			line_puts(line, "{...}");
	} else if (!strcmp(w, "str")) {
		value_string(line, at, strnlen((const char *)at, member->size),
			     false);
	} else if (!strcmp(w, "F") || !strcmp(w, "E")) {
		value_names(line, word->set, value);
	} else if (!strcmp(w, "mode")) {
		value_mode(line, value);
	} else if (!strcmp(w, "set")) {
		value_signals(line, value);
	} else if (!strcmp(w, "sig")) {
		value_signal(line, value);
	} else if (!strcmp(w, "lim") || !strcmp(w, "lim64")) {
		put_limit(line, value, w[3]);
	} else if (!strcmp(w, "handler")) {
		put_handler(line, value);
	} else if (!strcmp(w, "epdata")) {
		put_epoll_data(line, value);
	} else if (!strcmp(w, "a") || !strcmp(w, "a4")) {
		put_longs(line, at, member->size, w[1] ? 4 : 8);
	} else if (!strcmp(w, "fsid") && member->size >= 8) {
		put_pair(line, at);
	} else if (!strcmp(w, "dev")) {
		line_printf(line, "makedev(%#x, %#x)", major(value),
			    minor(value));
	} else if (!strcmp(w, "ticks")) {
		line_printf(line, "%" PRIu64, value);
		if (value)
			line_printf(line, " /* %.2f s */", value / 100.0);
	} else if (!strcmp(w, "sigval")) {
		line_printf(line, "{sival_int=%d, sival_ptr=", (int)value);
		value_address(line, value);
		line_puts(line, "}");
	} else if (!strcmp(w, "path")) {
		put_member_string(line, view, member->name, value);
	} else if (!strcmp(w, "version")) {
		line_printf(line, "KERNEL_VERSION(%u, %u, %u)",
			    (unsigned int)(value >> 16),
			    (unsigned int)(value >> 8 & 0xff),
			    (unsigned int)(value & 0xff));
	} else if (!strcmp(w, "p")) {
		value_address(line, value);
	} else if (!strcmp(w, "x")) {
		line_printf(line, "%#" PRIx64, value);
	} else if (!strcmp(w, "o") || !strcmp(w, "how")) {
		line_printf(line, "%#03" PRIo64, value);
	} else if (!strcmp(w, "fd")) {
		line_printf(line, "%d", (int)value);
	} else if (!strcmp(w, "u")) {
		line_printf(line, "%" PRIu64, value);
	} else {
		line_printf(line, "%" PRId64, (int64_t)value);
	}
}

/* A struct that is being printed. */
struct putting {
	struct line *line;
	const struct call_view *view;
	const struct ktrace_layout *layout;
	const uint8_t *bytes;
	size_t size;
	bool first;
	/* The unnamed struct whose members are being printed. */
	char inner[KTRACE_WORD_MAX];
};

static void put_comma(struct putting *p)
{
	if (!p->first)
		line_puts(p->line, ", ");
	p->first = false;
}

/* @name: of the next member; "info.bpf_fd" is in the struct info. */
static const char *inner_switch(struct putting *p, const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t length = dot ? dot - name : 0;

	if (strlen(p->inner) != length || strncmp(p->inner, name, length)) {
		if (*p->inner)
			line_puts(p->line, "}");
		snprintf(p->inner, sizeof(p->inner), "%.*s", (int)length, name);
		if (length) {
			put_comma(p);
			line_printf(p->line, "%s={", p->inner);
			p->first = true;
		}
	}
	return dot ? dot + 1 : name;
}

/* Prints the member of "[+]MEMBER[=SHOWN]:WORD". */
static void put_word(struct putting *p, const char *text, size_t length)
{
	const char *colon = memchr(text, ':', length);
	char room[KTRACE_WORD_MAX], name[KTRACE_WORD_MAX];
	const struct ktrace_member *member;
	struct ktrace_word word;
	bool optional = *text == '+';
	const char *shown;
	char *own;

	if (!colon) {
		put_comma(p);
		line_puts(p->line, "...");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(colon - text - optional),
		 text + optional);
	if (ktrace_word_parse(colon + 1, text + length - colon - 1, room,
			      &word))
		return;
	own = strchr(name, '=');
	if (own)
		*own++ = '\0';
	member = member_find(p->layout, name);
	if (!member || member->offset + member->size > p->size)
		return;
	if (optional && !member_value(member, p->bytes) &&
	    !(word_is(&word, "how") && p->size >= 3 &&
	      makes_file(*p->bytes | p->bytes[1] << 8 | p->bytes[2] << 16)))
		return;
	shown = own ? own : inner_switch(p, name);
	put_comma(p);
	line_printf(p->line, "%s=", shown);
	put_member(p->line, p->view, &word, member, p->bytes);
}

bool value_struct(struct line *line, const struct call_view *view,
		  const char *name, const char *words, const uint8_t *bytes,
		  size_t size)
{
	char own[KTRACE_WORD_MAX];
	struct putting p = {line, view, NULL, bytes, size, true, ""};
	/* A struct of a union: less bytes than its size may be there. */
	bool partial = strchr(name, '.');
	size_t length;

	snprintf(own, sizeof(own), "%.*s", (int)strcspn(name, "."), name);
	p.layout = ktrace_layout_find(view->types, own);
	if (!words)
		words = ktrace_struct_words(name);
	if (!p.layout || !words || (!partial && size < p.layout->size))
		return false;
	line_puts(line, "{");
	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (length)
			put_word(&p, words, length);
	}
	line_puts(line, *p.inner ? "}}" : "}");
	return true;
}
