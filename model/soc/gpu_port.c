/* SPDX-License-Identifier: MIT */
/* How a GPU and its copy engines reach memory.
 *
 * virtual address -> the SM's L1 (weak loads, l1.h) -> GMMU -> volatile page?
 *     no: the L2 (device and unified memory: cached, Table 1)
 *     yes: the I/O port (pinned memory: uncached), or the link of a DRIVE board's dGPU
 * Without a translation, where the SoC has that: the process's page (process.c), then the L2. */
#include <string.h>

#include "model/soc/soc_internal.h"

static struct gpu_port *gpu_port_of(struct bus_port *port)
{
    return (struct gpu_port *)port;
}

/* Translation and page of an access; NULL with *@status and the port's fault set. */
static struct gmmu_entry *gpu_port_resolve(struct gpu_port *gp, uint64_t va, bool write,
                                           bool atomic, enum bus_status *status)
{
    struct soc *soc = gp->soc;
    struct gmmu_entry *e = soc->process ? soc_process_hit(soc, va, write) : NULL;

    *status = BUS_OK;
    if (e) {
        return e;
    }
    e = gmmu_translate(gp->gmmu, gp->port.context, va, &gp->port.fault);
    gp->tlb = gmmu_tlb(gp->gmmu);
    gp->port.fault.write = write;
    if (!e && soc->process && (e = soc_process_walk(soc, va, write, &gp->port.fault))) {
        return e;
    }
    if (e && e->beside) {
        return gpu_beside_resolve(gp, e, va, write, status);
    }
    *status = BUS_FAULT;
    if (!e) {
        return NULL;
    }
    gp->port.fault.va = va;
    if (write && e->read_only) {
        gp->port.fault.reason = "read-only";
        return NULL;
    }
    if (atomic && e->atomic_disable) {
        gp->port.fault.reason = "atomic disabled";
        return NULL;
    }
    if (!e->page || e->owner_generation != soc_dma_generation(soc) ||
        (write && !e->page_writable)) {
        e->page = soc_dma_page(soc, gp->unit, e->pa, write);
        e->page_writable = write;
        e->owner_generation = soc_dma_generation(soc);
        gpu_ahead_keep(gp, e, va);
    }
    if (!e->page) {
        gp->port.fault.reason = "no memory at the physical address";
        *status = BUS_DECERR;
        return NULL;
    }
    *status = BUS_OK;
    return e;
}

/* Where in the source of the kernel the next accesses are, when that is news. */
static void place_emit(struct gpu_port *gp)
{
    struct trace *t = &gp->soc->trace;

    if (gp->port.agent == gp->sm_agent &&
        (gp->port.place != gp->reported_place || t->channel != gp->reported_channel)) {
        gp->reported_place = gp->port.place;
        gp->reported_channel = t->channel;
        trace_emit(t, TRACE_EVENT_GPU_AT, gp->sm_agent, 0, gp->port.place >> 32,
                   (uint32_t)gp->port.place, 0, 0);
    }
}

static struct trace_record access_record(const struct gpu_port *gp, enum trace_event event,
                                         const struct gmmu_entry *e, uint64_t va)
{
    const struct ioc_page *p = e->page;

    return (struct trace_record){ .event = event,
                                  .agent = gp->port.agent,
                                  .region = p->region->id,
                                  .arg = { va, 0, 0, 0, !e->volatile_, p->pa + va % IOC_PAGE } };
}

static void record_report(struct gpu_port *gp, struct trace_record *r, const struct bus_mask *bytes,
                          enum bus_scope scope)
{
    uint64_t place = gp->port.agent == gp->sm_agent ? gp->port.place : 0;

    r->arg[1] = bytes->word[0];
    r->arg[2] = bytes->word[1];
    r->arg[3] = scope;
    if (!trace_access_spared(&gp->soc->trace, r, place)) {
        place_emit(gp);
        trace_access(&gp->soc->trace, r, place);
    }
}

/* A load or a store for an observer; line_va and the page's line are both multiples of BUS_LINE. */
static void access_report(struct gpu_port *gp, enum trace_event event, const struct gmmu_entry *e,
                          uint64_t line_va, const struct bus_mask *bytes, enum bus_scope scope)
{
    struct trace_record r;

    if (e->beside) {
        return;
    }
    gpu_behind_line(gp, e->page, line_va, bytes, event == TRACE_EVENT_GPU_STORE);
    r = access_record(gp, event, e, line_va);
    record_report(gp, &r, bytes, scope);
}

