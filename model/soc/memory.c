/* SPDX-License-Identifier: MIT */
/* Memory regions and the CPU's side of them. */
#include <errno.h>
#include <string.h>

#include "model/soc/soc_internal.h"

static bool range_free(struct soc *soc, uint64_t pa, uint64_t len)
{
    for (uint64_t off = 0; off < len; off += IOC_PAGE) {
        if (ioc_page_find(soc->ioc, pa + off)) {
            return false;
        }
    }
    return true;
}

int soc_memory_add(struct soc *soc, uint32_t id, uint64_t pa, uint64_t len, void *dram, void *view,
                   bool keep_view)
{
    if (id == 0 || len == 0 || pa % IOC_PAGE || len % IOC_PAGE || pa < soc->dram_base ||
        pa + len < pa) {
        return -EINVAL;
    }
    if (g_hash_table_contains(soc->regions, GUINT_TO_POINTER(id)) || !range_free(soc, pa, len)) {
        return -EEXIST;
    }
    g_hash_table_insert(soc->regions, GUINT_TO_POINTER(id),
                        ioc_region_add(soc->ioc, id, pa, len, dram, view, keep_view));
    return 0;
}

int soc_memory_asked(struct soc *soc, uint32_t id, uint64_t bytes)
{
    struct ioc_region *r = g_hash_table_lookup(soc->regions, GUINT_TO_POINTER(id));

    if (!r || bytes > r->len) {
        return -ENOENT;
    }
    r->asked = bytes;
    return 0;
}

int soc_memory_view(struct soc *soc, uint32_t id, uint64_t offset, uint64_t len, void *view)
{
    struct ioc_region *r = g_hash_table_lookup(soc->regions, GUINT_TO_POINTER(id));

    if (!r || offset > r->len || len > r->len - offset) {
        return -ENOENT;
    }
    ioc_region_view(r, offset, len, view);
    return 0;
}

int soc_memory_remove(struct soc *soc, uint32_t id)
{
    struct ioc_region *r = g_hash_table_lookup(soc->regions, GUINT_TO_POINTER(id));

    if (!r || r->len == 0) { /* a process's pages stay */
        return -ENOENT;
    }
    for (unsigned g = 0; g < soc->gpus; g++) {
        l1_empty(&soc->gpu[g].port.l1, BUS_ALL_SMS); /* which may hold lines of it */
        l2_forget(soc->gpu[g].l2, r->pa, r->len);
    }
    g_hash_table_remove(soc->regions, GUINT_TO_POINTER(id));
    ioc_region_remove(soc->ioc, r);
    return 0;
}

/* Time of one access, by the profile (inferred figures, for comparison only). */
static inline void cpu_elapse(struct soc *soc, uint64_t ps)
{
    soc->cpu_ps += ps;
    if (soc->cpu_ps >= 1000) {
        soc->trace.now_ns += soc->cpu_ps / 1000;
        soc->cpu_ps %= 1000;
    }
}

/* @misses: lines; below 0 the access was uncached. */
static void cpu_access_elapse(struct soc *soc, int misses)
{
    cpu_elapse(soc, misses < 0   ? soc->profile.timing.cpu_uncached_ps
                    : misses > 0 ? (uint64_t)misses * soc->profile.timing.cpu_miss_ps
                                 : soc->profile.timing.cpu_hit_ps);
}

/* Without the flag ACCESS_SYNC. */
static enum access_kind kind_of(enum access_kind access)
{
    return access & ~ACCESS_SYNC;
}

void soc_cpu_access(struct soc *soc, uint64_t pa, uint64_t va, size_t len, enum access_kind access)
{
    enum access_kind kind = kind_of(access);

    if (trace_wants(&soc->trace, TRACE_ACCESS)) {
        ioc_cpu_sync(soc->ioc, access & ACCESS_SYNC);
    }
    while (len > 0) {
        size_t n = MIN(len, IOC_PAGE - pa % IOC_PAGE);
        int misses = ioc_cpu_access(soc->ioc, pa, va, n, kind);

        cpu_access_elapse(soc, misses);
        pa += n;
        va += n;
        len -= n;
    }
}

void soc_cpu_thread(struct soc *soc, uint32_t thread)
{
    soc->trace.thread = thread;
}

void soc_cpu_note(struct soc *soc, enum trace_event event, uint64_t a, uint64_t b)
{
    g_assert(trace_event_class[event] == TRACE_SYNC);
    trace_emit(&soc->trace, event, BUS_AGENT_CPU, 0, a, b, 0, 0);
}

void soc_cpu_accessed(struct soc *soc, uint64_t pa, uint64_t va, size_t len,
                      enum access_kind access, bool cached)
{
    enum access_kind kind = kind_of(access);

    if (cached && ioc_cpu_hit(soc->ioc, pa, len, kind)) { /* nearly always */
        cpu_elapse(soc, soc->profile.timing.cpu_hit_ps);
        return;
    }
    while (len > 0) {
        size_t n = MIN(len, IOC_PAGE - pa % IOC_PAGE);
        int misses = ioc_cpu_accessed(soc->ioc, pa, va, n, kind, cached);

        cpu_access_elapse(soc, misses);
        pa += n;
        va += n;
        len -= n;
    }
}

