/* SPDX-License-Identifier: MIT */
/* Inside the driver core: texture and surface references as their module knows them. Room array has
 * the rest, and makes them: a module needs no arrays. */
#ifndef RUNTIME_DRIVER_MODULE_MODULE_REF_H
#define RUNTIME_DRIVER_MODULE_MODULE_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/driver/core/object.h"

/**
 * struct module_ref - what a reference begins with
 * @value: what the next launch is given: an object made of the settings of this moment; 0: nothing
 *         is bound. What cannot be fetched from (memory that is gone) is an object that no fetch
 *         finds
 */
struct module_ref {
    struct object base;
    uint64_t (*value)(struct module_ref *r);
};

struct module;

/* Where the reference to a variable of @m is kept, which ends with @m; NULL there: not asked for
 * yet. Return: NULL: no such variable, or one of the other kind */
struct module_ref **module_ref_place(struct module *m, const char *name, bool surface);

#endif
