// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <mutex>
#include <sched.h>
#include <thread>

#define N 64
#define FRAMES 3

static std::mutex ring, statistics;
static int in_ring, dropped, shown;
static bool fixed;
static int *frame;
static std::atomic<int>
    luck; /* keeps the threads apart, as chance does: no run of this one hangs */

__global__ void add_one(int *data)
{
    data[threadIdx.x] += 1;
}

static void wait_for_luck(int n)
{
    while (luck != n) {
        sched_yield();
    }
}

static void capture()
{
    for (int i = 0; i < FRAMES; i++) {
        wait_for_luck(2 * i);
        std::unique_lock<std::mutex> r(ring);
        in_ring++;
        add_one<<<1, N>>>(frame);
        cudaDeviceSynchronize();
        if (fixed) {
            r.unlock();
        }
        {
            std::lock_guard<std::mutex> s(statistics); /* <-- found here */
            dropped++;
        }
        luck++;
    }
}

static void display()
{
    for (int i = 0; i < FRAMES; i++) {
        wait_for_luck(2 * i + 1);
        {
            std::lock_guard<std::mutex> s(statistics);
            std::lock_guard<std::mutex> r(ring);
            shown += in_ring;
        }
        luck++;
    }
}

int main(int argc, char **)
{
    fixed = argc > 1;
    cudaMallocHost((void **)&frame, N * sizeof(int));
    frame[0] = 0;
    std::thread c(capture), d(display);
    c.join();
    d.join();
    printf("%d frames, %d dropped, %d shown\n", frame[0], dropped, shown);
    return frame[0] != FRAMES || dropped != FRAMES;
}
