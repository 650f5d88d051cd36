/* SPDX-License-Identifier: MIT */
/* Which memory a micro-op accesses, and how. Private to warp_race.c. */
#ifndef MODEL_IGPU_RACE_ACCESS_H
#define MODEL_IGPU_RACE_ACCESS_H

#include "model/igpu/race/race_priv.h"

/**
 * struct access - what a micro-op does
 * @bytes: a lane; @address: slot of addresses; @stores: its registers are what is stored
 * @matrix: all lanes together access rows of a matrix
 */
struct access {
    uint32_t bytes, address, kind;
    bool shared, generic, stores, matrix;
};

/* @space: where its address is; 0: it is no access to memory that threads share */
enum space { NO_ACCESS, GLOBAL, SHARED, GENERIC };

static const struct shape {
    uint8_t space, kind;
    bool stores, matrix;
} shapes[PTX_UOP_COUNT] = {
    [PTX_UOP_LD_GENERIC] = { GENERIC, 0, false, false },
    [PTX_UOP_LD_SHARED] = { SHARED, 0, false, false },
    [PTX_UOP_LD_SHARED_32] = { SHARED, 0, false, false },
    [PTX_UOP_LD_GLOBAL] = { GLOBAL, 0, false, false },
    [PTX_UOP_LD_GLOBAL_32] = { GLOBAL, 0, false, false },
    [PTX_UOP_LD_GLOBAL_64] = { GLOBAL, 0, false, false },
    [PTX_UOP_ST_GENERIC] = { GENERIC, SHADOW_WRITE, true, false },
    [PTX_UOP_ST_SHARED] = { SHARED, SHADOW_WRITE, true, false },
    [PTX_UOP_ST_SHARED_32] = { SHARED, SHADOW_WRITE, true, false },
    [PTX_UOP_ST_GLOBAL] = { GLOBAL, SHADOW_WRITE, true, false },
    [PTX_UOP_ST_GLOBAL_32] = { GLOBAL, SHADOW_WRITE, true, false },
    [PTX_UOP_ATOM_GENERIC] = { GENERIC, SHADOW_WRITE | SHADOW_ATOMIC, false, false },
    [PTX_UOP_ATOM_SHARED] = { SHARED, SHADOW_WRITE | SHADOW_ATOMIC, false, false },
    [PTX_UOP_ATOM_GLOBAL] = { GLOBAL, SHADOW_WRITE | SHADOW_ATOMIC, false, false },
    [PTX_UOP_CP_ASYNC] = { SHARED, SHADOW_WRITE | SHADOW_ASYNC, false, false },
    [PTX_UOP_MATRIX_LOAD] = { GENERIC, 0, false, true },
    [PTX_UOP_LDMATRIX] = { GENERIC, 0, false, true },
    [PTX_UOP_MATRIX_STORE] = { GENERIC, SHADOW_WRITE, false, true },
    [PTX_UOP_STMATRIX] = { GENERIC, SHADOW_WRITE, false, true },
};

/* Return: false: no access to memory that threads share */
static inline bool access_of(const struct ptx_uop *u, enum ptx_uop_op op, struct access *a)
{
    const struct shape *s = &shapes[op];

    a->bytes = s->kind & (SHADOW_ATOMIC | SHADOW_ASYNC) ? u->size : (uint32_t)u->vec * u->size;
    a->address = s->kind & SHADOW_ASYNC ? u->d : u->a;
    a->kind = s->kind;
    a->shared = s->space == SHARED;
    a->generic = s->space == GENERIC;
    a->stores = s->stores;
    a->matrix = s->matrix;
    return s->space != NO_ACCESS;
}

#endif
