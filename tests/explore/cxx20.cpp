/* SPDX-License-Identifier: MIT */
/* What C++20 adds: barriers, latches, semaphores, atomics that wait, threads that stop. */
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#define THREADS 4

struct all {
    int total = 0;
    bool go = false;
    std::mutex m;
    std::timed_mutex timed;
    std::recursive_mutex recursive;
    std::shared_mutex shared;
    std::condition_variable_any changed;
    std::barrier<> barrier{ THREADS };
    std::latch latch{ THREADS };
    std::counting_semaphore<3> places{ 2 };
    std::atomic<int> arrived{ 0 };
};

static void work(std::stop_token stop, all &a)
{
    for (int round = 0; round < 3; round++) {
        a.barrier.arrive_and_wait();
        a.places.acquire();
        {
            std::lock_guard lock(a.m);
            a.total++;
        }
        a.places.release();
    }
    {
        std::shared_lock lock(a.shared);
    }
    {
        std::unique_lock lock(a.shared);
        a.total++;
    }
    if (a.timed.try_lock_for(std::chrono::milliseconds(10))) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        a.timed.unlock();
    }
    std::lock_guard outer(a.recursive), inner(a.recursive);
    a.arrived.fetch_add(1);
    a.arrived.notify_all();
    std::unique_lock lock(a.m);
    a.changed.wait(lock, stop, [&] { return a.go; });
    a.latch.count_down();
}

int main()
{
    all a;
    {
        std::vector<std::jthread> threads;
        int seen;

        for (int i = 0; i < THREADS; i++) {
            threads.emplace_back([&](std::stop_token stop) { work(stop, a); });
        }
        while ((seen = a.arrived.load()) < 1) {
            a.arrived.wait(seen);
        }
        {
            std::lock_guard lock(a.m);
            a.go = true;
        }
        a.changed.notify_all();
        a.latch.wait();
    }
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::seconds(5));
        promise.set_value(7);
    });
    if (future.wait_for(std::chrono::seconds(1)) != std::future_status::timeout) {
        return 2;
    }
    a.total += future.get();
    later.join();
    printf("%d\n", a.total);
    return a.total == THREADS * 4 + 7 ? 0 : 1;
}
