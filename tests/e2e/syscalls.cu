// SPDX-License-Identifier: MIT
// System calls and libc on 1 MiB of every kind of memory that the CPU may touch, then the GPU adds up what it
// sees: it must be what the call wrote. Into active managed memory the kernel answers EFAULT, as for any page
// that the process may not touch (note, 2.2.3: not accessible to the CPU while the GPU is active).
#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(err_));                   \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)
#define SIZE ((size_t)1 << 20)

static int failed;
static const char *kind_name, *call_name;
static unsigned char *pattern; // what every call must deliver
static int file;               // holds the pattern twice, shifted by 4096 bytes the second time

static void wrong(const char *what, long got, long want)
{
    printf("%s, %s: %s: %ld, want %ld\n", kind_name, call_name, what, got, want);
    failed = 1;
}

// --- the GPU's opinion, in words
__global__ void add_up(const unsigned *p, size_t words, unsigned long long *sum)
{
    unsigned long long mine = 0;

    for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < words; i += blockDim.x * gridDim.x) {
        mine += p[i] * (unsigned long long)(i % 251 + 1);
    }
    atomicAdd(sum, mine);
}

static unsigned long long sum_cpu(const unsigned char *p)
{
    unsigned long long sum = 0;

    for (size_t i = 0; i < SIZE / 4; i++) {
        unsigned word;

        memcpy(&word, p + i * 4, 4);
        sum += word * (unsigned long long)(i % 251 + 1);
    }
    return sum;
}

static unsigned long long *d_sum;

static unsigned long long sum_gpu(const unsigned char *gpu, const unsigned char *staged_from)
{
    unsigned long long sum = 0;
    unsigned char *d = NULL;

    CHECK(cudaMemcpy(d_sum, &sum, sizeof(sum), cudaMemcpyHostToDevice));
    if (staged_from) { // pageable: the GPU gets it by a copy
        CHECK(cudaMalloc(&d, SIZE));
        CHECK(cudaMemcpy(d, staged_from, SIZE, cudaMemcpyHostToDevice));
        gpu = d;
    }
    add_up<<<8, 128>>>((const unsigned *)gpu, SIZE / 4, d_sum);
    CHECK(cudaMemcpy(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d));
    return sum;
}

__global__ void xor_all(unsigned *p, size_t words)
{
    for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < words; i += blockDim.x * gridDim.x) {
        p[i] ^= 0x5a5a5a5au;
    }
}

// --- calls that fill memory; each answers how many bytes it moved
static long by_read(unsigned char *p)
{
    lseek(file, 0, SEEK_SET);
    return read(file, p, SIZE);
}

static long by_pread(unsigned char *p)
{
    return pread(file, p, SIZE, 0);
}

static long by_readv(unsigned char *p)
{
    struct iovec v[3] = { { p, 5 }, { p + 5, SIZE / 2 }, { p + 5 + SIZE / 2, SIZE / 2 - 5 } };

    lseek(file, 0, SEEK_SET);
    return readv(file, v, 3);
}

static long by_fread(unsigned char *p)
{
    FILE *f = fdopen(dup(file), "rb");
    long n;

    fseek(f, 0, SEEK_SET);
    n = (long)fread(p, 1, SIZE, f);
    fclose(f);
    return n;
}

static long by_fread_in_bits(unsigned char *p) // through the buffer of stdio, odd sizes
{
    FILE *f = fdopen(dup(file), "rb");
    size_t n = 0, got = 1;

    fseek(f, 0, SEEK_SET);
    while (n < SIZE && got) {
        got = fread(p + n, 1, SIZE - n < 1013 ? SIZE - n : 1013, f);
        n += got;
    }
    fclose(f);
    return (long)n;
}

static long by_recv(unsigned char *p)
{
    size_t sent = 0, got = 0;
    int s[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s)) {
        return -1;
    }
    while (got < SIZE) {
        long n = send(s[0], pattern + sent, SIZE - sent < 30000 ? SIZE - sent : 30000, 0);

        sent += n > 0 ? n : 0;
        n = recv(s[1], p + got, SIZE - got, 0);
        if (n <= 0) {
            return n;
        }
        got += n;
    }
    close(s[0]);
    close(s[1]);
    return (long)got;
}

static long by_memcpy(unsigned char *p)
{
    memcpy(p, pattern, SIZE);
    return SIZE;
}

static const struct filler {
    const char *name;
    long (*fill)(unsigned char *);
} fillers[] = {
    { "read", by_read },   { "pread", by_pread }, { "readv", by_readv },   { "fread", by_fread },
    { "fread in bits", by_fread_in_bits },        { "recv", by_recv },     { "memcpy", by_memcpy },
};

// --- calls that take from memory, to a file that is read back
static long to_write(int out, unsigned char *p)
{
    return write(out, p, SIZE);
}

static long to_writev(int out, unsigned char *p)
{
    struct iovec v[2] = { { p, SIZE / 3 }, { p + SIZE / 3, SIZE - SIZE / 3 } };

    return writev(out, v, 2);
}

static long to_fwrite(int out, unsigned char *p)
{
    FILE *f = fdopen(dup(out), "wb");
    long n = (long)fwrite(p, 1, SIZE, f);

    return fclose(f) ? -1 : n;
}

static long to_pwrite_of_memcpy(int out, unsigned char *p)
{
    unsigned char *copy = (unsigned char *)malloc(SIZE);
    long n;

    memcpy(copy, p, SIZE);
    n = pwrite(out, copy, SIZE, 0);
    free(copy);
    return n;
}

