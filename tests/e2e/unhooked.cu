// SPDX-License-Identifier: MIT
// unhooked CASE: a program without compiler hooks touches pinned memory while a kernel that is given the whole buffer, and uses
// its first bytes alone, is on its way; with REGISTERED in the environment the memory is aligned_alloc()'s. Right values are what counts; "race" and "race_call" are mistakes, at the marked lines.
#include <cuda_runtime.h>

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        if ((call) != cudaSuccess) {                                                         \
            std::fprintf(stderr, "unhooked.cu:%d: %s\n", __LINE__, #call);                   \
            std::exit(4);                                                                    \
        }                                                                                    \
    } while (0)
// Ends with the number of the line that is wrong.
#define EXPECT(condition)                                                      \
    do {                                                                       \
        if (!(condition)) {                                                    \
            std::printf("unhooked.cu:%d: not %s\n", __LINE__, #condition);     \
            std::exit(3);                                                      \
        }                                                                      \
    } while (0)

enum { PAGE = 4096, BYTES = 64 * PAGE };

struct inner {
    int before;
    uint8_t *bytes;
};

__global__ void first(uint8_t *bytes, int value)
{
    bytes[0] = value;
}
__global__ void by_struct(inner x)
{
    x.bytes[0] = 5;
}

// What no parameter points to: by a variable of the module, by a pointer in memory.
__device__ uint8_t *latest;
__global__ void by_global()
{
    latest[0] = 5;
}
__global__ void by_table(uint8_t *const *table)
{
    table[1][0] = 5;
}

static volatile uint8_t *bytes;
static cudaStream_t stream;
static volatile int some = 40;

static void submit()
{
    first<<<1, 1, 0, stream>>>((uint8_t *)bytes, 9);
}

// --- mistakes

static void race()
{
    submit();
    std::printf("%d\n", bytes[0]); // RACE
}

static void race_struct()
{
    by_struct<<<1, 1, 0, stream>>>(inner{ 1, (uint8_t *)bytes });
    std::printf("%d\n", bytes[0]); // STRUCT
}

static void race_call()
{
    int null = open("/dev/null", O_WRONLY);

    submit();
    EXPECT(write(null, (void *)bytes, 8) == 8); // CALL
}

static void race_copy()
{
    static uint8_t to[64];

    submit();
    std::memcpy(to, (void *)bytes, (size_t)some); // COPY
    std::printf("%d\n", to[0]);
}

static void variable_set()
{
    uint8_t *b = (uint8_t *)bytes;

    CHECK(cudaMemcpyToSymbol(latest, &b, sizeof(b)));
}

static void race_variable()
{
    variable_set();
    by_global<<<1, 1, 0, stream>>>();
    std::printf("%d\n", bytes[0]); // VARIABLE
}

static void race_table()
{
    uint8_t *table[2] = { nullptr, (uint8_t *)bytes }, **at;

    CHECK(cudaMalloc(&at, sizeof(table)));
    CHECK(cudaMemcpy(at, table, sizeof(table), cudaMemcpyHostToDevice));
    by_table<<<1, 1, 0, stream>>>(at);
    std::printf("%d\n", bytes[0]); // TABLE
}

// --- right ones: other bytes

static void reached()
{
    volatile uint8_t *b = bytes + PAGE;

    variable_set();
    for (int round = 0; round < 3; round++) {
        by_global<<<1, 1, 0, stream>>>();
        for (int i = 0; i < 2000; i++) {
            b[i] += i;
        }
        CHECK(cudaStreamSynchronize(stream));
        EXPECT(bytes[0] == 5);
        bytes[0] = 9;
    }
    EXPECT(b[0] == 1 && b[1999] == (uint8_t)(1 + 3 * 1999));
}

static void widths()
{
    volatile uint8_t *b = bytes + PAGE;

    submit();
    *b = 0x81;
    EXPECT(*b == 0x81 && *(volatile int8_t *)b == -127);
    *(volatile uint16_t *)b = 0x8123;
    EXPECT(*(volatile uint16_t *)b == 0x8123 && (int)*(volatile int16_t *)b == (int16_t)0x8123);
    *(volatile uint32_t *)b = 0x81234567;
    EXPECT(*(volatile uint32_t *)b == 0x81234567);
    *(volatile uint64_t *)b = 0x8123456789abcdef;
    EXPECT(*(volatile uint64_t *)b == 0x8123456789abcdef);
    *(volatile uint32_t *)b += 0x10;
    EXPECT(*(volatile uint32_t *)b == 0x89abcdff && *(volatile uint32_t *)(b + 4) == 0x81234567);
    *(volatile double *)b = 2.5;
    *(volatile float *)(b + 8) = *(volatile double *)b;
    EXPECT(*(volatile float *)(b + 8) == 2.5f);
}

static void flags()
{
    volatile uint32_t *b = (volatile uint32_t *)(bytes + PAGE);
    uint8_t carry, zero;
    uint32_t sum = 0xfffffff0;

    submit();
    *b = 0x10;
    asm volatile("addl %3, %0\n setc %1\n setz %2" : "+r"(sum), "=r"(carry), "=r"(zero) : "m"(*b) : "cc");
    EXPECT(sum == 0 && carry == 1 && zero == 1);
    asm volatile("stc\n adcl $5, %0\n setc %1" : "+m"(*b), "=r"(carry) : : "cc");
    EXPECT(*b == 0x16 && carry == 0);
    asm volatile("cmpl $0x16, %1\n sete %0" : "=r"(zero) : "m"(*b) : "cc");
    EXPECT(zero == 1);
    asm volatile("movb %%ah, %0" : "=m"(*b) : "a"(0x1234));
    EXPECT((*b & 0xff) == 0x12);
}

static void atomics()
{
    auto *b = (std::atomic<uint64_t> *)(bytes + PAGE);
    uint64_t wanted = 8;

    submit();
    b->store(5);
    EXPECT(b->fetch_add(3) == 5 && b->exchange(8) == 8);
    EXPECT(b->compare_exchange_strong(wanted, 11) && b->load() == 11);
    EXPECT(!b->compare_exchange_strong(wanted, 12) && wanted == 11);
}

static void strings()
{
    uint8_t *b = (uint8_t *)bytes + PAGE + 100, *to = b;
    static uint8_t foreign[50000];
    const void *from = foreign;
    size_t n = 40000;

    submit();
    asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(5) : "memory");
    EXPECT(n == 0 && to == b + 40000 && b[0] == 5 && b[39999] == 5 && b[40000] == 1);
    std::memset(foreign, 7, sizeof(foreign));
    to = b;
    n = 5000;
    asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    EXPECT(n == 0 && to == b + 40000 && from == foreign + 40000 && b[0] == 7 && b[39999] == 7);
    b[0] = 9; // upwards: one byte goes all the way
    to = b + 1;
    from = b;
    n = 100;
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    EXPECT(b[100] == 9 && b[101] == 7);
    to = b + 200;
    n = 50;
    asm volatile("std\n rep stosb\n cld" : "+D"(to), "+c"(n) : "a"(3) : "memory");
    EXPECT(to == b + 150 && b[200] == 3 && b[151] == 3 && b[150] == 7);
    to = foreign;
    from = b;
    n = 201;
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    EXPECT(foreign[100] == 9 && foreign[200] == 3);
}

