/* SPDX-License-Identifier: MIT */
/* Objects of NvSci in CUDA: on a fake board, with handles that a fake NvSci provides. */
#include <errno.h>

#include "runtime/driver/memory/rt_external.h"
#include "test_driver.h"

#define PTE_VOL (1u << 3)
#define PTE_READ_ONLY (1u << 6)
#define BYTES 10000u

typedef CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params;
typedef CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params;

/* The fake NvSci: an object is the address of one of these. */
static struct rt_sci_buf buf;
static struct rt_sci_sync sync_object[2];
struct fake_fence {
    const struct rt_sci_sync *object; /* NULL: cleared */
    uint64_t value;
};

static bool fake_buf(const void *handle, const uint8_t uuid[16], struct rt_sci_buf *out)
{
    ck_assert_int_eq(memcmp(uuid, "vtegra-", 7), 0);
    *out = buf;
    return handle == &buf;
}

static bool fake_sync(const void *handle, struct rt_sci_sync *out)
{
    bool known = handle == &sync_object[0] || handle == &sync_object[1];

    if (known) {
        *out = *(const struct rt_sci_sync *)handle;
    }
    return known;
}

static bool fake_fence_set(const void *handle, uint64_t value, void *fence)
{
    *(struct fake_fence *)fence = (struct fake_fence){ handle, value };
    return true;
}

static bool fake_fence_get(const void *fence, struct rt_sci_fence *out)
{
    const struct fake_fence *f = fence;

    out->cleared = !f->object;
    out->sync = f->object ? f->object->sync : NULL;
    out->value = f->value;
    return true;
}

static uint32_t asked[4];
static unsigned n_asked;
static bool asked_signal, asked_wait;

static int fake_list(void *list, bool signal, bool wait, const uint32_t *primitives, unsigned count,
                     const uint8_t uuid[16])
{
    (void)uuid;
    asked_signal = signal;
    asked_wait = wait;
    n_asked = count;
    memcpy(asked, primitives, count * sizeof(*primitives));
    return list == &asked ? 0 : list == &buf ? -EINVAL : -EBADF;
}

static void up(const char *soc)
{
    static const struct rt_sci_ops ops = { fake_buf,       fake_sync, fake_fence_set,
                                           fake_fence_get, fake_list, NULL };

    rt_sci_provide(&ops);
    driver_up(soc, "linux");
    OK(rt_shared_new(BYTES, 1, true, "NvSciBufObjAlloc", &buf.memory));
    buf.size = BYTES;
    buf.writable = buf.gpu_listed = buf.gpu_cached = buf.gpu_sw_coherency = true;
    for (unsigned i = 0; i < 2; i++) {
        OK(rt_sync_new(RT_SYNC_SYNCPT, &sync_object[i].sync));
        sync_object[i].cuda_may_wait = sync_object[i].cuda_may_signal = true;
    }
}

static CUexternalMemory import(void)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                           .handle.nvSciBufObject = &buf,
                                           .size = BYTES };
    CUexternalMemory m;

    OK(rt_external_memory_import(&m, &d));
    return m;
}

static CUdeviceptr map(CUexternalMemory m, uint64_t offset, uint64_t size)
{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC d = { .offset = offset, .size = size };
    CUdeviceptr p;

    OK(rt_external_memory_buffer(&p, m, &d));
    return p;
}

static CUexternalSemaphore import_sync(unsigned i)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC d = { .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC,
                                              .handle.nvSciSyncObj = &sync_object[i] };
    CUexternalSemaphore s;

    OK(rt_external_semaphore_import(&s, &d));
    return s;
}

static CUresult do_signal(CUexternalSemaphore s, struct fake_fence *fence, unsigned flags,
                          CUstream stream)
{
    signal_params p = { .flags = flags };

    p.params.nvSciSync.fence = fence;
    return rt_external_signal(&s, &p, 1, stream);
}

static CUresult do_wait(CUexternalSemaphore s, struct fake_fence *fence, unsigned flags)
{
    wait_params p = { .flags = flags };

    p.params.nvSciSync.fence = fence;
    return rt_external_wait(&s, &p, 1, NULL);
}

