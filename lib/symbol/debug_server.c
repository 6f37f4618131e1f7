// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Asks servers for debug files, by libdebuginfod.
 *
 * That library is loaded only when it is needed: it brings libcurl and some thirty others with
 * it, which would make each start of each command three times as long.
 *
 * A server may be away, or silent.  libdebuginfod calls us about each second while it waits; so
 * we can see that nothing comes, and that somebody wants to end it.  After that, and after two
 * errors in a row, nobody is asked any more: a recording has some hundred files.
 */
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/now.h"
#include "base/sized.h"
#include "debug_server.h"
#include "program_file.h"

#define SILENT_MS  30000
#define ALL_MS	   300000
#define ERRORS_MAX 2
/* An id that has more is none of a program. */
#define ID_MAX 64

struct debug_server {
	struct ktrace_debuginfod options;
	void *library;
	debuginfod_client *client;
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find;
	__typeof__(debuginfod_set_progressfn) *set_progress;
	__typeof__(debuginfod_set_user_data) *set_owner;
	uint64_t waited;	      /* ns, for all files */
	unsigned int errors;	      /* in a row */
	bool over;		      /* nobody is asked any more */
	unsigned char failed[ID_MAX]; /* the last one that could not be had */
	size_t failed_size;

	/* Of the file that is waited for: */
	const char *path;
	uint64_t began,
		news;	   /* ns: when it was asked for, when bytes came last */
	long told;	   /* by the last call */
	uint64_t bytes;	   /* that came */
	const char *ended; /* why it is not waited for any more; NULL: it is */
};

bool ktrace_debuginfod_built(void)
{
	return true;
}

