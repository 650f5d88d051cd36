/* SPDX-License-Identifier: MIT */
/* docs/nvmediadla-migration.md, row by row: what the page says of a function is what the library
 * does. */
#include "tests/cudla_board.h"

#include <dlfcn.h>

static struct board b;

static void version(void)
{
    uint64_t v = 0;

    OK(cudlaGetVersion(&v));
    ck_assert_uint_ge(v, 1000000);
}

static void create(void)
{
    cudlaDevHandle dev;

    OK(cudlaCreateDevice(1, &dev, CUDLA_CUDA_DLA));
    OK(cudlaDestroyDevice(dev));
}

static void ping(void)
{
    cudlaDevHandle dev = NULL;

    GIVES(cudlaCreateDevice(2, &dev, CUDLA_CUDA_DLA), InvalidParam); /* nobody answers */
    ck_assert_ptr_null(dev);
}

static void destroy(void)
{
    OK(cudlaDestroyDevice(b.dev));
    GIVES(cudlaGetLastError(b.dev), InvalidDevice);
}

static void engines(void)
{
    uint64_t n = 0;

    OK(cudlaDeviceGetCount(&n));
    ck_assert_uint_eq(n, 2);
}

/* Thirty-two tasks lie in the queue without waiting; more would. */
static void outstanding(void)
{
    struct tensor from = tensor_of(&b, RIG_BYTES, 0), to = tensor_of(&b, RIG_BYTES, 0);
    struct one_task t;

    for (unsigned i = 0; i < 33; i++) {
        OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from.dla, to.dla), 1, b.stream, 0));
    }
    CU(cuStreamSynchronize(b.stream));
}

static void variable(void)
{
    cudlaModule module; /* nothing else is needed */

    OK(cudlaModuleUnload(b.module, 0));
    OK(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &module, 0));
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &b.module, 0), UnsupportedOperation);
    b.module = module;
}

static void attribute(cudlaModuleAttributeType number, cudlaModuleAttributeType descriptors)
{
    cudlaModuleTensorDescriptor desc = { .size = 0 };
    cudlaModuleAttribute a = { 0 };

    OK(cudlaModuleGetAttributes(b.module, number, &a));
    ck_assert_uint_eq(a.numInputTensors, 1);
    a.inputTensorDesc = &desc;
    OK(cudlaModuleGetAttributes(b.module, descriptors, &a));
    ck_assert_uint_eq(desc.size, RIG_BYTES);
}

static void inputs(void)
{
    attribute(CUDLA_NUM_INPUT_TENSORS, CUDLA_INPUT_TENSOR_DESCRIPTORS);
}

static void outputs(void)
{
    attribute(CUDLA_NUM_OUTPUT_TENSORS, CUDLA_OUTPUT_TENSOR_DESCRIPTORS);
}

static void data(void)
{
    struct tensor t = tensor_of(&b, RIG_BYTES, 0);

    tensor_drop(&b, &t);
    GIVES(cudlaMemUnregister(b.dev, t.dla), InvalidAddress);
}

static void submit(void)
{
    struct tensor from = tensor_of(&b, RIG_BYTES, 0), to = tensor_of(&b, RIG_BYTES, 0);
    struct one_task t;
    int8_t in[RIG_BYTES], out[RIG_BYTES];

    pattern(in, 3);
    CU(cuMemcpyHtoDAsync(from.gpu, in, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from.dla, to.dla), 1, b.stream, 0));
    CU(cuMemcpyDtoHAsync(out, to.gpu, RIG_BYTES, b.stream));
    CU(cuStreamSynchronize(b.stream));
    check_bytes(&board_net, in, out);
}

/* Standalone mode is tested in test_cudla_standalone.c; what is no list is refused. */
static void sync_attributes(void)
{
    uint64_t list;

    GIVES(cudlaGetNvSciSyncAttributes(&list, CUDLA_NVSCISYNC_ATTR_SIGNAL), InvalidParam);
}

static void semaphore(void)
{
    cudlaExternalSemaphoreHandleDesc desc = { &b };
    uint64_t *ptr;

    GIVES(cudlaImportExternalSemaphore(b.dev, &desc, &ptr, 0), UnsupportedOperation);
    GIVES(cudlaMemUnregister(b.dev, (uint64_t *)(void *)&desc), InvalidAddress);
}

