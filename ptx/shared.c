/* SPDX-License-Identifier: MIT */
/* Where .shared variables lie in the shared memory of a block.
 *
 * A variable has one offset, whichever entry runs. So it lies behind everything placed before it
 * for any function that reaches it: those that name it, their callers, the callers of these. One
 * that a single entry reaches, which is nearly every one, lies as if that entry were alone in the
 * module. `extern .shared` variables all start together behind the static part of the entry that
 * runs (CUDA C++ programming guide, dynamic shared memory): at the shared_bytes of each function. The
 * code of a .func is one for all its callers, so entries that reach one which names such a variable
 * share its place; others have each their own.
 */
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

#define SHARED_DYNAMIC_ALIGN 16 /* where `extern .shared` starts at least */
#define SHARED_PASSES 8
#define SHARED_WORK (1u << 22) /* steps of all walks: no real module comes near */

struct shared_edge {
    uint32_t to, next; /* @next: index + 1 */
};

/**
 * struct shared_layout - who reaches what
 * @vars: every .shared variable in declaration order; its offset holds its index here meanwhile
 * @users: of a variable, @callers: of a function: the head of a list of functions. Number n_funcs
 *          stands for "whoever calls through a pointer"
 * @dynamic: of a function: the alignment of the `extern .shared` variables it names, 0 if none
 * @seen: functions of the walk that is under way; @order: they, in order
 * @work: steps so far. Walks may cost the square of the text; past SHARED_WORK every further
 * variable lies behind all others (@floor), which wastes room but is right for everybody
 */
struct shared_layout {
    struct ptx_module *module;
    struct ptx_var **vars;
    struct shared_edge *edges;
    size_t n_vars, cap_vars, n_edges, cap_edges;
    uint32_t *users, *callers, *order, *dynamic;
    uint8_t *seen;
    uint32_t n_order;
    uint64_t work, floor;
};

static void *shared_array(size_t count, size_t size)
{
    size_t capacity = 0;
    void *array = ptx_grow(NULL, 0, &capacity, count * size + 1);

    return memset(array, 0, count * size + 1);
}

static void shared_link(struct shared_layout *s, uint32_t *head, uint32_t to)
{
    if (*head != 0 && s->edges[*head - 1].to == to) {
        return; /* functions come one after the other: this one is on the list already */
    }
    *PARSE_PUSH(s, edges) = (struct shared_edge){ to, *head };
    *head = (uint32_t)s->n_edges;
}

static void shared_collect(struct shared_layout *s)
{
    struct ptx_module *m = s->module;

    for (uint32_t i = 0; i < m->n_vars; i++) {
        if (m->vars[i]->space == PTX_SPACE_SHARED) {
            *PARSE_PUSH(s, vars) = m->vars[i];
        }
    }
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        for (uint32_t k = 0; k < m->funcs[i]->n_vars; k++) {
            if (m->funcs[i]->vars[k]->space == PTX_SPACE_SHARED) {
                *PARSE_PUSH(s, vars) = m->funcs[i]->vars[k];
            }
        }
    }
    for (size_t i = 0; i < s->n_vars; i++) {
        s->vars[i]->offset = i;
    }
}

static bool shared_is_dynamic(const struct ptx_var *var)
{
    return var->linkage == PTX_LINK_EXTERN;
}

static void shared_use(struct shared_layout *s, uint32_t user, const struct ptx_var *var)
{
    uint32_t align = var->align < SHARED_DYNAMIC_ALIGN ? SHARED_DYNAMIC_ALIGN : var->align;

    if (!shared_is_dynamic(var)) {
        shared_link(s, &s->users[var->offset], user);
    } else if (align > s->dynamic[user]) {
        s->dynamic[user] = align;
    }
}

static void shared_operand(struct shared_layout *s, uint32_t user,
                           const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < operand->count; i++) {
            shared_operand(s, user, &operand->element[i]);
        }
    } else if (operand->var != NULL && operand->var->space == PTX_SPACE_SHARED) {
        shared_use(s, user, operand->var);
    } else if (operand->func != NULL) { /* its address is taken: a pointer may call it */
        shared_link(s, &s->callers[operand->func->index], s->module->n_funcs);
    }
}

