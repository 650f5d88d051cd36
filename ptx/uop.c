/* SPDX-License-Identifier: MIT */
/* What a micro-op names: its operands and spellings, intrinsics, addresses of functions,
 * units of an SM. */
#include "ptx/decode.h"
#include <glib.h>
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

/* --- units of an SM
 * -------------------------------------------------------------------------------
 *
 * Which instructions need a unit of which an SM has fewer than cores (CUDA C++ Programming Guide,
 * Arithmetic Instructions: double precision, special functions, tensor cores).
 *
 * Divisions and square roots that are rounded as IEEE 754 asks are sequences in machine code: their
 * lengths are inferred, and so are those of conversions, which count as one instruction of the type
 * that is 64 bits wide. */

#define DIV_F64 10u /* multiply-adds of the iterations of Newton */
#define RCP_F64 8u

static bool uop_between(unsigned op, unsigned first, unsigned last)
{
    return op >= first && op <= last;
}

/* Inferred: half the rate of 16 bits for tf32, twice for 8, and so on, as NVIDIA's peaks have it.
 */
static uint32_t uop_tensor(const struct ptx_uop *u)
{
    uint64_t fmas = (uint64_t)PTX_MATRIX_M(u->imm) * PTX_MATRIX_N(u->imm) * PTX_MATRIX_K(u->imm);
    unsigned bits = ptx_elem_bits((enum ptx_elem)u->size);

    return (uint32_t)(fmas * bits / 16 / PTX_ISSUE_FMAS);
}

static bool uop_is_fp64(const struct ptx_uop *u)
{
    switch (u->op) {
    case PTX_UOP_MIN_F64:
    case PTX_UOP_MAX_F64:
    case PTX_UOP_CVT_F64_F32:
    case PTX_UOP_CVT_RN_F32_F64:
    case PTX_UOP_CVT_F64_S32:
    case PTX_UOP_CVT_F64_U32:
        return true;
    case PTX_UOP_CVT_WL:
    case PTX_UOP_CVT_LW:
    case PTX_UOP_CVT_LL:
        return u->size == PTX_F64 || u->vec == PTX_F64;
    default:
        return uop_between(u->op, PTX_UOP_ADD_F64, PTX_UOP_FMA_F64_X) ||
               uop_between(u->op, PTX_UOP_SETP_EQ_F64, PTX_UOP_SETP_NAN_F64);
    }
}

static bool uop_is_sfu(const struct ptx_uop *u)
{
    switch (u->op) {
    case PTX_UOP_DIV_F64_X:
    case PTX_UOP_RCP_F64_X:
    case PTX_UOP_SQRT_F64_X:
        return false;
    case PTX_UOP_EX2_HALF:
    case PTX_UOP_TANH_HALF:
        return true;
    default:
        return uop_between(u->op, PTX_UOP_DIV_F32_X, PTX_UOP_TANH_APPROX_F32) ||
               uop_between(u->op, PTX_UOP_POPC_B32, PTX_UOP_BFIND_SHIFT_S64) ||
               uop_between(u->op, PTX_UOP_BREV_B32, PTX_UOP_BREV_B64);
    }
}

static void uop_add(const struct ptx_uop *u, struct ptx_issue *s)
{
    switch (u->op) {
    case PTX_UOP_DIV_F64_X:
    case PTX_UOP_SQRT_F64_X:
        s->n[PTX_ISSUE_FP64] += DIV_F64;
        break;
    case PTX_UOP_RCP_F64_X:
        s->n[PTX_ISSUE_FP64] += RCP_F64;
        break;
    case PTX_UOP_MATRIX_MMA:
        if (u->size == PTX_ELEM_F64) { /* each thread has its part of the multiply-adds */
            s->n[PTX_ISSUE_FP64] += PTX_MATRIX_M(u->imm) * PTX_MATRIX_N(u->imm) *
                                    PTX_MATRIX_K(u->imm) / PTX_ISSUE_LANES;
        } else {
            s->n[PTX_ISSUE_TENSOR] += uop_tensor(u);
        }
        break;
    default:
        s->n[PTX_ISSUE_FP64] += uop_is_fp64(u);
        s->n[PTX_ISSUE_SFU] += uop_is_sfu(u);
    }
}

struct ptx_issue *ptx_issue_sums(const struct ptx_code *code)
{
    uint32_t n = code->func->n_inst;
    struct ptx_issue *sums = g_new0(struct ptx_issue, (gsize)n + 1), *last = &sums[n];
    bool none = true;

    for (uint32_t i = 0; i < code->n_uops; i++) {
        if (code->uop[i].inst < n) {
            uop_add(&code->uop[i], &sums[code->uop[i].inst + 1]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (unsigned c = 0; c < PTX_ISSUE_CLASSES; c++) {
            sums[i + 1].n[c] += sums[i].n[c];
        }
    }
    for (unsigned c = 0; c < PTX_ISSUE_CLASSES; c++) {
        none = none && !last->n[c];
    }
    if (none) {
        g_clear_pointer(&sums, g_free);
    }
    return sums;
}
