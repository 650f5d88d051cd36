/* SPDX-License-Identifier: MIT */
/* What is reached before a barrier, read off each text by hand. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "model/igpu/race/region.h"

static struct ptx_module *module;

/* Of a kernel with @body, whose instructions are numbered from 0 on */
static uint8_t *regions_of(const char *body)
{
    g_autofree char *text = g_strdup_printf(
        ".version 8.0\n.target sm_87\n.address_size 64\n.visible .entry kern(.param .u64 p)\n{\n"
        ".reg .b32 %%r<8>;\n.reg .b64 %%d<4>;\n.reg .pred %%p<4>;\n.shared .align 8 .b8 s[64];\n"
        "%s}\n",
        body);
    struct ptx_error error;

    module = ptx_parse(text, strlen(text), &error);
    ck_assert_msg(module != NULL, "%s", error.text);
    return region_find(ptx_func_find(module, "kern"));
}

static void region_is(const char *body, uint32_t inst, uint8_t expected)
{
    uint8_t *reach = regions_of(body);

    ck_assert_ptr_nonnull(reach);
    ck_assert_uint_eq(reach[inst], expected);
    g_free(reach);
    ptx_module_free(module);
}

START_TEST(a_barrier_ends_a_region)
{
    const char *body = "st.shared.u32 [s], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [s];\nret;\n";

    region_is(body, 0, REGION_STORE);
    region_is(body, 2, REGION_LOAD);
}
END_TEST

START_TEST(both_ways_of_a_branch_are_taken)
{
    region_is("@%p1 bra L;\nld.shared.u32 %r2, [s];\nret;\nL:\nst.shared.u32 [s], %r1;\nret;\n", 0,
              REGION_LOAD | REGION_STORE);
}
END_TEST

START_TEST(a_loop_goes_back_to_its_store)
{
    const char *body = "L:\nst.shared.u32 [s], %r1;\nld.shared.u32 %r2, [s];\n@%p1 bra L;\nret;\n";

    region_is(body, 1, REGION_LOAD | REGION_STORE);
}
END_TEST

START_TEST(a_guarded_barrier_or_exit_is_passed)
{
    region_is("ld.shared.u32 %r2, [s];\n@%p1 bar.sync 0;\n@%p2 exit;\nst.shared.u32 [s], %r1;\n"
              "ret;\n",
              0, REGION_LOAD | REGION_STORE);
}
END_TEST

START_TEST(atomic_operations_are_apart_by_size)
{
    region_is("atom.shared.add.u32 %r1, [s], 1;\nred.shared.add.u32 [s], 1;\nret;\n", 0,
              REGION_ATOMIC_32);
    region_is("atom.shared.add.u32 %r1, [s], 1;\nred.shared.add.u64 [s], 1;\nret;\n", 0,
              REGION_ATOMIC_32 | REGION_ATOMIC_64);
}
END_TEST

START_TEST(generic_addresses_may_be_shared_memory)
{
    region_is("ld.u32 %r1, [%d1];\nret;\n", 0, REGION_LOAD);
    region_is("st.u32 [%d1], %r1;\nret;\n", 0, REGION_STORE);
    region_is("st.global.u32 [%d1], %r1;\nld.param.u64 %d1, [p];\nret;\n", 0, 0);
}
END_TEST

START_TEST(what_branches_by_a_table_is_not_known)
{
    ck_assert_ptr_null(regions_of("T: .branchtargets A, B;\nbrx.idx %r1, T;\nA:\nret;\nB:\n"
                                  "ret;\n"));
    ptx_module_free(module);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race_region");
    TCase *t = tcase_create("region");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_test(t, a_barrier_ends_a_region);
    tcase_add_test(t, both_ways_of_a_branch_are_taken);
    tcase_add_test(t, a_loop_goes_back_to_its_store);
    tcase_add_test(t, a_guarded_barrier_or_exit_is_passed);
    tcase_add_test(t, atomic_operations_are_apart_by_size);
    tcase_add_test(t, generic_addresses_may_be_shared_memory);
    tcase_add_test(t, what_branches_by_a_table_is_not_known);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
