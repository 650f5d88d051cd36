/* SPDX-License-Identifier: MIT */
/* Arrays of elements of 1 to 8 bytes, one, two or four a lane: a whole warp at the begin of a line,
 * which sm_dense.h serves, and what is nearly so. Values, bytes and lines are worked out here lane
 * by lane. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <stdio.h>
#include <string.h>

#define DATA                                                                                       \
    4096u /* of the memory that is loaded from, in the rig's; COPY: where each lane stores what it \
             has loaded */
#define COPY 16384u
#define RESULT 65536u /* eight bytes an element */

static struct rig rig;
static const uint64_t out = RIG_BASE;

static const struct {
    const char *name;
    unsigned size;
    bool sign;
} types[] = { { "u8", 1, false },  { "s8", 1, true },  { "u16", 2, false }, { "s16", 2, true },
              { "u32", 4, false }, { "s32", 4, true }, { "u64", 8, false } };

/* Bytes from the begin of a line on; only the first two can be dense */
static const unsigned offsets[] = { 0, 128, 32, 64, 96 };
static const unsigned steps[] = { 1, 2 }; /* of the lanes, in their bytes */

struct shape {
    int type;
    unsigned vec, offset, step, threads;
};

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static unsigned lane_bytes(const struct shape *s)
{
    return types[s->type].size * s->vec;
}

static uint32_t place(const struct shape *s, unsigned lane)
{
    return s->offset + lane * s->step * lane_bytes(s);
}

static void kernel_write(const struct shape *s, char *text, size_t size)
{
    static const char *const wide[] = { "%d10", "{%d10, %d11}", NULL, "{%d10, %d11, %d12, %d13}" };
    static const char *const narrow[] = { "%r10", "{%r10, %r11}", NULL,
                                          "{%r10, %r11, %r12, %r13}" };
    static const char *const vec[] = { "", ".v2", NULL, ".v4" };
    const char *name = types[s->type].name;
    bool is_wide = types[s->type].size == 8;
    const char *regs = (is_wide ? wide : narrow)[s->vec - 1];
    int n = snprintf(text, size,
                     "%sld.param.u64 %%d2, [out];\nmov.u32 %%r1, %%tid.x;\n"
                     "mad.wide.u32 %%d3, %%r1, %u, %%d2;\nmad.wide.u32 %%d4, %%r1, %u, %%d2;\n"
                     "ld.global%s.%s %s, [%%d3+%u];\nst.global%s.%s [%%d3+%u], %s;\n",
                     ENTRY, s->step * lane_bytes(s), 8 * s->vec, vec[s->vec - 1], name, regs,
                     DATA + s->offset, vec[s->vec - 1], name, COPY + s->offset, regs);

    for (unsigned i = 0; i < s->vec; i++) {
        n += snprintf(text + n, size - (size_t)n, "st.global.%s [%%d4+%u], %%%c1%u;\n",
                      is_wide ? "u64" : "u32", RESULT + 8 * i, is_wide ? 'd' : 'r', i);
    }
    snprintf(text + n, size - (size_t)n, "ret;\n}\n");
}

/* The bytes of memory, and where the element of a lane begins in it */
static uint8_t byte_at(uint32_t at)
{
    return (uint8_t)(at * 2654435761u >> 13);
}

static uint64_t element(const struct shape *s, uint32_t at)
{
    unsigned size = types[s->type].size;
    uint64_t v = 0;

    for (unsigned b = 0; b < size; b++) {
        v |= (uint64_t)byte_at(at + b) << 8 * b;
    }
    if (types[s->type].sign && v >> (8 * size - 1)) {
        v |= ~UINT64_C(0) << (8 * size - 1);
    }
    return size == 8 ? v : (uint32_t)v;
}

static bool is_copied(const struct shape *s, uint32_t at)
{
    for (unsigned lane = 0; lane < s->threads; lane++) {
        if (at >= place(s, lane) && at < place(s, lane) + lane_bytes(s)) {
            return true;
        }
    }
    return false;
}

static uint64_t access_line[64];
static bool access_write[64];
static unsigned n_access;

static void access_keep(struct rig *r, uint64_t va, bool write)
{
    if (n_access < 64) {
        access_line[n_access] = va;
        access_write[n_access++] = write;
    }
    (void)r;
}

/* The lines of the load and of the store come first, each in the order of the lanes. */
static void lines_check(const struct shape *s)
{
    unsigned n = 0;

    for (unsigned write = 0; write < 2; write++) {
        uint64_t from = RIG_BASE + (write ? COPY : DATA), last = 0;

        for (unsigned lane = 0; lane < s->threads; lane++) {
            uint64_t line = (from + place(s, lane)) & ~(uint64_t)(BUS_LINE - 1);

            if (line != last) {
                ck_assert_uint_eq(access_line[n], line);
                ck_assert_int_eq(access_write[n], (int)write);
                n++;
            }
            last = line;
        }
    }
}

