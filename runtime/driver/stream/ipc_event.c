/* SPDX-License-Identifier: MIT */
/* What processes write into the page is never trusted: numbers are bounded, and a syncpoint of
 * another process is what the board says that its token stands for. */
#include "runtime/driver/stream/ipc_event.h"

#include <string.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/stream/stream_internal.h"
#include "runtime/observe/range.h"

/**
 * struct ipc_event - of this process
 * @token: of the page, if it is @exported
 * @own: number of the newest record that was made here through this event; @last: its end
 */
struct ipc_event {
    struct hal_mem page;
    uint64_t token[2];
    bool exported, imported;
    uint64_t own;
    struct fence last;
};

#define RECORDS 16u /* a reader is not so far behind that its record is written anew */
#define TRIES 100u

/**
 * struct record
 * @done, @time_ns: the channel's: @number when the work is done
 * @number: of the record; 0: it is being written
 * @process, @syncpt: of the recording process; @token: what others import the syncpoint with
 */
struct record {
    uint64_t done, time_ns, number;
    uint32_t process, syncpt, threshold, reserved;
    uint64_t token[2];
};

struct page {
    uint64_t given, newest; /* numbers: that were begun, that can be read */
    struct record record[RECORDS];
};
_Static_assert(sizeof(struct page) <= HAL_PAGE, "one page");

static struct page *page_of(const struct ipc_event *e)
{
    return e->page.cpu;
}

static struct record *record_of(const struct ipc_event *e, uint64_t number)
{
    return &page_of(e)->record[number % RECORDS];
}

/* --- syncpoints of other processes ------------------------------------------------------------ */

/* Held until they have reached what a stream or a thread may wait for: no other program becomes
 * their owner meanwhile. */
struct foreign {
    uint64_t token[2];
    struct fence fence;
};

static GArray *foreigns;

static void foreigns_reap(void)
{
    for (guint i = foreigns ? foreigns->len : 0; i > 0; i--) {
        struct fence fence = g_array_index(foreigns, struct foreign, i - 1).fence;

        if (fence_reached(fence)) {
            g_array_remove_index_fast(foreigns, i - 1);
            syncpt_give(fence.id);
        }
    }
}

static struct foreign *foreign_find(const uint64_t token[2])
{
    for (guint i = 0; foreigns && i < foreigns->len; i++) {
        struct foreign *f = &g_array_index(foreigns, struct foreign, i);

        if (!memcmp(f->token, token, sizeof(f->token))) {
            return f;
        }
    }
    return NULL;
}

/* Imported each time: only so the board says that the process is still there. Return: false: it has
 * ended, or has given the syncpoint back. */
static bool foreign_hold(const uint64_t token[2], uint32_t threshold, struct fence *fence)
{
    struct foreign new = { { token[0], token[1] }, { 0, threshold } }, *f;
    struct hal_pass pass;

    foreigns_reap();
    if (hal_import(core_hal(), token, HAL_RIGHT_READ, &pass)) {
        return false;
    }
    if (pass.mem.id) { /* of something else */
        hal_mem_free(core_hal(), &pass.mem);
        syncpt_give(pass.syncpt);
        return false;
    }
    check_foreign(core_check());
    *fence = (struct fence){ pass.syncpt, threshold };
    f = foreign_find(token);
    if (f) {
        syncpt_give(pass.syncpt); /* once is enough */
        f->fence.threshold += (uint32_t)MAX((int32_t)(threshold - f->fence.threshold), 0);
        return true;
    }
    new.fence.id = pass.syncpt;
    foreigns = foreigns ? foreigns : g_array_new(FALSE, FALSE, sizeof(struct foreign));
    g_array_append_val(foreigns, new);
    return true;
}

/* --- pages ------------------------------------------------------------------------------------ */

static GPtrArray *dying; /* struct ipc_event: their channels still write */

static void page_free(struct ipc_event *e)
{
    for (unsigned i = 0; i < context_count(); i++) {
        as_unmap(context_nth(i), &e->page);
    }
    room_give(HAL_MEM_KERNEL, e->page.size);
    hal_mem_free(core_hal(), &e->page);
    g_free(e);
}

static void dying_reap(void)
{
    for (guint i = dying ? dying->len : 0; i > 0; i--) {
        struct ipc_event *e = dying->pdata[i - 1];

        if (fence_reached(e->last)) {
            g_ptr_array_remove_index_fast(dying, i - 1);
            page_free(e);
        }
    }
}

struct ipc_event *ipc_event_new(void)
{
    struct ipc_event *e = g_new0(struct ipc_event, 1);

    dying_reap();
    if (hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, HAL_PAGE, HAL_PAGE, NULL, &e->page)) {
        g_free(e);
        return NULL;
    }
    room_take(HAL_MEM_KERNEL, e->page.size);
    return e;
}

struct ipc_event *ipc_event_imported(const struct hal_mem *page)
{
    struct ipc_event *e;

