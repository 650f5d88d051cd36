/* SPDX-License-Identifier: MIT */
/* cp.async that reads fewer bytes than it writes: PTX ISA 9.7.9.25.3.1. Lanes one by one; the whole
 * copies are a load and a store. */
#include "model/igpu/race/race.h"
#include "model/igpu/sm_mem.h"

HANDLER(CP_ASYNC)
{
    w->grid->stats.mem_insts++;
    LANES_OF(m)
    {
        const struct lane_copy c = lane_copy_take(u, rf, l);
        const u64 to = c.to, from = c.from;
        u32 bytes = c.bytes;
        uint8_t data[16] = { 0 };

        if ((to | from) & (u->size - 1u)) {
            return sm_fault(w, u, GRID_FAULT_MISALIGNED, l, to & (u->size - 1u) ? to : from,
                            u->size, false, "address is not a multiple of the access size");
        }
        bytes = bytes < u->size ? bytes : u->size;
        if ((bytes && !sm_read(w, u, l, from, data, bytes)) ||
            !sm_write(w, u, l, w->grid->desc.shared_window + to, data, u->size)) {
            return u;
        }
        race_copy(w, u, l, false, false, from, bytes); /* race_uop() has its store */
    }
    return u + 1;
}
