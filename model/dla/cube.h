/* SPDX-License-Identifier: MIT */
/* Lines of feature cubes, between memory and plain arrays of int32 [x][channel].
 * Integers are sign-extended, fp16 is its bits. */
#ifndef MODEL_DLA_CUBE_H
#define MODEL_DLA_CUBE_H

#include "model/dla/dla.h"

/* Buffers above this are refused: no real layer needs them, a broken one asks for them. */
#define DLA_MAX_BYTES (UINT64_C(1) << 30)

static inline unsigned dla_bytes(enum dla_precision p)
{
    return p == DLA_INT8 ? 1 : 2;
}

/* Channels of one atom. */
static inline unsigned dla_atom_channels(const struct dla_config *cfg, enum dla_precision p)
{
    return cfg->atom / dla_bytes(p);
}

static inline uint32_t dla_round_up(uint32_t v, uint32_t to)
{
    return (v + to - 1) / to * to;
}

static inline uint32_t dla_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

enum dla_status dla_fail(struct dla_port *port, enum dla_status status, const char *unit,
                         const char *field, int64_t value, const char *rule);
enum dla_status dla_read(struct dla_port *port, enum dla_ram ram, uint64_t iova, void *dst,
                         size_t len);
enum dla_status dla_write(struct dla_port *port, enum dla_ram ram, uint64_t iova, const void *src,
                          size_t len);
enum dla_status dla_tick(struct dla_port *port, uint64_t work);

/* A place where the operation can pause, after @work units (model/soc.h). Inline: inner loops count
 * each turn. */
#define DLA_REST (UINT64_C(1) << 16)
enum dla_status dla_rest_now(struct dla_port *port);
static inline enum dla_status dla_rest(struct dla_port *port, uint64_t work)
{
    port->unrested += work;
    return port->unrested < DLA_REST ? DLA_OK : dla_rest_now(port);
}

/* calloc of count * size bytes, NULL and an error if that is more than DLA_MAX_BYTES. */
void *dla_alloc(struct dla_port *port, const char *unit, uint64_t count, size_t size);
/* The same without zeros, for what is filled before it is read. */
void *dla_alloc_raw(struct dla_port *port, const char *unit, uint64_t count, size_t size);

/**
 * struct dla_line - what cube lines need: how the cube lies, and room for one line of one surface
 * @stride: elements from pixel to pixel in the array
 */
struct dla_line {
    struct dla_surface s;
    enum dla_precision p;
    unsigned atom, stride;
    uint32_t width, channels;
    uint8_t *bytes;
};

enum dla_status dla_line_init(struct dla_line *l, const struct dla_config *cfg,
                              struct dla_port *port, const char *unit, const struct dla_surface *s,
                              enum dla_precision p, uint32_t width, uint32_t channels,
                              unsigned stride);
void dla_line_free(struct dla_line *l);
/* Line @y from column @x0 on, @n pixels, of every surface that holds some of the channels. */
enum dla_status dla_line_read(struct dla_line *l, struct dla_port *port, uint32_t y, uint32_t x0,
                              uint32_t n, int32_t *out);
/* Channels beyond l->channels are not written; the rest of a half-filled atom keeps its bytes when
 * @channels ends within it. */
enum dla_status dla_line_write(struct dla_line *l, struct dla_port *port, uint32_t y, uint32_t x0,
                               uint32_t n, const int32_t *in);

#endif
