/* SPDX-License-Identifier: MIT */
/* What a run adds up, part by part: which note is new, sums of a region, planes of a picture, what
 * was not looked at. Values are of the records and notes; what Findings must say of what was not
 * checked is docs/report.md's. */
#include <check.h>
#include <string.h>

#include "checker/run/line_life.h"
#include "checker/run/run_planes.h"
#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"

static bool is_new(const char *line)
{
    struct note n;
    bool new;

    ck_assert_msg(note_parse(line, &n), "%s", line);
    new = run_note(run, &n);
    note_clear(&n);
    return new;
}

/* A trace keeps what a report knew nothing like before. */
static const struct {
    const char *line;
    bool again; /* the same note is new once more */
} news[] = {
    { "@run soc=orin", false },
    { "@kernel id=1 name=k grid=1,1,1 block=32,1,1", false },
    { "@source name=app/a.cu path=../a.cu", false },
    { "@region id=1 kind=pinned va=0x1000 size=64 len=4096", false },
};

START_TEST(a_note_is_new_once)
{
    ck_assert(is_new(news[_i].line));
    ck_assert_int_eq(is_new(news[_i].line), news[_i].again);
}
END_TEST

START_TEST(a_machine_that_sees_the_cpu_needs_no_hooks)
{
    g_autofree char *line = g_strdup_printf("@run soc=orin machine_sees_cpu=%d", _i);

    note(line);
    ck_assert_int_eq(run->machine_sees_cpu, _i);
    ck_assert_int_eq(run->hooks, _i);
}
END_TEST

START_TEST(sums_at_the_port_have_four_numbers)
{
    const struct run_count *n;

    note("@region id=1 kind=pinned va=0x1000 size=64 len=4096");
    record("2 igpu SUM_PORT region=1 read_bytes=3 written_bytes=5 snooped_lines=7 "
           "atomics=11");
    record("2 igpu SUM_PORT region=1 read_bytes=3 written_bytes=5 snooped_lines=7 "
           "atomics=11");
    n = &run_region(run, 1)->agent[BUS_AGENT_IGPU];
    ck_assert_uint_eq(n->port_read_bytes, 6);
    ck_assert_uint_eq(n->port_write_bytes, 10);
    ck_assert_uint_eq(n->snooped_lines, 14);
    ck_assert_uint_eq(n->atomics, 22);
}
END_TEST

/* One byte is use, and what others moved is not the iGPU's alone. */
START_TEST(one_byte_by_the_igpu_is_use)
{
    struct run_region *r;

    note("@region id=1 kind=device va=0x1000 size=64 len=4096");
    r = run_region(run, 1);
    ck_assert(!run_only_igpu(r));
    r->agent[BUS_AGENT_IGPU].read_bytes = 1;
    ck_assert(run_only_igpu(r));
    r->agent[BUS_AGENT_DLA].read_bytes = 1;
    ck_assert(!run_only_igpu(r));
}
END_TEST

/* Two planes; byte 4100 is in the second one, line 0 of it. */
START_TEST(planes_are_read_one_after_the_other)
{
    g_autofree char *first = NULL, *second = NULL;

    note("@region id=1 kind=pinned va=0x1000 size=8192 len=8192");
    ck_assert(is_new("@planes id=1 planes=\"0+4096 4096+2048\""));
    ck_assert_uint_eq(run_region(run, 1)->planes, 2);
    first = run_plane_text(run_region(run, 1), 4032, 4);
    second = run_plane_text(run_region(run, 1), 4100, 4);
    ck_assert_str_eq(first, "in plane 0, line 63");
    ck_assert_str_eq(second, "in plane 1, line 0");
    ck_assert_ptr_null(run_plane_text(run_region(run, 1), 6144, 4));
}
END_TEST

