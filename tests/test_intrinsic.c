/* SPDX-License-Identifier: MIT */
/* Functions that device code calls from outside: printf, assert, libdevice. */
#include "ptx/decode.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <glib.h>
#include <math.h>
#include <string.h>

static struct rig rig;
static const uint64_t out = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static void launch(const char *ptx, unsigned threads)
{
    struct rig_launch l = { .block = { threads }, .param = &out, .param_bytes = 8 };

    rig_launch(&rig, ptx, &l);
}

/* One call of a libdevice function; @args: 64-bit patterns, one a parameter. Pointers point at
 * RIG_BASE + 64, 72, ... Return: the result's bits. */
static uint64_t call(const char *name, const char *letters, const uint64_t *args)
{
    char ret = letters[0];
    GString *s = g_string_new(HEAD), *list = g_string_new("");
    uint64_t r = 0;

    g_string_append(s, ".extern .func ");
    if (ret != 'v') {
        g_string_append_printf(s, "(.param .b%d r) ", strchr("dl", ret) ? 64 : 32);
    }
    g_string_append_printf(s, "%s(", name);
    for (int i = 1; letters[i]; i++) {
        g_string_append_printf(s, "%s.param .b%d a%d", i > 1 ? ", " : "",
                               strchr("dlp", letters[i]) ? 64 : 32, i);
    }
    g_string_append(
        s, ");\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %d<4>;\n.reg .b32 %r<4>;\n"
           "ld.param.u64 %d0, [out];\n.param .b64 res;\n");
    for (int i = 1; letters[i]; i++) {
        int bits = strchr("dlp", letters[i]) ? 64 : 32;

        g_string_append_printf(
            s, ".param .b%d x%d;\nst.param.b%d [x%d], 0x%" G_GINT64_MODIFIER "x;\n", bits, i, bits,
            i, letters[i] == 'p' ? RIG_BASE + 64 + 8 * (uint64_t)(args[i - 1]) : args[i - 1]);
        g_string_append_printf(list, "%sx%d", i > 1 ? ", " : "", i);
    }
    if (ret == 'v') {
        g_string_append_printf(s, "call %s, (%s);\n", name, list->str);
    } else {
        g_string_append_printf(s, "call (res), %s, (%s);\nld.param.b64 %%d1, [res];\n", name,
                               list->str);
    }
    g_string_append(s, "st.global.u64 [%d0], %d1;\nret;\n}\n");
    launch(s->str, 1);
    memcpy(&r, rig_at(&rig, RIG_BASE), 8);
    g_string_free(s, TRUE);
    g_string_free(list, TRUE);
    return strchr("dl", ret) ? r : (uint32_t)r;
}

static uint64_t bits_f(float f)
{
    uint32_t b;

    memcpy(&b, &f, 4);
    return b;
}

static uint64_t bits_d(double d)
{
    uint64_t b;

    memcpy(&b, &d, 8);
    return b;
}

static float float_of(uint64_t v)
{
    uint32_t b = (uint32_t)v;
    float f;

    memcpy(&f, &b, 4);
    return f;
}

static double double_of(uint64_t v)
{
    double d;

    memcpy(&d, &v, 8);
    return d;
}