static void crossing()
{
    volatile uint8_t *b = bytes + 8 * PAGE;

    submit();
    *(volatile uint64_t *)(b - 3) = 0x0807060504030201;
    EXPECT(b[-3] == 1 && b[0] == 4 && b[4] == 8);
    EXPECT(*(volatile uint64_t *)(b - 3) == 0x0807060504030201);
}

static void vectors()
{
    volatile uint8_t *b = bytes + PAGE;
    static uint8_t back[64] __attribute__((aligned(64)));

    submit();
    for (int i = 0; i < 64; i++) {
        b[i] = i;
    }
    asm volatile("movdqu %1, %%xmm3\n movdqu %%xmm3, %0" : "=m"(*(uint8_t(*)[16])back) : "m"(*(uint8_t(*)[16])(b + 1)) : "xmm3");
    EXPECT(back[0] == 1 && back[15] == 16);
    if (__builtin_cpu_supports("avx2")) {
        asm volatile("vmovdqu %1, %%ymm3\n vmovdqu %%ymm3, %0\n vzeroupper"
                     : "=m"(*(uint8_t(*)[32])back)
                     : "m"(*(uint8_t(*)[32])(b + 2))
                     : "xmm3");
        EXPECT(back[0] == 2 && back[31] == 33);
        static const int32_t index[8] = { 0, 8192, 4, 8, 12, 16, 20, 8196 };
        *(volatile uint32_t *)(b + 8192) = 77;
        *(volatile uint32_t *)(b + 8196) = 78;
        asm volatile("vmovdqu %1, %%ymm4\n vpcmpeqd %%ymm5, %%ymm5, %%ymm5\n vpgatherdd %%ymm5, (%2,%%ymm4,1), %%ymm6\n"
                     "vmovdqu %%ymm6, %0\n vzeroupper"
                     : "=m"(*(uint8_t(*)[32])back)
                     : "m"(*(const uint8_t(*)[32])index), "r"(b)
                     : "xmm4", "xmm5", "xmm6", "memory");
        EXPECT(back[0] == 0 && back[4] == 77 && back[8] == 4 && back[28] == 78);
        // the half that the mask lets through, at the end of the buffer
        static const int32_t mask[8] = { -1, -1, -1, -1, 0, 0, 0, 0 };
        volatile uint8_t *end = bytes + BYTES - 16;
        asm volatile("vmovdqu %1, %%ymm5\n vpcmpeqd %%ymm6, %%ymm6, %%ymm6\n vpmaskmovd %%ymm6, %%ymm5, %0\n vzeroupper"
                     : "=m"(*(uint8_t(*)[32])end)
                     : "m"(*(const uint8_t(*)[32])mask)
                     : "xmm5", "xmm6");
        EXPECT(end[0] == 0xff && end[15] == 0xff && end[-1] == 1);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        asm volatile("movl $0x5, %%eax\n kmovd %%eax, %%k1\n vpternlogd $255, %%zmm16, %%zmm16, %%zmm16\n"
                     "vmovdqu32 %%zmm16, %0%{%%k1%}"
                     : "+m"(*(uint8_t(*)[64])(b + 64))
                     :
                     : "rax");
        EXPECT(b[64] == 0xff && b[67] == 0xff && b[68] == 1 && b[72] == 0xff && b[76] == 1);
    }
}

