/* SPDX-License-Identifier: MIT */
/* May a call make more objects? In a file of its own: object.c needs nothing that reports. */
#include "runtime/driver/core/object_room.h"

#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"

CUresult object_room(const char *api, unsigned n, const char *what)
{
    unsigned live = handle_count();

    if (n <= HANDLES_MAX && live <= HANDLES_MAX - n) {
        return CUDA_SUCCESS;
    }
    report_finding(&check_rules[CHECK_RULE_HANDLES_EXHAUSTED], 0, 0, 0, NULL,
                   "%s: there are %u live objects, and %u is the limit of vtegra: no %s is made. "
                   "Objects that are made again and again here are not destroyed",
                   api, live, HANDLES_MAX, what);
    return CUDA_ERROR_OUT_OF_MEMORY;
}
