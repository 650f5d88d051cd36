/* SPDX-License-Identifier: MIT */
/* The decoder's frame: functions, instructions, the table of plain forms. Families of instructions
 * with many spellings are in the decode_*.c files beside this one. */
#include "ptx/decode_priv.h"
#include <string.h>

static const char *space_name(enum ptx_space s)
{
    static const char *const name[] = { "",       ".reg",   ".const", ".global",
                                        ".local", ".param", ".shared" };

    return name[s];
}

/* Root, space, modifiers, vector, types: the key of forms. Messages have inst->spelling. */
static void decode_key(const struct ptx_inst *inst, char *text, size_t size)
{
    GString *s = g_string_new(ptx_op_name(inst->op));

    g_string_append(s, inst->to ? ".to" : "");
    g_string_append(s, space_name(inst->space));
    for (unsigned i = 0; i < inst->n_mods; i++) {
        g_string_append_printf(s, ".%s", ptx_mod_name((enum ptx_mod)inst->mod[i]));
    }
    if (inst->vec > 1) {
        g_string_append_printf(s, ".v%u", inst->vec);
    }
    for (unsigned i = 0; i < inst->n_types; i++) {
        g_string_append_printf(s, ".%s", ptx_type_name((enum ptx_type)inst->type[i]));
    }
    g_strlcpy(text, s->str, size);
    g_string_free(s, TRUE);
}

/* Instructions */

/* Forms of uop.def: the key is root, modifiers, types; spaces never belong to one. */
static bool decode_form(struct decoder *d)
{
    char key[160];
    struct ptx_inst plain = *d->inst;
    enum ptx_uop_op op;
    const char *letters;
    uint32_t slot[PTX_MAX_OPERANDS] = { 0 };
    struct ptx_uop *u;

    plain.space = PTX_SPACE_NONE;
    decode_key(&plain, key, sizeof(key));
    op = (enum ptx_uop_op)(GPOINTER_TO_INT(g_hash_table_lookup(d->forms, key)) - 1);
    if ((int)op < 0) {
        return false;
    }
    letters = ptx_uop_operands(op);
    if (!decode_operands(d, (uint32_t)strlen(letters), (uint32_t)strlen(letters))) {
        return true;
    }
    for (unsigned i = 0; letters[i]; i++) {
        slot[i] = decode_operand(d, &d->inst->operand[i], letters[i]);
    }
    u = decode_emit(d, op);
    for (unsigned i = 0; letters[i]; i++) {
        decode_set_field(u, i, slot[i]);
    }
    return true;
}

static void decode_guard(struct decoder *d)
{
    d->guard = SLOT_ID_ALL;
    d->guard_xor = 0;
    if (d->inst->guard >= 0) {
        struct ptx_operand o = { .kind = PTX_OPERAND_REG, .reg = d->inst->guard };

        d->guard = decode_register(d, &o, SLOT_P);
        d->guard_xor = d->inst->guard_negated ? UINT32_MAX : 0;
    }
}

/* mov with {...} on one side shares its spelling with the plain mov. */
static bool inst_is_pack(const struct ptx_inst *i)
{
    return i->op == PTX_OP_MOV && i->n_operands == 2 &&
           (i->vec > 1 || i->operand[0].kind == PTX_OPERAND_VECTOR ||
            i->operand[1].kind == PTX_OPERAND_VECTOR);
}

/* setp p|q (9.7.6.2) is spelled as the one with p alone. */
static bool inst_is_pair(const struct ptx_inst *i)
{
    return i->op == PTX_OP_SETP && i->n_operands > 3;
}

/* vabsdiff4 with all bytes in order has a micro-op; with others it has not. */
static bool inst_has_parts(const struct ptx_inst *i)
{
    bool parts = false;

    for (unsigned k = 0; k < i->n_operands; k++) {
        parts |= i->operand[k].kind == PTX_OPERAND_REG && i->operand[k].count != 0;
    }
    return parts;
}

