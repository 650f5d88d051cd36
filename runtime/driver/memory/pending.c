/* SPDX-License-Identifier: MIT */
/* Pinned memory and NvSciBuf buffers, which the CPU and engines may touch at the same time: CUDA
 * leaves them open and trusts the program to wait. Managed memory has rules of its own (managed.c);
 * here is only what a stream uses that it is not attached to.
 *
 * After the wait, too, an access is of interest where the L2 holds a line: a load finds old bytes
 * where the line is dirty, and after a store the line is old. So it is where pinned memory is not
 * cached, for its atomics. */
#include "runtime/driver/memory/pending.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/memory/external.h"
#include "runtime/driver/memory/planes.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/observe/closed.h"

/* Of work that was submitted, and that the CPU has not waited for. [@first, @end): pages. */
struct use {
    struct fence fence;
    uint32_t first, end;
    bool writes;
};

#define LINE_BYTES 128u    /* of the L2 */
#define LINES_LOOKED 4096u /* at most, after a wait */
#define REARMED_MOST 64u
#define ARGUMENT_WORDS 8u /* of what a host function's argument points to */

/* A host function that was queued; its end has not been waited for. */
struct function {
    struct fence end;
    bool begun;
};

/**
 * struct pending - one allocation
 * @functions: struct function; its argument leads here
 * @want: what each page is open for, enum closed_how (closed.h); @curious: the same, of interest
 *        without work on its way
 * @held: the L2 may hold lines of it; @past: an engine may have written under lines of the CPU
 * @lost: registered memory that the program has unmapped; it was reported
 * @rearmed: waits after which @curious was set, where it is not cached
 */
struct pending {
    struct closed *closed;
    struct hal_mem mem;
    GArray *uses, *functions;
    uint8_t *want, *curious;
    size_t pages;
    bool held, past, lost;
    unsigned rearmed;
};

static GHashTable *all; /* region's number -> struct pending */

static void pending_free(void *opaque)
{
    struct pending *p = opaque;

    closed_free(p->closed);
    g_array_free(p->uses, TRUE);
    g_array_free(p->functions, TRUE);
    g_free(p->want);
    g_free(p->curious);
    g_free(p);
}

/* What can be closed of the allocation, with where @r begins in that; NULL: its pages stay open. Of
 * an NvSciBuf buffer the GPU has a mapping apart, of registered memory some pages are closed. */
static const struct hal_mem *watched(const struct region *r, int64_t *begins)
{
    *begins = 0;
    if (r->shared) {
        const struct hal_mem *all_of_it = shared_mem(r->shared);

        *begins = (int64_t)(r->mem.bus - all_of_it->bus);
        return all_of_it;
    }
    if (r->mem.registered) {
        *begins = (int64_t)(r->mem.bus - r->adopted.bus);
        return r->adopted.size ? &r->adopted : NULL;
    }
    return (r->mem.kind == HAL_MEM_PINNED && !r->physical) ||
                   (r->mem.kind == HAL_MEM_MANAGED && !r->closed)
               ? &r->mem
               : NULL;
}

static void want_add(struct pending *p, const struct use *u)
{
    uint8_t how = u->writes ? CLOSED_SHUT : CLOSED_READABLE;

    for (uint32_t i = u->first; i < u->end; i++) {
        p->want[i] = MAX(p->want[i], how);
    }
}

/* What the L2 holds of a page; @step: lines from one that is looked at to the next. */
static uint8_t page_held(const struct pending *p, size_t page, unsigned step)
{
    const char *at = (const char *)p->mem.cpu + page * HAL_PAGE;
    uint8_t how = CLOSED_OPEN;

    for (unsigned i = 0; i < HAL_PAGE / LINE_BYTES && how != CLOSED_SHUT; i += step) {
        struct hal_line line;

        if (hal_line_state(core_hal(), at + (size_t)i * LINE_BYTES, &line) && line.l2_valid) {
            how = line.l2_dirty_bytes ? CLOSED_SHUT : CLOSED_READABLE;
        }
    }
    return how;
}

/* Closed until the function begins; then only where another thread has touched it meanwhile. */
static void curious_set(struct pending *p)
{
    g_autofree uint8_t *how = g_memdup2(p->curious, p->pages);
    bool queued = false;

    for (guint i = 0; i < p->functions->len; i++) {
        queued |= !g_array_index(p->functions, struct function, i).begun;
    }
    for (size_t i = 0; i < p->pages && p->functions->len; i++) {
        if (queued || closed_touched(p->closed, i)) {
            how[i] = CLOSED_SHUT;
        }
    }
    closed_curious(p->closed, how);
}

