/* SPDX-License-Identifier: MIT */
/* An instruction: opcode, dotted words, operands. PTX ISA 4.3.2 and the first page of 9.7. */
#include <string.h>

#include "ptx/parse.h"

/* m64n128k16 and other shapes that modifier.def does not list one by one. */
static bool instruction_is_shape(const struct ptx_token *t)
{
    const char *letter = "mnk";
    uint32_t at = 0;

    for (; *letter != 0; letter++) {
        uint32_t first = at + 1;

        if (at >= t->length || t->text[at] != *letter) {
            return false;
        }
        for (at++; at < t->length && t->text[at] >= '0' && t->text[at] <= '9'; at++) {
        }
        if (at == first) {
            return false;
        }
    }
    return at == t->length;
}

static void instruction_add_mod(struct ptx_parser *p, struct ptx_inst *inst, enum ptx_mod mod)
{
    if (inst->n_mods == PTX_MAX_MODS) {
        parse_fail(p, p->token.pos,
                   "'.%.*s' is one modifier too many: an instruction has at most "
                   "%d.",
                   PARSE_QUOTE(&p->token), PTX_MAX_MODS);
    }
    inst->mod[inst->n_mods++] = (uint16_t)mod;
}

static void instruction_add_type(struct ptx_parser *p, struct ptx_inst *inst, enum ptx_type type)
{
    if (inst->n_types == PTX_MAX_TYPES) {
        parse_fail(p, p->token.pos, "'.%s' is one type too many: an instruction has at most %d.",
                   ptx_type_name(type), PTX_MAX_TYPES);
    }
    inst->type[inst->n_types++] = (uint8_t)type;
}

static void instruction_word(struct ptx_parser *p, struct ptx_inst *inst)
{
    const struct ptx_word *word = parse_word(p);

    if (word->space > PTX_SPACE_REG && inst->space == PTX_SPACE_NONE) {
        inst->space = (enum ptx_space)word->space;
        if (word->mod ==
            PTX_MOD_SHARED_CLUSTER) { /* more than our own block's: the decoder's word */
            instruction_add_mod(p, inst, PTX_MOD_SHARED_CLUSTER);
        }
    } else if (word->type != PTX_TYPE_NONE) {
        instruction_add_type(p, inst, (enum ptx_type)word->type);
    } else if (word->vector != 0) {
        inst->vec = word->vector;
    } else if (word->mod != PTX_MOD_NONE) {
        instruction_add_mod(p, inst, (enum ptx_mod)word->mod);
    } else if (word->space == PTX_SPACE_SHARED) { /* .shared::cta as a second space */
        instruction_add_mod(p, inst, PTX_MOD_SHARED);
    } else if (inst->op == PTX_OP_CVTA && p->token.length == 2 &&
               memcmp(p->token.text, "to", 2) == 0) {
        inst->to = true;
    } else if (instruction_is_shape(&p->token)) {
        instruction_add_mod(p, inst, PTX_MOD_SHAPE);
    } else {
        parse_fail(p, p->token.pos,
                   "Unknown modifier '.%.*s' of '%s'; expected one of PTX ISA 9.0.",
                   PARSE_QUOTE(&p->token), ptx_op_name(inst->op));
    }
    parse_next(p);
}

/* Branch targets are looked up at the end of their scope, with everything declared. */
static bool instruction_takes_label(const struct ptx_inst *inst)
{
    return (inst->op == PTX_OP_BRA && inst->n_operands == 0) ||
           (inst->op == PTX_OP_BRX && inst->n_operands == 1);
}

static void instruction_operand(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_operand *out = &inst->operand[inst->n_operands];

    if (inst->n_operands == PTX_MAX_OPERANDS) {
        parse_fail(p, p->token.pos, "Too many operands for '%s': an instruction has at most %d.",
                   ptx_op_name(inst->op), PTX_MAX_OPERANDS);
    }
    if (instruction_takes_label(inst)) {
        struct ptx_name name = parse_name(p, "a label");

        operand_label(p, out, &name);
        p->inst_has_label = true;
        inst->n_operands++;
    } else if (parse_accept(p, '[')) {
        inst->n_operands +=
            (uint8_t)operand_parse_address(p, out, PTX_MAX_OPERANDS - (uint32_t)inst->n_operands);
    } else {
        operand_parse(p, out);
        inst->n_operands++;
        /* ld.global.u32 %r, a[2]: an array element is memory unless mov takes its address, 6.4.2 */
        if (out->kind == PTX_OPERAND_SYMBOL && out->var != NULL &&
            (inst->op == PTX_OP_LD || inst->op == PTX_OP_ST || inst->op == PTX_OP_LDU)) {
            out->kind = PTX_OPERAND_ADDRESS;
        }
    }
}

