/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest's CPUs do with tracked memory: loads, stores and exclusives.
 *
 * QEMU calls back after each access. The page's physical address and attributes come from the
 * guest's own tables, walked by QEMU's code (walk_page), and are kept a page a CPU until software
 * changes tables or control registers. */
#include "qemu-plugin/cpu.h"

#include <string.h>

#include "qemu-plugin/calibrate.h"
#include "qemu-plugin/walk.h"

#define PLAIN_PAGES 512u

/* Where it begins in a line of the host's instruction cache is a tenth of an access. */
#define HOT_CODE __attribute__((aligned(64)))

struct cpu *cpus[CPUS_MAX];

/* Page numbers of each CPU that are not tracked, by their low bits: what most accesses go to costs
 * one comparison. A tag in the top byte makes it another page, which does no harm. */
static _Atomic uint64_t plain[CPUS_MAX][PLAIN_PAGES];
#define PLAIN_NONE UINT64_MAX

/* --- where an access goes --- */

/* Arm ARM D8.5.1, MAIR_EL1: the low nibble is the inner cache policy of Normal memory; bit 2 with a
 * policy (RW not 0) or bit 3 without bit 2 off: 01RW and 11RW write-back, 00RW and 10RW
 * write-through, 0100 non-cacheable. Write-through lines are never dirty; no Linux and no firmware
 * uses them: as uncached. */
static bool attr_is_write_back(uint8_t attr)
{
    unsigned inner = attr & 15;

    return attr >> 4 != 0 && (inner & 4) && inner != 4;
}

static void plain_set(struct cpu *cpu, uint64_t vpn, bool is_plain)
{
    atomic_store_explicit(&plain[cpu->index][vpn % PLAIN_PAGES], is_plain ? vpn : PLAIN_NONE,
                          memory_order_relaxed);
}

static void plain_clear(unsigned index)
{
    for (unsigned i = 0; i < PLAIN_PAGES; i++) {
        atomic_store_explicit(&plain[index][i], PLAIN_NONE, memory_order_relaxed);
    }
}

void cpu_lines_change(void)
{
    for (unsigned i = 0; i < CPUS_MAX && cpus[i]; i++) {
        atomic_store_explicit(&cpus[i]->hot.line[false], HOT_NONE, memory_order_relaxed);
        atomic_store_explicit(&cpus[i]->hot.line[true], HOT_NONE, memory_order_relaxed);
    }
}

void cpu_forget(void)
{
    if (++board.epoch == 0) { /* marks an empty entry */
        board.epoch++;
    }
    cpu_lines_change();
    for (unsigned i = 0; i < CPUS_MAX && cpus[i]; i++) {
        if (cpus[i]->filled) {
            cpus[i]->filled = false;
            plain_clear(i);
        }
    }
}

static void tlb_fill(struct cpu *cpu, struct tlb_entry *e, uint64_t va)
{
    uint64_t pa;
    uint8_t attr = 0;

    cpu->filled = true;
    *e = (struct tlb_entry){ .vpn = va / PAGE, .epoch = board.epoch, .device = true };
    if (board.opt.ivshmem ? walk_tables(va, &pa, &attr)
                          : cpu->env && walk_page(cpu->env, va, &pa, &attr)) {
        struct page *page = page_at(pa);

        e->page = page && page->range ? page : NULL;
        e->cached = attr_is_write_back(attr);
        e->device = !e->page && attr >> 4 == 0;
    }
    plain_set(cpu, e->vpn, !e->page && !e->device);
}

struct tlb_entry *cpu_page(struct cpu *cpu, uint64_t va)
{
    struct tlb_entry *e = &cpu->tlb[va / PAGE % TLB_ENTRIES];

    if (e->vpn != va / PAGE || e->epoch != board.epoch) {
        tlb_fill(cpu, e, va);
    }
    return e;
}

/* Coherency is one way: no load looks into the iGPU's L2, except on an SoC where it does (Thor). */
static void l2_look(struct page *page, uint64_t pa)
{
    if (page->l2_runs != board.runs) {
        page->l2_runs = board.runs;
        page->l2_dirty = 0;
        for (unsigned i = 0; i < PAGE / LINE; i++) {
            struct soc_line line;

            if (soc_line_state(board.soc, page->pfn * PAGE + i * LINE, &line) &&
                line.l2_dirty_bytes) {
                page->l2_dirty |= UINT64_C(1) << i;
            }
        }
    }
    if (page->l2_dirty >> (pa % PAGE / LINE) & 1) {
        report_l2_newer(pa);
    }
}

