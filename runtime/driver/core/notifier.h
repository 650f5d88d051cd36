/* SPDX-License-Identifier: MIT */
/* What lower parts of the driver core report to higher ones, which they do not know.
 *
 * A wait advances the board, and then host functions are due, faults have to be read, a signal has
 * come: all of these are built on waits. So each part that acts at such an event adds a notifier
 * when the board comes up (init.c), an optional engine's with its first handle (dla.c).
 */
#ifndef RUNTIME_DRIVER_CORE_NOTIFIER_H
#define RUNTIME_DRIVER_CORE_NOTIFIER_H

#include <glib.h>
#include <stdbool.h>

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/observe/check.h"

struct channel;
struct context;
struct region;

/**
 * struct notifier - what one part does at an event; NULL: nothing
 * @signal: between two steps of the board, and at the end of a call: a signal may have come. Does
 * not return if so
 * @service: an engine or an SMMU may have raised its interrupt
 * @pump: the CPU's work in stream order may be due. Return: some has run
 * @function_wait: the board waits for a host function that runs (core_function_runs()): waits for
 * its end a while. Return: every thread sleeps
 * @release: the board stands: ends what hangs. Return: something did
 * @stuck_text: the board stands: appends "; who waits for what"
 * @stuck: the board stands, and has for long; @caller: who waits in a call, NULL: no thread
 * @deadlock: the board stands for good: the context, if there is one, has an error afterwards
 * @lost: there is no board any more
 * @synced: fence_waited() says more
 * @covered: the same, when what the CPU does then is due
 * @thread_gone: number of the thread (core_thread())
 * @context_gone, @region_gone: about to be freed
 * @stored: a copy or fill that writes there was submitted
 * @launching: a kernel is about to be submitted
 * @copying: a copy; NULL: memory that CUDA does not know
 *
 * All are called with the core's lock held.
 */
struct notifier {
    void (*signal)(void);
    void (*service)(void);
    bool (*pump)(void);
    bool (*function_wait)(void);
    bool (*release)(void);
    void (*stuck_text)(GString *text);
    void (*stuck)(struct fence fence, bool spinning, const struct check_caller *caller);
    void (*deadlock)(struct context *context, struct fence fence, bool spinning);
    void (*lost)(void);
    void (*synced)(void);
    void (*covered)(void);
    void (*thread_gone)(unsigned thread);
    void (*context_gone)(struct context *context);
    void (*region_gone)(const struct region *region);
    void (*stored)(uint64_t dst, size_t bytes, const struct channel *channel);
    void (*launching)(void);
    void (*copying)(const struct region *src, const struct region *dst);
};

/* Called after those that were added before. A second time changes nothing. */
void notifier_add(const struct notifier *notifier);

/* The events: each notifier's function in order; true if one of them said so. */
void notify_signal(void);
void notify_service(void);
bool notify_pump(void);
bool notify_function_wait(void);
bool notify_release(void);
void notify_stuck_text(GString *text);
void notify_stuck(struct fence fence, bool spinning, const struct check_caller *caller);
void notify_deadlock(struct context *context, struct fence fence, bool spinning);
void notify_lost(void);
void notify_synced(void);
void notify_covered(void);
void notify_thread_gone(unsigned thread);
void notify_context_gone(struct context *context);
void notify_region_gone(const struct region *region);
void notify_launching(void);
void notify_copying(const struct region *src, const struct region *dst);
void notify_stored(uint64_t dst, size_t bytes, const struct channel *channel);

#endif
