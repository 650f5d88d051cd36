/* SPDX-License-Identifier: MIT */
/* Vector addition through the driver API: `cuda_vadd [IMAGE...]`. Without arguments the kernel is
 * PTX text in this file; an IMAGE is a file with a kernel `vadd` and a constant `scale`; several
 * are linked first. Works in every kind of memory, by module and by library; prints one line a way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#define N 100000u /* not a multiple of the block */
#define BLOCK 256u

static const char ptx[] = ".version 7.0\n"
                          ".target sm_53\n"
                          ".address_size 64\n"
                          ".visible .const .align 4 .f32 scale = 0f3F800000;\n"
                          ".visible .entry vadd(.param .u64 a, .param .u64 b, .param .u64 c,\n"
                          "    .param .u32 n)\n"
                          "{\n"
                          "    .reg .pred %p<2>;\n"
                          "    .reg .b32 %r<6>;\n"
                          "    .reg .f32 %f<6>;\n"
                          "    .reg .b64 %d<8>;\n"
                          "    mov.u32 %r1, %ctaid.x;\n"
                          "    mov.u32 %r2, %ntid.x;\n"
                          "    mov.u32 %r3, %tid.x;\n"
                          "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                          "    ld.param.u32 %r5, [n];\n"
                          "    setp.ge.u32 %p1, %r4, %r5;\n"
                          "    @%p1 bra done;\n"
                          "    mul.wide.u32 %d1, %r4, 4;\n"
                          "    ld.param.u64 %d2, [a];\n"
                          "    ld.param.u64 %d3, [b];\n"
                          "    ld.param.u64 %d4, [c];\n"
                          "    cvta.to.global.u64 %d2, %d2;\n"
                          "    cvta.to.global.u64 %d3, %d3;\n"
                          "    cvta.to.global.u64 %d4, %d4;\n"
                          "    add.u64 %d5, %d2, %d1;\n"
                          "    add.u64 %d6, %d3, %d1;\n"
                          "    add.u64 %d7, %d4, %d1;\n"
                          "    ld.global.f32 %f1, [%d5];\n"
                          "    ld.global.f32 %f2, [%d6];\n"
                          "    ld.const.f32 %f3, [scale];\n"
                          "    add.f32 %f4, %f1, %f2;\n"
                          "    mul.f32 %f5, %f4, %f3;\n"
                          "    st.global.f32 [%d7], %f5;\n"
                          "done:\n"
                          "    ret;\n"
                          "}\n";

static void check(CUresult code, const char *call, int line)
{
    const char *name = "?", *text = "?";

    if (code != CUDA_SUCCESS) {
        cuGetErrorName(code, &name);
        cuGetErrorString(code, &text);
        fprintf(stderr, "line %d: %s: %s (%s)\n", line, call, name, text);
        exit(1);
    }
}
#define CHECK(call) check(call, #call, __LINE__)

static void vectors_fill(float *a, float *b)
{
    for (unsigned i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i + 1);
    }
}

static void vector_verify(const float *c, float scale, const char *way)
{
    for (unsigned i = 0; i < N; i++) {
        float expected = scale * (float)(3 * i + 1); /* all exact in float */
        if (c[i] != expected) {
            fprintf(stderr, "%s: c[%u] is %g, expected %g\n", way, i, c[i], expected);
            exit(1);
        }
    }
    printf("%s: ok\n", way);
}

static void launch(CUfunction f, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, CUstream stream)
{
    unsigned n = N;
    void *params[] = { &a, &b, &c, &n };

    CHECK(cuLaunchKernel(f, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream, params, NULL));
}

