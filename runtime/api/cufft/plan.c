/* SPDX-License-Identifier: MIT */
/* cuFFT API Reference: plans, work areas, streams, execution. */
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/api/cufft/fft.h"

#define PLANS_MAX 4096

/**
 * struct fft_plan
 * @made: layout, type and batch are set
 */
struct fft_plan {
    struct library_handle *device;
    bool made;
    struct fft_layout layout;
    cufftType type;
    long long batch, patient, threads;
};

static _Atomic(struct fft_plan *) plans[PLANS_MAX];

/* Plan i is plans[i - 1]. */
static struct fft_plan *plan_find(cufftHandle h)
{
    return h >= 1 && h <= PLANS_MAX ? atomic_load_explicit(&plans[h - 1], memory_order_acquire)
                                    : NULL;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    struct fft_plan *p;
    CUresult e;

    if (!handle) {
        return CUFFT_INVALID_VALUE;
    }
    p = calloc(1, sizeof(*p));
    e = p ? library_open(LIBRARY_KIND_CUFFT, sizeof(struct library_handle), &p->device)
          : CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; e == CUDA_SUCCESS && i < PLANS_MAX; i++) {
        struct fft_plan *none = NULL;

        if (atomic_compare_exchange_strong(&plans[i], &none, p)) {
            *handle = i + 1;
            return CUFFT_SUCCESS;
        }
    }
    if (e == CUDA_SUCCESS) {
        library_close(p->device);
    }
    free(p);
    return e == CUDA_SUCCESS || e == CUDA_ERROR_OUT_OF_MEMORY ? CUFFT_ALLOC_FAILED
                                                              : CUFFT_SETUP_FAILED;
}

cufftResult cufftDestroy(cufftHandle plan)
{
    struct fft_plan *p = plan_find(plan);

    if (!p || !atomic_compare_exchange_strong(&plans[plan - 1], &p, NULL)) {
        return CUFFT_INVALID_PLAN;
    }
    library_close(p->device);
    free(p);
    return CUFFT_SUCCESS;
}

/* Layouts whose elements are of three distances (docs/libraries.md) */
static cufftResult layout_supported(const struct fft_layout *l, cufftType type)
{
    static bool said;
    struct library_operand o;

    if (fft_layout_operand(l, type, false, false, NULL, &o) &&
        fft_layout_operand(l, type, true, false, NULL, &o)) {
        return CUFFT_SUCCESS;
    }
    library_unsupported("cufftPlanMany with gaps in two dimensions", &said);
    return CUFFT_NOT_SUPPORTED;
}

cufftResult fft_estimate(struct fft_layout l, cufftType type, long long batch, size_t *size)
{
    cufftResult r = fft_layout_check(&l, type, batch);

    if (r == CUFFT_SUCCESS && !size) {
        return CUFFT_INVALID_VALUE;
    }
    if (r == CUFFT_SUCCESS) {
        *size = 0; /* transforms take what they need from the host */
    }
    return r;
}

cufftResult fft_size_of(cufftHandle plan, struct fft_layout l, cufftType type, long long batch,
                        size_t *size)
{
    return plan_find(plan) ? fft_estimate(l, type, batch, size) : CUFFT_INVALID_PLAN;
}

cufftResult fft_make(cufftHandle plan, struct fft_layout l, cufftType type, long long batch,
                     size_t *size)
{
    struct fft_plan *p = plan_find(plan);
    cufftResult r;

    if (!p || p->made) {
        return CUFFT_INVALID_PLAN;
    }
    r = fft_estimate(l, type, batch, size);
    r = r == CUFFT_SUCCESS ? layout_supported(&l, type) : r;
    if (r == CUFFT_SUCCESS) {
        p->layout = l;
        p->type = type;
        p->batch = batch;
        p->made = true;
    }
    return r;
}

cufftResult fft_plan(cufftHandle *out, struct fft_layout l, cufftType type, long long batch)
{
    size_t size;
    cufftHandle h;
    cufftResult r;

    if (!out) {
        return CUFFT_INVALID_VALUE;
    }
    r = cufftCreate(&h);
    if (r != CUFFT_SUCCESS) {
        return r;
    }
    r = fft_make(h, l, type, batch, &size);
    if (r != CUFFT_SUCCESS) {
        cufftDestroy(h);
        return r;
    }
    *out = h;
    return CUFFT_SUCCESS;
}