/* Values of a table of functions, worked out apart: exact ones, and constants of mathematics. */
static const struct {
    const char *name;
    double x, y; /* y: NAN if it has one parameter */
    double want;
} f32_table[] = {
    { "sinf", 0.5, NAN, 0.479425538604203 },
    { "cosf", 0.5, NAN, 0.8775825618903728 },
    { "tanf", 0.5, NAN, 0.5463024898437905 },
    { "expf", 1, NAN, 2.718281828459045 },
    { "exp2f", 10, NAN, 1024 },
    { "exp10f", 3, NAN, 1000 },
    { "logf", 10, NAN, 2.302585092994046 },
    { "log2f", 8, NAN, 3 },
    { "log10f", 1000, NAN, 3 },
    { "log1pf", 1, NAN, 0.6931471805599453 },
    { "expm1f", 1, NAN, 1.718281828459045 },
    { "sqrtf", 2, NAN, 1.4142135623730951 },
    { "rsqrtf", 4, NAN, 0.5 },
    { "cbrtf", 27, NAN, 3 },
    { "rcbrtf", 8, NAN, 0.5 },
    { "powf", 2, 10, 1024 },
    { "asinf", 1, NAN, 1.5707963267948966 },
    { "acosf", 0, NAN, 1.5707963267948966 },
    { "atanf", 1, NAN, 0.7853981633974483 },
    { "atan2f", 1, -1, 2.356194490192345 },
    { "sinhf", 1, NAN, 1.1752011936438014 },
    { "coshf", 1, NAN, 1.5430806348152437 },
    { "tanhf", 1, NAN, 0.7615941559557649 },
    { "asinhf", 1, NAN, 0.881373587019543 },
    { "acoshf", 2, NAN, 1.3169578969248166 },
    { "atanhf", 0.5, NAN, 0.5493061443340549 },
    { "erff", 0.5, NAN, 0.5204998778130465 },
    { "erfcf", 0.5, NAN, 0.4795001221869535 },
    { "erfinvf", 0.5, NAN, 0.4769362762044699 },
    { "erfcinvf", 0.5, NAN, 0.4769362762044699 },
    { "erfcxf", 1, NAN, 0.427583576155807 },
    { "erfcxf", 20, NAN, 0.028174340874226 },
    { "tgammaf", 5, NAN, 24 },
    { "lgammaf", 5, NAN, 3.1780538303479458 },
    { "hypotf", 3, 4, 5 },
    { "rhypotf", 3, 4, 0.2 },
    { "fmodf", 7, 3, 1 },
    { "remainderf", 7, 4, -1 },
    { "ceilf", 1.2, NAN, 2 },
    { "floorf", -1.2, NAN, -2 },
    { "truncf", -1.7, NAN, -1 },
    { "roundf", 2.5, NAN, 3 },
    { "rintf", 2.5, NAN, 2 },
    { "nearbyintf", 3.5, NAN, 4 },
    { "fabsf", -3, NAN, 3 },
    { "fdimf", 5, 3, 2 },
    { "fmaxf", -1, 2, 2 },
    { "fminf", -1, 2, -1 },
    { "copysignf", 3, -1, -3 },
    { "nextafterf", 1, 2, 1.00000011920929 },
    { "sinpif", 0.5, NAN, 1 },
    { "sinpif", 1, NAN, 0 },
    { "cospif", 1, NAN, -1 },
    { "cospif", 0.5, NAN, 0 },
    { "j0f", 1, NAN, 0.7651976865579666 },
    { "j1f", 1, NAN, 0.4400505857449335 },
    { "y0f", 1, NAN, 0.08825696421567698 },
    { "y1f", 1, NAN, -0.7812128213002887 },
    { "cyl_bessel_i0f", 1, NAN, 1.266065877752008 },
    { "cyl_bessel_i1f", 1, NAN, 0.565159103992485 },
    { "normcdff", 0, NAN, 0.5 },
    { "normcdfinvf", 0.5, NAN, 0 },
    { "normcdff", 1, NAN, 0.8413447460685429 },
    { "logbf", 10, NAN, 3 },
    { "saturatef", 1.5, NAN, 1 },
    { "fast_sinf", 0.5, NAN, 0.479425538604203 },
    { "fast_cosf", 0.5, NAN, 0.8775825618903728 },
    { "fast_tanf", 0.5, NAN, 0.5463024898437905 },
    { "fast_expf", 1, NAN, 2.718281828459045 },
    { "fast_exp10f", 2, NAN, 100 },
    { "fast_logf", 10, NAN, 2.302585092994046 },
    { "fast_log2f", 8, NAN, 3 },
    { "fast_log10f", 100, NAN, 2 },
    { "fast_powf", 2, 3, 8 },
    { "fast_fdividef", 1, 4, 0.25 },
    { "fadd_rn", 1, 2, 3 },
    { "fadd_ru", 1, 1e-10, 1.00000011920929 },
    { "fadd_rd", 1, 1e-10, 1 },
    { "fsub_rz", 1, 1e-10, 0.99999994039535 },
    { "fmul_rn", 3, 4, 12 },
    { "fdiv_rd", 1, 3, 0.333333313465118 },
    { "fdiv_ru", 1, 3, 0.33333334326744 },
    { "frcp_rz", 3, NAN, 0.333333313465118 },
    { "fsqrt_rn", 9, NAN, 3 },
    { "frsqrt_rn", 16, NAN, 0.25 },
};

