// SPDX-License-Identifier: GPL-2.0-only
/* Where probes in programs are: program_place.h. */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

#include "program_place.h"
#include "session/session.h"

#define RETURN "%return"

/* Where the path ends. */
static const char *path_end(const char *text)
{
	const char *end = NULL, *next = text;

	while ((next = strstr(next, ":0x")))
		end = next++;
	return end;
}

const char *program_place_label(const char *text)
{
	const char *end = path_end(text);
	const char *label = end ? strchr(end, '/') : NULL;

	return label ? label + 1 : text;
}

/* Moves *@text behind the number. */
static bool number_take(char **text, loff_t *number)
{
	char *from = *text, *end = from + 2, saved;
	bool good;

	while (isxdigit(*end))
		end++;
	saved = *end;
	*end = '\0';
	good = !strncmp(from, "0x", 2) && !kstrtoll(from, 16, number);
	*end = saved;
	*text = end;
	return good;
}

/* "0xOFFSET[(0xCOUNTER)][/TEXT][%return]". */
static bool offset_parse(struct program_place *place, char *text)
{
	size_t length = strlen(text);

	place->returns = length > strlen(RETURN) &&
			 !strcmp(text + length - strlen(RETURN), RETURN);
	if (place->returns)
		text[length - strlen(RETURN)] = '\0';
	if (!number_take(&text, &place->offset))
		return false;
	if (*text == '(') {
		text++;
		if (!number_take(&text, &place->counter) || *text++ != ')')
			return false;
	}
	if (!*text)
		return true;
	return *text++ == '/' && *text;
}

static int file_state(const struct path *path, struct kstat *stat)
{
	return vfs_getattr(path, stat, STATX_MTIME | STATX_SIZE,
			   AT_STATX_SYNC_AS_STAT);
}

/* Takes the file. */
static int file_find(struct program_place *place, struct kt_session *session,
		     const char *name)
{
	struct kstat stat;
	int err = kern_path(name, LOOKUP_FOLLOW, &place->path);

	if (err)
		return kt_refuse(session, err,
				 "%.120s: the file cannot be found", name);
	err = file_state(&place->path, &stat);
	if (!err && !S_ISREG(stat.mode))
		err = -EINVAL;
	if (err)
		return kt_refuse(session, err, "%.120s is no file", name);
	if (place->offset >= stat.size || place->counter >= stat.size)
		return kt_refuse(session, -EINVAL, "%.120s has only %lld bytes",
				 name, stat.size);
	place->size = stat.size;
	place->changed = stat.mtime;
	return 0;
}

int program_place_find(struct program_place *place, struct kt_session *session,
		       const char *text)
{
	const char *end = path_end(text);
	char *copy;
	int err;

	if (!end || end - text >= PATH_MAX)
		return kt_refuse(session, -EINVAL,
				 "%.80s: FILE:0xOFFSET is wanted", text);
	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return kt_refuse(session, -ENOMEM, "no memory");
	if (!offset_parse(place, copy + (end - text) + 1)) {
		err = kt_refuse(session, -EINVAL,
				"\"%.80s\": 0xOFFSET, (0xCOUNTER), /TEXT and "
				"%%return are what may follow a file",
				end + 1);
	} else {
		copy[end - text] = '\0';
		string_unescape_inplace(copy, UNESCAPE_OCTAL);
		err = file_find(place, session, copy);
	}
	if (err)
		program_place_put(place);
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
	struct kstat stat;

	if (!file_state(&place->path, &stat) && stat.size == place->size &&
	    timespec64_equal(&stat.mtime, &place->changed))
		return 0;
	return kt_refuse(session, -ESTALE,
			 "%.80s: the file has changed since the probe was made",
			 program_place_label(text));
}
