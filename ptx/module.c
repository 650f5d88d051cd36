/* SPDX-License-Identifier: MIT */
/* A finished module: its names by hash, its end. */
#include <string.h>

#include "ptx/parse.h"

/* Twice as many slots as names, at least two. */
static unsigned module_bits(uint32_t names)
{
    unsigned bits = 1;

    while (bits < 31 && UINT32_C(1) << bits < names * UINT64_C(2)) {
        bits++;
    }
    return bits;
}

static uint32_t module_slot(const char *name, unsigned bits)
{
    return ptx_hash_slot(ptx_hash(0, name, strlen(name)), bits);
}

static const char *module_func_name(const struct ptx_module *m, uint32_t index)
{
    return m->funcs[index]->name;
}

static const char *module_var_name(const struct ptx_module *m, uint32_t index)
{
    return m->vars[index]->name;
}

/* Open addressing; a slot holds an index + 1. The first of equal names is found first. */
static uint32_t *module_index(const struct ptx_module *m, uint32_t n,
                              const char *(*name)(const struct ptx_module *, uint32_t))
{
    unsigned bits = module_bits(n);
    uint32_t *slots = ptx_arena_alloc(m->arena, sizeof(*slots) << bits);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = module_slot(name(m, i), bits);

        while (slots[at] != 0) {
            at = (at + 1) & ((UINT32_C(1) << bits) - 1);
        }
        slots[at] = i + 1;
    }
    return slots;
}

static int64_t module_find(const struct ptx_module *m, const uint32_t *slots, uint32_t n,
                           const char *(*name_of)(const struct ptx_module *, uint32_t),
                           const char *name)
{
    unsigned bits = module_bits(n);
    uint32_t at = module_slot(name, bits);

    for (; slots[at] != 0; at = (at + 1) & ((UINT32_C(1) << bits) - 1)) {
        if (strcmp(name_of(m, slots[at] - 1), name) == 0) {
            return slots[at] - 1;
        }
    }
    return -1;
}

void ptx_module_index(struct ptx_module *m)
{
    m->func_slots = module_index(m, m->n_funcs, module_func_name);
    m->var_slots = module_index(m, m->n_vars, module_var_name);
}

const struct ptx_func *ptx_func_find(const struct ptx_module *m, const char *name)
{
    int64_t index = module_find(m, m->func_slots, m->n_funcs, module_func_name, name);

    return index < 0 ? NULL : m->funcs[index];
}

const struct ptx_var *ptx_var_find(const struct ptx_module *m, const char *name)
{
    int64_t index = module_find(m, m->var_slots, m->n_vars, module_var_name, name);

    return index < 0 ? NULL : m->vars[index];
}

void ptx_module_free(struct ptx_module *m)
{
    if (m != NULL) {
        ptx_arena_free(m->arena);
    }
}