/* --- the line touched last --- */

void cpu_hits_report(struct cpu *cpu)
{
    uint64_t count[2] = { 0 }, bytes[2] = { 0 };

    for (uint64_t used = cpu->used; used; used &= used - 1) {
        struct kind *k = &cpu->kinds[__builtin_ctzll(used)];
        uint64_t n = k->hits[0] + k->hits[1] + k->hits[2] + k->hits[3];

        count[k->store] += n;
        bytes[k->store] += n * k->len;
        memset(k->hits, 0, sizeof(k->hits));
    }
    if (count[0] || count[1]) {
        soc_cpu_hits(board.soc, &(struct soc_cpu_hits){ cpu->hot.page * PAGE, count[0], count[1],
                                                        bytes[0], bytes[1] });
    }
}

struct cpu *cpu_running(void)
{
    for (unsigned i = 0; !board.opt.ivshmem && i < CPUS_MAX && cpus[i]; i++) {
        if (cpus[i]->state == current_cpu) {
            return cpus[i];
        }
    }
    return board.opt.ivshmem ? cpus[shared_cpu] : NULL;
}

void cpu_counts_report(void)
{
    struct cpu *cpu = cpu_running();

    if (cpu) {
        cpu_hits_report(cpu);
    }
}

/* @va: of an access that has just been reported, within one line or not. */
static void hot_set(struct cpu *cpu, const struct tlb_entry *e, uint64_t va, bool within,
                    bool store)
{
    struct hot *h = &cpu->hot;
    uint64_t line = va & ~(uint64_t)(LINE - 1);
    bool repeats = within && e->cached && !report_wants_accesses && !e->page->gpu_written;

    if (h->page != e->page->pfn) {
        cpu_hits_report(cpu);
        h->page = e->page->pfn;
    }
    if (cpus[1]) {
        cpu_lines_change();
    }
    atomic_store_explicit(&h->line[false], repeats ? line : HOT_NONE, memory_order_relaxed);
    atomic_store_explicit(&h->line[true], repeats && store ? line : HOT_NONE, memory_order_relaxed);
}

static inline bool hot_hit(const struct hot *h, struct kind *k, uint64_t va)
{
    /* in front of the line: a large number */
    if (va - atomic_load_explicit(&h->line[k->store], memory_order_relaxed) > k->last) {
        return false;
    }
    k->hits[va / 8 % 4]++;
    return true;
}

/* --- an access --- */

static void page_accessed(const struct tlb_entry *e, uint64_t va, unsigned len, bool store,
                          uint64_t pc)
{
    uint64_t pa = e->page->pfn * PAGE + va % PAGE;
    enum access_kind access = store ? ACCESS_STORE : ACCESS_LOAD;

    if (pc &
        1) { /* a load-exclusive of cacheable memory is a load: only the store makes a line dirty */
        access = store || !e->cached ? ACCESS_ATOMIC : ACCESS_LOAD;
    }
    report_pc = pc & ~UINT64_C(3);
    soc_cpu_accessed(board.soc, pa, va, len, access, e->cached);
    if (!store && e->page->gpu_written && !board.opt.profile->rules.cpu_snoops_l2) {
        l2_look(e->page, pa);
    }
    if (store) {
        unsigned first = va % PAGE / LINE, last = (va % PAGE + len - 1) / LINE;

        e->page->store_pc[first] = report_pc;
        if (last != first) {
            e->page->store_pc[last] = report_pc;
        }
    }
}

/* A device's register, or RAM that the guest maps so (with the MMU off: all) and that is not
 * tracked. */
static void device_accessed(bool store)
{
    if (store && !board_own_access) {
        atomic_store_explicit(&board.iommu_touched, true, memory_order_release);
    }
    board_own_access = false;
}

