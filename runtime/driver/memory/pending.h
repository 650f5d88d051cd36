/* SPDX-License-Identifier: MIT */
/* Which pages of which allocation work on its way may touch, from its submission until the CPU has
 * waited: they are closed to the CPU meanwhile (runtime/observe/closed.h). */
#ifndef RUNTIME_DRIVER_MEMORY_PENDING_H
#define RUNTIME_DRIVER_MEMORY_PENDING_H

#include "model/rules/port.h"
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/memory.h"

/* Memory that may be closed is there: a system call on it may block while work comes. */
void pending_region_new(struct region *r);
/* Managed memory is about to be closed by the rules of its own. */
void pending_managed_closes(const struct region *r);
/* An attachment has opened it: work that was given it may not have been waited for. */
void pending_managed_opens(struct region *r);
/* A copy was submitted, or a fill: @box without a source. */
void pending_copy(const struct box *box, struct fence fence);
/* A kernel was: it may touch all that its parameters lead to. */
void pending_kernel(struct context *c, const void *params, size_t bytes, struct fence fence);
/* What a parameter leads to that is no address is in the hands of @lead, which calls
 * pending_kernel_range() of its memory: at most @bytes from @at on. */
typedef void pending_lead(struct context *c, uint64_t word, struct fence fence);
void pending_lead_set(pending_lead *lead);
void pending_kernel_range(uint64_t at, uint64_t bytes, bool writes, struct fence fence);
/* A value in stream order was. */
void pending_value(uint64_t at, uint64_t bytes, bool writes, struct fence fence);
/* It may touch what they do not lead to, too: all that may be closed. Is there any? */
void pending_reached(struct fence fence);
bool pending_any(void);
/* A frame of an EGLStream is presented: the producer may not write to it; or it is back. */
void pending_lent(uint64_t at, uint64_t bytes, bool lent);
/* A host function was, and begins: before that no other thread may touch what its argument leads
 * to. Pages that one has touched are closed to the function, too. @fence: of its end */
void pending_function(const void *argument, struct fence fence);
void pending_function_begins(struct fence fence);
/* A task of another engine, @agent, was: of the program's memory from @at on, or of shared memory.
 */
void pending_range(uint64_t at, uint64_t bytes, bool writes, struct fence fence);
void pending_shared(const struct rt_shared *shared, enum bus_agent agent, bool writes,
                    struct fence fence);
/* The program's own pages, [@at, @at + @bytes) of @mem, are registered for an engine that is to
 * write them, and about to be the program's alone again. @adopted: of size 0; what can be closed.
 * pending_user(): a task that writes it was submitted. */
void pending_user_new(const struct hal_mem *mem, const void *at, size_t bytes,
                      struct hal_mem *adopted);
void pending_user(const struct hal_mem *adopted, struct fence fence);
void pending_user_gone(const struct hal_mem *mem);
/* The program maintains what the CPU's caches hold of [@at, @at + @bytes), and an engine does not
 * look into these; or no longer. */
void pending_shared_cached(const struct rt_shared *shared, uint64_t at, uint64_t bytes,
                           bool cached);
/* It has done so: lines were written back, or dropped. Have stores been seen since they were
 * written back? */
void pending_shared_cleaned(const struct rt_shared *shared, uint64_t at, uint64_t bytes);
void pending_shared_dropped(const struct rt_shared *shared, uint64_t at, uint64_t bytes);
bool pending_shared_stored(const struct rt_shared *shared);
/* It is about to be freed. */
void pending_shared_gone(const struct rt_shared *shared);

#endif
