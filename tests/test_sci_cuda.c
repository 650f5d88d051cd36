/* SPDX-License-Identifier: MIT */
/* A buffer of NvSci in CUDA, with a fence back to the CPU. Source: CUDA C++ Programming Guide,
 * NVSCI interoperability. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "include/cuda.h"
#include "include/nvscibuf.h"
#include "include/nvscisync.h"
#include "tests/suite.h"

#define OK(call) ck_assert_uint_eq(call, NvSciError_Success)
#define CU(call) ck_assert_int_eq(call, CUDA_SUCCESS)

#define REPORT "sci_cuda.report"

enum { SIZE = 8192 };

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static CUdevice device;

static void board_up(const char *soc)
{
    CUcontext context;

    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_REPORT", REPORT, 1);
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
}

static void setup(void)
{
    board_up("orin");
}

static void desktop_setup(void)
{
    board_up("desktop");
}

static void teardown(void)
{
    NvSciSyncModuleClose(syncs);
    NvSciBufModuleClose(bufs);
}

static NvSciBufObj buffer_new(void)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    uint64_t size = SIZE;
    bool yes = true;
    NvSciRmGpuId gpu;
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciBufGeneralAttrKey_EnableCpuCache, &yes, sizeof(yes) },
        { NvSciBufGeneralAttrKey_GpuId, &gpu, sizeof(gpu) },
    };
    NvSciBufAttrList list, conflict;
    NvSciBufObj obj;

    CU(cuDeviceGetUuid((CUuuid *)&gpu, device));
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, 6));
    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &obj, &conflict));
    NvSciBufAttrListFree(list);
    return obj;
}

/* @flags: CUDA_NVSCISYNC_ATTR_SIGNAL or _WAIT; the CPU does the other. */
static NvSciSyncObj sync_between(int flags)
{
    NvSciSyncAccessPerm perm =
        flags == 1 ? NvSciSyncAccessPerm_WaitOnly : NvSciSyncAccessPerm_SignalOnly;
    bool cpu = true;
    NvSciSyncAttrKeyValuePair pairs[] = { { NvSciSyncAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
                                          { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) } };
    NvSciSyncAttrList list[2], conflict;
    NvSciSyncObj obj;

    OK(NvSciSyncAttrListCreate(syncs, &list[0]));
    CU(cuDeviceGetNvSciSyncAttributes(list[0], device, flags));
    OK(NvSciSyncAttrListCreate(syncs, &list[1]));
    OK(NvSciSyncAttrListSetAttrs(list[1], pairs, 2));
    OK(NvSciSyncAttrListReconcileAndObjAlloc(list, 2, &obj, &conflict));
    NvSciSyncAttrListFree(list[0]);
    NvSciSyncAttrListFree(list[1]);
    return obj;
}

START_TEST(a_stream_fills_a_buffer_and_signals)
{
    NvSciBufObj buf = buffer_new();
    NvSciSyncObj sync = sync_between(1);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncCpuWaitContext context;
    CUexternalMemory memory;
    CUexternalSemaphore semaphore;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC from = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                              .handle.nvSciBufObject = buf,
                                              .size = SIZE };
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole = { .size = SIZE };
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC sync_from = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC, .handle.nvSciSyncObj = sync
    };
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = { .params.nvSciSync.fence = &fence };
    CUdeviceptr mapped;
    CUstream stream;
    const void *p;

    OK(NvSciSyncCpuWaitContextAlloc(syncs, &context));
    CU(cuImportExternalMemory(&memory, &from));
    CU(cuExternalMemoryGetMappedBuffer(&mapped, memory, &whole));
    CU(cuImportExternalSemaphore(&semaphore, &sync_from));
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuMemsetD8Async(mapped, 0x5a, SIZE, stream));
    CU(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream));
    OK(NvSciSyncFenceWait(&fence, context, -1));
    OK(NvSciBufObjGetConstCpuPtr(buf, &p));
    for (int i = 0; i < SIZE; i++) {
        ck_assert_int_eq(((const char *)p)[i], 0x5a);
    }
    NvSciSyncFenceClear(&fence);
    CU(cuStreamDestroy(stream));
    CU(cuMemFree(mapped));
    CU(cuDestroyExternalMemory(memory));
    CU(cuDestroyExternalSemaphore(semaphore));
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncObjFree(sync);
    NvSciBufObjFree(buf);
}
END_TEST

