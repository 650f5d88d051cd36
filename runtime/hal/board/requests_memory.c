/* SPDX-License-Identifier: MIT */
/* Requests about memory and addresses: each program has its own, and what others have exported to
 * it. All come out of one arena, so an address means the same memory to every program. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/hal/board/server.h"

#define PASSES_MAX 4096u

static gpointer key_of(uint64_t number)
{
    return (gpointer)(uintptr_t)number;
}

static bool requests_memory_overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* --- holds ------------------------------------------------------------------------------------ */

bool client_holds(struct board_client *c, uint32_t id)
{
    return g_hash_table_lookup(c->holds, key_of(id)) != NULL;
}

static struct board_mem *mem_find(struct board_client *c, uint64_t id)
{
    return id && id <= UINT32_MAX && client_holds(c, (uint32_t)id)
               ? g_hash_table_lookup(c->board->mems, key_of(id))
               : NULL;
}

static bool place_has_memory(const struct board *b, uint64_t at, uint64_t bytes)
{
    GHashTableIter it;
    gpointer value;
    bool any = false;

    g_hash_table_iter_init(&it, b->mems);
    while (!any && g_hash_table_iter_next(&it, NULL, &value)) {
        const struct board_mem *m = value;

        any = requests_memory_overlap(at, bytes, (uintptr_t)m->mem.cpu, m->mem.size);
    }
    return any;
}

/* Addresses that were released while memory of others was there. */
static void left_release(struct board *b)
{
    GHashTableIter it;
    gpointer va, bytes;

    g_hash_table_iter_init(&it, b->left);
    while (g_hash_table_iter_next(&it, &va, &bytes)) {
        if (!place_has_memory(b, (uintptr_t)va, (uintptr_t)bytes)) {
            hal_va_release(b->hal, va, (uintptr_t)bytes);
            g_hash_table_iter_remove(&it);
        }
    }
}

static void mem_drop(struct board *b, struct board_mem *m)
{
    if (--m->holds == 0) {
        hal_mem_free(b->hal, &m->mem);
        g_hash_table_remove(b->mems, key_of(m->mem.id));
        left_release(b);
    }
}

static void client_hold(struct board_client *c, struct board_mem *m)
{
    uintptr_t held = (uintptr_t)g_hash_table_lookup(c->holds, key_of(m->mem.id));

    g_hash_table_insert(c->holds, key_of(m->mem.id), key_of(held + 1));
    m->holds++;
}

/* --- allocation ------------------------------------------------------------------------------- */

/* Inside one reservation, and nothing there yet. */
static bool place_is_free(struct board_client *c, uint64_t at, uint64_t size)
{
    GHashTableIter it;
    gpointer key, value;
    bool inside = false;

    g_hash_table_iter_init(&it, c->reserved);
    while (!inside && g_hash_table_iter_next(&it, &key, &value)) {
        uint64_t va = (uintptr_t)key, bytes = (uintptr_t)value;

        inside = at >= va && at - va <= bytes && size <= bytes - (at - va);
    }
    return inside && !place_has_memory(c->board, at, size);
}

static void mem_report(const struct hal_mem *mem, uint64_t *value)
{
    value[0] = (uintptr_t)mem->cpu;
    value[1] = mem->size;
    value[2] = mem->bus;
    value[3] = mem->id;
    value[4] = mem->kind;
    value[5] = mem->cpu_cached;
}

static int64_t do_alloc(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    uint64_t kind = arg[0], size = arg[1], align = arg[2], at = arg[3];
    struct board *b = c->board;
    struct board_mem *m;
    int err;

    if (kind >= HAL_MEM_KINDS || size == 0 || at % HAL_PAGE || (align & (align - 1))) {
        return -EINVAL;
    }
    if (size > b->arena_bytes) {
        return -ENOMEM;
    }
    if (at && !place_is_free(c, at, (size + HAL_PAGE - 1) & ~(uint64_t)(HAL_PAGE - 1))) {
        return -EINVAL;
    }
    m = g_new0(struct board_mem, 1);
    err =
        hal_mem_alloc(b->hal, (enum hal_mem_kind)kind, size, align, (void *)(uintptr_t)at, &m->mem);
    if (err) {
        g_free(m);
        return err;
    }
    mem_report(&m->mem, value);
    g_hash_table_insert(b->mems, key_of(m->mem.id), m);
    client_hold(c, m);
    return 0;
}

