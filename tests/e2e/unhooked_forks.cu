// SPDX-License-Identifier: MIT
// unhooked_forks CASE [fixed]: a program without compiler hooks calls fork() while a kernel is on its way to its memory, pinned or, with
// REGISTERED in the environment, aligned_alloc()'s. The child's line is marked with the case; "fixed" waits before fork().
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                     \
    do {                                                                \
        if ((call) != 0) {                                              \
            std::printf("unhooked_forks.cu:%d: %s\n", __LINE__, #call); \
            std::exit(4);                                               \
        }                                                               \
    } while (0)

enum { BYTES = 8192 };

__global__ void fill(char *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}

static void child_does(const char *what, volatile char *bytes)
{
    if (std::strcmp(what, "load") == 0) {
        _exit(bytes[100] == 100); // load
    } else if (std::strcmp(what, "store") == 0) {
        bytes[5000] = 1; // store
        _exit(bytes[5000] != 1);
    } else if (std::strcmp(what, "call") == 0) {
        int fds[2];
        CHECK(pipe(fds));
        _exit(write(fds[1], (const void *)(bytes + 4096), 100) != 100); // call
    } else if (std::strcmp(what, "exec") == 0) {
        execl("/bin/true", "true", (char *)nullptr);
    }
    _exit(0); // nothing
}

int main(int argc, char **argv)
{
    bool registered = std::getenv("REGISTERED") != nullptr;
    void *at, *device;
    int status = -1;
    cudaStream_t s;

    CHECK(cudaStreamCreate(&s));
    if (registered) {
        at = std::aligned_alloc(4096, BYTES);
        CHECK(cudaHostRegister(at, BYTES, cudaHostRegisterMapped));
    } else {
        CHECK(cudaHostAlloc(&at, BYTES, cudaHostAllocMapped));
    }
    std::memset(at, 3, BYTES);
    CHECK(cudaHostGetDevicePointer(&device, at, 0));
    fill<<<BYTES / 128, 128, 0, s>>>((char *)device);
    CHECK(cudaGetLastError());
    if (argc > 2) {
        CHECK(cudaStreamSynchronize(s));
    }
    pid_t child = fork(); // fork
    if (child == 0) {
        child_does(argv[1], (volatile char *)at);
    }
    CHECK(waitpid(child, &status, 0) != child);
    CHECK(status);
    CHECK(cudaStreamSynchronize(s));
    CHECK(((volatile char *)at)[100] != 7);
    std::puts("right");
    return 0;
}
