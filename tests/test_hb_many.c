/* SPDX-License-Identifier: MIT */
/* The happens-before checker after a long run: what it keeps of streams, buffers and launches that
 * have gone, and that what it does keep has its own name still. And after a gap in the records. */
#include "checker/hb/hb_internal.h"
#include "tests/hb_rig.h"

/* One launch on a stream of its own, which stores to a line and is waited for. */
static void round_of(unsigned number, const char *name, uint64_t at)
{
    struct trace_record t = record(TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 0, 0);
    char line[200];

    snprintf(line, sizeof(line), "@kernel id=%u name=%s stream=%u where=app.cu:30", number, name,
             number);
    note(line);
    t.arg[3] = number;
    submit(0);
    take(0);
    send(t);
    gpu_store(0, PINNED, at, 0xf);
    t.event = TRACE_EVENT_GRID_END;
    send(t);
    done(0, 1);
}

static unsigned labels(void)
{
    return hb->labels->len - hb->labels_free->len;
}

START_TEST(streams_that_have_gone_take_no_memory)
{
    for (unsigned i = 1; i <= 50000; i++) {
        round_of(i, "k", 0);
        wait_for(0, 1, value[1]);
    }
    ck_assert_uint_lt(labels(), 5000);
    ck_assert_uint_lt(hb->labels->len, 10000);
    ck_assert_uint_lt(hb_states(hb), 20000);
    EXPECT_NONE();
}
END_TEST

/* The first launch's store is the last one to its line; 50,000 launches later that races. */
START_TEST(a_store_of_long_ago_has_its_own_name)
{
    round_of(77, "early", 64);
    for (unsigned i = 1000; i <= 51000; i++) {
        round_of(i, "k", 0);
    }
    load(PINNED, 64, 4);
    expect(HB_RACE, 64, 4);
    ck_assert_str_eq(found[0].first.name, "early");
    ck_assert_uint_eq(found[0].first.stream, 77);
    load(PINNED, 0, 4);
    ck_assert_uint_eq(n_found, 2);
    ck_assert_str_eq(found[1].first.name, "k");
    ck_assert_uint_eq(found[1].first.stream, 51000);
}
END_TEST

/* Names of a finding are told again when its repetitions are counted. */
START_TEST(a_finding_keeps_its_names)
{
    round_of(77, "early", 64);
    load(PINNED, 64, 4);
    load(PINNED, 64, 4);
    for (unsigned i = 1000; i <= 21000; i++) {
        round_of(i, "k", 64);
    }
    hb_repeats(hb);
    ck_assert_uint_ge(n_found, 2);
    ck_assert_str_eq(found[n_found - 1].first.name, "early");
}
END_TEST

START_TEST(buffers_that_have_gone_take_no_memory)
{
    const unsigned last = 3 * 4096 + 50;
    char line[100];

    for (unsigned i = DRIVER + 1; i <= last; i++) {
        region(i, "pinned", true);
        if (i < last) {
            snprintf(line, sizeof(line), "@free id=%u", i);
            note(line);
            ck_assert_ptr_null(hb_region_at(hb, i));
        }
    }
    ck_assert_ptr_nonnull(hb_region_at(hb, PINNED));
    ck_assert_ptr_eq(hb_region_next(hb, hb_region_at(hb, MANAGED)), hb_region_at(hb, last));
    store(last, 0, 4);
    submit(0);
    take(0);
    store(last, 0, 4);
    gpu_load(0, last, 0, 0xf);
    ck_assert_uint_eq(n_found, 1); /* of any id */
    ck_assert_uint_eq(found[0].region, last);
}
END_TEST

/* Beyond 2^24, where there was an end of them. */
START_TEST(a_region_of_any_number_is_checked)
{
    const uint32_t id = (UINT32_C(1) << 24) + 5;

    region(id, "pinned", true);
    submit(0);
    store(id, 0, 4);
    take(0);
    gpu_load(0, id, 0, 0xf);
    expect(HB_RACE, 0, 4);
}
END_TEST

static void gap(uint64_t own, uint64_t others)
{
    struct trace_record t = { .event = TRACE_EVENT_COUNT,
                              .process = TRACE_PROCESSES,
                              .arg = { own, others } };

    hb_foreign(hb, &t);
}

/* What is left out may have been what orders, or the newest bytes: no finding is invented. */
START_TEST(nothing_is_compared_across_a_gap)
{
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, 0xf); /* in the L2, newer than DRAM */
    gap(0, 0);
    gap(100, 0);
    load(MANAGED, 0, 4);
    EXPECT_NONE();
    submit(0);
    store(PINNED, 0, 4);
    take(0);
    gpu_load(0, PINNED, 0, 0xf);
    expect(HB_RACE, 0, 4);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hb_many");
    const hb_test tests[] = {
        streams_that_have_gone_take_no_memory,
        a_store_of_long_ago_has_its_own_name,
        a_finding_keeps_its_names,
        buffers_that_have_gone_take_no_memory,
        a_region_of_any_number_is_checked,
        nothing_is_compared_across_a_gap,
    };

    HB_CASE(s, "coherent", coherent, tests);
    return hb_suite_run(s);
}
