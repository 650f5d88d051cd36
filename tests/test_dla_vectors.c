/* SPDX-License-Identifier: MIT */
/* The project's own vectors (tests/dla/vectors, made by tests/dla/reference.py): every operation,
 * precision and mode of tests/dla/matrix.txt. A cell without a vector fails. */
#include "model/dla/dla.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VECTORS
#define VECTORS "tests/dla"
#endif

/* Everything a vector can hold. @table: what lut.* fields fill. */
struct layer {
    struct dla_conv_op conv;
    struct dla_sdp_op sdp;
    struct dla_pdp_op pdp;
    struct dla_cdp_op cdp;
    struct dla_bdma_op bdma;
    struct dla_rubik_op rubik;
    struct dla_lut lut;
    char kind[16]; /* of the last operation but a pooling on the fly */
};

struct field {
    const char *op, *name;
    size_t at, size;
    unsigned count;
};

#define ONE(op, path)                                                                        \
    {                                                                                        \
#op, #path, offsetof(struct layer, op.path), sizeof(((struct layer *)0)->op.path), 1 \
    }
#define MANY(op, path, n)                                                                          \
    {                                                                                              \
#op, #path, offsetof(struct layer, op.path), sizeof(((struct layer *)0)->op.path) / (n), n \
    }
#define SURFACE(op, s) ONE(op, s.iova), ONE(op, s.line_stride), ONE(op, s.surf_stride)
#define CVT(op, c) ONE(op, c.offset), ONE(op, c.scale), ONE(op, c.truncate)
#define STAGE(x)                                                                               \
    ONE(sdp, x.enable), ONE(sdp, x.alu), ONE(sdp, x.mul), ONE(sdp, x.relu), ONE(sdp, x.prelu), \
        ONE(sdp, x.lut), ONE(sdp, x.algo), ONE(sdp, x.alu_from_memory),                        \
        ONE(sdp, x.mul_from_memory), ONE(sdp, x.alu_value), ONE(sdp, x.mul_value),             \
        ONE(sdp, x.alu_shift), ONE(sdp, x.truncate), ONE(sdp, x.alu_convert),                  \
        ONE(sdp, x.mul_convert), CVT(sdp, x.alu_cvt), CVT(sdp, x.mul_cvt), ONE(sdp, x.use),    \
        ONE(sdp, x.bytes), ONE(sdp, x.per_element), SURFACE(sdp, x.operand)

static const struct field fields[] = {
    ONE(conv, winograd),
    ONE(conv, in_precision),
    ONE(conv, precision),
    ONE(conv, width),
    ONE(conv, height),
    ONE(conv, channels),
    SURFACE(conv, src),
    ONE(conv, batches),
    ONE(conv, batch_stride),
    ONE(conv, image),
    ONE(conv, pixel_format),
    ONE(conv, convert),
    ONE(conv, subtract_mean),
    CVT(conv, cvt),
    MANY(conv, mean, 4),
    ONE(conv, kernels),
    ONE(conv, kernel_width),
    ONE(conv, kernel_height),
    ONE(conv, kernel_channels),
    ONE(conv, weights),
    ONE(conv, wmb),
    ONE(conv, wgs),
    ONE(conv, compressed),
    ONE(conv, post_extension),
    ONE(conv, stride_x),
    ONE(conv, stride_y),
    ONE(conv, dilation_x),
    ONE(conv, dilation_y),
    ONE(conv, pad_left),
    ONE(conv, pad_right),
    ONE(conv, pad_top),
    ONE(conv, pad_bottom),
    ONE(conv, pad_value),
    ONE(conv, pra_truncate),
    ONE(conv, clip_truncate),
    ONE(conv, out_width),
    ONE(conv, out_height),
    ONE(sdp, flying),
    ONE(sdp, to_pdp),
    ONE(sdp, in),
    ONE(sdp, precision),
    ONE(sdp, out),
    ONE(sdp, width),
    ONE(sdp, height),
    ONE(sdp, channels),
    ONE(sdp, batches),
    SURFACE(sdp, src),
    SURFACE(sdp, dst),
    ONE(sdp, dst_batch_stride),
    STAGE(x1),
    STAGE(x2),
    STAGE(y),
    CVT(sdp, cvt),
    ONE(pdp, flying),
    ONE(pdp, precision),
    ONE(pdp, method),
    ONE(pdp, width),
    ONE(pdp, height),
    ONE(pdp, channels),
    ONE(pdp, out_width),
    ONE(pdp, out_height),
    SURFACE(pdp, src),
    SURFACE(pdp, dst),
    ONE(pdp, kernel_width),
    ONE(pdp, kernel_height),
    ONE(pdp, stride_x),
    ONE(pdp, stride_y),
    ONE(pdp, pad_left),
    ONE(pdp, pad_right),
    ONE(pdp, pad_top),
    ONE(pdp, pad_bottom),
    MANY(pdp, pad_value, 8),
    ONE(pdp, recip_width),
    ONE(pdp, recip_height),
    ONE(pdp, splits),
    ONE(pdp, in_first),
    ONE(pdp, in_mid),
    ONE(pdp, in_last),
    ONE(pdp, out_first),
    ONE(pdp, out_mid),
    ONE(pdp, out_last),
    ONE(cdp, sqsum_bypass),
    ONE(cdp, mul_bypass),
    ONE(cdp, precision),
    ONE(cdp, width),
    ONE(cdp, height),
    ONE(cdp, channels),
    ONE(cdp, length),
    SURFACE(cdp, src),
    SURFACE(cdp, dst),
    CVT(cdp, in_cvt),
    CVT(cdp, out_cvt),
    ONE(bdma, src),
    ONE(bdma, dst),
    ONE(bdma, line_bytes),
    ONE(bdma, lines),
    ONE(bdma, surfaces),
    ONE(bdma, src_line),
    ONE(bdma, dst_line),
    ONE(bdma, src_surf),
    ONE(bdma, dst_surf),
    ONE(rubik, mode),
    ONE(rubik, precision),
    ONE(rubik, width),
    ONE(rubik, height),
    ONE(rubik, channels),
    ONE(rubik, out_channels),
    SURFACE(rubik, src),
    SURFACE(rubik, dst),
    ONE(rubik, src_planar_stride),
    ONE(rubik, dst_planar_stride),
    ONE(rubik, stride_x),
    ONE(rubik, stride_y),
    MANY(lut, le, 65),
    MANY(lut, lo, 257),
    ONE(lut, exponential),
    ONE(lut, uflow_lo),
    ONE(lut, oflow_lo),
    ONE(lut, hybrid_lo),
    ONE(lut, index_offset),
    MANY(lut, select, 2),
    MANY(lut, start, 2),
    MANY(lut, end, 2),
    MANY(lut, uflow_scale, 2),
    MANY(lut, oflow_scale, 2),
    MANY(lut, uflow_shift, 2),
    MANY(lut, oflow_shift, 2),
};