static void held_look(struct pending *p)
{
    size_t lines = p->pages * (HAL_PAGE / LINE_BYTES);
    size_t step = MIN(1 + lines / LINES_LOOKED, HAL_PAGE / LINE_BYTES);

    for (size_t i = 0; i < p->pages; i++) {
        p->curious[i] = page_held(p, i, (unsigned)step);
    }
    curious_set(p);
}

#define CPU_LINE_BYTES 64u

/* A line that the CPU holds, under which an engine has written past its caches, is old. */
static void past_look(struct pending *p)
{
    for (size_t i = 0; i < p->pages; i++) {
        const char *at = (const char *)p->mem.cpu + i * HAL_PAGE;

        p->curious[i] = CLOSED_OPEN;
        for (unsigned k = 0; k < HAL_PAGE / CPU_LINE_BYTES && !p->curious[i]; k++) {
            struct hal_line line;

            if (hal_line_state(core_hal(), at + (size_t)k * CPU_LINE_BYTES, &line) &&
                line.cpu_valid) {
                p->curious[i] = CLOSED_SHUT;
            }
        }
    }
    curious_set(p);
}

static void uncached_look(struct pending *p)
{
    if (p->rearmed < REARMED_MOST) {
        p->rearmed++;
        memset(p->curious, CLOSED_SHUT, p->pages);
        curious_set(p);
    }
}

static bool is_uncached(const struct pending *p)
{
    return p->mem.kind == HAL_MEM_PINNED && !p->mem.cpu_cached;
}

/* The CPU has waited, perhaps for work with it. */
static void waited_look(struct pending *p)
{
    if (is_uncached(p)) {
        uncached_look(p);
    } else if (p->past && !p->uses->len) {
        p->past = false;
        past_look(p);
    } else if (p->held && !p->uses->len) {
        p->held = false;
        held_look(p);
    }
}

static bool page_is_mapped(const struct pending *p, size_t page, size_t n)
{
    return msync((char *)p->mem.cpu + page * HAL_PAGE, n * HAL_PAGE, MS_ASYNC) == 0;
}

/* Of registered memory the engines have pages that stay: those of the program may be gone by now.
 */
static void lost_look(struct pending *p, const struct use *u)
{
    uint32_t page = u->first;

    if (!p->mem.registered || p->lost || page_is_mapped(p, u->first, u->end - u->first)) {
        return;
    }
    while (page + 1 < u->end && page_is_mapped(p, page, 1)) {
        page++;
    }
    p->lost = true;
    report_finding(&check_rules[CHECK_RULE_UNMAPPED_IN_USE], p->mem.id, 0,
                   (uintptr_t)p->mem.cpu + page * HAL_PAGE, NULL,
                   u->writes
                       ? "An engine may have written to memory that the program has unmapped: "
                         "its bytes are lost."
                       : "An engine read memory that the program has unmapped.");
}

static void pending_drop(struct pending *p)
{
    guint before = p->uses->len;

    for (guint i = before; i > 0; i--) {
        const struct use *u = &g_array_index(p->uses, struct use, i - 1);

        if (fence_waited(u->fence)) {
            lost_look(p, u);
            g_array_remove_index_fast(p->uses, i - 1);
        }
    }
    if (p->uses->len != before) {
        memset(p->want, CLOSED_OPEN, p->pages);
        for (guint i = 0; i < p->uses->len; i++) {
            want_add(p, &g_array_index(p->uses, struct use, i));
        }
        closed_set(p->closed, p->want);
    }
}

static void functions_drop(struct pending *p)
{
    guint before = p->functions->len;

    for (guint i = before; i > 0; i--) {
        if (fence_waited(g_array_index(p->functions, struct function, i - 1).end)) {
            g_array_remove_index_fast(p->functions, i - 1);
        }
    }
    if (before && !p->functions->len) {
        closed_touched_forget(p->closed);
        curious_set(p);
    }
}

static void pending_synced(void)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, all);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        pending_drop(value);
        functions_drop(value);
        waited_look(value);
    }
}

static void pending_gone(uint32_t id)
{
    if (all) {
        g_hash_table_remove(all, GUINT_TO_POINTER(id));
    }
}

/* Of a shared one other engines may have mappings. */
static void pending_region_gone(const struct region *r)
{
    if (!r->shared) {
        pending_gone(r->mem.id);
    }
}

/* @left: bytes of it that stay open beside @mem */
static struct pending *pending_of(const struct hal_mem *mem, size_t left)
{
    struct pending *p = all ? g_hash_table_lookup(all, GUINT_TO_POINTER(mem->id)) : NULL;
    void *alias = p ? NULL : hal_mem_alias(core_hal(), mem);
    struct closed *closed = alias ? closed_new(mem, alias) : NULL;

