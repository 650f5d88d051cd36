// SPDX-License-Identifier: MIT
// A deadlock through the C++ library: the lines that a report names are those of this file, not of
// the headers in which std::mutex locks, std::thread begins and a condition waits. With the
// argument "orders": only the orders of locks in which there could be one.
#include <cuda_runtime.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

static std::mutex a, b, quiet;
static std::condition_variable never;
static std::atomic<int> ready{0};

static void both(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first); // held
    ready++;
    while (ready < 2) {
        std::this_thread::yield();
    }
    std::unique_lock<std::mutex> two(second); // wanted
}

// Two orders, one after the other, so that nobody has to wait.
static void ordered(std::mutex &first, std::mutex &second, int turn)
{
    while (ready < turn) {
        std::this_thread::yield();
    }
    first.lock();
    second.lock();
    second.unlock();
    first.unlock();
    ready++;
    while (ready < 2) {
        std::this_thread::yield();
    }
}

static int orders()
{
    std::thread t(ordered, std::ref(a), std::ref(b), 0);
    std::thread u(ordered, std::ref(b), std::ref(a), 1);
    t.join();
    u.join();
    return 0;
}

int main(int argc, char **argv)
{
    void *p;
    cudaMalloc(&p, 64);
    if (argc > 1 && strcmp(argv[1], "orders") == 0) {
        return orders();
    }
    std::thread idle([] {
        std::unique_lock<std::mutex> lock(quiet);
        never.wait(lock, [] { return ready > 100; }); // waits
    });
    std::thread t(both, std::ref(a), std::ref(b)); // first
    std::thread u([] { both(b, a); });             // second
    cudaLaunchHostFunc(0, [](void *) {}, nullptr); // the last thread is one of the driver's own
    cudaDeviceSynchronize();
    t.join(); // joined
    u.join();
    idle.join();
}
