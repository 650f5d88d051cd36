/* SPDX-License-Identifier: MIT */
/* Tasks for the CPU (EMU1), and loadables as ONNC writes them. The expected numbers were computed
 * apart from the code under test, in Python: floats of 32 bits, and fp16 rounded to the nearest,
 * ties away from zero. Published numbers agree: test_Log of ONNC/onnc-tutorial (log 2 = 0.693359,
 * log 3 = 1.09863), and MNIST (scripts/dla-loadables.py). */
#include "tools/dla/dla_emu.h"

#include <check.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "dlabuild/build.h"
#include "loadable/network.h"
#include "loadable/writer.h"
#include "tests/suite.h"
#include "tools/dla/dla_exec.h"

#define TEXT(s) ((struct loadable_text){ s, strlen(s) })
#define CAPACITY 16

/* --- descriptors by hand, as emu_interface.h lays them out --- */
static uint8_t network[256], ops[256], buffers[1024];

static void put(uint8_t *at, unsigned bytes, int64_t v)
{
    desc_put(at, bytes, v);
}

static void put_float(uint8_t *at, float v)
{
    uint32_t u;

    memcpy(&u, &v, 4);
    put(at, 4, u);
}

/* @second: the edition with scales and offsets. */
static void cube(uint8_t *at, gboolean second, int address, int format, int channels)
{
    uint8_t *b = at + (second ? 6 : 2);

    put(at, 2, address);
    put(b, 4, 64); /* size */
    put(b + 4, 2, format);
    put(b + 6, 2, 1);
    put(b + 8, 2, 1);
    put(b + 10, 2, channels);
    put(b + 12, 4, 32);
    put(b + 16, 4, 32);
}

/* One operation from address @src to address @dst. */
static void descriptors(gboolean second, int type, const float *scales, const float *power,
                        int format, int channels, int src, int dst)
{
    memset(network, 0, sizeof(network));
    memset(ops, 0, sizeof(ops));
    memset(buffers, 0, sizeof(buffers));
    put(network, 2, 1);
    put(network + 2, 2, 2);
    put(network + 4, 2, 1);
    ops[0] = (uint8_t)type;
    for (int i = 0; i < 2 && second; i++) {
        put_float(ops + 4 + 4 * i, scales[i]);
    }
    for (int i = 0; i < 3; i++) {
        put_float(ops + (second ? 12 : 1) + 4 * i, power[i]);
    }
    cube(buffers, second, src, format, channels);
    cube(buffers + 256, second, dst, format, channels);
}

/* --- a loadable of one task for the CPU --- */
static struct loadable_tensor tensor_of(const char *name, unsigned id, unsigned memory, int type,
                                        int channels)
{
    return (struct loadable_tensor){ .name = TEXT(name),
                                     .id = (uint16_t)id,
                                     .memory_id = (uint16_t)memory,
                                     .size = 64,
                                     .format = 1,
                                     .type = (uint8_t)type,
                                     .category = 2,
                                     .pixel_format = DESC_FEATURE,
                                     .n = 1,
                                     .c = channels,
                                     .h = 1,
                                     .w = 1,
                                     .stride = { 1, 32, 32 } };
}

static struct loadable_blob blob_of(const char *name, const void *bytes, unsigned len)
{
    return (struct loadable_blob){ .name = TEXT(name),
                                   .size = len,
                                   .interface = LOADABLE_EMU1,
                                   .version = { 1, 2, 0 },
                                   .data = { bytes, len } };
}

static uint8_t zero[8], one_action[2];

static struct loadable_memory memory_of(unsigned id, unsigned flags, uint64_t size)
{
    return (struct loadable_memory){ .id = (uint16_t)id,
                                     .flags = (uint16_t)flags,
                                     .size = size,
                                     .alignment = 4096,
                                     .offsets = { zero, flags & LOADABLE_SET ? 1 : 0 } };
}

