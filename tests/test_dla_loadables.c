/* SPDX-License-Identifier: MIT */
/* The published regression loadables of nvdla/sw (regression/flatbufs/kmd), when they lie beside
 * the project: run as task descriptors, and compared byte by byte with their golden images. */
#include "loadable/loadable.h"
#include "model/dla/desc.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NVDLA_DATA
#define NVDLA_DATA "../shared/nvdla"
#endif
#define KMD NVDLA_DATA "/kmd"
#define MAX_GOLDENS 256

static char *golden[MAX_GOLDENS];
static int goldens;

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

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_goldens(void)
{
    DIR *d = opendir(KMD "/golden");
    struct dirent *e;

    while (d && (e = readdir(d)) && goldens < MAX_GOLDENS) {
        if (e->d_name[0] != '.') {
            golden[goldens++] = strdup(e->d_name);
        }
    }
    if (d) {
        closedir(d);
    }
    qsort(golden, (size_t)goldens, sizeof(*golden), by_name);
}

static bool ends(const char *s, const char *end)
{
    return strlen(s) >= strlen(end) && strcmp(s + strlen(s) - strlen(end), end) == 0;
}

static uint64_t memory_iova(uint16_t id)
{
    return UINT64_C(0x80000000) + (uint64_t)id * 0x1000000;
}

static void fill_memories(struct rig *rig, const struct loadable *l)
{
    for (size_t i = 0; i < l->memories; i++) {
        const struct loadable_memory *m = &l->memory[i];

        rig_map(rig, memory_iova(m->id), m->size);
        if (!(m->flags & LOADABLE_SET)) {
            continue;
        }
        for (uint32_t k = 0; k < m->contents.count; k++) {
            const struct loadable_blob *b =
                loadable_blob_find(l, loadable_text_at(&m->contents, k));

            ck_assert_ptr_nonnull(b);
            rig_put(rig, memory_iova(m->id) + loadable_u64(&m->offsets, k), b->data.at,
                    b->data.count);
        }
    }
}

static void run_task(struct rig *rig, const struct dla_config *cfg, const struct loadable *l,
                     const struct loadable_task *t)
{
    uint64_t address[256], size[256];
    struct dla_task task = { .address = address, .size = size, .addresses = t->addresses.count };
    struct dla_stats stats = { 0 };
    struct dla_task_error error;
    char text[256];
    enum dla_status status;

    ck_assert_uint_le(t->addresses.count, 256);
    for (uint32_t i = 0; i < t->addresses.count; i++) {
        const struct loadable_address *a = loadable_address_find(l, loadable_u16(&t->addresses, i));

        ck_assert_ptr_nonnull(a);
        address[i] = memory_iova(a->memory_id) + a->offset;
        size[i] = a->size;
    }
    task.cube_bytes = dla_cube_bytes(l->blob[0].version.major, l->blob[0].version.minor);
    status = dla_task_run(cfg, &rig->port, &task, &stats, &error);
    dla_task_error_format(&error, text, sizeof(text));
    ck_assert_msg(status == DLA_OK, "%s", text);
}

static uint32_t le32(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A golden image: a header of nine words, then planes of lines of elements. Format codes 0x28
 * (int8), 0x29 (int16) and 0x2a (fp16) are feature cubes with 32-byte atoms, whatever the
 * hardware's. */
static void compare(struct rig *rig, const struct loadable *l, const uint8_t *g, size_t len,
                    const char *name)
{
    uint32_t format = le32(g + 8), w = le32(g + 12), h = le32(g + 16), c = le32(g + 20);
    uint32_t line = le32(g + 24), surf = le32(g + 28);
    uint32_t bytes = format == 0x28 ? 1 : 2, per = 32 / bytes;
    size_t at = 36;
    const struct loadable_memory *out = NULL;

    ck_assert_mem_eq(g, "DIMG", 4);
    for (size_t i = 0; i < l->memories; i++) {
        out = l->memory[i].flags & LOADABLE_OUTPUT ? &l->memory[i] : out;
    }
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(len - 36, (size_t)w * h * c * bytes);
    for (uint32_t k = 0; k < c; k++) {
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++, at += bytes) {
                uint8_t b[2] = { 0 };
                uint64_t from = memory_iova(out->id) + (uint64_t)(k / per) * surf +
                                (uint64_t)y * line + x * 32u + (k % per) * bytes;

                ck_assert(rig_get(rig, from, b, bytes));
                ck_assert_msg(memcmp(b, g + at, bytes) == 0,
                              "%s: x %u y %u channel %u: 0x%02x%02x, golden 0x%02x%02x", name, x, y,
                              k, b[1], b[0], bytes == 2 ? g[at + 1] : 0, g[at]);
            }
        }
    }
}

START_TEST(a_loadable_gives_its_golden_output)
{
    const char *name = golden[_i];
    const struct dla_config *cfg = dla_config_find(ends(name, "_small")   ? "nv_small"
                                                   : ends(name, "_large") ? "nv_large"
                                                                          : "nv_full");
    struct loadable_error error;
    char path[1024];
    size_t len = 0, golden_len = 0;
    uint8_t *bytes, *g;
    struct loadable *l;
    struct rig rig;

    snprintf(path, sizeof(path), "%s/flatbufs/%s_fbuf", KMD, name);
    bytes = slurp(path, &len);
    snprintf(path, sizeof(path), "%s/golden/%s/o_000000.dimg", KMD, name);
    g = slurp(path, &golden_len);
    if (!bytes || !g) {
        printf("skipped %s: no loadable or no golden image\n", name);
        return;
    }
    l = loadable_open(bytes, len, &error);
    ck_assert_ptr_nonnull(l);
    rig_init(&rig);
    fill_memories(&rig, l);
    for (size_t i = 0; i < l->tasks; i++) {
        if (l->task[i].interface == LOADABLE_DLA1) {
            run_task(&rig, cfg, l, &l->task[i]);
        }
    }
    compare(&rig, l, g, golden_len, name);
    rig_free(&rig);
    loadable_close(l);
    free(bytes);
    free(g);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_loadables");
    TCase *t = tcase_create("kmd");
    SRunner *r;
    int failed;

    list_goldens();
    if (!goldens) {
        printf("skipped: no published loadables in %s\n", KMD);
        return 0;
    }
    tcase_add_loop_test(t, a_loadable_gives_its_golden_output, 0, goldens);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
