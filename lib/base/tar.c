// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tar.h"

/* Numbers are in octal digits, texts are padded with NULs. */
struct header {
	char name[100];
	char mode[8];
	char user[8];
	char group[8];
	char size[12];
	char time[12];
	char sum[8];
	char kind;
	char link[100];
	char magic[6];
	char version[2];
	char user_name[32];
	char group_name[32];
	char major[8];
	char minor[8];
	char prefix
		[155]; /* if not empty: stands before the name, and a slash */
	char pad[12];
};

_Static_assert(sizeof(struct header) == TAR_BLOCK, "a header is a block");

/* The first byte of a number that is not in digits, because it is too large for them. */
#define BINARY 0x80

/* The sum of all bytes, with spaces in the place of the sum. */
static unsigned int sum_of(const struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	unsigned int sum = sizeof(header->sum) * ' ';

	for (size_t i = 0; i < sizeof(*header); i++)
		sum += bytes[i];
	for (size_t i = 0; i < sizeof(header->sum); i++)
		sum -= (unsigned char)header->sum[i];
	return sum;
}

/* With a NUL behind the digits. */
static void number_write(char *to, int size, uint64_t number)
{
	to[--size] = '\0';
	while (size) {
		to[--size] = '0' + number % 8;
		number /= 8;
	}
}

static void size_write(char to[12], uint64_t size)
{
	if (size < 1ull << 33) {
		number_write(to, 12, size);
		return;
	}
	memset(to, 0, 12);
	to[0] = (char)BINARY;
	for (int i = 11; i >= 4; i--) {
		to[i] = (char)size;
		size >>= 8;
	}
}

static int name_write(struct header *header, const char *name)
{
	const char *slash = strrchr(name, '/'),
		   *last = slash ? slash + 1 : name;
	size_t size = strlen(name);

	/* A folder ends with a slash. */
	if (size <= sizeof(header->name)) {
		memcpy(header->name, name, size);
		return 0;
	}
	size = strlen(last);
	if (!slash || !size || size > sizeof(header->name) ||
	    slash - name > (long)sizeof(header->prefix))
		return -ENAMETOOLONG;
	memcpy(header->name, last, size);
	memcpy(header->prefix, name, slash - name);
	return 0;
}

int tar_write(const struct tar_entry *entry, char block[TAR_BLOCK])
{
	struct header header = {.kind = entry->kind};
	int err = name_write(&header, entry->name);

	if (err)
		return err;
	number_write(header.mode, sizeof(header.mode), entry->mode & 07777);
	number_write(header.user, sizeof(header.user), 0);
	number_write(header.group, sizeof(header.group), 0);
	size_write(header.size, entry->size);
	number_write(header.time, sizeof(header.time),
		     entry->time < 0 ? 0 : entry->time);
	memcpy(header.magic, "ustar", 6);
	memcpy(header.version, "00", 2);
	strcpy(header.user_name, "root");
	strcpy(header.group_name, "root");
	number_write(header.sum, sizeof(header.sum) - 1, sum_of(&header));
	header.sum[sizeof(header.sum) - 1] = ' ';
	memcpy(block, &header, sizeof(header));
	return 0;
}

/* Digits, with spaces before and a space or NUL behind them. */
static bool number_read(const char *from, size_t size, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	while (i < size && from[i] == ' ')
		i++;
	for (; i < size && from[i] >= '0' && from[i] <= '7'; i++)
		*number = *number * 8 + (from[i] - '0');
	return i == size || from[i] == ' ' || !from[i];
}

static bool size_read(const char from[12], uint64_t *size)
{
	if ((unsigned char)from[0] != BINARY)
		return number_read(from, 12, size);
	*size = 0;
	for (int i = 1; i < 12; i++) {
		if (*size >> 56)
			return false;
		*size = *size << 8 | (unsigned char)from[i];
	}
	return true;
}

static void name_read(const struct header *header, char name[TAR_NAME_MAX])
{
	/* GNU's headers have a space behind `ustar', and no prefix. */
	bool prefix = !memcmp(header->magic, "ustar", 6) && header->prefix[0];

	snprintf(name, TAR_NAME_MAX, "%.*s%s%.*s",
		 prefix ? (int)sizeof(header->prefix) : 0, header->prefix,
		 prefix ? "/" : "", (int)sizeof(header->name), header->name);
}

int tar_read(const char block[TAR_BLOCK], struct tar_entry *entry)
{
	static const char zeros[TAR_BLOCK];
	struct header header;
	uint64_t sum, mode, time;

	if (!memcmp(block, zeros, TAR_BLOCK))
		return 0;
	memcpy(&header, block, sizeof(header));
	if (!number_read(header.sum, sizeof(header.sum), &sum) ||
	    sum != sum_of(&header) || memcmp(header.magic, "ustar", 5) ||
	    !size_read(header.size, &entry->size) ||
	    !number_read(header.mode, sizeof(header.mode), &mode) ||
	    !number_read(header.time, sizeof(header.time), &time))
		return -EBADMSG;
	name_read(&header, entry->name);
	entry->mode = mode & 07777;
	entry->time = time;
	entry->kind = header.kind ? header.kind : TAR_FILE;
	return 1;
}
