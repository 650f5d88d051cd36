/* SPDX-License-Identifier: MIT */
/* Pinned memory and NvSciBuf buffers, which the CPU and engines may touch at the same time: CUDA
 * leaves them open and trusts the program to wait. Managed memory has rules of its own (managed.c);
 * here is only what a stream uses that it is not attached to. Accesses that are of interest after
 * the wait, too: pending_look.c. */
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
#include "runtime/driver/memory/pending_internal.h"
#include "runtime/driver/memory/planes.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/observe/closed.h"

#define ARGUMENT_WORDS 8u /* of what a host function's argument points to */

static GHashTable *all; /* region's number -> struct pending */

static void pending_free(void *opaque)
{
    struct pending *p = opaque;

    closed_free(p->closed);
    g_array_free(p->uses, TRUE);
    g_array_free(p->functions, TRUE);
    g_free(p->want);
    g_free(p->curious);
    g_free(p->cached);
    g_free(p->lent);
    g_free(p);
}

/* What can be closed of the allocation, with where @r begins in that; NULL: its pages stay open. Of
 * an NvSciBuf buffer the GPU has a mapping apart, of registered memory some pages are closed. */
static const struct hal_mem *pending_watched(const struct region *r, int64_t *begins)
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

static void want_anew(struct pending *p)
{
    for (size_t i = 0; i < p->pages; i++) {
        p->want[i] = p->lent[i] ? CLOSED_READABLE : CLOSED_OPEN;
    }
    for (guint i = 0; i < p->uses->len; i++) {
        want_add(p, &g_array_index(p->uses, struct use, i));
    }
    closed_set(p->closed, p->want);
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
        want_anew(p);
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
        pending_look_curious(p);
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
        pending_look_waited(value);
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
    p->cached = g_malloc0(p->pages);
    p->lent = g_malloc0(p->pages);
    if (!all) {
        all = g_hash_table_new_full(NULL, NULL, NULL, pending_free);
        notify_synced_add(pending_synced);
        notify_region_gone_add(pending_region_gone);
    }
    g_hash_table_insert(all, GUINT_TO_POINTER(mem->id), p);
    check_region_watched(core_check(), mem->id, left);
    pending_look_new(p);
    return p;
}

void pending_managed_closes(const struct region *r)
{
    pending_gone(r->mem.id);
}

/* Pages that hold nothing but the application's range, [@host, @host + @bytes) of @mem. @out: they;
 * size 0: none. */
static void pages_adopt(const struct hal_mem *mem, uintptr_t host, size_t bytes,
                        struct hal_mem *out)
{
    uintptr_t base = (uintptr_t)mem->cpu;
    size_t first = (host + HAL_PAGE - 1 - base) / HAL_PAGE * HAL_PAGE;
    size_t end = (host + bytes - base) / HAL_PAGE * HAL_PAGE;
    bool adopted;

    if (first >= end) {
        return;
    }
    closed_moving((char *)mem->cpu + first, end - first);
    adopted = hal_mem_adopt(core_hal(), mem, first, end - first);
    closed_moving(NULL, 0);
    if (adopted) {
        *out = *mem;
        out->cpu = (char *)mem->cpu + first;
        out->bus += first;
        out->size = end - first;
    }
}

