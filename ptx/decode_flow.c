/* SPDX-License-Identifier: MIT */
/* Branches, calls, barriers, warp operations: PTX ISA 9.7.12, 9.7.13. */
#include "ptx/decode_priv.h"
#include <string.h>

static bool decode_bra(struct decoder *d)
{
    const struct ptx_operand *o = &d->inst->operand[0];

    if (!decode_operands(d, 1, 1)) {
        return true;
    }
    if (o->kind != PTX_OPERAND_LABEL) {
        return decode_fail(d, "line %u: bra needs a label", d->inst->pos.line);
    }
    decode_emit(d, PTX_UOP_BRA)->target = o->label; /* micro-op index later */
    return true;
}

static bool decode_brx(struct decoder *d)
{
    const struct ptx_operand *list = &d->inst->operand[1];
    struct ptx_jump_table t;
    uint32_t index;

    if (!decode_operands(d, 2, 2)) {
        return true;
    }
    if (list->kind != PTX_OPERAND_VECTOR || list->count == 0) {
        return decode_unsupported(d);
    }
    index = decode_operand(d, &d->inst->operand[0], 'w');
    t.count = list->count;
    t.target = g_new(uint32_t, t.count);
    for (uint32_t i = 0; i < t.count; i++) {
        t.target[i] = list->element[i].label;
    }
    g_array_append_val(d->tables, t);
    decode_emit4(d, PTX_UOP_BRX, index, 0, 0, 0)->imm = d->tables->len - 1;
    return true;
}

/* Calls: arguments are memory of the caller's frame; values get a place there first. */

static bool call_place(struct decoder *d, const struct ptx_operand *o, struct ptx_place *p)
{
    uint32_t at;

    if (o->kind == PTX_OPERAND_SYMBOL && o->var) {
        at = GPOINTER_TO_UINT(g_hash_table_lookup(d->places, o->var));
        if (at && o->var->space == PTX_SPACE_PARAM) {
            *p = (struct ptx_place){ at - 1, (uint32_t)o->var->size };
            return true;
        }
    }
    return false;
}

static void call_memory(struct decoder *d, uint32_t value, uint32_t size, bool load,
                        const struct ptx_place *p)
{
    uint32_t address = decode_local_slot(d, p->offset);
    struct ptx_uop *u = decode_emit(d, load ? PTX_UOP_LD_LOCAL : PTX_UOP_ST_LOCAL);

    u->d = value;
    u->a = address;
    u->size = (uint8_t)size;
    u->vec = 1;
    u->flags = size == 8 ? PTX_MEM_WIDE : 0;
    u->reads = load ? 2 : 3;
    u->writes = load ? 1 : 0;
}

static bool is_predicate(const struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG && d->f->regs[o->reg].type == PTX_PRED;
}

/* As a word, 1 or 0: one of the module's registers, which a function shares with its callers. */
static void call_predicate(struct decoder *d, const struct ptx_operand *o, bool load,
                           const struct ptx_place *p)
{
    uint32_t t = decode_temp(d, SLOT_W);

    if (load) {
        call_memory(d, t, 4, true, p);
        decode_emit4(d, PTX_UOP_SETP_NE_B32, decode_operand(d, o, 'P'), t, decode_word(d, 0), 0);
    } else {
        decode_emit4(d, PTX_UOP_SELP_B32, t, decode_word(d, 1), decode_word(d, 0),
                     decode_operand(d, o, 'p'));
        call_memory(d, t, 4, false, p);
    }
}

/* A register or literal as argument or result: store before, load after. */
static void call_value(struct decoder *d, const struct ptx_operand *o, uint32_t size, bool load,
                       struct ptx_place *p)
{
    char letter = size == 8 ? 'l' : 'w';

    if (size == 4 && is_predicate(d, o)) { /* no parameter that PTX itself has */
        call_predicate(d, o, load, p);
        return;
    }
    call_memory(d, decode_operand(d, o, load ? (char)g_ascii_toupper(letter) : letter), size, load,
                p);
}

