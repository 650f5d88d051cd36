// SPDX-License-Identifier: MIT
// Kernels of gpu.cu that use shared memory, barriers and the matrix units.

// Inclusive sums of 1,024 words each, in the shape of cuda-samples' scan: four words a thread, sums of threads by doubling
// distances in shared memory with zeros in front, two barriers a step.
__global__ void scan(const float *a, float *b)
{
    __shared__ volatile unsigned sum[2 * 256];
    int i = blockIdx.x * 256 + threadIdx.x, at = 256 + threadIdx.x;
    uint4 v = ((const uint4 *)a)[i];
    unsigned before;

    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    sum[threadIdx.x] = 0;
    sum[at] = v.w;
    for (int distance = 1; distance < 256; distance *= 2) {
        unsigned t;

        __syncthreads();
        t = sum[at] + sum[at - distance];
        __syncthreads();
        sum[at] = t;
    }
    before = sum[at] - v.w;
    ((uint4 *)b)[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// Five points of a plane of 2048 x 2048, a tile of 32 x 8 and its border in shared memory
__global__ void stencil5(const float *a, float *b)
{
    __shared__ float tile[10][34];
    const int n = 2048;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

    tile[ty][tx] = a[y * n + x];
    if (threadIdx.x == 0) {
        tile[ty][0] = x > 0 ? a[y * n + x - 1] : 0;
    }
    if (threadIdx.x == 31) {
        tile[ty][33] = x < n - 1 ? a[y * n + x + 1] : 0;
    }
    if (threadIdx.y == 0) {
        tile[0][tx] = y > 0 ? a[(y - 1) * n + x] : 0;
    }
    if (threadIdx.y == 7) {
        tile[9][tx] = y < n - 1 ? a[(y + 1) * n + x] : 0;
    }
    __syncthreads();
    b[y * n + x] = 0.5f * tile[ty][tx] + 0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] +
                                                   tile[ty - 1][tx] + tile[ty + 1][tx]);
}

#define WORDS_4(r) "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#define WORDS_8(r) WORDS_4(r), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#define IN_2(r) "r"(r[0]), "r"(r[1])
#define IN_4(r) IN_2(r), "r"(r[2]), "r"(r[3])
#define IN_8(r) IN_4(r), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])
#define SUM_4(t, r) "+" t(r[0]), "+" t(r[1]), "+" t(r[2]), "+" t(r[3])
#define SUM_8(t, r) SUM_4(t, r), "+" t(r[4]), "+" t(r[5]), "+" t(r[6]), "+" t(r[7])
#define REGS_8(a, b, c, d, e, f, g, h) \
    "{%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h "}"

// Products of 1024 x 1024: four warps a block, each 32 x 32 of the result as 2 x 2 tiles, from global memory; A by rows, B by
// columns. MMA: the instruction's four operands; LOAD_A, LOAD_B and STORE as well
#define WMMA_1024(T, SUM, LOAD_A, LOAD_B, MMA, STORE)                           \
    const int n = 1024;                                                         \
    int warp = threadIdx.x / 32;                                                \
    int row = blockIdx.y * 64 + warp / 2 * 32, column = blockIdx.x * 64 + warp % 2 * 32; \
    const T *pa = (const T *)a + row * n, *pb = (const T *)a + n * n + column * n; \
    SUM *pd = (SUM *)b + row * n + column, sum[2][2][8] = { 0 };                \
                                                                                \
    for (int k = 0; k < n; k += 16) {                                           \
        unsigned x[2][8], y[2][8];                                              \
                                                                                \
        for (int i = 0; i < 2; i++) {                                           \
            LOAD_A(x[i], pa + i * 16 * n + k, n);                               \
            LOAD_B(y[i], pb + i * 16 * n + k, n);                               \
        }                                                                       \
        for (int i = 0; i < 4; i++) {                                           \
            MMA(sum[i / 2][i % 2], x[i / 2], y[i % 2]);                         \
        }                                                                       \
    }                                                                           \
    for (int i = 0; i < 4; i++) {                                               \
        STORE(sum[i / 2][i % 2], pd + i / 2 * 16 * n + i % 2 * 16, n);          \
    }

#define LOAD_F16(what, r, p, n)                                                                       \
    asm volatile("wmma.load." what ".m16n16k16.global.f16 " REGS_8(0, 1, 2, 3, 4, 5, 6, 7) ", [%8], %9;" \
                 : WORDS_8(r)                                                                         \
                 : "l"(p), "r"(n)                                                                     \
                 : "memory")
