// SPDX-License-Identifier: MIT
// unhooked_calls CASE [fixed]: a program without compiler hooks whose last act in a function is a call of the C library on memory that a
// kernel still writes: an optimised build makes a jump of it, and no frame of the program is on the stack. And calls of the C library
// that call themselves many times. The mistake is at the line that is marked with the case; "fixed" waits before.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <threads.h>
#include <unistd.h>

#define CHECK(call)                                                     \
    do {                                                                \
        if ((call) != 0) {                                              \
            std::printf("unhooked_calls.cu:%d: %s\n", __LINE__, #call); \
            std::exit(4);                                               \
        }                                                               \
    } while (0)

enum { N = 2048 };
static char out[N];
static char *bytes;
static volatile std::size_t size = N; // not known to the compiler: no inlined copy
static volatile int null = -1;

__global__ void render(char *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = (char)(threadIdx.x * 7);
}

static void *by_pthread(void *)
{
    return std::memcpy(out, bytes, size); // pthread
}
// From function to function by jumps.
static __attribute__((noinline)) void *inner(void *)
{
    return std::memset(bytes, 3, size); // inner
}
static __attribute__((noinline)) void *by_inner(void *arg)
{
    out[size - 1]++;
    return inner(arg);
}
static int by_c11(void *)
{
    out[size - 1] = 0;
    return std::memcmp(out, bytes, size); // c11
}
static void CUDART_CB by_host_function(void *)
{
    std::memcpy(out, bytes, size); // host_function
}
static int descending(const void *a, const void *b)
{
    return *(const char *)b - *(const char *)a;
}
static void join(pthread_t t)
{
    CHECK(pthread_join(t, nullptr));
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    auto is = [what](const char *name) { return std::strcmp(what, name) == 0; };
    cudaStream_t s, other;
    pthread_t t;
    thrd_t u;

    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&bytes, N));
    std::memset(bytes, 0, N);
    render<<<N / 128, 128, 0, s>>>(bytes);
    CHECK(cudaGetLastError());
    if (argc > 2) {
        CHECK(cudaStreamSynchronize(s));
    }
    if (is("pthread")) {
        CHECK(pthread_create(&t, nullptr, by_pthread, nullptr));
        join(t);
    } else if (is("inner")) {
        CHECK(pthread_create(&t, nullptr, by_inner, nullptr));
        join(t);
    } else if (is("c11")) {
        CHECK(thrd_create(&u, by_c11, nullptr));
        CHECK(thrd_join(u, nullptr));
    } else if (is("thread")) {
        std::thread([] { std::memcpy(out, bytes, size); }).join(); // thread
    } else if (is("captured")) {
        char *to = out, *from = bytes;
        std::thread([to, from] {
            std::memcpy(to, from, size); // captured
        }).join();
    } else if (is("write")) {
        std::thread([] { (void)!write(null, bytes, size); }).join(); // write
    } else if (is("pthread_write")) {
        auto start = [](void *) -> void * {
            return (void *)write(null, bytes, size); // pthread_write
        };
        CHECK(pthread_create(&t, nullptr, start, nullptr));
        join(t);
    } else if (is("host_function")) {
        CHECK(cudaLaunchHostFunc(other, by_host_function, nullptr));
        CHECK(cudaStreamSynchronize(other));
    } else if (is("sort")) {
        std::qsort(bytes, N, 1, descending); // sort
    }
    CHECK(cudaStreamSynchronize(s));
    std::puts("done");
    return 0;
}
