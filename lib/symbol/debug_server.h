/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Debug files from servers: see <ktrace/debuginfod.h>. */
#ifndef KT_LIB_SYMBOL_DEBUG_SERVER_H
#define KT_LIB_SYMBOL_DEBUG_SERVER_H

#include <ktrace/debuginfod.h>

struct debug_server;

/* @options: NULL: nobody is asked, and *@server is NULL.  Sets the error message. */
int debug_server_open(const struct ktrace_debuginfod *options,
		      struct debug_server **server);
/*
 * The debug file of the program @path with this build id; -ENOENT: it could not be had.  What
 * comes from a server may be anything: whether it has that build id is for the caller to check.
 * @server may be NULL.
 */
int debug_server_find(struct debug_server *server, const char *path,
		      const unsigned char *id, size_t size);
/* What came for that program is refused. */
void debug_server_refuse(struct debug_server *server, const char *path);
void debug_server_close(struct debug_server *server);

#endif /* KT_LIB_SYMBOL_DEBUG_SERVER_H */
