/* SPDX-License-Identifier: MIT */
/* Library calls on a flat memory: which bytes they touch, in which steps, and what wrong calls end
 * as. */
#include <check.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/library/call.h"
#include "model/library/library.h"
#include "tests/grid_rig.h"
#include "tests/suite.h"

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

#define A RIG_BASE
#define B (RIG_BASE + 0x80000)
#define C (RIG_BASE + 0x100000)

static struct library_operand matrix(uint64_t va, uint64_t rows, uint64_t columns, uint32_t type,
                                     int64_t pitch)
{
    return (struct library_operand){
        .va = va, .pitch = pitch, .columns = rows, .rows = columns, .type = type
    };
}

static struct library_call gemm_call(int64_t m, int64_t n, int64_t k)
{
    struct library_call c = { .magic = LIBRARY_MAGIC,
                              .op = LIBRARY_GEMM,
                              .batches = 1,
                              .n = { m, n, k },
                              .scalar = { { .value = { 1 } }, { .value = { 0 } } } };

    c.operand[0] = matrix(A, (uint64_t)m, (uint64_t)k, LIBRARY_R_32F, m * 4);
    c.operand[1] = matrix(B, (uint64_t)k, (uint64_t)n, LIBRARY_R_32F, k * 4);
    c.operand[2] = matrix(C, (uint64_t)m, (uint64_t)n, LIBRARY_R_32F, m * 4);
    return c;
}

/* Steps until it ends. */
static enum bus_library_result run(const struct library_call *c, unsigned *steps,
                                   struct bus_library_fault *fault)
{
    struct bus_library *l = library_ops.open(&rig.port, c);
    struct bus_library_cost cost;
    enum bus_library_result r = BUS_LIBRARY_MORE;

    for (*steps = 0; r == BUS_LIBRARY_MORE && *steps < 100000; ++*steps) {
        r = library_ops.step(l, &cost);
    }
    *fault = *library_ops.fault(l);
    library_ops.close(l);
    return r;
}

static void run_well(const struct library_call *c)
{
    struct bus_library_fault fault;
    unsigned steps;

    ck_assert_msg(run(c, &steps, &fault) == BUS_LIBRARY_DONE, "%s",
                  fault.reason ? fault.reason : "fault");
}

static void numbers(uint64_t va, size_t n)
{
    float *f = rig_at(&rig, va);
    uint32_t s = (uint32_t)va | 1;

    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        f[i] = (float)(int32_t)s * 0x1p-31f;
    }
}

START_TEST(vectors_of_the_host_change_no_bit)
{
    static const char *const isas[] = { "base", "avx2", "avx512" };
    struct library_call c = gemm_call(45, 19, 301), dot = gemm_call(1, 1, 1);
    uint8_t *first = NULL;

    numbers(A, 45 * 301);
    numbers(B, 301 * 19);
    dot.op = LIBRARY_DOT;
    dot.n[0] = 5000;
    dot.operand[0] = matrix(A, 5000, 1, LIBRARY_R_32F, 0);
    dot.operand[1] = matrix(B, 5000, 1, LIBRARY_R_32F, 0);
    dot.operand[2] = matrix(C + 0x10000, 1, 1, LIBRARY_R_64F, 0);
    for (unsigned i = 0; i < 3; i++) {
        if (library_select_named(isas[i])) {
            run_well(&c);
            run_well(&dot);
            first = first ? first : g_memdup2(rig_at(&rig, C), 0x10008);
            ck_assert_msg(memcmp(first, rig_at(&rig, C), 0x10008) == 0, "%s", isas[i]);
        }
    }
    g_free(first);
}
END_TEST

static uint64_t touched_least, touched_most, writes;

static void touch(struct rig *r, uint64_t va, bool write)
{
    (void)r;
    writes += write;
    touched_least = va < touched_least ? va : touched_least;
    touched_most = va > touched_most ? va : touched_most;
}

