/* SPDX-License-Identifier: MIT */
/* Which of a board's numbered things are in use (hal_claim()), for boards that know. */
#ifndef RUNTIME_HAL_CLAIMS_H
#define RUNTIME_HAL_CLAIMS_H

#include <glib.h>

#include "model/regs/regs.h"
#include "runtime/hal.h"

/**
 * struct claims - the board's one
 * @syncpts: uint32_t, those that are free; the next one last
 * @code: the number given last
 * @units: those that have an owner, by bit
 */
struct claims {
    bool channel[CHANS_ALL], context[CHANS_ALL];
    GArray *syncpts;
    uint32_t code;
    unsigned gpus;
    uint64_t units;
};

/* @syncpts, @gpus: how many the board has. */
void claims_init(struct claims *claims, unsigned syncpts, unsigned gpus);
void claims_clear(struct claims *claims);
/* As hal_claim() and hal_release(). */
int claims_take(struct claims *claims, enum hal_claim what, uint32_t *index);
void claims_give(struct claims *claims, enum hal_claim what, uint32_t index);

#endif