static void device_memory(CUfunction f, float scale)
{
    const size_t bytes = N * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = calloc(N, sizeof(float));
    CUdeviceptr da, db, dc;

    vectors_fill(a, b);
    CHECK(cuMemAlloc(&da, bytes));
    CHECK(cuMemAlloc(&db, bytes));
    CHECK(cuMemAlloc(&dc, bytes));
    CHECK(cuMemcpyHtoD(da, a, bytes));
    CHECK(cuMemcpyHtoD(db, b, bytes));
    CHECK(cuMemsetD8(dc, 0xff, bytes));
    launch(f, da, db, dc, NULL);
    CHECK(cuMemcpyDtoH(c, dc, bytes));
    vector_verify(c, scale, "device memory");
    CHECK(cuMemFree(da));
    CHECK(cuMemFree(db));
    CHECK(cuMemFree(dc));
    free(a);
    free(b);
    free(c);
}

static void pinned_memory(CUfunction f, float scale)
{
    const size_t bytes = N * sizeof(float);
    void *a, *b, *c;
    CUdeviceptr da, db, dc;

    CHECK(cuMemHostAlloc(&a, bytes, CU_MEMHOSTALLOC_DEVICEMAP));
    CHECK(cuMemHostAlloc(&b, bytes, 0));
    CHECK(cuMemAllocHost(&c, bytes));
    vectors_fill(a, b);
    CHECK(cuMemHostGetDevicePointer(&da, a, 0));
    CHECK(cuMemHostGetDevicePointer(&db, b, 0));
    CHECK(cuMemHostGetDevicePointer(&dc, c, 0));
    launch(f, da, db, dc, NULL);
    CHECK(cuCtxSynchronize());
    vector_verify(c, scale, "pinned memory");
    CHECK(cuMemFreeHost(a));
    CHECK(cuMemFreeHost(b));
    CHECK(cuMemFreeHost(c));
}

static void managed_memory(CUfunction f, float scale)
{
    const size_t bytes = N * sizeof(float);
    CUdeviceptr a, b, c;
    CUstream stream;

    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuMemAllocManaged(&a, bytes, CU_MEM_ATTACH_HOST));
    CHECK(cuMemAllocManaged(&b, bytes, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuMemAllocManaged(&c, bytes, CU_MEM_ATTACH_GLOBAL));
    vectors_fill((float *)(uintptr_t)a, (float *)(uintptr_t)b);
    CHECK(cuStreamAttachMemAsync(stream, a, 0, CU_MEM_ATTACH_SINGLE));
    launch(f, a, b, c, stream);
    CHECK(cuStreamAttachMemAsync(stream, c, 0, CU_MEM_ATTACH_HOST));
    CHECK(cuStreamSynchronize(stream));
    vector_verify((float *)(uintptr_t)c, scale, "managed memory");
    CHECK(cuMemFree(a));
    CHECK(cuMemFree(b));
    CHECK(cuMemFree(c));
    CHECK(cuStreamDestroy(stream));
}

