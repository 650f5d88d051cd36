/* SPDX-License-Identifier: MIT */
/* libnvscibuf.so.1 and libnvscisync.so.1 on a board. Source: DRIVE OS API reference 6.0.10; CUDA
 * for Tegra 5.1.4. */
#include <check.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/cuda.h"
#include "include/nvscibuf.h"
#include "include/nvscisync.h"
#include "tests/suite.h"

#define OK(call) ck_assert_uint_eq(call, NvSciError_Success)
#define BAD(call) ck_assert_uint_eq(call, NvSciError_BadParameter)

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static NvSciSyncCpuWaitContext context;
static char config[] = "/tmp/test_sci_api_XXXXXX";
static NvSciIpcEndpoint left, right;

static void open_endpoints(void)
{
    FILE *f = fdopen(mkstemp(strcpy(config, "/tmp/test_sci_api_XXXXXX")), "w");
    uint32_t a = 0, b = 0, events;

    fprintf(f, "INTER_THREAD left right 4 4096\n");
    fclose(f);
    setenv("VTEGRA_NVSCIIPC_CFG", config, 1);
    OK(NvSciIpcInit());
    OK(NvSciIpcOpenEndpoint("left", &left));
    OK(NvSciIpcOpenEndpoint("right", &right));
    OK(NvSciIpcResetEndpointSafe(left));
    OK(NvSciIpcResetEndpointSafe(right));
    while (!(a & b & NV_SCI_IPC_EVENT_CONN_EST)) {
        OK(NvSciIpcGetEventSafe(left, &events));
        a |= events;
        OK(NvSciIpcGetEventSafe(right, &events));
        b |= events;
    }
}

static void setup(void)
{
    setenv("VTEGRA_SOC", "orin", 1);
    setenv("VTEGRA_REPORT", "/dev/null", 1);
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
    OK(NvSciSyncCpuWaitContextAlloc(syncs, &context));
    open_endpoints();
}

static void teardown(void)
{
    NvSciIpcCloseEndpoint(left);
    NvSciIpcCloseEndpoint(right);
    NvSciIpcDeinit();
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncModuleClose(syncs);
    NvSciBufModuleClose(bufs);
    unlink(config);
}

/* --- buffers --- */

static NvSciBufAttrList raw_list(uint64_t size, bool cpu, NvSciBufAttrValAccessPerm perm)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrKeyValuePair pair[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
    };
    NvSciBufAttrList list;

    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pair, 4));
    return list;
}

static NvSciBufAttrList reconciled(NvSciBufAttrList input)
{
    NvSciBufAttrList out, conflict = NULL;

    OK(NvSciBufAttrListReconcile(&input, 1, &out, &conflict));
    ck_assert_ptr_null(conflict);
    return out;
}

static NvSciBufObj raw_buffer(uint64_t size, bool cpu)
{
    NvSciBufAttrList list = raw_list(size, cpu, NvSciBufAccessPerm_ReadWrite), conflict;
    NvSciBufObj obj;

    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &obj, &conflict));
    NvSciBufAttrListFree(list);
    return obj;
}

static uint32_t perm_of(NvSciBufObj obj)
{
    NvSciBufAttrKeyValuePair pair = { NvSciBufGeneralAttrKey_ActualPerm, NULL, 0 };
    NvSciBufAttrList list;

    OK(NvSciBufObjGetAttrList(obj, &list));
    OK(NvSciBufAttrListGetAttrs(list, &pair, 1));
    return *(const uint32_t *)pair.value;
}

START_TEST(a_buffer_is_memory_of_the_cpu)
{
    NvSciBufObj obj = raw_buffer(10000, true), dup;
    const void *read;
    void *p;

    OK(NvSciBufObjGetCpuPtr(obj, &p));
    ck_assert_int_eq(*(char *)p, 0);
    memset(p, 0x5a, 10000);
    OK(NvSciBufObjDup(obj, &dup));
    NvSciBufObjFree(obj);
    BAD(NvSciBufObjGetCpuPtr(obj, &p)); /* stale */
    OK(NvSciBufObjGetConstCpuPtr(dup, &read));
    ck_assert_int_eq(((const char *)read)[9999], 0x5a);
    OK(NvSciBufObjFlushCpuCacheRange(dup, 0, 10000));
    BAD(NvSciBufObjFlushCpuCacheRange(dup, 1, 10000));
    BAD(NvSciBufObjFlushCpuCacheRange(dup, 0, 0));
    ck_assert_uint_eq(NvSciBufObjFlushCpuCacheRange(dup, UINT64_MAX, 2), NvSciError_Overflow);
    ck_assert_uint_eq(perm_of(dup), NvSciBufAccessPerm_ReadWrite);
    NvSciBufObjFree(dup);
}
END_TEST

