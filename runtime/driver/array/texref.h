/* SPDX-License-Identifier: MIT */
/* Inside the driver core: texture and surface references, the variables of a module that a fetch
 * names instead of an object. */
#ifndef RUNTIME_DRIVER_ARRAY_TEXREF_H
#define RUNTIME_DRIVER_ARRAY_TEXREF_H

#include "runtime/driver/core/core.h"

struct texref;

/* With a handle, bound to nothing. @surface: a surface reference */
struct texref *texref_new(struct context *context, bool surface);
/* Work that is under way keeps what it was launched with, as of texture_free(). */
void texref_free(struct texref *r);
void *texref_number(const struct texref *r); /* its handle */
/* What the next launch is given: an object made of the settings of this moment; 0: nothing is
 * bound. What cannot be fetched from (memory that is gone) is an object that no fetch finds. */
uint64_t texref_object(struct texref *r);

#endif