static uint32_t plan_kind(const struct fft_plan *p)
{
    switch (p->type) {
    case CUFFT_R2C:
    case CUFFT_D2Z:
        return LIBRARY_FFT_R2C;
    case CUFFT_C2R:
    case CUFFT_Z2D:
        return LIBRARY_FFT_C2R;
    default:
        return LIBRARY_FFT_C2C;
    }
}

static struct library_call plan_call(const struct fft_plan *p, void *in, void *out, int direction)
{
    bool twice = p->type == CUFFT_Z2Z || p->type == CUFFT_D2Z || p->type == CUFFT_Z2D;
    struct library_call c = library_call_of(LIBRARY_FFT, twice ? LIBRARY_R_64F : LIBRARY_R_32F);

    for (int i = 0; i < FFT_DIMENSIONS; i++) {
        c.n[i] = p->layout.n[i];
    }
    c.n[3] = p->layout.rank;
    c.mode[1] = plan_kind(p);
    c.mode[2] = direction == CUFFT_INVERSE;
    c.batches = (uint64_t)p->batch;
    fft_layout_operand(&p->layout, p->type, false, in == out, in, &c.operand[0]);
    fft_layout_operand(&p->layout, p->type, true, in == out, out, &c.operand[1]);
    return c;
}

cufftResult fft_exec(cufftHandle plan, const char *name, cufftType type, void *in, void *out,
                     int direction)
{
    struct fft_plan *p = plan_find(plan);
    struct library_call c;

    if (!p || !p->made || (type != FFT_ANY && type != p->type)) {
        return CUFFT_INVALID_PLAN;
    }
    if (type == FFT_ANY && plan_kind(p) != LIBRARY_FFT_C2C) { /* no other direction */
        direction = plan_kind(p) == LIBRARY_FFT_R2C ? CUFFT_FORWARD : CUFFT_INVERSE;
    }
    if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) {
        return CUFFT_INVALID_VALUE;
    }
    c = plan_call(p, in, out, direction);
    return library_launch(p->device, name, &c) == CUDA_SUCCESS ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    struct fft_plan *p = plan_find(plan);

    if (!p) {
        return CUFFT_INVALID_PLAN;
    }
    p->device->stream = (CUstream)stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetSize(cufftHandle handle, size_t *workSize)
{
    if (!plan_find(handle)) {
        return CUFFT_INVALID_PLAN;
    }
    if (!workSize) {
        return CUFFT_INVALID_VALUE;
    }
    *workSize = 0;
    return CUFFT_SUCCESS;
}

/* A work area is not touched. */
cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea)
{
    (void)workArea;
    return plan_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate)
{
    (void)autoAllocate;
    return plan_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy,
                                     size_t *workSize)
{
    (void)workSize;
    if (!plan_find(plan)) {
        return CUFFT_INVALID_PLAN;
    }
    return (unsigned)policy <= CUFFT_WORKAREA_PERFORMANCE ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

/* The value of a property; NULL: there is none */
static long long *plan_property(cufftHandle plan, cufftProperty property)
{
    struct fft_plan *p = plan_find(plan);

    if (!p) {
        return NULL;
    }
    return property == NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT            ? &p->patient
           : property == NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS ? &p->threads
                                                                        : NULL;
}

static cufftResult property_missing(cufftHandle plan)
{
    return plan_find(plan) ? CUFFT_INVALID_VALUE : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetPlanPropertyInt64(cufftHandle plan, cufftProperty property,
                                      const long long int inputValueInt)
{
    long long *value = plan_property(plan, property);

    if (!value) {
        return property_missing(plan);
    }
    *value = inputValueInt;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetPlanPropertyInt64(cufftHandle plan, cufftProperty property,
                                      long long int *returnPtrValue)
{
    const long long *value = plan_property(plan, property);

    if (!value) {
        return property_missing(plan);
    }
    if (!returnPtrValue) {
        return CUFFT_INVALID_VALUE;
    }
    *returnPtrValue = *value;
    return CUFFT_SUCCESS;
}

cufftResult cufftResetPlanProperty(cufftHandle plan, cufftProperty property)
{
    return cufftSetPlanPropertyInt64(plan, property, 0);
}

cufftResult cufftGetVersion(int *version)
{
    if (!version) {
        return CUFFT_INVALID_VALUE;
    }
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = { CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH };

    if (!value || (unsigned)type > PATCH_LEVEL) {
        return CUFFT_INVALID_VALUE;
    }
    *value = parts[type];
    return CUFFT_SUCCESS;
}
