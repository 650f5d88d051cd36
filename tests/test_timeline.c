/* SPDX-License-Identifier: MIT */
/* What a timeline is made of: protocol buffers byte by byte, lines of the caches, the steps of a
 * line, places. Bytes of messages are those of protobuf.dev, Encoding; the rest is counted by hand
 * from the records' definitions. */
#include <check.h>
#include <glib.h>
#include <string.h>

#include "checker/print/place.h"
#include "checker/run/line_life.h"
#include "model/values.h"
#include "tests/suite.h"
#include "trace/lines.h"
#include "trace/proto.h"

/* "a message with 150 in field 1 is 08 96 01"; "testing" in field 2 is 12 07 74 ... */
START_TEST(messages_are_as_the_encoding_has_them)
{
    static const uint8_t wanted[] = { 0x08, 0x96, 0x01, 0x12, 0x07, 't',
                                      'e',  's',  't',  'i',  'n',  'g' };
    GByteArray *m = g_byte_array_new();

    proto_varint(m, 1, 150);
    proto_text(m, 2, "testing");
    ck_assert_uint_eq(m->len, sizeof(wanted));
    ck_assert_mem_eq(m->data, wanted, sizeof(wanted));
    g_byte_array_free(m, TRUE);
}
END_TEST

/* Field 47 has a key of two bytes: 47 << 3 | 1 = 377 = f9 02. Eight bytes, little endian. */
START_TEST(flow_ids_are_fixed)
{
    static const uint8_t wanted[] = { 0xf9, 0x02, 0x02, 0x01, 0, 0, 0, 0, 0, 0 };
    GByteArray *m = g_byte_array_new();

    proto_fixed64(m, 47, 0x102);
    ck_assert_uint_eq(m->len, sizeof(wanted));
    ck_assert_mem_eq(m->data, wanted, sizeof(wanted));
    g_byte_array_free(m, TRUE);
}
END_TEST

START_TEST(the_largest_number_has_ten_bytes)
{
    GByteArray *m = g_byte_array_new();

    proto_varint(m, 1, UINT64_MAX);
    ck_assert_uint_eq(m->len, 11);
    ck_assert_uint_eq(m->data[10], 1);
    g_byte_array_free(m, TRUE);
}
END_TEST

static void record(struct lines *l, enum trace_event event, uint64_t a, uint64_t b, uint64_t c,
                   uint64_t d, uint64_t e, uint64_t f)
{
    lines_record(l, &(struct trace_record){ .event = event, .arg = { a, b, c, d, e, f } });
}

START_TEST(cpu_lines_come_become_dirty_and_go)
{
    struct lines *l = lines_new();

    record(l, TRACE_EVENT_CPU_FILL, 0x1000, 0, 0, 0, 0, 0);
    ck_assert_int_eq(lines_cpu(l, 0x103f), LINES_CLEAN);
    ck_assert_int_eq(lines_cpu(l, 0x1040), LINES_ABSENT);
    record(l, TRACE_EVENT_CPU_STORE, 0x7000, 4, 1, 0x1004, 0, 0);
    ck_assert_int_eq(lines_cpu(l, 0x1000), LINES_DIRTY);
    record(l, TRACE_EVENT_CPU_STORE, 0x7040, 4, 0, 0x1044, 0, 0); /* uncached: no line */
    ck_assert_uint_eq(lines_cpu_dirty(l), 1);
    record(l, TRACE_EVENT_CPU_SNOOP, 0x1000, 0, 1, 0, 0, 0); /* a read leaves the line as it is */
    ck_assert_int_eq(lines_cpu(l, 0x1000), LINES_DIRTY);
    record(l, TRACE_EVENT_CPU_WRITEBACK, 0x1000, 0, 0, 0, 0, 0);
    ck_assert_int_eq(lines_cpu(l, 0x1000), LINES_CLEAN);
    ck_assert_uint_eq(lines_cpu_dirty(l), 0);
    record(l, TRACE_EVENT_CPU_SNOOP, 0x1000, 1, 0, 0, 0, 0); /* a write takes it away */
    ck_assert_int_eq(lines_cpu(l, 0x1000), LINES_ABSENT);
    lines_free(l);
}
END_TEST

