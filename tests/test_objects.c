/* SPDX-License-Identifier: MIT */
/* Objects with hooks: who is told of the board's memory, and when. */
#include <check.h>
#include <stdlib.h>

#include "runtime/check/objects.h"

static unsigned told[3], more;
static const struct vtegra_track_client *given;

static void attach_a(const struct vtegra_track_client *client)
{
    told[0]++;
    given = client;
}

static void attach_b(const struct vtegra_track_client *client)
{
    told[1]++;
    given = client;
}

static void attach_old(const struct vtegra_track_client *client)
{
    (void)client;
    told[2]++;
}

static struct vtegra_track_object a = { .version = VTEGRA_TRACK_VERSION, .attach = attach_a },
                                  b = { .version = VTEGRA_TRACK_VERSION, .attach = attach_b },
                                  old = { .version = VTEGRA_TRACK_VERSION - 1,
                                          .attach = attach_old };
static struct vtegra_track_client client;

static void listen(struct vtegra_track_object *object)
{
    (void)object;
    more++;
}

static void assert_told(unsigned of_a, unsigned of_b)
{
    ck_assert_uint_eq(told[0], of_a);
    ck_assert_uint_eq(told[1], of_b);
    ck_assert_uint_eq(told[2], 0);
}

/* In one process, as objects are never taken off the list. */
START_TEST(each_object_of_this_version_is_told)
{
    objects_look(listen);
    ck_assert(!objects_hooked());
    vtegra_track_enlist(&old); /* its client and its books may be laid out otherwise */
    ck_assert_uint_eq(more, 1);
    ck_assert(!objects_hooked());
    vtegra_track_enlist(&a);
    ck_assert(objects_hooked());
    objects_attach(&client);
    assert_told(1, 0);
    vtegra_track_enlist(&b); /* loaded later: whoever listens attaches it */
    ck_assert_uint_eq(more, 3);
    objects_attach(&client);
    assert_told(2, 1);
    ck_assert_ptr_eq(given, &client);
    vtegra_track_enlist(&a); /* twice is once */
    ck_assert_uint_eq(more, 3);
    objects_attach(NULL);
    assert_told(3, 2);
    ck_assert_ptr_null(given);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("objects");
    TCase *tc = tcase_create("objects");
    SRunner *sr;
    int failed;

    tcase_add_test(tc, each_object_of_this_version_is_told);
    suite_add_tcase(s, tc);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
