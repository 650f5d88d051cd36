/* SPDX-License-Identifier: MIT */
/* Batches of copies, prefetches and discards: CUDA Driver API 13.0. Exit status 0 if all is as
 * documented. */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVES(code, call)                                                         \
    do {                                                                          \
        int is_ = (int)(call);                                                    \
        if (is_ != (int)(code)) {                                                 \
            fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, is_); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
#define OK(call) GIVES(CUDA_SUCCESS, call)
#define BAD(call) GIVES(CUDA_ERROR_INVALID_VALUE, call)

#define N 64

static CUstream s;
static CUdeviceptr d;
static unsigned char host[N], back[N];

/* The first form, which names the copy that failed. */
typedef CUresult (*copies_v1)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
                              size_t *, size_t, size_t *, CUstream);

static void linear(void)
{
    CUdeviceptr to[4] = { d, d + 16, d + 32, d + 48 }, from[4];
    size_t bytes[4] = { 16, 16, 16, 16 }, first[3] = { 0, 2, 3 }, fail = 7;
    CUmemcpyAttributes how[3] = { { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM },
                                  { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
                                    .flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE },
                                  { .srcAccessOrder =
                                        CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL } };
    unsigned char *pinned, ephemeral[16];
    copies_v1 v1;

    OK(cuMemAllocHost((void **)&pinned, N));
    OK(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&v1, 12080, 0, NULL));
    for (unsigned i = 0; i < N; i++) {
        host[i] = (unsigned char)(i * 7 + 1);
    }
    memcpy(pinned, host, N);
    memcpy(ephemeral, host + 32, 16);
    from[0] = (CUdeviceptr)(uintptr_t)host;
    from[1] = (CUdeviceptr)(uintptr_t)(pinned + 16);
    from[2] = (CUdeviceptr)(uintptr_t)ephemeral;
    from[3] = (CUdeviceptr)(uintptr_t)(pinned + 48);
    OK(cuMemcpyBatchAsync(to, from, bytes, 4, how, first, 3, s));
    memset(pinned + 48, 0, 16); /* DURING_API_CALL: was read; pinned + 16 was perhaps not */
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, d, N));
    GIVES(0, memcmp(back, host, N));

    BAD(cuMemcpyBatchAsync(NULL, from, bytes, 4, how, first, 3, s));
    BAD(cuMemcpyBatchAsync(to, NULL, bytes, 4, how, first, 3, s));
    BAD(cuMemcpyBatchAsync(to, from, NULL, 4, how, first, 3, s));
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, NULL, first, 3, s));
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, how, NULL, 3, s));
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, how, first, 0, s));
    BAD(cuMemcpyBatchAsync(to, from, bytes, 2, how, first, 3, s)); /* more than copies */
    BAD(cuMemcpyBatchAsync(to, from, bytes, 3, how, first, 3, s)); /* entry 2 is of no copy */
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, how, first, 3, NULL));
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, how, first, 3, CU_STREAM_LEGACY));
    first[1] = 0;
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, how, first, 3, s));
    first[1] = 2;
    first[0] = 1;
    BAD(cuMemcpyBatchAsync(to, from, bytes, 4, how, first, 3, s));
    first[0] = 0;
    BAD(v1(to, from, bytes, 4, how, first, 0, &fail, s));
    GIVES(1, fail == SIZE_MAX);
    how[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    BAD(v1(to, from, bytes, 4, how, first, 3, &fail, s));
    GIVES(2, fail);
    how[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    from[3] = 0;
    BAD(v1(to, from, bytes, 4, how, first, 3, &fail, s));
    GIVES(3, fail);
    OK(cuStreamSynchronize(s));
    OK(cuMemFreeHost(pinned));
}

static CUmemcpy3DOperand memory(const void *p, size_t row, size_t layer)
{
    return (CUmemcpy3DOperand){ .type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                                .op.ptr = { (CUdeviceptr)(uintptr_t)p, row, layer, { 0 } } };
}

/* 2 x 2 elements of 4 bytes at (1, 1) of an array of 4 x 4, and back into the middle of memory. */
static void volumes(void)
{
    CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = 4, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1
    };
    unsigned in[2][4] = { { 1, 2, 90, 91 }, { 3, 4, 92, 93 } }, out[4][4] = { { 0 } };
    CUDA_MEMCPY3D_BATCH_OP op[2] = { { .src = memory(in, 4, 0),
                                       .extent = { 2, 2, 1 },
                                       .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM } };
    CUarray a;

    OK(cuArrayCreate(&a, &shape));
    op[0].dst =
        (CUmemcpy3DOperand){ .type = CU_MEMCPY_OPERAND_TYPE_ARRAY, .op.array = { a, { 1, 1, 0 } } };
    OK(cuMemcpy3DBatchAsync(1, op, 0, s));
    op[1] = op[0];
    op[1].src = op[0].dst;
    op[1].dst = memory(&out[1][1], 4, 4);
    OK(cuMemcpy3DBatchAsync(1, &op[1], 0, s));
    OK(cuStreamSynchronize(s));
    for (unsigned y = 0; y < 4; y++) {
        for (unsigned x = 0; x < 4; x++) {
            bool inside = x >= 1 && x <= 2 && y >= 1 && y <= 2;

            GIVES(inside ? in[y - 1][x - 1] : 0, out[y][x]);
        }
    }

    BAD(cuMemcpy3DBatchAsync(0, op, 0, s));
    BAD(cuMemcpy3DBatchAsync(1, NULL, 0, s));
    BAD(cuMemcpy3DBatchAsync(1, op, 1, s));
    BAD(cuMemcpy3DBatchAsync(1, op, 0, NULL));
    op[0].extent.depth = 0;
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s));
    op[0].extent.depth = 1;
    op[0].src.op.ptr.rowLength = 1; /* shorter than the copy */
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s));
    op[0].src.op.ptr.rowLength = 4;
    op[0].dst.op.array.offset.x = 3; /* leaves the array */
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s));
    op[0].dst.op.array.offset.x = SIZE_MAX / 2;
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s));
    op[0].dst.op.array.offset.x = 1;
    op[0].srcAccessOrder = (CUmemcpySrcAccessOrder)4;
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s));
    op[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    op[0].src.type = (CUmemcpy3DOperandType)0;
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s));
    OK(cuArrayDestroy(a));
    op[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    BAD(cuMemcpy3DBatchAsync(1, op, 0, s)); /* the array is gone */
}

