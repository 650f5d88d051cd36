/* SPDX-License-Identifier: MIT */
/* The registers of masks and indices, as the kernel has saved them in a signal's frame: the
 * standard form of XSAVE (Intel SDM volume 1, 13.4). */
#include "runtime/observe/carry_internal.h"

#ifdef __x86_64__

#include <cpuid.h>

enum { PART_SSE = 1, PART_AVX, PART_MASKS = 5, PART_HIGH_HALVES, PART_HIGH_16, PARTS };
#define SSE_AT 160u
#define HEADER_AT 512u
#define VECTOR_BYTES 64u

static unsigned part_at[PARTS]; /* 0: there is none */

void carry_lanes_open(void)
{
    part_at[PART_SSE] = SSE_AT;
    for (unsigned part = PART_AVX; part < PARTS; part++) {
        unsigned size = 0, at = 0, c, d;

        part_at[part] = __get_cpuid_count(0xd, part, &size, &at, &c, &d) && size ? at : 0;
    }
}

/* The state of the program's vector registers. NULL: it is not all there. */
static const uint8_t *lanes_state(const ucontext_t *context, uint64_t *saved)
{
    const struct _libc_fpstate *fp = context->uc_mcontext.fpregs;

    if (!fp || !carry_state_parts(fp)) {
        return NULL;
    }
    memcpy(saved, (const char *)fp + HEADER_AT, sizeof(*saved));
    *saved &= carry_state_parts(fp);
    return (const uint8_t *)fp;
}

/* Some bytes of a part: zeroes, where it is in its first state. */
static uint64_t part_bytes(const uint8_t *state, uint64_t saved, unsigned part, size_t at,
                           unsigned n)
{
    uint64_t value = 0;

    if (saved & UINT64_C(1) << part && part_at[part]) {
        memcpy(&value, state + part_at[part] + at, n);
    }
    return value;
}

/* @n bytes at @at of a vector register: its quarter, half and whole lie in parts of their own. */
static uint64_t vector_bytes(const uint8_t *state, uint64_t saved, unsigned reg, unsigned at,
                             unsigned n)
{
    if (reg >= 16) {
        return part_bytes(state, saved, PART_HIGH_16, (reg - 16) * VECTOR_BYTES + at, n);
    }
    if (at < 16) {
        return part_bytes(state, saved, PART_SSE, reg * 16 + at, n);
    }
    if (at < 32) {
        return part_bytes(state, saved, PART_AVX, reg * 16 + at - 16, n);
    }
    return part_bytes(state, saved, PART_HIGH_HALVES, reg * 32 + at - 32, n);
}

static bool lane_passes(const struct carry_lanes *l, const uint8_t *state, uint64_t saved,
                        unsigned lane)
{
    if (l->by_sign) {
        return vector_bytes(state, saved, l->mask, lane * l->bytes + l->bytes - 1, 1) & 0x80;
    }
    return part_bytes(state, saved, PART_MASKS, l->mask * 8u, 8) >> lane & 1;
}

/* Where a lane's bytes lie, behind the operand's place. */
static uint64_t lane_offset(const struct carry_lanes *l, const uint8_t *state, uint64_t saved,
                            unsigned lane)
{
    uint64_t index;

    if (!l->index_bytes) {
        return (uint64_t)lane * l->bytes;
    }
    index = vector_bytes(state, saved, l->index, lane * l->index_bytes, l->index_bytes);
    return (l->index_bytes == 4 ? (uint64_t)(int32_t)index : index) * l->scale;
}

unsigned carry_pieces(const struct carry *c, const ucontext_t *context,
                      struct carry_piece piece[CARRY_PIECES])
{
    const struct carry_lanes *l = &c->lanes;
    uint64_t saved = 0;
    const uint8_t *state = l->n ? lanes_state(context, &saved) : NULL;
    unsigned n = 0, passed = 0;

    for (unsigned lane = 0; state && lane < l->n; lane++) {
        uint64_t at;

        if (!lane_passes(l, state, saved, lane)) {
            continue;
        }
        at = c->at + (l->packed ? (uint64_t)passed * l->bytes : lane_offset(l, state, saved, lane));
        passed++;
        if (n && piece[n - 1].at + piece[n - 1].len == at) {
            piece[n - 1].len += l->bytes;
        } else {
            piece[n++] = (struct carry_piece){ at, l->bytes };
        }
    }
    return n;
}

#else

void carry_lanes_open(void)
{
}

unsigned carry_pieces(const struct carry *c, const ucontext_t *context,
                      struct carry_piece piece[CARRY_PIECES])
{
    (void)c;
    (void)context;
    (void)piece;
    return 0;
}

#endif
