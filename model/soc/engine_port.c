/* SPDX-License-Identifier: MIT */
/* How an engine of model/engines.def reaches memory.
 *
 * I/O virtual address, stream ID -> SMMU -> syncpoint shim of host1x?  yes: a counter
 *                                           no: the I/O port
 *
 * A second interface (Xavier's DLA) goes to CVSRAM by physical address, past the SMMU.
 */
#include <string.h>

#include "model/regs/regs.h"
#include "model/soc/soc_internal.h"

static struct soc_engine_port *port_of(struct bus_port *port)
{
    return (struct soc_engine_port *)port;
}

static enum bus_status engine_port_fail(struct soc_engine_port *ep, enum bus_status status,
                                        uint64_t va, bool write, const char *reason)
{
    ep->port.fault = (struct bus_fault){ .va = va, .write = write, .reason = reason };
    return status;
}

/* --- syncpoints ------------------------------------------------------------------------------ */

/* Return: false if @pa is not in the aperture. *@id is out of range behind the last syncpoint. */
static bool shim_find(const struct soc *soc, uint64_t pa, uint32_t *id, uint64_t *offset)
{
    uint64_t page = soc->shim_page, syncpts = host1x_count(soc->host1x);

    if (pa < SYNCPT_SHIM_BASE || pa - SYNCPT_SHIM_BASE >= syncpts * page) {
        return false;
    }
    *id = (uint32_t)((pa - SYNCPT_SHIM_BASE) / page);
    *offset = (pa - SYNCPT_SHIM_BASE) % page;
    return true;
}

uint64_t soc_syncpt_shim(const struct soc *soc, uint32_t id)
{
    return SYNCPT_SHIM_BASE + id * soc->shim_page;
}

bool soc_engine_port_syncpt(struct soc_engine_port *ep, uint64_t iova, uint32_t *id)
{
    struct smmu_entry *e =
        smmu_translate(ep->smmu, ep->engine->stream, iova, false, ep->port.agent, NULL);
    uint64_t offset;

    return e && shim_find(ep->soc, e->pa + iova % IOC_PAGE, id, &offset) && offset == 0;
}

/* --- through the SMMU ------------------------------------------------------------------------ */

static struct smmu_entry *engine_port_translate(struct soc_engine_port *ep, uint64_t va, bool write)
{
    return smmu_translate(ep->smmu, ep->engine->stream, va, write, ep->port.agent, &ep->port.fault);
}

static struct ioc_page *page_of(struct soc_engine_port *ep, struct smmu_entry *e, bool write)
{
    struct soc *soc = ep->soc;

    /* Two DLAs may share a bank, and the machine's IOMMU still distinguishes them. */
    if (!e->page || e->page_for != ep->engine->unit || e->generation != soc_dma_generation(soc) ||
        (write && !e->page_writable)) {
        e->page = soc_dma_page(soc, ep->engine->unit, e->pa, write);
        e->page_writable = write;
        e->page_for = ep->engine->unit;
        e->generation = soc_dma_generation(soc);
    }
    return e->page;
}

static void access_emit(const struct soc_engine_port *ep, enum trace_event event,
                        const struct ioc_page *page, uint64_t va, uint64_t low, uint64_t high)
{
    struct trace *trace = &ep->soc->trace;

    if (trace_wants(trace, TRACE_ACCESS)) {
        trace_emit_more(
            trace, event, ep->port.agent, page->region->id,
            (const uint64_t[TRACE_ARGS]){ va, low, high, 0, 0, page->pa + va % IOC_PAGE });
    }
}

/* Bytes of two of a line's sectors, bits 0 and 1. */
static uint64_t sector_bytes(unsigned sectors)
{
    return (sectors & 1 ? UINT64_C(0xffffffff) : 0) |
           (sectors & 2 ? UINT64_C(0xffffffff) << 32 : 0);
}

