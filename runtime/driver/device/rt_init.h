/* SPDX-License-Identifier: MIT */
/* Bringing the driver up, and what does not exist. Rules: runtime/driver/driver.h. */
#ifndef RUNTIME_DRIVER_DEVICE_RT_INIT_H
#define RUNTIME_DRIVER_DEVICE_RT_INIT_H

#include <stdint.h>

#include "include/cuda.h"

#define RT_DRIVER_VERSION 13000 /* cuDriverGetVersion */

/**
 * rt_init - read the environment, load the profile, open the board; once a process (cuInit)
 * @flags: must be 0
 *
 * Environment: VTEGRA_SOC (name or file), VTEGRA_OS (linux, qnx, android), VTEGRA_POLICY (eager,
 * lazy, seeded), VTEGRA_SEED, VTEGRA_EVICT (never, lru, seeded), VTEGRA_STEP_LIMIT, VTEGRA_RACES
 * (off, on, lockstep), VTEGRA_OOB (finding, fault); the report's own (VTEGRA_REPORT, VTEGRA_JSON,
 * VTEGRA_TRACE) belong to runtime/observe. A wrong value is one line on stderr, and
 * CUDA_ERROR_INVALID_VALUE from this and every later call. Return: CUDA_SUCCESS also when called
 * again; CUDA_ERROR_INVALID_VALUE; CUDA_ERROR_NO_DEVICE when the board does not come up.
 */
CUresult rt_init(unsigned flags);

/**
 * rt_warm - do once what every copy of this process would do in its rt_init() and first calls
 * @pc, @n: return addresses of the program, whose debug information will be wanted
 *
 * For the fork server of `vtegra explore` (sched/start/forkserver.c), which finds it with dlsym().
 * Changes nothing that the program can see.
 */
void rt_warm(const uintptr_t *pc, unsigned n);

/**
 * rt_unsupported - the answer of an entry point that does nothing here
 * @api: name as the application wrote it, e.g. "cuGraphLaunch"; a literal
 *
 * Says the name once a process on stderr and in the report. Needs no rt_init().
 * Return: what runtime/driver/core/rules.c documents for @api, else CUDA_ERROR_NOT_SUPPORTED.
 */
CUresult rt_unsupported(const char *api);

/* "what: why" on stderr, once for each @what, whether there is a report or not. */
void rt_say_once(const char *what, const char *why);

/* Says once that @library, of NVIDIA's, cannot work here; on stderr and in the report. */
void rt_machine_code_only(const char *library);

/**
 * rt_reported - the library above refused a call by itself: a line in the report
 * @code: what the call returns; @error: its name there; @why: more, or NULL
 *
 * Nothing where the driver core has reported the same call of this thread, and for a code that the
 * context answers to everything since a fault. Needs no rt_init(). rt_reported_missing - the same,
 * for a function that is not there at all; @api: a literal.
 */
void rt_reported(CUresult code, const char *error, const char *why);
void rt_reported_missing(const char *api);

/* Code of ours that is linked into the program lies there: no place of the program is in it. */
void rt_own_code(const void *start, const void *stop);

/* "CUDA_ERROR_INVALID_VALUE" and one sentence about it, of any code; NULL for an unknown one. */
const char *rt_error_name(CUresult code);
const char *rt_error_text(CUresult code);

#endif
