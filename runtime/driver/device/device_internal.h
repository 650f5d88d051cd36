/* SPDX-License-Identifier: MIT */
/* For the files of this room alone. */
#ifndef RUNTIME_DRIVER_DEVICE_DEVICE_INTERNAL_H
#define RUNTIME_DRIVER_DEVICE_DEVICE_INTERNAL_H

#include <glib.h>

#include "runtime/driver/device/devices.h"

/**
 * struct device - a GPU of the board
 * @profile: its figures and those of the SoC that it stands on
 * @pageable: it reaches the process's own pages
 * @primary: its primary context, NULL: none now; who holds it, and flags for the next
 */
struct device {
    CUdevice ordinal;
    enum unit_id unit;
    struct soc_profile *profile;
    bool pageable;
    CUresult fault; /* a context ended with this one: the process gets no other (measured) */
    struct {
        struct context *context;
        unsigned refs, flags;
    } primary;
};

/* devices.c */
void context_list_add(struct context *context);
void context_list_remove(struct context *context);

#endif
