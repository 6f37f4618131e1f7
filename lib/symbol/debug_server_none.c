// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Debug files from servers, if the library is built without libdebuginfod. */
#include <errno.h>

#include "base/error.h"
#include "debug_server.h"

bool ktrace_debuginfod_built(void)
{
	return false;
}

int debug_server_open(const struct ktrace_debuginfod *options,
		      struct debug_server **server)
{
	*server = NULL;
	return options ? error_set(
				 -ENOSYS,
				 "this ktrace was built without libdebuginfod: "
				 "install libdebuginfod-dev and build it again")
		       : 0;
}

int debug_server_find(struct debug_server *server, const char *path,
		      const unsigned char *id, size_t size)
{
	return -ENOENT;
}

void debug_server_refuse(struct debug_server *server, const char *path)
{
}

void debug_server_close(struct debug_server *server)
{
}
