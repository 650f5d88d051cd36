/* SPDX-License-Identifier: MIT */
/* Bytes as pictures, NPY and DIMG: read, or refused with an error. The first byte says which. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/dla/dla_array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const extensions[] = { "npy", "dimg", "pgm", "ppm", "raw" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct array raw = { .type = ARRAY_INT16, .channels = 2, .height = 3, .width = 4 };
    struct array a = { .v = NULL };
    g_autofree char *path = NULL;
    GError *error = NULL;
    int64_t sum = 0;

    if (size < 1) {
        return 0;
    }
    path = g_strdup_printf("/dev/shm/fuzz_dla_array_%d.%s", (int)getpid(),
                           extensions[data[0] % G_N_ELEMENTS(extensions)]);
    if (!g_file_set_contents(path, (const char *)data + 1, (gssize)size - 1, NULL)) {
        abort();
    }
    if (array_load(&a, path, &raw, &error)) {
        for (size_t i = 0; i < array_count(&a); i++) {
            sum += a.v[i];
        }
        array_free(&a);
    } else if (!error || !*error->message) {
        abort();
    }
    g_clear_error(&error);
    unlink(path);
    return sum == INT64_MAX;
}
