/* SPDX-License-Identifier: MIT */
/* One lane's access through a generic address, for the functions that C would call: format strings,
 * results through pointers. And what an atomic does to a value. */
#include "model/igpu/sm.h"
#include "model/igpu/sm_half.h"
#include <string.h>

/* On-chip memory behind a generic address; NULL if it is not on chip, or *@bad if it is outside. */
static uint8_t *on_chip(struct warp *w, uint32_t lane, uint64_t va, size_t len, bool write,
                        bool *bad)
{
    const struct grid *g = w->grid;
    uint64_t shared = va - g->desc.shared_window, local = va - g->desc.local_window;
    uint8_t *base;
    uint64_t at, size;

    *bad = false;
    if (shared < WINDOW_BYTES) {
        base = w->shared;
        at = shared;
        size = g->shared_bytes;
    } else if (local < PARAM_WINDOW_OFFSET) {
        base = warp_lane_local(w, lane);
        at = local;
        size = w->local_stride;
    } else if (local < WINDOW_BYTES) {
        base = g->param;
        at = local - PARAM_WINDOW_OFFSET;
        size = write ? 0 : g->desc.param_bytes;
    } else {
        return NULL;
    }
    if (at > size || size - at < len) {
        *bad = true;
        return NULL;
    }
    return base + at;
}

static bool access_bad(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va,
                       size_t len, bool write)
{
    bool shared = va - w->grid->desc.shared_window < WINDOW_BYTES;

    sm_fault(w, u, shared ? GRID_FAULT_SHARED_RANGE : GRID_FAULT_LOCAL_RANGE, lane, va,
             (uint32_t)len, write,
             shared ? "outside the block's shared memory" : "outside the thread's local memory");
    return false;
}

bool sm_read(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va, void *dst,
             size_t len)
{
    bool bad;
    const uint8_t *p = on_chip(w, lane, va, len, false, &bad);
    enum bus_status status;

    if (bad) {
        return access_bad(w, u, lane, va, len, false);
    }
    if (p) {
        memcpy(dst, p, len);
        return true;
    }
    status = bus_port_read(w->grid->port, va, dst, len);
    if (status != BUS_OK) {
        sm_fault_port(w, u, status, lane, va, (uint32_t)len, false);
    }
    return status == BUS_OK;
}

bool sm_write(struct warp *w, const struct ptx_uop *u, uint32_t lane, uint64_t va, const void *src,
              size_t len)
{
    bool bad;
    uint8_t *p = on_chip(w, lane, va, len, true, &bad);
    enum bus_status status;

    if (bad) {
        return access_bad(w, u, lane, va, len, true);
    }
    w->effects++;
    w->grid->effects++;
    if (p) {
        memcpy(p, src, len);
        return true;
    }
    status = bus_port_write(w->grid->port, va, src, len);
    if (status != BUS_OK) {
        sm_fault_port(w, u, status, lane, va, (uint32_t)len, true);
    }
    return status == BUS_OK;
}

static uint64_t add_f32(uint64_t x, uint64_t y)
{
    uint32_t xb = (uint32_t)x, yb = (uint32_t)y, rb;
    float a, b, r;

    memcpy(&a, &xb, 4);
    memcpy(&b, &yb, 4);
    r = a + b;
    memcpy(&rb, &r, 4);
    return r != r ? 0x7fffffffu : rb;
}

static uint64_t add_f64(uint64_t x, uint64_t y)
{
    double a, b, r;

    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    r = a + b;
    return r != r ? UINT64_C(0xfff8000000000000) : sm_bits(r);
}

static uint16_t add_f16(uint16_t x, uint16_t y)
{
    return half_put(half_get(x, PTX_HALF_F16, false) + half_get(y, PTX_HALF_F16, false),
                    PTX_HALF_F16);
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
    unsigned up = 64 - 8 * size;

    return (int64_t)(v << up) >> up;
}

/* PTX ISA 9.7.13.5. Values have @size bytes; @compare is for cas. */
uint64_t sm_atomic_apply(unsigned op, unsigned size, uint64_t old, uint64_t operand,
                         uint64_t compare)
{
    uint64_t keep = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
    bool less = sign_extend(operand, size) < sign_extend(old, size);

    switch (op) {
    case PTX_ATOM_ADD:
        return (old + operand) & keep;
    case PTX_ATOM_MIN_S:
        return less ? operand : old;
    case PTX_ATOM_MAX_S:
        return less ? old : operand;
    case PTX_ATOM_MIN_U:
        return operand < old ? operand : old;
    case PTX_ATOM_MAX_U:
        return operand > old ? operand : old;
    case PTX_ATOM_INC:
        return old >= operand ? 0 : old + 1;
    case PTX_ATOM_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    case PTX_ATOM_AND:
        return old & operand;
    case PTX_ATOM_OR:
        return old | operand;
    case PTX_ATOM_XOR:
        return old ^ operand;
    case PTX_ATOM_EXCH:
        return operand;
    case PTX_ATOM_CAS:
        return old == compare ? operand : old;
    case PTX_ATOM_ADD_F32:
        return add_f32(old, operand);
    case PTX_ATOM_ADD_F64:
        return add_f64(old, operand);
    default: /* PTX_ATOM_ADD_F16X2 */
        return add_f16((uint16_t)old, (uint16_t)operand) |
               (uint64_t)add_f16((uint16_t)(old >> 16), (uint16_t)(operand >> 16)) << 16;
    }
}
