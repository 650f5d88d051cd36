/* SPDX-License-Identifier: MIT */
/* Which instructions of AArch64 are stores: what a fault was where no syndrome says it. The codes
 * are those of GNU's assembler for -march=armv8.4-a. */
#include <check.h>

#include "runtime/observe/machine.h"
#include "tests/suite.h"

static const struct {
    uint32_t code;
    bool is_store;
    const char *text;
} codes[] = {
    { 0xb9000041, true, "str w1, [x2]" },
    { 0xb9400041, false, "ldr w1, [x2]" },
    { 0x39000c41, true, "strb w1, [x2, #3]" },
    { 0x39c00c41, false, "ldrsb w1, [x2, #3]" },
    { 0xb9800441, false, "ldrsw x1, [x2, #4]" },
    { 0xf8237841, true, "str x1, [x2, x3, lsl #3]" },
    { 0xf8637841, false, "ldr x1, [x2, x3, lsl #3]" },
    { 0xf8008c41, true, "str x1, [x2, #8]!" },
    { 0xf8408441, false, "ldr x1, [x2], #8" },
    { 0xf81ff041, true, "stur x1, [x2, #-1]" },
    { 0xf85ff041, false, "ldur x1, [x2, #-1]" },
    { 0xf8000841, true, "sttr x1, [x2]" },
    { 0xa9000861, true, "stp x1, x2, [x3]" },
    { 0xa9400861, false, "ldp x1, x2, [x3]" },
    { 0xad810861, true, "stp q1, q2, [x3, #32]!" },
    { 0xad400861, false, "ldp q1, q2, [x3]" },
    { 0xa8000861, true, "stnp x1, x2, [x3]" },
    { 0x3d800041, true, "str q1, [x2]" },
    { 0x3dc00041, false, "ldr q1, [x2]" },
    { 0x3ca36841, true, "str q1, [x2, x3]" },
    { 0x3c801041, true, "stur q1, [x2, #1]" },
    { 0x3d000041, true, "str b1, [x2]" },
    { 0x3d400041, false, "ldr b1, [x2]" },
    { 0xfd000041, true, "str d1, [x2]" },
    { 0xfd400041, false, "ldr d1, [x2]" },
    { 0x4c007020, true, "st1 {v0.16b}, [x1]" },
    { 0x4c407020, false, "ld1 {v0.16b}, [x1]" },
    { 0x0d9f9020, true, "st1 {v0.s}[1], [x1], #4" },
    { 0x4c400020, false, "ld4 {v0.16b-v3.16b}, [x1]" },
    { 0xc8017c62, true, "stxr w1, x2, [x3]" },
    { 0xc85f7c62, false, "ldxr x2, [x3]" },
    { 0xc89ffc62, true, "stlr x2, [x3]" },
    { 0xc8dffc62, false, "ldar x2, [x3]" },
    { 0xc8210c82, true, "stxp w1, x2, x3, [x4]" },
    { 0xc87f0c82, false, "ldxp x2, x3, [x4]" },
    { 0xf8210062, false, "ldadd x1, x2, [x3]" },
    { 0xf8218062, false, "swp x1, x2, [x3]" },
    { 0xc8a17c62, false, "cas x1, x2, [x3]" },
    { 0x48227cc4, false, "casp x2, x3, x4, x5, [x6]" },
    { 0xf8bfc041, false, "ldapr x1, [x2]" },
    { 0xd9001041, true, "stlur x1, [x2, #1]" },
    { 0xd9401041, false, "ldapur x1, [x2, #1]" },
    { 0xd50b7421, true, "dc zva, x1" },
    { 0x58000001, false, "ldr x1, a literal" },
    { 0xf9800020, false, "prfm pldl1keep, [x1]" },
    { 0x8b030041, false, "add x1, x2, x3" },
};

START_TEST(stores_are_known_by_their_code)
{
    ck_assert_msg(machine_code_stores(codes[_i].code) == codes[_i].is_store, "%s", codes[_i].text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stores");
    TCase *t = tcase_create("stores");

    tcase_add_loop_test(t, stores_are_known_by_their_code, 0,
                        (int)(sizeof(codes) / sizeof(codes[0])));
    suite_add_tcase(s, t);
    return suite_main(s);
}
