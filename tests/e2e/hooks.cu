/* SPDX-License-Identifier: MIT */
/* Many accesses of the CPU, drawn from a seed, between everything else that touches caches: for hooks.sh, which
 * compares hooks that tell each access with hooks that count. Built with vtegra cc --track.
 *
 *   hooks SEED [STEPS]     one thread
 *   hooks threads          four, at the same memory
 */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFERS 5
#define PAGE 4096u

static struct buffer {
    unsigned char *p;
    size_t size;
    bool managed, registered;
} buffer[BUFFERS];
static uint64_t state;
static cudaStream_t stream;
static int pipes[2];
static volatile uint64_t sink;
static bool pending; /* work that keeps managed memory from the CPU */

static uint64_t draw(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (state >> 33) % n;
}

__global__ void scale(unsigned *p, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        p[i] = p[i] * 3 + i;
    }
}

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static void wait(void)
{
    CHECK(cudaDeviceSynchronize());
    pending = false;
}

static struct buffer *touch(uint64_t i)
{
    if (buffer[i].managed && pending) {
        wait();
    }
    return &buffer[i];
}

static void make(unsigned i)
{
    struct buffer *b = &buffer[i];

    b->managed = i == 1 || i == 4;
    b->registered = i == 3;
    b->size = i == 0 ? 8u << 20 : 16 * PAGE;
    if (b->registered) {
        b->p = (unsigned char *)mmap((void *)0x300000000000, b->size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        memset(b->p, 1, b->size);
        if (cudaHostRegister(b->p, b->size, cudaHostRegisterDefault) != cudaSuccess) {
            cudaGetLastError(); /* not on this board: private memory then */
        }
    } else if (b->managed) {
        CHECK(cudaMallocManaged(&b->p, b->size));
    } else {
        CHECK(cudaHostAlloc(&b->p, b->size, cudaHostAllocMapped));
    }
}

static void unmake(unsigned i)
{
    struct buffer *b = &buffer[i];

    wait();
    if (b->registered) {
        if (cudaHostUnregister(b->p) != cudaSuccess) {
            cudaGetLastError();
        }
        munmap(b->p, b->size);
    } else {
        CHECK(b->managed ? cudaFree(b->p) : cudaFreeHost(b->p));
    }
}

/* --- accesses: each line is a site of its own ------------------------------------------------------- */

template <class T> static void burst(unsigned char *p, size_t size, unsigned what, size_t stride)
{
    T *a = (T *)p;
    size_t n = size / sizeof(T), count = 1 + draw(300), at = draw(n);
    T sum = 0;

    for (size_t i = 0; i < count; i++) {
        T *x = &a[(at + i * stride) % n];

        switch (what) {
        case 0:
            sum += *x;
            break;
        case 1:
            *x = (T)i;
            break;
        case 2:
            *x += (T)i;
            break;
        default:
            sum += *x;
            *x = sum;
            a[(at + 1) % n] = sum;
            break;
        }
        __asm__ volatile("" ::: "memory");
    }
    sink += (uint64_t)sum;
}

struct __attribute__((packed)) crooked {
    char c;
    uint64_t l;
};

static void crooked(unsigned char *p, size_t size)
{
    struct crooked *a = (struct crooked *)p;
    size_t n = size / sizeof(*a), at = draw(n - 40);

    for (size_t i = 0; i < 40; i++) {
        a[at + i].l += i;
    }
}

/* Lines of one set of the CPU's cache, more than it has ways. */
static void one_set(unsigned char *p, size_t size)
{
    size_t stride = 128u << 10, at = draw(stride / 4) * 4;

    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = at; i + 4 <= size; i += stride) {
            *(unsigned *)(p + i) += 1;
            *(unsigned *)(p + at) += 1;
        }
    }
}

static void accesses(struct buffer *b)
{
    size_t stride = draw(3) == 0 ? 1 + draw(40) : 1;

    switch (draw(10)) {
    case 0:
        burst<uint8_t>(b->p, b->size, (unsigned)draw(4), stride);
        break;
    case 1:
        burst<uint16_t>(b->p, b->size, (unsigned)draw(4), stride);
        break;
    case 2:
        burst<uint64_t>(b->p, b->size, (unsigned)draw(4), stride);
        break;
    case 3:
        crooked(b->p, b->size);
        break;
    case 4:
        if (b->size > 1u << 20) {
            one_set(b->p, b->size);
        }
        break;
    case 5: /* one line again and again */
        burst<uint32_t>(b->p + draw(b->size / 64) * 64, 64, (unsigned)draw(4), 1);
        break;
    default:
        burst<uint32_t>(b->p, b->size, (unsigned)draw(4), stride);
        break;
    }
}

