// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Structs: structs.tab says which members are shown and how; the trace has
 * their offsets.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

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
	struct constant constant = constant_begin(line);

	/* The second value is that of 32-bit programs. */
	if (value == UINT64_MAX || (!wide && value == UINT32_MAX))
		line_puts(line, wide ? "RLIM64_INFINITY" : "RLIM_INFINITY");
	else if (value > 1024 && value % 1024 == 0)
		line_printf(line, "%" PRIu64 "*1024", value / 1024);
	else
		line_printf(line, "%" PRIu64, value);
	if (value > 1024 && value % 1024 == 0)
		constant_end_named(line, &constant, "%" PRIu64, value);
	else
		constant_end(line, &constant, "%" PRIu64, value);
}

void value_handler(struct line *line, uint64_t value)
{
	struct constant constant = constant_begin(line);

	if (value == 0)
		line_puts(line, "SIG_DFL");
	else if (value == 1)
		line_puts(line, "SIG_IGN");
	else
		line_printf(line, "%#" PRIx64, value);
	constant_end(line, &constant, "%#" PRIx64, value);
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

static void put_hex_numbers(struct line *line, const uint8_t *p, size_t n,
			    size_t size)
{
	line_puts(line, "[");
	for (size_t i = 0; i + size <= n; i += size)
		line_printf(line, "%s%#" PRIx64, i ? ", " : "",
			    word_read(p + i, size));
	line_puts(line, "]");
}

/* struct statx_timestamp, with its date. */
static void put_stamp(struct line *line, const uint8_t *p)
{
	int64_t seconds;
	uint32_t ns;

	memcpy(&seconds, p, sizeof(seconds));
	memcpy(&ns, p + sizeof(seconds), sizeof(ns));
	line_printf(line, "{tv_sec=%" PRId64 ", tv_nsec=%u}", seconds, ns);
	value_date_comment(line, seconds, ns);
}

static void put_pair(struct line *line, const uint8_t *p)
{
	uint32_t value[2];

	memcpy(value, p, sizeof(value));
	line_printf(line, "{val=[%#x, %#x]}", value[0], value[1]);
}

static void put_version(struct line *line, uint64_t value)
{
	struct constant constant = constant_begin(line);

	line_printf(line, "KERNEL_VERSION(%u, %u, %u)",
		    (unsigned int)(value >> 16),
		    (unsigned int)(value >> 8 & 0xff),
		    (unsigned int)(value & 0xff));
	constant_end(line, &constant, "%#" PRIx64, value);
}

/* A string to which a member of a command's union points. */
static void put_member_string(struct line *line, const struct call_view *view,
			      const char *name, bool cut, uint64_t address)
{
	struct captured c = member_captured(view, name);
	size_t length;

	length = c.size ? strnlen((const char *)c.bytes, c.size) : 0;
	if (!c.there || !c.size)
		value_address(line, address);
	else if (cut && length > view->string_max)
		value_string(line, c.bytes, view->string_max, true);
	else
		value_string(line, c.bytes, length, c.cut);
}

/* Threads' numbers for a new process, to which a member of the first argument points. */
static void put_threads(struct line *line, const struct call_view *view,
			uint64_t address)
{
	struct captured c = captured_get(view, false, 0, KTRACE_CAPTURED_TIDS);
	int32_t tid;

	if (!c.there || c.unread || c.cut || c.size < sizeof(tid)) {
		value_address(line, address);
		return;
	}
	for (size_t i = 0; i + sizeof(tid) <= c.size; i += sizeof(tid)) {
		memcpy(&tid, c.bytes + i, sizeof(tid));
		line_printf(line, "%s%d", i ? ", " : "[", tid);
	}
	line_puts(line, "]");
}

/* @size bytes of it are there, or all.  Without its end it was cut. */
static void put_characters(struct line *line, const uint8_t *at, size_t size,
			   size_t all)
{
	size_t length;
	bool cut;

	if (size > all)
		size = all;
	length = strnlen((const char *)at, size);
	cut = size && length == size;
	value_string(line, at, length - cut, cut);
}

/* @size: of the struct, as far as it is there. */
static void put_member(struct line *line, const struct call_view *view,
		       const struct ktrace_word *word,
		       const struct ktrace_member *member, const uint8_t *bytes,
		       size_t size)
{
	uint64_t value = member_value(member, bytes);
	const uint8_t *at = bytes + member->offset;
	const char *w = word->word;

	/* Without the copies of the sign, where the sign has no meaning. */
	if (member->size < sizeof(value) && *w && !w[1] && strchr("FENuxo", *w))
		value &= (1ull << 8 * member->size) - 1;

	if (!strcmp(w, "S")) {
		if (!value_struct(line, view, word->set, NULL, at,
				  member->size))
			line_puts(line, "{...}");
	} else if (!strcmp(w, "str")) {
		put_characters(line, at, size - member->offset, member->size);
	} else if (!strcmp(w, "F") || !strcmp(w, "E")) {
		value_names(line, word->set, value);
	} else if (!strcmp(w, "mode")) {
		value_mode(line, value);
	} else if (!strcmp(w, "set") && member->size == sizeof(uint32_t)) {
		value_signals_old(line, value);
	} else if (!strcmp(w, "set")) {
		value_signals(line, value);
	} else if (!strcmp(w, "sig") && member->size > 4 && value > INT32_MAX) {
		line_printf(line, "%" PRIu64, value);
	} else if (!strcmp(w, "sig")) {
		value_signal(line, value);
	} else if (!strcmp(w, "lim") || !strcmp(w, "lim64")) {
		put_limit(line, value, w[3]);
	} else if (!strcmp(w, "handler")) {
		value_handler(line, value);
	} else if (!strcmp(w, "epdata")) {
		put_epoll_data(line, value);
	} else if (!strcmp(w, "a") || !strcmp(w, "a4")) {
		put_longs(line, at, member->size, w[1] ? 4 : 8);
	} else if (!strcmp(w, "stamp") && member->size >= 12) {
		put_stamp(line, at);
	} else if (!strcmp(w, "x4")) {
		put_hex_numbers(line, at, member->size, 4);
	} else if (!strcmp(w, "fsid") && member->size >= 8) {
		put_pair(line, at);
	} else if (!strcmp(w, "dev")) {
		value_device(line, value);
	} else if (!strcmp(w, "ticks")) {
		line_printf(line, "%" PRIu64, value);
		if (value && line->constants != KTRACE_CONSTANTS_NUMBERS)
			line_printf(line, " /* %.2f s */", value / 100.0);
	} else if (!strcmp(w, "sigval")) {
		line_printf(line, "{sival_int=%d, sival_ptr=", (int)value);
		value_address(line, member->size == sizeof(uint32_t)
					    ? (uint32_t)value
					    : value);
		line_puts(line, "}");
	} else if (!strcmp(w, "path")) {
		put_member_string(line, view, member->name, *word->set, value);
	} else if (!strcmp(w, "N")) {
		value_commented(line, word->set, value);
	} else if (!strcmp(w, "interface")) {
		value_interface(line, value);
	} else if (!strcmp(w, "tids")) {
		put_threads(line, view, value);
	} else if (!strcmp(w, "version")) {
		put_version(line, value);
	} else if (!strcmp(w, "p") || !strcmp(w, "many")) {
		value_address(line, value);
	} else if (!strcmp(w, "x")) {
		line_printf(line, "%#" PRIx64, value);
	} else if (!strcmp(w, "o") || !strcmp(w, "how")) {
		line_printf(line, "%#03" PRIo64, value);
	} else if (!strcmp(w, "fdof")) {
		line_printf(line, "%d", (int)value);
	} else if (!strcmp(w, "id")) {
		value_id(line, value);
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
	const char *words;
	const uint8_t *bytes;
	size_t size; /* of what is there */
	size_t room; /* of @bytes: behind what is there, zeros may follow */
	size_t end;  /* of the members that are known */
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

/* "[CONDITION?][+]MEMBER[=SHOWN]:WORD", in its parts. */
struct member_text {
	char condition[KTRACE_WORD_MAX];
	char name[KTRACE_WORD_MAX];
	const char *shown; /* NULL: as it is called */
	bool optional;
	char room[KTRACE_WORD_MAX];
	struct ktrace_word word;
};

/* False: it is none. */
static bool member_parse(struct member_text *m, const char *text, size_t length)
{
	const char *end = text + length, *colon = memchr(text, ':', length);
	const char *ask = colon ? memchr(text, '?', colon - text) : NULL;
	char *own;

	if (!colon ||
	    ktrace_word_parse(colon + 1, end - colon - 1, m->room, &m->word))
		return false;
	*m->condition = '\0';
	if (ask) {
		snprintf(m->condition, sizeof(m->condition), "%.*s",
			 (int)(ask - text), text);
		text = ask + 1;
	}
	m->optional = *text == '+';
	text += m->optional;
	snprintf(m->name, sizeof(m->name), "%.*s", (int)(colon - text), text);
	own = strchr(m->name, '=');
	if (own)
		*own++ = '\0';
	m->shown = own;
	return true;
}

static uint64_t value_of(const struct putting *p, const char *name)
{
	const struct ktrace_member *member = member_find(p->layout, name);

	if (!member || member->offset + member->size > p->room)
		return 0;
	return member_value(member, p->bytes);
}

/* The bits that the name has in the struct's first member that is flags. */
static uint64_t flag_of(const struct putting *p, const char *name)
{
	const char *words = p->words;
	const struct ktrace_names *names;
	struct member_text m;
	size_t length;

	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (!member_parse(&m, words, length) || !word_is(&m.word, "F"))
			continue;
		names = ktrace_names_find(m.word.set, NULL);
		for (uint32_t i = 0; names && i < names->count; i++)
			if (!strcmp(names->names[i].name, name))
				return value_of(p, m.name) &
				       names->names[i].value;
		break;
	}
	return 0;
}

/* "[!]NAME|NAME...": is one of these flags set, or member not zero? */
static bool condition_holds(const struct putting *p, char *text)
{
	bool inverse = *text == '!', any = false;
	char *name;

	text += inverse;
	while ((name = strsep(&text, "|")))
		any |= value_of(p, name) || flag_of(p, name);
	return any != inverse;
}

static bool member_is_set(const struct ktrace_member *member,
			  const uint8_t *bytes)
{
	for (uint32_t i = 0; i < member->size; i++) {
		if (bytes[member->offset + i])
			return true;
	}
	return false;
}

/*
 * A descriptor, perhaps with its path.  Paths were recorded of all descriptors that the struct
 * has, whether they are shown or not.
 */
static void put_descriptor(struct putting *p,
			   const struct ktrace_member *member)
{
	struct path_list paths = struct_paths(p->view);
	uint64_t value = member_value(member, p->bytes);
	int fd = (int)value;
	const struct ktrace_member *other;
	const char *words = p->words;
	struct member_text m;
	struct call_file file;
	size_t length;

	if (member->size > sizeof(fd) && value > INT32_MAX) {
		line_printf(p->line, "%" PRIu64, value);
		return;
	}
	line_printf(p->line, "%d", fd);
	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (!member_parse(&m, words, length) || !word_is(&m.word, "fd"))
			continue;
		other = member_find(p->layout, m.name);
		if (other && other->offset < member->offset)
			path_take(&paths, &file);
	}
	/* The directory of AT_FDCWD is none. */
	if (fd >= 0)
		path_print_next(p->line, &paths);
}

/* What it was, and what the call has made of it. */
static void put_moved(struct putting *p, const struct ktrace_member *member)
{
	uint32_t before = member_value(member, p->bytes), after;
	struct captured c = {0};

	for (unsigned int i = 0; !c.there && i < call_nr_arguments(p->view);
	     i++)
		c = captured_get(p->view, true, i, KTRACE_CAPTURED_NOW);
	line_printf(p->line, "%u", before);
	if (c.size < sizeof(after) || call_failed(p->view))
		return;
	memcpy(&after, c.bytes, sizeof(after));
	if (after != before)
		line_printf(p->line, " => %u", after);
}

/* Instructions, or their address.  The word has "KIND/NUMBER". */
static void put_insns(struct putting *p, const struct member_text *m,
		      const struct ktrace_member *member)
{
	uint64_t address = member_value(member, p->bytes);
	const char *slash = strchr(m->word.set, '/');
	struct captured c;

	if (!p->view->unabbreviated || !slash) {
		value_address(p->line, address);
		return;
	}
	c = member_captured(p->view, m->name);
	insns_print(p->line, m->word.set, &c, address, value_of(p, slash + 1));
}

/* Prints a member, or dots. */
static void put_word(struct putting *p, const char *text, size_t length)
{
	const struct ktrace_member *member;
	struct member_text m;
	const char *shown;

	if (!memchr(text, ':', length)) {
		put_comma(p);
		line_puts(p->line, "...");
		return;
	}
	if (!member_parse(&m, text, length))
		return;
	member = member_find(p->layout, m.name);
	if (!member || member->offset + member->size > p->room)
		return;
	if (p->end < member->offset + member->size)
		p->end = member->offset + member->size;
	if (*m.condition && !condition_holds(p, m.condition))
		return;
	if (m.optional && !member_is_set(member, p->bytes) &&
	    !(word_is(&m.word, "how") && p->size >= 3 &&
	      makes_file(*p->bytes | p->bytes[1] << 8 | p->bytes[2] << 16)))
		return;
	shown = m.shown ?: inner_switch(p, m.name);
	put_comma(p);
	line_printf(p->line, "%s=", shown);
	if (word_is(&m.word, "fd"))
		put_descriptor(p, member);
	else if (word_is(&m.word, "moved"))
		put_moved(p, member);
	else if (word_is(&m.word, "insns"))
		put_insns(p, &m, member);
	else if (word_is(&m.word, "many") && member_value(member, p->bytes) &&
		 !value_of(p, m.word.set))
		line_puts(p->line, "[]");
	else
		put_member(p->line, p->view, &m.word, member, p->bytes,
			   p->size);
	/* The nanoseconds are in a member of their own. */
	if (word_is(&m.word, "date"))
		value_date_comment(p->line, member_value(member, p->bytes),
				   value_of(p, m.word.set));
}

/* Does the version whose first member is that of @words begin where nothing is? */
static bool version_is_missing(const struct putting *p, const char *words)
{
	const struct ktrace_member *member = NULL;
	struct member_text m;

	words += strspn(words, " ");
	if (member_parse(&m, words, strcspn(words, " ")))
		member = member_find(p->layout, m.name);
	return !member || member->offset >= p->size;
}

/* Of versions of a struct: a member of which only a part is there ends in zeros. */
#define VERSIONS_ROOM 512

static void put_words(struct putting *p)
{
	const char *words = p->words;
	size_t length;

	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (length == 1 && *words == '|') {
			if (version_is_missing(p, words + length))
				return;
		} else if (length) {
			put_word(p, words, length);
		}
	}
}

