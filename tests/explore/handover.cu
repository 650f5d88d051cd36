/* SPDX-License-Identifier: MIT */
/* A thread fills a pinned buffer, the main thread lets a kernel read it, waits, and gives it back:
 * right in each way in which the two tell each other, so nothing may be found. The ways "..._late"
 * forget to wait for the kernel, which must be found. Usage: handover WAY */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <future>
#include <thread>
#include <unistd.h>
#ifdef WITH_GLIB
#include <glib-unix.h>
#include <glib.h>
#endif

#define N 64
#define ROUNDS 4
#define MUST(what)                                        \
    do {                                                  \
        if (!(what)) {                                    \
            fprintf(stderr, "%s: %d\n", #what, __LINE__); \
            _exit(3);                                     \
        }                                                 \
    } while (0)

/* What -D_FORTIFY_SOURCE makes of read() and recvfrom(). */
extern "C" ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
extern "C" ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags,
                                  struct sockaddr *from, socklen_t *len);

/* What compilers make of a function's static variable (Itanium C++ ABI 3.3.3). */
extern "C" int __cxa_guard_acquire(uint64_t *guard);
extern "C" void __cxa_guard_release(uint64_t *guard);
extern "C" void __cxa_guard_abort(uint64_t *guard);

static std::string way;
static int *in, *middle, *out;
static cudaStream_t stream;

__global__ void twice(const int *from, int *to)
{
    to[threadIdx.x] = 2 * from[threadIdx.x];
}

/* --- one direction: what give() did before, take() comes after */

struct channel {
    int fd[2] = { -1, -1 }, poller = -1, messages = -1, posted = 0, sig = 0;
    pthread_t main_thread = pthread_self();
    sigset_t signals;
    mqd_t queue = -1;
    sem_t sem;
#ifdef WITH_GLIB
    GMutex mutex;
    GRecMutex recursive;
    GRWLock rwlock;
    GCond cond;
    GAsyncQueue *items;
    int n = 0;
#endif

