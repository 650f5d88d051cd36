/* SPDX-License-Identifier: MIT */
/* How the iGPU and its copy engine reach memory.
 *
 * virtual address -> GMMU -> volatile page?  no: the L2 (device and unified memory: cached, Table 1)
 *                                            yes: straight to the I/O port (pinned memory: uncached)
 *                    no translation: the process's own (process.c), where the SoC has that; then the L2
 */
#include <string.h>

#include "model/soc/soc_internal.h"

static struct gpu_port *gpu_port_of(struct bus_port *port)
{
    return (struct gpu_port *)port;
}

/* Translation and page of an access; NULL with *@status and the port's fault set. */
static struct gmmu_entry *resolve(struct gpu_port *gp, uint64_t va, bool write, bool atomic,
                                  enum bus_status *status)
{
    struct soc *soc = gp->soc;
    struct gmmu_entry *e = soc->process ? soc_process_hit(soc, va, write) : NULL;

    *status = BUS_OK;
    if (e) {
        return e;
    }
    e = gmmu_translate(soc->gmmu, gp->port.context, va, &gp->port.fault);
    gp->port.fault.write = write;
    if (!e && soc->process && (e = soc_process_walk(soc, va, write, &gp->port.fault))) {
        return e;
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
    if (!e->page || e->owner_generation != soc_dma_generation(soc) || (write && !e->page_writable)) {
        e->page = soc_dma_page(soc, SOC_UNIT_IGPU, e->pa, write);
        e->page_writable = write;
        e->owner_generation = soc_dma_generation(soc);
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

    if (gp->port.agent == BUS_AGENT_IGPU &&
        (gp->port.place != gp->told_place || t->channel != gp->told_channel)) {
        gp->told_place = gp->port.place;
        gp->told_channel = t->channel;
        trace_emit(t, TRACE_EVENT_GPU_AT, BUS_AGENT_IGPU, 0, gp->port.place >> 32,
                   (uint32_t)gp->port.place, 0, 0);
    }
}

/* One access for an observer; line_va and the page's line are both multiples of BUS_LINE. */
static void access_emit(struct gpu_port *gp, enum trace_event event, const struct gmmu_entry *e,
                        uint64_t va, uint64_t a, uint64_t b, uint64_t c)
{
    const struct ioc_page *p = e->page;

    place_emit(gp);
    trace_emit_more(&gp->soc->trace, event, gp->port.agent, p->region->id,
                    (const uint64_t[TRACE_ARGS]){ va, a, b, c, !e->volatile_,
                                                  p->pa + va % IOC_PAGE });
}

static enum bus_status gpu_load(struct bus_port *port, uint64_t line_va, unsigned sectors,
                                enum bus_scope scope, const uint8_t **line)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct soc *soc = gp->soc;
    enum bus_status status;
    struct gmmu_entry *e = resolve(gp, line_va, false, false, &status);
    unsigned off = line_va % IOC_PAGE;
    struct ioc_count *count;

    if (!e) {
        return status;
    }
    count = ioc_count(soc->ioc, e->page, port->agent);
    count->read_bytes += bus_sectors_count(sectors) * BUS_SECTOR;
    if (!e->volatile_) {
        *line = l2_load(soc->l2, e->page, off, sectors, port->agent);
    } else {
        count->read_sectors += bus_sectors_count(sectors);
        for (unsigned s = 0; s < BUS_LINE / BUS_SECTOR; s++) {
            if (sectors >> s & 1) {
                ioc_port_read(soc->ioc, e->page, off + s * BUS_SECTOR, gp->bounce + s * BUS_SECTOR,
                              BUS_SECTOR, port->agent);
            }
        }
        *line = gp->bounce;
    }
    if (port->observed) { /* after the fill that it caused */
        access_emit(gp, TRACE_EVENT_GPU_LOAD, e, line_va, port->bytes.word[0], port->bytes.word[1],
                    scope);
    }
    return BUS_OK;
}

static enum bus_status gpu_store(struct bus_port *port, uint64_t line_va, const uint8_t *data,
                                 const struct bus_mask *mask, enum bus_scope scope)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct soc *soc = gp->soc;
    enum bus_status status;
    struct gmmu_entry *e = resolve(gp, line_va, true, false, &status);
    unsigned off = line_va % IOC_PAGE;
    unsigned bytes = bus_mask_count(mask);
    struct ioc_count *count;

    if (!e) {
        return status;
    }
    count = ioc_count(soc->ioc, e->page, port->agent);
    count->write_bytes += bytes;
    count->write_lines++;
    if (e->volatile_) {
        ioc_port_write(soc->ioc, e->page, off, data, BUS_LINE,
                       bytes == BUS_LINE ? NULL : mask, port->agent);
    }
    if (port->observed) { /* after the CPU's line has gone, before the L2 writes through (Thor) */
        access_emit(gp, TRACE_EVENT_GPU_STORE, e, line_va, mask->word[0], mask->word[1], scope);
    }
    if (!e->volatile_) {
        l2_store(soc->l2, e->page, off, data, mask, port->agent);
    }
    return BUS_OK;
}

