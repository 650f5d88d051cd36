/* SPDX-License-Identifier: MIT */
/* Filling in a call. */
#include <string.h>

#include "runtime/api/library/library.h"

static int64_t type_bytes(uint32_t type)
{
    switch (type) {
    case LIBRARY_R_8I:
    case LIBRARY_R_8U:
        return 1;
    case LIBRARY_R_16F:
    case LIBRARY_R_16BF:
        return 2;
    case LIBRARY_R_64F:
    case LIBRARY_C_32F:
    case LIBRARY_R_64I:
    case LIBRARY_R_64U:
        return 8;
    case LIBRARY_C_64F:
        return 16;
    default:
        return 4;
    }
}

struct library_call library_call_of(uint32_t op, uint32_t compute)
{
    return (
        struct library_call){ .magic = LIBRARY_MAGIC, .op = op, .batches = 1, .mode = { compute } };
}

struct library_operand library_vector(const void *x, int64_t n, int64_t inc, uint32_t type)
{
    int64_t size = type_bytes(type);
    int64_t first = inc < 0 && n > 0 ? (1 - n) * inc : 0;

    if (inc == 1) { /* side by side: whole lines move */
        return library_matrix(x, n, 1, n, type);
    }
    return (struct library_operand){ .va = (uintptr_t)x + (uint64_t)(first * size),
                                     .pitch = inc * size,
                                     .columns = 1,
                                     .rows = n > 0 ? (uint64_t)n : 0,
                                     .type = type };
}

struct library_operand library_matrix(const void *a, int64_t rows, int64_t columns, int64_t ld,
                                      uint32_t type)
{
    return (struct library_operand){ .va = (uintptr_t)a,
                                     .pitch = ld * type_bytes(type),
                                     .columns = rows > 0 ? (uint64_t)rows : 0,
                                     .rows = columns > 0 ? (uint64_t)columns : 0,
                                     .type = type };
}

static double value_of(const void *value, uint32_t type, unsigned part)
{
    switch (type) {
    case LIBRARY_R_32F:
        return part ? 0 : *(const float *)value;
    case LIBRARY_R_64F:
        return part ? 0 : *(const double *)value;
    case LIBRARY_C_32F:
        return ((const float *)value)[part];
    case LIBRARY_C_64F:
        return ((const double *)value)[part];
    case LIBRARY_R_32I:
        return part ? 0 : *(const int32_t *)value;
    default:
        return 0;
    }
}

/* A half of the host: its bits as a number */
static double half_of(const void *value)
{
    uint16_t h;
    uint32_t bits;
    float f;

    memcpy(&h, value, sizeof(h));
    if ((h & 0x7c00u) == 0) {
        return (h & 0x8000u ? -1.0 : 1.0) * (h & 0x3ffu) * 0x1p-24;
    }
    bits = (uint32_t)(h & 0x8000u) << 16 | (uint32_t)(h & 0x7fffu) << 13;
    bits += (h & 0x7c00u) == 0x7c00u ? 0x70000000u : 0x38000000u;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static double bfloat_of(const void *value)
{
    uint16_t b;
    uint32_t bits;
    float f;

    memcpy(&b, value, sizeof(b));
    bits = (uint32_t)b << 16;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

void library_scalar_set(struct library_scalar *s, const void *value, uint32_t type, bool device)
{
    s->type = type;
    if (device) {
        s->va = (uintptr_t)value;
        return;
    }
    s->value[0] = type == LIBRARY_R_16F    ? half_of(value)
                  : type == LIBRARY_R_16BF ? bfloat_of(value)
                                           : value_of(value, type, 0);
    s->value[1] = value_of(value, type, 1);
}