static void calls()
{
    uint8_t *b = (uint8_t *)bytes + PAGE, *far = (uint8_t *)bytes + 20 * PAGE;
    int zero = open("/dev/zero", O_RDONLY), pair[2];
    FILE *file = tmpfile();
    struct iovec v[2] = { { b, 5000 }, { far, 5000 } };

    submit();
    EXPECT(read(zero, b, 8192) == 8192 && b[0] == 0 && b[8191] == 0 && b[8192] == 1);
    std::memset(b, 1, 8192);
    EXPECT(readv(zero, v, 2) == 10000 && b[4999] == 0 && b[5000] == 1 && far[4999] == 0);
    std::memset(b, 2, 20000);
    EXPECT(fwrite(b, 1, 20000, file) == 20000 && fflush(file) == 0);
    EXPECT(pwrite(fileno(file), b + 1, 3, 0) == 3 && pwritev(fileno(file), v, 2, 100) == 10000);
    std::rewind(file);
    std::memset(b, 3, 20000);
    EXPECT(fread(b, 1, 20000, file) == 20000 && b[0] == 2 && b[19999] == 2 && b[20000] == 1);
    EXPECT(pread(fileno(file), b, 5, 5100) == 5 && b[0] == 0);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    b[0] = 42;
    EXPECT(send(pair[0], b, 1, 0) == 1 && recv(pair[1], far, 100, 0) == 1 && far[0] == 42);
    struct msghdr m = {};
    m.msg_iov = v;
    m.msg_iovlen = 2;
    EXPECT(sendmsg(pair[0], &m, 0) == 10000);
    std::memset(b, 0, 5000);
    EXPECT(recvmsg(pair[1], &m, MSG_WAITALL) == 10000 && b[0] == 42 && m.msg_iov == v);
    struct mmsghdr many = { m, 0 };
    EXPECT(sendmmsg(pair[0], &many, 1, 0) == 1 && recvmmsg(pair[1], &many, 1, 0, nullptr) == 1);
    EXPECT(many.msg_len == 10000 && b[0] == 42);
    *(volatile int *)far = 0;
    EXPECT(send(pair[0], b, 100, 0) == 100 && ioctl(pair[1], FIONREAD, far) == 0 && *(int *)far == 100);
    EXPECT(syscall(SYS_read, pair[1], far, 200) == 100 && far[0] == 42);
}