static void set_field(struct layer *l, const char *op, const char *name, const char *value)
{
    if (strncmp(name, "lut.", 4) == 0) {
        op = "lut";
        name += 4;
    }
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const struct field *f = &fields[i];
        char *p = (char *)l + f->at;

        if (strcmp(f->op, op) != 0 || strcmp(f->name, name) != 0) {
            continue;
        }
        for (unsigned k = 0; k < f->count; k++, p += f->size) {
            char *end;
            int64_t v = strtoll(value, &end, 0);

            memcpy(p, &v, f->size); /* little-endian */
            value = *end == ',' ? end + 1 : end;
        }
        return;
    }
    ck_abort_msg("no field %s.%s", op, name);
}

/* The generator of reference.py. */
static uint8_t next_byte(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint8_t)(*x >> 56);
}

static void fill(struct rig *rig, uint64_t at, uint64_t n, uint64_t seed)
{
    while (n--) {
        uint8_t b = next_byte(&seed);

        rig_put(rig, at++, &b, 1);
    }
}

static void fill16(struct rig *rig, uint64_t at, uint64_t n, uint64_t seed, unsigned low,
                   unsigned high)
{
    for (; n--; at += 2) {
        unsigned a = next_byte(&seed), b = next_byte(&seed), c = next_byte(&seed);
        unsigned v = (a & 1) << 15 | (low + b % (high - low + 1)) << 10 | (a >> 1 & 3) << 8 | c;
        uint8_t e[2] = { (uint8_t)v, (uint8_t)(v >> 8) };

        rig_put(rig, at, e, 2);
    }
}

static uint8_t hex_byte(const char *h)
{
    char two[3] = { h[0], h[1], 0 };

    return (uint8_t)strtoul(two, NULL, 16);
}

static void put_hex(struct rig *rig, uint64_t at, const char *h)
{
    for (; h[0] > ' ' && h[1] > ' '; h += 2) {
        uint8_t b = hex_byte(h);

        rig_put(rig, at++, &b, 1);
    }
}

static void run(struct rig *rig, struct layer *l, const char *name)
{
    const struct dla_config *cfg = dla_config_find("nv_full");
    struct dla_stats stats = { 0 };
    enum dla_status status;

    l->sdp.lut = l->cdp.lut = &l->lut;
    if (strcmp(l->kind, "sdp") == 0) {
        status = dla_run_sdp(cfg, &rig->port, &l->sdp, &l->conv, &l->pdp, &stats);
    } else if (strcmp(l->kind, "pdp") == 0) {
        status = dla_run_pdp(cfg, &rig->port, &l->pdp, &stats);
    } else if (strcmp(l->kind, "cdp") == 0) {
        status = dla_run_cdp(cfg, &rig->port, &l->cdp, &stats);
    } else if (strcmp(l->kind, "bdma") == 0) {
        status = dla_run_bdma(cfg, &rig->port, &l->bdma);
    } else {
        status = dla_run_rubik(cfg, &rig->port, &l->rubik);
    }
    ck_assert_msg(status == DLA_OK, "%s: %s.%s = %" PRId64 ": %s", name, rig->port.error.unit,
                  rig->port.error.field, rig->port.error.value, rig->port.error.rule);
}

