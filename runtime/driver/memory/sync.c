/* SPDX-License-Identifier: MIT */
/* Sync objects: a syncpoint counts the signals, 16 bytes of memory have the newest one's payload
 * and time.
 *
 * On a board, a semaphore is these bytes alone, and who waits for it looks at them. Here waits of
 * all kinds are waits for the syncpoint, which is incremented right behind the release of the
 * payload: a program cannot distinguish the two (inferred). */
#include "runtime/driver/memory/external_internal.h"

#include <errno.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/observe/range.h"

#define SLOTS (HAL_PAGE / sizeof(struct hal_signal_slot))

static GPtrArray *chunks;        /* struct sync_chunk */
static struct object_list syncs; /* struct rt_sync that have a number */
static uint32_t last_number;

static bool slot_in(struct rt_sync *s, struct sync_chunk *chunk)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (!(chunk->used[i / 64] >> i % 64 & 1)) {
            chunk->used[i / 64] |= UINT64_C(1) << i % 64;
            s->chunk = chunk;
            s->slot = i;
            return true;
        }
    }
    return false;
}

static bool slot_take(struct rt_sync *s)
{
    struct sync_chunk *chunk;

    for (guint i = 0; chunks && i < chunks->len; i++) {
        if (slot_in(s, g_ptr_array_index(chunks, i))) {
            return true;
        }
    }
    chunk = g_new0(struct sync_chunk, 1);
    if (hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, HAL_PAGE, HAL_PAGE, NULL, &chunk->mem)) {
        g_free(chunk);
        return false;
    }
    room_take(HAL_MEM_KERNEL, chunk->mem.size);
    chunks = chunks ? chunks : g_ptr_array_new();
    g_ptr_array_add(chunks, chunk);
    return slot_in(s, chunk);
}

static struct hal_signal_slot *slot_of(const struct rt_sync *s)
{
    return (struct hal_signal_slot *)s->chunk->mem.cpu + s->slot;
}

uint64_t sync_slot_offset(const struct rt_sync *s)
{
    return s->slot * sizeof(struct hal_signal_slot);
}

/* The board numbers its processes, and each its objects. */
static void number_take(struct rt_sync *s)
{
    uint64_t board;
    uint32_t process;

    if (hal_shared_board(core_hal(), &board, &process)) {
        s->number = (uint64_t)process << 32 | ++last_number;
        object_list_add(&syncs, &s->base);
    }
}

/* The first @n are not needed any more. */
static void signals_drop(struct rt_sync *s, guint n)
{
    for (guint i = 0; i < n; i++) {
        g_clear_pointer(&g_array_index(s->signals, struct sync_signal, i).known, g_array_unref);
    }
    if (n) {
        g_array_remove_range(s->signals, 0, n);
    }
}

/* How many of them are for @value or less. */
static guint signals_until(const struct rt_sync *s, uint64_t value)
{
    guint n = 0;

    while (n < s->signals->len && g_array_index(s->signals, struct sync_signal, n).value <= value) {
        n++;
    }
    return n;
}

void sync_signals_add(struct rt_sync *s, struct fence before, const GArray *known)
{
    struct sync_signal signal = { .value = s->target, .before = before };
    guint reached = signals_until(s, sync_reached(s));

    signals_drop(s, reached ? reached - 1 : 0);
    clock_merge(&signal.known, known);
    g_array_append_val(s->signals, signal);
}

void sync_known_add(const struct rt_sync *s, uint64_t value, GArray **known)
{
    guint n = signals_until(s, value);

    if (n) {
        const struct sync_signal *signal = &g_array_index(s->signals, struct sync_signal, n - 1);

        clock_add(known, signal->before);
        clock_merge(known, signal->known);
    }
}

bool sync_is_foreign(const struct rt_sync *s, uint64_t value)
{
    const GArray *all = s->signals;

    return rt_board_number() &&
           (!all->len || g_array_index(all, struct sync_signal, all->len - 1).value < value);
}

/* Contexts that have it mapped forget it: another process may get the page. */
static void chunk_leave(struct sync_chunk *chunk)
{
    for (unsigned i = 0; i < context_count(); i++) {
        as_unmap(context_nth(i), &chunk->mem);
    }
    hal_mem_free(core_hal(), &chunk->mem);
    g_free(chunk);
}

static void sync_end(void *object)
{
    struct rt_sync *s = object;

    /* A signal that was submitted still counts: the next owner must not see it. */
    if (s->chunk && sync_reached(s) >= s->target) {
        syncpt_give(s->syncpt);
        s->chunk->used[s->slot / 64] &= ~(UINT64_C(1) << s->slot % 64);
    }
    if (s->imported) {
        chunk_leave(s->chunk);
    }
    signals_drop(s, s->signals->len);
    g_array_unref(s->signals);
}

static const struct object_kind kind_of_syncs = { .name = "sync object", .end = sync_end };

