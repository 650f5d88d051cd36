// SPDX-License-Identifier: MIT
// Memory that no call of CUDA has seen: malloc, static, stack, files. pageable CASE
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <unistd.h>

#define N 5000

static int initialised[N] = { 1, 2, 3 };
static int zeroed[N];
static const char literal[] = "read only";

__global__ void add(int *data, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        data[i] += what;
    }
}

__global__ void count(int *sum)
{
    atomicAdd_system(sum, 1);
}

__global__ void length(const char *text, int *n)
{
    *n = 0;
    while (text[*n]) {
        *n += 1;
    }
}

__global__ void poke(char *text)
{
    text[3] = 'x'; // MARK store
}

__global__ void peek(const int *data, int *out)
{
    *out = data[1]; // MARK load
}

__global__ void answer(volatile int *question, volatile int *reply)
{
    while (*question == 0) {
    }
    *reply = *question + 1;
}

static int sum_is(const int *data, int from, long expected)
{
    long sum = 0;

    for (int i = 0; i < N; i++) {
        sum += data[i];
    }
    printf("%d: %s\n", from, sum == expected ? "right" : "WRONG");
    return sum != expected;
}

// Each twice, and changed by the CPU in between: what one side stores the other sees.
static int everywhere()
{
    int stack[N] = { 7 };
    int *heap = (int *)malloc(N * sizeof(int)), bad = 0;
    int *map = (int *)mmap(NULL, N * sizeof(int), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = memfd_create("file", 0), *file;
    int *of[6];

    if (ftruncate(fd, N * sizeof(int)) != 0) {
        return 2;
    }
    file = (int *)mmap(NULL, N * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    memset(heap, 0, N * sizeof(int));
    of[0] = initialised, of[1] = zeroed, of[2] = stack, of[3] = heap, of[4] = map, of[5] = file;
    for (int k = 0; k < 6; k++) {
        long before = 0;

        for (int i = 0; i < N; i++) {
            before += of[k][i];
        }
        add<<<(N + 255) / 256, 256>>>(of[k], N, 3);
        cudaDeviceSynchronize();
        for (int i = 0; i < N; i++) {
            of[k][i] *= 2;
        }
        add<<<(N + 255) / 256, 256>>>(of[k], N, 1);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            return 3;
        }
        bad |= sum_is(of[k], k, 2 * (before + 3L * N) + N);
    }
    free(heap);
    return bad;
}

static int calls()
{
    int value = 0, *heap = (int *)malloc(N * sizeof(int)), sum = 0, n;

    cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0);
    printf("pageable %d\n", value);
    printf("memset %s\n", cudaGetErrorName(cudaMemset(heap, 1, N * sizeof(int))));
    for (int i = 0; i < N; i++) {
        sum += heap[i] == 0x01010101;
    }
    printf("filled %d\n", sum);
    sum = 0;
    count<<<10, 32>>>(&sum);
    length<<<1, 1>>>(literal, &n);
    cudaDeviceSynchronize();
    printf("counted %d, length %d\n", sum, n);
    return 0;
}

static int talk()
{
    volatile int *place = (volatile int *)calloc(2, sizeof(int));

    answer<<<1, 1>>>((volatile int *)place, (volatile int *)place + 1);
    place[0] = 41;
    while (place[1] == 0) {
    }
    printf("answer %d\n", place[1]);
    return cudaDeviceSynchronize();
}

static int read_only()
{
    poke<<<1, 1>>>((char *)literal);
    printf("%s %s\n", cudaGetErrorName(cudaDeviceSynchronize()), literal);
    return 0;
}

static int unmapped(int when)
{
    int *map = (int *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out = 0;

    map[1] = 5;
    if (when) {
        peek<<<1, 1>>>(map, &out);
        cudaDeviceSynchronize();
    }
    printf("out %d\n", out);
    peek<<<1, 1>>>(map, &out);
    munmap(map, 8192);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

// Registered, and unmapped while the kernel is still in the queue.
static int registered()
{
    int *map = (int *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *device;

    cudaHostRegister(map, 8192, cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void **)&device, map, 0);
    add<<<1, 256>>>(device, 256, 1);
    munmap(map, 8192);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    return !strcmp(name, "everywhere") ? everywhere()
           : !strcmp(name, "calls")    ? calls()
           : !strcmp(name, "talk")     ? talk()
           : !strcmp(name, "readonly") ? read_only()
           : !strcmp(name, "unmapped") ? unmapped(0)
           : !strcmp(name, "remapped") ? unmapped(1)
           : !strcmp(name, "registered") ? registered()
                                       : 2;
}
