/* SPDX-License-Identifier: MIT */
/* The published regression loadables of nvdla/sw through cuDLA: loaded as a module, submitted on a
 * stream, their output tensor compared with the golden image. Old files: blob version 0.10, no
 * input tensor (the data lies in the file), one output. Only those of the configuration that the
 * board has. */
#include "tests/cudla_board.h"
#include "tests/dla/golden.h"

static struct board b;
static char *golden[GOLDENS_MAX];
static int goldens;

static bool output_get(void *opaque, const struct loadable_memory *m, uint64_t offset, void *bytes,
                       size_t len)
{
    const uint8_t *out = opaque;

    if (offset > m->size || len > m->size - offset) {
        return false;
    }
    memcpy(bytes, out + offset, len);
    return true;
}

/* The file itself, which golden_open() has checked and keeps. */
static size_t file_len(const struct golden *g, const char *name)
{
    char path[1024];
    FILE *file;
    long len;

    (void)g;
    snprintf(path, sizeof(path), NVDLA_DATA "/kmd/flatbufs/%s_fbuf", name);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    len = ftell(file);
    fclose(file);
    return (size_t)len;
}

START_TEST(a_published_loadable_gives_its_golden_image)
{
    const char *name = golden[_i];
    cudlaModuleTensorDescriptor desc;
    cudlaModuleAttribute a;
    struct one_task t;
    struct golden g;
    struct tensor to;
    uint8_t *out;

    if (strcmp(golden_config(name), "nv_full") != 0 || !golden_open(&g, name)) {
        return;
    }
    board_open_on(&b, _i % 2 ? "xavier" : "orin", &board_net);
    OK(cudlaModuleUnload(b.module, 0));
    OK(cudlaModuleLoadFromMemory(b.dev, g.bytes, file_len(&g, name), &b.module, 0));
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_INPUT_TENSORS, &a));
    ck_assert_uint_eq(a.numInputTensors, 0);
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_OUTPUT_TENSORS, &a));
    ck_assert_uint_eq(a.numOutputTensors, 1);
    a.outputTensorDesc = &desc;
    OK(cudlaModuleGetAttributes(b.module, CUDLA_OUTPUT_TENSOR_DESCRIPTORS, &a));
    to = tensor_of(&b, desc.size, 0);
    task_of(&t, b.module, NULL, to.dla);
    t.task.inputTensor = NULL;
    t.task.numInputTensors = 0;
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0));
    out = malloc(desc.size);
    CU(cuMemcpyDtoHAsync(out, to.gpu, desc.size, b.stream));
    CU(cuStreamSynchronize(b.stream));
    golden_compare(&g, output_get, out, name);
    free(out);
    golden_close(&g);
    free(b.loadable);
    SILENT();
}
END_TEST

int main(void)
{
    Suite *s;
    TCase *t;
    SRunner *r;
    int failed;

    goldens = golden_list(golden);
    if (!goldens) {
        printf("skipped: no published loadables in %s\n", NVDLA_DATA);
        return 77;
    }
    s = suite_create("cudla_published");
    t = tcase_create("kmd");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_published_loadable_gives_its_golden_image, 0, goldens);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
