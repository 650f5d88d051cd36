/* SPDX-License-Identifier: MIT */
/* What the writer writes, the reader reads; and FlatBuffers' own rules about where things lie. */
#include "loadable/desc.h"
#include "loadable/writer.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(s) ((struct loadable_text){ s, strlen(s) })

static uint8_t *bytes;
static size_t len;
static struct loadable *l;

/* One entry of each list, no member alike and none zero. */
static void setup(void)
{
    static const uint8_t ids[] = { 7, 0, 9, 1 }, actions[] = { 3, 0 };
    static const uint8_t offsets[] = { 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    static struct loadable_task task = { .id = 1,
                                         .interface = 2,
                                         .instance = -3,
                                         .addresses = { ids, 2 },
                                         .pre_actions = { actions, 1 },
                                         .post_actions = { ids + 2, 1 } };
    static struct loadable_memory memory[2] = {
        { .id = 4,
          .flags = 5,
          .bind_id = 6,
          .tensor_id = 7,
          .domain = 1,
          .size = UINT64_C(0x123456789a),
          .alignment = 4096,
          .offsets = { offsets, 2 } },
        { .id = 8 },
    };
    static struct loadable_address address = { 9, 10, UINT64_C(0x1100000011), 12 };
    static struct loadable_event event = {
        .id = 13, .target = 14, .type = 1, .op = 1, .value = 17
    };
    static struct loadable_blob blob = { .size = 18,
                                         .interface = 1,
                                         .sub_interface = 19,
                                         .version = { 20, 21, 22 },
                                         .data = { ids, 3 } };
    static struct loadable_tensor tensor = { .id = 23,
                                             .memory_id = 24,
                                             .size = 25,
                                             .offset = 26,
                                             .format = 27,
                                             .type = 28,
                                             .category = 29,
                                             .pixel_format = 30,
                                             .pixel_mapping = 31,
                                             .n = 32,
                                             .c = -33,
                                             .h = 34,
                                             .w = 35,
                                             .stride = { 36, 37, 38, 39, 40, 41, 42, 43 } };
    static struct loadable_reloc reloc = { 44, 45, 46, 47, 48, 49 };
    static struct loadable_submit submit = { .id = 50, .tasks = { ids, 1 } };
    const struct loadable_text names[] = { TEXT("one"), TEXT("") };
    const struct loadable_text *const contents[] = { names, NULL };
    struct loadable in = { .version = { 1, 2, 3 },
                           .task = &task,
                           .tasks = 1,
                           .memory = memory,
                           .memories = 2,
                           .address = &address,
                           .addresses = 1,
                           .event = &event,
                           .events = 1,
                           .blob = &blob,
                           .blobs = 1,
                           .tensor = &tensor,
                           .tensors = 1,
                           .reloc = &reloc,
                           .relocs = 1,
                           .submit = &submit,
                           .submits = 1 };
    struct loadable_error error;

    blob.name = TEXT("one");
    tensor.name = TEXT("a tensor");
    bytes = loadable_write(&in, contents, &len);
    ck_assert_ptr_nonnull(bytes);
    l = loadable_open(bytes, len, &error);
    ck_assert_msg(l != NULL, "%s[%d].%s", error.list, error.index, error.field);
}

static void teardown(void)
{
    loadable_close(l);
    free(bytes);
}

static void is(struct loadable_text t, const char *text)
{
    ck_assert_uint_eq(t.len, strlen(text));
    ck_assert_mem_eq(t.at, text, t.len);
}

START_TEST(every_member_is_read_as_it_was_written)
{
    ck_assert(l->identified);
    ck_assert(l->version.major == 1 && l->version.minor == 2 && l->version.sub_minor == 3);
    ck_assert(l->tasks == 1 && l->task->id == 1 && l->task->interface == 2 &&
              l->task->instance == -3);
    ck_assert(l->task->addresses.count == 2 && loadable_u16(&l->task->addresses, 1) == 0x109);
    ck_assert(l->task->pre_actions.count == 1 && loadable_u16(&l->task->pre_actions, 0) == 3);
    ck_assert(l->task->post_actions.count == 1 && loadable_u16(&l->task->post_actions, 0) == 0x109);
    ck_assert(l->memories == 2 && l->memory->id == 4 && l->memory->flags == 5 &&
              l->memory->bind_id == 6);
    ck_assert(l->memory->tensor_id == 7 && l->memory->domain == 1 && l->memory->alignment == 4096);
    ck_assert_uint_eq(l->memory->size, UINT64_C(0x123456789a));
    ck_assert_uint_eq(loadable_u64(&l->memory->offsets, 1), UINT64_C(0x100000001));
    is(loadable_text_at(&l->memory->contents, 0), "one");
    is(loadable_text_at(&l->memory->contents, 1), "");
    ck_assert(l->memory[1].id == 8 && l->memory[1].contents.count == 0);
    ck_assert(l->address->id == 9 && l->address->memory_id == 10 && l->address->size == 12);
    ck_assert_uint_eq(l->address->offset, UINT64_C(0x1100000011));
    ck_assert(l->event->id == 13 && l->event->target == 14 && l->event->type == 1);
    ck_assert(l->event->op == 1 && l->event->value == 17);
    is(l->blob->name, "one");
    ck_assert(l->blob->size == 18 && l->blob->interface == 1 && l->blob->sub_interface == 19);
    ck_assert(l->blob->version.major == 20 && l->blob->version.minor == 21);
    ck_assert(l->blob->version.sub_minor == 22 && l->blob->data.count == 3);
    ck_assert_mem_eq(l->blob->data.at, "\7\0\11", 3);
    ck_assert(l->reloc->address_id == 44 && l->reloc->write_id == 45 && l->reloc->offset == 46);
    ck_assert(l->reloc->interface == 47 && l->reloc->sub_interface == 48 && l->reloc->type == 49);
    ck_assert(l->submit->id == 50 && l->submit->tasks.count == 1);
}
END_TEST

START_TEST(every_member_of_a_tensor_is_read_as_it_was_written)
{
    const struct loadable_tensor *t = l->tensor;

    is(t->name, "a tensor");
    ck_assert(t->id == 23 && t->memory_id == 24 && t->size == 25 && t->offset == 26);
    ck_assert(t->format == 27 && t->type == 28 && t->category == 29 && t->pixel_format == 30);
    ck_assert(t->pixel_mapping == 31 && t->n == 32 && t->c == -33 && t->h == 34 && t->w == 35);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(t->stride[i], 36 + i);
    }
}
END_TEST

