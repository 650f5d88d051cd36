/* SPDX-License-Identifier: MIT */
/* How far beside an allocation a kernel or a call of the host reaches before a GPU refuses: rows
 * "kind.operation.place code". Each row is a process of its own, since error 700 stays.
 * Places: from the end of what was asked for (e).
 *
 *   nvcc -arch=sm_90 -cudart static oob_codes.cu -o oob_codes -lcuda && ./oob_codes [KIND...] */
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK (2ull << 20)

__device__ unsigned symbol[64];

__global__ void touch(unsigned *p, int op, unsigned *out)
{
    switch (op) {
    case 0:
        *out = *(volatile unsigned *)p;
        break;
    case 1:
        *(volatile unsigned *)p = 7;
        break;
    case 2:
        *out = atomicAdd(p, 1);
        break;
    }
}

__global__ void fetch(cudaTextureObject_t t, int at, unsigned *out)
{
    *out = tex1Dfetch<unsigned>(t, at);
}

/* The allocation's address; *size: bytes that the program asked for. */
static char *make(const char *kind, uint64_t *size)
{
    void *p = NULL, *q = NULL;
    size_t pitch;

    *size = 256;
    if (!strcmp(kind, "malloc256")) {
        cudaMalloc(&p, 256);
    } else if (!strcmp(kind, "malloc1M")) {
        cudaMalloc(&p, *size = 1 << 20);
    } else if (!strcmp(kind, "malloc3M")) {
        cudaMalloc(&p, *size = 3 << 20);
    } else if (!strcmp(kind, "malloc2M256")) {
        cudaMalloc(&p, *size = BLOCK + 256);
    } else if (!strcmp(kind, "second")) {
        cudaMalloc(&q, 256);
        cudaMalloc(&p, 256);
    } else if (!strcmp(kind, "pitch")) {
        cudaMallocPitch(&p, &pitch, 100, 1);
        *size = 100;
    } else if (!strcmp(kind, "host")) {
        cudaMallocHost(&p, 256);
    } else if (!strcmp(kind, "managed")) {
        cudaMallocManaged(&p, 256);
    } else if (!strcmp(kind, "async")) {
        cudaMallocAsync(&p, 256, 0);
        cudaDeviceSynchronize();
    } else if (!strcmp(kind, "symbol")) {
        cudaGetSymbolAddress(&p, symbol);
    } else if (!strcmp(kind, "registered")) {
        p = aligned_alloc(4096, 1 << 20);
        p = (char *)p + 4096 * 3;
        cudaHostRegister(p, 256, 0);
    } else if (!strcmp(kind, "freed")) { /* with a neighbour that lives */
        cudaMalloc(&p, 256);
        cudaMalloc(&q, 256);
        cudaFree(p);
    } else if (!strcmp(kind, "freedlast")) {
        cudaMalloc(&p, 256);
        cudaFree(p);
    } else if (!strcmp(kind, "freed4M")) {
        cudaMalloc(&p, 4 << 20);
        cudaFree(p);
    } else if (!strcmp(kind, "freedasync")) {
        cudaMallocAsync(&p, 256, 0);
        cudaFreeAsync(p, 0);
        cudaDeviceSynchronize();
    } else if (!strcmp(kind, "freedhost")) {
        cudaMallocHost(&p, 256);
        cudaFreeHost(p);
    } else if (!strcmp(kind, "freedmanaged")) {
        cudaMallocManaged(&p, 256);
        cudaFree(p);
    } else if (!strcmp(kind, "virtual")) {
        CUmemAllocationProp prop = {};
        CUmemGenericAllocationHandle h;
        CUmemAccessDesc access = {};
        CUdeviceptr va = 0;

        cudaFree(0);
        prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        access.location = prop.location;
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        cuMemAddressReserve(&va, 4 * BLOCK, 0, 0, 0);
        cuMemCreate(&h, BLOCK, &prop, 0);
        cuMemMap(va + BLOCK, BLOCK, 0, h, 0);
        cuMemSetAccess(va + BLOCK, BLOCK, &access, 1);
        p = (void *)(va + BLOCK);
        *size = BLOCK;
    }
    return (char *)p;
}