static void read_sectors(struct soc_engine_port *ep, struct ioc_page *page, unsigned off,
                         unsigned sectors)
{
    struct soc *soc = ep->soc;
    unsigned n = bus_sectors_count(sectors);
    unsigned first = (unsigned)__builtin_ctz(sectors) * BUS_SECTOR;
    struct ioc_count *count = ioc_count(soc->ioc, page, ep->port.agent);

    count->read_bytes += n * BUS_SECTOR;
    count->read_sectors += n;
    /* The sectors of an access lie side by side. */
    ioc_port_read(soc->ioc, page, off + first, ep->bounce + first, n * BUS_SECTOR, ep->port.agent);
}

static enum bus_status engine_load(struct bus_port *port, uint64_t line_va, unsigned sectors,
                                   unsigned how, const uint8_t **line)
{
    struct soc_engine_port *ep = port_of(port);
    struct smmu_entry *e = engine_port_translate(ep, line_va, false);
    struct ioc_page *page;
    uint64_t offset;
    uint32_t id;

    (void)how;
    *line = ep->bounce;
    ep->soc->work += BUS_LINE;
    if (!e) {
        return BUS_FAULT;
    }
    memset(ep->bounce, 0, sizeof(ep->bounce));
    if (e->discard) {
        return BUS_OK;
    }
    if (shim_find(ep->soc, e->pa + line_va % IOC_PAGE, &id, &offset)) {
        uint32_t value = host1x_value(ep->soc->host1x, id);
        uint64_t ns = host1x_reached_ns(ep->soc->host1x, id, value);

        ep->soc->trace.now_ns = MAX(ep->soc->trace.now_ns, ns); /* who has seen it comes after it */
        memcpy(ep->bounce, &value, offset == 0 ? sizeof(value) : 0);
        return BUS_OK;
    }
    page = page_of(ep, e, false);
    if (!page) {
        return engine_port_fail(ep, BUS_DECERR, line_va, false,
                                "no memory at the physical address");
    }
    read_sectors(ep, page, line_va % IOC_PAGE, sectors);
    access_emit(ep, TRACE_EVENT_DLA_LOAD, page, line_va, sector_bytes(sectors),
                sector_bytes(sectors >> 2));
    return BUS_OK;
}

/* A range without holes, as an engine's always is, needs no mask. */
static void write_bytes(struct soc_engine_port *ep, struct ioc_page *page, unsigned off,
                        const uint8_t *data, const struct bus_mask *mask)
{
    unsigned first = mask->word[0]
                         ? (unsigned)__builtin_ctzll(mask->word[0])
                         : 64u + (mask->word[1] ? (unsigned)__builtin_ctzll(mask->word[1]) : 0);
    unsigned len = bus_mask_count(mask);
    struct bus_mask whole = bus_mask_range(first, len);

    if (whole.word[0] == mask->word[0] && whole.word[1] == mask->word[1]) {
        ioc_port_write(ep->soc->ioc, page, off + first, data + first, len, NULL, ep->port.agent);
    } else {
        ioc_port_write(ep->soc->ioc, page, off, data, BUS_LINE, mask, ep->port.agent);
    }
}

static enum bus_status engine_store(struct bus_port *port, uint64_t line_va, const uint8_t *data,
                                    const struct bus_mask *mask, enum bus_scope scope)
{
    struct soc_engine_port *ep = port_of(port);
    struct smmu_entry *e = engine_port_translate(ep, line_va, true);
    struct ioc_count *count;
    struct ioc_page *page;
    uint64_t offset;
    uint32_t id;

    (void)scope;
    ep->soc->work += BUS_LINE;
    if (!e) {
        return BUS_FAULT;
    }
    if (e->discard) {
        return BUS_OK;
    }
    if (shim_find(ep->soc, e->pa + line_va % IOC_PAGE, &id, &offset)) {
        if (offset == 0 && (mask->word[0] & 0xf)) {
            host1x_incr(ep->soc->host1x, id, ep->port.agent);
        }
        return BUS_OK;
    }
    page = page_of(ep, e, true);
    if (!page) {
        return engine_port_fail(ep, BUS_DECERR, line_va, true, "no memory at the physical address");
    }
    count = ioc_count(ep->soc->ioc, page, ep->port.agent);
    count->write_bytes += bus_mask_count(mask);
    count->write_lines++;
    write_bytes(ep, page, line_va % IOC_PAGE, data, mask);
    access_emit(ep, TRACE_EVENT_DLA_STORE, page, line_va, mask->word[0], mask->word[1]);
    return BUS_OK;
}

