/* SPDX-License-Identifier: MIT */
/* Comparing and copying without the C library.
 *
 * Pages of the application's own hold what AddressSanitizer forbids: the borders of its blocks, freed ones. A cache
 * line that an engine touches has such bytes in it as well. memcmp() and memcpy() would complain, also where only the
 * application is built with it, because they are the application's then.
 */
#include <string.h>

#include "model/iocoherency/ioc_internal.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define BARE __attribute__((no_sanitize("address")))
#else
#define BARE
#endif
/* Or the compiler makes a call of the loop. */
#define NO_CALL() __asm__ volatile("" ::: "memory")

typedef uint64_t word __attribute__((may_alias, aligned(1)));

BARE bool bare_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint64_t differs = 0;

    for (; n >= sizeof(word) && !differs; n -= sizeof(word)) {
        differs = *(const word *)(const void *)a ^ *(const word *)(const void *)b;
        a += sizeof(word);
        b += sizeof(word);
        NO_CALL();
    }
    for (; n > 0 && !differs; n--) {
        differs = *a++ ^ *b++;
        NO_CALL();
    }
    return !differs;
}

BARE void bare_copy(uint8_t *dst, const uint8_t *src, size_t n)
{
    for (; n >= sizeof(word); n -= sizeof(word)) {
        *(word *)(void *)dst = *(const word *)(const void *)src;
        dst += sizeof(word);
        src += sizeof(word);
        NO_CALL();
    }
    for (; n > 0; n--) {
        *dst++ = *src++;
        NO_CALL();
    }
}

BARE void bare_copy_masked(uint8_t *dst, const uint8_t *src, unsigned n, const struct bus_mask *mask,
                           unsigned first)
{
    for (unsigned i = 0; i < n; i++) {
        if (mask->word[(first + i) / 64] >> (first + i) % 64 & 1) {
            dst[i] = src[i];
        }
        NO_CALL();
    }
}
