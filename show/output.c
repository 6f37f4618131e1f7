// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "output.h"

const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
			   "25262728293031323334353637383940414243444546474849"
			   "50515253545556575859606162636465666768697071727374"
			   "75767778798081828384858687888990919293949596979899";

int output_init(struct output *output,
		int (*write)(void *data, const char *text, size_t size),
		void *data)
{
	*output = (struct output){.write = write, .data = data};
	output->buf = malloc(OUTPUT_SIZE);
	if (!output->buf)
		return -ENOMEM;
	output->p = output->buf;
	output->end = output->buf + OUTPUT_SIZE;
	return 0;
}

void output_destroy(struct output *output)
{
	free(output->buf);
	output->buf = NULL;
}

int output_flush(struct output *output)
{
	int err = 0;

	if (!output->err && output->p > output->buf)
		err = output->write(output->data, output->buf,
				    output->p - output->buf);
	if (err)
		output->err =
			error_set(err, "cannot write: %s", strerror(-err));
	output->p = output->buf;
	return output->err;
}

void output_write(struct output *output, const char *s, size_t n)
{
	while (n) {
		size_t part = n < OUTPUT_ROOM ? n : OUTPUT_ROOM;

		output_add(output, s, part);
		s += part;
		n -= part;
	}
}
