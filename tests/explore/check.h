/* SPDX-License-Identifier: MIT */
/* What the programs that check themselves end with. */
#ifndef TESTS_EXPLORE_CHECK_H
#define TESTS_EXPLORE_CHECK_H

#include <stdio.h>
#include <unistd.h>

#define CHECK(what)                                                   \
    do {                                                              \
        if (!(what)) {                                                \
            printf("%s(), line %d: %s\n", __func__, __LINE__, #what); \
            fflush(stdout);                                           \
            _exit(1);                                                 \
        }                                                             \
    } while (0)

#endif
