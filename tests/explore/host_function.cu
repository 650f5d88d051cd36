/* SPDX-License-Identifier: MIT */
/* The main thread waits for what a host function of a stream does, in each way in which a thread
 * can wait, and makes no call of CUDA's meanwhile. Each of them must end, with the answer of the
 * kernel. Usage: host_function WAY [unseen]: no timer shows that a loop is one */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <thread>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define N 256

static int *box; /* pinned: answer of the kernel, flag of the kernel */
static cudaStream_t stream;

static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static std::mutex cpp_mutex;
static std::condition_variable cpp_cond;
static std::atomic<int> atomic_flag_;
static mtx_t c_mutex;
static cnd_t c_cond;
static uint32_t word;
static int fds[2], event;
static bool done;
static volatile int flag;

__global__ void work(int *answer, volatile int *after)
{
    int sum = 0;

    for (int i = 0; i < N; i++) {
        sum += i % 7;
    }
    if (threadIdx.x == 0) {
        *answer = sum;
        __threadfence_system();
        *after = 1;
    }
}

/* --- what the host function does */

static void CUDART_CB post(void *)
{
    sem_post(&sem);
}

static void CUDART_CB signal_cond(void *)
{
    pthread_mutex_lock(&mutex);
    done = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
}

static void CUDART_CB meet(void *)
{
    pthread_barrier_wait(&barrier);
}

static void CUDART_CB signal_cpp(void *)
{
    {
        std::lock_guard<std::mutex> lock(cpp_mutex);
        done = true;
    }
    cpp_cond.notify_one();
}

static void CUDART_CB signal_c11(void *)
{
    mtx_lock(&c_mutex);
    done = true;
    cnd_signal(&c_cond);
    mtx_unlock(&c_mutex);
}

static void CUDART_CB notify(void *)
{
    atomic_flag_ = 1;
    atomic_flag_.notify_all();
}

static void CUDART_CB wake(void *)
{
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void CUDART_CB write_all(void *)
{
    uint64_t one = 1;

    if (write(fds[1], "x", 1) != 1 || write(event, &one, sizeof(one)) != sizeof(one)) {
        perror("write");
    }
}

static void CUDART_CB raise_flag(void *)
{
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
}

static void CUDART_CB raise_in_callback(cudaStream_t, cudaError_t error, void *)
{
    flag = error == cudaSuccess;
    sem_post(&sem);
}

/* --- how the program waits */

static bool raised()
{
    return __atomic_load_n(&flag, __ATOMIC_SEQ_CST);
}

static void give_up(int)
{
    _exit(4);
}

static struct timespec in_seconds(int seconds)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += seconds;
    return t;
}

static void *wait_sem(void *)
{
    while (sem_wait(&sem) != 0) {
    }
    return NULL;
}

/* Holds the lock until the host function has posted. */
static void *hold(void *locked)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    __atomic_store_n((int *)locked, 1, __ATOMIC_SEQ_CST);
    wait_sem(NULL);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static int locked;
static pthread_t other;

static void hold_begin()
{
    pthread_create(&other, NULL, hold, &locked);
    while (!__atomic_load_n(&locked, __ATOMIC_SEQ_CST)) {
        usleep(100);
    }
}

static void *run_itself(void *)
{
    work<<<1, 32, 0, stream>>>(box, box + 1);
    cudaLaunchHostFunc(stream, post, NULL);
    return NULL;
}

#define FUNCTION(f) cudaLaunchHostFunc(stream, f, NULL)

