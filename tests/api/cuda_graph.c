/* SPDX-License-Identifier: MIT */
/* Graphs do what the same work does in a stream, whatever the policy: expected values are computed
 * here, by plain C. Exit status 0 if all of them are right. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                                \
    do {                                                                        \
        CUresult rc_ = (call);                                                  \
        if (rc_ != CUDA_SUCCESS) {                                              \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, rc_); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

#define SAME(is, should)                                                                         \
    do {                                                                                         \
        unsigned is_ = (is), should_ = (should);                                                 \
        if (is_ != should_) {                                                                    \
            fprintf(stderr, "%s:%d: %s is %u, not %u\n", __FILE__, __LINE__, #is, is_, should_); \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_72\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);\n"
    /* *p = *p * 3 + n */
    ".visible .entry step(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .u64 %a<3>;\n.reg .u32 %r<4>;\n"
    "ld.param.u64 %a1, [p];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %a2, %a1;\n"
    "ld.global.u32 %r2, [%a2];\nmad.lo.u32 %r3, %r2, 3, %r1;\nst.global.u32 [%a2], %r3;\nret;\n}\n"
    /* *sum = *a + *b */
    ".visible .entry add(.param .u64 sum, .param .u64 a, .param .u64 b)\n{\n"
    ".reg .u64 %a<7>;\n.reg .u32 %r<4>;\n"
    "ld.param.u64 %a1, [sum];\nld.param.u64 %a2, [a];\nld.param.u64 %a3, [b];\n"
    "cvta.to.global.u64 %a4, %a1;\ncvta.to.global.u64 %a5, %a2;\ncvta.to.global.u64 %a6, %a3;\n"
    "ld.global.u32 %r1, [%a5];\nld.global.u32 %r2, [%a6];\nadd.u32 %r3, %r1, %r2;\n"
    "st.global.u32 [%a4], %r3;\nret;\n}\n"
    /* counts *p down and says whether there is more */
    ".visible .entry down(.param .u64 p, .param .u64 h)\n{\n"
    ".reg .u64 %a<4>;\n.reg .u32 %r<3>;\n"
    "ld.param.u64 %a1, [p];\nld.param.u64 %a3, [h];\ncvta.to.global.u64 %a2, %a1;\n"
    "ld.global.u32 %r1, [%a2];\nsub.u32 %r2, %r1, 1;\nst.global.u32 [%a2], %r2;\n"
    "{\n.param .b64 h0;\nst.param.b64 [h0], %a3;\n.param .b32 v0;\nst.param.b32 [v0], %r2;\n"
    "call.uni cudaGraphSetConditional, (h0, v0);\n}\nret;\n}\n";

static CUcontext ctx;
static CUfunction step, add, down;
static CUdeviceptr a, b, c, d;
static CUstream s, t;
static unsigned calls;

static void count(void *unused)
{
    (void)unused;
    calls++;
}

static unsigned word(CUdeviceptr at)
{
    unsigned w;

    OK(cuMemcpyDtoH(&w, at, 4));
    return w;
}

static void set(CUdeviceptr at, unsigned w)
{
    OK(cuMemcpyHtoD(at, &w, 4));
    OK(cuCtxSynchronize()); /* s does not wait for the legacy stream */
}

