/* SPDX-License-Identifier: MIT */
/* A program that believes what CUDA answers: 0 if all went well and every result is right, 3 if the device was lost (one
 * error, from every call since), 1 for anything else. */
#include <cstdio>
#include <cstdlib>

#define N 5000

static bool lost;

static void fail(const char *what, cudaError_t err)
{
    printf("%s: %s%s\n", what, cudaGetErrorName(err), lost ? " after the device was lost" : "");
    exit(1);
}

static bool went(const char *what, cudaError_t err)
{
    if (err != (lost ? cudaErrorDevicesUnavailable : cudaSuccess)) {
        if (lost || err != cudaErrorDevicesUnavailable) {
            fail(what, err);
        }
        printf("lost in %s\n", what);
        lost = true;
    }
    return !lost;
}
#define WENT(call) went(#call, call)

__global__ void twice(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        p[i] *= 2;
    }
}

static void expect(const char *what, const volatile int *p, int factor)
{
    for (int i = 0; i < N; i++) {
        if (p[i] != i * factor) {
            printf("%s[%d] = %d, not %d, and no call has failed\n", what, i, p[i], i * factor);
            exit(1);
        }
    }
}

static bool launch(int *p, cudaStream_t s)
{
    twice<<<(N + 255) / 256, 256, 0, s>>>(p);
    return WENT(cudaGetLastError());
}

static int from[N], to[N];

static void work(void)
{
    int *device = nullptr, *managed = nullptr, *pinned = nullptr;
    cudaStream_t s = nullptr;
    cudaEvent_t e = nullptr;

    WENT(cudaMalloc(&device, sizeof(from)));
    WENT(cudaMallocManaged(&managed, sizeof(from)));
    WENT(cudaMallocHost(&pinned, sizeof(from)));
    WENT(cudaStreamCreate(&s));
    WENT(cudaEventCreate(&e));
    for (int i = 0; i < N; i++) {
        from[i] = i;
        if (!lost) {
            managed[i] = i;
        }
    }
    WENT(cudaMemcpy(device, from, sizeof(from), cudaMemcpyHostToDevice));
    launch(device, nullptr);
    if (WENT(cudaMemcpy(to, device, sizeof(to), cudaMemcpyDeviceToHost))) {
        expect("device", to, 2);
    }
    launch(managed, nullptr);
    if (WENT(cudaDeviceSynchronize())) {
        expect("managed", managed, 2);
    }
    launch(device, s);
    WENT(cudaMemcpyAsync(pinned, device, sizeof(from), cudaMemcpyDeviceToHost, s));
    WENT(cudaEventRecord(e, s));
    if (WENT(cudaEventSynchronize(e))) {
        expect("pinned", pinned, 4);
    }
    if (WENT(cudaMemcpy(managed, device, sizeof(from), cudaMemcpyDefault)) && WENT(cudaDeviceSynchronize())) {
        expect("copy", managed, 4);
    }
    WENT(cudaStreamDestroy(s));
    WENT(cudaFree(device));
}

int main()
{
    work();
    if (lost) { /* and so it stays */
        work();
    }
    printf("%s\n", lost ? "lost" : "right");
    return lost ? 3 : 0;
}