static int64_t do_free(struct board_client *c, const uint64_t *arg)
{
    struct board_mem *m = mem_find(c, arg[0]);
    uintptr_t held;

    if (!m) {
        return -EINVAL;
    }
    held = (uintptr_t)g_hash_table_lookup(c->holds, key_of(arg[0]));
    if (held > 1) {
        g_hash_table_insert(c->holds, key_of(arg[0]), key_of(held - 1));
    } else {
        g_hash_table_remove(c->holds, key_of(arg[0]));
    }
    mem_drop(c->board, m);
    return 0;
}

/* --- addresses -------------------------------------------------------------------------------- */

static int64_t do_va_reserve(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    void *va;

    if (arg[0] == 0 || arg[0] % HAL_PAGE || arg[0] > c->board->arena_bytes ||
        (arg[1] & (arg[1] - 1))) {
        return -EINVAL;
    }
    va = hal_va_reserve(c->board->hal, arg[0], arg[1], (void *)(uintptr_t)arg[2]);
    if (!va) {
        return -ENOMEM;
    }
    g_hash_table_insert(c->reserved, va, (gpointer)(uintptr_t)arg[0]);
    value[0] = (uintptr_t)va;
    return 0;
}

static bool place_has_own(struct board_client *c, uint64_t at, uint64_t bytes)
{
    GHashTableIter it;
    gpointer id;
    bool any = false;

    g_hash_table_iter_init(&it, c->holds);
    while (!any && g_hash_table_iter_next(&it, &id, NULL)) {
        const struct board_mem *m = g_hash_table_lookup(c->board->mems, id);

        any = requests_memory_overlap(at, bytes, (uintptr_t)m->mem.cpu, m->mem.size);
    }
    return any;
}

static void reserved_leave(struct board *b, uint64_t va, uint64_t bytes)
{
    if (place_has_memory(b, va, bytes)) { /* of a program that has imported it */
        g_hash_table_insert(b->left, key_of(va), key_of(bytes));
    } else {
        hal_va_release(b->hal, key_of(va), bytes);
    }
}

static int64_t do_va_release(struct board_client *c, const uint64_t *arg)
{
    gpointer va = (gpointer)(uintptr_t)arg[0];

    if (arg[1] == 0 || (uintptr_t)g_hash_table_lookup(c->reserved, va) != arg[1]) {
        return -EINVAL;
    }
    if (place_has_own(c, arg[0], arg[1])) {
        return -EBUSY;
    }
    g_hash_table_remove(c->reserved, va);
    reserved_leave(c->board, arg[0], arg[1]);
    return 0;
}

/* --- the SMMU --------------------------------------------------------------------------------- */

static int64_t do_iommu_map(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    struct board_mem *m = mem_find(c, arg[1]);
    int err;

    if (!is_served(arg[0]) || !m || arg[4] > HAL_PROT_WRITE) {
        return -EINVAL;
    }
    if (is_engine(arg[0]) && c->board->unit[arg[0]] != c->number) {
        return -EPERM;
    }
    err = hal_iommu_map(c->board->hal, (enum unit_id)arg[0], &m->mem, arg[2], arg[3],
                        (enum hal_prot)arg[4], &value[0]);
    if (!err) {
        g_hash_table_insert(c->mapped, key_of(value[0] | arg[0]), key_of(arg[3]));
    }
    return err;
}

