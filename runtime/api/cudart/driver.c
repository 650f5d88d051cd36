/* SPDX-License-Identifier: MIT */
/* Finding libcuda.so.1 and its functions. */
#include "runtime/api/cudart/rt.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_TEXT(name) #name
#define NAME(name) NAME_TEXT(name) /* the versioned symbol: cuMemAlloc is cuMemAlloc_v2 */

struct rt_driver rt_drv;
const struct vtegra_note_table *rt_notes;

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static cudaError_t init_result = cudaErrorInitializationError;

/* Stands in for a function that this libcuda does not export. */
static CUresult driver_missing(const char *name, bool *said)
{
    if (!*said) {
        *said = true;
        fprintf(stderr, "libcudart: libcuda.so.1 has no %s\n", name);
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Called through pointers of other types: no argument is looked at, every result is a CUresult. */
#define DRIVER(name)                              \
    static CUresult missing_##name(void)          \
    {                                             \
        static bool said;                         \
        return driver_missing(NAME(name), &said); \
    }
#include "runtime/api/cudart/driver.def"
#undef DRIVER

/* All code of libcudart_static.a lies in a section of this name (CMakeLists.txt), and the linker
 * makes these names for its ends. libcudart.so has no such section. */
#define OWN_CODE __attribute__((weak, visibility("hidden")))
extern const char __start_vtegra_cudart[] OWN_CODE, __stop_vtegra_cudart[] OWN_CODE;

/* In a program that this runtime is linked into, a recorder of calls (runtime/calls) sees no call
 * of the runtime's functions: it records those of the driver's that we make. */
typedef void *calls_use(const char *name, void *found);

static calls_use *calls_find(void)
{
    calls_use *use = NULL;
    void *symbol;

    if (&__start_vtegra_cudart[0] != &__stop_vtegra_cudart[0]) {
        symbol = dlsym(RTLD_DEFAULT, "vtegra_calls_use");
        memcpy(&use, &symbol, sizeof(use));
    }
    return use;
}

static void driver_resolve(void *lib)
{
    calls_use *use = calls_find();
    void *found;

    /* POSIX lets dlsym's object pointer be a function's; ISO C has no cast for it. */
#define DRIVER(name)                                                      \
    found = dlsym(lib, NAME(name));                                       \
    found = found && use ? use(NAME(name), found) : found;                \
    if (found) {                                                          \
        memcpy(&rt_drv.name, &found, sizeof(found));                      \
    } else {                                                              \
        rt_drv.name = (__typeof__(name) *)(void (*)(void))missing_##name; \
    }
#include "runtime/api/cudart/driver.def"
#undef DRIVER
}

static void notes_find(void *lib)
{
    static const CUuuid id = VTEGRA_NOTE_TABLE_ID;
    __typeof__(cuGetExportTable) *get = NULL;
    const struct vtegra_note_table *table = NULL;
    const void *found = NULL;
    void *symbol = dlsym(lib, "cuGetExportTable");

    memcpy(&get, &symbol, sizeof(get));
    if (get && get(&found, &id) == CUDA_SUCCESS) {
        table = found;
    }
    rt_notes = table && table->size >= sizeof(*table) ? table : NULL;
    if (rt_notes && &__start_vtegra_cudart[0] != &__stop_vtegra_cudart[0]) {
        rt_notes->own_code(__start_vtegra_cudart, __stop_vtegra_cudart);
    }
}

static void driver_open(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!lib) {
        const char *quiet = getenv("VTEGRA_QUIET");

        if (!quiet || strcmp(quiet, "1") != 0) {
            fprintf(stderr,
                    "vtegra: no CUDA driver (libcuda.so.1) was found. For the virtual board start "
                    "the program with `vtegra run -- %s`\n",
                    program_invocation_name);
        }
        /* NVIDIA's runtime answers 35 where there is no driver at all (measured, 13.0). */
        init_result = cudaErrorInsufficientDriver;
        return;
    }
    driver_resolve(lib);
    notes_find(lib);
    init_result = rt_error(rt_drv.cuInit(0));
}

/* The loader reads files, which are cancellation points, and holds locks. */
static void driver_load(void)
{
    int cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    driver_open();
    pthread_setcancelstate(cancel, NULL);
}

cudaError_t rt_init(void)
{
    pthread_once(&init_once, driver_load);
    return init_result;
}
