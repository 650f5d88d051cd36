/* SPDX-License-Identifier: MIT */
/* On a terminal, the person who waits for a long kernel sees how far it is. */
#ifndef RUNTIME_HAL_INPROC_PROGRESS_H
#define RUNTIME_HAL_INPROC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel that takes longer than this is shown, */
#define PROGRESS_AFTER_MS 2000u
/* and its line changes so often. */
#define PROGRESS_EACH_MS 500u

/**
 * struct progress
 * @kernel: what is watched, 0: none; @begin_ms: when it was seen first, by the host's clock
 * @next_ms: when its line is due
 * @on: standard error is a terminal, and the run is not quiet; @shown: a line stands there
 */
struct progress {
    uint64_t kernel, begin_ms, next_ms;
    bool on, shown;
};

/* VTEGRA_QUIET: as for the report (vtegra run -q) */
void progress_init(struct progress *p);

/**
 * progress_text - what is due on the terminal now
 * @kernel: a number of the running kernel alone, 0: none runs; @done, @all: its blocks
 * Return: NULL: nothing; g_free() it
 */
char *progress_text(struct progress *p, uint64_t kernel, uint64_t done, uint64_t all,
                    uint64_t now_ms);

struct soc;
/* After a step of the board */
void progress_look(struct progress *p, const struct soc *soc);

#endif