// --- system calls by the program's own instruction

static long raw(long number, const long (&a)[6])
{
    long result;
    register long r10 asm("r10") = a[3], r8 asm("r8") = a[4], r9 asm("r9") = a[5];

    asm volatile("syscall"
                 : "=a"(result)
                 : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

// By both ways; the error is that of the kernel.
static bool by_instruction;
template <typename... T> static long sys(long number, T... arg)
{
    const long a[6] = { (long)arg... };
    long result;

    if (by_instruction) {
        return raw(number, a);
    }
    result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result == -1 ? -errno : result;
}

static void vectors_of_system_calls()
{
    uint8_t *b = (uint8_t *)bytes + PAGE, *far = (uint8_t *)bytes + 20 * PAGE;
    static uint8_t own[20000];
    int zero = open("/dev/zero", O_RDONLY), file = fileno(tmpfile()), pair[2], ends[2];
    struct iovec v[2] = { { b, 5000 }, { far, 5000 } }, mine = { own, 10000 }, one = { b, 3000 };
    static struct iovec many[200];
    struct msghdr m = {};

    submit();
    std::memset(b, 7, 8192);
    std::memset(far, 8, 8192);
    EXPECT(sys(SYS_write, file, b, 8192) == 8192 && sys(SYS_pwrite64, file, far, 10, 0) == 10);
    EXPECT(sys(SYS_pread64, file, b + 1, 20, 0) == 20 && b[1] == 8 && b[10] == 8 && b[11] == 7);
    EXPECT(sys(SYS_readv, zero, v, 2) == 10000 && !b[0] && !b[4999] && b[5000] == 7 && !far[4999] && far[5000] == 8);
    EXPECT(sys(SYS_pwritev, file, v, 2, 0, 0) == 10000 && sys(SYS_pwritev2, file, v, 2, 0, 0, 0) == 10000);
    std::memset(b, 9, 5000);
    EXPECT(sys(SYS_preadv, file, v, 2, 0, 0) == 10000 && !b[4999]);
    std::memset(b, 9, 5000);
    EXPECT(sys(SYS_preadv2, file, v, 2, 0, 0, 0) == 10000 && !b[4999]);
    for (int i = 0; i < 200; i++) {
        many[i] = { b + i * 20, 10 };
    }
    std::memset(b, 9, 5000);
    EXPECT(sys(SYS_readv, zero, many, 200) == 2000 && !b[3980] && b[3990] == 9 && sys(SYS_writev, file, many, 200) == 2000);
    EXPECT(pipe(ends) == 0 && sys(SYS_vmsplice, ends[1], &one, 1, 0) == 3000);
    std::memset(b, 3, 3000); // the pipe has these pages, not a copy
    EXPECT(read(ends[0], own, 3000) == 3000 && own[0] == 3 && own[2999] == 3);
    EXPECT(sys(SYS_write, ends[1], own, 3000) == 3000 && sys(SYS_splice, ends[0], nullptr, file, nullptr, 3000, 0) == 3000);
    EXPECT(sys(SYS_process_vm_readv, getpid(), &mine, 1, v, 2, 0) == 10000 && own[0] == 3 && own[4999] == 9);
    std::memset(own, 6, sizeof(own));
    EXPECT(sys(SYS_process_vm_writev, getpid(), &mine, 1, v, 2, 0) == 10000 && b[0] == 6 && far[4999] == 6 && far[5000] == 8);
    EXPECT(sys(SYS_process_vm_readv, getpid(), v, 2, &mine, 1, 0) == 10000);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    m.msg_iov = v;
    m.msg_iovlen = 2;
    EXPECT(sys(SYS_sendmsg, pair[0], &m, 0) == 10000);
    std::memset(b, 0, 5000);
    EXPECT(sys(SYS_recvmsg, pair[1], &m, MSG_WAITALL) == 10000 && b[0] == 6 && m.msg_iov == v);
    std::memset(b, 0, 4096);
    EXPECT(sys(SYS_getrandom, b, 200, 0) == 200 && sys(SYS_uname, far) == 0 && !std::strcmp((char *)far, "Linux"));
    EXPECT(sys(SYS_mlock, b, 4096) == 0 && sys(SYS_munlock, b, 4096) == 0);
    // what is wrong stays wrong
    EXPECT(sys(SYS_readv, zero, (void *)8, 2) == -EFAULT && sys(SYS_read, zero, (void *)8, 2) == -EFAULT);
    EXPECT(sys(SYS_sendmsg, pair[0], (void *)8, 0) == -EFAULT && sys(SYS_writev, -1, v, 2) == -EBADF);
}

static void system_calls()
{
    vectors_of_system_calls();
}

static void instructions()
{
    by_instruction = true;
    vectors_of_system_calls();
}

static void functions()
{
    uint8_t *b = (uint8_t *)bytes + PAGE, *far = (uint8_t *)bytes + 20 * PAGE;
    static uint8_t own[20000];
    int zero = open("/dev/zero", O_RDONLY), file = fileno(tmpfile()), ends[2];
    struct iovec v[2] = { { b, 5000 }, { far, 5000 } }, mine = { own, 10000 };
    static struct iovec many[200];

    submit();
    std::memset(b, 7, 8192);
    EXPECT(pwritev2(file, v, 2, 0, 0) == 10000);
    std::memset(b, 0, 8192);
    EXPECT(preadv2(file, v, 2, 0, 0) == 10000 && b[0] == 7 && b[5000] == 0);
    for (int i = 0; i < 200; i++) {
        many[i] = { b + i * 20, 10 };
    }
    EXPECT(readv(zero, many, 200) == 2000 && !b[3980] && b[3990] == 7 && writev(file, many, 200) == 2000);
    EXPECT(preadv(zero, many, 200, 0) == 2000 && pwritev(file, many, 200, 0) == 2000);
    EXPECT(pipe(ends) == 0 && vmsplice(ends[1], v, 1, 0) == 5000 && read(ends[0], own, 5000) == 5000 && own[10] == 7);
    EXPECT(process_vm_readv(getpid(), &mine, 1, v, 2, 0) == 10000 && process_vm_writev(getpid(), &mine, 1, v, 2, 0) == 10000);
    std::memset(b, 0, 4096);
    EXPECT(getrandom(b, 200, 0) == 200 && getentropy(far, 200) == 0);
    EXPECT(mlock(b, 4096) == 0 && munlock(b, 4096) == 0);
    EXPECT(readv(-1, v, 2) == -1 && errno == EBADF && readv(zero, (struct iovec *)8, 2) == -1 && errno == EFAULT);
}

// A ring of one entry, as liburing makes it, and a read() through it.
static void uring()
{
    struct io_uring_params p = {};
    int zero = open("/dev/zero", O_RDONLY);
    long ring;

    by_instruction = true;
    submit();
    CHECK(cudaStreamSynchronize(stream));
    ring = sys(SYS_io_uring_setup, 4, &p);
    if (ring < 0) {
        std::puts("right: no io_uring here");
        std::exit(0);
    }
    size_t size = p.sq_off.array + p.sq_entries * 4;
    uint8_t *sq = (uint8_t *)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, (int)ring, IORING_OFF_SQ_RING);
    auto *entries = (struct io_uring_sqe *)mmap(nullptr, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
                                                MAP_SHARED | MAP_POPULATE, (int)ring, IORING_OFF_SQES);
    EXPECT(sq != MAP_FAILED && entries != MAP_FAILED);
    submit();
    entries[0].opcode = IORING_OP_READ;
    entries[0].fd = zero;
    entries[0].addr = (uintptr_t)bytes + PAGE;
    entries[0].len = 3000;
    ((uint32_t *)(sq + p.sq_off.array))[0] = 0;
    __atomic_store_n((uint32_t *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
    EXPECT(sys(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) == 1);
    EXPECT(bytes[PAGE] == 0 && bytes[PAGE + 2999] == 0 && bytes[PAGE + 3000] == 1);
}

static volatile sig_atomic_t came;

// All signals are blocked in the handler: it touches such a page, and makes a call of its own.
static void masked()
{
    struct sigaction act = {}, back = {};
    sigset_t all, before;

    act.sa_handler = [](int) {
        by_instruction = true;
        came += bytes[PAGE] + (sys(SYS_getppid) == getppid());
    };
    sigfillset(&act.sa_mask);
    EXPECT(sigaction(SIGUSR1, &act, nullptr) == 0 && sigaction(SIGUSR1, nullptr, &back) == 0);
    EXPECT(sigismember(&back.sa_mask, SIGSEGV) && sigismember(&back.sa_mask, SIGUSR2) && back.sa_handler == act.sa_handler);
    submit();
    raise(SIGUSR1);
    EXPECT(came == 2);
    sigfillset(&all); // the mask that is set by an instruction lasts
    by_instruction = true;
    EXPECT(sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8) == 0);
    raise(SIGUSR1);
    EXPECT(came == 2 && bytes[PAGE] == 1 && sys(SYS_getpid) == getpid());
    EXPECT(sys(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, 8) == 0 && came == 4);
}

static void forks_by_instruction()
{
    int status = -1;

    by_instruction = true;
    submit();
    long child = sys(SYS_fork);
    if (!child) {
        sys(SYS_exit_group, 5);
    }
    EXPECT(child > 0 && waitpid((pid_t)child, &status, 0) == child && WEXITSTATUS(status) == 5);
    EXPECT(sys(SYS_getrandom, bytes + PAGE, 10, 0) == 10);
}

static volatile sig_atomic_t ticks, faults;
static sigjmp_buf back;

static void tick(int)
{
    ticks++;
    bytes[4 * PAGE]++;
}

static void timer()
{
    struct itimerval every = { { 0, 300 }, { 0, 300 } }, off = {};
    struct sigaction act = {};
    unsigned sum = 0;

    act.sa_handler = tick;
    act.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &act, nullptr);
    bytes[4 * PAGE] = 0;
    submit();
    setitimer(ITIMER_REAL, &every, nullptr);
    for (int i = 0; i < 20000; i++) {
        sum += bytes[PAGE + i % PAGE];
    }
    setitimer(ITIMER_REAL, &off, nullptr);
    EXPECT(sum == 20000 && bytes[4 * PAGE] == (uint8_t)ticks && ticks > 0);
}

static void on_fault(int, siginfo_t *info, void *)
{
    EXPECT(info->si_addr == (void *)8);
    EXPECT(bytes[5000] == 3); // closed: the signal that is being handled comes again
    faults++;
    siglongjmp(back, 1);
}

static void own_handler()
{
    struct sigaction act = {};

    act.sa_sigaction = on_fault;
    act.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &act, nullptr);
    submit();
    bytes[5000] = 3;
    if (!sigsetjmp(back, 1)) {
        *(volatile int *)8 = 1;
    }
    bytes[5001] = 4;
    EXPECT(faults == 1 && bytes[5000] == 3 && bytes[5001] == 4);
}

