/* SPDX-License-Identifier: MIT */
#include "model/dla/lut.h"

#include "model/dla/fp.h"

#include <math.h>
#include <string.h>

enum { HIT, UNDER, OVER };

/* Where a number falls in a table: an entry and a fraction towards the next. */
struct dla_lut_place {
    int state;
    unsigned index;
    uint64_t fraction; /* of 2^frac_bits */
};

static unsigned dla_lut_last(unsigned table)
{
    return table == 0 ? DLA_LUT_LE - 1 : DLA_LUT_LO - 1;
}

static const int16_t *dla_lut_entries(const struct dla_lut *lut, unsigned table)
{
    return table == 0 ? lut->le : lut->lo;
}

/* Which of the two tables answers ("Hit/Miss behavior"), and the counter for it. */
static unsigned dla_lut_choose(const struct dla_lut *lut, const struct dla_lut_place *p,
                               struct dla_stats *stats)
{
    if (p[0].state == UNDER && p[1].state == UNDER) {
        stats->lut_uflow++;
        return lut->uflow_lo;
    }
    if (p[0].state == OVER && p[1].state == OVER) {
        stats->lut_oflow++;
        return lut->oflow_lo;
    }
    if ((p[0].state == HIT) == (p[1].state == HIT)) {
        stats->lut_hybrid++;
        return lut->hybrid_lo;
    }
    if (p[0].state == HIT) {
        stats->lut_le_hit++;
        return 0;
    }
    stats->lut_lo_hit++;
    return 1;
}

/* v * 2^shift as an unsigned fraction: bits that fall out on the right are dropped. */
static uint64_t dla_scale(uint64_t v, int shift)
{
    return shift >= 0 ? v << shift : shift > -64 ? v >> -shift : 0;
}

/* d > 0: the number above the start of the table. */
static struct dla_lut_place dla_lut_exponential(const struct dla_lut *lut, uint64_t d,
                                                unsigned frac)
{
    int log = 63 - __builtin_clzll(d);
    int index = log - lut->index_offset;

    if (index < 0) {
        return (struct dla_lut_place){ .state = UNDER };
    }
    if (index >= (int)dla_lut_last(0)) {
        return (struct dla_lut_place){ .state = OVER };
    }
    return (struct dla_lut_place){ HIT, (unsigned)index,
                                   dla_scale(d ^ UINT64_C(1) << log, (int)frac - log) };
}

static struct dla_lut_place dla_lut_linear(const struct dla_lut *lut, unsigned table, uint64_t d,
                                           unsigned frac)
{
    int select = lut->select[table];
    uint64_t index, last = dla_lut_last(table), rest = 0;

    if (select >= 64) {
        index = 0;
    } else if (select >= 0) {
        index = d >> select;
        rest = d & ((UINT64_C(1) << select) - 1);
    } else {
        index = select <= -12 || d > last ? last : d << -select;
    }
    if (select >= 64) {
        rest = d;
    }
    if (index >= last) {
        return (struct dla_lut_place){ .state = OVER };
    }
    return (struct dla_lut_place){ HIT, (unsigned)index, dla_scale(rest, (int)frac - select) };
}

static struct dla_lut_place dla_lut_place(const struct dla_lut *lut, unsigned table, int64_t x,
                                          unsigned frac)
{
    dla_wide d = (dla_wide)x - lut->start[table];

    /* At the start itself it is an underflow: the hardware compares with <=. */
    if (d <= 0) {
        return (struct dla_lut_place){ .state = UNDER };
    }
    return table == 0 && lut->exponential ? dla_lut_exponential(lut, (uint64_t)d, frac)
                                          : dla_lut_linear(lut, table, (uint64_t)d, frac);
}

/* LUT[0] + (x - start) * scale >> shift below, LUT[last] + (x - end) * scale >> shift above. An
 * exponential table starts at 2^index_offset above its start. */
static int32_t dla_lut_outside(const struct dla_lut *lut, unsigned table, bool under, int64_t x,
                               unsigned bits)
{
    const int16_t *entry = dla_lut_entries(lut, table);
    dla_wide d = (dla_wide)x - (under ? lut->start[table] : lut->end[table]);
    int16_t scale = under ? lut->uflow_scale[table] : lut->oflow_scale[table];
    int8_t shift = under ? lut->uflow_shift[table] : lut->oflow_shift[table];

    if (under && table == 0 && lut->exponential && lut->index_offset >= 0) {
        /* Beyond 62 the pipeline's numbers end anyway. */
        d -= (dla_wide)1 << (lut->index_offset < 62 ? lut->index_offset : 62);
    }
    /* The SDP saturates the product to 32 bits first, the CDP keeps 56. */
    return (int32_t)dla_sat(entry[under ? 0 : dla_lut_last(table)] +
                                dla_shr_signed(d * scale, shift, bits == 32 ? 32 : 56),
                            bits);
}

