/* SPDX-License-Identifier: MIT */
/* Races through textures and surfaces, each with its twin: CUDA Programming Guide, texture and
 * surface memory, read/write coherency; barriers as PTX ISA 9.0, 9.7.13.1 has them. */
#include <check.h>
#include <stdlib.h>

#include "model/regs/texture.h"
#include "tests/grid_rig.h"

#define TEXTURE (RIG_BASE + 0x10000)
#define TEXELS (RIG_BASE + 0x20000)
#define WIDTH 64u

/* %d2: the thread's own texel; %r2, %r3: the one of the same lane of the other warp, in elements
 * and in bytes */
#define BEGIN                                                                                      \
    ".version 8.0\n.target sm_87\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 tex, .param .u64 texels)\n{\n.reg .b32 %r<20>;\n"               \
    ".reg .b64 %d<8>;\n.reg .f32 %f<8>;\n.reg .pred %p1;\nld.param.u64 %d1, [tex];\nld.param.u64 " \
    "%d0, [texels];\n"                                                                             \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\n"                    \
    "xor.b32 %r2, %r1, 32;\nshl.b32 %r3, %r2, 2;\nshl.b32 %r4, %r1, 2;\n"
#define STORED "st.global.u32 [%d2], %r1;\n"
#define FETCHED "tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%d1, {%r2}];\n"
#define SURFACE_STORED "sust.b.1d.b32.trap [%d1, {%r4}], {%r1};\n"
#define SURFACE_LOADED "suld.b.1d.b32.trap {%r5}, [%d1, {%r3}];\n"
#define SURFACE_REDUCED "sured.b.add.1d.u32.trap [%d1, {0}], %r1;\n"
#define LOADED "add.u64 %d3, %d0, 0;\nld.global.u32 %r5, [%d0];\n"
/* Between texels 5 and 6 and the row below, which the unit's cache has since lane 0; one thread
 * stores texel 5. */
#define FILTERED                                                                   \
    "cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f3F800000;\nadd.f32 %f1, %f1, %f2;\n" \
    "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];\n"
#define ONE_STORED "setp.eq.u32 %p1, %r1, 50;\n@%p1 st.global.u32 [%d0+20], %r1;\n"
#define BARRIER "bar.sync 0;\n"
#define END "ret;\n}\n"

static const struct tex_case {
    const char *name, *text;
    enum { BUFFER, SURFACE, FILTER } kind;
    enum grid_race_kind later, earlier; /* of the race */
    bool races;
} cases[] = {
    { "a fetch of what the other warp stores", BEGIN STORED FETCHED END, BUFFER, GRID_RACE_LOAD,
      GRID_RACE_STORE, true },
    { "a barrier before the fetch", BEGIN STORED BARRIER FETCHED END, BUFFER, 0, 0, false },
    { "a store after the other warp's fetch", BEGIN FETCHED STORED END, BUFFER, GRID_RACE_LOAD,
      GRID_RACE_STORE, true },
    { "a barrier after the fetch", BEGIN FETCHED BARRIER STORED END, BUFFER, 0, 0, false },
    { "a filter between texels that the unit has", BEGIN FILTERED ONE_STORED END, FILTER,
      GRID_RACE_LOAD, GRID_RACE_STORE, true },
    { "a barrier after the filter", BEGIN FILTERED BARRIER ONE_STORED END, FILTER, 0, 0, false },
    { "fetches alone", BEGIN FETCHED FETCHED END, BUFFER, 0, 0, false },
    { "a surface load of what the other warp stores", BEGIN SURFACE_STORED SURFACE_LOADED END,
      SURFACE, GRID_RACE_LOAD, GRID_RACE_STORE, true },
    { "a barrier before the surface load", BEGIN SURFACE_STORED BARRIER SURFACE_LOADED END, SURFACE,
      0, 0, false },
    { "a store by address, a surface load", BEGIN STORED SURFACE_LOADED END, SURFACE,
      GRID_RACE_LOAD, GRID_RACE_STORE, true },
    { "reductions of one element", BEGIN SURFACE_REDUCED SURFACE_REDUCED END, SURFACE, 0, 0,
      false },
    { "a load of what reductions change", BEGIN SURFACE_REDUCED LOADED END, SURFACE,
      GRID_RACE_ATOMIC, GRID_RACE_ATOMIC, true },
    { "a barrier before that load", BEGIN SURFACE_REDUCED BARRIER LOADED END, SURFACE, 0, 0,
      false },
};

static void header_put(struct rig *rig, int kind)
{
    static const uint32_t flags[] = { TEX_BUFFER, TEX_SURFACE, TEX_LINEAR };
    struct tex_header *h = rig_at(rig, TEXTURE);

    *h = (struct tex_header){ .magic = TEX_MAGIC,
                              .flags = flags[kind],
                              .channel = kind == FILTER ? TEX_F32 : TEX_U32,
                              .channels = 1,
                              .address = { TEX_CLAMP, TEX_CLAMP, TEX_CLAMP },
                              .levels = 1,
                              .width = WIDTH,
                              .height = kind == FILTER ? 2 : 1,
                              .depth = 1,
                              .layers = 1,
                              .pitch = WIDTH * 4,
                              .pitch_align = WIDTH * 4,
                              .slice = WIDTH * 4,
                              .level = { TEXELS } };
}

START_TEST(accesses_of_the_texture_unit_race_without_a_barrier)
{
    const struct tex_case *c = &cases[_i];
    uint64_t params[2] = { TEXTURE, TEXELS };
    struct grid_program *p = rig_program(c->text);
    const struct grid_race *rows;
    struct rig rig;
    struct grid *g;
    size_t n;

    rig_init(&rig);
    header_put(&rig, (int)c->kind);
    g = rig_grid(&rig, p,
                 &(struct rig_launch){ .block = { 2 * 32, 1, 1 },
                                       .param = params,
                                       .param_bytes = sizeof(params),
                                       .races = GRID_RACES_STRICT });
    ck_assert_int_eq(rig_run(g), GRID_DONE);
    n = grid_races(g, &rows);
    ck_assert_msg((n > 0) == c->races, "%s: %zu rows", c->name, n);
    for (size_t i = 0; i < n; i++) {
        bool either = rows[i].later.kind == c->later || rows[i].earlier.kind == c->earlier ||
                      rows[i].earlier.kind == c->later;

        ck_assert_msg(either, "%s: kinds %u and %u", c->name, rows[i].later.kind,
                      rows[i].earlier.kind);
        ck_assert_uint_eq(rows[i].bytes, 4);
        ck_assert_uint_lt(rows[i].address - TEXELS, WIDTH * 4);
        ck_assert(!rows[i].shared);
    }
    grid_free(g);
    grid_program_unref(p);
    rig_free(&rig);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_tex");
    TCase *t = tcase_create("tex");
    SRunner *r;
    int failed;

    tcase_add_loop_test(t, accesses_of_the_texture_unit_race_without_a_barrier, 0,
                        (int)(sizeof(cases) / sizeof(cases[0])));
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
