/* SPDX-License-Identifier: MIT */
/* What a kind of memory costs (CUDA for Tegra, chapter 3), in numbers: from the counts of a run,
 * the time that the same accesses take if a buffer is of another kind, or the board another.
 *
 * Pure: counts and a profile's [timing] in, nanoseconds out. The figures are those that the model's
 * own clock uses (model/soc/gpus.c, model/igpu/ce.c, model/soc/memory.c); docs/timing.md says how
 * far they are from boards. What the recorded counts do not hold is inferred, and said at its place
 * in charge.c. */
#ifndef MODEL_RULES_CHARGE_H
#define MODEL_RULES_CHARGE_H

#include "model/rules/kinds.h"

/* A way to give a buffer to both sides. COPIED: cudaMalloc(), and copies where the CPU has a part
 * in it. */
enum charge_kind {
    CHARGE_COPIED,
    CHARGE_PINNED,
    CHARGE_REGISTERED,
    CHARGE_MANAGED,
    CHARGE_PAGEABLE,
    CHARGE_KINDS
};

/**
 * struct charge_kernel - launches of one kernel, all together
 * @time_ns: virtual, as the run had it; 0: not known
 */
struct charge_kernel {
    uint64_t launches, time_ns, warp_insts;
};

/**
 * struct charge_use - what kernels did to a buffer, all launches together
 * @kernel, @buffer: indices
 * @read, @written: bytes that the SMs asked for, in whole sectors
 * @l2: those that reached the L2; @dram: that left it or bypassed it
 */
struct charge_use {
    unsigned kernel, buffer;
    uint64_t read, written, l2, dram;
};

/**
 * struct charge_buffer - a buffer of the run, and what others than kernels did to it
 * @allocations: how often it was made
 * @cpu_known: the CPU's accesses were seen; the following five are 0 otherwise
 * @copies_in, @copies_out, @in, @out: copy calls into and out of it, and their bytes
 * @staged: of these bytes those whose other end is pageable
 */
struct charge_buffer {
    enum charge_kind kind;
    uint64_t size, allocations;
    bool cpu_known;
    uint64_t loads, stores, read, written, misses;
    uint64_t copies_in, copies_out, in, out, staged;
};

/** struct charge_run - owns nothing; @profile: of the board that ran */
struct charge_run {
    const struct soc_profile *profile;
    const struct charge_kernel *kernels;
    const struct charge_buffer *buffers;
    const struct charge_use *uses;
    unsigned n_kernels, n_buffers, n_uses;
};

/**
 * struct charge_cost - ns of the whole run; doubles, since they are quotients of counts
 * @why_not: the kind is not there on this board; NULL: it is
 * @partial: what was not seen or cannot be known stands in no sum; NULL: all is in
 * @kernels: that kernels end earlier if their accesses to the buffer take no time
 * @caches: maintenance of the CPU's caches
 * @calls: of allocation, but for the first, which a program makes once
 */
struct charge_cost {
    const char *why_not, *partial;
    double kernels, cpu, copies, caches, calls;
};

/* "pinned", "device and copies" */
const char *charge_kind_text(enum charge_kind kind);

/* Which row of Table 1 a way is. */
enum rules_kind charge_rules_kind(enum charge_kind kind);

/**
 * struct charge_answer - of one buffer on one board
 * @best: the cheapest kind of those whose sum holds all; CHARGE_KINDS: none
 * @saves: parts of what it costs now
 * @sure: more than the error to expect; @little: a launch saves less than its call costs
 */
struct charge_answer {
    struct charge_cost cost[CHARGE_KINDS];
    enum charge_kind now, best;
    double saves;
    bool sure, little;
};

/* What a quotient of two kinds may be off by, in percent: docs/timing.md. */
double charge_error_percent(const struct soc_profile *p);

/* @launches: of the kernel that uses the buffer most. */
void charge_answer(const struct charge_run *run, unsigned buffer, uint64_t launches,
                   const struct soc_profile *p, struct charge_answer *out);

/* Why @best: what Table 1 and chapter 3 say of the two kinds. */
const char *charge_reason(const struct charge_answer *answer, const struct soc_profile *p);

/* As whom a buffer would cost what on the board @p. */
void charge(const struct charge_run *run, unsigned buffer, enum charge_kind as,
            const struct soc_profile *p, struct charge_cost *cost);

double charge_sum(const struct charge_cost *cost);

#endif
