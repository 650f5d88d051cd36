/* SPDX-License-Identifier: MIT */
#include "runtime/sched/real.h"

#include <stdlib.h>

void *real_find(const char *name, const char *version)
{
    void *symbol = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);

    if (!symbol) {
        symbol = dlsym(RTLD_NEXT, name); /* another architecture's first version */
    }
    if (!symbol) {
        abort(); /* every C library that runs our programs has them all */
    }
    return symbol;
}
