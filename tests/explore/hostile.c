/* SPDX-License-Identifier: MIT */
/* What real programs do with threads besides locking: C11 threads, stdio from many threads,
 * signals, timers, child processes and what they share, libraries with constructors that start
 * threads, many threads at once. Each part ends with 0 and prints the same whatever the schedule.
 * Usage: hostile PART */
#define _GNU_SOURCE /* pthread_sigqueue() */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

/* --- C11 threads */

static mtx_t c11_m;
static cnd_t c11_c;
static once_flag c11_once = ONCE_FLAG_INIT;
static int number, inits, ready;
static time_t c11_began;

static void c11_init(void)
{
    inits++;
}

static int c11_work(void *x)
{
    CHECK(time(NULL) - c11_began < 3600); /* one time for all: a run's begins in 2025 */
    call_once(&c11_once, c11_init);
    for (int i = 0; i < 10; i++) {
        int seen;

        mtx_lock(&c11_m);
        seen = number;
        thrd_yield();
        number = seen + 1;
        mtx_unlock(&c11_m);
    }
    mtx_lock(&c11_m);
    while (!ready) {
        cnd_wait(&c11_c, &c11_m);
    }
    mtx_unlock(&c11_m);
    return (int)(long)x * 3;
}

static void c11(void)
{
    struct timespec t = { .tv_nsec = 1000000 };
    int sum = 0, r;
    thrd_t threads[4];

    c11_began = time(NULL);
    mtx_init(&c11_m, mtx_timed);
    cnd_init(&c11_c);
    for (long i = 0; i < 4; i++) {
        CHECK(thrd_create(&threads[i], c11_work, (void *)i) == thrd_success);
    }
    CHECK(thrd_sleep(&t, NULL) == 0);
    mtx_lock(&c11_m);
    ready = 1;
    cnd_broadcast(&c11_c);
    mtx_unlock(&c11_m);
    for (int i = 0; i < 4; i++) {
        CHECK(thrd_join(threads[i], &r) == thrd_success);
        sum += r;
    }
    CHECK(number == 40 && inits == 1 && sum == 18);
    timespec_get(&t, TIME_UTC);
    t.tv_sec += 1;
    CHECK(mtx_lock(&c11_m) == thrd_success && mtx_trylock(&c11_m) == thrd_busy);
    CHECK(cnd_timedwait(&c11_c, &c11_m, &t) == thrd_timedout);
    mtx_unlock(&c11_m);
    mtx_destroy(&c11_m);
    cnd_destroy(&c11_c);
}

/* --- stdio: a locked stream, and a pipe between two threads */

static FILE *file, *in, *out;

static void *pair(void *x)
{
    for (int i = 0; i < 5; i++) {
        flockfile(file);
        fprintf(file, "a%ld ", (long)x);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        usleep(10);
        fprintf(file, "b%ld\n", (long)x);
        funlockfile(file);
    }
    return NULL;
}

static void *lines_count(void *x)
{
    char line[100];
    long n = 0;

    (void)x;
    while (fgets(line, sizeof(line), in)) {
        n++;
    }
    return (void *)n;
}

static void *lines_write(void *x)
{
    for (int i = 0; i < 5; i++) {
        fprintf(out, "line %d\n", i);
        fflush(out);
        usleep(100);
    }
    fclose(out);
    return x;
}

static void stdio(void)
{
    pthread_t t[3];
    char line[100];
    int lines = 0, fd[2];
    void *n;

    file = tmpfile();
    for (long i = 0; i < 3; i++) {
        CHECK(pthread_create(&t[i], NULL, pair, (void *)i) == 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
    }
    for (rewind(file); fgets(line, sizeof(line), file);) {
        lines += line[0] == 'a' && line[3] == 'b' && line[1] == line[4];
    }
    CHECK(lines == 15 && pipe(fd) == 0);
    in = fdopen(fd[0], "r");
    out = fdopen(fd[1], "w");
    CHECK(pthread_create(&t[0], NULL, lines_count, NULL) == 0);
    CHECK(pthread_create(&t[1], NULL, lines_write, NULL) == 0);
    CHECK(pthread_join(t[1], NULL) == 0 && pthread_join(t[0], &n) == 0 && (long)n == 5);
}

/* --- signals */

static sem_t sem;
static volatile sig_atomic_t hits;

static void on_signal(int sig)
{
    (void)sig;
    hits++;
    sem_post(&sem);
}

static void *signal_wait(void *x)
{
    sigset_t set;
    int sig;

    (void)x;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(sigwait(&set, &sig) == 0);
    return (void *)(long)sig;
}

static void *sem_down(void *x)
{
    while (sem_wait(&sem) != 0) {
        CHECK(errno == EINTR);
    }
    return x;
}

static void signals(void)
{
    struct itimerval soon = { .it_value = { 0, 20000 } };
    pthread_t t;
    sigset_t set;
    void *r;

    sem_init(&sem, 0, 0);
    signal(SIGUSR1, on_signal);
    signal(SIGALRM, on_signal);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, signal_wait, NULL);
    usleep(1000);
    pthread_kill(t, SIGUSR2);
    CHECK(pthread_join(t, &r) == 0 && (long)r == SIGUSR2);
    pthread_create(&t, NULL, sem_down, NULL);
    pthread_kill(t, SIGUSR1);
    CHECK(pthread_join(t, NULL) == 0 && hits == 1);
    setitimer(ITIMER_REAL, &soon, NULL);
    sem_down(NULL);
    CHECK(hits == 2);
    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    kill(getpid(), SIGUSR2);
    signal_wait(NULL);
}