    if (!page->id || page->kind != HAL_MEM_KERNEL || page->size != HAL_PAGE) {
        return NULL;
    }
    e = g_new0(struct ipc_event, 1);
    e->page = *page;
    e->imported = true;
    room_take(HAL_MEM_KERNEL, e->page.size);
    return e;
}

void ipc_event_free(struct ipc_event *e)
{
    if (e->exported) {
        hal_unexport(core_hal(), e->token);
    }
    foreigns_reap();
    dying_reap();
    if (fence_reached(e->last)) {
        page_free(e);
    } else {
        dying = dying ? dying : g_ptr_array_new();
        g_ptr_array_add(dying, e);
    }
}

bool ipc_event_foreign(const struct ipc_event *e)
{
    return e->imported;
}

int ipc_event_export(struct ipc_event *e, uint64_t token[2])
{
    const struct hal_pass pass = { .mem = e->page,
                                   .rights = HAL_RIGHT_READ | HAL_RIGHT_WRITE,
                                   .often = true };
    int err = e->exported ? 0 : hal_export(core_hal(), &pass, e->token);

    e->exported |= !err;
    memcpy(token, e->token, sizeof(e->token));
    return err;
}

/* --- records ---------------------------------------------------------------------------------- */

static uint32_t this_process(void)
{
    uint64_t board;
    uint32_t process = 0;

    hal_shared_board(core_hal(), &board, &process);
    return process;
}

CUresult ipc_event_map(const struct ipc_event *e, struct context *c)
{ /* again and again: the entries stay the same */
    return as_map(c, &e->page, false) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

uint64_t ipc_event_push(struct ipc_event *e, struct push *p)
{
    uint64_t number = __atomic_add_fetch(&page_of(e)->given, 1, __ATOMIC_ACQ_REL);
    uint64_t offset = (uint64_t)((uint8_t *)&record_of(e, number)->done - (uint8_t *)e->page.cpu);

    push_method(p, 0, HOST_WFI, 0);
    push_semaphore(p, as_va(&e->page) + offset, number,
                   SEM_OP_RELEASE | SEM_EXECUTE_PAYLOAD_64 | SEM_EXECUTE_TIMESTAMP);
    return number;
}

/* In an order in which a process may be killed anywhere: @newest never names half a record. */
void ipc_event_publish(struct ipc_event *e, uint64_t number, struct fence fence)
{
    struct record *r = record_of(e, number);
    uint64_t newest = __atomic_load_n(&page_of(e)->newest, __ATOMIC_ACQUIRE);

    __atomic_store_n(&r->number, 0, __ATOMIC_SEQ_CST);
    r->process = this_process();
    r->syncpt = fence.id;
    r->threshold = fence.threshold;
    if (!syncpt_share(fence.id, r->token)) {
        memset(r->token, 0, sizeof(r->token));
    }
    __atomic_store_n(&r->number, number, __ATOMIC_SEQ_CST);
    while (newest < number &&
           !__atomic_compare_exchange_n(&page_of(e)->newest, &newest, number, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    e->own = number;
    e->last = fence;
}

static bool is_done(const struct record *r, uint64_t number)
{
    return __atomic_load_n(&r->done, __ATOMIC_ACQUIRE) == number;
}

/* Is @copy what record @number says? */
static bool record_read(const struct ipc_event *e, uint64_t number, struct record *copy)
{
    const struct record *r = record_of(e, number);

    if (__atomic_load_n(&r->number, __ATOMIC_SEQ_CST) != number) {
        return false;
    }
    memcpy(copy, r, sizeof(*copy));
    return __atomic_load_n(&r->number, __ATOMIC_SEQ_CST) == number;
}

static bool ipc_event_pending(const struct record *r, struct fence *fence)
{
    if (r->process == this_process()) {
        *fence = (struct fence){ r->syncpt, r->threshold };
        return r->syncpt && r->syncpt < board_profile()->host1x.syncpts;
    }
    return foreign_hold(r->token, r->threshold, fence);
}

/* The channel need not wait, and the CPU neither; that the work is over is what the application was
 * told. */
static enum ipc_state ipc_event_done(const struct record *r)
{
    hal_note(core_hal(), HAL_NOTE_WAITED, r->syncpt, r->threshold);
    return IPC_DONE;
}

enum ipc_state ipc_event_state(struct ipc_event *e, struct fence *fence)
{
    struct record r;

    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t newest = __atomic_load_n(&page_of(e)->newest, __ATOMIC_SEQ_CST);

        if (!newest) {
            return IPC_NEVER;
        }
        if (newest == e->own) {
            return IPC_OWN;
        }
        if (!record_read(e, newest, &r)) { /* there is a newer one */
            continue;
        }
        if (is_done(record_of(e, newest), newest)) {
            return ipc_event_done(&r);
        }
        if (ipc_event_pending(&r, fence)) {
            return IPC_PENDING;
        }
        if (is_done(record_of(e, newest), newest)) { /* meanwhile, and then its process has ended */
            return ipc_event_done(&r);
        }
        if (__atomic_load_n(&page_of(e)->newest, __ATOMIC_SEQ_CST) == newest) {
            return IPC_LOST;
        }
    }
    return IPC_LOST;
}
