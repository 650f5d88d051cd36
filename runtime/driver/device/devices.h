/* SPDX-License-Identifier: MIT */
/* The GPUs of the board: one, or on DRIVE a discrete one, device 0, and the integrated one behind
 * it (DriveWorks SDK reference, Choosing the GPU for Execution). Whatever belongs to "the GPU" is
 * asked of a struct device, which a context names, or an ordinal of the application. */
#ifndef RUNTIME_DRIVER_DEVICE_DEVICES_H
#define RUNTIME_DRIVER_DEVICE_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "include/cuda.h"
#include "model/profile.h"
#include "runtime/hal.h"

struct context;
struct device;

/* In the order of their ordinals. */
unsigned device_count(void);
struct device *device_nth(unsigned i);
struct device *device_of(CUdevice ordinal); /* NULL: there is none of this number */
CUdevice device_ordinal(const struct device *device);

const struct soc_profile *device_profile(const struct device *device);
void device_uuid(const struct device *device, uint8_t uuid[16]);
void device_uuid_of(const struct soc_profile *board, bool second, uint8_t uuid[16]);
/* Does it reach the process's own pages? */
bool device_pageable(const struct device *device);

/* "dGPU", on a board with two; NULL: it is the only one. Constant text */
const char *device_title(const struct device *device);

/* Its registers, and the number of its first channel and address space (hal_claim()). */
enum unit_id device_gpu(const struct device *device);
uint32_t device_first_channel(const struct device *device);
/* What its own memory is: cudaMalloc(). */
enum hal_mem_kind device_memory_kind(const struct device *device);
/* The one with OpenGL: the integrated one, if the program sees it (DriveWorks SDK reference,
 * Choosing the GPU for Execution). */
struct device *device_graphics(void);
/* Is it the board's GPU for OpenGL? Not a discrete one beside an integrated one. */
bool device_draws(const struct device *d);
/* Of all GPUs, whichever the program sees: has one of them stopped a channel? */
bool devices_interrupted(void);
/* Write a register of each. */
void devices_write(uint32_t offset, uint32_t value);

/* visible.c: which of the board's, by number, in the program's order; how many. @twice: an UUID
 * stands there twice; may be NULL */
unsigned devices_visible(const struct soc_profile *board, unsigned *order, bool *twice);
/* -1: it is hidden */
int devices_visible_ordinal(const struct soc_profile *board, bool discrete);
/* What cuInit() gives if the program sees none. */
CUresult devices_none(const struct soc_profile *board);
/* One more. @profile: its figures, stays the caller's, for as long as the device is there; @unit:
 * UNIT_IGPU, also where the only GPU is a discrete one, or UNIT_DGPU */
struct device *device_add(struct soc_profile *profile, enum unit_id unit);
/* Opens the process's pages to the GPU where the profile says that it has them; where the board
 * cannot, the attributes say so. @id: of the memory. Return: they are open. */
bool device_pageable_open(struct device *device, uint32_t *id);

/* context_state.c */
struct device *context_device(const struct context *context);

/* current.c */
/* That of the calling thread's current context, the first one if it has none. The lock is held. */
struct device *device_current(void);

#endif