static void shared_call(struct shared_layout *s, uint32_t user, const struct ptx_call *call)
{
    uint32_t indirect = s->module->n_funcs;

    if (call->target != NULL) {
        shared_link(s, &s->callers[call->target->index], user);
    } else {
        shared_link(s, &s->callers[indirect], user);
    }
    for (uint32_t i = 0; i < call->n_args; i++) {
        shared_operand(s, user, &call->args[i]);
    }
}

static void shared_function(struct shared_layout *s, uint32_t index)
{
    const struct ptx_func *func = s->module->funcs[index];

    for (uint32_t i = 0; i < func->n_vars;
         i++) { /* its own count even if no instruction names them */
        if (func->vars[i]->space == PTX_SPACE_SHARED) {
            shared_use(s, index, func->vars[i]);
        }
    }
    for (uint32_t i = 0; i < func->n_inst; i++) {
        const struct ptx_inst *inst = &func->inst[i];

        for (unsigned k = 0; k < inst->n_operands; k++) {
            shared_operand(s, index, &inst->operand[k]);
        }
        if (inst->call != NULL) {
            shared_call(s, index, inst->call);
        }
    }
}

static void shared_relocs(struct shared_layout *s)
{
    for (uint32_t i = 0; i < s->module->n_vars; i++) {
        const struct ptx_var *var = s->module->vars[i];

        for (uint32_t k = 0; k < var->n_relocs; k++) {
            if (var->relocs[k].func != NULL) {
                shared_link(s, &s->callers[var->relocs[k].func->index], s->module->n_funcs);
            }
        }
    }
}

static void shared_visit(struct shared_layout *s, uint32_t list)
{
    for (; list != 0; list = s->edges[list - 1].next) {
        uint32_t func = s->edges[list - 1].to;

        s->work++;
        if (!s->seen[func]) {
            s->seen[func] = 1;
            s->order[s->n_order++] = func;
        }
    }
}

/* Those in @order and all that reach them, into @order. Return: where the longest of them ends. */
static uint64_t shared_close(struct shared_layout *s)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < s->n_order; i++) {
        shared_visit(s, s->callers[s->order[i]]);
    }
    for (uint32_t i = 0; i < s->n_order; i++) {
        uint32_t func = s->order[i];

        s->seen[func] = 0;
        if (func < s->module->n_funcs && s->module->funcs[func]->shared_bytes > end) {
            end = s->module->funcs[func]->shared_bytes;
        }
    }
    return end;
}

/* All functions that reach variable @index, into @order, as shared_close(). */
static uint64_t shared_reach(struct shared_layout *s, size_t index)
{
    s->n_order = 0;
    shared_visit(s, s->users[index]);
    return shared_close(s);
}

/* The same of function @index. */
static uint64_t shared_reach_function(struct shared_layout *s, uint32_t index)
{
    s->n_order = 1;
    s->order[0] = index;
    s->seen[index] = 1;
    s->work++;
    return shared_close(s);
}

static void shared_set_end(struct shared_layout *s, uint64_t end)
{
    for (uint32_t i = 0; i < s->n_order; i++) {
        if (s->order[i] < s->module->n_funcs) {
            s->module->funcs[s->order[i]]->shared_bytes = end;
        }
    }
}

static uint64_t shared_longest(const struct shared_layout *s)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < s->module->n_funcs; i++) {
        uint64_t bytes = s->module->funcs[i]->shared_bytes;

        end = bytes > end ? bytes : end;
    }
    return end;
}

static void shared_set_all_ends(struct shared_layout *s, uint64_t end)
{
    for (uint32_t i = 0; i < s->module->n_funcs; i++) {
        s->module->funcs[i]->shared_bytes = end;
    }
}

