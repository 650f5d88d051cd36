/* SPDX-License-Identifier: MIT */
/* Where planes, rows and elements of a buffer lie: the computed attributes of a reconciled list. */
#ifndef RUNTIME_API_NVSCI_ATTR_BUF_LAYOUT_H
#define RUNTIME_API_NVSCI_ATTR_BUF_LAYOUT_H

#include "runtime/api/nvsci/attr/merge.h"

/* The greatest demand of the engines that use the buffer. */
struct engine_needs {
    uint32_t pitch, height, base;
};

/* What a list in @m->out has of the type becomes sizes, offsets and alignments there; on a value
 * that no buffer can have, merge_fail(). */
void layout_image(struct merge *m, const struct engine_needs *needs);
void layout_pyramid(struct merge *m, const struct engine_needs *needs); /* after the image */
void layout_tensor(struct merge *m);
void layout_array(struct merge *m, const struct engine_needs *needs);

/* Bytes of an element; 0: none is known (FloatISP). */
unsigned layout_element(NvSciBufAttrValDataType type);
/* Up to a multiple of @align. Return: false on overflow. */
bool layout_round(uint64_t value, uint64_t align, uint64_t *out);

#endif
