// SPDX-License-Identifier: MIT
// For gpu.cu: scattered accesses, atomics, and what calls cost
// Scattered accesses: 4 Mi of them, each lane in a line of its own
enum { SCATTERED = 1 << 22 };

__device__ static unsigned column(unsigned j)
{
    return (j * 32 + j / (1 << 19)) & (N - 1);
}

__device__ static unsigned anywhere(unsigned j)
{
    j *= 0x9e3779b1u;
    j ^= j >> 15;
    j *= 0x85ebca77u;
    return (j ^ j >> 13) & (N - 1);
}

template <unsigned (*PLACE)(unsigned)> __global__ void load(const float *a, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;

    for (unsigned j = i; j < SCATTERED; j += gridDim.x * blockDim.x) {
        v += a[PLACE(j)];
    }
    b[i] = v;
}

template <unsigned (*PLACE)(unsigned)> __global__ void store(const float *, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned j = i; j < SCATTERED; j += gridDim.x * blockDim.x) {
        b[PLACE(j)] = PLACE(j); // two threads that meet store the same
    }
}

// The same of what the L2 holds: 2 MiB
template <typename T> __global__ void load_near(const float *a, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const T *p = (const T *)a;
    float v = 0;

    for (unsigned j = i; j < SCATTERED; j += gridDim.x * blockDim.x) {
        v += p[anywhere(j) % ((2 << 20) / sizeof(T))];
    }
    b[i] = v;
}

template <typename T> __global__ void store_near(const float *, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    T *p = (T *)b;

    for (unsigned j = i; j < SCATTERED; j += gridDim.x * blockDim.x) {
        p[anywhere(j) % ((2 << 20) / sizeof(T))] = 1;
    }
}

__global__ void atomic_one(const float *, float *b)
{
    atomicAdd((unsigned *)b, threadIdx.x);
}

__global__ void atomic_old(const float *, float *b)
{
    unsigned old = atomicAdd((unsigned *)b, 1);

    if (old == UINT_MAX) {
        b[1] = 1;
    }
}

__global__ void atomic_random(const float *, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd((unsigned *)b + anywhere(i), 1);
}

__global__ void atomic_shared(const float *, float *b)
{
    __shared__ unsigned bin[256];
    unsigned i = blockIdx.x * 256 + threadIdx.x;

    bin[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned j = i; j < SCATTERED; j += gridDim.x * 256) {
        atomicAdd(&bin[anywhere(j) % 256], 1);
    }
    __syncthreads();
    atomicAdd((unsigned *)b + threadIdx.x, bin[threadIdx.x]);
}

__global__ void nothing(const float *, float *)
{
}

static void launch(float *d, void *)
{
    for (int i = 0; i < 20000; i++) {
        nothing<<<1, 32>>>(d, d);
    }
}

static void launch_wait(float *d, void *)
{
    for (int i = 0; i < 5000; i++) {
        nothing<<<1, 32>>>(d, d);
        CHECK(cudaDeviceSynchronize());
    }
}

static void memcpy_16m(float *d, void *)
{
    static char *from = (char *)calloc(16, 1 << 20);

    for (int i = 0; i < 4; i++) {
        CHECK(cudaMemcpy(d, from, 16 << 20, cudaMemcpyHostToDevice));
    }
}
