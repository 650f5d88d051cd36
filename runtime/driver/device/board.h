/* SPDX-License-Identifier: MIT */
/* The board: the SoC with its memory, ports and engines, on which the devices (devices.h) stand.
 * Figures of a GPU are the device's: device_profile(). */
#ifndef RUNTIME_DRIVER_DEVICE_BOARD_H
#define RUNTIME_DRIVER_DEVICE_BOARD_H

#include <stdbool.h>

#include "model/profile.h"

/* The figures of the SoC; NULL before rt_init(). */
const struct soc_profile *board_profile(void);
/* The system that it runs: linux, qnx, android. */
const char *board_system(void);

/* The profile belongs to the board afterwards. */
void board_begin(struct soc_profile *profile);
/* false: the SoC has no such system. */
bool board_system_choose(const char *system);

#endif
