/* SPDX-License-Identifier: MIT */
/* A thread writes a frame and another reads it, in order by one means of POSIX alone: nothing may
 * be found, whatever the schedule; but for atomic_other, function_other, barrier_late, readers, rwlock_anew, rwlock_readers_anew and older, which are races,
 * and atomic_never, which waits for nobody. atomic_counted gives up after so many looks, and no
 * timer shows that it loops. Usage: edges WAY */
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sched.h>
#include <fcntl.h>
#include <signal.h>
#include <semaphore.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <threads.h>
#include <time.h>

#include "check.h"

static int *frame, *pinned; /* pinned: each access is seen; the second is a flag */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static bool done, taken, waiting;
static int lock_file[2]; /* of the writer, of the reader: one file */
static std::atomic<bool> flag{ false }, other{ false }; /* of the process's own memory */
static const char *way;

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void write_frame(void)
{
    *frame = 7;
    done = true;
}

static struct timespec in_a_minute(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 60;
    return t;
}

static void cond_wait(void)
{
    struct timespec until = in_a_minute();

    if (is("cond_wait") || is("cancelled_wait")) {
        pthread_cond_wait(&cond, &mutex);
    } else if (is("cond_timed") || is("cancelled_timed")) {
        pthread_cond_timedwait(&cond, &mutex, &until);
    } else {
        pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &until);
    }
}

static void lock(bool write)
{
    struct timespec until = in_a_minute();

    if (is("mutex") || is("robust") || strncmp(way, "cond_", 5) == 0) {
        pthread_mutex_lock(&mutex);
    } else if (is("trylock")) {
        while (pthread_mutex_trylock(&mutex) != 0) {
        }
    } else if (is("timedlock")) {
        pthread_mutex_timedlock(&mutex, &until);
    } else if (is("rwlock")) {
        (void)(write ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_rdlock(&rwlock));
    } else if (is("spin")) {
        pthread_spin_lock(&spinlock);
    } else if (is("spin_try")) {
        while (pthread_spin_trylock(&spinlock) != 0) {
        }
    } else if (is("rwlock_try")) {
        while ((write ? pthread_rwlock_trywrlock(&rwlock) : pthread_rwlock_tryrdlock(&rwlock)) != 0) {
        }
    } else if (is("rwlock_timed")) {
        (void)(write ? pthread_rwlock_timedwrlock(&rwlock, &until)
                     : pthread_rwlock_timedrdlock(&rwlock, &until));
    } else if (is("clocklock")) {
        pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &until);
    } else if (is("flock")) {
        flock(lock_file[write], LOCK_EX);
    }
}

static void unlock(bool write)
{
    if (is("robust") && write) { /* it ends with the mutex */
    } else if (is("flock")) {
        flock(lock_file[write], LOCK_UN);
    } else if (strncmp(way, "rwlock", 6) == 0) {
        pthread_rwlock_unlock(&rwlock);
    } else if (is("spin") || is("spin_try")) {
        pthread_spin_unlock(&spinlock);
    } else {
        pthread_mutex_unlock(&mutex);
    }
}

static int come(void)
{
    int r = pthread_barrier_wait(&barrier);

    if (r == PTHREAD_BARRIER_SERIAL_THREAD && is("barrier_gone")) {
        pthread_barrier_destroy(&barrier);
    }
    return r;
}

static void *comer(void *)
{
    come();
    return NULL;
}

/* The frame goes over again and again, by a flag in memory that the GPU shares. */
static void give_often(void)
{
    for (int i = 0; i < 2000; i++) {
        while (__atomic_load_n(pinned, __ATOMIC_ACQUIRE)) {
        }
        write_frame();
        __atomic_store_n(pinned, 1, __ATOMIC_RELEASE);
    }
}

static int take_often(void)
{
    int seen = 0;

    for (int i = 0; i < 2000; i++) {
        while (!__atomic_load_n(pinned, __ATOMIC_ACQUIRE)) {
        }
        seen = *frame;
        __atomic_store_n(pinned, 0, __ATOMIC_RELEASE);
    }
    return seen;
}

