/* SPDX-License-Identifier: MIT */
/* Programs that compile at run time with NVIDIA's libnvrtc for a real architecture (sm_87) load the
 * machine code. The virtual iGPU executes PTX, and the same compilation has it: nvrtcGetCUBIN()
 * gives that text instead, which cuModuleLoadData() takes as well. For a virtual architecture
 * (compute_87) there is no machine code (size 0), here as there. A libnvrtc that the program opens
 * by dlopen() is out of reach. NVRTC, "General Information Query" and "Compilation". */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_INTERNAL_ERROR = 11 };
typedef int size_fn(void *program, size_t *size);
typedef int text_fn(void *program, char *text);

int nvrtcGetCUBINSize(void *program, size_t *size);
int nvrtcGetCUBIN(void *program, char *image);

static void say_once(void)
{
    static atomic_bool said;

    if (!atomic_exchange(&said, 1)) {
        fputs(
            "vtegra: nvrtcGetCUBIN: the virtual iGPU executes PTX, so the program gets the PTX of "
            "the same compilation in place of machine code\n",
            stderr);
    }
}

/* The library's own: @function points to a pointer to a function; NULL if there is none. */
static void nvrtc_find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    memcpy(function, &symbol, sizeof(symbol));
}

EXPORT int nvrtcGetCUBINSize(void *program, size_t *size)
{
    size_fn *cubin, *ptx;
    int result;

    nvrtc_find(&cubin, "nvrtcGetCUBINSize");
    nvrtc_find(&ptx, "nvrtcGetPTXSize");
    result = cubin ? cubin(program, size) : NVRTC_ERROR_INTERNAL_ERROR;
    return result == NVRTC_SUCCESS && *size && ptx ? ptx(program, size) : result;
}

EXPORT int nvrtcGetCUBIN(void *program, char *image)
{
    size_fn *cubin_size;
    text_fn *cubin, *ptx;
    size_t size = 0;
    int result;

    nvrtc_find(&cubin_size, "nvrtcGetCUBINSize");
    nvrtc_find(&cubin, "nvrtcGetCUBIN");
    nvrtc_find(&ptx, "nvrtcGetPTX");
    result = cubin_size ? cubin_size(program, &size) : NVRTC_ERROR_INTERNAL_ERROR;
    if (result != NVRTC_SUCCESS || !size || !ptx) {
        return cubin ? cubin(program, image) : NVRTC_ERROR_INTERNAL_ERROR;
    }
    say_once();
    return ptx(program, image);
}
