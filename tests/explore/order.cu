/* SPDX-License-Identifier: MIT */
/* Locks that are taken in two orders, while nobody ever has to wait for one: which of them could
 * end in a deadlock one day? Usage: order WAY. The ways with "fine" in their name could not. Steps
 * are made in turns, by a flag, which orders nothing for the graph of locks. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <thread>
#include <threads.h>
#include <time.h>

#ifdef OWN_FREE /* an allocator of its own, as tcmalloc or a sanitizer has */
extern "C" void __libc_free(void *p);

extern "C" void free(void *p) noexcept
{
    __libc_free(p);
}
#endif

typedef void function(void);

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t ra = PTHREAD_RWLOCK_INITIALIZER, rb = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static volatile int turn;

static void wait_for_turn(int n)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != n) {
        sched_yield();
    }
}

static void next_turn(void)
{
    __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
}

/* The functions in threads that live all at once, one after the other. */
static void one_after_the_other(std::initializer_list<function *> what)
{
    pthread_t thread[8];
    unsigned n = 0;
    struct job {
        function *f;
        int n;
    };

    turn = 0;
    for (function *f : what) {
        pthread_create(
            &thread[n], NULL,
            [](void *arg) -> void * {
                job j = *(job *)arg;

                delete (job *)arg;
                wait_for_turn(j.n);
                j.f();
                next_turn();
                while (turn >= 0) { /* nobody ends before all have come so far */
                    sched_yield();
                }
                return NULL;
            },
            new job{ f, (int)n });
        n++;
    }
    wait_for_turn((int)n);
    __atomic_store_n(&turn, -1, __ATOMIC_RELEASE);
    while (n-- > 0) {
        pthread_join(thread[n], NULL);
    }
}

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);  // first
    pthread_mutex_lock(second); // second
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void a_b(void)
{
    both(&a, &b);
}

static void b_a(void)
{
    both(&b, &a);
}

static void b_c(void)
{
    both(&b, &c);
}

static void c_a(void)
{
    both(&c, &a);
}

/* --- what a thread holds besides: a gate lets one of them in */

static void with_gate_b_a(void)
{
    pthread_mutex_lock(&gate);
    b_a();
    pthread_mutex_unlock(&gate);
}

static void with_gate_a_b(void)
{
    pthread_mutex_lock(&gate);
    a_b();
    pthread_mutex_unlock(&gate);
}

/* --- who does not wait, or not for ever */

static void b_try_a(void)
{
    pthread_mutex_lock(&b);
    if (pthread_mutex_trylock(&a) == 0) {
        pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);
}

static void b_timed_a(void)
{
    struct timespec until = { 4000000000, 0 };

    pthread_mutex_lock(&b);
    if (pthread_mutex_timedlock(&a, &until) == 0) {
        pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);
}