// The program's own protection, a write barrier: it holds whether the page is closed before it, meanwhile or not at all, and its handler
// is called once a page.
static void on_barrier(int, siginfo_t *info, void *)
{
    faults++;
    EXPECT(mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE) == 0);
}

static void barrier_holds(int page)
{
    volatile uint8_t *b = bytes + page * PAGE;

    faults = 0;
    EXPECT(b[100] == 1 && faults == 0);
    b[100] = 7;
    EXPECT(faults == 1);
    b[101] = 8;
    EXPECT(faults == 1 && b[100] == 7 && b[101] == 8 && b[99] == 1);
    CHECK(cudaStreamSynchronize(stream));
    b[102] = 9;
    EXPECT(faults == 1 && b[100] == 7);
}

static void own_protection()
{
    uint8_t *b = (uint8_t *)bytes;
    int zero = open("/dev/zero", O_RDONLY);
    struct sigaction act = {};

    act.sa_sigaction = on_barrier;
    act.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &act, nullptr);
    EXPECT(mprotect(b + 2 * PAGE, PAGE, PROT_READ) == 0);
    submit();
    barrier_holds(2);
    submit();
    EXPECT(mprotect(b + 3 * PAGE, PAGE, PROT_READ) == 0);
    EXPECT(read(zero, b + 3 * PAGE, 10) == -1 && errno == EFAULT && b[3 * PAGE] == 1);
    EXPECT(read(zero, b + 4 * PAGE, 10) == 10 && b[4 * PAGE] == 0);
    barrier_holds(3);
    submit();
    EXPECT(syscall(SYS_mprotect, b + 5 * PAGE, PAGE, PROT_READ) == 0);
    barrier_holds(5);
    submit();
    EXPECT(mprotect(b + 6 * PAGE, PAGE, PROT_READ) == 0);
    CHECK(cudaStreamSynchronize(stream));
    barrier_holds(6);
    EXPECT(mprotect(b + 7 * PAGE, PAGE, PROT_NONE) == 0);
    faults = 0;
    EXPECT(b[7 * PAGE] == 1 && faults == 1);
}

