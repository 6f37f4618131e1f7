// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Merged stacks for https://www.speedscope.app, as JSON:
 *
 *	{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"ktrace",
 *	 "name":"ktrace record ...","shared":{"frames":[{"name":"dbench"},…]},
 *	 "profiles":[{"type":"sampled","name":"events","unit":"none","startValue":0,
 *	  "endValue":1234,"samples":[[0,3,4],…],"weights":[1200,…]}]}
 *
 * A sample is a stack, outermost frame first, and its weight is that of all events that had it.
 */
#include <string.h>

#include "merged.h"
#include "program.h"

static void text_put(struct output *output, const char *text)
{
	json_string(output, (const uint8_t *)text, strlen(text));
}

static void number_put(struct output *output, uint64_t number)
{
	output_room(output, 64);
	output->p = put_u64(output->p, number);
}

static void frames_put(struct output *output, const struct fold_paths *paths)
{
	for (uint32_t i = 0; i < paths->nr_names; i++) {
		output_puts(output, i ? ",\n{\"name\":" : "\n{\"name\":");
		text_put(output, paths->name[i]);
		output_add(output, "}", 1);
	}
}

static void sample_put(struct output *output, const struct fold *fold)
{
	for (uint32_t i = 0; i < fold->nr; i++) {
		output_add(output, i ? "," : "[", 1);
		number_put(output, fold_frame(fold, i));
	}
	output_add(output, "]", 1);
}

static void samples_put(struct output *output, struct fold *const *folds,
			size_t nr)
{
	output_puts(output, ",\"samples\":[");
	for (size_t i = 0; i < nr && !output->err; i++) {
		output_puts(output, i ? ",\n" : "\n");
		sample_put(output, folds[i]);
	}
	output_puts(output, "],\n\"weights\":[");
	for (size_t i = 0; i < nr && !output->err; i++) {
		output_puts(output, i ? "," : "");
		number_put(output, folds[i]->weight);
	}
	output_add(output, "]", 1);
}

static void profile_put(struct merged *merged, struct fold *const *folds,
			size_t nr)
{
	struct output *output = &merged->output;
	const char *unit = folds_unit(&merged->folds);
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		if (__builtin_add_overflow(sum, folds[i]->weight, &sum))
			sum = UINT64_MAX;
	output_puts(output, "{\"type\":\"sampled\",\"name\":");
	text_put(output, unit);
	output_puts(output, ",\"unit\":");
	text_put(output, strcmp(unit, "ns") != 0 ? "none" : "nanoseconds");
	output_puts(output, ",\"startValue\":0,\"endValue\":");
	number_put(output, sum);
	samples_put(output, folds, nr);
	output_add(output, "}", 1);
}

static void speedscope_put(struct merged *merged, struct fold *const *folds,
			   size_t nr)
{
	const struct ktrace_info *info = ktrace_get_info(merged->show.trace);
	struct output *output = &merged->output;

	output_puts(output,
		    "{\"$schema\":"
		    "\"https://www.speedscope.app/file-format-schema.json\","
		    "\"exporter\":\"ktrace\",\"name\":");
	text_put(output, info->command ?: "ktrace");
	output_puts(output, ",\n\"shared\":{\"frames\":[");
	frames_put(output, &merged->folds.paths);
	output_puts(output, "]},\n\"profiles\":[");
	profile_put(merged, folds, nr);
	output_puts(output, "]}\n");
}

static int speedscope_finish(struct ktrace_output *show)
{
	return merged_finish(show, fold_compare_weight, speedscope_put);
}

const struct show_ops show_speedscope = {
	.kind.name = "speedscope",
	.kind.what = "stacks, as folded has them, for https://speedscope.app",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct merged),
	.open = merged_open,
	.event = merged_event,
	.loss = merged_loss,
	.hidden = merged_hidden,
	.hidden_loss = merged_loss,
	.finish = speedscope_finish,
	.pause = merged_pause,
	.release = merged_release,
};
