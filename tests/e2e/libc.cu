/* SPDX-License-Identifier: MIT */
/* System calls and functions of the C library on pinned memory that a kernel still uses: for libc.sh. Built with
 * vtegra cc --track.
 *
 *   libc          each is called before its kernel has been waited for: a race at the line of each CASE
 *   libc fixed    afterwards
 *   libc waits    for input into pinned memory, while the work that another thread waits for will never run
 *   libc short    input calls that are given more room than comes: they store what came, beside the kernel's bytes
 */
#include <cuda_runtime.h>
#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fstream>

#define SIZE 256
#define STRING 100 /* its length */

extern "C" ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
extern "C" char *__strcpy_chk(char *dst, const char *src, size_t room);

static int file, s[2];
static FILE *stream, *text;
static std::fstream cpp;
static std::ostream &(*volatile print)(std::ostream &, const char *) = std::operator<<;
static char mine[4 * SIZE];
static volatile size_t n = SIZE; /* no constant: nothing is left to the compiler */
static volatile long sink;

/* A string, and bytes behind it. */
static __host__ __device__ char content(int i)
{
    return i == STRING ? '\0' : 'a';
}

__global__ void fill(char *p)
{
    p[threadIdx.x] = content(threadIdx.x);
}

__global__ void take(const char *p, char *out)
{
    out[threadIdx.x] = p[threadIdx.x];
}


static struct iovec vector(char *p)
{
    return { p, n };
}

static struct msghdr message(struct iovec *v)
{
    struct msghdr m = {};

    m.msg_iov = v;
    m.msg_iovlen = 1;
    return m;
}

/* The other end's part. */
static ssize_t feed(size_t bytes)
{
    return write(s[0], mine, bytes);
}

static ssize_t drain(ssize_t sent)
{
    return sent < 0 ? sent : read(s[1], mine, sizeof(mine));
}

#define CASE(name, stores, ...)                                 \
    {                                                           \
        #name, stores, [](char *p) { sink = (long)(__VA_ARGS__); } \
    }

static const struct test {
    const char *name;
    bool stores; /* into what a kernel reads; else it loads what a kernel stores */
    void (*call)(char *p);
} tests[] = {
    CASE(write, false, write(file, p, n)),
    CASE(pwrite, false, pwrite(file, p, n, 0)),
    CASE(writev, false, ({ struct iovec v = vector(p); writev(file, &v, 1); })),
    CASE(pwritev, false, ({ struct iovec v = vector(p); pwritev(file, &v, 1, 0); })),
    CASE(send, false, drain(send(s[0], p, n, 0))),
    CASE(sendto, false, drain(sendto(s[0], p, n, 0, NULL, 0))),
    CASE(sendmsg, false, ({ struct iovec v = vector(p); struct msghdr m = message(&v); drain(sendmsg(s[0], &m, 0)); })),
    CASE(fwrite, false, fwrite(p, 1, n, stream)),
    CASE(fputs, false, fputs(p, text)),
    CASE(ostream_write, false, cpp.write(p, n).good()),
    CASE(ostream_string, false, print(cpp, p).good()),
    CASE(memcmp, false, memcmp(mine, p, n)),
    CASE(bcmp, false, bcmp(p, mine, n)),
    CASE(memchr, false, memchr(p, 'z', n)),
    CASE(memrchr, false, memrchr(p, 'z', n)),
    CASE(memmem, false, memmem(p, n, "zz", 2)),
    CASE(mempcpy_from, false, mempcpy(mine, p, n)),
    CASE(strlen, false, strlen(p)),
    CASE(strnlen, false, strnlen(p, n)),
    CASE(strcmp, false, strcmp(p, mine)),
    CASE(strncmp, false, strncmp(mine, p, n)),
    CASE(strcasecmp, false, strcasecmp(p, mine)),
    CASE(strchr, false, strchr(p, 'z')),
    CASE(strrchr, false, strrchr(p, 'a')),
    CASE(strstr, false, strstr(p, "zz")),
    CASE(strcpy_from, false, strcpy(mine, p)),
    CASE(strncpy_from, false, strncpy(mine, p, n)),
    CASE(strcat_from, false, (mine[0] = '\0', strcat(mine, p))),
    CASE(strdup, false, ({ char *copy = strdup(p); free(copy); copy; })),
    CASE(read, true, (lseek(file, 0, SEEK_SET), read(file, p, n))),
    CASE(read_chk, true, (lseek(file, 0, SEEK_SET), __read_chk(file, p, n, n))),
    CASE(pread, true, pread(file, p, n, 0)),
    CASE(readv, true, ({ struct iovec v = vector(p); lseek(file, 0, SEEK_SET); readv(file, &v, 1); })),
    CASE(preadv, true, ({ struct iovec v = vector(p); preadv(file, &v, 1, 0); })),
    CASE(recv, true, (feed(n), recv(s[1], p, n, 0))),
    CASE(recvfrom, true, (feed(n), recvfrom(s[1], p, n, 0, NULL, NULL))),
    CASE(recvmsg, true, ({ struct iovec v = vector(p); struct msghdr m = message(&v); feed(n); recvmsg(s[1], &m, 0); })),
    CASE(fread, true, (fseek(stream, 0, SEEK_SET), fread(p, 1, n, stream))),
    CASE(fgets, true, (fseek(text, 0, SEEK_SET), fgets(p, (int)n, text))),
    CASE(istream_read, true, (cpp.seekg(0), cpp.read(p, n).good())),
    CASE(mempcpy_to, true, mempcpy(p, mine, n)),
    CASE(explicit_bzero, true, (explicit_bzero(p, n), 0)),
    CASE(strcpy_to, true, strcpy(p, "abc")),
    CASE(strcpy_chk, true, __strcpy_chk(p, "abc", n)),
    CASE(strncpy_to, true, strncpy(p, "abc", n)),
    CASE(strcat_to, true, strcat(p, "abc")),
};

