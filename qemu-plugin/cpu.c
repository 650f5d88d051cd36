/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest's CPUs do with tracked memory: loads, stores, exclusives and cache maintenance.
 *
 * QEMU calls back after each access. The page's physical address and attributes come from the
 * guest's own tables, walked by QEMU's code (walk_page), and are kept a page a CPU until software
 * changes tables or control registers. Cache maintenance by address is caught by defining its
 * system instructions anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-plugin/board.h"
#include "qemu-plugin/calibrate.h"

#define CPUS_MAX 512
#define TLB_ENTRIES 1024u
#define KINDS 64u
#define EPOCH_BITS 20

struct tlb_entry {
    uint64_t vpn;
    struct page *page; /* NULL: not tracked */
    uint32_t epoch;    /* of the board when this was true; 0 = empty */
    bool cached, device;
};

/* The line that this CPU touched last. While nothing else has happened on the board (@version),
 * touching it again is a hit that changes nothing but the counts, which are told to the model
 * later. */
struct hot {
    uint64_t line; /* va / 64 */
    uint64_t pa;   /* of the counts below */
    uint64_t load_bytes, store_bytes;
    uint32_t version, epoch, loads, stores;
    bool dirty;
};

struct kind {
    qemu_plugin_meminfo_t info;
    unsigned len; /* 0: empty */
    bool store;
};

struct cpu {
    uint64_t plain[TLB_ENTRIES]; /* plain_key() of pages that nobody tracks */
    void *env;
    struct hot hot;
    uint64_t dc_pc; /* of the maintenance instruction that is about to run */
    struct tlb_entry tlb[TLB_ENTRIES];
    struct kind kinds[KINDS];
};

static struct cpu *cpus[CPUS_MAX]; /* all point somewhere: nobody has no env */
static struct cpu nobody;

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

/* Page number (bits 55:12; the top byte may be a tag) and epoch in one word: one comparison for
 * what most accesses are. Never 0: the epoch is not. */
static inline uint64_t plain_key(uint64_t va, uint32_t epoch)
{
    return va << 8 >> (12 + 8) << EPOCH_BITS | epoch % (1u << EPOCH_BITS);
}

/* The lock is held. */
static void tlb_fill(struct cpu *cpu, struct tlb_entry *e, uint64_t va)
{
    uint64_t pa;
    uint8_t attr = 0;

    *e = (struct tlb_entry){ .vpn = va / PAGE, .epoch = board.epoch, .device = true };
    if (cpu->env && walk_page(cpu->env, va, &pa, &attr)) {
        struct page *page = page_at(pa);

        e->page = page && page->range ? page : NULL;
        e->cached = attr_is_write_back(attr);
        e->device = !e->page && attr >> 4 == 0;
    }
    cpu->plain[va / PAGE % TLB_ENTRIES] = e->page || e->device ? 0 : plain_key(va, e->epoch);
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

/* The lock is held. */
static void hot_flush(struct hot *h)
{
    if (h->loads || h->stores) {
        soc_cpu_hits(board.soc, &(struct soc_cpu_hits){ h->pa, h->loads, h->stores, h->load_bytes,
                                                        h->store_bytes });
        h->loads = h->stores = 0;
        h->load_bytes = h->store_bytes = 0;
    }
}

static void hot_set(struct hot *h, const struct tlb_entry *e, uint64_t va, unsigned len, bool store)
{
    uint64_t pa = e->page->pfn * PAGE;

    if (h->pa != pa) {
        hot_flush(h);
        h->pa = pa;
    }
    board_changed();
    h->line = (va % LINE + len <= LINE && e->cached && !board.opt.trace && !e->page->gpu_written)
                  ? va / LINE
                  : UINT64_MAX;
    h->dirty = store;
    h->version = board.version;
    h->epoch = board.epoch;
}

static inline bool hot_hit(struct hot *h, uint64_t va, unsigned len, bool store)
{
    if (h->line != va / LINE || (store && !h->dirty) || va % LINE + len > LINE ||
        h->version != atomic_load_explicit(&board.version, memory_order_relaxed) ||
        h->epoch != atomic_load_explicit(&board.epoch, memory_order_relaxed)) {
        return false;
    }
    if (store) {
        h->stores++;
        h->store_bytes += len;
    } else {
        h->loads++;
        h->load_bytes += len;
    }
    return true;
}

static void page_accessed(struct tlb_entry *e, uint64_t va, unsigned len, bool store, uint64_t pc)
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
        e->page->store_pc[va % PAGE / LINE] = pc & ~UINT64_C(3);
        e->page->store_pc[(va % PAGE + len - 1) / LINE] = pc & ~UINT64_C(3);
    }
}

