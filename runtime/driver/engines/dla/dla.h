/* SPDX-License-Identifier: MIT */
/* Inside the driver core: the DLAs, their handles, registered memory, modules and tasks.
 *
 * A handle has a queue of its unit's firmware: sixteen of each. A task is ordered by syncpoints on
 * both sides: its pre-action waits for the stream's, the stream waits for the handle's. */
#ifndef RUNTIME_DRIVER_ENGINES_DLA_DLA_H
#define RUNTIME_DRIVER_ENGINES_DLA_DLA_H

#include <glib.h>

#include "include/cuda.h"
#include "model/regs/dla_task.h"
#include "model/regs/regs.h"
#include "model/rules/features.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/engines/dla/rt_dla.h"
#include "runtime/hal.h"
#include "runtime/observe/check.h"

struct dla_next;
struct region;
struct rt_shared;
struct rt_sync;

#define DLA_UNITS 2u
#define DLA_ALIGN 32u /* memory atom of the full configuration: where tensors may begin */

/* Memory of the driver's own that a DLA sees: descriptors, weights. */
struct dla_memory {
    struct hal_mem mem;
    uint64_t iova;
};

/**
 * struct dla_buffer - a registration (cudlaMemRegister)
 * @ptr, @size: as the application gave them; @device_ptr: what it got
 * @iova, @mapped: the pages around it; 0 mapped: the memory was freed
 * @region: id, for reports; @serial: of the region
 */
struct dla_buffer {
    uint64_t ptr, size, device_ptr, iova, mapped, serial;
    uint32_t region, flags;
    bool freed;
    struct rt_shared *shared; /* imported; NULL: memory of CUDA */
};

/* A sync object that a standalone handle has imported: its page is mapped at @iova. */
struct dla_sync {
    struct rt_sync *sync;
    const void *object; /* the NvSciSyncObj */
    uint64_t iova, device_ptr;
    bool may_wait, may_signal;
};

/* What was registered and is not any more: explains late faults. */
struct dla_past {
    uint64_t device_ptr, size;
    uint32_t region;
    bool freed; /* else unregistered */
};

/* A task in the ring of its handle, until its syncpoint says that it is done. One task of the
 * program can be several: of each network, and an empty one for its statistics.
 * @number: of the program's task, 1 = the handle's first; @caller: who submitted it
 * @waits, @signals: struct fence, of its events; NULL: none */
struct dla_pending {
    uint32_t threshold; /* of the handle's syncpoint */
    uint32_t number;
    struct check_caller caller;
    struct fence before;
    uint16_t sequence;
    CUcontext context;
    GArray *waits, *signals;
};

/**
 * struct dla_device - a handle
 * @primary: the context that it holds; a handle is no context's own
 * @standalone: without CUDA; @syncs: struct dla_sync; @next: events for the next submission
 * @error: what a task died of; @reported: by cudlaGetLastError()
 * @failed, @failed_api: the newest error of a call with this handle, and the call; cudlaSuccess
 * once a finding has said that the program continues after a failed call
 * @pending: tasks given to the firmware, [oldest, put)
 * @slots: descriptor, actions and addresses of each
 */
struct dla_device {
    struct object base;
    struct dla_unit *unit;
    unsigned queue, number;
    CUcontext primary;
    bool context_gone, standalone;
    GPtrArray *syncs;
    struct dla_next *next;
    GPtrArray *buffers; /* struct dla_buffer */
    GArray *past;       /* struct dla_past */
    struct dla_module *module;
    cudlaStatus error, failed;
    const char *failed_api;
    bool reported, ignored;
    uint32_t timeout_ms;
    uint32_t syncpt, submitted, start, tasks; /* tasks: of the program */
    struct dla_pending pending[DLA_TASK_QUEUE_DEPTH];
    uint32_t put, oldest;
    struct dla_memory slots;
    uint32_t slot_bytes;
    uint16_t sequence;
    unsigned skip_thread, any_thread; /* that submitted last: with the lock skipped, at all */
};

struct dla_unit {
    enum unit_id unit;
    unsigned index;
    bool open;
    struct hal_mem error; /* struct dla_error_record */
    uint64_t tasks, hang; /* of the program so far; the one that hangs, 0: none */
    struct dla_device *device[DLA_TASK_QUEUES];
};

/* A buffer of a task: inside the module's own memory or a tensor. */
struct dla_place {
    unsigned memory; /* index in the module's memories */
    uint64_t offset;
};

struct dla_network {
    struct dla_place *address;
    unsigned n_addresses;
    uint16_t blob_version;
};

/* @input, @output: which tensor is bound here, -1: the module's own */
struct dla_module_memory {
    struct dla_memory own;
    uint64_t size;
    uint16_t id;
    int input, output;
};