/* Parameters in registers (11.2.2) travel as the others do: through the callee's local frame. */
static void func_value(struct decoder *d, const struct ptx_var *v, const struct ptx_place *p,
                       bool load)
{
    struct ptx_operand o = { .kind = PTX_OPERAND_REG, .reg = (int32_t)v->offset };
    struct ptx_place place = *p;

    if (v->space != PTX_SPACE_REG || v->offset == UINT64_MAX || d->failed) {
        return;
    }
    if ((v->type == PTX_PRED && v->size != 4) || v->size > 8) {
        decode_lack(d, "line %u: `%s` has a parameter of type .%s in a register", v->pos.line,
                    d->f->name, ptx_type_name(v->type));
        return;
    }
    call_value(d, &o, (uint32_t)v->size, load, &place);
}

void decode_enter(struct decoder *d, const struct ptx_code *code)
{
    d->code = code;
    for (uint32_t i = 0; i < code->n_params; i++) {
        func_value(d, d->f->params[i], &code->params[i], true);
    }
}

void decode_leave(struct decoder *d)
{
    for (uint32_t i = 0; i < d->code->n_rets; i++) {
        func_value(d, d->f->rets[i], &d->code->rets[i], false);
    }
}

static const struct ptx_func *call_target(const struct decoder *d)
{
    const struct ptx_func *f = d->inst->call->target;

    if (f && f->is_extern) { /* a declaration: another entry of the table may define it */
        for (uint32_t i = 0; i < d->m->n_funcs; i++) {
            if (!d->m->funcs[i]->is_extern && strcmp(d->m->funcs[i]->name, f->name) == 0) {
                return d->m->funcs[i];
            }
        }
    }
    return f;
}

static uint32_t call_operand_size(const struct decoder *d, const struct ptx_operand *o,
                                  struct ptx_var *const *formal, uint32_t n, uint32_t i)
{
    uint32_t size = is_predicate(d, o) ? 0 : decode_reg_size(d, o);

    if (size) {
        return size;
    }
    return i < n && formal[i]->size <= 8 ? (uint32_t)formal[i]->size : 4;
}

static bool call_check(struct decoder *d, const struct ptx_func *f)
{
    const struct ptx_call *c = d->inst->call;

    if (f->n_params != c->n_args || f->n_rets != c->n_rets) {
        return !decode_fail(
            d, "line %u: %s takes %u parameters and returns %u, the call has %u and %u",
            d->inst->pos.line, f->name, f->n_params, f->n_rets, c->n_args, c->n_rets);
    }
    return true;
}

static void call_places(struct decoder *d, const struct ptx_func *f, struct ptx_call_site *site)
{
    const struct ptx_call *c = d->inst->call;

    site->n_args = c->n_args;
    site->n_rets = c->n_rets;
    site->args = g_new0(struct ptx_place, c->n_args);
    site->rets = g_new0(struct ptx_place, c->n_rets);
    for (uint32_t i = 0; i < c->n_args; i++) {
        if (!call_place(d, &c->args[i], &site->args[i])) {
            uint32_t size =
                call_operand_size(d, &c->args[i], f ? f->params : NULL, f ? f->n_params : 0, i);

            site->args[i] = (struct ptx_place){ decode_local_place(d, size, size), size };
            call_value(d, &c->args[i], size, false, &site->args[i]);
        }
    }
    for (uint32_t i = 0; i < c->n_rets; i++) {
        if (!call_place(d, &c->rets[i], &site->rets[i])) {
            uint32_t size =
                call_operand_size(d, &c->rets[i], f ? f->rets : NULL, f ? f->n_rets : 0, i);

            site->rets[i] = (struct ptx_place){ decode_local_place(d, size, size), size };
        }
    }
}