/* Size and direction of an access, as QEMU's calls say; kept, because a program has few kinds of
 * them. */
static const struct kind *kind_of(struct cpu *cpu, qemu_plugin_meminfo_t info)
{
    struct kind *k = &cpu->kinds[(info ^ info >> 16) % KINDS];

    if (k->info != info || k->len == 0) {
        *k = (struct kind){ info, 1u << qemu_plugin_mem_size_shift(info),
                            qemu_plugin_mem_is_store(info) };
    }
    return k;
}

/* A device's register, or RAM that the guest maps so (with the MMU off: all) and nobody tracks. */
static void device_accessed(bool store)
{
    if (store && !board_own_access) {
        atomic_store_explicit(&board.iommu_touched, true, memory_order_release);
    }
    board_own_access = false;
}

static __attribute__((noinline)) void line_changes(struct cpu *cpu, const struct kind *k,
                                                   uint64_t va, uintptr_t pc)
{
    unsigned len = k->len;

    board_lock();
    while (len > 0) { /* twice where an access crosses a page */
        unsigned first = MIN(len, PAGE - (unsigned)(va % PAGE));
        struct tlb_entry *e = &cpu->tlb[va / PAGE % TLB_ENTRIES];

        if (e->vpn != va / PAGE || e->epoch != board.epoch) {
            tlb_fill(cpu, e, va);
        }
        if (e->device) {
            device_accessed(k->store);
        } else if (e->page) {
            page_accessed(e, va, first, k->store, pc);
            hot_set(&cpu->hot, e, va, first, k->store);
        }
        va += first;
        len -= first;
    }
    board_unlock();
}

static __attribute__((noinline)) void tracked_accessed(struct cpu *cpu, qemu_plugin_meminfo_t info,
                                                       uint64_t va, uintptr_t pc)
{
    const struct kind *k = kind_of(cpu, info);
    const struct tlb_entry *e = &cpu->tlb[va / PAGE % TLB_ENTRIES];

    if (e->device && e->vpn == va / PAGE && e->epoch == board.epoch) {
        device_accessed(k->store);
    } else if (!hot_hit(&cpu->hot, va, k->len, k->store)) {
        line_changes(cpu, k, va, pc);
    }
}

/* @udata: the instruction's address; bit 0: exclusive or atomic. Called after every load and store
 * of the guest: what is not tracked must leave at once. An access that crosses into a tracked page
 * from one that is not is not seen; no compiler makes one, and a line is found by comparison later.
 */
static void cpu_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
    struct cpu *cpu = cpus[index % CPUS_MAX];
    uint64_t key = plain_key(va, atomic_load_explicit(&board.epoch, memory_order_relaxed));

    if (__builtin_expect(cpu->plain[va / PAGE % TLB_ENTRIES] != key, 0)) {
        tracked_accessed(cpu, info, va, (uintptr_t)udata);
    }
}

/* --- maintenance by address --- */

/* ARMCPRegInfo. From opaque on it lies 8 bytes further from 8.1 on. */
struct cp_reg {
    const char *name;
    uint8_t cp, crn, crm, opc0, opc1, opc2;
    int state, type, access, secure;
    uint64_t rest[24];
};
enum {
    REST_OPAQUE = 0,
    REST_WRITEFN = 7,
    REST_RESETFN = 10,
    CP_AARCH64 = 1,
    CP_TYPE = 1 << 6 | 1 << 7 | 1 << 10 | 1 << 15, /* SUPPRESS_TB_END OVERRIDE NO_RAW NO_GDB */
    CP_PL0_W = 0x55,
    CP_PL1_W = 0x54,
};

static unsigned rest_shift(void)
{
    return calibrate_api >= 3 ? 1 : 0;
}

static struct cpu *cpu_of(const struct cp_reg *reg)
{
    return (struct cpu *)(uintptr_t)reg->rest[REST_OPAQUE + rest_shift()];
}

