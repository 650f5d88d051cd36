/* SPDX-License-Identifier: MIT */
/* The application of test_fault.c: `test_fault_app CASE`. Line numbers are quoted there: keep the
 * marked lines where they are marked, the test reads the marks. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/test_check_board.h"

static volatile int *managed, *device;
static sigjmp_buf back;

static void launch(void)
{
    managed = cudaMallocManaged(1 << 20); /* MARK alloc */
    cudaLaunchKernel("_Z4spinPi");        /* MARK launch */
}

static void own_handler(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_signo != sig) {
        _exit(1);
    }
    dprintf(1, "handler %d at %ld\n", sig, (long)((char *)info->si_addr - (char *)managed));
    _exit(42);
}

static void jumping_handler(int sig)
{
    siglongjmp(back, sig);
}

static void opening_handler(int sig)
{
    (void)sig;
    dprintf(1, "opened\n");
    cudaDeviceSynchronize();
}

static void catch_with_sigaction(int sig, int flags)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | flags }, old;

    act.sa_sigaction = own_handler;
    sigemptyset(&act.sa_mask);
    sigaction(sig, &act, NULL);
    sigaction(sig, NULL, &old);
    if (old.sa_sigaction != own_handler) {
        printf("sigaction does not give back what was set\n");
    }
}

static int managed_write(void)
{
    launch();
    managed[4] = 1; /* MARK write */
    return 0;
}

static int managed_read(void)
{
    launch();
    return managed[0];
}

static int device_read(void)
{
    device = cudaMalloc(4096);
    return device[1];
}

static int managed_freed(void)
{
    managed = cudaMallocManaged(4096);
    cudaFree((void *)managed);
    mprotect((void *)managed, 4096, PROT_NONE); /* as the real board's memory is then */
    managed[4] = 1;                             /* MARK freed */
    return 0;
}

/* Memory of the program's own, and it is again. */
static int registered_freed(void)
{
    static char heap[4096] __attribute__((aligned(4096)));

    launch();
    cudaHostRegister(heap, 4096);
    cudaFree(heap);
    mprotect(heap, 4096, PROT_NONE);
    *(volatile char *)heap = 1;
    return 0;
}

static int pinned_closed(void)
{
    volatile int *pinned = cudaMallocHost(4096);

    mprotect((void *)pinned, 4096, PROT_NONE);
    return pinned[1];
}

static int pinned_closed_write(void)
{
    volatile int *pinned = cudaMallocHost(4096);

    mprotect((void *)pinned, 4096, PROT_NONE);
    pinned[1] = 1;
    return 0;
}

static int device_write(void)
{
    device = cudaMalloc(4096);
    device[1] = 1;
    return 0;
}

static int freed_read(void)
{
    managed = cudaMallocManaged(4096);
    cudaFree((void *)managed);
    mprotect((void *)managed, 4096, PROT_NONE);
    return managed[4];
}

/* What an engine finds where the program has unmapped its memory. */
static int lost(bool write)
{
    volatile int *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value;

    launch();
    page[1] = 7;
    board_lose((void *)page);
    errno = EXDEV;
    if (write) {
        page[1] = 9;
    }
    value = page[1];
    return errno == EXDEV ? 20 + value : 1;
}

static int lost_read(void)
{
    return lost(false);
}

static int lost_write(void)
{
    return lost(true);
}

/* An access that faults cannot be ignored. */
static int ignored(void)
{
    launch();
    signal(SIGSEGV, SIG_IGN);
    managed[0] = 1;
    return 0;
}

static int inside_libc(void)
{
    static char from[65536];

    launch();
    memset((void *)(uintptr_t)(managed + 16), from[(size_t)getpid() & 1], 65536); /* MARK libc */
    return 0;
}

static int synchronised(void)
{
    launch();
    cudaDeviceSynchronize();
    managed[0] = 7;
    return managed[0];
}

static int handler_before(void)
{
    catch_with_sigaction(SIGSEGV, 0);
    return managed_write();
}

static int handler_after(void)
{
    launch();
    catch_with_sigaction(SIGSEGV, 0);
    managed[4] = 1;
    return 0;
}

static int bus_handler_after(void)
{
    launch();
    catch_with_sigaction(SIGBUS, 0);
    managed[4] = 1;
    return 0;
}

static int plain_signal(void)
{
    int sig;

    launch();
    signal(SIGSEGV, jumping_handler);
    sig = sigsetjmp(back, 1);
    if (sig == 0) {
        managed[0] = 1;
    }
    printf("jumped with %d\n", sig);
    sig = sigsetjmp(back, 1); /* and a second time: the signal is not left blocked */
    if (sig == 0) {
        managed[1] = 1;
    }
    printf("jumped with %d\n", sig);
    return 5;
}

static int handler_opens(void)
{
    launch();
    signal(SIGSEGV, opening_handler);
    managed[0] = 9;
    return managed[0];
}

static int reset_hand(void)
{
    struct sigaction act = { .sa_flags = (int)SA_RESETHAND }, old;

    launch();
    act.sa_handler = jumping_handler;
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, NULL);
    if (sigsetjmp(back, 1) == 0) {
        managed[0] = 1;
    }
    sigaction(SIGSEGV, NULL, &old);
    printf("default again: %d\n", old.sa_handler == SIG_DFL);
    managed[1] = 1;
    return 0;
}

/* Its handler stood before the board's, and is for one time: the second touch kills. */
static int jumps_before(void)
{
    struct sigaction act = { .sa_flags = (int)SA_RESETHAND };

    act.sa_handler = jumping_handler;
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, NULL);
    launch();
    if (sigsetjmp(back, 1) == 0) {
        managed[0] = 1;
    }
    printf("jumped\n");
    managed[1] = 1;
    return 0;
}

