/* SPDX-License-Identifier: MIT */
/* Objects with hooks: who is told of the board's memory, and when; what the report says of each. */
#include <check.h>
#include <dlfcn.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/objects.h"
#include "runtime/preload/preload.h"
#include "tests/scratch.h"

/* The program's own; it is exported, as `vtegra cc --track` does. */
__attribute__((visibility("default"))) struct vtegra_track_object vtegra_track_object = {
    .version = VTEGRA_TRACK_VERSION - 1
};

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
    more = 0;
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

/* Under `vtegra run` objects are enlisted with the preloaded library, which tells us of later ones.
 */
static struct vtegra_preload preloaded;
static vtegra_track_enlist_fn *listens;

static const struct vtegra_track_object *tracked(vtegra_track_enlist_fn *listener)
{
    listens = listener;
    b.next = &old;
    return &b;
}

__attribute__((visibility("default"))) const struct vtegra_preload *vtegra_preload(void)
{
    return &preloaded;
}

START_TEST(objects_of_the_preloaded_library_are_told)
{
    preloaded = (struct vtegra_preload){ .version = VTEGRA_PRELOAD_VERSION, .track = tracked };
    objects_look(listen);
    ck_assert(objects_hooked());
    ck_assert(listens == listen);
    vtegra_track_enlist(&a);
    objects_attach(&client);
    assert_told(1, 1);
    more = 0;
    vtegra_track_enlist(&b); /* is there */
    ck_assert_uint_eq(more, 0);
}
END_TEST

/* Who has hooks wants to know of races, and of what the caches hold; so does who looks for stale
 * bytes. */
START_TEST(programs_with_hooks_are_looked_at_closer)
{
    static const struct {
        enum check_hb hb;
        bool hooks, races, caches;
    } runs[] = {
        { CHECK_HB_AUTO, false, false, false },
        { CHECK_HB_AUTO, true, true, true },
        { CHECK_HB_OFF, true, false, true },
        { CHECK_HB_ON, false, true, true },
    };
    struct soc_profile profile = { .soc = { .name = "orin" } };
    struct check *c;

    if (runs[_i].hooks) {
        vtegra_track_enlist(&a);
    }
    c = check_open(&(struct check_config){ .profile = &profile, .quiet = true, .hb = runs[_i].hb });
    ck_assert_int_eq((check_mask(c) & TRACE_ACCESS) != 0, runs[_i].races);
    ck_assert_int_eq((check_mask(c) & TRACE_CACHE) != 0, runs[_i].caches);
    check_close(c);
    check_free(c);
}
END_TEST

/* --- libraries that were loaded first ----------------------------------------------------------
 */

#ifndef TEST_CC
#define TEST_CC "cc" /* in a cross build, the compiler of the machine that the test runs on */
#endif

/* Each with hooks, or what is left of them; the board's are told to those that are heard. */
static const char build[] =
    "cd %s; cc='" TEST_CC "'; "
    "echo 'char vtegra_track_object[256] __attribute__((aligned(16)));' >hooked.c; "
    "echo 'void __tsan_init(void) {}' >init.c; "
    "echo 'void a(void) {}' >a.c; echo 'void b(void) {}' >b.c; "
    "echo 'void second(void) {} void first(void) {}' >n.c; "
    "echo 'void vtegra_track_attach(void) {}' >old.c; "
    "$cc -fPIC -g -grecord-gcc-switches -fsanitize=thread -c hooked.c; "
    "$cc -fPIC -fsanitize=thread -c hooked.c -o bare.o; "
    "$cc -fPIC -g -c a.c b.c; $cc -fPIC -c init.c n.c old.c; "
    "$cc -shared -o liball.so hooked.o init.o; "
    "$cc -shared -o libsome.so hooked.o init.o b.o a.o n.o; "
    "$cc -shared -o libfunctions.so hooked.o init.o n.o; "
    "$cc -shared -o libfile.so hooked.o init.o a.o; "
    "$cc -shared -o libunknown.so bare.o init.o; "
    "$cc -shared -o libother.so hooked.o init.o; "
    "$cc -shared -o libold.so old.o; "
    "$cc -shared -o libuser.so b.o -Wl,--no-as-needed ./liball.so ./libold.so";

/* Loaded in this order, and the report's is another. */
static const struct {
    const char *name;
    bool hooked, heard;
} libraries[] = {
    { "libold.so", false, false },     { "libuser.so", false, false },
    { "libunknown.so", true, true },   { "libsome.so", true, true },
    { "libfunctions.so", true, true }, { "liball.so", true, true },
    { "libfile.so", true, true },      { "libother.so", true, false },
};

static unsigned attached;

static void attach_library(const struct vtegra_track_client *wants)
{
    (void)wants;
    attached++;
}

static void setup(void)
{
    g_autofree char *command = NULL;

    scratch_open();
    command = g_strdup_printf(build, dir);
    ck_assert_int_eq(system(command), 0); // NOLINT(bugprone-command-processor)
    ck_assert_int_eq(chdir(dir), 0);      /* libuser.so names the others so */
}

