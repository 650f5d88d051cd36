// SPDX-License-Identifier: MIT
// <cuda/atomic> and cuda::std of Debian's libcu++-dev.
#include <cuda/atomic>
#include <cuda/std/tuple>

__global__ void add(cuda::atomic<int, cuda::thread_scope_device> *a, int *largest)
{
    cuda::atomic_ref<int, cuda::thread_scope_system> r(*largest);
    cuda::std::tuple<int, float> pair(2, 2.f);

    a->fetch_add(cuda::std::get<0>(pair), cuda::memory_order_relaxed);
    r.fetch_max((int)threadIdx.x);
}

int main()
{
    cuda::atomic<int, cuda::thread_scope_device> *a;
    int *largest;

    cudaMallocManaged(&a, sizeof(*a));
    cudaMallocManaged(&largest, sizeof(*largest));
    a->store(0);
    *largest = 0;
    add<<<2, 64>>>(a, largest);
    cudaDeviceSynchronize();
    return !(a->load() == 256 && *largest == 63);
}