static int wait_in(const char *way)
{
#define WAY(name) if (strcmp(way, name) == 0)
    WAY("sem")
    {
        FUNCTION(post);
        return sem_wait(&sem);
    }
    WAY("sem_timed")
    {
        struct timespec until = in_seconds(60);

        FUNCTION(post);
        return sem_timedwait(&sem, &until);
    }
    WAY("sem_try")
    {
        FUNCTION(post);
        while (sem_trywait(&sem) != 0) {
        }
        return 0;
    }
    WAY("callback")
    {
        cudaStreamAddCallback(stream, raise_in_callback, NULL, 0);
        return sem_wait(&sem) || !flag;
    }
    WAY("cond")
    {
        FUNCTION(signal_cond);
        pthread_mutex_lock(&mutex);
        while (!done) {
            pthread_cond_wait(&cond, &mutex);
        }
        return pthread_mutex_unlock(&mutex);
    }
    WAY("cond_timed")
    {
        struct timespec until = in_seconds(60);
        int r = 0;

        FUNCTION(signal_cond);
        pthread_mutex_lock(&mutex);
        while (!done && !r) {
            r = pthread_cond_timedwait(&cond, &mutex, &until);
        }
        return r;
    }
    WAY("join")
    {
        pthread_create(&other, NULL, wait_sem, NULL);
        FUNCTION(post);
        return pthread_join(other, NULL);
    }
    WAY("mutex")
    {
        hold_begin();
        FUNCTION(post);
        return pthread_mutex_lock(&mutex);
    }
    WAY("rwlock")
    {
        hold_begin();
        FUNCTION(post);
        return pthread_rwlock_rdlock(&rwlock);
    }
    WAY("barrier")
    {
        pthread_barrier_init(&barrier, NULL, 2);
        FUNCTION(meet);
        pthread_barrier_wait(&barrier);
        return 0;
    }
    WAY("futex")
    {
        FUNCTION(wake);
        while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST)) {
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        }
        return 0;
    }
    WAY("cpp")
    {
        FUNCTION(signal_cpp);
        std::unique_lock<std::mutex> lock(cpp_mutex);
        cpp_cond.wait(lock, [] { return done; });
        return 0;
    }
    WAY("cpp_timed")
    {
        FUNCTION(signal_cpp);
        std::unique_lock<std::mutex> lock(cpp_mutex);
        return !cpp_cond.wait_for(lock, std::chrono::seconds(60), [] { return done; });
    }
    WAY("atomic_wait")
    {
        FUNCTION(notify);
        atomic_flag_.wait(0);
        return 0;
    }
    WAY("c11")
    {
        mtx_init(&c_mutex, mtx_plain);
        cnd_init(&c_cond);
        FUNCTION(signal_c11);
        mtx_lock(&c_mutex);
        while (!done) {
            cnd_wait(&c_cond, &c_mutex);
        }
        return mtx_unlock(&c_mutex) != thrd_success;
    }
    WAY("read")
    {
        char byte;

        FUNCTION(write_all);
        return read(fds[0], &byte, 1) != 1;
    }
    WAY("read_event")
    {
        uint64_t n;

        FUNCTION(write_all);
        return read(event, &n, sizeof(n)) != sizeof(n);
    }
    WAY("read_again")
    {
        char byte;

        FUNCTION(write_all);
        fcntl(fds[0], F_SETFL, O_NONBLOCK);
        while (read(fds[0], &byte, 1) != 1) {
        }
        return 0;
    }
    WAY("poll")
    {
        struct pollfd p[2] = { { fds[0], POLLIN, 0 }, { event, POLLIN, 0 } };

        FUNCTION(write_all);
        return poll(p, 2, -1) <= 0;
    }
    WAY("poll_again")
    {
        struct pollfd p = { event, POLLIN, 0 };

        FUNCTION(write_all);
        while (poll(&p, 1, 0) == 0) {
        }
        return 0;
    }
    WAY("select")
    {
        fd_set set;

        FUNCTION(write_all);
        FD_ZERO(&set);
        FD_SET(fds[0], &set);
        return select(fds[0] + 1, &set, NULL, NULL, NULL) != 1;
    }
    WAY("epoll")
    {
        struct epoll_event e = { EPOLLIN, {} };
        int fd = epoll_create1(0);

        FUNCTION(write_all);
        epoll_ctl(fd, EPOLL_CTL_ADD, event, &e);
        return epoll_wait(fd, &e, 1, -1) != 1;
    }
    WAY("usleep")
    {
        FUNCTION(raise_flag);
        while (!raised()) {
            usleep(100);
        }
        return 0;
    }
    WAY("nanosleep")
    {
        struct timespec t = { 0, 1000000 };

        FUNCTION(raise_flag);
        while (!raised()) {
            nanosleep(&t, NULL);
        }
        return 0;
    }
    WAY("sleep_for")
    {
        FUNCTION(raise_flag);
        while (!raised()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return 0;
    }
    WAY("sleep_locked")
    {
        bool over = false;

        FUNCTION(signal_cond);
        while (!over) {
            pthread_mutex_lock(&mutex);
            over = done;
            pthread_mutex_unlock(&mutex);
            usleep(1000);
        }
        return 0;
    }
    WAY("yield")
    {
        FUNCTION(raise_flag);
        while (!raised()) {
            sched_yield();
        }
        return 0;
    }
    WAY("yield_c11")
    {
        FUNCTION(raise_flag);
        while (!raised()) {
            thrd_yield();
        }
        return 0;
    }
    WAY("spin")
    {
        FUNCTION(raise_flag);
        while (!flag) {
        }
        return 0;
    }
    WAY("spin_atomic")
    {
        FUNCTION(raise_flag);
        while (!raised()) {
        }
        return 0;
    }
    WAY("spin_counting")
    {
        long turns = 0;

        FUNCTION(raise_flag);
        while (!raised()) {
            turns++;
            __asm__ volatile("" : "+r"(turns)); /* it is counted, in a register */
        }
        return turns < 0;
    }
    WAY("spin_clock")
    {
        auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        struct itimerval cpu = { {}, { 5, 0 } }; /* of CPU time: ten times what it takes */

        signal(SIGPROF, give_up);
        setitimer(ITIMER_PROF, &cpu, NULL);
        FUNCTION(raise_flag);
        while (!raised() && std::chrono::steady_clock::now() < until) {
        }
        return !raised();
    }
    WAY("spin_kernel")
    {
        while (!__atomic_load_n(&box[1], __ATOMIC_SEQ_CST)) {
        }
        return 0;
    }
    WAY("yield_kernel")
    {
        while (!*(volatile int *)&box[1]) {
            sched_yield();
        }
        return 0;
    }
    WAY("other_thread")
    {
        pthread_create(&other, NULL, run_itself, NULL);
        pthread_detach(other);
        return sem_wait(&sem);
    }
    WAY("two_streams") /* the first function waits for the second stream's: both threads sleep */
    {
        cudaStream_t second;

        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        FUNCTION(post);
        cudaLaunchHostFunc(second, post, NULL);
        return sem_wait(&sem) || sem_wait(&sem);
    }
    WAY("many")
    {
        for (int i = 0; i < 200; i++) {
            work<<<1, 32, 0, stream>>>(box, box + 1);
            FUNCTION(post);
            if (sem_wait(&sem)) {
                return 1;
            }
        }
        return 0;
    }
    return 2;
}

int main(int argc, char **argv)
{
    int want = 0, r;

    for (int i = 0; i < N; i++) {
        want += i % 7;
    }
    cudaMallocHost(&box, 2 * sizeof(int));
    box[0] = box[1] = 0;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sem_init(&sem, 0, 0);
    event = eventfd(0, 0);
    if (argc == 3) {
        no_ticks();
    }
    if (argc < 2 || event < 0 || pipe(fds) != 0) {
        return 2;
    }
    if (strcmp(argv[1], "other_thread") != 0) {
        work<<<1, 32, 0, stream>>>(box, box + 1);
    }
    r = wait_in(argv[1]);
    /* No call of CUDA's: that the host function has run says that the kernel has. */
    if (r == 0 && box[0] != want) {
        r = 3;
    }
    printf("%s: %d\n", argv[1], r);
    fflush(stdout);
    if (r == 0) {
        cudaDeviceSynchronize();
    }
    return r;
}
