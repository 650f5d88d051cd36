/* SPDX-License-Identifier: MIT */
/* The published regression loadables run as task descriptors, each on its configuration of the
 * hardware, and compared byte by byte with their golden images. */
#include "loadable/loadable.h"
#include "model/dla/desc.h"
#include "tests/dla/golden.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <stdlib.h>

static char *names[GOLDENS_MAX];

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

static bool get(void *opaque, const struct loadable_memory *m, uint64_t offset, void *bytes,
                size_t len)
{
    return rig_get(opaque, memory_iova(m->id) + offset, bytes, len);
}

START_TEST(a_loadable_gives_its_golden_output)
{
    const char *name = names[_i];
    const struct loadable *l;
    struct golden g;
    struct rig rig;

    if (!golden_open(&g, name)) {
        return;
    }
    l = g.loadable;
    rig_init(&rig);
    fill_memories(&rig, l);
    for (size_t i = 0; i < l->tasks; i++) {
        if (l->task[i].interface == LOADABLE_DLA1) {
            run_task(&rig, dla_config_find(golden_config(name)), l, &l->task[i]);
        }
    }
    golden_compare(&g, get, &rig, name);
    rig_free(&rig);
    golden_close(&g);
}
END_TEST

int main(void)
{
    Suite *s;
    TCase *t;
    SRunner *r;
    int failed, n = golden_list(names);

    if (!n) {
        return 77;
    }
    s = suite_create("dla_loadables");
    t = tcase_create("kmd");
    tcase_add_loop_test(t, a_loadable_gives_its_golden_output, 0, n);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
