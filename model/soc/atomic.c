/* SPDX-License-Identifier: MIT */
/* What an atomic does to a value. The L2 and the SM have adders of their own, which differ in one
 * thing that programs notice: the L2's single-precision adder takes subnormal numbers, given or
 * made, for zeros of their sign (PTX ISA 9.7.13.5, atom; measured: tests/golden, ptx_forms). */
#include <string.h>

#include "model/soc/soc_internal.h"

static uint32_t flush_f32(uint32_t v)
{
    return v & 0x7f800000 ? v : v & 0x80000000;
}

static uint32_t add_f32(uint32_t x, uint32_t y, bool flush)
{
    float a, b;

    x = flush ? flush_f32(x) : x;
    y = flush ? flush_f32(y) : y;
    memcpy(&a, &x, 4);
    memcpy(&b, &y, 4);
    a += b;
    memcpy(&x, &a, 4);
    return a != a ? 0x7fffffff : flush ? flush_f32(x) : x;
}

/* A NaN operand is the result: of two the L2 takes the second as it is, the SM the first made quiet
 * (measured, as above). */
static uint64_t add_f64(uint64_t x, uint64_t y, enum bus_atomic_place place)
{
    double a, b, sum;

    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    if (place == BUS_ATOMIC_AT_SM && (a != a || b != b)) {
        return (a != a ? x : y) | UINT64_C(1) << 51;
    }
    if (a != a || b != b) {
        return b != b ? y : x;
    }
    sum = a + b;
    memcpy(&x, &sum, 8);
    return sum != sum ? UINT64_C(0xfff8000000000000) : x;
}

__extension__ typedef _Float16 f16;

static uint16_t add_f16(uint16_t x, uint16_t y)
{
    f16 a, b;

    memcpy(&a, &x, 2);
    memcpy(&b, &y, 2);
    a += b;
    memcpy(&x, &a, 2);
    return a != a ? 0x7fff : x;
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
    unsigned up = 64 - 8 * size;

    return (int64_t)(v << up) >> up;
}

uint64_t bus_atomic_apply(enum bus_atomic_op op, enum bus_atomic_place place, unsigned size,
                          uint64_t old, uint64_t operand, uint64_t compare)
{
    uint64_t keep = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
    bool less = sign_extend(operand, size) < sign_extend(old, size);

    switch (op) {
    case BUS_ATOMIC_ADD:
        return (old + operand) & keep;
    case BUS_ATOMIC_MIN_S:
        return less ? operand : old;
    case BUS_ATOMIC_MAX_S:
        return less ? old : operand;
    case BUS_ATOMIC_MIN_U:
        return operand < old ? operand : old;
    case BUS_ATOMIC_MAX_U:
        return operand > old ? operand : old;
    case BUS_ATOMIC_INC:
        return old >= operand ? 0 : old + 1;
    case BUS_ATOMIC_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    case BUS_ATOMIC_AND:
        return old & operand;
    case BUS_ATOMIC_OR:
        return old | operand;
    case BUS_ATOMIC_XOR:
        return old ^ operand;
    case BUS_ATOMIC_EXCH:
        return operand;
    case BUS_ATOMIC_CAS:
        return old == compare ? operand : old;
    case BUS_ATOMIC_ADD_F32:
        return add_f32((uint32_t)old, (uint32_t)operand, place == BUS_ATOMIC_AT_L2);
    case BUS_ATOMIC_ADD_F64:
        return add_f64(old, operand, place);
    case BUS_ATOMIC_ADD_F16:
        return add_f16((uint16_t)old, (uint16_t)operand);
    case BUS_ATOMIC_ADD_F16X2:
        return add_f16((uint16_t)old, (uint16_t)operand) |
               (uint64_t)add_f16((uint16_t)(old >> 16), (uint16_t)(operand >> 16)) << 16;
    }
    return old;
}

void soc_atomic_in_l2(uint8_t *at, enum bus_atomic_op op, unsigned size, uint64_t operand,
                      uint64_t compare, uint64_t *old)
{
    uint32_t word;
    uint64_t value;

    if (size == 4) { /* nearly always: a copy of known length is no call */
        memcpy(&word, at, 4);
        *old = word;
        word = (uint32_t)bus_atomic_apply(op, BUS_ATOMIC_AT_L2, 4, *old, operand, compare);
        memcpy(at, &word, 4);
        return;
    }
    *old = 0;
    memcpy(old, at, size);
    value = bus_atomic_apply(op, BUS_ATOMIC_AT_L2, size, *old, operand, compare);
    memcpy(at, &value, size);
}
