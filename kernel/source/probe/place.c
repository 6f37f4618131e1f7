// SPDX-License-Identifier: GPL-2.0-only
/* Where probes are: place.h. */
#include <linux/ctype.h>
#include <linux/elf.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "base/symbol.h"
#include "compat/symbol.h"
#include "place.h"
#include "session/session.h"

#define RETURN "%return"

/* A build id, in bytes. */
#define BUILD_MAX 32
#define BUILD_MIN 8
/* The type of its note. */
#define NOTE_BUILD 3

/* "[MODULE[{BUILD}]:]FUNCTION[+OFFSET]", cut up. */
struct words {
	char text[MODULE_NAME_LEN + 2 * BUILD_MAX + KSYM_NAME_LEN];
	const char *module; /* NULL: none */
	const char *function;
	const char *offset; /* NULL: none */
};

/* How many functions have a name. */
struct search {
	const char *name;
	const char *module; /* NULL: any, and the kernel itself */
	unsigned long address;
	unsigned int nr;
};

DEFINE_STATIC_CALL_NULL(module_of_name, find_module);

void places_init(void)
{
	unsigned long find = kt_symbol("find_module");

	if (find)
		static_call_update(module_of_name, (void *)find);
}

/* If nobody can tell, it is: then its functions are not found. */
bool place_module_is_there(const char *name)
{
	enum module_state state = MODULE_STATE_GOING;
	const struct module *module;

	if (!static_call_query(module_of_name))
		return true;
	preempt_disable();
	module = static_call(module_of_name)(name);
	/* It may begin to go at this moment: then no notifier has been called yet. */
	if (module)
		state = READ_ONCE(module->state);
	preempt_enable();
	return state == MODULE_STATE_LIVE || state == MODULE_STATE_COMING;
}

static bool is_in(const char *module, unsigned long address)
{
	char room[MODULE_NAME_LEN];

	return !module ||
	       !strcmp(module, kt_symbol_module(address, room) ?: "vmlinux");
}

static void search_visit(void *data, const char *name, unsigned long address)
{
	struct search *search = data;

	cond_resched();
	/* An alias is no other function. */
	if (strcmp(name, search->name) || address == search->address ||
	    !is_in(search->module, address))
		return;
	search->address = address;
	search->nr++;
}

static int function_find(const struct words *words, struct kt_session *session,
			 unsigned long *address)
{
	struct search search = {.name = words->function,
				.module = words->module};
	bool modules = words->module && strcmp(words->module, "vmlinux");
	int err = kt_symbols_each(search_visit, &search, modules);

	if (err)
		return kt_refuse(session, err,
				 "the kernel does not tell its symbols");
	if (!search.nr && modules)
		return kt_refuse(session, -ENOENT,
				 "the module %s has no function %.60s (what "
				 "only begins it is gone once it is loaded)",
				 words->module, words->function);
	if (!search.nr)
		return kt_refuse(session, -ENOENT,
				 "there is no function %.60s: is it inlined, "
				 "or its module not loaded?",
				 words->function);
	if (search.nr > 1)
		return kt_refuse(session, -EINVAL,
				 "%u functions are called %.60s: say the "
				 "address of one (/proc/kallsyms)",
				 search.nr, words->function);
	*address = search.address;
	return 0;
}

static int offset_add(const struct words *words, struct kt_session *session,
		      unsigned long *address)
{
	unsigned long size = kt_symbol_size(*address), offset;

	if (!words->offset)
		return 0;
	if (kstrtoul(words->offset, 0, &offset))
		return kt_refuse(session, -EINVAL,
				 "\"+%.20s\" is no number of bytes",
				 words->offset);
	/* The kernel would put the probe into the function behind it. */
	if (offset >= size)
		return kt_refuse(session, -EINVAL,
				 "+%lu is past the end: %.60s has %lu bytes",
				 offset, words->function, size);
	*address += offset;
	return 0;
}

/* Of "0xADDRESS[/TEXT]". */
static int address_parse(struct place *place, struct kt_session *session,
			 char *text)
{
	char *label = text;
	const char *c;

	text = strsep(&label, "/");
	if (kstrtoul(text, 16, &place->address))
		return kt_refuse(session, -EINVAL, "\"%.40s\" is no address",
				 text);
	for (c = label; c && isascii(*c) && isgraph(*c); c++)
		;
	if (label && (*c || c == label))
		return kt_refuse(session, -EINVAL,
				 "behind %s/ a text without blanks is wanted",
				 text);
	return 0;
}

/* Files have dashes in their names; modules have none. */
static void module_take(struct place *place, const char *name)
{
	strscpy(place->module, name, sizeof(place->module));
	strreplace(place->module, '-', '_');
}

/* The note (ELF) with which a linker marks a build; its size is a multiple of 4. */
struct build {
	struct elf64_note head;
	char owner[4];
	u8 id[BUILD_MAX];
	size_t size; /* 0: not said */
};

/* Takes "{BUILD}" from the end of a module's name. */
static int build_take(struct build *build, struct kt_session *session,
		      char *module)
{
	size_t length = strcspn(module, "{"), digits;
	char *id = module + length;

	*build = (struct build){};
	if (!*id)
		return 0;
	*id++ = '\0';
	digits = strcspn(id, "}");
	if (digits % 8 || digits < 2 * BUILD_MIN || digits > 2 * BUILD_MAX ||
	    strcmp(id + digits, "}") || hex2bin(build->id, id, digits / 2))
		return kt_refuse(session, -EINVAL,
				 "behind %s stands no build id in braces: 16 "
				 "to 64 digits",
				 module);
	build->head.n_namesz = sizeof(build->owner);
	build->head.n_descsz = digits / 2;
	build->head.n_type = NOTE_BUILD;
	memcpy(build->owner, "GNU", sizeof(build->owner));
	build->size = offsetof(struct build, id) + digits / 2;
	return 0;
}

