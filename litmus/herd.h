/* SPDX-License-Identifier: MIT */
/* Litmus tests as herd has them: programs of registers, addresses and branches.
 *
 *   text --herd_file.c, herd_insn.c--> struct herd_file --herd_path.c, herd_step.c--> the ways
 *   through each thread's branches --herd_file.c--> struct litmus_test, a chain of ways
 *
 * A way has no branches left: what was branched on is an assumption that the run must meet. Where a
 * loaded value chooses an address, each location is a way; CAS, STXR and CSEL choose likewise.
 */
#ifndef LITMUS_HERD_H
#define LITMUS_HERD_H

#include "litmus/lex.h"

#define HERD_INSNS 64
#define HERD_LABELS 16
#define HERD_WAYS 64       /* of a thread */
#define HERD_TEST_WAYS 512 /* of all threads together */
#define HERD_BACKWARD 2    /* how often a thread may branch backwards */
#define HERD_ZR 31
#define HERD_LOC_SHIFT 16 /* location i has the address (i + 1) << 16 */

enum herd_op {
    HERD_NOP,
    HERD_ALU,
    HERD_CSEL,
    HERD_BRANCH, /* always, on a condition, on a register */
    HERD_LOAD,
    HERD_STORE,
    HERD_CAS,
    HERD_AMO, /* SWP, LDADD and its like */
    HERD_BARRIER,
    HERD_ISB,
    HERD_DC,
};

enum herd_mode { HERD_OFFSET, HERD_PRE, HERD_POST };
enum herd_branch { HERD_ALWAYS, HERD_IF, HERD_IF_ZERO, HERD_IF_NOT_ZERO };

/* #imm, or a register extended and shifted. @extend: LITMUS_EXPR_CONST for none */
struct herd_operand {
    bool imm;
    uint64_t value;
    int reg;
    bool wide;
    enum litmus_expr_op extend;
    unsigned shift;
    bool right;
};

/**
 * struct herd_insn - one instruction
 * @alu: of HERD_ALU; of HERD_AMO, where LITMUS_EXPR_CONST stands for SWP
 * @wide: X registers; @size: bytes of an access
 * @rd, @rn, @rm, @rs: registers; a load and an atomic write @rd, a store stores @rn, CAS compares
 *                     @rs, STXR writes its status to @rs
 * @base, @operand, @mode: the address, and what is added to it
 * @condition: of B.cond and CSEL; @target: place of the label
 * @which: enum litmus_dmb or litmus_dc
 * @from, @to: its text
 */
struct herd_insn {
    enum herd_op op;
    enum litmus_expr_op alu;
    bool wide, flags, exclusive, acquire, release, pc, dsb, set;
    unsigned size;
    int rd, rn, rm, rs, base;
    struct herd_operand operand;
    enum herd_mode mode;
    enum herd_branch branch;
    char condition[4];
    int target;
    unsigned which;
    const char *from, *to;
};

struct herd_label {
    char name[LITMUS_NAME];
    const char *used; /* where the first branch to it stands */
    int place;        /* of the instruction behind it; -1 until it is found */
};

struct herd_thread {
    unsigned n, labels;
    struct herd_insn insn[HERD_INSNS];
    struct herd_label label[HERD_LABELS];
    uint64_t init[32];
};

/**
 * struct herd_way - one way through a thread
 * @final: the node of each register's last value
 */
struct herd_way {
    struct litmus_thread t;
    uint8_t final[32];
};

struct herd_file {
    struct lex *l;
    struct litmus_test *test;
    struct herd_thread thread[LITMUS_THREADS];
    unsigned used[LITMUS_LOCS]; /* bytes that some access reaches */
};

#define HERD_PTX_REGS 32

/* A register of a PTX file: an address, a number, or (neither) what was loaded. */
struct herd_ptx_reg {
    bool known;
    int loc;
    uint64_t value;
};

struct herd_ptx {
    unsigned thread; /* whose cell is read */
    struct herd_ptx_reg reg[LITMUS_THREADS][HERD_PTX_REGS];
};

/* herd_ptx.c: the whole text. */
bool herd_ptx_read(struct lex *l, struct litmus_test *test);
/* herd_ptx_cell.c: a register r0 to r31; what it begins with; one instruction. */
bool herd_ptx_reg_word(struct lex *l, unsigned *reg);
bool herd_ptx_reg_value(struct lex *l, struct litmus_test *test, struct herd_ptx_reg *r);
bool herd_ptx_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                   const char *start, char *word);

/* herd_file.c: the rest of a line, g_free() it; what stands before "{"; the end. */
char *herd_line_take(struct lex *l);
bool herd_notes_read(struct lex *l, struct litmus_test *test);
bool herd_end_read(struct lex *l);

/* herd_file.c: the whole text, from the first word on. Return: false after an error. */
bool herd_file_read(struct lex *l, struct litmus_test *test);
/* herd_loc.c. The location of that name, a new one if there is none; -1 after an error. */
int herd_location(struct lex *l, struct litmus_test *test, const char *name, const char *at);
uint64_t herd_address(int loc);

/* herd_insn.c: one instruction; its first word is next. */
bool herd_insn_read(struct herd_file *f, struct herd_thread *t);
/* herd_operand.c. A register: its number, HERD_ZR for WZR and XZR, -1 after an error. */
int herd_register(struct lex *l, bool *wide);
bool herd_operand_read(struct lex *l, struct herd_operand *o);
/* [X1], [X1,#4], [X1,W2,SXTW], [X1,#4]!, [X1],#4. @plain: only [X1] */
bool herd_address_read(struct lex *l, struct herd_insn *insn, bool plain);

/* herd_path.c: every way through thread @n, added to @ways of struct herd_way. */
bool herd_ways(struct herd_file *f, unsigned n, GArray *ways);

/* A register's value on a way. @deps: loads that it is computed from; @pick: those, and loads that
 * only chose it */
struct herd_value {
    int expr;
    unsigned deps, pick;
};

/**
 * struct herd_path - a way as far as it has been followed
 * @flag_a, @flag_b: the comparison that the flags come from; @flag_wide: of X registers
 * @ctrl, @pctrl: loads that have been branched on
 * @exclusive: event of the last load-exclusive, -1
 * @dead: no run goes this way
 */
struct herd_path {
    struct litmus_thread t;
    struct herd_value reg[32], flag_a, flag_b;
    bool flag_wide;
    unsigned ctrl, pctrl;
    int exclusive;
    unsigned pc, backward;
    bool dead;
};

/* herd_step.c: how many ways lead on from an instruction, and one of them taken. */
unsigned herd_choices(const struct herd_file *f, struct herd_path *p, const struct herd_insn *insn);
bool herd_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
               unsigned choice);

/* herd_access.c: loads, stores and atomics. @address: known */
bool herd_access(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                 struct herd_value address, unsigned choice);
struct litmus_event *herd_event_add(struct herd_file *f, struct herd_path *p,
                                    const struct herd_insn *insn, enum litmus_op op);
bool herd_event_place(struct herd_file *f, const struct herd_path *p, const struct herd_insn *insn,
                      struct litmus_event *e, struct herd_value address);

/* herd_value.c. A value without a node (-1) had no room for one; herd_ways() says so. */
struct herd_value herd_const(struct herd_path *p, uint64_t value);
struct herd_value herd_op(struct herd_path *p, enum litmus_expr_op op, struct herd_value a,
                          struct herd_value b);
struct herd_value herd_reg(struct herd_path *p, int reg, bool wide);
void herd_reg_set(struct herd_path *p, int reg, bool wide, struct herd_value v);
bool herd_assume(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                 struct herd_value v);

#endif