__attribute__((format(printf, 2, 3))) static void warn(
	const struct debug_server *s, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (!s->options.warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	s->options.warn(s->options.data, text);
}

/* The same function in each client. */
static __typeof__(debuginfod_get_user_data) *get_owner;

/* ---- waiting ------------------------------------------------------------------ */

static const char interrupted[] = "interrupted";
static const char too_large[] = "it is too large";

static const char *end_find(const struct debug_server *s, uint64_t size,
			    uint64_t now)
{
	if (size > PROGRAM_FILE_MAX)
		return too_large;
	if (now - s->news > s->options.silent_ms * 1000000ull)
		return "no server answers";
	if (s->waited + (now - s->began) > s->options.all_ms * 1000000ull)
		return "all files together take too long";
	return s->options.progress && s->options.progress(s->options.data,
							  s->path, s->bytes)
		       ? interrupted
		       : NULL;
}

/*
 * For libdebuginfod.  @told: how many bytes came; but until a server has answered, the number of
 * this call, so one more is no news.  Not 0: do not wait any more.
 */
static int wait_look(debuginfod_client *client, long told, long all)
{
	struct debug_server *s = get_owner(client);
	uint64_t now = now_ns();

	if (told != s->told && told != s->told + 1) {
		s->news = now;
		s->bytes = told;
	}
	s->told = told;
	s->ended = end_find(s, all > 0 ? (uint64_t)all : s->bytes, now);
	return s->ended != NULL;
}

/* ---- asking ------------------------------------------------------------------- */

/* An empty file stands for one that no server has. */
static void miss_remove(const char *folder, const char *below, const char *id)
{
	struct stat st;
	char *path;

	if (!folder ||
	    asprintf(&path, "%s%s/%s/debuginfo", folder, below, id) < 0)
		return;
	if (!lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
		unlink(path);
	free(path);
}

/*
 * Who stops libdebuginfod makes it note that no server has the file, and it would ask nobody for
 * ten minutes.  debuginfod_find_debuginfo(3) says where it keeps that.
 */
static void miss_forget(const unsigned char *id, size_t size)
{
	char hex[2 * ID_MAX + 1];

	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	miss_remove(getenv("DEBUGINFOD_CACHE_PATH"), "", hex);
	miss_remove(getenv("XDG_CACHE_HOME"), "/debuginfod_client", hex);
	miss_remove(getenv("HOME"), "/.cache/debuginfod_client", hex);
	miss_remove(getenv("HOME"), "/.debuginfod_client_cache", hex);
}

/* A server that sends too much answers; who interrupts wants no more. */
static void error_note(struct debug_server *s, int err)
{
	const char *why = s->ended ?: strerror(-err);
	bool answers = s->ended == too_large;

	s->errors = answers ? 0 : s->errors + 1;
	s->over = s->errors >= ERRORS_MAX || (s->ended && !answers);
	warn(s, "no debug file of %s from a server: %s%s%s", s->path, why,
	     answers || s->ended == interrupted
		     ? ""
		     : ": see that the servers of DEBUGINFOD_URLS can be reached",
	     s->over ? "; no more are asked for" : "");
}

/* An archive wants a file twice: for its names, and to pack it. */
static bool is_failed(const struct debug_server *s, const unsigned char *id,
		      size_t size)
{
	return size == s->failed_size && !memcmp(id, s->failed, size);
}

int debug_server_find(struct debug_server *s, const char *path,
		      const unsigned char *id, size_t size)
{
	char *found = NULL;
	int fd;

	if (!s || s->over || !size || size > ID_MAX || is_failed(s, id, size))
		return -ENOENT;
	s->path = path;
	s->began = s->news = now_ns();
	s->told = 0;
	s->bytes = 0;
	s->ended = NULL;
	fd = s->find(s->client, id, size, &found);
	free(found);
	s->waited += now_ns() - s->began;
	if (s->options.progress)
		s->options.progress(s->options.data, NULL, 0);
	if (fd >= 0 || (fd == -ENOENT && !s->ended)) {
		s->errors = 0;
		return fd;
	}
	/* No fault of a server's. */
	if (!s->ended && too_many_open(fd))
		return fd;
	if (s->ended)
		miss_forget(id, size);
	memcpy(s->failed, id, size);
	s->failed_size = size;
	error_note(s, fd);
	return -ENOENT;
}

void debug_server_refuse(struct debug_server *s, const char *path)
{
	warn(s,
	     "no debug file of %s from a server: it sent that of another program",
	     path);
}

/* ---- the library -------------------------------------------------------------- */

static bool functions_find(struct debug_server *s)
{
	s->library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		return false;
#define FIND(member, name) (s->member = dlsym(s->library, #name))
	return FIND(begin, debuginfod_begin) && FIND(end, debuginfod_end) &&
	       FIND(find, debuginfod_find_debuginfo) &&
	       FIND(set_progress, debuginfod_set_progressfn) &&
	       FIND(set_owner, debuginfod_set_user_data) &&
	       (get_owner = dlsym(s->library, "debuginfod_get_user_data"));
#undef FIND
}

static int client_make(struct debug_server *s)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !urls[strspn(urls, " ")])
		return error_set(
			-EINVAL,
			"DEBUGINFOD_URLS names no server; sudo passes it on "
			"with --preserve-env=DEBUGINFOD_URLS");
	if (!functions_find(s))
		return error_set(-ENOSYS, "%s cannot be loaded: %s",
				 DEBUGINFOD_SONAME, dlerror());
	s->client = s->begin();
	if (!s->client)
		return error_set(-ENOMEM, "libdebuginfod: out of memory");
	s->set_owner(s->client, s);
	s->set_progress(s->client, wait_look);
	return 0;
}

int debug_server_open(const struct ktrace_debuginfod *options,
		      struct debug_server **server)
{
	struct debug_server *s;
	int err;

	*server = NULL;
	if (!options)
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(-ENOMEM, "out of memory");
	err = sized_copy(&s->options, sizeof(s->options), options);
	if (!s->options.silent_ms)
		s->options.silent_ms = SILENT_MS;
	if (!s->options.all_ms)
		s->options.all_ms = ALL_MS;
	if (!err)
		err = client_make(s);
	if (err)
		debug_server_close(s);
	else
		*server = s;
	return err;
}

/* The library stays: libcurl cannot be unloaded. */
void debug_server_close(struct debug_server *s)
{
	if (s && s->client)
		s->end(s->client);
	free(s);
}
