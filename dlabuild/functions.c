/* SPDX-License-Identifier: MIT */
#include "dlabuild/functions.h"

#include <math.h>
#include <string.h>

static double f_abs(double x, const double *a)
{
    (void)a;
    return fabs(x);
}
static double f_neg(double x, const double *a)
{
    (void)a;
    return -x;
}
static double f_relu(double x, const double *a)
{
    (void)a;
    return x > 0 ? x : 0;
}
static double f_leaky(double x, const double *a)
{
    return x < 0 ? a[0] * x : x;
}
static double f_sigmoid(double x, const double *a)
{
    (void)a;
    return 1 / (1 + exp(-x));
}
static double f_tanh(double x, const double *a)
{
    (void)a;
    return tanh(x);
}
static double f_elu(double x, const double *a)
{
    return x < 0 ? a[0] * (exp(x) - 1) : x;
}
static double f_celu(double x, const double *a)
{
    return x < 0 ? a[0] * (exp(x / a[0]) - 1) : x;
}
static double f_selu(double x, const double *a)
{
    return a[1] * (x <= 0 ? a[0] * (exp(x) - 1) : x);
}
static double f_exp(double x, const double *a)
{
    (void)a;
    return exp(x);
}
static double f_log(double x, const double *a)
{
    (void)a;
    return log(x);
}
static double f_sqrt(double x, const double *a)
{
    (void)a;
    return sqrt(x);
}
static double f_reciprocal(double x, const double *a)
{
    (void)a;
    return 1 / x;
}
static double f_hard_sigmoid(double x, const double *a)
{
    double y = a[0] * x + a[1];

    return y < 0 ? 0 : y > 1 ? 1 : y;
}
static double f_hard_swish(double x, const double *a)
{
    return x * f_hard_sigmoid(x, a);
}
static double f_softplus(double x, const double *a)
{
    (void)a;
    return x > 30 ? x : log1p(exp(x));
}
static double f_softsign(double x, const double *a)
{
    (void)a;
    return x / (1 + fabs(x));
}
static double f_erf(double x, const double *a)
{
    (void)a;
    return erf(x);
}
static double f_floor(double x, const double *a)
{
    (void)a;
    return floor(x);
}
static double f_ceil(double x, const double *a)
{
    (void)a;
    return ceil(x);
}
static double f_round(double x, const double *a)
{
    (void)a;
    return nearbyint(x);
}
static double f_sign(double x, const double *a)
{
    (void)a;
    return (x > 0) - (x < 0);
}
static double f_threshold(double x, const double *a)
{
    return x > a[0] ? x : 0;
}
static double f_mish(double x, const double *a)
{
    return x * tanh(f_softplus(x, a));
}
static double f_gelu(double x, const double *a)
{
    (void)a;
    return 0.5 * x * (1 + erf(x * M_SQRT1_2));
}
static double f_gelu_tanh(double x, const double *a)
{
    (void)a;
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double f_silu(double x, const double *a)
{
    return x * f_sigmoid(x, a);
}

static const struct build_function functions[] = {
    { "Abs", f_abs, { 0 }, { 0 }, FALSE },
    { "Neg", f_neg, { 0 }, { 0 }, FALSE },
    { "Relu", f_relu, { 0 }, { 0 }, FALSE },
    { "LeakyRelu", f_leaky, { "alpha", NULL }, { 0.01f, 0 }, FALSE },
    { "Sigmoid", f_sigmoid, { 0 }, { 0 }, FALSE },
    { "Tanh", f_tanh, { 0 }, { 0 }, FALSE },
    { "Elu", f_elu, { "alpha", NULL }, { 1, 0 }, FALSE },
    { "Celu", f_celu, { "alpha", NULL }, { 1, 0 }, FALSE },
    { "Selu",
      f_selu,
      { "alpha", "gamma" },
      { 1.67326319217681884765625f, 1.05070102214813232421875f },
      FALSE },
    { "Exp", f_exp, { 0 }, { 0 }, FALSE },
    { "Log", f_log, { 0 }, { 0 }, TRUE },
    { "Sqrt", f_sqrt, { 0 }, { 0 }, TRUE },
    { "Reciprocal", f_reciprocal, { 0 }, { 0 }, TRUE },
    { "HardSigmoid", f_hard_sigmoid, { "alpha", "beta" }, { 0.2f, 0.5f }, FALSE },
    { "HardSwish", f_hard_swish, { 0 }, { 1 / 6.f, 0.5f }, FALSE },
    { "Softplus", f_softplus, { 0 }, { 0 }, FALSE },
    { "Softsign", f_softsign, { 0 }, { 0 }, FALSE },
    { "Erf", f_erf, { 0 }, { 0 }, FALSE },
    { "Floor", f_floor, { 0 }, { 0 }, FALSE },
    { "Ceil", f_ceil, { 0 }, { 0 }, FALSE },
    { "Round", f_round, { 0 }, { 0 }, FALSE },
    { "Sign", f_sign, { 0 }, { 0 }, FALSE },
    { "ThresholdedRelu", f_threshold, { "alpha", NULL }, { 1, 0 }, FALSE },
    { "Mish", f_mish, { 0 }, { 0 }, FALSE },
    { "Gelu", f_gelu, { 0 }, { 0 }, FALSE },
    { "GeluTanh", f_gelu_tanh, { 0 }, { 0 }, FALSE },
    { "Swish", f_silu, { 0 }, { 0 }, FALSE },
};

const struct build_function *build_function_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}