static void decode_inst(struct decoder *d)
{
    static bool (*const family[])(struct decoder *) = {
        decode_video,   decode_packed, decode_mem,   decode_flow,    decode_sync,
        decode_mov,     decode_cvt,    decode_cvta,  decode_setp,    decode_float,
        decode_integer, decode_matrix, decode_async, decode_texture, decode_mbarrier,
    };

    decode_guard(d);
    if (d->inst->op == PTX_OP_RET) {
        decode_leave(d);
    }
    if (!inst_is_pack(d->inst) && !inst_has_parts(d->inst) && !inst_is_pair(d->inst) &&
        decode_form(d)) {
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(family); i++) {
        if (family[i](d)) {
            return;
        }
    }
    decode_unsupported(d);
}

/* Functions */

static void places_add(struct decoder *d, struct ptx_var *const *vars, uint32_t n,
                       struct ptx_place *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = decode_local_place(d, vars[i]->size, MAX(vars[i]->align, 1u));

        g_hash_table_insert(d->places, vars[i], GUINT_TO_POINTER(at + 1));
        if (out) {
            out[i] = (struct ptx_place){ at, (uint32_t)vars[i]->size };
        }
    }
}

/* Parameters of calls live in the local frame, as the PTX ABI has it for a stack machine: 5.1.6.2
 * lets a function take the address of one. */
static void decode_places(struct decoder *d, struct ptx_code *code)
{
    const struct ptx_func *f = d->f;

    d->local_bytes = f->local_bytes;
    for (uint32_t i = 0; i < f->n_vars; i++) {
        struct ptx_var *v = f->vars[i];

        if (v->space == PTX_SPACE_LOCAL) {
            g_hash_table_insert(d->places, v, GUINT_TO_POINTER((uint32_t)v->offset + 1));
        } else if (v->space == PTX_SPACE_PARAM) {
            places_add(d, &f->vars[i], 1, NULL);
        }
    }
    if (!f->is_entry) {
        code->n_params = f->n_params;
        code->n_rets = f->n_rets;
        code->params = g_new0(struct ptx_place, f->n_params);
        code->rets = g_new0(struct ptx_place, f->n_rets);
        places_add(d, f->params, f->n_params, code->params);
        places_add(d, f->rets, f->n_rets, code->rets);
    }
}

static void decode_targets(struct decoder *d, struct ptx_code *code)
{
    for (uint32_t i = 0; i < d->uops->len; i++) {
        struct ptx_uop *u = &g_array_index(d->uops, struct ptx_uop, i);

        if (u->op == PTX_UOP_BRA) {
            u->target = d->inst_uop[u->target];
        }
    }
    for (uint32_t i = 0; i < code->n_tables; i++) {
        for (uint32_t k = 0; k < code->tables[i].count; k++) {
            code->tables[i].target[k] = d->inst_uop[code->tables[i].target[k]];
        }
    }
}

/* What is not PTX refuses the module, also behind an instruction that the SMs lack. */
static bool decode_valid(struct decoder *d)
{
    char *lacks = g_steal_pointer(&d->lacks);
    bool failed = d->failed, good;

    d->failed = false;
    good = decode_check(d) && decode_target(d);
    d->failed |= failed;
    if (good) {
        d->lacks = lacks;
    } else {
        g_free(lacks);
    }
    return good;
}