    bool is(const char *name) const
    {
        return way == name || way == std::string(name) + "_late";
    }
    explicit channel(const char *name)
    {
        struct mq_attr attr = {};
        struct epoll_event e = {};
        char path[64];

        sem_init(&sem, 0, 0);
        if (is("pipe") || is("vector") || is("read_chk")) {
            MUST(pipe(fd) == 0);
        } else if (is("socket") || is("message") || is("recvfrom_chk")) {
            MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
        } else if (is("eventfd") || is("epoll") || is("poll_only")) {
            fd[0] = fd[1] = eventfd(0, EFD_SEMAPHORE | (is("epoll") ? EFD_NONBLOCK : 0));
            poller = epoll_create1(0);
            e.events = EPOLLIN;
            MUST(epoll_ctl(poller, EPOLL_CTL_ADD, fd[0], &e) == 0);
        } else if (is("queue")) {
            attr.mq_maxmsg = 4;
            attr.mq_msgsize = 8;
            snprintf(path, sizeof(path), "/vtegra_%d_%s", (int)getpid(), name);
            queue = mq_open(path, O_CREAT | O_RDWR, 0600, &attr);
            MUST(queue >= 0 && mq_unlink(path) == 0);
        } else if (is("flock")) { /* of two descriptions: a lock is of one */
            snprintf(path, sizeof(path), "/tmp/vtegra_%d_%s", (int)getpid(), name);
            fd[0] = open(path, O_CREAT | O_RDWR, 0600);
            fd[1] = open(path, O_RDWR);
            MUST(fd[0] >= 0 && fd[1] >= 0 && unlink(path) == 0);
        } else if (is("sigwait") || is("sigqueue") || is("tgkill") || is("signalfd") ||
                   is("rawkill") || is("killpg")) {
            static int next = SIGRTMIN + 1;

            sig = next++;
            sigemptyset(&signals);
            sigaddset(&signals, sig);
            MUST(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
            fd[0] = signalfd(-1, &signals, 0);
            MUST(fd[0] >= 0);
        } else if (is("sysv")) {
            messages = msgget(IPC_PRIVATE, 0600);
            MUST(messages >= 0);
        }
#ifdef WITH_GLIB
        g_mutex_init(&mutex);
        g_rec_mutex_init(&recursive);
        g_rw_lock_init(&rwlock);
        g_cond_init(&cond);
        items = g_async_queue_new();
#endif
    }
    ~channel()
    {
        if (messages >= 0) {
            msgctl(messages, IPC_RMID, NULL);
        }
    }
    void give()
    {
        char byte = 1;
        struct iovec v = { &byte, 1 };
        struct msghdr m = {};
        struct {
            long type;
            char text;
        } text = { 1, 1 };

        m.msg_iov = &v;
        m.msg_iovlen = 1;
        if (is("pipe") || is("read_chk")) {
            MUST(write(fd[1], &byte, 1) == 1);
        } else if (is("vector")) {
            MUST(writev(fd[1], &v, 1) == 1);
        } else if (is("socket") || is("recvfrom_chk")) {
            MUST(send(fd[1], &byte, 1, 0) == 1);
        } else if (is("message")) {
            MUST(sendmsg(fd[1], &m, 0) == 1);
        } else if (is("eventfd") || is("epoll") || is("poll_only")) {
            MUST(eventfd_write(fd[1], 1) == 0);
        } else if (is("queue")) {
            MUST(mq_send(queue, "1234567", 8, 0) == 0);
        } else if (is("flock")) {
            MUST(flock(fd[1], LOCK_EX) == 0);
            posted++;
            MUST(flock(fd[1], LOCK_UN) == 0);
        } else if (is("sigwait")) { /* one direction to a thread, one to whoever waits */
            MUST(pthread_equal(pthread_self(), main_thread) ? kill(getpid(), sig) == 0
                                                            : pthread_kill(main_thread, sig) == 0);
        } else if (is("sigqueue")) {
            MUST(sigqueue(getpid(), sig, { 1 }) == 0);
        } else if (is("tgkill")) {
            MUST(pthread_equal(pthread_self(), main_thread) ? kill(getpid(), sig) == 0
                                                            : tgkill(getpid(), getpid(), sig) == 0);
        } else if (is("rawkill")) {
            MUST(syscall(SYS_kill, getpid(), sig) == 0);
        } else if (is("killpg")) { /* of its own, or others would get it */
            setpgid(0, 0);
            MUST(killpg(getpgrp(), sig) == 0);
        } else if (is("signalfd")) {
            MUST(kill(getpid(), sig) == 0);
        } else if (is("sysv")) {
            MUST(msgsnd(messages, &text, sizeof(text.text), 0) == 0);
#ifdef WITH_GLIB
        } else if (is("g_mutex")) {
            g_mutex_lock(&mutex);
            n++;
            g_cond_signal(&cond);
            g_mutex_unlock(&mutex);
        } else if (is("g_until")) {
            g_mutex_lock(&mutex);
            n++;
            g_mutex_unlock(&mutex);
        } else if (is("g_rec_mutex")) {
            g_rec_mutex_lock(&recursive);
            n++;
            g_rec_mutex_unlock(&recursive);
        } else if (is("g_rw_lock")) {
            g_rw_lock_writer_lock(&rwlock);
            n++;
            g_rw_lock_writer_unlock(&rwlock);
        } else if (is("g_async_queue") || is("g_async_try")) {
            g_async_queue_push(items, this);
#endif
        } else {
            MUST(!"known");
        }
    }
    void take()
    {
        struct pollfd p = { fd[0], POLLIN, 0 };
        char byte = 0, eight[8];
        struct iovec v = { &byte, 1 };
        struct msghdr m = {};
        struct epoll_event e;
        struct {
            long type;
            char text;
        } text;
        eventfd_t count;

        m.msg_iov = &v;
        m.msg_iovlen = 1;
        if (is("pipe")) {
            MUST(read(fd[0], &byte, 1) == 1);
        } else if (is("vector")) {
            MUST(readv(fd[0], &v, 1) == 1);
        } else if (is("socket")) {
            MUST(recv(fd[0], &byte, 1, 0) == 1);
        } else if (is("read_chk")) {
            MUST(__read_chk(fd[0], &byte, 1, 1) == 1);
        } else if (is("recvfrom_chk")) {
            MUST(__recvfrom_chk(fd[0], &byte, 1, 1, 0, NULL, NULL) == 1);
        } else if (is("message")) {
            MUST(recvmsg(fd[0], &m, 0) == 1);
        } else if (is("eventfd")) {
            MUST(eventfd_read(fd[0], &count) == 0);
        } else if (is("poll_only")) { /* the number in it is read by a system call of our own */
            MUST(poll(&p, 1, -1) == 1);
            MUST(syscall(SYS_read, fd[0], &count, sizeof(count)) == sizeof(count));
        } else if (is("epoll")) {
            do {
                epoll_wait(poller, &e, 1, -1);
            } while (eventfd_read(fd[0], &count) != 0);
        } else if (is("queue")) {
            MUST(mq_receive(queue, eight, 8, NULL) == 8);
        } else if (is("flock")) {
            for (bool got = false; !got; usleep(10)) {
                MUST(flock(fd[0], LOCK_EX) == 0);
                got = posted > 0;
                posted -= got;
                MUST(flock(fd[0], LOCK_UN) == 0);
            }
        } else if (is("sigwait")) {
            int got = 0;

            MUST(sigwait(&signals, &got) == 0 && got == sig);
        } else if (is("sigqueue") || is("rawkill") || is("killpg")) {
            MUST(sigwaitinfo(&signals, NULL) == sig);
        } else if (is("tgkill")) {
            const struct timespec long_enough = { 100, 0 };

            MUST(sigtimedwait(&signals, NULL, &long_enough) == sig);
        } else if (is("signalfd")) {
            struct signalfd_siginfo info;

            MUST(read(fd[0], &info, sizeof(info)) == sizeof(info));
        } else if (is("sysv")) {
            MUST(msgrcv(messages, &text, sizeof(text.text), 0, 0) == 1);
#ifdef WITH_GLIB
        } else if (is("g_mutex")) {
            g_mutex_lock(&mutex);
            while (!n) {
                g_cond_wait(&cond, &mutex);
            }
            n--;
            g_mutex_unlock(&mutex);
        } else if (is("g_until")) {
            g_mutex_lock(&mutex);
            while (!n) {
                g_cond_wait_until(&cond, &mutex, g_get_monotonic_time() + 100);
            }
            n--;
            g_mutex_unlock(&mutex);
        } else if (is("g_rec_mutex")) {
            for (bool got = false; !got; usleep(10)) {
                g_rec_mutex_lock(&recursive);
                got = n > 0;
                n -= got;
                g_rec_mutex_unlock(&recursive);
            }
        } else if (is("g_rw_lock")) {
            for (bool got = false; !got; usleep(10)) {
                g_rw_lock_reader_lock(&rwlock);
                got = n > 0;
                g_rw_lock_reader_unlock(&rwlock);
            }
            g_rw_lock_writer_lock(&rwlock);
            n--;
            g_rw_lock_writer_unlock(&rwlock);
        } else if (is("g_async_queue")) {
            MUST(g_async_queue_pop(items) == this);
        } else if (is("g_async_try")) {
            while (!g_async_queue_try_pop(items)) {
                usleep(10);
            }
#endif
        } else {
            MUST(!"known");
        }
    }
};

static void pass_on()
{
    channel full("full"), empty("empty");
    bool late = way.size() > 5 && way.substr(way.size() - 5) == "_late";

    std::thread filler([&] {
        for (int round = 0; round < ROUNDS; round++) {
            if (round) {
                empty.take();
            }
            for (int i = 0; i < N; i++) {
                in[i] = round + i;
            }
            full.give();
        }
    });
    for (int round = 0; round < ROUNDS; round++) {
        full.take();
        twice<<<1, N, 0, stream>>>(in, out);
        if (!late) {
            cudaStreamSynchronize(stream);
            MUST(out[1] == 2 * (round + 1));
        }
        if (round + 1 < ROUNDS) {
            empty.give();
        }
    }
    filler.join();
}

/* The end of a pipe, or a socket, is what the reader waits for. */
static void end_of_pipe()
{
    int fd[2];
    char byte;

    MUST(way == "end_of_pipe" ? pipe(fd) == 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    std::thread filler([&] {
        for (int i = 0; i < N; i++) {
            in[i] = i;
        }
        if (way == "end_of_pipe") {
            close(fd[1]);
        } else {
            shutdown(fd[1], SHUT_WR);
        }
    });
    MUST(read(fd[0], &byte, 1) == 0);
    twice<<<1, N, 0, stream>>>(in, out);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && out[1] == 2);
    filler.join();
}

/* Who accepts comes after who connects. */
static void connected()
{
    struct sockaddr_un a = {};
    int server = socket(AF_UNIX, SOCK_STREAM, 0);

    a.sun_family = AF_UNIX;
    snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "vtegra_%d", (int)getpid());
    MUST(bind(server, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(server, 1) == 0);
    std::thread filler([&] {
        for (int i = 0; i < N; i++) {
            in[i] = i;
        }
        MUST(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&a, sizeof(a)) == 0);
    });
    MUST(accept(server, NULL, NULL) >= 0);
    twice<<<1, N, 0, stream>>>(in, out);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && out[1] == 2);
    filler.join();
}