static void region_adopt(struct region *r)
{
    if (!(r->flags & CU_MEMHOSTREGISTER_READ_ONLY)) {
        pages_adopt(&r->mem, (uintptr_t)r->host, r->bytes, &r->adopted);
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
    mem = pending_watched(r, &begins);
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

void pending_picture(const struct region *r, bool writes)
{
    struct pending *p;

    if (!r || !r->shared || !planes_used(r->shared, BUS_AGENT_IGPU, "the iGPU") || !writes) {
        return;
    }
    p = closed_wanted(core_check()) ? pending_of(shared_mem(r->shared), 0) : NULL;
    if (p) {
        p->past = true;
    }
}

void pending_region(const struct region *r, uint64_t at, uint64_t bytes, bool writes,
                    struct fence fence)
{
    uint64_t offset = r ? at - (uintptr_t)r->mem.cpu : 0;
    int64_t begins = 0, first, end;
    const struct hal_mem *mem = r ? pending_watched(r, &begins) : NULL;
    struct pending *p;

    if (!mem || !bytes || offset >= r->mem.size || !closed_wanted(core_check())) {
        return;
    }
    first = MAX((int64_t)offset + begins, 0);
    end = MIN((int64_t)(offset + MIN(bytes, r->mem.size - offset)) + begins, (int64_t)mem->size);
    p = first < end ? pending_of(mem, left_open(r, mem)) : NULL;
    if (p) {
        p->held = p->mem.kind != HAL_MEM_PINNED && !planes_any(r->shared) &&
                  !board_profile()->rules.cpu_snoops_l2;
        use_add(p, &(struct use){ fence, (uint32_t)(first / HAL_PAGE), page_up(end), writes });
    }
}

static uint64_t pending_extent(size_t pitch, size_t slice, const struct box *box)
{
    return (box->depth - 1) * slice + (box->height - 1) * pitch + box->width;
}

bool pending_is_exclusive(const struct region *r)
{
    return r->mem.kind == HAL_MEM_MANAGED && !board_profile()->gpu.concurrent_managed_access;
}

static const struct region *pending_unmanaged(const struct region *r)
{
    return r && !pending_is_exclusive(r) ? r : NULL;
}

void pending_copy(const struct box *box, struct fence fence)
{
    if (box->width && box->height && box->depth) {
        pending_picture(box->src_region, false);
        pending_picture(box->dst_region, true);
        pending_region(pending_unmanaged(box->src_region), box->src,
                       pending_extent(box->src_pitch, box->src_slice, box), false, fence);
        pending_region(pending_unmanaged(box->dst_region), box->dst,
                       pending_extent(box->dst_pitch, box->dst_slice, box), true, fence);
    }
}

void pending_lent(uint64_t at, uint64_t bytes, bool lent)
{
    const struct region *r = pending_unmanaged(region_at(at));
    int64_t begins, first;
    const struct hal_mem *mem = r ? pending_watched(r, &begins) : NULL;
    struct pending *p =
        mem && closed_wanted(core_check()) ? pending_of(mem, left_open(r, mem)) : NULL;

    first = p ? MAX((int64_t)(at - (uintptr_t)r->mem.cpu) + begins, 0) : 0;
    for (uint64_t i = (uint64_t)first / HAL_PAGE;
         p && i < MIN(p->pages, page_up(first + (int64_t)bytes)); i++) {
        p->lent[i] = lent ? p->lent[i] + 1 : p->lent[i] ? p->lent[i] - 1 : 0;
    }
    if (p) {
        want_anew(p);
    }
}

void pending_value(uint64_t at, uint64_t bytes, bool writes, struct fence fence)
{
    const struct region *r = pending_unmanaged(region_at(at));

    pending_region(r, at, bytes, writes, fence);
    if (r && closed_wanted(core_check())) {
        closed_flag(at);
    }
}

void pending_each(GHashTableIter *iter)
{
    g_hash_table_iter_init(iter, all);
}

bool pending_any(void)
{
    return all && g_hash_table_size(all) && closed_wanted(core_check());
}

static void used_by(const struct region *r, const GArray *fences)
{
    for (guint i = 0; fences && i < fences->len; i++) {
        struct fence fence = g_array_index(fences, struct fence, i);

        if (!fence_waited(fence)) {
            pending_region(r, (uintptr_t)r->mem.cpu, r->mem.size, true, fence);
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
    const struct function function = { end, false, false };
    int64_t begins;
    const struct hal_mem *mem = r && !pending_is_exclusive(r) ? pending_watched(r, &begins) : NULL;
    struct pending *p = mem ? pending_of(mem, left_open(r, mem)) : NULL;

    if (p) {
        g_array_append_val(p->functions, function);
        pending_look_curious(p);
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

            if (!f->kernel && f->end.id == fence.id && f->end.threshold == fence.threshold) {
                f->begun = true;
                pending_look_curious(p);
                break;
            }
        }
    }
}

/* Managed memory that the GPU has is closed already. */
void pending_range(uint64_t at, uint64_t bytes, bool writes, struct fence fence)
{
    pending_region(region_at(at), at, bytes, writes, fence);
}

void pending_user_new(const struct hal_mem *mem, const void *at, size_t bytes,
                      struct hal_mem *adopted)
{
    if (closed_wanted(core_check())) {
        pages_adopt(mem, (uintptr_t)at, bytes, adopted);
    }
    if (adopted->size) {
        pending_of(adopted, bytes - adopted->size);
    }
}

void pending_user(const struct hal_mem *adopted, struct fence fence)
{
    struct pending *p = adopted->size ? pending_of(adopted, 0) : NULL;

    if (p) {
        use_add(p, &(struct use){ fence, 0, page_up((int64_t)adopted->size), true });
    }
}

void pending_user_gone(const struct hal_mem *mem)
{
    pending_gone(mem->id);
}

void pending_shared(const struct rt_shared *shared, enum bus_agent agent, bool writes,
                    struct fence fence)
{
    const struct hal_mem *mem = shared_mem(shared);
    struct pending *p = closed_wanted(core_check()) ? pending_of(mem, 0) : NULL;

    if (p) {
        p->past |= writes && p->is_cached && !rules_port_snoops(board_profile(), agent);
        use_add(p, &(struct use){ fence, 0, page_up((int64_t)mem->size), writes });
    }
}

/* Whole pages of it, where memory can be closed; NULL: it cannot. */
static struct pending *shared_range(const struct rt_shared *shared, uint64_t at, uint64_t bytes,
                                    size_t *first, size_t *n)
{
    struct pending *p = closed_wanted(core_check()) ? pending_of(shared_mem(shared), 0) : NULL;

    *first = at / HAL_PAGE;
    *n = page_up((int64_t)(at + bytes)) - *first;
    return p && *first < p->pages && *n <= p->pages - *first ? p : NULL;
}

void pending_shared_cached(const struct rt_shared *shared, uint64_t at, uint64_t bytes, bool cached)
{
    size_t first, n;
    struct pending *p = shared_range(shared, at, bytes, &first, &n);

    if (p) {
        memset(p->cached + first, cached, n);
        p->is_cached |= cached;
        pending_look_cached(p, first, n, !cached);
    }
}

void pending_shared_dropped(const struct rt_shared *shared, uint64_t at, uint64_t bytes)
{
    size_t first, n;
    struct pending *p = shared_range(shared, at, bytes, &first, &n);

    if (p) {
        pending_look_cached(p, first, n, true);
    }
}

void pending_shared_cleaned(const struct rt_shared *shared, uint64_t at, uint64_t bytes)
{
    size_t first, n;
    struct pending *p = shared_range(shared, at, bytes, &first, &n);

    if (p) {
        closed_stored_forget(p->closed);
        pending_look_cached(p, first, n, false);
    }
}

bool pending_shared_stored(const struct rt_shared *shared)
{
    const struct pending *p =
        closed_wanted(core_check()) ? pending_of(shared_mem(shared), 0) : NULL;

    return p && closed_stored(p->closed);
}

void pending_shared_gone(const struct rt_shared *shared)
{
    pending_gone(shared_mem(shared)->id);
}
