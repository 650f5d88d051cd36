/* SPDX-License-Identifier: MIT */
/* Leases by hand: what may be done with a line without telling the model, and what ends that. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "profiles/profile.h"
#include "runtime/hal.h"

#define BYTES (8 * HAL_PAGE)

static struct soc_profile *profile;
static struct hal *hal;
static struct hal_mem mem[2];
static uintptr_t lease;
static const void *equal;

static void setup(void)
{
    profile = profile_load("orin", NULL);
    hal = hal_open(&(struct hal_config){ .profile = profile, .evict = EVICT_LRU });
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_PINNED, BYTES, HAL_PAGE, NULL, &mem[0]), 0);
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_DEVICE, BYTES, HAL_PAGE, NULL, &mem[1]), 0);
    lease = 1;
}

static void teardown(void)
{
    hal_close(hal);
    profile_free(profile);
}

static void lease_after(enum access_kind access)
{
    hal_cpu_access(hal, (char *)mem[0].cpu + 68, 4, access);
    hal_cpu_lease(hal, (char *)mem[0].cpu + 68, &lease, &equal);
}

START_TEST(a_stored_line_is_leased_for_both)
{
    lease_after(ACCESS_STORE);
    ck_assert_uint_eq(lease, ((uintptr_t)mem[0].cpu + 64) | HAL_LEASE_LOAD | HAL_LEASE_STORE);
    ck_assert_ptr_null(equal);
}
END_TEST

/* The next store makes it dirty, and what stores there unseen is found by the next load. */
START_TEST(a_loaded_line_is_leased_for_loads_while_it_equals_memory)
{
    lease_after(ACCESS_LOAD);
    ck_assert_uint_eq(lease, ((uintptr_t)mem[0].cpu + 64) | HAL_LEASE_LOAD);
    ck_assert_ptr_nonnull(equal);
    ck_assert_mem_eq(equal, (char *)mem[0].cpu + 64, 64);
    ((char *)mem[0].cpu)[127] = 1;
    ck_assert_mem_ne(equal, (char *)mem[0].cpu + 64, 64);
}
END_TEST

START_TEST(what_the_caches_do_not_hold_is_not_leased)
{
    hal_cpu_lease(hal, mem[0].cpu, &lease, &equal);
    ck_assert_uint_eq(lease, 0);
    hal_cpu_lease(hal, mem[1].cpu, &lease, &equal);
    ck_assert_uint_eq(lease, 0);
    hal_cpu_lease(hal, &lease, &lease, &equal);
    ck_assert_uint_eq(lease, 0);
}
END_TEST

/* What may make the next access differ: each ends the lease. 0: that does not. */
START_TEST(leases_end)
{
    static uintptr_t other;
    struct hal_line line;
    struct hal_mem more;

    lease_after(ACCESS_STORE);
    ck_assert_uint_ne(lease, 0);
    switch (_i) {
    case 0:
        hal_cpu_access(hal, (char *)mem[0].cpu + 128, 4, ACCESS_STORE); /* another set */
        hal_mem_find(hal, mem[0].cpu, &more);
        ck_assert_uint_ne(lease, 0);
        return;
    case 1:
        hal_cpu_access(hal, (char *)mem[0].cpu + 64, 4, ACCESS_LOAD);
        break;
    case 2:
        hal_cpu_clean(hal, mem[0].cpu, 1);
        break;
    case 3:
        hal_mem_protect(hal, &mem[0], 0, mem[0].size, HAL_PROT_NONE);
        break;
    case 4:
        hal_note(hal, HAL_NOTE_RELEASE, 1, 0);
        break;
    case 5:
        hal_poll(hal, true);
        break;
    case 6:
        hal_mem_free(hal, &mem[0]);
        break;
    case 7:
        hal_cpu_lease(hal, (char *)mem[0].cpu + 64, &other, &equal); /* somebody else takes it */
        ck_assert_uint_ne(other, 0);
        break;
    case 8:
        hal_time_advance(hal, 1);
        break;
    case 9:
        hal_line_state(hal, mem[0].cpu, &line);
        break;
    default:
        hal_cpu_lease_end(hal);
        break;
    }
    ck_assert_uint_eq(lease, 0);
}
END_TEST

START_TEST(closed_memory_is_not_leased)
{
    hal_cpu_access(hal, (char *)mem[0].cpu + 68, 4, ACCESS_STORE);
    hal_mem_protect(hal, &mem[0], 0, HAL_PAGE, HAL_PROT_NONE);
    hal_cpu_lease(hal, (char *)mem[0].cpu + 68, &lease, &equal);
    ck_assert_uint_eq(lease, 0);
    hal_mem_protect(hal, &mem[0], 0, mem[0].size, HAL_PROT_WRITE);
    hal_cpu_lease(hal, (char *)mem[0].cpu + 68, &lease, &equal);
    ck_assert_uint_ne(lease, 0);
}
END_TEST

static void thread_note(void *number, const struct trace_record *r)
{
    if (r->event == TRACE_EVENT_CPU_CLEAN) {
        *(uint32_t *)number = r->thread;
    }
}

static void *clean(void *unused)
{
    (void)unused;
    hal_cpu_clean(hal, mem[0].cpu, 1);
    return NULL;
}

/* Thread 2 accesses memory, then another one, which has no number, cleans. */
START_TEST(maintenance_is_of_the_thread_that_calls_it)
{
    uint32_t number = 9;
    pthread_t cleans;

    hal_note(hal, HAL_NOTE_THREAD, 2, 0);
    hal_observe(hal, TRACE_ALL, thread_note, &number);
    hal_cpu_access(hal, mem[0].cpu, 4, ACCESS_STORE);
    ck_assert_int_eq(pthread_create(&cleans, NULL, clean, NULL), 0);
    pthread_join(cleans, NULL);
    ck_assert_uint_eq(number, 0);
    hal_cpu_clean(hal, mem[0].cpu, 1);
    ck_assert_uint_eq(number, 2);
    hal_note(hal, HAL_NOTE_THREAD, 0, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lease");
    TCase *t = tcase_create("lease");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_stored_line_is_leased_for_both);
    tcase_add_test(t, a_loaded_line_is_leased_for_loads_while_it_equals_memory);
    tcase_add_test(t, what_the_caches_do_not_hold_is_not_leased);
    tcase_add_loop_test(t, leases_end, 0, 11);
    tcase_add_test(t, closed_memory_is_not_leased);
    tcase_add_test(t, maintenance_is_of_the_thread_that_calls_it);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