/* The end of what one side says; or that it has come at all. */
static void end_of_socket()
{
    struct sockaddr_un name = {};
    int fd[2], listener = socket(AF_UNIX, SOCK_STREAM, 0);
    char byte;

    name.sun_family = AF_UNIX;
    snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "vtegra-handover-%d", (int)getpid());
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    MUST(bind(listener, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(listener, 1) == 0);
    std::thread filler([&] {
        for (int i = 0; i < N; i++) {
            in[i] = i;
        }
        if (way == "shutdown") {
            shutdown(fd[1], SHUT_WR);
        } else {
            MUST(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof(name)) ==
                 0);
        }
    });
    if (way == "shutdown") {
        MUST(read(fd[0], &byte, 1) == 0);
    } else {
        MUST(accept(listener, NULL, NULL) >= 0);
    }
    twice<<<1, N, 0, stream>>>(in, out);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && out[1] == 2);
    filler.join();
}

static int *fill()
{
    for (int i = 0; i < N; i++) {
        in[i] = i;
    }
    return in;
}

/* From a kernel of one thread to a kernel of another: nobody but an atomic tells that the first is
 * done. */
static void kernel_to_kernel()
{
    std::atomic<int> done{ 0 };

    fill();
    std::thread first([&] {
        cudaStream_t own;

        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
        for (int round = 0; round < ROUNDS; round++) {
            while (done.load(std::memory_order_acquire) != 2 * round) {
                std::this_thread::yield();
            }
            twice<<<1, N, 0, own>>>(in, middle);
            if (way == "kernels") {
                cudaStreamSynchronize(own);
            }
            done.store(2 * round + 1, std::memory_order_release);
        }
        cudaStreamSynchronize(own);
    });
    for (int round = 0; round < ROUNDS; round++) {
        while (done.load(std::memory_order_acquire) != 2 * round + 1) {
            std::this_thread::yield();
        }
        twice<<<1, N, 0, stream>>>(middle, out);
        cudaStreamSynchronize(stream);
        done.store(2 * round + 2, std::memory_order_release);
    }
    first.join();
}

/* --- made once, by whoever comes first */

static pthread_once_t c_once = PTHREAD_ONCE_INIT;
static std::once_flag cpp_once;
static int *table;
static uint64_t guard;

