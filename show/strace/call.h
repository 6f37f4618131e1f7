/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A system call as a line of text: the data of its two events, and functions
 * that print its arguments.  syscall.c makes the lines.
 */
#ifndef KT_SHOW_STRACE_CALL_H
#define KT_SHOW_STRACE_CALL_H

#include <string.h>

#include <signal.h>

#include <ktrace/syscall.h>
#include <ktrace/trace.h>

#include "show.h"

/* A call that fails returns a number between -ERROR_MAX and -1. */
#define ERROR_MAX 4095

/* Text that grows.  Text for which there is no memory is left out. */
struct line {
	char *s;
	size_t len;
	size_t room;
	enum ktrace_output_strings strings;
	enum ktrace_output_constants constants;
	uint32_t files_hidden; /* of enum ktrace_output_files */
	/* The name of a thread; NULL: not known.  NULL: names are not shown. */
	const char *(*comm)(void *data, uint32_t tid);
	void *data;
};

void line_add(struct line *line, const char *s, size_t n);
void line_puts(struct line *line, const char *s);
/* For untrusted text: see escape.h. */
void line_text(struct line *line, const char *s);
void line_printf(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One of the two events of a call.  @type NULL: it is missing. */
struct call_side {
	const struct ktrace_type *type;
	uint8_t *payload;
	uint32_t size;
	uint32_t room;
};

struct call_view {
	const struct ktrace_types *types;
	const struct ktrace_call *call; /* NULL: it is not in calls.tab */
	struct call_side enter;
	struct call_side exit;
	int64_t result; /* of exit */
	uint32_t string_max;
	bool unabbreviated;
};

/* The captured memory of an argument. */
struct captured {
	const uint8_t *bytes;
	size_t size;
	bool there; /* a part of it was captured */
	bool cut;
	bool unread; /* the rest could not be read */
};

struct captured captured_find(const struct call_view *view, bool exit,
			      const char *name);
/* @suffix: for arguments that have several fields. */
struct captured captured_get(const struct call_view *view, bool exit,
			     unsigned int argument, const char *suffix);

uint64_t call_argument(const struct call_view *view, unsigned int argument);
unsigned int call_nr_arguments(const struct call_view *view);
/* The word of an argument, or an empty word if there is none. */
const struct ktrace_word *call_word(const struct call_view *view,
				    unsigned int argument);
bool call_failed(const struct call_view *view);
/* So many elements of an array are shown. */
size_t call_elements_max(const struct call_view *view);
/* Is it a call of a 32-bit program, with a line of its own in calls.tab? */
bool call_is_compat(const struct call_view *view);

/*
 * The paths of the descriptors of an argument, or of the result (KTRACE_CALL_ARGUMENTS).  There
 * are none if paths were not recorded.
 */
struct path_list {
	const char *next, *end;
	bool file;    /* the current directory is none */
	bool objects; /* behind each path is what the file is */
};

/* A file behind a descriptor.  The texts have no NUL at their end. */
struct call_file {
	const char *path;
	size_t length;
	const char *object; /* KTRACE_CAPTURED_FILE */
	size_t object_length; /* 0: its path says what it is, or it was not recorded */
};

struct path_list paths_of(const struct call_view *view, unsigned int argument);
/* Those of the descriptors in a struct, of the first argument that is one. */
struct path_list struct_paths(const struct call_view *view);
/* What was captured for a member of an argument's struct. */
struct captured member_captured(const struct call_view *view,
				const char *member);
/* Takes the next one, whose path may be empty.  False: there is none. */
bool path_take(struct path_list *list, struct call_file *file);
/* Which of enum ktrace_output_files is shown of the file; 0: nothing. */
uint32_t file_kind(const struct line *line, const struct call_file *file);
/* Takes it, and prints it as "</etc/passwd>". */
void path_print_next(struct line *line, struct path_list *list);
/* The same for the only path of an argument. */
void path_print(struct line *line, const struct call_view *view,
		unsigned int argument);

/*
 * Is one of the paths an argument, or that of a descriptor, as far as the call's events say?  The
 * last path is followed by NULL.
 */
bool call_touches(const struct call_view *view, const char *const *paths);

/* Can the argument be printed only after the exit? */
bool argument_needs_exit(const struct call_view *view, unsigned int argument);

static inline bool word_is(const struct ktrace_word *word, const char *name)
{
	return !strcmp(word->word, name);
}
/* False: this argument and those after it are not shown. */
bool argument_print(struct line *line, const struct call_view *view,
		    unsigned int argument);
/* All at once, for calls that are not shown by their arguments.  False: other calls. */
bool arguments_print(struct line *line, const struct call_view *view);
/* For an argument that is a pointer.  False: its word does not say to what. */
bool argument_memory(struct line *line, const struct call_view *view,
		     unsigned int argument);
/* The size of the program's pointers and longs. */
static inline size_t word_size(const struct call_view *view)
{
	return strcmp(view->enter.type->system, "compat_syscalls") ? 8 : 4;
}

static inline uint64_t word_read(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	return value;
}

/* Structs that grow: call_version.c */
void version_print(struct line *line, const struct call_view *view,
		   unsigned int argument);
/* Arrays of strings: call_strings.c.  count_print(): only their number. */
void strings_print(struct line *line, const struct call_view *view,
		   unsigned int argument);
/* Its number, or all of it. */
void environment_print(struct line *line, const struct call_view *view,
		       unsigned int argument);
/* Entries of a directory, in the same way: call_entries.c */
void entries_print(struct line *line, const struct call_view *view,
		   unsigned int argument);
void count_print(struct line *line, const struct call_view *view,
		 unsigned int argument, bool exit, const char *one,
		 const char *many);
/* Arrays: call_array.c */
void array_print(struct line *line, const struct call_view *view,
		 unsigned int argument, bool exit);
/* Structs to which an array points: call_array.c */
void pointed_print(struct line *line, const struct call_view *view,
		   unsigned int argument);
/* An error, or what else a call has returned, by its name: call_array.c */
void value_status(struct line *line, int64_t value);
/* What ptrace says of a system call: call_ptrace.c */
void syscall_info_print(struct line *line, const struct call_view *view,
			unsigned int argument);
/* The attributes of a performance event: call_perf.c */
void event_print(struct line *line, const struct call_view *view,
		 unsigned int argument);
/*
 * Instructions: call_filter.c.  @count of them are at @address, of which some were captured.  @kind:
 * structs.tab.
 */
void insns_print(struct line *line, const char *kind, const struct captured *c,
		 uint64_t address, uint64_t count);
/* Socket options: call_socket.c */
void option_name_print(struct line *line, const struct call_view *view,
		       unsigned int argument);
void option_print(struct line *line, const struct call_view *view,
		  unsigned int argument, bool exit);
/* call_message.c */
void iovec_print(struct line *line, const struct call_view *view,
		 unsigned int argument, bool exit);
void message_print(struct line *line, const struct call_view *view,
		   unsigned int argument, bool exit);
/* An array of messages, after the call. */
void messages_print(struct line *line, const struct call_view *view,
		    unsigned int argument);
/* A message of a System V queue. */
void queued_print(struct line *line, const struct call_view *view,
		  unsigned int argument, bool exit);
/*
 * Times with dates: call_time.c.  @digits: of @part of a second.  False: there is no such
 * date.
 */
bool value_date(struct line *line, int64_t seconds, uint64_t part,
		unsigned int digits);
/* The same as a comment behind the time; nothing if there is none. */
void value_date_comment(struct line *line, int64_t seconds, uint64_t ns);
/* False: the argument's word is not one of those for times. */
bool time_print(struct line *line, const struct call_view *view,
		unsigned int argument, bool exit);
/* fcntl: call_fcntl.c.  Does the call write to what the argument points to? */
bool fcntl_answers(const struct call_view *view);
/* As argument_print(). */
bool fcntl_argument(struct line *line, const struct call_view *view,
		    unsigned int argument);
void fcntl_result(struct line *line, const struct call_view *view);

/* Prints "10 (SIGUSR1)". */
void result_signal(struct line *line, uint64_t signal);
/* Prints "= -1 ENOENT (No such file or directory)". */
void result_print(struct line *line, const struct call_view *view);

/* Signals: call_signal.c */
#define PROCESS_GOES_ON (-1)

struct signal_view {
	int number;
	int code;
	bool handled;  /* or the program ignores it */
	bool detailed; /* @info is valid, as far as the kernel sets it */
	/*
	 * With what the process ends, as wait(2) has it; PROCESS_GOES_ON: only
	 * this thread ends.  For SIGKILL, by which the kernel ends threads.
	 */
	int exit_code;
	siginfo_t info;
};

enum signal_effect {
	SIGNAL_NOTHING,
	SIGNAL_STOPS,
	SIGNAL_KILLS,
};

/* Parses the bytes of a siginfo.  False: there are too few. */
bool signal_info(const uint8_t *bytes, size_t size, struct signal_view *view);
/* False: it is not an event of a signal. */
bool signal_read(const struct ktrace_event *event, struct signal_view *view);
enum signal_effect signal_effect(const struct signal_view *view);
/* Prints the name of its origin. */
void signal_code(struct line *line, const struct signal_view *view);
/* Prints ", si_pid=1, si_uid=0" (the sender, or why), or the same as JSON. */
void signal_members(struct line *line, const struct signal_view *view,
		    bool json);
/* Prints "{si_signo=SIGSEGV, ...}". */
void signal_info_print(struct line *line, const struct signal_view *view);
/* Prints "--- SIGSEGV {...} ---". */
void signal_print(struct line *line, const struct signal_view *view);

/* Values: call_value.c */
void value_string(struct line *line, const uint8_t *s, size_t n, bool cut);
/* In <>, as strace does.  @file: if it was deleted, this is shown after it. */
void value_path(struct line *line, const char *s, size_t n, bool file);
/* What is between < and >.  value_angled(): never in hexadecimal. */
void value_path_bytes(struct line *line, const char *s, size_t n);
void value_angled(struct line *line, const char *s, size_t n);
/* Does the path say that its file was deleted?  Then @n becomes its length without that. */
bool path_is_gone(const char *s, size_t *n);
/* In strace's notation: call_file.c. */
void value_file(struct line *line, const struct call_file *file,
		bool may_be_gone);
/* The name of a value in a set; NULL: it has none. */
const char *name_find(const char *set, uint64_t value);
/* In hexadecimal, also if it is text. */
void value_hex(struct line *line, const uint8_t *s, size_t n, bool cut);

/*
 * A constant is printed between these two functions, by its name.  The second one makes of it what
 * line->constants asks for, by the number.  One in another one is part of its name.
 */
struct constant {
	size_t begin; /* in the line */
	enum ktrace_output_constants constants;
};

struct constant constant_begin(struct line *line);
/* Numbers without a name are shown as they are, perhaps with a comment. */
void constant_end(struct line *line, const struct constant *constant,
		  const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A number that always has a name, also if this is made of digits. */
void constant_end_named(struct line *line, const struct constant *constant,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What has a name in any case, whatever is asked for, such as a result's meaning. */
void constant_end_plain(struct line *line, const struct constant *constant);
/* The bytes of an address or a port, as a constant's number. */
void constant_end_bytes(struct line *line, const struct constant *constant,
			const uint8_t *bytes, size_t n);

void value_names(struct line *line, const char *set, uint64_t value);
/* A number that is known better by its name: 7 (NAME), in a comment. */
void value_commented(struct line *line, const char *set, int64_t value);
void value_address(struct line *line, uint64_t address);
/* A process or a thread, perhaps with its name.  @comm: only the name, if it is to be shown. */
void value_pid(struct line *line, int32_t pid);
void value_comm(struct line *line, int32_t pid);
void value_signal(struct line *line, uint64_t signal);
/* The number of a system call of @arch: AUDIT_ARCH_X86_64 has names. */
void value_syscall(struct line *line, uint64_t number, uint32_t arch);
/* A user, a group; -1 is none. */
void value_id(struct line *line, uint32_t value);
void value_id16(struct line *line, uint16_t value);
/* What becomes of a signal: SIG_DFL, SIG_IGN, or an address. */
void value_handler(struct line *line, uint64_t value);
void value_device(struct line *line, uint64_t device);
void value_signals(struct line *line, uint64_t set);
/* Of old calls, which know 32. */
void value_signals_old(struct line *line, uint32_t set);
void value_mode(struct line *line, uint64_t mode);
/* Do the open flags create a file? */
bool makes_file(uint64_t flags);

/* Addresses: call_family.c */
void value_sockaddr(struct line *line, const uint8_t *bytes, size_t size);
/*
 * Parts of them: call_address.c.  Of an address of a family that most programs use, what follows
 * the family.  False: it is none.
 */
bool value_sockaddr_members(struct line *line, const uint8_t *bytes,
			    size_t size);
/* The address of a device: 00:11:22 */
void value_hardware(struct line *line, const uint8_t *bytes, size_t size);
/* The index of an interface. */
void value_interface(struct line *line, uint32_t index);
/* 4 bytes, and 16 bytes of the struct's @member. */
void value_inet(struct line *line, const uint8_t *bytes);
void value_inet6(struct line *line, const uint8_t *bytes, const char *member);

/*
 * call_control.c.  The control messages of a message, which is an argument:
 * @size captured bytes of @whole.
 */
void control_print(struct line *line, const struct call_view *view,
		   unsigned int argument, const uint8_t *bytes, size_t size,
		   uint64_t whole, uint64_t address);

/* The words of structs.tab for a struct, or for all of it.  NULL: none. */
const char *struct_words(const struct call_view *view, const char *name);
/* Structs: call_struct.c.  False: the layout is not known. */
bool value_struct(struct line *line, const struct call_view *view,
		  const char *name, const char *words, const uint8_t *bytes,
		  size_t size);

#endif /* KT_SHOW_STRACE_CALL_H */
