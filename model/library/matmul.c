/* SPDX-License-Identifier: MIT */
/* cuBLASLt: D = f(alpha op(A) op(B) + beta C + bias). The product is gemm.c's, without a factor;
 * what follows is computed in the type of the sums, a step at a time, as a kernel's epilogue does
 * it.
 */
#include <glib.h>

#include "model/library/number.h"

static const char wrong_size[] = "library call: a matrix of another size";

static bool matrix_has(const struct library_operand *o, int64_t m, int64_t n, bool optional)
{
    uint64_t want, count = library_operand_count(o);

    return m >= 0 && n >= 0 && !__builtin_mul_overflow((uint64_t)m, (uint64_t)n, &want) &&
           (count == want || (optional && count == 0)) && o->type != LIBRARY_R_64I &&
           o->type != LIBRARY_R_64U && !(o->flags & (LIBRARY_UPPER | LIBRARY_LOWER));
}

static bool operand_asked(const struct library_call *c, unsigned o)
{
    return library_operand_count(&c->operand[o]) != 0;
}

/* Of ReLU it has a bit an element, eight rows a byte; of GELU its argument. */
static bool aux_has(const struct library_call *c, unsigned o)
{
    bool bits = c->n[3] & (LIBRARY_RELU | LIBRARY_RELU_BACKWARD);
    int64_t rows = bits ? (c->n[0] + 7) / 8 : c->n[0];

    return matrix_has(&c->operand[o], rows, c->n[1], true) &&
           (!operand_asked(c, o) || (c->operand[o].type == LIBRARY_R_8U) == bits);
}

const char *library_matmul_check(const struct library_call *c)
{
    const struct library_operand *o = c->operand;
    bool is_complex = library_type_complex(o[3].type);

    if (c->n[0] > INT32_MAX || c->n[1] > INT32_MAX || c->n[2] > INT32_MAX ||
        !matrix_has(&o[0], c->n[0], c->n[2], false) ||
        !matrix_has(&o[1], c->n[2], c->n[1], false) ||
        !matrix_has(&o[2], c->n[0], c->n[1], false) ||
        !matrix_has(&o[3], c->n[0], c->n[1], false) || !matrix_has(&o[4], c->n[0], 1, true) ||
        !aux_has(c, 5) || !aux_has(c, 6) ||
        !matrix_has(&o[7], c->n[3] & LIBRARY_GRADIENT_B ? c->n[1] : c->n[0], 1, true)) {
        return wrong_size;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (library_type_complex(o[i].type) != is_complex) {
            return "library call: a product of these types";
        }
    }
    return operand_asked(c, 5) || !(c->n[3] & (LIBRARY_RELU_BACKWARD | LIBRARY_GELU_BACKWARD))
               ? NULL
               : wrong_size;
}

/* e^x: x = k ln 2 + r, and the series of e^r. The C library's differ in the last bit. */
static double power_of_e(double x)
{
    double k = __builtin_rint(x * 1.4426950408889634), r, sum = 1;

    if (!(x > -700 && x < 700)) {
        return x != x ? x : x > 0 ? INFINITY : 0;
    }
    r = fma(-k, 1.9082149292705877e-10, fma(-k, 0.6931471803691238, x));
    for (unsigned i = 14; i > 0; i--) {
        sum = fma(sum, r / i, 1);
    }
    return ldexp(sum, (int)k);
}

static double tanh_of(double x)
{
    double e = power_of_e(-2 * fabs(x));

    return copysign((1 - e) / (1 + e), x);
}

/* sqrt(2 / pi) of the approximation by tanh, with the digits that NVIDIA's has: its results in
 * double precision say so (tests/golden/cublasLt_13.1.txt) */
#define GELU_SCALE 0.79788456
#define GELU_CUBE 0.044715
#define GELU_SLOPE_SQUARE 0.1070322243 /* 3 GELU_SCALE GELU_CUBE, so too */

static double gelu_value(double x)
{
    return 0.5 * x * (1 + tanh_of(GELU_SCALE * fma(GELU_CUBE * x * x, x, x)));
}

static double gelu_slope(double x)
{
    double t = tanh_of(GELU_SCALE * fma(GELU_CUBE * x * x, x, x));

    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * fma(GELU_SLOPE_SQUARE * x, x, GELU_SCALE);
}

static uint32_t sum_type(const struct library_call *c)
{
    bool twice = library_type_double(c->mode[0]);

    return library_type_complex(c->operand[3].type) ? (twice ? LIBRARY_C_64F : LIBRARY_C_32F)
           : c->mode[0] == LIBRARY_R_32I            ? LIBRARY_R_32I
           : twice                                  ? LIBRARY_R_64F
                                                    : LIBRARY_R_32F;
}