static void decode_body(struct decoder *d, struct ptx_code *code)
{
    const struct ptx_func *f = d->f;
    struct ptx_uop *ret;

    if (f->n_inst) {
        d->inst = &f->inst[0];
        d->guard = SLOT_ID_ALL;
        d->guard_xor = 0;
        decode_enter(d, code);
    }
    for (uint32_t i = 0; i < f->n_inst; i++) {
        d->inst = &f->inst[i];
        d->inst_uop[i] = d->uops->len;
        if ((d->failed && !d->lacks) || !decode_valid(d)) {
            return;
        }
        if (!d->failed) {
            decode_inst(d);
        }
    }
    if (d->failed) {
        return;
    }
    d->inst_uop[f->n_inst] = d->uops->len;
    d->inst = f->n_inst ? &f->inst[f->n_inst - 1] : NULL;
    d->guard = SLOT_ID_ALL;
    d->guard_xor = 0;
    if (f->n_inst) {
        decode_leave(d);
        ret = decode_emit(d, PTX_UOP_RET);
        ret->inst = f->n_inst; /* no instruction of its own: not counted */
    } else {
        struct ptx_uop u = { .op = PTX_UOP_RET };

        g_array_append_val(d->uops, u);
    }
    code->n_calls = d->calls->len;
    code->n_tables = d->tables->len;
    code->calls = (struct ptx_call_site *)(void *)g_array_free(d->calls, FALSE);
    code->tables = (struct ptx_jump_table *)(void *)g_array_free(d->tables, FALSE);
    d->calls = d->tables = NULL;
    decode_targets(d, code);
    decode_place_slots(d, code);
    code->local_bytes = (uint32_t)((d->local_bytes + 15) / 16 * 16);
    code->n_uops = d->uops->len;
    code->uop = (struct ptx_uop *)(void *)g_array_free(d->uops, FALSE);
    d->uops = NULL;
}

/* The function that remains: one micro-op, which faults. */
static void decode_lacking(struct decoder *d, struct ptx_code *code)
{
    struct ptx_uop u = { .op = PTX_UOP_LACKING };

    code->lacks = d->lacks;
    code->lacks_pos = d->lacks_pos;
    for (uint32_t i = 0; i < d->f->n_inst; i++) {
        if (d->f->inst[i].pos.line == d->lacks_pos.line) {
            u.inst = i;
        }
    }
    code->uop = g_memdup2(&u, sizeof(u));
    code->n_uops = 1;
    g_array_set_size(d->slots, 2); /* the mask and the carry flag */
    g_array_set_size(d->uops, 0);
    decode_place_slots(d, code);
    code->local_bytes = (uint32_t)((d->local_bytes + 15) / 16 * 16);
}

/* A call site that was decoded before the error owns its places. */
static void calls_free(gpointer data)
{
    struct ptx_call_site *site = data;

    g_free(site->args);
    g_free(site->rets);
}

static void tables_free(gpointer data)
{
    struct ptx_jump_table *table = data;

    g_free(table->target);
}

static void array_free(GArray *a)
{
    if (a) {
        g_array_free(a, TRUE);
    }
}

static bool decode_func(const struct ptx_module *m, const struct ptx_func *f, GHashTable *forms,
                        struct ptx_code *code, struct ptx_error *error)
{
    struct decoder d = { .m = m, .f = f, .error = error, .forms = forms };
    struct slot mask = { .cls = SLOT_P };

    d.uops = g_array_new(FALSE, FALSE, sizeof(struct ptx_uop));
    d.slots = g_array_new(FALSE, FALSE, sizeof(struct slot));
    d.calls = g_array_new(FALSE, FALSE, sizeof(struct ptx_call_site));
    d.tables = g_array_new(FALSE, FALSE, sizeof(struct ptx_jump_table));
    d.constants = g_hash_table_new_full(decode_constant_hash, decode_constant_equal, g_free, NULL);
    d.places = g_hash_table_new(g_direct_hash, g_direct_equal);
    d.reg_slot =
        g_new(uint32_t, 2 * (size_t)f->n_regs + 1); /* never NULL: a function may have none */
    memset(d.reg_slot, 0xff, 2 * sizeof(uint32_t) * f->n_regs);
    d.inst_uop = g_new0(uint32_t, (size_t)f->n_inst + 1);
    d.sink[0] = d.sink[1] = d.sink[2] = SLOT_NONE;
    g_array_append_val(d.slots, mask); /* SLOT_ID_ALL */
    g_array_append_val(d.slots, mask); /* SLOT_ID_CARRY */
    code->func = f;
    decode_places(&d, code);
    decode_body(&d, code);
    if (d.lacks) {
        decode_lacking(&d, code);
    }
    code->issue = code->uop ? ptx_issue_sums(code) : NULL;
    array_free(d.uops);
    array_free(d.slots);
    if (d.calls) {
        g_array_set_clear_func(d.calls, calls_free);
        g_array_set_clear_func(d.tables, tables_free);
    }
    array_free(d.calls);
    array_free(d.tables);
    g_hash_table_destroy(d.constants);
    g_hash_table_destroy(d.places);
    g_free(d.reg_slot);
    g_free(d.inst_uop);
    return !d.failed || d.lacks;
}