START_TEST(single_precision_functions)
{
    bool two = !isnan(f32_table[_i].y);
    uint64_t args[2] = { bits_f((float)f32_table[_i].x), bits_f((float)f32_table[_i].y) };
    char *name = g_strconcat("__nv_", f32_table[_i].name, NULL);
    float have = float_of(call(name, two ? "fff" : "ff", args));
    double bound =
        fabs(f32_table[_i].want) * 0x1p-21 + 0x1p-30; /* 8 ulp at most in CUDA's tables */

    ck_assert_msg(fabs(have - f32_table[_i].want) <= bound, "%s = %.9g, not %.9g", name, have,
                  f32_table[_i].want);
    g_free(name);
}
END_TEST

static const struct {
    const char *name;
    double x, y, want;
} f64_table[] = {
    { "sin", 0.5, NAN, 0.479425538604203 },
    { "cos", 0.5, NAN, 0.8775825618903728 },
    { "exp", 1, NAN, 2.718281828459045 },
    { "log", 10, NAN, 2.302585092994046 },
    { "pow", 2, 0.5, 1.4142135623730951 },
    { "sqrt", 2, NAN, 1.4142135623730951 },
    { "rsqrt", 2, NAN, 0.7071067811865476 },
    { "atan2", 1, -1, 2.356194490192345 },
    { "tgamma", 5, NAN, 24 },
    { "hypot", 3, 4, 5 },
    { "rhypot", 3, 4, 0.2 },
    { "erfinv", 0.5, NAN, 0.4769362762044699 },
    { "erfinv", 0.999, NAN, 2.3267537655135246 },
    { "erfcinv", 1e-10, NAN, 4.572824967389486 },
    { "normcdfinv", 0.975, NAN, 1.959963984540054 },
    { "erfcx", 30, NAN, 0.018795888861416751 },
    { "fmod", 7, 3, 1 },
    { "sinpi", 0.25, NAN, 0.7071067811865475 },
    { "cospi", 0.25, NAN, 0.7071067811865476 },
    { "rcbrt", 27, NAN, 0.3333333333333333 },
    { "cyl_bessel_i0", 10, NAN, 2815.716628466254 },
    { "dadd_rn", 1, 2, 3 },
    { "ddiv_rz", 1, 3, 0.3333333333333333 },
    { "drcp_rn", 4, NAN, 0.25 },
    { "dsqrt_rd", 9, NAN, 3 },
    { "dmul_ru", 3, 4, 12 },
    { "dsub_rn", 3, 4, -1 },
    { "exp10", 2, NAN, 100 },
    { "fmax", NAN, 0, 0 },
    { "fdim", 3, 5, 0 },
};

START_TEST(double_precision_functions)
{
    bool two = !isnan(f64_table[_i].y);
    uint64_t args[2] = { bits_d(f64_table[_i].x), bits_d(f64_table[_i].y) };
    char *name = g_strconcat("__nv_", f64_table[_i].name, NULL);
    double have = double_of(call(name, two ? "ddd" : "dd", args));

    ck_assert_msg(fabs(have - f64_table[_i].want) <= fabs(f64_table[_i].want) * 0x1p-49,
                  "%s = %.17g, not %.17g", name, have, f64_table[_i].want);
    g_free(name);
}
END_TEST

