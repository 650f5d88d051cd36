/* SPDX-License-Identifier: MIT */
#include "runtime/driver/device/devices.h"

#include <string.h>

#include "profiles/profile.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/device_internal.h"

static struct device device;

struct device *device_of(CUdevice ordinal)
{
    return ordinal == 0 ? &device : NULL;
}

const struct soc_profile *device_profile(void)
{
    return device.profile;
}

const char *device_system(void)
{
    return device.system;
}

bool device_pageable(void)
{
    return device.pageable;
}

void device_begin(struct soc_profile *profile)
{
    device.profile = profile;
}

bool device_system_choose(const char *system)
{
    g_auto(GStrv) systems = g_strsplit(device.profile->soc.os, ",", -1);

    for (char **s = systems; *s; s++) {
        if (!strcmp(g_strstrip(*s), system)) {
            g_strlcpy(device.system, system, sizeof(device.system));
            profile_system_set(device.profile, system);
            return true;
        }
    }
    return false;
}

bool device_pageable_open(uint32_t *id)
{
    __typeof__(device.profile->gpu) *gpu = &device.profile->gpu;

    device.pageable = gpu->pageable_memory_access && hal_process_pages(core_hal(), id) == 0;
    if (!device.pageable) {
        gpu->pageable_memory_access = false;
        gpu->pageable_uses_host_page_tables = false;
    }
    return device.pageable;
}

void context_list_add(struct device *d, struct context *context)
{
    if (!d->contexts) {
        d->contexts = g_ptr_array_new();
    }
    g_ptr_array_add(d->contexts, context);
}

void context_list_remove(struct device *d, struct context *context)
{
    g_ptr_array_remove(d->contexts, context);
}

unsigned context_count(void)
{
    return device.contexts ? device.contexts->len : 0;
}

struct context *context_nth(unsigned i)
{
    return g_ptr_array_index(device.contexts, i);
}

struct context *context_primary(void)
{
    return device.primary.context;
}
