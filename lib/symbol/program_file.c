// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "program_file.h"

/*
 * The path is what a process made it: in its own mounts, /dev/watchdog may be a program.  So
 * it is asked what it is before it is opened: opening a device may have effects.  So may opening
 * what is made while it is read, as in /proc or tracefs, which has no size.
 */
int program_file_reopen(int seen)
{
	struct stat st;

	if (seen < 0)
		return -1;
	if (!fstat(seen, &st) && S_ISREG(st.st_mode) && st.st_size &&
	    st.st_size <= PROGRAM_FILE_MAX)
		return file_reopen(seen, O_RDONLY);
	close(seen);
	errno = ENOENT;
	return -1;
}

int program_file_open(const char *path)
{
	return program_file_reopen(open(path, O_PATH | O_CLOEXEC));
}
