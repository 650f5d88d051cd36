/* SPDX-License-Identifier: MIT */
/* What libcuda adds to the driver core: forms of functions, stubs, entry points by name. Error
 * codes call by call are tests/api/cuda_codes*.c. */
#include <check.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuda.h>

#include "emulated.h"

static void ok_(CUresult code, const char *call)
{
    const char *name = "?";

    cuGetErrorName(code, &name);
    ck_assert_msg(code == CUDA_SUCCESS, "%s: %s", call, name);
}
#define OK(call) ok_(call, #call)

/* Function @name of the library as a pointer of type @type. */
#define SYMBOL(type, variable, name)                    \
    type *variable;                                     \
    do {                                                \
        void *address_ = dlsym(RTLD_DEFAULT, name);     \
        ck_assert_ptr_nonnull(address_);                \
        memcpy(&variable, &address_, sizeof(variable)); \
    } while (0)

static void context_make(void)
{
    CUcontext context;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
}

/* What @call writes to stderr. */
static void stderr_of(void (*call)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);

    fflush(stderr);
    ck_assert(file && saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    call();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static unsigned occurrences(const char *text, const char *word)
{
    unsigned n = 0;

    while ((text = strstr(text, word))) {
        n++;
        text += strlen(word);
    }
    return n;
}

static void stub_calls(void)
{
    int handle;

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(
            cuMemGetHandleForAddressRange(&handle, 0, 0, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
            CUDA_ERROR_NOT_SUPPORTED);
    }
}

START_TEST(stub_answers_not_supported_and_says_its_name_once)
{
    char text[4096];

    OK(cuInit(0));
    stderr_of(stub_calls, text, sizeof(text));
    ck_assert_msg(occurrences(text, "cuMemGetHandleForAddressRange") == 1, "stderr: %s", text);
}
END_TEST

static void export_table_calls(void)
{
    static const CUuuid id = { "0123456789abcde" };
    const void *table = &id;

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
        ck_assert_ptr_null(table);
    }
    ck_assert_int_eq(cuGetExportTable(NULL, &id), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuGetExportTable(&table, NULL), CUDA_ERROR_INVALID_VALUE);
}

START_TEST(private_tables_are_not_found_and_that_is_said_once)
{
    char text[4096];

    OK(cuInit(0));
    stderr_of(export_table_calls, text, sizeof(text));
    ck_assert_msg(occurrences(text, "cuGetExportTable") == 1, "stderr: %s", text);
}
END_TEST

START_TEST(version_is_13_0)
{
    int version = 0;

    OK(cuDriverGetVersion(&version));
    ck_assert_int_eq(version, 13000);
}
END_TEST