/* The CPU has waited for the stream, by way of NvSci: the buffer that it frees then is in no use.
 * Each test is a process, and its report is there when it has ended. */
START_TEST(a_fence_is_a_wait_for_its_stream)
{
    char *text;

    ck_assert(g_file_get_contents(REPORT, &text, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(text, "Findings"));
    ck_assert_ptr_null(strstr(text, "free-in-use"));
    g_free(text);
}
END_TEST

/* A stale handle is no object of NvSci. */
START_TEST(a_freed_buffer_is_not_imported)
{
    NvSciBufObj buf = buffer_new();
    CUexternalMemory memory;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC from = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                              .handle.nvSciBufObject = buf,
                                              .size = SIZE };

    NvSciBufObjFree(buf);
    ck_assert_int_eq(cuImportExternalMemory(&memory, &from), CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

/* CUDA Driver API, cuSignalExternalSemaphoresAsync and cuWaitExternalSemaphoresAsync: "had not set
 * the flags in cuDeviceGetNvSciSyncAttributes", though the process may signal and wait. */
START_TEST(cuda_does_what_its_list_asked_for)
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = { .params.nvSciSync.fence = &fence };
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { .params.nvSciSync.fence = &fence };
    bool signals = _i == 1;
    NvSciSyncObj sync = sync_between(_i);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC from = { .type =
                                                     CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC,
                                                 .handle.nvSciSyncObj = sync };
    CUexternalSemaphore semaphore;

    CU(cuImportExternalSemaphore(&semaphore, &from));
    ck_assert_int_eq(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL),
                     signals ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS);
    ck_assert_int_eq(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, NULL),
                     signals ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
    CU(cuStreamSynchronize(NULL));
    NvSciSyncFenceClear(&fence);
    CU(cuDestroyExternalSemaphore(semaphore));
    NvSciSyncObjFree(sync);
}
END_TEST

static uint32_t sync_primitive(NvSciSyncObj sync)
{
    NvSciSyncAttrKeyValuePair pair = { .attrKey = NvSciSyncAttrKey_PrimitiveInfo };
    NvSciSyncAttrList list;

    OK(NvSciSyncObjGetAttrList(sync, &list));
    OK(NvSciSyncAttrListGetAttrs(list, &pair, 1));
    return *(const uint32_t *)pair.value;
}

/* DRIVE OS API reference, EnableGpuCache: by default false for a discrete GPU and system memory, so
 * no cache needs maintenance. A PC has no syncpoints. */
START_TEST(a_discrete_gpu_does_not_cache_system_memory)
{
    NvSciBufAttrKeyValuePair pair[] = { { .key = NvSciBufGeneralAttrKey_EnableGpuCache },
                                        { .key = NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency } };
    NvSciBufObj buf = buffer_new();
    NvSciSyncObj sync = sync_between(1);
    NvSciBufAttrList list;

    OK(NvSciBufObjGetAttrList(buf, &list));
    OK(NvSciBufAttrListGetAttrs(list, pair, 2));
    ck_assert(!((const NvSciBufAttrValGpuCache *)pair[0].value)->cacheability);
    ck_assert(!((const NvSciBufAttrValGpuCache *)pair[1].value)->cacheability);
    ck_assert_uint_eq(sync_primitive(sync), NvSciSyncAttrValPrimitiveType_SysmemSemaphore);
    NvSciSyncObjFree(sync);
    NvSciBufObjFree(buf);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_cuda");
    TCase *t = tcase_create("import"), *report = tcase_create("report");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_stream_fills_a_buffer_and_signals);
    suite_add_tcase(s, t);
    tcase_add_test(report, a_fence_is_a_wait_for_its_stream);
    suite_add_tcase(s, report);
    t = tcase_create("stale");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_freed_buffer_is_not_imported);
    tcase_add_loop_test(t, cuda_does_what_its_list_asked_for, 1, 3);
    suite_add_tcase(s, t);
    t = tcase_create("discrete GPU");
    tcase_add_checked_fixture(t, desktop_setup, teardown);
    tcase_add_test(t, a_stream_fills_a_buffer_and_signals);
    tcase_add_test(t, a_discrete_gpu_does_not_cache_system_memory);
    tcase_add_loop_test(t, cuda_does_what_its_list_asked_for, 1, 3);
    suite_add_tcase(s, t);
    return suite_main(s);
}
