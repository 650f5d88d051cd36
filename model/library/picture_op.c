/* SPDX-License-Identifier: MIT */
/* Pictures: a job of one slot, as the VIC's configuration says it (model/picture), with the bytes
 * that the VIC makes; and two pictures mixed by the weights of a third. */
#include <stdlib.h>
#include <string.h>

#include "model/library/work.h"
#include "model/picture/picture.h"

enum { IN = 0, OUT = VIC_PLANES, ROWS = 4, WEIGHT_MAX = 255 };
#define FMA_A_PIXEL 32u /* inferred: about that many instructions of a real kernel */

_Static_assert(LIBRARY_TAIL_BYTES == VIC_CONFIG_BYTES, "the configuration follows the call");

/**
 * struct job - a call under way
 * @source: pixels of the two rows of the source that were decoded last; @at: which; -1: none
 * @made: rows of the target, before the transposition
 */
struct job {
    struct library_work *w;
    struct picture_config config;
    struct picture_pixel *source[2], *made[ROWS];
    int64_t at[2];
};

static bool operand_bytes(const struct library_operand *o)
{
    return o->type == LIBRARY_R_8U && !o->flags;
}

const char *library_picture_check(const struct library_call *c)
{
    for (unsigned i = 0; i < 2 * VIC_PLANES; i++) {
        if (!operand_bytes(&c->operand[i])) {
            return "library call: a plane of a picture is no bytes";
        }
    }
    return NULL;
}

/* --- do the planes have the sizes of the configuration? --------------------------------------- */

static bool plane_is(const struct library_operand *o, uint64_t bytes, uint64_t rows)
{
    return bytes && rows ? o->columns == bytes && o->rows == rows : library_operand_count(o) == 0;
}

/* Samples of the target in a plane of the output. */
static void target_size(const struct picture_config *c, unsigned plane, uint64_t *bytes,
                        uint64_t *rows)
{
    struct vic_layout l = vic_layout_of(c->out.format);
    uint64_t across = c->target.right - c->target.left + 1;
    uint64_t down = c->target.bottom - c->target.top + 1;
    uint64_t width = c->transpose ? down : across, height = c->transpose ? across : down;

    *bytes =
        plane < l.planes ? plane ? (width + l.sub_x - 1) / l.sub_x * l.chroma : width * l.first : 0;
    *rows = plane ? (height + l.sub_y - 1) / l.sub_y : height;
}

/* Packed 4:2:2 comes in pairs of pixels. */
static bool pairs_whole(const struct picture_config *c)
{
    uint64_t bytes, rows;

    target_size(c, 0, &bytes, &rows);
    return !(vic_is_packed(c->slot[0].in.format) && c->slot[0].in.width % 2) &&
           !(vic_is_packed(c->out.format) && bytes % 4);
}

static bool planes_fit(const struct library_call *call, const struct picture_config *c)
{
    if (!pairs_whole(c)) {
        return false;
    }
    for (unsigned i = 0; i < VIC_PLANES; i++) {
        unsigned in_rows, in_bytes = picture_plane_row_bytes(&c->slot[0].in, i, &in_rows);
        uint64_t bytes, rows;

        target_size(c, i, &bytes, &rows);
        if (!plane_is(&call->operand[IN + i], in_bytes, in_rows) ||
            !plane_is(&call->operand[OUT + i], bytes, rows)) {
            return false;
        }
    }
    return true;
}

static bool config_take(struct job *j)
{
    uint32_t wrong;

    if (!picture_config_read(j->w->tail, &j->config, &wrong) || !j->config.slot[0].enabled) {
        return false;
    }
    for (unsigned i = 1; i < VIC_SLOTS; i++) {
        if (j->config.slot[i].enabled) {
            return false;
        }
    }
    return planes_fit(j->w->call, &j->config);
}

/* --- pixels ----------------------------------------------------------------------------------- */

