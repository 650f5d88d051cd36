/* SPDX-License-Identifier: MIT */
/* Races between the threads of one grid: what the SMs call. Private to model/igpu/; for others grid.h. */
#ifndef MODEL_IGPU_RACE_RACE_H
#define MODEL_IGPU_RACE_RACE_H

#include "model/igpu/sm.h"

#endif
