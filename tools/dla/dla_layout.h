/* SPDX-License-Identifier: MIT */
/* Where the numbers of a cube lie in the memories of a loadable. */
#ifndef TOOLS_DLA_LAYOUT_H
#define TOOLS_DLA_LAYOUT_H

#include "tools/dla/dla_array.h"
#include "tools/dla/dla_net.h"

/**
 * struct layout - a cube in memory
 * @iova: its first byte
 * @pixel_format: DESC_FEATURE, or an image's
 * @atom: bytes of one pixel that lie together (feature cubes)
 */
struct layout {
    char name[82];
    uint64_t iova;
    enum array_type type;
    uint32_t channels, height, width, line_stride, surf_stride, bytes;
    int pixel_format;
    unsigned atom;
};

/* Cube @i of operation @op; FALSE if it is not in memory or no cube of numbers. */
gboolean layout_of_cube(struct layout *l, const struct dla_net *net, unsigned op, unsigned i,
                        unsigned atom);
/* Which cube an operation writes; -1: none. */
int layout_dst(enum desc_op op);
/**
 * layout_of_memory - what lies in memory @index of the loadable
 * @nets, @count: the networks of its tasks
 *
 * From its tensor descriptor, or where there is none from the operations that use it.
 */
gboolean layout_of_memory(struct layout *l, const struct dla_net_file *f, size_t index,
                          const struct dla_net *nets, unsigned count, unsigned atom,
                          GError **error);
/* Numbers out of memory; FALSE if the cube does not lie in it. */
gboolean layout_get(const struct layout *l, const struct dla_net_file *f, struct array *a,
                    GError **error);
/* A file's numbers into memory: the same size needed; pixels are converted (docs/dla-build.md). */
gboolean layout_put(const struct layout *l, const struct dla_net_file *f, const struct array *a,
                    const char *path, GError **error);

#endif
