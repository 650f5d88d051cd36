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

#endif
