/* SPDX-License-Identifier: MIT */
/* What user-mode QEMU has not, although the machine it stands for has it: docs/aarch64.md. */
#ifndef TESTS_EMULATED_H
#define TESTS_EMULATED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Does user-mode QEMU run this test? It shows the program's name in /proc/self alone. If so, prints
 * that the calling test is left out for want of @what. */
static inline bool emulator_lacks(const char *what)
{
    char self[4096], thread[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self)),
            m = readlink("/proc/thread-self/exe", thread, sizeof(thread));
    bool is_emulated = n > 0 && m > 0 && (n != m || memcmp(self, thread, (size_t)n) != 0);

    if (is_emulated) {
        printf("not tried: the emulator has no %s\n", what);
    }
    return is_emulated;
}

#endif