#define LOAD_A_F16(r, p, n) LOAD_F16("a.sync.aligned.row", r, p, n)
#define LOAD_B_F16(r, p, n) LOAD_F16("b.sync.aligned.col", r, p, n)
#define MMA_F16(d, x, y)                                                                      \
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " REGS_8(0, 1, 2, 3, 4, 5, 6, 7) ", " \
                 REGS_8(8, 9, 10, 11, 12, 13, 14, 15) ", " REGS_8(16, 17, 18, 19, 20, 21, 22, 23) ", "  \
                 REGS_8(0, 1, 2, 3, 4, 5, 6, 7) ";"                                           \
                 : SUM_8("f", d)                                                              \
                 : IN_8(x), IN_8(y))
#define STORE_F32(d, p, n)                                                                               \
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%8], " REGS_8(0, 1, 2, 3, 4, 5, 6, 7) ", %9;" \
                 : SUM_8("f", d)                                                                         \
                 : "l"(p), "r"(n)                                                                        \
                 : "memory")

__global__ void wmma_f16(const float *a, float *b)
{
    WMMA_1024(unsigned short, float, LOAD_A_F16, LOAD_B_F16, MMA_F16, STORE_F32)
}

#define LOAD_S8(what, r, p, n)                                                       \
    asm volatile("wmma.load." what ".m16n16k16.global.s8 {%0,%1}, [%2], %3;"          \
                 : "=r"(r[0]), "=r"(r[1])                                            \
                 : "l"(p), "r"(n)                                                    \
                 : "memory")
#define LOAD_A_S8(r, p, n) LOAD_S8("a.sync.aligned.row", r, p, n)
#define LOAD_B_S8(r, p, n) LOAD_S8("b.sync.aligned.col", r, p, n)
#define MMA_S8(d, x, y)                                                                                 \
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 " REGS_8(0, 1, 2, 3, 4, 5, 6, 7) \
                 ", {%8,%9}, {%10,%11}, " REGS_8(0, 1, 2, 3, 4, 5, 6, 7) ";"                            \
                 : SUM_8("r", d)                                                                        \
                 : IN_2(x), IN_2(y))
#define STORE_S32(d, p, n)                                                                               \
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%8], " REGS_8(0, 1, 2, 3, 4, 5, 6, 7) ", %9;" \
                 : SUM_8("r", d)                                                                         \
                 : "l"(p), "r"(n)                                                                        \
                 : "memory")

__global__ void wmma_s8(const float *a, float *b)
{
    WMMA_1024(signed char, int, LOAD_A_S8, LOAD_B_S8, MMA_S8, STORE_S32)
}

// The same product by mma of tf32 from shared memory: a block of four warps has 64 x 64 of the result, a warp 32 x 32 of it as
// 2 x 4 tiles of 16 x 8; 16 of the depth at a time.
__global__ void mma_tf32(const float *a, float *b)
{
    __shared__ __align__(16) unsigned left[64][20], right[64][20]; // rows of A, columns of B; 20: no two lanes in one bank
    const int n = 1024;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, quad = lane % 4;
    int row = warp / 2 * 32, column = warp % 2 * 32;
    const unsigned *pa = (const unsigned *)a + blockIdx.y * 64 * n;
    const unsigned *pb = (const unsigned *)a + n * n + blockIdx.x * 64 * n;
    float sum[2][4][4] = { 0 };

    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 64 * 4; i += 128) { // 16 bytes a thread
            *(uint4 *)&left[i / 4][i % 4 * 4] = *(const uint4 *)&pa[i / 4 * n + k + i % 4 * 4];
            *(uint4 *)&right[i / 4][i % 4 * 4] = *(const uint4 *)&pb[i / 4 * n + k + i % 4 * 4];
        }
        __syncthreads();
        for (int s = 0; s < 16; s += 8) {
            unsigned x[2][4], y[4][2];

            for (int i = 0; i < 8; i++) {
                x[i / 4][i % 4] = left[row + i / 4 * 16 + i % 2 * 8 + group][s + i % 4 / 2 * 4 + quad];
                y[i / 2][i % 2] = right[column + i / 2 * 8 + group][s + i % 2 * 4 + quad];
            }
            for (int i = 0; i < 8; i++) {
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                             "{%8,%9}, {%0,%1,%2,%3};"
                             : SUM_4("f", sum[i / 4][i % 4])
                             : IN_4(x[i / 4]), IN_2(y[i % 4]));
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 32; i++) {
        int c = i % 4, r = row + i / 16 * 16 + c / 2 * 8 + group;

        b[(blockIdx.y * 64 + r) * n + blockIdx.x * 64 + column + i / 4 % 4 * 8 + quad * 2 + c % 2] =
            sum[i / 16][i / 4 % 4][c];
    }
}