const char *struct_words(const struct call_view *view, const char *name)
{
	char full[KTRACE_WORD_MAX + 8];
	const char *words = NULL;

	snprintf(full, sizeof(full), "%s.full", name);
	if (view->unabbreviated)
		words = ktrace_struct_words(full);
	return words ?: ktrace_struct_words(name);
}

bool value_struct(struct line *line, const struct call_view *view,
		  const char *name, const char *words, const uint8_t *bytes,
		  size_t size)
{
	char own[KTRACE_WORD_MAX];
	uint8_t padded[VERSIONS_ROOM] = {0};
	struct putting p = {
		.line = line,
		.view = view,
		.words = words,
		.bytes = bytes,
		.size = size,
		.room = size,
		.first = true,
	};
	/* A struct of a union: less bytes than its size may be there. */
	bool partial = strchr(name, '.');

	snprintf(own, sizeof(own), "%.*s", (int)strcspn(name, "."), name);
	p.layout = ktrace_layout_find(view->types, own);
	if (!words)
		p.words = struct_words(view, name);
	if (!p.layout || !p.words || (!partial && size < p.layout->size))
		return false;
	if (strstr(p.words, " |") && size < sizeof(padded)) {
		memcpy(padded, bytes, size);
		p.bytes = padded;
		p.room = sizeof(padded);
	}
	line_puts(line, "{");
	put_words(&p);
	line_puts(line, *p.inner ? "}" : "");
	/* What is unknown begins behind the last member, be it shown or not. */
	while (p.room > size && p.end < size && !bytes[p.end])
		p.end++;
	line_puts(line, p.room > size && p.end < size ? ", ...}" : "}");
	return true;
}
