// SPDX-License-Identifier: GPL-2.0-only
/*
 * btf2c - C definitions of a kernel's private types, from its BTF
 *
 *   btf2c BTF[,MODULE_BTF] NAME...	define these structs, unions and typedefs,
 *					and the enums that contain these constants
 *   btf2c -f BTF < NAMES		print the names that are functions
 *   btf2c -t BTF			print the names of all tracepoints
 *
 * Trace headers access private structs of the kernel.  To read a member, its offset and a
 * type of the right size suffice.  So a struct becomes a union of its members, each moved
 * to its offset by padding:
 *
 *	struct rq_wait {
 *		union {
 *			struct { char pad0[0]; ...; } __packed;
 *			struct { char pad1[24]; atomic_t inflight; } __packed;
 *			char size[32];
 *		};
 *	};
 *
 * KT_HAS_rq_wait_inflight is defined too, for members that not all kernels have.  Scalars,
 * pointers and arrays of them keep their types.  An embedded struct becomes an array of
 * bytes, unless its name is given too.  Then it is defined as well; or, if given as +NAME,
 * a header is known to define it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

static struct btf *btf;
static char **names;
static bool *defined;
static int nr_names;
static unsigned int nr_pads;

/* In C these scalars are structs: code uses them only through accessors. */
static const char *const opaque[] = {
	"atomic_t", "atomic64_t", "atomic_long_t", "pte_t",
	"pmd_t",    "pud_t",	  "pgd_t",	   "kuid_t",
	"kgid_t",   "refcount_t", "spinlock_t",	   NULL,
};

