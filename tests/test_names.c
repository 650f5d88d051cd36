/* SPDX-License-Identifier: MIT */
/* The name of a variable as an address. With a state space it counts in that space, without one it
 * is the variable's generic address (PTX ISA 6.4.1, 9.7.9.8). Each row runs with the name and with
 * a register that holds the same address, from mov and cvta: equal registers and memory. What is
 * refused is what ptxas 13.0 refuses. */
#include "model/igpu/sm.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <string.h>

#define LANE_BYTES 256u
#define GLOBAL_BYTES 1024u

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_free(&rig);
}

/* --- kernels --- */

/* @text: $ is the address; @name: of the variable; @space: of the instruction, "" for none */
struct row {
    const char *text, *name, *space;
};

static const struct row rows[] = {
    { "ld.u32 %r1, [$];", "sh", "" },
    { "ld.u32 %r1, [$];", "dy", "" },
    { "ld.u32 %r1, [$];", "lo", "" },
    { "ld.u32 %r1, [$];", "gl", "" },
    { "ld.v4.u32 {%r1, %r2, %r3, %r4}, [$];", "sh", "" },
    { "ld.v2.u64 {%d1, %d2}, [$];", "lo", "" },
    { "ld.s8 %r1, [$];", "dy", "" },
    { "ld.volatile.u16 %r1, [$];", "sh", "" },
    { "ld.relaxed.sys.u32 %r1, [$];", "gl", "" },
    { "ld.acquire.gpu.u32 %r1, [$];", "sh", "" },
    { "ldu.u32 %r1, [$];", "gl", "" },
    { "ldu.u32 %r1, [$];", "sh", "" },
    { "ldu.global.u32 %r1, [$];", "gl", "global" },
    { "ld.shared.u64 %d1, [$];", "sh", "shared" },
    { "ld.shared.v2.u32 {%r1, %r2}, [$];", "dy", "shared" },
    { "ld.local.u32 %r1, [$];", "lo", "local" },
    { "ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [$];", "gl", "global" },
    { "st.u32 [$], %lane;", "sh", "" },
    { "st.u32 [$], %lane;", "dy", "" },
    { "st.u32 [$], %lane;", "lo", "" },
    { "st.u32 [$], %lane;", "gl", "" },
    { "st.v2.u32 [$], {%lane, %r1};", "lo", "" },
    { "st.u8 [$], %lane;", "sh", "" },
    { "st.release.gpu.u32 [$], %lane;", "sh", "" },
    { "st.shared.v4.u32 [$], {%lane, %r1, %r2, %lane};", "dy", "shared" },
    { "st.local.u64 [$], %d9;", "lo", "local" },
    { "st.global.u32 [$], %lane;", "gl", "global" },
    { "atom.add.u32 %r1, [$], %lane;", "sh", "" },
    { "atom.cas.b64 %d1, [$], %d2, %d9;", "dy", "" },
    { "atom.max.s32 %r1, [$], %lane;", "gl", "" },
    { "atom.shared.inc.u32 %r1, [$], %lane;", "sh", "shared" },
    { "atom.global.exch.b32 %r1, [$], %lane;", "gl", "global" },
    { "red.xor.b32 [$], %lane;", "sh", "" },
    { "red.add.u32 [$], %lane;", "gl", "" },
    { "red.shared.min.s32 [$], %lane;", "dy", "shared" },
    { "prefetch.L1 [$];", "gl", "" },
    { "prefetch.global.L2 [$];", "gl", "global" },
    { "prefetch.L1 [$];", "sh", "" },
    { "prefetch.local.L1 [$];", "lo", "local" },
    { "prefetchu.L1 [$];", "gl", "" },
    { "discard.global.L2 [gl+128], 128;", "gl", "global" },
    { "applypriority.L2::evict_normal [gl+128], 128;", "gl", "" },
    { "createpolicy.range.L2::evict_last.L2::evict_first.b64 %d9, [$], 128, 256;", "gl", "" },
    { "cp.async.ca.shared.global [$], [gl+32], 16;", "sh", "shared" },
    { "cp.async.ca.shared.global [$], [gl], 8, 4;", "dy", "shared" },
    { "cp.async.cg.shared.global [sh+64], [$], 16;", "gl", "global" },
    { "cp.async.ca.shared.global [sh+64], [$], 8, %lane;", "gl", "global" },
    { "mbarrier.arrive.b64 %d1, [$];", "mb", "" },
    { "mbarrier.arrive.shared.b64 %d1, [$];", "mb", "shared" },
    { "mbarrier.arrive.noComplete.b64 %d1, [$], 1;", "mb", "" },
    { "mbarrier.arrive_drop.b64 %d1, [$];", "mb", "" },
    { "mbarrier.test_wait.parity.b64 %p1, [$], 1;", "mb", "" },
    { "cp.async.mbarrier.arrive.noinc.b64 [$];", "mb", "" },
    { "@%p2 mbarrier.inval.b64 [$];\n@%p2 mbarrier.init.b64 [$], 9;", "mb", "" },
    { "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [$];", "sh", "" },
    { "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [$];", "dy", "shared" },
    { "wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [$], 32;", "sh", "" },
    { "wmma.load.b.sync.aligned.col.m8n8k32.shared.s4 {%r1}, [$], 32;", "sh", "shared" },
    { "wmma.load.c.sync.aligned.row.m8n8k32.s32 {%r1, %r2}, [$], 8;", "gl", "" },
    { "wmma.store.d.sync.aligned.row.m8n8k32.s32 [$], {%lane, %lane}, 8;", "sh", "" },
    { "wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [$], {%lane, %lane}, 8;", "gl", "global" },
};

