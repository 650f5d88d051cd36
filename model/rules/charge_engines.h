/* SPDX-License-Identifier: MIT */
/* What it costs to hand a buffer from one engine to another (CUDA for Tegra, CUDA-NvSci and cuDLA):
 * by NvSci, by NvSci without the maintenance that a signal and a wait do (the SKIP flags), or by
 * copies.
 *
 * As charge.h: counts and a profile's [timing] in, nanoseconds out. */
#ifndef MODEL_RULES_CHARGE_ENGINES_H
#define MODEL_RULES_CHARGE_ENGINES_H

#include "model/profile.h"

/* CHARGE_WAY_SKIP: cudaExternalSemaphoreSignalSkipNvSciBufMemSync and its like of a wait. */
enum charge_way { CHARGE_WAY_NVSCI, CHARGE_WAY_SKIP, CHARGE_WAY_COPIES, CHARGE_WAYS };

/**
 * struct charge_shared - a buffer that the GPU or another engine, the DLA or the VIC, uses
 * @frames: how often the engine ran on it
 * @gpu_read, @gpu_written: bytes of the whole run, by kernels
 */
struct charge_shared {
    uint64_t size, frames, gpu_read, gpu_written;
};

/* "NvSci", "NvSci with SKIP flags", "copies" */
const char *charge_way_text(enum charge_way way);

/* The rule behind the cost of a way, and what its use asks of the program */
const char *charge_way_rule(enum charge_way way, const struct soc_profile *p);

/* ns of a frame */
double charge_way_ns(const struct charge_shared *s, enum charge_way way,
                     const struct soc_profile *p);

#endif
