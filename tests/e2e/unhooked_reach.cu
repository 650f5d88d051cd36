// SPDX-License-Identifier: MIT
// unhooked_reach CASE: memory that work reaches otherwise than by a pointer it is given: texture
// objects, variables of the module, values in stream order; by instructions that are stepped. A
// case with "race" in its name is a mistake, at the marked line; others are right.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <fstream>

enum { N = 64, PITCH = 512 };

#define CHECK(call)                                                \
    do {                                                           \
        if ((call) != 0) {                                         \
            printf("unhooked_reach.cu:%d: %s\n", __LINE__, #call); \
            exit(4);                                               \
        }                                                          \
    } while (0)

static cudaStream_t stream;
static float *table;
static unsigned *flag;

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
__global__ void fetch_row(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1);
}
__global__ void fill(float *out, float value)
{
    out[threadIdx.x] = value;
}
__global__ void add_up(const float *in, float *out)
{
    float sum = 0;

    for (int i = 0; i < N; i++) {
        sum += in[i];
    }
    *out = sum;
}

static float *device_floats()
{
    float *p;

    CHECK(cudaMalloc((void **)&p, N * sizeof(float)));
    return p;
}

static cudaTextureObject_t texture(bool rows)
{
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};

    if (rows) {
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D = { table, cudaCreateChannelDesc<float>(), N, 2, PITCH };
    } else {
        r.resType = cudaResourceTypeLinear;
        r.res.linear = { table, cudaCreateChannelDesc<float>(), N * sizeof(float) };
    }
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static void race_texture()
{
    fetch<<<1, N, 0, stream>>>(texture(false), device_floats());
    table[3] = -1; // TEXTURE
}

static void race_rows()
{
    fetch_row<<<1, N, 0, stream>>>(texture(true), device_floats());
    table[PITCH / sizeof(float) + 3] = -1; // ROWS
}

// Reading what a fetch reads is right, and so is the row in front of it.
static void texture_read()
{
    float *out = device_floats(), back, seen;

    table[PITCH / sizeof(float) + 3] = 3;
    fetch_row<<<1, N, 0, stream>>>(texture(true), out);
    seen = table[PITCH / sizeof(float) + 3];
    table[3] = 9;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&back, out + 3, sizeof(back), cudaMemcpyDeviceToHost));
    if (back != 3 || seen != 3) {
        exit(3);
    }
}

// The flag comes before the data, and behind it. A plain load in a loop is all that machine code
// has of an atomic one.
static void race_value_written()
{
    CHECK(cuStreamWriteValue32(stream, (CUdeviceptr)flag, 1, 0));
    fill<<<1, N, 0, stream>>>(table, 5);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
    printf("%g\n", table[3]); // WRITTEN
}

static void value_written()
{
    fill<<<1, N, 0, stream>>>(table, 5);
    CHECK(cuStreamWriteValue32(stream, (CUdeviceptr)flag, 1, 0));
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
    if (table[3] != 5) {
        exit(3);
    }
}

static void waits_for_value(bool early)
{
    float *out = device_floats(), sum;

    CHECK(cuStreamWaitValue32(stream, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    add_up<<<1, 1, 0, stream>>>(table, out);
    if (early) {
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    }
    for (int i = 0; i < N; i++) {
        table[i] = 2; // WAITED
    }
    if (!early) {
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&sum, out, sizeof(sum), cudaMemcpyDeviceToHost));
    if (!early && sum != 2 * N) {
        exit(3);
    }
}

static void race_value_waited()
{
    waits_for_value(true);
}

static void value_waited()
{
    waits_for_value(false);
}

// The C++ library makes the system call.
static void race_ostream()
{
    std::ofstream file("/dev/null", std::ios::binary);

    fill<<<1, N, 0, stream>>>(table, 5);
    file.write((const char *)table, 16384); // OSTREAM
}

// Lane 0 reads what no kernel writes; the others read the kernel's, if the mask lets them.
static void gather(int others)
{
    static const int index[8] = { 1000, 0, 1, 2, 3, 4, 5, 6 };
    const int mask[8] = { -1, others, others, others, others, others, others, others };

    fill<<<1, N, 0, stream>>>(table, 5);
    if (__builtin_cpu_supports("avx2")) {
        asm volatile("vmovdqu %0, %%ymm4\n vmovdqu %1, %%ymm5\n" // GATHER
                     "vpgatherdd %%ymm5, (%2,%%ymm4,4), %%ymm6\n vzeroupper"
                     :
                     : "m"(index), "m"(mask), "r"(table)
                     : "xmm4", "xmm5", "xmm6", "memory");
    } else if (others) {
        (void)*(volatile float *)&table[3]; // GATHER
    }
}

static void race_gather()
{
    gather(-1);
}

static void gather_masked()
{
    gather(0);
}

// Ten bytes, of which the kernel writes the last six
static void race_step()
{
    fill<<<1, N, 0, stream>>>(table + N, 5);
    asm volatile("fldt %0\n fstp %%st(0)" : : "m"(*(long double *)(void *)&table[N - 1])); // STEP
}

// Ten bytes in front of them
static void step_beside()
{
    fill<<<1, N, 0, stream>>>(table + N, 5);
    asm volatile("fldt %0\n fstp %%st(0)" : : "m"(*(long double *)(void *)&table[N - 3]));
}

#ifdef __NVCC__
__managed__ float variable[N];

__global__ void set_variable()
{
    variable[threadIdx.x] = 7;
}

static void race_managed()
{
    set_variable<<<1, N, 0, stream>>>();
    printf("%g\n", variable[3]); // MANAGED
}

static void managed()
{
    set_variable<<<1, N, 0, stream>>>();
    CHECK(cudaStreamSynchronize(stream));
    if (variable[3] != 7) {
        exit(3);
    }
}
#endif

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    { "race_texture", race_texture },
    { "race_rows", race_rows },
    { "race_value_written", race_value_written },
    { "race_value_waited", race_value_waited },
    { "race_ostream", race_ostream },
    { "race_gather", race_gather },
    { "race_step", race_step },
    { "texture_read", texture_read },
    { "value_written", value_written },
    { "value_waited", value_waited },
    { "gather_masked", gather_masked },
    { "step_beside", step_beside },
#ifdef __NVCC__
    { "race_managed", race_managed },
    { "managed", managed },
#endif
};

int main(int argc, char **argv)
{
    CHECK(cudaFree(nullptr));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&table, 16384));
    CHECK(cudaMallocHost((void **)&flag, 64));
    memset(table, 0, 16384);
    *flag = 0;
    for (const auto &one : cases) {
        if (argc > 1 && strcmp(argv[1], one.name) == 0) {
            one.run();
            CHECK(cudaStreamSynchronize(stream));
            puts("right");
            return 0;
        }
    }
    return 2;
}
