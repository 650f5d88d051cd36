/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One CPU of the guest, between cpu.c (its accesses) and cpu_insn.c (its instructions). */
#ifndef QEMU_PLUGIN_CPU_H
#define QEMU_PLUGIN_CPU_H

#include "qemu-plugin/board.h"

#define CPUS_MAX 512 /* of -M virt with GICv3 */
#define TLB_ENTRIES 512u
#define KINDS 64u

struct tlb_entry {
    uint64_t vpn;
    struct page *page; /* NULL: not tracked */
    uint32_t epoch;    /* of the board when this was true; 0 = empty */
    bool cached, device;
};

/* The line that this CPU touched last. Until something else happens on the board, touching it again
 * is a hit that changes nothing but the counts, which the model learns later.
 * @line: its address, by the direction of an access (a line that is not dirty yet is no hit of a
 * store), or HOT_NONE; written under the board's lock
 * @page: of the hits counted */
struct hot {
    atomic_uintptr_t line[2];
    uint64_t page;
};
#define HOT_NONE (UINT64_MAX - 127) /* no access is so close behind it */

/**
 * struct kind - size and direction of accesses, as QEMU's calls say; a program has few kinds
 * @info: KIND_NONE: empty
 * @last: highest offset in a line at which one does not cross its end
 * @hits: not yet reported; four, because each one waits for the last one to be stored
 */
struct kind {
    _Alignas(64) qemu_plugin_meminfo_t info;
    uint8_t len, last;
    bool store;
    uint64_t hits[4];
};
#define KIND_NONE UINT32_MAX

struct cpu {
    struct kind kinds[KINDS];
    struct hot hot;
    CPUState *state;
    void *env;
    unsigned index;
    uint64_t used;    /* bit i: kinds[i] is not empty */
    bool filled;      /* its row of plain pages is not empty */
    uint64_t dc_pc;   /* of the maintenance instruction that is about to run */
    uint64_t dc_open; /* of the first one since the last DSB; 0: all are complete */
    struct tlb_entry tlb[TLB_ENTRIES];
};

extern struct cpu *cpus[CPUS_MAX]; /* NULL behind the last one */

/* A page of a CPU's address space, now. The board's lock is held. */
struct tlb_entry *cpu_page(struct cpu *cpu, uint64_t va);
/* The CPU that this thread runs; NULL: it runs none. */
struct cpu *cpu_running(void);
/* Of one instruction, while it is translated: what is no access is watched from here. Return: what
 * cpu_accessed() wants to know of its accesses. */
void *cpu_insn_watch(struct qemu_plugin_insn *insn);
/* Tell the model of the hits that were only counted. The board's lock is held. */
void cpu_hits_report(struct cpu *cpu);
/* An empty CPU number @index. */
struct cpu *cpu_new(unsigned index, CPUState *state);
/* After every load and store of the guest. @udata: the instruction's address; bit 0: exclusive or
 * atomic. */
void cpu_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata);
/* The same for a guest with one CPU. */
void cpu_accessed_one(unsigned index, qemu_plugin_meminfo_t info, uint64_t va, void *udata);

#endif
