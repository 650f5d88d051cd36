/* SPDX-License-Identifier: MIT */
/* What the calls cost the CPU, in virtual time: the only place where they do. Figures: [timing] of
 * the profile. The caller is in. */
#ifndef RUNTIME_DRIVER_CORE_COST_H
#define RUNTIME_DRIVER_CORE_COST_H

#include <stdbool.h>
#include <stdint.h>

enum cost {
    COST_SUBMIT,     /* a kernel, copy, fill or graph into a stream */
    COST_SYNC,       /* a wait has ended */
    COST_SYNC_BLOCK, /* of a thread that slept meanwhile */
    COST_COPY_SYNC,  /* of a copy that the caller waits for, beside the wait */
    COST_EVENT,      /* create, record or wait in a stream; pass a frame, signal or wait for NvSci
                        (inferred) */
    COST_GRAPH_NODE, /* of a graph that is launched, each */
    COST_ALLOC,      /* allocate or free */
    COST_MAP,        /* register, attach, import */
};

void cost_pass(enum cost cost, unsigned times);

/* Virtual time with all that the CPU has done. */
uint64_t cost_now(void);

/* A wait of the CPU that began at @began ends; its end passes @cost. Whether the waiting thread
 * spins or sleeps meanwhile (CUDA for Tegra 3.5) stands in the report. */
void cost_waited(enum cost cost, uint64_t began, bool sleeps);

#endif