/* The only proof that the layout is right, and where the CPU's state is told. */
static void cpu_env_learn(void *env, const struct cp_reg *reg)
{
    struct cpu *cpu = cpu_of(reg);

    for (unsigned i = 0; i < CPUS_MAX; i++) {
        if (cpus[i] != &nobody && cpus[i] == cpu) {
            cpu->env = env;
        }
    }
}

static void line_maintain(struct cpu *cpu, uint64_t va,
                          int64_t (*what)(struct soc *, uint64_t, uint64_t))
{
    struct tlb_entry *e = &cpu->tlb[va / PAGE % TLB_ENTRIES];

    board_lock();
    board_changed();
    hot_flush(&cpu->hot);
    if (e->vpn != va / PAGE || e->epoch != board.epoch) {
        tlb_fill(cpu, e, va);
    }
    if (e->page) {
        report_pc = cpu->dc_pc;
        what(board.soc, (e->page->pfn * PAGE + va % PAGE) & ~(uint64_t)(LINE - 1), LINE);
    }
    board_unlock();
}

static void dc_cvac(void *env, const struct cp_reg *reg, uint64_t va)
{
    (void)env;
    line_maintain(cpu_of(reg), va, soc_cpu_clean);
}

static void dc_civac(void *env, const struct cp_reg *reg, uint64_t va)
{
    (void)env;
    line_maintain(cpu_of(reg), va, soc_cpu_clean_invalidate);
}

static void dc_ivac(void *env, const struct cp_reg *reg, uint64_t va)
{
    (void)env;
    line_maintain(cpu_of(reg), va, soc_cpu_invalidate);
}

static void maintenance_define(CPUState *state, struct cpu *cpu)
{
    static const struct {
        const char *name;
        uint8_t opc1, crm;
        int access;
        void (*write)(void *, const struct cp_reg *, uint64_t);
    } dc[] = {
        { "DC_IVAC", 0, 6, CP_PL1_W, dc_ivac },
        { "DC_CVAC", 3, 10, CP_PL0_W, dc_cvac },
        { "DC_CIVAC", 3, 14, CP_PL0_W, dc_civac },
    };

    for (unsigned i = 0; i < sizeof(dc) / sizeof(dc[0]); i++) {
        struct cp_reg r = {
            .name = dc[i].name,
            .opc0 = 1,
            .opc1 = dc[i].opc1,
            .crn = 7,
            .crm = dc[i].crm,
            .opc2 = 1,
            .state = CP_AARCH64,
            .type = CP_TYPE,
            .access = dc[i].access,
        };

        r.rest[REST_WRITEFN + rest_shift()] = (uintptr_t)dc[i].write;
        r.rest[REST_RESETFN + rest_shift()] = (uintptr_t)cpu_env_learn;
        define_one_arm_cp_reg_with_opaque(state, &r, cpu);
    }
}

/* --- instructions --- */

/* Arm ARM C4.1, encoding tables. */
static bool is_load_store(uint32_t op)
{
    return (op >> 25 & 5) == 4;
}

static bool is_exclusive_or_atomic(uint32_t op)
{
    if ((op & 0x3f000000) ==
        0x08000000) { /* exclusives, ordered (not: plain acquire, release), CAS */
        return !(op & 0x00800000) || (op & 0x00200000);
    }
    return (op & 0x3b200c00) == 0x38200000 && (op >> 12 & 15) != 12; /* LSE; 12: LDAPR */
}

static unsigned op_crn(uint32_t op)
{
    return op >> 12 & 15;
}

/* TLBI; MSR of SCTLR, TTBR0/1, TCR, MAIR, HCR: a translation kept may be another one afterwards. */
static bool changes_translation(uint32_t op)
{
    return ((op & 0xfff80000) == 0xd5080000 && (op_crn(op) == 8 || op_crn(op) == 9)) ||
           ((op & 0xfff80000) == 0xd5180000 &&
            (op_crn(op) == 1 || op_crn(op) == 2 || op_crn(op) == 10));
}

/* When the epoch's bits in plain_key() come round, what is left of old ones must go; twice a round,
 * because another CPU may just be writing one. Epoch 0 marks an empty entry. */