/* Results are 32 or 64 bits, written by hand from the CUDA math API. */
static const struct {
    const char *name, *letters;
    uint64_t a, b, c, want;
} int_table[] = {
    { "abs", "ii", 0xfffffffb, 0, 0, 5 },
    { "max", "iii", 0xffffffff, 1, 0, 1 },
    { "umin", "iii", 0xffffffff, 1, 0, 1 },
    { "llmin", "lll", UINT64_MAX, 1, 0, UINT64_MAX },
    { "ullmax", "lll", UINT64_MAX, 1, 0, UINT64_MAX },
    { "mul24", "iii", 0x01800000, 2, 0, 0xff000000 },
    { "umulhi", "iii", 0x80000000, 4, 0, 2 },
    { "mulhi", "iii", 0x80000000, 4, 0, 0xfffffffe },
    { "mul64hi", "lll", UINT64_MAX, 2, 0, UINT64_MAX },
    { "umul64hi", "lll", UINT64_MAX, 2, 0, 1 },
    { "sad", "iiii", 0xffffffff, 1, 10, 12 },
    { "usad", "iiii", 0xffffffff, 1, 10, 8 },
    { "hadd", "iii", 0xffffffff, 0, 0, 0xffffffff },
    { "rhadd", "iii", 1, 2, 0, 2 },
    { "uhadd", "iii", 0xffffffff, 1, 0, 0x80000000 },
    { "urhadd", "iii", 0xffffffff, 0, 0, 0x80000000 },
    { "brev", "ii", 1, 0, 0, 0x80000000 },
    { "brevll", "ll", 1, 0, 0, UINT64_C(1) << 63 },
    { "clz", "ii", 1, 0, 0, 31 },
    { "clzll", "il", 0, 0, 0, 64 },
    { "ffs", "ii", 8, 0, 0, 4 },
    { "ffsll", "il", UINT64_C(1) << 40, 0, 0, 41 },
    { "popc", "ii", 0xff, 0, 0, 8 },
    { "popcll", "il", UINT64_MAX, 0, 0, 64 },
    { "byte_perm", "iiii", 0x03020100, 0x07060504, 0x0246, 0x00020406 },
    { "float2int_rz", "if", 0xc0200000, 0, 0, 0xfffffffe }, /* -2.5 */
    { "float2int_rd", "if", 0xc0200000, 0, 0, 0xfffffffd },
    { "float2int_rn", "if", 0xc0200000, 0, 0, 0xfffffffe },
    { "float2uint_ru", "if", 0x40200000, 0, 0, 3 },
    { "float2uint_rz", "if", 0xc0200000, 0, 0, 0 },
    { "float2int_rz", "if", 0x7f800000, 0, 0, 0x7fffffff },
    { "float2ll_rz", "lf", 0x40200000, 0, 0, 2 },
    { "double2int_rn", "id", UINT64_C(0x4004000000000000), 0, 0, 2 }, /* 2.5 */
    { "double2hiint", "id", UINT64_C(0x4004000000000000), 0, 0, 0x40040000 },
    { "double2loint", "id", UINT64_C(0x4004000012345678), 0, 0, 0x12345678 },
    { "hiloint2double", "dii", 0x40040000, 7, 0, UINT64_C(0x4004000000000007) },
    { "int2float_rn", "fi", 0x01000001, 0, 0, 0x4b800000 },
    { "int2float_ru", "fi", 0x01000001, 0, 0, 0x4b800001 },
    { "uint2float_rz", "fi", 0xffffffff, 0, 0, 0x4f7fffff },
    { "ll2double_rn", "dl", 1, 0, 0, UINT64_C(0x3ff0000000000000) },
    { "double2float_rd", "fd", UINT64_C(0x3ff0000010000000), 0, 0, 0x3f800000 },
    { "double2float_ru", "fd", UINT64_C(0x3ff0000010000000), 0, 0, 0x3f800001 },
    { "float_as_int", "if", 0x12345678, 0, 0, 0x12345678 },
    { "int_as_float", "fi", 0x7f800001, 0, 0, 0x7f800001 },
    { "llrint", "ld", UINT64_C(0x4004000000000000), 0, 0, 2 },
    { "llroundf", "lf", 0x40200000, 0, 0, 3 },
    { "isnanf", "if", 0x7f800001, 0, 0, 1 },
    { "isinff", "if", 0xff800000, 0, 0, 1 },
    { "finitef", "if", 0x7f7fffff, 0, 0, 1 },
    { "signbitf", "if", 0x80000000, 0, 0, 1 },
    { "isnand", "id", 0, 0, 0, 0 },
    { "ilogbf", "if", 0x41200000, 0, 0, 3 },
    { "ilogb", "id", 0, 0, 0, 0x80000000 },
    { "ldexpf", "ffi", 0x3f800000, 4, 0, 0x41800000 },
    { "scalbn", "ddi", UINT64_C(0x3ff0000000000000), 1, 0, UINT64_C(0x4000000000000000) },
    { "powif", "ffi", 0x40000000, 3, 0, 0x41000000 },
    { "fmaf", "ffff", 0x40000000, 0x40400000, 0x3f800000, 0x40e00000 },
    { "fmaf_rz", "ffff", 0x40000000, 0x40400000, 0x3f800000, 0x40e00000 },
    { "half2float", "fi", 0x3c00, 0, 0, 0x3f800000 },
    { "float2half_rn", "if", 0x3f800000, 0, 0, 0x3c00 },
    { "norm3df", "ffff", 0x3f800000, 0x40000000, 0x40000000, 0x40400000 },
    { "jnf", "fif", 0, 0, 0, 0x3f800000 },
    { "vadd4", "iii", 0x01ff7f80, 0x01010101, 0, 0x02008081 },
    { "vaddss4", "iii", 0x01ff7f80, 0x01010101, 0, 0x02007f81 },
    { "vaddus4", "iii", 0x01ff7f80, 0x01010101, 0, 0x02ff8081 },
    { "vsub2", "iii", 0x00010000, 0x00020001, 0, 0xffffffff },
    { "vsubus2", "iii", 0x00010000, 0x00020001, 0, 0 },
    { "vabsdiffu4", "iii", 0x01ff7f80, 0x02018001, 0, 0x01fe017f },
    { "vcmpgts4", "iii", 0x01ff7f80, 0x00000000, 0, 0xff00ff00 },
    { "vsetgtu4", "iii", 0x01ff7f80, 0x00000080, 0, 0x01010100 },
    { "vavgu4", "iii", 0x01ff0003, 0x02010000, 0, 0x02800002 },
    { "vmaxs2", "iii", 0x7fff8000, 0x00000000, 0, 0x7fff0000 },
    { "vsadu4", "iii", 0x01020304, 0, 0, 10 },
    { "vneg2", "ii", 0x00010002, 0, 0, 0xfffffffe },
    { "vabs4", "ii", 0xff01fe80, 0, 0, 0x01010280 },
    { "vabsss4", "ii", 0xff01fe80, 0, 0, 0x0101027f },
};