static void atomic_report(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t va,
                          unsigned size, enum bus_atomic_op op, enum bus_scope scope)
{
    struct trace_record r = access_record(gp, TRACE_EVENT_GPU_ATOMIC, e, va);
    uint64_t place = gp->port.agent == gp->sm_agent ? gp->port.place : 0;

    gpu_behind_note(gp, e->page, va, 0, size - 1, true);
    r.arg[1] = size;
    r.arg[2] = op;
    r.arg[3] = scope;
    if (!trace_atomic_spared(&gp->soc->trace, &r, place)) {
        place_emit(gp);
        trace_atomic(&gp->soc->trace, &r, place);
    }
}

/* The same for a load whose translation has been used before, and is still as it was: the TLB has
 * it, and no page has come or gone since. Return: NULL: look closer. */
static inline struct gmmu_entry *resolve_again(const struct gpu_port *gp, uint64_t va)
{
    struct gmmu_entry *e = gmmu_hit(gp->tlb, gp->port.context, va);

    return e && e->page && !gp->soc->process &&
                   e->owner_generation == *gp->generation + gp->soc->dma_forgotten
               ? e
               : NULL;
}

static inline struct gpu_hit *hit_of(struct gpu_port *gp, uint64_t line_va)
{
    return &gp->hit[(line_va / BUS_LINE ^ line_va / BUS_LINE / GPU_HITS) % GPU_HITS];
}

static inline uint64_t hit_tag(uint32_t context, uint64_t line_va)
{
    return line_va << 5 | (context + 1);
}

static __attribute__((noinline)) void hit_keep(struct gpu_port *gp, uint64_t line_va,
                                               const struct gmmu_entry *e)
{
    const struct ioc_page *p = e->page;
    struct l2_place place;

    if (l2_place_of_last(gp->l2, &place)) {
        gpu_tables_hits(gp);
        *hit_of(gp, line_va) =
            (struct gpu_hit){ hit_tag(gp->port.context, line_va), e, p->region, place };
    }
}

/* The load was done before, and the TLB, the page and the L2's line are as they were. */
static inline bool load_again(const struct gpu_port *gp, const struct gpu_hit *h, uint64_t line_va,
                              unsigned sectors)
{
    const struct gmmu_entry *e = h->entry;
    struct ioc_count *count;
    unsigned n = bus_sectors_count(sectors);

    if (h->tag != hit_tag(gp->port.context, line_va) ||
        e->tag != gmmu_tag(gp->port.context, line_va) || e->volatile_ || gp->soc->process ||
        e->owner_generation != *gp->generation + gp->soc->dma_forgotten) {
        return false;
    }
    if (!l2_place_holds(gp->l2, &h->place, e->page) || !h->region->touched) {
        return false;
    }
    count = &h->region->count[gp->port.agent];
    count->read_bytes += n * BUS_SECTOR;
    l2_place_load(gp->l2, &h->place, count, n);
    return true;
}

static __attribute__((noinline)) void load_uncached(struct gpu_port *gp, struct ioc_page *p,
                                                    unsigned off, unsigned sectors)
{
    gp->link_bytes += bus_sectors_count(sectors) * BUS_SECTOR;
    for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
        if (sectors >> s & 1) {
            ioc_port_read(gp->soc->ioc, p, off + s * BUS_SECTOR, gp->bounce + s * BUS_SECTOR,
                          BUS_SECTOR, gp->port.agent);
        }
    }
}

