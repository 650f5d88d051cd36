/* SPDX-License-Identifier: MIT */
/* Findings about software that maintains the CPU's caches and writes registers itself: what a
 * machine shows of it that has the board as a device (QEMU). Addresses are physical. */
#ifndef CHECKER_MACHINE_H
#define CHECKER_MACHINE_H

#include "checker/checker.h"

/**
 * struct machine_host - what only the machine knows
 * @line: "file:line (function)" of an instruction; NULL: not known. g_free() it
 * @store_pc: the instruction that last stored to the CPU's line at @pa; 0: not known
 * @writer: the agent that last wrote memory under that line; BUS_AGENT_COUNT: not known
 */
struct machine_host {
    char *(*line)(uint64_t pc);
    uint64_t (*store_pc)(uint64_t pa);
    uint32_t (*writer)(uint64_t pa);
};

struct machine;

struct machine *machine_new(const struct machine_host *host);
void machine_free(struct machine *m);

/* @pc: the instruction that the record comes from; 0: none. */
void machine_record(struct machine *m, const struct trace_record *t, uint64_t pc);

/* What no record shows: each at @pc, or of an engine. */
void machine_l2_newer(struct machine *m, uint64_t pc, uint64_t pa);
void machine_set_way(struct machine *m, uint64_t pc, const char *what);
/* An engine was started after the dc at @pc, and no DSB was between. */
void machine_no_dsb(struct machine *m, uint64_t pc);
/* Not of 4 bytes: there is no such register. */
void machine_window_access(struct machine *m, uint64_t pc, uint64_t offset, unsigned bytes,
                           bool store);
/* @stream: of the engine, in words, or "". */
void machine_dma_refused(struct machine *m, unsigned function, uint64_t bus, bool write,
                         const char *stream, const char *why);

/* How many were kept. */
unsigned machine_findings(const struct machine *m);
/* What was found on @soc, in order; @always: also nothing. g_free(). */
char *machine_text(const struct machine *m, const char *soc, bool always);

#endif
