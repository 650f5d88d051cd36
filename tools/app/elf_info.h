/* SPDX-License-Identifier: MIT */
/* What an ELF program says about itself before it runs. Reads any bytes without trusting them. */
#ifndef TOOLS_ELF_INFO_H
#define TOOLS_ELF_INFO_H

#include <glib.h>

/* @machine_name of programs that this machine runs. */
#ifdef __aarch64__
#define ELF_HOST_MACHINE "AArch64"
#else
#define ELF_HOST_MACHINE "x86-64"
#endif

enum elf_kind {
    ELF_KIND_NONE,   /* no ELF */
    ELF_KIND_SCRIPT, /* begins with #! */
    ELF_KIND_PROGRAM,
    ELF_KIND_LIBRARY, /* shared object without a program interpreter */
    ELF_KIND_OTHER,   /* object file, core dump */
};

/* Which CUDA runtime a program has. */
enum elf_cudart {
    ELF_CUDART_NONE,
    ELF_CUDART_SHARED,        /* DT_NEEDED libcudart.so.* */
    ELF_CUDART_STATIC_OURS,   /* our libcudart_static.a */
    ELF_CUDART_STATIC_NVIDIA, /* NVIDIA's, which takes no driver but NVIDIA's */
};

/**
 * struct elf_section_data - device code in the file
 * @name: of the section
 */
struct elf_section_data {
    char *name;
    const unsigned char *data; /* inside the mapped file */
    size_t size;
};

/**
 * struct elf_info - see elf_info_read()
 * @machine: e_machine; @machine_name: "x86-64", "AArch64" or a number
 * @dynamic: has a program interpreter, so LD_LIBRARY_PATH works
 * @needed: DT_NEEDED names in order; @imports: undefined dynamic symbols, sorted
 * @versions: the library version each import asks for ("libcudart.so.13" or "")
 * @device: sections that hold fat binary containers
 */
struct elf_info {
    enum elf_kind kind;
    unsigned machine;
    char *machine_name;
    gboolean is64, dynamic;
    GPtrArray *needed, *imports, *versions;
    GArray *device;
    enum elf_cudart cudart;
    GMappedFile *map;
};

/**
 * elf_info_read - read @path
 * @error: names the file and what is wrong with it
 *
 * Return: to be freed with elf_info_free(); NULL if it cannot be read or is a damaged ELF. No ELF
 * at all is no error: see @kind.
 */
struct elf_info *elf_info_read(const char *path, GError **error);

/** elf_info_parse - the same from memory that stays until elf_info_free() */
struct elf_info *elf_info_parse(const void *data, size_t size, const char *path, GError **error);

void elf_info_free(struct elf_info *info);

/**
 * elf_info_static_calls - what the program's code names of a CUDA runtime that is linked into it
 * @runtime: set of the runtime's entry points
 *
 * Return: names, g_ptr_array_unref(); NULL if it cannot be known: no symbol table (stripped).
 */
GPtrArray *elf_info_static_calls(const struct elf_info *info, GHashTable *runtime);

/**
 * elf_info_has_symbol - does the program define one of @wanted (ends in NULL)?
 * @found: which one, or NULL
 */
gboolean elf_info_has_symbol(const struct elf_info *info, const char *const *wanted,
                             const char **found);

/** elf_info_exports - names a shared library defines, as a set; NULL if it cannot be read */
GHashTable *elf_info_exports(const char *path);

#endif
