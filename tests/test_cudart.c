/* SPDX-License-Identifier: MIT */
/*
 * The runtime on a driver that only writes down what it is asked. Each test runs in a process of
 * its own, so the runtime starts fresh. What NVIDIA's runtime answers is tested by
 * tests/api/cudart_codes.cu.
 */
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "include/cuda_runtime_api.h"
#include "tests/cudart_fake.h"

/* The compilers' entry points; no header has them (runtime/api/cudart/module.h is not the judge
 * here).
 */
void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, void *tid, void *bid,
                            void *bDim, void *gDim, int *wSize);
void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName,
                       int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **hostVar, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                     void *stream);
cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
                                       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, struct dim3 grid, struct dim3 block,
                               void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernel_ptsz(const void *func, struct dim3 grid, struct dim3 block,
                                  void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);

static fake_calls_fn *calls;
static fake_fail_fn *refuse;

/* Loads the fake before the runtime does, so that both hold the same one. */
static void setup(void)
{
    void *fake = dlopen("libcuda.so.1", RTLD_NOW);

    ck_assert_ptr_nonnull(fake);
    *(void **)&calls = dlsym(fake, "fake_calls");
    *(void **)&refuse = dlsym(fake, "fake_fail");
    ck_assert(calls && refuse);
}

/* A fat binary is any wrapper: the fake prints its first word as a name. */
static const char *binary = "first";
static char stub_k, stub_m, stub_unknown, variable;
static void *managed_pointer;
static const struct dim3 one = { 1, 1, 1 };

