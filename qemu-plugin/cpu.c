/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest's CPUs do with tracked memory: loads, stores and exclusives.
 *
 * QEMU calls back after each access. The page's physical address and attributes come from the
 * guest's own tables, walked by QEMU's code (walk_page), and are kept a page a CPU until software
 * changes tables or control registers. */
#include "qemu-plugin/cpu.h"

#include <string.h>

#include "qemu-plugin/calibrate.h"

#define PLAIN_PAGES 512u

struct cpu *cpus[CPUS_MAX];

/* Page numbers of each CPU that nobody tracks, by their low bits: what most accesses go to costs
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

/* Another CPU may be about to forget everything meanwhile (cpu_forget): then this is not kept. */
static void plain_set(struct cpu *cpu, uint64_t vpn, bool is_plain, uint32_t epoch)
{
    _Atomic uint64_t *slot = &plain[cpu->index][vpn % PLAIN_PAGES];

    atomic_store_explicit(slot, is_plain ? vpn : PLAIN_NONE, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (board.epoch != epoch) {
        atomic_store_explicit(slot, PLAIN_NONE, memory_order_relaxed);
    }
}

static void plain_clear(unsigned index)
{
    for (unsigned i = 0; i < PLAIN_PAGES; i++) {
        atomic_store_explicit(&plain[index][i], PLAIN_NONE, memory_order_relaxed);
    }
}

void cpu_forget(void)
{
    if (++board.epoch == 0) { /* marks an empty entry */
        board.epoch++;
    }
    for (unsigned i = 0; i < CPUS_MAX && cpus[i]; i++) {
        if (atomic_exchange(&cpus[i]->filled, false)) {
            plain_clear(i);
        }
    }
}

static void tlb_fill(struct cpu *cpu, struct tlb_entry *e, uint64_t va)
{
    uint64_t pa;
    uint8_t attr = 0;

    cpu->filled = true; /* before the epoch is read: see cpu_forget() */
    *e = (struct tlb_entry){ .vpn = va / PAGE, .epoch = board.epoch, .device = true };
    if (cpu->env && walk_page(cpu->env, va, &pa, &attr)) {
        struct page *page = page_at(pa);

        e->page = page && page->range ? page : NULL;
        e->cached = attr_is_write_back(attr);
        e->device = !e->page && attr >> 4 == 0;
    }
    plain_set(cpu, e->vpn, !e->page && !e->device, e->epoch);
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

void cpu_hits_tell(struct cpu *cpu)
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
        soc_cpu_hits(board.soc,
                     &(struct soc_cpu_hits){ cpu->hot.pa, count[0], count[1], bytes[0], bytes[1] });
    }
}

void cpu_counts_tell(void)
{
    for (unsigned i = 0; current_cpu && i < CPUS_MAX && cpus[i]; i++) {
        if (cpus[i]->state == current_cpu) {
            cpu_hits_tell(cpus[i]);
        }
    }
}

static void hot_set(struct cpu *cpu, const struct tlb_entry *e, uint64_t va, unsigned len,
                    bool store)
{
    struct hot *h = &cpu->hot;
    uint64_t pa = e->page->pfn * PAGE;

    if (h->pa != pa) {
        cpu_hits_tell(cpu);
        h->pa = pa;
    }
    board_changed();
    h->line =
        (va % LINE + len <= LINE && e->cached && !report_wants_accesses() && !e->page->gpu_written)
            ? va / LINE
            : UINT64_MAX;
    h->dirty = store;
    h->version = board.version;
    h->epoch = board.epoch;
}

static inline bool hot_hit(const struct hot *h, struct kind *k, uint64_t va)
{
    if (h->line != va / LINE || va % LINE > k->last || (k->store && !h->dirty) ||
        h->version != atomic_load_explicit(&board.version, memory_order_relaxed) ||
        h->epoch != atomic_load_explicit(&board.epoch, memory_order_relaxed)) {
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
    enum soc_access access = store ? SOC_STORE : SOC_LOAD;

    if (pc &
        1) { /* a load-exclusive of cacheable memory is a load: only the store makes a line dirty */
        access = store || !e->cached ? SOC_ATOMIC : SOC_LOAD;
    }
    report_pc = pc & ~UINT64_C(3);
    soc_cpu_accessed(board.soc, pa, va, len, access, e->cached);
    if (!store && e->page->gpu_written && !board.opt.profile->rules.cpu_snoops_l2) {
        l2_look(e->page, pa);
    }
    if (store) {
        unsigned first = va % PAGE / LINE, last = (va % PAGE + len - 1) / LINE;

        e->page->store_pc[first] = e->page->store_pc[last] = report_pc;
    }
}

/* A device's register, or RAM that the guest maps so (with the MMU off: all) and nobody tracks. */
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

    cpu_hits_tell(cpu); /* another kind may have had the place */
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

/* Another line than the last one, or another state of it. */
static __attribute__((noinline)) void line_changes(unsigned index, qemu_plugin_meminfo_t info,
                                                   uint64_t va, void *udata)
{
    struct cpu *cpu = cpus[index];
    struct kind *k = kind_of(cpu, info);
    const struct tlb_entry *e = &cpu->tlb[va / PAGE % TLB_ENTRIES];
    unsigned len;

    if (e->device && e->vpn == va / PAGE && e->epoch == board.epoch) {
        device_accessed(qemu_plugin_mem_is_store(info));
        return;
    }
    if (k->info != info) { /* rare */
        if (!cpus[1]) {
            board_lock_own();
        }
        board_lock();
        kind_learn(cpu, k, info);
        board_unlock();
    }
    board_lock();
    len = k->len;
    while (len > 0) { /* twice where an access crosses a page */
        unsigned first = MIN(len, PAGE - (unsigned)(va % PAGE));

        e = cpu_page(cpu, va);
        if (e->device) {
            device_accessed(k->store);
        } else if (e->page) {
            page_accessed(e, va, first, k->store, (uintptr_t)udata);
            hot_set(cpu, e, va, first, k->store);
        }
        va += first;
        len -= first;
    }
    board_unlock();
}

static __attribute__((noinline)) void tracked_accessed(unsigned index, qemu_plugin_meminfo_t info,
                                                       uint64_t va, void *udata)
{
    struct kind *k = kind_of(cpus[index], info);

    if (k->info != info || !hot_hit(&cpus[index]->hot, k, va)) {
        line_changes(index, info, va, udata);
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
void cpu_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
    if (__builtin_expect(!is_plain(index, va), 0)) {
        tracked_accessed(index, info, va, udata);
    }
}

void cpu_accessed_one(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
    if (__builtin_expect(!is_plain(0, va), 0)) {
        tracked_accessed(index, info, va, udata);
    }
}

struct cpu *cpu_new(unsigned index, CPUState *state)
{
    struct cpu *cpu = g_new0(struct cpu, 1);

    cpu->state = state;
    cpu->index = index;
    for (unsigned i = 0; i < KINDS; i++) {
        cpu->kinds[i].info = KIND_NONE;
    }
    plain_clear(index);
    return cpu;
}
