// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What is read from the memory that a function's arguments point to: a few members that say
 * which file, task or socket it is.  The table says which; where they are follows from the
 * running kernel's type information.  A member that this kernel does not have is left out.
 *
 * The fields have the names of captured fields (capture_names.h): of an argument `inode'
 * __inode_val_ino and __inode_val_dev.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "base/error.h"
#include "capture.h"
#include "expression.h"
#include "kernel/btf.h"
#include "passing.h"
#include "reader.h"
#include "strings.h"

#define TEXT_MAX 64u

/*
 * Several lines of a type are several fields, which differ in the suffix.  @ctype "": a
 * text, or a number whose type follows from its size.
 */
static const struct reader {
	const char *type;
	const char *suffix;
	const char *path;
	const char *ctype;
} readers[] = {
	/* files */
	{"struct file", "", "f_path.dentry->d_name.name", ""},
	{"struct path", "", "dentry->d_name.name", ""},
	{"struct dentry", "", "d_name.name", ""},
	{"struct qstr", "", "name", ""},
	{"struct filename", "", "name", ""},
	{"struct inode", "_ino", "i_ino", ""},
	{"struct inode", "_dev", "i_sb->s_dev", "dev_t"},
	{"struct super_block", "_id", "s_id", ""},
	{"struct super_block", "_dev", "s_dev", "dev_t"},
	{"struct kiocb", "", "ki_filp->f_path.dentry->d_name.name", ""},
	{"struct kiocb", "_pos", "ki_pos", ""},
	{"struct iov_iter", "_count", "count", ""},
	{"struct linux_binprm", "", "filename", ""},
	{"struct kernfs_node", "", "name", ""},
	{"loff_t", "", "", ""},
	/* tasks and memory */
	{"struct task_struct", "_comm", "comm", ""},
	{"struct task_struct", "_pid", "pid", ""},
	{"struct cred", "_uid", "uid.val", ""},
	{"struct vm_area_struct", "_start", "vm_start", "address"},
	{"struct vm_area_struct", "_end", "vm_end", "address"},
	{"struct page", "_flags", "flags", "page_flags"},
	{"struct page", "_index", "index", ""},
	{"struct folio", "_flags", "flags", "page_flags"},
	{"struct folio", "_index", "index", ""},
	{"struct kmem_cache", "", "name", ""},
	/* block devices */
	{"struct block_device", "_dev", "bd_dev", "dev_t"},
	{"struct gendisk", "", "disk_name", ""},
	{"struct bio", "_op", "bi_opf", "blk_opf_t"},
	{"struct bio", "_sector", "bi_iter.bi_sector", ""},
	{"struct bio", "_size", "bi_iter.bi_size", ""},
	{"struct request", "_op", "cmd_flags", "blk_opf_t"},
	{"struct request", "_sector", "__sector", ""},
	{"struct request", "_size", "__data_len", ""},
	{"struct buffer_head", "_block", "b_blocknr", ""},
	{"struct buffer_head", "_size", "b_size", ""},
	/* network; sockets are below */
	{"struct net_device", "", "name", ""},
	{"struct sk_buff", "_len", "len", ""},
	/* devices, and what runs later */
	{"struct device", "", "kobj.name", ""},
	{"struct kobject", "", "name", ""},
	{"struct device_driver", "", "name", ""},
	{"struct module", "", "name", ""},
	{"struct work_struct", "_func", "func", "function"},
	{"struct timer_list", "_func", "function", "function"},
	{"struct hrtimer", "_func", "function", "function"},
};

/* Of struct sock, and of what points to one. */
static const struct {
	const char *type;
	const char *path; /* of its struct sock_common */
} sockets[] = {
	{"struct sock", "__sk_common."},
	{"struct socket", "sk->__sk_common."},
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A program that grows. */
struct making {
	const struct btf *btf;
	struct text *program;
	unsigned int nr_fields;
	unsigned int nr_words;
	/* The argument. */
	const char *name;
	__u32 type;
	char push[32]; /* words that push it */
};

/* Words that are operations; a few others are counted, too. */
static unsigned int words_count(const char *s)
{
	unsigned int nr = 1;

	while ((s = strchr(s, ' '))) {
		s++;
		nr++;
	}
	return nr;
}

/* "TYPE __NAME_valSUFFIX: WORDS", unless the program would be too long. */
static void field_add(struct making *m, const char *ctype, const char *suffix,
		      const struct text *words)
{
	unsigned int nr;

	if (words->failed || !words->s) {
		m->program->failed |= words->failed;
		return;
	}
	nr = words_count(words->s) + 1;
	if (m->nr_fields == KT_CAPTURE_FIELDS_MAX ||
	    m->nr_words + nr > KT_CAPTURE_OPS_MAX)
		return;
	text_printf(m->program, "%s%s " KTRACE_CAPTURED_VALUE ": %s",
		    m->nr_fields ? "; " : "", ctype, m->name, suffix, words->s);
	m->nr_fields++;
	m->nr_words += nr;
}

/* ---- members -------------------------------------------------------------- */

static void text_read(struct making *m, const struct reader *reader,
		      const struct expression *e, uint32_t size)
{
	struct text words = {0};

	text_printf(&words, "%s if kernel ", m->push);
	if (size)
		expression_push_address(e, &words);
	else
		expression_push_number(e, &words);
	text_printf(&words, " string %u end",
		    size && size <= TEXT_MAX ? size - 1 : TEXT_MAX);
	field_add(m, "char", reader->suffix, &words);
	text_free(&words);
}

/* Above the flags of a page there are other numbers, such as that of its node. */
static uint32_t page_flags_mask(const struct btf *btf)
{
	__s32 id = btf__find_by_name_kind(btf, "pageflags", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (__u32 i = 0; t && i < btf_vlen(t); i++) {
		const struct btf_enum *e = &btf_enum(t)[i];

		if (!strcmp(btf__name_by_offset(btf, e->name_off),
			    "__NR_PAGEFLAGS") &&
		    e->val < 32)
			return (1u << e->val) - 1;
	}
	return UINT32_MAX;
}

static void number_read(struct making *m, const struct reader *reader,
			const struct expression *e)
{
	struct text words = {0};
	char ctype[8];
	bool is_signed;
	uint32_t size = expression_number_size(e, &is_signed);

	if (!size)
		return;
	/* The words push no sign. */
	is_signed &= !e->bits;
	snprintf(ctype, sizeof(ctype), "%c%u", is_signed ? 's' : 'u', 8 * size);
	text_printf(&words, "%s if kernel ", m->push);
	expression_push_number(e, &words);
	if (!strcmp(reader->ctype, "page_flags")) {
		text_printf(&words, " %u &", page_flags_mask(m->btf));
		size = 4;
	}
	text_printf(&words, " put %u end", size);
	field_add(m, *reader->ctype ? reader->ctype : ctype, reader->suffix,
		  &words);
	text_free(&words);
}

static void member_read(struct making *m, const struct reader *reader)
{
	struct expression e;
	uint32_t size;

	if (!expression_begin(&e, m->btf, m->type, m->push) &&
	    (!*reader->path || !expression_member(&e, reader->path))) {
		if (expression_is_text(&e, &size))
			text_read(m, reader, &e, size);
		else
			number_read(m, reader, &e);
	}
	expression_end(&e);
}

/* ---- sockets -------------------------------------------------------------- */

/* Pushes a member of struct sock_common: its number, or its address.  False: it lacks it. */
static bool common_push(struct making *m, struct text *words, const char *path,
			const char *member, bool address)
{
	struct expression e;
	char whole[80];
	bool found;

	snprintf(whole, sizeof(whole), "%s%s", path, member);
	found = !expression_begin(&e, m->btf, m->type, m->push) &&
		!expression_member(&e, whole);
	if (found && address)
		expression_push_address(&e, words);
	else if (found)
		expression_push_number(&e, words);
	expression_end(&e);
	return found;
}

/* One end, in the form of a struct sockaddr. */
static void address_read(struct making *m, const char *path, const char *suffix,
			 const char *port, const char *ip4, const char *ip6)
{
	bool local = !strcmp(port, "skc_num"), good = true;
	struct text words = {0};

	text_puts(&words, "kernel ");
	for (int family = 0; good && family < 2; family++) {
		text_puts(&words, family ? " " : "");
		good &= common_push(m, &words, path, "skc_family", false);
		text_printf(&words, " %u == if %u put 2 ", family ? 10 : 2,
			    family ? 10 : 2);
		good &= common_push(m, &words, path, port, false);
		/* A port has its high byte first; the local one is a plain number. */
		if (local) {
			text_puts(&words, " 8 >> put 1 ");
			good &= common_push(m, &words, path, port, false);
			text_puts(&words, " put 1 ");
		} else {
			text_puts(&words, " put 2 ");
		}
		if (family)
			text_puts(&words, "0 put 4 ");
		good &= common_push(m, &words, path, family ? ip6 : ip4, true);
		text_puts(&words,
			  family ? " 16 bytes 16 end" : " 4 bytes 4 end");
	}
	if (good)
		field_add(m, "struct sockaddr", suffix, &words);
	text_free(&words);
}

static void socket_read(struct making *m, const char *path)
{
	struct text words = {0};

	text_printf(&words, "%s if kernel ", m->push);
	if (common_push(m, &words, path, "skc_family", false)) {
		text_puts(&words, " put 2 end");
		field_add(m, "family", "_family", &words);
	}
	text_free(&words);
	address_read(m, path, "_src", "skc_num", "skc_rcv_saddr",
		     "skc_v6_rcv_saddr");
	address_read(m, path, "_dst", "skc_dport", "skc_daddr", "skc_v6_daddr");
}

/* ---- strings -------------------------------------------------------------- */

static void string_read(struct making *m, const char *suffix)
{
	struct text words = {0};

	string_words(&words, m->push, TEXT_MAX);
	field_add(m, "char", suffix, &words);
	text_free(&words);
}

/* ---- arguments ------------------------------------------------------------ */

static bool type_is(const struct btf *btf, const struct btf_type *t,
		    const char *name)
{
	static const char tag[] = "struct ";
	bool tagged = !strncmp(name, tag, sizeof(tag) - 1);

	if (tagged)
		name += sizeof(tag) - 1;
	return tagged ==
		       (btf_is_struct(t) || (btf_is_fwd(t) && !btf_kflag(t))) &&
	       !strcmp(type_name_of(btf, t), name);
}

/* @t: what the argument points to, under one of its names. */
static void pointee_read(struct making *m, const struct btf_type *t)
{
	for (size_t i = 0; i < NR(readers); i++)
		if (type_is(m->btf, t, readers[i].type))
			member_read(m, &readers[i]);
	for (size_t i = 0; i < NR(sockets); i++)
		if (type_is(m->btf, t, sockets[i].type))
			socket_read(m, sockets[i].path);
}

static void argument_read(struct making *m)
{
	const struct btf_type *t = type_resolve(m->btf, m->type);
	bool is_const = false;

	if (!t || !btf_is_ptr(t))
		return;
	for (t = btf__type_by_id(m->btf, t->type);
	     t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t));
	     t = btf__type_by_id(m->btf, t->type)) {
		is_const |= btf_is_const(t);
		if (btf_is_typedef(t))
			pointee_read(m, t);
	}
	if (!t)
		return;
	if (btf_is_struct(t) || btf_is_fwd(t))
		pointee_read(m, t);
	else if (is_const && btf_is_int(t) && !string_is_buffer(m->name) &&
		 !strcmp(type_name_of(m->btf, t), "char"))
		string_read(m, "");
}

/* ---- what a user wants ----------------------------------------------------- */

/* The part of "ARGUMENT->PATH[:string]" behind the argument's name; NULL: another's. */
static const char *reading_path(const char *text, const char *argument)
{
	size_t length = strlen(argument);

	if (strncmp(text, argument, length))
		return NULL;
	text += length;
	if (!strncmp(text, "->", 2))
		return text + 2;
	return !*text || *text == ':' ? text : NULL;
}

/* How a number is shown: as its type is. */
static const char *number_ctype(const struct expression *e)
{
	static const char *const known[] = {"dev_t", "gfp_t", "blk_opf_t",
					    "fmode_t"};
	const struct btf_type *t = btf__type_by_id(e->btf, e->type), *to;

	for (; t && (btf_is_mod(t) || btf_is_typedef(t));
	     t = btf__type_by_id(e->btf, t->type))
		for (size_t i = 0; btf_is_typedef(t) && i < NR(known); i++)
			if (!strcmp(type_name_of(e->btf, t), known[i]))
				return known[i];
	if (!t || !btf_is_ptr(t))
		return "";
	to = type_resolve(e->btf, t->type);
	return to && btf_is_func_proto(to) ? "function" : "address";
}

/* "_MEMBER", or all of the path if there is such a field already. */
static void reading_suffix(const struct making *m, const char *path,
			   char suffix[TEXT_MAX])
{
	const char *last = path, *c;
	char field[2 * TEXT_MAX], *to;

	for (c = path; *c; c++)
		if (*c == '.' || *c == '>')
			last = c + 1;
	snprintf(suffix, TEXT_MAX, *last ? "_%.20s" : "_text", last);
	snprintf(field, sizeof(field), " " KTRACE_CAPTURED_VALUE ":", m->name,
		 suffix);
	if (!m->program->s || !strstr(m->program->s, field))
		return;
	/* A field has 63 letters at most. */
	snprintf(suffix, TEXT_MAX, "_%.*s", (int)(50 - strlen(m->name)), path);
	for (c = suffix, to = suffix; *c; c++)
		if (*c != '>')
			*to++ = *c == '.' || *c == '-' ? '_' : *c;
	*to = '\0';
}

static int reading_compile(struct making *m, const char *path, bool string)
{
	char suffix[TEXT_MAX];
	struct reader reader = {.suffix = suffix, .path = path};
	struct expression e;
	bool is_signed;
	uint32_t size;
	int err = expression_begin(&e, m->btf, m->type, m->push);

	if (!err && *path)
		err = expression_member(&e, path);
	reading_suffix(m, path, suffix);
	if (!err && expression_is_text(&e, &size)) {
		text_read(m, &reader, &e, size);
	} else if (!err && string && !*path) {
		string_read(m, suffix);
	} else if (!err && string &&
		   expression_number_size(&e, &is_signed) == 8) {
		text_read(m, &reader, &e, 0);
	} else if (!err && !string && expression_number_size(&e, &is_signed)) {
		reader.ctype = number_ctype(&e);
		number_read(m, &reader, &e);
	} else if (!err) {
		err = error_set(-EINVAL, "%s",
				string ? "it is no address of a text"
				       : "it is neither a number nor a text: "
					 "choose a member");
	}
	expression_end(&e);
	return err;
}

static void reading_read(struct making *m, struct reading *reading)
{
	const char *path = reading_path(reading->text, m->name);
	const char *colon = path ? strchr(path, ':') : NULL;
	unsigned int before = m->nr_fields;
	char text[256];

	if (!path)
		return;
	snprintf(text, sizeof(text), "%.*s",
		 (int)(colon ? colon - path : (long)strlen(path)), path);
	if (colon && strcmp(colon, ":string"))
		snprintf(reading->why, sizeof(reading->why),
			 "`%s': only :string may stand there", colon);
	else if (!*text && path[-1] == '>')
		snprintf(reading->why, sizeof(reading->why),
			 "a member is missing behind the arrow");
	else if (reading_compile(m, text, colon))
		snprintf(reading->why, sizeof(reading->why), "%s",
			 ktrace_last_error());
	else if (m->nr_fields == before && !m->program->failed)
		snprintf(reading->why, sizeof(reading->why),
			 "there is no room for it: read less, or with --plain");
	else
		reading->used = true;
}