static int *the_table()
{
    if (way == "guard_once") { /* without the compiler's look */
        if (__cxa_guard_acquire(&guard)) {
            table = fill();
            __cxa_guard_release(&guard);
        }
        return table;
    }
    if (way == "guard_abort_once") { /* the first one gives up, and the next one tries again */
        if (__cxa_guard_acquire(&guard)) {
            if (table) {
                __cxa_guard_release(&guard);
            } else {
                table = fill();
                __cxa_guard_abort(&guard);
            }
        }
        return table;
    }
    if (way == "static") {
        static int *t = fill();

        return t;
    }
    if (way == "once") {
        pthread_once(&c_once, [] { table = fill(); });
    } else if (way == "call_once") {
        std::call_once(cpp_once, [] { table = fill(); });
#ifdef WITH_GLIB
    } else if (way == "g_once_init") {
        static gsize ready;

        if (g_once_init_enter(&ready)) {
            table = fill();
            g_once_init_leave(&ready, 1);
        }
    } else if (way == "g_once") {
        static GOnce once = G_ONCE_INIT;

        return (int *)g_once(
            &once, [](gpointer) { return (gpointer)fill(); }, NULL);
    } else if (way == "g_once_call") { /* without the macro's look */
        static GOnce once = G_ONCE_INIT;

        return (int *)g_once_impl(
            &once, [](gpointer) { return (gpointer)fill(); }, NULL);
#endif
    }
    return table;
}

static void make_once()
{
    auto use = [] {
        int *to;
        cudaStream_t own;

        cudaMallocHost(&to, N * sizeof(int));
        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
        for (int n = 0; n < 3; n++) {
            twice<<<1, N, 0, own>>>(the_table(), to);
            MUST(cudaStreamSynchronize(own) == cudaSuccess && to[1] == 2);
        }
    };
    std::thread first(use), second(use);

    use();
    first.join();
    second.join();
}

/* The same, by the functions behind the macros and the compiler's look: these alone tell. The
 * second one comes when all is over, by a flag that orders nothing. */
extern "C" int __cxa_guard_acquire(uint64_t *guard);
extern "C" void __cxa_guard_release(uint64_t *guard);
extern "C" void __cxa_guard_abort(uint64_t *guard);

static int *made_behind()
{
    static uint64_t guard;
#ifdef WITH_GLIB
    static gsize ready;
    static gpointer pointer;
    static GOnce once = G_ONCE_INIT;
#endif

    if (way == "guard") {
        if (__cxa_guard_acquire(&guard)) {
            fill();
            __cxa_guard_release(&guard);
        }
    } else if (way == "guard_abort") { /* and the next one tries again */
        MUST(__cxa_guard_acquire(&guard));
        if (in[1] != 1) {
            fill();
        }
        __cxa_guard_abort(&guard);
#ifdef WITH_GLIB
    } else if (way == "behind_g_init") {
        if ((g_once_init_enter)(&ready)) {
            fill();
            (g_once_init_leave)(&ready, 1);
        }
#if GLIB_CHECK_VERSION(2, 80, 0)
    } else if (way == "behind_g_pointer") {
        if ((g_once_init_enter_pointer)(&pointer)) {
            fill();
            (g_once_init_leave_pointer)(&pointer, in);
        }
#endif
    } else if (way == "behind_g_once") {
        g_once_impl(
            &once, [](gpointer) { return (gpointer)fill(); }, NULL);
#endif
    } else {
        MUST(!"known");
    }
    return in;
}

static void make_behind()
{
    static volatile bool over;
    std::thread first([] {
        made_behind();
        over = true;
        while (over) {
            sched_yield();
        }
    });

    while (!over) {
        sched_yield();
    }
    twice<<<1, N, 0, stream>>>(made_behind(), out);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && out[1] == 2);
    over = false;
    first.join();
}

/* --- GLib's locks, taken in two orders */

#ifdef WITH_GLIB
static GMutex ga, gb;
static GRecMutex gra, grb;
static GRWLock gwa, gwb;
static GCond gcond;
static GAsyncQueue *gqueue;