START_TEST(without_need_cpu_access_there_is_no_pointer)
{
    NvSciBufObj obj = raw_buffer(64, false);
    const void *read;
    void *p;

    BAD(NvSciBufObjGetCpuPtr(obj, &p));
    BAD(NvSciBufObjGetConstCpuPtr(obj, &read));
    ck_assert_uint_eq(NvSciBufObjFlushCpuCacheRange(obj, 0, 64), NvSciError_NotPermitted);
    NvSciBufObjFree(obj);
}
END_TEST

START_TEST(a_reduced_duplicate_cannot_be_written)
{
    NvSciBufObj obj = raw_buffer(64, true), ro, back;
    const void *read;
    void *p;

    OK(NvSciBufObjDupWithReducePerm(obj, NvSciBufAccessPerm_Readonly, &ro));
    BAD(NvSciBufObjGetCpuPtr(ro, &p));
    OK(NvSciBufObjGetConstCpuPtr(ro, &read));
    OK(NvSciBufObjGetCpuPtr(obj, &p));
    ck_assert_ptr_eq(p, read); /* the same memory */
    ck_assert_uint_eq(perm_of(ro), NvSciBufAccessPerm_Readonly);
    BAD(NvSciBufObjDupWithReducePerm(ro, NvSciBufAccessPerm_ReadWrite, &back));
    NvSciBufObjFree(ro);
    NvSciBufObjFree(obj);
}
END_TEST

START_TEST(conflicts_come_with_a_list)
{
    NvSciBufAttrList input[] = { raw_list(64, true, NvSciBufAccessPerm_ReadWrite),
                                 raw_list(65, true, NvSciBufAccessPerm_ReadWrite) };
    NvSciBufAttrList out, conflict = NULL;
    NvSciBufAttrKeyValuePair pair = { NvSciBufRawBufferAttrKey_Size, NULL, 0 };

    BAD(NvSciBufAttrListReconcile(input, 2, &out, NULL));
    ck_assert_uint_eq(NvSciBufAttrListReconcile(input, 2, &out, &conflict),
                      NvSciError_ReconciliationFailed);
    OK(NvSciBufAttrListSlotGetAttrs(conflict, 1, &pair, 1));
    ck_assert_uint_eq(*(const uint64_t *)pair.value, 65);
    NvSciBufAttrListFree(conflict);
    BAD(NvSciBufAttrListReconcile((NvSciBufAttrList[]){ input[0], input[0] }, 2, &out, &conflict));
    NvSciBufAttrListFree(input[0]);
    BAD(NvSciBufAttrListReconcile(input, 2, &out, &conflict)); /* one is stale */
    NvSciBufAttrListFree(input[1]);
}
END_TEST

START_TEST(lists_of_two_modules_do_not_mix)
{
    NvSciBufModule other, first = bufs;
    NvSciBufAttrList input[2], out, conflict;

    OK(NvSciBufModuleOpen(&other));
    input[0] = raw_list(64, true, NvSciBufAccessPerm_ReadWrite);
    bufs = other;
    input[1] = raw_list(64, true, NvSciBufAccessPerm_ReadWrite);
    bufs = first;
    BAD(NvSciBufAttrListReconcile(input, 2, &out, &conflict));
    NvSciBufAttrListFree(input[0]);
    NvSciBufAttrListFree(input[1]);
    NvSciBufModuleClose(other);
    BAD(NvSciBufAttrListCreate(other, &out));
}
END_TEST

