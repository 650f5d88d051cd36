/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_MODULE_CHASE_H
#define RUNTIME_DRIVER_MODULE_CHASE_H

#include "ptx/ptx.h"

/**
 * chase_may - may a launch of @f access memory that none of its parameters points to?
 *
 * It may where an address comes out of a 64-bit integer that was loaded: from a variable of the
 * module, a table, a node of a list. An index of 64 bits counts, too: it is not known from an
 * offset. Where @f calls functions, any such load in the module counts. Not seen: an address that
 * is put together of smaller loads.
 */
bool chase_may(const struct ptx_module *m, const struct ptx_func *f);

#endif