/* They need concurrent managed access. */
static void ranges(void)
{
    CUmemLocation place = { .type = CU_MEM_LOCATION_TYPE_HOST };
    CUdeviceptr m;
    size_t bytes = 4096, first = 0;
    int concurrent;
    CUresult code;

    OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
    code = concurrent ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    OK(cuMemAllocManaged(&m, bytes, CU_MEM_ATTACH_GLOBAL));
    GIVES(code, cuMemDiscardBatchAsync(&m, &bytes, 1, 0, s));
    GIVES(code, cuMemPrefetchBatchAsync(&m, &bytes, 1, &place, &first, 1, 0, s));
    GIVES(code, cuMemDiscardAndPrefetchBatchAsync(&m, &bytes, 1, &place, &first, 1, 0, s));
    BAD(cuMemDiscardBatchAsync(&m, &bytes, 1, 1, s));
    BAD(cuMemDiscardBatchAsync(&m, &bytes, 0, 0, s));
    BAD(cuMemDiscardBatchAsync(&m, &bytes, 1, 0, NULL));
    BAD(cuMemDiscardBatchAsync(NULL, &bytes, 1, 0, s));
    BAD(cuMemDiscardBatchAsync(&m, NULL, 1, 0, s));
    BAD(cuMemPrefetchBatchAsync(&m, &bytes, 1, NULL, &first, 1, 0, s));
    BAD(cuMemPrefetchBatchAsync(&m, &bytes, 1, &place, &first, 2, 0, s));
    BAD(cuMemDiscardBatchAsync(&d, &bytes, 1, 0, s)); /* no managed memory */
    OK(cuMemFree(m));
}

int main(void)
{
    CUcontext context;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&d, N));
    linear();
    volumes();
    ranges();
    OK(cuMemFree(d));
    OK(cuStreamDestroy(s));
    OK(cuDevicePrimaryCtxRelease(0));
    return 0;
}
