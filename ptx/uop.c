/* SPDX-License-Identifier: MIT */
/* What a micro-op names: its operands and spellings, intrinsics, addresses of functions. */
#include "ptx/decode.h"
#include <string.h>

static const struct {
    const char *name, *operands, *spellings;
} uops[PTX_UOP_COUNT] = {
#define PTX_UOP(name, operands, spellings) { #name, operands, spellings },
#include "ptx/uop.def"
#undef PTX_UOP
};

static const char *const intrinsics[] = {
#define PTX_INTRINSIC(name, ret, args) #name,
#include "ptx/intrinsic.def"
#undef PTX_INTRINSIC
};

const char *ptx_uop_name(enum ptx_uop_op op)
{
    return uops[op].name;
}

const char *ptx_uop_operands(enum ptx_uop_op op)
{
    return uops[op].operands;
}

const char *ptx_uop_spellings(enum ptx_uop_op op)
{
    return uops[op].spellings;
}

enum ptx_intrinsic ptx_intrinsic_find(const char *name)
{
    unsigned i = 0;

    while (i < PTX_INTRINSIC_COUNT && strcmp(name, intrinsics[i]) != 0) {
        i++;
    }
    return (enum ptx_intrinsic)i;
}

#define FUNC_ADDRESS_BASE 0x1000u
#define FUNC_ADDRESS_STEP 16u

uint64_t ptx_func_address(const struct ptx_func *f)
{
    return FUNC_ADDRESS_BASE + (uint64_t)f->index * FUNC_ADDRESS_STEP;
}

const struct ptx_func *ptx_func_at(const struct ptx_module *m, uint64_t address)
{
    uint64_t index = (address - FUNC_ADDRESS_BASE) / FUNC_ADDRESS_STEP;

    if (address < FUNC_ADDRESS_BASE || address % FUNC_ADDRESS_STEP || index >= m->n_funcs) {
        return NULL;
    }
    return m->funcs[index];
}
