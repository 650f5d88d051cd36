/* SPDX-License-Identifier: MIT */
/* The project's own vectors (tests/dla/vectors.tar.xz, made by tests/dla/cases.py): every operation,
 * precision, mode and configuration of its matrix.txt, as an operation, through the registers
 * in one and in both groups, and in task descriptors of both layouts. A cell without a vector
 * fails.
 */
#include "model/dla/desc.h"
#include "tests/dla/layer.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VECTORS
#define VECTORS "tests/dla"
#endif

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
        ONE(sdp, x.bytes), ONE(sdp, x.per_element), ONE(sdp, x.batch_stride),                  \
        SURFACE(sdp, x.operand)

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
    ONE(conv, pixel_x_offset),
    ONE(conv, pixel_signed),
    ONE(conv, src_uv),
    ONE(conv, uv_line_stride),
    ONE(conv, nan_to_zero),
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
    ONE(sdp, nan_to_zero),
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
    ONE(pdp, nan_to_zero),
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
    ONE(cdp, nan_to_zero),
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
    ONE(bdma, src_ram),
    ONE(bdma, dst_ram),
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

/* How a layer comes to the engine. */
enum way { STRAIGHT, REGISTERS, BOTH_GROUPS, DESCRIPTORS_28, DESCRIPTORS_32, WAYS };

/* A vector under way. @regs: of the last step, where they are the way; @skipped: it cannot go that
 * way */
struct run {
    struct rig rig;
    struct layer layer;
    const struct dla_config *cfg;
    struct dla_regs *regs;
    struct dla_stats stats;
    enum way way;
    bool skipped;
    char op[16];
    const char *name;
};

static enum dla_status run_straight(struct run *r)
{
    struct layer *l = &r->layer;
    struct dla_port *port = &r->rig.port;

    l->sdp.lut = l->cdp.lut = &l->lut;
    if (strcmp(l->kind, "sdp") == 0) {
        return dla_run_sdp(r->cfg, port, &l->sdp, &l->conv, &l->pdp, &r->stats);
    }
    if (strcmp(l->kind, "pdp") == 0) {
        return dla_run_pdp(r->cfg, port, &l->pdp, &r->stats);
    }
    if (strcmp(l->kind, "cdp") == 0) {
        return dla_run_cdp(r->cfg, port, &l->cdp, &r->stats);
    }
    return strcmp(l->kind, "bdma") == 0 ? dla_run_bdma(r->cfg, port, &l->bdma)
                                        : dla_run_rubik(r->cfg, port, &l->rubik);
}

/* In both groups: the second is programmed first and has to wait. Return: false if the
 * configuration has no such unit. */
static bool run_registers(struct run *r)
{
    unsigned bit = layer_interrupt(&r->layer);
    bool doubled = r->way == BOTH_GROUPS && strcmp(r->layer.kind, "bdma") != 0;
    uint32_t interrupts, status;

    ck_assert(dla_regs_find(r->cfg, "NVDLA_GLB.S_INTR_STATUS_0", &status));
    dla_regs_free(r->regs);
    r->regs = dla_regs_new(r->cfg, &r->rig.port);
    if (doubled) {
        if (!layer_program(r->cfg, r->regs, &r->layer, 1)) {
            return false;
        }
        ck_assert_uint_eq(r->rig.writes, 0);
        ck_assert_uint_eq(dla_regs_read(r->regs, status), 0);
    }
    if (!layer_program(r->cfg, r->regs, &r->layer, !doubled && r->way == BOTH_GROUPS)) {
        return false;
    }
    interrupts = dla_regs_read(r->regs, status) >> bit & 3;
    ck_assert_msg(interrupts == (dla_regs_fault(r->regs) ? 0u
                                 : doubled               ? 3u
                                 : r->way == BOTH_GROUPS ? 2u
                                                         : 1u),
                  "%s: interrupts 0x%x", r->name, dla_regs_read(r->regs, status));
    return true;
}

/* False if descriptors cannot say it. */
static bool run_descriptors(struct run *r, struct dla_task_error *error, bool *refused)
{
    struct described d;
    struct dla_task task = { .address = d.address };
    uint64_t size[LAYER_ADDRESSES] = { 0 };

    if (!layer_describe(&r->layer, r->way == DESCRIPTORS_28 ? 28 : 32, &d)) {
        return false;
    }
    layer_place(&r->rig, &d);
    task.size = size;
    task.addresses = d.addresses;
    task.cube_bytes = d.cube_bytes;
    *refused = dla_task_run(r->cfg, &r->rig.port, &task, &r->stats, error) != DLA_OK;
    return true;
}

