/* SPDX-License-Identifier: MIT */
/* Calls of cuRAND and cuFFT on a flat memory: results of a divided call, and that wrong calls and
 * overwritten generators end as faults. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "model/library/call.h"
#include "model/library/fft/fft.h"
#include "model/library/library.h"
#include "model/library/random/random.h"
#include "tests/grid_rig.h"
#include "tests/suite.h"

#define STATE RIG_BASE
#define OUT (RIG_BASE + 0x80000)
#define IN (RIG_BASE + 0xc0000)
#define NUMBERS 10000u

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static struct library_operand vector(uint64_t va, uint64_t n, uint32_t type)
{
    return (struct library_operand){ .va = va, .columns = n, .rows = 1, .type = type };
}

/* Return: the reason of a fault; NULL: done */
static const char *run(const struct library_call *c)
{
    struct bus_library *l = library_ops.open(&rig.port, c);
    struct bus_library_cost cost;
    enum bus_library_result r = BUS_LIBRARY_MORE;
    const char *why = NULL;

    while (r == BUS_LIBRARY_MORE) {
        r = library_ops.step(l, &cost);
    }
    if (r == BUS_LIBRARY_FAILED) {
        why = library_ops.fault(l)->reason ? library_ops.fault(l)->reason : "access";
    }
    library_ops.close(l);
    return why;
}

static struct library_call seed_call(int64_t type)
{
    struct library_call c = { .magic = LIBRARY_MAGIC,
                              .op = LIBRARY_RANDOM_SEED,
                              .batches = 1,
                              .n = { type, 0, 1234, 0, 0, 0, 1 } };

    c.operand[0] = vector(STATE, random_state_bytes((enum random_type)type), LIBRARY_R_8U);
    return c;
}

static struct library_call random_call(int64_t type, int64_t form, int64_t n)
{
    struct library_call c = { .magic = LIBRARY_MAGIC,
                              .op = LIBRARY_RANDOM,
                              .batches = 1,
                              .n = { n, type, form },
                              .scalar = { { .value = { 0 } }, { .value = { 1 } } } };

    c.operand[0] = vector(STATE, random_state_bytes((enum random_type)type), LIBRARY_R_8U);
    c.operand[1] = vector(OUT, (uint64_t)n, form == RANDOM_UNIFORM ? LIBRARY_R_32F : LIBRARY_R_64F);
    return c;
}

static void numbers_read(void *to, uint64_t va, size_t bytes)
{
    ck_assert_int_eq(bus_port_read(&rig.port, va, to, bytes), BUS_OK);
}

/* Two calls of several slices each, against the generator without memory */
START_TEST(a_state_in_memory_moves_with_each_call)
{
    static float got[2 * NUMBERS], want[2 * NUMBERS];
    struct random_setup setup = { .type = RANDOM_XORWOW, .seed = 1234, .dimensions = 1 };
    struct random_request r = {
        .form = RANDOM_UNIFORM, .n = 2 * NUMBERS, .count = 2 * NUMBERS, .math = &random_math
    };
    struct library_call seed = seed_call(RANDOM_XORWOW);
    struct library_call numbers = random_call(RANDOM_XORWOW, RANDOM_UNIFORM, NUMBERS);
    void *state = calloc(1, random_state_bytes(RANDOM_XORWOW));

    random_state_init(state, &setup);
    random_fill(state, &r, want);
    free(state);
    ck_assert_ptr_null(run(&seed));
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_ptr_null(run(&numbers));
        numbers_read(got + i * NUMBERS, OUT, NUMBERS * sizeof(*got));
    }
    ck_assert_mem_eq(got, want, sizeof(got));
}
END_TEST

START_TEST(an_overwritten_generator_is_a_fault)
{
    struct library_call seed = seed_call(RANDOM_SOBOL32);
    struct library_call numbers = random_call(RANDOM_SOBOL32, RANDOM_UNIFORM, NUMBERS);
    uint32_t wrong = 0;

    ck_assert_ptr_nonnull(run(&numbers)); /* never seeded */
    ck_assert_ptr_null(run(&seed));
    ck_assert_ptr_null(run(&numbers));
    for (uint64_t at = 0; at < 8; at += 4) { /* its type, its dimensions */
        ck_assert_ptr_null(run(&seed));
        ck_assert_int_eq(bus_port_write(&rig.port, STATE + at, &wrong, 4), BUS_OK);
        ck_assert_ptr_nonnull(run(&numbers));
    }
}
END_TEST

