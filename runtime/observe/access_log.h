/* SPDX-License-Identifier: MIT */
/* Accesses that hooks count instead of reporting them; access_log.c. */
#ifndef RUNTIME_OBSERVE_ACCESS_LOG_H
#define RUNTIME_OBSERVE_ACCESS_LOG_H

#include "runtime/hal.h"
#include "runtime/observe/check_internal.h"
#include "runtime/track/track.h"

struct site_count; /* sites.h */

/* An access that a book does not count after all; hook.c. */
void hook_report(struct vtegra_track_book **home, uintptr_t address, size_t len, unsigned what,
                 uintptr_t pc);

/* The board is up. @c NULL: nothing is counted. */
void access_logs_open(struct check *c, struct hal *hal);
/* The report is about to be written: what is untold goes into it. The HAL is called no more. */
void access_logs_close(const struct check *c);

/* A plain load or store of the calling thread was reported to the HAL: the next ones may be
 * counted. */
void access_log_note(struct vtegra_track_book **home, const struct hal_mem *mem, const void *cpu,
                     size_t len, uintptr_t pc, struct site_count *where);
/* Another access was reported. */
void access_log_flush(void);

#endif
