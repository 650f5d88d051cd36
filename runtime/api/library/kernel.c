/* SPDX-License-Identifier: MIT */
#include "runtime/api/library/kernel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct library_kernel {
    struct library_kernel *next;
    const char *name;
    CUmodule module;
    CUfunction function;
};

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

/* The parameter's own address, in a loop until the call's last step. */
static const char module_text[] =
    ".version 7.7\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b32 more) vtegra_library(.param .b64 call);\n"
    ".visible .entry %s(.param .align 8 .b8 call[" TEXT(
        LIBRARY_CALL_BYTES) "])\n{\n"
                            ".reg .b64 %%rd<3>;\n.reg .b32 %%r<2>;\n.reg .pred %%p<2>;\n"
                            "mov.b64 %%rd1, call;\ncvta.param.u64 %%rd2, %%rd1;\n"
                            "STEP:\n{\n.param .b64 a;\n.param .b32 more;\nst.param.b64 [a], "
                            "%%rd2;\n"
                            "call (more), vtegra_library, (a);\nld.param.b32 %%r1, [more];\n}\n"
                            "setp.ne.s32 %%p1, %%r1, 0;\n@%%p1 bra STEP;\nret;\n}\n";

/* A capture refuses to load modules, as it refuses what may wait; ours waits for nothing. */
static CUresult kernel_load(struct library_kernel *k)
{
    char text[sizeof(module_text) + 128];
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUresult e;

    snprintf(text, sizeof(text), module_text, k->name);
    library_driver.cuThreadExchangeStreamCaptureMode(&mode);
    e = library_driver.cuModuleLoadData(&k->module, text);
    library_driver.cuThreadExchangeStreamCaptureMode(&mode);
    return e ? e : library_driver.cuModuleGetFunction(&k->function, k->module, k->name);
}

/* Only the thread that uses a handle adds to its list: NVIDIA's handles are for one thread at a
 * time. */
static CUresult kernel_find(struct library_handle *h, const char *name, CUfunction *out)
{
    struct library_kernel *k = h->kernels;
    CUresult e;

    while (k && strcmp(k->name, name) != 0) {
        k = k->next;
    }
    if (!k) {
        k = calloc(1, sizeof(*k));
        if (!k) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        k->name = name;
        e = kernel_load(k);
        if (e != CUDA_SUCCESS) {
            free(k);
            return e;
        }
        k->next = h->kernels;
        h->kernels = k;
    }
    *out = k->function;
    return CUDA_SUCCESS;
}

void library_kernels_free(struct library_handle *h)
{
    while (h->kernels) {
        struct library_kernel *k = h->kernels;

        h->kernels = k->next;
        library_driver.cuModuleUnload(k->module);
        free(k);
    }
}

CUresult library_launch(struct library_handle *h, const char *name, const struct library_call *c)
{
    struct library_call copy = *c;
    size_t bytes = sizeof(copy);
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &copy, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                      CU_LAUNCH_PARAM_END };
    CUfunction f;
    CUresult e = library_enter(h); /* this thread may have called nothing of CUDA yet */

    if (e != CUDA_SUCCESS) {
        return e;
    }
    e = kernel_find(h, name, &f);
    e = e ? e : library_driver.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, h->stream, NULL, extra);
    library_leave();
    return e;
}

CUresult library_fetch(struct library_handle *h, void *host, size_t offset, size_t bytes)
{
    CUresult e = library_enter(h);

    if (e != CUDA_SUCCESS) {
        return e;
    }
    e = library_driver.cuMemcpyDtoHAsync(host, h->scratch + offset, bytes, h->stream);
    e = e ? e : library_driver.cuStreamSynchronize(h->stream);
    library_leave();
    return e;
}