/* Cancelled while it waits, it has the mutex again. */
static void write_and_unlock(void *)
{
    write_frame();
    pthread_mutex_unlock(&mutex);
}

static void *wait_cancelled(void *)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(write_and_unlock, NULL);
    waiting = true;
    while (!taken) {
        cond_wait();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

static int cancel_wait(void)
{
    pthread_t thread;
    bool waits = false;
    int seen = 0;

    pthread_create(&thread, NULL, wait_cancelled, NULL);
    while (!waits) {
        usleep(100);
        pthread_mutex_lock(&mutex);
        waits = waiting;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    *frame = 1;
    pthread_cancel(thread);
    usleep(100);
    *frame = 2;
    pthread_mutex_unlock(&mutex);
    while (seen != 7) { /* joining it would order all */
        pthread_mutex_lock(&mutex);
        seen = done ? *frame : 0;
        pthread_mutex_unlock(&mutex);
        usleep(100);
    }
    pthread_join(thread, NULL);
    return seen;
}

/* Returns when it has said that it waits, which orders nothing. */
static pthread_t start_until_it_waits(void *(*run)(void *), void *arg)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, arg);
    while (!*(volatile bool *)&waiting) {
        usleep(100);
    }
    return thread;
}

/* Another process has the mutex in between, and dies. */
static int read_after_child(void)
{
    pthread_mutex_t *m = (pthread_mutex_t *)mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attr;
    pthread_t thread;
    int seen;
    pid_t pid;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(m, &attr);
    thread = start_until_it_waits([](void *shared) -> void * {
        pthread_mutex_lock((pthread_mutex_t *)shared);
        write_frame();
        pthread_mutex_unlock((pthread_mutex_t *)shared);
        *(volatile bool *)&waiting = true;
        while (!*(volatile bool *)&taken) { /* or its end would order it */
            usleep(100);
        }
        return NULL;
    }, m);
    pid = fork();
    if (pid == 0) {
        pthread_mutex_lock(m);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    seen = pthread_mutex_lock(m) == EOWNERDEAD ? *frame : 0;
    *(volatile bool *)&taken = true;
    pthread_mutex_consistent(m);
    pthread_mutex_unlock(m);
    pthread_join(thread, NULL);
    return seen;
}

/* Wrong: another lock at the same place orders nothing. */
static void *locks_one(void *)
{
    if (is("rwlock_anew")) {
        pthread_rwlock_wrlock(&rwlock);
    } else {
        pthread_rwlock_rdlock(&rwlock);
    }
    *frame = 7;
    pthread_rwlock_unlock(&rwlock);
    *(volatile bool *)&waiting = true;
    return NULL;
}

static int lock_anew(void)
{
    pthread_t thread = start_until_it_waits(locks_one, NULL);

    pthread_rwlock_init(&rwlock, NULL);
    pthread_rwlock_wrlock(&rwlock);
    *frame = 7;
    pthread_rwlock_unlock(&rwlock);
    pthread_join(thread, NULL);
    return 7;
}

/* Who reads does not come before others that read; but before who writes. */
static void *reads_first(void *)
{
    pthread_rwlock_rdlock(&rwlock);
    *frame += 6; /* wrong, but for readers_first */
    pthread_rwlock_unlock(&rwlock);
    *(volatile bool *)&waiting = true;
    return NULL;
}

static int read_both(void)
{
    pthread_t thread = start_until_it_waits(reads_first, NULL);

    if (is("readers_first")) {
        pthread_rwlock_wrlock(&rwlock);
    } else {
        pthread_rwlock_rdlock(&rwlock);
    }
    *frame += 1;
    pthread_rwlock_unlock(&rwlock);
    pthread_join(thread, NULL);
    return *frame;
}

static void *writer(void *)
{
    if (is("pinned_often")) {
        give_often();
        return NULL;
    }
    if (is("robust_cond")) { /* it ends with the mutex that the other one waits for behind the signal */
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&cond);
        write_frame();
        return NULL;
    }
    if (is("barrier_late")) { /* who has come first leaves late, but not behind what comes before the next round */
        usleep(2000);
        come();
        write_frame();
        come();
    } else if (strncmp(way, "join", 4) == 0) {
        write_frame();
    } else if (is("once")) {
        pthread_once(&once, write_frame);
    } else if (is("sem") || is("sem_try")) {
        write_frame();
        sem_post(&sem);
    } else if (is("atomic") || is("atomic_counted")) {
        write_frame();
        flag.store(true, std::memory_order_release);
    } else if (is("atomic_other")) {
        other = true;
        *frame = 7;
        flag = true;
        done = true;
    } else if (strncmp(way, "barrier", 7) == 0) {
        write_frame();
        come();
    } else if (is("cond")) { /* behind the signal, with the mutex */
        pthread_mutex_lock(&mutex);
        done = true;
        pthread_cond_signal(&cond);
        *frame = 7;
        pthread_mutex_unlock(&mutex);
    } else if (strncmp(way, "cond_", 5) == 0) {
        pthread_mutex_lock(&mutex);
        write_frame();
        while (!taken) {
            cond_wait();
        }
        pthread_mutex_unlock(&mutex);
    } else if (strncmp(way, "wait", 4) == 0) { /* what comes behind the signal is of the mutex alone */
        while (!*(volatile bool *)&waiting) {
            sched_yield();
        }
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&cond);
        if (*frame != 6) {
            abort();
        }
        write_frame();
        pthread_mutex_unlock(&mutex);
    } else {
        lock(true);
        write_frame();
        unlock(true);
    }
    return NULL;
}

