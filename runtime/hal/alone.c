/* SPDX-License-Identifier: MIT */
/* A board that one process has alone: nothing passes to another one. */
#include <errno.h>

#include "runtime/hal.h"

bool hal_shared_board(const struct hal *hal, uint64_t *board, uint32_t *process)
{
    (void)hal, (void)board, (void)process;
    return false;
}

int hal_export(struct hal *hal, const struct hal_pass *pass, uint64_t token[2])
{
    (void)hal, (void)pass, (void)token;
    return -ENOTSUP;
}

void hal_unexport(struct hal *hal, const uint64_t token[2])
{
    (void)hal, (void)token;
}

int hal_import(struct hal *hal, const uint64_t token[2], uint32_t least, struct hal_pass *out)
{
    (void)hal, (void)token, (void)least, (void)out;
    return -ENOTSUP;
}