/* --- many bytes at once --- */

/* What may be done in one go of [va, va + len): memory that no cache holds, whole sectors, up to
 * the end of the page. Return: 0 if this has to go line by line. */
static size_t plain_run(struct gpu_port *gp, uint64_t va, size_t len, bool write,
                        struct gmmu_entry **entry)
{
    enum bus_status status;
    struct gmmu_entry *e;

    if (gp->port.observed || va % BUS_SECTOR || len < BUS_LINE) {
        return 0;
    }
    e = resolve(gp, va, write, false, &status);
    if (!e || !e->volatile_ || ((struct ioc_page *)e->page)->view) {
        return 0;
    }
    *entry = e;
    return MIN(len, IOC_PAGE - va % IOC_PAGE) / BUS_SECTOR * BUS_SECTOR;
}

static size_t gpu_read(struct bus_port *port, uint64_t va, void *dst, size_t len)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct gmmu_entry *e;
    size_t n = plain_run(gp, va, len, false, &e);

    if (n > 0) {
        struct ioc_count *count = ioc_count(gp->soc->ioc, e->page, port->agent);

        count->read_bytes += n;
        count->read_sectors += n / BUS_SECTOR;
        ioc_port_read(gp->soc->ioc, e->page, va % IOC_PAGE, dst, (unsigned)n, port->agent);
    }
    return n;
}

static size_t gpu_write(struct bus_port *port, uint64_t va, const void *src, size_t len)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct gmmu_entry *e;
    size_t n = plain_run(gp, va, len, true, &e);

    if (n > 0) {
        struct ioc_count *count = ioc_count(gp->soc->ioc, e->page, port->agent);

        count->write_bytes += n;
        count->write_lines += (va + n - 1) / BUS_LINE - va / BUS_LINE + 1;
        ioc_port_write(gp->soc->ioc, e->page, va % IOC_PAGE, src, (unsigned)n, NULL, port->agent);
    }
    return n;
}

/* --- atomics ------------------------------------------------------------------------------------ */

/* At the port the read and the write are one: nothing else runs in between. */
static void atomic_at_port(struct soc *soc, struct ioc_page *p, unsigned off, enum bus_atomic_op op,
                           unsigned size, uint64_t operand, uint64_t compare, enum bus_agent agent,
                           uint64_t *old)
{
    uint64_t value;

    *old = 0;
    ioc_port_read(soc->ioc, p, off, old, size, agent);
    value = bus_atomic_apply(op, BUS_ATOMIC_AT_L2, size, *old, operand, compare);
    ioc_port_write(soc->ioc, p, off, (const uint8_t *)&value, size, NULL, agent);
}

static enum bus_status gpu_atomic(struct bus_port *port, uint64_t va, enum bus_atomic_op op,
                                  unsigned size, uint64_t operand, uint64_t compare,
                                  enum bus_scope scope, uint64_t *old)
{
    struct gpu_port *gp = gpu_port_of(port);
    struct soc *soc = gp->soc;
    enum bus_status status;
    struct gmmu_entry *e = resolve(gp, va, true, true, &status);
    unsigned off = va % IOC_PAGE;
    struct ioc_page *p;

    if (!e) {
        return status;
    }
    p = e->page;
    if (scope == BUS_SCOPE_SYS && !soc->profile.rules.system_atomics) {
        trace_emit(&soc->trace, TRACE_EVENT_ATOMIC_UNSUPPORTED, port->agent, p->region->id, va, size,
                   op, scope);
        return BUS_UNSUPPORTED; /* CUDA for Tegra 3.6 */
    }
    ioc_count(soc->ioc, p, port->agent)->atomics++;
    if (e->volatile_ || (soc->profile.rules.cpu_snoops_l2 && p->view)) {
        atomic_at_port(soc, p, off, op, size, operand, compare, port->agent, old);
    } else {
        uint8_t *at = l2_modify(soc->l2, p, off, size, port->agent);
        uint64_t value;

        *old = 0;
        memcpy(old, at, size);
        value = bus_atomic_apply(op, BUS_ATOMIC_AT_L2, size, *old, operand, compare);
        memcpy(at, &value, size);
    }
    if (port->observed) {
        access_emit(gp, TRACE_EVENT_GPU_ATOMIC, e, va, size, op, scope);
    }
    return BUS_OK;
}

static const struct bus_port_ops gpu_port_ops = {
    .load = gpu_load,
    .store = gpu_store,
    .atomic = gpu_atomic,
    .read = gpu_read,
    .write = gpu_write,
};

void gpu_port_init(struct gpu_port *gp, struct soc *soc)
{
    gp->port.ops = &gpu_port_ops;
    gp->port.agent = BUS_AGENT_HOST;
    gp->soc = soc;
}