START_TEST(l2_lines_have_bytes)
{
    struct lines *l = lines_new();
    struct lines_l2 line;

    record(l, TRACE_EVENT_L2_FILL, 0x2000, 0x6, 0, 0, 0, 0); /* sectors 1 and 2 */
    line = lines_l2(l, 0x2010);
    ck_assert_uint_eq(line.valid_low, UINT64_C(0xffffffff00000000));
    ck_assert_uint_eq(line.valid_high, 0xffffffff);
    ck_assert_uint_eq(lines_l2_dirty(l), 0);
    record(l, TRACE_EVENT_GPU_STORE, 0x7000, 0xf, 0, 0, 1, 0x2000);
    record(l, TRACE_EVENT_GPU_STORE, 0x7000, 0xff, 0, 0, 0, 0x3000); /* past the L2 */
    ck_assert_uint_eq(lines_l2(l, 0x2000).dirty_low, 0xf);
    ck_assert_uint_eq(lines_l2(l, 0x3000).valid_low, 0);
    record(l, TRACE_EVENT_GPU_ATOMIC, 0x7048, 4, 0, 0, 1, 0x2048);
    ck_assert_uint_eq(lines_l2(l, 0x2000).dirty_high, 0xf00);
    ck_assert_uint_eq(lines_l2_dirty(l), 1);
    record(l, TRACE_EVENT_L2_WRITEBACK, 0x2000, 0xf, 0xf00, 0, 0, 0);
    ck_assert_uint_eq(lines_l2_dirty(l), 0);
    record(l, TRACE_EVENT_L2_EVICT, 0x2000, 0, 0, 0, 0, 0);
    ck_assert_uint_eq(lines_l2(l, 0x2000).valid_low, 0);
    lines_free(l);
}
END_TEST

START_TEST(steps_of_a_line_are_kept_in_order)
{
    struct line_life *l = line_life_new();
    const struct line_step *step;
    struct trace_record store = { .event = TRACE_EVENT_CPU_STORE,
                                  .time_ns = 5,
                                  .arg = { 0, 4, 1, 0x1004 } };
    struct trace_record write_back = { .event = TRACE_EVENT_CPU_WRITEBACK,
                                       .time_ns = 9,
                                       .arg = { 0x1000 } };
    struct trace_record load = { .event = TRACE_EVENT_GPU_LOAD,
                                 .time_ns = 12,
                                 .arg = { 0, 0, 0xff, 0, 1, 0x1000 } };

    line_life_record(l, &store, 1);
    store.time_ns = 6; /* again: one step, the newest time */
    line_life_record(l, &store, 1);
    line_life_record(l, &write_back, 2);
    line_life_record(l, &load, 3); /* of bytes 64 to 71: the next line */
    ck_assert_uint_eq(line_life_steps(l, 0x1010, &step), 2);
    ck_assert_uint_eq(step[0].time_ns, 6);
    ck_assert_int_eq(step[1].event, TRACE_EVENT_CPU_WRITEBACK);
    ck_assert_uint_eq(line_life_steps(l, 0x1040, &step), 1);
    ck_assert_uint_eq(step[0].track, 3);
    ck_assert_uint_eq(line_life_steps(l, 0x2000, &step), 0);
    for (unsigned i = 0; i < 40; i++) { /* the oldest are forgotten */
        line_life_record(l, i % 2 ? &store : &write_back, i);
    }
    ck_assert_uint_eq(line_life_steps(l, 0x1000, &step), LINE_LIFE_STEPS);
    ck_assert_uint_eq(step[LINE_LIFE_STEPS - 1].track, 39);
    line_life_free(l);
}
END_TEST

static const struct {
    const char *text, *file;
    guint64 line;
} places[] = {
    { "app.cu:41 in main", "app.cu", 41 },
    { "/a b/app.cu:7", "/a b/app.cu", 7 },
    { "write by kernel scale at dir/app.cu:11 (stream 2), launched at dir/app.cu:32 in main",
      "dir/app.cu", 11 },
    { "read by kernel void f<a::b>(int) at x.cu:3", "x.cu", 3 },
    { "stores that no hook saw", NULL, 0 },
    { "", NULL, 0 },
};

START_TEST(places_are_found)
{
    struct place place;

    ck_assert_int_eq(place_find(places[_i].text, &place), places[_i].file != NULL);
    ck_assert_pstr_eq(place.file, places[_i].file);
    ck_assert_uint_eq(place.line, places[_i].line);
    g_free(place.file);
}
END_TEST

START_TEST(places_without_lines)
{
    char *text = place_without_lines("read CPU a.cu:31 in f , write ns::k b.cu:26");

    ck_assert_str_eq(text, "read CPU a.cu in f , write ns::k b.cu");
    g_free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("timeline");
    TCase *t = tcase_create("timeline");

    tcase_add_test(t, messages_are_as_the_encoding_has_them);
    tcase_add_test(t, flow_ids_are_fixed);
    tcase_add_test(t, the_largest_number_has_ten_bytes);
    tcase_add_test(t, cpu_lines_come_become_dirty_and_go);
    tcase_add_test(t, l2_lines_have_bytes);
    tcase_add_test(t, steps_of_a_line_are_kept_in_order);
    tcase_add_loop_test(t, places_are_found, 0, G_N_ELEMENTS(places));
    tcase_add_test(t, places_without_lines);
    suite_add_tcase(s, t);
    return suite_main(s);
}