static void shape_check(const struct shape *s)
{
    struct rig_launch l = { .block = { s->threads }, .param = &out, .param_bytes = 8 };
    char text[4096];

    kernel_write(s, text, sizeof(text));
    for (uint32_t at = 0; at < 4096; at++) {
        *(uint8_t *)rig_at(&rig, RIG_BASE + DATA + at) = byte_at(at);
    }
    memset(rig_at(&rig, RIG_BASE + COPY), 0, 4096);
    n_access = 0;
    rig.on_access = access_keep;
    rig_launch(&rig, text, &l);
    for (unsigned lane = 0; lane < s->threads; lane++) {
        for (unsigned i = 0; i < s->vec; i++) {
            uint64_t want = element(s, place(s, lane) + i * types[s->type].size), got = 0;

            memcpy(&got, rig_at(&rig, RIG_BASE + RESULT + 8 * (lane * s->vec + i)),
                   types[s->type].size == 8 ? 8 : 4);
            ck_assert_msg(got == want,
                          "%s x %u at %u, step %u, lane %u, element %u: %llx, not %llx",
                          types[s->type].name, s->vec, s->offset, s->step, lane, i,
                          (unsigned long long)got, (unsigned long long)want);
        }
    }
    for (uint32_t at = 0; at < 4096; at++) {
        uint8_t want = is_copied(s, at) ? byte_at(at) : 0;

        ck_assert_msg(*(uint8_t *)rig_at(&rig, RIG_BASE + COPY + at) == want,
                      "%s x %u at %u, step %u: byte %u", types[s->type].name, s->vec, s->offset,
                      s->step, at);
    }
    lines_check(s);
}

START_TEST(arrays_of_every_element_are_loaded_and_stored)
{
    static const char *const isas[] = { "base", "avx2", "avx512" };

    if (!sm_select_named(isas[_i])) {
        return; /* not on this host */
    }
    for (int type = 0; type < (int)(sizeof(types) / sizeof(types[0])); type++) {
        for (unsigned vec = 1; vec <= (types[type].size == 8 ? 2 : 4); vec *= 2) {
            for (unsigned k = 0; k < 5 * 2 * 2; k++) {
                struct shape s = { type, vec, offsets[k % 5], steps[k / 5 % 2], k / 10 ? 31 : 32 };

                if (s.offset % lane_bytes(&s) == 0) {
                    shape_check(&s);
                }
            }
        }
    }
}
END_TEST

/* The rig's memory ends within the array: the first lane behind the end is named, and lines before
 * it have been stored. */
START_TEST(a_fault_in_an_array_names_the_first_lane_of_its_line)
{
    static const char *const text[] = { "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d3+4194048]",
                                        "st.global.v4.u32 [%d3+4194048], {%r1, %r1, %r1, %r1}" };
    char ptx[1024];
    struct rig_launch l = { .block = { 32 }, .param = &out, .param_bytes = 8 };
    struct grid_program *p;
    struct grid *g;

    snprintf(ptx, sizeof(ptx),
             "%sld.param.u64 %%d2, [out];\nmov.u32 %%r1, %%tid.x;\n"
             "mad.wide.u32 %%d3, %%r1, 16, %%d2;\n%s;\nret;\n}\n",
             ENTRY, text[_i]);
    p = rig_program(ptx);
    g = rig_grid(&rig, p, &l);
    memset(rig_at(&rig, RIG_BASE + 4194048), 0xff, 256);
    ck_assert_int_eq(rig_run(g), GRID_FAULT);
    ck_assert_uint_eq(grid_fault(g)->thread[0], 16);
    ck_assert_uint_eq(grid_fault(g)->va, RIG_BASE + RIG_BYTES);
    ck_assert_uint_eq(grid_fault(g)->size, 16);
    ck_assert_int_eq(grid_fault(g)->write, _i == 1);
    ck_assert_uint_eq(*(uint32_t *)rig_at(&rig, RIG_BASE + RIG_BYTES - 4),
                      _i == 1 ? 15 : UINT32_MAX);
    grid_free(g);
    grid_program_unref(p);
}
END_TEST

Suite *dense_suite(void)
{
    Suite *s = suite_create("dense");
    TCase *t = tcase_create("dense");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, arrays_of_every_element_are_loaded_and_stored, 0, 3);
    tcase_add_loop_test(t, a_fault_in_an_array_names_the_first_lane_of_its_line, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