/* The right end asks for read-only; the left one reconciles, allocates and exports. */
START_TEST(a_buffer_goes_through_a_channel_once)
{
    NvSciBufAttrList theirs = raw_list(64, true, NvSciBufAccessPerm_Readonly), imported, mine,
                     result, back;
    NvSciBufObjIpcExportDescriptor desc;
    NvSciBufObj obj, other;
    NvSciBufAttrValAccessPerm perm;
    void *bytes, *p;
    size_t len;
    const void *read;

    OK(NvSciBufAttrListIpcExportUnreconciled(&theirs, 1, right, &bytes, &len));
    OK(NvSciBufAttrListIpcImportUnreconciled(bufs, left, bytes, len, &imported));
    ((char *)bytes)[len - 1] ^= 1;
    BAD(NvSciBufAttrListIpcImportUnreconciled(bufs, left, bytes, len, &back));
    NvSciBufAttrListFreeDesc(bytes);
    mine = raw_list(64, true, NvSciBufAccessPerm_ReadWrite);
    OK(NvSciBufAttrListReconcile((NvSciBufAttrList[]){ mine, imported }, 2, &result, &back));
    OK(NvSciBufObjAlloc(result, &obj));
    ck_assert_uint_eq(NvSciBufAttrListIpcExportReconciled(result, right, &bytes, &len),
                      NvSciError_NotPermitted); /* nothing came that way */
    OK(NvSciBufAttrListIpcExportReconciled(result, left, &bytes, &len));
    OK(NvSciBufAttrListIpcImportReconciled(bufs, right, bytes, len, &theirs, 1, &back));
    NvSciBufAttrListFreeDesc(bytes);
    OK(NvSciBufObjGetMaxPerm(obj, left, &perm));
    ck_assert_uint_eq(perm, NvSciBufAccessPerm_Readonly);
    OK(NvSciBufObjIpcExport(obj, NvSciBufAccessPerm_Auto, left, &desc));
    ck_assert_uint_eq(
        NvSciBufObjIpcImport(right, &desc, back, NvSciBufAccessPerm_ReadWrite, 0, &other),
        NvSciError_AccessDenied);
    OK(NvSciBufObjIpcImport(right, &desc, back, NvSciBufAccessPerm_Readonly, 0, &other));
    ck_assert_uint_eq(
        NvSciBufObjIpcImport(right, &desc, back, NvSciBufAccessPerm_Readonly, 0, &other),
        NvSciError_NoLongerAvailable);
    OK(NvSciBufObjGetCpuPtr(obj, &p));
    strcpy(p, "shared");
    BAD(NvSciBufObjGetCpuPtr(other, &p));
    OK(NvSciBufObjGetConstCpuPtr(other, &read));
    ck_assert_str_eq(read, "shared");
    NvSciBufObjFree(other);
    OK(NvSciBufIpcExportAttrListAndObj(obj, NvSciBufAccessPerm_Auto, left, &bytes, &len));
    OK(NvSciBufIpcImportAttrListAndObj(bufs, right, bytes, len, &theirs, 1, NvSciBufAccessPerm_Auto,
                                       0, &other));
    NvSciBufAttrListAndObjFreeDesc(bytes);
    NvSciBufObjFree(other);
    NvSciBufObjFree(obj);
    for (unsigned i = 0; i < 5; i++) {
        NvSciBufAttrListFree((NvSciBufAttrList[]){ theirs, imported, mine, result, back }[i]);
    }
}
END_TEST

START_TEST(every_changed_byte_of_a_descriptor_is_refused)
{
    NvSciBufAttrList theirs = raw_list(64, true, NvSciBufAccessPerm_Readonly), imported, result,
                     conflict;
    NvSciBufObjIpcExportDescriptor desc;
    NvSciBufObj obj, other;
    void *bytes;
    size_t len;

    OK(NvSciBufAttrListIpcExportUnreconciled(&theirs, 1, right, &bytes, &len));
    OK(NvSciBufAttrListIpcImportUnreconciled(bufs, left, bytes, len, &imported));
    NvSciBufAttrListFreeDesc(bytes);
    OK(NvSciBufAttrListReconcile(&imported, 1, &result, &conflict));
    OK(NvSciBufObjAlloc(result, &obj));
    OK(NvSciBufObjIpcExport(obj, NvSciBufAccessPerm_Auto, left, &desc));
    for (unsigned i = 0; i < 32; i++) {
        ((unsigned char *)&desc)[i] ^= 4;
        BAD(NvSciBufObjIpcImport(right, &desc, result, NvSciBufAccessPerm_Auto, 0, &other));
        ((unsigned char *)&desc)[i] ^= 4;
    }
    OK(NvSciBufObjIpcImport(right, &desc, result, NvSciBufAccessPerm_Auto, 0, &other));
    NvSciBufObjFree(other);
    NvSciBufObjFree(obj);
    NvSciBufAttrListFree(theirs);
    NvSciBufAttrListFree(imported);
    NvSciBufAttrListFree(result);
}
END_TEST