static void two_locks(bool a_first)
{
    if (way == "order_g_mutex") {
        g_mutex_lock(a_first ? &ga : &gb);
        g_mutex_lock(a_first ? &gb : &ga);
        g_mutex_unlock(a_first ? &gb : &ga);
        g_mutex_unlock(a_first ? &ga : &gb);
    } else if (way == "order_g_try_fine" && !a_first) {
        g_mutex_lock(&gb);
        if (g_mutex_trylock(&ga)) {
            g_mutex_unlock(&ga);
        }
        g_mutex_unlock(&gb);
    } else if (way == "order_g_clear_fine" && !a_first) {
        g_mutex_clear(&ga);
        g_mutex_lock(&gb);
        g_mutex_lock(&ga);
        g_mutex_unlock(&ga);
        g_mutex_unlock(&gb);
    } else if (way == "order_g_try_fine" || way == "order_g_clear_fine") {
        g_mutex_lock(&ga);
        g_mutex_lock(&gb);
        g_mutex_unlock(&gb);
        g_mutex_unlock(&ga);
    } else if (way == "order_g_rec_mutex") {
        g_rec_mutex_lock(a_first ? &gra : &grb);
        g_rec_mutex_lock(a_first ? &grb : &gra);
        g_rec_mutex_unlock(a_first ? &grb : &gra);
        g_rec_mutex_unlock(a_first ? &gra : &grb);
    } else if (way == "order_g_rw_lock" || way == "order_g_readers_fine") {
        g_rw_lock_reader_lock(a_first ? &gwa : &gwb);
        if (way == "order_g_rw_lock") {
            g_rw_lock_writer_lock(a_first ? &gwb : &gwa);
            g_rw_lock_writer_unlock(a_first ? &gwb : &gwa);
        } else {
            g_rw_lock_reader_lock(a_first ? &gwb : &gwa);
            g_rw_lock_reader_unlock(a_first ? &gwb : &gwa);
        }
        g_rw_lock_reader_unlock(a_first ? &gwa : &gwb);
    } else if (way ==
               "order_g_wait") { /* in one order: but the condition takes a again, behind b */
        g_mutex_lock(&ga);
        g_mutex_lock(&gb);
        if (a_first) {
            g_cond_wait_until(&gcond, &ga, g_get_monotonic_time() + 100);
        }
        g_mutex_unlock(&gb);
        g_mutex_unlock(&ga);
    } else if (way == "order_g_queue") {
        if (a_first) {
            g_mutex_lock(&ga);
            g_async_queue_lock(gqueue);
            g_async_queue_unlock(gqueue);
            g_mutex_unlock(&ga);
        } else {
            g_async_queue_lock(gqueue);
            g_mutex_lock(&ga);
            g_mutex_unlock(&ga);
            g_async_queue_unlock(gqueue);
        }
    } else {
        MUST(!"known");
    }
}

/* Both live all the time, and one is behind the other by a flag that orders nothing. */
static void in_two_orders()
{
    static volatile int turn;
    auto run = [](int n) {
        while (turn != n) {
            sched_yield();
        }
        two_locks(n == 0);
        turn = n + 1;
        while (turn != 2) {
            sched_yield();
        }
    };

    gqueue = g_async_queue_new();
    std::thread first(run, 0), second(run, 1);
    first.join();
    second.join();
}

/* What comes behind the signal, and what came before the wait, is of the mutex alone. */
static void wait_in_glib()
{
    static bool done;
    static volatile bool waits;

    std::thread other([] {
        while (!waits) {
            sched_yield();
        }
        g_mutex_lock(&ga);
        g_cond_signal(&gcond);
        MUST(in[0] == 5);
        fill();
        done = true;
        g_mutex_unlock(&ga);
    });
    g_mutex_lock(&ga);
    in[0] = 5;
    waits = true;
    while (!done) {
        if (way == "wait_g_cond") {
            g_cond_wait(&gcond, &ga);
        } else {
            g_cond_wait_until(&gcond, &ga, g_get_monotonic_time() + 60000000);
        }
    }
    twice<<<1, N, 0, stream>>>(in, out);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && out[1] == 2);
    g_mutex_unlock(&ga);
    other.join();
}
#endif

/* --- a callback of a stream tells that its kernel is done: nobody has to wait for it again */

static sem_t over;

static void CUDART_CB tell(void *)
{
    sem_post(&over);
}

static void wait_by_callback()
{
    sem_init(&over, 0, 0);
    fill();
    twice<<<1, N, 0, stream>>>(in, out);
    cudaLaunchHostFunc(stream, tell, NULL);
    while (sem_wait(&over) != 0) {
    }
    MUST(out[1] == 2);
    if (way == "callback_more") { /* and for this nobody waits */
        twice<<<1, N, 0, stream>>>(in, out);
    }
}

/* --- a signal handler may write and post whatever it has interrupted, even malloc() --------------
 */

static int bell[2];
static sem_t rung;
static volatile sig_atomic_t rings;
static std::atomic<int> told, looked;
static sigjmp_buf out_of_it;
#define MORE 4000
static std::atomic<int> more[MORE];

static void on_alarm(int)
{
    char byte = 0;

    if (way == "handler_pipe") {
        MUST(write(bell[1], &byte, 1) == 1);
    } else if (way == "handler_flag" || way == "handler_fork") {
        told++;
        more[rings % MORE]++; /* each is new to the checker, which takes memory for that */
    } else if (way == "handler_pinned") {
        in[rings % N] = rings;
        out[1] += in[0];
    } else if (way == "handler_call") {
        in[rings % N] = rings;
    } else if (way == "handler_leaves") {
        if (rings == 500) { /* exit() would wait for what it has left locked */
            syscall(SYS_exit_group, 0);
        }
        rings = rings + 1;
        siglongjmp(out_of_it, 1);
    } else {
        MUST(sem_post(&rung) == 0);
    }
    rings = rings + 1;
}

