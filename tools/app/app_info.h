/* SPDX-License-Identifier: MIT */
/* What a program needs of CUDA and whether it is here: the facts behind vtegra check-app. */
#ifndef TOOLS_APP_INFO_H
#define TOOLS_APP_INFO_H

#include <glib.h>

#include "tools/app/elf_info.h"

#define APP_RELOCATABLE "__nv_relfatbin" /* section of nvcc -rdc=true: parts that the driver links */
#define APP_CC 87                        /* the board `vtegra run` takes: orin */

enum app_library {
    APP_LIBRARY_OURS,
    APP_LIBRARY_HERE,
    APP_LIBRARY_MISSING,
    APP_LIBRARY_OTHER_TOOLKIT, /* libcudart.so of another major version */
    APP_LIBRARY_NVIDIA,        /* of NVIDIA's toolkit, not here */
    APP_LIBRARY_MACHINE_CODE,  /* cuBLAS and the like: here, but its kernels are machine code */
};

enum app_call {
    APP_CALL_HERE,
    APP_CALL_UNSUPPORTED, /* there, answers "not supported" */
    APP_CALL_MISSING,
};

/** struct app_need - a library or a call by name, and what became of it */
struct app_need {
    char *name;
    int state; /* enum app_library or enum app_call */
};

/** struct app_code - one piece of device code: what, for which sm, how packed */
struct app_code {
    char *section;
    unsigned container;
    gboolean ptx;
    const char *kind, *packing; /* "PTX", "machine code", ...; "raw", "LZ4", "zstd" */
    unsigned sm;
    guint64 bytes; /* unpacked */
};

/**
 * struct app_info - see app_info_read()
 * @libraries, @calls: of struct app_need; @code: of struct app_code. nvcc's link step adds a cubin
 * without any kernel; that one is left out
 * @calls_known: false where a runtime is linked into a program without symbols
 * @problems: what keeps it from running here; @notes: what only matters if reached
 * @cure: the command that mends what can be mended by compiling again, or NULL
 */
struct app_info {
    struct elf_info *elf;
    GArray *libraries, *calls, *code;
    gboolean calls_known;
    GPtrArray *problems, *notes;
    char *cure;
};

/**
 * app_info_read - look at a program
 *
 * Return: to be freed with app_info_free(); NULL with @error set if it cannot be read, is no ELF
 * file or a damaged one. Damaged device code is a problem, no error.
 */
struct app_info *app_info_read(const char *path, GError **error);

/**
 * app_code_read - the containers of one section
 * @code: struct app_code are appended; @problems: sentences about what is damaged
 */
void app_code_read(const char *section, const unsigned char *data, size_t size, GArray *code,
                   GPtrArray *problems);

void app_info_free(struct app_info *info);

#endif
