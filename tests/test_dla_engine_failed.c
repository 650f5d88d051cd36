/* SPDX-License-Identifier: MIT */
/* Tasks that fail, and tasks that hang. */
#include "tests/dla_engine_rig.h"

static struct drig_task b; /* runs after a, or beside it */

/* --- tasks that fail ------------------------------------------------------------------------- */

static void unmapped_task(struct drig_task *t, unsigned index, uint64_t to)
{
    drig_task(&rig, t, index, 0);
    drig_copy(t, to, FROM, 1, 0);
    drig_post(t, 0x80, drig_shim(&rig, 5), 1);
    drig_post(t, 0xc1, SEM, 7);
}

START_TEST(a_refused_access_ends_the_task_and_names_it)
{
    struct dla_error_record e;

    unmapped_task(&a, 3, UNMAPPED);
    drig_submit(&rig, &a);
    drig_run(&rig);
    e = drig_error(&rig);
    ck_assert_uint_eq(e.msg, 3);    /* EXCEPTION */
    ck_assert_uint_eq(e.error, 15); /* ENGINE_TIMEOUT: it does not go on */
    ck_assert_uint_eq(e.iova, UNMAPPED);
    ck_assert_uint_eq(e.write, 1);
    ck_assert_uint_eq(e.sequence, 3);
    ck_assert_str_eq(
        e.text,
        "operation_list[0]: the DLA cannot write 0xc0000000, 32 bytes: no such access is mapped");
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x402);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x60), (uint32_t)UNMAPPED);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x1040), 3 | 7 << 8 | 15 << 16);
    ck_assert(soc_irq(rig.soc, UNIT_DLA));
    ck_assert(soc_irq(rig.soc, UNIT_SMMU1));
    /* who waits for it is released and can see that it failed */
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_eq(word(SEM + 8), 15);
    ck_assert_uint_eq(drig_at(&rig, SEM + 14)[0], 1);
}
END_TEST

START_TEST(the_next_task_runs_after_one_that_failed)
{
    unmapped_task(&a, 0, UNMAPPED);
    copy_task(&b, 1, 0);
    drig_submit(&rig, &a);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

START_TEST(failures_are_told_one_after_the_other)
{
    unmapped_task(&a, 1, UNMAPPED);
    unmapped_task(&b, 2, UNMAPPED + 0x1000);
    drig_submit(&rig, &a);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).sequence, 1);
    drig_dla_write(&rig, 0x1004, 0x40); /* taken */
    ck_assert_uint_eq(drig_error(&rig).sequence, 2);
    ck_assert(soc_irq(rig.soc, UNIT_DLA));
    /* a command that fails in between takes the place; the task's message comes again */
    drig_command(&rig, 99, 0);
    ck_assert_uint_eq(drig_error(&rig).msg, 1);
    drig_dla_write(&rig, 0x1004, 0x40);
    ck_assert_uint_eq(drig_error(&rig).sequence, 2);
    drig_dla_write(&rig, 0x1004, 0x40);
    ck_assert(!soc_irq(rig.soc, UNIT_DLA));
}
END_TEST

START_TEST(a_semaphore_that_is_not_mapped_ends_the_task)
{
    copy_task(&a, 0, 0);
    drig_pre(&a, 0x92, UNMAPPED + 8, 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(!copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_error(&rig).error, 4); /* INVALID_FALC_DMA */
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, UNMAPPED + 8, 1);
    drig_post(&a, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1); /* the others are done */
    ck_assert_uint_eq(rig.last[TRACE_EVENT_DLA_TASK_END].arg[4], 4);
}
END_TEST

START_TEST(descriptors_of_another_version_are_refused_by_name)
{
    copy_task(&a, 0, 0);
    a.desc.blob_version = 1 << 8 | 3;
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).error, 3); /* INVALID_INPUT */
    ck_assert_str_eq(drig_error(&rig).text,
                     "descriptors of blob version 1.3: this DLA takes 0.10 to 0.12 (DLA 1)");
    ck_assert(!copied(TO, FROM, 64));
}
END_TEST