/* op(A) op(B) in the type of the sums. Freed with g_free() */
static void *product_new(struct library_work *w)
{
    struct library_call c = *w->call;
    struct library_work product = *w;

    c.op = LIBRARY_GEMM;
    c.operand[2] = (struct library_operand){ .rows = (uint64_t)c.n[1],
                                             .columns = (uint64_t)c.n[0],
                                             .type = sum_type(w->call) };
    c.mode[3] = 0;
    product.call = &c;
    product.data[2] = g_malloc0_n((size_t)(c.n[0] * c.n[1]) + 1, 16);
    memset(product.scalar, 0, sizeof(product.scalar));
    product.scalar[0][0] = w->scalar[0][0] != 0 || w->scalar[0][1] != 0;
    product.cost = (struct bus_library_cost){ 0 };
    library_gemm_run(&product);
    w->cost.half += product.cost.half;
    w->cost.single += product.cost.single;
    w->cost.twice += product.cost.twice;
    return product.data[2];
}

/* Rounded as the sums are */
static double sum_round(const struct library_call *c, double v)
{
    return library_type_double(c->mode[0]) ? v : (double)(float)v;
}

/* Where element (i, j) lies; mode[3]: D by rows; n[4]: C by rows */
static uint64_t place_of(const struct library_call *c, bool by_rows, uint64_t i, uint64_t j)
{
    return by_rows ? j + i * (uint64_t)c->n[1] : i + j * (uint64_t)c->n[0];
}

static double activation_of(struct library_work *w, uint64_t i, uint64_t j, double v)
{
    const struct library_call *c = w->call;
    uint64_t at = i + j * (uint64_t)c->n[0], byte = i / 8 + j * ((uint64_t)(c->n[0] + 7) / 8);
    unsigned bit = 1u << i % 8;

    if (c->n[3] & LIBRARY_RELU) {
        if (operand_asked(c, 6)) {
            uint8_t *mask = (uint8_t *)w->data[6] + byte;

            *mask = (uint8_t)(v > 0 ? *mask | bit : *mask & ~bit);
        }
        return v > 0 || v != v ? v : 0;
    }
    if (c->n[3] & LIBRARY_GELU) {
        if (operand_asked(c, 6)) {
            number_put(w, 6, at, (struct number){ v, 0 });
        }
        return sum_round(c, gelu_value(v));
    }
    if (c->n[3] & LIBRARY_RELU_BACKWARD) {
        return ((const uint8_t *)w->data[5])[byte] & bit ? v : 0;
    }
    return c->n[3] & LIBRARY_GELU_BACKWARD ? sum_round(c, v * gelu_slope(number_get(w, 5, at).re))
                                           : v;
}

static struct number element_of(struct library_work *w, const void *sums, uint64_t i, uint64_t j)
{
    const struct library_call *c = w->call;
    struct number alpha = number_scalar(w, 0), beta = number_scalar(w, 1), v;

    v = number_at(sums, sum_type(c), i + j * (uint64_t)c->n[0]);
    v = number_product(alpha, v);
    v.re = sum_round(c, v.re);
    if (!number_zero(beta)) {
        v = number_add(v, beta, number_get(w, 2, place_of(c, c->n[4], i, j)));
        v.re = sum_round(c, v.re);
    }
    if (operand_asked(c, 4)) {
        struct number bias = number_get(w, 4, i);

        v.re = sum_round(c, v.re + bias.re);
        v.im += bias.im;
    }
    v.re = library_type_complex(c->operand[3].type) ? v.re : activation_of(w, i, j, v.re);
    return v;
}

/* Sums over D's columns, or over k of an operand */
static void gradient_put(struct library_work *w)
{
    const struct library_call *c = w->call;
    bool of_b = c->n[3] & LIBRARY_GRADIENT_B, of_a = c->n[3] & LIBRARY_GRADIENT_A;
    uint64_t m = (uint64_t)c->n[0], n = (uint64_t)c->n[1], k = (uint64_t)c->n[2];

    for (uint64_t i = 0; i < (of_b ? n : m); i++) {
        double sum = 0;

        for (uint64_t p = 0; p < (of_a || of_b ? k : n); p++) {
            uint64_t a = c->mode[1] & LIBRARY_TRANSPOSED ? p + i * k : i + p * m;
            uint64_t b = c->mode[2] & LIBRARY_TRANSPOSED ? i + p * n : p + i * k;

            sum += of_a   ? number_get(w, 0, a).re
                   : of_b ? number_get(w, 1, b).re
                          : number_get(w, 3, place_of(c, c->mode[3], i, p)).re;
        }
        number_put(w, 7, i, (struct number){ sum, 0 });
    }
}

void library_matmul_run(struct library_work *w)
{
    const struct library_call *c = w->call;
    void *sums;

    if (c->n[0] == 0 || c->n[1] == 0) {
        return;
    }
    sums = product_new(w);
    for (uint64_t j = 0; j < (uint64_t)c->n[1]; j++) {
        for (uint64_t i = 0; i < (uint64_t)c->n[0]; i++) {
            number_put(w, 3, place_of(c, c->mode[3], i, j), element_of(w, sums, i, j));
        }
    }
    if (operand_asked(c, 7)) {
        gradient_put(w);
    }
    g_free(sums);
}
