/* SPDX-License-Identifier: MIT */
#include "tests/dla/rig.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

struct rig_page {
    uint64_t number;
    uint8_t bytes[PAGE];
};

static size_t rig_slot(const struct rig *r, uint64_t number)
{
    size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (r->slots - 1);

    while (r->pages[i] && r->pages[i]->number != number) {
        i = (i + 1) & (r->slots - 1);
    }
    return i;
}

static void rig_grow(struct rig *r)
{
    struct rig_page **old = r->pages;
    size_t n = r->slots;

    r->slots = n ? 2 * n : 1024;
    r->pages = calloc(r->slots, sizeof(struct rig_page *));
    for (size_t i = 0; i < n; i++) {
        if (old[i]) {
            r->pages[rig_slot(r, old[i]->number)] = old[i];
        }
    }
    free(old);
}

void rig_map(struct rig *r, uint64_t iova, uint64_t len)
{
    for (uint64_t n = iova / PAGE; len && n <= (iova + len - 1) / PAGE; n++) {
        size_t i;

        if (2 * r->used >= r->slots) {
            rig_grow(r);
        }
        i = rig_slot(r, n);
        if (!r->pages[i]) {
            r->pages[i] = calloc(1, sizeof(struct rig_page));
            r->pages[i]->number = n;
            r->used++;
        }
    }
}

/* Copy piece by piece; @out or @in is the caller's side. */
static int rig_copy(struct rig *r, uint64_t iova, uint8_t *out, const uint8_t *in, size_t len)
{
    while (len) {
        size_t at = iova % PAGE, n = PAGE - at < len ? PAGE - at : len;
        struct rig_page *p = r->slots ? r->pages[rig_slot(r, iova / PAGE)] : NULL;

        if (!p) {
            return 0;
        }
        if (out) {
            memcpy(out, p->bytes + at, n);
            out += n;
        } else if (in) {
            memcpy(p->bytes + at, in, n);
            in += n;
        }
        iova += n;
        len -= n;
    }
    return 1;
}

void rig_put(struct rig *r, uint64_t iova, const void *bytes, size_t len)
{
    rig_map(r, iova, len);
    rig_copy(r, iova, NULL, bytes, len);
}

int rig_get(struct rig *r, uint64_t iova, void *bytes, size_t len)
{
    return rig_copy(r, iova, bytes, NULL, len);
}

static uint64_t rig_place(const struct rig *r, enum dla_ram ram, uint64_t iova)
{
    return iova | (uint64_t)(r->cvsram && ram == DLA_RAM_CV) << 63;
}

static enum dla_status rig_read(struct dla_port *port, enum dla_ram ram, uint64_t iova, void *dst,
                                size_t len)
{
    return rig_get((struct rig *)port, rig_place((struct rig *)port, ram, iova), dst, len)
               ? DLA_OK
               : DLA_FAULT;
}

static enum dla_status rig_write(struct dla_port *port, enum dla_ram ram, uint64_t iova,
                                 const void *src, size_t len)
{
    struct rig *r = (struct rig *)port;

    iova = rig_place(r, ram, iova);
    r->writes++;
    /* All or nothing: look first. */
    return rig_copy(r, iova, NULL, NULL, len) && rig_copy(r, iova, NULL, src, len) ? DLA_OK
                                                                                   : DLA_FAULT;
}

static enum dla_status rig_tick(struct dla_port *port, uint64_t work)
{
    struct rig *r = (struct rig *)port;

    r->work += work;
    return r->budget && r->work > r->budget ? DLA_STOPPED : DLA_OK;
}

static const struct dla_port_ops rig_ops = { .read = rig_read,
                                             .write = rig_write,
                                             .tick = rig_tick };

void rig_init(struct rig *r)
{
    memset(r, 0, sizeof(*r));
    r->port.ops = &rig_ops;
}

void rig_free(struct rig *r)
{
    for (size_t i = 0; i < r->slots; i++) {
        free(r->pages[i]);
    }
    free(r->pages);
    memset(r, 0, sizeof(*r));
}

uint32_t rig_crc(struct rig *r, uint64_t iova, uint64_t len)
{
    uint32_t crc = UINT32_MAX;
    uint8_t b;

    for (; len--; iova++) {
        rig_get(r, iova, &b, 1);
        crc ^= b;
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (UINT32_C(0xedb88320) & -(crc & 1));
        }
    }
    return ~crc;
}
