/* SPDX-License-Identifier: MIT */
#include "tests/dla/golden.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NVDLA_DATA
#define NVDLA_DATA "../shared/nvdla"
#endif
#define KMD NVDLA_DATA "/kmd"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int golden_list(char *names[GOLDENS_MAX])
{
    DIR *d = opendir(KMD "/golden");
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)) && n < GOLDENS_MAX) {
        if (e->d_name[0] != '.') {
            names[n++] = strdup(e->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
    qsort(names, (size_t)n, sizeof(*names), by_name);
    if (n == 0) {
        printf("skipped: no published loadables in %s\n", KMD);
    }
    return n;
}

static bool ends(const char *s, const char *end)
{
    return strlen(s) >= strlen(end) && strcmp(s + strlen(s) - strlen(end), end) == 0;
}

const char *golden_config(const char *name)
{
    return ends(name, "_small") ? "nv_small" : ends(name, "_large") ? "nv_large" : "nv_full";
}

static uint8_t *slurp(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    uint8_t *b;

    if (!f) {
        return NULL;
    }
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    b = malloc(*len + 1);
    ck_assert_uint_eq(fread(b, 1, *len, f), *len);
    fclose(f);
    return b;
}

bool golden_open(struct golden *g, const char *name)
{
    struct loadable_error error;
    char path[1024];
    size_t len = 0;

    *g = (struct golden){ 0 };
    snprintf(path, sizeof(path), "%s/flatbufs/%s_fbuf", KMD, name);
    g->bytes = slurp(path, &len);
    snprintf(path, sizeof(path), "%s/golden/%s/o_000000.dimg", KMD, name);
    g->image = slurp(path, &g->image_bytes);
    if (!g->bytes || !g->image) {
        printf("skipped %s: no loadable or no golden image\n", name);
        golden_close(g);
        return false;
    }
    g->loadable = loadable_open(g->bytes, len, &error);
    ck_assert_ptr_nonnull(g->loadable);
    return true;
}

void golden_close(struct golden *g)
{
    if (g->loadable) {
        loadable_close(g->loadable);
    }
    free(g->bytes);
    free(g->image);
}

static uint32_t le32(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A golden image: a header of nine words, then planes of lines of elements. Format codes 0x28
 * (int8), 0x29 (int16) and 0x2a (fp16) are feature cubes with 32-byte atoms, whatever the
 * hardware's. */
void golden_compare(const struct golden *g, golden_get *get, void *opaque, const char *name)
{
    const struct loadable *l = g->loadable;
    const uint8_t *image = g->image;
    uint32_t format = le32(image + 8), w = le32(image + 12), h = le32(image + 16);
    uint32_t c = le32(image + 20), line = le32(image + 24), surf = le32(image + 28);
    uint32_t bytes = format == 0x28 ? 1 : 2, per = 32 / bytes;
    size_t at = 36;
    const struct loadable_memory *out = NULL;

    ck_assert_mem_eq(image, "DIMG", 4);
    for (size_t i = 0; i < l->memories; i++) {
        out = l->memory[i].flags & LOADABLE_OUTPUT ? &l->memory[i] : out;
    }
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(g->image_bytes - 36, (size_t)w * h * c * bytes);
    for (uint32_t k = 0; k < c; k++) {
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++, at += bytes) {
                uint64_t from =
                    (uint64_t)(k / per) * surf + (uint64_t)y * line + x * 32u + (k % per) * bytes;
                uint8_t b[2] = { 0 };

                ck_assert(get(opaque, out, from, b, bytes));
                ck_assert_msg(memcmp(b, image + at, bytes) == 0,
                              "%s: x %u y %u channel %u: 0x%02x%02x, golden 0x%02x%02x", name, x, y,
                              k, b[1], b[0], bytes == 2 ? image[at + 1] : 0, image[at]);
            }
        }
    }
}
