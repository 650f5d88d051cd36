/* SPDX-License-Identifier: MIT */
/* Names that were used before their declaration. */
#include "ptx/parse.h"

static const struct ptx_symbol *resolve_label_in_scope(const struct ptx_parser *p,
                                                       const struct ptx_operand *operand)
{
    const struct ptx_name *name = operand_waits_for(operand);
    const struct ptx_symbol *s;

    if (operand->kind != PTX_OPERAND_LABEL || name == NULL) {
        return NULL;
    }
    s = symbols_find(p, SYMBOL_LABEL, name);
    if (s != NULL && s->depth == p->symbols.depth) {
        return s;
    }
    if (p->symbols.depth == 1) { /* the function's own scope: nothing is further out */
        parse_fail((struct ptx_parser *)p, name->pos, "The label '%.*s' is not defined in '%s'.",
                   PARSE_QUOTE(name), p->func->name);
    }
    return NULL;
}

static void resolve_label_fail(struct ptx_parser *p, const struct ptx_operand *operand,
                               const char *what)
{
    const struct ptx_name *name = operand_waits_for(operand);

    parse_fail(p, name->pos, "The label '%.*s' stands before something else; expected %s.",
               PARSE_QUOTE(name), what);
}

/* Return: false if an outer scope must be asked. */
static bool resolve_target(struct ptx_parser *p, struct ptx_operand *operand)
{
    const struct ptx_symbol *s = resolve_label_in_scope(p, operand);

    if (s == NULL) {
        return operand->kind != PTX_OPERAND_LABEL || operand->element == NULL;
    }
    if (s->kind != SYMBOL_TARGET) {
        resolve_label_fail(p, operand, "an instruction to branch to");
    }
    operand->label = s->index;
    operand->element = NULL;
    return true;
}

/* Branches may go forward, but lists stand before what names them (ptxas 13.0, a driver). */
static void resolve_order_check(struct ptx_parser *p, const struct ptx_operand *operand,
                                const struct ptx_symbol *s, uint32_t inst)
{
    const struct ptx_name *name = operand_waits_for(operand);

    if (s->index > inst) {
        parse_fail(p, name->pos,
                   "'%.*s' is declared behind this instruction; move the declaration before it.",
                   PARSE_QUOTE(name));
    }
}

static bool resolve_prototype(struct ptx_parser *p, uint32_t index)
{
    struct ptx_inst *inst = &p->inst[index];
    const struct ptx_symbol *s = resolve_label_in_scope(p, &inst->operand[0]);

    if (s == NULL) {
        return false;
    }
    if (s->kind != SYMBOL_PROTOTYPE) {
        resolve_label_fail(p, &inst->operand[0], "'.callprototype' or '.calltargets'");
    }
    resolve_order_check(p, &inst->operand[0], s, index);
    inst->operand[0] = (struct ptx_operand){ .reg = -1 };
    inst->n_operands = 0;
    return true;
}

static bool resolve_branch_table(struct ptx_parser *p, uint32_t index)
{
    struct ptx_operand *operand = &p->inst[index].operand[1];
    const struct ptx_symbol *s = resolve_label_in_scope(p, operand);

    if (s == NULL) {
        return false;
    }
    if (s->kind != SYMBOL_TARGETS) {
        resolve_label_fail(p, operand, "'.branchtargets'");
    }
    resolve_order_check(p, operand, s, index);
    operand->kind = PTX_OPERAND_VECTOR;
    operand->element = s->targets; /* shared by every brx that names the table */
    operand->count = s->count;
    return true;
}

static bool resolve_label_use(struct ptx_parser *p, const struct label_use *use)
{
    bool done = true;

    if (use->targets != NULL) {
        for (uint32_t i = 0; i < use->count; i++) {
            done &= resolve_target(p, &use->targets[i]);
        }
        return done;
    }
    switch (p->inst[use->inst].op) {
    case PTX_OP_CALL:
        return resolve_prototype(p, (uint32_t)use->inst);
    case PTX_OP_BRX:
        return resolve_branch_table(p, (uint32_t)use->inst);
    default:
        return resolve_target(p, &p->inst[use->inst].operand[0]);
    }
}

/* At the end of a scope, its labels still known: what it does not define, the next one out may. */
void resolve_labels(struct ptx_parser *p)
{
    size_t first = p->n_label_uses, kept;

    while (first > 0 && p->label_uses[first - 1].depth == p->symbols.depth) {
        first--;
    }
    kept = first;
    for (size_t i = first; i < p->n_label_uses; i++) {
        if (!resolve_label_use(p, &p->label_uses[i])) {
            p->label_uses[kept] = p->label_uses[i];
            p->label_uses[kept++].depth--;
        }
    }
    p->n_label_uses = kept;
}