static void instruction_operands(struct ptx_parser *p, struct ptx_inst *inst)
{
    char where[64];

    if (parse_accept(p, ';')) {
        return;
    }
    do {
        instruction_operand(p, inst);
    } while (parse_accept(p, ',') || parse_accept(p, '|')); /* d|p: two destinations */
    if (!parse_accept(p, ';')) {
        const char *a = "',' or ';' after an operand of '";
        size_t n = strlen(a), m = strlen(ptx_op_name(inst->op));

        memcpy(where, a, n);
        memcpy(where + n, ptx_op_name(inst->op), m);
        memcpy(where + n + m, "'", 2);
        parse_expected(p, where);
    }
}

static void instruction_call_target(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_call *call = inst->call;
    struct ptx_name name = parse_name(p, "the function to call, or a register with its address");
    struct ptx_symbol *s = symbols_lookup(p, &name);

    inst->callee_or_message = ptx_arena_text(p->arena, name.text, name.length);
    if (s != NULL && s->kind == SYMBOL_REG) {
        call->pointer.kind = PTX_OPERAND_REG;
        call->pointer.reg = (int32_t)s->index;
    } else if (s != NULL && s->kind == SYMBOL_FUNC) {
        call->target = s->func;
    } else if (s != NULL) {
        parse_fail(p, name.pos,
                   "'%.*s' is no function; 'call' expects one, or a register with its "
                   "address.",
                   PARSE_QUOTE(&name));
    } else { /* defined further down */
        call->pointer.kind = PTX_OPERAND_SYMBOL;
        operand_wait(&call->pointer, ptx_arena_copy(p->scratch, &name, sizeof(name)));
        p->inst_has_name = true;
    }
}

/* The prototype's label is kept as an operand until resolve_labels() has seen that it exists. */
static void instruction_call_prototype(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_name name = parse_name(p, "'(' or the label of a call prototype");

    operand_label(p, &inst->operand[0], &name);
    inst->n_operands = 1;
    p->inst_has_label = true;
}

/* call{.uni} [(rets),] target [, (args)] [, prototype]; 9.7.12.5 */
static void instruction_call(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_call *call = ptx_arena_alloc(p->arena, sizeof(*call));

    inst->call = call;
    call->pointer.reg = -1;
    if (parse_accept(p, '(')) {
        call->n_rets = operand_parse_list(p, ')', "or ',' in the results of a call", &call->rets);
        parse_expect(p, ',', "after the results of a call");
    }
    instruction_call_target(p, inst);
    if (parse_accept(p, ',')) {
        if (parse_accept(p, '(')) {
            call->n_args =
                operand_parse_list(p, ')', "or ',' in the arguments of a call", &call->args);
            if (parse_accept(p, ',')) {
                instruction_call_prototype(p, inst);
            }
        } else {
            instruction_call_prototype(p, inst);
        }
    }
    parse_expect(p, ';', "after a call");
    if (call->target != NULL) {
        resolve_call_check(p, inst);
    }
}

/* Uses that wait: labels for the end of their scope, names for the end of the module. */
static void instruction_note_uses(struct ptx_parser *p, uint32_t index)
{
    if (p->inst_has_label) {
        *PARSE_PUSH(p, label_uses) = (struct label_use){ p->symbols.depth, index, NULL, 0 };
    }
    if (p->inst_has_name) {
        *PARSE_PUSH(p, name_uses) = (struct name_use){ p->func, index };
    }
}

/* Words that older PTX leaves out, and what they stand for: PTX ISA 9.7.3 to 9.7.5, the notes of
 * each instruction on rounding modifiers, subnormal numbers and older versions. */

/* @before: the version from which on the word is required */
static const struct omitted {
    enum ptx_op op;
    enum ptx_type type;
    uint32_t before;
    enum ptx_mod word;
} omitted[] = {
    /* A GPU that has FMA takes it for mad, too. */
    { PTX_OP_MAD, PTX_F32, 32, PTX_MOD_RN },       { PTX_OP_MAD, PTX_F64, 14, PTX_MOD_RN },
    { PTX_OP_DIV, PTX_F32, 14, PTX_MOD_APPROX },   { PTX_OP_DIV, PTX_F64, 14, PTX_MOD_RN },
    { PTX_OP_SQRT, PTX_F32, 14, PTX_MOD_APPROX },  { PTX_OP_SQRT, PTX_F64, 14, PTX_MOD_RN },
    { PTX_OP_RSQRT, PTX_F64, 14, PTX_MOD_APPROX }, { PTX_OP_RCP, PTX_F32, 14, PTX_MOD_APPROX },
    { PTX_OP_RSQRT, PTX_F32, 14, PTX_MOD_APPROX }, { PTX_OP_SIN, PTX_F32, 14, PTX_MOD_APPROX },
    { PTX_OP_COS, PTX_F32, 14, PTX_MOD_APPROX },   { PTX_OP_LG2, PTX_F32, 14, PTX_MOD_APPROX },
    { PTX_OP_EX2, PTX_F32, 14, PTX_MOD_APPROX },
};