/* @keep: so that it is done again quickly */
static inline __attribute__((always_inline)) enum bus_status
load_resolved(struct gpu_port *gp, uint64_t line_va, unsigned sectors, enum bus_scope scope,
              const uint8_t **line, bool keep)
{
    enum bus_agent agent = gp->port.agent;
    struct soc *soc = gp->soc;
    enum bus_status status;
    struct gmmu_entry *e = resolve_again(gp, line_va);
    unsigned off = line_va % IOC_PAGE, n = bus_sectors_count(sectors);
    struct ioc_count *count;

    if (!e && !(e = gpu_port_resolve(gp, line_va, false, false, &status))) {
        return status;
    }
    gpu_beside_load(gp, e, line_va, sectors);
    count = ioc_count(soc->ioc, e->page, agent);
    count->read_bytes += n * BUS_SECTOR;
    if (!e->volatile_) {
        *line = l2_load(gp->l2, e->page, off, sectors, agent);
        if (keep && l2_last_was_there(gp->l2)) {
            hit_keep(gp, line_va, e);
        }
    } else {
        count->read_sectors += n;
        load_uncached(gp, e->page, off, sectors);
        *line = gp->bounce;
    }
    if (gp->port.observed) { /* after the fill that it caused */
        access_report(gp, TRACE_EVENT_GPU_LOAD, e, line_va, &gp->port.bytes, scope);
    }
    return BUS_OK;
}

static __attribute__((noinline)) enum bus_status load_anew(struct gpu_port *gp, uint64_t line_va,
                                                           unsigned sectors, enum bus_scope scope,
                                                           const uint8_t **line)
{
    return load_resolved(gp, line_va, sectors, scope, line, true);
}

/* The rest of a load that has been done again */
static __attribute__((noinline)) enum bus_status
load_again_rest(struct gpu_port *gp, const struct gpu_hit *h, uint64_t line_va, unsigned scope)
{
    l2_place_touch(&h->place);
    if (gp->port.observed) {
        access_report(gp, TRACE_EVENT_GPU_LOAD, h->entry, line_va, &gp->port.bytes, scope);
    }
    return BUS_OK;
}

/* Past the L1: the usual way has no call in it, and few registers. */
static enum bus_status load_past(struct gpu_port *gp, uint64_t line_va, unsigned sectors,
                                 enum bus_scope scope, const uint8_t **line)
{
    struct bus_port *port = &gp->port;
    const struct gpu_hit *h = hit_of(gp, line_va);

    if (!load_again(gp, h, line_va, sectors)) {
        return load_anew(gp, line_va, sectors, scope, line);
    }
    *line = h->place.data;
    return !port->observed && l2_place_is_youngest(&h->place)
               ? BUS_OK
               : load_again_rest(gp, h, line_va, scope);
}

/* --- the L1 --- */

/* Whose L1 follows a store: none where it is not an SM's. */
static unsigned l1_of(const struct gpu_port *gp)
{
    return gp->port.agent == gp->sm_agent ? gp->port.sm : BUS_NO_SM;
}

/* The rest of a load from the L1 that an observer sees */
static __attribute__((noinline)) void l1_hit_report(struct gpu_port *gp, struct l1_line *held,
                                                    uint64_t line_va, enum bus_scope scope,
                                                    const uint8_t *bytes)
{
    const struct ioc_page *p = l1_line_page(&gp->l1, held);
    struct trace_record r = { .event = TRACE_EVENT_GPU_LOAD,
                              .agent = gp->port.agent,
                              .region = p->region->id,
                              .arg = { line_va, 0, 0, 0, true, p->pa + l1_offset(held->tag) } };

    if (held->copied && !gp->port.stale && l1_is_old(&gp->l1, held, bytes, &gp->port.bytes)) {
        gp->port.stale = line_va + 1;
        gp->port.stale_place = gp->port.place;
    }
    gpu_behind_line(gp, p, line_va, &gp->port.bytes, false);
    record_report(gp, &r, &gp->port.bytes, scope);
}

/* Only the missing sectors are asked for: the others stay as old as they are. */
static __attribute__((noinline)) enum bus_status l1_more(struct gpu_port *gp, struct l1_line *held,
                                                         uint64_t line_va, unsigned sectors,
                                                         enum bus_scope scope, const uint8_t **line)
{
    unsigned missing = sectors & ~(unsigned)held->sectors;
    enum bus_status status = load_past(gp, line_va, missing, scope, line);

    if (status != BUS_OK || *line == gp->bounce) {
        return status;
    }
    ioc_count(gp->soc->ioc, l1_line_page(&gp->l1, held), gp->port.agent)->read_bytes +=
        bus_sectors_count(sectors & ~missing) * BUS_SECTOR;
    *line = l1_fill_more(&gp->l1, gp->port.sm, held, *line, missing);
    return BUS_OK;
}