/* A kernel that nobody waits for reads the end of a buffer, while calls fill the first bytes. */
static int input_short(cudaStream_t stream)
{
    char *p, *out;
    ssize_t got;

    if (cudaMallocHost(&p, SIZE + 128) || cudaMalloc(&out, SIZE)) {
        return 1;
    }
    take<<<1, SIZE, 0, stream>>>(p + 128, out);
    feed(10);
    got = read(s[1], p, SIZE + 128);
    feed(10);
    got += recv(s[1], p + 10, SIZE + 118, 0);
    feed(10);
    struct iovec v[2] = { { p + 20, 5 }, { p + 25, SIZE + 103 } };
    got += readv(s[1], v, 2);
    cudaStreamSynchronize(stream);
    printf("%d bytes came\n", (int)got);
    return got != 30;
}

static void *synchronizer(void *arg)
{
    cudaStreamSynchronize((cudaStream_t)arg);
    return NULL;
}

static int input_waits(cudaStream_t stream)
{
    pthread_t thread;
    char *p, *flag;

    if (cudaMallocHost(&p, SIZE) || cudaMallocHost(&flag, SIZE)) {
        return 1;
    }
    memset(flag, 0, SIZE);
    cuStreamWaitValue32((CUstream)stream, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    pthread_create(&thread, NULL, synchronizer, stream);
    return read(s[1], p, n) > 0; /* nobody sends */
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    char name[] = "/tmp/vtegra-e2e-XXXXXX";
    cudaStream_t queue;
    char *p, *out;
    int bad = 0;

    file = mkstemp(name);
    stream = fopen(name, "r+");
    text = tmpfile();
    cpp.open(name, std::ios::in | std::ios::out | std::ios::binary);
    unlink(name);
    memset(mine, 'a', sizeof(mine));
    mine[sizeof(mine) - 1] = '\0';
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s) || cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking) ||
        write(file, mine, sizeof(mine)) != sizeof(mine) || fputs("abc\n", text) < 0) {
        return 1;
    }
    if (strcmp(mode, "waits") == 0) {
        return input_waits(queue);
    }
    if (strcmp(mode, "short") == 0) {
        return input_short(queue);
    }
    for (const test &t : tests) {
        if (cudaMallocHost(&p, SIZE) || cudaMalloc(&out, SIZE)) {
            return 1;
        }
        for (int i = 0; i < SIZE; i++) {
            p[i] = content(i);
            mine[i] = 'a';
        }
        if (t.stores) {
            take<<<1, SIZE, 0, queue>>>(p, out);
        } else {
            fill<<<1, SIZE, 0, queue>>>(p);
        }
        if (strcmp(mode, "fixed") == 0) {
            cudaStreamSynchronize(queue);
        }
        t.call(p);
        if (cudaStreamSynchronize(queue)) {
            bad++;
        }
    }
    return bad;
}