/* How many of @len bytes at @va are plain memory of one page; NULL if line by line is the way. The
 * counts are those of the lines: whole sectors are read, and where accesses are observed, whole
 * lines. */
static struct ioc_page *plain_run(struct soc_engine_port *ep, uint64_t va, size_t len, bool write,
                                  size_t *n)
{
    size_t unit = trace_wants(&ep->soc->trace, TRACE_ACCESS) ? BUS_LINE : write ? 1 : BUS_SECTOR;
    struct smmu_entry *e;
    uint64_t offset;
    uint32_t id;

    *n = MIN(len, IOC_PAGE - va % IOC_PAGE) & ~(unit - 1);
    if (*n == 0 || va % unit) {
        return NULL;
    }
    /* Just looking: line by line says what is refused. */
    e = smmu_translate(ep->smmu, ep->engine->stream, va, write, ep->port.agent, NULL);
    return e && !e->discard && !shim_find(ep->soc, e->pa, &id, &offset) ? page_of(ep, e, write)
                                                                        : NULL;
}

/* Whole lines, of which caches had nothing to report. */
static void run_emit(const struct soc_engine_port *ep, const struct ioc_page *page, uint64_t va,
                     size_t n, enum trace_event event)
{
    struct trace *trace = &ep->soc->trace;
    struct trace_record first = { .event = event,
                                  .agent = ep->port.agent,
                                  .region = page->region->id,
                                  .arg = { va, UINT64_MAX, UINT64_MAX, 0, 0,
                                           page->pa + va % IOC_PAGE } };

    if (n && trace_wants(trace, TRACE_ACCESS) &&
        !trace_run_spared(trace, &first, (unsigned)(n / BUS_LINE))) {
        for (size_t at = 0; at < n; at += BUS_LINE) {
            access_emit(ep, event, page, va + at, UINT64_MAX, UINT64_MAX);
        }
    }
}

/* Return: bytes read; 0: records of caches are due. */
static size_t page_read(struct soc_engine_port *ep, struct ioc_page *page, uint64_t va, void *dst,
                        size_t n)
{
    struct ioc *ioc = ep->soc->ioc;

    if (!trace_wants(&ep->soc->trace, TRACE_ACCESS)) {
        ioc_port_read(ioc, page, va % IOC_PAGE, dst, (unsigned)n, ep->port.agent);
        return n;
    }
    return ioc_port_read_plain(ioc, page, va % IOC_PAGE, dst, (unsigned)n, ep->port.agent) ? n : 0;
}

static size_t engine_read(struct bus_port *port, uint64_t va, void *dst, size_t len)
{
    struct soc_engine_port *ep = port_of(port);
    size_t n;
    struct ioc_page *page = plain_run(ep, va, len, false, &n);
    struct ioc_count *count;

    if (!page) {
        return 0;
    }
    count = ioc_count(ep->soc->ioc, page, ep->port.agent);
    n = page_read(ep, page, va, dst, n);
    ep->soc->work += n;
    count->read_bytes += n;
    count->read_sectors += n / BUS_SECTOR;
    run_emit(ep, page, va, n, TRACE_EVENT_DLA_LOAD);
    return n;
}

