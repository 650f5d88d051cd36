/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest did wrong, told at the end: which access, where in the program, which rule, which
 * operation is missing. Made from the model's records; each finding once, with how often. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/bus.h"
#include "qemu-plugin/board.h"
#include "qemu-plugin/records.h"

#define FINDINGS_MAX 1000u
#define NOWHERE UINT64_MAX

/**
 * struct finding - one mistake
 * @key: what makes two of them the same
 * @what, @where, @todo, @rule: the lines of the report
 * @first, @last: addresses it concerns; NOWHERE: none
 */
struct finding {
    char *key, *what, *where;
    const char *todo, *rule;
    uint64_t first, last, count;
};

static FILE *trace_file;
static GPtrArray *findings;
static GHashTable *by_key;
uint64_t report_pc;
bool report_wants_accesses;
static unsigned not_kept;

/* --- findings --- */

static char *place(uint64_t pc)
{
    char *line = pc ? line_of(pc) : NULL, *text;

    if (pc == 0) {
        return g_strdup(
            "an unknown place (told by comparison: a helper of QEMU, or another device)");
    }
    text = line ? g_strdup_printf("pc 0x%" PRIx64 " %s", pc, line)
                : g_strdup_printf("pc 0x%" PRIx64, pc);
    g_free(line);
    return text;
}

/* Takes @key and @where. */
static void finding_add(char *key, uint64_t at, const char *what, char *where, const char *todo,
                        const char *rule)
{
    struct finding *f = g_hash_table_lookup(by_key, key);

    if (f || findings->len >= FINDINGS_MAX) {
        not_kept += f == NULL;
        g_free(key);
        g_free(where);
    } else {
        f = g_new0(struct finding, 1);
        *f = (struct finding){ key, g_strdup(what), where, todo, rule, at, at, 0 };
        g_ptr_array_add(findings, f);
        g_hash_table_insert(by_key, f->key, f);
    }
    if (f) {
        f->first = MIN(f->first, at);
        f->last = MAX(f->last, at);
        f->count++;
    }
}

#define RULE_COHERENCY                                                                           \
    "this SoC is not I/O coherent: CUDA for Tegra, 2.1; Arm ARM D7.5.9, maintenance by address " \
    "to the point of coherency [documented]"

static const char *agent_name(uint32_t agent)
{
    static const char *const names[BUS_AGENT_COUNT] = {
        [BUS_AGENT_CPU] = "the CPU",        [BUS_AGENT_IGPU] = "the iGPU",
        [BUS_AGENT_CE] = "the copy engine", [BUS_AGENT_HOST] = "the channel's front end",
        [BUS_AGENT_DLA] = "the DLA",        [BUS_AGENT_DRIVER] = "the driver",
    };

    return agent < BUS_AGENT_COUNT ? names[agent] : "an engine";
}

static void dma_read_stale(const struct trace_record *r)
{
    struct page *page = page_at(r->arg[0]);
    uint64_t pc = page && page->store_pc ? page->store_pc[r->arg[0] % PAGE / LINE] : 0;
    g_autofree char *what = NULL, *at = place(pc);

    what = g_strdup_printf("%s read memory older than what the CPU had stored there",
                           agent_name(r->agent));
    finding_add(
        g_strdup_printf("read %u %" PRIx64, r->agent, pc), r->arg[0], what,
        g_strdup_printf("stored at %s", at),
        "missing dc cvac (or dc civac) on these lines and a dsb, after the store and before the "
        "engine is started; in a Linux driver: dma_sync_single_for_device() or dma_map_single()",
        RULE_COHERENCY);
}

