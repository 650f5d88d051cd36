/* SPDX-License-Identifier: MIT */
/* The GPUs of the board. Today there is one, and each function here answers for that one. */
#ifndef RUNTIME_DRIVER_DEVICE_DEVICES_H
#define RUNTIME_DRIVER_DEVICE_DEVICES_H

#include <stdbool.h>

#include "model/profile.h"

/* The figures of the GPU and of its SoC; NULL before rt_init(). */
const struct soc_profile *device_profile(void);
/* The system that the board runs: linux, qnx, android. */
const char *device_system(void);
/* Does the GPU reach the process's own pages? */
bool device_pageable(void);

/* The board has this profile, which belongs to the device afterwards. */
void device_begin(struct soc_profile *profile);
/* false: the SoC has no such system. */
bool device_system_choose(const char *system);
/* Opens the process's pages to the GPU where the profile says that it has them; where the board
 * cannot, the attributes say so. @id: of the memory. Return: they are open. */
bool device_pageable_open(uint32_t *id);

#endif