/* The driver reference: what takes no length gives the text in full, for every code there is. */
START_TEST(error_codes_have_name_and_text)
{
    unsigned known = 0;

    for (int code = -1; code <= 1001; code++) {
        const char *name = "x", *text = "x";
        CUresult rc = cuGetErrorName((CUresult)code, &name);
        ck_assert_int_eq(cuGetErrorString((CUresult)code, &text), rc);
        ck_assert_int_eq(name == NULL, rc != CUDA_SUCCESS);
        ck_assert_int_eq(text == NULL, rc != CUDA_SUCCESS);
        known += rc == CUDA_SUCCESS;
    }
    ck_assert_uint_eq(known, 101); /* CUresult of CUDA 13.0 */
    ck_assert_int_eq(cuGetErrorName(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

typedef CUresult stream_id(CUstream, unsigned long long *);

START_TEST(stream_0_is_the_threads_own_in_the_ptsz_forms)
{
    unsigned long long legacy = 0, per_thread = 0, id = 0;
    SYMBOL(stream_id, plain, "cuStreamGetId");
    SYMBOL(stream_id, ptsz, "cuStreamGetId_ptsz");

    context_make();
    OK(plain(CU_STREAM_LEGACY, &legacy));
    OK(plain(CU_STREAM_PER_THREAD, &per_thread));
    ck_assert(legacy != per_thread);
    OK(plain(NULL, &id));
    ck_assert(id == legacy);
    OK(ptsz(NULL, &id));
    ck_assert(id == per_thread);
    OK(ptsz(CU_STREAM_LEGACY, &id));
    ck_assert(id == legacy);
}
END_TEST

typedef CUresult memset_d8(CUdeviceptr, unsigned char, size_t);

START_TEST(ptds_forms_do_the_same_work)
{
    CUdeviceptr p;
    char bytes[4] = "";
    SYMBOL(memset_d8, fill, "cuMemsetD8_v2_ptds");

    context_make();
    OK(cuMemAlloc(&p, 4096));
    OK(fill(p, 'x', 4096));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(bytes, p, 3));
    ck_assert_str_eq(bytes, "xxx");
}
END_TEST

typedef CUresult ctx_create_v2(CUcontext *, unsigned, CUdevice);
typedef CUresult ctx_create_v3(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice);

START_TEST(earlier_forms_of_context_creation_work)
{
    CUcontext a, b, c, now;
    SYMBOL(ctx_create_v2, v1, "cuCtxCreate");
    SYMBOL(ctx_create_v2, v2, "cuCtxCreate_v2");
    SYMBOL(ctx_create_v3, v3, "cuCtxCreate_v3");

    OK(cuInit(0));
    OK(v1(&a, 0, 0));
    OK(v2(&b, 0, 0));
    OK(v3(&c, NULL, 0, 0, 0));
    OK(cuCtxGetCurrent(&now));
    ck_assert_ptr_eq(now, c);
    OK(cuCtxDestroy(c));
    OK(cuCtxDestroy(b));
    OK(cuCtxDestroy(a));
}
END_TEST

typedef CUresult get_proc_address_v1(const char *, void **, int, cuuint64_t);

START_TEST(first_form_of_cuGetProcAddress_has_an_error_for_what_is_missing)
{
    void *fn = &fn;
    SYMBOL(get_proc_address_v1, find, "cuGetProcAddress");

    ck_assert_int_eq(find("cuInit", &fn, 11030, 0), CUDA_SUCCESS);
    ck_assert_ptr_eq(fn, dlsym(RTLD_DEFAULT, "cuInit"));
    ck_assert_int_eq(find("cuNoSuchThing", &fn, 11030, 0), CUDA_ERROR_NOT_FOUND);
    ck_assert_int_eq(find("cuMemAllocAsync", &fn, 11010, 0), CUDA_ERROR_NOT_FOUND);
    ck_assert_ptr_null(fn);
    ck_assert_int_eq(find(NULL, &fn, 11030, 0), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(find("cuInit", NULL, 11030, 0), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(find("cuInit", &fn, 11030, 4), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(uuid_names_the_soc)
{
    CUuuid a, b;

    OK(cuInit(0));
    memset(&a, 0, sizeof(a));
    memset(&b, 1, sizeof(b));
    OK(cuDeviceGetUuid(&a, 0));
    OK(cuDeviceGetUuid(&b, 0));
    ck_assert_mem_eq(&a, &b, sizeof(a));
}
END_TEST

/* CUDA for Tegra 3.6 and the driver reference for a device asked about itself. */
START_TEST(there_is_no_peer)
{
    CUcontext context;
    int can = 5;

    context_make();
    OK(cuDeviceCanAccessPeer(&can, 0, 0));
    ck_assert_int_eq(can, 0);
    OK(cuCtxGetCurrent(&context));
    ck_assert_int_eq(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    ck_assert_int_eq(cuCtxDisablePeerAccess(context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}
END_TEST

START_TEST(copies_between_contexts_of_the_device_are_copies)
{
    CUcontext context;
    CUdeviceptr a, b;
    char bytes[8] = "abcdefg", back[8] = "";
    CUDA_MEMCPY3D_PEER copy;

    context_make();
    OK(cuCtxGetCurrent(&context));
    OK(cuMemAlloc(&a, 4096));
    OK(cuMemAlloc(&b, 4096));
    OK(cuMemcpyHtoD(a, bytes, sizeof(bytes)));
    OK(cuMemcpyPeer(b, context, a, context, sizeof(bytes)));
    OK(cuMemcpyDtoH(back, b, sizeof(back)));
    ck_assert_str_eq(back, bytes);
    memset(&copy, 0, sizeof(copy));
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = a;
    copy.dstDevice = b;
    copy.dstXInBytes = 3;
    copy.srcContext = copy.dstContext = context;
    copy.srcPitch = copy.dstPitch = 64;
    copy.WidthInBytes = 5;
    copy.Height = copy.Depth = 1;
    OK(cuMemcpy3DPeer(&copy));
    OK(cuMemcpyDtoH(back, b, sizeof(back)));
    ck_assert_mem_eq(back, "abcabcde", 8);
    ck_assert_int_eq(cuMemcpy3DPeer(NULL), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(capture_mode_is_exchanged)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

    OK(cuInit(0));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    mode = (CUstreamCaptureMode)9; /* measured (golden/gen/graph_codes.txt): taken */
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    ck_assert_int_eq(cuThreadExchangeStreamCaptureMode(NULL), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(pool_of_a_location_is_the_devices)
{
    CUmemLocation device = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 };
    CUmemLocation host = { .type = CU_MEM_LOCATION_TYPE_HOST, .id = 0 };
    CUmemoryPool a, b;

    context_make();
    OK(cuDeviceGetDefaultMemPool(&a, 0));
    OK(cuMemGetDefaultMemPool(&b, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    ck_assert_ptr_eq(a, b);
    OK(cuMemGetMemPool(&b, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
    ck_assert_ptr_eq(a, b);
    OK(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, a));
    ck_assert_int_eq(cuMemGetMemPool(&b, &host, CU_MEM_ALLOCATION_TYPE_PINNED),
                     CUDA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(cuMemGetMemPool(&b, NULL, CU_MEM_ALLOCATION_TYPE_PINNED),
                     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

/* @size bytes that end where memory that faults begins, more of it than any header makes a reader
 * look at: cuModuleLoadData is told no size. */
static void *guarded_make(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    char *p = mmap(NULL, room + ((size_t)5 << 30), PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    ck_assert_ptr_ne(p, MAP_FAILED);
    ck_assert_int_eq(mprotect(p, room, PROT_READ | PROT_WRITE), 0);
    return p + room - size;
}

/* One byte after the other changed: an error or a module, never a crash. */
START_TEST(damaged_fat_binaries_are_errors)
{
    static const char ptx[] = ".version 8.3\n.target sm_75\n.address_size 64\n"
                              ".visible .entry k() { ret; }\n";
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size;
        uint16_t kind, entry_version;
        uint32_t entry_header;
        uint64_t payload;
        uint32_t packed, options, minor, sm, ident, ident_size;
        uint64_t flags, zero, raw;
        char text[128];
    } good = { 0xBA55ED50, 1, 16, 64 + 128, 1, 0x101, 64, 128, 0, 0, 0, 75, 0, 0, 0x11, 0, 0, "" };
    unsigned char *bad = guarded_make(sizeof(good));
    unsigned refused = 0;
    CUfunction f;
    CUmodule m;

    if (emulator_lacks("process_vm_readv()")) {
        return;
    }
    memcpy(good.text, ptx, sizeof(ptx));
    context_make();
    OK(cuModuleLoadData(&m, &good));
    OK(cuModuleGetFunction(&f, m, "k"));
    OK(cuModuleUnload(m));
    for (size_t i = 0; i < offsetof(__typeof__(good), text) + sizeof(ptx); i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            memcpy(bad, &good, sizeof(good));
            bad[i] ^= (unsigned char)(1 << bit);
            CUresult rc = cuModuleLoadData(&m, bad);
            if (rc == CUDA_SUCCESS) {
                OK(cuModuleUnload(m));
                continue;
            }
            refused++;
            ck_assert_msg(rc == CUDA_ERROR_INVALID_VALUE || rc == CUDA_ERROR_INVALID_IMAGE ||
                              rc == CUDA_ERROR_INVALID_PTX || rc == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                              rc == CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                          "byte %zu bit %d: %d", i, bit, (int)rc);
        }
    }
    ck_assert_uint_gt(refused, 50);
    OK(cuModuleLoadData(&m, &good));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_api");
    TCase *tc = tcase_create("api");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, stub_answers_not_supported_and_says_its_name_once);
    tcase_add_test(tc, private_tables_are_not_found_and_that_is_said_once);
    tcase_add_test(tc, version_is_13_0);
    tcase_add_test(tc, error_codes_have_name_and_text);
    tcase_add_test(tc, stream_0_is_the_threads_own_in_the_ptsz_forms);
    tcase_add_test(tc, ptds_forms_do_the_same_work);
    tcase_add_test(tc, earlier_forms_of_context_creation_work);
    tcase_add_test(tc, first_form_of_cuGetProcAddress_has_an_error_for_what_is_missing);
    tcase_add_test(tc, uuid_names_the_soc);
    tcase_add_test(tc, there_is_no_peer);
    tcase_add_test(tc, copies_between_contexts_of_the_device_are_copies);
    tcase_add_test(tc, capture_mode_is_exchanged);
    tcase_add_test(tc, pool_of_a_location_is_the_devices);
    tcase_add_test(tc, damaged_fat_binaries_are_errors);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
