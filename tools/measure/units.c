/* SPDX-License-Identifier: MIT */
/* How many threads the units of an SM serve in a cycle: kernels that do nothing else, with two
 * lengths, whose difference has no launch in it. */
#include "tools/measure/measure.h"

#define BLOCKS_AN_SM 8u
#define THREADS 256u
#define ROUNDS 64u
#define OPS 8u /* of a round, in the text below */
#define TRIES 5

#define HEAD(name)                                                          \
    ".visible .entry " name "(.param .u32 rounds, .param .u64 out)\n"       \
    "{\n"                                                                   \
    "    .reg .pred %p<3>;\n"                                               \
    "    .reg .b32 %r<8>;\n"                                                \
    "    .reg .b64 %d<2>;\n"                                                \
    "    .reg .f32 %f<9>;\n"                                                \
    "    .shared .align 4 .b8 s[1024];\n"                                   \
    "    ld.param.u32 %r1, [rounds];\n"                                     \
    "    ld.param.u64 %d1, [out];\n"                                        \
    "    mov.u32 %r2, %tid.x;\n"                                            \
    "    shl.b32 %r2, %r2, 2;\n"                                            \
    "    mov.u32 %r3, s;\n"                                                 \
    "    add.u32 %r3, %r3, %r2;\n"                                          \
    "    st.shared.u32 [%r3], %r2;\n"                                       \
    "    cvt.rn.f32.u32 %f1, %r2;\n"                                        \
    "    mov.f32 %f2, %f1;\n    mov.f32 %f3, %f1;\n    mov.f32 %f4, %f1;\n" \
    "    mov.f32 %f5, 0f00000000;\n"                                        \
    "again:\n"
/* A sum that none has keeps what was made. */
#define TAIL                                                   \
    "    sub.u32 %r1, %r1, 1;\n"                               \
    "    setp.ne.u32 %p1, %r1, 0;\n"                           \
    "    @%p1 bra again;\n"                                    \
    "    add.f32 %f5, %f5, %f1;\n    add.f32 %f5, %f5, %f2;\n" \
    "    add.f32 %f5, %f5, %f3;\n    add.f32 %f5, %f5, %f4;\n" \
    "    setp.neu.f32 %p2, %f5, 0fc7f1206a;\n"                 \
    "    @%p2 bra end;\n"                                      \
    "    st.global.f32 [%d1], %f5;\n"                          \
    "end:\n"                                                   \
    "    ret;\n"                                               \
    "}\n"
#define EX2                                                        \
    "    ex2.approx.f32 %f1, %f1;\n    ex2.approx.f32 %f2, %f2;\n" \
    "    ex2.approx.f32 %f3, %f3;\n    ex2.approx.f32 %f4, %f4;\n"
#define LOAD                                                                           \
    "    ld.volatile.shared.f32 %f1, [%r3];\n    ld.volatile.shared.f32 %f2, [%r3];\n" \
    "    ld.volatile.shared.f32 %f3, [%r3];\n    ld.volatile.shared.f32 %f4, [%r3];\n"

static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n" HEAD("sfu")
    EX2 EX2 TAIL HEAD("ldst") LOAD LOAD TAIL;

/* ns of a launch, the least of some; 0: failed */
static double units_ns(CUfunction f, unsigned blocks, unsigned rounds, CUdeviceptr out)
{
    void *arguments[] = { &rounds, &out };
    CUevent from, to;
    double best = 0;

    if (drv.cuEventCreate(&from, 0) != CUDA_SUCCESS || drv.cuEventCreate(&to, 0) != CUDA_SUCCESS) {
        return 0;
    }
    for (int try = 0; try < TRIES; try++) {
        float ms = 0;

        drv.cuEventRecord(from, NULL);
        if (drv.cuLaunchKernel(f, blocks, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL) !=
            CUDA_SUCCESS) {
            return 0;
        }
        drv.cuEventRecord(to, NULL);
        if (drv.cuEventSynchronize(to) != CUDA_SUCCESS ||
            drv.cuEventElapsedTime(&ms, from, to) != CUDA_SUCCESS) {
            return 0;
        }
        best = try == 0 || ms * 1e6 < best ? ms * 1e6 : best;
    }
    return best;
}

uint64_t measure_units(const char *unit)
{
    int sms = 0, khz = 0;
    CUmodule module;
    CUfunction f;
    CUdeviceptr out = 0;
    double once, twice, ops;

    drv.cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    drv.cuDeviceGetAttribute(&khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0);
    if (sms < 1 || khz < 1 || drv.cuModuleLoadData(&module, ptx) != CUDA_SUCCESS ||
        drv.cuModuleGetFunction(&f, module, unit) != CUDA_SUCCESS ||
        drv.cuMemAlloc(&out, sizeof(float)) != CUDA_SUCCESS) {
        return 0;
    }
    once = units_ns(f, (unsigned)sms * BLOCKS_AN_SM, ROUNDS, out);
    twice = units_ns(f, (unsigned)sms * BLOCKS_AN_SM, 2 * ROUNDS, out);
    drv.cuMemFree(out);
    ops = (double)BLOCKS_AN_SM * THREADS * ROUNDS * OPS; /* of an SM */
    return once > 0 && twice > once ? (uint64_t)(ops / ((twice - once) * khz / 1e6) + 0.5) : 0;
}