START_TEST(pixels_are_copied_by_rectangles)
{
    NvSciBufType type = NvSciBufType_Image;
    NvSciBufAttrValImageLayoutType layout = NvSciBufImage_PitchLinearType;
    NvSciBufAttrValColorFmt color = NvSciColor_A8B8G8R8;
    uint32_t planes = 1, width = 8, height = 4, pitch = 8, size = 16;
    bool cpu = true;
    NvSciBufAttrKeyValuePair pair[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
        { NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) },
        { NvSciBufImageAttrKey_PlaneCount, &planes, sizeof(planes) },
        { NvSciBufImageAttrKey_PlaneColorFormat, &color, sizeof(color) },
        { NvSciBufImageAttrKey_PlaneWidth, &width, sizeof(width) },
        { NvSciBufImageAttrKey_PlaneHeight, &height, sizeof(height) },
    };
    NvSciBufRect rect = { 2, 1, 4, 3 }, outside = { 2, 1, 9, 3 };
    NvSciBufAttrList list, conflict;
    NvSciBufObj obj;
    uint32_t in[4] = { 1, 2, 3, 4 }, out[4] = { 0 };
    const void *src = in;
    void *dst = out, *p;
    NvSciBufAttrKeyValuePair as_samples_read = { NvSciBufImageAttrKey_PlaneWidth, NULL, 0 };
    uint64_t wide;

    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pair, 7));
    OK(NvSciBufAttrListGetAttrs(list, &as_samples_read, 1));
    ck_assert_uint_eq(as_samples_read.len, sizeof(width));
    memcpy(&wide, as_samples_read.value, sizeof(wide)); /* NVIDIA's cudaNvSci: 8 bytes */
    ck_assert_uint_eq(wide, 8);
    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &obj, &conflict));
    OK(NvSciBufObjPutPixels(obj, &rect, &src, &size, &pitch));
    OK(NvSciBufObjGetCpuPtr(obj, &p));
    ck_assert_uint_eq(((uint32_t *)p)[1 * 8 + 2], 1);
    ck_assert_uint_eq(((uint32_t *)p)[2 * 8 + 3], 4);
    ck_assert_uint_eq(((uint32_t *)p)[2 * 8 + 4], 0);
    OK(NvSciBufObjGetPixels(obj, &rect, &dst, &size, &pitch));
    ck_assert_mem_eq(in, out, sizeof(in));
    BAD(NvSciBufObjGetPixels(obj, &outside, &dst, &size, &pitch));
    size = 15;
    BAD(NvSciBufObjGetPixels(obj, &rect, &dst, &size, &pitch));
    NvSciBufObjFree(obj);
    NvSciBufAttrListFree(list);
}
END_TEST

/* --- sync objects --- */

static NvSciSyncAttrList sync_list(NvSciSyncAccessPerm perm, bool timestamps)
{
    bool cpu = true;
    NvSciSyncAttrKeyValuePair pair[] = {
        { NvSciSyncAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciSyncAttrKey_WaiterRequireTimestamps, &timestamps, sizeof(timestamps) },
    };
    NvSciSyncAttrList list;

    OK(NvSciSyncAttrListCreate(syncs, &list));
    OK(NvSciSyncAttrListSetAttrs(list, pair, 3));
    return list;
}

static NvSciSyncObj sync_object(bool timestamps)
{
    NvSciSyncAttrList list[] = { sync_list(NvSciSyncAccessPerm_SignalOnly, false),
                                 sync_list(NvSciSyncAccessPerm_WaitOnly, timestamps) };
    NvSciSyncAttrList conflict;
    NvSciSyncObj obj;

    OK(NvSciSyncAttrListReconcileAndObjAlloc(list, 2, &obj, &conflict));
    NvSciSyncAttrListFree(list[0]);
    NvSciSyncAttrListFree(list[1]);
    return obj;
}

