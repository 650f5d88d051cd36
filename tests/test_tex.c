/* SPDX-License-Identifier: MIT */
/* Textures and surfaces from PTX to memory. Expected values: the CUDA Programming Guide's formulas,
 * Texture Fetching; each bit against a GPU is tests/e2e/textures.sh. */
#include <string.h>

#include "grid_rig.h"
#include "model/regs/texture.h"
#include "test_grid.h"

#define OUT RIG_BASE
#define TEXTURE (RIG_BASE + 0x10000)
#define TEXELS (RIG_BASE + 0x20000)
#define PITCH 64u

static struct rig rig;
static uint64_t params[2] = { OUT, TEXTURE };

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

/* 4 x 2 texels of one float: 10 * y + x. */
static struct tex_header *texture(uint32_t flags)
{
    struct tex_header *h = rig_at(&rig, TEXTURE);

    for (unsigned y = 0; y < 2; y++) {
        for (unsigned x = 0; x < 4; x++) {
            *(float *)rig_at(&rig, TEXELS + y * PITCH + 4 * x) = (float)(10 * y + x);
        }
    }
    *h = (struct tex_header){ .magic = TEX_MAGIC,
                              .flags = flags,
                              .channel = TEX_F32,
                              .channels = 1,
                              .address = { TEX_CLAMP, TEX_CLAMP, TEX_CLAMP },
                              .levels = 1,
                              .width = 4,
                              .height = 2,
                              .depth = 1,
                              .layers = 1,
                              .pitch = PITCH,
                              .pitch_align = PITCH,
                              .slice = 2 * PITCH,
                              .level = { TEXELS } };
    return h;
}

#define BEGIN                                                                          \
    HEAD ".visible .entry k(.param .u64 out, .param .u64 tex)\n{\n.reg .b32 %r<20>;\n" \
         ".reg .b64 %d<8>;\n.reg .f32 %f<20>;\nld.param.u64 %d0, [out];\n"             \
         "ld.param.u64 %d1, [tex];\n"

static struct grid *grid;

static enum grid_state run(const char *ptx)
{
    struct grid_program *p = rig_program(ptx);
    enum grid_state state;

    grid =
        rig_grid(&rig, p, &(struct rig_launch){ .param = params, .param_bytes = sizeof(params) });
    state = rig_run(grid);
    grid_program_unref(p);
    return state;
}

static void run_well(const char *ptx)
{
    ck_assert_int_eq(run(ptx), GRID_DONE);
    grid_free(grid);
}

static void run_faults(const char *ptx, const char *reason)
{
    ck_assert_int_eq(run(ptx), GRID_FAULT);
    ck_assert_int_eq(grid_fault(grid)->kind, GRID_FAULT_MMU);
    ck_assert_str_eq(grid_fault(grid)->reason, reason);
    ck_assert_uint_gt(grid_fault(grid)->line, 0);
    grid_free(grid);
}

static float out_float(unsigned i)
{
    return ((float *)rig_at(&rig, OUT))[i];
}

static uint32_t out_word(unsigned i)
{
    return ((uint32_t *)rig_at(&rig, OUT))[i];
}

#define FETCH(x, y)                                                \
    "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%d1, {" x "," y "}];\n" \
    "st.global.f32 [%d0], %f0;\nst.global.f32 [%d0+4], %f1;\n"

/* x_B = x - 0.5: at (1.75, 1) the weights are 1/4 and 1/2: (1 + 0.25) + 0.5 * 10. */
START_TEST(a_linear_fetch_weighs_four_texels)
{
    texture(TEX_LINEAR);
    run_well(BEGIN FETCH("0f3fe00000", "0f3f800000") "ret;\n}\n");
    ck_assert_float_eq(out_float(0), 6.25f);
    ck_assert_float_eq(out_float(1), 0);
}
END_TEST