static int64_t do_iommu_unmap(struct board_client *c, const uint64_t *arg)
{
    gpointer key = key_of(arg[1] | arg[0]);

    if (!is_served(arg[0]) || arg[1] % HAL_PAGE || arg[2] == 0 ||
        (uintptr_t)g_hash_table_lookup(c->mapped, key) != arg[2]) {
        return -EINVAL;
    }
    g_hash_table_remove(c->mapped, key);
    hal_iommu_unmap(c->board->hal, (enum unit_id)arg[0], arg[1], arg[2]);
    return 0;
}

static int64_t do_iommu_fault(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    struct hal_iommu_fault fault;

    if (!is_engine(arg[0]) || c->board->unit[arg[0]] != c->number ||
        !hal_iommu_fault(c->board->hal, (enum unit_id)arg[0], &fault)) {
        return 0;
    }
    value[0] = g_ascii_strtoull(fault.smmu, NULL, 16);
    value[1] = fault.fsr | (uint64_t)fault.fsynr << 32;
    value[2] = fault.cbfrsynra | (uint64_t)fault.cb << 32;
    value[3] = fault.iova;
    value[4] = (fault.write ? 1 : 0) | (fault.multiple ? 2 : 0);
    return 1;
}

static int64_t do_iommu_syncpt(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    if (!is_served(arg[0]) || arg[1] > UINT32_MAX) {
        return -EINVAL;
    }
    if (is_engine(arg[0]) && c->board->unit[arg[0]] != c->number) {
        return -EPERM;
    }
    return hal_iommu_syncpt(c->board->hal, (enum unit_id)arg[0], (uint32_t)arg[1], &value[0]);
}

/* --- from one program to another -------------------------------------------------------------- */

static void pass_drop(struct board *b, struct board_pass *p)
{
    struct board_mem *m = p->mem ? g_hash_table_lookup(b->mems, key_of(p->mem)) : NULL;

    if (m) {
        mem_drop(b, m);
    }
    if (p->syncpt) {
        syncpt_unpass(b, p->syncpt);
    }
    g_hash_table_remove(b->passes, p);
}

/* A number that no other program can guess. */
static bool token_make(uint64_t token[2])
{
    return getrandom(token, 2 * sizeof(token[0]), 0) == 2 * sizeof(token[0]);
}

/* Rights: an importer's are no greater than the exporter's. */
static int64_t do_export(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    struct board *b = c->board;
    struct board_mem *m = mem_find(c, arg[0]);
    uint64_t rights = arg[2] & ~(uint64_t)BOARD_OFTEN;
    struct board_pass *p;

    if ((arg[0] && !m) || arg[1] >= b->profile->host1x.syncpts || (!arg[0] && !arg[1]) || !rights ||
        rights > (HAL_RIGHT_READ | HAL_RIGHT_WRITE) ||
        (arg[1] && !may_use(c, (uint32_t)arg[1], (uint32_t)rights))) {
        return -EINVAL;
    }
    if (c->passes >= PASSES_MAX) {
        return -ENOSPC;
    }
    p = g_new0(struct board_pass, 1);
    *p = (struct board_pass){ .exporter = c->number,
                              .mem = (uint32_t)arg[0],
                              .syncpt = (uint32_t)arg[1],
                              .rights = (uint32_t)rights,
                              .often = arg[2] & BOARD_OFTEN,
                              .note = { arg[3], arg[4] } };
    if (!token_make(p->token)) {
        g_free(p);
        return -EAGAIN;
    }
    if (m) {
        m->holds++;
    }
    if (p->syncpt) {
        b->syncpt[p->syncpt].passes++;
    }
    c->passes++;
    g_hash_table_add(b->passes, p);
    memcpy(value, p->token, sizeof(p->token));
    return 0;
}

static struct board_pass *pass_find(const struct board *b, const uint64_t token[2])
{
    GHashTableIter it;
    gpointer value;

    g_hash_table_iter_init(&it, b->passes);
    while (g_hash_table_iter_next(&it, &value, NULL)) {
        struct board_pass *p = value;

        if (p->token[0] == token[0] && p->token[1] == token[1]) {
            return p;
        }
    }
    return NULL;
}