static void streams_and_events(CUfunction f, float scale)
{
    const size_t bytes = N * sizeof(float);
    CUdeviceptr da, db, dc;
    CUevent start, copied, stop;
    CUstream copy, work;
    void *a, *b, *c;
    float ms = -1;
    int pools = 0;

    CHECK(cuStreamCreate(&copy, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamCreate(&work, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&copied, CU_EVENT_DISABLE_TIMING));
    CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    CHECK(cuMemAllocHost(&a, bytes));
    CHECK(cuMemAllocHost(&b, bytes));
    CHECK(cuMemAllocHost(&c, bytes));
    CHECK(cuDeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
    CHECK(pools ? cuMemAllocAsync(&da, bytes, copy) : cuMemAlloc(&da, bytes));
    CHECK(pools ? cuMemAllocAsync(&db, bytes, copy) : cuMemAlloc(&db, bytes));
    CHECK(cuMemAlloc(&dc, bytes));
    vectors_fill(a, b);
    CHECK(cuEventRecord(start, copy));
    CHECK(cuMemcpyHtoDAsync(da, a, bytes, copy));
    CHECK(cuMemcpyHtoDAsync(db, b, bytes, copy));
    CHECK(cuEventRecord(copied, copy));
    CHECK(cuStreamWaitEvent(work, copied, 0));
    launch(f, da, db, dc, work);
    CHECK(cuMemcpyDtoHAsync(c, dc, bytes, work));
    CHECK(cuEventRecord(stop, work));
    CHECK(cuEventSynchronize(stop));
    vector_verify(c, scale, "streams and events");
    CHECK(cuEventElapsedTime(&ms, start, stop));
    if (!(ms > 0)) {
        fprintf(stderr, "copies and a kernel took %g ms\n", ms);
        exit(1);
    }
    CHECK(pools ? cuMemFreeAsync(da, work) : cuMemFree(da));
    CHECK(pools ? cuMemFreeAsync(db, work) : cuMemFree(db));
    CHECK(cuStreamSynchronize(work));
    CHECK(cuMemFree(dc));
    CHECK(cuMemFreeHost(a));
    CHECK(cuMemFreeHost(b));
    CHECK(cuMemFreeHost(c));
    CHECK(cuEventDestroy(start));
    CHECK(cuEventDestroy(copied));
    CHECK(cuEventDestroy(stop));
    CHECK(cuStreamDestroy(copy));
    CHECK(cuStreamDestroy(work));
}

static void all_ways(CUfunction f, float scale)
{
    device_memory(f, scale);
    pinned_memory(f, scale);
    managed_memory(f, scale);
    streams_and_events(f, scale);
}

/* Images live as long as the program; here leak checkers find them. */
static char *volatile images[16];

static char *file_read(const char *path, size_t *size)
{
    static unsigned n;
    FILE *file = fopen(path, "rb");
    char *data = n < 16 ? malloc(1 << 20) : NULL;

    images[n++ % 16] = data;
    if (!file || !data) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    *size = fread(data, 1, (1 << 20) - 1, file);
    data[*size] = 0;
    fclose(file);
    return data;
}

/* What a program built with -rdc=true hands over: an empty container where nvcc linked no machine
 * code, and a list of those of its objects. */
static const void *wrapper_make(int n, char **paths)
{
    static const uint32_t nothing[] = { 0xBA55ED50, 16u << 16 | 1, 0, 0 };
    static const void *list[8];
    static struct {
        uint32_t magic, version;
        const void *data, *list;
    } wrapper = { 0x466243B1, 2, nothing, list };
    size_t size;

    for (int i = 0; i < n && i < 7; i++) {
        list[i] = file_read(paths[i], &size);
    }
    return &wrapper;
}

/* The image to load: the only file, or what the linker makes of several. */
static const void *image_get(int argc, char **argv)
{
    static CUlinkState state;
    void *linked = NULL;
    size_t size;

    if (argc == 1) {
        return ptx;
    }
    if (strcmp(argv[1], "-rdc") == 0) {
        return wrapper_make(argc - 2, argv + 2);
    }
    if (argc == 2) {
        return file_read(argv[1], &size);
    }
    CHECK(cuLinkCreate(0, NULL, NULL, &state));
    for (int i = 1; i < argc; i++) {
        char *data = file_read(argv[i], &size);
        CHECK(cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, data, size, argv[i], 0, NULL, NULL));
    }
    CHECK(cuLinkComplete(state, &linked, &size));
    return linked; /* the state owns it, and lives as long as the program */
}

int main(int argc, char **argv)
{
    const float three = 3;
    CUdeviceptr scale;
    CUcontext context;
    CUlibrary library;
    CUfunction f;
    CUkernel kernel;
    CUmodule module;
    size_t size;

    CHECK(cuInit(0));
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    const void *image = image_get(argc, argv);

    printf("module\n");
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuModuleGetFunction(&f, module, "vadd"));
    all_ways(f, 1);
    CHECK(cuModuleUnload(module));

    printf("library, scaled\n");
    CHECK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "vadd"));
    CHECK(cuLibraryGetGlobal(&scale, &size, library, "scale"));
    if (size != sizeof(three)) {
        fprintf(stderr, "scale has %zu bytes\n", size);
        return 1;
    }
    CHECK(cuMemcpyHtoD(scale, &three, sizeof(three)));
    all_ways((CUfunction)kernel, 3);
    CHECK(cuLibraryUnload(library));

    CHECK(cuDevicePrimaryCtxRelease(0));
    return 0;
}