/* A run without buffers that were missed, and each reason for which something was. */
START_TEST(what_was_not_looked_at_is_known)
{
    note("@run soc=orin");
    run->checked = true;
    ck_assert(!run_unchecked_any(run));
    switch (_i) {
    case 0:
        run->checked = false;
        break;
    case 1:
        run->left_out = 1;
        break;
    case 2:
        run->unseen = g_strdup("io_uring");
        break;
    default:
        run->forgot[_i - 3] = 1;
    }
    ck_assert(run_unchecked_any(run));
    run->machine_sees_cpu = true; /* it sees all there is */
    ck_assert(!run_unchecked_any(run));
}
END_TEST

START_TEST(stores_and_atomics_change_bytes_and_loads_do_not)
{
    static const enum trace_event stores[] = { TRACE_EVENT_CPU_STORE, TRACE_EVENT_CPU_ATOMIC,
                                               TRACE_EVENT_GPU_STORE, TRACE_EVENT_GPU_ATOMIC,
                                               TRACE_EVENT_DLA_STORE };
    static const enum trace_event loads[] = { TRACE_EVENT_CPU_LOAD, TRACE_EVENT_GPU_LOAD,
                                              TRACE_EVENT_DLA_LOAD };

    for (unsigned i = 0; i < G_N_ELEMENTS(stores); i++) {
        ck_assert(line_life_is_store(stores[i]) && line_life_is_access(stores[i]));
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(loads); i++) {
        ck_assert(!line_life_is_store(loads[i]) && line_life_is_access(loads[i]));
    }
    ck_assert(!line_life_is_access(TRACE_EVENT_L2_EVICT));
}
END_TEST

/* strtoull(3) with base 0: decimal, octal, hexadecimal; what is too large is the largest; else 0 */
static const struct {
    const char *text;
    uint64_t value;
} numbers[] = {
    { "0", 0 },
    { "7", 7 },
    { "1234567890123456789", UINT64_C(1234567890123456789) },
    { "9999999999999999999", UINT64_C(9999999999999999999) },
    { "18446744073709551615", UINT64_MAX },
    { "18446744073709551616", UINT64_MAX },
    { "0x1f", 31 },
    { "017", 15 },
    { "12z", 12 },
    { " 5", 5 },
    { "", 0 },
    { "z", 0 },
};

START_TEST(a_number_of_a_note_is_what_c_makes_of_it)
{
    struct note n;

    note_init(&n, "kernel");
    note_str(&n, "id", numbers[_i].text);
    ck_assert_uint_eq(note_num(&n, "id"), numbers[_i].value);
    ck_assert_uint_eq(note_num(&n, "code"), 0);
    note_clear(&n);
}
END_TEST

START_TEST(dimensions_of_a_note_are_three_numbers)
{
    struct note n;

    note_init(&n, "kernel");
    note_dims(&n, "grid", (const uint32_t[]){ 0, 12, UINT32_MAX });
    note_dims(&n, "block", (const uint32_t[]){ UINT32_MAX, UINT32_MAX, UINT32_MAX });
    ck_assert_str_eq(note_get(&n, "grid"), "0,12,4294967295");
    ck_assert_str_eq(note_get(&n, "block"), "4294967295,4294967295,4294967295");
    note_clear(&n);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("run_parts");
    TCase *t = tcase_create("run_parts");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_note_is_new_once, 0, G_N_ELEMENTS(news));
    tcase_add_loop_test(t, a_machine_that_sees_the_cpu_needs_no_hooks, 0, 2);
    tcase_add_test(t, sums_at_the_port_have_four_numbers);
    tcase_add_test(t, one_byte_by_the_igpu_is_use);
    tcase_add_test(t, planes_are_read_one_after_the_other);
    tcase_add_loop_test(t, what_was_not_looked_at_is_known, 0, 3 + RUN_FORGOTS);
    tcase_add_test(t, stores_and_atomics_change_bytes_and_loads_do_not);
    tcase_add_loop_test(t, a_number_of_a_note_is_what_c_makes_of_it, 0, G_N_ELEMENTS(numbers));
    tcase_add_test(t, dimensions_of_a_note_are_three_numbers);
    suite_add_tcase(s, t);
    return suite_main(s);
}
