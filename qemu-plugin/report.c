/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest did wrong, reported at the end. The findings are checker/rules/machine.c's; here
 * is what only QEMU knows: which instruction ran, and what it and the engines did to each line
 * before. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checker/rules/machine.h"
#include "qemu-plugin/board.h"
#include "qemu-plugin/records.h"

static FILE *trace_file;
static struct machine *machine;

static uint64_t store_pc(uint64_t pa)
{
    const struct page *page = page_at(pa);

    return page && page->store_pc ? page->store_pc[pa % PAGE / LINE] : 0;
}

static uint32_t report_writer(uint64_t pa)
{
    const struct page *page = page_at(pa);

    return page && page->writer ? page->writer[pa % PAGE / LINE] : BUS_AGENT_COUNT;
}

void report_l2_newer(uint64_t pa)
{
    machine_l2_newer(machine, report_pc, pa);
}

void report_set_way(uint64_t pc, const char *what)
{
    machine_set_way(machine, pc, what);
}

void report_no_dsb(uint64_t pc)
{
    machine_no_dsb(machine, pc);
}

void report_window_access(uint64_t pc, uint64_t offset, unsigned bytes, bool store)
{
    machine_window_access(machine, pc, offset, bytes, store);
}

void report_dma_refused(unsigned function, uint64_t bus, bool write, const char *why)
{
    g_autofree char *stream = board.platform
                                  ? g_strdup("")
                                  : g_strdup_printf(" (PCI function %u, stream ID 0x%" PRIx32 ")",
                                                    function, function_stream_id(function));

    machine_dma_refused(machine, function, bus, write, stream, why);
}

static void report_sink(void *opaque, const struct trace_record *r)
{
    struct page *page = r->event == TRACE_EVENT_PORT_WRITE_UNSEEN ? page_at(r->arg[0]) : NULL;
    char line[256];

    (void)opaque;
    records_take(r);
    if (trace_file) {
        trace_format(r, line, sizeof(line));
        fprintf(trace_file, "%s\n", line);
    }
    if (page && page->writer) {
        page->writer[r->arg[0] % PAGE / LINE] = (uint8_t)r->agent;
    }
    machine_record(machine, r, report_pc);
}

void report_open(void)
{
    if (!machine) {
        machine = machine_new(&(struct machine_host){ line_of, store_pc, report_writer });
        if (board.opt.trace && !(trace_file = fopen(board.opt.trace, "w"))) {
            fprintf(stderr, "vtegra: trace=%s: %s\n", board.opt.trace, strerror(errno));
        }
    }
    report_wants_accesses = trace_file || records_mask() & TRACE_ACCESS;
    soc_observe(board.soc,
                trace_file ? TRACE_ALL : TRACE_CACHE | TRACE_MAINT | TRACE_FAULT | records_mask(),
                report_sink, NULL);
}

/* The SoC goes; what was found stays. */
void report_reset(void)
{
    soc_counts_flush(board.soc);
}

unsigned report_findings(void)
{
    return machine_findings(machine);
}

void report_mark(uint32_t value)
{
    if (trace_file) {
        fprintf(trace_file, "%" PRIu64 " cpu MARK value=%" PRIu32 "\n", soc_time_ns(board.soc),
                value);
    }
}

void report_close(void)
{
    FILE *f = board.opt.report ? fopen(board.opt.report, "w") : stderr;
    g_autofree char *text = NULL;

    soc_counts_flush(board.soc);
    if (!f) {
        fprintf(stderr, "vtegra: report=%s: %s\n", board.opt.report, strerror(errno));
        f = stderr;
    }
    text = machine_text(machine, board.opt.profile->soc.name, board.opt.report != NULL);
    fputs(text, f);
    if (f != stderr) {
        fclose(f);
    }
    if (trace_file && fclose(trace_file) != 0) {
        fprintf(stderr, "vtegra: trace=%s: %s\n", board.opt.trace, strerror(errno));
    }
    trace_file = NULL;
    line_close();
}
