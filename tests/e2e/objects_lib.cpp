/* SPDX-License-Identifier: MIT */
/* A shared library for objects.cu. */
#include <string.h>

extern "C" void STORE(int *p)
{
    p[2] = 2; /* the library's */
}

/* A call that hooks stand before, too: each object has its own. */
extern "C" int library_compare(const int *p, const int *q, size_t n)
{
    return memcmp(p, q, n);
}
