// SPDX-License-Identifier: MIT
// unhooked WAY [N]: what a program without hooks pays for pinned memory that is closed while work is on its way. unhooked.sh builds it.
//   frames   N frames of 1080p: the CPU fills, a copy, a kernel, a copy back, a wait, the CPU sums. It waits rightly.
//   plain    the same in pageable memory, waited for in the same places: no pinned memory
//   mapped   N rounds of 255 accesses to closed pages, other bytes than the work uses; prints ns an access
//   stepped  the same by an instruction that is stepped (x87)
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define CHECK(call)                                                                \
    do {                                                                           \
        if ((call) != cudaSuccess) {                                               \
            std::fprintf(stderr, "unhooked.cu:%d: %s\n", __LINE__, #call);         \
            std::exit(4);                                                          \
        }                                                                          \
    } while (0)

enum { FRAME = 1920 * 1080, PART = 64 * 1024, PAGE = 4096, PAGES = 256 };

__global__ void invert(const uint8_t *from, uint8_t *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = 255 - from[i];
}

__global__ void touch(const volatile uint8_t *from, uint8_t *to)
{
    to[0] = from[0];
}

static uint8_t *host(size_t bytes, bool pinned)
{
    void *p = nullptr;

    if (pinned) {
        CHECK(cudaMallocHost(&p, bytes));
    } else {
        p = std::malloc(bytes);
    }
    return (uint8_t *)p;
}

static int frames(int n, bool pinned)
{
    uint8_t *in = host(FRAME, pinned), *out = host(FRAME, pinned), *from, *to;
    unsigned long sum = 0;
    cudaStream_t stream;

    CHECK(cudaMalloc((void **)&from, FRAME));
    CHECK(cudaMalloc((void **)&to, FRAME));
    CHECK(cudaStreamCreate(&stream));
    for (int f = 0; f < n; f++) {
        std::memset(in, f, FRAME);
        CHECK(cudaMemcpyAsync(from, in, FRAME, cudaMemcpyHostToDevice, stream));
        invert<<<PART / 256, 256, 0, stream>>>(from, to);
        CHECK(cudaMemcpyAsync(out, to, FRAME, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < FRAME; i++) {
            sum += out[i];
        }
    }
    std::printf("%lu\n", sum);
    return 0;
}

static double now_ns()
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int accesses(int rounds, bool stepped)
{
    uint8_t *bytes = host((size_t)PAGE * PAGES, true), *to;
    unsigned long sum = 0;
    double spent = 0;
    cudaStream_t stream;

    CHECK(cudaMalloc((void **)&to, PAGE));
    CHECK(cudaStreamCreate(&stream));
    std::memset(bytes, 0, (size_t)PAGE * PAGES);
    for (int round = 0; round < rounds; round++) {
        touch<<<1, 1, 0, stream>>>(bytes, to);
        double before = now_ns();
        for (int page = 1; page < PAGES; page++) {
            const volatile uint8_t *at = bytes + page * PAGE;
            double value = 0;

            if (stepped) {
                asm volatile("fldl %1\n fstpl %0" : "=m"(value) : "m"(*(const double *)at));
                sum += (unsigned long)value;
            } else {
                sum += *at;
            }
        }
        spent += now_ns() - before;
        CHECK(cudaStreamSynchronize(stream));
    }
    std::printf("%.0f\n", spent / rounds / (PAGES - 1));
    return sum != 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? std::atoi(argv[2]) : 20;

    if (std::strcmp(way, "frames") == 0 || std::strcmp(way, "plain") == 0) {
        return frames(n, way[0] == 'f');
    }
    return accesses(n, std::strcmp(way, "stepped") == 0);
}
