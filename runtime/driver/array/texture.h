/* SPDX-License-Identifier: MIT */
/* Inside the driver core: texture and surface objects, and where their headers lie. */
#ifndef RUNTIME_DRIVER_ARRAY_TEXTURE_H
#define RUNTIME_DRIVER_ARRAY_TEXTURE_H

#include "model/regs/texture.h"
#include "runtime/driver/core/core.h"

struct texture;

/* texture_header.c: what the unit reads. Fields that the check has passed are taken as they are. */
CUresult texture_header(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *desc,
                        const CUDA_RESOURCE_VIEW_DESC *view, struct tex_header *out);
/* Elements are read as of this format; one of as many bytes. */
CUresult texture_format(struct tex_header *h, CUarray_format format, unsigned channels);
CUresult surface_header(const CUDA_RESOURCE_DESC *resource, struct tex_header *out);

/* texture_pool.c. A place for a header; NULL: no memory. */
struct texture *texture_new(struct context *context);
struct texture *texture_find(struct context *context, uint64_t handle, bool surface);
/* Work that is under way finds the header until it has run: programs destroy an object right after
 * the launch that uses it (a driver does not clear it either). Later work finds no object. */
void texture_free(struct context *context, struct texture *texture);
void texture_forget(void *texture); /* of the table's: its memory */
/* A kernel of @context was given @word: an object's, or no object's. */
void texture_used(struct context *context, uint64_t word, struct fence fence);

#endif
