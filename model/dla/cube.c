/* SPDX-License-Identifier: MIT */
#include "model/dla/cube.h"

#include "model/dla/vec.h"

#include <stdlib.h>
#include <string.h>

enum dla_status dla_fail(struct dla_port *port, enum dla_status status, const char *unit,
                         const char *field, int64_t value, const char *rule)
{
    port->error = (struct dla_error){
        .status = status, .unit = unit, .field = field, .value = value, .rule = rule
    };
    return status;
}

static enum dla_status dla_refused(struct dla_port *port, enum dla_status status, uint64_t iova,
                                   size_t len, bool write)
{
    if (status != DLA_OK) {
        port->error = (struct dla_error){ .status = status,
                                          .unit = "DMA",
                                          .field = "address",
                                          .rule = "must be mapped",
                                          .value = (int64_t)iova,
                                          .iova = iova,
                                          .len = len,
                                          .write = write };
    }
    return status;
}

/* Transfers pause between pieces that end at multiples of it, so that no line of memory is cut. */
#define PIECE_BYTES (UINT64_C(1) << 20)

static size_t dla_piece(uint64_t at, size_t left)
{
    uint64_t piece = PIECE_BYTES - at % PIECE_BYTES;

    return left < piece ? left : (size_t)piece;
}

enum dla_status dla_read(struct dla_port *port, enum dla_ram ram, uint64_t iova, void *dst,
                         size_t len)
{
    enum dla_status status = DLA_OK;

    for (size_t done = 0, n; status == DLA_OK && done < len; done += n) {
        n = dla_piece(iova + done, len - done);
        status =
            dla_refused(port, port->ops->read(port, ram, iova + done, (uint8_t *)dst + done, n),
                        iova, len, false);
        status = status == DLA_OK ? dla_rest(port, n) : status;
    }
    return status;
}

enum dla_status dla_write(struct dla_port *port, enum dla_ram ram, uint64_t iova, const void *src,
                          size_t len)
{
    enum dla_status status = DLA_OK;

    for (size_t done = 0, n; status == DLA_OK && done < len; done += n) {
        n = dla_piece(iova + done, len - done);
        status = dla_refused(
            port, port->ops->write(port, ram, iova + done, (const uint8_t *)src + done, n), iova,
            len, true);
        status = status == DLA_OK ? dla_rest(port, n) : status;
    }
    return status;
}

enum dla_status dla_rest_now(struct dla_port *port)
{
    uint64_t work = port->unrested;
    enum dla_status status = port->ops->rest ? port->ops->rest(port, work) : DLA_OK;

    port->unrested = 0;
    return status == DLA_OK ? DLA_OK
                            : dla_fail(port, status, "DLA", "work", (int64_t)work, "stopped");
}

enum dla_status dla_tick(struct dla_port *port, uint64_t work)
{
    enum dla_status status = port->ops->tick ? port->ops->tick(port, work) : DLA_OK;

    return status == DLA_OK ? DLA_OK
                            : dla_fail(port, status, "DLA", "work", (int64_t)work, "stopped");
}

void *dla_alloc_raw(struct dla_port *port, const char *unit, uint64_t count, size_t size)
{
    void *p = count <= DLA_MAX_BYTES / size ? malloc(count ? count * size : 1) : NULL;

    if (!p) {
        dla_fail(port, DLA_UNSUPPORTED, unit, "size", (int64_t)count,
                 "buffers stay below 1 GiB in this model");
    }
    return p;
}

void *dla_alloc(struct dla_port *port, const char *unit, uint64_t count, size_t size)
{
    void *p = count <= DLA_MAX_BYTES / size ? calloc(count ? count : 1, size) : NULL;

    return p ? p : dla_alloc_raw(port, unit, DLA_MAX_BYTES + 1, size);
}