/* BLAS: with beta = 0, C need not be set on input. */
START_TEST(what_is_not_referenced_is_not_read)
{
    struct library_call c = gemm_call(4, 4, 4);
    float *a = rig_at(&rig, A), *b = rig_at(&rig, B), *out = rig_at(&rig, C);

    for (unsigned i = 0; i < 16; i++) {
        a[i] = i % 4 <= i / 4 ? 1 : NAN; /* upper triangle by columns */
        b[i] = i % 4 == i / 4;
        out[i] = NAN;
    }
    c.mode[1] = LIBRARY_SYMMETRIC;
    c.operand[0].flags = LIBRARY_UPPER;
    run_well(&c);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_float_eq(out[i], 1);
    }
    c.mode[1] = LIBRARY_TRIANGLE; /* the other half is zero, the diagonal one */
    c.operand[0].flags = LIBRARY_UPPER | LIBRARY_UNIT;
    a[0] = a[5] = a[10] = a[15] = NAN;
    run_well(&c);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_float_eq(out[i], i % 4 <= i / 4 ? 1 : 0);
    }
}
END_TEST

START_TEST(only_the_triangle_of_the_result_is_written)
{
    struct library_call c = gemm_call(4, 4, 4);
    float *out = rig_at(&rig, C);

    numbers(A, 16);
    numbers(B, 16);
    for (unsigned i = 0; i < 16; i++) {
        out[i] = 100;
    }
    c.operand[2].flags = LIBRARY_LOWER;
    run_well(&c);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert(i % 4 >= i / 4 ? out[i] != 100 : out[i] == 100);
    }
}
END_TEST

START_TEST(no_element_takes_no_time)
{
    struct library_call c = gemm_call(0, 4, INT64_C(1) << 40);

    c.operand[1] = matrix(B, 0, 0, LIBRARY_R_32F, 0);
    c.n[1] = 0;
    run_well(&c);
}
END_TEST

/* Others may come after each 64 KiB: half of a result can be seen. */
START_TEST(a_call_moves_by_steps)
{
    struct library_call c = { .magic = LIBRARY_MAGIC, .op = LIBRARY_COPY, .batches = 1 };
    struct bus_library_fault fault;
    unsigned steps;

    c.n[0] = 0x20000; /* 512 KiB from A, as many to C */
    c.operand[0] = matrix(A, 0x20000, 1, LIBRARY_R_32F, 0);
    c.operand[1] = matrix(C, 0x20000, 1, LIBRARY_R_32F, 0);
    numbers(A, 0x20000);
    ck_assert_int_eq(run(&c, &steps, &fault), BUS_LIBRARY_DONE);
    ck_assert_uint_ge(steps, 16);
    ck_assert_mem_eq(rig_at(&rig, A), rig_at(&rig, C), 0x80000);
    c.n[0] = c.operand[0].columns = c.operand[1].columns = 4;
    ck_assert_int_eq(run(&c, &steps, &fault), BUS_LIBRARY_DONE);
    ck_assert_uint_eq(steps, 1);
}
END_TEST

START_TEST(faults_are_the_ports_and_name_the_address)
{
    struct library_call c = gemm_call(4, 4, 4);
    struct bus_library_fault fault;
    unsigned steps;

    c.operand[1].va = RIG_BASE + RIG_BYTES - 16;
    ck_assert_int_eq(run(&c, &steps, &fault), BUS_LIBRARY_FAILED);
    ck_assert_ptr_null(fault.reason);
    ck_assert(fault.status == BUS_FAULT && !fault.write && !fault.misaligned);
    ck_assert_uint_eq(fault.va, RIG_BASE + RIG_BYTES);
    c.operand[1].va = B + 2;
    ck_assert_int_eq(run(&c, &steps, &fault), BUS_LIBRARY_FAILED);
    ck_assert(fault.misaligned && fault.va == B + 2);
}
END_TEST

static void wrong(struct library_call *c, const char *why)
{
    struct bus_library_fault fault;
    unsigned steps;

    touched_least = UINT64_MAX;
    touched_most = 0;
    rig.on_access = touch;
    ck_assert_int_eq(run(c, &steps, &fault), BUS_LIBRARY_FAILED);
    ck_assert_msg(fault.reason && strstr(fault.reason, why), "%s: %s", why, fault.reason);
    ck_assert_uint_eq(touched_most, 0);
    *c = gemm_call(4, 4, 4);
}

