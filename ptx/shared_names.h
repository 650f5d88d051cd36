/* SPDX-License-Identifier: MIT */
/* The .shared variables of a kernel by name, for messages. */
#ifndef PTX_SHARED_NAMES_H
#define PTX_SHARED_NAMES_H

#include "ptx/ptx.h"

/**
 * struct ptx_shared_name - a variable in the shared memory of a block
 * @offset: as the entry that runs sees it; @bytes: UINT64_MAX: dynamic shared memory, up to its end
 */
struct ptx_shared_name {
    const char *name;
    uint64_t offset, bytes;
};

/**
 * ptx_shared_names - the variables that an entry and the functions it calls name
 * @out: an array; free() it
 *
 * Functions that are called by pointer are left out.
 * Return: their number
 */
uint32_t ptx_shared_names(const struct ptx_module *m, const struct ptx_func *entry,
                          struct ptx_shared_name **out);

#endif