/* Return: bytes written, of whole lines; 0: records of caches are due. */
static size_t page_write(struct soc_engine_port *ep, struct ioc_page *page, uint64_t va,
                         const void *src, size_t n)
{
    struct ioc *ioc = ep->soc->ioc;

    if (!trace_wants(&ep->soc->trace, TRACE_ACCESS)) {
        ioc_port_write(ioc, page, va % IOC_PAGE, src, (unsigned)n, NULL, ep->port.agent);
        return n;
    }
    return ioc_port_write_plain(ioc, page, va % IOC_PAGE, src, (unsigned)n, ep->port.agent);
}

static size_t engine_write(struct bus_port *port, uint64_t va, const void *src, size_t len)
{
    struct soc_engine_port *ep = port_of(port);
    size_t n;
    struct ioc_page *page = plain_run(ep, va, len, true, &n);
    struct ioc_count *count;

    if (!page) {
        return 0;
    }
    count = ioc_count(ep->soc->ioc, page, ep->port.agent);
    n = page_write(ep, page, va, src, n);
    ep->soc->work += n;
    count->write_bytes += n;
    count->write_lines += n ? (va + n - 1) / BUS_LINE - va / BUS_LINE + 1 : 0;
    run_emit(ep, page, va, n, TRACE_EVENT_DLA_STORE);
    return n;
}

static enum bus_status engine_atomic(struct bus_port *port, uint64_t va, enum bus_atomic_op op,
                                     unsigned size, uint64_t operand, uint64_t compare,
                                     unsigned how, uint64_t *old)
{
    (void)op, (void)size, (void)operand, (void)compare, (void)how, (void)old;
    return engine_port_fail(port_of(port), BUS_UNSUPPORTED, va, true, "engines have no atomics");
}

static const struct bus_port_ops engine_port_ops = {
    .load = engine_load,
    .store = engine_store,
    .atomic = engine_atomic,
    .read = engine_read,
    .write = engine_write,
};

/* --- CVSRAM ---------------------------------------------------------------------------------- */

static enum bus_status cvsram_access(struct soc_engine_port *ep, uint64_t pa, uint8_t *buf,
                                     unsigned len, const struct bus_mask *mask)
{
    struct soc *soc = ep->soc;
    struct ioc_page *page;

    soc->work += BUS_LINE;
    page = ioc_page_find(soc->ioc, pa);
    if (!page || page->region->id != SOC_CVSRAM_ID) {
        return engine_port_fail(ep, BUS_DECERR, pa, mask != NULL,
                                "not a physical address of CVSRAM");
    }
    if (mask) {
        ioc_port_write(soc->ioc, page, pa % IOC_PAGE, buf, len, mask, ep->port.agent);
    } else {
        ioc_port_read(soc->ioc, page, pa % IOC_PAGE, buf, len, ep->port.agent);
    }
    return BUS_OK;
}

static enum bus_status cvsram_load(struct bus_port *port, uint64_t line_va, unsigned sectors,
                                   unsigned how, const uint8_t **line)
{
    struct soc_engine_port *ep = port_of(port);

    (void)sectors, (void)how;
    *line = ep->bounce;
    return cvsram_access(ep, line_va, ep->bounce, BUS_LINE, NULL);
}

static enum bus_status cvsram_store(struct bus_port *port, uint64_t line_va, const uint8_t *data,
                                    const struct bus_mask *mask, enum bus_scope scope)
{
    struct soc_engine_port *ep = port_of(port);
    uint8_t copy[BUS_LINE];

    (void)scope;
    memcpy(copy, data, sizeof(copy));
    return cvsram_access(ep, line_va, copy, BUS_LINE, mask);
}

static const struct bus_port_ops cvsram_port_ops = {
    .load = cvsram_load,
    .store = cvsram_store,
    .atomic = engine_atomic,
};

void soc_engine_port_init(struct soc_engine_port *ep, const struct soc_engine *engine,
                          struct smmu *smmu, enum bus_agent agent)
{
    *ep = (struct soc_engine_port){
        .port = { .ops = smmu ? &engine_port_ops : &cvsram_port_ops, .agent = agent },
        .soc = engine->soc,
        .engine = engine,
        .smmu = smmu,
    };
}
