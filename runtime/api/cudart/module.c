/* SPDX-License-Identifier: MIT */
/*
 * Code that the compiler put into the program. Constructors register each fat binary, kernel and
 * variable before main; the driver sees a fat binary, unopened, when something in it is first used.
 * Entry points: crt/host_runtime.h of nvcc 13 and clang's CGCUDANV.cpp call them; shapes in
 * facts/cuda-abi.md.
 */
#include "runtime/api/cudart/module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/api/cudart/table.h"

struct rt_module {
    const void *fatbin; /* the registered wrapper */
    CUlibrary lib;      /* NULL until loaded, or when loading failed */
    cudaError_t err;    /* of the load; cudaErrorNotReady: not tried yet */
    bool explained;
    struct rt_symbol *symbols;
    struct rt_kernel *kernels;
    struct rt_module *next;
};

struct rt_kernel {
    struct rt_module *module;
    const void *func; /* the host's stub */
    const char *name; /* in the device code */
    CUkernel kernel;  /* NULL until looked up */
    struct rt_kernel *next;
};

struct rt_symbol {
    struct rt_module *module;
    const void *var; /* the host's variable, or for managed ones the host's pointer */
    const char *name;
    bool managed;
    CUdeviceptr address; /* of a managed variable once it is known, else 0 */
    struct rt_symbol *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all below, and what it points to */
static struct rt_module *modules;
static struct table kernels, symbols;
static unsigned managed_waiting; /* managed variables without an address */

/* Registration: runs in constructors, so it only writes down and never fails loudly. */

void **__cudaRegisterFatBinary(void *fatCubin)
{
    struct rt_module *m = calloc(1, sizeof(*m));

    if (!m) {
        return NULL; /* what belongs to it is then not found when it is used */
    }
    m->fatbin = fatCubin;
    m->err = cudaErrorNotReady;
    pthread_mutex_lock(&lock);
    m->next = modules;
    modules = m;
    pthread_mutex_unlock(&lock);
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
    (void)fatCubinHandle;
}

static void module_forget(struct rt_module *m)
{
    struct rt_kernel *k, *next_kernel;
    struct rt_symbol *s, *next_symbol;

    for (k = m->kernels; k; k = next_kernel) {
        next_kernel = k->next;
        table_put(&kernels, k->func, NULL);
        free(k);
    }
    for (s = m->symbols; s; s = next_symbol) {
        next_symbol = s->next;
        managed_waiting -= s->managed && !s->address;
        table_put(&symbols, s->var, NULL);
        free(s);
    }
    free(m);
}

/* At exit, or when a library with kernels is closed. The driver may be gone already: its answer is
 * unused. */
void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
    struct rt_module *m = (struct rt_module *)fatCubinHandle;
    struct rt_module **at;
    CUlibrary lib = NULL;

    pthread_mutex_lock(&lock);
    for (at = &modules; *at && *at != m; at = &(*at)->next) {
    }
    if (*at) {
        *at = m->next;
        lib = m->lib;
        module_forget(m);
    }
    pthread_mutex_unlock(&lock);
    if (lib) {
        rt_drv.cuLibraryUnload(lib);
    }
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, struct uint3 *tid,
                            struct uint3 *bid, struct dim3 *bDim, struct dim3 *gDim, int *wSize)
{
    struct rt_kernel *k = fatCubinHandle && hostFun ? calloc(1, sizeof(*k)) : NULL;

    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    if (!k) {
        return;
    }
    k->module = (struct rt_module *)fatCubinHandle;
    k->func = hostFun;
    k->name = deviceName;
    pthread_mutex_lock(&lock);
    if (table_put(&kernels, hostFun, k)) {
        k->next = k->module->kernels;
        k->module->kernels = k;
    } else {
        free(k);
    }
    pthread_mutex_unlock(&lock);
}

static void symbol_register(void **handle, const void *var, const char *name, bool managed)
{
    struct rt_symbol *s = handle && var ? calloc(1, sizeof(*s)) : NULL;

    if (!s) {
        return;
    }
    s->module = (struct rt_module *)handle;
    s->var = var;
    s->name = name;
    s->managed = managed;
    pthread_mutex_lock(&lock);
    if (table_put(&symbols, var, s)) {
        s->next = s->module->symbols;
        s->module->symbols = s;
        managed_waiting += managed;
    } else {
        free(s);
    }
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                       const char *deviceName, int ext, size_t size, int constant, int global)
{
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    symbol_register(fatCubinHandle, hostVar, deviceName, false);
}

