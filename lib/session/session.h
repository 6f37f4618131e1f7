/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parts of a session that the files of this folder share. */
#ifndef KT_LIB_SESSION_H
#define KT_LIB_SESSION_H

#include <ktrace/session.h>

#include "base/arena.h"
#include "kernel/btf.h"

struct session_debug_file {
	char *path;
	char module[64]; /* "": the kernel's */
};

struct ktrace_session {
	char *path;
	char *root; /* of the control tree; may be @path itself */
	int dir;    /* the session's folder; a lock on it is the claim */
	int held;   /* the file probes_held; negative: it is not open */
	bool own;   /* created here, removed by close */
	bool no_load;
	unsigned int branches; /* of events that get stacks */

	void (*note)(void *data, const char *text);
	void *data;

	struct enums *enums; /* NULL: not read yet */
	struct flags *flags; /* NULL: none was asked for */

	/* Files with debugging information of the kernel and its modules that were named. */
	struct session_debug_file *debug_files;
	size_t nr_debug_files;

	/* Results of the last prepare. */
	struct arena arena;
	struct ktrace_missing *missing;
	size_t nr_missing;
};

void session_note(struct ktrace_session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Ticks that the trace's clock adds to the time stamp counter; 0 also if
 * unknown.
 */
uint64_t session_clock_missing(struct ktrace_session *s);

/* Sets the message for an error of a control file.  Returns @err. */
int session_explain(int err, const char *dir, const char *file);

/* Loads a source that is a module of its own, unless the session loads nothing. */
int session_module_load(struct ktrace_session *s, const char *name);

/* A file of the control tree's root.  @append: adds to a list. */
int session_root_write(struct ktrace_session *s, const char *file,
		       const char *text, bool append);
int session_root_read(struct ktrace_session *s, const char *file, char **text);
/* To a file of the root that is open. */
int session_fd_write(struct ktrace_session *s, int fd, const char *file,
		     const char *text);

/* The kernel's type information; the session keeps it.  NULL: out of memory. */
struct enums *session_kernel_enums(struct ktrace_session *s);

/*
 * Reads the text of the file `info' for the events that are wanted (@want NULL:
 * all). The caller frees it.
 */
int session_info(struct ktrace_session *s,
		 bool (*want)(const struct ktrace_known *known, void *data),
		 void *data, char **text, size_t *size);

/*
 * As ktrace_session_types(), for events that may be in the buffers.  @late:
 * types of system calls are parsed only when they are looked up; then the types
 * must not outlive the session.
 */
int session_types_recorded(struct ktrace_session *s,
			   bool (*want)(const struct ktrace_known *known,
					void *data),
			   void *data, bool late, struct ktrace_types **types);

/*
 * As ktrace_session_clock(); events that become known later have an id >=
 * *@next_id.
 */
int session_clock(struct ktrace_session *s, struct ktrace_clock *clock,
		  uint32_t *next_id);

/*
 * Adds the names of enumerations to types of modules' markers, if they are
 * known.
 */
void session_enums(struct ktrace_session *s, struct ktrace_types *types);

/*
 * All functions of the kernel: lines "ADDRESS NAME [MODULE]", sorted by address.  @text is empty
 * before; the caller frees it, also after an error.
 */
struct text;
int session_symbols(struct ktrace_session *s, struct text *text);
/*
 * As the file `symbols' of a trace has them: some packed, and not sorted.  @others: what the file
 * `symbols' of the control tree says, which has those that come and go; NULL: not known.
 */
int session_symbols_packed(const char *others, struct text *text);

/* Prototypes of tracepoints and functions, see prototype.c. */
struct prototypes;

int prototypes_create(struct prototypes **prototypes);
void prototypes_destroy(struct prototypes *p);
/*
 * Makes the definition of @system/@tracepoint, a line for the file `define'.
 * The caller frees it.
 */
int prototypes_define(struct prototypes *p, const char *system,
		      const char *tracepoint, const char *module, char **line);

/* Words of a call's arguments: those in registers, and with those on the stack. */
#define FUNCTION_REGISTERS 6
#define FUNCTION_WORDS	   16
#define FUNCTION_FIELDS	   40
/* The modules with the sources. */
#define FUNCTIONS_MODULE "ktrace-functions"
#define PROBES_MODULE	 "ktrace-probes"

/*
 * The fields of a function's records (kernel/source/function).  A field of no bytes stands
 * for an argument or result that is not recorded.
 */
struct function_fields {
	struct ktrace_field arguments[FUNCTION_FIELDS];
	unsigned int nr_arguments;
	unsigned int nr_words; /* to be recorded for them */
	bool in_registers; /* all that it gets, also what is not in @arguments */
	bool is_void;
	bool returns; /* @result is valid */
	struct ktrace_field result;
};

/*
 * Names are put into @arena, or are those of @p.  -ENOENT: the function has no type
 * information.
 */
int prototypes_function(struct prototypes *p, const char *name,
			const char *module, struct function_fields *fields,
			struct arena *arena);

/* What is known without type information: registers and words of the stack. */
void function_fields_plain(struct function_fields *fields, unsigned int words);

/* As in C, in @arena; and whether all arguments are in registers.  -ENOENT: as above. */
int prototypes_text(struct prototypes *p, const char *name, const char *module,
		    struct arena *arena, const char **text, bool *in_registers);

/* Does it mean a function of those that run, though none of these may be recordable? */
bool function_exists(struct ktrace_session *s, const char *pattern);

/*
 * Calls @use with the type of each record of functions that were chosen since *@next, which
 * is 0 at first.  If @use returns something other than 0, ends and returns that.
 */
int session_functions(struct ktrace_session *s, uint32_t *next,
		      int (*use)(void *data, const struct ktrace_type *type),
		      void *data);

/* The same for @types, but each is made when a record needs it. */
struct session_functions;

/* *@functions is NULL if functions are not recorded. */
int session_functions_open(struct ktrace_session *s, struct ktrace_types *types,
			   struct session_functions **functions);
/* Before the session and @types are. */
void session_functions_close(struct session_functions *functions);

#endif /* KT_LIB_SESSION_H */