static __attribute__((noinline)) enum bus_status l1_miss(struct gpu_port *gp, uint64_t line_va,
                                                         unsigned sectors, enum bus_scope scope,
                                                         const uint8_t **line)
{
    enum bus_status status = load_resolved(gp, line_va, sectors, scope, line, false);

    if (status == BUS_OK && *line != gp->bounce) {
        *line = l1_fill(&gp->l1, gp->port.sm, l1_tag(gp->port.context, line_va), *line, sectors);
    }
    return status;
}

/* A hit that is not the usual one */
static __attribute__((noinline)) enum bus_status l1_hit(struct gpu_port *gp, uint64_t line_va,
                                                        unsigned sectors, enum bus_scope scope,
                                                        const uint8_t **line)
{
    struct bus_port *port = &gp->port;
    struct l1_line *held = l1_find(&gp->l1, port->sm, l1_tag(port->context, line_va));
    unsigned n = bus_sectors_count(sectors) * BUS_SECTOR;

    if (sectors & ~(unsigned)held->sectors) {
        return l1_more(gp, held, line_va, sectors, scope, line);
    }
    ioc_count(gp->soc->ioc, l1_line_page(&gp->l1, held), port->agent)->read_bytes += n;
    gp->l1.late_bytes += l1_is_late(held, sectors, port->moment) ? n : 0;
    *line = l1_bytes(&gp->l1, port->sm, held);
    if (port->observed) {
        l1_hit_report(gp, held, line_va, scope, *line);
    }
    return BUS_OK;
}

/* A load past the L1, with what it means for that */
static __attribute__((noinline)) enum bus_status load_beside(struct gpu_port *gp, uint64_t line_va,
                                                             unsigned sectors, unsigned how,
                                                             const uint8_t **line)
{
    if (how & BUS_HOW_ACQUIRE) {
        l1_empty(&gp->l1, gp->port.sm);
    }
    return load_past(gp, line_va, sectors, how & BUS_HOW_SCOPE, line);
}

/* What the SMs do most: a hit touches neither GMMU nor L2, and has no call in it. */
static enum bus_status gpu_load(struct bus_port *port, uint64_t line_va, unsigned sectors,
                                unsigned how, const uint8_t **line)
{
    struct gpu_port *gp = gpu_port_of(port);
    uint64_t tag = l1_tag(port->context, line_va);
    const struct l1_line *held;
    const struct l1_sm *s;
    struct ioc_region *region;

    if (!gp->l1.takes[how]) {
        return load_beside(gp, line_va, sectors, how, line);
    }
    s = &gp->l1.sm[port->sm];
    held = l1_place(s, tag);
    if (held->tag != tag || held->epoch != s->epoch) {
        return l1_miss(gp, line_va, sectors, how & BUS_HOW_SCOPE, line);
    }
    if (sectors & ~(unsigned)held->sectors || held->copied || port->observed ||
        held->below->birth != held->birth || !held->below->page->region->touched ||
        l1_is_late(held, sectors, port->moment)) {
        return l1_hit(gp, line_va, sectors, how & BUS_HOW_SCOPE, line);
    }
    region = held->below->page->region;
    region->count[port->agent].read_bytes += bus_sectors_count(sectors) * BUS_SECTOR;
    *line = l2_line_bytes(held->below);
    return BUS_OK;
}

static void gpu_l1_empty(struct bus_port *port, unsigned sm)
{
    l1_empty(&gpu_port_of(port)->l1, sm);
}

