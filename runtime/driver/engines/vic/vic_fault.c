/* SPDX-License-Identifier: MIT */
/* What the VIC reports: operations that failed. NvMedia 2D gives the program no code for it: their
 * fences are reached nevertheless. */
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/engines/vic/vic.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"

/* The operation with this number in the queue of the VIC; NULL: none that is known. */
static const struct vic_operation *operation_of(uint32_t job, const struct vic_context **of)
{
    for (const struct vic_context *c = object_first(&vic_contexts); c; c = object_after(&c->base)) {
        for (unsigned k = 0; k < VIC_PENDING_MAX; k++) {
            if (c->operation[k].id && c->operation[k].job == job) {
                *of = c;
                return &c->operation[k];
            }
        }
    }
    return NULL;
}

static char *operation_text(const struct vic_operation *o, const struct vic_context *c)
{
    g_autofree char *place = o ? check_called_at(core_check(), &o->caller) : NULL;
    char *of_surfaces = o ? NULL : vic_surface_text(vic_read(VIC_FALCON_MAILBOX2));

    return of_surfaces ? of_surfaces
           : o ? g_strdup_printf("operation %" G_GUINT64_FORMAT " of NvMedia2D context %u%s%s",
                                 o->id, c->number, place ? ", submitted at " : "",
                                 place ? place : "")
               : g_strdup("an operation of NvMedia 2D");
}

/* Which of its buffers an address lies in. */
static const char *buffer_text(const struct vic_context *c, const struct vic_operation *o,
                               uint64_t iova, uint32_t *region)
{
    for (guint i = 0; c && i < c->buffers->len; i++) {
        const struct vic_buffer *b = c->buffers->pdata[i];

        if (iova - b->iova < b->mapped) {
            *region = shared_mem(b->shared)->id;
            return o->destination == b->shared
                       ? b->buf.writable ? "in the destination"
                                         : "in the destination, which is a read-only duplicate"
                       : "in the source";
        }
    }
    return "in no buffer of the context";
}

static void report_refused(const struct vic_context *c, const struct vic_operation *o,
                           const struct hal_iommu_fault *f)
{
    g_autofree char *who = operation_text(o, c);
    uint32_t region = 0;
    const char *where = buffer_text(c, o, f->iova, &region);

    report_finding(&check_rules[CHECK_RULE_VIC_JOB_FAILED], region, 0, 0, NULL,
                   "%s: the SMMU refused a %s of the VIC at IOVA 0x%" G_GINT64_MODIFIER
                   "x, %s: arm-smmu %s.iommu: Unhandled context fault: fsr=0x%" G_GINT32_MODIFIER
                   "x, iova=0x%08" G_GINT64_MODIFIER "x, fsynr=0x%" G_GINT32_MODIFIER
                   "x, cbfrsynra=0x%" G_GINT32_MODIFIER "x, cb=%" G_GUINT32_FORMAT
                   ". Its fence is reached nevertheless",
                   who, f->write ? "store" : "load", f->iova, where, f->smmu, f->fsr, f->iova,
                   f->fsynr, f->cbfrsynra, f->cb);
}

static void report_failed(const struct vic_context *c, const struct vic_operation *o)
{
    g_autofree char *who = operation_text(o, c);

    report_finding(&check_rules[CHECK_RULE_VIC_JOB_FAILED], 0, 0, 0, NULL,
                   "%s failed: the VIC's firmware says %" G_GUINT32_FORMAT ", 0x%" G_GINT32_MODIFIER
                   "x. Its fence is reached nevertheless",
                   who, vic_read(VIC_FALCON_MAILBOX0), vic_read(VIC_FALCON_MAILBOX1));
}

/* Of failures that come one after the other between two looks, the last is known. */
void vic_service(void)
{
    const struct vic_context *c = NULL;
    const struct vic_operation *o;
    struct hal_iommu_fault fault;
    bool refused;
    uint32_t stat;

    if (core_lost()) {
        return;
    }
    refused = vic_fault(&fault);
    stat = vic_read(VIC_FALCON_IRQSTAT);
    if (!refused && !stat) {
        return;
    }
    o = operation_of(vic_read(VIC_FALCON_MAILBOX2), &c);
    if (refused) {
        report_refused(c, o, &fault);
    } else {
        report_failed(c, o);
    }
    vic_write(VIC_FALCON_IRQSCLR, stat);
}

static void vic_stuck_text(GString *text)
{
    for (struct vic_context *c = object_first(&vic_contexts); c; c = object_after(&c->base)) {
        if (vic_pending(c)) {
            g_string_append_printf(text,
                                   "; operation %" G_GUINT64_FORMAT
                                   " of NvMedia2D context %u waits for a pre-fence",
                                   c->oldest + 1, c->number);
        }
    }
}

void vic_fault_init(void)
{
    notify_service_add(vic_service);
    notify_stuck_text_add(vic_stuck_text);
}