static const struct taker {
    const char *name;
    long (*take)(int, unsigned char *);
} takers[] = {
    { "write", to_write },
    { "writev", to_writev },
    { "fwrite", to_fwrite },
    { "memcpy out", to_pwrite_of_memcpy },
};

static int temporary()
{
    char name[] = "/tmp/vtegra-e2e-XXXXXX";
    int fd = mkstemp(name);

    unlink(name);
    return fd;
}

// @gpu NULL: the GPU cannot see it, copies stage it
static void kind(const char *name, unsigned char *p, unsigned char *gpu)
{
    unsigned char *back = (unsigned char *)malloc(SIZE);

    kind_name = name;
    for (const filler &f : fillers) {
        call_name = f.name;
        errno = 0;
        memset(p, 0xee, SIZE);
        long n = f.fill(p);
        if (n != (long)SIZE) {
            wrong("bytes in", n, SIZE);
            printf("    errno %s\n", strerror(errno));
            continue;
        }
        unsigned long long got = sum_gpu(gpu, gpu ? NULL : p), want = sum_cpu(pattern);
        if (got != want) {
            wrong("sum on the GPU", (long)got, (long)want);
        }
    }
    for (const taker &t : takers) {
        int out = temporary();

        call_name = t.name;
        errno = 0;
        memcpy(p, pattern, SIZE);
        if (gpu) { // so that there is something the CPU does not have in its caches
            xor_all<<<8, 128>>>((unsigned *)gpu, SIZE / 4);
            CHECK(cudaDeviceSynchronize());
        }
        long n = t.take(out, p);
        if (n != (long)SIZE) {
            wrong("bytes out", n, SIZE);
            printf("    errno %s\n", strerror(errno));
        } else if (pread(out, back, SIZE, 0) != (long)SIZE) {
            wrong("file size", 0, SIZE);
        } else {
            size_t bad = 0;

            for (size_t i = 0; i < SIZE; i++) {
                bad += back[i] != (gpu ? pattern[i] ^ 0x5a : pattern[i]);
            }
            if (bad) {
                wrong("wrong bytes in the file", (long)bad, 0);
            }
        }
        close(out);
    }
    free(back);
    printf("%s done\n", name);
}

// Managed memory while a kernel may use it: nothing moves, nobody is killed, and all is well afterwards.
static void active()
{
    unsigned char *p;
    int concurrent, out = temporary();

    kind_name = "active managed";
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    CHECK(cudaMallocManaged(&p, SIZE));
    for (int i = 0; i < 5; i++) {
        memcpy(p, pattern, SIZE);
        xor_all<<<8, 128>>>((unsigned *)p, SIZE / 4);
        errno = 0;
        const struct iovec v = { p, SIZE };
        const char *const names[] = { "read", "pread", "write", "writev", "pwrite" };
        call_name = names[i];
        lseek(file, 0, SEEK_SET);
        long n = i == 0   ? read(file, p, SIZE)
                 : i == 1 ? pread(file, p, SIZE, 4096)
                 : i == 2 ? write(out, p, SIZE)
                 : i == 3 ? writev(out, &v, 1)
                          : pwrite(out, p, SIZE, 0);
        int err = errno;
        if (!concurrent && (n != -1 || err != EFAULT)) {
            wrong("result", n, -1);
            printf("    errno %s\n", strerror(err));
        }
        CHECK(cudaDeviceSynchronize());
        for (size_t j = 0, bad = 0; !concurrent && j < SIZE; j++) {
            if (p[j] != (pattern[j] ^ 0x5a) && bad++ == 0) {
                wrong("first wrong byte at", (long)j, -1);
            }
        }
    }
    CHECK(cudaFree(p));
    close(out);
    printf("active managed done\n");
}

int main()
{
    unsigned char *p, *gpu;

    pattern = (unsigned char *)malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        pattern[i] = (unsigned char)(i * 7 + i / 4096 * 13 + 3);
    }
    file = temporary();
    if (write(file, pattern, SIZE) != (long)SIZE || write(file, pattern, 4096) != 4096) {
        return 1;
    }
    CHECK(cudaMalloc(&d_sum, sizeof(*d_sum)));

    p = (unsigned char *)malloc(SIZE);
    kind("pageable", p, NULL);
    free(p);

    CHECK(cudaMallocHost(&p, SIZE));
    kind("pinned", p, p);
    CHECK(cudaFreeHost(p));

    CHECK(cudaHostAlloc(&p, SIZE, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CHECK(cudaHostGetDevicePointer(&gpu, p, 0));
    kind("pinned, write-combined", p, gpu);
    CHECK(cudaFreeHost(p));

    CHECK(cudaMallocManaged(&p, SIZE));
    kind("managed", p, p);
    CHECK(cudaFree(p));

    // Host-attached memory is the CPU's; the GPU gets it for the time of a kernel by attaching it back.
    CHECK(cudaMallocManaged(&p, SIZE, cudaMemAttachHost));
    kind("managed, host-attached", p, NULL);
    CHECK(cudaFree(p));

    int can = 0;
    CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrHostRegisterSupported, 0));
    p = (unsigned char *)aligned_alloc(4096, SIZE);
    if (can) {
        CHECK(cudaHostRegister(p, SIZE, cudaHostRegisterDefault));
        CHECK(cudaHostGetDevicePointer(&gpu, p, 0));
        kind("registered", p, gpu);
        CHECK(cudaHostUnregister(p));
    } else {
        cudaError_t err = cudaHostRegister(p, SIZE, cudaHostRegisterDefault);
        printf("registered: not on this board: %s\n", cudaGetErrorName(err));
        failed |= err != cudaErrorNotSupported;
    }
    free(p);

    active();
    return failed;
}
