/* SPDX-License-Identifier: MIT */
/* Products of a sparse A by mma.sp (PTX ISA 9.7.14.6), their data and a kernel for each: shared by
 * the program that asks a real GPU (golden/mma_sp_oracle.c) and the test that compares
 * (test_mma_golden.c). Needs the C library alone.
 *
 * A lane has A, B, C, its metadata and D, one behind the other, at MMA_SP_LANE bytes from the next
 * lane's. */
#ifndef TESTS_MMA_SP_H
#define TESTS_MMA_SP_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MMA_SP_LANES 32u
#define MMA_SP_LANE 128u /* bytes */
#define MMA_SP_SETS 10u

enum mma_sp_kind { MMA_SP_F16, MMA_SP_BF16, MMA_SP_TF32, MMA_SP_INT, MMA_SP_F32, MMA_SP_S32 };

/* @name: behind "mma."; @selectors: of its sparsity selector; @na, @nb, @nc: words of a lane */
struct mma_sp_form {
    const char *name;
    enum mma_sp_kind kind, sum;
    unsigned selectors, na, nb, nc;
};

static const struct mma_sp_form mma_sp_forms[] = {
    { "sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", MMA_SP_F16, MMA_SP_F16, 4, 2, 2, 2 },
    { "sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", MMA_SP_F16, MMA_SP_F32, 4, 2, 2, 4 },
    { "sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", MMA_SP_BF16, MMA_SP_F32, 4, 2, 2, 4 },
    { "sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", MMA_SP_F16, MMA_SP_F16, 2, 4, 4, 2 },
    { "sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", MMA_SP_F16, MMA_SP_F32, 2, 4, 4, 4 },
    { "sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", MMA_SP_BF16,
      MMA_SP_F32, 2, 4, 4, 4 },
    { "sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", MMA_SP_TF32, MMA_SP_F32, 4, 2, 2, 4 },
    { "sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", MMA_SP_TF32, MMA_SP_F32, 2, 4, 4, 4 },
    { "sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", MMA_SP_INT, MMA_SP_S32, 2, 2, 2, 4 },
    { "sp.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", MMA_SP_INT, MMA_SP_S32, 2, 2, 2,
      4 },
    { "sp.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32", MMA_SP_INT, MMA_SP_S32, 1, 4, 4, 4 },
    { "sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32", MMA_SP_INT,
      MMA_SP_S32, 1, 4, 4, 4 },
    { "sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", MMA_SP_INT, MMA_SP_S32, 2, 2, 2, 4 },
    { "sp.sync.aligned.m16n8k64.row.col.satfinite.s32.u4.s4.s32", MMA_SP_INT, MMA_SP_S32, 2, 2, 2,
      4 },
    { "sp.sync.aligned.m16n8k128.row.col.s32.u4.u4.s32", MMA_SP_INT, MMA_SP_S32, 1, 4, 4, 4 },
    { "sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.u4.s32", MMA_SP_INT, MMA_SP_S32,
      1, 4, 4, 4 },
};

#define MMA_SP_FORMS (sizeof(mma_sp_forms) / sizeof(mma_sp_forms[0]))

static inline uint32_t mma_sp_next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 32);
}

static inline uint32_t mma_sp_pick(uint64_t *state, uint32_t n)
{
    return mma_sp_next(state) % n;
}

/* Bits of an f32 of data set @set: 0 integers; 1 one exponent; 2 exponents over 8; 3 over 28;
 * 4 great accumulators; 5 small ones; 6 zeros among great ones; 7 subnormal halves; 8 infinities
 * and NaNs; 9 exponents over 16 */
static inline uint32_t mma_sp_value(uint64_t *s, unsigned set, int is_c)
{
    uint32_t sign = mma_sp_next(s) & 0x80000000u, fraction = mma_sp_next(s) >> 9;
    int e = 0;

    switch (set) {
    case 0: {
        float v = (float)((int)mma_sp_pick(s, 33) - 16);
        uint32_t w;

        memcpy(&w, &v, 4);
        return w;
    }
    case 1:
        break;
    case 2:
        e = (int)mma_sp_pick(s, 8) - 4;
        break;
    case 3:
        e = (int)mma_sp_pick(s, 28) - 14;
        break;
    case 4:
        e = (int)mma_sp_pick(s, 6) + (is_c ? 10 : -8);
        break;
    case 5:
        e = (int)mma_sp_pick(s, 6) - (is_c ? 20 : 0);
        break;
    case 6:
        if (!is_c && mma_sp_pick(s, 2)) {
            return sign;
        }
        e = is_c ? -(int)mma_sp_pick(s, 30) : (int)mma_sp_pick(s, 15);
        break;
    case 7:
        e = is_c ? -14 - (int)mma_sp_pick(s, 8) : -12 + (int)mma_sp_pick(s, 4);
        break;
    case 8:
        if (mma_sp_pick(s, 12) == 0) {
            return mma_sp_pick(s, 3) ? sign | 0x7f800000u : 0x7fc00000u;
        }
        e = (int)mma_sp_pick(s, 8) - 4;
        break;
    default:
        e = (int)mma_sp_pick(s, 16) - 8;
    }
    return sign | (uint32_t)(e + 127) << 23 | fraction;
}

/* f32 to f16, cut */
static inline uint32_t mma_sp_half(uint32_t w)
{
    uint32_t sign = w >> 16 & 0x8000u, fraction = w & 0x7fffffu;
    int e = (int)(w >> 23 & 255) - 127;

    if (e == 128) {
        return fraction ? 0x7e01 : sign | 0x7c00;
    }
    if (e > 15) {
        return sign | 0x7bff;
    }
    if (e < -14) {
        int down = -14 - e + 13;

        return down > 24 ? sign : sign | (fraction | 0x800000u) >> down;
    }
    return sign | (uint32_t)(e + 15) << 10 | fraction >> 13;
}

