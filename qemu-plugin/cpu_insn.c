/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions that are watched: every load and store, and what changes caches and
 * translations. Cache maintenance by address is caught by defining its system instructions anew,
 * because a plugin learns that an instruction runs, not on which address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-plugin/calibrate.h"
#include "qemu-plugin/cpu.h"
#include "qemu-plugin/walk.h"

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

/* The only proof that the layout is right, and where the CPU's state is reported. */
static void cpu_env_learn(void *env, const struct cp_reg *reg)
{
    struct cpu *cpu = cpu_of(reg);

    for (unsigned i = 0; i < CPUS_MAX && cpus[i]; i++) {
        if (cpus[i] == cpu) {
            cpu->env = env;
        }
    }
}

static void line_maintain(struct cpu *cpu, uint64_t va,
                          int64_t (*what)(struct soc *, uint64_t, uint64_t))
{
    struct tlb_entry *e;

    if (!board.watching) {
        return; /* nothing was ever tracked */
    }
    board_lock();
    cpu_lines_change();
    cpu_hits_report(cpu);
    e = cpu_page(cpu, va);
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

/* Arm ARM C6.2, DSB: those of loads and stores complete cache maintenance, of loads or stores alone
 * do not; nor do SSBB and PSSBB, which are encoded beside them. */
static bool is_dsb(uint32_t op)
{
    return ((op & 0xfffff0ff) == 0xd503309f && (op >> 8 & 3) == 3) || /* sy, osh, ish, nsh */
           (op & 0xfffff3ff) == 0xd503323f;                           /* the same, nXS */
}

/* TLBI; MSR of SCTLR, TTBR0/1, TCR, MAIR, HCR: a translation kept may be another one afterwards. */
static bool changes_translation(uint32_t op)
{
    return ((op & 0xfff80000) == 0xd5080000 && (op_crn(op) == 8 || op_crn(op) == 9)) ||
           ((op & 0xfff80000) == 0xd5180000 &&
            (op_crn(op) == 1 || op_crn(op) == 2 || op_crn(op) == 10));
}

static void translation_changes(unsigned index, void *udata)
{
    (void)index;
    (void)udata;
    board_lock();
    cpu_forget();
    board_unlock();
}

static void dc_runs(unsigned index, void *udata)
{
    struct cpu *cpu = cpus[index];

    cpu->dc_pc = (uintptr_t)udata;
    cpu->dc_open = cpu->dc_open ? cpu->dc_open : cpu->dc_pc;
}

static void dsb_runs(unsigned index, void *udata)
{
    (void)udata;
    cpus[index]->dc_open = 0;
}

/* Where QEMU's definition of the instruction cannot be replaced its operand is read before it.
 * @data: its address << 8, kind and register below. */
enum dc_kind { DC_IVAC, DC_CVAC, DC_CIVAC };

static void dc_operand(unsigned index, void *data)
{
    static int64_t (*const what[])(struct soc *, uint64_t, uint64_t) = {
        [DC_IVAC] = soc_cpu_invalidate,
        [DC_CVAC] = soc_cpu_clean,
        [DC_CIVAC] = soc_cpu_clean_invalidate,
    };
    unsigned bits = (uintptr_t)data & 0xff;

    dc_runs(index, (void *)((intptr_t)data >> 8));
    line_maintain(cpus[index], walk_register(bits & 31), what[bits >> 5]);
}

static void dc_instrument(struct qemu_plugin_insn *insn, uint32_t op, enum dc_kind kind, void *pc)
{
    if (board.opt.ivshmem) {
        uintptr_t data = (uintptr_t)pc << 8 | kind << 5 | (op & 31);

        qemu_plugin_register_vcpu_insn_exec_cb(insn, dc_operand, PLUGIN_R_REGS, (void *)data);
    } else {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, dc_runs, PLUGIN_NO_REGS, pc);
    }
}

uint64_t cpu_maintenance_open(void)
{
    struct cpu *cpu = cpu_running();
    uint64_t pc = cpu ? cpu->dc_open : 0;

    if (cpu) {
        cpu->dc_open = 0;
    }
    return pc;
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

    if (is_dsb(op)) {
        call = dsb_runs;
    } else if (changes_translation(op)) {
        call = translation_changes;
    } else if ((op & 0xfff80000) == 0xd5080000 && op_crn(op) == 7) {
        switch (what) {
        case 0x061:
            dc_instrument(insn, op, DC_IVAC, pc);
            break;
        case 0x3a1:
            dc_instrument(insn, op, DC_CVAC, pc);
            break;
        case 0x3e1:
            dc_instrument(insn, op, DC_CIVAC, pc);
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

void *cpu_insn_watch(struct qemu_plugin_insn *insn)
{
    uintptr_t pc = (uintptr_t)qemu_plugin_insn_vaddr(insn);
    uint32_t op = insn_op(insn);

    if (is_load_store(op)) {
        return (void *)(pc | is_exclusive_or_atomic(op));
    }
    if ((op & 0xffe00000) == 0xd5000000) {
        system_instrument(insn, op, (void *)pc);
    }
    return (void *)pc;
}

static bool anything_translated;

static void cpu_insn_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);

    (void)id;
    anything_translated = true;
    for (size_t i = 0; board.watching && i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        void *data = cpu_insn_watch(insn);

        if (is_load_store(insn_op(insn))) {
            qemu_plugin_register_vcpu_mem_cb(insn, cpus[1] ? cpu_accessed : cpu_accessed_one,
                                             PLUGIN_NO_REGS, PLUGIN_MEM_RW, data);
        }
    }
}

static void translations_drop(CPUState *cpu, uint64_t unused)
{
    (void)unused;
    tb_flush(cpu);
}

/* A guest that tracks nothing, as a Linux that boots, runs at full speed. What was translated so
 * far goes as soon as every CPU has left it: at the end of the block that this register write is
 * in. Not before: with icount tb_flush() takes the running block away at once, and the next
 * register access in it is QEMU's end (10.0: "cpu_io_recompile: could not find TB"). */
void cpu_watch(void)
{
    if (!board.watching) {
        board.watching = true;
        if (anything_translated) {
            async_run_on_cpu(current_cpu ? current_cpu : qemu_get_cpu(0), translations_drop, 0);
        }
    }
}

/* --- start --- */

/* After the first reset the CPUs' state is known, and the MMU is off: the moment to check both. */
static void reset_seen(void *opaque)
{
    static bool checked;

    (void)opaque;
    if (checked || !cpus[0]) {
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
        cpus[i] = cpu_new((unsigned)i, state);
        maintenance_define(state, cpus[i]);
    }
    qemu_register_reset(reset_seen, NULL);
}

bool cpu_start(qemu_plugin_id_t id)
{
    board.epoch = 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, cpu_insn_translated);
    return true;
}