static void cpu_load_stale(const struct trace_record *r)
{
    struct page *page = page_at(r->arg[0]);
    uint32_t writer =
        page && page->writer ? page->writer[r->arg[0] % PAGE / LINE] : BUS_AGENT_COUNT;
    g_autofree char *what = NULL, *at = place(report_pc);

    what = g_strdup_printf("the CPU loaded a line from its cache that %s had changed in memory",
                           agent_name(writer));
    finding_add(
        g_strdup_printf("load %" PRIx64, report_pc), r->arg[0], what,
        g_strdup_printf("loaded at %s", at),
        "missing dc ivac (or dc civac) on these lines and a dsb, after the engine has written and "
        "before the load; in a Linux driver: dma_sync_single_for_cpu() or dma_unmap_single()",
        RULE_COHERENCY);
}

static void line_overwritten(const struct trace_record *r)
{
    struct page *page = page_at(r->arg[0]);
    uint64_t pc = page && page->store_pc ? page->store_pc[r->arg[0] % PAGE / LINE] : 0;
    g_autofree char *what = NULL, *at = place(pc), *by = report_pc ? place(report_pc) : NULL;

    what = g_strdup_printf("a write-back of a whole CPU line put old bytes over %" PRIu64
                           " that an engine had written (false sharing)",
                           r->arg[1]);
    finding_add(
        g_strdup_printf("over %" PRIx64 " %" PRIx64, pc, report_pc), r->arg[0], what,
        g_strdup_printf("line made dirty at %s, written back %s%s", at,
                        by ? "at " : "by an eviction", by ? by : ""),
        "give what the engine writes lines of its own (64-byte alignment and padding), or clean "
        "and invalidate before the engine starts and do not store until it has ended",
        RULE_COHERENCY);
}

static void dirty_dropped(const struct trace_record *r)
{
    struct page *page = page_at(r->arg[0]);
    uint64_t pc = page && page->store_pc ? page->store_pc[r->arg[0] % PAGE / LINE] : 0;
    g_autofree char *at = place(pc), *by = place(report_pc);

    finding_add(
        g_strdup_printf("drop %" PRIx64 " %" PRIx64, pc, report_pc), r->arg[0],
        "dc ivac threw away bytes that the CPU had stored and nobody had written back",
        g_strdup_printf("stored at %s, dropped at %s", at, by),
        "dc civac before the engine starts where the line may be dirty, dc ivac only on clean "
        "lines; what the CPU stores meanwhile must not lie in a line that the engine writes "
        "(64-byte alignment and padding)",
        "Arm ARM D7.5.9, DC IVAC [documented]");
}

static void cpu_uncached(const struct trace_record *r, bool atomic)
{
    g_autofree char *at = place(report_pc);

    if (atomic) {
        finding_add(
            g_strdup_printf("atomic %" PRIx64, report_pc), r->arg[0],
            "an exclusive or atomic access to memory that is not cacheable",
            g_strdup_printf("at %s", at),
            "keep locks and counters in write-back memory; a board may abort here or never let the "
            "store succeed",
            "Arm ARM B2.9.2, exclusives need Normal cacheable memory or a global monitor; CUDA for "
            "Tegra 3.2 [documented]");
    } else {
        finding_add(
            g_strdup_printf("mismatch %" PRIx64, report_pc), r->arg[0],
            "a non-cacheable access to a line that the CPU cache holds through another mapping",
            g_strdup_printf("at %s", at),
            "dc civac on the line after the last cacheable access, or one mapping only",
            "Arm ARM B2.8, mismatched memory attributes [documented]");
    }
}

static void engine_fault(const struct trace_record *r)
{
    char line[256];
    uint64_t at = r->event == TRACE_EVENT_MMU_FAULT    ? r->arg[1]
                  : r->event == TRACE_EVENT_GRID_FAULT ? r->arg[3]
                                                       : NOWHERE;

    trace_format(r, line, sizeof(line));
    finding_add(
        g_strdup_printf("fault %d %" PRIu64 " %" PRIx64, (int)r->event, r->arg[0], r->arg[1]), at,
        "an engine stopped with an error", g_strdup_printf("record: %s", line),
        "see the record; CHAN_ERROR in memory holds all of it",
        "model/regs/regs.h, struct chan_error; kind: enum chan_error_kind, reason: enum "
        "chan_error_reason [invented]");
}