static enum bus_status gpu_store(struct bus_port *port, uint64_t line_va, const uint8_t *data,
                                 const struct bus_mask *mask, enum bus_scope scope)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct soc *soc = gp->soc;
    enum bus_status status;
    struct gmmu_entry *e = resolve_again(gp, line_va);
    unsigned off = line_va % IOC_PAGE;
    unsigned bytes = bus_mask_count(mask);
    struct ioc_count *count;

    if (!e || e->read_only || !e->page_writable) {
        e = gpu_port_resolve(gp, line_va, true, false, &status);
    }
    if (!e) {
        return status;
    }
    gpu_beside_write(gp, e, line_va + gpu_mask_first(mask));
    count = ioc_count(soc->ioc, e->page, port->agent);
    count->write_bytes += bytes;
    count->write_lines++;
    if (e->volatile_) {
        gp->link_bytes += bytes;
        ioc_port_write(soc->ioc, e->page, off, data, BUS_LINE, bytes == BUS_LINE ? NULL : mask,
                       port->agent);
    }
    if (port->observed) { /* after the CPU's line has gone, before the L2 writes through (Thor) */
        access_report(gp, TRACE_EVENT_GPU_STORE, e, line_va, mask, scope);
    }
    if (!e->volatile_) {
        l1_before_store(&gp->l1, e->page, l1_of(gp), l1_tag(port->context, line_va), data, mask);
        l2_store(gp->l2, e->page, off, data, mask, port->agent);
    }
    return BUS_OK;
}

/* --- many bytes at once --- */

/* The observer takes whole lines together, if nothing else is to be reported of them. */
static bool run_is_taken(struct gpu_port *gp, const struct gmmu_entry *e, uint64_t va, size_t n,
                         bool write)
{
    struct trace_record r =
        access_record(gp, write ? TRACE_EVENT_GPU_STORE : TRACE_EVENT_GPU_LOAD, e, va);

    r.arg[1] = r.arg[2] = UINT64_MAX;
    return gp->port.agent != gp->sm_agent && va % BUS_LINE == 0 && n % BUS_LINE == 0 &&
           (!e->volatile_ || ioc_port_is_quiet(gp->soc->ioc, e->page, va % IOC_PAGE, (unsigned)n,
                                               write, gp->port.agent)) &&
           trace_run_spared(&gp->soc->trace, &r, (unsigned)(n / BUS_LINE));
}

/* Translation and page of the bytes from @va on, if several lines may be done in one go; *@n: how
 * many bytes, up to the end of the page. Where a cache may hold them, whole lines. NULL: this has
 * to go line by line, which also says what is refused. */
static struct gmmu_entry *run_resolve(struct gpu_port *gp, uint64_t va, size_t len, bool write,
                                      size_t *n)
{
    enum bus_status status;
    struct gmmu_entry *e;
    const struct ioc_page *p;
    unsigned unit;

    if ((gp->port.observed && !gp->soc->trace.spare) || va % BUS_SECTOR || len < BUS_LINE) {
        return NULL;
    }
    e = gpu_port_resolve(gp, va, write, false, &status);
    if (!e || e->beside) { /* each line is noted */
        return NULL;
    }
    p = e->page;
    unit = e->volatile_ && !p->view && !gp->port.observed ? BUS_SECTOR : BUS_LINE;
    *n = MIN(len, IOC_PAGE - va % IOC_PAGE) / unit * unit;
    if (va % unit || *n == 0 || (gp->port.observed && !run_is_taken(gp, e, va, *n, write))) {
        return NULL;
    }
    return e;
}

static size_t gpu_read(struct bus_port *port, uint64_t va, void *dst, size_t len)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct ioc *ioc = gp->soc->ioc;
    size_t n;
    struct gmmu_entry *e = run_resolve(gp, va, len, false, &n);
    struct ioc_page *p;
    struct ioc_count *count;

    if (!e) {
        return 0;
    }
    p = e->page;
    count = ioc_count(
        ioc, p, port->agent); /* first: regions are reported in the order they are counted for */
    if (!e->volatile_) {
        l2_load_row(gp->l2, p, va % IOC_PAGE, dst, (unsigned)(n / BUS_LINE), port->agent);
    } else if (!p->view) {
        ioc_port_read(ioc, p, va % IOC_PAGE, dst, (unsigned)n, port->agent);
    } else if (!ioc_port_read_sectors(ioc, p, va % IOC_PAGE, dst, (unsigned)n, port->agent)) {
        return 0;
    }
    count->read_bytes += n;
    gp->link_bytes += e->volatile_ ? n : 0;
    count->read_sectors += e->volatile_ ? n / BUS_SECTOR : 0; /* else the L2 counts them */
    return n;
}