static void tried_b_a(void)
{
    if (pthread_mutex_trylock(&b) == 0) {
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
}

/* --- readers */

static void r_r(pthread_rwlock_t *first, pthread_rwlock_t *second, bool write)
{
    pthread_rwlock_rdlock(first);
    write ? pthread_rwlock_wrlock(second) : pthread_rwlock_rdlock(second);
    pthread_rwlock_unlock(second);
    pthread_rwlock_unlock(first);
}

/* --- std::mutex, whose end nobody is told of */

struct frame {
    std::mutex lock;
    char data[200];
};

static std::mutex pool;
static frame *now;

static void pool_frame(void)
{
    std::lock_guard<std::mutex> p(pool), f(now->lock);
}

static void frame_pool(void)
{
    std::lock_guard<std::mutex> f(now->lock), p(pool);
}

static void frame_again(void)
{
    uintptr_t was = (uintptr_t)now;

    delete now;
    now = new frame;
    if ((uintptr_t)now != was) {
        printf("elsewhere\n"); /* this shows nothing then */
    }
}

static void init_again(void)
{
    pthread_mutex_init(&b, NULL);
}

/* Another frame each time, at the same place. */
__attribute__((noinline)) static void on_a_stack(int n)
{
    frame here;

    if (now && now != &here) {
        printf("elsewhere\n");
    }
    now = &here;
    __atomic_store_n(&turn, n, __ATOMIC_RELEASE);
    wait_for_turn(n + 1);
}

static void lend_stack(void)
{
    turn = 0;
    now = NULL;
    std::thread one([] {
        wait_for_turn(1);
        pool_frame();
        next_turn();
        wait_for_turn(4);
    });
    std::thread two([] {
        wait_for_turn(3);
        frame_pool();
        next_turn();
    });

    for (int n = 1; n <= 3; n += 2) {
        on_a_stack(n);
    }
    one.join();
    two.join();
}

/* --- condition variables: the mutex is waited for again */

static void a_wait_b(void)
{
    struct timespec soon;

    clock_gettime(CLOCK_REALTIME, &soon);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_cond_timedwait(&cond, &b, &soon);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}

/* --- in time */

static void *run(void *arg)
{
    (*(function **)arg)();
    return NULL;
}

static void in_thread(function *f)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, &f);
    pthread_join(thread, NULL);
}

static void in_thread_for_a_time(function *f)
{
    struct timespec until;
    pthread_t thread;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_create(&thread, NULL, run, &f);
    pthread_timedjoin_np(thread, NULL, &until);
}

