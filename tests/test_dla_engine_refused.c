/* SPDX-License-Identifier: MIT */
/* Commands and descriptors that are refused: with the error, and the field in words. */
#include "tests/dla_engine_rig.h"

START_TEST(a_bad_descriptor_is_refused_by_field)
{
    static const struct {
        uint8_t at, value;
        unsigned error;
        const char *text;
    } cases[] = {
        { 8, 3, 9, "task_desc.version = 3: the firmware takes version 2" },
        { 9, 0x45, 10, "task_desc.engine_id = 0x45: a DLA's is 0x44" },
        { 10, 20, 2, "task_desc.size = 20: at least " },
        { 20, 16, 5, "task_desc.queue_id = 16: queues are 0 to 15" },
        { 29, 0, 3, "task_desc.num_addresses = 0: 1 to 6144" },
        { 30, 0xff, 3, "task_desc.num_addresses = 65" },
        { 16, 0xf0, 6, "task_desc.preactions = 240: 1 lists lie inside the descriptor" },
        { 14, 0xff, 6, "255 lists lie inside the descriptor" },
        { 18, 0xf0, 7, "task_desc.postactions = 240: 1 lists lie inside the descriptor" },
    };
    struct dla_error_record e;

    copy_task(&a, 0, 0);
    drig_submit(&rig, &a);
    drig_command(&rig, 14, 0);
    a.memory[cases[_i].at] = cases[_i].value;
    if (cases[_i].at == 10) {
        a.memory[11] = 0;
    } else if (cases[_i].at == 29) {
        a.memory[30] = 0;
    }
    ck_assert_uint_eq(drig_command(&rig, 7, (uint32_t)(a.at >> 8)), cases[_i].error);
    e = drig_error(&rig);
    ck_assert_uint_eq(e.msg, 1); /* CMD_ERROR */
    ck_assert_uint_eq(e.error, cases[_i].error);
    ck_assert_uint_eq(e.task, a.at);
    ck_assert_msg(strstr(e.text, cases[_i].text), "%s", e.text);
}
END_TEST

START_TEST(a_bad_action_is_refused_by_its_place)
{
    static const struct {
        bool before;
        uint8_t opcode;
        unsigned error;
        const char *text;
    } cases[] = {
        { true, 0x80, 6, "preactions[0].opcode = 0x80: not an action that may stand there" },
        { true, 0xb2, 6, "preactions[0].opcode = 0xb2: grids of semaphores are not in this model" },
        { false, 0x92, 7, "postactions[0].opcode = 0x92: not an action that may stand there" },
        { false, 0xa0, 7,
          "postactions[0].opcode = 0xa0: grids of semaphores are not in this model" },
        { false, 0x55, 7, "postactions[0].opcode = 0x55: not an action that may stand there" },
    };

    copy_task(&a, 0, 0);
    if (cases[_i].before) {
        drig_pre(&a, cases[_i].opcode, SEM, 0);
    } else {
        drig_post(&a, cases[_i].opcode, SEM, 0);
    }
    ck_assert_uint_eq(drig_submit(&rig, &a), cases[_i].error);
    ck_assert_str_eq(drig_error(&rig).text, cases[_i].text);
}
END_TEST

START_TEST(an_action_that_its_list_cuts_off_is_refused)
{
    copy_task(&a, 0, 0);
    drig_post(&a, 0x80, SEM, 1);
    a.post_bytes -= 5;
    ck_assert_uint_eq(drig_submit(&rig, &a), 7);
    ck_assert_str_eq(drig_error(&rig).text,
                     "postactions[0].size = 9: an action ends behind its list");
}
END_TEST

START_TEST(a_descriptor_that_is_not_mapped_is_refused)
{
    ck_assert_uint_eq(drig_command(&rig, 7, (uint32_t)(UNMAPPED >> 8)), 4); /* INVALID_FALC_DMA */
    ck_assert_uint_eq(drig_error(&rig).iova, UNMAPPED);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x402);
}
END_TEST

START_TEST(a_command_that_is_not_there_is_named)
{
    ck_assert_uint_eq(drig_command(&rig, 10, 0), 1); /* SET_DEBUG: INVALID_METHOD */
    ck_assert_str_eq(drig_error(&rig).text, "command 10 is not in this model");
    ck_assert_uint_eq(drig_command(&rig, 11, 0), 11); /* SET_REGIONS: INVALID_REGION */
}
END_TEST

START_TEST(a_command_interrupts_when_it_is_asked_to)
{
    drig_command(&rig, 14 | 1 << 9, 0); /* on error: there is none */
    ck_assert(!soc_irq(rig.soc, UNIT_DLA));
    drig_command(&rig, 14 | 1 << 8, 0); /* on completion */
    ck_assert(soc_irq(rig.soc, UNIT_DLA));
    drig_dla_write(&rig, 0x1004, 0x80); /* FALCON_IRQSCLR */
    ck_assert(!soc_irq(rig.soc, UNIT_DLA));
    drig_command(&rig, 99 | 1 << 9, 0);
    ck_assert(soc_irq(rig.soc, UNIT_DLA));
    drig_dla_write(&rig, 0x1014, 0x80); /* FALCON_IRQMCLR */
    ck_assert(!soc_irq(rig.soc, UNIT_DLA));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine_refused");
    TCase *t = tcase_create("refused");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_bad_descriptor_is_refused_by_field, 0, 9);
    tcase_add_loop_test(t, a_bad_action_is_refused_by_its_place, 0, 5);
    tcase_add_test(t, an_action_that_its_list_cuts_off_is_refused);
    tcase_add_test(t, a_descriptor_that_is_not_mapped_is_refused);
    tcase_add_test(t, a_command_that_is_not_there_is_named);
    tcase_add_test(t, a_command_interrupts_when_it_is_asked_to);
    suite_add_tcase(s, t);
    return engine_suite_run(s);
}
