/* SPDX-License-Identifier: MIT */
/* NvSciSync: reconciliation. Source: DRIVE OS API reference 6.0.10, "Reconciliation" of each
 * attribute key. */
#include "runtime/api/nvsci/attr/merge.h"
#include "runtime/api/nvsci/attr/reconcile.h"

enum { TASK_STATUS_SLOTS = 1024 };

static uint64_t slot_perm(const struct merge *m, unsigned i)
{
    const struct sci_value *perm = merge_value(m, i, NvSciSyncAttrKey_RequiredPerm);

    return perm ? *(const uint64_t *)perm->data : 0;
}

static bool slot_cpu(const struct merge *m, unsigned i)
{
    const struct sci_value *cpu = merge_value(m, i, NvSciSyncAttrKey_NeedCpuAccess);

    return cpu && *(const bool *)cpu->data;
}

/* One signaler, and at least one list that only waits. */
static void check_perms(struct merge *m)
{
    unsigned signalers = 0, waiters = 0;

    for (unsigned i = 0; i < merge_slots(m); i++) {
        signalers += (slot_perm(m, i) & NvSciSyncAccessPerm_SignalOnly) != 0;
        waiters += slot_perm(m, i) == NvSciSyncAccessPerm_WaitOnly;
        if (!slot_perm(m, i)) {
            merge_fail(m, NvSciSyncAttrKey_RequiredPerm, NvSciError_BadParameter,
                       "is mandatory in every list");
            return;
        }
    }
    if (signalers != 1 || !waiters) {
        merge_fail(m, NvSciSyncAttrKey_RequiredPerm,
                   signalers > 1 ? NvSciError_UnsupportedConfig : NvSciError_ReconciliationFailed,
                   signalers > 1 ? "more than one list signals"
                   : signalers   ? "no list only waits"
                                 : "no list signals");
    }
}

/* Primitives of a list as a set; a list of the CPU that names none takes all that the CPU can. */
static unsigned slot_primitives(const struct merge *m, unsigned i)
{
    const struct sci_value *value = merge_value(m, i, NvSciSyncAttrKey_PrimitiveInfo);
    unsigned set = 0;

    for (uint32_t j = 0; value && j < value->count; j++) {
        set |= 1u << ((const uint32_t *)value->data)[j];
    }
    if (!value && slot_cpu(m, i)) {
        set = 1u << NvSciSyncAttrValPrimitiveType_Syncpoint |
              1u << NvSciSyncAttrValPrimitiveType_SysmemSemaphore |
              1u << NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b;
    }
    return set;
}

/* The value of a syncpoint at the time of the allocation is not known: fences that the waiter makes
 * need a semaphore, where all know one (CUDA for Tegra 5.1.4, "deterministic semaphores"). */
static unsigned sync_merge_deterministic(const struct merge *m, unsigned set)
{
    unsigned semaphores = set & ~(1u << NvSciSyncAttrValPrimitiveType_Syncpoint);
    bool asked = sci_list_u64(m->out, NvSciSyncAttrKey_RequireDeterministicFences, 0, 0);

    return asked && semaphores ? semaphores : set;
}

/* The first primitive, in the signaler's order, that all know. */
static void merge_primitives(struct merge *m)
{
    unsigned common = ~0u;
    uint32_t chosen[5], count = 0;

    for (unsigned i = 0; i < merge_slots(m); i++) {
        unsigned set = slot_primitives(m, i);

        if (!set) {
            merge_fail(m, NvSciSyncAttrKey_PrimitiveInfo, NvSciError_BadParameter,
                       "a list has neither it nor NeedCpuAccess");
            return;
        }
        common &= set;
    }
    common = sync_merge_deterministic(m, common);
    for (unsigned type = NvSciSyncAttrValPrimitiveType_LowerBound + 1;
         type < NvSciSyncAttrValPrimitiveType_UpperBound; type++) {
        if (common & 1u << type) {
            chosen[count++] = type;
        }
    }
    if (!count) {
        merge_fail(m, NvSciSyncAttrKey_PrimitiveInfo, NvSciError_UnsupportedConfig,
                   "no primitive is in every list");
        return;
    }
    merge_put(m, NvSciSyncAttrKey_PrimitiveInfo, chosen, 1);
    merge_put_u64(m, NvSciSyncAttrKey_MaxPrimitiveValue,
                  chosen[0] == NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b ||
                          chosen[0] == NvSciSyncAttrValPrimitiveType_VidmemSemaphorePayload64b
                      ? UINT64_MAX
                      : UINT32_MAX);
}

static void check_timestamps(struct merge *m)
{
    for (unsigned i = 0; i < merge_slots(m); i++) {
        const struct sci_value *v = merge_value(m, i, NvSciSyncAttrKey_WaiterRequireTimestamps);

        if (v && *(const bool *)v->data && !slot_cpu(m, i)) {
            merge_fail(m, NvSciSyncAttrKey_WaiterRequireTimestamps, NvSciError_ReconciliationFailed,
                       "needs NeedCpuAccess in the same list");
            return;
        }
    }
}

static void merge_peers(struct merge *m)
{
    for (unsigned i = 0; i < merge_slots(m); i++) {
        const struct sci_slot *slot = m->slot->pdata[i];
        bool gpu = merge_value(m, i, NvSciSyncAttrKey_GpuId) != NULL;

        g_ptr_array_add(m->out->peers,
                        sci_peer_new(slot_cpu(m, i), gpu, slot_perm(m, i), slot->path));
    }
    sci_list_own_wishes(m->out);
}

static void put_default_bool(struct merge *m, uint32_t key)
{
    merge_put_bool(m, key, sci_list_u64(m->out, key, 0, 0));
}

NvSciError sci_sync_reconcile(const struct sci_list *const *list, size_t count,
                              struct sci_list **out, struct sci_list **conflicts, char **why)
{
    struct merge m;

    merge_begin(&m, list, count);
    merge_simple(&m);
    check_perms(&m);
    merge_primitives(&m);
    check_timestamps(&m);
    merge_peers(&m);
    put_default_bool(&m, NvSciSyncAttrKey_WaiterContextInsensitiveFenceExports);
    put_default_bool(&m, NvSciSyncAttrKey_WaiterRequireTimestamps);
    put_default_bool(&m, NvSciSyncAttrKey_RequireDeterministicFences);
    merge_put_u32(&m, NvSciSyncAttrKey_NumTaskStatusSlots, TASK_STATUS_SLOTS);
    return merge_end(&m, out, conflicts, why);
}
