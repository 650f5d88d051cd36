/* SPDX-License-Identifier: MIT */
/* Reader of everything that holds device code: the image argument of cuModuleLoadData,
 * cuModuleLoadFatBinary, cuLibraryLoadData and the files of cuModuleLoad.
 *
 * NVIDIA documents none of these layouts. They were read off the output of nvcc 13.0 (every
 * --compress-mode, -rdc, several -gencode) and clang-19; tests/test_fatbin.c repeats that against
 * the installed compilers. All numbers are little endian.
 *
 *   wrapper     {u32 0x466243B1, u32 version, void *data, void *list}: what a host program
 * registers. Version 1: one container. Version 2 (-rdc=true): @data holds the machine code that
 *               nvcc linked, @list ends in NULL and names one container an object file.
 *   container   {u32 0xBA55ED50, u16 version 1, u16 header bytes, u64 bytes that follow}, entries
 *   entry       see fatbin.c
 *   ELF         machine code (a cubin)
 *   text        PTX
 *
 * A container inside a container's list is called a unit: one translation unit, of which one PTX
 * is used. An image keeps its bytes: it must stay where it is until fatbin_close().
 */
#ifndef RUNTIME_DRIVER_MODULE_FATBIN_H
#define RUNTIME_DRIVER_MODULE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fatbin;

#define FATBIN_SIZE_UNKNOWN SIZE_MAX

enum fatbin_form {
    FATBIN_FORM_WRAPPER,
    FATBIN_FORM_CONTAINER,
    FATBIN_FORM_ELF,
    FATBIN_FORM_TEXT,
};

enum fatbin_kind {
    FATBIN_KIND_PTX,
    FATBIN_KIND_ELF,   /* machine code */
    FATBIN_KIND_LTO,   /* nvcc's link-time intermediate (code=lto_NN) */
    FATBIN_KIND_OTHER, /* a number we do not know */
};

enum fatbin_packing { FATBIN_RAW, FATBIN_LZ4, FATBIN_ZSTD };

/**
 * struct fatbin_entry - one piece of device code
 * @unit: number of its container, from 0
 * @sm: compute capability it was built for, 87 for sm_87; 0 if unknown (plain text)
 * @specific: for that architecture alone (sm_90a, compute_100f)
 * @size: bytes once unpacked
 * @flags: as stored
 * @ident: source file nvcc recorded, "" if none; @options: what ptxas is to be given, "" if none.
 *         Both belong to the fatbin
 */
struct fatbin_entry {
    unsigned unit;
    enum fatbin_kind kind;
    unsigned sm;
    bool specific;
    enum fatbin_packing packing;
    uint64_t size, flags;
    const char *ident, *options;
};

/**
 * fatbin_open - read the headers of an image
 * @size: its bytes; FATBIN_SIZE_UNKNOWN where an API passes no size: then sizes come from the
 * headers and memory is asked for (process_vm_readv) before it is read, so a wild pointer is an
 * error
 * @error: a sentence for the user with the offset of what is wrong, g_free() it; may be NULL
 *
 * A wrapper holds addresses, so it is only accepted where the size is unknown (not from a file).
 * Return: 0; -EINVAL nothing of ours or malformed; -EFAULT not readable; -E2BIG beyond the limits
 * of a sane image. *@out is set on success only.
 */
int fatbin_open(const void *image, size_t size, struct fatbin **out, char **error);
void fatbin_close(struct fatbin *fb);

enum fatbin_form fatbin_form(const struct fatbin *fb);
size_t fatbin_entries(const struct fatbin *fb);
const struct fatbin_entry *fatbin_entry(const struct fatbin *fb, size_t index);
unsigned fatbin_units(const struct fatbin *fb);

/**
 * fatbin_ptx - the PTX text of an entry, unpacked on first use
 * @index: of an entry of kind PTX; @size: bytes without the final NUL; may be NULL
 *
 * Return: NUL-terminated text that lives until fatbin_close(); NULL with @error set if it does not
 * unpack to what the header promises.
 */
const char *fatbin_ptx(struct fatbin *fb, size_t index, size_t *size, char **error);

enum fatbin_choice {
    FATBIN_CHOICE_PTX,
    FATBIN_CHOICE_NO_PTX, /* machine code (or LTO) only: CUDA_ERROR_NO_BINARY_FOR_GPU */
    FATBIN_CHOICE_EMPTY,  /* no entry at all */
};

/**
 * fatbin_select - which PTX a device runs
 * @cc: of the device, 87 for 8.7
 * @picked: room for fatbin_units(@fb) indices; *@n: how many were chosen, at most one a unit. More
 *          than one is to be linked (ptx_link)
 *
 * Of each unit the highest target that is not above @cc; if all are above, the lowest: the iGPU
 * runs PTX of any target, and nvcc 13 has none below sm_75 for the Nano, TX2 and Xavier.
 * fatbin_target() says what the board's driver would refuse. A target for one architecture alone
 * (sm_90a) is taken last.
 */
enum fatbin_choice fatbin_select(const struct fatbin *fb, unsigned cc, size_t *picked, size_t *n);

/**
 * fatbin_target - the highest target of the PTX that a board would translate
 * @cc: of the board; @picked, @n: what fatbin_select() chose
 *
 * Of a unit with machine code that the board loads the PTX is not used there, however new (nvcc's
 * libcudadevrt has PTX for its newest target only). Return: 0 if the board translates none.
 */
unsigned fatbin_target(const struct fatbin *fb, unsigned cc, const size_t *picked, size_t n);

typedef void (*fatbin_kernel_fn)(const char *name, unsigned registers, void *data);

/**
 * fatbin_registers - calls @kernel for each function of the machine code that a board would load
 * @cc: of the device; machine code runs on its own major version and no older minor one (CUDA
 *      Programming Guide, "Binary Compatibility"), that of sm_90a on its own alone
 * @kernel: @name lives during the call only; @registers is 0 if the code does not say it
 *
 * Of each unit the newest such code; of what nvcc linked (-rdc=true) the linked one, since a callee
 * may need more registers than the kernel alone. Damaged code is passed over: it is never run here.
 */
void fatbin_registers(const struct fatbin *fb, unsigned cc, fatbin_kernel_fn kernel, void *data);

/**
 * fatbin_no_ptx_text - why an image cannot run on @cc and which nvcc flag mends it
 * Return: a sentence; g_free() it.
 */
char *fatbin_no_ptx_text(const struct fatbin *fb, unsigned cc);

#endif