/* Where the next variable may start: behind what its users have, or behind everything. */
static uint64_t shared_start(struct shared_layout *s, size_t index)
{
    if (s->floor == 0 && s->work > SHARED_WORK) {
        s->floor = shared_longest(s) + 1;
    }
    return s->floor != 0 ? s->floor : shared_reach(s, index);
}

static bool shared_place_static(struct shared_layout *s, struct ptx_error *error)
{
    for (size_t i = 0; i < s->n_vars; i++) {
        struct ptx_var *var = s->vars[i];
        uint64_t offset;

        if (shared_is_dynamic(var)) {
            continue;
        }
        offset = layout_round(shared_start(s, i), var->align);
        if (offset + var->size > PARSE_MAX_BYTES) {
            return layout_fail(error, var->pos, "shared", var->name);
        }
        var->offset = offset;
        if (s->floor != 0) {
            s->floor = offset + var->size;
        } else {
            shared_set_end(s, offset + var->size);
        }
    }
    if (s->floor != 0) {
        shared_set_all_ends(s, s->floor);
    }
    for (uint32_t i = 0; i < s->module->n_funcs; i++) {
        s->module->funcs[i]->static_shared_bytes = s->module->funcs[i]->shared_bytes;
    }
    return true;
}

/* A function starts its dynamic part where all that reach it do; what these reach besides has to
 * agree: a few passes settle what compilers write. Return: whether anything moved. */
static bool shared_place_dynamic(struct shared_layout *s)
{
    bool moved = false;

    for (uint32_t i = 0; i < s->module->n_funcs && s->work <= SHARED_WORK; i++) {
        uint64_t offset;

        if (s->dynamic[i] == 0) {
            continue;
        }
        offset = layout_round(shared_reach_function(s, i), s->dynamic[i]);
        for (uint32_t k = 0; k < s->n_order; k++) {
            uint32_t func = s->order[k];

            moved |= func < s->module->n_funcs && s->module->funcs[func]->shared_bytes != offset;
        }
        shared_set_end(s, offset);
    }
    return moved || s->work > SHARED_WORK;
}

/* One place that is right for all. */
static void shared_place_dynamic_behind_all(struct shared_layout *s)
{
    uint32_t align = SHARED_DYNAMIC_ALIGN;

    for (uint32_t i = 0; i < s->module->n_funcs; i++) {
        align = s->dynamic[i] > align ? s->dynamic[i] : align;
    }
    shared_set_all_ends(s, layout_round(shared_longest(s), align));
}

static void shared_place_all_dynamic(struct shared_layout *s)
{
    bool any = false, moved = true;

    for (size_t i = 0; i < s->n_vars; i++) {
        if (shared_is_dynamic(s->vars[i])) {
            s->vars[i]->size = 0;
            s->vars[i]->offset = 0; /* see ptx_func.shared_bytes */
            any = true;
        }
    }
    for (int pass = 0; any && moved && pass < SHARED_PASSES; pass++) {
        moved = shared_place_dynamic(s);
    }
    if (any && moved) {
        shared_place_dynamic_behind_all(s);
    }
}

bool layout_shared(struct ptx_module *m, struct ptx_error *error)
{
    struct shared_layout s = { .module = m };
    bool ok = true;

    shared_collect(&s);
    if (s.n_vars != 0) {
        s.users = shared_array(s.n_vars, sizeof(*s.users));
        s.callers = shared_array((size_t)m->n_funcs + 1, sizeof(*s.callers));
        s.order = shared_array((size_t)m->n_funcs + 1, sizeof(*s.order));
        s.dynamic = shared_array((size_t)m->n_funcs + 1, sizeof(*s.dynamic));
        s.seen = shared_array((size_t)m->n_funcs + 1, sizeof(*s.seen));
        for (uint32_t i = 0; i < m->n_funcs; i++) {
            shared_function(&s, i);
        }
        shared_relocs(&s);
        ok = shared_place_static(&s, error);
        if (ok) {
            shared_place_all_dynamic(&s);
        }
    }
    free(s.vars);
    free(s.edges);
    free(s.users);
    free(s.callers);
    free(s.order);
    free(s.dynamic);
    free(s.seen);
    return ok;
}
