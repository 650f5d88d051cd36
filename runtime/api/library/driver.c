/* SPDX-License-Identifier: MIT */
/* Finding libcuda.so.1 and its functions: the loader decides which one, so no library is linked. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "include/vtegra/note_table.h"
#include "runtime/api/library/library.h"

#define NAME_TEXT(name) #name
#define NAME(name) NAME_TEXT(name) /* the versioned symbol: cuMemAlloc is cuMemAlloc_v2 */

struct library_driver library_driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CUresult result = CUDA_ERROR_NOT_INITIALIZED;

/* The ends of our code in a program that has a static library of ours (CMakeLists.txt). */
#define OWN_CODE __attribute__((weak, visibility("hidden")))
extern const char __start_vtegra_library[] OWN_CODE, __stop_vtegra_library[] OWN_CODE;

static CUresult driver_missing(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

static void driver_resolve(void *lib)
{
    void *found;

#define DRIVER(name)                                                              \
    found = dlsym(lib, NAME(name));                                               \
    if (found) {                                                                  \
        memcpy(&library_driver.name, &found, sizeof(found));                      \
    } else {                                                                      \
        library_driver.name = (__typeof__(name) *)(void (*)(void))driver_missing; \
    }
#include "runtime/api/library/driver.def"
#undef DRIVER
}

static const struct vtegra_note_table *notes;

/* What our driver is to know beside the public API: which code is ours, and calls that are not
 * supported. */
static void driver_notes(void *lib)
{
    static const CUuuid id = VTEGRA_NOTE_TABLE_ID;
    __typeof__(cuGetExportTable) *get = NULL;
    const void *found = NULL;
    void *symbol = dlsym(lib, "cuGetExportTable");

    memcpy(&get, &symbol, sizeof(get));
    if (get && get(&found, &id) == CUDA_SUCCESS) {
        notes = found;
        notes = notes && notes->size >= sizeof(*notes) ? notes : NULL;
    }
    if (notes && &__start_vtegra_library[0] != &__stop_vtegra_library[0]) {
        notes->own_code(__start_vtegra_library, __stop_vtegra_library);
    }
}

/* The loader reads files, which are cancellation points, and holds locks. */
static void driver_load(void)
{
    int cancel;
    void *lib;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (lib) {
        driver_resolve(lib);
        driver_notes(lib);
        result = library_driver.cuInit(0);
    }
    pthread_setcancelstate(cancel, NULL);
}

CUresult library_init(void)
{
    pthread_once(&once, driver_load);
    return result;
}

void library_unsupported(const char *name, bool *said)
{
    if (!*said) {
        *said = true;
        fprintf(stderr, "vtegra: %s is not supported\n", name);
    }
    if (library_init() == CUDA_SUCCESS && notes) {
        notes->missing(name);
    }
}
