/* SPDX-License-Identifier: MIT */
/* Cubes in files: NumPy's .npy, DIMG of the NVDLA regression, PGM and PPM pictures, raw bytes. */
#ifndef TOOLS_DLA_ARRAY_H
#define TOOLS_DLA_ARRAY_H

#include <glib.h>
#include <stdint.h>

#include "dlabuild/half.h"

enum array_type { ARRAY_INT8, ARRAY_INT16, ARRAY_FP16, ARRAY_UINT8, ARRAY_TYPES };

/**
 * struct array - a cube on its own
 * @v: [channel][line][column]; fp16 as its bits
 * @picture: pixels of a PGM or PPM file
 */
struct array {
    enum array_type type;
    uint32_t channels, height, width;
    int32_t *v;
    gboolean picture;
};

static inline size_t array_count(const struct array *a)
{
    return (size_t)a->channels * a->height * a->width;
}

const char *array_type_name(enum array_type type);
unsigned array_type_bytes(enum array_type type);

/**
 * array_load - read a file by its extension: .npy, .dimg, .pgm, .ppm, anything else raw
 * @shape: type and size that raw bytes have; other files say theirs. NULL: raw is refused
 */
gboolean array_load(struct array *a, const char *path, const struct array *shape, GError **error);
/* Could array_save() write it? The name's extension, what the format holds, and the folder. Looks
 * at type and channels. */
gboolean array_can_save(const struct array *a, const char *path, GError **error);
/**
 * array_save - write a file by its extension, as above
 * @line_stride, @surf_stride, @bytes: what a DIMG header says about the cube in memory
 */
gboolean array_save(const struct array *a, const char *path, uint32_t line_stride,
                    uint32_t surf_stride, uint32_t bytes, GError **error);
void array_free(struct array *a);

#endif