static const struct picture_pixel *source_row(struct job *j, unsigned y)
{
    const struct picture_surface *in = &j->config.slot[0].in;
    const uint8_t *plane[VIC_PLANES];

    for (unsigned i = 0; i < VIC_PLANES && j->at[y % 2] != y; i++) {
        unsigned line = i ? y / vic_layout_of(in->format).sub_y : y;

        plane[i] = (uint8_t *)j->w->data[IN + i] + line * j->w->call->operand[IN + i].columns;
    }
    if (j->at[y % 2] != y) {
        picture_row_decode(in, plane, j->source[y % 2]);
        j->at[y % 2] = y;
    }
    return j->source[y % 2];
}

static void row_make(struct job *j, unsigned y, struct picture_pixel *out)
{
    const struct picture_slot *s = &j->config.slot[0];
    unsigned first, second, weight;
    const struct picture_pixel *a, *b;

    picture_row_begin(&j->config, out);
    if (picture_row_sources(&j->config, s, y, &first, &second, &weight)) {
        a = source_row(j, first);
        b = weight ? source_row(j, second) : a;
        picture_row_add(&j->config, s, a, b, weight, out);
    }
    picture_row_end(&j->config, out);
}

static uint8_t *target_at(const struct job *j, unsigned plane, unsigned x, unsigned y)
{
    struct vic_layout l = vic_layout_of(j->config.out.format);
    size_t stride = j->w->call->operand[OUT + plane].columns;
    uint8_t *data = j->w->data[OUT + plane];

    return plane ? data + y / l.sub_y * stride + (size_t)(x / l.sub_x) * l.chroma
                 : data + y * stride + (size_t)x * l.first;
}

/* @x, @y: in the target, where a sample of chroma begins; @even, @odd: rows that share it. */
static void chroma_put(const struct job *j, unsigned x, unsigned y,
                       const struct picture_pixel *even, const struct picture_pixel *odd,
                       unsigned n)
{
    for (unsigned i = 1; i < vic_layout_of(j->config.out.format).planes; i++) {
        picture_chroma_encode(&j->config, even, odd, n, i, target_at(j, i, x, y));
    }
}

static void rows_put(const struct job *j, unsigned y, unsigned rows, unsigned n)
{
    unsigned step = vic_layout_of(j->config.out.format).sub_y == 2 ? 2 : 1;

    for (unsigned i = 0; i < rows; i++) {
        picture_luma_encode(&j->config, j->made[i], n, target_at(j, 0, 0, y + i));
        if (i % step == step - 1 || i == rows - 1) {
            unsigned even = i - i % step;

            chroma_put(j, 0, y + even, j->made[even], j->made[i], n);
        }
    }
}

/* Columns of the output, from column @y on. */
static void columns_put(const struct job *j, unsigned y, unsigned rows, unsigned n)
{
    unsigned step = vic_layout_of(j->config.out.format).sub_y == 2 ? 2 : 1;
    struct picture_pixel pixels[2][ROWS];

    for (unsigned x = 0; x < n; x++) {
        for (unsigned i = 0; i < rows; i++) {
            pixels[x % step][i] = j->made[i][x];
        }
        picture_luma_encode(&j->config, pixels[x % step], rows, target_at(j, 0, y, x));
        if (x % step == step - 1 || x == n - 1) {
            chroma_put(j, y, x - x % step, pixels[0], pixels[x % step], rows);
        }
    }
}

static void job_run(struct job *j)
{
    const struct picture_rect *t = &j->config.target;
    unsigned n = t->right - t->left + 1;

    for (unsigned y = t->top; y <= t->bottom; y += ROWS) {
        unsigned rows = t->bottom - y + 1 < ROWS ? t->bottom - y + 1 : ROWS;

        for (unsigned i = 0; i < rows; i++) {
            row_make(j, y + i, j->made[i]);
        }
        if (j->config.transpose) {
            columns_put(j, y - t->top, rows, n);
        } else {
            rows_put(j, y - t->top, rows, n);
        }
    }
    j->w->cost.single += (uint64_t)n * (t->bottom - t->top + 1) * FMA_A_PIXEL;
}