/* The writer comes after what was written before the wait, and who has waited after the writer. */
static int wait_for_writer(void)
{
    struct timespec until = in_a_minute();
    int seen;

    pthread_mutex_lock(&mutex);
    *frame = 6;
    waiting = true;
    while (!done) {
        if (is("wait")) {
            pthread_cond_wait(&cond, &mutex);
        } else if (is("wait_timed")) {
            pthread_cond_timedwait(&cond, &mutex, &until);
        } else {
            pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &until);
        }
    }
    seen = *frame;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static int c11_writer(void *)
{
    write_frame();
    return 0;
}

static void *reader(void *)
{
    return *frame == 7 ? NULL : &frame;
}

static int locked_read(void)
{
    for (;;) {
        lock(false);
        bool over = done;
        int seen = *frame;

        unlock(false);
        if (over) {
            return seen;
        }
    }
}

static void join(pthread_t thread)
{
    struct timespec until = in_a_minute();

    if (is("join_timed")) {
        pthread_timedjoin_np(thread, NULL, &until);
    } else if (is("join_clock")) {
        pthread_clockjoin_np(thread, NULL, CLOCK_REALTIME, &until);
    } else if (is("join_try")) {
        while (pthread_tryjoin_np(thread, NULL) != 0) {
        }
    } else {
        pthread_join(thread, NULL);
    }
}

static void write_in_function(void *)
{
    write_frame();
}

/* The host function of a stream that nobody waits for; a flag like this orders nothing. */
static int function_other(void)
{
    cudaLaunchHostFunc(0, write_in_function, NULL);
    while (!*(volatile bool *)&done) {
        sched_yield();
    }
    return *frame;
}

static volatile int turn_of_older; /* orders nothing */

static void *older(void *second)
{
    while (turn_of_older != (second ? 2 : 1)) {
    }
    *frame += 7 - *frame;
    turn_of_older = second ? 3 : 2;
    return NULL;
}

/* Two threads that there were before the board. */
static int run_older(void)
{
    pthread_t thread[2];

    pthread_create(&thread[0], NULL, older, NULL);
    pthread_create(&thread[1], NULL, older, &thread);
    cudaMallocHost(&frame, sizeof(*frame));
    turn_of_older = 1;
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 7;
}