START_TEST(a_fence_is_reached_by_its_signal)
{
    NvSciSyncObj obj = sync_object(false);
    NvSciSyncFence first = NvSciSyncFenceInitializer, second = NvSciSyncFenceInitializer;
    uint64_t id, value;

    OK(NvSciSyncFenceWait(&first, context, -1)); /* cleared */
    OK(NvSciSyncObjGenerateFence(obj, &first));
    OK(NvSciSyncObjGenerateFence(obj, &second));
    ck_assert_uint_eq(NvSciSyncFenceWait(&first, context, 0), NvSciError_Timeout);
    ck_assert_uint_eq(NvSciSyncFenceWait(&first, context, 1000), NvSciError_Timeout);
    OK(NvSciSyncObjSignal(obj));
    OK(NvSciSyncFenceWait(&first, context, -1));
    ck_assert_uint_eq(NvSciSyncFenceWait(&second, context, 0), NvSciError_Timeout);
    OK(NvSciSyncObjSignal(obj));
    OK(NvSciSyncFenceWaitWithMode(&second, context, -1, NvSciSyncWaitMode_Blocking));
    OK(NvSciSyncFenceExtractFence(&first, &id, &value));
    ck_assert_uint_eq(value, 1);
    OK(NvSciSyncFenceUpdateFence(obj, id, value + 2, &first));
    ck_assert_uint_eq(NvSciSyncFenceWait(&first, context, 0), NvSciError_Timeout);
    OK(NvSciSyncObjSignal(obj));
    OK(NvSciSyncFenceWait(&first, context, -1));
    NvSciSyncFenceClear(&first);
    NvSciSyncFenceClear(&second);
    ck_assert_uint_eq(NvSciSyncFenceExtractFence(&first, &id, &value), NvSciError_ClearedFence);
    NvSciSyncObjFree(obj);
}
END_TEST

static void *signal_later(void *obj)
{
    OK(NvSciSyncObjSignal(obj));
    return NULL;
}

START_TEST(another_thread_may_signal)
{
    NvSciSyncObj obj = sync_object(false);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    pthread_t thread;

    OK(NvSciSyncObjGenerateFence(obj, &fence));
    pthread_create(&thread, NULL, signal_later, obj);
    OK(NvSciSyncFenceWait(&fence, context, -1));
    pthread_join(thread, NULL);
    NvSciSyncFenceClear(&fence);
    NvSciSyncObjFree(obj);
}
END_TEST

START_TEST(a_fence_outlives_its_object)
{
    NvSciSyncObj obj = sync_object(false);
    NvSciSyncFence fence = NvSciSyncFenceInitializer, dup = NvSciSyncFenceInitializer;

    OK(NvSciSyncObjGenerateFence(obj, &fence));
    OK(NvSciSyncObjSignal(obj));
    OK(NvSciSyncFenceDup(&fence, &dup));
    NvSciSyncObjFree(obj);
    NvSciSyncFenceClear(&fence);
    OK(NvSciSyncFenceWait(&dup, context, 0));
    fence = dup; /* a copy that the library does not know of */
    NvSciSyncFenceClear(&dup);
    BAD(NvSciSyncFenceWait(&fence, context, 0));
    NvSciSyncFenceClear(&fence);
}
END_TEST