void library_picture_run(struct library_work *w)
{
    struct job j = { .w = w, .at = { -1, -1 } };
    struct picture_pixel *rows;

    if (!config_take(&j)) {
        w->why = "library call: a picture's planes and its configuration do not fit";
        return;
    }
    rows = calloc((2 + ROWS) * (size_t)VIC_SIZE_MAX, sizeof(*rows));
    if (!rows) {
        w->why = "library call: the host has no memory for a picture's rows";
        return;
    }
    for (unsigned i = 0; i < 2 + ROWS; i++) {
        *(i < 2 ? &j.source[i] : &j.made[i - 2]) = rows + i * (size_t)VIC_SIZE_MAX;
    }
    job_run(&j);
    free(rows);
}

/* --- two pictures by the weights of a third ----------------------------------------------------
 */

/* Operands: a plane of each picture, the weights, the result. n[0]: bytes of a sample; n[1], n[2]:
 * pixels across and down for a sample; n[3]: bytes of a pixel's weights, 1: one for all bytes.
 * mode[1]: 1: the bytes of n[4] in the place of the second picture; mode[2]: 1: all weights are
 * 255. */
const char *library_picture_blend_check(const struct library_call *c)
{
    const struct library_operand *a = &c->operand[0], *weight = &c->operand[2];
    const int64_t *n = c->n;

    for (unsigned i = 0; i < 4; i++) {
        if (!operand_bytes(&c->operand[i])) {
            return "library call: a plane of a picture is no bytes";
        }
    }
    for (unsigned i = 1; i < 4; i += 2) {
        if (i == 1 && c->mode[1]
                ? library_operand_count(&c->operand[1]) != 0
                : c->operand[i].columns != a->columns || c->operand[i].rows != a->rows) {
            return "library call: planes of different sizes";
        }
    }
    if (n[0] < 1 || n[0] > 4 || n[1] < 1 || n[1] > 2 || n[2] < 1 || n[2] > 2 ||
        (n[3] != 1 && (n[3] != n[0] || n[1] * n[2] != 1)) || a->columns % (uint64_t)n[0]) {
        return "library call: no such samples";
    }
    if (c->mode[2]) {
        return library_operand_count(weight) ? "library call: weights of another size" : NULL;
    }
    if (a->rows && a->columns &&
        (weight->columns / (uint64_t)n[3] <
             (a->columns / (uint64_t)n[0] - 1) * (uint64_t)n[1] + 1 ||
         weight->rows < (a->rows - 1) * (uint64_t)n[2] + 1)) {
        return "library call: weights of another size";
    }
    return NULL;
}

/* Rounded to the nearest (inferred). */
static uint8_t byte_mix(unsigned a, unsigned b, unsigned weight)
{
    return (uint8_t)((a * weight + b * (WEIGHT_MAX - weight) + WEIGHT_MAX / 2) / WEIGHT_MAX);
}

void library_picture_blend_run(struct library_work *w)
{
    const struct library_operand *o = w->call->operand;
    const int64_t *n = w->call->n;
    const uint8_t *a = w->data[0], *b = w->data[1], *weight = w->data[2];
    uint8_t *out = w->data[3];

    for (uint64_t y = 0; y < o[0].rows; y++) {
        const uint8_t *line = w->call->mode[2] ? NULL : weight + y * (uint64_t)n[2] * o[2].columns;

        for (uint64_t x = 0; x < o[0].columns; x++) {
            uint64_t i = y * o[0].columns + x, sample = x / (uint64_t)n[0];
            uint64_t at = sample * (uint64_t)n[1] * (uint64_t)n[3];

            at += n[3] == 1 ? 0 : x % (uint64_t)n[0];
            out[i] = byte_mix(
                a[i],
                w->call->mode[1] ? (uint8_t)((uint64_t)n[4] >> 8 * (x % (uint64_t)n[0])) : b[i],
                line ? line[at] : WEIGHT_MAX);
        }
    }
    w->cost.single += 2 * library_operand_count(&o[0]);
}
