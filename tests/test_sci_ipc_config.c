/* SPDX-License-Identifier: MIT */
/* The configuration file of NvSciIpc: what is read, and where a wrong line is. Format: DRIVE OS
 * Linux SDK developer guide. */
#include <check.h>
#include <string.h>

#include "runtime/api/nvsci/ipc/config.h"
#include "runtime/api/nvsci/ipc/ring.h"
#include "tests/suite.h"

static GArray *parse(const char *text, char **error)
{
    *error = NULL;
    return ipc_config_parse(text, "f", error);
}

START_TEST(lines_are_channels)
{
    char *error;
    unsigned side;
    GArray *all = parse(
        "# all\nINTER_PROCESS ipc_test_0 ipc_test_1 64 1536\n\n\tINTER_THREAD  a  b 1 1 # one\r\n",
        &error);
    const struct ipc_channel *c;

    ck_assert_msg(all != NULL, "%s", error);
    ck_assert_uint_eq(all->len, 2);
    c = ipc_config_find(all, "ipc_test_1", &side);
    ck_assert_uint_eq(side, 1);
    ck_assert_uint_eq(c->frames, 64);
    ck_assert_uint_eq(c->frame_size, 1536);
    ck_assert(!c->threads);
    ck_assert(ipc_config_find(all, "a", &side)->threads);
    ck_assert_ptr_null(ipc_config_find(all, "ipc_test", &side));
    g_array_unref(all);
}
END_TEST

#define NAME_63 "0123456789012345678901234567890123456789012345678901234567890ab"

static const struct {
    const char *text, *error; /* NULL: good */
} lines[] = {
    { "", NULL },
    { "INTER_PROCESS " NAME_63 " b 1 1", NULL },
    { "INTER_PROCESS " NAME_63 "c b 1 1", "f:1: an endpoint's name" },
    { "\nINTER_PROCESS a/b b 1 1", "f:2: an endpoint's name" },
    { "INTER_PROCESS a b 64", "f:1: a line has" },
    { "INTER_PROCESS a b 64 1 1", "f:1: a line has" },
    { "INTER_PROCESS a b 0 1", "f:1: the number of frames" },
    { "INTER_PROCESS a b 4097 1", "f:1: the number of frames" },
    { "INTER_PROCESS a b -1 1", "f:1: the number of frames" },
    { "INTER_PROCESS a b 1 0", "f:1: a frame has" },
    { "INTER_PROCESS a b 1 1048577", "f:1: a frame has" },
    { "INTER_PROCESS a b 4096 1048576", "f:1: a channel has" },
    { "INTER_PROCESS a a 1 1", "f:1: an endpoint stands" },
    { "INTER_PROCESS a b 1 1\nINTER_THREAD c b 1 1", "f:2: an endpoint stands" },
    { "INTER_VM a 1", "f:1: only INTER_PROCESS" },
    { "inter_process a b 1 1", "f:1: a line begins" },
};

START_TEST(wrong_lines_are_named)
{
    char *error;
    GArray *all = parse(lines[_i].text, &error);

    ck_assert((all != NULL) == (lines[_i].error == NULL));
    if (all) {
        g_array_unref(all);
        return;
    }
    ck_assert_msg(g_str_has_prefix(error, lines[_i].error), "%s", error);
    g_free(error);
}
END_TEST

START_TEST(there_are_at_most_500_endpoints)
{
    GString *text = g_string_new(NULL);
    char *error;
    GArray *all;

    for (int i = 0; i < 250; i++) {
        g_string_append_printf(text, "INTER_PROCESS a%d b%d 1 1\n", i, i);
    }
    all = parse(text->str, &error);
    ck_assert_uint_eq(all->len, 250);
    g_array_unref(all);
    g_string_append(text, "INTER_PROCESS c d 1 1\n");
    ck_assert_ptr_null(parse(text->str, &error));
    g_free(error);
    g_string_free(text, TRUE);
}
END_TEST

/* --- the ring --- */

START_TEST(frames_come_in_order_and_are_limited)
{
    g_autofree char *memory = g_malloc0(ipc_ring_bytes(3, 5));
    struct ipc_ring a, b;

    ipc_ring_open(&a, memory, 0, 3, 5);
    ipc_ring_open(&b, memory, 1, 3, 5);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(ipc_ring_writable(&a), 3 - i);
            *(volatile char *)ipc_ring_next_write(&a) = (char)i;
            ipc_ring_write_done(&a);
        }
        ck_assert_int_eq(ipc_ring_writable(&a), 0);
        ck_assert_int_eq(ipc_ring_writable(&b), 3); /* the other direction is apart */
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(ipc_ring_readable(&b), 3 - i);
            ck_assert_int_eq(*(const volatile char *)ipc_ring_next_read(&b), i);
            ipc_ring_read_done(&b);
        }
        ck_assert_int_eq(ipc_ring_readable(&b), 0);
        ck_assert_int_eq(ipc_ring_unread(&a), 0);
    }
}
END_TEST

/* A hostile end may write anything over the counters; it gets no frame that does not exist. */
START_TEST(counters_of_the_other_end_are_not_believed)
{
    g_autofree unsigned char *memory = g_malloc0(ipc_ring_bytes(3, 5));
    struct ipc_ring a;

    ipc_ring_open(&a, memory, 0, 3, 5);
    memset(memory, 0xff, 256);
    ck_assert_int_eq(ipc_ring_readable(&a), -1);
    ck_assert_int_le(ipc_ring_writable(&a), 3);
    memset(memory, 0x04, 256);
    ck_assert_int_eq(ipc_ring_readable(&a), -1);
    ck_assert_int_eq(ipc_ring_writable(&a), -1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_ipc_config");
    TCase *t = tcase_create("file");

    tcase_add_test(t, lines_are_channels);
    tcase_add_loop_test(t, wrong_lines_are_named, 0, G_N_ELEMENTS(lines));
    tcase_add_test(t, there_are_at_most_500_endpoints);
    tcase_add_test(t, frames_come_in_order_and_are_limited);
    tcase_add_test(t, counters_of_the_other_end_are_not_believed);
    suite_add_tcase(s, t);
    return suite_main(s);
}