START_TEST(wrong_calls_of_random_numbers_are_refused)
{
    struct library_call seed = seed_call(RANDOM_XORWOW), c;
    struct library_call numbers = random_call(RANDOM_XORWOW, RANDOM_UNIFORM, 10);

    ck_assert_ptr_null(run(&seed));
    c = seed, c.n[0] = 7;
    ck_assert_ptr_nonnull(run(&c));
    c = seed, c.n[6] = 0;
    ck_assert_ptr_nonnull(run(&c));
    c = seed, c.n[6] = RANDOM_DIMENSIONS + 1;
    ck_assert_ptr_nonnull(run(&c));
    c = seed, c.operand[0].columns--;
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.n[2] = RANDOM_FORMS;
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.n[2] = -1;
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.n[2] = RANDOM_LONGS;
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.n[0] = -1;
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.n[0] = 11;
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.n[2] = RANDOM_UNIFORM_DOUBLE; /* of another size than the operand's */
    ck_assert_ptr_nonnull(run(&c));
    c = random_call(RANDOM_XORWOW, RANDOM_NORMAL_DOUBLE, 7); /* half a pair */
    ck_assert_ptr_nonnull(run(&c));
    c = numbers, c.operand[1].va = 16; /* nothing is there */
    ck_assert_ptr_nonnull(run(&c));
}
END_TEST

static struct library_call fft_call(uint32_t kind, int64_t rank)
{
    struct library_call c = { .magic = LIBRARY_MAGIC,
                              .op = LIBRARY_FFT,
                              .batches = 2,
                              .n = { 12, rank > 1 ? 10 : 1, 1, rank },
                              .mode = { LIBRARY_R_32F, kind, 0 } };
    uint64_t n = rank > 1 ? 120 : 12, half = rank > 1 ? 72 : 7;

    c.operand[0] = vector(IN, kind == LIBRARY_FFT_C2R ? half : n,
                          kind == LIBRARY_FFT_R2C ? LIBRARY_R_32F : LIBRARY_C_32F);
    c.operand[1] = vector(OUT, kind == LIBRARY_FFT_R2C ? half : n,
                          kind == LIBRARY_FFT_C2R ? LIBRARY_R_32F : LIBRARY_C_32F);
    c.operand[0].batch_pitch = 0x400;
    c.operand[1].batch_pitch = 0x500;
    return c;
}

START_TEST(batches_are_transforms_of_their_own)
{
    struct fft_shape s = { .kind = FFT_C2C, .sign = -1, .rank = 2, .n = { 12, 10 } };
    struct library_call c = fft_call(LIBRARY_FFT_C2C, 2);
    float in[240], want[240], got[240];

    for (unsigned b = 0; b < 2; b++) {
        for (unsigned i = 0; i < 240; i++) {
            in[i] = (float)(i * i % 37 + b);
        }
        ck_assert_int_eq(bus_port_write(&rig.port, IN + b * 0x400, in, sizeof(in)), BUS_OK);
    }
    ck_assert_ptr_null(run(&c));
    ck_assert(fft_run(&s, in, want));
    numbers_read(got, OUT + 0x500, sizeof(got));
    ck_assert_mem_eq(got, want, sizeof(got));
}
END_TEST

START_TEST(wrong_transforms_are_refused)
{
    for (uint32_t kind = LIBRARY_FFT_C2C; kind <= LIBRARY_FFT_C2R; kind++) {
        struct library_call good = fft_call(kind, 1 + kind % 2), c = good;

        ck_assert_ptr_null(run(&good));
        c.n[0] = 0;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.n[0] = (int64_t)1 << 33;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.n[3] = 0;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.n[3] = 4;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.mode[1] = 3;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.mode[2] = 2;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.mode[0] = LIBRARY_R_16F;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.mode[0] = LIBRARY_R_64F;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.operand[0].columns++;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.operand[1].columns--;
        ck_assert_ptr_nonnull(run(&c));
        c = good, c.operand[1].type = LIBRARY_R_32I;
        ck_assert_ptr_nonnull(run(&c));
    }
}
END_TEST

static Suite *numbers_suite(void)
{
    Suite *s = suite_create("library_numbers");
    TCase *tc = tcase_create("library_numbers");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_state_in_memory_moves_with_each_call);
    tcase_add_test(tc, an_overwritten_generator_is_a_fault);
    tcase_add_test(tc, wrong_calls_of_random_numbers_are_refused);
    tcase_add_test(tc, batches_are_transforms_of_their_own);
    tcase_add_test(tc, wrong_transforms_are_refused);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return suite_main(numbers_suite());
}