static void ring_in_malloc()
{
    const bool hooks = way != "handler_pipe" && way != "handler_post";
    const int wanted = hooks ? 4000 : 50;
    const long us = hooks ? 100 : 1000;
    const itimerval each = { { 0, us }, { 0, us } }, off = {};
    void *p[64] = {};
    sigset_t alarm;

    MUST(pipe(bell) == 0 && sem_init(&rung, 0, 0) == 0);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    std::thread listener([&] {
        char byte;

        for (int i = 0; i < wanted && !hooks; i++) {
            MUST(way == "handler_pipe" ? read(bell[0], &byte, 1) == 1 : sem_wait(&rung) == 0);
        }
    });
    signal(SIGALRM, on_alarm);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    if (sigsetjmp(out_of_it, 1) == 0) {
        setitimer(ITIMER_REAL, &each, NULL);
    }
    for (unsigned i = 0; rings < wanted; i++) {
        if (way != "handler_leaves") {
            free(p[i % 64]);
            p[i % 64] = malloc(i * 7919u % 3000 + 1);
        }
        if (way == "handler_flag" || way == "handler_leaves") {
            looked += told;
        } else if (way == "handler_pinned") {
            out[i * 16 % N] += in[i % N];
        } else if (way == "handler_call") {
            twice<<<1, N, 0, stream>>>(middle, out);
            cudaStreamSynchronize(stream);
        } else if (way == "handler_fork") {
            pid_t child = fork();

            if (child == 0) {
                syscall(SYS_exit_group, 0);
            }
            MUST(child > 0 && waitpid(child, NULL, 0) == child);
        }
    }
    setitimer(ITIMER_REAL, &off, NULL);
    listener.join();
}

/* The C library ends a program that frees twice; the handler goes on without. */
static void jump_out_of_free()
{
    void *volatile p = malloc(40);

    signal(SIGABRT, [](int) { siglongjmp(out_of_it, 1); });
    if (sigsetjmp(out_of_it, 1) == 0) {
        free(p);
        free(p);
        MUST(!"aborted");
    }
    fill();
    twice<<<1, N, 0, stream>>>(in, out);
    fill();
    cudaStreamSynchronize(stream);
}

/* --- a result that is ready when its thread has ended */

static void at_thread_exit()
{
    std::promise<int> promise;
    std::future<int> result = promise.get_future();
    std::thread other([&promise] {
        in[0] = 5;
        promise.set_value_at_thread_exit(1);
    });

    MUST(result.get() == 1 && in[0] == 5);
    other.join();
}

#ifdef WITH_GLIB
/* --- main loops: what a source finds that was attached before the loop has run */

static GMainLoop *loop;
static volatile bool attached, called;
static GMutex loop_mutex;