static void register_unknown(const struct trace_record *r)
{
    finding_add(g_strdup_printf("mmio %" PRIx64, r->arg[0]), r->arg[0],
                "a register that the model does not have",
                g_strdup_printf("offset 0x%" PRIx64 " in its unit, %s", r->arg[0],
                                r->arg[1] ? "write" : "read"),
                "it reads 0 and ignores writes", "model/regs [invented or published, see there]");
}

void report_l2_newer(uint64_t pa)
{
    g_autofree char *at = place(report_pc);

    finding_add(
        g_strdup_printf("l2 %" PRIx64, report_pc), pa,
        "the CPU loaded a line of which the iGPU's L2 holds newer bytes",
        g_strdup_printf("loaded at %s", at),
        "clean the L2 after the kernel and before the load (FLUSH_L2_FLUSH_DIRTY, or MEM_OP in the "
        "pushbuffer), then dc ivac unless the SoC is I/O coherent",
        "coherency is one way, the CPU does not look into the L2: CUDA for Tegra, 2.1 "
        "[documented]");
}

void report_set_way(uint64_t pc, const char *what)
{
    g_autofree char *at = place(pc);

    finding_add(
        g_strdup_printf("dc %" PRIx64, pc), pc, what, g_strdup_printf("at %s", at),
        "use dc cvac, civac or ivac: set/way reaches no other core's cache and no system cache",
        "Arm ARM D7.5.9.2 [documented]");
}

void report_no_dsb(uint64_t pc)
{
    g_autofree char *at = place(pc);

    finding_add(
        g_strdup_printf("dsb %" PRIx64, pc), pc,
        "an engine was started while maintenance of the CPU's caches was not complete: no "
        "dsb between dc and the register write",
        g_strdup_printf("dc at %s", at),
        "dsb sy (or osh) after the last dc and before the write that starts the engine; a dmb "
        "is not enough. Here the bytes are right, because this CPU does one after the "
        "other: a board may still be writing them back. Linux's dma_sync_*() has the dsb",
        "Arm ARM D7.5.9, ordering and completion of maintenance; C6.2, DSB [documented]");
}

void report_window_access(uint64_t pc, uint64_t offset, unsigned bytes, bool store)
{
    g_autofree char *at = place(pc), *what = NULL;

    what = g_strdup_printf("a %s of %u bytes to a register of 32 bits", store ? "store" : "load",
                           bytes);
    finding_add(g_strdup_printf("width %" PRIx64, pc), offset, what,
                g_strdup_printf("at %s; the address above is the offset in the window", at),
                "use 32-bit accesses (readl(), writel()): with ivshmem= a narrower store does "
                "nothing, and of a 64-bit load the second half is old",
                "qemu-plugin/README.md, the window [invented]");
}

void report_dma_refused(unsigned function, uint64_t bus, bool write, const char *why)
{
    g_autofree char *stream = board.platform
                                  ? g_strdup("")
                                  : g_strdup_printf(" (PCI function %u, stream ID 0x%" PRIx32 ")",
                                                    function, device_stream_id(function));

    finding_add(
        g_strdup_printf("dma %u %s %d", function, why, write), bus,
        write ? "an engine's write was refused on its way to memory"
              : "an engine's read was refused on its way to memory",
        g_strdup_printf("bus address 0x%" PRIx64 "%s: %s", bus, stream, why),
        "map the page for this function's stream ID, with the permission that the access needs",
        "Arm SMMUv3 7.3, F_TRANSLATION, F_PERMISSION [documented]");
}

/* --- records --- */

