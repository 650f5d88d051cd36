/* SPDX-License-Identifier: MIT */
/* Handles that a program may have freed, or made up: only those of the list are looked into. */
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/api/library/kernel.h"
#include "runtime/api/library/library.h"

#define HANDLES_MAX 4096u
static _Atomic(struct library_handle *) handles[HANDLES_MAX];

static bool handle_list(struct library_handle *h)
{
    for (unsigned i = 0; i < HANDLES_MAX; i++) {
        struct library_handle *none = NULL;

        if (atomic_compare_exchange_strong(&handles[i], &none, h)) {
            return true;
        }
    }
    return false;
}

static void handle_unlist(struct library_handle *h)
{
    for (unsigned i = 0; i < HANDLES_MAX; i++) {
        struct library_handle *it = h;

        if (atomic_compare_exchange_strong(&handles[i], &it, NULL)) {
            return;
        }
    }
}

bool library_live(const void *h, uint32_t kind)
{
    for (unsigned i = 0; h && i < HANDLES_MAX; i++) {
        const struct library_handle *it = atomic_load_explicit(&handles[i], memory_order_acquire);

        if (it == h) {
            return it->kind == kind;
        }
    }
    return false;
}

/* NVIDIA's libraries call the runtime, which keeps the primary context until the process ends or
 * resets the device: memory of the program may lie in it after the last handle is gone. */
static CUresult handle_context(struct library_handle *h)
{
    CUresult e = library_driver.cuCtxGetCurrent(&h->context);
    CUdevice device;

    if (e == CUDA_SUCCESS && !h->context) {
        e = library_driver.cuDeviceGet(&device, 0);
        e = e ? e : library_driver.cuDevicePrimaryCtxRetain(&h->context, device);
        e = e ? e : library_driver.cuCtxSetCurrent(h->context);
    }
    return e;
}

CUresult library_open(uint32_t kind, size_t bytes, struct library_handle **out)
{
    struct library_handle *h;
    CUresult e = library_init();

    *out = NULL;
    if (e != CUDA_SUCCESS) {
        return e;
    }
    h = calloc(1, bytes);
    if (!h) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    h->kind = kind;
    e = handle_context(h);
    e = e ? e : library_driver.cuMemAlloc(&h->scratch, LIBRARY_SCRATCH);
    if (e == CUDA_SUCCESS && !handle_list(h)) {
        library_driver.cuMemFree(h->scratch);
        e = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (e != CUDA_SUCCESS) {
        free(h);
        return e;
    }
    *out = h;
    return CUDA_SUCCESS;
}

void library_close(struct library_handle *h)
{
    handle_unlist(h);
    if (library_enter(h) == CUDA_SUCCESS) {
        library_driver.cuCtxSynchronize();
        library_kernels_free(h);
        library_driver.cuMemFree(h->scratch);
        library_leave();
    }
    free(h);
}

CUresult library_enter(struct library_handle *h)
{
    return library_driver.cuCtxPushCurrent(h->context);
}

void library_leave(void)
{
    CUcontext context;

    library_driver.cuCtxPopCurrent(&context);
}
