/* SPDX-License-Identifier: MIT */
/* A test that starts a program of the build: in a cross build it starts the emulator with it. */
#ifndef TESTS_EMULATOR_H
#define TESTS_EMULATOR_H

#include <glib.h>

/* The emulator and its arguments, a blank between them; "": none. */
#ifndef TEST_EMULATOR
#define TEST_EMULATOR ""
#endif

/* @argv behind the emulator's words; g_free() the result, the words stay. */
static inline char **emulated(char **argv)
{
    static char **words;
    guint n = 0, more = g_strv_length(argv);
    char **all;

    if (!words) {
        words = g_strsplit(TEST_EMULATOR, " ", -1);
    }
    n = *TEST_EMULATOR ? g_strv_length(words) : 0;
    all = g_new0(char *, n + more + 1);
    for (guint i = 0; i < n + more; i++) {
        all[i] = i < n ? words[i] : argv[i - n];
    }
    return all;
}

#endif
