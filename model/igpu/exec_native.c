/* SPDX-License-Identifier: MIT */
/* Where compiled code begins: native.c puts this micro-op over the first of a compiled stretch. */
#include "model/igpu/native.h"
#include "model/igpu/sm_lanes.h"

/* Compiled code is for a whole warp that is together; everybody else does what stood here. */
HANDLER(NATIVE)
{
    const struct native_code *n = native_code_of(w);

    if (w->active != LANES_ALL || w->n_fragments || !w->grid->rounds_to_nearest) {
        return sm_handlers[n->op[u - w->code]](w, u, rf, m);
    }
    return n->run(w, u, rf, &(const struct native_calls){ sm_handlers, sm_fault_port });
}