static void teardown(void)
{
    g_autofree char *command = g_strdup_printf("rm -f %s/*.[cos]* %s/trace", dir, dir);

    ck_assert_int_eq(system(command), 0); // NOLINT(bugprone-command-processor)
    scratch_close(NULL, 0);
}

static void *library(size_t i, int flags)
{
    g_autofree char *path = g_build_filename(dir, libraries[i].name, NULL);

    return dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
}

/* Load them, and write what the compiler's library would have in them. */
static void load(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        void *handle = library(i, 0);
        struct vtegra_track_object *object =
            handle && libraries[i].hooked ? dlsym(handle, "vtegra_track_object") : NULL;

        ck_assert_msg(handle && !object == !libraries[i].hooked, "%s: %s", libraries[i].name,
                      dlerror());
        if (object) {
            object->version = VTEGRA_TRACK_VERSION + !libraries[i].heard;
            object->attach = attach_library;
        }
    }
}

START_TEST(objects_that_were_there_first_are_found)
{
    load();
    objects_look(listen);
    ck_assert_uint_eq(more, 7); /* six, and the program */
    ck_assert(objects_hooked());
    objects_attach(&client);
    ck_assert_uint_eq(attached, 5);
    objects_look(listen); /* found twice is once */
    ck_assert_uint_eq(more, 7);
}
END_TEST

/* Their addresses are known, and the report will name their lines. */
START_TEST(objects_that_were_found_stay)
{
    void *handle;

    load();
    objects_look(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        handle = library(i, RTLD_NOLOAD);
        ck_assert_ptr_nonnull(handle);
        dlclose(handle);
        dlclose(handle);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        ck_assert_msg((library(i, RTLD_NOLOAD) != NULL) == libraries[i].hooked, "%s",
                      libraries[i].name);
    }
}
END_TEST

/* What the notes of objects are, in a trace. */
static char *objects_of_a_run(void)
{
    g_autofree char *path = g_build_filename(dir, "trace", NULL);
    struct soc_profile profile = { .soc = { .name = "orin" } };
    struct check *c = check_open(&(struct check_config){
        .profile = &profile, .program = "/x/p", .trace_path = path, .quiet = true });
    GString *out = g_string_new(NULL);
    g_auto(GStrv) lines = NULL;
    g_autofree char *text = NULL;

    check_close(c);
    check_free(c);
    ck_assert(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, "@object") || g_str_has_prefix(*line, "@without")) {
            g_string_append_printf(out, "%s\n", *line + 1);
        }
    }
    return g_string_free(out, FALSE);
}

/* By path; the program is the first. Libraries of the system are nobody's to rebuild. */
START_TEST(each_object_is_told_of)
{
    g_autofree char *notes = NULL;

    load();
    vtegra_track_object.version +=
        _i; /* the second time it is heard; who compiled it is not said */
    notes = objects_of_a_run();
    ck_assert(g_str_has_prefix(notes, _i ? "object name=p hooks=unknown\n"
                                         : "object name=p hooks=unheard\n"));
    ck_assert_str_eq(strchr(notes, '\n') + 1,
                     "object name=liball.so hooks=all\n"
                     "object name=libfile.so hooks=some\n"
                     "without-hooks object=libfile.so file=a.c\n"
                     "object name=libfunctions.so hooks=some\n"
                     "without-hooks object=libfunctions.so function=first\n"
                     "without-hooks object=libfunctions.so function=second\n"
                     "object name=libold.so hooks=unheard\n"
                     "object name=libother.so hooks=unheard\n"
                     "object name=libsome.so hooks=some\n"
                     "without-hooks object=libsome.so file=a.c\n"
                     "without-hooks object=libsome.so file=b.c\n"
                     "without-hooks object=libsome.so function=first\n"
                     "without-hooks object=libsome.so function=second\n"
                     "object name=libunknown.so hooks=unknown\n"
                     "object name=libuser.so hooks=none\n");
}
END_TEST

START_TEST(nobody_is_told_of_where_places_are_not_wanted)
{
    g_autofree char *notes = NULL;

    load();
    g_setenv("VTEGRA_PLACES", "0", TRUE);
    notes = objects_of_a_run();
    ck_assert_str_eq(notes, "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("objects");
    TCase *tc = tcase_create("objects");
    SRunner *sr;
    int failed;

    tcase_add_test(tc, each_object_of_this_version_is_told);
    tcase_add_test(tc, objects_of_the_preloaded_library_are_told);
    tcase_add_loop_test(tc, programs_with_hooks_are_looked_at_closer, 0, 4);
    suite_add_tcase(s, tc);
    tc = tcase_create("libraries");
    tcase_set_timeout(tc, 60);
    tcase_add_unchecked_fixture(tc, setup, teardown);
    tcase_add_test(tc, objects_that_were_there_first_are_found);
    tcase_add_test(tc, objects_that_were_found_stay);
    tcase_add_loop_test(tc, each_object_is_told_of, 0, 2);
    tcase_add_test(tc, nobody_is_told_of_where_places_are_not_wanted);
    suite_add_tcase(s, tc);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
