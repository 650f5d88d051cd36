/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: which blocks they are, and whose shared memory an address names. */
#include "model/igpu/sm.h"
#include <glib.h>

#define OFFSET_MASK ((UINT64_C(1) << CLUSTER_SHIFT) - 1)

static uint32_t cluster_dim(const struct grid_desc *desc, unsigned axis)
{
    return MAX(desc->cluster[axis], 1u);
}

uint32_t cluster_blocks(const struct grid_desc *desc)
{
    return cluster_dim(desc, 0) * cluster_dim(desc, 1) * cluster_dim(desc, 2);
}

/* The @index-th of the grid, x first */
struct cluster *cluster_new(const struct grid *g, uint64_t index)
{
    struct cluster *c = g_new0(struct cluster, 1);

    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = g->desc.grid[i] / cluster_dim(&g->desc, i);

        c->id[i] = (uint32_t)(index % n);
        index /= n;
    }
    return c;
}

/* Ranks count as blocks do, x first (measured on an H200: %cluster_ctarank by %cluster_ctaid) */
uint64_t cluster_linear(const struct grid *g, const struct cluster *c, uint32_t rank)
{
    uint64_t at[3];

    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = cluster_dim(&g->desc, i);

        at[i] = (uint64_t)c->id[i] * n + rank % n;
        rank /= n;
    }
    return at[0] + g->desc.grid[0] * (at[1] + g->desc.grid[1] * at[2]);
}

void cluster_join(struct block *b, struct cluster *c, uint32_t rank)
{
    b->cluster = c;
    b->rank = rank;
    b->shared_from = c ? (rank + 1) << CLUSTER_SHIFT : 0;
    if (c) {
        c->block[rank] = b;
        c->linear[rank] = b->linear;
        c->n++;
        c->live++;
    }
}

void cluster_leave(struct block *b)
{
    struct cluster *c = b->cluster;

    b->cluster = NULL;
    if (c) {
        c->block[b->rank] = NULL;
        if (--c->live == 0) {
            g_free(c);
        }
    }
}

struct block *cluster_owner(struct block *b, uint64_t *at)
{
    uint64_t rank = *at >> CLUSTER_SHIFT;

    if (!rank || !b->cluster) {
        return b;
    }
    *at &= OFFSET_MASK;
    return rank <= b->cluster->n ? b->cluster->block[rank - 1] : NULL;
}

uint8_t *cluster_place(struct block *b, uint64_t at, uint64_t bytes, struct block **owner)
{
    uint64_t size = b->warp->grid->shared_bytes;
    struct block *of = cluster_owner(b, &at);

    if (owner) {
        *owner = of;
    }
    return of && at <= size && size - at >= bytes ? of->shared + at : NULL;
}

const char *cluster_reason(struct block *b, uint64_t at)
{
    uint64_t rank = at >> CLUSTER_SHIFT;

    return !rank || !b->cluster          ? "outside the block's shared memory"
           : rank > b->cluster->n        ? "shared memory of a rank that the cluster does not have"
           : b->cluster->block[rank - 1] ? "outside the shared memory of that block of the cluster"
                                         : "shared memory of a block of the cluster that has ended";
}

/* %is_explicit_cluster: the launch names a size, be it 1 (measured on an H200) */
bool cluster_special(const struct block *b, enum ptx_special s, uint64_t *value)
{
    const struct grid_desc *desc = &b->warp->grid->desc;
    const uint32_t n[] = { cluster_dim(desc, 0), cluster_dim(desc, 1), cluster_dim(desc, 2) };

    switch (s) {
    case PTX_SPECIAL_CLUSTERID_X:
    case PTX_SPECIAL_CLUSTERID_Y:
    case PTX_SPECIAL_CLUSTERID_Z:
        *value = b->ctaid[s - PTX_SPECIAL_CLUSTERID_X] / n[s - PTX_SPECIAL_CLUSTERID_X];
        return true;
    case PTX_SPECIAL_NCLUSTERID_X:
    case PTX_SPECIAL_NCLUSTERID_Y:
    case PTX_SPECIAL_NCLUSTERID_Z:
        *value = desc->grid[s - PTX_SPECIAL_NCLUSTERID_X] / n[s - PTX_SPECIAL_NCLUSTERID_X];
        return true;
    case PTX_SPECIAL_CLUSTER_CTAID_X:
    case PTX_SPECIAL_CLUSTER_CTAID_Y:
    case PTX_SPECIAL_CLUSTER_CTAID_Z:
        *value = b->ctaid[s - PTX_SPECIAL_CLUSTER_CTAID_X] % n[s - PTX_SPECIAL_CLUSTER_CTAID_X];
        return true;
    case PTX_SPECIAL_CLUSTER_NCTAID_X:
    case PTX_SPECIAL_CLUSTER_NCTAID_Y:
    case PTX_SPECIAL_CLUSTER_NCTAID_Z:
        *value = n[s - PTX_SPECIAL_CLUSTER_NCTAID_X];
        return true;
    case PTX_SPECIAL_CLUSTER_CTARANK:
        *value = b->rank;
        return true;
    case PTX_SPECIAL_CLUSTER_NCTARANK:
        *value = n[0] * n[1] * n[2];
        return true;
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
        *value = desc->cluster[0] != 0;
        return true;
    default:
        return false;
    }
}
