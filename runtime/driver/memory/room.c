/* SPDX-License-Identifier: MIT */
#include "runtime/driver/memory/room.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/device/devices.h"
#include "runtime/hal/kinds.h"

uint64_t *room_used(enum hal_mem_kind kind)
{
    return hal_in_vidmem(device_profile(), kind) ? &core.vidmem_used : &core.used_bytes;
}

void room_figures(enum hal_mem_kind kind, struct memory_figures *out)
{
    if (hal_in_vidmem(device_profile(), kind)) {
        *out = (struct memory_figures){
            .total = device_profile()->gpu.vidmem_bytes,
            .device = core.vidmem_used,
        };
    } else {
        memory_use_get(core.used_bytes, out);
    }
}

uint64_t room_most(enum hal_mem_kind kind)
{
    return hal_in_vidmem(device_profile(), kind) ? device_profile()->gpu.vidmem_bytes
                                                 : device_profile()->memory.dram_bytes;
}
