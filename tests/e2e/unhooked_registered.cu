// SPDX-License-Identifier: MIT
// unhooked_registered CASE: a program without compiler hooks registers memory of its own. The memory stays what it was: private to
// the process, whole after it was unregistered, and where the program has put something else.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define CHECK(call)                                                                     \
    do {                                                                                \
        if ((call) != cudaSuccess) {                                                    \
            std::fprintf(stderr, "unhooked_registered.cu:%d: %s\n", __LINE__, #call);   \
            std::exit(4);                                                               \
        }                                                                               \
    } while (0)
#define EXPECT(condition)                                                               \
    do {                                                                                \
        if (!(condition)) {                                                             \
            std::printf("unhooked_registered.cu:%d: not %s\n", __LINE__, #condition);   \
            std::exit(3);                                                               \
        }                                                                               \
    } while (0)

enum { PAGE = 4096, BYTES = 8 * PAGE };

__global__ void add_one(uint8_t *bytes, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        bytes[i]++;
    }
}

static void submit(volatile uint8_t *at, int n)
{
    add_one<<<1, 128>>>((uint8_t *)at, n);
}

static void register_all(volatile uint8_t *at, size_t n)
{
    CHECK(cudaHostRegister((void *)at, n, cudaHostRegisterDefault));
}

static void unregister(volatile uint8_t *at)
{
    CHECK(cudaHostUnregister((void *)at));
}

// What malloc() returns begins and ends inside of pages.
static void edges()
{
    volatile uint8_t *all = (uint8_t *)std::calloc(1, BYTES), *at = all + 100;
    unsigned n = BYTES - 200;

    register_all(at, n);
    submit(at, (int)n);
    CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < n; i++) {
        EXPECT(at[i] == 1);
    }
    EXPECT(at[-1] == 0 && at[n] == 0);
    submit(at, (int)n);
    at[-1] = 7; // its page is open
    CHECK(cudaDeviceSynchronize());
    unregister(at);
    EXPECT(at[-1] == 7 && at[0] == 2 && at[n - 1] == 2);
    std::free((void *)all);
}

static uint8_t of_the_program[BYTES] __attribute__((aligned(PAGE)));

static void race_static()
{
    volatile uint8_t *at = of_the_program;

    register_all(at, BYTES);
    submit(at, BYTES);
    std::printf("%d\n", at[PAGE + 5] & 0); // STATIC
    CHECK(cudaDeviceSynchronize());
}

// Transparent huge pages: registration, and each change of a page's protection, divide one.
static void huge()
{
    enum { HUGE = 2 << 20 };
    volatile uint8_t *at = (uint8_t *)std::aligned_alloc(HUGE, HUGE);

    EXPECT(at && madvise((void *)at, HUGE, MADV_HUGEPAGE) == 0);
    std::memset((void *)at, 3, HUGE);
    register_all(at, HUGE);
    submit(at, BYTES);
    at[BYTES] = 7; // closed, and none of the kernel's bytes
    EXPECT(at[BYTES] == 7 && at[HUGE - 1] == 3);
    CHECK(cudaDeviceSynchronize());
    EXPECT(at[0] == 4 && at[BYTES - 1] == 4 && at[BYTES] == 7);
    unregister(at);
    EXPECT(at[0] == 4 && at[BYTES] == 7 && at[HUGE - 1] == 3);
    std::free((void *)at);
}

static void kept()
{
    volatile uint8_t *at = (uint8_t *)std::aligned_alloc(PAGE, BYTES);

    for (int round = 0; round < 3; round++) {
        std::memset((void *)at, 10 * round, BYTES);
        register_all(at, BYTES);
        at[5] = 100;
        submit(at, BYTES);
        CHECK(cudaDeviceSynchronize());
        at[6] = 50;
        EXPECT(at[5] == 101 && at[6] == 50 && at[PAGE] == 10 * round + 1);
        unregister(at);
        EXPECT(at[5] == 101 && at[6] == 50 && at[PAGE] == 10 * round + 1 && at[BYTES - 1] == 10 * round + 1);
        at[7] = 1;
        EXPECT(at[7] == 1);
    }
    std::free((void *)at);
}

