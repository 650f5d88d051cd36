// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

// Each step reads by the texture what the step before stored.
__global__ void steps(cudaTextureObject_t texture, float *data, int n)
{
    for (int i = 0; i < n; i++) /* <-- found here */
        data[0] = tex1Dfetch<float>(texture, 0) + 1; /* <-- found here */
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    cudaTextureObject_t texture;
    float *data, result;

    cudaMalloc((void **)&data, 256);
    cudaMemset(data, 0, 256);
    memset(&resource, 0, sizeof(resource));
    memset(&desc, 0, sizeof(desc));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 256;
    cudaCreateTextureObject(&texture, &resource, &desc, nullptr);
    if (fixed) {
        for (int i = 0; i < 10; i++) {
            steps<<<1, 1>>>(texture, data, 1);
        }
    } else {
        steps<<<1, 1>>>(texture, data, 10);
    }
    cudaMemcpy(&result, data, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%g of 10\n", result);
    cudaDestroyTextureObject(texture);
    cudaFree(data);
    return result != 10;
}
