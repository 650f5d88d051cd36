/* SPDX-License-Identifier: MIT */
/* One lane's access through a generic address, for the functions that C would call: format strings,
 * results through pointers. */
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
        base = cluster_place(w->block, shared, len, NULL);
        *bad = !base;
        return base;
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
             shared ? cluster_reason(w->block, va - w->grid->desc.shared_window)
                    : "outside the thread's local memory");
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
    sm_note_place(w, u);
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
    sm_note_place(w, u);
    status = bus_port_write(w->grid->port, va, src, len);
    if (status != BUS_OK) {
        sm_fault_port(w, u, status, lane, va, (uint32_t)len, true);
    }
    return status == BUS_OK;
}
