// SPDX-License-Identifier: GPL-2.0-only
/* Where probes are: place.h. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "base/symbol.h"
#include "place.h"
#include "session/session.h"

#define RETURN "%return"

/* "[MODULE:]FUNCTION[+OFFSET]", cut up. */
struct words {
	char text[MODULE_NAME_LEN + KSYM_NAME_LEN];
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
	const struct module *module;
	bool there;

	if (!static_call_query(module_of_name))
		return true;
	preempt_disable();
	module = static_call(module_of_name)(name);
	there = module && (module->state == MODULE_STATE_LIVE ||
			   module->state == MODULE_STATE_COMING);
	preempt_enable();
	return there;
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

/* Where the words are, if they name a module that can come and go. */
static int module_place_find(struct place *place, struct words *words,
			     struct kt_session *session)
{
	int err;

	module_take(place, words->module);
	words->module = place->module;
	place->moves = true;
	place->address = 0;
	if (!place_module_is_there(place->module))
		return 0;
	err = function_find(words, session, &place->address);
	return err ?: offset_add(words, session, &place->address);
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
	const char *label = strchr(text, '/');

	return label ? label + 1 : text;
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
