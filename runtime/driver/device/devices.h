/* SPDX-License-Identifier: MIT */
/* The GPUs of the board. Boards of today have one; whatever belongs to "the GPU" is asked of a
 * struct device, which a context names, or an ordinal of the application. */
#ifndef RUNTIME_DRIVER_DEVICE_DEVICES_H
#define RUNTIME_DRIVER_DEVICE_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "include/cuda.h"
#include "model/profile.h"

struct context;
struct device;

/* In the order of their ordinals. */
unsigned device_count(void);
struct device *device_nth(unsigned i);
struct device *device_of(CUdevice ordinal); /* NULL: there is none of this number */
CUdevice device_ordinal(const struct device *device);

const struct soc_profile *device_profile(const struct device *device);
void device_uuid(const struct device *device, uint8_t uuid[16]);
/* Does it reach the process's own pages? */
bool device_pageable(const struct device *device);

/* One more. @profile: stays the caller's, for as long as the device is there */
struct device *device_add(struct soc_profile *profile);
/* Opens the process's pages to the GPU where the profile says that it has them; where the board
 * cannot, the attributes say so. @id: of the memory. Return: they are open. */
bool device_pageable_open(struct device *device, uint32_t *id);

/* context_state.c */
struct device *context_device(const struct context *context);

/* current.c */
/* That of the calling thread's current context, the first one if it has none. The lock is held. */
struct device *device_current(void);

#endif