static inline void mma_sp_fill(uint32_t *w, unsigned n, enum mma_sp_kind kind, unsigned set,
                               int is_c, uint64_t *s)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t low, high;

        switch (kind) {
        case MMA_SP_F16:
            low = mma_sp_half(mma_sp_value(s, set, is_c));
            high = mma_sp_half(mma_sp_value(s, set, is_c));
            w[i] = low | high << 16;
            break;
        case MMA_SP_BF16:
            low = mma_sp_value(s, set, is_c);
            high = mma_sp_value(s, set, is_c);
            w[i] = low >> 16 | (high & 0xffff0000u);
            break;
        case MMA_SP_TF32:
        case MMA_SP_F32:
            w[i] = mma_sp_value(s, set, is_c);
            break;
        case MMA_SP_S32: /* set 1 to 3: near the borders of 32 bits */
            w[i] = set == 1   ? 0x7fffffffu - mma_sp_pick(s, 2000)
                   : set == 2 ? 0x80000000u + mma_sp_pick(s, 2000)
                   : set == 3 ? mma_sp_next(s)
                              : mma_sp_pick(s, 2001) - 1000;
            break;
        default:
            w[i] = set == 4 ? 0x7f7f7f7fu : set == 5 ? 0x80808080u : mma_sp_next(s);
        }
    }
}

/* Eight groups of two that are not zero among four, the lower first; of tf32 one among two */
static inline uint32_t mma_sp_metadata(enum mma_sp_kind kind, uint64_t *s)
{
    static const uint32_t pairs[] = { 0x4, 0x8, 0xc, 0x9, 0xd, 0xe };
    uint32_t word = 0;

    for (unsigned i = 0; i < 8; i++) {
        word |= (kind == MMA_SP_TF32 ? pairs[mma_sp_pick(s, 2) * 5] : pairs[mma_sp_pick(s, 6)])
                << 4 * i;
    }
    return word;
}

/* A, B, C and the metadata of all lanes; D's room is zero. */
static inline void mma_sp_data(unsigned form, unsigned selector, unsigned set, uint8_t *bytes)
{
    const struct mma_sp_form *f = &mma_sp_forms[form];
    uint64_t s = form * 1000 + selector * 100 + set;

    memset(bytes, 0, MMA_SP_LANES * MMA_SP_LANE);
    for (unsigned l = 0; l < MMA_SP_LANES; l++) {
        uint32_t w[17] = { 0 };

        mma_sp_fill(w, f->na, f->kind, set, 0, &s);
        mma_sp_fill(w + f->na, f->nb, f->kind, set, 0, &s);
        mma_sp_fill(w + f->na + f->nb, f->nc, f->sum, set, 1, &s);
        w[f->na + f->nb + f->nc] = mma_sp_metadata(f->kind, &s);
        memcpy(bytes + l * MMA_SP_LANE, w, sizeof(w));
    }
}

/* Byte of D in a lane's data */
static inline unsigned mma_sp_result(unsigned form)
{
    const struct mma_sp_form *f = &mma_sp_forms[form];

    return 4 * (f->na + f->nb + f->nc + 1);
}

static inline char *mma_sp_operand(char *at, char letter, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        at += sprintf(at, "%c%%%c%u", k ? ',' : '{', letter, k);
    }
    return at + sprintf(at, "}");
}

/* The kernel k, @at its one parameter. @ptx: room for 4096 bytes */
static inline void mma_sp_ptx(const char *target, unsigned form, unsigned selector, char *ptx)
{
    const struct mma_sp_form *f = &mma_sp_forms[form];
    const char *type = f->sum == MMA_SP_F32 ? "f32" : "b32";
    unsigned offset = 0;
    char *at = ptx;

    at += sprintf(at,
                  ".version 8.5\n.target %s\n.address_size 64\n"
                  ".visible .entry k(.param .u64 at)\n{\n"
                  ".reg .b32 %%t, %%e;\n.reg .b64 %%p, %%q;\n.reg .b32 %%a<4>, %%b<4>;\n"
                  ".reg .%s %%c<4>, %%d<4>;\n"
                  "ld.param.u64 %%p, [at];\nmov.u32 %%t, %%tid.x;\n"
                  "mul.wide.u32 %%q, %%t, %u;\nadd.u64 %%p, %%p, %%q;\n",
                  target, type, MMA_SP_LANE);
    for (unsigned i = 0; i < 3; i++) {
        unsigned n = i == 0 ? f->na : i == 1 ? f->nb : f->nc;

        for (unsigned k = 0; k < n; k++, offset += 4) {
            at += sprintf(at, "ld.global.%s %%%c%u, [%%p+%u];\n", i < 2 ? "b32" : type, "abc"[i], k,
                          offset);
        }
    }
    at += sprintf(at, "ld.global.b32 %%e, [%%p+%u];\nmma.%s ", offset, f->name);
    at = mma_sp_operand(at, 'd', f->nc);
    at += sprintf(at, ", ");
    at = mma_sp_operand(at, 'a', f->na);
    at += sprintf(at, ", ");
    at = mma_sp_operand(at, 'b', f->nb);
    at += sprintf(at, ", ");
    at = mma_sp_operand(at, 'c', f->nc);
    at += sprintf(at, ", %%e, 0x%x;\n", selector);
    for (unsigned k = 0; k < f->nc; k++) {
        at += sprintf(at, "st.global.%s [%%p+%u], %%d%u;\n", type, mma_sp_result(form) + 4 * k, k);
    }
    sprintf(at, "ret;\n}\n");
}

#endif