static int run(void)
{
    pthread_t thread;
    thrd_t c11;
    void *wrong;
    int seen;

    if (is("create")) {
        write_frame();
        pthread_create(&thread, NULL, reader, NULL);
        pthread_join(thread, &wrong);
        return wrong ? 0 : 7;
    }
    if (is("robust_child")) {
        return read_after_child();
    }
    if (is("rwlock_anew") || is("rwlock_readers_anew")) {
        return lock_anew();
    }
    if (strncmp(way, "readers", 7) == 0) {
        return read_both();
    }
    if (strncmp(way, "cancelled_", 10) == 0) {
        return cancel_wait();
    }
    if (is("function_other")) {
        return function_other();
    }
    if (is("c11_join")) {
        thrd_create(&c11, c11_writer, NULL);
        thrd_join(c11, NULL);
        return *frame;
    }
    if (is("atomic_never")) {
        while (!flag.load(std::memory_order_acquire)) {
        }
    }
    if (is("barrier_more")) { /* somebody else was there the first time */
        pthread_create(&thread, NULL, comer, NULL);
        come();
        pthread_join(thread, NULL);
    }
    pthread_create(&thread, NULL, writer, NULL);
    if (strncmp(way, "join", 4) == 0) {
        join(thread);
        return *frame;
    }
    if (is("once")) {
        while (!*(volatile bool *)&done) { /* the other one runs it; a flag like this orders nothing */
            sched_yield();
        }
        pthread_once(&once, write_frame);
        seen = *frame;
    } else if (is("sem")) {
        sem_wait(&sem);
        seen = *frame;
    } else if (is("sem_try")) {
        while (sem_trywait(&sem) != 0) {
        }
        seen = *frame;
    } else if (is("atomic")) {
        while (!flag.load(std::memory_order_acquire)) {
        }
        seen = *frame;
    } else if (strncmp(way, "wait", 4) == 0) {
        seen = wait_for_writer();
        seen = *frame;
    } else if (is("atomic_counted")) {
        for (unsigned n = 0; !flag.load(std::memory_order_acquire); n++) {
            if (n == 1000000) {
                return 0;
            }
        }
        seen = *frame;
    } else if (is("pinned_often")) {
        seen = take_often();
    } else if (is("atomic_other")) { /* no order: what it acquires was released too early */
        while (!*(volatile bool *)&done) {
            sched_yield();
        }
        seen = other ? *frame : 0;
    } else if (is("barrier_late")) {
        come();
        seen = *frame;
        seen = seen == 0 ? 7 : seen;
        come();
    } else if (strncmp(way, "barrier", 7) == 0) {
        come();
        seen = *frame;
    } else if (is("cond") || is("robust_cond")) {
        pthread_mutex_lock(&mutex);
        while (!done) {
            pthread_cond_wait(&cond, &mutex);
        }
        seen = *frame;
        pthread_mutex_unlock(&mutex);
    } else if (strncmp(way, "cond_", 5) == 0) { /* who waits has let the mutex go */
        seen = locked_read();
        pthread_mutex_lock(&mutex);
        taken = true;
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
    } else {
        seen = locked_read();
    }
    pthread_join(thread, NULL);
    return seen;
}

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    if (is("atomic_counted")) {
        no_ticks();
    }
    if (is("flock")) {
        char name[] = "/tmp/vtegra-edges-XXXXXX";

        lock_file[0] = mkstemp(name);
        lock_file[1] = open(name, O_RDWR);
        unlink(name);
    }
    if (strncmp(way, "robust", 6) == 0) {
        pthread_mutexattr_t attr;

        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&mutex, &attr);
    }
    pthread_spin_init(&spinlock, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&sem, 0, 0);
    if (is("older")) {
        return run_older() != 7;
    }
    cudaMallocHost(&frame, sizeof(*frame));
    cudaMallocHost(&pinned, sizeof(*pinned));
    *frame = 0;
    *pinned = 0;
    return run() != 7;
}