struct dla_module {
    struct object base;
    struct dla_device *device;
    bool diagnostics;
    GArray *memories;         /* struct dla_module_memory */
    GArray *networks;         /* struct dla_network, in the order of their submission */
    GArray *inputs, *outputs; /* cudlaModuleTensorDescriptor */
};

/* dla_unit.c */
extern struct dla_unit dla_units[DLA_UNITS];
struct dla_unit *dla_unit_at(unsigned index); /* NULL: not open */
int dla_memory_new(struct dla_unit *unit, size_t bytes, enum hal_prot prot, struct dla_memory *out);
void dla_memory_free(struct dla_unit *unit, struct dla_memory *m);
struct fence dla_fence(const struct dla_device *d);
bool dla_busy(struct dla_device *d);
/* The same, of tasks that will still run: none does after an error, and the program knows that. */
bool dla_in_flight(struct dla_device *d);
void dla_pending_clear(struct dla_pending *p);
/* Signals of tasks that will not run: a waiter for them resumes, as after an error (5.1.5). */
void dla_signals_lost(struct dla_device *d);

/* dla_call.c */
/* core_enter() and the handle, for functions that begin with one. The lock is held on success only.
 */
cudlaStatus dla_enter(cudlaDevHandle handle, struct dla_device **device, const char *api);
cudlaStatus dla_leave(cudlaStatus status);
/* The same after a call with a handle, which remembers an error: none is recoverable (note 5.4).
 * @d: NULL: it is gone meanwhile */
cudlaStatus dla_leave_device(struct dla_device *d, cudlaStatus status, const char *api);

/* dla.c */
/* Waits for everything submitted to the handle. false: the handle is gone meanwhile. */
bool dla_wait(struct dla_device *d);

/* dla_fault.c */
/* What a task has died of, and a finding if the program continues all the same; cudlaSuccess if
 * none. */
cudlaStatus dla_error_before(struct dla_device *d, const char *api);
void dla_service(void);    /* interrupts of the DLAs and the SMMU */
void dla_fault_init(void); /* with the first handle; again: nothing */
/* "task 3 of cuDLA handle 0, submitted at app.cu:41 in main"; @p NULL: "a task of ...". g_free() */
char *dla_task_text(const struct dla_device *d, const struct dla_pending *p);

/* dla_memory.c */
struct dla_buffer *dla_buffer_find(const struct dla_device *d, uint64_t device_ptr);
void dla_buffers_drop(struct dla_device *d);
/* A tensor that leaves its allocation where the SMMU, which knows pages only, lets it. */
void dla_overrun_report(const struct dla_buffer *b, const char *tensor, uint64_t bytes, bool write);
/* Why a tensor's address is none. */
cudlaStatus dla_not_registered(const struct dla_device *d, uint64_t address, const char *tensor);

/* dla_iova.c */
/* The memory of a registration is freed, or the program unregisters it: why a late task fails. */
void dla_past_add(struct dla_device *d, const struct dla_buffer *b, bool freed);
const struct dla_past *dla_past_at(const struct dla_device *d, uint64_t iova); /* NULL: none */
void dla_buffer_unmap(struct dla_device *d, struct dla_buffer *b);
void dla_iova_init(void); /* with the first handle; again: nothing */
/* Where an IOVA lies, in words: "17 bytes past the end of ...". @region: what it is about, or 0 */
char *dla_iova_text(const struct dla_unit *unit, const struct dla_device *d, uint64_t iova,
                    bool write, uint32_t *region, const char **todo);

/* dla_module.c */
void dla_module_free(struct dla_module *m);

/* Task statistics: an output tensor behind the module's own. NVIDIA's layout is not published; ours
 * is two 64-bit words: when the task began and when it ended, in ns of the board's time. */
#define DLA_STATISTICS_BYTES 16u
/* dla_diagnostics.c: the built-in loadable; free() it */
uint8_t *dla_diagnostics_loadable(size_t *len);

/* dla_rules.c: what cuDLA does not support or warns of, by edition of the note */
enum dla_rule_id {
#define RULE(id, ...) DLA_RULE_##id,
#include "runtime/driver/engines/dla/dla_rules.def"
#undef RULE
    DLA_RULES
};
/* Tells the finding and gives the rule's answer. @format: what happened here. */
cudlaStatus dla_rule(enum dla_rule_id id, const char *api, uint32_t region, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* Does the edition of the note that the board is read with leave @feature out? */
bool dla_edition_lacks(enum rules_feature feature);
/* The same with its finding: @what is missing. cudlaSuccess if it is there. */
cudlaStatus dla_edition_check(enum rules_feature feature, const char *api, const char *what);
/* What is wrong with the flags of registered or imported memory, or NULL. */
const char *dla_flags_unknown(uint32_t flags);
/* An error of ours with its sentence for the report. */
cudlaStatus dla_error(cudlaStatus status, const char *api, const char *section, const char *format,
                      ...) G_GNUC_PRINTF(4, 5);

#endif