static size_t gpu_write(struct bus_port *port, uint64_t va, const void *src, size_t len)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct ioc *ioc = gp->soc->ioc;
    size_t n;
    struct gmmu_entry *e = run_resolve(gp, va, len, true, &n);
    struct ioc_count *count;

    if (!e) {
        return 0;
    }
    count = ioc_count(ioc, e->page, port->agent);
    count->write_bytes += n;
    count->write_lines += (va + n - 1) / BUS_LINE - va / BUS_LINE + 1;
    if (e->volatile_) {
        gp->link_bytes += n;
        ioc_port_write(ioc, e->page, va % IOC_PAGE, src, (unsigned)n, NULL, port->agent);
    } else {
        for (uint64_t at = va; at < va + n && l1_page_of(&gp->l1, e->page); at += BUS_LINE) {
            l1_before_atomic(&gp->l1, e->page, l1_of(gp), l1_tag(port->context, at));
        }
        l2_store_row(gp->l2, e->page, va % IOC_PAGE, src, (unsigned)(n / BUS_LINE), port->agent);
    }
    return n;
}

/* --- atomics ------------------------------------------------------------------------------------
 */

static enum bus_status gpu_atomic(struct bus_port *port, uint64_t va, enum bus_atomic_op op,
                                  unsigned size, uint64_t operand, uint64_t compare, unsigned how,
                                  uint64_t *old)
{
    struct gpu_port *gp = gpu_port_of(port);
    enum bus_scope scope = how & BUS_HOW_SCOPE;
    struct soc *soc = gp->soc;
    enum bus_status status;
    struct gmmu_entry *e = resolve_again(gp, va);
    unsigned off = va % IOC_PAGE;
    struct ioc_page *p;

    if ((!e || e->read_only || e->atomic_disable || !e->page_writable) &&
        !(e = gpu_port_resolve(gp, va, true, true, &status))) {
        return status;
    }
    gpu_beside_write(gp, e, va);
    p = e->page;
    if (scope == BUS_SCOPE_SYS && !soc->profile.rules.system_atomics) {
        trace_emit(&soc->trace, TRACE_EVENT_ATOMIC_UNSUPPORTED, port->agent, p->region->id, va,
                   size, op, scope);
        return BUS_UNSUPPORTED; /* CUDA for Tegra 3.6 */
    }
    ioc_count(soc->ioc, p, port->agent)->atomics++;
    l1_before_atomic(&gp->l1, p, l1_of(gp), l1_tag(port->context, va & ~(uint64_t)(BUS_LINE - 1)));
    if (e->volatile_ || (soc->profile.rules.cpu_snoops_l2 && p->view)) {
        gp->link_bytes += 2 * size;
        soc_atomic_at_port(soc, p, off, op, size, operand, compare, port->agent, old);
    } else {
        soc_atomic_in_l2(l2_modify(gp->l2, p, off, size, port->agent), op, size, operand, compare,
                         old);
    }
    if (how & BUS_HOW_ACQUIRE) {
        l1_empty(&gp->l1, port->sm);
    }
    if (port->observed && !e->beside) {
        atomic_report(gp, e, va, size, op, scope);
    }
    return BUS_OK;
}

static const struct bus_port_ops gpu_port_ops = {
    .load = gpu_load,
    .store = gpu_store,
    .atomic = gpu_atomic,
    .l1_empty = gpu_l1_empty,
    .read = gpu_read,
    .write = gpu_write,
    .ahead = gpu_ahead,
};

void gpu_port_init(struct gpu_port *gp, struct soc_gpu *gpu, const struct soc_config *config)
{
    gp->port.ops = &gpu_port_ops;
    gp->port.agent = gp->port.header_agent = gpu->agents.host;
    gp->sm_agent = gpu->agents.sm;
    gp->unit = gpu->unit;
    gp->soc = gpu->soc;
    gp->l2 = gpu->l2;
    gp->gmmu = gpu->gmmu;
    gpu_tables_init(gp);
    gp->generation = ioc_generation(gp->soc->ioc);
    l1_init(&gp->l1, gp->l2, &gpu->profile, config->evict, config->seed, &gp->port.moment);
}

void gpu_port_fini(struct gpu_port *gp)
{
    l1_fini(&gp->l1);
    gpu_tables_fini(gp);
}
