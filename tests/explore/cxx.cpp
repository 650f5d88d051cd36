/* SPDX-License-Identifier: MIT */
/* C++ threads, futures, atomics with wait: they come through pthreads and futexes. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

int main()
{
    std::mutex m;
    std::condition_variable c;
    std::queue<int> queue;
    std::once_flag once;
    std::atomic<int> ready{0}, spins{0};
    int sum = 0, first = 0;
    std::vector<std::thread> threads;

    for (int i = 0; i < 2; i++) {
        threads.emplace_back([&] {
            std::call_once(once, [&] { first++; });
            for (int n = 0; n < 5; n++) {
                std::unique_lock<std::mutex> lock(m);
                c.wait(lock, [&] { return !queue.empty(); });
                sum += queue.front();
                queue.pop();
            }
        });
    }
    threads.emplace_back([&] {
        while (!ready.load()) { /* no hook, no call */
        }
        spins = 1;
    });
    for (int n = 1; n <= 10; n++) {
        std::lock_guard<std::mutex> lock(m);
        queue.push(n);
        c.notify_one();
    }
    auto later = std::async(std::launch::async, [&] {
        std::this_thread::sleep_for(std::chrono::hours(1));
        return 5;
    });
    ready = 1;
    sum += later.get();
    for (auto &t : threads) {
        t.join();
    }
    printf("%d %d %d\n", sum, first, spins.load());
    return sum == 60 && first == 1 && spins == 1 ? 0 : 1;
}
