/* SPDX-License-Identifier: MIT */
/*
 * Which context a call of the runtime works in: Programming Guide, "Initialization", and CUDA
 * Driver API, "Primary Context Management".
 */
#include "runtime/api/cudart/context.h"

#include <pthread.h>

#define DEVICES_MAX \
    64 /* more than any system has; ordinals above are not invalid, only never retained */

static struct {
    CUcontext ctx; /* NULL: not retained by this library */
    unsigned
        generation; /* counts resets: a context that threads keep as current may be a dead one */
} devices[DEVICES_MAX];
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local struct {
    int device;
    CUcontext primary; /* what this library made current in the thread */
    int primary_device;
    unsigned generation;
} thread;

cudaError_t rt_device_check(int ordinal, CUdevice *dev)
{
    int count = 0;
    cudaError_t err = rt_init();

    if (err == cudaSuccess) {
        err = rt_error(rt_drv.cuDeviceGetCount(&count));
    }
    if (err == cudaSuccess && count == 0) {
        err = cudaErrorNoDevice;
    }
    if (err == cudaSuccess && (ordinal < 0 || ordinal >= count || ordinal >= DEVICES_MAX)) {
        err = rt_because(cudaErrorInvalidDevice,
                         "devices are numbered from 0, and cudaGetDeviceCount() "
                         "says how many there are: a Tegra has one");
    }
    return err == cudaSuccess ? rt_error(rt_drv.cuDeviceGet(dev, ordinal)) : err;
}

/*
 * A device whose context a kernel broke gives no second one to the process: the driver repeats the
 * fault, the runtime says that the device is unavailable (measured, 13.0 on 580.159).
 */
static cudaError_t context_error(cudaError_t err)
{
    return err >= cudaErrorIllegalAddress && err <= cudaErrorLaunchFailure
               ? cudaErrorDevicesUnavailable
               : err;
}

cudaError_t rt_primary_context(int device, CUcontext *ctx)
{
    CUdevice dev;
    cudaError_t err = rt_device_check(device, &dev);

    if (err != cudaSuccess) {
        return err;
    }
    pthread_mutex_lock(&devices_lock);
    if (!devices[device].ctx) {
        err = rt_error(rt_drv.cuDevicePrimaryCtxRetain(&devices[device].ctx, dev));
        if (err != cudaSuccess) {
            devices[device].ctx = NULL;
            err = context_error(err);
        }
    }
    *ctx = devices[device].ctx;
    pthread_mutex_unlock(&devices_lock);
    return err;
}

static cudaError_t context_use(int device)
{
    CUcontext ctx = NULL;
    cudaError_t err = rt_primary_context(device, &ctx);

    if (err == cudaSuccess) {
        err = rt_error(rt_drv.cuCtxSetCurrent(ctx));
    }
    if (err == cudaSuccess) {
        thread.primary = ctx;
        thread.primary_device = device;
        pthread_mutex_lock(&devices_lock);
        thread.generation = devices[device].generation;
        pthread_mutex_unlock(&devices_lock);
        err = rt_managed_init();
    }
    return err;
}

/* True when ctx is what this library once made current and another thread has reset since. */
static bool context_is_stale(CUcontext ctx)
{
    bool stale;

    if (ctx != thread.primary) {
        return false;
    }
    pthread_mutex_lock(&devices_lock);
    stale = thread.generation != devices[thread.primary_device].generation;
    pthread_mutex_unlock(&devices_lock);
    return stale;
}

cudaError_t rt_context(void)
{
    CUcontext ctx = NULL;
    cudaError_t err = rt_init();

    if (err == cudaSuccess) {
        err = rt_error(rt_drv.cuCtxGetCurrent(&ctx));
    }
    if (err != cudaSuccess) {
        return err;
    }
    if (!ctx || context_is_stale(ctx)) {
        return context_use(thread.device);
    }
    return ctx == thread.primary ? cudaSuccess : rt_managed_init();
}

cudaError_t rt_device_current(int *device)
{
    CUcontext ctx = NULL;
    CUdevice dev;
    cudaError_t err = rt_init();

    *device = thread.device;
    if (err == cudaSuccess) {
        err = rt_error(rt_drv.cuCtxGetCurrent(&ctx));
    }
    if (err == cudaSuccess && ctx && !context_is_stale(ctx)) {
        err = rt_error(rt_drv.cuCtxGetDevice(&dev));
        *device = err == cudaSuccess ? dev : thread.device; /* a CUdevice is its ordinal */
    }
    return err;
}

cudaError_t rt_device_set(int device)
{
    cudaError_t err = context_use(device);

    if (err == cudaSuccess) {
        thread.device = device;
    }
    return err;
}

void rt_device_prefer(int device)
{
    thread.device = device;
}

cudaError_t rt_device_reset(int device)
{
    CUdevice dev;
    cudaError_t err = rt_device_check(device, &dev);

    if (err != cudaSuccess) {
        return err;
    }
    err = rt_error(rt_drv.cuDevicePrimaryCtxReset(dev));
    pthread_mutex_lock(&devices_lock);
    if (devices[device].ctx) {
        rt_drv.cuDevicePrimaryCtxRelease(dev);
        devices[device].ctx = NULL;
    }
    devices[device].generation++;
    pthread_mutex_unlock(&devices_lock);
    rt_managed_forget();
    if (thread.primary && thread.primary_device == device) {
        rt_drv.cuCtxSetCurrent(NULL);
        thread.primary = NULL;
    }
    return err;
}