static uint64_t pte_of(uint64_t va)
{
    uint64_t pte = 0;

    fake_gpu(0, va, &pte);
    return pte;
}

/* CUDA and the CPU see the same bytes, and the mapping outlives handle and object (reference,
 * cuDestroyExternalMemory). */
START_TEST(a_mapped_buffer_is_the_memory_of_the_object)
{
    CUexternalMemory m;
    CUdeviceptr p;
    size_t size;
    CUdeviceptr base;

    up("orin");
    m = import();
    p = map(m, 4100, 500);
    ((uint8_t *)rt_shared_cpu(buf.memory))[4103] = 77;
    ck_assert_uint_eq(*fake_gpu(0, p + 3, NULL), 77);
    OK(rt_mem_address_range(&base, &size, p + 100));
    ck_assert_uint_eq(base, p);
    ck_assert_uint_eq(size, 500);
    OK(rt_external_memory_destroy(m));
    FAILS(rt_external_memory_destroy(m), INVALID_HANDLE);
    rt_shared_unref(buf.memory);
    ck_assert_uint_eq(*fake_gpu(0, p + 3, NULL), 77);
    OK(rt_mem_free(p));
    ck_assert_ptr_null(fake_gpu(0, p + 3, NULL));
    FAILS(rt_mem_free(p), INVALID_VALUE);
}
END_TEST

/* EnableGpuCache; DRIVE OS API reference, NvSciBufObjDupWithReducePerm. */
START_TEST(attributes_of_the_object_are_those_of_the_mapping)
{
    up("orin");
    ck_assert_uint_eq(pte_of(map(import(), 0, 1)) & (PTE_VOL | PTE_READ_ONLY), 0);
    buf.gpu_cached = false;
    ck_assert_uint_eq(pte_of(map(import(), 0, 1)) & (PTE_VOL | PTE_READ_ONLY), PTE_VOL);
    buf.writable = false;
    ck_assert_uint_eq(pte_of(map(import(), 0, 1)) & PTE_READ_ONLY, PTE_READ_ONLY);
}
END_TEST

START_TEST(imports_that_cannot_be_are_refused)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                           .handle.nvSciBufObject = &buf,
                                           .size = BYTES + 1 };
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC s = { .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC,
                                              .handle.nvSciSyncObj = &d };
    CUexternalMemory m;
    CUexternalSemaphore e;

    up("orin");
    FAILS(rt_external_memory_import(&m, &d), INVALID_VALUE);
    d.size = 0;
    FAILS(rt_external_memory_import(&m, &d), INVALID_VALUE);
    d.size = 1;
    FAILS(rt_external_memory_import(NULL, &d), INVALID_VALUE);
    FAILS(rt_external_memory_import(&m, NULL), INVALID_VALUE);
    d.handle.nvSciBufObject = &d;
    FAILS(rt_external_memory_import(&m, &d), INVALID_HANDLE);
    d.handle.nvSciBufObject = &buf;
    buf.gpu_listed = false;
    FAILS(rt_external_memory_import(&m, &d), INVALID_VALUE);
    d.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    FAILS(rt_external_memory_import(&m, &d), NOT_SUPPORTED);
    d.type = (CUexternalMemoryHandleType)99;
    FAILS(rt_external_memory_import(&m, &d), INVALID_VALUE);
    FAILS(rt_external_semaphore_import(&e, &s), INVALID_HANDLE);
    s.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    FAILS(rt_external_semaphore_import(&e, &s), NOT_SUPPORTED);
    s.flags = 1;
    FAILS(rt_external_semaphore_import(&e, &s), INVALID_VALUE);
    FAILS(rt_external_semaphore_import(NULL, &s), INVALID_VALUE);
}
END_TEST