static void **module_register(void)
{
    void **h = __cudaRegisterFatBinary(&binary);

    __cudaRegisterFunction(h, &stub_k, &stub_k, "kernel", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(h, &stub_m, &stub_m, "more", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(h, &variable, &variable, "variable", 0, 16, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
    return h;
}

/* Programming Guide, "Initialization": nothing happens before the first call. */
START_TEST(registration_asks_the_driver_nothing)
{
    void **h = module_register();

    __cudaRegisterManagedVar(h, &managed_pointer, NULL, "managed", 0, 4, 0, 0);
    ck_assert_str_eq(calls(), "");
    __cudaUnregisterFatBinary(h);
    ck_assert_str_eq(calls(), "");
}
END_TEST

START_TEST(first_call_retains_the_primary_context_of_device_0_once)
{
    void *p;

    ck_assert_int_eq(cudaMalloc(&p, 64), cudaSuccess);
    ck_assert_str_eq(calls(),
                     "cuInit 0\ncuDevicePrimaryCtxRetain 0\ncuCtxSetCurrent 0\ncuMemAlloc 64\n");
    ck_assert_int_eq(cudaMalloc(&p, 65), cudaSuccess);
    ck_assert_str_eq(calls(), "cuMemAlloc 65\n");
}
END_TEST

START_TEST(counting_devices_makes_no_context)
{
    int n = 0;

    ck_assert_int_eq(cudaGetDeviceCount(&n), cudaSuccess);
    ck_assert_int_eq(n, FAKE_DEVICES);
    ck_assert_str_eq(calls(), "cuInit 0\n");
}
END_TEST

START_TEST(set_device_changes_the_context_of_the_calling_thread)
{
    int device = -1;

    ck_assert_int_eq(cudaSetDevice(1), cudaSuccess);
    ck_assert_str_eq(calls(), "cuInit 0\ncuDevicePrimaryCtxRetain 1\ncuCtxSetCurrent 1\n");
    ck_assert_int_eq(cudaGetDevice(&device), cudaSuccess);
    ck_assert_int_eq(device, 1);
    ck_assert_int_eq(cudaSetDevice(FAKE_DEVICES), cudaErrorInvalidDevice);
    ck_assert_int_eq(cudaSetDevice(-1), cudaErrorInvalidDevice);
    ck_assert_int_eq(cudaGetDevice(&device), cudaSuccess);
    ck_assert_int_eq(device, 1);
}
END_TEST

START_TEST(launch_loads_the_binary_unopened_once_and_each_kernel_once)
{
    struct dim3 grid = { 2, 3, 4 }, block = { 5, 6, 7 };

    module_register();
    ck_assert_int_eq(cudaLaunchKernel(&stub_k, grid, block, NULL, 8, (cudaStream_t)9), cudaSuccess);
    ck_assert_str_eq(calls(), "cuInit 0\ncuDevicePrimaryCtxRetain 0\ncuCtxSetCurrent 0\n"
                              "cuLibraryLoadData first\ncuLibraryGetKernel kernel\n"
                              "cuLaunchKernel k 2 3 4, 5 6 7, 8, stream 9\n");
    ck_assert_int_eq(cudaLaunchKernel(&stub_k, one, one, NULL, 0, NULL), cudaSuccess);
    ck_assert_int_eq(cudaLaunchKernel(&stub_m, one, one, NULL, 0, NULL), cudaSuccess);
    ck_assert_str_eq(calls(), "cuLaunchKernel k 1 1 1, 1 1 1, 0, stream 0\n"
                              "cuLibraryGetKernel more\n"
                              "cuLaunchKernel m 1 1 1, 1 1 1, 0, stream 0\n");
}
END_TEST

/* nvcc's stub: ask for the kernel once, then launch whatever that gave. */
static cudaError_t nvcc_stub(void)
{
    static cudaKernel_t kernel;

    if (!kernel) {
        __cudaGetKernel(&kernel, &stub_k);
    }
    return __cudaLaunchKernel(kernel, one, one, NULL, 0, NULL);
}

START_TEST(nvcc_stub_launches_the_kernel)
{
    module_register();
    ck_assert_int_eq(nvcc_stub(), cudaSuccess);
    calls();
    ck_assert_int_eq(nvcc_stub(), cudaSuccess);
    ck_assert_str_eq(calls(), "cuLaunchKernel k 1 1 1, 1 1 1, 0, stream 0\n");
}
END_TEST

/* CUDA_ERROR_NO_BINARY_FOR_GPU is 209 in both APIs; every launch says it, as on silicon
 * (cudart_nocode). */
START_TEST(machine_code_only_fails_each_launch_by_its_code)
{
    module_register();
    refuse("cuLibraryLoadData", 209);
    ck_assert_int_eq(nvcc_stub(), cudaErrorNoKernelImageForDevice);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
    ck_assert_int_eq(nvcc_stub(), cudaErrorNoKernelImageForDevice);
    ck_assert_int_eq(cudaLaunchKernel(&stub_m, one, one, NULL, 0, NULL),
                     cudaErrorNoKernelImageForDevice);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
}
END_TEST

/* The second load is for the compiler's log alone; it happens once however often the program
 * launches. */
START_TEST(ptx_that_the_driver_refuses_is_explained_once)
{
    module_register();
    refuse("cuLibraryLoadData", 218);
    ck_assert_int_eq(nvcc_stub(), cudaErrorInvalidPtx);
    ck_assert_ptr_nonnull(strstr(calls(), "cuLibraryLoadData first\ncuLibraryLoadData first\n"
                                          "cuLibraryUnload \n"));
    ck_assert_int_eq(nvcc_stub(), cudaErrorInvalidPtx);
    ck_assert_str_eq(calls(), "");
}
END_TEST

START_TEST(kernel_that_the_code_lacks_is_an_invalid_device_function)
{
    module_register();
    refuse("cuLibraryGetKernel", 500);
    ck_assert_int_eq(cudaLaunchKernel(&stub_k, one, one, NULL, 0, NULL),
                     cudaErrorInvalidDeviceFunction);
    ck_assert_int_eq(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL),
                     cudaErrorInvalidDeviceFunction);
}
END_TEST

START_TEST(call_configurations_nest_and_missing_ones_are_named)
{
    struct dim3 g = one, b = one;
    size_t shared = 0;
    cudaStream_t s = NULL;

    for (unsigned i = 1; i <= 100; i++) {
        g.x = i;
        ck_assert_uint_eq(__cudaPushCallConfiguration(g, b, i, (void *)(size_t)i), 0);
    }
    for (unsigned i = 100; i >= 1; i--) {
        ck_assert_int_eq(__cudaPopCallConfiguration(&g, &b, &shared, &s), cudaSuccess);
        ck_assert_uint_eq(g.x, i);
        ck_assert_uint_eq(shared, i);
        ck_assert_uint_eq((size_t)s, i);
    }
    ck_assert_int_eq(__cudaPopCallConfiguration(&g, &b, &shared, &s),
                     cudaErrorMissingConfiguration);
}
END_TEST

START_TEST(symbol_copies_stay_inside_the_variable)
{
    char h[32] = { 0 };

    module_register();
    ck_assert_int_eq(cudaMemcpyToSymbol(&variable, h, 4, 12, cudaMemcpyHostToDevice), cudaSuccess);
    ck_assert_ptr_nonnull(strstr(calls(), "cuMemcpyHtoD +12 4\n"));
    ck_assert_int_eq(cudaMemcpyToSymbol(&variable, h, 5, 12, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpyToSymbol(&variable, h, (size_t)-1, 2, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpyToSymbol(&variable, h, 4, 0, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidMemcpyDirection);
    ck_assert_int_eq(cudaMemcpyToSymbol(&stub_unknown, h, 4, 0, cudaMemcpyHostToDevice),
                     cudaErrorInvalidSymbol);
    ck_assert_ptr_null(strstr(calls(), "cuMemcpyHtoD"));
}
END_TEST

/* A variable has one address in each context. */
START_TEST(symbols_are_looked_up_in_the_current_context)
{
    void *p;

    module_register();
    ck_assert_int_eq(cudaGetSymbolAddress(&p, &variable), cudaSuccess);
    ck_assert_ptr_nonnull(strstr(calls(), "cuLibraryGetGlobal variable in context 0\n"));
    ck_assert_int_eq(cudaSetDevice(1), cudaSuccess);
    ck_assert_int_eq(cudaGetSymbolAddress(&p, &variable), cudaSuccess);
    ck_assert_ptr_nonnull(strstr(calls(), "cuLibraryGetGlobal variable in context 1\n"));
}
END_TEST

START_TEST(managed_variables_get_their_address_with_the_first_context)
{
    void **h = module_register();
    void *p = NULL;

    __cudaRegisterManagedVar(h, &managed_pointer, NULL, "managed", 0, 4, 0, 0);
    ck_assert_int_eq(__cudaInitModule(h), 1);
    ck_assert_ptr_nonnull(managed_pointer);
    ck_assert_int_eq(cudaGetSymbolAddress(&p, managed_pointer), cudaSuccess);
    ck_assert_ptr_eq(p, managed_pointer);
}
END_TEST

START_TEST(reset_gives_every_thread_a_new_context)
{
    void *p;

    ck_assert_int_eq(cudaMalloc(&p, 1), cudaSuccess);
    calls();
    ck_assert_int_eq(cudaDeviceReset(), cudaSuccess);
    ck_assert_str_eq(
        calls(), "cuDevicePrimaryCtxReset 0\ncuDevicePrimaryCtxRelease 0\ncuCtxSetCurrent -1\n");
    ck_assert_int_eq(cudaMalloc(&p, 2), cudaSuccess);
    ck_assert_str_eq(calls(), "cuDevicePrimaryCtxRetain 0\ncuCtxSetCurrent 0\ncuMemAlloc 2\n");
}
END_TEST

static void *reset_elsewhere(void *unused)
{
    (void)unused;
    cudaFree(NULL);
    cudaDeviceReset();
    return NULL;
}

START_TEST(reset_by_another_thread_is_noticed)
{
    pthread_t t;
    void *p;

    ck_assert_int_eq(cudaMalloc(&p, 1), cudaSuccess);
    pthread_create(&t, NULL, reset_elsewhere, NULL);
    pthread_join(t, NULL);
    calls();
    ck_assert_int_eq(cudaMalloc(&p, 2), cudaSuccess);
    ck_assert_str_eq(calls(), "cuDevicePrimaryCtxRetain 0\ncuCtxSetCurrent 0\ncuMemAlloc 2\n");
}
END_TEST

START_TEST(errors_are_kept_until_asked_for_and_not_ready_is_none)
{
    void *p;

    refuse("cuMemAlloc", 2);
    ck_assert_int_eq(cudaMalloc(&p, 1), cudaErrorMemoryAllocation);
    ck_assert_int_eq(cudaFree(NULL), cudaSuccess);
    ck_assert_int_eq(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorMemoryAllocation);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
    refuse("cuStreamQuery", 600);
    ck_assert_int_eq(cudaStreamQuery(NULL), cudaErrorNotReady);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}
END_TEST

static void *fail_elsewhere(void *unused)
{
    (void)unused;
    cudaMalloc(NULL, 1);
    return NULL;
}

START_TEST(errors_of_other_threads_are_theirs)
{
    pthread_t t;

    pthread_create(&t, NULL, fail_elsewhere, NULL);
    pthread_join(t, NULL);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}
END_TEST

static cudaError_t callback_status;

static void callback(cudaStream_t stream, cudaError_t status, void *user)
{
    callback_status = status;
    *(int *)user += (int)(size_t)stream;
}

START_TEST(stream_callback_gets_its_stream_status_and_argument)
{
    int sum = 1;

    ck_assert_int_eq(cudaStreamAddCallback((cudaStream_t)7, callback, &sum, 0), cudaSuccess);
    ck_assert_int_eq(sum, 8);
    ck_assert_int_eq(callback_status, cudaErrorLaunchFailure);
    refuse("cuStreamAddCallback", 1);
    ck_assert_int_eq(cudaStreamAddCallback(NULL, callback, &sum, 0), cudaErrorInvalidValue);
}
END_TEST

/* CU_STREAM_PER_THREAD is (CUstream)2. */
START_TEST(per_thread_variants_use_the_threads_own_stream)
{
    char h[4];

    module_register();
    ck_assert_int_eq(cudaLaunchKernel_ptsz(&stub_k, one, one, NULL, 0, NULL), cudaSuccess);
    ck_assert_ptr_nonnull(strstr(calls(), ", stream 2\n"));
    ck_assert_int_eq(cudaLaunchKernel_ptsz(&stub_k, one, one, NULL, 0, (cudaStream_t)1),
                     cudaSuccess);
    ck_assert_ptr_nonnull(strstr(calls(), ", stream 1\n"));
    ck_assert_int_eq(cudaMemcpy_ptds(h, (void *)0x1000, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_str_eq(calls(), "cuMemcpyDtoHAsync 1000 4, stream 2\ncuStreamSynchronize 2\n");
}
END_TEST

/* Whole slices lie one behind the other; parts of slices are filled one by one, ysize rows apart.
 */
START_TEST(fill_of_a_volume_touches_only_its_extent)
{
    struct cudaPitchedPtr p = { (void *)0x1000, 16, 16, 4 };
    struct cudaExtent whole = { 16, 4, 3 }, part = { 5, 2, 2 }, wide = { 17, 1, 1 },
                      high = { 1, 5, 1 }, huge = { 1, 4, (size_t)-1 }, none = { 0, 1, 1 };

    ck_assert_int_eq(cudaMemset3D(p, 7, none), cudaSuccess);
    calls();
    ck_assert_int_eq(cudaMemset3D(p, 7, whole), cudaSuccess);
    ck_assert_str_eq(calls(), "cuMemsetD2D8 1000 16 7 16 12\n");
    ck_assert_int_eq(cudaMemset3D(p, 7, part), cudaSuccess);
    ck_assert_str_eq(calls(), "cuMemsetD2D8 1000 16 7 5 2\ncuMemsetD2D8 1040 16 7 5 2\n");
    ck_assert_int_eq(cudaMemset3D(p, 7, wide), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemset3D(p, 7, high), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemset3D(p, 7, huge), cudaErrorInvalidValue);
    ck_assert_str_eq(calls(), "");
}
END_TEST

/* CU_MEMORYTYPE_HOST 1, DEVICE 2, UNIFIED 4. */
START_TEST(copy_direction_chooses_the_memory_types)
{
    static const char *const types[] = { "1 -> 1", "1 -> 2", "2 -> 1", "2 -> 2", "4 -> 4" };
    char a[64], b[64];

    for (int kind = cudaMemcpyHostToHost; kind <= cudaMemcpyDefault; kind++) {
        ck_assert_int_eq(cudaMemcpy2D(a, 8, b, 8, 4, 2, (enum cudaMemcpyKind)kind), cudaSuccess);
        ck_assert_ptr_nonnull(strstr(calls(), types[kind]));
    }
    ck_assert_int_eq(cudaMemcpy2D(a, 8, b, 8, 4, 2, (enum cudaMemcpyKind)5),
                     cudaErrorInvalidMemcpyDirection);
    ck_assert_int_eq(cudaMemcpy2D(a, 8, b, 8, 9, 2, cudaMemcpyHostToHost),
                     cudaErrorInvalidPitchValue);
}
END_TEST

START_TEST(what_is_not_there_says_not_supported)
{
    size_t free_bytes, total;
    const void *t;

    /* This driver has no cuMemGetInfo_v2; this runtime has no export tables. */
    ck_assert_int_eq(cudaMemGetInfo(&free_bytes, &total), cudaErrorNotSupported);
    ck_assert_int_eq(cudaGetExportTable(&t, NULL), cudaErrorNotSupported);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorNotSupported);
}
END_TEST

/* CUDA for Tegra 13.4, chapter 5: what vtegra does not have is refused, whatever the arguments. */
START_TEST(a_driver_without_egl_is_named)
{
    static const char *const entries[] = {
        "cudaEGLStreamProducerConnect",      "cudaEGLStreamProducerPresentFrame",
        "cudaEGLStreamProducerReturnFrame",  "cudaEGLStreamProducerDisconnect",
        "cudaEGLStreamConsumerConnect",      "cudaEGLStreamConsumerConnectWithFlags",
        "cudaEGLStreamConsumerAcquireFrame", "cudaEGLStreamConsumerReleaseFrame",
        "cudaEGLStreamConsumerDisconnect",   "cudaGraphicsEGLRegisterImage",
        "cudaEventCreateFromEGLSync",        "cudaGraphicsResourceGetMappedEglFrame",
    };
    static char zeros[256]; /* AAPCS64 passes a large structure by its address, too */
    cudaError_t (*entry)(void *a, void *b, void *c, void *d);

    *(void **)&entry = dlsym(RTLD_DEFAULT, entries[_i]);
    ck_assert_ptr_nonnull(entry);
    ck_assert_int_eq(entry(zeros, zeros, zeros, zeros), cudaErrorNotSupported);
}
END_TEST

START_TEST(unregistering_unloads_and_forgets)
{
    void **h = module_register();

    ck_assert_int_eq(cudaLaunchKernel(&stub_k, one, one, NULL, 0, NULL), cudaSuccess);
    calls();
    __cudaUnregisterFatBinary(h);
    ck_assert_str_eq(calls(), "cuLibraryUnload \n");
    ck_assert_int_eq(cudaGetSymbolAddress((void **)&h, &variable), cudaErrorInvalidSymbol);
    module_register();
    ck_assert_int_eq(cudaLaunchKernel(&stub_k, one, one, NULL, 0, NULL), cudaSuccess);
    ck_assert_ptr_nonnull(strstr(calls(), "cuLibraryLoadData first\n"));
}
END_TEST

START_TEST(thousand_kernels_are_all_found)
{
    static char stubs[1000];
    void **h = __cudaRegisterFatBinary(&binary);

    for (size_t i = 0; i < sizeof(stubs); i++) {
        __cudaRegisterFunction(h, &stubs[i], NULL, i % 2 ? "odd" : "even", -1, NULL, NULL, NULL,
                               NULL, NULL);
    }
    for (size_t i = 0; i < sizeof(stubs); i++) {
        ck_assert_int_eq(cudaLaunchKernel(&stubs[i], one, one, NULL, 0, NULL), cudaSuccess);
        ck_assert_ptr_nonnull(strstr(calls(), i % 2 ? "cuLaunchKernel o" : "cuLaunchKernel e"));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudart");
    TCase *t = tcase_create("runtime");
    SRunner *r = srunner_create(s);

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, registration_asks_the_driver_nothing);
    tcase_add_test(t, first_call_retains_the_primary_context_of_device_0_once);
    tcase_add_test(t, counting_devices_makes_no_context);
    tcase_add_test(t, set_device_changes_the_context_of_the_calling_thread);
    tcase_add_test(t, launch_loads_the_binary_unopened_once_and_each_kernel_once);
    tcase_add_test(t, nvcc_stub_launches_the_kernel);
    tcase_add_test(t, machine_code_only_fails_each_launch_by_its_code);
    tcase_add_test(t, ptx_that_the_driver_refuses_is_explained_once);
    tcase_add_test(t, kernel_that_the_code_lacks_is_an_invalid_device_function);
    tcase_add_test(t, call_configurations_nest_and_missing_ones_are_named);
    tcase_add_test(t, symbol_copies_stay_inside_the_variable);
    tcase_add_test(t, symbols_are_looked_up_in_the_current_context);
    tcase_add_test(t, managed_variables_get_their_address_with_the_first_context);
    tcase_add_test(t, reset_gives_every_thread_a_new_context);
    tcase_add_test(t, reset_by_another_thread_is_noticed);
    tcase_add_test(t, errors_are_kept_until_asked_for_and_not_ready_is_none);
    tcase_add_test(t, errors_of_other_threads_are_theirs);
    tcase_add_test(t, stream_callback_gets_its_stream_status_and_argument);
    tcase_add_test(t, per_thread_variants_use_the_threads_own_stream);
    tcase_add_test(t, fill_of_a_volume_touches_only_its_extent);
    tcase_add_test(t, copy_direction_chooses_the_memory_types);
    tcase_add_test(t, what_is_not_there_says_not_supported);
    tcase_add_loop_test(t, a_driver_without_egl_is_named, 0, 12);
    tcase_add_test(t, unregistering_unloads_and_forgets);
    tcase_add_test(t, thousand_kernels_are_all_found);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