#define KILLS 20
static volatile int slept;

static void *kill_sleeper(void *sleeper)
{
    for (int n = 0; slept < KILLS; n++) {
        usleep(100);
        if (n % 2) {
            pthread_kill(*(pthread_t *)sleeper, SIGUSR1);
        } else {
            pthread_sigqueue(*(pthread_t *)sleeper, SIGUSR1, (union sigval){ 0 });
        }
    }
    return NULL;
}

/* nanosleep(2): a signal ends the sleep. One that comes between two sleeps is lost, as it is on a
 * board: which ones do, the schedule says, and nothing else. */
static void kills(void)
{
    pthread_t self = pthread_self(), t;

    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, kill_sleeper, &self);
    for (int i = 0; i < KILLS; i++) {
        CHECK(nanosleep(&(struct timespec){ 1000, 0 }, NULL) == -1 && errno == EINTR);
        slept++;
    }
    pthread_join(t, NULL);
    CHECK(hits >= KILLS);
}

/* The handler comes in real time; that it ends the sleep is what is asked. */
static void on_alarm(int sig)
{
    (void)sig;
    hits++;
}

static void *poll_ever(void *x)
{
    while (!hits) {
        usleep(1000);
    }
    return x;
}

static void sleep_interrupted(void)
{
    struct itimerval soon = { { 0, 50000 }, { 0, 50000 } }; /* again, if one comes too early */
    pthread_t t;

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
    CHECK(poll(NULL, 0, -1) == -1 && errno == EINTR);
    hits = 0;
    pthread_create(&t, NULL, poll_ever, NULL);
    pthread_join(t, NULL);
}

/* The handler interrupts one thread's sleep while another one computes. */
static volatile sig_atomic_t about;

static void *alarm_for_sleeper(void *x)
{
    struct itimerval soon = { .it_value = { 0, 20000 } };
    sigset_t alarm;

    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* it is for the sleeper */
    while (!about) {
        sched_yield();
    }
    usleep(1000); /* until the other one sleeps */
    setitimer(ITIMER_REAL, &soon, NULL);
    while (!hits) {
    }
    return x;
}

static void alarm_beside(void)
{
    pthread_t t;

    signal(SIGALRM, on_alarm);
    pthread_create(&t, NULL, alarm_for_sleeper, NULL);
    about = 1;
    CHECK(nanosleep(&(struct timespec){ 1000, 0 }, NULL) == -1 && errno == EINTR);
    pthread_join(t, NULL);
}

/* It loops for long, but a timer is set that will end it. */
static void alarm_ends_a_loop(void)
{
    struct itimerval late = { .it_value = { 3, 0 } };

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &late, NULL);
    while (!hits) {
        sched_yield();
    }
}

#define ALARMS 600

/* A timer is over at once, and its handler, which wakes this thread, runs on another one, that
 * waits, too. */
static void *wait_for_alarms(void *x)
{
    struct itimerval soon = { .it_value = { 0, 1 } };
    sigset_t alarm;

    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    for (int i = 0; i < ALARMS; i++) {
        soon.it_value.tv_usec = 1 + i % 20;
        setitimer(ITIMER_REAL, &soon, NULL);
        CHECK(sem_wait(&sem) == 0);
    }
    return x;
}

static void alarms_soon(void)
{
    pthread_t t;

    sem_init(&sem, 0, 0);
    signal(SIGALRM, on_signal);
    pthread_create(&t, NULL, wait_for_alarms, NULL);
    pthread_join(t, NULL);
    CHECK(hits == ALARMS);
}

