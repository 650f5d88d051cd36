/* SPDX-License-Identifier: MIT */
/* cp.async, cache hints, cvt.rna.tf32: PTX ISA 9.7.9. Expected bytes by hand from the kernels. */
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <string.h>

static struct rig rig;
static const uint64_t base = RIG_BASE;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

static void launch(const char *ptx)
{
    struct rig_launch l = { .block = { 32 }, .param = &base, .param_bytes = 8 };

    rig_launch(&rig, ptx, &l);
}

/* Lane l copies from out + 16 l to shared s + 16 l, which was all ones, and stores that at
 * out + 1024 + 16 l. %p1: lane 3 and up */
static void copy_run(const char *copy)
{
    char *ptx = g_strdup_printf(
        HEAD
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<20>;\n.reg .b64 %%d<9>;\n"
        ".reg .pred %%p<4>;\n.shared .align 16 .b8 s[512];\nld.param.u64 %%d0, [out];\n"
        "mov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d1, %%r0, 16;\nadd.u64 %%d0, %%d0, %%d1;\n"
        "shl.b32 %%r1, %%r0, 4;\nmov.u32 %%r2, s;\nadd.u32 %%r2, %%r2, %%r1;\nmov.b32 %%r3, -1;\n"
        "st.shared.v4.b32 [%%r2], {%%r3,%%r3,%%r3,%%r3};\nsetp.ge.u32 %%p1, %%r0, 3;\n"
        "createpolicy.fractional.L2::evict_first.b64 %%d5, 1.0;\n"
        "%s\ncp.async.commit_group;\ncp.async.wait_group 0;\ncp.async.wait_all;\nbar.sync 0;\n"
        "ld.shared.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%r2];\n"
        "st.global.v4.b32 [%%d0+1024], {%%r4,%%r5,%%r6,%%r7};\nret;\n}\n",
        copy);
    uint8_t *in = rig_at(&rig, RIG_BASE);

    for (unsigned i = 0; i < 512; i++) {
        in[i] = (uint8_t)(i * 7 + 1) & 0x7f;
    }
    launch(ptx);
    g_free(ptx);
}

static const struct {
    const char *text;
    unsigned read, written; /* bytes of a lane */
    bool from_lane_3;
} copies[] = {
    { "cp.async.ca.shared.global [%r2], [%d0], 4;", 4, 4, false },
    { "cp.async.ca.shared.global.L2::128B [%r2], [%d0], 8;", 8, 8, false },
    { "cp.async.ca.shared.global [%r2], [%d0], 16;", 16, 16, false },
    { "cp.async.cg.shared.global.L2::cache_hint [%r2], [%d0], 16, %d5;", 16, 16, false },
    { "mov.u32 %r9, 6;\ncp.async.cg.shared.global [%r2], [%d0], 16, %r9;", 6, 16, false },
    { "cp.async.ca.shared.global [%r2], [%d0], 8, 0;", 0, 8, false },
    { "not.pred %p2, %p1;\ncp.async.cg.shared.global [%r2], [%d0], 16, %p2;", 16, 16, false },
    { "@%p1 cp.async.cg.shared.global [%r2], [%d0], 16;", 16, 16, true },
};

START_TEST(a_copy_is_there_after_the_wait)
{
    const uint8_t *in, *have;
    bool ignored = strstr(copies[_i].text, "%p2;") != NULL;

    copy_run(copies[_i].text);
    in = rig_at(&rig, RIG_BASE);
    have = rig_at(&rig, RIG_BASE + 1024);
    for (unsigned i = 0; i < 512; i++) {
        unsigned at = i % 16, lane = i / 16;
        bool copied = at < copies[_i].written && (!copies[_i].from_lane_3 || lane >= 3);
        unsigned read = ignored && lane < 3 ? 0 : copies[_i].read;
        uint8_t want = !copied ? 0xff : at < read ? in[i] : 0;

        if (ignored && i == 48) { /* %p2 holds below lane 3: ignore-src */
            ck_assert_uint_ne(in[i], 0);
        }
        ck_assert_msg(have[i] == want, "%s: byte %u is %x, not %x", copies[_i].text, i, have[i],
                      want);
    }
}
END_TEST

/* 9.7.9.25.4: 512 bytes to shared memory, and from its byte 16 on, 480 of them, to out + 1024.
 * tests/race/test_race_bulk.c has what orders them. */
START_TEST(bulk_copies_are_there_after_the_waits)
{
    uint8_t *in = rig_at(&rig, RIG_BASE), *have = rig_at(&rig, RIG_BASE + 1024);

    for (unsigned i = 0; i < 512; i++) {
        in[i] = (uint8_t)(i * 7 + 1);
    }
    memset(have, 0xff, 512);
    launch(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
           "{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p<4>;\n"
           ".shared .align 16 .b8 s[512];\n.shared .align 8 .b8 m[8];\nld.param.u64 %d0, [out];\n"
           "mov.u32 %r0, %tid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra E;\n"
           "mbarrier.init.shared.b64 [m], 1;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [m], 512;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d0], 512, "
           "[m];\n"
           "W:\nmbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n@!%p2 bra W;\n"
           "cp.async.bulk.prefetch.L2.global [%d0], 512;\nfence.proxy.async;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%d0+1024], [s+16], 480;\n"
           "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n"
           "cp.async.bulk.wait_group 0;\nE:\nret;\n}\n");
    ck_assert_mem_eq(have, in + 16, 480);
    for (unsigned i = 480; i < 512; i++) {
        ck_assert_uint_eq(have[i], 0xff);
    }
}
END_TEST

/* 9.7.9.22: 10 bits of fraction; half of the last one goes away from zero. */
START_TEST(tf32_rounds_halves_away)
{
    static const uint32_t in[] = { 0x3f800fff, 0x3f801000, 0xbf801000, 0x3f803000, 0x7f800000,
                                   0xff800000, 0x7f7fffff, 0x00001000, 0x00000fff, 0x80000000 };
    static const uint32_t want[] = { 0x3f800000, 0x3f802000, 0xbf802000, 0x3f804000, 0x7f800000,
                                     0xff800000, 0x7f800000, 0x00002000, 0x00000000, 0x80000000 };

    memcpy(rig_at(&rig, RIG_BASE), in, sizeof(in));
    launch(ENTRY INDEX
           "ld.global.f32 %f0, [%d0];\ncvt.rna.tf32.f32 %r5, %f0;\n"
           "discard.global.L2 [%d0], 128;\napplypriority.global.L2::evict_normal [%d0], 128;\n"
           "prefetch.global.L2 [%d0];\nst.global.b32 [%d0], %r5;\nret;\n}\n");
    ck_assert_mem_eq(rig_at(&rig, RIG_BASE), want, sizeof(want));
}
END_TEST

Suite *async_suite(void)
{
    Suite *s = suite_create("async");
    TCase *t = tcase_create("async");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, a_copy_is_there_after_the_wait, 0, G_N_ELEMENTS(copies));
    tcase_add_test(t, bulk_copies_are_there_after_the_waits);
    tcase_add_test(t, tf32_rounds_halves_away);
    suite_add_tcase(s, t);
    return s;
}