static const struct ptx_symbol *resolve_module_name(struct ptx_parser *p,
                                                    const struct ptx_name *name)
{
    const struct ptx_symbol *s = symbols_find(p, SYMBOL_NAME, name);

    if (s == NULL) {
        parse_fail(p, name->pos,
                   "'%.*s' is not declared: no register, variable, parameter or "
                   "function has this name.",
                   PARSE_QUOTE(name));
    }
    return s;
}

static void resolve_operand(struct ptx_parser *p, struct ptx_operand *operand)
{
    const struct ptx_symbol *s;

    if (operand->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < operand->count; i++) {
            resolve_operand(p, &operand->element[i]);
        }
        return;
    }
    if ((operand->kind != PTX_OPERAND_SYMBOL && operand->kind != PTX_OPERAND_ADDRESS) ||
        operand->element == NULL) {
        return;
    }
    s = resolve_module_name(p, operand_waits_for(operand));
    operand->element = NULL;
    if (s->kind == SYMBOL_FUNC) {
        operand->func = s->func;
    } else {
        operand->var = s->var;
    }
}

static void resolve_call(struct ptx_parser *p, struct ptx_inst *inst)
{
    struct ptx_call *call = inst->call;

    for (uint32_t i = 0; i < call->n_rets; i++) {
        resolve_operand(p, &call->rets[i]);
    }
    for (uint32_t i = 0; i < call->n_args; i++) {
        resolve_operand(p, &call->args[i]);
    }
    if (call->pointer.kind == PTX_OPERAND_SYMBOL) {
        struct ptx_pos pos = operand_waits_for(&call->pointer)->pos;

        resolve_operand(p, &call->pointer);
        if (call->pointer.func == NULL) {
            parse_fail(p, pos, "'%s' is no function; 'call' expects one.", inst->callee_or_message);
        }
        call->target = call->pointer.func;
        call->pointer = (struct ptx_operand){ .reg = -1 };
        resolve_call_check(p, inst);
    }
}

static bool resolve_is_variadic(const struct ptx_func *func)
{
    return func->n_params > 0 && func->params[func->n_params - 1]->size == 0;
}

/* 9.7.12.5: as many arguments as parameters, unless the last is an array without a size. */
void resolve_call_check(struct ptx_parser *p, const struct ptx_inst *inst)
{
    const struct ptx_call *call = inst->call;
    const struct ptx_func *func = call->target;

    if (call->n_rets != func->n_rets) {
        parse_fail(p, inst->pos,
                   "This call takes %u result%s from '%s', which is declared with %u.",
                   call->n_rets, call->n_rets == 1 ? "" : "s", func->name, func->n_rets);
    }
    if (call->n_args != func->n_params &&
        !(resolve_is_variadic(func) && call->n_args + 1 >= func->n_params)) {
        parse_fail(p, inst->pos,
                   "This call gives %u argument%s to '%s', which is declared with %u.",
                   call->n_args, call->n_args == 1 ? "" : "s", func->name, func->n_params);
    }
}

static void resolve_relocs(struct ptx_parser *p)
{
    for (size_t i = 0; i < p->n_reloc_uses; i++) {
        struct reloc_use *use = &p->reloc_uses[i];
        const struct ptx_symbol *s = resolve_module_name(p, &use->name);

        if (s->kind == SYMBOL_FUNC) {
            use->reloc->func = s->func;
        } else {
            use->reloc->var = s->var;
        }
    }
}

/* An alias is a second ptx_func with the same body: what follows need not know the word. */
static void resolve_aliases(struct ptx_parser *p)
{
    for (size_t i = 0; i < p->n_alias_uses; i++) {
        struct alias_use *use = &p->alias_uses[i];
        const struct ptx_symbol *s = resolve_module_name(p, &use->name);
        struct ptx_func *alias = use->alias;
        const char *name = alias->name;
        uint32_t index = alias->index;
        enum ptx_linkage linkage = alias->linkage;

        if (p->n_module_regs) { /* its calls would get their registers twice */
            parse_fail(p, use->name.pos, "A module with registers of its own has no aliases.");
        }
        if (s->kind != SYMBOL_FUNC || s->func->is_extern || s->func->is_entry) {
            parse_fail(p, use->name.pos, "'%.*s' is no function with a body; '.alias' expects one.",
                       PARSE_QUOTE(&use->name));
        }
        *alias = *s->func;
        alias->name = name;
        alias->index = index;
        alias->linkage = linkage;
    }
}

void resolve_names(struct ptx_parser *p)
{
    for (size_t i = 0; i < p->n_name_uses; i++) {
        struct ptx_inst *inst = &p->name_uses[i].func->inst[p->name_uses[i].inst];

        for (unsigned k = 0; k < inst->n_operands; k++) {
            resolve_operand(p, &inst->operand[k]);
        }
        if (inst->call != NULL) {
            resolve_call(p, inst);
        }
    }
    resolve_relocs(p);
    resolve_aliases(p);
}
