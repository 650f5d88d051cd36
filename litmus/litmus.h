/* SPDX-License-Identifier: MIT */
/* Litmus tests for a Tegra: small programs of several agents, and every outcome they can have.
 *
 *   text --parse.c--> struct litmus_test --litmus_machine_new()--> struct litmus_machine
 * --explore.c--> outcomes
 *
 * The format, the rules of the machine and where each comes from: docs/litmus.md. All of it is
 * pure: the same text and the same figures of the SoC give the same outcomes, counts and witnesses.
 */
#ifndef LITMUS_LITMUS_H
#define LITMUS_LITMUS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

#define LITMUS_THREADS 6
#define LITMUS_EVENTS 28 /* a thread; thread * LITMUS_EVENTS + event fits a byte */
#define LITMUS_REGS 16   /* a thread: loads of it */
#define LITMUS_EXPRS 120 /* a thread: values computed from them */
#define LITMUS_ASSUMES 16
#define LITMUS_LOCS 8
#define LITMUS_BYTES 32 /* all locations together: one bit each in a mask */
#define LITMUS_SMS 4
#define LITMUS_JOBS 8
#define LITMUS_ITEMS 16 /* values that distinguish outcomes */
#define LITMUS_SOCS 8   /* expectations of one test */
#define LITMUS_NAME 32  /* of a location, job or edge, with the 0 behind it */

#define LITMUS_ERROR litmus_error_quark()
GQuark litmus_error_quark(void);

enum litmus_error {
    LITMUS_ERROR_SYNTAX, /* the text: line, column, what was expected */
    LITMUS_ERROR_SOC,    /* this test cannot run on that SoC */
};

enum litmus_agent {
    LITMUS_CPU,
    LITMUS_IGPU,
    LITMUS_CE,
    LITMUS_DLA,
    LITMUS_DMA,
    LITMUS_DGPU, /* a discrete GPU beside the integrated one, and its copy engine */
    LITMUS_DCE,
};

/* Whose L2 an agent has. */
enum litmus_gpu { LITMUS_GPU_INTEGRATED, LITMUS_GPU_DISCRETE, LITMUS_GPUS };

/* Table 1 of CUDA for Tegra; buffers shared through EGL or NvSci (cached by both sides), and those
 * that a discrete GPU caches, too (EnableGpuCache); the discrete GPU's own memory. */
enum litmus_kind {
    LITMUS_DEVICE,
    LITMUS_PINNED,
    LITMUS_MANAGED,
    LITMUS_PAGEABLE,
    LITMUS_INTEROP,
    LITMUS_INTEROP_DGPU,
    LITMUS_VIDMEM,
};

/**
 * struct litmus_loc - a location in memory
 * @size: 1, 2, 4 or 8; @line: which 128-byte line of the L2; @offset: in it, a multiple of @size
 * @byte: its first byte in the images of a state
 */
struct litmus_loc {
    char name[LITMUS_NAME];
    enum litmus_kind kind;
    unsigned size, line, offset, byte;
    uint64_t init;
};

enum litmus_op {
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_ATOMIC,
    LITMUS_DMB,       /* and DSB */
    LITMUS_ISB,       /* */
    LITMUS_DC,        /* cache maintenance by address */
    LITMUS_FENCE,     /* PTX fence.sc, membar */
    LITMUS_FENCE_ACQ, /* the two halves of PTX fence.acq_rel */
    LITMUS_FENCE_REL, /* */
    LITMUS_L2_CLEAN,  /* the driver's L2 operations, the whole cache */
    LITMUS_L2_INVALIDATE,
    LITMUS_L2_FLUSH, /* clean, then invalidate */
    LITMUS_DOORBELL, /* start a job: a store to Device memory, no barrier */
    LITMUS_SUBMIT,   /* start a job: barrier and doorbell, no cache maintenance */
    LITMUS_LAUNCH,   /* start a job as the CUDA driver does */
    LITMUS_WAIT,     /* until a job is complete, no cache maintenance */
    LITMUS_SYNC,     /* until a job is complete, as the CUDA driver does */
    LITMUS_SIGNAL,   /* an edge between any two agents */
    LITMUS_AWAIT,    /* */
    LITMUS_START,    /* first event of a job's thread */
};

enum litmus_dmb { LITMUS_DMB_SY, LITMUS_DMB_LD, LITMUS_DMB_ST };
enum litmus_dc { LITMUS_CVAC, LITMUS_CIVAC, LITMUS_IVAC };
enum litmus_rmw { LITMUS_ADD, LITMUS_SWAP, LITMUS_CAS };
enum litmus_scope { LITMUS_WEAK, LITMUS_CTA, LITMUS_GPU, LITMUS_SYS };