/* @field: which is refused, or NULL. */
static void run(struct run *r, const char *field)
{
    const struct dla_error *e = &r->rig.port.error;
    struct dla_task_error error = { 0 };
    bool refused;

    memset(&r->stats, 0, sizeof(r->stats));
    r->rig.writes = 0;
    if (r->way == STRAIGHT) {
        refused = run_straight(r) != DLA_OK;
    } else if (r->way >= DESCRIPTORS_28) {
        r->skipped = !run_descriptors(r, &error, &refused);
        if (r->skipped) { /* few, and no others */
            ck_assert_msg(strstr(r->name, "_nan_to_zero_") || strstr(r->name, "_batch_operands_") ||
                              r->layer.conv.pixel_x_offset || field,
                          "%s: descriptors can say that", r->name);
            return;
        }
        e = &error.cause;
    } else {
        if (!run_registers(r)) { /* a unit that is not there has no registers */
            ck_assert_msg(field && (strcmp(field, "op") == 0 || strcmp(field, "mode") == 0),
                          "%s: no such unit", r->name);
            return;
        }
        e = dla_regs_fault(r->regs);
        refused = e != NULL;
    }
    if (!field) {
        ck_assert_msg(!refused, "%s: %s.%s = %" PRId64 ": %s", r->name, e ? e->unit : "",
                      e ? e->field : "", e ? e->value : 0, e ? e->rule : "");
        return;
    }
    ck_assert_msg(refused, "%s: %s is to be refused", r->name, field);
    ck_assert_msg(strcmp(e->field, field) == 0, "%s: refused for %s.%s, not for %s", r->name,
                  e->unit, e->field, field);
    ck_assert_uint_eq(r->rig.writes, 0);
}

static void expect(struct run *r, uint64_t at, const char *h)
{
    for (; h[0] > ' ' && h[1] > ' '; h += 2, at++) {
        uint8_t is = 0;

        ck_assert(rig_get(&r->rig, at, &is, 1));
        ck_assert_msg(is == hex_byte(h), "%s: 0x%" PRIx64 " holds 0x%02x, the reference 0x%02x",
                      r->name, at, is, hex_byte(h));
    }
}

static void expect_nan(struct run *r, uint64_t at)
{
    uint8_t b[2] = { 0 };

    ck_assert(rig_get(&r->rig, at, b, 2));
    ck_assert_msg(((b[0] | b[1] << 8) & 0x7fff) > 0x7c00,
                  "%s: 0x%" PRIx64 " holds 0x%02x%02x, which is no NaN", r->name, at, b[1], b[0]);
}

static void expect_stat(struct run *r, const char *name, unsigned value)
{
    static const struct {
        const char *name;
        size_t at;
    } stats[] = {
        { "nan_data", offsetof(struct dla_stats, nan_data) },
        { "inf_data", offsetof(struct dla_stats, inf_data) },
        { "nan_weights", offsetof(struct dla_stats, nan_weights) },
        { "inf_weights", offsetof(struct dla_stats, inf_weights) },
        { "nan_in", offsetof(struct dla_stats, nan_in) },
        { "inf_in", offsetof(struct dla_stats, inf_in) },
        { "nan_out", offsetof(struct dla_stats, nan_out) },
        { "pool_nan_in", offsetof(struct dla_stats, pool_nan_in) },
        { "pool_inf_in", offsetof(struct dla_stats, pool_inf_in) },
        { "pool_nan_out", offsetof(struct dla_stats, pool_nan_out) },
    };
    uint32_t is = 0;

    if (r->way == REGISTERS || r->way == BOTH_GROUPS) {
        is = dla_regs_read(r->regs, layer_counter(r->cfg, &r->layer, name));
    } else if (strcmp(name, "unequal") == 0) {
        is = r->stats.unequal;
    } else {
        size_t i = 0;

        while (strcmp(stats[i].name, name) != 0) {
            i++;
            ck_assert_msg(i < sizeof(stats) / sizeof(stats[0]), "no counter %s", name);
        }
        memcpy(&is, (const char *)&r->stats + stats[i].at, sizeof(is));
    }
    ck_assert_msg(is == value, "%s: %s is %u, the reference %u", r->name, name, is, value);
}

static const char *word_after(const char *line, unsigned words)
{
    while (words--) {
        line = strchr(line, ' ') + 1;
    }
    return line;
}