// A child has what was there at the fork, and none of the two sees what the other stores afterwards.
static void forked()
{
    volatile uint8_t *at = (uint8_t *)std::aligned_alloc(PAGE, BYTES);
    int to_child[2], to_parent[2], status = -1;
    char byte = 0;

    EXPECT(pipe(to_child) == 0 && pipe(to_parent) == 0);
    std::memset((void *)at, 1, BYTES);
    register_all(at, BYTES);
    submit(at, BYTES);
    pid_t child = fork();
    if (!child) {
        bool right = true;

        alarm(20); // a parent that has found a mistake does not write

        at[3] = 33;
        right &= write(to_parent[1], "x", 1) == 1 && read(to_child[0], &byte, 1) == 1;
        right &= at[3] == 33 && at[4] < 44;
        _exit(right ? 0 : 7);
    }
    EXPECT(read(to_parent[0], &byte, 1) == 1);
    CHECK(cudaDeviceSynchronize());
    EXPECT(at[3] == 2);
    at[4] = 44;
    EXPECT(write(to_child[1], "x", 1) == 1);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    submit(at, BYTES);
    CHECK(cudaDeviceSynchronize());
    EXPECT(at[3] == 3 && at[4] == 45);
    unregister(at);
    std::free((void *)at);
}

// Unmapped while it is registered: a mistake, but what takes its place is the program's.
static void replaced()
{
    volatile uint8_t *at = (uint8_t *)mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    register_all(at, BYTES);
    at[0] = 1;
    at[7 * PAGE] = 7;
    EXPECT(munmap((void *)(at + PAGE), 2 * PAGE) == 0);
    void *other = mmap((void *)(at + PAGE), PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    EXPECT(other == (void *)(at + PAGE));
    at[PAGE] = 9;
    unregister(at);
    EXPECT(at[0] == 1 && at[PAGE] == 9 && at[7 * PAGE] == 7);
    EXPECT(msync((void *)(at + 2 * PAGE), PAGE, MS_ASYNC) != 0); // still a hole
}

// No store of another thread is lost while pages move.
static void stores()
{
    volatile uint64_t *at = (uint64_t *)std::aligned_alloc(PAGE, BYTES);
    std::atomic<bool> end(false);
    uint64_t n = 0;

    std::memset((void *)at, 0, BYTES);
    std::thread thread([&] {
        for (; !end; n++) {
            at[n % (BYTES / 8)]++;
        }
    });
    for (int i = 0; i < 100; i++) {
        register_all((uint8_t *)at, BYTES);
        unregister((uint8_t *)at);
    }
    end = true;
    thread.join();
    for (uint64_t i = 0; i < BYTES / 8; i++) {
        EXPECT(at[i] == n / (BYTES / 8) + (i < n % (BYTES / 8)));
    }
}

static void on_stack()
{
    volatile uint8_t at[BYTES] = { 0 };

    register_all(at, BYTES);
    submit(at, BYTES);
    CHECK(cudaDeviceSynchronize());
    EXPECT(at[BYTES / 2] == 1);
    unregister(at);
}

// Other processes have it, too.
static void shared()
{
    volatile uint8_t *at = (uint8_t *)mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = -1;

    register_all(at, BYTES);
    submit(at, BYTES);
    CHECK(cudaDeviceSynchronize());
    pid_t child = fork();
    if (!child) {
        at[3] = 33;
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(at[3] == 33);
    unregister(at);
    EXPECT(at[3] == 33);
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    { "edges", edges },       { "race_static", race_static }, { "kept", kept },         { "forked", forked },
    { "huge", huge },
    { "replaced", replaced }, { "stores", stores },           { "on_stack", on_stack }, { "shared", shared },
};

int main(int argc, char **argv)
{
    for (const auto &one : cases) {
        if (argc > 1 && std::strcmp(argv[1], one.name) == 0) {
            one.run();
            std::puts("right");
            return 0;
        }
    }
    return 2;
}