void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global)
{
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    symbol_register(fatCubinHandle, hostVarPtrAddress, deviceName, true);
}

/* Constructors cannot return an error: say it now, the kernel that needs it fails later.
 */
void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                           size_t size)
{
    static bool said;

    (void)fatCubinHandle, (void)deviceName, (void)hostVar, (void)size;
    rt_say_missing("__cudaRegisterHostVar (host variables used by kernels)", &said);
}

void __cudaRegisterUnifiedTable(void **fatCubinHandle, void *table)
{
    static bool said;

    (void)fatCubinHandle, (void)table;
    rt_say_missing("__cudaRegisterUnifiedTable (unified function pointers)", &said);
}

/* Use. */

/*
 * PTX that the driver's compiler refuses: say what it found, once a module. Code of clang calls
 * __nv_* functions, which only a libdevice or vtegra's own GPU model has; NVIDIA's compiler names
 * the first one it misses. The log outlives the call, because a driver that loads lazily may write
 * it later.
 */
static void module_explain(struct rt_module *m)
{
    static char log[4096];
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(size_t)(sizeof(log) - 1) };
    CUlibrary lib = NULL;

    if (m->explained || rt_notes) { /* vtegra's driver says why by itself */
        return;
    }
    m->explained = true;
    log[0] = '\0';
    if (rt_drv.cuLibraryLoadData(&lib, m->fatbin, options, values, 2, NULL, NULL, 0) ==
        CUDA_SUCCESS) {
        rt_drv.cuLibraryUnload(lib);
    }
    if (log[0]) {
        fprintf(stderr, "libcudart: the driver cannot compile this program's PTX: %s\n", log);
    }
}

/* Needs the lock and a context. The first answer stays. */
static cudaError_t module_load(struct rt_module *m)
{
    if (m->err == cudaErrorNotReady) {
        m->err =
            rt_error(rt_drv.cuLibraryLoadData(&m->lib, m->fatbin, NULL, NULL, 0, NULL, NULL, 0));
        if (m->err != cudaSuccess) {
            m->lib = NULL;
        }
        if (m->err == cudaErrorInvalidPtx) {
            module_explain(m);
        }
    }
    return m->err;
}

static cudaError_t symbol_error(CUresult result)
{
    cudaError_t err = rt_error(result);

    return err == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : err;
}

/* A variable has an address in every context, so it is asked for each time. */
static cudaError_t symbol_resolve(struct rt_symbol *s, CUdeviceptr *address, size_t *bytes)
{
    cudaError_t err = module_load(s->module);

    if (err != cudaSuccess) {
        return err;
    }
    if (!s->managed) {
        return symbol_error(rt_drv.cuLibraryGetGlobal(address, bytes, s->module->lib, s->name));
    }
    err = symbol_error(rt_drv.cuLibraryGetManaged(address, bytes, s->module->lib, s->name));
    if (err == cudaSuccess) {
        *(void **)s->var = (void *)(size_t)*address;
        managed_waiting -= !s->address;
        s->address = *address;
    }
    return err;
}

