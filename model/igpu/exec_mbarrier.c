/* SPDX-License-Identifier: MIT */
/* mbarrier, and cp.async.bulk: PTX ISA 9.7.13.15, 9.7.9.25.4. Lanes go one by one, the lowest
 * first. */
#include "model/igpu/mbarrier.h"
#include "model/igpu/race/race.h"
#include "model/igpu/sm_mem.h"

static u64 mbarrier_address(const struct ptx_uop *u, uint8_t *rf, u32 lane)
{
    return u->flags & PTX_MEM_A32 ? (u32)(SLOT(u32, u->a)[lane] + (u32)u->imm)
                                  : SLOT(u64, u->a)[lane] + (u64)u->imm;
}

/* An object, in the shared memory of @block */
struct object {
    uint8_t *p;
    struct block *block;
};

static u64 object_offset(const struct object *o)
{
    return (u64)(o->p - o->block->shared);
}

/* Where @lane's object at @va is; @shared: which is an address of shared memory. Return: false
 * after sm_fault() */
static bool object_at(struct warp *w, const struct ptx_uop *u, u32 lane, u64 va, bool shared,
                      struct object *o)
{
    u64 at = shared ? va : va - w->grid->desc.shared_window;

    if (va % MBARRIER_BYTES) {
        sm_fault(w, u, GRID_FAULT_MISALIGNED, lane, va, MBARRIER_BYTES, true,
                 "address is not a multiple of the access size");
        return false;
    }
    o->p = cluster_place(w->block, at, MBARRIER_BYTES, &o->block);
    if (!o->p) {
        sm_fault(w, u, GRID_FAULT_SHARED_RANGE, lane, va, MBARRIER_BYTES, true,
                 cluster_reason(w->block, at));
    }
    return o->p;
}

static bool object_find(struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane,
                        struct object *o)
{
    return object_at(w, u, lane, mbarrier_address(u, rf, lane), u->flags & PTX_MBARRIER_SHARED, o);
}

/* What an operation at @va left behind; @rule: the one it broke. Return: false after sm_fault() */
static bool object_store(struct warp *w, const struct ptx_uop *u, u64 va, u32 lane, uint8_t *p,
                         u64 before, u64 now, const char *rule)
{
    if (rule) {
        sm_fault(w, u, GRID_FAULT_MBARRIER, lane, va, MBARRIER_BYTES, true, rule);
        return false;
    }
    if (now != before) {
        memcpy(p, &now, sizeof(now));
        w->effects++;
        w->grid->effects++;
    }
    return true;
}

/* One lane's operation on its object. Return: false after sm_fault() */
typedef const char *object_operation(const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 *word);

static object_operation init, exec_arrive;

/* What an operation orders: an arrival, and the end of a phase by it */
static void object_order(struct warp *w, const struct ptx_uop *u, u32 lane, const struct object *o,
                         u64 changed, object_operation *operation)
{
    if (operation == exec_arrive) {
        race_mbarrier_arrive(w, u, lane, o->block, object_offset(o));
    }
    if ((changed & MBARRIER_PHASE) && operation != init) {
        race_mbarrier_complete(o->block, object_offset(o));
    }
}

static const struct ptx_uop *objects_change(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                            u32 m, object_operation *operation)
{
    LANES_OF(m)
    {
        struct object o;
        u64 word, before;
        const char *rule;

        if (!object_find(w, u, rf, l, &o)) {
            return u;
        }
        memcpy(&word, o.p, sizeof(word));
        before = word;
        rule = operation(u, rf, l, &word);
        if (!object_store(w, u, mbarrier_address(u, rf, l), l, o.p, before, word, rule)) {
            return u;
        }
        if (w->grid->race) {
            object_order(w, u, l, &o, before ^ word, operation);
        }
    }
    return u + 1;
}

static const char *init(const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 *word)
{
    return mbarrier_init(word, SLOT(u32, u->b)[lane]);
}

static const char *exec_inval(__attribute__((unused)) const struct ptx_uop *u,
                              __attribute__((unused)) uint8_t *rf, __attribute__((unused)) u32 lane,
                              u64 *word)
{
    return mbarrier_inval(word);
}

static const char *exec_transaction(const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 *word)
{
    u32 bytes = SLOT(u32, u->b)[lane];

    return u->sub ? mbarrier_complete(word, bytes) : mbarrier_expect(word, bytes);
}

static const char *exec_arrive(const struct ptx_uop *u, uint8_t *rf, u32 lane, u64 *word)
{
    struct mbarrier_arrival a = {
        .count = SLOT(u32, u->b)[lane],
        .bytes = u->flags & PTX_MBARRIER_TX ? SLOT(u32, u->c)[lane] : 0,
        .drop = u->flags & PTX_MBARRIER_DROP,
        .no_complete = u->flags & PTX_MBARRIER_NO_COMPLETE,
        .inc = u->flags & PTX_MBARRIER_INC,
    };
    u64 state = 0;
    const char *rule = mbarrier_arrive(word, &a, &state);

    if (!rule && (u->flags & PTX_MBARRIER_STATE)) {
        SLOT(u64, u->d)[lane] = state;
    }
    return rule;
}

HANDLER(MBARRIER_INIT)
{
    return objects_change(w, u, rf, m, init);
}

HANDLER(MBARRIER_INVAL)
{
    return objects_change(w, u, rf, m, exec_inval);
}

HANDLER(MBARRIER_TX)
{
    return objects_change(w, u, rf, m, exec_transaction);
}

HANDLER(MBARRIER_ARRIVE)
{
    w->grid->stats.barriers++;
    return objects_change(w, u, rf, m, exec_arrive);
}

