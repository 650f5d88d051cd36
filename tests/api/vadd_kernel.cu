/* SPDX-License-Identifier: MIT */
/* c[i] = scale * (a[i] + b[i]); built by nvcc for cuda_vadd.c, alone and (with -rdc=true) with
 * vadd_scale.cu. */
#ifdef SEPARATE
extern __device__ float scaled(float x);
#else
__constant__ float scale = 1;
static __device__ float scaled(float x)
{
    return scale * x;
}
#endif

extern "C" __global__ void vadd(const float *a, const float *b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        c[i] = scaled(a[i] + b[i]);
    }
}
