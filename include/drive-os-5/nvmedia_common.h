/* SPDX-License-Identifier: MIT */
/* NvMedia of DRIVE OS 5: an older name for the parts that all others share. */
#ifndef NVMEDIA_COMMON_H
#define NVMEDIA_COMMON_H

#include "nvmedia_core.h"
#include "nvmedia_surface.h"

#endif
