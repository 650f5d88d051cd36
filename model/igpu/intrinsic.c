/* SPDX-License-Identifier: MIT */
/* External functions of device code: the table, and those of the system. */
#include "model/igpu/intrinsic.h"

static intrinsic_fn *const functions[PTX_INTRINSIC_COUNT] = {
#define PTX_INTRINSIC(name, ret, args) [PTX_INTRINSIC_##name] = nv_##name,
#include "ptx/intrinsic.def"
#undef PTX_INTRINSIC
};

bool intrinsic_call(struct warp *w, const struct ptx_uop *u, enum ptx_intrinsic id, uint32_t lane,
                    const uint64_t *arg, uint64_t *ret)
{
    struct lane_call c = { w, u, lane };

    return functions[id](&c, arg, ret) && w->event != EVENT_FAULT;
}

bool nv_vprintf(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    *r = (uint32_t)sm_printf(c->w, c->u, c->lane, a[0], a[1]);
    return c->w->event != EVENT_FAULT;
}

bool nv___assertfail(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    (void)r;
    sm_assert(c->w, c->u, c->lane, a);
    return false;
}

/* glibc's name for it, with the function last: clang without an SDK calls this one. */
bool nv___assert_fail(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    (void)r;
    sm_assert(c->w, c->u, c->lane, a);
    return false;
}

/* Programming Guide, conditional graph nodes: a handle is the address of the value. */
bool nv_cudaGraphSetConditional(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    uint32_t value = (uint32_t)a[1];

    (void)r;
    return sm_write(c->w, c->u, c->lane, a[0], &value, sizeof(value));
}

int32_t to_s32(double v)
{
    return v != v ? 0 : v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : (int32_t)v;
}

uint32_t to_u32(double v)
{
    return !(v > 0.0) ? 0 : v >= 4294967295.0 ? UINT32_MAX : (uint32_t)v;
}

int64_t to_s64(double v)
{
    return v != v ? INT64_MIN : v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

uint64_t to_u64(double v)
{
    return v != v ? UINT64_C(1) << 63 : !(v > 0.0) ? 0 : v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}