static void events(void)
{
    struct tensor from = tensor_of(&b, RIG_BYTES, 0), to = tensor_of(&b, RIG_BYTES, 0);
    CudlaFence fence = { &b, CUDLA_NVSCISYNC_FENCE };
    cudlaWaitEvents wait = { &fence, 1 };
    uint64_t *objects[1] = { (uint64_t *)(void *)&b };
    cudlaSignalEvents signal = { objects, &fence, 1 };
    struct one_task t;

    task_of(&t, b.module, from.dla, to.dla);
    t.task.waitEvents = &wait;
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0), UnsupportedOperation);
    t.task.waitEvents = NULL;
    t.task.signalEvents = &signal;
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0), UnsupportedOperation);
}

/* Nothing of that name or kind is exported. */
static void none(void)
{
    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "cudlaGetUMDVersion"));
    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "cudlaGetInstanceId"));
    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "cudlaGetNumTasks"));
    ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "cudlaNvSciSyncGetVersion"));
}

/* The rows of the note (5.2), in its order. */
static const struct row {
    const char *name, *here;
    void (*check)(void);
} rows[] = {
    { "NvMediaDlaGetVersion", "works", version },
    { "NvMediaDlaPingById", "nothing to do", ping },
    { "NvMediaDlaCreate", "works", create },
    { "NvMediaDlaDestroy", "works", destroy },
    { "NvMediaDlaGetUMDVersion", "none", none },
    { "NvMediaDlaGetNumEngines", "works", engines },
    { "NvMediaDlaGetMaxOutstandingTasks", "none", outstanding },
    { "NvMediaDlaInit", "works", create },
    { "NvMediaDlaGetInstanceId", "none", none },
    { "NvMediaDlaGetNumTasks", "none", none },
    { "NvMediaDlaLoadableCreate", "nothing to do", variable },
    { "NvMediaDlaLoadableDestroy", "nothing to do", variable },
    { "NvMediaDlaAppendLoadable", "nothing to do", variable },
    { "NvMediaDlaSetCurrentLoadable", "nothing to do", variable },
    { "NvMediaDlaGetNumOfInputTensors", "works", inputs },
    { "NvMediaDlaGetInputTensorDescriptor", "works", inputs },
    { "NvMediaDlaGetNumOfOutputTensors", "works", outputs },
    { "NvMediaDlaGetOutputTensorDescriptor", "works", outputs },
    { "NvMediaDlaDataRegister", "works", data },
    { "NvMediaDlaDataUnregister", "works", data },
    { "NvMediaDlaLoadLoadable", "works", variable },
    { "NvMediaDlaRemoveLoadable", "works", variable },
    { "NvMediaDlaSubmit", "works", submit },
    { "NvMediaDlaNvSciSyncGetVersion", "none", none },
    { "NvMediaDlaFillNvSciSyncAttrList", "standalone", sync_attributes },
    { "NvMediaDlaRegisterNvSciSyncObj", "standalone", semaphore },
    { "NvMediaDlaUnregisterNvSciSyncObj", "standalone", semaphore },
    { "NvMediaDlaSetNvSciSyncObjforEOF", "standalone", events },
    { "NvMediaDlaInsertPreNvSciSyncFence", "standalone", events },
    { "NvMediaDlaGetEOFNvSciSyncFence", "standalone", events },
};

START_TEST(the_library_does_what_the_row_says)
{
    board_open(&b);
    rows[_i].check();
}
END_TEST

START_TEST(the_page_has_these_rows_and_no_others)
{
    FILE *page = fopen(MIGRATION_PAGE, "r");
    char line[512], name[128];
    size_t n = 0;

    ck_assert_ptr_nonnull(page);
    while (fgets(line, sizeof(line), page)) {
        char *here;

        if (sscanf(line, "| `%127[A-Za-z]` |", name) != 1) {
            continue;
        }
        here = strrchr(line, '|');
        *here = 0;
        here = strrchr(line, '|') + 2;
        here[strcspn(here, "\n")] = 0;
        while (here[strlen(here) - 1] == ' ') {
            here[strlen(here) - 1] = 0;
        }
        ck_assert_uint_lt(n, sizeof(rows) / sizeof(rows[0]));
        ck_assert_str_eq(name, rows[n].name);
        ck_assert_str_eq(here, rows[n].here);
        n++;
    }
    fclose(page);
    ck_assert_uint_eq(n, sizeof(rows) / sizeof(rows[0]));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_migration");
    TCase *t = tcase_create("rows");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, the_library_does_what_the_row_says, 0,
                        (int)(sizeof(rows) / sizeof(rows[0])));
    tcase_add_test(t, the_page_has_these_rows_and_no_others);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