static gboolean seen(gpointer)
{
    MUST(in[0] == 5);
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

static void seen_once(gpointer data)
{
    MUST(in[0] == 5 && data == &in[0] && !called);
    called = true;
    g_timeout_add(5, seen, NULL);
}

#ifdef __clang__ /* for the device's code */
#define ENDS_IN_JUMP
#else
#define ENDS_IN_JUMP __attribute__((optimize("optimize-sibling-calls")))
#endif

/* Ends in a jump, as g_mutex_unlock() is all that is left. */
ENDS_IN_JUMP static void unlock_last(gpointer)
{
    g_mutex_lock(&loop_mutex);
    in[1] = 7;
    called = true;
    g_main_loop_quit(loop);
    g_mutex_unlock(&loop_mutex);
}

static void see_unlocked()
{
    for (bool got = false; !got; usleep(10)) {
        g_mutex_lock(&loop_mutex);
        got = called;
        MUST(!got || in[1] == 7);
        g_mutex_unlock(&loop_mutex);
    }
}

static gboolean ready(GSource *, gint *timeout)
{
    *timeout = 0;
    return TRUE;
}

static gboolean check(GSource *)
{
    return TRUE;
}

static gboolean dispatch(GSource *, GSourceFunc, gpointer)
{
    return seen(NULL);
}

static gboolean too_early(gpointer)
{
    MUST(called);
    return G_SOURCE_REMOVE;
}

static gboolean call_within(gpointer)
{
    GMainContext *other = g_main_context_new();

    MUST(g_main_context_acquire(other));
    g_main_context_invoke(other, [](gpointer) -> gboolean { called = true; return FALSE; }, NULL);
    MUST(called);
    return seen(NULL);
}

static int loop_bell[2]; /* rung before the frame is written, so it orders nothing */

static void attach()
{
    if (way == "loop_plain") { /* without a callback */
        static GSourceFuncs functions = { ready, check, dispatch, NULL, NULL, NULL };
        GSource *source = g_source_new(&functions, sizeof(GSource));

        g_source_attach(source, NULL);
        g_source_unref(source);
    } else if (way == "loop_source_high") {
        GSource *source = g_idle_source_new();

        g_source_set_priority(source, G_PRIORITY_HIGH);
        g_source_set_callback(source, seen, NULL, NULL);
        g_source_attach(source, NULL);
        g_source_unref(source);
    } else if (way == "loop_priority") { /* the later one is called first */
        g_idle_add(too_early, NULL);
        g_idle_add_full(G_PRIORITY_HIGH, [](gpointer) -> gboolean { called = true; return seen(NULL); }, NULL, NULL);
    } else if (way == "loop_once_tail") {
        g_idle_add_once(unlock_last, NULL);
    } else if (way == "loop_found") { /* by the data that it was added with */
        g_idle_add_once(seen_once, &in[1]);
        MUST(g_idle_remove_by_data(&in[1]) && !g_idle_remove_by_data(&in[1]));
        g_idle_add_full(G_PRIORITY_HIGH, too_early, &in[2], [](gpointer data) { MUST(data == &in[2]); called = true; });
        MUST(g_idle_remove_by_data(&in[2]) && called);
        g_idle_add(seen, NULL);
    } else if (way == "loop_again") { /* another callback ends the first, which ends its source */
        GSource *source = g_idle_source_new();

        g_source_set_callback(source, seen, source, [](gpointer data) { called = true; g_source_destroy((GSource *)data); });
        g_source_set_callback(source, seen, NULL, NULL);
        MUST(called);
        g_source_unref(source);
        g_idle_add(seen, NULL);
    } else if (way == "loop_users") { /* it takes its own callback away while it runs */
        static GSource *source = g_idle_source_new();

        g_source_set_callback(source, [](gpointer) -> gboolean {
            g_source_set_callback(source, seen, NULL, NULL);
            MUST(!called);
            return G_SOURCE_CONTINUE;
        }, NULL, [](gpointer) { MUST(!called); called = true; });
        g_source_attach(source, NULL);
    } else if (way == "loop_invoke_end") { /* by its own thread: twice, and then its end without the context */
        static GMainContext *own = g_main_context_new();

        g_main_context_push_thread_default(own);
        g_main_context_release(own);
        g_main_context_invoke_full(own, 0, [](gpointer n) -> gboolean { return ++*(int *)n < 2; }, &in[2], [](gpointer n) {
            called = true;
            MUST(*(int *)n == 2 && !g_main_context_is_owner(own));
        });
        MUST(called);
        g_idle_add(seen, NULL);
    } else if (way == "loop_fd") {
        g_unix_fd_add(loop_bell[0], G_IO_IN, [](gint, GIOCondition, gpointer) -> gboolean { return seen(NULL); }, NULL);
    } else if (way == "loop_invoke_own") {
        GMainContext *own = g_main_context_new();

        g_main_context_push_thread_default(own);
        g_main_context_release(own);
        g_main_context_invoke(own, [](gpointer) -> gboolean { called = true; return FALSE; }, NULL);
        MUST(called);
        g_idle_add(seen, NULL);
    } else if (way == "loop_invoke_other") {
        g_main_context_invoke(g_main_context_new(), [](gpointer) -> gboolean { called = true; return FALSE; }, NULL);
        MUST(!called);
        g_idle_add(seen, NULL);
    } else if (way == "loop_invoke_within") {
        g_idle_add(call_within, NULL);
    } else if (way == "loop_idle") {
        g_idle_add(seen, NULL);
    } else if (way == "loop_idle_full") {
        g_idle_add_full(G_PRIORITY_HIGH, seen, NULL, NULL);
    } else if (way == "loop_idle_once") {
        g_idle_add_once(seen_once, &in[0]);
    } else if (way == "loop_timeout") {
        g_timeout_add(1, seen, NULL);
    } else if (way == "loop_timeout_full") {
        g_timeout_add_full(G_PRIORITY_HIGH, 1, seen, NULL, NULL);
    } else if (way == "loop_timeout_once") {
        g_timeout_add_once(1, seen_once, &in[0]);
    } else if (way == "loop_seconds") {
        g_timeout_add_seconds(0, seen, NULL);
    } else if (way == "loop_seconds_full") {
        g_timeout_add_seconds_full(G_PRIORITY_HIGH, 0, seen, NULL, NULL);
    } else if (way == "loop_invoke_data") {
        g_main_context_invoke(NULL, [](gpointer data) -> gboolean { MUST(data == &in[0]); return seen(NULL); }, &in[0]);
    } else if (way == "loop_invoke") {
        g_main_context_invoke(NULL, seen, NULL);
    } else if (way == "loop_invoke_full") {
        g_main_context_invoke_full(NULL, G_PRIORITY_HIGH, seen, NULL, NULL);
    } else {
        GSource *source = g_idle_source_new();

        g_source_set_callback(source, seen, NULL, NULL);
        g_source_attach(source, NULL);
        g_source_unref(source);
    }
}

static gboolean goes_on(gpointer)
{
    return G_SOURCE_CONTINUE;
}

static void run_loop()
{
    loop = g_main_loop_new(NULL, FALSE);
    MUST(pipe(loop_bell) == 0 && write(loop_bell[1], "", 1) == 1);
    if (way.substr(0, 11) == "loop_invoke") { /* or the other thread calls it */
        MUST(g_main_context_acquire(NULL));
    }
    std::thread other([] {
        if (way == "loop_quit") { /* a loop that never sleeps is not woken, either */
            while (!g_main_loop_is_running(loop)) {
                usleep(10);
            }
            in[0] = 5;
            g_main_loop_quit(loop);
        } else {
            in[0] = 5;
            attach();
            attached = true;
        }
        if (way == "loop_once_tail") {
            see_unlocked();
        }
    });

    if (way == "loop_quit") {
        g_idle_add(goes_on, NULL);
    } else {
        while (!attached) {
            usleep(10);
        }
    }
    g_main_loop_run(loop);
    MUST(in[0] == 5);
    other.join();
}

/* --- thread pools */

static void job(gpointer data, gpointer user_data)
{
    MUST(data == &in[0] && user_data == &in[1] && in[0] == 5);
    in[0] = 6;
}

/* Wrong: one behind the other, but by two threads. Of the numbers of ms each waits so long. */
static void add_or_wait(gpointer data, gpointer)
{
    if (data == &in[0]) {
        in[0]++;
    } else {
        usleep((useconds_t)GPOINTER_TO_INT(data) * 1000);
    }
}

static void add_behind()
{
    GThreadPool *pool = g_thread_pool_new(add_or_wait, NULL, 2, TRUE, NULL);
    gpointer items[] = { GINT_TO_POINTER(50), &in[0], GINT_TO_POINTER(200), &in[0] };

    for (gpointer item : items) {
        MUST(g_thread_pool_push(pool, item, NULL));
    }
    g_thread_pool_free(pool, FALSE, TRUE);
}

/* Ends in a jump. */
ENDS_IN_JUMP static void add_and_unlock(gpointer data, gpointer)
{
    g_mutex_lock(&loop_mutex);
    ++*(int *)data;
    g_mutex_unlock(&loop_mutex);
}

static void use_pool_for_two(GFunc function)
{
    GThreadPool *pool = g_thread_pool_new(function, NULL, 2, TRUE, NULL);

    MUST(g_thread_pool_push(pool, &in[0], NULL) && g_thread_pool_push(pool, &in[0], NULL));
    g_thread_pool_free(pool, FALSE, TRUE);
}

/* GLib says so and gives nothing. */
static void be_refused()
{
    g_log_set_always_fatal((GLogLevelFlags)0);
    MUST(!g_thread_pool_new(NULL, NULL, 1, TRUE, NULL) && !g_thread_pool_new_full(NULL, NULL, NULL, 1, TRUE, NULL));
    MUST(!g_thread_pool_push(NULL, &in[0], NULL));
    g_thread_pool_free(NULL, FALSE, TRUE);
    MUST(!g_idle_add(NULL, NULL) && !g_timeout_add_full(0, 1, NULL, NULL, NULL) && !g_idle_add_once(NULL, NULL));
    g_source_set_callback(NULL, seen, NULL, NULL);
}

static void use_pool()
{
    GThreadPool *pool = way == "pool"
                            ? g_thread_pool_new(job, &in[1], 2, TRUE, NULL)
                            : g_thread_pool_new_full(job, &in[1], NULL, 2, FALSE, NULL);

    in[0] = 5;
    MUST(g_thread_pool_push(pool, &in[0], NULL));
    g_thread_pool_free(pool, FALSE, TRUE);
    MUST(in[0] == 6);
}

/* --- readers do not come before each other (g_readers is wrong), but before who writes */

static void read_both()
{
    static GRWLock lock;
    static volatile bool over;
    std::thread other([] {
        g_rw_lock_reader_lock(&lock);
        in[0]++;
        g_rw_lock_reader_unlock(&lock);
        over = true;
    });

    while (!over) {
        usleep(10);
    }
    if (way == "g_readers") {
        g_rw_lock_reader_lock(&lock);
        in[0]++;
        g_rw_lock_reader_unlock(&lock);
    } else {
        g_rw_lock_writer_lock(&lock);
        in[0]++;
        g_rw_lock_writer_unlock(&lock);
    }
    other.join();
}

/* Wrong: a signal between the look at the flag and the wait is lost. */
static void lose_signal()
{
    static std::atomic<bool> flag;
    static GMutex mutex;
    static GCond cond;
    std::thread other([] {
        flag = true;
        g_cond_broadcast(&cond);
    });

    g_mutex_lock(&mutex);
    while (!flag) {
        if (way == "lost_g_signal") {
            g_cond_wait(&cond, &mutex);
        } else {
            MUST(g_cond_wait_until(&cond, &mutex, g_get_monotonic_time() + G_TIME_SPAN_HOUR));
        }
    }
    g_mutex_unlock(&mutex);
    other.join();
}
#endif

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    cudaMallocHost(&in, N * sizeof(int));
    cudaMallocHost(&out, N * sizeof(int));
    cudaMalloc(&middle, N * sizeof(int));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (way.substr(0, 7) == "handler") {
        ring_in_malloc();
    } else if (way == "jump_late") {
        jump_out_of_free();
#ifdef WITH_GLIB
    } else if (way.substr(0, 6) == "order_") {
        in_two_orders();
    } else if (way.substr(0, 7) == "wait_g_") {
        wait_in_glib();
    } else if (way.substr(0, 7) == "lost_g_") {
        lose_signal();
    } else if (way.substr(0, 5) == "loop_") {
        run_loop();
    } else if (way == "pool_refused") {
        be_refused();
    } else if (way == "pool_behind") {
        add_behind();
    } else if (way == "pool_tail") {
        use_pool_for_two(add_and_unlock);
    } else if (way.substr(0, 4) == "pool") {
        use_pool();
    } else if (way.substr(0, 8) == "g_reader") {
        read_both();
#endif
    } else if (way == "at_thread_exit") {
        at_thread_exit();
    } else if (way == "guard" || way == "guard_abort" || way.substr(0, 7) == "behind_") {
        make_behind();
    } else if (way == "shutdown" || way == "connect") {
        end_of_socket();
    } else if (way == "end_of_pipe" || way == "end_of_socket") {
        end_of_pipe();
    } else if (way == "connected") {
        connected();
    } else if (way.find("once") != std::string::npos || way == "static") {
        make_once();
    } else if (way.substr(0, 7) == "kernels") {
        kernel_to_kernel();
    } else if (way.substr(0, 8) == "callback") {
        wait_by_callback();
    } else {
        pass_on();
    }
    printf("%s: done\n", way.c_str());
    return 0;
}