/* KASAN has parts between a module's constants that nobody may read. */
static bool is_note(const void *at, const struct build *build)
{
	unsigned long word;
	size_t i;

	for (i = 0; i < build->size; i += sizeof(word)) {
		/* Is half a word left?  Then also the half before it, again. */
		if (i + sizeof(word) > build->size)
			i = build->size - sizeof(word);
		memcpy(&word, (const void *)build + i, sizeof(word));
		if (READ_ONCE_NOCHECK(*(const unsigned long *)(at + i)) != word)
			return false;
	}
	return true;
}

/*
 * What was found out last, under kt_mutex: probes of one module come together, and it may have
 * megabytes of constants.
 */
static struct {
	char module[MODULE_NAME_LEN];
	struct build build;
	bool is;
} last;

/*
 * Is the module this build?  Its notes are among its constants.  The kernel does not say where while
 * a module is being loaded, so they are searched.
 */
static bool module_is_build(const char *name, const struct build *build)
{
	const struct module *module;
	const void *at, *end;
	bool is = false;

	lockdep_assert_held(&kt_mutex);
	if (!build->size || !static_call_query(module_of_name))
		return true;
	if (!strcmp(last.module, name) &&
	    !memcmp(&last.build, build, sizeof(*build)))
		return last.is;
	preempt_disable();
	module = static_call(module_of_name)(name);
	if (module) {
		at = kt_module_constants(module);
		end = at + kt_module_constants_size(module);
		for (; !is && at + build->size <= end; at += 4)
			is = is_note(at, build);
	}
	preempt_enable();
	strscpy(last.module, name, sizeof(last.module));
	last.build = *build;
	last.is = is;
	return is;
}

void places_forget(void)
{
	lockdep_assert_held(&kt_mutex);
	*last.module = '\0';
}

/* Where the words are, if they name a module that can come and go. */
static int module_place_find(struct place *place, struct words *words,
			     struct kt_session *session)
{
	struct build build;
	int err;

	err = build_take(&build, session, (char *)words->module);
	if (err)
		return err;
	module_take(place, words->module);
	words->module = place->module;
	place->moves = true;
	place->address = 0;
	if (!place_module_is_there(place->module))
		return 0;
	err = function_find(words, session, &place->address);
	err = err ?: offset_add(words, session, &place->address);
	if (!err && !module_is_build(place->module, &build))
		err = kt_refuse(session, -ESTALE,
				"the module %s is another build than that for "
				"which the probe was made: make it anew",
				place->module);
	return err;
}

int place_find(struct place *place, struct kt_session *session,
	       const char *text)
{
	size_t length = strlen(text);
	struct words words = {};
	char *rest = words.text, room[MODULE_NAME_LEN];
	const char *module;
	int err;

	*place = (struct place){};
	place->returns = length > strlen(RETURN) &&
			 !strcmp(text + length - strlen(RETURN), RETURN);
	if (place->returns)
		length -= strlen(RETURN);
	if (!length || length >= sizeof(words.text))
		return kt_refuse(session, -EINVAL, "a place is %s",
				 length ? "too long" : "missing");
	memcpy(words.text, text, length);
	if (!strncmp(words.text, "0x", 2))
		return address_parse(place, session, words.text);
	words.offset = words.text;
	words.function = strsep((char **)&words.offset, "+");
	rest = (char *)words.function;
	if (strchr(rest, ':')) {
		words.module = strsep(&rest, ":");
		words.function = rest;
	}
	if (place->returns && words.offset)
		return kt_refuse(session, -EINVAL,
				 "a return has no offset: %s%s", words.function,
				 RETURN);
	if (words.module && !*words.module)
		return kt_refuse(session, -EINVAL,
				 "a module's name is missing in front of :");
	if (words.module && strcmp(words.module, "vmlinux"))
		return module_place_find(place, &words, session);
	err = function_find(&words, session, &place->address);
	if (err)
		return err;
	module = kt_symbol_module(place->address, room);
	place->moves = module;
	if (module)
		module_take(place, module);
	return offset_add(&words, session, &place->address);
}

const char *place_label(const char *text)
{
	static char shown[MODULE_NAME_LEN + KSYM_NAME_LEN];
	const char *label = strchr(text, '/'), *build, *behind;

	lockdep_assert_held(&kt_mutex);
	if (label)
		return label + 1;
	build = strchr(text, '{');
	behind = build ? strchr(build, '}') : NULL;
	if (!behind)
		return text;
	snprintf(shown, sizeof(shown), "%.*s%s", (int)(build - text), text,
		 behind + 1);
	return shown;
}

int place_refuse(struct kt_session *session, const char *text, int err)
{
	text = place_label(text);
	switch (err) {
	case -EILSEQ:
		return kt_refuse(session, -EINVAL,
				 "%.80s: no instruction begins there", text);
	case -ENOENT:
		return kt_refuse(session, err, "%.80s: there is no code", text);
	case -ENOMEM:
		return kt_refuse(session, err, "no memory");
	case -EINVAL:
		return kt_refuse(
			session, err,
			"%.80s: the kernel must not be stopped there (it is "
			"listed in kprobes/blacklist, is no code, or is "
			"changed while the kernel runs)",
			text);
	default:
		return kt_refuse(session, err,
				 "%.80s: the kernel refuses it (error %d)",
				 text, -err);
	}
}