/* Wrong on purpose: nobody takes the signal, so nobody posts. */
static void alarm_is_blocked(void)
{
    struct itimerval soon = { .it_value = { 0, 20000 } };
    sigset_t alarm;

    sem_init(&sem, 0, 0);
    signal(SIGALRM, on_signal);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    sem_wait(&sem);
}

/* A program's own handler of a signal that the scheduler uses where nobody else does. */
static void *nothing(void *x)
{
    return x;
}

static void own_handler(void)
{
    pthread_t t;

    signal(SIGURG, on_alarm);
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    hits = 0;
    raise(SIGURG);
    CHECK(hits >= 1);
}

/* --- processes */

static char *const shell[] = { "/bin/sh", "-c", "exit 3", NULL };

static void *child_run(void *x)
{
    char text[10] = "";
    int status = 0;
    pid_t pid = 0;
    FILE *f;

    switch ((long)x) {
    case 0:
        pid = fork();
        if (pid == 0) {
            execv(shell[0], shell);
            _exit(9);
        }
        break;
    case 1:
        CHECK(posix_spawn(&pid, shell[0], NULL, NULL, shell, NULL) == 0);
        break;
    case 2:
        status = system("exit 3");
        break;
    default:
        f = popen("echo 3", "r");
        CHECK(fgets(text, sizeof(text), f) && text[0] == '3' && pclose(f) == 0);
        return (void *)3;
    }
    CHECK(pid == 0 || waitpid(pid, &status, 0) == pid);
    return (void *)(long)WEXITSTATUS(status);
}

struct shared {
    sem_t go, back;
    pthread_mutex_t m;
    pthread_cond_t c;
    pthread_barrier_t b;
    int flag;
    pthread_rwlock_t rw;
};

static void shared_init(struct shared *s)
{
    pthread_mutexattr_t mattr;
    pthread_condattr_t cattr;
    pthread_barrierattr_t battr;

    sem_init(&s->go, 1, 0);
    sem_init(&s->back, 1, 0);
    pthread_mutexattr_init(&mattr);
    pthread_mutexattr_setpshared(&mattr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->m, &mattr);
    pthread_condattr_init(&cattr);
    pthread_condattr_setpshared(&cattr, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&s->c, &cattr);
    pthread_barrierattr_init(&battr);
    pthread_barrierattr_setpshared(&battr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&s->b, &battr, 2);
}

static _Noreturn void shared_child(struct shared *s)
{
    usleep(20000);
    sem_post(&s->go);
    sem_wait(&s->back);
    usleep(20000);
    pthread_mutex_lock(&s->m);
    s->flag = 1;
    pthread_cond_signal(&s->c);
    usleep(1000);
    pthread_mutex_unlock(&s->m);
    usleep(20000);
    pthread_barrier_wait(&s->b);
    _exit(0);
}

static void processes(void)
{
    struct shared *s =
        mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t t[4];
    int sum = 0, status;
    void *r;
    pid_t pid;

    for (long i = 0; i < 4; i++) {
        CHECK(pthread_create(&t[i], NULL, child_run, (void *)i) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &r);
        sum += (int)(long)r;
    }
    CHECK(sum == 12);
    shared_init(s);
    pid = fork();
    if (pid == 0) {
        shared_child(s);
    }
    sem_wait(&s->go);
    sem_post(&s->back);
    pthread_mutex_lock(&s->m);
    while (!s->flag) {
        pthread_cond_wait(&s->c, &s->m);
    }
    pthread_mutex_unlock(&s->m);
    pthread_barrier_wait(&s->b);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* Another process holds the lock for a while. */
static void process_holds(void)
{
    struct shared *s =
        mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_rwlockattr_t attr;
    int status;
    pid_t pid;

    shared_init(s);
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&s->rw, &attr);
    pid = fork();
    if (pid == 0) {
        pthread_mutex_lock(&s->m);
        pthread_rwlock_wrlock(&s->rw);
        sem_post(&s->go);
        usleep(50000);
        pthread_mutex_unlock(&s->m);
        usleep(50000);
        pthread_rwlock_unlock(&s->rw);
        _exit(0);
    }
    sem_wait(&s->go);
    CHECK(pthread_mutex_lock(&s->m) == 0);
    CHECK(pthread_rwlock_rdlock(&s->rw) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* --- a library whose constructor starts a thread and waits for it */

#ifdef PLUGIN
static int built;

/* The loader's lock is held until construct() is over: what is called here first is found already.
 */
static void *build(void *x)
{
    struct sigaction action;
    sem_t once;
    int fd = open("/dev/null", O_RDONLY);

    CHECK(fd >= 0 && close(fd) == 0 && sigaction(SIGUSR1, NULL, &action) == 0);
    CHECK(sem_init(&once, 0, 1) == 0 && sem_trywait(&once) == 0 && sem_destroy(&once) == 0);
    built++;
    return x;
}

__attribute__((constructor)) static void construct(void)
{
    pthread_t t;

    pthread_create(&t, NULL, build, NULL);
    pthread_join(t, NULL);
}

int plugin(void);
int plugin(void)
{
    return built;
}
#endif

static void *load(void *x)
{
    void *handle = dlopen("./plugin.so", RTLD_NOW);
    int (*plugin)(void) = NULL;
    void *symbol;

    CHECK(handle);
    symbol = dlsym(handle, "plugin");
    memcpy(&plugin, &symbol, sizeof(plugin));
    CHECK(plugin() == 1);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    dlclose(handle);
    return x;
}

static void libraries(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&t[i], NULL, load, NULL) == 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
    }
}