static GHashTable *forms_new(void)
{
    GHashTable *forms = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (int i = 0; i < PTX_UOP_COUNT; i++) {
        const char *s = ptx_uop_spellings((enum ptx_uop_op)i);

        while (*s) {
            size_t len = strcspn(s, " ");

            g_hash_table_insert(forms, g_strndup(s, len), GINT_TO_POINTER(i + 1));
            s += len + (s[len] == ' ');
        }
    }
    return forms;
}

struct ptx_program *ptx_decode(const struct ptx_module *m, struct ptx_error *error)
{
    struct ptx_program *p = g_new0(struct ptx_program, 1);
    GHashTable *forms = forms_new();
    bool good = decode_module(m, error);

    p->n_code = m->n_funcs;
    p->code = g_new0(struct ptx_code, m->n_funcs);
    for (uint32_t i = 0; i < m->n_funcs && good; i++) {
        p->code[i].func = m->funcs[i];
        if (!m->funcs[i]->is_extern) {
            good = decode_func(m, m->funcs[i], forms, &p->code[i], error);
        }
    }
    g_hash_table_destroy(forms);
    if (!good) {
        ptx_program_free(p);
        return NULL;
    }
    return p;
}

void ptx_program_free(struct ptx_program *p)
{
    if (!p) {
        return;
    }
    for (uint32_t i = 0; i < p->n_code; i++) {
        struct ptx_code *c = &p->code[i];

        for (uint32_t k = 0; k < c->n_calls; k++) {
            g_free(c->calls[k].args);
            g_free(c->calls[k].rets);
        }
        for (uint32_t k = 0; k < c->n_tables; k++) {
            g_free(c->tables[k].target);
        }
        g_free(c->lacks);
        g_free(c->calls);
        g_free(c->tables);
        g_free(c->uop);
        g_free(c->consts);
        g_free(c->params);
        g_free(c->rets);
        g_free(c->issue);
    }
    g_free(p->code);
    g_free(p);
}

/* The callees of a function that were not seen before join @todo. */
static void lack_follow(const struct ptx_code *c, bool *seen, GQueue *todo)
{
    for (uint32_t i = 0; i < c->n_calls; i++) {
        const struct ptx_func *callee = c->calls[i].callee;

        if (callee && !seen[callee->index]) {
            seen[callee->index] = true;
            g_queue_push_tail(todo, GUINT_TO_POINTER(callee->index));
        }
    }
}

const struct ptx_code *ptx_program_lack(const struct ptx_program *p, const struct ptx_func *func)
{
    bool *seen = g_new0(bool, p->n_code);
    const struct ptx_code *found = NULL;
    GQueue todo = G_QUEUE_INIT;

    seen[func->index] = true;
    g_queue_push_tail(&todo, GUINT_TO_POINTER(func->index));
    while (!found && !g_queue_is_empty(&todo)) {
        const struct ptx_code *c = &p->code[GPOINTER_TO_UINT(g_queue_pop_head(&todo))];

        found = c->lacks ? c : NULL;
        lack_follow(c, seen, &todo);
    }
    g_queue_clear(&todo);
    g_free(seen);
    return found;
}