int readers_program(struct prototypes *p, const char *name, const char *module,
		    struct readings *readings, struct text *program)
{
	struct making m = {.program = program};
	const struct btf_type *proto;
	struct passing passing;
	unsigned int word, nr;
	int err = signature_find(p, name, module, &m.btf, &proto);

	if (err)
		return err;
	passing_begin(&passing, m.btf, proto->type);
	for (int i = 0; i < btf_vlen(proto); i++) {
		const struct btf_param *param = &btf_params(proto)[i];

		m.type = param->type;
		m.name = btf__name_by_offset(m.btf, param->name_off);
		if (!param->type ||
		    !passing_next(&passing, m.btf, param->type, &word, &nr))
			break;
		/* The name of a field has 63 letters at most. */
		if (nr != 1 || !m.name || !*m.name || strlen(m.name) > 40)
			continue;
		if (word < PASSING_REGISTERS)
			snprintf(m.push, sizeof(m.push), "a%u", word);
		else
			snprintf(m.push, sizeof(m.push), "kernel a6 %u + @8",
				 8 * (word - PASSING_REGISTERS + 1));
		if (!readings->alone)
			argument_read(&m);
		for (size_t k = 0; k < readings->nr; k++)
			reading_read(&m, &readings->list[k]);
	}
	return program->failed ? -ENOMEM : 0;
}