START_TEST(a_point_fetch_takes_the_floor)
{
    texture(0);
    run_well(BEGIN FETCH("0f3fe00000", "0f3f800000") "ret;\n}\n"); /* (1.75, 1) */
    ck_assert_float_eq(out_float(0), 11);
}
END_TEST

START_TEST(normalised_coordinates_repeat)
{
    struct tex_header *h = texture(TEX_NORMALIZED);

    h->address[0] = TEX_WRAP;
    run_well(BEGIN FETCH("0f3fb00000", "0f3f400000") "ret;\n}\n"); /* 1.375: 0.375 * 4 = 1.5 */
    ck_assert_float_eq(out_float(0), 11);
}
END_TEST

/* 2^40 repeats of three texels: what counts is the part, which is 0. */
START_TEST(far_coordinates_repeat)
{
    struct tex_header *h = texture(TEX_NORMALIZED);

    h->width = 3;
    h->address[0] = TEX_WRAP;
    run_well(BEGIN FETCH("0f53800000", "0f3f400000") "ret;\n}\n");
    ck_assert_float_eq(out_float(0), 10);
}
END_TEST

START_TEST(linear_memory_ends_with_zero)
{
    texture(TEX_BUFFER)->height = 1;
    run_well(BEGIN
             "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d1, {3}];\nst.global.f32 [%d0], %f0;\n"
             "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d1, {4}];\nst.global.f32 [%d0+4], %f0;\n"
             "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d1, {-1}];\nst.global.f32 [%d0+8], %f0;\n"
             "ret;\n}\n");
    ck_assert_float_eq(out_float(0), 3);
    ck_assert_float_eq(out_float(1), 0);
    ck_assert_float_eq(out_float(2), 0);
}
END_TEST

START_TEST(a_gather_goes_round_from_the_lower_left)
{
    texture(0);
    run_well(BEGIN "tld4.r.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%d1, {0f40000000, 0f3f800000}];\n"
                   "st.global.v4.f32 [%d0], {%f0,%f1,%f2,%f3};\nret;\n}\n");
    ck_assert_float_eq(out_float(0), 11);
    ck_assert_float_eq(out_float(1), 12);
    ck_assert_float_eq(out_float(2), 2);
    ck_assert_float_eq(out_float(3), 1);
}
END_TEST

START_TEST(queries_answer_extents)
{
    texture(0);
    run_well(BEGIN "txq.width.b32 %r0, [%d1];\ntxq.height.b32 %r1, [%d1];\n"
                   "st.global.v2.b32 [%d0], {%r0,%r1};\nret;\n}\n");
    ck_assert_uint_eq(out_word(0), 4);
    ck_assert_uint_eq(out_word(1), 2);
}
END_TEST

START_TEST(halves_come_in_pairs)
{
    texture(0);
    run_well(BEGIN "tex.2d.v2.f16x2.f32 {%r0,%r1}, [%d1, {0f3fe00000, 0f3f000000}];\n"
                   "st.global.v2.b32 [%d0], {%r0,%r1};\nret;\n}\n");
    ck_assert_uint_eq(out_word(0), 0x3c00); /* 1, 0 */
    ck_assert_uint_eq(out_word(1), 0);
}
END_TEST

START_TEST(a_surface_stores_loads_and_adds)
{
    texture(TEX_SURFACE)->channel = TEX_U32;
    run_well(BEGIN "mov.u32 %r0, 77;\nsust.b.2d.b32.trap [%d1, {8, 1}], {%r0};\n"
                   "sured.b.add.2d.u32.trap [%d1, {8, 1}], %r0;\n"
                   "suld.b.2d.b32.trap {%r1}, [%d1, {8, 1}];\n"
                   "suld.b.2d.b32.zero {%r2}, [%d1, {16, 1}];\n"
                   "suld.b.2d.b32.clamp {%r3}, [%d1, {8, 9}];\n"
                   "st.global.v2.b32 [%d0], {%r1,%r2};\nst.global.b32 [%d0+8], %r3;\nret;\n}\n");
    ck_assert_uint_eq(out_word(0), 154);
    ck_assert_uint_eq(out_word(1), 0);
    ck_assert_uint_eq(out_word(2), 154);
    ck_assert_uint_eq(*(uint32_t *)rig_at(&rig, TEXELS + PITCH + 8), 154);
}
END_TEST

