// SPDX-License-Identifier: MIT
// unhooked_locks CASE: right programs without compiler hooks, whose threads wait at locks in pinned memory while a kernel is on its way
// to another page of it; with REGISTERED in the environment the memory is aligned_alloc()'s.
#include <cuda_runtime.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        if ((call) != 0) {                                                                 \
            std::printf("unhooked_locks.cu:%d: %s\n", __LINE__, #call);                    \
            std::exit(4);                                                                  \
        }                                                                                  \
    } while (0)

struct block {
    std::mutex mutex;
    std::condition_variable condition;
    sem_t sem;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    pthread_mutex_t plain, robust, inherits;
    std::atomic<int> word, other;
    int turns;
    char pad[8192];
    int result;
};
enum { BYTES = 16384 };

static block *b;
static cudaStream_t stream;

__global__ void measure(int *out)
{
    *out = 640;
}

static void submit()
{
    int *at = &b->result;

    if (std::getenv("REGISTERED")) {
        CHECK(cudaHostGetDevicePointer((void **)&at, at, 0));
    }
    measure<<<1, 1, 0, stream>>>(at);
    CHECK(cudaGetLastError());
}

// The other thread has come to its wait by then.
static void later()
{
    usleep(50000);
}

static void with_mutex(pthread_mutex_t *m)
{
    CHECK(pthread_mutex_lock(m));
    std::thread t([m] {
        CHECK(pthread_mutex_lock(m));
        b->turns++;
        CHECK(pthread_mutex_unlock(m));
    });
    later();
    b->turns++;
    CHECK(pthread_mutex_unlock(m));
    t.join();
}

static void plain()
{
    with_mutex(&b->plain);
}

static void inherits()
{
    with_mutex(&b->inherits);
}

// The kernel lets go what a thread held that has ended, and wakes who waits.
static void robust()
{
    std::thread t([] {
        CHECK(pthread_mutex_lock(&b->robust));
        b->turns++;
        later();
    });

    usleep(10000);
    int r = pthread_mutex_lock(&b->robust);
    if (r == EOWNERDEAD) {
        CHECK(pthread_mutex_consistent(&b->robust));
    }
    b->turns++;
    CHECK(pthread_mutex_unlock(&b->robust));
    t.join();
}

static void condition()
{
    std::thread t([] {
        std::unique_lock<std::mutex> l(b->mutex);
        b->condition.wait(l, [] { return b->turns == 1; });
        b->turns++;
    });

    later();
    {
        std::lock_guard<std::mutex> l(b->mutex);
        b->turns = 1;
    }
    b->condition.notify_all();
    t.join();
}

static void semaphore()
{
    std::thread t([] {
        b->turns++;
        later();
        sem_post(&b->sem);
    });

    sem_wait(&b->sem);
    b->turns++;
    t.join();
}

static void rwlock()
{
    CHECK(pthread_rwlock_wrlock(&b->rwlock));
    std::thread t([] {
        CHECK(pthread_rwlock_rdlock(&b->rwlock));
        b->turns += b->turns;
        CHECK(pthread_rwlock_unlock(&b->rwlock));
    });
    later();
    b->turns++;
    CHECK(pthread_rwlock_unlock(&b->rwlock));
    t.join();
}

static void barrier()
{
    std::thread t([] {
        b->turns++;
        pthread_barrier_wait(&b->barrier);
    });

    later();
    pthread_barrier_wait(&b->barrier);
    b->turns++;
    t.join();
    CHECK(pthread_barrier_destroy(&b->barrier));
}

static long futex(std::atomic<int> *word, int what, long value, long more = 0, std::atomic<int> *second = nullptr, int third = 0)
{
    return syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, more, second, third);
}

// As std::atomic<int>::wait() of C++20 does; then the one that waits is moved to another word.
static void futexes()
{
    std::thread t([] {
        while (b->word.load() == 0) {
            if (futex(&b->word, FUTEX_WAIT, 0) != 0) {
                CHECK(errno != EAGAIN && errno != EINTR);
            }
        }
        b->turns++;
        while (b->word.load() == 1) {
            if (futex(&b->word, FUTEX_WAIT, 1) != 0) {
                CHECK(errno != EAGAIN && errno != EINTR);
            }
        }
        b->turns++;
    });

    later();
    b->word.store(1);
    futex(&b->word, FUTEX_WAKE, 1);
    later();
    b->word.store(2);
    if (!std::getenv("SEEDED")) {
        futex(&b->word, FUTEX_CMP_REQUEUE, 0, 1, &b->other, 2);
        futex(&b->other, FUTEX_WAKE, 1);
    }
    futex(&b->word, FUTEX_WAKE, 1);
    t.join();
}

// A signal ends the kernel's wait, which then looks at the word again.
static void nothing(int) {}
static void interrupted()
{
    struct sigaction act = {};

    act.sa_handler = nothing;
    act.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &act, nullptr);
    CHECK(pthread_mutex_lock(&b->plain));
    std::thread t([] {
        CHECK(pthread_mutex_lock(&b->plain));
        b->turns++;
        CHECK(pthread_mutex_unlock(&b->plain));
    });
    later();
    pthread_kill(t.native_handle(), SIGUSR1);
    later();
    b->turns++;
    CHECK(pthread_mutex_unlock(&b->plain));
    t.join();
}

static block *block_at(void *mem)
{
    pthread_mutexattr_t attr;

    std::memset(mem, 0, BYTES);
    b = new (mem) block();
    sem_init(&b->sem, 0, 0);
    pthread_rwlock_init(&b->rwlock, nullptr);
    pthread_barrier_init(&b->barrier, nullptr, 2);
    pthread_mutex_init(&b->plain, nullptr);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&b->robust, &attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&b->inherits, &attr);
    return b;
}

// The memory is registered while a thread waits in it already.
static void waits_before()
{
    std::thread t([] {
        std::unique_lock<std::mutex> l(b->mutex);
        b->condition.wait(l, [] { return b->turns == 1; });
        b->turns++;
    });

    later();
    CHECK(cudaHostRegister(b, BYTES, cudaHostRegisterMapped));
    submit();
    {
        std::lock_guard<std::mutex> l(b->mutex);
        b->turns = 1;
    }
    b->condition.notify_all();
    t.join();
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {
        { "plain", plain },     { "inherits", inherits }, { "robust", robust },   { "condition", condition },
        { "semaphore", semaphore }, { "rwlock", rwlock }, { "barrier", barrier }, { "futexes", futexes },
        { "interrupted", interrupted }, { "waits_before", waits_before },
    };
    bool before = std::strcmp(argv[1], "waits_before") == 0;
    void *mem;

    if (std::getenv("REGISTERED")) {
        mem = std::aligned_alloc(4096, BYTES);
        if (!before) {
            CHECK(cudaHostRegister(mem, BYTES, cudaHostRegisterMapped));
        }
    } else {
        CHECK(cudaHostAlloc(&mem, BYTES, cudaHostAllocMapped));
    }
    CHECK(cudaStreamCreate(&stream));
    block_at(mem);
    for (const auto &one : cases) {
        if (std::strcmp(argv[1], one.name) == 0) {
            if (!before) {
                submit();
            }
            one.run();
            CHECK(cudaStreamSynchronize(stream));
            CHECK(b->turns != 2);
            CHECK(b->result != 640);
            std::puts("right");
            return 0;
        }
    }
    return 2;
}
