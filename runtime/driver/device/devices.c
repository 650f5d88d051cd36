/* SPDX-License-Identifier: MIT */
#include "runtime/driver/device/devices.h"

#include <string.h>

#include "profiles/profile.h"
#include "runtime/driver/core/core.h"

/**
 * struct device - a GPU of the board
 * @profile: its figures and those of the SoC that it stands on
 * @system: the board's
 * @pageable: it reaches the process's own pages
 */
struct device {
    struct soc_profile *profile;
    char system[16];
    bool pageable;
};

static struct device device;

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

void device_open(struct soc_profile *profile)
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
