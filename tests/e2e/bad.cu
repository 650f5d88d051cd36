// SPDX-License-Identifier: MIT
// bad CASE: what goes wrong in applications. Each case prints what the API answered and what it had computed
// before, so that the test sees that nothing was lost. Lines marked MARK are quoted by the test.
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(err_));                   \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

__global__ void fill(int *p, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;

    if (i < n) {
        p[i] = i;
    }
}

__global__ void too_far(int *p)
{
    p[threadIdx.x + (1 << 28)] = 1; // MARK too_far
}

__global__ void crooked(int *p)
{
    *(int *)((char *)p + 2) = 1;
}

__global__ void endless(volatile int *p)
{
    while (*p == 0) {
    }
}

static int *pinned; // what was computed before the accident

static void before()
{
    CHECK(cudaMallocHost(&pinned, 100 * sizeof(int)));
    fill<<<1, 128>>>(pinned, 100);
    CHECK(cudaDeviceSynchronize());
}

static int after(cudaError_t err)
{
    int i = 0;

    while (i < 100 && pinned[i] == i) {
        i++;
    }
    printf("%s, kept %d of 100, then %s\n", cudaGetErrorName(err), i, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

static int out_of_bounds()
{
    int *d;

    before();
    CHECK(cudaMalloc(&d, 4096));
    too_far<<<1, 32>>>(d);
    return after(cudaDeviceSynchronize());
}

static int misaligned()
{
    int *d;

    before();
    CHECK(cudaMalloc(&d, 4096));
    crooked<<<1, 1>>>(d);
    return after(cudaDeviceSynchronize());
}

static int double_free()
{
    int *d;

    before();
    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaFree(d));
    return after(cudaFree(d));
}

static int free_of_nothing()
{
    int on_stack[4];

    before();
    cudaError_t first = cudaFree(on_stack);
    printf("%s ", cudaGetErrorName(first));
    return after(cudaFreeHost(on_stack));
}

static int never_ends()
{
    int *d;

    before();
    CHECK(cudaMalloc(&d, 4));
    CHECK(cudaMemset(d, 0, 4));
    endless<<<1, 1>>>(d);
    return after(cudaDeviceSynchronize());
}

static int too_many_threads()
{
    before();
    fill<<<1, 2048>>>(pinned, 100);
    return after(cudaGetLastError());
}

static int too_much_memory()
{
    void *p;

    before();
    return after(cudaMalloc(&p, (size_t)1 << 50));
}

static int copy_too_long()
{
    char *d, *h = (char *)malloc(1 << 20);

    before();
    CHECK(cudaMalloc(&d, 4096));
    return after(cudaMemcpy(d, h, 1 << 20, cudaMemcpyHostToDevice));
}

static int null_kernel()
{
    before();
    return after(cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), NULL, 0, 0));
}

// --- PTX text by the driver API
static int load_ptx(const char *ptx)
{
    CUmodule module;
    char log[2000] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) };
    const char *name = "?";

    before();
    CUresult err = cuModuleLoadData(&module, ptx);
    cuGetErrorName(err, &name);
    printf("%s ", name);
    err = cuModuleLoadDataEx(&module, ptx, 2, options, values);
    cuGetErrorName(err, &name);
    printf("%s [%s] ", name, log);
    return after(cudaSuccess);
}

static int ptx_syntax()
{
    return load_ptx(".version 8.0\n.target sm_62\n.address_size 64\n\n"
                    ".visible .entry k()\n{\n    .reg .b32 %r<3>;\n    add.s32 %r1, %r2 7;\n    ret;\n}\n");
}

static int ptx_instruction()
{
    return load_ptx(".version 8.0\n.target sm_62\n.address_size 64\n\n"
                    ".visible .entry k()\n{\n    .reg .b32 %r<3>;\n    frobnicate.s32 %r1, %r2, 7;\n    ret;\n}\n");
}

// A board runs it.
__global__ void lacking()
{
    asm volatile("{\n.reg .pred q;\n.reg .b64 e;\nmov.u64 e, 0;\nistypep.texref q, e;\n}");
}

static int launch_lacking()
{
    before();
    lacking<<<1, 1>>>();
    return after(cudaGetLastError());
}

static int ptx_empty()
{
    return load_ptx("");
}

static int ptx_garbage()
{
    return load_ptx("\x01\x02\x03\x04 no PTX at all");
}

// --- touches by the CPU
static int touch_device()
{
    volatile int *d;

    before();
    CHECK(cudaMalloc((void **)&d, 4096)); // MARK device_alloc
    printf("before\n");
    fflush(stdout);
    return d[3]; // MARK device_touch
}

static int touch_managed()
{
    int *m;

    before();
    CHECK(cudaMallocManaged(&m, 1 << 16)); // MARK managed_alloc
    m[0] = 1;
    fill<<<1, 32>>>(m, 32); // MARK managed_launch
    printf("before\n");
    fflush(stdout);
    ((volatile int *)m)[5] = 6; // MARK managed_touch
    return 0;
}