/* Blocks in blocks: reading their DWARF takes the more stack. */
#define BLOCK(name, inner)     \
    {                          \
        volatile int name = 0; \
        (void)name;            \
        inner                  \
    }
#define BLOCKS(name, inner) BLOCK(name##1, BLOCK(name##2, BLOCK(name##3, BLOCK(name##4, inner))))
#define MANY_BLOCKS(name, inner) \
    BLOCKS(name##1, BLOCKS(name##2, BLOCKS(name##3, BLOCKS(name##4, inner))))

static int small_alternate_stack(void)
{
    enum { ROOM = 16384, GUARD = 4096 };
    char *stack =
        mmap(NULL, GUARD + ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t alternate = { .ss_sp = stack + GUARD, .ss_size = ROOM };

    mprotect(stack, GUARD, PROT_NONE);
    launch();
    sigaltstack(&alternate, NULL);
    catch_with_sigaction(SIGSEGV, SA_ONSTACK);
    MANY_BLOCKS(a, MANY_BLOCKS(b, MANY_BLOCKS(c, managed[4] = 1;)))
    return 0;
}

static int blocked(void)
{
    sigset_t all, old;

    launch();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigprocmask(SIG_BLOCK, NULL, &old);
    printf("blocked: %d\n", sigismember(&old, SIGSEGV));
    fflush(stdout);
    managed[0] = 1;
    return 0;
}

static void mask_handler(int sig)
{
    sigset_t now;

    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("%d %d %d\n", sigismember(&now, sig), sigismember(&now, SIGUSR1),
           sigismember(&now, SIGUSR2));
    _exit(13);
}

/* In a handler its own signal and those of sa_mask are blocked. */
static int masks(void)
{
    struct sigaction act = { .sa_flags = 0 };

    launch();
    act.sa_handler = mask_handler;
    sigemptyset(&act.sa_mask);
    sigaddset(&act.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &act, NULL);
    managed[0] = 1;
    return 0;
}

/* SA_NODEFER: not its own signal. */
static int no_defer(void)
{
    struct sigaction act = { .sa_flags = SA_NODEFER };

    launch();
    act.sa_handler = mask_handler;
    sigemptyset(&act.sa_mask);
    sigaddset(&act.sa_mask, SIGUSR2);
    sigaction(SIGSEGV, &act, NULL);
    managed[0] = 1;
    return 0;
}

/* The kernel gives a blocked fault to nobody: the process dies though it has a handler. */
static int blocked_with_handler(void)
{
    sigset_t set;

    launch();
    catch_with_sigaction(SIGSEGV, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, NULL);
    managed[4] = 1;
    return 0;
}

static int unblocked_again(void)
{
    sigset_t set;

    launch();
    catch_with_sigaction(SIGSEGV, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    managed[4] = 1;
    return 0;
}

static int not_ours(void)
{
    launch();
    *(volatile int *)16 = 1;
    return 0;
}

static int not_ours_handled(void)
{
    launch();
    signal(SIGSEGV, jumping_handler);
    if (sigsetjmp(back, 1) == 0) {
        *(volatile int *)16 = 1;
    }
    return 6;
}

static int sent(void)
{
    launch();
    return raise(SIGSEGV);
}

static int ignored_and_sent(void)
{
    launch();
    signal(SIGSEGV, SIG_IGN);
    raise(SIGSEGV);
    return 8;
}

static int truncated(bool handled)
{
    char name[] = "/tmp/vtegra-test-XXXXXX";
    int fd = mkstemp(name);
    char *map;

    unlink(name);
    launch();
    if (handled) {
        signal(SIGBUS, jumping_handler);
    }
    if (ftruncate(fd, 4096) != 0) {
        return 1;
    }
    map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED || ftruncate(fd, 0) != 0) {
        return 1;
    }
    return sigsetjmp(back, 1) == SIGBUS ? 10 : *(volatile char *)map;
}

static int truncated_file(void)
{
    return truncated(true);
}

static int truncated_unhandled(void)
{
    return truncated(false);
}

static int leaves_early(void)
{
    launch();
    _exit(11);
}

static int forks(void)
{
    launch();
    if (fork() == 0) {
        _exit(0);
    }
    return 12;
}

static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {
    { "managed_write", managed_write },
    { "managed_read", managed_read },
    { "device_read", device_read },
    { "inside_libc", inside_libc },
    { "managed_freed", managed_freed },
    { "freed_read", freed_read },
    { "registered_freed", registered_freed },
    { "pinned_closed", pinned_closed },
    { "pinned_closed_write", pinned_closed_write },
    { "device_write", device_write },
    { "lost_read", lost_read },
    { "lost_write", lost_write },
    { "ignored", ignored },
    { "no_defer", no_defer },
    { "jumps_before", jumps_before },
    { "synchronised", synchronised },
    { "handler_before", handler_before },
    { "handler_after", handler_after },
    { "bus_handler_after", bus_handler_after },
    { "plain_signal", plain_signal },
    { "handler_opens", handler_opens },
    { "reset_hand", reset_hand },
    { "small_alternate_stack", small_alternate_stack },
    { "blocked", blocked },
    { "masks", masks },
    { "blocked_with_handler", blocked_with_handler },
    { "unblocked_again", unblocked_again },
    { "not_ours", not_ours },
    { "not_ours_handled", not_ours_handled },
    { "sent", sent },
    { "ignored_and_sent", ignored_and_sent },
    { "truncated_file", truncated_file },
    { "truncated_unhandled", truncated_unhandled },
    { "leaves_early", leaves_early },
    { "forks", forks },
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    alarm(100); /* an access that is repeated for ever; valgrind takes its time */
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
            return cases[i].run();
        }
    }
    return 99;
}