static uint8_t *cpu_loadable(unsigned op_bytes, int type, int channels, size_t *len)
{
    static const char *const names[] = { "task-0-addr0", "task-0-op_list", "task-0-op_buf_list" };
    static uint8_t ids[10];
    struct loadable_text text[3];
    const struct loadable_text *contents[5] = { 0 };
    struct loadable_blob blob[3] = { blob_of(names[0], network, 256),
                                     blob_of(names[1], ops, op_bytes),
                                     blob_of(names[2], buffers, 512) };
    struct loadable_memory memory[5];
    struct loadable_address address[5];
    struct loadable_tensor tensor[2] = { tensor_of("scores", 0, 3, type, channels),
                                         tensor_of("classes", 1, 4, type, channels) };
    struct loadable_event event = { 0 };
    struct loadable_task task = { .interface = LOADABLE_EMU1,
                                  .addresses = { ids, 5 },
                                  .post_actions = { one_action, 1 } };
    struct loadable_submit submit = { .tasks = { one_action, 1 } };
    struct loadable l = { .version = { 1, 1, 1 },
                          .task = &task,
                          .tasks = 1,
                          .memory = memory,
                          .memories = 5,
                          .address = address,
                          .addresses = 5,
                          .event = &event,
                          .events = 1,
                          .blob = blob,
                          .blobs = 3,
                          .tensor = tensor,
                          .tensors = 2,
                          .submit = &submit,
                          .submits = 1 };

    for (unsigned i = 0; i < 5; i++) {
        desc_put(ids + 2 * (size_t)i, 2, i);
        memory[i] =
            i < 3 ? memory_of(i, LOADABLE_ALLOC | LOADABLE_SET, blob[i].size)
                  : memory_of(i, LOADABLE_ALLOC | (i == 3 ? LOADABLE_INPUT : LOADABLE_OUTPUT), 64);
        memory[i].tensor_id = (uint16_t)(i > 3);
        address[i] = (struct loadable_address){ (uint16_t)i, (uint16_t)i, 0, memory[i].size };
        text[i % 3] = i < 3 ? TEXT(names[i]) : text[i % 3];
        contents[i] = i < 3 ? &text[i] : NULL;
    }
    return loadable_write(&l, contents, len);
}

/* Runs it on @in; @out as its numbers. FALSE: refused, for @why. */
static gboolean run(uint8_t *bytes, size_t len, const float *in, float *out, unsigned n, char *why)
{
    GError *error = NULL;
    struct dla_exec *e = dla_exec_open(g_memdup2(bytes, len), len, &error);
    gboolean ok = e && dla_exec_put(e, 0, in, n, &error) && dla_exec_run(e, &error) &&
                  dla_exec_get(e, 0, out, n, &error);

    g_strlcpy(why, error ? error->message : "", 256);
    g_clear_error(&error);
    if (e) {
        dla_exec_close(e);
    }
    free(bytes);
    return ok;
}

enum { HALF = 2, INT8 = 4 };
static const float none[3];
static const struct {
    gboolean second;
    int type, format, tensor;
    unsigned n;
    float scales[2], power[3], in[6];
    int32_t want[6]; /* bits of fp16, or numbers */
} cases[] = {
    { TRUE,
      1,
      3,
      HALF,
      6,
      { 0, 0 },
      { 0 },
      { 1, 2, 3, -1, 0.5f, -6 },
      { 0x2d67, 0x3357, 0x38fd, 0x21d9, 0x2a8d, 0x050b } },
    { FALSE,
      1,
      2,
      HALF,
      5,
      { 0, 0 },
      { 0 },
      { 1, -2, 3, 0, 4 },
      { 0x286e, 0x170f, 0x3418, 0x2285, 0x3990 } },
    { TRUE,
      1,
      0,
      INT8,
      6,
      { 0.05f, 1 / 128.f },
      { 0 },
      { 10, -20, 127, -128, 0, 64 },
      { 0, 0, 122, 0, 0, 5 } },
    { FALSE,
      0,
      2,
      HALF,
      6,
      { 0, 0 },
      { 3, 2, 1 },
      { 0.5f, -1, 2, 0.1015625f, 20, -3 },
      { 0x4800, 0xbc00, 0x57d0, 0x3ef7, 0x7c00, 0xd7d0 } },
    { TRUE,
      0,
      1,
      INT8,
      5,
      { 0.1f, 0.02f },
      { 2, 0.25f, 0.5f },
      { 10, -20, 127, -128, 0 },
      { 28, 0, 127, 127, 12 } },
    { TRUE, 0, 3, HALF, 3, { 0, 0 }, { 1, 0x1p-11f, 1 }, { 0, 1, 3 }, { 0x3c00, 0x3c01, 0x3c02 } },
    { FALSE,
      2,
      2,
      HALF,
      6,
      { 0, 0 },
      { 0 },
      { 1, 2, 3, 35, 0x1p-14f, 0 },
      { 0, 0x398c, 0x3c65, 0x431c, 0xc8da, 0xfc00 } },
};