START_TEST(integer_functions_and_conversions)
{
    uint64_t args[4] = { int_table[_i].a, int_table[_i].b, int_table[_i].c, 0 };
    char *name = g_strconcat("__nv_", int_table[_i].name, NULL);
    uint64_t have = call(name, int_table[_i].letters, args);

    ck_assert_msg(have == int_table[_i].want,
                  "%s = 0x%" G_GINT64_MODIFIER "x, not 0x%" G_GINT64_MODIFIER "x", name, have,
                  int_table[_i].want);
    g_free(name);
}
END_TEST

START_TEST(results_through_pointers)
{
    uint64_t v = 0;
    float s, c;
    int32_t e;

    call("__nv_sincosf", "vfpp", (uint64_t[]){ bits_f(0.5f), 0, 1 });
    memcpy(&s, rig_at(&rig, RIG_BASE + 64), 4);
    memcpy(&c, rig_at(&rig, RIG_BASE + 72), 4);
    ck_assert(fabs(s - 0.479425538604203) < 1e-7 && fabs(c - 0.8775825618903728) < 1e-7);
    v = call("__nv_frexp", "ddp", (uint64_t[]){ bits_d(12.0), 0 });
    memcpy(&e, rig_at(&rig, RIG_BASE + 64), 4);
    ck_assert(double_of(v) == 0.75 && e == 4);
    v = call("__nv_modff", "ffp", (uint64_t[]){ bits_f(-2.5f), 0 });
    memcpy(&s, rig_at(&rig, RIG_BASE + 64), 4);
    ck_assert(float_of(v) == -0.5f && s == -2.0f);
    v = call("__nv_remquo", "dddp", (uint64_t[]){ bits_d(7.0), bits_d(2.0), 0 });
    memcpy(&e, rig_at(&rig, RIG_BASE + 64), 4);
    ck_assert(double_of(v) == -1.0 && e == 4);
}
END_TEST

/* printf: CUDA C++ programming guide, "Formatted Output" */