    if (!closed) {
        return p;
    }
    p = g_new0(struct pending, 1);
    p->closed = closed;
    p->uses = g_array_new(FALSE, FALSE, sizeof(struct use));
    p->functions = g_array_new(FALSE, FALSE, sizeof(struct function));
    p->pages = mem->size / HAL_PAGE;
    p->mem = *mem;
    p->want = g_malloc0(p->pages);
    p->curious = g_malloc0(p->pages);
    if (!all) {
        all = g_hash_table_new_full(NULL, NULL, NULL, pending_free);
        notify_synced_add(pending_synced);
        notify_region_gone_add(pending_region_gone);
    }
    g_hash_table_insert(all, GUINT_TO_POINTER(mem->id), p);
    check_region_watched(core_check(), mem->id, left);
    if (is_uncached(p)) {
        uncached_look(p);
    }
    return p;
}

void pending_managed_closes(const struct region *r)
{
    pending_gone(r->mem.id);
}

/* Pages that hold nothing but the application's range. */
static void region_adopt(struct region *r)
{
    uintptr_t base = (uintptr_t)r->mem.cpu, host = (uintptr_t)r->host;
    size_t first = (host + HAL_PAGE - 1 - base) / HAL_PAGE * HAL_PAGE;
    size_t end = (host + r->bytes - base) / HAL_PAGE * HAL_PAGE;
    bool adopted;

    if (first >= end || r->flags & CU_MEMHOSTREGISTER_READ_ONLY) {
        return;
    }
    closed_moving((char *)r->mem.cpu + first, end - first);
    adopted = hal_mem_adopt(core_hal(), &r->mem, first, end - first);
    closed_moving(NULL, 0);
    if (adopted) {
        r->adopted = r->mem;
        r->adopted.cpu = (char *)r->mem.cpu + first;
        r->adopted.bus += first;
        r->adopted.size = end - first;
    }
}

static size_t left_open(const struct region *r, const struct hal_mem *mem)
{
    return r->mem.registered ? r->bytes - mem->size : 0;
}

void pending_region_new(struct region *r)
{
    int64_t begins;
    const struct hal_mem *mem;

    if (!closed_wanted(core_check())) {
        return;
    }
    if (r->mem.registered) {
        region_adopt(r);
    }
    mem = watched(r, &begins);
    if (mem) {
        pending_of(mem, left_open(r, mem));
    }
}

/* Work of one channel runs in order: of two uses of the same pages the later one lasts longer. */
static void use_add(struct pending *p, const struct use *u)
{
    for (guint i = 0; i < p->uses->len; i++) {
        struct use *v = &g_array_index(p->uses, struct use, i);

        if (v->fence.id == u->fence.id && v->first == u->first && v->end == u->end &&
            v->writes == u->writes) {
            v->fence = u->fence;
            return;
        }
    }
    g_array_append_val(p->uses, *u);
    want_add(p, u);
    closed_set(p->closed, p->want);
}

static uint32_t page_up(int64_t at)
{
    return (uint32_t)((at + (int64_t)HAL_PAGE - 1) / (int64_t)HAL_PAGE);
}

/* A picture that CUDA has by an EGLImage. */
static void picture_used(const struct region *r, bool writes)
{
    if (r && r->shared && planes_used(r->shared, BUS_AGENT_IGPU, "the iGPU") && writes) {
        pending_shared_past(r->shared);
    }
}

static void region_used(const struct region *r, uint64_t at, uint64_t bytes, bool writes,
                        struct fence fence)
{
    uint64_t offset = r ? at - (uintptr_t)r->mem.cpu : 0;
    int64_t begins = 0, first, end;
    const struct hal_mem *mem = r ? watched(r, &begins) : NULL;
    struct pending *p;

    if (!mem || !bytes || offset >= r->mem.size || !closed_wanted(core_check())) {
        return;
    }
    first = MAX((int64_t)offset + begins, 0);
    end = MIN((int64_t)(offset + MIN(bytes, r->mem.size - offset)) + begins, (int64_t)mem->size);
    p = first < end ? pending_of(mem, left_open(r, mem)) : NULL;
    if (p) {
        p->held = p->mem.kind != HAL_MEM_PINNED && !board_profile()->rules.cpu_snoops_l2;
        use_add(p, &(struct use){ fence, (uint32_t)(first / HAL_PAGE), page_up(end), writes });
    }
}

static uint64_t extent(size_t pitch, size_t slice, const struct box *box)
{
    return (box->depth - 1) * slice + (box->height - 1) * pitch + box->width;
}

/* Managed memory has rules of its own (managed.c) where the CPU may not touch it while the GPU may:
 * elsewhere it is as pinned memory. */
static bool is_exclusive(const struct region *r)
{
    return r->mem.kind == HAL_MEM_MANAGED && !board_profile()->gpu.concurrent_managed_access;
}

