/* SPDX-License-Identifier: MIT */
/* Locks that are taken in two orders, while nobody ever has to wait for one: which of them could
 * end in a deadlock one day? Usage: order WAY. The ways with "fine" in their name could not. Steps
 * are made in turns, by a flag, which orders nothing for the graph of locks. */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <alloca.h>
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

/* --- std::mutex, whose destruction nothing shows */

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

static void destroy_again(void)
{
    static const pthread_mutex_t anew = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_destroy(&b);
    memcpy(&b, &anew, sizeof(b));
}

/* --- read-write locks and spin locks, and others at their places */

static pthread_spinlock_t sa;

static void ra_sa(void)
{
    pthread_rwlock_wrlock(&ra);
    pthread_spin_lock(&sa);
    pthread_spin_unlock(&sa);
    pthread_rwlock_unlock(&ra);
}

static void sa_ra(void)
{
    pthread_spin_lock(&sa);
    pthread_rwlock_wrlock(&ra);
    pthread_rwlock_unlock(&ra);
    pthread_spin_unlock(&sa);
}

static void sa_try_ra(void)
{
    struct timespec until = { 4000000000, 0 };

    pthread_spin_lock(&sa);
    if (pthread_rwlock_trywrlock(&ra) == 0) {
        pthread_rwlock_unlock(&ra);
    }
    if (pthread_rwlock_timedwrlock(&ra, &until) == 0) {
        pthread_rwlock_unlock(&ra);
    }
    if (pthread_rwlock_timedrdlock(&ra, &until) == 0) {
        pthread_rwlock_unlock(&ra);
    }
    pthread_spin_unlock(&sa);
}

static void ra_try_sa(void)
{
    pthread_rwlock_wrlock(&ra);
    if (pthread_spin_trylock(&sa) == 0) {
        pthread_spin_unlock(&sa);
    }
    pthread_rwlock_unlock(&ra);
}

/* --- what a thread holds */

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void still_held(void)
{
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&recursive);
}

static void b_recursive(void)
{
    both(&b, &recursive);
}

/* More than are remembered, and b with them. */
static void very_many(void)
{
    static pthread_mutex_t full[40];

    for (auto &m : full) {
        pthread_mutex_init(&m, NULL);
        pthread_mutex_lock(&m);
    }
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    for (auto &m : full) {
        pthread_mutex_unlock(&m);
    }
}

/* Lock a is held as a sign, which another thread takes down. */
static void a_for_another_b(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
}

static void unlock_a(void)
{
    pthread_mutex_unlock(&a);
}

/* At one place, and only now and then with another lock. */
static void seldom(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (int i = 0; i < 202; i++) {
        pthread_mutex_lock(first);
        if (i >= 200) {
            pthread_mutex_lock(second);
            pthread_mutex_unlock(second);
        }
        pthread_mutex_unlock(first);
    }
}

/* Whose owner has died: taken all the same. */
static pthread_mutex_t robust;

static void die_with_robust(void)
{
    pthread_t thread;

    pthread_create(
        &thread, NULL,
        [](void *) -> void * {
            pthread_mutex_lock(&robust);
            return NULL;
        },
        NULL);
    pthread_join(thread, NULL);
}

static void robust_b(void)
{
    pthread_mutex_lock(&robust);
    pthread_mutex_consistent(&robust);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&robust);
}

static void b_robust(void)
{
    both(&b, &robust);
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

/* A frame is lent twice, and in between both orders are taken. */
static void lend(void (*frame_of)(int turn))
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
        frame_of(n);
    }
    one.join();
    two.join();
}

static void lend_stack(void)
{
    lend(on_a_stack);
}

/* The same with a thread's own variables: they go with it, and the next thread has others there. */
static thread_local frame own;

static void on_a_thread(int n)
{
    if (now && now != &own) {
        printf("elsewhere\n");
    }
    now = &own;
    __atomic_store_n(&turn, n, __ATOMIC_RELEASE);
    wait_for_turn(n + 1);
}

