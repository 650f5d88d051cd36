/* SPDX-License-Identifier: MIT */
/* A program as an application would be written, on the public headers alone: what cuFFT computes,
 * against the sums of the definition. Prints a line a failure; exit 1 if there was one. */
#include <cuda.h>
#include <cufft.h>
#include <cufftXt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 20000u /* numbers of an array */

static int failed;
static CUdeviceptr in, out;
static double x[ROOM], y[ROOM];
static unsigned chance = 1;

#define CHECK(good)                                   \
    do {                                              \
        if (!(good)) {                                \
            printf("line %d: %s\n", __LINE__, #good); \
            failed = 1;                               \
        }                                             \
    } while (0)

static double number(void)
{
    chance = chance * 1664525u + 1013904223u;
    return (double)(int)(chance >> 8) * 0x1p-24 - 0.5;
}

/* Where element i of batch b lies, in numbers of its side */
struct layout {
    int n[3], embed[3], rank, stride, dist;
};

static size_t place(const struct layout *l, int b, const int i[3])
{
    size_t at = 0;

    for (int d = 0; d < l->rank; d++) {
        at = at * (size_t)(d ? l->embed[d] : 1) + (size_t)i[d];
    }
    return (size_t)b * (size_t)l->dist + at * (size_t)l->stride;
}

static double get(const void *a, int twice, size_t i)
{
    return twice ? ((const double *)a)[i] : (double)((const float *)a)[i];
}

/* Result k of batch b by definition; complex input, or real: no imaginary parts */
static void definition(const struct layout *l, int twice, int real, int b, const int k[3], int sign,
                       double sum[2])
{
    int total = 1, i[3];

    sum[0] = sum[1] = 0;
    for (int d = 0; d < l->rank; d++) {
        total *= l->n[d];
    }
    for (int t = 0; t < total; t++) {
        double turn = 0, re, im, c, s;
        int rest = t;

        for (int d = l->rank - 1; d >= 0; d--) {
            i[d] = rest % l->n[d];
            rest /= l->n[d];
            turn += (double)((long long)i[d] * k[d] % l->n[d]) / l->n[d];
        }
        re = get(x, twice, place(l, b, i) * (real ? 1 : 2));
        im = real ? 0 : get(x, twice, place(l, b, i) * 2 + 1);
        c = cos(2 * acos(-1) * turn);
        s = sign * sin(2 * acos(-1) * turn);
        sum[0] += re * c - im * s;
        sum[1] += re * s + im * c;
    }
}

/* All results of one plan. Numbers that no element lies on are untouched. */
static void results_check(const struct layout *li, const struct layout *lo, int twice, int real,
                          int batch, int sign)
{
    static char touched[ROOM];
    double limit = twice ? 1e-12 : 2e-5;
    int last = lo->rank - 1, half = real ? li->n[last] / 2 + 1 : li->n[last], total = half;

    memset(touched, 0, sizeof(touched));
    for (int d = 0; d < last; d++) {
        total *= li->n[d];
    }
    for (int t = 0; t < total * batch; t++) {
        int rest = t / half % (total / half), k[3] = { 0 };
        double want[2];
        size_t at;

        k[last] = t % half;
        for (int d = last - 1; d >= 0; d--) {
            k[d] = rest % li->n[d];
            rest /= li->n[d];
        }
        definition(li, twice, real, t / total, k, sign, want);
        at = 2 * place(lo, t / total, k);
        touched[at] = touched[at + 1] = 1;
        if (!(fabs(get(y, twice, at) - want[0]) <= limit) ||
            !(fabs(get(y, twice, at + 1) - want[1]) <= limit)) {
            printf("result %d: %g %g, not %g %g\n", t, get(y, twice, at), get(y, twice, at + 1),
                   want[0], want[1]);
            failed = 1;
            return;
        }
    }
    for (size_t i = 0; i < ROOM / 2; i++) {
        CHECK(touched[i] || get(y, twice, i) == 77);
    }
}

static void numbers_make(void *a, int twice, int fixed)
{
    for (size_t i = 0; i < ROOM / 2; i++) {
        double v = fixed ? 77 : number();

        if (twice) {
            ((double *)a)[i] = v;
        } else {
            ((float *)a)[i] = (float)v;
        }
    }
}

static void arrays_make(int twice)
{
    numbers_make(x, twice, 0);
    numbers_make(y, twice, 1);
    CHECK(cuMemcpyHtoD(in, x, sizeof(x)) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(out, y, sizeof(y)) == CUDA_SUCCESS);
}

static cufftResult forward(cufftHandle plan, int twice, int real, CUdeviceptr to, int direction)
{
    void *a = (void *)(uintptr_t)in, *b = (void *)(uintptr_t)to;

    return real ? (twice ? cufftExecD2Z(plan, a, b) : cufftExecR2C(plan, a, b))
                : (twice ? cufftExecZ2Z(plan, a, b, direction)
                         : cufftExecC2C(plan, a, b, direction));
}

static cufftType type_of(int twice, int real)
{
    return real ? (twice ? CUFFT_D2Z : CUFFT_R2C) : (twice ? CUFFT_Z2Z : CUFFT_C2C);
}

static void many_check(struct layout li, struct layout lo, int twice, int real, int batch)
{
    cufftHandle plan;

    arrays_make(twice);
    CHECK(cufftPlanMany(&plan, li.rank, li.n, li.embed, li.stride, li.dist, lo.embed, lo.stride,
                        lo.dist, type_of(twice, real), batch) == CUFFT_SUCCESS);
    CHECK(forward(plan, twice, real, out, CUFFT_INVERSE) == CUFFT_SUCCESS);
    CHECK(cuMemcpyDtoH(y, out, sizeof(y)) == CUDA_SUCCESS);
    results_check(&li, &lo, twice, real, batch, real ? -1 : 1);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
}

static void layouts_are_those_of_the_guide(int twice)
{
    /* Side by side, in between, rows of a larger array, in three dimensions */
    many_check((struct layout){ { 12 }, { 12 }, 1, 1, 12 },
               (struct layout){ { 12 }, { 12 }, 1, 1, 12 }, twice, 0, 3);
    many_check((struct layout){ { 15 }, { 15 }, 1, 7, 1 },
               (struct layout){ { 15 }, { 15 }, 1, 1, 20 }, twice, 0, 7);
    many_check((struct layout){ { 6, 10 }, { 6, 13 }, 2, 1, 100 },
               (struct layout){ { 6, 10 }, { 6, 10 }, 2, 2, 121 }, twice, 0, 2);
    many_check((struct layout){ { 3, 4, 5 }, { 3, 4, 7 }, 3, 1, 90 },
               (struct layout){ { 3, 4, 5 }, { 3, 4, 5 }, 3, 1, 60 }, twice, 0, 2);
    many_check((struct layout){ { 22 }, { 22 }, 1, 3, 70 },
               (struct layout){ { 22 }, { 12 }, 1, 2, 30 }, twice, 1, 3);
    many_check((struct layout){ { 6, 10 }, { 6, 12 }, 2, 1, 80 },
               (struct layout){ { 6, 10 }, { 6, 6 }, 2, 1, 36 }, twice, 1, 2);
}

static void plain_plans_are_right(int twice)
{
    struct layout one = { { 100 }, { 100 }, 1, 1, 100 };
    struct layout two = { { 9, 14 }, { 9, 14 }, 2, 1, 126 };
    struct layout three = { { 4, 6, 10 }, { 4, 6, 10 }, 3, 1, 240 };
    struct layout half = { { 4, 6, 10 }, { 4, 6, 6 }, 3, 1, 144 };
    cufftHandle plan;

    arrays_make(twice);
    CHECK(cufftPlan1d(&plan, 100, type_of(twice, 0), 4) == CUFFT_SUCCESS);
    CHECK(forward(plan, twice, 0, out, CUFFT_FORWARD) == CUFFT_SUCCESS);
    CHECK(cuMemcpyDtoH(y, out, sizeof(y)) == CUDA_SUCCESS);
    results_check(&one, &one, twice, 0, 4, -1);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
    arrays_make(twice);
    CHECK(cufftPlan2d(&plan, 9, 14, type_of(twice, 0)) == CUFFT_SUCCESS);
    CHECK(forward(plan, twice, 0, out, CUFFT_INVERSE) == CUFFT_SUCCESS);
    CHECK(cuMemcpyDtoH(y, out, sizeof(y)) == CUDA_SUCCESS);
    results_check(&two, &two, twice, 0, 1, 1);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
    arrays_make(twice);
    CHECK(cufftPlan3d(&plan, 4, 6, 10, type_of(twice, 1)) == CUFFT_SUCCESS);
    CHECK(forward(plan, twice, 1, out, 0) == CUFFT_SUCCESS);
    CHECK(cuMemcpyDtoH(y, out, sizeof(y)) == CUDA_SUCCESS);
    results_check(&three, &half, twice, 1, 1, -1);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
}

/* Real numbers in place have room for the result: 2 (n / 2 + 1) a row. There and back. */
static void real_in_place_comes_back(void)
{
    void *a = (void *)(uintptr_t)in;
    cufftHandle to, from;

    arrays_make(0);
    CHECK(cufftPlan2d(&to, 6, 9, CUFFT_R2C) == CUFFT_SUCCESS);
    CHECK(cufftPlan2d(&from, 6, 9, CUFFT_C2R) == CUFFT_SUCCESS);
    CHECK(cufftExecR2C(to, a, a) == CUFFT_SUCCESS);
    CHECK(cufftExecC2R(from, a, a) == CUFFT_SUCCESS);
    CHECK(cuMemcpyDtoH(y, in, sizeof(y)) == CUDA_SUCCESS);
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 9; k++) {
            CHECK(fabs(get(y, 0, i * 10 + k) / 54 - get(x, 0, i * 10 + k)) < 1e-6);
        }
    }
    CHECK(cufftDestroy(to) == CUFFT_SUCCESS && cufftDestroy(from) == CUFFT_SUCCESS);
}