START_TEST(a_network_that_is_wrong_is_refused_by_blob_and_field)
{
    copy_task(&a, 0, 0);
    a.memory[0x1000 + 4] = 77; /* surface_list[0].source_address */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_str_eq(drig_error(&rig).text,
                     "surface_list[0].source_address = 77: an address of the task");
}
END_TEST

/* --- tasks that hang ------------------------------------------------------------------------- */

START_TEST(a_task_that_hangs_ends_with_its_timeout)
{
    uint64_t before = soc_time_ns(rig.soc);

    drig_dla_write(&rig, DLA_HANG, 2); /* the second from now on */
    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_task(&rig, &b, 1, 0);
    drig_copy(&b, TO + 0x100, FROM, 1, 0);
    b.desc.timeout = 5000; /* us */
    drig_post(&b, 0x80, drig_shim(&rig, 5), 1);
    drig_submit(&rig, &b);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
    ck_assert(!copied(TO + 0x100, FROM, 32));
    ck_assert_uint_eq(drig_error(&rig).msg, 8); /* TASK_TIMEOUT */
    ck_assert_uint_eq(drig_error(&rig).error, 15);
    ck_assert_uint_eq(drig_syncpt(&rig, 5), 1);
    ck_assert_uint_ge(soc_time_ns(rig.soc) - before, 5000000);
    ck_assert_uint_lt(soc_time_ns(rig.soc) - before, 5100000);
}
END_TEST

START_TEST(a_task_that_takes_too_long_is_stopped)
{
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 256, 0); /* 16 us of traffic */
    drig_copy(&a, TO + 0x3000, FROM, 1, 0);
    a.desc.timeout = 10;
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 8);
    ck_assert(!copied(TO + 0x3000, FROM, 32));
}
END_TEST

/* One operation that copies 8 KiB 65535 times. */
START_TEST(a_task_is_stopped_inside_an_operation)
{
    uint64_t before = soc_time_ns(rig.soc);

    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, TO, FROM, 256, 0);
    a.memory[0x1000 + 12] = 0xff; /* lines: 65535 of them, all over the first (strides are 0) */
    a.memory[0x1000 + 13] = 0xff;
    a.desc.timeout = 5000;
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 8);
    ck_assert_uint_lt(soc_time_ns(rig.soc) - before, 10000000); /* the whole takes a second */
}
END_TEST

START_TEST(a_hang_without_timeout_lasts_until_reset)
{
    char *dump;

    drig_dla_write(&rig, DLA_HANG, 1);
    copy_task(&a, 0, 4);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_int_eq(soc_step(rig.soc, 1000), SOC_IDLE);
    dump = soc_dump(rig.soc);
    ck_assert_msg(strstr(dump, "dla0 queue 4: 1 tasks, the first (0 at 0x") &&
                      strstr(dump, "hangs"),
                  "%s", dump);
    free(dump);
    drig_dla_write(&rig, DLA_RESET, 1);
    ck_assert_int_eq(soc_step(rig.soc, 1000), SOC_IDLE);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert(copied(TO, FROM, 64));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine_failed");
    TCase *t = tcase_create("failed");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_refused_access_ends_the_task_and_names_it);
    tcase_add_test(t, the_next_task_runs_after_one_that_failed);
    tcase_add_test(t, failures_are_told_one_after_the_other);
    tcase_add_test(t, a_semaphore_that_is_not_mapped_ends_the_task);
    tcase_add_test(t, descriptors_of_another_version_are_refused_by_name);
    tcase_add_test(t, a_network_that_is_wrong_is_refused_by_blob_and_field);
    tcase_add_test(t, a_task_that_hangs_ends_with_its_timeout);
    tcase_add_test(t, a_task_that_takes_too_long_is_stopped);
    tcase_add_test(t, a_task_is_stopped_inside_an_operation);
    tcase_add_test(t, a_hang_without_timeout_lasts_until_reset);
    suite_add_tcase(s, t);
    return engine_suite_run(s);
}
