/* SPDX-License-Identifier: MIT */
/* Which of the kernels run: those for the widest vectors that the host has. All give the same bits.
 */
#include <string.h>

#include "model/library/kernel.h"
#include "model/library/library.h"

extern const struct library_kernels library_kernels_base;
#ifdef LIBRARY_X86
extern const struct library_kernels library_kernels_avx2, library_kernels_avx512;
#endif

static const struct library_kernels *selected;

bool library_select_named(const char *name)
{
#ifdef LIBRARY_X86
    if (strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512f")) {
        selected = &library_kernels_avx512;
        return true;
    }
    if (strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma")) {
        selected = &library_kernels_avx2;
        return true;
    }
#endif
    if (strcmp(name, "base") == 0) {
        selected = &library_kernels_base;
        return true;
    }
    return false;
}

const struct library_kernels *library_kernels_get(void)
{
    if (!selected && !library_select_named("avx512") && !library_select_named("avx2")) {
        library_select_named("base");
    }
    return selected;
}
