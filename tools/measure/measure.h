/* SPDX-License-Identifier: MIT */
/* What a driver and a clock say of the machine, as figures of a profile (model/profile.def). */
#ifndef TOOLS_MEASURE_MEASURE_H
#define TOOLS_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/cuda.h"

/* struct driver - functions of the libcuda.so.1 that the loader finds */
struct driver {
#define DRIVER(name) __typeof__(name) *name;
#include "tools/measure/driver.def"
#undef DRIVER
};
extern struct driver drv;

/** measure_function - an entry of the module in timing.c; NULL: it cannot be had */
CUfunction measure_function(const char *name);

/* struct measure_calls - ns of the CPU, 0: failed. @wait: what the wait adds to a launch */
struct measure_calls {
    uint64_t launch_wait, wait, event, alloc, map;
};
void measure_calls(struct measure_calls *out);

/* struct measure_copies - of pinned memory to device memory; 0: failed */
struct measure_copies {
    uint64_t start_ns, mb_s;
};
void measure_copies(struct measure_copies *out);

enum measure_kind { MEASURE_DEVICE, MEASURE_PINNED, MEASURE_MANAGED };

/** measure_stream - MB/s of a kernel that reads @bytes; 0: failed */
uint64_t measure_stream(enum measure_kind kind, size_t bytes);

/** measure_units - threads that "sfu" or "ldst" of an SM serve in a cycle; 0: failed */
uint64_t measure_units(const char *unit);

/** measure_blocks - cycles from one empty block of an SM to the next; 0: failed */
uint64_t measure_blocks(void);

/** measure_launch - ns from one empty kernel to the next, as the driver's events see it; 0: failed
 */
uint64_t measure_launch(void);

/**
 * measure_gpu_latency - cycles of a load that misses the L1
 * @bytes: of device memory that the loads walk over; @line: bytes from one load to the next
 * @cached: the lines were loaded before, else each is loaded for the first time
 *
 * Return: 0 on failure.
 */
uint64_t measure_gpu_latency(size_t bytes, size_t line, bool cached);

/** measure_cpu_latency - ps of a CPU load; @pinned: of memory from cuMemHostAlloc() */
uint64_t measure_cpu_latency(size_t bytes, size_t line, bool pinned);

#endif
