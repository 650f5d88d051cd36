/* SPDX-License-Identifier: MIT */
/* Registered memory that a DLA does not see any more, and what an address of its SMMU means. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/engines/dla/dla_submit.h"
#include "runtime/driver/memory/memory.h"

#define PAGE_UP(x) (((x) + HAL_PAGE - 1) & ~(uint64_t)(HAL_PAGE - 1))
#define PAST_KEPT 64u
#define NEAR_BYTES (16u << 20) /* a tensor that is too small is meant, not a wild address */

void dla_past_add(struct dla_device *d, const struct dla_buffer *b, bool freed)
{
    struct dla_past past = { b->device_ptr, b->size, b->region, freed };

    if (d->past->len == PAST_KEPT) {
        g_array_remove_index(d->past, 0);
    }
    g_array_append_val(d->past, past);
}

void dla_buffer_unmap(struct dla_device *d, struct dla_buffer *b)
{
    if (b->mapped) {
        hal_iommu_unmap(core_hal(), d->unit->unit, b->iova, b->mapped);
        b->mapped = 0;
    }
    if (b->shared) {
        external_import_shared(b->shared, false);
        b->shared = NULL;
    }
}

const struct dla_past *dla_past_at(const struct dla_device *d, uint64_t iova)
{
    for (guint i = d->past->len; i > 0; i--) {
        const struct dla_past *p = &g_array_index(d->past, struct dla_past, i - 1);

        if (iova - p->device_ptr < p->size) {
            return p;
        }
    }
    return NULL;
}

static void region_gone_for(struct dla_device *d, const struct region *r)
{
    for (guint i = 0; i < d->buffers->len; i++) {
        struct dla_buffer *b = g_ptr_array_index(d->buffers, i);

        if (b->serial == region_serial(r) && !b->freed) {
            if (!d->context_gone) { /* then that has been said */
                dla_rule(DLA_RULE_FREED, "cudaFree", b->region,
                         "the memory is freed while it is registered with cuDLA handle %u; the DLA "
                         "cannot see it from now on",
                         d->number);
            }
            dla_buffer_unmap(d, b);
            b->freed = true;
            dla_past_add(d, b, true);
        }
    }
}

static void dla_region_gone(const struct region *r)
{
    for (unsigned i = 0; i < DLA_UNITS * DLA_TASK_QUEUES; i++) {
        struct dla_unit *u = dla_unit_at(i / DLA_TASK_QUEUES);
        struct dla_device *d = u ? u->device[i % DLA_TASK_QUEUES] : NULL;

        if (d) {
            region_gone_for(d, r);
        }
    }
}

/* The registration of @unit that an address lies in, or right behind (a tensor that is too small).
 */
static const struct dla_buffer *dla_iova_near(const struct dla_device *d, uint64_t iova)
{
    const struct dla_buffer *best = NULL;

    for (guint i = 0; i < d->buffers->len; i++) {
        const struct dla_buffer *b = g_ptr_array_index(d->buffers, i);

        if (b->device_ptr <= iova && (!best || b->device_ptr > best->device_ptr)) {
            best = b;
        }
    }
    return best;
}

/* In or behind memory of the module's own, where only a wrong loadable leads; NULL: not there. */
static char *module_text(const struct dla_device *d, uint64_t iova)
{
    for (guint i = 0; d->module && i < d->module->memories->len; i++) {
        const struct dla_module_memory *m =
            &g_array_index(d->module->memories, struct dla_module_memory, i);

        if (m->own.mem.cpu && iova - m->own.iova < PAGE_UP(m->size) + HAL_PAGE) {
            return g_strdup_printf(
                "%" G_GUINT64_FORMAT " bytes %s the module's own memory %u (%" G_GUINT64_FORMAT
                " bytes)",
                iova - m->own.iova - (iova - m->own.iova < m->size ? 0 : m->size),
                iova - m->own.iova < m->size ? "into" : "past the end of", m->id, m->size);
        }
    }
    return NULL;
}

char *dla_iova_text(const struct dla_unit *unit, const struct dla_device *d, uint64_t iova,
                    bool write, uint32_t *region, const char **todo)
{
    const struct dla_past *past = d ? dla_past_at(d, iova) : NULL;
    const struct dla_buffer *b = d ? dla_iova_near(d, iova) : NULL;
    char *own;

    (void)unit;
    *region = 0;
    *todo = "look at the loadable, which names addresses that it has not: vtegra dla inspect FILE";
    if (past) {
        *region = past->region;
        *todo = past->freed ? "unregister the memory before freeing it, after the last task is done"
                            : "synchronise the stream of the task before cudlaMemUnregister()";
        return g_strdup_printf("%" G_GUINT64_FORMAT " bytes into memory that was %s",
                               iova - past->device_ptr, past->freed ? "freed" : "unregistered");
    }
    own = d ? module_text(d, iova) : NULL;
    if (own) {
        return own;
    }
    if (!b || iova - b->device_ptr >= b->size + NEAR_BYTES) {
        return g_strdup("far from everything that is registered with this handle");
    }
    *region = b->region;
    if (iova - b->device_ptr < b->size) {
        if (write && (b->flags & CUDLA_READ_ONLY_PERM)) {
            *todo = "register what the DLA writes with CUDLA_READ_WRITE_PERM";
            return g_strdup_printf("%" G_GUINT64_FORMAT
                                   " bytes into a buffer that was registered read-only",
                                   iova - b->device_ptr);
        }
        return g_strdup_printf("%" G_GUINT64_FORMAT " bytes into a buffer of %" G_GUINT64_FORMAT
                               " registered bytes",
                               iova - b->device_ptr, b->size);
    }
    *todo = "register as many bytes as the tensor's descriptor says (cudlaModuleGetAttributes)";
    return g_strdup_printf("%" G_GUINT64_FORMAT " bytes past the end of the nearest registration, "
                           "%" G_GUINT64_FORMAT " bytes",
                           iova - b->device_ptr - b->size, b->size);
}

void dla_iova_init(void)
{
    notify_region_gone_add(dla_region_gone);
}