static const struct region *unmanaged(const struct region *r)
{
    return r && !is_exclusive(r) ? r : NULL;
}

void pending_copy(const struct box *box, struct fence fence)
{
    if (box->width && box->height && box->depth) {
        picture_used(box->src_region, false);
        picture_used(box->dst_region, true);
        region_used(unmanaged(box->src_region), box->src,
                    extent(box->src_pitch, box->src_slice, box), false, fence);
        region_used(unmanaged(box->dst_region), box->dst,
                    extent(box->dst_pitch, box->dst_slice, box), true, fence);
    }
}

/* But for what the CPU keeps while a kernel of this stream runs, although that is given it. */
static bool is_left_to_managed(const struct region *r, struct fence fence)
{
    bool is_of_other = r->attach == CU_MEM_ATTACH_SINGLE && r->attach_channel &&
                       !channel_submitted(r->attach_channel, fence);

    return is_exclusive(r) && !is_of_other;
}

/* Pointers, also inside of structures that are passed by value. */
void pending_kernel(const void *params, size_t bytes, struct fence fence)
{
    for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
        struct region *r;
        uint64_t value;

        memcpy(&value, (const char *)params + i, sizeof(value));
        r = value >= HAL_PAGE ? region_at(value) : NULL;
        picture_used(r, true);
        if (r && !closed_wanted(core_check())) {
            continue;
        }
        if (r && is_left_to_managed(r, fence)) {
            clock_add(&r->kernels, fence);
        } else if (r) {
            region_used(r, (uintptr_t)r->mem.cpu, r->mem.size, true, fence);
        }
    }
}

static void used_by(const struct region *r, const GArray *fences)
{
    for (guint i = 0; fences && i < fences->len; i++) {
        struct fence fence = g_array_index(fences, struct fence, i);

        if (!fence_waited(fence)) {
            region_used(r, (uintptr_t)r->mem.cpu, r->mem.size, true, fence);
        }
    }
}

void pending_managed_opens(struct region *r)
{
    if (!closed_wanted(core_check())) {
        return;
    }
    used_by(r, r->kernels);
    used_by(r, r->uses);
}

static void function_uses(struct region *r, struct fence end)
{
    const struct function function = { end, false };
    int64_t begins;
    const struct hal_mem *mem = r && !is_exclusive(r) ? watched(r, &begins) : NULL;
    struct pending *p = mem ? pending_of(mem, left_open(r, mem)) : NULL;

    if (p) {
        g_array_append_val(p->functions, function);
        curious_set(p);
    }
}

/* The argument, or pointers in what it points to: the C library knows how much that is at least. */
void pending_function(const void *argument, struct fence fence)
{
    struct region *r = argument ? region_at((uintptr_t)argument) : NULL;
    uint64_t word[ARGUMENT_WORDS] = { 0 };
    struct iovec to = { word, sizeof(word) }, from = { (void *)(uintptr_t)argument, sizeof(word) };

    if (!argument || !closed_wanted(core_check())) {
        return;
    }
    if (r) {
        function_uses(r, fence);
        return;
    }
    process_vm_readv(getpid(), &to, 1, &from, 1, 0); /* as much as is mapped */
    for (unsigned i = 0; i < ARGUMENT_WORDS; i++) {
        function_uses(word[i] >= HAL_PAGE ? region_at(word[i]) : NULL, fence);
    }
}

void pending_function_begins(struct fence fence)
{
    GHashTableIter iter;
    gpointer value;

    if (!all) {
        return;
    }
    g_hash_table_iter_init(&iter, all);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        struct pending *p = value;

        for (guint i = 0; i < p->functions->len; i++) {
            struct function *f = &g_array_index(p->functions, struct function, i);

            if (f->end.id == fence.id && f->end.threshold == fence.threshold) {
                f->begun = true;
                curious_set(p);
                break;
            }
        }
    }
}

void pending_range(uint64_t at, uint64_t bytes, bool writes, struct fence fence)
{
    region_used(unmanaged(region_at(at)), at, bytes, writes, fence);
}

void pending_shared(const struct rt_shared *shared, bool writes, struct fence fence)
{
    const struct hal_mem *mem = shared_mem(shared);
    struct pending *p = closed_wanted(core_check()) ? pending_of(mem, 0) : NULL;

    if (p) {
        use_add(p, &(struct use){ fence, 0, page_up((int64_t)mem->size), writes });
    }
}

void pending_shared_past(const struct rt_shared *shared)
{
    struct pending *p = closed_wanted(core_check()) ? pending_of(shared_mem(shared), 0) : NULL;

    if (p) {
        p->past = true;
    }
}

void pending_shared_gone(const struct rt_shared *shared)
{
    pending_gone(shared_mem(shared)->id);
}
