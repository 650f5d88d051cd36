/* SPDX-License-Identifier: MIT */
/* The C library's heap has a lock that a thread waits for which has it already: a signal handler
 * that came into malloc() may call none of it. Who has to take memory asks first. */
#ifndef SCHED_HEAP_H
#define SCHED_HEAP_H

#include <stdbool.h>

/* Is the calling thread in malloc() or its kind? */
bool heap_busy(void);
/* Between the two it is: free() stands in order.c. */
void heap_begin(void);
void heap_end(void);

#endif