START_TEST(an_operation_computes_what_the_runtime_computes)
{
    float out[CAPACITY] = { 0 };
    char why[256];
    size_t len;
    uint8_t *bytes;

    descriptors(cases[_i].second, cases[_i].type, cases[_i].scales, cases[_i].power,
                cases[_i].format, (int)cases[_i].n, 3, 4);
    bytes = cpu_loadable(cases[_i].second ? 24 : 16, cases[_i].tensor, (int)cases[_i].n, &len);
    ck_assert_msg(run(bytes, len, cases[_i].in, out, cases[_i].n, why), "%s", why);
    for (unsigned i = 0; i < cases[_i].n; i++) {
        int32_t got = cases[_i].tensor != HALF ? (int32_t)out[i]
                      : isinf(out[i])          ? (out[i] < 0 ? 0xfc00 : 0x7c00)
                                               : half_from_double((double)out[i]) & 0xffff;

        ck_assert_msg(got == cases[_i].want[i], "[%u] %#x, not %#x", i, (unsigned)got,
                      (unsigned)cases[_i].want[i]);
    }
}
END_TEST

/* What is wrong: the byte @at of one of the lists gets @value. */
static const struct {
    uint8_t *list;
    unsigned at, value;
    const char *why;
} damages[] = {
    { ops, 0, 2, "type 2: 0 (power) and 1 (softmax) are nvdla/sw's" },
    { buffers, 12, 7, "a softmax of 1 x 7" },
    { buffers, 10, 2, "formats int16 and fp16: int8 or fp16, both the same" },
    { buffers, 0, 99, "name no address" },
    { network, 0, 99, "name no address" },
    { network, 4, 9, "too short" },
    { buffers, 2, 255, "lead out of their memories" },
    { buffers, 17, 16, "lead out of their memories" },
};

START_TEST(a_damaged_descriptor_is_refused)
{
    float in[CAPACITY] = { 0 }, out[CAPACITY];
    const float scales[2] = { 1, 1 };
    char why[256];
    size_t len;
    uint8_t *bytes;

    descriptors(TRUE, 1, scales, none, 3, 6, 3, 4);
    damages[_i].list[damages[_i].at] = (uint8_t)damages[_i].value;
    bytes = cpu_loadable(24, HALF, 6, &len);
    ck_assert(!run(bytes, len, in, out, 6, why));
    ck_assert_msg(strstr(why, damages[_i].why) != NULL, "%s", why);
    ck_assert_ptr_nonnull(strstr(why, "task_list[0] (EMU1), operation 0"));
}
END_TEST

START_TEST(the_first_edition_computes_fp16_alone)
{
    float in[CAPACITY] = { 0 }, out[CAPACITY];
    const float scales[2] = { 0 };
    char why[256];
    size_t len;
    uint8_t *bytes;

    for (int format = 0; format < 2; format++) {
        descriptors(FALSE, 1, scales, none, format, 6, 3, 4);
        bytes = cpu_loadable(16, INT8, 6, &len);
        ck_assert(!run(bytes, len, in, out, 6, why));
        ck_assert_msg(strstr(why, "in the edition of 2017 fp16") != NULL, "%s", why);
    }
}
END_TEST

/* --- ONNC: DLA 1 descriptors under other versions, then a softmax on the CPU --- */
static uint8_t *dense_loadable(size_t *len)
{
    static const char description[] =
        "{ \"precision\": \"fp16\", \"blob_version\": \"0.11.0\","
        "  \"input\": { \"name\": \"x\", \"shape\": [2, 1, 1] },"
        "  \"layers\": [ { \"name\": \"scores\", \"type\": \"fully_connected\", \"kernels\": 5,"
        "    \"weights\": { \"values\": [1, 0, -2, 0, 2, 1, 0, 0, 1, 3] } } ] }";
    JsonNode *node = json_from_string(description, NULL);
    GError *error = NULL;
    uint8_t *bytes = build_description(node, "dense", NULL, len, &error);

    ck_assert_msg(bytes != NULL, "%s", error ? error->message : "");
    json_node_unref(node);
    return bytes;
}