/**
 * struct litmus_event - one operation of a thread
 * @loc: -1 if none; @offset, @size: bytes of it
 * @reg: written, -1 if none; @src: register whose value is stored, -1 for @value
 * @which: enum litmus_dmb, litmus_dc, litmus_rmw, or litmus_gpu of an L2 by @op
 * @pc: LDAPR, an acquire that does not wait for an earlier release
 * @dsb: of LITMUS_DMB: a DSB, which holds back whatever follows
 * @addr, @data, @ctrl: registers depended on, one bit each
 * @job: of start, completion, signal and await
 * @paddr, @pdata, @pctrl: as these, but on a value that only chose (CSEL, CAS): Arm's pick
 *                          dependencies
 * @expr: the value that is stored, computed; -1 for @src or @value
 * @rmw: of the store half of an exclusive pair or atomic: the event of its load half, else -1
 * @noret: the load half of an atomic without a destination: a DMB LD does not wait for it
 * @sm: the compute capability that PTX ISA's Target ISA Notes ask for, 60 or 70; 0: any
 * @lse, @lrcpc: Armv8.1 atomics, LDAPR: not every CPU has them
 * @line, @column, @text: where and what in the file
 */
struct litmus_event {
    enum litmus_op op;
    int loc;
    unsigned offset, size;
    int reg, src;
    uint64_t value, compare;
    unsigned which;
    enum litmus_scope scope;
    bool acquire, release, pc, dsb;
    unsigned addr, data, ctrl, paddr, pdata, pctrl;
    int expr, rmw;
    bool noret;
    int job;
    unsigned sm;
    bool lse, lrcpc;
    unsigned line, column;
    char text[160];
};

enum litmus_expr_op {
    LITMUS_EXPR_CONST,
    LITMUS_EXPR_REG, /* a: the register */
    LITMUS_EXPR_ADD,
    LITMUS_EXPR_SUB,
    LITMUS_EXPR_AND,
    LITMUS_EXPR_ORR,
    LITMUS_EXPR_EOR,
    LITMUS_EXPR_BIC,
    LITMUS_EXPR_LSL,
    LITMUS_EXPR_LSR,
    LITMUS_EXPR_SXTW,
    LITMUS_EXPR_UXTW,
    LITMUS_EXPR_EQ, /* 0 or 1 */
    LITMUS_EXPR_LO, /* unsigned less */
    LITMUS_EXPR_LT, /* signed less */
};

/* A node of a computed value (expr.h). @regs: what it needs; @narrow: it has 32 bits at most */
struct litmus_expr {
    enum litmus_expr_op op;
    uint8_t a, b;
    uint16_t regs;
    bool narrow;
    uint64_t value;
};

/**
 * struct litmus_thread - the operations of one agent
 * @expr: values computed by a thread of herd's format; @assume: those that must not be 0 in the
 * end, because these operations are those of one way through its branches
 */
struct litmus_thread {
    enum litmus_agent agent;
    char name[16];
    unsigned number, sm;
    int job; /* -1: runs from the beginning */
    unsigned n;
    struct litmus_event event[LITMUS_EVENTS];
    unsigned regs;
    unsigned reg_number[LITMUS_REGS]; /* the 3 of W3 */
    unsigned reg_size[LITMUS_REGS];   /* bytes that are loaded into it */
    unsigned exprs, assumes;
    struct litmus_expr expr[LITMUS_EXPRS];
    uint8_t assume[LITMUS_ASSUMES];
    unsigned line, column;
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };
enum litmus_verdict {
    LITMUS_ALLOWED,   /* exists: some final state has it */
    LITMUS_FORBIDDEN, /* exists: expected only: the document that the file names says so */
    LITMUS_UNSEEN,    /* exists: no final state has it; whether one may is another question */
    LITMUS_HOLDS,     /* ~exists, forall */
    LITMUS_FAILS,
};

enum litmus_item_kind {
    LITMUS_ITEM_REG,
    LITMUS_ITEM_EXPR, /* what a register of herd's format holds in the end */
    LITMUS_ITEM_MEM,  /* what the agent that maps it would load: the CPU, for device memory its GPU
                       */
    LITMUS_ITEM_CPU,  /* what a CPU load would give */
    LITMUS_ITEM_IGPU, /* what the L2 or the port would give */
    LITMUS_ITEM_DGPU, /* the same of the discrete GPU */
    LITMUS_ITEM_DRAM, /* what is in DRAM */
    LITMUS_ITEM_FAULT,
    LITMUS_ITEM_BLOCKED,
};

