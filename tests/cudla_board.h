/* SPDX-License-Identifier: MIT */
/* What the tests of cuDLA share: a handle with a module on the board in this process. Each test
 * runs in a process of its own (Check forks), so each brings the driver up anew. */
#ifndef TESTS_CUDLA_BOARD_H
#define TESTS_CUDLA_BOARD_H

#include <check.h>
#include <cuda.h>
#include <cudla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cudla_rig.h"

#define OK(call) ck_assert_int_eq((call), cudlaSuccess)
#define GIVES(call, status) ck_assert_int_eq((call), cudlaError##status)
#define CU(call) ck_assert_int_eq((call), CUDA_SUCCESS)

/* What a test works with: a primary context, a stream, a handle of DLA 0, a module. */
struct board {
    cudlaDevHandle dev;
    cudlaModule module;
    CUstream stream;
    CUcontext context;
    uint8_t *loadable;
    size_t len;
};

/* A tensor in device memory and its registration. */
struct tensor {
    CUdeviceptr gpu;
    uint64_t *dla;
};

static const struct rig_net board_net = { .relu = 1, .scale = 3, .shift = 1 };

/* From here on what the driver says as it happens is in a file, and the report nowhere. */
static inline void board_listen(void)
{
    FILE *file = tmpfile();

    /* With the report elsewhere a finding says all at once. */
    setenv("VTEGRA_REPORT", getenv("TEST_REPORT") ? getenv("TEST_REPORT") : "/dev/null", 1);
    ck_assert_ptr_nonnull(file);
    fflush(stderr);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
}

/* All that was told so far. Lines are wrapped: blanks stand for line ends. */
static inline const char *board_text(void)
{
    static char text[1 << 16];
    ssize_t n;
    char *to = text;

    fflush(stderr);
    n = pread(STDERR_FILENO, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = 0;
    for (const char *at = text; *at; at++) {
        char c = *at == '\n' ? ' ' : *at;

        if (c != ' ' || to == text || to[-1] != ' ') {
            *to++ = c;
        }
    }
    *to = 0;
    return text;
}

static inline int board_said(const char *word)
{
    return strstr(board_text(), word) != NULL;
}

#define SAID(word) \
    ck_assert_msg(board_said(word), "nothing was said of \"%s\" in: %.2000s", word, board_text())
#define SILENT() \
    ck_assert_msg(!board_said("vtegra"), "said of a correct program: %.2000s", board_text())

static inline void board_open_on(struct board *b, const char *soc, const struct rig_net *net)
{
    setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_POLICY", getenv("TEST_POLICY") ? getenv("TEST_POLICY") : "lazy", 1);
    board_listen();
    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&b->context, 0));
    CU(cuCtxSetCurrent(b->context));
    CU(cuStreamCreate(&b->stream, CU_STREAM_NON_BLOCKING));
    OK(cudlaCreateDevice(0, &b->dev, CUDLA_CUDA_DLA));
    b->loadable = rig_loadable(net, &b->len);
    OK(cudlaModuleLoadFromMemory(b->dev, b->loadable, b->len, &b->module, 0));
}

static inline void board_open(struct board *b)
{
    board_open_on(b, "xavier", &board_net);
}

/* The surface list in the loadable: cubes of 32 bytes, of width 8, height 8, channels 32; the first
 * says so at byte 12 (dla_interface.h, blob version 0.12: type, address, offset, size, then width).
 */
static inline uint8_t *board_surfaces(struct board *b)
{
    static const uint8_t cube[] = { 8, 0, 8, 0, 32, 0 };
    uint8_t *at = NULL;

    for (size_t i = 0; i + sizeof(cube) < b->len && !at; i++) {
        at = memcmp(b->loadable + i, cube, sizeof(cube)) == 0 ? b->loadable + i : NULL;
    }
    ck_assert_ptr_nonnull(at);
    return at - 12;
}

static inline void board_close(struct board *b)
{
    CU(cuStreamSynchronize(b->stream));
    OK(cudlaModuleUnload(b->module, 0));
    OK(cudlaDestroyDevice(b->dev));
    CU(cuStreamDestroy(b->stream));
    CU(cuDevicePrimaryCtxRelease(0));
    free(b->loadable);
}

static inline struct tensor tensor_of(struct board *b, size_t bytes, uint32_t flags)
{
    struct tensor t;

    CU(cuMemAlloc(&t.gpu, bytes));
    OK(cudlaMemRegister(b->dev, (const uint64_t *)(uintptr_t)t.gpu, bytes, &t.dla, flags));
    return t;
}

static inline void tensor_drop(struct board *b, struct tensor *t)
{
    OK(cudlaMemUnregister(b->dev, t->dla));
    CU(cuMemFree(t->gpu));
}

/* A task of one input and one output. The arrays live in the caller's struct. */
struct one_task {
    cudlaTask task;
    uint64_t *out[2];
    const uint64_t *in[1];
};

static inline const cudlaTask *task_of(struct one_task *t, cudlaModule module, uint64_t *in,
                                       uint64_t *out)
{
    t->in[0] = in;
    t->out[0] = out;
    t->task = (cudlaTask){ .moduleHandle = module,
                           .inputTensor = t->in,
                           .numInputTensors = 1,
                           .outputTensor = t->out,
                           .numOutputTensors = 1 };
    return &t->task;
}

static inline void pattern(int8_t *bytes, unsigned seed)
{
    for (unsigned i = 0; i < RIG_BYTES; i++) {
        bytes[i] = (int8_t)(i * 37 + seed);
    }
}

static inline void check_bytes(const struct rig_net *net, const int8_t *in, const int8_t *out)
{
    for (unsigned i = 0; i < RIG_BYTES; i++) {
        ck_assert_msg(out[i] == rig_expect(net, in[i]), "byte %u: %d gives %d, should be %d", i,
                      in[i], out[i], rig_expect(net, in[i]));
    }
}

#endif
