/* SPDX-License-Identifier: MIT */
#include "runtime/driver/device/devices.h"

#include <string.h>

#include "model/regs/regs.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/device_internal.h"

static GPtrArray *devices;  /* struct device */
static GPtrArray *contexts; /* of all devices, in the order in which they were made */

unsigned device_count(void)
{
    return devices ? devices->len : 0;
}

struct device *device_nth(unsigned i)
{
    return g_ptr_array_index(devices, i);
}

struct device *device_of(CUdevice ordinal)
{
    return ordinal >= 0 && (unsigned)ordinal < device_count() ? device_nth((unsigned)ordinal)
                                                              : NULL;
}

CUdevice device_ordinal(const struct device *d)
{
    return d->ordinal;
}

const struct soc_profile *device_profile(const struct device *d)
{
    return d->profile;
}

/* No number of a chip: programs that compare UUIDs are deterministic. A GPU keeps its own,
 * whichever others the program sees. */
void device_uuid_of(const struct soc_profile *board, bool second, uint8_t uuid[16])
{
    const char *name = board->soc.name;

    memset(uuid, 0, 16);
    memcpy(uuid, "vtegra-", 7);
    memcpy(uuid + 7, name, MIN(strlen(name), 16 - 7));
    uuid[15] ^= second;
}

void device_uuid(const struct device *d, uint8_t uuid[16])
{
    device_uuid_of(d->profile, d->unit == UNIT_DGPU, uuid);
}

bool device_pageable(const struct device *d)
{
    return d->pageable;
}

enum unit_id device_gpu(const struct device *d)
{
    return d->unit;
}

const char *device_title(const struct device *d)
{
    return soc_profile_gpus(board_profile()) < 2 ? NULL : d->unit == UNIT_DGPU ? "dGPU" : "iGPU";
}

uint32_t device_first_channel(const struct device *d)
{
    return d->unit == UNIT_DGPU ? CHAN_COUNT : 0;
}

enum hal_mem_kind device_memory_kind(const struct device *d)
{
    return d->unit == UNIT_DGPU ? HAL_MEM_VIDMEM : HAL_MEM_DEVICE;
}

struct device *device_graphics(void)
{
    for (unsigned i = 0; i < device_count(); i++) {
        if (device_nth(i)->unit == UNIT_IGPU) {
            return device_nth(i);
        }
    }
    return device_nth(0);
}

bool device_draws(const struct device *d)
{
    return d->unit == UNIT_IGPU;
}

/* The GPUs of the board, of which CUDA_VISIBLE_DEVICES may hide some. */
static unsigned device_units(enum unit_id unit[2])
{
    unit[0] = UNIT_IGPU;
    unit[1] = UNIT_DGPU;
    return soc_profile_gpus(hal_profile(core_hal()));
}

bool devices_interrupted(void)
{
    enum unit_id unit[2];
    bool any = false;

    for (unsigned i = device_units(unit); i > 0; i--) {
        any = any || hal_read32(core_hal(), unit[i - 1], IGPU_INTR);
    }
    return any;
}

void devices_write(uint32_t offset, uint32_t value)
{
    enum unit_id unit[2];

    for (unsigned i = device_units(unit); i > 0; i--) {
        hal_write32(core_hal(), unit[i - 1], offset, value);
    }
}

struct device *device_add(struct soc_profile *profile, enum unit_id unit)
{
    struct device *d = g_new0(struct device, 1);

    d->ordinal = (CUdevice)device_count();
    d->profile = profile;
    d->unit = unit;
    if (!devices) {
        devices = g_ptr_array_new();
    }
    g_ptr_array_add(devices, d);
    return d;
}

bool device_pageable_open(struct device *d, uint32_t *id)
{
    __typeof__(d->profile->gpu) *gpu = &d->profile->gpu;

    d->pageable = gpu->pageable_memory_access && hal_process_pages(core_hal(), id) == 0;
    if (!d->pageable) {
        gpu->pageable_memory_access = false;
        gpu->pageable_uses_host_page_tables = false;
    }
    return d->pageable;
}

void context_list_add(struct context *context)
{
    if (!contexts) {
        contexts = g_ptr_array_new();
    }
    g_ptr_array_add(contexts, context);
}

void context_list_remove(struct context *context)
{
    g_ptr_array_remove(contexts, context);
}

unsigned context_count(void)
{
    return contexts ? contexts->len : 0;
}

struct context *context_nth(unsigned i)
{
    return g_ptr_array_index(contexts, i);
}

struct context *context_primary(void)
{
    return device_count() ? device_nth(0)->primary.context : NULL;
}
