/* SPDX-License-Identifier: MIT */
/*
 * The device link of vtegra cc -rdc=true, with the entry points of nvcc's crt/link.stub: clang's
 * constructor of each object file hands over its device code and a function that registers its
 * kernels and variables. The last one registers all of them as one program, whose PTX the runtime
 * links. DEVICE_OBJECTS(X) is X(NAME) for each object file that may be linked: of an archive, not
 * all are.
 */
#include <stdlib.h>

/* Layout: runtime/driver/module/fatbin.h. */
struct container {
    unsigned magic;
    unsigned short version, header_bytes;
    unsigned long bytes;
};
struct wrapper {
    int magic, version;
    const void *data;
    const void **list;
};
typedef void register_globals(void **handle);

extern void **__cudaRegisterFatBinary(const void *wrapper);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaUnregisterFatBinary(void **handle);

#define DECLARE(name) extern const struct wrapper __fatbinwrap##name __attribute__((weak));
#define ADD_ONE(name) +1
#define ADD_LINKED(name) +(&__fatbinwrap##name != NULL)

DEVICE_OBJECTS(DECLARE)

/* No machine code is linked. NVIDIA's driver reads the list only beside such a container (measured
 * on an H200: without it cuLibraryGetKernel() answers CUDA_ERROR_NOT_FOUND). */
static const struct container none_linked = { 0xba55ed50u, 1, sizeof(struct container), 0 };
static const void *parts[DEVICE_OBJECTS(ADD_ONE) + 1]; /* NULL ends it */
static register_globals *globals[DEVICE_OBJECTS(ADD_ONE) + 1];
static unsigned n;
static void **handle;
static const struct wrapper program
    __attribute__((section(".nvFatBinSegment"), used)) = { 0x466243b1, 2, &none_linked, parts };

static void program_unregister(void)
{
    __cudaUnregisterFatBinary(handle);
}

__attribute__((unused)) static void part_add(register_globals *add, const struct wrapper *wrapper)
{
    parts[n] = wrapper->data;
    globals[n++] = add;
    if (n < 0 DEVICE_OBJECTS(ADD_LINKED)) {
        return;
    }
    handle = __cudaRegisterFatBinary(&program);
    for (unsigned i = 0; i < n; i++) {
        globals[i](handle);
    }
    __cudaRegisterFatBinaryEnd(handle);
    atexit(program_unregister);
}

#define DEFINE(name)                                                             \
    __attribute__((visibility("hidden"))) void __cudaRegisterLinkedBinary##name( \
        register_globals *add, const struct wrapper *wrapper, const void *id,    \
        void (*unused)(void *))                                                  \
    {                                                                            \
        part_add(add, wrapper);                                                  \
    }

DEVICE_OBJECTS(DEFINE)