/* Article "Sharing CUDA Resources ...": "Embedded Linux and QNX (VOLTA+ architectures)". */
START_TEST(below_volta_there_is_no_nvsci)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC d = { .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
                                           .handle.nvSciBufObject = &buf,
                                           .size = 1 };
    CUexternalMemory m;

    up("tx2");
    FAILS(rt_external_memory_import(&m, &d), NOT_SUPPORTED);
    FAILS(rt_nvscisync_attributes(&asked, 0, 1), NOT_SUPPORTED);
}
END_TEST

START_TEST(mappings_stay_inside_what_was_imported)
{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC d = { .offset = 1, .size = BYTES };
    CUexternalMemory m;
    CUdeviceptr p;

    up("orin");
    m = import();
    FAILS(rt_external_memory_buffer(&p, m, &d), INVALID_VALUE);
    d = (CUDA_EXTERNAL_MEMORY_BUFFER_DESC){ .offset = UINT64_MAX, .size = 2 };
    FAILS(rt_external_memory_buffer(&p, m, &d), INVALID_VALUE);
    d = (CUDA_EXTERNAL_MEMORY_BUFFER_DESC){ .offset = 0, .size = 0 };
    FAILS(rt_external_memory_buffer(&p, m, &d), INVALID_VALUE);
    d = (CUDA_EXTERNAL_MEMORY_BUFFER_DESC){ .offset = 0, .size = 1, .flags = 1 };
    FAILS(rt_external_memory_buffer(&p, m, &d), INVALID_VALUE);
    d.flags = 0;
    FAILS(rt_external_memory_buffer(&p, (CUexternalMemory)&d, &d), INVALID_HANDLE);
}
END_TEST

/* "numLevels must be equal to 1"; the rows lie where NvSci has put them. */
START_TEST(a_mapped_array_keeps_the_pitch_of_its_plane)
{
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC d = {
        .offset = 256,
        .arrayDesc = { .Width = 20,
                       .Height = 4,
                       .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                       .NumChannels = 1 },
        .numLevels = 2,
    };
    uint8_t row[20];
    CUDA_MEMCPY2D copy = { .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcY = 3,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = row,
                           .WidthInBytes = 20,
                           .Height = 1 };
    CUmipmappedArray mip;
    CUexternalMemory m;

    up("orin");
    buf.planes = 1;
    buf.plane[0].offset = 256;
    buf.plane[0].pitch = 256;
    m = import();
    FAILS(rt_external_memory_mipmap(&mip, m, &d), INVALID_VALUE);
    d.numLevels = 1;
    OK(rt_external_memory_mipmap(&mip, m, &d));
    OK(rt_mipmap_level(&copy.srcArray, mip, 0));
    ((uint8_t *)rt_shared_cpu(buf.memory))[256 + 3 * 256 + 7] = 99;
    OK(rt_copy_2d(&copy, NULL, RT_SYNC));
    ck_assert_uint_eq(row[7], 99);
    OK(rt_mipmap_destroy(mip));
    d.offset = BYTES - 10;
    FAILS(rt_external_memory_mipmap(&mip, m, &d), INVALID_VALUE);
}
END_TEST

/* "each signal operation will increment the fence value by '1'". */
START_TEST(a_signal_gives_a_fence_that_the_cpu_waits_for)
{
    struct fake_fence fence = { 0 };
    CUexternalSemaphore s;

    up("xavier");
    s = import_sync(0);
    OK(do_signal(s, &fence, 0, NULL));
    ck_assert_ptr_eq(fence.object, &sync_object[0]);
    ck_assert_uint_eq(fence.value, 1);
    ck_assert_uint_eq(rt_sync_value(sync_object[0].sync), 0); /* lazy */
    ck_assert_int_eq(rt_sync_wait(sync_object[0].sync, 1, -1), 0);
    ck_assert_uint_eq(rt_sync_value(sync_object[0].sync), 1);
    OK(do_signal(s, &fence, 0, NULL));
    ck_assert_uint_eq(fence.value, 2);
    OK(rt_external_semaphore_destroy(s));
    FAILS(rt_external_semaphore_destroy(s), INVALID_HANDLE);
    FAILS(do_signal(s, &fence, 0, NULL), INVALID_HANDLE);
}
END_TEST

