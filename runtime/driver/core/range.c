/* SPDX-License-Identifier: MIT */
#include "runtime/driver/core/rt_range.h"

#include "runtime/driver/core/core.h"
#include "runtime/observe/range.h"

void rt_range(enum rt_range_phase phase, const char *domain, const char *name, uint64_t id)
{
    static const char *const phases[] = {
        [RT_RANGE_PUSH] = "push", [RT_RANGE_POP] = "pop",   [RT_RANGE_START] = "start",
        [RT_RANGE_END] = "end",   [RT_RANGE_MARK] = "mark",
    };
    struct check_range range = { .phase = phases[phase], .domain = domain, .name = name, .id = id };

    if (core_state() != CUDA_SUCCESS) {
        return;
    }
    range.thread = core_thread();
    check_range(core_check(), &range);
}
