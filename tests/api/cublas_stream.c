/* SPDX-License-Identifier: MIT */
/* A program on the public headers alone: cuBLAS' calls as work of a stream: captured, faulting,
 * from a thread without a context, in both pointer modes. Prints a line a failure; exit 1 if there
 * was one. */
#include <cublas_v2.h>
#include <cuda.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000 };

static int failed;
static cublasHandle_t h;
static float *x, *y;

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)

static void *device(size_t bytes)
{
    CUdeviceptr p = 0;

    CHECK(cuMemAlloc(&p, bytes) == CUDA_SUCCESS);
    return (void *)(uintptr_t)p;
}

static void fill(float *to, float value)
{
    float host[N];

    for (int i = 0; i < N; i++) {
        host[i] = value;
    }
    CHECK(cublasSetVector(N, 4, host, 1, to, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(
        cuCtxSynchronize() ==
        CUDA_SUCCESS); /* a small copy may be under way yet, and the stream does not wait for it */
}

static float first(const float *from)
{
    float v = -1;

    CHECK(cublasGetVector(1, 4, from, 1, &v, 1) == CUBLAS_STATUS_SUCCESS);
    return v;
}

/* Each call is a kernel node; a graph repeats it. */
static void captured(CUstream s)
{
    const float two = 2;
    CUgraph g = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode nodes[4];
    CUgraphNodeType type;
    size_t n = 4;

    fill(x, 1);
    fill(y, 0);
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(cublasSaxpy(h, N, &two, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSscal(h, N, &two, y, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cuStreamEndCapture(s, &g) == CUDA_SUCCESS);
    CHECK(cuGraphGetNodes(g, nodes, &n) == CUDA_SUCCESS && n == 2);
    CHECK(cuGraphNodeGetType(nodes[0], &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_KERNEL);
    CHECK(first(y) == 0);
    CHECK(cuGraphInstantiate(&exec, g, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 3; i++) {
        CHECK(cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    }
    CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS && first(y) == 28); /* y = 2 (y + 2): 4, 12, 28 */
}

/* A long product puts its parts there, another none; a new stream takes the workspace away. */
static void workspace_used(CUstream s)
{
    static const float seven = 7, one = 1, zero = 0;
    float *w = device(N * sizeof(float));

    fill(x, 1);
    fill(w, seven);
    CHECK(cublasSetWorkspace(h, w, N * sizeof(float)) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, x, 8, x, 8, &zero, y, 8) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS && first(y) == 8 && first(w) == seven);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 16, &one, x, 2, x, 16, &zero, y, 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS && first(y) == 16 && first(w) != seven);
    CHECK(first(w + 4) == seven); /* no more than the result has */
    CHECK(cublasSetWorkspace(h, w, N * sizeof(float)) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetStream(h, s) == CUBLAS_STATUS_SUCCESS);
    fill(w, seven);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 16, &one, x, 2, x, 16, &zero, y, 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS && first(w) == seven);
}

/* Recorded for cuBLAS 13: a result on the host needs a wait, which a capture refuses. */
static void result_in_capture(CUstream s)
{
    CUgraph g = NULL;
    float sum = -1;

    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(cublasSdot(h, N, x, 1, y, 1, &sum) == CUBLAS_STATUS_INTERNAL_ERROR);
    CHECK(cuStreamEndCapture(s, &g) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

static void *thread(void *opaque)
{
    const float three = 3;
    CUcontext none = NULL;

    (void)opaque;
    CHECK(cuCtxGetCurrent(&none) == CUDA_SUCCESS && none == NULL);
    CHECK(cublasSscal(h, N, &three, x, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cuCtxGetCurrent(&none) == CUDA_SUCCESS && none == NULL);
    return NULL;
}

/* The board's answer, once the stream is waited for. */
static void out_of_bounds(CUstream s)
{
    const float one = 1;

    CHECK(cublasSscal(h, 1 << 24, &one, x, 1) == CUBLAS_STATUS_SUCCESS);
    CHECK(cuStreamSynchronize(s) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(cublasSscal(h, N, &one, x, 1) == CUBLAS_STATUS_EXECUTION_FAILED);
}

int main(void)
{
    CUdevice d = 0;
    CUcontext context;
    CUstream s = NULL;
    pthread_t t;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, d) == CUDA_SUCCESS &&
          cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cublasCreate(&h) == CUBLAS_STATUS_SUCCESS);
    CHECK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(cublasSetStream(h, s) == CUBLAS_STATUS_SUCCESS);
    x = device(N * sizeof(float));
    y = device(N * sizeof(float));
    captured(s);
    workspace_used(s);
    result_in_capture(s);
    fill(x, 1);
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0 && pthread_join(t, NULL) == 0);
    CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS && first(x) == 3);
    out_of_bounds(s);
    printf(failed ? "failed\n" : "ok\n");
    return failed;
}
