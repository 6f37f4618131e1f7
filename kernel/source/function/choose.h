/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions a session hooks: see choose.c. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CHOOSE_H
#define KT_KERNEL_SOURCE_FUNCTION_CHOOSE_H

struct hooks;
struct kt_kind;
struct module;

/* For the source: lists that end with NULL. */
extern const struct kt_kind *const function_root_files[];
extern const struct kt_kind *const function_session_files[];

/* What the kernel lacks, NULL: nothing. */
const char *choose_init(void);
void choices_free(struct hooks *hooks);
/* A module has come, and its functions may be meant. */
void choices_module(struct hooks *hooks, const struct module *module);

#endif /* KT_KERNEL_SOURCE_FUNCTION_CHOOSE_H */
