// SPDX-License-Identifier: GPL-2.0-only
/* Where probes in programs are: program_place.h. */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>

#include "compat/fs.h"
#include "program_file.h"
#include "program_place.h"
#include "session/access.h"
#include "session/session.h"

#define RETURN "%return"

/* The file as it was seen by who has written the line. */
struct program_seen {
	bool said;
	s64 inode, size;
	struct timespec64 changed;
};

/* Where the path ends: a colon in it is written as \072. */
static const char *path_end(const char *text)
{
	return strchr(text, ':');
}

const char *program_place_label(const char *text)
{
	const char *end = path_end(text);
	const char *label = end ? strchr(end, '/') : NULL;

	return label ? label + 1 : text;
}

/* Moves *@text behind the number, which has the prefix 0x if it is hexadecimal. */
static bool number_take(char **text, unsigned int base, s64 *number)
{
	char *from = *text, *end, saved;
	bool good;

	if (base == 16 && strncmp(from, "0x", 2))
		return false;
	end = from + (base == 16 ? 2 : 0);
	while (base == 16 ? isxdigit(*end) : isdigit(*end))
		end++;
	saved = *end;
	*end = '\0';
	good = !kstrtos64(from, base, number);
	*end = saved;
	*text = end;
	return good;
}

/* "INODE:SIZE:SECONDS.NANOSECONDS}". */
static bool seen_parse(struct program_seen *seen, char **text)
{
	s64 seconds, nanoseconds;
	char *at = *text;

	if (!number_take(&at, 10, &seen->inode) || *at++ != ':' ||
	    !number_take(&at, 10, &seen->size) || *at++ != ':' ||
	    !number_take(&at, 10, &seconds) || *at++ != '.' ||
	    !number_take(&at, 10, &nanoseconds) || *at++ != '}')
		return false;
	seen->changed.tv_sec = seconds;
	seen->changed.tv_nsec = nanoseconds;
	seen->said = true;
	*text = at;
	return true;
}

static bool is_label(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isascii(*text) || !isgraph(*text))
			return false;
	return true;
}

/* "0xOFFSET[(0xCOUNTER)][{SEEN}][/TEXT][%return]". */
static bool offset_parse(struct program_place *place, struct program_seen *seen,
			 char *text)
{
	size_t length = strlen(text);

	place->returns = length > strlen(RETURN) &&
			 !strcmp(text + length - strlen(RETURN), RETURN);
	if (place->returns)
		text[length - strlen(RETURN)] = '\0';
	if (!number_take(&text, 16, &place->offset))
		return false;
	if (*text == '(') {
		text++;
		if (!number_take(&text, 16, &place->counter) || *text++ != ')')
			return false;
	}
	if (*text == '{') {
		text++;
		if (!seen_parse(seen, &text))
			return false;
	}
	if (!*text)
		return true;
	return *text++ == '/' && is_label(text);
}

static bool is_as_seen(const struct program_seen *seen,
		       const struct kstat *stat)
{
	return !seen->said ||
	       (seen->inode == (s64)stat->ino && seen->size == stat->size &&
		timespec64_equal(&seen->changed, &stat->ctime));
}

/* Takes the file, whose path has so many bytes. */
static int file_take(struct program_place *place,
		     const struct program_seen *seen,
		     struct kt_session *session, const char *text,
		     size_t length)
{
	const struct program_file *file = program_file_of(text, length);
	int shown = min_t(size_t, length, 120),
	    err = file ? file->err : -ENOENT;
	struct inode *inode;

	if (err)
		return kt_refuse(session, err, "%.*s: the file cannot be found",
				 shown, text);
	if (!S_ISREG(file->stat.mode))
		return kt_refuse(session, -EINVAL, "%.*s is no file", shown,
				 text);
	if (!is_as_seen(seen, &file->stat))
		return kt_refuse(session, -ESTALE,
				 "%.*s has changed while the probe was made",
				 shown, text);
	if (place->offset >= file->stat.size ||
	    place->counter >= file->stat.size)
		return kt_refuse(session, -EINVAL, "%.*s has only %lld bytes",
				 shown, text, file->stat.size);
	place->path = file->path;
	path_get(&place->path);
	inode = program_place_inode(place);
	place->size = i_size_read(inode);
	place->written = kt_inode_mtime(inode);
	return 0;
}

int program_place_find(struct program_place *place, struct kt_session *session,
		       const char *text)
{
	const char *end = path_end(text);
	struct program_seen seen = {};
	char *copy;
	int err = kt_access_programs(session);

	if (err)
		return err;
	if (!end || end - text >= PATH_MAX)
		return kt_refuse(session, -EINVAL,
				 "%.80s: FILE:0xOFFSET is wanted", text);
	copy = kstrdup(end + 1, GFP_KERNEL);
	if (!copy)
		return kt_refuse(session, -ENOMEM, "no memory");
	if (offset_parse(place, &seen, copy))
		err = file_take(place, &seen, session, text, end - text);
	else
		err = kt_refuse(session, -EINVAL,
				"\"%.80s\": 0xOFFSET, (0xCOUNTER), {SEEN}, "
				"/TEXT and %%return are what may follow a file",
				end + 1);
	kfree(copy);
	return err;
}

void program_place_put(struct program_place *place)
{
	path_put(&place->path);
	memset(place, 0, sizeof(*place));
}

/* Of a file that lies on another one, as in a container: that in which the code is. */
struct inode *program_place_inode(const struct program_place *place)
{
	return d_real_inode(place->path.dentry);
}

int program_place_check(const struct program_place *place,
			struct kt_session *session, const char *text)
{
	struct inode *inode = program_place_inode(place);
	struct timespec64 written = kt_inode_mtime(inode);

	if (i_size_read(inode) == place->size &&
	    timespec64_equal(&written, &place->written))
		return 0;
	return kt_refuse(session, -ESTALE,
			 "%.80s: the file has changed since the probe was made",
			 program_place_label(text));
}
