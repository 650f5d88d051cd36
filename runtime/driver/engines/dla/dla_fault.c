/* SPDX-License-Identifier: MIT */
/* What the DLAs and their SMMU report: tasks that failed, refused accesses, tasks that hang. */
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/engines/dla/dla.h"

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/engines/interop.h"
#include "runtime/driver/module/fault.h"

#include <string.h>

#define EXTERNAL "cudaErrorExternalDevice"

/* The seven codes of cuDLA are seven of the firmware's (L4T, dla_os_interface.h): inferred. */
static cudlaStatus status_of(uint32_t error)
{
    switch (error) {
    case DLA_ERR_INVALID_INPUT:
        return cudlaErrorDlaErrInvalidInput;
    case DLA_ERR_INVALID_PREACTION:
        return cudlaErrorDlaErrInvalidPreAction;
    case DLA_ERR_NO_MEM:
        return cudlaErrorDlaErrNoMem;
    case DLA_ERR_PROCESSOR_BUSY:
        return cudlaErrorDlaErrProcessorBusy;
    case DLA_ERR_TASK_STATUS_MISMATCH:
        return cudlaErrorDlaErrTaskStatusMismatch;
    case DLA_ERR_ENGINE_TIMEOUT:
        return cudlaErrorDlaErrEngineTimeout;
    case DLA_ERR_DATA_MISMATCH:
        return cudlaErrorDlaErrDataMismatch;
    default:
        return cudlaErrorUnknown;
    }
}

/* The task with this number, or the oldest that is not done. */
static const struct dla_pending *pending_of(const struct dla_device *d, uint32_t sequence)
{
    for (uint32_t i = d->put > DLA_TASK_QUEUE_DEPTH ? d->put - DLA_TASK_QUEUE_DEPTH : 0; i < d->put;
         i++) {
        const struct dla_pending *p = &d->pending[i % DLA_TASK_QUEUE_DEPTH];

        if (p->sequence == (uint16_t)sequence) {
            return p;
        }
    }
    return d->put ? &d->pending[(d->put - 1) % DLA_TASK_QUEUE_DEPTH] : NULL;
}

/* In the words of Linux' arm-smmu driver, so that it can be searched for. */
static char *smmu_line(const struct hal_iommu_fault *f)
{
    return g_strdup_printf("arm-smmu %s.iommu: Unhandled context fault: fsr=0x%" G_GINT32_MODIFIER
                           "x, iova=0x%08" G_GINT64_MODIFIER "x, fsynr=0x%" G_GINT32_MODIFIER
                           "x, cbfrsynra=0x%" G_GINT32_MODIFIER "x, cb=%" G_GUINT32_FORMAT,
                           f->smmu, f->fsr, f->iova, f->fsynr, f->cbfrsynra, f->cb);
}

char *dla_task_text(const struct dla_device *d, const struct dla_pending *p)
{
    g_autofree char *place = p ? check_called_at(core_check(), &p->caller) : NULL;

    return p ? g_strdup_printf("task %" G_GUINT32_FORMAT " of cuDLA handle %u%s%s", p->number,
                               d->number, place ? ", submitted at " : "", place ? place : "")
             : g_strdup("a task of no handle");
}

/* @p: the task that did it, or NULL */
static void refused_report(const struct dla_device *d, const struct dla_pending *p,
                           const struct hal_iommu_fault *f)
{
    g_autofree char *line = smmu_line(f);
    g_autofree char *task = dla_task_text(d, p);
    uint32_t region;
    const char *todo;
    g_autofree char *where =
        dla_iova_text(d ? d->unit : NULL, d, f->iova, f->write, &region, &todo);

    report_finding(&check_rules[CHECK_RULE_DLA_SMMU_FAULT], region, 0, 0, todo,
                   "%s: the SMMU refused a %s of the DLA at IOVA 0x%" G_GINT64_MODIFIER "x, %s: %s",
                   task, f->write ? "store" : "load", f->iova, where, line);
}