void soc_cpu_hits(struct soc *soc, const struct soc_cpu_hits *hits)
{
    const struct soc_profile *p = &soc->profile;
    int loads = ioc_cpu_hits(soc->ioc, hits->pa, ACCESS_LOAD, hits->loads, hits->load_bytes);
    int stores = ioc_cpu_hits(soc->ioc, hits->pa, ACCESS_STORE, hits->stores, hits->store_bytes);

    cpu_elapse(soc,
               (hits->loads + hits->stores) *
                   (loads < 0 || stores < 0 ? p->timing.cpu_uncached_ps : p->timing.cpu_hit_ps));
}

unsigned soc_cpu_repeats(struct soc *soc, uint64_t pa, const uint8_t **memory)
{
    G_STATIC_ASSERT((int)SOC_REPEATS_LOADS == (int)IOC_REPEATS_LOADS &&
                    (int)SOC_REPEATS_STORES == (int)IOC_REPEATS_STORES);
    return ioc_cpu_repeats(soc->ioc, pa, memory);
}

unsigned soc_cpu_set(const struct soc *soc, uint64_t pa)
{
    return ioc_cpu_set(soc->ioc, pa);
}

static int cpu_copy(struct soc *soc, uint64_t pa, uint8_t *buf, size_t len, bool write)
{
    if (len == 0) {
        return 0;
    }
    for (uint64_t at = pa & ~(uint64_t)(IOC_PAGE - 1); at < pa + len; at += IOC_PAGE) {
        if (!ioc_page_find(soc->ioc, at)) {
            return -EFAULT;
        }
    }
    soc_cpu_access(soc, pa, pa, len, write ? ACCESS_STORE : ACCESS_LOAD);
    while (len > 0) {
        struct ioc_page *p = ioc_page_find(soc->ioc, pa);
        size_t n = MIN(len, IOC_PAGE - pa % IOC_PAGE);
        uint8_t *image = (p->view ? p->view : p->dram) + pa % IOC_PAGE;

        if (write && !p->view) {
            soc_page_before_change(soc, p, pa % IOC_PAGE, (unsigned)n);
            p->behind = true;
        }
        memcpy(write ? image : buf, write ? buf : image, n);
        buf += n;
        pa += n;
        len -= n;
    }
    return 0;
}

int soc_cpu_read(struct soc *soc, uint64_t pa, void *dst, size_t len)
{
    return cpu_copy(soc, pa, dst, len, false);
}

int soc_cpu_write(struct soc *soc, uint64_t pa, const void *src, size_t len)
{
    return cpu_copy(soc, pa, (uint8_t *)src, len, true);
}

/* Whole lines of the range, each at the profile's cost whether or not it did anything; but never
 * more than the cache has: above a threshold L4T's nvmap cleans all of it by set and way (its
 * cache_maint_inner_threshold; that the threshold is the cache's size is inferred). */
static int64_t memory_maintained(struct soc *soc, uint64_t len, int64_t lines)
{
    uint64_t bytes = MIN(len, MAX(soc->profile.cpu.cache_bytes, IOC_LINE));

    cpu_elapse(soc, (bytes + IOC_LINE - 1) / IOC_LINE * soc->profile.timing.cpu_maintain_line_ps);
    return lines;
}

int64_t soc_cpu_clean(struct soc *soc, uint64_t pa, uint64_t len)
{
    return memory_maintained(soc, len, ioc_cpu_clean(soc->ioc, pa, len));
}

int64_t soc_cpu_clean_invalidate(struct soc *soc, uint64_t pa, uint64_t len)
{
    return memory_maintained(soc, len, ioc_cpu_clean_invalidate(soc->ioc, pa, len));
}

int64_t soc_cpu_invalidate(struct soc *soc, uint64_t pa, uint64_t len)
{
    return memory_maintained(soc, len, ioc_cpu_invalidate(soc->ioc, pa, len));
}

bool soc_line_state(struct soc *soc, uint64_t pa, struct soc_line *out)
{
    struct ioc_page *p = ioc_page_find(soc->ioc, pa);
    unsigned line = pa % IOC_PAGE / IOC_LINE;

    *out = (struct soc_line){ 0 };
    if (!p) {
        return false;
    }
    ioc_page_look(soc->ioc, p, line);
    out->cpu_valid = p->valid >> line & 1;
    out->cpu_dirty = p->dirty >> line & 1;
    out->cpu_old = out->cpu_valid && p->twin &&
                   memcmp(p->twin + line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE) != 0;
    for (unsigned g = 0; g < soc->gpus && !out->l2_valid;
         g++) { /* what one caches the other does not */
        out->l2_valid = l2_line_state(soc->gpu[g].l2, pa, &out->l2_dirty_bytes);
    }
    return true;
}

uint64_t soc_dirty_lines(struct soc *soc, uint64_t pa, uint64_t lines)
{
    struct ioc_page *p = ioc_page_find(soc->ioc, pa);

    return p ? ioc_page_dirty(soc->ioc, p, lines) : 0;
}

void soc_cpu_evict(struct soc *soc, uint64_t pa)
{
    struct ioc_page *p = ioc_page_find(soc->ioc, pa);
    unsigned line = pa % IOC_PAGE / IOC_LINE;

    if (p && p->view) {
        ioc_page_look(soc->ioc, p, line);
        if (p->valid >> line & 1) {
            ioc_cpu_line_evict(soc->ioc, p, line);
        }
    }
}