START_TEST(wrong_calls_touch_nothing)
{
    struct library_call c = gemm_call(4, 4, 4);

    c.magic++;
    wrong(&c, "no such operation");
    c.op = LIBRARY_OP_COUNT;
    wrong(&c, "no such operation");
    c.batches = 0;
    wrong(&c, "batches");
    c.operand[0].type = 99;
    wrong(&c, "type of element");
    c.operand[0].columns = UINT64_MAX;
    wrong(&c, "larger than memory");
    c.operand[0].columns = c.operand[0].rows = UINT64_C(1) << 32;
    wrong(&c, "larger than memory");
    c.n[0] = INT64_MAX;
    wrong(&c, "larger than memory");
    c.n[0] = -4;
    wrong(&c, "another size");
    c.n[2] = 5;
    wrong(&c, "another size");
    c.operand[2].flags = LIBRARY_UPPER | LIBRARY_LOWER;
    wrong(&c, "flags");
    c.operand[2].type = LIBRARY_C_32F;
    wrong(&c, "these types");
    c.scalar[0] = (struct library_scalar){ .va = A, .type = 1000 };
    wrong(&c, "type of scalar");
}
END_TEST

/* Any bytes: no crash. A call may be long: it is left then, as a kernel is that has a limit of
 * steps. */
START_TEST(any_bytes_are_a_fault_or_a_call)
{
    uint32_t s = 7;

    for (unsigned i = 0; i < 5000; i++) {
        struct {
            struct library_call call;
            uint8_t tail[LIBRARY_TAIL_BYTES];
        } c = { gemm_call(4, 4, 4), { 0 } };
        struct bus_library_cost cost;
        struct bus_library *l;
        unsigned steps = 0;

        for (unsigned k = 0; k <= i % 4; k++) {
            s = s * 1664525u + 1013904223u;
            ((uint8_t *)&c)[8 + (s >> 8) % (sizeof(c.call) - 8)] = (uint8_t)(s >> 24) % 8;
        }
        c.call.op = (s >> 4) % LIBRARY_OP_COUNT;
        l = library_ops.open(&rig.port, &c);
        while (steps < 16 && library_ops.step(l, &cost) == BUS_LIBRARY_MORE) {
            steps++;
        }
        library_ops.close(l);
    }
}
END_TEST

START_TEST(norms_neither_overflow_nor_underflow)
{
    struct library_call c = {
        .magic = LIBRARY_MAGIC, .op = LIBRARY_NORM, .batches = 1, .mode = { LIBRARY_R_64F, 1 }
    };
    double *x = rig_at(&rig, A), *out = rig_at(&rig, C);

    c.n[0] = 100;
    c.operand[0] = matrix(A, 100, 1, LIBRARY_R_64F, 0);
    c.operand[1] = matrix(C, 1, 1, LIBRARY_R_64F, 0);
    x[3] = 3e300;
    x[70] = -4e300;
    run_well(&c);
    ck_assert_double_eq(*out, 5e300);
    x[3] = 3e-300;
    x[70] = -4e-300;
    run_well(&c);
    ck_assert_double_eq_tol(*out, 5e-300, 1e-315);
    x[5] = INFINITY;
    run_well(&c);
    ck_assert_double_eq(*out, INFINITY);
    x[6] = NAN;
    run_well(&c);
    ck_assert_double_nan(*out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("library");
    TCase *tc = tcase_create("library");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, vectors_of_the_host_change_no_bit);
    tcase_add_test(tc, what_is_not_referenced_is_not_read);
    tcase_add_test(tc, only_the_triangle_of_the_result_is_written);
    tcase_add_test(tc, no_element_takes_no_time);
    tcase_add_test(tc, a_call_moves_by_steps);
    tcase_add_test(tc, faults_are_the_ports_and_name_the_address);
    tcase_add_test(tc, wrong_calls_touch_nothing);
    tcase_add_test(tc, any_bytes_are_a_fault_or_a_call);
    tcase_add_test(tc, norms_neither_overflow_nor_underflow);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
