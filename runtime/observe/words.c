/* SPDX-License-Identifier: MIT */
#include "runtime/observe/words.h"

#include <glib.h>
#include <string.h>

/* Before cuda.h, which renames some. */
static const char *const driver_functions[] = {
#define SYMBOL(name, since) #name,
#include "runtime/api/cuda/cuda.def"
    "cuMemset", /* the driver core's word for all of them */
};

static const char *const runtime_functions[] = {
#define SYMBOL(name) #name,
#include "runtime/api/cudart/cudart.def"
};

#include "include/cuda.h"
#include "include/cuda_runtime_api.h"

#define WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

struct code {
    int number;
    const char *name;
};

static const struct code driver_codes[] = {
#define ERROR(code, text) { code, #code },
#include "runtime/api/cuda/errors.def"
#undef ERROR
};

static const struct code runtime_codes[] = {
#define ERROR(code, text) { code, #code },
#include "runtime/api/cudart/errors.def"
#undef ERROR
};

bool words_is_runtime(const char *api)
{
    return api && g_str_has_prefix(api, "cuda") && g_ascii_isupper(api[4]);
}

unsigned words_plain_length(const char *function)
{
    static const char *const suffixes[] = { "_ptsz", "_ptds" };
    size_t n = strlen(function);

    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        n -= g_str_has_suffix(function, suffixes[i]) ? strlen(suffixes[i]) : 0;
    }
    if (n > 3 && function[n - 3] == '_' && function[n - 2] == 'v' &&
        g_ascii_isdigit(function[n - 1])) {
        n -= 3;
    }
    return (unsigned)n;
}

static bool is_driver_function(const char *word, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS(driver_functions); i++) {
        if (words_plain_length(driver_functions[i]) == length &&
            strncmp(driver_functions[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_runtime_function(const char *word, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS(runtime_functions); i++) {
        if (words_plain_length(runtime_functions[i]) == length &&
            strncmp(runtime_functions[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

bool words_is_function(const char *name)
{
    const size_t length = words_plain_length(name);

    return is_runtime_function(name, length) || is_driver_function(name, length);
}

static const char *runtime_error(const char *word, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS(driver_codes); i++) {
        const struct code *d = &driver_codes[i];

        if (strlen(d->name) != length || strncmp(d->name, word, length) != 0) {
            continue;
        }
        for (size_t j = 0; j < G_N_ELEMENTS(runtime_codes); j++) {
            if (runtime_codes[j].number == d->number) {
                return runtime_codes[j].name;
            }
        }
    }
    return NULL;
}

/* "cuX()" is another call: cudaX(), where the runtime has it. */
static void other_append(GString *out, const char *word, size_t length)
{
    g_autofree char *name = g_strdup_printf("cuda%.*s", (int)length - 2, word + 2);

    if (is_runtime_function(name, strlen(name))) {
        g_string_append(out, name);
    } else {
        g_string_append_len(out, word, (gssize)length);
    }
}

/* "#3 (cuMemAlloc 4 B": the buffer's allocation, whichever call the text is of. */
static bool is_of_buffer(const char *begin, const char *word)
{
    return word - begin >= 3 && word[-1] == '(' && word[-2] == ' ' && g_ascii_isdigit(word[-3]);
}

char *words_of_api(const char *text, const char *api)
{
    const char *begin = text;
    GString *out;

    if (!text || !words_is_runtime(api)) {
        return g_strdup(text);
    }
    out = g_string_new(NULL);
    while (*text) {
        size_t length = strspn(text, WORD);
        const char *error = length ? runtime_error(text, length) : NULL;

        if (error) {
            g_string_append(out, error);
        } else if (length && !is_of_buffer(begin, text) && is_driver_function(text, length)) {
            if (text[length] == '(') {
                other_append(out, text, length);
            } else {
                g_string_append(out, api);
            }
        } else {
            length += length == 0;
            g_string_append_len(out, text, (gssize)length);
        }
        text += length;
    }
    return g_string_free(out, FALSE);
}