static void in_a_new_thread(int n)
{
    pthread_t thread;

    pthread_create(
        &thread, NULL,
        [](void *n) -> void * {
            on_a_thread((int)(long)n);
            return NULL;
        },
        (void *)(long)n);
    pthread_join(thread, NULL);
}

static void lend_own(void)
{
    lend(in_a_new_thread);
}

static void own_lock(void)
{
    now = &own;
    pool_frame();
}

static void deep(void)
{
    volatile char *room = (volatile char *)alloca((32 << 20) + (size_t)(turn & 1));

    room[0] = 1;
    lend_stack();
    room[0] = 2;
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

static void in_thread(function *f, size_t stack = 0)
{
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    if (stack) {
        pthread_attr_setstacksize(&attr, stack);
    }
    pthread_create(&thread, stack ? &attr : NULL, run, &f);
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

/* Between two rounds they meet: also who leaves the first late, and whoever has come to the next. */
static void between(function *first, function *second)
{
    static function *what[3];
    static std::atomic<int> came;
    pthread_t thread[3];

    what[0] = first;
    what[1] = second;
    what[2] = [] {};
    pthread_barrier_init(&barrier, NULL, 3);
    for (pthread_t &one : thread) {
        pthread_create(
            &one, NULL,
            [](void *) -> void * {
                pthread_barrier_wait(&barrier);
                int mine = came++;
                wait_for_turn(mine);
                what[mine]();
                next_turn();
                pthread_barrier_wait(&barrier);
                return NULL;
            },
            NULL);
    }
    for (pthread_t one : thread) {
        pthread_join(one, NULL);
    }
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
    pthread_spin_init(&sa, 0);
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
    } else if (is("deep_stack_fine")) {
        in_thread(deep, 64 << 20);
    } else if (is("own_again_fine")) {
        lend_own();
    } else if (is("own")) {
        one_after_the_other({ own_lock, frame_pool });
    } else if (is("destroy_again_fine")) {
        one_after_the_other({ a_b, destroy_again, b_a });
    } else if (is("spin")) {
        one_after_the_other({ ra_sa, sa_ra });
    } else if (is("spin_try_fine")) {
        one_after_the_other({ ra_try_sa, sa_ra });
    } else if (is("rwlock_try_fine")) {
        one_after_the_other({ ra_sa, sa_try_ra });
    } else if (is("rwlock_init_fine")) {
        one_after_the_other({ ra_sa, [] { pthread_rwlock_init(&ra, NULL); }, sa_ra });
    } else if (is("rwlock_destroy_fine")) {
        one_after_the_other({ ra_sa, [] { pthread_rwlock_destroy(&ra); }, sa_ra });
    } else if (is("spin_init_fine")) {
        one_after_the_other({ ra_sa, [] { pthread_spin_init(&sa, 0); }, sa_ra });
    } else if (is("spin_destroy_fine")) {
        one_after_the_other({ ra_sa, [] { pthread_spin_destroy(&sa); }, sa_ra });
    } else if (is("recursive")) {
        one_after_the_other({ still_held, b_recursive });
    } else if (is("very_many")) {
        one_after_the_other({ very_many, a_b, b_a });
    } else if (is("very_many_again")) {
        one_after_the_other({ [] {
                                 very_many();
                                 a_b();
                             },
                              b_a });
    } else if (is("lent_fine")) {
        one_after_the_other({ a_for_another_b, unlock_a, b_a });
    } else if (is("seldom")) {
        one_after_the_other({ [] { seldom(&a, &b); }, [] { seldom(&b, &a); } });
    } else if (is("robust")) {
        pthread_mutexattr_t attr;

        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&robust, &attr);
        die_with_robust();
        one_after_the_other({ robust_b, b_robust });
    } else if (is("heap_again")) {
        now = new frame;
        one_after_the_other({ [] {
                                 pool_frame();
                                 frame_again();
                                 pool_frame();
                             },
                              frame_pool });
        delete now;
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
    } else if (is("rounds")) {
        between(a_b, b_a);
    } else if (is("rounds_fine")) {
        between(a_b, a_b);
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
