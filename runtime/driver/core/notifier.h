/* SPDX-License-Identifier: MIT */
/* What lower parts of the driver core report to higher ones, which they do not know.
 *
 * A wait advances the board, and then host functions are due, faults have to be read, a signal has
 * come: all of these are built on waits. So each part that acts at such an event adds a function
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

/* What is called at an event:
 *
 * signal: between two steps of the board, and at the end of a call: a signal may have come. Does
 *         not return if so
 * service: an engine or an SMMU may have raised its interrupt
 * pump: the CPU's work in stream order may be due. Return: some has run
 * function_wait: the board waits for a host function that runs (core_function_runs()): waits for
 *                its end a while. Return: every thread sleeps
 * release: the board stands: ends what hangs. Return: something did
 * stuck_text: the board stands: appends "; who waits for what"
 * stuck: the board stands, and has for long; @caller: who waits in a call, NULL: no thread
 * deadlock: the board stands for good: the context, if there is one, has an error afterwards
 * lost: there is no board any more
 * synced: fence_waited() says more
 * covered: the same, when what the CPU does then is due
 * thread_gone: number of the thread (core_thread())
 * context_gone, region_gone: about to be freed
 * stored: a copy or fill that writes there was submitted
 * launching: a kernel is about to be submitted
 * copying: a copy; NULL: memory that CUDA does not know
 *
 * All are called with the core's lock held, in the order in which they were added; a second time
 * changes nothing. tests/link_cycles.sh counts: a file that has notify_X() called needs each file
 * that adds to X.
 */
#define NOTIFIER(event, result, parameters)              \
    void notify_##event##_add(result(*hook) parameters); \
    result notify_##event parameters;

/* Those that return: true if one of them said so. */
NOTIFIER(signal, void, (void))
NOTIFIER(service, void, (void))
NOTIFIER(pump, bool, (void))
NOTIFIER(function_wait, bool, (void))
NOTIFIER(release, bool, (void))
NOTIFIER(stuck_text, void, (GString * text))
NOTIFIER(stuck, void, (struct fence fence, bool spinning, const struct check_caller *caller))
NOTIFIER(deadlock, void, (struct context * context, struct fence fence, bool spinning))
NOTIFIER(lost, void, (void))
NOTIFIER(synced, void, (void))
NOTIFIER(covered, void, (void))
NOTIFIER(thread_gone, void, (unsigned thread))
NOTIFIER(context_gone, void, (struct context * context))
NOTIFIER(region_gone, void, (const struct region *region))
NOTIFIER(stored, void, (uint64_t dst, size_t bytes, const struct channel *channel))
NOTIFIER(launching, void, (void))
NOTIFIER(copying, void, (const struct region *src, const struct region *dst))

#endif
