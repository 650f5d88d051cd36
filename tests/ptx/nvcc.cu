/* SPDX-License-Identifier: MIT */
/* What only nvcc's headers give: printf, assert, warp and group operations, half precision,
 * libdevice inlined, textures, tensor cores, asynchronous copies, virtual functions. */
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__managed__ int managed = 3;

__global__ void __launch_bounds__(256, 2) speak(int x)
{
    printf("%d %f\n", x, x * 0.5);
    assert(x < 9);
    managed++;
}

__global__ void warp(int *out)
{
    int v = out[threadIdx.x];

    v += __shfl_down_sync(~0u, v, 4) + __shfl_xor_sync(~0u, v, 1);
    v += __popc(__ballot_sync(~0u, v > 3)) + __any_sync(~0u, v) + __clz(v) + __brev(v);
    v += __match_any_sync(~0u, v) + __activemask() + __byte_perm(1, 2, v) + __vabsdiffu4(v, 7);
#if __CUDA_ARCH__ >= 800
    v += __reduce_add_sync(~0u, v);
#endif
    __nanosleep(20);
    out[0] = v + clock64();
    atomicAdd_system(out, 1);
    atomicCAS(out, 1, v);
    __threadfence_system();
}

__global__ void groups(int *out, const int *in)
{
    __shared__ int tile[256];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);

    cg::memcpy_async(block, tile, in, sizeof(tile));
    cg::wait(block);
    out[0] = cg::reduce(warp, tile[threadIdx.x], cg::plus<int>());
    cg::this_grid().sync();
    out[1] = cg::coalesced_threads().size();
}

__global__ void numbers(double *d, float *f, half2 *h, __nv_bfloat162 *b)
{
    d[0] = sin(d[1]) + pow(d[2], d[3]) + exp(d[4]) + sqrt(d[5]) / d[6];
    f[0] = __expf(f[1]) + __sinf(f[2]) + rsqrtf(f[3]) + tanhf(f[4]) + fmodf(f[5], f[6]) +
           __fdividef(f[7], f[8]) + erff(f[9]) + __frcp_rz(f[1]) + __fmaf_ru(f[1], f[2], f[3]);
    h[0] = __hfma2(h[1], h[2], h2exp(h[3]));
    b[0] = __hmul2(b[1], b[2]);
}

__global__ void tensor(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;

    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void texture(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *out)
{
    float4 v = tex2D<float4>(t, 0.5f, 0.25f);

    v.x += tex1D<float>(t, 1.0f) + tex3D<float>(t, 1, 2, 3) + tex2DLayered<float>(t, 1, 2, 3) +
           texCubemap<float>(t, 1, 2, 3) + tex2DLod<float>(t, 1, 2, 3) +
           tex2Dgather<float4>(t, 1, 2, 0).x + tex1Dfetch<float>(t, 3) +
           tex2DGrad<float>(t, 1, 2, make_float2(1, 2), make_float2(3, 4));
    surf2Dwrite(v, s, 16, 2);
    surf2Dread(&v, s, 0, 0);
    *out = v;
}

struct base {
    __device__ virtual int value(int) = 0;
    __device__ virtual ~base()
    {
    }
};
struct one : base {
    __device__ int value(int a)
    {
        return a + 1;
    }
};
struct two : base {
    __device__ int value(int a)
    {
        return a * 2;
    }
};

__global__ void objects(int *out, int k)
{
    base *b = k ? (base *)new one : (base *)new two;
    int *room = (int *)malloc(k);

    room[0] = b->value(k);
    *out = room[0];
    free(room);
    delete b;
}
