/* SPDX-License-Identifier: MIT */
/* What the NvSci libraries say to the report. Rules: runtime/driver/driver.h. Nothing is said
 * before rt_init(). */
#ifndef RUNTIME_DRIVER_INTEROP_SCI_RT_SCI_H
#define RUNTIME_DRIVER_INTEROP_SCI_RT_SCI_H

#include "include/cuda.h"

/* A call answered an error. @api: the function, constant text; @code: "NvSciError_..."; @why: NULL,
 * or a sentence. */
void rt_sci_error(const char *api, const char *code, const char *why);

/* Findings about calls that succeeded. */
enum rt_sci_finding {
    RT_SCI_FENCE_CLEARED, /* a wait for a cleared fence: passes at once */
    RT_SCI_LEAKED,        /* objects or fences are left */
    RT_SCI_TIMESTAMP,     /* a timestamp was read before its fence was reached */
};
void rt_sci_finding(enum rt_sci_finding what, const char *text);

#endif
