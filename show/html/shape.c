// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "html/shape.h"

/* ---- rows ----------------------------------------------------------------- */

/* Room for one more. */
static int row_grow(struct row *row)
{
	uint32_t *names = array_grow(row->names, row->nr, sizeof(*names));
	struct value *values;

	if (!names)
		return -ENOMEM;
	row->names = names;
	values = array_grow(row->values, row->nr, sizeof(*values));
	if (!values)
		return -ENOMEM;
	row->values = values;
	return 0;
}

static int field_add(struct shapes *shapes, struct row *row, const char *name,
		     const char *text, size_t size)
{
	struct value value;
	uint32_t number;

	if (row_grow(row) ||
	    words_get(&shapes->words, name, strlen(name), &row->names[row->nr]))
		return -ENOMEM;
	if (!value_is_number(&value, text, size)) {
		if (words_get(&shapes->texts, text, size, &number))
			return -ENOMEM;
		value = (struct value){VALUE_TEXT, number};
	}
	row->values[row->nr++] = value;
	return 0;
}

int row_add(struct shapes *shapes, struct row *row,
	    const struct arguments *arguments)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < arguments->nr; i++) {
		const struct argument *a = &arguments->list[i];

		err = field_add(shapes, row, a->name, a->text, a->size);
	}
	return err;
}

int row_add_text(struct shapes *shapes, struct row *row, const char *name,
		 const char *text)
{
	return field_add(shapes, row, name, text, strlen(text));
}

int row_join(struct row *row, const struct row *more)
{
	for (uint32_t i = 0; i < more->nr; i++) {
		if (row_grow(row))
			return -ENOMEM;
		row->names[row->nr] = more->names[i];
		row->values[row->nr++] = more->values[i];
	}
	return 0;
}

void row_free(struct row *row)
{
	free(row->names);
	free(row->values);
}

/* ---- shapes --------------------------------------------------------------- */

static uint64_t shape_hash(enum shape_of of, uint32_t name, uint32_t category,
			   const struct row *row, uint64_t factor)
{
	uint64_t hash =
		table_hash_secret((const char *)row->names,
				  row->nr * sizeof(*row->names), factor);

	hash = table_mix(hash, (uint64_t)name << 32 | category, factor);
	return table_mix(hash, of, factor);
}

static bool shape_has(const struct shape *shape, enum shape_of of,
		      uint32_t name, uint32_t category, const struct row *row)
{
	return shape->of == of && shape->name == name &&
	       shape->category == category && shape->nr == row->nr &&
	       !memcmp(shape->names, row->names, row->nr * sizeof(*row->names));
}

static struct shape *shape_make(enum shape_of of, uint32_t name,
				uint32_t category, const struct row *row)
{
	size_t names = row->nr * sizeof(*row->names);
	struct shape *shape = calloc(1, sizeof(*shape) + names);

	if (!shape)
		return NULL;
	shape->columns = calloc(row->nr ?: 1, sizeof(*shape->columns));
	if (!shape->columns) {
		free(shape);
		return NULL;
	}
	shape->of = of;
	shape->name = name;
	shape->category = category;
	shape->nr = row->nr;
	if (names)
		memcpy(shape->names, row->names, names);
	return shape;
}

static void shape_free(struct shape *shape)
{
	for (uint32_t i = 0; i < shape->nr; i++)
		column_free(&shape->columns[i].column);
	free(shape->columns);
	free(shape);
}

static int shape_add(struct shapes *shapes, struct shape *shape, uint64_t hash)
{
	struct shape **list =
		array_grow(shapes->list, shapes->nr, sizeof(*shapes->list));

	if (!list)
		return -ENOMEM;
	shapes->list = list;
	if (table_add(&shapes->table, hash, shape))
		return -ENOMEM;
	shape->number = shapes->nr;
	shapes->size += sizeof(*shape) + shape->nr * sizeof(*shape->columns);
	shapes->list[shapes->nr++] = shape;
	return 0;
}

static struct shape *shape_get(struct shapes *shapes, enum shape_of of,
			       uint32_t name, uint32_t category,
			       const struct row *row)
{
	uint64_t hash =
		shape_hash(of, name, category, row, shapes->words.factor);
	struct table_slot *slot = NULL;
	struct shape *shape;

	while ((slot = table_next(&shapes->table, hash, slot)))
		if (shape_has(slot->value, of, name, category, row))
			return slot->value;
	shape = shape_make(of, name, category, row);
	if (shape && shape_add(shapes, shape, hash)) {
		shape_free(shape);
		return NULL;
	}
	return shape;
}

int shapes_put(struct shapes *shapes, enum shape_of of, const char *name,
	       const char *category, const struct row *row, uint32_t *number)
{
	uint32_t name_word, category_word;
	struct shape *shape;
	int err;

	err = words_get(&shapes->words, name, strlen(name), &name_word);
	err = err
		      ?: words_get(&shapes->words, category, strlen(category),
				   &category_word);
	if (err)
		return err;
	shape = shape_get(shapes, of, name_word, category_word, row);
	if (!shape)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < row->nr; i++) {
		const struct column *column = &shape->columns[i].column;
		size_t before = column->size;

		err = value_put(&shape->columns[i], &row->values[i]);
		shapes->size += column->size - before;
	}
	shape->rows++;
	*number = shape->number;
	return err;
}

void shapes_free(struct shapes *shapes)
{
	for (uint32_t i = 0; i < shapes->nr; i++)
		shape_free(shapes->list[i]);
	free(shapes->list);
	table_free(&shapes->table);
	words_free(&shapes->words);
	words_free(&shapes->texts);
}