#define VARIABLES                                                                   \
    HEAD ".extern .shared .align 128 .b8 dy[];\n.global .align 128 .b8 gl[1024];\n" \
         ".const .align 16 .b8 co[64];\n"                                           \
         ".visible .entry k(.param .u64 out, .param .align 16 .b8 pa[32])\n{\n"     \
         ".reg .b32 %r<40>;\n.reg .b64 %d<10>;\n.reg .pred %p<4>;\n"                \
         ".reg .b32 %lane, %at, %v;\n.reg .b64 %out, %a, %base;\n"                  \
         ".shared .align 128 .b8 sh[1024];\n.shared .align 8 .b64 mb[4];\n"         \
         ".local .align 16 .b8 lo[64];\nld.param.u64 %out, [out];\n"                \
         "mov.u32 %lane, %tid.x;\nmad.wide.u32 %out, %lane, 256, %out;\n"           \
         "setp.eq.u32 %p2, %lane, 0;\nmov.u64 %d9, 77;\n"

/* Word @i behind @base: written, or stored at @at of the lane's results */
static void word_append(GString *s, bool store, const char *space, const char *base, unsigned i,
                        unsigned at)
{
    if (store) {
        g_string_append_printf(s, "ld.%s.u32 %%v, [%s+%u];\nst.global.u32 [%%out+%u], %%v;\n",
                               space, base, 4 * i, at);
    } else {
        g_string_append_printf(s,
                               "mad.lo.u32 %%v, %%lane, 0x9e3779b9, %u;\nst.%s.u32 [%s+%u], %%v;\n",
                               at, space, base, 4 * i);
    }
}

/* 32 bytes a lane of each shared array, all of the local one, an mbarrier for each of four lanes:
 * written, or stored behind the registers */
static void memory_append(GString *s, bool store)
{
    static const char *const shared[] = { "sh", "dy" };
    unsigned at = 64;

    g_string_append(s, "bar.sync 0;\n");
    for (unsigned k = 0; k < 2; k++) {
        g_string_append_printf(s, "mov.u32 %%at, %s;\nmad.lo.u32 %%at, %%lane, 32, %%at;\n",
                               shared[k]);
        for (unsigned i = 0; i < 8; i++, at += 4) {
            word_append(s, store, "shared", "%at", i, at);
        }
    }
    g_string_append(s, "mov.u64 %base, lo;\n");
    for (unsigned i = 0; i < 16; i++, at += 4) {
        word_append(s, store, "local", "%base", i, at);
    }
    g_string_append(s, "setp.lt.u32 %p3, %lane, 4;\nmov.u32 %at, mb;\n"
                       "mad.lo.u32 %at, %lane, 8, %at;\n");
    g_string_append(s, store ? "@%p3 ld.shared.u64 %base, [%at];\n"
                               "@%p3 st.global.u64 [%out+56], %base;\n"
                             : "@%p3 mbarrier.init.shared.b64 [%at], 64;\nbar.sync 0;\n");
}

static void registers_store(GString *s)
{
    for (unsigned i = 1; i < 5; i++) {
        g_string_append_printf(s, "st.global.u32 [%%out+%u], %%r%u;\n", 4 * i, i);
    }
    g_string_append(s, "st.global.v2.u64 [%out+32], {%d1, %d2};\nselp.u32 %v, 1, 0, %p1;\n"
                       "st.global.u32 [%out], %v;\n");
}

static void address_append(GString *s, const struct row *row, unsigned offset)
{
    bool shared = strcmp(row->name, "lo") != 0;

    g_string_append_printf(s, "mov.u64 %%a, %s;\nadd.u64 %%a, %%a, %u;\n", row->name, offset);
    if (!*row->space && strcmp(row->name, "gl") != 0) {
        g_string_append_printf(s, "cvta.%s.u64 %%a, %%a;\n", shared ? "shared" : "local");
    }
}