static void die(const char *format, ...)
{
	va_list args;

	fputs("btf2c: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static const struct btf_type *type_by_id(__u32 id)
{
	return btf__type_by_id(btf, id);
}

static const char *type_name(const struct btf_type *type)
{
	return btf__name_by_offset(btf, type->name_off);
}

static bool type_is_enum(const struct btf_type *type)
{
	return btf_is_enum(type) || btf_is_enum64(type);
}

/* Follows typedefs and qualifiers to the real type; NULL: void. */
static const struct btf_type *type_resolve(__u32 *id)
{
	const struct btf_type *type = type_by_id(*id);

	while (*id && (btf_is_mod(type) || btf_is_typedef(type) ||
		       btf_is_type_tag(type))) {
		*id = type->type;
		type = type_by_id(*id);
	}
	return *id ? type : NULL;
}

/* Follows typedefs to the first one that is in opaque[]. */
static const char *type_opaque(__u32 id)
{
	const struct btf_type *type = type_by_id(id);

	while (id && (btf_is_mod(type) || btf_is_typedef(type) ||
		      btf_is_type_tag(type))) {
		if (btf_is_typedef(type))
			for (int i = 0; opaque[i]; i++)
				if (!strcmp(type_name(type), opaque[i]))
					return opaque[i];
		id = type->type;
		type = type_by_id(id);
	}
	return NULL;
}

static const char *keyword(const struct btf_type *type)
{
	bool is_union =
		btf_is_union(type) || (btf_is_fwd(type) && btf_kflag(type));

	return is_union ? "union" : "struct";
}

static bool is_known(const char *name)
{
	for (int i = 0; i < nr_names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The C name of a type that needs no declaration; NULL: it is not scalar. */
static const char *scalar(const struct btf_type *type)
{
	static const char *const signs[][2] = {
		{"unsigned char", "signed char"},  {"unsigned short", "short"},
		{"unsigned int", "int"},	   {"unsigned long", "long"},
		{"unsigned __int128", "__int128"},
	};
	int size = 0;

	if (btf_is_int(type)) {
		if (btf_int_encoding(type) & BTF_INT_BOOL)
			return "_Bool";
		if (!strcmp(type_name(type), "char"))
			return "char";
		if (strstr(type_name(type), "long long"))
			return btf_int_encoding(type) & BTF_INT_SIGNED
				       ? "long long"
				       : "unsigned long long";
	} else if (!type_is_enum(type)) {
		return NULL;
	}
	while (size < 4 && 1u << size < type->size)
		size++;
	return signs[size][btf_is_int(type) &&
			   btf_int_encoding(type) & BTF_INT_SIGNED];
}

static void print_members(const struct btf_type *type);

static void print_pointer(__u32 target, const char *name)
{
	const struct btf_type *type = type_resolve(&target);

	if (type && scalar(type))
		printf("%s *%s", scalar(type), name);
	else if (type && (btf_is_composite(type) || btf_is_fwd(type)) &&
		 *type_name(type))
		printf("%s %s *%s", keyword(type), type_name(type), name);
	else
		printf("void *%s%s", type && btf_is_ptr(type) ? "*" : "", name);
}

static void print_bytes(__u32 id, const char *name)
{
	long long size = btf__resolve_size(btf, id);

	printf("char %s[%lld]", name, size < 0 ? 0 : size);
}

static void print_array(__u32 id, const struct btf_array *array,
			const char *name)
{
	__u32 element = array->type;
	const struct btf_type *type = type_resolve(&element);

	if (type && scalar(type))
		printf("%s %s[%u]", scalar(type), name, array->nelems);
	else if (type && btf_is_ptr(type))
		printf("void *%s[%u]", name, array->nelems);
	else
		print_bytes(id, name);
}

static void print_declaration(__u32 id, const char *name)
{
	const char *typedef_name = type_opaque(id);
	const struct btf_type *type;

	if (typedef_name) {
		printf("%s %s", typedef_name, name);
		return;
	}
	type = type_resolve(&id);
	if (!type)
		printf("void *%s", name);
	else if (scalar(type))
		printf("%s %s", scalar(type), name);
	else if (btf_is_ptr(type))
		print_pointer(type->type, name);
	else if (btf_is_array(type))
		print_array(id, btf_array(type), name);
	else if (btf_is_composite(type) && !*type_name(type)) {
		printf("union {\n");
		print_members(type);
		printf("} %s", name);
	} else if (btf_is_composite(type) && is_known(type_name(type)))
		printf("%s %s %s", keyword(type), type_name(type), name);
	else
		print_bytes(id, name);
}

static void print_pad(unsigned int bytes)
{
	printf("	struct { char kt_pad%u[%u]; ", nr_pads++, bytes);
}

static void print_members(const struct btf_type *type)
{
	const struct btf_member *member = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++, member++) {
		const char *name = btf__name_by_offset(btf, member->name_off);
		__u32 offset = btf_member_bit_offset(type, i);
		__u32 bits = btf_member_bitfield_size(type, i);

		if (*type_name(type) && *name)
			printf("#define KT_HAS_%s_%s\n", type_name(type), name);
		print_pad(offset / 8);
		if (bits && offset % 8)
			printf("unsigned long long : %u; ", offset % 8);
		if (bits)
			printf("unsigned long long %s : %u", name, bits);
		else
			print_declaration(member->type, name);
		printf("; } __attribute__((packed));\n");
	}
	printf("	char kt_pad%u[%u];\n", nr_pads++, type->size);
}

static void define(int index);

/* Embedded structs that keep their names must be defined before. */
static void define_embedded(const struct btf_type *type)
{
	const struct btf_member *member = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++, member++) {
		__u32 id = member->type;
		const struct btf_type *inner = type_resolve(&id);

		if (!inner || !btf_is_composite(inner))
			continue;
		if (!*type_name(inner)) {
			define_embedded(inner);
			continue;
		}
		for (int k = 0; k < nr_names; k++)
			if (!strcmp(names[k], type_name(inner)))
				define(k);
	}
}

static void define_composite(const struct btf_type *type)
{
	const char *name = type_name(type);

	define_embedded(type);
	printf("%s %s {\n	union {\n", keyword(type), name);
	print_members(type);
	printf("	};\n};\n_Static_assert(sizeof(%s %s) == %u, \"as in BTF\");\n",
	       keyword(type), name, type->size);
}

static bool enum_has(const struct btf_type *type, const char *constant)
{
	for (int i = 0; i < btf_vlen(type); i++) {
		__u32 name = btf_is_enum(type) ? btf_enum(type)[i].name_off
					       : btf_enum64(type)[i].name_off;

		if (!strcmp(btf__name_by_offset(btf, name), constant))
			return true;
	}
	return false;
}

static void define_enum(const struct btf_type *type)
{
	printf("enum %s {\n", type_name(type));
	for (int i = 0; i < btf_vlen(type); i++) {
		const struct btf_enum64 *wide = btf_enum64(type) + i;
		const struct btf_enum *narrow = btf_enum(type) + i;

		if (btf_is_enum(type))
			printf("	%s = %d,\n",
			       btf__name_by_offset(btf, narrow->name_off),
			       narrow->val);
		else
			printf("	%s = %lld,\n",
			       btf__name_by_offset(btf, wide->name_off),
			       (long long)btf_enum64_value(wide));
	}
	printf("};\n");
}

static void define_typedef(const struct btf_type *type)
{
	printf("typedef ");
	print_declaration(type->type, type_name(type));
	printf(";\n");
}

/* Defines the struct of that name, else the typedef, else the enum with that constant. */
static void define(int index)
{
	const struct btf_type *alias = NULL, *holder = NULL;
	const char *name = names[index];
	__u32 nr = btf__type_cnt(btf);

	if (defined[index])
		return;
	defined[index] = true;

	for (__u32 id = 1; id < nr; id++) {
		const struct btf_type *type = type_by_id(id);

		if (btf_is_composite(type) && !strcmp(type_name(type), name)) {
			define_composite(type);
			return;
		}
		if (!alias && btf_is_typedef(type) &&
		    !strcmp(type_name(type), name))
			alias = type;
		if (!holder && type_is_enum(type) && enum_has(type, name))
			holder = type;
	}
	if (alias)
		define_typedef(alias);
	else if (holder)
		define_enum(holder);
	else
		printf("/* no %s in BTF */\n", name);
}

static void print_functions(void)
{
	char name[512];

	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = '\0';
		if (btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0)
			puts(name);
	}
}

/* Each tracepoint has a typedef with its prototype. */
static void print_tracepoints(void)
{
	static const char prefix[] = "btf_trace_";
	__u32 nr = btf__type_cnt(btf);

	for (__u32 id = 1; id < nr; id++) {
		const struct btf_type *type = type_by_id(id);

		if (btf_is_typedef(type) &&
		    !strncmp(type_name(type), prefix, strlen(prefix)))
			puts(type_name(type) + strlen(prefix));
	}
}

static void open_btf(char *files)
{
	char *module = strchr(files, ',');
	struct btf *base;

	if (module)
		*module++ = '\0';
	btf = btf__parse_raw(files);
	if (!btf)
		die("%s: %s", files, strerror(errno));
	if (!module)
		return;
	base = btf;
	btf = btf__parse_raw_split(module, base);
	if (!btf)
		die("%s: %s", module, strerror(errno));
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "-f")) {
		open_btf(argv[2]);
		print_functions();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "-t")) {
		open_btf(argv[2]);
		print_tracepoints();
		return 0;
	}
	if (argc < 3)
		die("usage: btf2c BTF[,MODULE_BTF] NAME... | btf2c -f|-t BTF");
	open_btf(argv[1]);
	names = argv + 2;
	nr_names = argc - 2;
	defined = calloc(nr_names, sizeof(*defined));
	if (!defined)
		die("no memory");
	for (int i = 0; i < nr_names; i++) {
		if (names[i][0] == '+') {
			names[i]++;
			defined[i] = true;
		}
	}
	for (int i = 0; i < nr_names; i++)
		define(i);
	return 0;
}