enum dla_status dla_line_init(struct dla_line *l, const struct dla_config *cfg,
                              struct dla_port *port, const char *unit, const struct dla_surface *s,
                              enum dla_precision p, uint32_t width, uint32_t channels,
                              unsigned stride)
{
    *l = (struct dla_line){
        .s = *s, .p = p, .atom = cfg->atom, .stride = stride, .width = width, .channels = channels
    };
    l->bytes = dla_alloc(port, unit, (uint64_t)width * cfg->atom, 1);
    return l->bytes ? DLA_OK : DLA_UNSUPPORTED;
}

void dla_line_free(struct dla_line *l)
{
    free(l->bytes);
    l->bytes = NULL;
}

static int32_t dla_element(const uint8_t *b, enum dla_precision p)
{
    uint32_t v = p == DLA_INT8 ? b[0] : b[0] | (uint32_t)b[1] << 8;

    return p == DLA_INT8 ? (int8_t)v : p == DLA_INT16 ? (int16_t)v : (int32_t)v;
}

static uint64_t dla_line_iova(const struct dla_line *l, uint32_t surface, uint32_t y, uint32_t x)
{
    return l->s.iova + (uint64_t)surface * l->s.surf_stride + (uint64_t)y * l->s.line_stride +
           (uint64_t)x * l->atom;
}

enum dla_status dla_line_read(struct dla_line *l, struct dla_port *port, uint32_t y, uint32_t x0,
                              uint32_t n, int32_t *out)
{
    unsigned size = dla_bytes(l->p), per = l->atom / size;

    for (uint32_t c0 = 0; c0 < l->channels; c0 += per) {
        uint32_t k = dla_min(per, l->channels - c0);
        enum dla_status status = dla_read(port, l->s.ram, dla_line_iova(l, c0 / per, y, x0),
                                          l->bytes, (size_t)n * l->atom);

        if (status != DLA_OK) {
            return status;
        }
        for (uint32_t x = 0; x < n; x++) {
            int32_t *o = out + (size_t)x * l->stride + c0;
            const uint8_t *b = l->bytes + (size_t)x * l->atom;

            if (l->p == DLA_INT8) {
                dla_vec_widen8(b, k, o);
                continue;
            }
            for (uint32_t c = 0; c < k; c++) {
                o[c] = dla_element(b + c * size, l->p);
            }
        }
        status = dla_rest(port, (uint64_t)n * k);
        if (status != DLA_OK) {
            return status;
        }
    }
    return DLA_OK;
}

static void dla_line_pack(struct dla_line *l, uint32_t c0, uint32_t k, uint32_t n,
                          const int32_t *in)
{
    unsigned size = dla_bytes(l->p);

    for (uint32_t x = 0; x < n; x++) {
        const int32_t *v = in + (size_t)x * l->stride + c0;
        uint8_t *b = l->bytes + (size_t)x * l->atom;

        if (size == 1) {
            dla_vec_narrow8(v, k, b);
            continue;
        }
        for (uint32_t c = 0; c < k; c++) {
            b[c * 2] = (uint8_t)v[c];
            b[c * 2 + 1] = (uint8_t)((uint32_t)v[c] >> 8);
        }
    }
}

enum dla_status dla_line_write(struct dla_line *l, struct dla_port *port, uint32_t y, uint32_t x0,
                               uint32_t n, const int32_t *in)
{
    unsigned per = l->atom / dla_bytes(l->p);

    for (uint32_t c0 = 0; c0 < l->channels; c0 += per) {
        uint32_t k = dla_min(per, l->channels - c0);
        uint64_t iova = dla_line_iova(l, c0 / per, y, x0);
        enum dla_status status = DLA_OK;

        if (k < per) {
            status = dla_read(port, l->s.ram, iova, l->bytes, (size_t)n * l->atom);
        }
        if (status == DLA_OK) {
            dla_line_pack(l, c0, k, n, in);
            status = dla_write(port, l->s.ram, iova, l->bytes, (size_t)n * l->atom);
        }
        if (status != DLA_OK) {
            return status;
        }
    }
    return DLA_OK;
}