static void line_of_memory(struct run *r, const char *line)
{
    uint64_t a, n, seed;
    unsigned low, high;

    if (sscanf(line, "fill %" SCNx64 " %" SCNu64 " %" SCNu64, &a, &n, &seed) == 3) {
        fill(&r->rig, a, n, seed);
    } else if (sscanf(line, "fill16 %" SCNx64 " %" SCNu64 " %" SCNu64 " %u %u", &a, &n, &seed, &low,
                      &high) == 5) {
        fill16(&r->rig, a, n, seed, low, high);
    } else if (sscanf(line, "zero %" SCNx64 " %" SCNu64, &a, &n) == 2) {
        rig_map(&r->rig, a, n);
    } else if (sscanf(line, "bytes %" SCNx64, &a) == 1) {
        put_hex(&r->rig, a, word_after(line, 2));
    } else {
        ck_abort_msg("%s: what is %s", r->name, line);
    }
}

static void line_of_vector(struct run *r, const char *line)
{
    struct layer *l = &r->layer;
    uint64_t a;
    unsigned n;
    char key[64];

    if (line[0] == ' ' && sscanf(line, " %63s", key) == 1) {
        set_field(l, r->op, key, word_after(line + 1, 1));
    } else if (sscanf(line, "config %63s", key) == 1) {
        r->cfg = dla_config_find(key);
        ck_assert_msg(r->cfg != NULL, "%s: no configuration %s", r->name, key);
    } else if (sscanf(line, "op %15s", key) == 1) {
        strcpy(r->op, key);
        if (strcmp(key, "conv") != 0 && !(strcmp(key, "pdp") == 0 && l->sdp.to_pdp)) {
            strcpy(l->kind, key);
        }
    } else if (strcmp(line, "run\n") == 0) {
        run(r, NULL);
    } else if (sscanf(line, "refuse %63s", key) == 1) {
        run(r, key);
    } else if (r->skipped) {
        return;
    } else if (sscanf(line, "expect %" SCNx64, &a) == 1) {
        expect(r, a, word_after(line, 2));
    } else if (sscanf(line, "nan %" SCNx64, &a) == 1) {
        expect_nan(r, a);
    } else if (sscanf(line, "stat %63s %u", key, &n) == 2) {
        expect_stat(r, key, n);
    } else {
        line_of_memory(r, line);
    }
}

/* False if the file has no such vector. */
static bool run_vector(const char *operation, const char *name, enum way way)
{
    char path[1024], want[600], *line = NULL;
    size_t room = 0;
    bool inside = false, found = false;
    static struct run r;
    FILE *f;

    memset(&r, 0, sizeof(r));
    snprintf(path, sizeof(path), "%s/vectors/%s.vec", VECTORS, operation);
    snprintf(want, sizeof(want), "vector %s\n", name);
    f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    rig_init(&r.rig);
    r.rig.cvsram = true;
    r.way = way;
    r.name = name;
    while (getline(&line, &room, f) > 0) {
        if (strcmp(line, want) == 0) {
            inside = found = true;
        } else if (inside && strcmp(line, "end\n") == 0) {
            break;
        } else if (inside) {
            line_of_vector(&r, line);
        }
    }
    free(line);
    fclose(f);
    dla_regs_free(r.regs);
    rig_free(&r.rig);
    return found;
}

#define ROWS 512
static char matrix[ROWS][512];
static int rows;

static void read_matrix(void)
{
    FILE *f = fopen(VECTORS "/matrix.txt", "r");

    while (f && rows < ROWS && fgets(matrix[rows], sizeof(matrix[0]), f)) {
        if (matrix[rows][0] != '#') {
            rows++;
        }
    }
    if (f) {
        fclose(f);
    }
}

/* A sanitizer makes each run ten times as long: there a row goes one of its ways only. */
#ifdef __SANITIZE_ADDRESS__
#define WAYS_OF_A_ROW 1
#else
#define WAYS_OF_A_ROW WAYS
#endif

START_TEST(every_cell_of_a_row_has_a_vector_and_agrees_with_the_reference)
{
    char op[32], mode[64], cell[3][128];

    ck_assert_msg(sscanf(matrix[_i % rows], "%31s %63s %127s %127s %127s", op, mode, cell[0],
                         cell[1], cell[2]) == 5,
                  "an empty cell: %s", matrix[_i % rows]);
    for (int p = 0; p < 3; p++) {
        ck_assert_msg(run_vector(op, cell[p], (enum way)((_i / rows + _i) % WAYS)),
                      "no vector %s in vectors/%s.vec", cell[p], op);
    }
}
END_TEST

START_TEST(the_matrix_is_there)
{
    ck_assert_int_ge(rows, 170);
    ck_assert_int_lt(rows, ROWS);
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
    tcase_add_loop_test(t, every_cell_of_a_row_has_a_vector_and_agrees_with_the_reference, 0,
                        WAYS_OF_A_ROW * rows);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
