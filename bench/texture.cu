// SPDX-License-Identifier: MIT
// A bilinear fetch of four floats against a load of them from the same, cached memory: processor time of each, and how many
// loads a fetch costs. Exit status 1 if more than 6.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <ctime>

enum { SIDE = 64, TIMES = 64, BLOCKS = 64, THREADS = 256 };

__global__ void load(const float4 *data, float4 *out)
{
    float4 sum = { 0, 0, 0, 0 };
    int i = threadIdx.x;

    for (int k = 0; k < TIMES; k++) {
        float4 v = data[(i + k * 32) % (SIDE * SIDE)];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    out[blockIdx.x * THREADS + i] = sum;
}

__global__ void fetch(cudaTextureObject_t texture, float4 *out)
{
    float4 sum = { 0, 0, 0, 0 };
    int i = threadIdx.x;

    for (int k = 0; k < TIMES; k++) {
        float4 v = tex2D<float4>(texture, i % SIDE + 0.75f, (i / SIDE + k) % SIDE + 0.25f);
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    out[blockIdx.x * THREADS + i] = sum;
}

static double seconds()
{
    timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main()
{
    static float4 host[SIDE * SIDE];
    float4 *data, *out;
    size_t pitch = SIDE * sizeof(float4);
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    cudaTextureObject_t texture;
    double best[2] = { 1e9, 1e9 };

    cudaMalloc((void **)&data, sizeof(host));
    cudaMalloc((void **)&out, BLOCKS * THREADS * sizeof(float4));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    memset(&resource, 0, sizeof(resource));
    memset(&desc, 0, sizeof(desc));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
    resource.res.pitch2D.width = resource.res.pitch2D.height = SIDE;
    resource.res.pitch2D.pitchInBytes = pitch;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&texture, &resource, &desc, nullptr);
    for (int i = 0; i < 5; i++) {
        for (int kind = 0; kind < 2; kind++) {
            double start = seconds();
            if (kind) {
                fetch<<<BLOCKS, THREADS>>>(texture, out);
            } else {
                load<<<BLOCKS, THREADS>>>(data, out);
            }
            cudaDeviceSynchronize();
            double took = seconds() - start;
            best[kind] = took < best[kind] ? took : best[kind];
        }
    }
    printf("load %.1f ms, fetch %.1f ms: ratio %.2f (must be below 6)\n", best[0] * 1e3, best[1] * 1e3,
           best[1] / best[0]);
    return best[1] > 6 * best[0];
}
