/* SPDX-License-Identifier: MIT */
/* For the files of this room alone. */
#ifndef RUNTIME_DRIVER_DEVICE_DEVICE_INTERNAL_H
#define RUNTIME_DRIVER_DEVICE_DEVICE_INTERNAL_H

#include <glib.h>

#include "include/cuda.h"
#include "model/profile.h"

struct context;

/**
 * struct device - a GPU of the board
 * @profile: its figures and those of the SoC that it stands on
 * @system: the board's
 * @pageable: it reaches the process's own pages
 * @contexts: all of its, in the order in which they were made
 * @primary: its primary context, NULL: none now; who holds it, and flags for the next
 */
struct device {
    struct soc_profile *profile;
    char system[16];
    bool pageable;
    GPtrArray *contexts;
    struct {
        struct context *context;
        unsigned refs, flags;
    } primary;
};

/* NULL: there is none of this number. */
struct device *device_of(CUdevice ordinal);
void context_list_add(struct device *device, struct context *context);
void context_list_remove(struct device *device, struct context *context);

#endif
