/* SPDX-License-Identifier: MIT */
/* What the questions to NVIDIA's sparse and dense solvers share: rows of answers, and arrays of any
 * type. Rows:
 *   WHAT = CODE            the same everywhere
 *   WHAT ~ BOUND V...      values; ours differ by at most BOUND
 *   WHAT < BOUND V         an error of the result: ours is at most the larger of both
 * Questions whose numbers are arguments are left out: NVIDIA's libraries end with a signal there.
 * The number of the question that is asked stands in the file "at".
 */
#ifndef LIBRARY_CASE_H
#define LIBRARY_CASE_H

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

typedef std::complex<double> number;
typedef std::vector<number> numbers;

static int asked, left_out[64], left_outs;

static void arguments(int argc, char **argv)
{
    for (int i = 1; i < argc && left_outs < 64; i++) {
        left_out[left_outs++] = atoi(argv[i]);
    }
}

static bool answers(const char *what)
{
    FILE *at;

    asked++;
    for (int i = 0; i < left_outs; i++) {
        if (left_out[i] == asked) {
            printf("%s = signal\n", what);
            return false;
        }
    }
    fflush(stdout);
    at = getenv("QUESTION_FILE") ? fopen(getenv("QUESTION_FILE"), "w") : NULL;
    if (at) {
        fprintf(at, "%d\n", asked);
        fclose(at);
    }
    return true;
}

/* A call that leaves the context lost is one that is left out, too. */
static void settle()
{
    if (cudaDeviceSynchronize() != cudaSuccess) {
        exit(9);
    }
}

#define CODE(call) (answers(#call) ? (printf("%s = %d\n", #call, (int)(call)), settle()) : (void)0)

static int ask(const std::string &what, int code)
{
    settle();
    printf("%s = %d\n", what.c_str(), code);
    return code;
}
/* A code; go on if it is success. */
#define ASK(what, call) (answers((what).c_str()) && ask(what, (int)(call)) == 0)

static uint32_t state = 1;

static double random_next()
{
    state = state * 1664525u + 1013904223u;
    return (double)(int32_t)(state >> 8 << 8) * 0x1p-31;
}

/* Multiples of 2^-7, so that halves hold them */
static number random_number(bool complex_too)
{
    double re = (double)(int)(random_next() * 128) / 128;
    double im = (double)(int)(random_next() * 128) / 128;

    return number(re, complex_too ? im : 0);
}

static bool is_complex(cudaDataType t)
{
    return t == CUDA_C_32F || t == CUDA_C_64F;
}

static double eps_of(cudaDataType t)
{
    return t == CUDA_R_64F || t == CUDA_C_64F ? 0x1p-52
           : t == CUDA_R_16F                  ? 0x1p-10
           : t == CUDA_R_16BF                 ? 0x1p-7
           : t == CUDA_R_32I                  ? 0
                                              : 0x1p-23;
}

static size_t bytes_of(cudaDataType t)
{
    return t == CUDA_R_8I                        ? 1
           : t == CUDA_R_16F || t == CUDA_R_16BF ? 2
           : t == CUDA_R_64F || t == CUDA_C_32F  ? 8
           : t == CUDA_C_64F                     ? 16
                                                 : 4;
}

/* Only numbers that both types hold exactly: no rounding */
static uint16_t half_bits(float f, bool bfloat)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    if (bfloat || f == 0) {
        return (uint16_t)(u >> 16);
    }
    return (uint16_t)((u >> 16 & 0x8000) | (((u >> 23 & 255) - 112) << 10) | (u >> 13 & 0x3ff));
}

static float half_value(uint16_t h, bool bfloat)
{
    uint32_t u = (uint32_t)h << 16;
    float f;

    if (!bfloat) {
        f = (float)(h & 0x3ff);
        if ((h >> 10 & 31) == 0) {
            return (h & 0x8000 ? -1 : 1) * f * 0x1p-24f;
        }
        u = (uint32_t)(h & 0x8000) << 16 | ((h >> 10 & 31u) + 112) << 23 |
            (uint32_t)(h & 0x3ff) << 13;
    }
    memcpy(&f, &u, 4);
    return f;
}

