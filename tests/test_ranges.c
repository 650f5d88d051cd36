/* SPDX-License-Identifier: MIT */
/* The table of registered ranges: against a map of bytes, and while another thread changes it. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/observe/ranges.h"
#include "tests/suite.h"

#define BYTES 4096u
static struct vtegra_track_ranges ranges;

/* Of each byte: the range that holds it, by its first byte plus one. */
static uint16_t map[BYTES];

static uint32_t random_next(void)
{
    static uint32_t state = 12345;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static bool map_free(uint32_t base, uint32_t size)
{
    for (uint32_t i = base; i < base + size; i++) {
        if (map[i]) {
            return false;
        }
    }
    return true;
}

static void map_set(uint32_t base, uint32_t size, uint16_t to)
{
    for (uint32_t i = base; i < base + size; i++) {
        map[i] = to;
    }
}

static void change_at_random(void)
{
    uint32_t base = random_next() % (BYTES - 32), size = 1 + random_next() % 32;

    if (map[base] == base + 1) {
        for (size = 0; base + size < BYTES && map[base + size] == base + 1; size++) {
        }
        ranges_remove(&ranges, base);
        map_set(base, size, 0);
    } else if (map_free(base, size)) {
        ranges_add(&ranges, base, size);
        map_set(base, size, (uint16_t)(base + 1));
    }
}

START_TEST(look_up_equals_a_map_of_bytes)
{
    for (unsigned i = 0; i < 3000; i++) {
        change_at_random();
        if (i % 10 == 0) {
            for (uint32_t at = 0; at < BYTES; at++) {
                ck_assert_int_eq(vtegra_track_ranges_have(&ranges, at), map[at] != 0);
            }
        }
    }
}
END_TEST

START_TEST(envelope_is_from_the_lowest_to_the_highest)
{
    struct vtegra_track_range all = vtegra_track_ranges_envelope(&ranges);

    ck_assert_uint_eq(all.size, 0);
    ranges_add(&ranges, 500, 20);
    ranges_add(&ranges, 100, 10);
    ranges_add(&ranges, 300, 10);
    all = vtegra_track_ranges_envelope(&ranges);
    ck_assert_uint_eq(all.base, 100);
    ck_assert_uint_eq(all.size, 420);
    ranges_remove(&ranges, 500);
    ranges_remove(&ranges, 301); /* within one */
    all = vtegra_track_ranges_envelope(&ranges);
    ck_assert_uint_eq(all.size, 210);
}
END_TEST

/* --- another thread --------------------------------------------------------------------------- */

static atomic_bool ready, done;
static unsigned long missed, invented;

/* Of ranges at even places one is always there, of those at odd ones none. */
static void *reader(void *unused)
{
    (void)unused;
    for (unsigned i = 0; !atomic_load(&done); i = (i + 1) % 100) {
        missed += !vtegra_track_ranges_have(&ranges, 1000000 + i * 64u);
        invented += vtegra_track_ranges_have(&ranges, 1000000 + i * 64u + 32);
        atomic_store(&ready, true);
    }
    return NULL;
}

START_TEST(readers_see_what_stays_while_others_come_and_go)
{
    pthread_t thread;

    for (unsigned i = 0; i < 100; i++) {
        ranges_add(&ranges, 1000000 + i * 64u, 16);
    }
    ck_assert_int_eq(pthread_create(&thread, NULL, reader, NULL), 0);
    while (!atomic_load(&ready)) {
    }
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < 1000; i++) { /* below all: each one moves the others */
            ranges_add(&ranges, 500000 + i * 64u, 16);
        }
        for (unsigned i = 0; i < 1000; i++) {
            ranges_remove(&ranges, 500000 + i * 64u);
        }
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(missed, 0);
    ck_assert_uint_eq(invented, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ranges");
    TCase *t = tcase_create("ranges");

    tcase_add_test(t, look_up_equals_a_map_of_bytes);
    tcase_add_test(t, envelope_is_from_the_lowest_to_the_highest);
    tcase_add_test(t, readers_see_what_stays_while_others_come_and_go);
    tcase_set_timeout(t, 120);
    suite_add_tcase(s, t);
    return suite_main(s);
}
