/* SPDX-License-Identifier: MIT */
/* Between the files of submission: dla_submit.c writes tasks, dla_standalone.c surrounds them with
 * events of NvSci. */
#ifndef RUNTIME_DRIVER_ENGINES_DLA_DLA_SUBMIT_H
#define RUNTIME_DRIVER_ENGINES_DLA_DLA_SUBMIT_H

#include "runtime/driver/engines/dla/dla.h"
#include "runtime/driver/memory/external.h"

struct stream;

#define DLA_SUBMIT_API "cudlaSubmitTask"
#define DLA_SUBMIT_SECTION "cuDLA API, cudlaSubmitTask"
#define DLA_EVENTS_A_TASK 8u /* what a descriptor has room for, before and after */

/* What one call asks for, once it is checked. @stream: NULL: standalone; @caller: of the call */
struct submission {
    struct dla_device *d;
    struct stream *stream;
    const cudlaTask *tasks;
    uint32_t n_tasks, flags;
    struct check_caller caller;
};

/* @value: what the sync object will have reached; its bytes are at @iova. */
struct dla_signal {
    struct rt_sync *sync;
    uint64_t value, iova;
};

/**
 * struct dla_actions - what surrounds a task
 * @before: where the stream is when the task may begin
 * @stamp: IOVA for the time of its end, 0 = none
 * @waits, @signals: at most DLA_EVENTS_A_TASK each; NULL = none
 */
struct dla_actions {
    struct fence before;
    uint64_t stamp;
    const struct fence *waits;
    const struct dla_signal *signals;
    unsigned n_waits, n_signals;
};

/* Tensors against the module's descriptors. @runs: the task is no NOOP. */
cudlaStatus dla_tensors_check(const struct dla_device *d, const cudlaTask *task,
                              const struct dla_module *module, bool runs);
cudlaStatus dla_module_check(const struct dla_device *d, const cudlaTask *task, uint32_t flags);
void dla_thread_note(struct dla_device *d, uint32_t flags);
/* Tasks that are done leave the ring. Return: some are left. */
bool dla_reap(struct dla_device *d);
/* An empty task, and the program's; there is room. @last: around the end of the latter. */
void dla_empty_give(struct submission *s, const cudlaTask *task, const struct dla_actions *actions);
void dla_task_give(struct submission *s, const cudlaTask *task, struct fence before,
                   const struct dla_signal *signals, unsigned n);

/* dla_standalone.c */
cudlaStatus dla_standalone_submit(struct submission *s, const void *stream);
void dla_standalone_drop(struct dla_device *d); /* what it has imported and keeps */

/* dla_import.c; NULL: not imported. */
struct dla_sync *dla_sync_find(const struct dla_device *d, uint64_t device_ptr);
const struct dla_sync *dla_sync_of(const struct dla_device *d, const struct rt_sync *sync);
void dla_syncs_drop(struct dla_device *d);
bool dla_sync_unregister(struct dla_device *d, uint64_t device_ptr);

#endif