START_TEST(outside_a_surface_a_trap_is_a_fault)
{
    texture(TEX_SURFACE)->channel = TEX_U32;
    run_faults(BEGIN "suld.b.2d.b32.trap {%r1}, [%d1, {16, 1}];\nret;\n}\n", "outside the surface");
}
END_TEST

START_TEST(no_object_is_a_fault_with_a_position)
{
    static const char *const reason = "no texture or surface object";
    const char *fetch = BEGIN FETCH("0f3fe00000", "0f3f800000") "ret;\n}\n";

    run_faults(fetch, reason); /* nothing lies there */
    texture(TEX_SURFACE);
    run_faults(fetch, reason);
    texture(0)->channel = 99;
    run_faults(fetch, reason);
    texture(0)->levels = 200;
    run_faults(fetch, reason);
    texture(0)->level[0] = TEXELS + 2; /* no multiple of an element */
    run_faults(fetch, reason);
    params[1] = TEXTURE + 8;
    run_faults(fetch, reason);
    params[1] = 0;
    run_faults(fetch, reason);
}
END_TEST

#define STORE_BETWEEN                                                                   \
    BEGIN "mov.u64 %d2, 0x200020004;\nmov.f32 %f9, 0f42c60000;\n" /* texel 1: 99 */     \
        FETCH("0f3fe00000", "0f3f000000") "st.global.f32 [%d2], %f9;\n"                 \
                                          "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%d1, " \
                                          "{0f3fe00000, 0f3f000000}];\n"                \
                                          "st.global.f32 [%d0+8], %f4;\nret;\n}\n"

/* PTX ISA 9.7.10: the texture cache is not coherent with stores of the same kernel. */
START_TEST(a_store_of_the_kernel_does_not_reach_the_texture_cache)
{
    struct grid_program *p = rig_program(STORE_BETWEEN);
    uint64_t place, va;

    rig.port.observed = true;
    texture(0);
    grid =
        rig_grid(&rig, p, &(struct rig_launch){ .param = params, .param_bytes = sizeof(params) });
    ck_assert_int_eq(rig_run(grid), GRID_DONE);
    ck_assert(grid_tex_stale(grid, &place, &va));
    ck_assert_uint_eq(va, TEXELS + 4);
    grid_free(grid);
    grid_program_unref(p);
    ck_assert_float_eq(out_float(0), 1);
    ck_assert_float_eq(out_float(2), 1); /* the old one */
    ck_assert_int_eq(run(BEGIN FETCH("0f3fe00000", "0f3f000000") "ret;\n}\n"), GRID_DONE);
    ck_assert(!grid_tex_stale(grid, &place, &va));
    grid_free(grid);
    ck_assert_float_eq(out_float(0), 99); /* the next kernel sees it */
}
END_TEST

static const TTest *const *const tests[] = {
    &a_linear_fetch_weighs_four_texels,
    &a_point_fetch_takes_the_floor,
    &normalised_coordinates_repeat,
    &far_coordinates_repeat,
    &linear_memory_ends_with_zero,
    &a_gather_goes_round_from_the_lower_left,
    &queries_answer_extents,
    &halves_come_in_pairs,
    &a_surface_stores_loads_and_adds,
    &outside_a_surface_a_trap_is_a_fault,
    &no_object_is_a_fault_with_a_position,
    &a_store_of_the_kernel_does_not_reach_the_texture_cache,
};

Suite *tex_suite(void)
{
    Suite *s = suite_create("tex");
    TCase *t = tcase_create("tex");

    tcase_add_checked_fixture(t, setup, teardown);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        tcase_add_test(t, *tests[i]);
    }
    suite_add_tcase(s, t);
    return s;
}