/* flatbuffers.dev, "Internals": a scalar lies at a multiple of its size, counted from the start of
 * the file; so does the first element of a vector. */
START_TEST(numbers_lie_at_multiples_of_their_size)
{
    uint64_t at = (uint64_t)(l->memory->offsets.at - bytes);
    const uint8_t size[8] = { 0x9a, 0x78, 0x56, 0x34, 0x12 };

    ck_assert_uint_eq(at % 8, 0);
    ck_assert_uint_eq((uint64_t)(l->task->addresses.at - bytes) % 2, 0);
    for (size_t i = 0; i + 8 <= len; i++) {
        if (memcmp(bytes + i, size, 8) == 0) {
            ck_assert_uint_eq(i % 8, 0);
            return;
        }
    }
    ck_abort_msg("the size of the memory is not in the file");
}
END_TEST

START_TEST(a_cut_file_is_refused)
{
    struct loadable_error error;

    for (size_t n = 0; n < len; n++) {
        uint8_t *cut = malloc(n + 1);
        struct loadable *got;

        memcpy(cut, bytes, n);
        got = loadable_open(cut, n, &error);
        ck_assert(got || (error.list && error.field && *error.rule));
        loadable_close(got);
        free(cut);
    }
}
END_TEST

/* nvdla/sw dla_interface.h: struct dla_data_cube of 28 bytes, and of 32 with an offset. */
START_TEST(cubes_of_both_layouts)
{
    const struct desc_cube in = { 1, -2, 0x33, 4, 5, 6, 7, 8, 9, 10 };
    uint8_t s[96] = { 0 };
    struct desc_cube out;

    desc_cube_put(s, 1, 32, &in);
    ck_assert(s[32] == 1 && s[34] == 0xfe && s[36] == 0x33 && s[40] == 4 && s[44] == 5);
    ck_assert(s[46] == 6 && s[48] == 7 && s[52] == 8 && s[56] == 9 && s[60] == 10);
    desc_cube_get(s, 1, 32, &out);
    ck_assert(out.offset == 0x33 && out.address == -2 && out.plane_stride == 10);
    memset(s, 0, sizeof(s));
    desc_cube_put(s, 1, 28, &in);
    ck_assert(s[28] == 1 && s[30] == 0xfe && s[32] == 4 && s[36] == 5 && s[38] == 6 && s[40] == 7);
    ck_assert(s[44] == 8 && s[48] == 9 && s[52] == 10);
    desc_cube_get(s, 1, 28, &out);
    ck_assert(out.offset == 0 && out.size == 4 && out.channels == 7 && out.line_stride == 8);
}
END_TEST

START_TEST(versions_and_words)
{
    char word[16];

    ck_assert_uint_eq(desc_cube_bytes(0, 10), 28);
    ck_assert_uint_eq(desc_cube_bytes(0, 11), 28);
    ck_assert_uint_eq(desc_cube_bytes(0, 12), 32);
    ck_assert_uint_eq(desc_cube_bytes(0, 13), 0);
    ck_assert_uint_eq(desc_cube_bytes(1, 12), 0);
    ck_assert(desc_word("a|bc|d", 1, word, sizeof(word)) && strcmp(word, "bc") == 0);
    ck_assert(!desc_word("a|bc|d", 3, word, sizeof(word)));
    ck_assert(!desc_word("a|bc|d", -1, word, sizeof(word)));
    ck_assert_int_eq(desc_word_find("a|bc|d", "d"), 2);
    ck_assert_int_eq(desc_word_find("a|bc|d", "b"), -1);
    ck_assert_int_eq(desc_get((const uint8_t *)"\xfe\xff", 2, true), -2);
    ck_assert_int_eq(desc_get((const uint8_t *)"\xfe\xff", 2, false), 65534);
    ck_assert_int_eq(desc_get((const uint8_t *)"\0\0\0\0\0\0\0\x80", 8, true), INT64_MIN);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("loadable_writer");
    TCase *t = tcase_create("writer");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, every_member_is_read_as_it_was_written);
    tcase_add_test(t, every_member_of_a_tensor_is_read_as_it_was_written);
    tcase_add_test(t, numbers_lie_at_multiples_of_their_size);
    tcase_add_test(t, a_cut_file_is_refused);
    tcase_add_test(t, cubes_of_both_layouts);
    tcase_add_test(t, versions_and_words);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
