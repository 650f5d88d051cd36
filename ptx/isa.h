/* SPDX-License-Identifier: MIT */
/* The forms of PTX's instructions (isa.def), and which of them an instruction is. */
#ifndef PTX_ISA_H
#define PTX_ISA_H

#include "ptx/ptx.h"

/* How near an instruction came to the forms of its opcode */
enum isa_verdict {
    ISA_VALID,
    ISA_OLD_VERSION, /* .version is too old */
    ISA_OLD_TARGET,
    ISA_OPERANDS, /* right words, wrong operands */
    ISA_COUNT,    /* right words, another number of operands */
    ISA_VECTOR,   /* .v2 .v4 .v8 where the form has none */
    ISA_SPACE,    /* a state space that the form has not */
    ISA_WORDS,    /* no form has these modifiers and types */
};

/**
 * struct isa_answer
 * @needs: of OLD_VERSION and OLD_TARGET: the lowest one that has a form of these words; of COUNT:
 *         the fewest operands that a form of these words takes
 * @most: of COUNT: the most
 */
struct isa_answer {
    enum isa_verdict verdict;
    uint32_t needs, most;
};

/* Is @inst of @func, in @m, PTX? */
struct isa_answer isa_check(const struct ptx_module *m, const struct ptx_func *func,
                            const struct ptx_inst *inst);

/* check_operand.c: does the operand fit? @letter: of isa.def */
bool isa_operand_fits(const struct ptx_func *func, const struct ptx_inst *inst,
                      const struct ptx_operand *o, char letter);
/* mov has rules of its own: packing, special registers, addresses */
bool isa_mov_fits(const struct ptx_func *func, const struct ptx_inst *inst);
/* Does a register of type @reg hold a value of @type? @wider: it may have more bits (9.4.1) */
bool isa_register_fits(enum ptx_type type, enum ptx_type reg, bool wider);

/* check_cvt.c: conversions between numbers of 8 to 64 bits */
bool isa_cvt_is_plain(const struct ptx_inst *inst);
struct isa_answer isa_cvt(const struct ptx_module *m, const struct ptx_func *func,
                          const struct ptx_inst *inst);

#endif
