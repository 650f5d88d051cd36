/* SPDX-License-Identifier: MIT */
/* Events of the driver core: who is called, in which order, and what is made of the answers. */
#include <check.h>
#include <string.h>

#include "runtime/driver/core/notifier.h"
#include "suite.h"

static char called[16];
static bool first_says, second_says;

static void call(char who)
{
    size_t n = strlen(called);

    ck_assert_uint_lt(n + 1, sizeof(called));
    called[n] = who;
    called[n + 1] = '\0';
}

static void first_service(void)
{
    call('a');
}

static void second_service(void)
{
    call('b');
}

static bool first_pump(void)
{
    call('a');
    return first_says;
}

static bool second_pump(void)
{
    call('b');
    return second_says;
}

static unsigned thread_seen;

static void thread_gone(unsigned thread)
{
    thread_seen = thread;
}

START_TEST(without_notifiers_nothing_happens)
{
    notify_service();
    notify_thread_gone(1);
    ck_assert(!notify_pump());
    ck_assert(!notify_release());
    ck_assert_str_eq(called, "");
}
END_TEST

START_TEST(each_is_called_once_in_the_order_of_their_addition)
{
    notify_service_add(second_service);
    notify_service_add(first_service);
    notify_service_add(second_service);
    notify_service();
    ck_assert_str_eq(called, "ba");
}
END_TEST

START_TEST(one_that_says_so_does_not_keep_others_from_being_called)
{
    notify_pump_add(first_pump);
    notify_pump_add(second_pump);
    first_says = _i & 1;
    second_says = _i & 2;
    ck_assert_int_eq(notify_pump(), _i != 0);
    ck_assert_str_eq(called, "ab");
}
END_TEST

START_TEST(functions_of_other_events_are_not_called)
{
    notify_service_add(first_service);
    notify_pump_add(second_pump);
    notify_thread_gone_add(thread_gone);
    notify_thread_gone(7);
    ck_assert_uint_eq(thread_seen, 7);
    ck_assert(!notify_function_wait());
    ck_assert_str_eq(called, "");
}
END_TEST

/* Each test runs in a process of its own (Check forks): no notifier is there at its beginning. */
int main(void)
{
    Suite *s = suite_create("notifier");
    TCase *t = tcase_create("notifier");

    tcase_add_test(t, without_notifiers_nothing_happens);
    tcase_add_test(t, each_is_called_once_in_the_order_of_their_addition);
    tcase_add_loop_test(t, one_that_says_so_does_not_keep_others_from_being_called, 0, 4);
    tcase_add_test(t, functions_of_other_events_are_not_called);
    suite_add_tcase(s, t);
    return suite_main(s);
}
