/* SPDX-License-Identifier: MIT */
/* The two images of a page, and how unreported stores are found.
 *
 * An exact source of CPU accesses (compiler hooks, QEMU) reports each store before it happens. A plain
 * binary, or libc inside a tracked one, reports nothing. So before the model uses a line it compares:
 * the view differs from what the model last knew it to hold => the CPU has stored there => the line
 * is valid and dirty. "What the model last knew" is the DRAM image as long as DRAM and the view agree
 * on clean lines; once an engine changes DRAM under a valid line (not coherent), a copy made just
 * before that, the twin, remembers it.
 */
#include <string.h>

#include "model/iocoherency/ioc_internal.h"

static const uint8_t *page_known(const struct ioc_page *p, unsigned line)
{
    return (p->twin ? p->twin : p->dram) + line * IOC_LINE;
}

/* For an observer: which bytes. */
static void found_trace(struct ioc *c, const struct ioc_page *p, unsigned line)
{
    const uint8_t *known = page_known(p, line);
    uint8_t view[IOC_LINE];
    uint64_t bytes = 0;

    view_get(p, line * IOC_LINE, view, IOC_LINE);
    for (unsigned i = 0; i < IOC_LINE; i++) {
        bytes |= (uint64_t)(view[i] != known[i]) << i;
    }
    trace_emit(c->trace, TRACE_EVENT_CPU_FOUND, BUS_AGENT_CPU, p->region->id, p->pa + line * IOC_LINE,
               bytes, 0, 0);
}

void page_settle_line(struct ioc *c, struct ioc_page *p, unsigned line)
{
    if (!p->view || page_line_is(p->dirty, line)) {
        return;
    }
    if (!view_equal(p, line * IOC_LINE, page_known(p, line), IOC_LINE)) {
        if (trace_wants(c->trace, TRACE_CACHE)) {
            found_trace(c, p, line);
        }
        p->valid |= UINT64_C(1) << line;
        p->dirty |= UINT64_C(1) << line;
    }
}

void ioc_page_look(struct ioc *c, struct ioc_page *p, unsigned line)
{
    page_settle_line(c, p, line);
}

void page_settle(struct ioc *c, struct ioc_page *p)
{
    if (!p->view || view_equal(p, 0, p->twin ? p->twin : p->dram, IOC_PAGE)) {
        return; /* the usual case, one pass */
    }
    for (unsigned line = 0; line < IOC_LINES; line++) {
        page_settle_line(c, p, line);
    }
}

uint64_t ioc_page_dirty(struct ioc *c, struct ioc_page *p, uint64_t lines)
{
    if (p->view && !view_equal(p, 0, p->twin ? p->twin : p->dram, IOC_PAGE)) {
        for (uint64_t todo = lines; todo; todo &= todo - 1) {
            page_settle_line(c, p, (unsigned)__builtin_ctzll(todo));
        }
    }
    return p->dirty & lines;
}

/* DRAM is about to change under a valid line. */
void page_twin_keep(struct ioc *c, struct ioc_page *p)
{
    if (p->twin || !p->view) {
        return;
    }
    page_settle(c, p);
    p->twin = g_memdup2(p->dram, IOC_PAGE);
}

void page_twin_drop_if_equal(struct ioc_page *p)
{
    if (p->twin && memcmp(p->twin, p->dram, IOC_PAGE) == 0) {
        g_clear_pointer(&p->twin, g_free);
    }
}

static void page_line_known(struct ioc_page *p, unsigned line)
{
    if (p->twin) {
        memcpy(p->twin + line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE);
    }
}

/* View -> DRAM, the whole line: bytes an engine wrote into DRAM beside ours are lost (false sharing). */
void page_line_write_back(struct ioc_page *p, unsigned line)
{
    view_get(p, line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE);
    p->dirty &= ~(UINT64_C(1) << line);
    page_line_known(p, line);
}

/* DRAM -> view: what a later load will see. */
void page_line_reload(struct ioc_page *p, unsigned line)
{
    view_put(p, line * IOC_LINE, p->dram + line * IOC_LINE, IOC_LINE);
    page_line_known(p, line);
}

/* The same for a clean line that leaves: only the bytes that an engine has changed. What else differs is
 * another core's store that is just happening (an owner reports it afterwards), and must not be lost. */
void page_line_refresh(struct ioc_page *p, unsigned line)
{
    if (!p->twin) {
        return;
    }
    for (unsigned i = line * IOC_LINE; i < (line + 1) * IOC_LINE; i++) {
        if (p->twin[i] != p->dram[i]) {
            p->view[i] = p->dram[i];
        }
    }
    page_line_known(p, line);
}