static void launch(CUfunction f, CUstream stream, void **arguments)
{
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

static void do_step(CUdeviceptr p, unsigned n, CUstream stream)
{
    void *arguments[] = { &p, &n };

    launch(step, stream, arguments);
}

static CUgraphExec instance(CUgraph g)
{
    CUgraphExec e;

    OK(cuGraphInstantiate(&e, g, 0));
    OK(cuGraphDestroy(g));
    return e;
}

/* Two branches of a captured diamond, and what comes before and after it. */
static void work(void)
{
    CUevent fork, join;
    void *sum[] = { &c, &a, &b };

    OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    OK(cuMemsetD32Async(a, 1, 1, s));
    OK(cuMemcpyDtoDAsync(b, a, 4, s));
    OK(cuEventRecord(fork, s));
    OK(cuStreamWaitEvent(t, fork, 0));
    do_step(a, 2, s);
    do_step(b, 5, t);
    do_step(b, 7, t);
    OK(cuEventRecord(join, t));
    OK(cuStreamWaitEvent(s, join, 0));
    launch(add, s, sum);
    OK(cuLaunchHostFunc(s, count, NULL));
    do_step(c, 1, s);
    OK(cuEventDestroy(fork));
    OK(cuEventDestroy(join));
}

#define A (1u * 3 + 2)
#define B ((1u * 3 + 5) * 3 + 7)

static void captured_as_plain(void)
{
    CUgraphExec e;
    CUgraph g;

    work();
    OK(cuStreamSynchronize(s));
    SAME(word(c), (A + B) * 3 + 1);
    SAME(calls, 1);
    set(c, 0);
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    work();
    OK(cuStreamEndCapture(s, &g));
    SAME(word(c), 0);
    e = instance(g);
    for (unsigned i = 0; i < 3; i++) {
        OK(cuGraphLaunch(e, s));
    }
    OK(cuStreamSynchronize(s));
    SAME(word(a), A);
    SAME(word(b), B);
    SAME(word(c), (A + B) * 3 + 1);
    SAME(calls, 4);
    /* A launch comes after the one before, whatever its stream. */
    OK(cuGraphLaunch(e, s));
    OK(cuGraphLaunch(e, t));
    OK(cuStreamSynchronize(t));
    SAME(calls, 6);
    OK(cuGraphExecDestroy(e));
}

static CUgraphNode add_step(CUgraph g, CUgraphNode after, CUdeviceptr p, unsigned n)
{
    void *arguments[] = { &p, &n };
    CUDA_KERNEL_NODE_PARAMS k = { .func = step,
                                  .gridDimX = 1,
                                  .gridDimY = 1,
                                  .gridDimZ = 1,
                                  .blockDimX = 1,
                                  .blockDimY = 1,
                                  .blockDimZ = 1,
                                  .kernelParams = arguments };
    CUgraphNode node;

    OK(cuGraphAddKernelNode(&node, g, &after, after != NULL, &k));
    return node;
}

/* Forty branches, more than there are lanes, then a child graph that waits for all. */
static void wide(void)
{
    CUgraphNode nodes[40], child;
    CUgraphExec e;
    CUgraph g, inner;
    unsigned sum = 0;

    OK(cuMemsetD32(d, 1, 64));
    OK(cuCtxSynchronize());
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphCreate(&inner, 0));
    for (unsigned i = 0; i < 40; i++) {
        nodes[i] = add_step(g, NULL, d + 4 * i, i);
    }
    for (unsigned i = 0; i < 40; i++) { /* one behind the other */
        add_step(inner, i ? child : NULL, d + 4 * i, 1);
        if (i == 0) {
            size_t n = 1;

            OK(cuGraphGetNodes(inner, &child, &n));
        }
    }
    OK(cuGraphAddChildGraphNode(&child, g, nodes, 40, inner));
    e = instance(g);
    OK(cuGraphDestroy(inner));
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    for (unsigned i = 0; i < 40; i++) {
        sum += word(d + 4 * i) == (3 + i) * 3 + 1;
    }
    SAME(sum, 40);
    OK(cuGraphExecDestroy(e));
}

static CUgraph conditional(CUgraph g, CUgraphNode after, CUgraphConditionalHandle h,
                           CUgraphConditionalNodeType type, unsigned size, CUgraph *bodies)
{
    CUgraphNodeParams p;
    CUgraphNode node;

    memset(&p, 0, sizeof(p));
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    p.conditional.ctx = ctx;
    OK(cuGraphAddNode(&node, g, &after, NULL, after != NULL, &p));
    memcpy(bodies, p.conditional.phGraph_out, size * sizeof(*bodies));
    add_step(g, node, c, 2); /* behind it */
    return bodies[0];
}