/* Reference: "memory synchronization operations (like flushing caches) ... of all the external
 * memory objects ... imported as NvSciBuf"; none without such an object. */
START_TEST(signals_clean_the_l2_and_waits_invalidate_it_unless_skipped)
{
    struct fake_fence fence = { 0 };
    CUexternalSemaphore s;
    const bool imported = _i & 1, skip = _i & 2;
    const bool does = imported && !skip;

    up("xavier");
    s = import_sync(0);
    if (imported) {
        import();
    }
    OK(rt_ctx_synchronize(NULL));
    fake_log_clear();
    OK(do_signal(s, &fence, skip ? CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC : 0, NULL));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(strstr(fake_log->str, "l2_clean") != NULL, does);
    ck_assert_ptr_null(strstr(fake_log->str, "invalidate"));
    fake_log_clear();
    OK(do_wait(s, &fence, skip ? CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC : 0));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(strstr(fake_log->str, "l2_invalidate") != NULL, does);
}
END_TEST

START_TEST(a_stream_waits_for_the_cpus_signal)
{
    struct fake_fence fence = { &sync_object[0], 1 };
    CUexternalSemaphore s;

    up("orin");
    s = import_sync(0);
    OK(do_wait(s, &fence, 0));
    FAILS(rt_stream_query(NULL), NOT_READY);
    FAILS(rt_stream_query(NULL), NOT_READY);
    OK(rt_sync_signal(sync_object[0].sync));
    OK(rt_stream_synchronize(NULL));
}
END_TEST

START_TEST(signals_and_waits_that_cannot_be_are_refused)
{
    struct fake_fence fence = { 0 }, other = { &sync_object[1], 1 };
    signal_params p = { 0 };
    CUexternalSemaphore s;

    up("orin");
    sync_object[0].cuda_may_signal = false;
    s = import_sync(0);
    FAILS(do_signal(s, &fence, 0, NULL), NOT_SUPPORTED);
    OK(do_wait(s, &fence, 0)); /* a cleared fence: nothing */
    FAILS(do_wait(s, &other, 0), INVALID_VALUE);
    FAILS(do_wait(s, NULL, 0), INVALID_VALUE);
    FAILS(do_wait(s, &fence, 1), INVALID_VALUE); /* the signal's flag */
    sync_object[0].cuda_may_signal = true;
    sync_object[0].cuda_may_wait = false;
    s = import_sync(0);
    FAILS(do_wait(s, &fence, 0), NOT_SUPPORTED);
    FAILS(do_signal(s, NULL, 0, NULL), INVALID_VALUE); /* no deterministic fences */
    FAILS(do_signal(s, &fence, 2, NULL), INVALID_VALUE);
    FAILS(rt_external_signal(NULL, &p, 1, NULL), INVALID_VALUE);
    FAILS(rt_external_signal(&s, NULL, 1, NULL), INVALID_VALUE);
    FAILS(rt_external_signal(&s, &p, 0, NULL), INVALID_VALUE);
    sync_object[0].deterministic = true;
    OK(do_signal(import_sync(0), NULL, 0, NULL));
}
END_TEST

