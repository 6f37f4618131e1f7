/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the file of a module tells that need not be loaded: its functions and types.  Only modules
 * of the running kernel are found, by /lib/modules/RELEASE/modules.dep.
 */
#ifndef KT_LIB_SESSION_MODULE_IMAGE_H
#define KT_LIB_SESSION_MODULE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct btf;
struct build_id;
struct module_image;

/*
 * The path of a module's file; its name has no dashes.  @folder: /lib/modules/RELEASE, NULL: that of
 * the running kernel.  -ENOENT: there is none of this name, with a message.
 */
int module_path_find(const char *folder, const char *module, char *path,
		     size_t size);

/* It may be compressed.  -ENOENT: there is no such module; -ENOEXEC: it cannot be read. */
int module_image_open(const char *module, struct module_image **image);
int module_image_open_file(const char *path, struct module_image **image);
void module_image_close(struct module_image *image);

/* How many functions have the name; @size: bytes of the first. */
unsigned int module_image_functions(const struct module_image *image,
				    const char *name, uint64_t *size);

/* Its build id.  Size 0: it has none. */
void module_image_build(const struct module_image *image, struct build_id *id);

/* Its types, over those of the kernel.  To be freed first.  -ENOENT: it has none that are known. */
int module_image_types(const struct module_image *image, struct btf *kernel,
		       struct btf **types);

#endif /* KT_LIB_SESSION_MODULE_IMAGE_H */
