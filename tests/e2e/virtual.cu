/* SPDX-License-Identifier: MIT */
/* virtual grow|alias|early|readonly|unmapped: virtual memory management as programs use it */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

#define OK(call)                                                                       \
    do {                                                                               \
        CUresult e_ = (call);                                                          \
        const char *name_ = "?";                                                       \
        if (e_ != CUDA_SUCCESS) {                                                      \
            cuGetErrorName(e_, &name_);                                                \
            printf("%s: %s\n", #call, name_);                                          \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

static CUmemAllocationProp prop;
static size_t g;

__global__ void count(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        v[i] = i; // MARK store
    }
}

__global__ void add(int *v, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        v[i] += by;
    }
}

static void access_set(CUdeviceptr p, size_t size, CUmemAccess_flags flags)
{
    CUmemAccessDesc desc = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, flags };

    OK(cuMemSetAccess(p, size, &desc, 1));
}

static CUmemGenericAllocationHandle chunk(CUdeviceptr p)
{
    CUmemGenericAllocationHandle h;

    OK(cuMemCreate(&h, g, &prop, 0));
    OK(cuMemMap(p, g, 0, h, 0));
    return h;
}

/* A vector that grows without being copied: kernels and copies cross the joints. */
static int grow(void)
{
    int n = (int)(3 * g / sizeof(int)), bad = 0;
    int *host = (int *)malloc(3 * g);
    CUdeviceptr p, q;

    OK(cuMemAddressReserve(&p, 8 * g, 0, 0, 0));
    int supported = 0; // programs ask before they reserve
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    if (!supported) {
        return 4;
    }
    for (int i = 0; i < 3; i++) {
        OK(cuMemRelease(chunk(p + i * g)));
        access_set(p + i * g, g, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    }
    count<<<(n + 255) / 256, 256>>>((int *)p, n);
    OK(cuMemAlloc(&q, 3 * g));
    OK(cuMemcpyDtoD(q, p, 3 * g));
    OK(cuMemcpyDtoH(host, q, 3 * g));
    for (int i = 0; i < n; i++) {
        bad += host[i] != i;
    }
    printf("%d wrong\n", bad);
    OK(cuMemUnmap(p, 3 * g));
    OK(cuMemAddressFree(p, 8 * g));
    OK(cuMemFree(q));
    free(host);
    return bad != 0;
}

/* One memory at two addresses, the second through a descriptor. */
static int alias(void)
{
    CUmemGenericAllocationHandle h, k;
    CUdeviceptr p;
    int fd, v[4];

    OK(cuMemAddressReserve(&p, 2 * g, 0, 0, 0));
    h = chunk(p);
    OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(cuMemImportFromShareableHandle(&k, (void *)(size_t)fd,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    OK(cuMemMap(p + g, g, 0, k, 0));
    access_set(p, 2 * g, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    count<<<1, 32>>>((int *)p, 32);
    add<<<1, 32>>>((int *)(p + g), 32, 100);
    OK(cuMemcpyDtoH(v, p, sizeof(v)));
    printf("alias %d %d\n", v[0], v[3]);
    return v[3] != 103;
}

static int launched(CUdeviceptr p)
{
    count<<<1, 32>>>((int *)p, 32);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;

    cudaFree(nullptr);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    if (strcmp(what, "grow") == 0) {
        return grow();
    }
    if (strcmp(what, "alias") == 0) {
        return alias();
    }
    OK(cuMemAddressReserve(&p, g, 0, 0, 0));
    h = chunk(p);
    if (strcmp(what, "early") == 0) { // mapped, and no access yet
        return launched(p);
    }
    access_set(p, g, CU_MEM_ACCESS_FLAGS_PROT_READ);
    if (strcmp(what, "readonly") == 0) {
        return launched(p);
    }
    access_set(p, g, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    count<<<1, 32>>>((int *)p, 32);
    OK(cuMemUnmap(p, g));
    OK(cuMemRelease(h));
    return launched(p);
}
