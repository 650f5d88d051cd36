/* SPDX-License-Identifier: MIT */
/* What the programs that check themselves end with. */
#ifndef TESTS_EXPLORE_CHECK_H
#define TESTS_EXPLORE_CHECK_H

#include <signal.h>
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

/* No timer shows the scheduler who loops: it uses no signal that a program uses. */
static inline void no_ticks(void)
{
    signal(SIGURG, SIG_IGN);
    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
        signal(sig, SIG_IGN);
    }
}

#endif