/* sm_1x has no subnormal numbers of 32 bits: these flush them. */
static const enum ptx_op flushing[] = {
    PTX_OP_ADD,  PTX_OP_SUB, PTX_OP_MUL, PTX_OP_MAD,   PTX_OP_DIV, PTX_OP_RCP,
    PTX_OP_SQRT, PTX_OP_ABS, PTX_OP_NEG, PTX_OP_MIN,   PTX_OP_MAX, PTX_OP_SIN,
    PTX_OP_COS,  PTX_OP_LG2, PTX_OP_EX2, PTX_OP_RSQRT,
};

static bool instruction_has_rounding(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_MOD_RN) || ptx_inst_has(i, PTX_MOD_RZ) ||
           ptx_inst_has(i, PTX_MOD_RM) || ptx_inst_has(i, PTX_MOD_RP) ||
           ptx_inst_has(i, PTX_MOD_APPROX) || ptx_inst_has(i, PTX_MOD_FULL);
}

/* .ftz stands behind a rounding and before .sat */
static void instruction_insert_mod(struct ptx_inst *i, unsigned at, enum ptx_mod word)
{
    if (i->n_mods < PTX_MAX_MODS) {
        memmove(&i->mod[at + 1], &i->mod[at], (i->n_mods - at) * sizeof(i->mod[0]));
        i->mod[at] = (uint16_t)word;
        i->n_mods++;
        i->completed = true;
    }
}

static void instruction_complete(const struct ptx_module *m, struct ptx_inst *i)
{
    const enum ptx_type type = (enum ptx_type)i->type[0];

    if (i->n_types != 1 || (m->version >= 32 && m->target_sm >= 20)) {
        return;
    }
    for (size_t k = 0; k < sizeof(omitted) / sizeof(omitted[0]); k++) {
        const struct omitted *o = &omitted[k];

        if (o->op == i->op && o->type == type && m->version < o->before &&
            !instruction_has_rounding(i)) {
            instruction_insert_mod(i, 0, o->word);
        }
    }
    for (size_t k = 0; k < sizeof(flushing) / sizeof(flushing[0]); k++) {
        if (m->target_sm < 20 && type == PTX_F32 && flushing[k] == i->op &&
            !ptx_inst_has(i, PTX_MOD_FTZ)) {
            instruction_insert_mod(i, instruction_has_rounding(i), PTX_MOD_FTZ);
        }
    }
}

void instruction_parse(struct ptx_parser *p, const struct ptx_name *opcode, int32_t guard,
                       bool guard_negated)
{
    const struct ptx_word *word =
        ptx_words_find(p->words, opcode->text, opcode->length, opcode->hash);
    const char *end = opcode->text + opcode->length;
    uint32_t index = (uint32_t)p->n_inst;
    struct ptx_inst *inst;

    if (word == NULL || word->op == PTX_OP_NONE) {
        parse_fail(p, opcode->pos, "Unknown instruction '%.*s'; expected an opcode of PTX ISA 9.0.",
                   PARSE_QUOTE(opcode));
    }
    inst = PARSE_PUSH(p, inst);
    *inst = (struct ptx_inst){ .op = (enum ptx_op)word->op, .pos = opcode->pos, .guard = guard };
    inst->guard_negated = guard_negated;
    inst->vec = 1;
    inst->file = p->source_file;
    inst->source_line = p->source_line;
    inst->at_file = p->at_file;
    inst->at_line = p->at_line;
    p->inst_has_label = p->inst_has_name = false;
    while (p->token.kind == PTX_TOKEN_DOT) {
        end = p->token.text + p->token.length;
        instruction_word(p, inst);
    }
    inst->spelling = ptx_arena_text(p->arena, opcode->text, (size_t)(end - opcode->text));
    if (inst->op == PTX_OP_CALL) {
        instruction_call(p, inst);
    } else {
        instruction_operands(p, inst);
    }
    instruction_complete(p->module, inst);
    instruction_note_uses(p, index);
}
