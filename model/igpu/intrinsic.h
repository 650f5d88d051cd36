/* SPDX-License-Identifier: MIT */
/* How an intrinsic is written: nv_<name>() for each line of ptx/intrinsic.def. */
#ifndef MODEL_IGPU_INTRINSIC_H
#define MODEL_IGPU_INTRINSIC_H

#include "model/igpu/sm.h"
#include <math.h>
#include <string.h>

/**
 * struct lane_call - who calls
 * @w, @u, @lane: for the few functions that reach memory
 */
struct lane_call {
    struct warp *w;
    const struct ptx_uop *u;
    uint32_t lane;
};

/* @a: arguments, low bytes of each; @r: the result. Return: false after a fault. */
typedef bool intrinsic_fn(const struct lane_call *c, const uint64_t *a, uint64_t *r);

#define PTX_INTRINSIC(name, ret, args) intrinsic_fn nv_##name;
#include "ptx/intrinsic.def"
#undef PTX_INTRINSIC

#define NV(name)                                                           \
    bool nv___nv_##name(__attribute__((unused)) const struct lane_call *c, \
                        __attribute__((unused)) const uint64_t *a,         \
                        __attribute__((unused)) uint64_t *r)

static inline float arg_f(uint64_t v)
{
    uint32_t b = (uint32_t)v;
    float f;

    memcpy(&f, &b, sizeof(f));
    return f;
}

static inline double arg_d(uint64_t v)
{
    double d;

    memcpy(&d, &v, sizeof(d));
    return d;
}

/* NaN results are the device's: 0x7fffffff, and all ones but the sign. */
static inline bool ret_f(uint64_t *r, float f)
{
    uint32_t b;

    memcpy(&b, &f, sizeof(b));
    *r = f != f ? 0x7fffffffu : b;
    return true;
}

static inline bool ret_d(uint64_t *r, double d)
{
    memcpy(r, &d, sizeof(d));
    if (d != d) {
        *r = UINT64_C(0xfff8000000000000);
    }
    return true;
}

static inline bool ret_i(uint64_t *r, uint64_t v)
{
    *r = v;
    return true;
}

#define F(i) arg_f(a[i])
#define D(i) arg_d(a[i])
#define I(i) ((int32_t)a[i])
#define U(i) ((uint32_t)a[i])
#define L(i) ((int64_t)a[i])
#define UL(i) (a[i])

/* One line a function: result kind, name, expression over F(0), D(1), ... */
#define NV_F(name, expr)                \
    NV(name)                            \
    {                                   \
        return ret_f(r, (float)(expr)); \
    }
#define NV_D(name, expr)         \
    NV(name)                     \
    {                            \
        return ret_d(r, (expr)); \
    }
#define NV_I(name, expr)                   \
    NV(name)                               \
    {                                      \
        return ret_i(r, (uint32_t)(expr)); \
    }
#define NV_L(name, expr)                   \
    NV(name)                               \
    {                                      \
        return ret_i(r, (uint64_t)(expr)); \
    }

/* Float to integer as cvt does it: clamped, NaN is 0 or, in 64 bits, the top bit. @v is integral.
 */
int32_t to_s32(double v);
uint32_t to_u32(double v);
int64_t to_s64(double v);
uint64_t to_u64(double v);

#endif
