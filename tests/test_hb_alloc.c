/* SPDX-License-Identifier: MIT */
/* The happens-before checker on cudaMallocAsync: the memory must not be accessed before its stream
 * has got to the allocation (CUDA Driver API, Stream Ordered Memory Allocator), so it is an access
 * to all bytes and races with a use that nothing orders behind it. */
#include "tests/hb_rig.h"

/* In the stream of @channel, which has not got there yet. */
static void alloc_in(uint32_t channel)
{
    note("@alloc_async api=cudaMallocAsync region=2 stream=1 where=app.cu:20");
    submit(channel);
}

static void channel_waits(uint32_t channel, uint32_t id, uint32_t threshold)
{
    send(record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, channel, id, threshold));
}

/* Untouched pages and all: the first use is the first access. */
START_TEST(an_allocation_races_with_the_other_streams_use)
{
    alloc_in(0);
    take(0);
    done(0, 5);
    submit(1);
    take(1);
    gpu_load(1, DEVICE, 1024, 0xf);
    expect(HB_RACE, 1024, 4);
    ck_assert_int_eq(found[0].first.access, HB_ALLOC);
    ck_assert_str_eq(found[0].first.name, "cudaMallocAsync");
    ck_assert_str_eq(found[0].first.where, "app.cu:20");
    ck_assert_uint_eq(found[0].first.stream, 1);
}
END_TEST

/* The other stream was faster. */
START_TEST(an_allocation_races_with_the_use_before_it)
{
    alloc_in(0);
    submit(1);
    take(1);
    gpu_store(1, DEVICE, 128, 0xf0);
    EXPECT_NONE();
    take(0);
    EXPECT_NONE(); /* it may still have to wait for something */
    done(0, 5);
    expect(HB_RACE, 132, 4);
    ck_assert_int_eq(found[0].second.access, HB_ALLOC);
}
END_TEST

START_TEST(an_allocation_comes_before_its_own_streams_use)
{
    alloc_in(0);
    take(0);
    done(0, 5);
    submit(0);
    take(0);
    gpu_store(0, DEVICE, 0, ALL);
    gpu_load(0, DEVICE, 0, ALL); /* and nothing in it is stale */
    EXPECT_NONE();
}
END_TEST

START_TEST(a_use_may_wait_for_the_allocation)
{
    alloc_in(0);
    take(0);
    done(0, 5);
    submit(1);
    take(1);
    channel_waits(1, 5, 1);
    gpu_store(1, DEVICE, 0, ALL);
    EXPECT_NONE();
}
END_TEST

START_TEST(the_cpu_may_wait_for_the_allocation)
{
    alloc_in(0);
    take(0);
    done(0, 5);
    wait_for(0, 5, 1);
    submit(1);
    take(1);
    gpu_store(1, DEVICE, 0, ALL);
    EXPECT_NONE();
}
END_TEST

/* The event that says nothing of the allocation is the one that the use waited for, whoever ran
 * first. */
START_TEST(the_use_is_the_side_that_should_have_waited)
{
    submit(2);
    take(2);
    done(2, 6);
    note("@event api=cudaEventRecord stream=3 syncpt=6 value=1 where=app.cu:32");
    alloc_in(0);
    submit(1);
    take(1);
    channel_waits(1, 6, 1);
    gpu_store(1, DEVICE, 0, 0xf);
    take(0);
    done(0, 5);
    expect(HB_RACE, 0, 4);
    ck_assert_str_eq(found[0].event_where, "app.cu:32");
}
END_TEST

START_TEST(an_allocation_of_no_memory_does_no_harm)
{
    note("@alloc_async region=77 api=cudaMallocAsync");
    submit(0);
    take(0);
    done(0, 5);
    note("@alloc_async");
    submit(0);
    take(0);
    done(0, 5);
    EXPECT_NONE();
}
END_TEST

int main(void)
{
    const hb_test tests[] = {
        an_allocation_races_with_the_other_streams_use,
        an_allocation_races_with_the_use_before_it,
        an_allocation_comes_before_its_own_streams_use,
        a_use_may_wait_for_the_allocation,
        the_cpu_may_wait_for_the_allocation,
        the_use_is_the_side_that_should_have_waited,
        an_allocation_of_no_memory_does_no_harm,
    };
    Suite *s = suite_create("hb_alloc");

    HB_CASE(s, "alloc", coherent, tests);
    return hb_suite_run(s);
}