/* @number: the first argument, 32 bits */
#define PRINT(number)                                                                              \
    HEAD                                                                                           \
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"                   \
        ".visible .global .align 1 .b8 fmt[80];\n"                                                 \
        ".visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 args[64];\n.reg .b64 %d<9>;\n" \
        ".reg .b32 %r<8>;\n.reg .f64 %g<2>;\n"                                                     \
        "mov.u32 %r1, " number ";\nmov.u64 %d1, args;\ncvta.local.u64 %d2, %d1;\n"                 \
        "st.local.u32 [%d1], %r1;\nmov.u64 %d3, -5;\nst.local.u64 [%d1+8], %d3;\n"                 \
        "mov.f64 %g1, 0d3FF8000000000000;\nst.local.f64 [%d1+16], %g1;\nmov.u64 %d4, fmt+60;\n"    \
        "cvta.global.u64 %d4, %d4;\nst.local.u64 [%d1+24], %d4;\nmov.u32 %r2, 65;\n"               \
        "st.local.u32 [%d1+32], %r2;\nst.local.u32 [%d1+36], %r2;\n"                               \
        "mov.u64 %d5, fmt;\ncvta.global.u64 %d5, %d5;\n{\n.param .b64 p0;\nst.param.b64 [p0], "    \
        "%d5;\n"                                                                                   \
        ".param .b64 p1;\nst.param.b64 [p1], %d2;\n.param .b32 q;\ncall.uni (q), vprintf, (p0, "   \
        "p1);\n"                                                                                   \
        "ld.param.b32 %r3, [q];\n}\nld.param.u64 %d0, [out];\nst.global.u32 [%d0], "               \
        "%r3;\nret;\n}\n"

static const char print[] = PRINT("%tid.x");

/* An output in the ring: text, then its length */
static void check_output(size_t at, const char *text)
{
    const char *ring = rig_at(&rig, RIG_RING + GRID_RING_HEADER + at);
    uint32_t length = (uint32_t)strlen(text);

    ck_assert_msg(memcmp(ring, text, length) == 0, "%.*s", (int)length, ring);
    ck_assert_mem_eq(ring + length, &length, sizeof(length));
}

START_TEST(printf_formats_as_c_does)
{
    uint32_t used;

    strcpy(rig_at(&rig, RIG_GLOBALS), "t%d %lld|%6.2f|%-4s|%c 0x%x%%\n");
    strcpy(rig_at(&rig, RIG_GLOBALS + 60), "abc");
    launch(print, 2);
    check_output(0, "t0 -5|  1.50|abc |A 0x41%\n");
    check_output(26 + 4, "t1 -5|  1.50|abc |A 0x41%\n");
    memcpy(&used, rig_at(&rig, RIG_RING), 4);
    ck_assert_uint_eq(used, 2 * (26 + 4));
    memcpy(&used, rig_at(&rig, RIG_BASE), 4);
    ck_assert_uint_eq(used, 6); /* the number of arguments */
}
END_TEST

/* NVIDIA's driver 580.159.04 on an H200; sizes that the guide does not list are no conversions
 * there. @_i: 70000, -70000
 */
START_TEST(printf_cuts_short_integers)
{
    static const char *const text[] = { PRINT("70000"), PRINT("-70000") };
    static const char *const want[] = {
        "4464 4464 4464 1170 1170 10560|    4464|+4464|112     |%jd",
        "-4464 -4464 61072 ee90 EE90 167220|   -4464|-4464|-112    |%jd"
    };
    static const char *const formats[] = { "%hd", "%hi",  "%hu",  "%hx",    "%hX",
                                           "%ho", "%8hd", "%+hd", "%-8hhd", "%jd" };
    static const char between[] = "     ||||";
    GString *all = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
        const char *ring = rig_at(&rig, RIG_RING + GRID_RING_HEADER);

        memset(rig_at(&rig, RIG_RING), 0, GRID_RING_HEADER);
        memset(rig_at(&rig, RIG_RING + GRID_RING_HEADER), 0, 16);
        strcpy(rig_at(&rig, RIG_GLOBALS), formats[i]);
        launch(text[_i], 1);
        g_string_append_len(all, ring, (gssize)strcspn(ring, "\1\2\3\4\5\6\7\10"));
        if (i < sizeof(between) - 1) {
            g_string_append_c(all, between[i]);
        }
    }
    ck_assert_str_eq(all->str, want[_i]);
    g_string_free(all, TRUE);
}
END_TEST

/* CUDA C++ Programming Guide, Formatted Output: "It is circular and if more output is produced
 * during kernel execution than can fit in the buffer, older output is overwritten." */
