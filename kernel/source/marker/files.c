// SPDX-License-Identifier: GPL-2.0-only
/* The control tree's files about markers of kernel modules; marker.h describes them. */
#include <linux/seq_file.h>

#include "marker.h"
#include "session/node.h"

static int markers_show(struct seq_file *m, const struct kt_node *node)
{
	kt_markers_show(m);
	return 0;
}

static const struct kt_kind markers_file = {
	.name = "markers",
	.mode = S_IFREG | 0440,
	.show = markers_show,
	.show_size = 16 * PAGE_SIZE,
};

static int marked_show(struct seq_file *m, const struct kt_node *node)
{
	kt_marked_show(m, node->session);
	return 0;
}

static int marked_write(const struct kt_node *node, char *text)
{
	return kt_marked_write(node->session, text);
}

static const struct kt_kind marked_file = {
	.name = "marked",
	.mode = S_IFREG | 0660,
	.show = marked_show,
	.write = marked_write,
	.write_max = 64 << 10,
};

static int print_show(struct seq_file *m, const struct kt_node *node)
{
	kt_prints_show(m);
	return 0;
}

static int print_write(const struct kt_node *node, char *text)
{
	return kt_prints_write(node->session, text);
}

static const struct kt_kind print_file = {
	.name = "print",
	.mode = S_IFREG | 0660,
	.show = print_show,
	.write = print_write,
	.write_max = 64 << 10,
};

static int printed_show(struct seq_file *m, const struct kt_node *node)
{
	kt_printed_show(m);
	return 0;
}

static const struct kt_kind printed_file = {
	.name = "printed",
	.mode = S_IFREG | 0440,
	.show = printed_show,
};

const struct kt_kind *const kt_marker_root_files[] = {
	&markers_file,
	&print_file,
	&printed_file,
	NULL,
};

const struct kt_kind *const kt_marker_session_files[] = {&marked_file, NULL};

const struct kt_site_user *const kt_site_users[] = {
	&kt_site_prints,
	&kt_site_probes,
	NULL,
};
