/* SPDX-License-Identifier: MIT */
/* A reconciled list on its way back: each process sees its own NeedCpuAccess and permission, as its
 * own lists asked. */
#include "runtime/api/nvsci/attr/reconcile.h"

static bool peers_buf(const struct sci_list *list)
{
    return list->schema == &sci_buf_schema;
}

static bool came_from(const struct sci_peer *peer, uint64_t channel)
{
    return peer->path->len && g_array_index(peer->path, uint64_t, peer->path->len - 1) == channel;
}

/* Buffers: the greater permission has the smaller. Sync objects: a bit for each. */
static uint64_t perm_add(const struct sci_list *list, uint64_t a, uint64_t b)
{
    return peers_buf(list) ? MAX(a, b) : (a | b);
}

static void peers_put(struct sci_list *list, uint32_t key, const void *data)
{
    int index = sci_key_index(list->schema, key);

    sci_slot_put(sci_list_slot(list, 0), index, sci_kind_size(list->schema->key[index].kind), data,
                 1);
}

void sci_list_own_wishes(struct sci_list *list)
{
    uint64_t perm = peers_buf(list) ? NvSciBufAccessPerm_Readonly : 0;
    bool cpu = false;

    for (guint i = 0; i < list->peers->len; i++) {
        const struct sci_peer *peer = list->peers->pdata[i];

        if (!peer->path->len) {
            cpu |= peer->need_cpu;
            perm = perm_add(list, perm, peer->perm);
        }
    }
    peers_put(list,
              peers_buf(list) ? (uint32_t)NvSciBufGeneralAttrKey_NeedCpuAccess
                              : (uint32_t)NvSciSyncAttrKey_NeedCpuAccess,
              &cpu);
    peers_put(list,
              peers_buf(list) ? (uint32_t)NvSciBufGeneralAttrKey_ActualPerm
                              : (uint32_t)NvSciSyncAttrKey_ActualPerm,
              &perm);
}

struct sci_list *sci_list_for_peer(const struct sci_list *list, uint64_t channel)
{
    struct sci_list *copy = sci_list_clone(list);
    guint i = 0;

    while (i < copy->peers->len) {
        struct sci_peer *peer = copy->peers->pdata[i];

        if (came_from(peer, channel)) {
            g_array_set_size(peer->path, peer->path->len - 1);
            i++;
        } else {
            g_ptr_array_remove_index(copy->peers, i);
        }
    }
    if (!copy->peers->len) {
        sci_list_free(copy);
        return NULL;
    }
    sci_list_own_wishes(copy);
    return copy;
}

uint64_t sci_list_peer_perm(const struct sci_list *list, uint64_t channel)
{
    uint64_t perm = 0;

    for (guint i = 0; i < list->peers->len; i++) {
        const struct sci_peer *peer = list->peers->pdata[i];

        if (came_from(peer, channel)) {
            perm = perm_add(list, perm, peer->perm);
        }
    }
    return perm;
}