cudaError_t rt_managed_init(void)
{
    CUdeviceptr address;
    size_t bytes;

    pthread_mutex_lock(&lock);
    for (struct rt_module *m = managed_waiting ? modules : NULL; m; m = m->next) {
        for (struct rt_symbol *s = m->symbols; s; s = s->next) {
            /* A module that does not load fails its own launches, not this call. */
            if (s->managed && !s->address) {
                symbol_resolve(s, &address, &bytes);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

void rt_managed_forget(void)
{
    pthread_mutex_lock(&lock);
    for (struct rt_module *m = modules; m; m = m->next) {
        for (struct rt_symbol *s = m->symbols; s; s = s->next) {
            managed_waiting += s->managed && s->address;
            s->address = 0;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* nvcc's host code calls this before its first touch of a managed variable. */
char __cudaInitModule(void **fatCubinHandle)
{
    (void)fatCubinHandle;
    return rt_context() == cudaSuccess && rt_managed_init() == cudaSuccess;
}

cudaError_t rt_symbol_find(const void *symbol, CUdeviceptr *address, size_t *bytes)
{
    cudaError_t err = rt_context();
    struct rt_symbol *s;

    if (err != cudaSuccess) {
        return err;
    }
    pthread_mutex_lock(&lock);
    s = table_get(&symbols, symbol);
    if (!s) {
        /* A managed variable is named by its contents' address, not by that of the host's pointer.
         */
        for (struct rt_module *m = modules; m && !s; m = m->next) {
            for (s = m->symbols; s && !(s->address && RT_PTR(symbol) == s->address); s = s->next) {
            }
        }
    }
    err = s ? symbol_resolve(s, address, bytes) : cudaErrorInvalidSymbol;
    pthread_mutex_unlock(&lock);
    return err;
}

static cudaError_t kernel_resolve(struct rt_kernel *k)
{
    cudaError_t err = module_load(k->module);

    if (err == cudaSuccess && !k->kernel) {
        err = rt_error(rt_drv.cuLibraryGetKernel(&k->kernel, k->module->lib, k->name));
    }
    if (err == cudaErrorInvalidPtx) {
        module_explain(k->module); /* a driver that loads lazily finds out here */
    }
    return err == cudaErrorSymbolNotFound ? cudaErrorInvalidDeviceFunction : err;
}

cudaError_t rt_kernel_find(const void *func, CUkernel *kernel)
{
    cudaError_t err = rt_context();

    if (err != cudaSuccess) {
        return err;
    }
    pthread_mutex_lock(&lock);
    struct rt_kernel *k = table_get(&kernels, func);
    err = k ? kernel_resolve(k) : cudaErrorInvalidDeviceFunction;
    if (err == cudaSuccess) {
        *kernel = k->kernel;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

/*
 * nvcc's stubs ask once, ignore the answer and launch what they got. Where there is no kernel they
 * get the host's stub instead, so that the launch can look again and say what is wrong.
 */
cudaError_t __cudaGetKernel(cudaKernel_t *kernelPtr, const void *func)
{
    CUkernel kernel = NULL;
    cudaError_t err = rt_kernel_find(func, &kernel);

    *kernelPtr = err == cudaSuccess ? kernel : (cudaKernel_t)func;
    return err;
}

cudaError_t rt_launchable(const void *func, CUkernel *kernel)
{
    cudaError_t err = rt_context();
    bool registered;

    if (err != cudaSuccess) {
        return err;
    }
    pthread_mutex_lock(&lock);
    registered = table_get(&kernels, func);
    pthread_mutex_unlock(&lock);
    if (registered) {
        return rt_kernel_find(func, kernel);
    }
    *kernel = (CUkernel)func;
    return func ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

const void *rt_kernel_stub(CUkernel kernel)
{
    const void *stub = NULL;

    pthread_mutex_lock(&lock);
    for (struct rt_module *m = modules; m && !stub; m = m->next) {
        for (struct rt_kernel *k = m->kernels; k && !stub; k = k->next) {
            stub = k->kernel == kernel ? k->func : NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return stub;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    RT_TRY(rt_context());
    RT_REQUIRE(kernelPtr, cudaErrorInvalidValue);
    return rt_record(rt_kernel_find(entryFuncAddr, kernelPtr));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    CUkernel kernel;

    RT_TRY(rt_context());
    RT_TRY(rt_context());
    RT_REQUIRE(functionPtr, cudaErrorInvalidValue);
    RT_TRY(rt_kernel_find(symbolPtr, &kernel));
    return RT_DRIVER(cuKernelGetFunction, functionPtr, kernel);
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    CUdeviceptr address;
    size_t bytes;

    RT_TRY(rt_context());
    RT_REQUIRE(devPtr, cudaErrorInvalidValue);
    RT_TRY(rt_symbol_find(symbol, &address, &bytes));
    *devPtr = (void *)(size_t)address;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    CUdeviceptr address;
    size_t bytes;

    RT_TRY(rt_context());
    RT_REQUIRE(size, cudaErrorInvalidValue);
    RT_TRY(rt_symbol_find(symbol, &address, &bytes));
    *size = bytes;
    return cudaSuccess;
}