/* A wait that was in vain is as good as nanosleep: lanes and warps that may arrive come first. */
static const struct ptx_uop *wait_again(struct warp *w, const struct ptx_uop *u)
{
    w->grid->vain_waits++;
    w->quota = 0;
    if (!warp_runnable(w)) { /* no other fragment */
        w->turn_insts = 0;
    }
    return warp_leave(w, u + 1, EVENT_NONE);
}

HANDLER(MBARRIER_WAIT)
{
    u32 complete = 0;

    LANES_OF(m)
    {
        struct object o;
        bool done = false;
        u64 word;
        const char *rule;

        if (!object_find(w, u, rf, l, &o)) {
            return u;
        }
        memcpy(&word, o.p, sizeof(word));
        rule = u->flags & PTX_MBARRIER_PARITY
                   ? mbarrier_test_parity(word, SLOT(u32, u->b)[l], &done)
                   : mbarrier_test(word, SLOT(u64, u->b)[l], &done);
        if (!object_store(w, u, mbarrier_address(u, rf, l), l, o.p, word, word, rule)) {
            return u;
        }
        complete |= done ? 1u << l : 0;
        if (w->grid->race && done) {
            race_mbarrier_wait(w, u, l, o.block, object_offset(&o));
        }
    }
    pred_write(rf, u->d, m, complete);
    return complete == m ? u + 1 : wait_again(w, u);
}

HANDLER(MBARRIER_PENDING)
{
    LANES_OF(m)
    {
        SLOT(u32, u->d)[l] = mbarrier_pending(SLOT(u64, u->a)[l]);
    }
    return u + 1;
}

/* --- bulk copies (9.7.9.25.4), whose bytes an mbarrier may count --- */

#define BULK_EACH 16u /* 9.7.9.25.4.1: addresses and the size are multiples of it */
#define BULK_ROOM 256u

/* @from: by generic addresses. Return: false after sm_fault() */
static bool bulk_bytes(struct warp *w, const struct ptx_uop *u, u32 lane, u64 to, u64 from,
                       u32 bytes)
{
    uint8_t room[BULK_ROOM];

    for (u32 at = 0, n; at < bytes; at += n) {
        n = bytes - at < BULK_ROOM ? bytes - at : BULK_ROOM;
        if (!sm_read(w, u, lane, from + at, room, n) || !sm_write(w, u, lane, to + at, room, n)) {
            return false;
        }
    }
    return true;
}

static u64 bulk_mbarrier(const struct ptx_uop *u, uint8_t *rf, u32 lane)
{
    return u->flags & PTX_BULK_MBARRIER_A32 ? SLOT(const u32, u->e)[lane]
                                            : SLOT(const u64, u->e)[lane];
}

/* @lane has copied @bytes, which the object at @va counts. Return: false after sm_fault() */
static bool mbarrier_copied(struct warp *w, const struct ptx_uop *u, u32 lane, u64 va, u32 bytes)
{
    struct object o;
    u64 word, before;
    const char *rule;

    if (!object_at(w, u, lane, va, true, &o)) {
        return false;
    }
    memcpy(&word, o.p, sizeof(word));
    before = word;
    rule = mbarrier_complete(&word, bytes);
    if (!object_store(w, u, va, lane, o.p, before, word, rule)) {
        return false;
    }
    if (w->grid->race) {
        object_order(w, u, lane, &o, before ^ word, exec_arrive);
    }
    return true;
}

HANDLER(CP_BULK)
{
    const bool to_shared = u->flags & PTX_BULK_TO_SHARED;
    const bool from_shared = u->flags & PTX_BULK_FROM_SHARED;
    const u64 window = w->grid->desc.shared_window;

    w->grid->stats.mem_insts++;
    LANES_OF(m)
    {
        const struct lane_copy c = lane_copy_take(u, rf, l);
        const u64 to = c.to, from = c.from;
        const u32 bytes = c.bytes;

        if ((to | from | bytes) % BULK_EACH) {
            return sm_fault(w, u, GRID_FAULT_MISALIGNED, l, to % BULK_EACH ? to : from, bytes,
                            false, "a bulk copy needs addresses and a size of 16 bytes each");
        }
        if (!bulk_bytes(w, u, l, to + (to_shared ? window : 0), from + (from_shared ? window : 0),
                        bytes)) {
            return u;
        }
        race_copy(w, u, l, false, from_shared, from, bytes);
        race_copy(w, u, l, true, to_shared, to, bytes);
        if (u->flags & PTX_BULK_MBARRIER &&
            !mbarrier_copied(w, u, l, bulk_mbarrier(u, rf, l), bytes)) {
            return u;
        }
        race_copied(w);
    }
    return u + 1;
}

/* st.async: a store that is done by the time the mbarrier has counted its bytes */
HANDLER(ST_ASYNC)
{
    const u32 bytes = (u32)u->vec * u->size;

    w->grid->stats.shared_insts++;
    LANES_OF(m)
    {
        u64 at = mbarrier_address(u, rf, l);
        u64 object = u->flags & PTX_STASYNC_A32 ? SLOT(const u32, u->target)[l]
                                                : SLOT(const u64, u->target)[l];
        uint8_t data[32];

        if (at % bytes) {
            return sm_fault(w, u, GRID_FAULT_MISALIGNED, l, at, bytes, true,
                            "address is not a multiple of the access size");
        }
        lane_store(u, rf, l, data);
        if (!sm_write(w, u, l, w->grid->desc.shared_window + at, data, bytes)) {
            return u;
        }
        race_copy(w, u, l, true, true, at, bytes);
        if (!mbarrier_copied(w, u, l, object, bytes)) {
            return u;
        }
        race_copied(w);
    }
    return u + 1;
}
