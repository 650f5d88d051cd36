/* SPDX-License-Identifier: MIT */
/* One function for every STUB of cudla.def. They take no arguments: the caller's are his own to
 * clean up in the calling conventions of x86-64 and AArch64, and nothing looks at them. */
#include "runtime/driver/rt_dla.h"

/* The header declares them with their arguments: here under another name. */
#define STUB(name)                                                               \
    __attribute__((visibility("default"))) int stub_##name(void) __asm__(#name); \
    int stub_##name(void)                                                        \
    {                                                                            \
        return (int)rt_dla_unsupported(#name);                                   \
    }
#include "runtime/api/cudla/cudla.def"