static char *kernel_text(const struct row *row, unsigned offset, bool by_name)
{
    GString *s = g_string_new(VARIABLES);

    memory_append(s, false);
    address_append(s, row, offset);
    for (const char *t = row->text; *t; t++) {
        if (*t != '$') {
            g_string_append_c(s, *t);
        } else if (!by_name) {
            g_string_append(s, "%a");
        } else if (offset) {
            g_string_append_printf(s, "%s+%u", row->name, offset);
        } else {
            g_string_append(s, row->name);
        }
    }
    g_string_append_c(s, '\n');
    registers_store(s);
    memory_append(s, true);
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

/* --- runs --- */

struct result {
    uint8_t out[32 * LANE_BYTES], global[GLOBAL_BYTES];
};

static void kernel_run(char *text, struct result *r)
{
    static const uint64_t param[5] = { RIG_BASE };
    struct rig_launch l = {
        .block = { 32 }, .dynamic_shared = 1024, .param = param, .param_bytes = sizeof(param)
    };

    memset(rig_at(&rig, RIG_BASE), 0, sizeof(r->out));
    for (unsigned i = 0; i < GLOBAL_BYTES; i++) {
        *(uint8_t *)rig_at(&rig, RIG_GLOBALS + i) = (uint8_t)(i * 37 + 11);
    }
    rig_launch(&rig, text, &l);
    memcpy(r->out, rig_at(&rig, RIG_BASE), sizeof(r->out));
    memcpy(r->global, rig_at(&rig, RIG_GLOBALS), sizeof(r->global));
    g_free(text);
}

START_TEST(a_name_is_the_address_of_its_variable)
{
    static struct result by_name, by_register;
    const struct row *row = &rows[_i];

    for (unsigned offset = 0; offset <= 16; offset += 16) {
        kernel_run(kernel_text(row, offset, false), &by_register);
        kernel_run(kernel_text(row, offset, true), &by_name);
        ck_assert_msg(memcmp(&by_name, &by_register, sizeof(by_name)) == 0, "%s: %s+%u", row->text,
                      row->name, offset);
    }
}
END_TEST

/* Of two functions, each with a local variable of its own */
START_TEST(a_local_name_is_that_of_the_running_function)
{
    static const uint64_t base = RIG_BASE;
    struct rig_launch l = { .param = &base, .param_bytes = 8 };
    const uint32_t *out = rig_at(&rig, RIG_BASE);

    rig_launch(&rig,
               HEAD ".func (.param .b32 d) f(.param .b32 a)\n{\n.reg .b32 %r<4>;\n"
                    ".local .align 4 .b8 lo[16];\nld.param.b32 %r0, [a];\nst.u32 [lo+4], %r0;\n"
                    "ld.local.u32 %r1, [lo+4];\nst.param.b32 [d], %r1;\nret;\n}\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n"
                    ".local .align 4 .b8 lo[16];\nld.param.u64 %d0, [out];\nmov.u32 %r0, 7;\n"
                    "st.u32 [lo+4], %r0;\nmov.u32 %r1, 9;\ncall (%r2), f, (%r1);\n"
                    "ld.u32 %r3, [lo+4];\nst.global.v2.u32 [%d0], {%r2, %r3};\nret;\n}\n",
               &l);
    ck_assert_uint_eq(out[0], 9);
    ck_assert_uint_eq(out[1], 7);
}
END_TEST

/* "State space mismatch between instruction and address", ptxas 13.0 for sm_87 */
static const char *const refused[] = {
    "ld.u32 %r1, [co+4];",
    "ld.u32 %r1, [pa+4];",
    "st.u32 [co+4], %r1;",
    "st.u32 [pa+4], %r1;",
    "ld.shared.u32 %r1, [gl];",
    "ld.global.u32 %r1, [co];",
    "ld.const.u32 %r1, [gl];",
    "ld.global.u32 %r1, [lo];",
    "ld.param.u32 %r1, [gl];",
    "ld.global.u32 %r1, [pa];",
    "ld.local.u32 %r1, [sh];",
    "atom.global.add.u32 %r1, [sh], %r2;",
    "atom.add.u32 %r1, [lo], %r2;",
    "cp.async.ca.shared.global [sh], [sh], 16;",
    "cp.async.ca.shared.global [gl], [gl], 16;",
    "mbarrier.inval.b64 [gl];",
};

START_TEST(a_name_of_another_space_is_refused)
{
    char *text = g_strconcat(VARIABLES, refused[_i], "\nret;\n}\n", NULL);
    struct ptx_error error = { .text = "" };
    struct ptx_module *m = ptx_parse(text, strlen(text), &error);

    ck_assert_msg(m != NULL, "%s", error.text);
    ck_assert_ptr_null(ptx_decode(m, &error));
    ck_assert_msg(strstr(error.text, "state space mismatch"), "%s", error.text);
    ptx_module_free(m);
    g_free(text);
}
END_TEST

Suite *names_suite(void)
{
    Suite *s = suite_create("names");
    TCase *t = tcase_create("names");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_name_is_the_address_of_its_variable, 0, G_N_ELEMENTS(rows));
    tcase_add_test(t, a_local_name_is_that_of_the_running_function);
    tcase_add_loop_test(t, a_name_of_another_space_is_refused, 0, G_N_ELEMENTS(refused));
    suite_add_tcase(s, t);
    return s;
}