static void kind_learn(struct cpu *cpu, struct kind *k, qemu_plugin_meminfo_t info)
{
    uint8_t len = (uint8_t)(1u << qemu_plugin_mem_size_shift(info));

    cpu_hits_report(cpu); /* another kind may have had the place */
    *k = (struct kind){ .info = info,
                        .len = len,
                        .last = (uint8_t)(LINE - MIN(len, LINE)),
                        .store = qemu_plugin_mem_is_store(info) };
    cpu->used |= UINT64_C(1) << (k - cpu->kinds);
}

static struct kind *kind_of(struct cpu *cpu, qemu_plugin_meminfo_t info)
{
    return &cpu->kinds[(info ^ info >> 16) % KINDS];
}

/* An access that is no hit in the line touched last, piece by piece: it may cross into another
 * page. */
static __attribute__((noinline)) void pieces_accessed(struct cpu *cpu, const struct kind *k,
                                                      uint64_t va, uint64_t pc)
{
    unsigned len = k->len;

    while (len > 0) {
        unsigned first = MIN(len, PAGE - (unsigned)(va % PAGE));
        const struct tlb_entry *e = cpu_page(cpu, va);

        if (e->device) {
            device_accessed(k->store);
        } else if (e->page) {
            page_accessed(e, va, first, k->store, pc);
            hot_set(cpu, e, va, va % LINE + first <= LINE, k->store);
        }
        va += first;
        len -= first;
    }
}

static __attribute__((noinline)) void kind_is_new(struct cpu *cpu, struct kind *k,
                                                  qemu_plugin_meminfo_t info)
{
    if (!cpus[1]) {
        board_lock_own();
    }
    board_lock();
    kind_learn(cpu, k, info);
    board_unlock();
}

/* Another line than the last one, or another state of it. */
static __attribute__((noinline)) void line_changes(struct cpu *cpu, qemu_plugin_meminfo_t info,
                                                   uint64_t va, void *udata, struct kind *k)
{
    uint64_t pc = (uintptr_t)udata;
    const struct tlb_entry *e = &cpu->tlb[va / PAGE % TLB_ENTRIES];

    if (e->device && e->vpn == va / PAGE && e->epoch == board.epoch) {
        device_accessed(qemu_plugin_mem_is_store(info));
        return;
    }
    if (k->info != info) { /* rare */
        kind_is_new(cpu, k, info);
    }
    board_lock();
    if (e->page && e->vpn == va / PAGE && e->epoch == board.epoch && va % LINE <= k->last) {
        page_accessed(e, va, k->len, k->store, pc); /* nearly always */
        hot_set(cpu, e, va, true, k->store);
    } else {
        pieces_accessed(cpu, k, va, pc);
    }
    board_unlock();
}

/* Arguments as QEMU passes them, so that they stay where they are. */
static __attribute__((noinline)) HOT_CODE void
tracked_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
    struct cpu *cpu = cpus[index];
    struct kind *k = kind_of(cpu, info);

    if (k->info != info || !hot_hit(&cpu->hot, k, va)) {
        line_changes(cpu, info, va, udata, k);
    }
}

static inline bool is_plain(unsigned index, uint64_t va)
{
    uint64_t vpn = va / PAGE;

    return atomic_load_explicit(&plain[index][vpn % PLAIN_PAGES], memory_order_relaxed) == vpn;
}

/* What is not tracked must leave at once, and a hit in the line touched last soon. An access that
 * crosses into a tracked page from one that is not is not seen; no compiler makes one, and a line
 * is found by comparison later. */
HOT_CODE void cpu_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
    if (__builtin_expect(!is_plain(index, va), 0)) {
        tracked_accessed(index, info, va, udata);
    }
}

HOT_CODE void cpu_accessed_one(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
    if (__builtin_expect(!is_plain(0, va), 0)) {
        tracked_accessed(index, info, va, udata);
    }
}

struct cpu *cpu_new(unsigned index, CPUState *state)
{
    struct cpu *cpu = g_aligned_alloc0(1, sizeof(*cpu), _Alignof(struct cpu));

    cpu->state = state;
    cpu->hot.line[false] = cpu->hot.line[true] = HOT_NONE;
    cpu->index = index;
    for (unsigned i = 0; i < KINDS; i++) {
        cpu->kinds[i].info = KIND_NONE;
    }
    plain_clear(index);
    return cpu;
}