static void mistakes_have_codes(void)
{
    int n[3] = { 4, 4, 4 }, gaps[3] = { 4, 6, 4 };
    cufftHandle plan, bare;
    size_t size;
    void *a = (void *)(uintptr_t)in;

    CHECK(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, -5, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, (cufftType)1, 1) == CUFFT_INVALID_TYPE);
    CHECK(cufftPlan1d(NULL, 8, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftPlanMany(&plan, 4, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftPlanMany(&plan, 1, NULL, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1) ==
          CUFFT_INVALID_VALUE);
    CHECK(cufftPlanMany(&plan, 3, n, gaps, 1, 96, gaps, 1, 96, CUFFT_C2C, 1) ==
          CUFFT_NOT_SUPPORTED);
    CHECK(cufftExecC2C(12345, a, a, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    CHECK(cufftDestroy(-1) == CUFFT_INVALID_PLAN && cufftDestroy(0) == CUFFT_INVALID_PLAN);
    CHECK(cufftCreate(&bare) == CUFFT_SUCCESS);
    CHECK(cufftExecC2C(bare, a, a, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    CHECK(cufftMakePlan1d(bare, 16, CUFFT_C2C, 1, &size) == CUFFT_SUCCESS);
    CHECK(cufftMakePlan1d(bare, 16, CUFFT_C2C, 1, &size) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecR2C(bare, a, a) == CUFFT_INVALID_PLAN);
    CHECK(cufftExecC2C(bare, NULL, a, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
    CHECK(cufftExecC2C(bare, a, a, 0) == CUFFT_INVALID_VALUE);
    CHECK(cufftXtSetCallback(bare, NULL, CUFFT_CB_LD_COMPLEX, NULL) == CUFFT_NOT_SUPPORTED);
    CHECK(cufftDestroy(bare) == CUFFT_SUCCESS && cufftDestroy(bare) == CUFFT_INVALID_PLAN);
}

/* A transform is a kernel node; each launch of the graph computes it again. */
static void captured_is_a_node(void)
{
    cufftHandle plan;
    CUstream s;
    CUgraph g;
    CUgraphExec exec;
    CUgraphNode nodes[4];
    size_t n = 4;
    cufftComplex one[8] = { { 1, 0 } }, back[8] = { { 0, 0 } };

    CHECK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(cufftPlan1d(&plan, 8, CUFFT_C2C, 1) == CUFFT_SUCCESS);
    CHECK(cufftSetStream(plan, (cudaStream_t)s) == CUFFT_SUCCESS);
    CHECK(cuMemcpyHtoD(in, one, sizeof(one)) == CUDA_SUCCESS);
    CHECK(cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, CUFFT_FORWARD) ==
          CUFFT_SUCCESS);
    CHECK(cuStreamEndCapture(s, &g) == CUDA_SUCCESS);
    CHECK(cuGraphGetNodes(g, nodes, &n) == CUDA_SUCCESS && n == 1);
    CHECK(cuGraphInstantiate(&exec, g, 0) == CUDA_SUCCESS);
    CHECK(cuGraphLaunch(exec, s) == CUDA_SUCCESS && cuStreamSynchronize(s) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(back, out, sizeof(back)) == CUDA_SUCCESS);
    for (int i = 0; i < 8; i++) { /* of a single one at 0: ones */
        CHECK(back[i].x == 1 && back[i].y == 0);
    }
    CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS && cuGraphDestroy(g) == CUDA_SUCCESS);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
}

int main(void)
{
    CUcontext context;
    CUdevice dev;

    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&dev, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, dev) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&in, sizeof(x)) == CUDA_SUCCESS &&
          cuMemAlloc(&out, sizeof(y)) == CUDA_SUCCESS);
    for (int twice = 0; twice < 2; twice++) {
        plain_plans_are_right(twice);
        layouts_are_those_of_the_guide(twice);
    }
    captured_is_a_node();
    real_in_place_comes_back();
    mistakes_have_codes();
    CHECK(cuMemFree(in) == CUDA_SUCCESS && cuMemFree(out) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRelease(dev) == CUDA_SUCCESS);
    return failed;
}