static void handler(int sig, siginfo_t *, void *)
{
    static const char text[] = "own handler\n";

    (void)sig;
    if (write(1, text, sizeof(text) - 1) < 0) {
        _exit(1);
    }
    _exit(33);
}

static void handler_set()
{
    struct sigaction act = {};

    act.sa_sigaction = handler;
    act.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
}

static int handler_first()
{
    handler_set();
    return touch_managed();
}

static int handler_later()
{
    before();
    handler_set();
    return touch_device();
}

static int null_pointer()
{
    before();
    printf("before\n");
    fflush(stdout);
    return *(volatile int *)8;
}

// --- threads and processes
static void *thread_work(void *result)
{
    cudaStream_t s;
    int *d, *h = (int *)malloc(1000 * sizeof(int)), bad = 0;

    CHECK(cudaStreamCreate(&s));
    for (int round = 0; round < 50; round++) {
        CHECK(cudaMalloc(&d, 1000 * sizeof(int)));
        fill<<<8, 128, 0, s>>>(d, 1000);
        CHECK(cudaMemcpyAsync(h, d, 1000 * sizeof(int), cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamSynchronize(s));
        for (int i = 0; i < 1000; i++) {
            bad += h[i] != i;
        }
        memset(h, 0, 1000 * sizeof(int));
        CHECK(cudaFree(d));
    }
    CHECK(cudaStreamDestroy(s));
    free(h);
    *(int *)result = bad;
    return NULL;
}

static int threads()
{
    pthread_t t[2];
    int bad[2] = { -1, -1 };

    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, thread_work, &bad[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
    }
    printf("threads: %d and %d wrong\n", bad[0], bad[1]);
    return bad[0] || bad[1];
}

// A child has none of the parent's CUDA: the driver refuses, the parent goes on.
static int forked()
{
    int status = -1;

    before();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        void *p = NULL;
        cudaError_t err = cudaMalloc(&p, 4);

        printf("child: %s\n", cudaGetErrorName(err));
        fflush(stdout);
        exit(7); // with its destructors, as children do
    }
    waitpid(child, &status, 0);
    printf("child's exit status %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
    fill<<<1, 128>>>(pinned, 100);
    return after(cudaDeviceSynchronize());
}

static int fork_exec()
{
    int status = -1;

    before();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "echo shell; exit 5", (char *)NULL);
        _exit(99);
    }
    waitpid(child, &status, 0);
    printf("exit status %d\n", WEXITSTATUS(status));
    return after(system("exit 3") == 3 << 8 ? cudaSuccess : cudaErrorUnknown);
}

static void callback_exits(void *)
{
    printf("callback\n");
    exit(9);
}

static int exit_in_callback()
{
    before();
    CHECK(cudaLaunchHostFunc(0, callback_exits, NULL));
    CHECK(cudaDeviceSynchronize());
    return 0;
}

static void callback_calls(void *)
{
    printf("callback: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static int api_in_callback() // "must not make any CUDA API calls": refused, and no deadlock
{
    before();
    CHECK(cudaLaunchHostFunc(0, callback_calls, NULL));
    return after(cudaDeviceSynchronize());
}

static int aborts()
{
    before();
    printf("before\n");
    fflush(stdout);
    abort();
}

static int no_reset() // and nothing waited for
{
    before();
    fill<<<1, 128>>>(pinned, 100);
    printf("end\n");
    return 4;
}

static int quick()
{
    before();
    printf("end\n");
    fflush(stdout);
    _exit(6);
}

static int killed()
{
    before();
    raise(SIGTERM);
    return 0;
}

static const struct {
    const char *name;
    int (*run)();
} cases[] = {
    { "out_of_bounds", out_of_bounds },
    { "misaligned", misaligned },
    { "double_free", double_free },
    { "free_of_nothing", free_of_nothing },
    { "never_ends", never_ends },
    { "too_many_threads", too_many_threads },
    { "too_much_memory", too_much_memory },
    { "copy_too_long", copy_too_long },
    { "null_kernel", null_kernel },
    { "ptx_syntax", ptx_syntax },
    { "ptx_instruction", ptx_instruction },
    { "lacking", launch_lacking },
    { "ptx_empty", ptx_empty },
    { "ptx_garbage", ptx_garbage },
    { "touch_device", touch_device },
    { "touch_managed", touch_managed },
    { "handler_first", handler_first },
    { "handler_later", handler_later },
    { "null_pointer", null_pointer },
    { "threads", threads },
    { "forked", forked },
    { "fork_exec", fork_exec },
    { "exit_in_callback", exit_in_callback },
    { "api_in_callback", api_in_callback },
    { "aborts", aborts },
    { "no_reset", no_reset },
    { "quick", quick },
    { "killed", killed },
};

int main(int argc, char **argv)
{
    for (const auto &c : cases) {
        if (argc == 2 && strcmp(argv[1], c.name) == 0) {
            return c.run();
        }
    }
    fprintf(stderr, "usage: %s CASE\n", argv[0]);
    return 2;
}