/* while (--d) a = 3 a + 1; the condition is first what the handle was made with. */
static void loop(void)
{
    CUgraphConditionalHandle h;
    CUgraphNode node;
    CUgraphExec e;
    CUgraph g, body;
    unsigned x = 1;

    OK(cuGraphCreate(&g, 0));
    OK(cuGraphConditionalHandleCreate(&h, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    conditional(g, NULL, h, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
    node = add_step(body, NULL, a, 1);
    void *arguments[] = { &d, &h };
    CUDA_KERNEL_NODE_PARAMS k = { .func = down,
                                  .gridDimX = 1,
                                  .gridDimY = 1,
                                  .gridDimZ = 1,
                                  .blockDimX = 1,
                                  .blockDimY = 1,
                                  .blockDimZ = 1,
                                  .kernelParams = arguments };
    OK(cuGraphAddKernelNode(&node, body, &node, 1, &k));
    e = instance(g);
    for (unsigned round = 0; round < 2; round++) {
        set(a, 1);
        set(c, 5);
        set(d, 7);
        OK(cuGraphLaunch(e, s));
        OK(cuStreamSynchronize(s));
        SAME(word(d), 0);
        SAME(word(c), 5 * 3 + 2);
    }
    for (unsigned i = 0; i < 7; i++) {
        x = 3 * x + 1;
    }
    SAME(word(a), x);
    OK(cuGraphExecDestroy(e));
}

/* switch (value) over three bodies; 3 is none of them. if, else: two bodies. */
static void choice(CUgraphConditionalNodeType type, unsigned size)
{
    for (unsigned value = 0; value < 4; value++) {
        CUgraphConditionalHandle h;
        CUgraphExec e;
        CUgraph g, bodies[3];
        unsigned which = type == CU_GRAPH_COND_TYPE_SWITCH ? value : !value;

        OK(cuGraphCreate(&g, 0));
        OK(cuGraphConditionalHandleCreate(&h, g, ctx, value, CU_GRAPH_COND_ASSIGN_DEFAULT));
        conditional(g, NULL, h, type, size, bodies);
        for (unsigned i = 0; i < size; i++) {
            add_step(bodies[i], NULL, a, 10 + i);
        }
        e = instance(g);
        set(a, 1);
        OK(cuGraphLaunch(e, s));
        OK(cuStreamSynchronize(s));
        SAME(word(a), which < size ? 3 + 10 + which : 1);
        OK(cuGraphExecDestroy(e));
    }
}

/* Memory of a graph, and what the host has put into pageable memory in the meantime. */
static unsigned pageable;
static void fill_pageable(void *value)
{
    pageable = *(unsigned *)value;
}

static void memory(void)
{
    static unsigned value = 77, back;
    CUdeviceptr p;
    CUgraphExec e;
    CUgraph g;

    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemAllocAsync(&p, 4096, s));
    OK(cuLaunchHostFunc(s, fill_pageable, &value));
    OK(cuMemcpyHtoDAsync(p, &pageable, 4, s));
    do_step(p, 4, s);
    OK(cuMemcpyDtoHAsync(&back, p, 4, s));
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamEndCapture(s, &g));
    e = instance(g);
    for (unsigned i = 0; i < 2; i++) {
        value = 77 + i;
        back = 0;
        OK(cuGraphLaunch(e, s));
        OK(cuStreamSynchronize(s));
        SAME(back, (77 + i) * 3 + 4);
    }
    OK(cuGraphExecDestroy(e));
}

/* A stream that joined a capture may go once the first stream has waited for it, not before. */
static void joined_stream_destroyed(void)
{
    for (unsigned waits = 0; waits < 2; waits++) {
        CUgraph g = NULL;
        CUstream u;
        CUevent fork, join;
        CUresult end;

        OK(cuStreamCreate(&u, CU_STREAM_NON_BLOCKING));
        OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
        OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
        set(b, 1);
        OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
        OK(cuEventRecord(fork, s));
        OK(cuStreamWaitEvent(u, fork, 0));
        do_step(b, 5, u);
        OK(cuEventRecord(join, u));
        if (waits) {
            OK(cuStreamWaitEvent(s, join, 0));
        }
        OK(cuStreamDestroy(u));
        end = cuStreamEndCapture(s, &g);
        SAME(end, waits ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        if (waits) {
            CUgraphExec e = instance(g);

            OK(cuGraphLaunch(e, s));
            OK(cuStreamSynchronize(s));
            SAME(word(b), 1 * 3 + 5);
            OK(cuGraphExecDestroy(e));
        }
        OK(cuEventDestroy(fork));
        OK(cuEventDestroy(join));
    }
}

int main(void)
{
    CUdevice device;
    CUmodule module;

    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&ctx, device));
    OK(cuCtxSetCurrent(ctx));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&step, module, "step"));
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuModuleGetFunction(&down, module, "down"));
    OK(cuMemAlloc(&a, 4));
    OK(cuMemAlloc(&b, 4));
    OK(cuMemAlloc(&c, 4));
    OK(cuMemAlloc(&d, 256));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    captured_as_plain();
    joined_stream_destroyed();
    wide();
    loop();
    choice(CU_GRAPH_COND_TYPE_SWITCH, 3);
    choice(CU_GRAPH_COND_TYPE_IF, 2);
    choice(CU_GRAPH_COND_TYPE_IF, 1);
    memory();
    printf("as plain work\n");
    return 0;
}