static void store(void *to, cudaDataType t, size_t i, number v)
{
    switch (t) {
    case CUDA_R_32F:
        ((float *)to)[i] = (float)v.real();
        break;
    case CUDA_R_64F:
        ((double *)to)[i] = v.real();
        break;
    case CUDA_C_32F:
        ((cuComplex *)to)[i] = make_cuComplex((float)v.real(), (float)v.imag());
        break;
    case CUDA_C_64F:
        ((cuDoubleComplex *)to)[i] = make_cuDoubleComplex(v.real(), v.imag());
        break;
    case CUDA_R_8I:
        ((int8_t *)to)[i] = (int8_t)(v.real() * 16);
        break;
    case CUDA_R_32I:
        ((int32_t *)to)[i] = (int32_t)v.real();
        break;
    default:
        ((uint16_t *)to)[i] = half_bits((float)v.real(), t == CUDA_R_16BF);
        break;
    }
}

static number load(const void *from, cudaDataType t, size_t i)
{
    double parts[2]; /* a structure's bytes may lie anywhere */

    switch (t) {
    case CUDA_R_32F:
        return ((const float *)from)[i];
    case CUDA_R_64F:
        return ((const double *)from)[i];
    case CUDA_C_32F:
        return number(((const cuComplex *)from)[i].x, ((const cuComplex *)from)[i].y);
    case CUDA_C_64F:
        memcpy(parts, (const char *)from + i * sizeof(parts), sizeof(parts));
        return number(parts[0], parts[1]);
    case CUDA_R_8I:
        return ((const int8_t *)from)[i];
    case CUDA_R_32I:
        return ((const int32_t *)from)[i];
    default:
        return half_value(((const uint16_t *)from)[i], t == CUDA_R_16BF);
    }
}

/* Device memory that stays; the process ends soon. */
static void *device(size_t bytes)
{
    void *p = NULL;

    cudaMalloc(&p, bytes ? bytes : 8);
    cudaMemset(p, 0, bytes ? bytes : 8);
    return p;
}

static void *to_device(const numbers &v, cudaDataType t)
{
    std::vector<char> host(v.size() * bytes_of(t) + 16);
    void *p = device(v.size() * bytes_of(t));

    for (size_t i = 0; i < v.size(); i++) {
        store(host.data(), t, i, v[i]);
    }
    cudaMemcpy(p, host.data(), v.size() * bytes_of(t), cudaMemcpyHostToDevice);
    return p;
}

static int *to_device(const std::vector<int> &v)
{
    int *p = (int *)device(v.size() * 4);

    cudaMemcpy(p, v.data(), v.size() * 4, cudaMemcpyHostToDevice);
    return p;
}

static numbers from_device(const void *p, cudaDataType t, size_t n)
{
    std::vector<char> host(n * bytes_of(t) + 16);
    numbers v(n);

    cudaDeviceSynchronize();
    cudaMemcpy(host.data(), p, n * bytes_of(t), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++) {
        v[i] = load(host.data(), t, i);
    }
    return v;
}

static std::vector<int> from_device(const int *p, size_t n)
{
    std::vector<int> v(n);

    cudaDeviceSynchronize();
    cudaMemcpy(v.data(), p, n * 4, cudaMemcpyDeviceToHost);
    return v;
}

static void show(const std::string &what, const std::vector<int> &v)
{
    printf("%s =", what.c_str());
    for (int i : v) {
        printf(" %d", i);
    }
    printf("\n");
}

static void show(const std::string &what, const numbers &v, cudaDataType t, double units)
{
    printf("%s ~ %.3g", what.c_str(), units * eps_of(t));
    for (const number &i : v) {
        printf(eps_of(t) < 1e-12 ? " %.16g" : " %.9g", i.real());
        if (is_complex(t)) {
            printf(eps_of(t) < 1e-12 ? " %.16g" : " %.9g", i.imag());
        }
    }
    printf("\n");
}

static void show_error(const std::string &what, double error, cudaDataType t, double units)
{
    printf("%s < %.3g %.3g\n", what.c_str(), units * eps_of(t), error);
}

/* Any type's factor, on the host */
static const void *scalar(number v, cudaDataType t)
{
    static char room[16][16];
    static int next;

    next = (next + 1) % 16;
    store(room[next], t, 0, v);
    return room[next];
}

static numbers random_numbers(size_t n, cudaDataType t)
{
    numbers v(n);

    for (number &i : v) {
        i = random_number(is_complex(t));
    }
    return v;
}

static const cudaDataType four[] = { CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F };

static std::string name_of(cudaDataType t)
{
    switch (t) {
    case CUDA_R_32F:
        return "S";
    case CUDA_R_64F:
        return "D";
    case CUDA_C_32F:
        return "C";
    case CUDA_C_64F:
        return "Z";
    case CUDA_R_16F:
        return "H";
    case CUDA_R_16BF:
        return "B";
    case CUDA_R_8I:
        return "I8";
    default:
        return "I32";
    }
}

#endif