START_TEST(full_printf_ring_writes_over_the_oldest)
{
    uint64_t used = RIG_RING_BYTES - 10;

    strcpy(rig_at(&rig, RIG_GLOBALS), "more than ten characters\n");
    memcpy(rig_at(&rig, RIG_RING), &used, 8);
    launch(print, 1);
    ck_assert_mem_eq(rig_at(&rig, RIG_RING + GRID_RING_HEADER + RIG_RING_BYTES - 10), "more than ",
                     10);
    ck_assert_mem_eq(rig_at(&rig, RIG_RING + GRID_RING_HEADER), "ten characters\n\x19\0\0\0", 19);
    memcpy(&used, rig_at(&rig, RIG_RING), 8);
    ck_assert_uint_eq(used, RIG_RING_BYTES - 10 + 25 + 4);
}
END_TEST

/* The same: "an output larger than the buffer" leaves what is there alone, and is counted. */
START_TEST(output_larger_than_the_printf_ring_is_counted)
{
    uint64_t header[2];

    memset(rig_at(&rig, RIG_GLOBALS), 'x', RIG_RING_BYTES);
    launch(print, 1);
    memcpy(header, rig_at(&rig, RIG_RING), sizeof(header));
    ck_assert_uint_eq(header[0], 0);
    ck_assert_uint_eq(header[1], 1);
}
END_TEST

START_TEST(assert_prints_its_line_and_ends_the_grid)
{
    static const char ptx[] = HEAD
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
        ".param .b64 e);\n.visible .global .align 1 .b8 s[64];\n.visible .entry k(.param .u64 "
        "out)\n{\n"
        ".reg .b64 %d<9>;\n.reg .b32 %r<8>;\n.reg .pred %p<2>;\nmov.u32 %r1, %tid.x;\n"
        "setp.ne.u32 %p1, %r1, 33;\n@%p1 bra L1;\nmov.u64 %d5, s;\n{\n.param .b64 p0;\n"
        "st.param.b64 [p0], %d5;\n.param .b64 p1;\nadd.u64 %d6, %d5, 16;\nst.param.b64 [p1], %d6;\n"
        ".param .b32 p2;\nst.param.b32 [p2], 17;\n.param .b64 p3;\nadd.u64 %d6, %d5, 32;\n"
        "st.param.b64 [p3], %d6;\n.param .b64 p4;\nst.param.b64 [p4], 1;\n"
        "call.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nL1:\nret;\n}\n";
    struct grid_program *p = rig_program(ptx);
    struct rig_launch l = { .grid = { 2 }, .block = { 64 }, .param = &out, .param_bytes = 8 };
    struct grid *g;

    strcpy(rig_at(&rig, RIG_GLOBALS), "x > 0");
    strcpy(rig_at(&rig, RIG_GLOBALS + 16), "a.cu");
    strcpy(rig_at(&rig, RIG_GLOBALS + 32), "f(int)");
    g = rig_grid(&rig, p, &l);
    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    ck_assert_int_eq(grid_fault(g)->kind, GRID_FAULT_ASSERT);
    ck_assert_uint_eq(grid_fault(g)->thread[0], 33);
    check_output(0,
                 "a.cu:17: f(int): block: [0,0,0], thread: [33,0,0] Assertion `x > 0` failed.\n");
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

Suite *intrinsic_suite(void)
{
    Suite *s = suite_create("intrinsic");
    TCase *t = tcase_create("intrinsic");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, single_precision_functions, 0, (int)G_N_ELEMENTS(f32_table));
    tcase_add_loop_test(t, double_precision_functions, 0, (int)G_N_ELEMENTS(f64_table));
    tcase_add_loop_test(t, integer_functions_and_conversions, 0, (int)G_N_ELEMENTS(int_table));
    tcase_add_test(t, results_through_pointers);
    tcase_add_test(t, printf_formats_as_c_does);
    tcase_add_loop_test(t, printf_cuts_short_integers, 0, 2);
    tcase_add_test(t, full_printf_ring_writes_over_the_oldest);
    tcase_add_test(t, output_larger_than_the_printf_ring_is_counted);
    tcase_add_test(t, assert_prints_its_line_and_ends_the_grid);
    suite_add_tcase(s, t);
    return s;
}