static void pass_end(struct board *b, struct board_pass *p)
{
    for (guint i = 0; i < b->clients->len; i++) {
        struct board_client *exporter = b->clients->pdata[i];

        exporter->passes -= exporter->number == p->exporter;
    }
    pass_drop(b, p);
}

static int64_t do_import(struct board_client *c, const uint64_t *arg, uint64_t *value)
{
    struct board *b = c->board;
    struct board_pass *p = pass_find(b, arg);
    struct board_mem *m;

    if (!p) {
        return -ENOENT;
    }
    if (arg[2] & ~(uint64_t)p->rights) {
        return -EACCES;
    }
    m = p->mem ? g_hash_table_lookup(b->mems, key_of(p->mem)) : NULL;
    if (m) {
        mem_report(&m->mem, value);
        if (!client_holds(c, m->mem.id)) {
            import_report(c, &m->mem);
        }
        client_hold(c, m);
    }
    if (p->syncpt) {
        syncpt_use(c, p->syncpt, p->rights);
    }
    value[5] |= (uint64_t)p->rights << 8 | (uint64_t)p->syncpt << 32 | (p->often ? BOARD_OFTEN : 0);
    value[6] = p->note[0];
    value[7] = p->note[1];
    if (!p->often) {
        pass_end(b, p);
    }
    return 0;
}

static int64_t do_unexport(struct board_client *c, const uint64_t *arg)
{
    struct board_pass *p = pass_find(c->board, arg);

    if (!p || p->exporter != c->number) {
        return -ENOENT;
    }
    pass_end(c->board, p);
    return 0;
}

/* --- all of them ------------------------------------------------------------------------------ */

int64_t request_memory(struct board_client *c, const struct board_request *r, uint64_t *value)
{
    switch (r->op) {
    case BOARD_ALLOC:
        return do_alloc(c, r->arg, value);
    case BOARD_FREE:
        return do_free(c, r->arg);
    case BOARD_VA_RESERVE:
        return do_va_reserve(c, r->arg, value);
    case BOARD_VA_RELEASE:
        return do_va_release(c, r->arg);
    case BOARD_IOMMU_MAP:
        return do_iommu_map(c, r->arg, value);
    case BOARD_IOMMU_UNMAP:
        return do_iommu_unmap(c, r->arg);
    case BOARD_IOMMU_SYNCPT:
        return do_iommu_syncpt(c, r->arg, value);
    case BOARD_IOMMU_FAULT:
        return do_iommu_fault(c, r->arg, value);
    case BOARD_EXPORT:
        return do_export(c, r->arg, value);
    case BOARD_UNEXPORT:
        return do_unexport(c, r->arg);
    default:
        return do_import(c, r->arg, value);
    }
}

static void passes_leave(struct board_client *c)
{
    struct board *b = c->board;
    GList *all = g_hash_table_get_keys(b->passes);

    for (GList *i = all; i; i = i->next) {
        if (((struct board_pass *)i->data)->exporter == c->number) {
            pass_drop(b, i->data);
        }
    }
    g_list_free(all);
}

/* What no other program has goes back. */
void memory_leave(struct board_client *c)
{
    struct board *b = c->board;
    GHashTableIter it;
    gpointer key, value;

    passes_leave(c);
    g_hash_table_iter_init(&it, c->mapped);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        hal_iommu_unmap(b->hal, (enum unit_id)((uintptr_t)key % HAL_PAGE),
                        (uintptr_t)key & ~(uintptr_t)(HAL_PAGE - 1), (uintptr_t)value);
    }
    g_hash_table_iter_init(&it, c->holds);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        for (uintptr_t n = (uintptr_t)value; n > 0; n--) {
            mem_drop(b, g_hash_table_lookup(b->mems, key));
        }
    }
    g_hash_table_remove_all(c->holds);
    g_hash_table_iter_init(&it, c->reserved);
    while (g_hash_table_iter_next(&it, &key, &value)) {
        reserved_leave(b, (uintptr_t)key, (uintptr_t)value);
    }
}
