/* SPDX-License-Identifier: MIT */
/* Which of the handler tables runs: the widest vectors that the host has. All give the same bits.
 */
#include "model/igpu/sm.h"
#include <string.h>

extern sm_handler *const sm_base_handlers[PTX_UOP_COUNT];
#ifdef SM_X86
extern sm_handler *const sm_avx2_handlers[PTX_UOP_COUNT];
extern sm_handler *const sm_avx512_handlers[PTX_UOP_COUNT];
#endif

sm_handler *const *sm_handlers;

bool sm_select_named(const char *name)
{
#ifdef SM_X86
    if (strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        sm_handlers = sm_avx512_handlers;
        return true;
    }
    if (strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        sm_handlers = sm_avx2_handlers;
        return true;
    }
#endif
    if (strcmp(name, "base") == 0) {
        sm_handlers = sm_base_handlers;
        return true;
    }
    return false;
}

void sm_select(void)
{
    if (!sm_handlers && !sm_select_named("avx512") && !sm_select_named("avx2")) {
        sm_select_named("base");
    }
}

const char *grid_compile_flags(void)
{
    sm_select();
#ifdef SM_X86
    if (sm_handlers != sm_base_handlers) { /* tests put their own in between */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
                   ? SM_AVX512_FLAGS
                   : SM_AVX2_FLAGS;
    }
#endif
    return NULL; /* fma() would be a call of libm */
}