/* Nodes keep handles and parameters; each launch makes a fence of its own. */
START_TEST(captured_signals_and_waits_are_nodes)
{
    struct fake_fence fence = { 0 }, before = { &sync_object[1], 1 };
    CUgraphNodeParams got;
    CUexternalSemaphore s, w;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode nodes[4];
    size_t n = 4;
    wait_params wp = { 0 };

    up("orin");
    s = import_sync(0);
    w = import_sync(1);
    OK(rt_sync_signal(sync_object[1].sync));
    OK(rt_stream_create(&stream, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    wp.params.nvSciSync.fence = &before;
    OK(rt_external_wait(&w, &wp, 1, stream));
    OK(do_signal(s, &fence, 0, stream));
    OK(rt_stream_end_capture(stream, &graph));
    ck_assert_ptr_null(fence.object); /* nothing has run */
    OK(rt_graph_nodes(graph, nodes, &n));
    ck_assert_uint_eq(n, 2);
    OK(rt_graph_node_params(nodes[1], CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, &got));
    ck_assert_uint_eq(got.extSemSignal.numExtSems, 1);
    ck_assert_ptr_eq(got.extSemSignal.extSemArray[0], s);
    ck_assert_ptr_eq(got.extSemSignal.paramsArray[0].params.nvSciSync.fence, &fence);
    OK(rt_graph_instantiate(&exec, graph, 0, NULL, NULL));
    for (unsigned i = 1; i <= 3; i++) {
        OK(rt_graph_launch(exec, stream));
        ck_assert_uint_eq(fence.value, i);
        OK(rt_stream_synchronize(stream));
        ck_assert_uint_eq(rt_sync_value(sync_object[0].sync), i);
    }
}
END_TEST

/* cuDeviceGetNvSciSyncAttributes: "SysmemSemaphore", on Tegra "Syncpoint", from GA10x on the one of
 * 64 bits. */
START_TEST(lists_get_what_the_gpu_can_do)
{
    up(_i ? "orin" : "xavier");
    OK(rt_nvscisync_attributes(&asked, 0, 1));
    ck_assert(asked_signal && !asked_wait);
    ck_assert_uint_eq(n_asked, _i ? 3 : 2);
    ck_assert_uint_eq(asked[0], 2);
    ck_assert_uint_eq(asked[1], 1);
    OK(rt_nvscisync_attributes(&asked, 0, 2));
    ck_assert(!asked_signal && asked_wait);
    FAILS(rt_nvscisync_attributes(&asked, 0, 0), INVALID_VALUE);
    FAILS(rt_nvscisync_attributes(&asked, 0, 4), INVALID_VALUE);
    FAILS(rt_nvscisync_attributes(NULL, 0, 1), INVALID_VALUE);
    FAILS(rt_nvscisync_attributes(&asked, 1, 1), INVALID_DEVICE);
    FAILS(rt_nvscisync_attributes(&buf, 0, 1), INVALID_VALUE);
    FAILS(rt_nvscisync_attributes(&n_asked, 0, 1), INVALID_HANDLE);
}
END_TEST

START_TEST(objects_go_with_their_context)
{
    CUexternalMemory m;
    CUexternalSemaphore s;
    CUcontext second;

    up("orin");
    OK(rt_ctx_create(&second, NULL, 0, 0));
    m = import();
    s = import_sync(0);
    map(m, 0, BYTES);
    OK(rt_ctx_destroy(second));
    FAILS(rt_external_memory_destroy(m), INVALID_HANDLE);
    FAILS(rt_external_semaphore_destroy(s), INVALID_HANDLE);
    ck_assert_uint_eq(*(uint8_t *)rt_shared_cpu(buf.memory), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_interop");
    TCase *t = tcase_create("interop");
    SRunner *runner;
    int failed;

    tcase_add_test(t, a_mapped_buffer_is_the_memory_of_the_object);
    tcase_add_test(t, attributes_of_the_object_are_those_of_the_mapping);
    tcase_add_test(t, imports_that_cannot_be_are_refused);
    tcase_add_test(t, below_volta_there_is_no_nvsci);
    tcase_add_test(t, mappings_stay_inside_what_was_imported);
    tcase_add_test(t, a_mapped_array_keeps_the_pitch_of_its_plane);
    tcase_add_test(t, a_signal_gives_a_fence_that_the_cpu_waits_for);
    tcase_add_loop_test(t, signals_clean_the_l2_and_waits_invalidate_it_unless_skipped, 0, 4);
    tcase_add_test(t, a_stream_waits_for_the_cpus_signal);
    tcase_add_test(t, signals_and_waits_that_cannot_be_are_refused);
    tcase_add_test(t, captured_signals_and_waits_are_nodes);
    tcase_add_loop_test(t, lists_get_what_the_gpu_can_do, 0, 2);
    tcase_add_test(t, objects_go_with_their_context);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