/* --- many threads, in a line; spinning without hooks; a robust mutex; thread-specific data */

#define MANY 40

static int turn, done, destroyed;
static pthread_key_t key;
static volatile int spin_in, spin_out;

static void destroy(void *x)
{
    (void)x;
    pthread_mutex_lock(&m);
    destroyed++;
    pthread_mutex_unlock(&m);
}

static void *in_line(void *x)
{
    pthread_setspecific(key, &key);
    pthread_mutex_lock(&m);
    while (turn != (int)(long)x) {
        struct timespec t;

        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_sec++;
        pthread_cond_timedwait(&c, &m, &t);
    }
    turn++;
    done++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return x;
}

static void *spin(void *x)
{
    while (!spin_in) {
    }
    spin_out = 1;
    return x;
}

static void *die_with(void *x)
{
    pthread_mutex_lock(x);
    return x;
}

static void robust(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t r;
    pthread_t t;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&r, &attr);
    pthread_create(&t, NULL, die_with, &r);
    pthread_join(t, NULL);
    CHECK(pthread_mutex_lock(&r) == EOWNERDEAD && pthread_mutex_consistent(&r) == 0);
    CHECK(pthread_mutex_unlock(&r) == 0);
}

static void many(void)
{
    pthread_t t[MANY];

    pthread_key_create(&key, destroy);
    for (long i = 0; i < MANY; i++) {
        CHECK(pthread_create(&t[i], NULL, in_line, (void *)i) == 0);
    }
    for (int i = 0; i < MANY; i++) {
        pthread_join(t[i], NULL);
    }
    CHECK(done == MANY && destroyed == MANY);
    pthread_create(&t[0], NULL, spin, NULL);
    usleep(100);
    spin_in = 1;
    while (!spin_out) {
    }
    pthread_join(t[0], NULL);
    robust();
}

/* --- locks of the kernel's: whoever waits for one sleeps for real */

static void *lock_often(void *arg)
{
    FILE *f = fopen(arg, "r");

    CHECK(f);
    for (int i = 0; i < 100; i++) {
        CHECK(flock(fileno(f), LOCK_EX) == 0);
        number++;
        CHECK(flock(fileno(f), LOCK_UN) == 0);
    }
    fclose(f);
    return NULL;
}

static void file_locks(void)
{
    char name[] = "/tmp/vtegra-hostile-XXXXXX";
    pthread_t thread[3];
    int fd = mkstemp(name);

    CHECK(fd >= 0);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&thread[i], NULL, lock_often, name) == 0);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
    }
    CHECK(number == 300);
    close(fd);
    unlink(name);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        { "c11", c11 },
        { "stdio", stdio },
        { "signals", signals },
        { "kills", kills },
        { "processes", processes },
        { "many", many },
        { "libraries", libraries },
        { "alarm", sleep_interrupted },
        { "flock", file_locks },
        { "alarm_beside", alarm_beside },
        { "alarm_ends_a_loop", alarm_ends_a_loop },
        { "alarms_soon", alarms_soon },
        { "alarm_is_blocked", alarm_is_blocked },
        { "own_handler", own_handler },
        { "process_holds", process_holds },
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
            parts[i].run();
            printf("%s: as expected\n", argv[1]);
            return 0;
        }
    }
    return 2;
}