static struct rt_sync *sync_make(enum rt_sync_kind kind, uint32_t syncpt)
{
    struct rt_sync *s = object_new(&kind_of_syncs, sizeof(*s), NULL);

    s->signals = g_array_new(FALSE, FALSE, sizeof(struct sync_signal));
    s->kind = kind;
    s->syncpt = syncpt;
    return s;
}

CUresult rt_sync_new(enum rt_sync_kind kind, struct rt_sync **out)
{
    struct rt_sync *s;
    CUresult error = rt_init(0);

    error = error ? error : core_enter_any();
    if (error) {
        return error;
    }
    s = sync_make(kind, syncpt_find(NULL));
    if (!s->syncpt || !slot_take(s)) {
        syncpt_give(s->syncpt);
        sync_unref(s);
        return core_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    s->start = syncpt_value(s->syncpt);
    *slot_of(s) = (struct hal_signal_slot){ 0 };
    number_take(s);
    *out = s;
    return core_leave(CUDA_SUCCESS);
}

enum rt_sync_kind sync_kind(const struct rt_sync *sync)
{
    return sync->kind;
}

uint32_t sync_syncpt(const struct rt_sync *sync)
{
    return sync->syncpt;
}

const struct hal_mem *sync_page(const struct rt_sync *sync)
{
    return &sync->chunk->mem;
}

void sync_ref(struct rt_sync *s)
{
    object_ref(&s->base);
}

void sync_unref(struct rt_sync *s)
{
    object_unref(&s->base);
}

struct rt_sync *rt_sync_ref(struct rt_sync *s)
{
    if (core_enter_any() == CUDA_SUCCESS) {
        sync_ref(s);
        core_leave(CUDA_SUCCESS);
    }
    return s;
}

void rt_sync_unref(struct rt_sync *s)
{
    if (s && core_enter_any() == CUDA_SUCCESS) {
        sync_unref(s);
        core_leave(CUDA_SUCCESS);
    }
}

enum rt_sync_kind rt_sync_kind(const struct rt_sync *s)
{
    return s->kind;
}

struct fence sync_fence(const struct rt_sync *s, uint64_t value)
{
    return (struct fence){ s->syncpt, s->start + (uint32_t)value };
}

/* The syncpoint has the low 32 bits. */
uint64_t sync_reached(struct rt_sync *s)
{
    s->reached += syncpt_value(s->syncpt) - (s->start + (uint32_t)s->reached);
    return s->reached;
}

uint64_t sync_next(struct rt_sync *s)
{
    s->engines = true;
    return ++s->target;
}

uint64_t rt_sync_next(struct rt_sync *s)
{
    uint64_t value = 0;

    if (core_enter_posted() == CUDA_SUCCESS) {
        value = ++s->target;
        core_leave(CUDA_SUCCESS);
    }
    return value;
}

uint64_t rt_sync_target(struct rt_sync *s)
{
    uint64_t value = 0;

    if (core_enter_posted() == CUDA_SUCCESS) {
        value = s->target;
        core_leave(CUDA_SUCCESS);
    }
    return value;
}

uint64_t rt_sync_value(struct rt_sync *s)
{
    uint64_t value = 0;

    if (core_enter_any() == CUDA_SUCCESS) {
        value = sync_reached(s);
        core_leave(CUDA_SUCCESS);
    }
    return value;
}

CUresult rt_sync_signal(struct rt_sync *s)
{
    CUresult error = core_enter_posted();

    if (error) {
        return error;
    }
    shared_flush_signalled();
    wait_acted(); /* they come as far as the lock */
    s->reached = hal_signal(core_hal(), s->syncpt, slot_of(s), s->reached, s->start, !s->engines);
    s->target = MAX(s->target, s->reached);
    return core_leave(CUDA_SUCCESS);
}

CUresult sync_map(struct context *c, const struct rt_sync *s)
{ /* again and again: the entries stay the same */
    return as_map(c, &s->chunk->mem, false) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

void sync_push_signal(struct push *p, const struct rt_sync *s, uint64_t value)
{
    push_semaphore(p, as_va(&s->chunk->mem) + sync_slot_offset(s), value,
                   SEM_OP_RELEASE | SEM_EXECUTE_PAYLOAD_64 | SEM_EXECUTE_TIMESTAMP);
    push_inc(p, 0, HOST_SYNCPOINTA, (uint32_t[]){ 0, SYNCPT_INCR(s->syncpt) }, 2);
}

/* No time of the program's is 0. */
uint64_t rt_sync_time_us(struct rt_sync *s, uint64_t value)
{
    const struct hal_signal_slot *slot;
    uint64_t us = 0;

    if (core_enter_any() != CUDA_SUCCESS) {
        return 0;
    }
    slot = slot_of(s);
    if (value && sync_reached(s) >= value && (uint32_t)slot->payload == (uint32_t)value) {
        us = MAX(slot->time_ns / 1000, 1);
    }
    core_leave(CUDA_SUCCESS);
    return us;
}

int rt_sync_wait(struct rt_sync *s, uint64_t value, int64_t timeout_us)
{
    CUresult error = core_enter_posted();
    struct fence fence;
    GArray *known = NULL;
    bool looks, held = false; /* @looks: the wait does: one request less */
    int r;

    if (error) {
        return -EIO;
    }
    looks = wait_looks(timeout_us) && value > s->reached && value - s->reached <= INT32_MAX;
    if (!looks && sync_reached(s) >= value) {
        fence = sync_fence(s, value);
        r = 0;
    } else if (value - s->reached > INT32_MAX) { /* no syncpoint can say so */
        core_leave(CUDA_SUCCESS);
        return timeout_us < 0 ? -EDEADLK : -ETIMEDOUT;
    } else {
        fence = sync_fence(s, value);
        sync_ref(s); /* the lock may be free for a while */
        r = wait_limit(fence, timeout_us);
        held = true;
    }
    if (!r) {
        clock_add(&known, fence);
        if (sync_is_foreign(s, value)) {
            clock_add_published(&known);
        }
        sync_known_add(s, value, &known);
        clock_synced(known);
        g_array_unref(known);
    }
    if (held) {
        sync_unref(s); /* the program may have freed it meanwhile */
    }
    core_leave(CUDA_SUCCESS);
    return r;
}

void rt_sync_freed(struct rt_sync *s)
{
    if (core_enter_any() != CUDA_SUCCESS) {
        return;
    }
    if (s->imports) {
        report_finding(&check_rules[CHECK_RULE_EXTERNAL_FREED], 0, 0, 0, NULL,
                       "the NvSciSyncObj is freed while CUDA, cuDLA or NvMedia 2D uses it");
    }
    core_leave(CUDA_SUCCESS);
}

/* --- between processes ------------------------------------------------------------------------ */

uint64_t rt_sync_number(const struct rt_sync *s)
{
    return s->number;
}

CUresult rt_sync_export(struct rt_sync *s, uint32_t rights, uint64_t token[2])
{
    const struct hal_pass pass = {
        .mem = s->chunk->mem,
        .syncpt = s->syncpt,
        .rights = rights,
        .note = { s->number, (uint64_t)s->start << 32 | s->slot << 8 | s->kind },
    };
    CUresult error = core_enter_any();
    int err = error ? 0 : hal_export(core_hal(), &pass, token);

    if (!error && !err) {
        check_foreign(core_check());
    }
    return error ? error
                 : core_leave(!err              ? CUDA_SUCCESS
                              : err == -ENOTSUP ? CUDA_ERROR_NOT_SUPPORTED
                                                : CUDA_ERROR_OUT_OF_MEMORY);
}

/* What the exporter says of it may be wrong. */
static bool is_sensible(const struct hal_pass *pass)
{
    return pass->mem.id && pass->mem.kind == HAL_MEM_KERNEL && pass->mem.size == HAL_PAGE &&
           pass->syncpt && pass->note[0] && (pass->note[1] >> 8 & 0xffffff) < SLOTS &&
           (pass->note[1] & 0xff) <= RT_SYNC_SEMAPHORE64;
}

static struct rt_sync *sync_of(uint64_t number, uint32_t syncpt)
{
    for (struct rt_sync *s = object_first(&syncs); s; s = object_after(&s->base)) {
        if (s->number == number && s->syncpt == syncpt) {
            return s;
        }
    }
    return NULL;
}

static void give_back(const struct hal_pass *pass)
{
    if (pass->mem.id) {
        hal_mem_free(core_hal(), &pass->mem);
    }
    syncpt_give(pass->syncpt);
}

static struct rt_sync *sync_imported(const struct hal_pass *pass)
{
    struct rt_sync *s = sync_of(pass->note[0], pass->syncpt);

    if (s) {
        give_back(pass); /* once is enough */
        sync_ref(s);
        return s;
    }
    s = sync_make((enum rt_sync_kind)(pass->note[1] & 0xff), pass->syncpt);
    s->start = (uint32_t)(pass->note[1] >> 32);
    s->chunk = g_new0(struct sync_chunk, 1);
    s->chunk->mem = pass->mem;
    s->slot = (unsigned)(pass->note[1] >> 8 & 0xffffff);
    s->imported = true;
    s->number = pass->note[0];
    s->target = sync_reached(s);
    object_list_add(&syncs, &s->base);
    return s;
}

enum rt_import rt_sync_import(const uint64_t token[2], uint32_t *rights, struct rt_sync **out)
{
    struct hal_pass pass;
    int err;

    if (core_enter_any() != CUDA_SUCCESS) {
        return RT_IMPORT_FAILED;
    }
    err = hal_import(core_hal(), token, *rights, &pass);
    if (!err && !is_sensible(&pass)) {
        give_back(&pass);
        err = -ENOENT;
    }
    if (!err) {
        *rights = pass.rights;
        *out = sync_imported(&pass);
        check_foreign(core_check());
    }
    core_leave(CUDA_SUCCESS);
    return import_result(err);
}