static const char *cuda_calls_text(const struct dla_device *d)
{
    if (d && d->standalone) {
        return "Its fences are reached nevertheless, and";
    }
    return engine_mode() & ENGINE_ISOLATED
               ? "CUDA calls do not fail (CUDA_EXTERNAL_ENGINE_EXECUTION_MODE),"
               : "CUDA calls give " EXTERNAL " from now on,";
}

/* Note 5.1.5 says how the program hears of it; which of the codes it is, is not published. */
static void failed_report(const struct dla_unit *u, const struct dla_device *d,
                          const struct dla_pending *p, const struct dla_error_record *e)
{
    g_autofree char *task = dla_task_text(d, p);

    report_finding(&check_rules[e->msg == DLA_MSG_TASK_TIMEOUT ? CHECK_RULE_DLA_TASK_TIMEOUT
                                                               : CHECK_RULE_DLA_TASK_FAILED],
                   0, 0, 0, NULL, "%s, failed on DLA %u: %.*s. %s cudlaGetLastError() gives %s",
                   task, u->index, (int)sizeof(e->text), e->text, cuda_calls_text(d),
                   rt_dla_status_name(status_of(e->error)));
}

/* CUDA_ERROR_EXTERNAL_DEVICE stays, as its description says: "any further CUDA work will return the
 * same error". */
static void device_fail(struct dla_device *d, cudlaStatus status, const struct dla_pending *p)
{
    struct context *c = p ? handle_find(HANDLE_CONTEXT, p->context) : NULL;

    if (!d->error) {
        d->error = status;
    }
    if (c && !(engine_mode() & ENGINE_ISOLATED)) {
        fault_context(c, CUDA_ERROR_EXTERNAL_DEVICE);
    }
}

/* One report of the unit. Its record is emptied before the interrupt is cleared: then the next may
 * come. Return: false if there was none. */
static bool service_one(struct dla_unit *u)
{
    struct dla_error_record *record = u->error.cpu;
    struct dla_error_record e = *record;
    struct hal_iommu_fault fault;
    bool refused = hal_iommu_fault(core_hal(), u->unit, &fault);
    struct dla_device *d = e.msg && e.queue < DLA_TASK_QUEUES ? u->device[e.queue] : NULL;
    const struct dla_pending *p = d ? pending_of(d, e.sequence) : NULL;
    uint32_t stat = hal_read32(core_hal(), u->unit, DLA_FALCON_IRQSTAT);

    record->msg = record->error = 0;
    if (stat) {
        hal_write32(core_hal(), u->unit, DLA_FALCON_IRQSCLR, stat);
    }
    if (refused) {
        refused_report(d, p, &fault);
    }
    if (e.msg) {
        failed_report(u, d, p, &e);
    }
    if (e.msg && d) {
        device_fail(d, status_of(e.error), p);
        if (e.msg ==
            DLA_MSG_CMD_ERROR) { /* it never came into its queue, so nothing else will report it */
            dla_signals_lost(d);
            syncpt_catch_up(d->syncpt, d->submitted);
        }
    }
    return refused || e.msg || stat;
}

/* A task and a context bank report once each; what comes beyond that is seen at the next interrupt.
 */
static void service_unit(struct dla_unit *u)
{
    for (unsigned i = 0; i < 2 * DLA_TASK_QUEUES && service_one(u); i++) {
    }
}

void dla_service(void)
{
    for (unsigned i = 0; i < DLA_UNITS; i++) {
        struct dla_unit *u = dla_unit_at(i);

        if (u) {
            service_unit(u);
        }
    }
}

static bool all_reached(const GArray *fences)
{
    for (guint i = 0; fences && i < fences->len; i++) {
        if (!fence_reached(g_array_index(fences, struct fence, i))) {
            return false;
        }
    }
    return true;
}