static void expect(struct rig *rig, uint64_t at, const char *h, const char *name)
{
    for (; h[0] > ' ' && h[1] > ' '; h += 2, at++) {
        uint8_t is = 0;

        ck_assert(rig_get(rig, at, &is, 1));
        ck_assert_msg(is == hex_byte(h), "%s: 0x%" PRIx64 " holds 0x%02x, the reference 0x%02x",
                      name, at, is, hex_byte(h));
    }
}

static void line_of_vector(struct rig *rig, struct layer *l, char *op, const char *line,
                           const char *name)
{
    uint64_t a, n, seed;
    unsigned low, high;
    char key[64], kind[16];

    if (line[0] == ' ' && sscanf(line, " %63s", key) == 1) {
        set_field(l, op, key, strchr(line + 1, ' ') + 1);
    } else if (sscanf(line, "op %15s", kind) == 1) {
        strcpy(op, kind);
        if (strcmp(kind, "conv") != 0 && !(strcmp(kind, "pdp") == 0 && l->sdp.to_pdp)) {
            strcpy(l->kind, kind);
        }
    } else if (sscanf(line, "fill %" SCNx64 " %" SCNu64 " %" SCNu64, &a, &n, &seed) == 3) {
        fill(rig, a, n, seed);
    } else if (sscanf(line, "fill16 %" SCNx64 " %" SCNu64 " %" SCNu64 " %u %u", &a, &n, &seed, &low,
                      &high) == 5) {
        fill16(rig, a, n, seed, low, high);
    } else if (sscanf(line, "zero %" SCNx64 " %" SCNu64, &a, &n) == 2) {
        rig_map(rig, a, n);
    } else if (sscanf(line, "bytes %" SCNx64, &a) == 1) {
        put_hex(rig, a, strchr(strchr(line, ' ') + 1, ' ') + 1);
    } else if (strncmp(line, "run", 3) == 0) {
        run(rig, l, name);
    } else if (sscanf(line, "expect %" SCNx64, &a) == 1) {
        expect(rig, a, strchr(strchr(line, ' ') + 1, ' ') + 1, name);
    }
}

/* False if the file has no such vector. */
static bool run_vector(const char *operation, const char *name)
{
    char path[1024], want[600], op[16] = "", *line = NULL;
    size_t room = 0;
    bool inside = false, found = false;
    struct rig rig;
    static struct layer l;
    FILE *f;

    memset(&l, 0, sizeof(l));
    snprintf(path, sizeof(path), "%s/vectors/%s.vec", VECTORS, operation);
    snprintf(want, sizeof(want), "vector %s\n", name);
    f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    rig_init(&rig);
    while (getline(&line, &room, f) > 0) {
        if (strcmp(line, want) == 0) {
            inside = found = true;
        } else if (inside && strcmp(line, "end\n") == 0) {
            inside = false;
        } else if (inside) {
            line_of_vector(&rig, &l, op, line, name);
        }
    }
    free(line);
    fclose(f);
    rig_free(&rig);
    return found;
}

static char matrix[128][512];
static int rows;

static void read_matrix(void)
{
    FILE *f = fopen(VECTORS "/matrix.txt", "r");

    while (f && rows < 128 && fgets(matrix[rows], sizeof(matrix[0]), f)) {
        if (matrix[rows][0] != '#') {
            rows++;
        }
    }
    if (f) {
        fclose(f);
    }
}

START_TEST(every_cell_of_a_row_has_a_vector_and_agrees_with_the_reference)
{
    char op[32], mode[64], cell[3][128];

    ck_assert_msg(
        sscanf(matrix[_i], "%31s %63s %127s %127s %127s", op, mode, cell[0], cell[1], cell[2]) == 5,
        "an empty cell: %s", matrix[_i]);
    for (int p = 0; p < 3; p++) {
        ck_assert_msg(run_vector(op, cell[p]), "no vector %s in vectors/%s.vec", cell[p], op);
    }
}
END_TEST

START_TEST(the_matrix_is_there)
{
    ck_assert_int_ge(rows, 37);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_vectors");
    TCase *t = tcase_create("matrix");
    SRunner *r;
    int failed;

    read_matrix();
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_matrix_is_there);
    tcase_add_loop_test(t, every_cell_of_a_row_has_a_vector_and_agrees_with_the_reference, 0, rows);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
