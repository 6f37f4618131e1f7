/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions a session hooks: see choose.c. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_CHOOSE_H
#define KT_KERNEL_SOURCE_FUNCTION_CHOOSE_H

struct hooks;
struct module;

/* What the kernel lacks, NULL: nothing. */
const char *choose_init(void);
/* More lines, which are cut up: all count, or none. */
int choices_write(struct hooks *hooks, char *text);
/* No line counts any more. */
int choices_forget(struct hooks *hooks);
/* A module has come, and its functions may be meant. */
void choices_module(struct hooks *hooks, const struct module *module);

#endif /* KT_KERNEL_SOURCE_FUNCTION_CHOOSE_H */