static void sink(void *opaque, const struct trace_record *r)
{
    struct page *page;
    char line[256];

    (void)opaque;
    records_take(r);
    if (trace_file) {
        trace_format(r, line, sizeof(line));
        fprintf(trace_file, "%s\n", line);
    }
    switch (r->event) {
    case TRACE_EVENT_PORT_WRITE_UNSEEN:
        page = page_at(r->arg[0]);
        if (page && page->writer) {
            page->writer[r->arg[0] % PAGE / LINE] = (uint8_t)r->agent;
        }
        break;
    case TRACE_EVENT_PORT_READ_STALE:
        dma_read_stale(r);
        break;
    case TRACE_EVENT_CPU_STALE:
        cpu_load_stale(r);
        break;
    case TRACE_EVENT_CPU_OVERWRITE:
        line_overwritten(r);
        break;
    case TRACE_EVENT_CPU_DROP:
        if (r->arg[1]) {
            dirty_dropped(r);
        }
        break;
    case TRACE_EVENT_CPU_MISMATCH:
    case TRACE_EVENT_CPU_UNCACHED_ATOMIC:
        cpu_uncached(r, r->event == TRACE_EVENT_CPU_UNCACHED_ATOMIC);
        break;
    case TRACE_EVENT_CHANNEL_ERROR:
    case TRACE_EVENT_MMU_FAULT:
    case TRACE_EVENT_GRID_FAULT:
        engine_fault(r);
        break;
    case TRACE_EVENT_MMIO_UNKNOWN:
        register_unknown(r);
        break;
    default:
        break;
    }
}

void report_open(void)
{
    if (!findings) {
        findings = g_ptr_array_new();
        by_key = g_hash_table_new(g_str_hash, g_str_equal);
        if (board.opt.trace && !(trace_file = fopen(board.opt.trace, "w"))) {
            fprintf(stderr, "vtegra: trace=%s: %s\n", board.opt.trace, strerror(errno));
        }
    }
    report_wants_accesses = trace_file || records_mask() & TRACE_ACCESS;
    soc_observe(board.soc,
                trace_file ? TRACE_ALL : TRACE_CACHE | TRACE_MAINT | TRACE_FAULT | records_mask(),
                sink, NULL);
}

/* The SoC goes; what was found stays. */
void report_reset(void)
{
    soc_counts_flush(board.soc);
}

unsigned report_findings(void)
{
    return findings->len;
}

void report_mark(uint32_t value)
{
    if (trace_file) {
        fprintf(trace_file, "%" PRIu64 " cpu MARK value=%" PRIu32 "\n", soc_time_ns(board.soc),
                value);
    }
}

static void finding_print(FILE *f, guint i, const struct finding *x)
{
    fprintf(f, "%u. %s\n", i + 1, x->what);
    if (x->first == NOWHERE) {
        if (x->count > 1) {
            fprintf(f, "   %" PRIu64 " times\n", x->count);
        }
    } else {
        fprintf(f, "   address  0x%" PRIx64, x->first);
        if (x->first != x->last) {
            fprintf(f, " .. 0x%" PRIx64, x->last);
        }
        if (x->count > 1) {
            fprintf(f, ", %" PRIu64 " times", x->count);
        }
        fputc('\n', f);
    }
    fprintf(f, "   where    %s\n   to do    %s\n   rule     %s\n", x->where, x->todo, x->rule);
}

void report_close(void)
{
    FILE *f = board.opt.report ? fopen(board.opt.report, "w") : stderr;

    soc_counts_flush(board.soc);
    if (!f) {
        fprintf(stderr, "vtegra: report=%s: %s\n", board.opt.report, strerror(errno));
        f = stderr;
    }
    if (findings->len || board.opt.report) {
        fprintf(f, "vtegra: %u finding%s on %s\n", findings->len, findings->len == 1 ? "" : "s",
                board.opt.profile->soc.name);
    }
    for (guint i = 0; i < findings->len; i++) {
        finding_print(f, i, g_ptr_array_index(findings, i));
    }
    if (not_kept) {
        fprintf(f, "and %u more that were not kept\n", not_kept);
    }
    if (f != stderr) {
        fclose(f);
    }
    if (trace_file && fclose(trace_file) != 0) {
        fprintf(stderr, "vtegra: trace=%s: %s\n", board.opt.trace, strerror(errno));
    }
    trace_file = NULL;
    line_close();
}