int32_t dla_lut_int(const struct dla_lut *lut, int64_t x, unsigned frac_bits, unsigned bits,
                    struct dla_stats *stats)
{
    struct dla_lut_place p[2] = { dla_lut_place(lut, 0, x, frac_bits),
                                  dla_lut_place(lut, 1, x, frac_bits) };
    unsigned table = dla_lut_choose(lut, p, stats);
    const int16_t *entry = dla_lut_entries(lut, table) + p[table].index;

    if (p[table].state != HIT) {
        return dla_lut_outside(lut, table, p[table].state == UNDER, x, bits);
    }
    return (int32_t)dla_shr(entry[0] * ((dla_wide)1 << frac_bits) +
                                (dla_wide)(entry[1] - entry[0]) * p[table].fraction,
                            frac_bits, bits);
}

static struct dla_lut_place dla_lut_place_fp(const struct dla_lut *lut, unsigned table, uint32_t x,
                                             unsigned frac)
{
    uint32_t d = fp32_sub(x, (uint32_t)lut->start[table]);
    double v, whole;

    if (fp32_is_nan(d) || d >> 31 || (d & 0x7fffffff) == 0) {
        return (struct dla_lut_place){ .state = UNDER };
    }
    if (table == 0 && lut->exponential) {
        int index = (int)(d >> 23) - 127 - lut->index_offset;

        if (index < 0) {
            return (struct dla_lut_place){ .state = UNDER };
        }
        return index >= (int)dla_lut_last(0)
                   ? (struct dla_lut_place){ .state = OVER }
                   : (struct dla_lut_place){ HIT, (unsigned)index,
                                             dla_scale(d & 0x7fffff, (int)frac - 23) };
    }
    v = ldexp(fp32_to_double(d), -lut->select[table]);
    if (v >= dla_lut_last(table)) {
        return (struct dla_lut_place){ .state = OVER };
    }
    whole = floor(v);
    return (struct dla_lut_place){ HIT, (unsigned)whole, (uint64_t)ldexp(v - whole, (int)frac) };
}

static uint32_t dla_lut_outside_fp(const struct dla_lut *lut, unsigned table, bool under,
                                   uint32_t x)
{
    uint32_t base = (uint32_t)(under ? lut->start[table] : lut->end[table]), from, d;
    uint32_t scale = (uint16_t)(under ? lut->uflow_scale[table] : lut->oflow_scale[table]);
    uint32_t entry = (uint16_t)dla_lut_entries(lut, table)[under ? 0 : dla_lut_last(table)];

    from = base;
    if (under && table == 0 && lut->exponential && lut->index_offset > -127) {
        from = fp32_add(base, (uint32_t)(lut->index_offset + 127) << 23);
    }
    d = fp32_to_fp17(fp32_sub(x, from));
    return fp17_add(fp17_mul(d, fp16_to_fp17(scale)), fp16_to_fp17(entry));
}

static uint32_t dla_lut_between_fp(const int16_t *entry, uint64_t fraction, bool cdp)
{
    uint32_t y0 = (uint16_t)entry[0], y1 = (uint16_t)entry[1];
    uint32_t low = fp16_to_fp17(y0), high = fp16_to_fp17(y1), part;

    if (cdp) {
        part = fp32_to_fp17(fp32_sub(fp16_to_fp32(y1), fp16_to_fp32(y0)));
        return fp17_add(fp17_mul(part, fp17_from_fraction(fraction, 16)), low);
    }
    part = fraction ? fp17_from_fraction((UINT64_C(1) << 35) - fraction, 35) : FP17_ONE;
    return fp17_add(fp17_mul(part, low), fp17_mul(fp17_from_fraction(fraction, 35), high));
}

uint32_t dla_lut_fp(const struct dla_lut *lut, uint32_t x, bool cdp, struct dla_stats *stats)
{
    unsigned frac = cdp ? 16 : 35;
    struct dla_lut_place p[2] = { dla_lut_place_fp(lut, 0, x, frac),
                                  dla_lut_place_fp(lut, 1, x, frac) };
    unsigned table = dla_lut_choose(lut, p, stats);

    if (p[table].state != HIT) {
        return dla_lut_outside_fp(lut, table, p[table].state == UNDER, x);
    }
    return dla_lut_between_fp(dla_lut_entries(lut, table) + p[table].index, p[table].fraction, cdp);
}