static void phases(function *first, function *second)
{
    static function *what[2];
    pthread_t thread[2];

    what[0] = first;
    what[1] = second;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(
        &thread[0], NULL,
        [](void *) -> void * {
            what[0]();
            pthread_barrier_wait(&barrier);
            return NULL;
        },
        NULL);
    pthread_create(
        &thread[1], NULL,
        [](void *) -> void * {
            pthread_barrier_wait(&barrier);
            what[1]();
            return NULL;
        },
        NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
}

static void posted(void)
{
    pthread_t thread;

    sem_init(&sem, 0, 0);
    pthread_create(
        &thread, NULL,
        [](void *) -> void * {
            sem_wait(&sem);
            b_a();
            return NULL;
        },
        NULL);
    a_b();
    sem_post(&sem);
    pthread_join(thread, NULL);
}

/* Each takes both its forks at once, or one behind the other. */
#define PHILOSOPHERS 5
static std::mutex fork_of[PHILOSOPHERS];

static void dine(bool at_once)
{
    std::thread thread[PHILOSOPHERS];

    turn = 0;
    for (int i = 0; i < PHILOSOPHERS; i++) {
        thread[i] = std::thread([=] {
            std::mutex &left = fork_of[i], &right = fork_of[(i + 1) % PHILOSOPHERS];

            wait_for_turn(i);
            if (at_once) {
                std::scoped_lock l(left, right);
            } else {
                std::lock_guard<std::mutex> l(left), r(right);
            }
            next_turn();
            wait_for_turn(PHILOSOPHERS);
        });
    }
    for (auto &t : thread) {
        t.join();
    }
}

/* Many threads, each with many locks in one order. */
#define MANY 100000
static pthread_mutex_t *many;

static void *hand_over_hand(void *)
{
    pthread_mutex_lock(&many[0]);
    for (int i = 1; i < MANY; i++) {
        pthread_mutex_lock(&many[i]);
        pthread_mutex_unlock(&many[i - 1]);
    }
    pthread_mutex_unlock(&many[MANY - 1]);
    return NULL;
}

static void *often(void *)
{
    for (int i = 0; i < 1000000; i++) {
        a_b();
    }
    return NULL;
}

static void two(void *(*start)(void *))
{
    pthread_t thread[2];

    for (auto &t : thread) {
        pthread_create(&t, NULL, start, NULL);
    }
    for (auto &t : thread) {
        pthread_join(t, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    auto is = [&](const char *name) { return strcmp(way, name) == 0; };
    frame mine;

    cudaFree(0); /* the board is up */
    if (is("two")) {
        one_after_the_other({ a_b, b_a });
    } else if (is("three")) {
        one_after_the_other({ a_b, b_c, c_a });
    } else if (is("gate_of_one")) {
        one_after_the_other({ a_b, with_gate_b_a });
    } else if (is("gate_fine")) {
        one_after_the_other({ with_gate_a_b, with_gate_b_a });
    } else if (is("same_thread_fine")) {
        one_after_the_other({ [] {
                                 a_b();
                                 b_a();
                             },
                              b_c });
    } else if (is("tried")) {
        one_after_the_other({ a_b, tried_b_a });
    } else if (is("try_fine")) {
        one_after_the_other({ a_b, b_try_a });
    } else if (is("timed_fine")) {
        one_after_the_other({ a_b, b_timed_a });
    } else if (is("readers")) {
        one_after_the_other({ [] { r_r(&ra, &rb, true); }, [] { r_r(&rb, &ra, true); } });
    } else if (is("readers_fine")) {
        one_after_the_other({ [] { r_r(&ra, &rb, false); }, [] { r_r(&rb, &ra, false); } });
    } else if (is("c11")) {
        one_after_the_other({ a_b, [] {
                                 mtx_lock((mtx_t *)&b);
                                 mtx_lock((mtx_t *)&a);
                                 mtx_unlock((mtx_t *)&a);
                                 mtx_unlock((mtx_t *)&b);
                             } });
    } else if (is("wait")) {
        one_after_the_other({ a_wait_b, b_a });
    } else if (is("heap")) {
        now = new frame;
        one_after_the_other({ pool_frame, frame_pool });
        delete now;
    } else if (is("heap_again_fine")) {
        now = new frame;
        one_after_the_other({ pool_frame, frame_again, frame_pool });
        delete now;
    } else if (is("init_again_fine")) {
        one_after_the_other({ a_b, init_again, b_a });
    } else if (is("c11_init_again_fine")) {
        one_after_the_other({ a_b, [] { mtx_init((mtx_t *)&b, mtx_plain); }, b_a });
    } else if (is("c11_destroy_again_fine")) {
        one_after_the_other({ a_b,
                              [] {
                                  mtx_destroy((mtx_t *)&b);
                                  b = PTHREAD_MUTEX_INITIALIZER;
                              },
                              b_a });
    } else if (is("main_frame")) {
        now = &mine;
        one_after_the_other({ pool_frame, frame_pool });
    } else if (is("stack_fine")) {
        in_thread(lend_stack);
    } else if (is("mains_stack_fine")) {
        lend_stack();
    } else if (is("joined_fine")) {
        a_b();
        in_thread(b_a);
        in_thread(a_b);
        b_a();
    } else if (is("joined_in_time_fine")) {
        a_b();
        in_thread_for_a_time(b_a);
        in_thread_for_a_time(a_b);
        b_a();
    } else if (is("again")) {
        in_thread(b_c);
        a_b(); /* nobody else lives: but below somebody does */
        std::thread other([] {
            wait_for_turn(1);
            b_a();
        });
        a_b();
        next_turn();
        other.join();
    } else if (is("beside")) {
        one_after_the_other({ [] { in_thread(a_b); }, b_a });
    } else if (is("barrier_fine")) {
        phases(a_b, b_a);
    } else if (is("semaphore_fine")) {
        posted();
    } else if (is("philosophers")) {
        dine(false);
    } else if (is("philosophers_fine")) {
        dine(true);
    } else if (is("many_fine")) {
        many = (pthread_mutex_t *)calloc(MANY, sizeof(*many));
        two(hand_over_hand);
    } else if (is("often_fine")) {
        two(often);
    } else {
        return 2;
    }
    printf("ended\n");
    return 0;
}