/* The first task of a queue that has begun and does not end; NULL if none. */
static const struct dla_pending *dla_fault_hanging(const struct dla_device *d)
{
    for (uint32_t i = d->oldest; i < d->put; i++) {
        const struct dla_pending *p = &d->pending[i % DLA_TASK_QUEUE_DEPTH];

        if (!fence_reached((struct fence){ d->syncpt, p->threshold })) {
            return fence_reached(p->before) && all_reached(p->waits) ? p : NULL;
        }
    }
    return NULL;
}

typedef bool device_fn(struct dla_device *d, void *opaque);

static bool each_device(device_fn *fn, void *opaque)
{
    bool any = false;

    for (unsigned i = 0; i < DLA_UNITS * DLA_TASK_QUEUES; i++) {
        struct dla_unit *u = dla_unit_at(i / DLA_TASK_QUEUES);

        if (u && u->device[i % DLA_TASK_QUEUES]) {
            any |= fn(u->device[i % DLA_TASK_QUEUES], opaque);
        }
    }
    return any;
}

static bool device_hangs(struct dla_device *d, void *opaque)
{
    (void)opaque;
    return dla_fault_hanging(d) != NULL;
}

static bool device_break(struct dla_device *d, void *opaque)
{
    const struct dla_pending *p = dla_fault_hanging(d);

    (void)opaque;
    if (p) {
        g_autofree char *task = dla_task_text(d, p);

        dla_rule(DLA_RULE_HANG, "cudlaSubmitTask", 0,
                 "%s, does not end, and it has no time limit: on a board the program would hang "
                 "now. Here: %s cudlaGetLastError() gives %s",
                 task, cuda_calls_text(d), rt_dla_status_name(cudlaErrorDlaErrEngineTimeout));
        device_fail(d, cudlaErrorDlaErrEngineTimeout, p);
    }
    return p != NULL;
}

/* The firmware starts again; whoever had tasks in it has lost them. */
static bool dla_release(void)
{
    if (!each_device(device_hangs, NULL)) {
        return false;
    }
    each_device(device_break, NULL);
    for (unsigned i = 0; i < DLA_UNITS; i++) {
        struct dla_unit *u = dla_unit_at(i);

        for (unsigned q = 0; u && q < DLA_TASK_QUEUES; q++) {
            struct dla_device *d = u->device[q];

            if (d && d->error) {
                hal_write32(core_hal(), u->unit, DLA_RESET, 1);
            }
        }
        for (unsigned q = 0; u && q < DLA_TASK_QUEUES; q++) {
            if (u->device[q] && dla_busy(u->device[q]) && u->device[q]->error) {
                dla_signals_lost(u->device[q]);
                syncpt_catch_up(u->device[q]->syncpt, u->device[q]->submitted);
            }
        }
    }
    return true;
}

static bool device_stuck(struct dla_device *d, void *opaque)
{
    if (dla_busy(d)) {
        g_string_append_printf(opaque, "; cuDLA handle %u waits for %s", d->number,
                               d->standalone ? "a fence" : "a stream");
    }
    return false;
}

static void dla_stuck_text(GString *text)
{
    each_device(device_stuck, text);
}

cudlaStatus dla_error_before(struct dla_device *d, const char *api)
{
    dla_service();
    if (!d->error) {
        return cudlaSuccess;
    }
    if (!d->reported && !d->ignored) {
        d->ignored = true;
        dla_rule(
            DLA_RULE_ERROR_IGNORED, api, 0,
            "a task of this handle has failed (%s), and cudlaGetLastError() was not called for it",
            rt_dla_status_name(d->error));
    }
    return dla_error(d->error, api, "CUDA for Tegra 5.1.5",
                     "a task submitted before has failed; the error stays until the program starts "
                     "again");
}

void dla_fault_init(void)
{
    notify_service_add(dla_service);
    notify_release_add(dla_release);
    notify_stuck_text_add(dla_stuck_text);
}