static int one(const char *kind, const char *op, const char *place)
{
    uint64_t size;
    unsigned *out, value = 0;
    char *p, *at;
    int code;

    cudaMallocHost((void **)&out, 4096);
    *out = 0xdead;
    p = make(kind, &size);
    at = p + size + strtoll(place + 1, NULL, 0);
    if (!strcmp(op, "ld") || !strcmp(op, "st") || !strcmp(op, "atom")) {
        touch<<<1, 1>>>((unsigned *)at, *op == 'l' ? 0 : *op == 's' ? 1 : 2, out);
        code = cudaDeviceSynchronize();
        value = *out;
    } else if (!strcmp(op, "tex")) {
        cudaResourceDesc r = {};
        cudaTextureDesc d = {};
        cudaTextureObject_t t = 0;

        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = p;
        r.res.linear.desc = cudaCreateChannelDesc<unsigned>();
        r.res.linear.sizeInBytes = size;
        code = cudaCreateTextureObject(&t, &r, &d, NULL);
        if (!code) {
            fetch<<<1, 1>>>(t, (int)((at - p) / 4), out);
            code = cudaDeviceSynchronize();
            value = *out;
        }
    } else if (!strcmp(op, "dtoh")) {
        code = cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost);
    } else if (!strcmp(op, "htod")) {
        code = cudaMemcpy(at, &value, 4, cudaMemcpyHostToDevice);
    } else if (!strcmp(op, "dtod")) {
        unsigned *other;

        cudaMalloc((void **)&other, 1 << 22); /* a block of its own */
        code = cudaMemcpy(other, at, 4, cudaMemcpyDeviceToDevice);
    } else if (!strcmp(op, "set")) {
        code = cudaMemset(at, 1, 4);
    } else if (!strcmp(op, "setasync")) {
        code = cudaMemsetAsync(at, 1, 4, 0);
        code = code ? code : cudaDeviceSynchronize();
    } else if (!strcmp(op, "async")) {
        code = cudaMemcpyAsync(out, at, 4, cudaMemcpyDeviceToHost, 0);
        code = code ? code : cudaDeviceSynchronize();
    } else if (!strcmp(op, "drv")) {
        code = cuMemcpyDtoH(&value, (CUdeviceptr)at, 4);
    } else if (!strcmp(op, "across")) { /* begins inside, ends @place behind the end */
        static char big[8 << 20];

        code = cudaMemcpy(big, p, (size_t)(at - p), cudaMemcpyDeviceToHost);
    } else if (!strcmp(op, "setacross")) {
        code = cudaMemset(p, 1, (size_t)(at - p));
    } else if (!strcmp(op, "acrossin")) {
        static char big[8 << 20];

        code = cudaMemcpy(p, big, (size_t)(at - p), cudaMemcpyHostToDevice);
    } else {
        return 2;
    }
    printf("%s.%s.%s %d\n", kind, op, place, code);
    return 0;
}

static void child(const char *kind, const char *op, const char *place)
{
    static int running;

    fflush(stdout);
    if (running == 12) {
        wait(NULL);
        running--;
    }
    running++;
    if (fork() == 0) {
        exit(one(kind, op, place));
    }
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = { "malloc256", "second", "malloc1M",   "malloc3M", "malloc2M256",
                                         "pitch",     "host",   "managed",    "async",    "symbol",
                                         "registered", "freed", "freedlast", "freed4M", "freedasync", "freedhost",
                                         "freedmanaged", "virtual" };
    static const char *const places[] = { "e-4", "e0", "e256", "e0x1000", "e0x10000", "e0x10000000000" };
    static const char *const ops[] = { "st", "atom", "tex" };
    static const char *const calls[] = { "dtoh", "htod", "dtod", "set", "setasync", "async", "drv" };
    static const char *const across[] = { "across", "acrossin", "setacross" };

    for (const char *kind : kinds) {
        bool asked = argc < 2;

        for (int i = 1; i < argc; i++) {
            asked |= strcmp(kind, argv[i]) == 0;
        }
        if (!asked) {
            continue;
        }
        for (const char *place : places) {
            child(kind, "ld", place);
        }
        for (const char *place : { "e0", "e256" }) {
            for (const char *op : ops) {
                child(kind, op, place);
            }
            for (const char *op : calls) {
                child(kind, op, place);
            }
        }
        for (const char *op : across) {
            child(kind, op, "e0");
            child(kind, op, "e4");
        }
    }
    while (wait(NULL) > 0) {
    }
    return 0;
}