START_TEST(time_stamps_belong_to_those_who_asked)
{
    NvSciSyncObj obj = sync_object(_i);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncTaskStatus status;
    uint64_t us = 77;
    uint32_t slot;

    ck_assert_uint_eq(NvSciSyncFenceGetTimestamp(&fence, &us), NvSciError_ClearedFence);
    OK(NvSciSyncObjGenerateFence(obj, &fence));
    if (!_i) {
        BAD(NvSciSyncFenceGetTimestamp(&fence, &us));
        BAD(NvSciSyncFenceExtractTimestampSlot(&fence, &slot));
    } else {
        OK(NvSciSyncFenceGetTimestamp(&fence, &us));
        ck_assert_uint_eq(us, 0); /* not reached */
        OK(NvSciSyncFenceAddTimestampSlot(&fence, 3));
        OK(NvSciSyncFenceExtractTimestampSlot(&fence, &slot));
        ck_assert_uint_eq(slot, 3);
    }
    BAD(NvSciSyncFenceGetTaskStatus(&fence, &status));
    BAD(NvSciSyncFenceAddTaskStatusSlot(&fence, 1024));
    OK(NvSciSyncFenceAddTaskStatusSlot(&fence, 1023));
    OK(NvSciSyncFenceGetTaskStatus(&fence, &status));
    ck_assert_uint_eq(status.status, NvSciSyncTaskStatus_Invalid);
    NvSciSyncFenceClear(&fence);
    NvSciSyncObjFree(obj);
}
END_TEST

START_TEST(waits_check_their_arguments)
{
    NvSciSyncObj obj = sync_object(false);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncModule other;
    NvSciSyncCpuWaitContext foreign;

    OK(NvSciSyncModuleOpen(&other));
    OK(NvSciSyncCpuWaitContextAlloc(other, &foreign));
    OK(NvSciSyncObjGenerateFence(obj, &fence));
    BAD(NvSciSyncFenceWait(&fence, foreign, 0));
    BAD(NvSciSyncFenceWait(&fence, NULL, 0));
    BAD(NvSciSyncFenceWait(NULL, context, 0));
    BAD(NvSciSyncFenceWait(&fence, context, -2));
    BAD(NvSciSyncFenceWait(&fence, context, NvSciSyncFenceMaxTimeout + 1));
    BAD(NvSciSyncFenceWaitWithMode(&fence, context, 0, (NvSciSyncWaitMode)4));
    NvSciSyncCpuWaitContextFree(foreign);
    NvSciSyncModuleClose(other);
    NvSciSyncFenceClear(&fence);
    NvSciSyncObjFree(obj);
}
END_TEST

/* The right end waits only: it may not signal, and its fences are those of the object that it
 * imported. */
START_TEST(a_sync_object_goes_through_a_channel)
{
    NvSciSyncAttrList theirs = sync_list(NvSciSyncAccessPerm_WaitOnly, false), mine, imported,
                      result, back, conflict;
    NvSciSyncObjIpcExportDescriptor desc;
    NvSciSyncFenceIpcExportDescriptor fence_desc;
    NvSciSyncFence fence = NvSciSyncFenceInitializer, other_fence = NvSciSyncFenceInitializer;
    NvSciSyncObj obj, other, stranger = sync_object(false);
    void *bytes;
    size_t len;

    OK(NvSciSyncAttrListIpcExportUnreconciled(&theirs, 1, right, &bytes, &len));
    OK(NvSciSyncAttrListIpcImportUnreconciled(syncs, left, bytes, len, &imported));
    NvSciSyncAttrListFreeDesc(bytes);
    mine = sync_list(NvSciSyncAccessPerm_SignalOnly, false);
    OK(NvSciSyncAttrListReconcile((NvSciSyncAttrList[]){ mine, imported }, 2, &result, &conflict));
    OK(NvSciSyncObjAlloc(result, &obj));
    OK(NvSciSyncAttrListIpcExportReconciled(result, left, &bytes, &len));
    OK(NvSciSyncAttrListIpcImportReconciled(syncs, right, bytes, len, &theirs, 1, &back));
    NvSciSyncAttrListFreeDesc(bytes);
    OK(NvSciSyncObjIpcExport(obj, NvSciSyncAccessPerm_Auto, left, &desc));
    OK(NvSciSyncObjIpcImport(right, &desc, back, NvSciSyncAccessPerm_WaitOnly, 0, &other));
    ck_assert_uint_eq(
        NvSciSyncObjIpcImport(right, &desc, back, NvSciSyncAccessPerm_WaitOnly, 0, &other),
        NvSciError_NoLongerAvailable);
    BAD(NvSciSyncObjSignal(other));
    BAD(NvSciSyncObjGenerateFence(other, &other_fence));
    OK(NvSciSyncObjGenerateFence(obj, &fence));
    OK(NvSciSyncIpcExportFence(&fence, left, &fence_desc));
    BAD(NvSciSyncIpcImportFence(stranger, &fence_desc, &other_fence));
    OK(NvSciSyncIpcImportFence(other, &fence_desc, &other_fence));
    ck_assert_uint_eq(NvSciSyncFenceWait(&other_fence, context, 0), NvSciError_Timeout);
    OK(NvSciSyncObjSignal(obj));
    OK(NvSciSyncFenceWait(&other_fence, context, -1));
    NvSciSyncFenceClear(&fence);
    NvSciSyncFenceClear(&other_fence);
    NvSciSyncObjFree(obj);
    NvSciSyncObjFree(other);
    NvSciSyncObjFree(stranger);
    for (unsigned i = 0; i < 5; i++) {
        NvSciSyncAttrListFree((NvSciSyncAttrList[]){ theirs, mine, imported, result, back }[i]);
    }
}
END_TEST