static void call_load_results(struct decoder *d, struct ptx_call_site *site)
{
    const struct ptx_call *c = d->inst->call;
    struct ptx_place unused;

    for (uint32_t i = 0; i < c->n_rets && !d->failed; i++) {
        if (c->rets[i].kind == PTX_OPERAND_REG && !call_place(d, &c->rets[i], &unused)) {
            call_value(d, &c->rets[i], site->rets[i].size, true, &site->rets[i]);
        }
    }
}

static bool call_emit(struct decoder *d, const struct ptx_func *f, struct ptx_call_site *site)
{
    uint32_t pointer = 0;
    struct ptx_uop *u;
    enum ptx_uop_op op = PTX_UOP_CALL;

    site->callee = f;
    site->intrinsic = PTX_INTRINSIC_COUNT;
    if (!f) {
        op = PTX_UOP_CALL_INDIRECT;
        pointer = decode_operand(d, &d->inst->call->pointer, 'l');
    } else if (f->is_extern) {
        op = PTX_UOP_CALL_INTRINSIC;
        site->callee = NULL;
        site->intrinsic = ptx_intrinsic_find(f->name);
        if (site->intrinsic == PTX_INTRINSIC_COUNT &&
            ptx_is_device_launch(f->name, strlen(f->name))) {
            return decode_lack(d,
                               "line %u: `%s` launches a kernel from a kernel (dynamic "
                               "parallelism), which vtegra does not have: launch it from the CPU",
                               d->inst->pos.line, f->name);
        }
        if (site->intrinsic == PTX_INTRINSIC_COUNT) {
            return decode_fail(d,
                               "line %u: function `%s` is not defined in this module, and the "
                               "virtual SMs have none of that name",
                               d->inst->pos.line, f->name);
        }
    }
    u = decode_emit(d, op);
    u->a = pointer;
    u->reads = op == PTX_UOP_CALL_INDIRECT ? 2 : 0;
    u->imm = d->calls->len;
    return true;
}

/* The parameters of a system or libdevice function, letters of intrinsic.def */
static bool intrinsic_check(struct decoder *d, const struct ptx_call_site *site)
{
    static const struct {
        const char *name, *ret, *args;
    } table[] = {
#define PTX_INTRINSIC(name, ret, args) { #name, ret, args },
#include "ptx/intrinsic.def"
#undef PTX_INTRINSIC
    };
    const char *args = table[site->intrinsic].args, *ret = table[site->intrinsic].ret;
    bool good = site->n_args == strlen(args) && site->n_rets == (*ret == 'v' ? 0 : 1);

    for (uint32_t i = 0; good && i < site->n_args; i++) {
        uint32_t size = strchr("dlp", args[i]) ? 8 : 4;

        good = site->args[i].size >= size || (args[i] == 'h' && site->args[i].size >= 2);
    }
    if (good && site->n_rets) {
        good = site->rets[0].size >= (strchr("dlp", *ret) ? 8u : *ret == 'h' ? 2u : 4u);
    }
    if (!good) {
        decode_fail(d, "line %u: %s is called with parameters that are not its own",
                    d->inst->pos.line, table[site->intrinsic].name);
    }
    return good;
}

static bool decode_call(struct decoder *d)
{
    const struct ptx_func *f;
    struct ptx_call_site site = { 0 };

    if (!d->inst->call) {
        return decode_unsupported(d);
    }
    f = call_target(d);
    if (f && !call_check(d, f)) {
        return true;
    }
    call_places(d, f, &site);
    if (call_emit(d, f, &site) && !d->failed && site.intrinsic != PTX_INTRINSIC_COUNT) {
        intrinsic_check(d, &site);
    }
    g_array_append_val(d->calls, site);
    call_load_results(d, &site);
    return true;
}

bool decode_flow(struct decoder *d)
{
    switch (d->inst->op) {
    case PTX_OP_BRA:
        return decode_bra(d);
    case PTX_OP_BRX:
        return decode_brx(d);
    case PTX_OP_CALL:
        return decode_call(d);
    case PTX_OP_PMEVENT: /* triggers a profiler; there is none */
        decode_emit(d, PTX_UOP_NOP);
        return true;
    default:
        return false;
    }
}