/* --- everything else -------------------------------------------------------------------------------- */

static void launch(void)
{
    struct buffer *b = &buffer[draw(2)];

    scale<<<2, 64, 0, stream>>>((unsigned *)(b->p + draw(4) * PAGE), 128);
    pending = true;
    if (draw(2)) {
        wait();
    }
}

static void unseen_store(struct buffer *b)
{
    uint64_t words[4] = { state, draw(1000), 3, 4 };
    size_t n = 1 + draw(sizeof(words));

    if (write(pipes[1], words, n) != (ssize_t)n ||
        read(pipes[0], b->p + draw(b->size - sizeof(words)), n) != (ssize_t)n) {
        exit(1);
    }
}

static void copy(void)
{
    struct buffer *to = touch(draw(BUFFERS)), *from = touch(draw(BUFFERS));
    size_t n = 1 + draw(2000);

    memcpy(to->p + draw(PAGE), from->p + 2 * PAGE + draw(PAGE), n);
    CHECK(cudaMemcpyAsync(buffer[0].p + draw(3) * PAGE, buffer[2].p, n, cudaMemcpyDefault, stream));
    pending = true;
}

static void flags(struct buffer *b)
{
    volatile uint32_t *v = (volatile uint32_t *)(b->p + draw(b->size / 4) * 4);
    uint32_t *a = (uint32_t *)(b->p + draw(b->size / 4) * 4);

    *v = *v + 1;
    __atomic_fetch_add(a, 1, __ATOMIC_SEQ_CST);
    sink += *a + __atomic_load_n(a, __ATOMIC_ACQUIRE);
}

/* Looks as if it waited: the board goes on. */
static void wait_loop(struct buffer *b)
{
    uint32_t *a = (uint32_t *)(b->p + draw(b->size / 4) * 4), n = (uint32_t)draw(200);

    while (*a != 0x12345678 && n-- > 0) {
        __asm__ volatile("" ::: "memory");
    }
}

static void step(void)
{
    struct buffer *b = touch(draw(BUFFERS));

    switch (draw(40)) {
    case 0:
        launch();
        break;
    case 1:
        copy();
        break;
    case 2:
        unseen_store(b);
        break;
    case 3:
        flags(b);
        break;
    case 4:
        wait_loop(b);
        break;
    case 5:
        wait();
        break;
    case 6:
        if (cudaStreamQuery(stream) == cudaErrorNotReady) {
            cudaGetLastError();
        }
        break;
    case 7: {
        unsigned i = 2 + (unsigned)draw(3);

        unmake(i);
        make(i);
        break;
    }
    case 8:
        wait();
        CHECK(cudaStreamAttachMemAsync(stream, buffer[1].p, 0,
                                       draw(2) ? cudaMemAttachHost : cudaMemAttachGlobal));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamAttachMemAsync(stream, buffer[1].p, 0, cudaMemAttachGlobal));
        CHECK(cudaStreamSynchronize(stream));
        break;
    default:
        accesses(b);
        break;
    }
}

static void *hammer(void *arg)
{
    uintptr_t number = (uintptr_t)arg;
    unsigned *p = (unsigned *)buffer[2].p;

    for (unsigned i = 0; i < 20000; i++) {
        p[i % 1024 * 4 + number] += i; /* four threads in one line */
        p[8192 + number * 1024 + i % 1024] = i;
    }
    return NULL;
}

static void threads(void)
{
    pthread_t t[3];

    for (uintptr_t i = 0; i < 3; i++) {
        pthread_create(&t[i], NULL, hammer, (void *)(i + 1));
    }
    hammer(NULL);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
    }
}

int main(int argc, char **argv)
{
    unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : 300;

    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    if (pipe(pipes) != 0) {
        return 1;
    }
    for (unsigned i = 0; i < BUFFERS; i++) {
        make(i);
    }
    CHECK(cudaStreamCreate(&stream));
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        threads();
    } else {
        for (unsigned i = 0; i < steps; i++) {
            step();
        }
    }
    CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < BUFFERS; i++) {
        unmake(i);
    }
    return 0;
}
