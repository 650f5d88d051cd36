/* SPDX-License-Identifier: MIT */
/* Ranges for the trace file (note 5.3, profiling): see runtime/observe/range.h. */
#ifndef RUNTIME_DRIVER_CORE_RT_RANGE_H
#define RUNTIME_DRIVER_CORE_RT_RANGE_H

#include <stdint.h>

enum rt_range_phase { RT_RANGE_PUSH, RT_RANGE_POP, RT_RANGE_START, RT_RANGE_END, RT_RANGE_MARK };

/* Before rt_init() and without a trace file it does nothing. Any thread; @name NULL at POP and END.
 */
void rt_range(enum rt_range_phase phase, const char *domain, const char *name, uint64_t id);

#endif