// It opens what it has not closed: what is on its way stays so.
static void race_opened()
{
    submit();
    EXPECT(mprotect((void *)bytes, BYTES, PROT_READ | PROT_WRITE) == 0);
    std::printf("%d\n", bytes[0]); // OPENED
}

static void small_stack()
{
    static char room[8192];
    stack_t small = {};

    small.ss_sp = room;
    small.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) < 4096 ? 4096 : sysconf(_SC_MINSIGSTKSZ);
    EXPECT(sigaltstack(&small, nullptr) == 0);
    submit();
    bytes[5000] = 3;
    EXPECT(bytes[5000] == 3);
}

static void children()
{
    int status = -1;

    submit();
    pid_t child = fork();
    if (!child) {
        bytes[5000] = 3;
        _exit(bytes[5000] == 3 && bytes[6000] == 1 ? 0 : 7);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    child = vfork();
    if (!child) {
        execl("/bin/true", "true", (char *)nullptr);
        _exit(9);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(bytes[7000] == 1);
}

static void *count(void *opaque)
{
    uintptr_t mine = (uintptr_t)opaque;

    for (int i = 0; i < 2000; i++) {
        volatile uint8_t *b = bytes + (1 + i % 20) * PAGE + mine * 64;

        *b = i;
        if (*b != (uint8_t)i) {
            return opaque ? opaque : (void *)-1;
        }
    }
    return nullptr;
}

static void threads()
{
    for (int round = 0; round < 3; round++) { // threads end and others come
        pthread_t thread[3];

        for (uintptr_t i = 0; i < 3; i++) {
            pthread_create(&thread[i], nullptr, count, (void *)i);
        }
        for (int i = 0; i < 20; i++) {
            submit();
            CHECK(cudaStreamSynchronize(stream));
        }
        for (int i = 0; i < 3; i++) {
            void *bad;

            pthread_join(thread[i], &bad);
            EXPECT(!bad);
        }
    }
}

static void machine_code() // made at run time, and changed
{
    static const uint8_t load[] = { 0x0f, 0xb6, 0x07, 0xc3 }, negated[] = { 0x0f, 0xbe, 0x07, 0xc3 };
    void *at = mmap(nullptr, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int (*run)(const volatile uint8_t *);

    EXPECT(at != MAP_FAILED);
    std::memcpy(&run, &at, sizeof(run));
    submit();
    bytes[5000] = 0xf0;
    std::memcpy(at, load, sizeof(load));
    EXPECT(run(bytes + 5000) == 0xf0);
    std::memcpy(at, negated, sizeof(negated));
    EXPECT(run(bytes + 5000) == -16);
}

static void traps()
{
    struct sigaction act = {};

    act.sa_handler = [](int) { faults++; };
    sigaction(SIGTRAP, &act, nullptr);
    submit();
    bytes[5000] = 1;
    raise(SIGTRAP);
    EXPECT(faults == 1);
}

// --- host functions

struct job {
    int at;
    volatile uint8_t *bytes;
};

static void store_byte(void *data)
{
    const job *j = (const job *)data;

    j->bytes[j->at] = 3;
    j->bytes[0] = 9;
}

static void store_first(void *data)
{
    *(volatile uint8_t *)data = 9;
}

static void function_struct()
{
    static job late = { 100, bytes };

    CHECK(cudaLaunchHostFunc(stream, store_byte, &late));
    EXPECT(bytes[100] == 1); // FUNCTION
}

// A byte read again and again is a flag.
static void function_polls()
{
    CHECK(cudaLaunchHostFunc(stream, store_first, (void *)bytes));
    while (bytes[0] != 9) {
    }
}

// The same page, other bytes.
static void function_apart()
{
    static job late = { 100, bytes };

    CHECK(cudaLaunchHostFunc(stream, store_byte, &late));
    for (int i = 200; i < 300; i++) {
        bytes[i] = 5;
    }
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(bytes[100] == 3 && bytes[299] == 5);
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    { "race", race },         { "race_struct", race_struct }, { "race_call", race_call }, { "race_copy", race_copy },
    { "race_variable", race_variable }, { "race_table", race_table }, { "reached", reached },
    { "widths", widths },     { "flags", flags },             { "atomics", atomics },     { "strings", strings },
    { "crossing", crossing }, { "vectors", vectors },         { "calls", calls },         { "timer", timer },
    { "own_handler", own_handler }, { "own_protection", own_protection }, { "race_opened", race_opened }, { "small_stack", small_stack }, { "children", children }, { "threads", threads },
    { "machine_code", machine_code }, { "traps", traps },     { "system_calls", system_calls },
    { "instructions", instructions }, { "functions", functions }, { "uring", uring }, { "masked", masked },
    { "forks", forks_by_instruction }, { "function_struct", function_struct }, { "function_polls", function_polls },
    { "function_apart", function_apart },
};

int main(int argc, char **argv)
{
    void *at;

    if (std::getenv("REGISTERED")) {
        at = std::aligned_alloc(PAGE, BYTES);
        CHECK(cudaHostRegister(at, BYTES, cudaHostRegisterDefault));
    } else {
        CHECK(cudaMallocHost(&at, BYTES));
    }
    CHECK(cudaStreamCreate(&stream));
    std::memset(at, 1, BYTES);
    bytes = (volatile uint8_t *)at;
    for (const auto &one : cases) {
        if (argc > 1 && std::strcmp(argv[1], one.name) == 0) {
            one.run();
            CHECK(cudaStreamSynchronize(stream));
            EXPECT(std::strncmp(one.name, "race", 4) == 0 || bytes[0] == 9);
            std::puts("right");
            return 0;
        }
    }
    return 2;
}