/* Its memories and lists with those of a task for the CPU behind: scores -> classes. */
static uint8_t *onnc_loadable(struct loadable_version version, struct loadable_version blobs,
                              size_t *len)
{
    size_t dense_len;
    uint8_t *dense = dense_loadable(&dense_len), *out;
    struct loadable_error bad;
    struct loadable *l = loadable_open(dense, dense_len, &bad), all = *l;
    const float scales[2] = { 0 };
    size_t m = l->memories, a = l->addresses, b = l->blobs;
    struct loadable_memory memory[CAPACITY];
    struct loadable_address address[CAPACITY];
    struct loadable_blob blob[CAPACITY] = { 0 };
    struct loadable_tensor tensor[2] = { l->tensor[0],
                                         tensor_of("classes", 1, (unsigned)m + 3, HALF, 5) };
    struct loadable_text text[CAPACITY];
    const struct loadable_text *contents[CAPACITY];
    struct loadable_task task[2] = { l->task[0], { .id = 1, .interface = LOADABLE_EMU1 } };
    static uint8_t ids[10];
    unsigned scores = 0;

    ck_assert(m + 4 <= CAPACITY && a + 5 <= CAPACITY && b + 3 <= CAPACITY);
    memcpy(memory, l->memory, m * sizeof(*memory));
    memcpy(address, l->address, a * sizeof(*address));
    memcpy(blob, l->blob, b * sizeof(*blob));
    for (size_t i = 0; i < m; i++) {
        if (memory[i].flags & LOADABLE_OUTPUT) {
            scores = (unsigned)i;
            memory[i].flags = LOADABLE_ALLOC;
        }
        text[i] = memory[i].contents.count ? loadable_text_at(&memory[i].contents, 0) : TEXT("");
    }
    descriptors(FALSE, 1, scales, none, 2, 5, 3, 4);
    blob[b] = blob_of("task-1-addr0", network, 256);
    blob[b + 1] = blob_of("task-1-op_list", ops, 16);
    blob[b + 2] = blob_of("task-1-op_buf_list", buffers, 512);
    for (unsigned i = 0; i < 3; i++) {
        memory[m + i] = memory_of((unsigned)m + i, LOADABLE_ALLOC | LOADABLE_SET, blob[b + i].size);
        text[m + i] = blob[b + i].name;
    }
    memory[m + 3] = memory_of((unsigned)m + 3, LOADABLE_ALLOC | LOADABLE_OUTPUT, 64);
    memory[m + 3].tensor_id = 1;
    text[m + 3] = TEXT("");
    for (unsigned i = 0; i < 5; i++) {
        unsigned of = i < 3 ? (unsigned)m + i : i == 3 ? scores : (unsigned)m + 3;

        address[a + i] = (struct loadable_address){ .id = (uint16_t)(100 + i),
                                                    .memory_id = memory[of].id,
                                                    .size = memory[of].size };
        desc_put(ids + 2 * (size_t)i, 2, 100 + i);
    }
    task[1].addresses = (struct loadable_list){ ids, 5 };
    for (size_t i = 0; i < b; i++) {
        blob[i].version = blobs;
    }
    for (size_t i = 0; i < m + 4; i++) {
        contents[i] = &text[i];
    }
    all.version = version;
    all.task = task;
    all.tasks = 2;
    all.memory = memory;
    all.memories = m + 4;
    all.address = address;
    all.addresses = a + 5;
    all.blob = blob;
    all.blobs = b + 3;
    all.tensor = tensor;
    all.tensors = 2;
    out = loadable_write(&all, contents, len);
    loadable_close(l);
    free(dense);
    return out;
}

static const struct {
    struct loadable_version loadable, blobs;
    gboolean ok;
} versions[] = {
    { { 0, 7, 0 }, { 1, 2, 0 }, TRUE },  { { 0, 7, 0 }, { 1, 3, 0 }, TRUE },
    { { 0, 7, 0 }, { 0, 11, 0 }, TRUE }, { { 1, 1, 1 }, { 1, 3, 0 }, FALSE },
    { { 0, 7, 0 }, { 1, 4, 0 }, FALSE },
};

/* Weights times (1, 1): scores of 1, -2, 3, 0 and 4. */
START_TEST(onnc_writes_dla_1_under_other_versions)
{
    const float in[2] = { 1, 1 };
    static const int32_t want[] = { 0x286e, 0x170f, 0x3418, 0x2285, 0x3990 };
    float out[5];
    char why[256] = "";
    size_t len;
    uint8_t *bytes = onnc_loadable(versions[_i].loadable, versions[_i].blobs, &len);
    GError *error = NULL;
    struct dla_exec *e = dla_exec_open(g_memdup2(bytes, len), len, &error);

    free(bytes);
    ck_assert_msg(!e == !versions[_i].ok, "%s", error ? error->message : "");
    if (!e) {
        ck_assert_ptr_nonnull(strstr(error->message, "are not published"));
        g_error_free(error);
        return;
    }
    ck_assert(dla_exec_put(e, 0, in, 2, &error) && dla_exec_run(e, &error));
    ck_assert_msg(dla_exec_get(e, 0, out, 5, &error), "%s", why);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(half_from_double((double)out[i]) & 0xffff, want[i]);
    }
    dla_exec_close(e);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_emu");
    TCase *t = tcase_create("emu");

    tcase_add_loop_test(t, an_operation_computes_what_the_runtime_computes, 0,
                        (int)G_N_ELEMENTS(cases));
    tcase_add_loop_test(t, a_damaged_descriptor_is_refused, 0, (int)G_N_ELEMENTS(damages));
    tcase_add_test(t, the_first_edition_computes_fp16_alone);
    tcase_add_loop_test(t, onnc_writes_dla_1_under_other_versions, 0, (int)G_N_ELEMENTS(versions));
    suite_add_tcase(s, t);
    return suite_main(s);
}
