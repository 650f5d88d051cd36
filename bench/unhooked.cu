// SPDX-License-Identifier: MIT
// unhooked WAY [N]: what a program without hooks pays for pinned memory that is closed while work is on its way. unhooked.sh builds it.
//   frames   N frames of 1080p: the CPU fills, a copy, a kernel, a copy back, a wait, the CPU sums. It waits rightly.
//   plain    the same in pageable memory, waited for in the same places: no pinned memory
//   mapped   N rounds of 255 accesses to closed pages, other bytes than the work uses; prints ns an access
//   stepped  the same by an instruction that is stepped (x87)
//   fault    the machine's own part of "mapped", without the board: a SIGSEGV whose handler moves on to the next instruction
//   protect  that of "frames": the CPU's part of N frames, with and without the four mprotect() calls of a frame; prints the ns that they
//            make a frame longer, here and at the next access to each page
//   trap     of "stepped": a SIGSEGV whose handler opens the page by mprotect(), one single step, a SIGTRAP whose handler closes it
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#define CHECK(call)                                                                \
    do {                                                                           \
        if ((call) != cudaSuccess) {                                               \
            std::fprintf(stderr, "unhooked.cu:%d: %s\n", __LINE__, #call);         \
            std::exit(4);                                                          \
        }                                                                          \
    } while (0)

enum { FRAME = 1920 * 1080, PART = 64 * 1024, PAGE = 4096, PAGES = 256 };

__global__ void invert(const uint8_t *from, uint8_t *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = 255 - from[i];
}

__global__ void touch(const volatile uint8_t *from, uint8_t *to)
{
    to[0] = from[0];
}

static uint8_t *host(size_t bytes, bool pinned)
{
    void *p = nullptr;

    if (pinned) {
        CHECK(cudaMallocHost(&p, bytes));
    } else {
        p = std::malloc(bytes);
    }
    return (uint8_t *)p;
}

static int frames(int n, bool pinned)
{
    uint8_t *in = host(FRAME, pinned), *out = host(FRAME, pinned), *from, *to;
    unsigned long sum = 0;
    cudaStream_t stream;

    CHECK(cudaMalloc((void **)&from, FRAME));
    CHECK(cudaMalloc((void **)&to, FRAME));
    CHECK(cudaStreamCreate(&stream));
    for (int f = 0; f < n; f++) {
        std::memset(in, f, FRAME);
        CHECK(cudaMemcpyAsync(from, in, FRAME, cudaMemcpyHostToDevice, stream));
        invert<<<PART / 256, 256, 0, stream>>>(from, to);
        CHECK(cudaMemcpyAsync(out, to, FRAME, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < FRAME; i++) {
            sum += out[i];
        }
    }
    std::printf("%lu\n", sum);
    return 0;
}

static double now_ns()
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int accesses(int rounds, bool stepped)
{
    uint8_t *bytes = host((size_t)PAGE * PAGES, true), *to;
    unsigned long sum = 0;
    double spent = 0;
    cudaStream_t stream;

    CHECK(cudaMalloc((void **)&to, PAGE));
    CHECK(cudaStreamCreate(&stream));
    std::memset(bytes, 0, (size_t)PAGE * PAGES);
    for (int round = 0; round < rounds; round++) {
        touch<<<1, 1, 0, stream>>>(bytes, to);
        double before = now_ns();
        for (int page = 1; page < PAGES; page++) {
            const volatile uint8_t *at = bytes + page * PAGE;
            double value = 0;

            if (stepped) {
                asm volatile("fldl %1\n fstpl %0" : "=m"(value) : "m"(*(const double *)at));
                sum += (unsigned long)value;
            } else {
                sum += *at;
            }
        }
        spent += now_ns() - before;
        CHECK(cudaStreamSynchronize(stream));
    }
    std::printf("%.0f\n", spent / rounds / (PAGES - 1));
    return sum != 0;
}

enum { LOAD_BYTES = 2, TRAP_FLAG = 0x100 };

static uint8_t *page;

static void on_fault(int, siginfo_t *, void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += LOAD_BYTES;
}

static void on_fault_open(int, siginfo_t *, void *context)
{
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_trap_close(int, siginfo_t *, void *context)
{
    mprotect(page, PAGE, PROT_NONE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static void action(int sig, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction act;

    std::memset(&act, 0, sizeof(act));
    act.sa_flags = SA_SIGINFO | SA_NODEFER;
    act.sa_sigaction = handler;
    sigaction(sig, &act, nullptr);
}

/* A frame's stores and loads, in the memory of a file as the board's is. */
static double frames_ns(int n, bool closes)
{
    uint8_t *in = (uint8_t *)mmap(nullptr, FRAME, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint8_t *out = (uint8_t *)mmap(nullptr, FRAME, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    volatile unsigned long sum = 0;
    double before = 0;

    std::memset(out, 1, FRAME);
    for (int f = -1; f < n; f++) {
        if (f == 0) {
            before = now_ns();
        }
        std::memset(in, f, FRAME);
        if (closes) {
            mprotect(in, FRAME, PROT_READ);
            mprotect(out, FRAME, PROT_NONE);
            mprotect(in, FRAME, PROT_READ | PROT_WRITE);
            mprotect(out, FRAME, PROT_READ | PROT_WRITE);
        }
        for (int i = 0; i < FRAME; i += 64) {
            sum = sum + out[i];
        }
    }
    munmap(in, FRAME);
    munmap(out, FRAME);
    return (now_ns() - before) / n;
}

static int protect(int n)
{
    double open = frames_ns(n, false);

    std::printf("%.0f\n", frames_ns(n, true) - open);
    return 0;
}

static int machine(int rounds, bool trap)
{
    int accesses = rounds * (PAGES - 1);
    double before;

    page = (uint8_t *)mmap(nullptr, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    mprotect(page, PAGE, PROT_NONE);
    action(SIGSEGV, trap ? on_fault_open : on_fault);
    action(SIGTRAP, on_trap_close);
    before = now_ns();
    for (int i = 0; i < accesses; i++) {
        uint8_t value = 0;

        asm volatile("movb (%1), %%al" : "+a"(value) : "c"(page) : "memory"); // LOAD_BYTES long
    }
    std::printf("%.0f\n", (now_ns() - before) / accesses);
    return 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int n = argc > 2 ? std::atoi(argv[2]) : 20;

    if (std::strcmp(way, "frames") == 0 || std::strcmp(way, "plain") == 0) {
        return frames(n, way[0] == 'f');
    }
    if (std::strcmp(way, "protect") == 0) {
        return protect(n);
    }
    if (std::strcmp(way, "fault") == 0 || std::strcmp(way, "trap") == 0) {
        return machine(n, way[0] == 't');
    }
    return accesses(n, std::strcmp(way, "stepped") == 0);
}
