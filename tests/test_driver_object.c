/* SPDX-License-Identifier: MIT */
/* Life of the driver's objects (runtime/driver/core/object.h): when one ends, in which order, and
 * how a list of many ends. */
#include <check.h>
#include <signal.h>
#include <string.h>

#include "runtime/driver/core/object.h"
#include "suite.h"

struct thing {
    struct object base;
    char name;
    struct thing *part;
};

static GString *said; /* what ended, by name; a capital: its memory has gone */
static void *found;   /* by its handle, while it ended */
static const void *handle;

static void thing_end(void *object)
{
    const struct thing *t = object;

    g_string_append_c(said, t->name);
    found = handle_find(HANDLE_POOL, handle);
    if (t->part) {
        object_unref(&t->part->base);
    }
}

static void thing_free(void *object)
{
    const struct thing *t = object;

    g_string_append_c(said, g_ascii_toupper(t->name));
    g_free(object);
}

static const struct object_kind thing_kind = {
    .name = "thing", .type = HANDLE_POOL, .end = thing_end, .free = thing_free
};
static const struct object_kind bare_kind = { .name = "bare thing", .type = HANDLE_EVENT };

static struct thing *thing_new(char name, struct thing *part)
{
    struct thing *t = object_new(&thing_kind, sizeof(*t), NULL);

    t->name = name;
    t->part = part;
    return t;
}

static void begin(void)
{
    said = g_string_new(NULL);
    found = NULL;
    handle = NULL;
}

static void end(void)
{
    g_string_free(said, TRUE);
}

START_TEST(a_new_one_is_empty_and_held_once)
{
    struct context *context = (struct context *)&said;
    struct thing *t = object_new(&bare_kind, sizeof(*t), context);

    ck_assert_ptr_eq(t->base.context, context);
    ck_assert_uint_eq(t->base.refs, 1);
    ck_assert_ptr_null(t->base.handle);
    ck_assert_ptr_null(t->part);
    object_unref(&t->base);
}
END_TEST

START_TEST(the_last_reference_ends_it)
{
    struct thing *t = thing_new('a', NULL);

    object_ref(&t->base);
    object_unref(&t->base);
    ck_assert_str_eq(said->str, "");
    object_unref(&t->base);
    ck_assert_str_eq(said->str, "aA");
}
END_TEST

START_TEST(its_handle_finds_it_until_it_has_ended)
{
    struct thing *t = thing_new('a', NULL);

    handle = object_open(&t->base);
    ck_assert_ptr_eq(t->base.handle, handle);
    ck_assert_ptr_eq(handle_find(HANDLE_POOL, handle), t);
    ck_assert_ptr_null(handle_find(HANDLE_EVENT, handle));
    object_unref(&t->base);
    ck_assert_ptr_eq(found, t);
    ck_assert_ptr_null(handle_find(HANDLE_POOL, handle));
}
END_TEST

START_TEST(one_that_is_closed_lives_on)
{
    struct thing *t = thing_new('a', NULL);

    handle = object_open(&t->base);
    object_close(&t->base);
    ck_assert_ptr_null(t->base.handle);
    ck_assert_ptr_null(handle_find(HANDLE_POOL, handle));
    ck_assert_str_eq(said->str, "");
    object_close(&t->base);
    object_unref(&t->base);
    ck_assert_str_eq(said->str, "aA");
}
END_TEST

/* The slot of a part is free before that of the whole: the next handles are the same in each run.
 */
START_TEST(parts_end_inside_the_whole)
{
    struct thing *part = thing_new('b', NULL);
    struct thing *t = thing_new('a', part);

    object_open(&t->base);
    object_open(&part->base);
    object_unref(&t->base);
    ck_assert_str_eq(said->str, "abBA");
}
END_TEST

START_TEST(one_released_too_often_is_our_fault)
{
    static struct object o = { .kind = &bare_kind };

    object_unref(&o);
}
END_TEST

/* --- lists --- */

static char *names(const struct object_list *list)
{
    GString *all = g_string_new(NULL);
    const struct thing *t;

    for (t = object_first(list); t; t = object_after(&t->base)) {
        g_string_append_c(all, t->name);
    }
    g_string_append_c(all, ' ');
    for (t = object_last(list); t; t = object_before(&t->base)) {
        g_string_append_c(all, t->name);
    }
    return g_string_free(all, FALSE);
}

static void list_is(const struct object_list *list, const char *want)
{
    g_autofree char *got = names(list);

    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(list->count, (strlen(want) - 1) / 2);
}

START_TEST(a_list_keeps_the_order_whatever_leaves_it)
{
    struct object_list list = { 0 };
    struct thing *t[4];

    list_is(&list, " ");
    for (unsigned i = 0; i < G_N_ELEMENTS(t); i++) {
        t[i] = thing_new((char)('a' + i), NULL);
        object_list_add(&list, &t[i]->base);
    }
    list_is(&list, "abcd dcba");
    object_unref(&t[1]->base);
    list_is(&list, "acd dca");
    object_list_remove(&t[3]->base);
    object_list_remove(&t[3]->base);
    list_is(&list, "ac ca");
    object_unref(&t[0]->base);
    list_is(&list, "c c");
    object_list_add(&list, &t[3]->base);
    list_is(&list, "cd dc");
    object_unref(&t[2]->base);
    object_unref(&t[3]->base);
    list_is(&list, " ");
    ck_assert_str_eq(said->str, "bBaAcCdD");
}
END_TEST

/* As a context that ends with all events of a program. The time limit is for a list that moves its
 * rest each time: 300,000 x 300,000 / 2 pointers are 360 GB. */
START_TEST(a_list_of_many_ends_from_either_side)
{
    struct object_list list = { 0 };
    const unsigned n = 300000;

    for (unsigned i = 0; i < n; i++) {
        object_list_add(&list, object_new(&bare_kind, sizeof(struct thing), NULL));
        object_open(object_last(&list));
    }
    ck_assert_uint_eq(list.count, n);
    while (list.first) {
        object_unref(_i ? object_first(&list) : object_last(&list));
    }
    ck_assert_uint_eq(list.count, 0);
    ck_assert_ptr_null(list.last);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("driver_object");
    TCase *t = tcase_create("object");

    tcase_add_checked_fixture(t, begin, end);
    tcase_add_test(t, a_new_one_is_empty_and_held_once);
    tcase_add_test(t, the_last_reference_ends_it);
    tcase_add_test(t, its_handle_finds_it_until_it_has_ended);
    tcase_add_test(t, one_that_is_closed_lives_on);
    tcase_add_test(t, parts_end_inside_the_whole);
    tcase_add_test_raise_signal(t, one_released_too_often_is_our_fault, SIGTRAP);
    tcase_add_test(t, a_list_keeps_the_order_whatever_leaves_it);
    tcase_add_loop_test(t, a_list_of_many_ends_from_either_side, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}