struct litmus_item {
    enum litmus_item_kind kind;
    unsigned thread, index; /* register, expression or location */
    unsigned number;        /* of an expression: the 3 of X3 */
};

enum litmus_cond_op {
    LITMUS_COND_TRUE,
    LITMUS_COND_EQ,
    LITMUS_COND_NOT,
    LITMUS_COND_AND,
    LITMUS_COND_OR
};

/* A tree; freed with the test. */
struct litmus_cond {
    enum litmus_cond_op op;
    unsigned item;
    uint64_t value;
    struct litmus_cond *a, *b;
};

struct litmus_expect {
    char soc[32];
    enum litmus_verdict verdict;
    unsigned line, column;
};

/**
 * struct litmus_test - a test, or one way through the branches of its threads
 * @next: of herd's format, the other ways: agents, locations, items and condition are the same. The
 *        outcomes of a test are those of all its ways. NULL at the last
 * @ways: the operations are those of one way through branches: only runs count that take it
 */
struct litmus_test {
    struct litmus_test *next;
    bool ways;
    char *file, *name, *doc, *source, *teach;
    unsigned locs, threads, jobs, edges, lines, items, expects, sms;
    struct litmus_loc loc[LITMUS_LOCS];
    struct litmus_thread thread[LITMUS_THREADS];
    char job_name[LITMUS_JOBS][LITMUS_NAME], edge_name[LITMUS_JOBS][LITMUS_NAME];
    struct litmus_item item[LITMUS_ITEMS];
    enum litmus_quantifier quantifier;
    struct litmus_cond *cond;
    char *cond_text;
    struct litmus_expect expect[LITMUS_SOCS];
};

/**
 * litmus_parse - read one test
 * @text: @len bytes, any bytes; @file: the name that errors show
 * Return: the test, litmus_free() it; NULL with @error "file:line:column: ...".
 */
struct litmus_test *litmus_parse(const char *text, gsize len, const char *file, GError **error);
void litmus_free(struct litmus_test *test);

/**
 * litmus_herd_text - a test of CPUs in herd's AArch64 format
 * Return: g_free() it; NULL with @error "file: herd has no form for ..." if an agent, operation,
 * kind of memory or item is none of herd's.
 */
char *litmus_herd_text(const struct litmus_test *test, GError **error);

const char *litmus_verdict_name(enum litmus_verdict v);

/**
 * struct litmus_options - how to explore
 * @reduce: leave out states that differ in nothing that can still be seen (explore.c); the outcomes
 *          are the same without
 * @limit: give up after so many states; 0: 5 million
 */
struct litmus_options {
    bool reduce;
    uint64_t limit;
};

/**
 * struct litmus_outcome - one combination of the values that the test names
 * @known: bit i: value[i] was set (a register whose load never ran is not)
 * @fault, @blocked: threads that faulted, or never end
 * @states: final states that look so
 * @matches: the body of the condition is true in it
 * @witness: shortest way there, one line a step; owned
 * @steps: the same as struct litmus_step (machine.h), without the barriers' lines; owned
 * @way: the test itself, or the one of its ways that the steps belong to
 */
struct litmus_outcome {
    uint64_t value[LITMUS_ITEMS];
    uint32_t known, fault, blocked;
    uint64_t states;
    bool matches;
    GPtrArray *witness;
    GArray *steps;
    const struct litmus_test *way;
};

/**
 * struct litmus_result - what exploring found
 * @outcomes: of struct litmus_outcome, sorted by value
 * @exhausted: every reachable state was seen; if not, only what was found is certain
 */
struct litmus_result {
    GArray *outcomes;
    uint64_t states, steps;
    bool exhausted;
    enum litmus_verdict verdict;
};

/**
 * litmus_explore - find all outcomes on one SoC
 * Return: litmus_result_free() it; NULL with @error "file:line:column: ..." if the test cannot run
 * there: no such engine, SM or operation.
 */
struct litmus_result *litmus_explore(const struct litmus_test *test, const struct soc_profile *soc,
                                     const struct litmus_options *options, GError **error);
void litmus_result_free(struct litmus_result *r);

/* "CPU1:W0=1 dram.x=0 CPU0 faults"; g_free() it. */
char *litmus_outcome_text(const struct litmus_test *test, const struct litmus_outcome *o);
char *litmus_item_text(const struct litmus_test *test, unsigned item);

/* Exploring finds LITMUS_UNSEEN, never LITMUS_FORBIDDEN: only a document can forbid. Both expect
 * it. */
bool litmus_verdict_meets(enum litmus_verdict found, enum litmus_verdict expected);

#endif