static void translation_changes(unsigned index, void *udata)
{
    unsigned epoch = ++board.epoch;

    (void)index;
    (void)udata;
    if (epoch % (1u << EPOCH_BITS) == 0) {
        board.epoch++;
    }
    if (epoch % (1u << (EPOCH_BITS - 1)) == 0) {
        for (unsigned i = 0; i < CPUS_MAX; i++) {
            if (cpus[i] != &nobody) {
                memset(cpus[i]->plain, 0, sizeof(cpus[i]->plain));
            }
        }
    }
}

static void dc_runs(unsigned index, void *udata)
{
    cpus[index % CPUS_MAX]->dc_pc = (uintptr_t)udata;
}

#define NOT_MODELLED(function, text)                  \
    static void function(unsigned index, void *udata) \
    {                                                 \
        (void)index;                                  \
        board_lock();                                 \
        if (board.tracked_pages) {                    \
            report_set_way((uintptr_t)udata, text);   \
        }                                             \
        board_unlock();                               \
    }
NOT_MODELLED(set_way_runs, "dc isw/csw/cisw (by set and way)")
NOT_MODELLED(persistence_runs, "dc cvap/cvadp (to persistence)")

static void system_instrument(struct qemu_plugin_insn *insn, uint32_t op, void *pc)
{
    unsigned what = (op >> 16 & 7) << 8 | (op >> 8 & 15) << 4 | (op >> 5 & 7); /* op1, CRm, op2 */
    void (*call)(unsigned, void *) = NULL;

    if (changes_translation(op)) {
        call = translation_changes;
    } else if ((op & 0xfff80000) == 0xd5080000 && op_crn(op) == 7) {
        switch (what) {
        case 0x061: /* IVAC */
        case 0x3a1: /* CVAC */
        case 0x3e1: /* CIVAC */
            call = dc_runs;
            break;
        case 0x062:
        case 0x0a2:
        case 0x0e2:
            call = set_way_runs;
            break;
        case 0x3c1:
        case 0x3d1:
            call = persistence_runs;
            break;
        default:
            break;
        }
    }
    if (call) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, call, PLUGIN_NO_REGS, pc);
    }
}

typedef void *insn_data_1(const struct qemu_plugin_insn *);

static uint32_t insn_op(struct qemu_plugin_insn *insn)
{
    uint32_t op = 0;

    if (calibrate_api >= 3) {
        qemu_plugin_insn_data(insn, &op, sizeof(op));
    } else {
        insn_data_1 *call = (insn_data_1 *)(void (*)(void))qemu_plugin_insn_data;

        memcpy(&op, call(insn), sizeof(op));
    }
    return op;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);

    (void)id;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uintptr_t pc = (uintptr_t)qemu_plugin_insn_vaddr(insn);
        uint32_t op = insn_op(insn);

        if (is_load_store(op)) {
            qemu_plugin_register_vcpu_mem_cb(insn, cpu_accessed, PLUGIN_NO_REGS, PLUGIN_MEM_RW,
                                             (void *)(pc | is_exclusive_or_atomic(op)));
        } else if ((op & 0xffe00000) == 0xd5000000) {
            system_instrument(insn, op, (void *)pc);
        }
    }
}

/* --- start --- */

/* After the first reset the CPUs' state is known, and the MMU is off: the moment to check both. */
static void reset_seen(void *opaque)
{
    static bool checked;

    (void)opaque;
    if (checked || cpus[0] == &nobody) {
        return;
    }
    if (!cpus[0]->env) {
        fprintf(stderr,
                "vtegra: this QEMU's ARMCPRegInfo is laid out in a way unknown; use cpu=off to run "
                "without the caches\n");
        exit(1);
    }
    if (!calibrate_walk(cpus[0]->env)) {
        fprintf(stderr, "vtegra: use cpu=off to run without the caches\n");
        exit(1);
    }
    checked = true;
}

void cpu_machine_ready(void)
{
    CPUState *state;

    if (!board.opt.cpu) {
        return;
    }
    for (int i = 0; i < CPUS_MAX && (state = qemu_get_cpu(i)) != NULL; i++) {
        cpus[i] = g_new0(struct cpu, 1);
        maintenance_define(state, cpus[i]);
    }
    qemu_register_reset(reset_seen, NULL);
}

bool cpu_start(qemu_plugin_id_t id)
{
    board.epoch = 1;
    for (unsigned i = 0; i < CPUS_MAX; i++) {
        cpus[i] = &nobody;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return true;
}