/* RSS before and after: fences cost nothing once they are cleared. */
START_TEST(generations_of_fences_leak_nothing)
{
    NvSciSyncObj obj = sync_object(false);
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    long pages[2];

    for (int round = 0; round < 2; round++) {
        FILE *f = fopen("/proc/self/statm", "r");

        for (int i = 0; i < 20000; i++) {
            OK(NvSciSyncObjGenerateFence(obj, &fence)); /* takes the place of the one before */
            OK(NvSciSyncObjSignal(obj));
        }
        ck_assert_int_eq(fscanf(f, "%*d %ld", &pages[round]), 1);
        fclose(f);
    }
#ifndef __SANITIZE_ADDRESS__ /* it keeps freed memory for a while, and looks for leaks itself */
    ck_assert_int_le(pages[1] - pages[0], 100);
#endif
    NvSciSyncFenceClear(&fence);
    NvSciSyncObjFree(obj);
}
END_TEST

/* Init calls after the first wait or signal: only under --safety-phase. */
START_TEST(the_runtime_phase_allows_no_init_calls)
{
    NvSciSyncObj obj = sync_object(false);
    NvSciBufAttrList list = raw_list(64, true, NvSciBufAccessPerm_ReadWrite), r = reconciled(list),
                     other;
    NvSciBufObj buf;

    setenv("VTEGRA_SAFETY_PHASE", _i ? "1" : "0", 1);
    OK(NvSciBufObjAlloc(r, &buf));
    NvSciBufObjFree(buf);
    OK(NvSciSyncObjSignal(obj));
    ck_assert_uint_eq(NvSciBufObjAlloc(r, &buf), _i ? NvSciError_InvalidState : NvSciError_Success);
    ck_assert_uint_eq(NvSciBufAttrListCreate(bufs, &other),
                      _i ? NvSciError_InvalidState : NvSciError_Success);
    OK(NvSciSyncObjSignal(obj));
    if (!_i) {
        NvSciBufObjFree(buf);
        NvSciBufAttrListFree(other);
    }
    NvSciBufAttrListFree(list);
    NvSciBufAttrListFree(r);
    NvSciSyncObjFree(obj);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_api");
    TCase *t = tcase_create("libraries");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_buffer_is_memory_of_the_cpu);
    tcase_add_test(t, without_need_cpu_access_there_is_no_pointer);
    tcase_add_test(t, a_reduced_duplicate_cannot_be_written);
    tcase_add_test(t, conflicts_come_with_a_list);
    tcase_add_test(t, lists_of_two_modules_do_not_mix);
    tcase_add_test(t, a_buffer_goes_through_a_channel_once);
    tcase_add_test(t, every_changed_byte_of_a_descriptor_is_refused);
    tcase_add_test(t, pixels_are_copied_by_rectangles);
    tcase_add_test(t, a_fence_is_reached_by_its_signal);
    tcase_add_test(t, another_thread_may_signal);
    tcase_add_test(t, a_fence_outlives_its_object);
    tcase_add_loop_test(t, time_stamps_belong_to_those_who_asked, 0, 2);
    tcase_add_test(t, waits_check_their_arguments);
    tcase_add_test(t, a_sync_object_goes_through_a_channel);
    tcase_add_test(t, generations_of_fences_leak_nothing);
    tcase_add_loop_test(t, the_runtime_phase_allows_no_init_calls, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}
