/* SPDX-License-Identifier: MIT */
#include "runtime/driver/memory/room.h"

#include "runtime/driver/device/board.h"
#include "runtime/hal/kinds.h"

static uint64_t dram, vidmem; /* bytes that CUDA has of each */

/* Of the only GPU, or of the discrete one beside it. */
static uint64_t vidmem_total(void)
{
    return board_profile()->gpu.vidmem_bytes + board_profile()->dgpu.vidmem_bytes;
}

static uint64_t *used(enum hal_mem_kind kind)
{
    return hal_in_vidmem(board_profile(), kind) ? &vidmem : &dram;
}

void room_take(enum hal_mem_kind kind, uint64_t bytes)
{
    *used(kind) += bytes;
}

void room_give(enum hal_mem_kind kind, uint64_t bytes)
{
    *used(kind) -= bytes;
}

uint64_t room_used(enum hal_mem_kind kind)
{
    return *used(kind);
}

void room_figures(enum hal_mem_kind kind, struct memory_figures *out)
{
    if (hal_in_vidmem(board_profile(), kind)) {
        *out = (struct memory_figures){
            .total = vidmem_total(),
            .device = vidmem,
        };
    } else {
        memory_use_get(dram, out);
    }
}

bool room_has(enum hal_mem_kind kind, uint64_t bytes)
{
    return hal_in_vidmem(board_profile(), kind)
               ? vidmem <= vidmem_total() && bytes <= vidmem_total() - vidmem
               : memory_use_has(dram, bytes);
}

uint64_t room_most(enum hal_mem_kind kind)
{
    return hal_in_vidmem(board_profile(), kind) ? vidmem_total()
                                                : board_profile()->memory.dram_bytes;
}
