/* SPDX-License-Identifier: MIT */
#include "tools/app/elf_info.h"

#include <errno.h>
#include <gelf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A larger file without device code is not searched for a runtime: that would delay its start. */
#define SEARCH_MAX (64u << 20)

/* Sections that nvcc and clang put containers into (__nv_relfatbin: -rdc=true). */
static const char *const device_sections[] = { ".nv_fatbin", "__nv_relfatbin", NULL };

static void section_clear(void *section)
{
    g_free(((struct elf_section_data *)section)->name);
}

static struct elf_info *info_new(void)
{
    struct elf_info *info = g_new0(struct elf_info, 1);

    info->needed = g_ptr_array_new_with_free_func(g_free);
    info->imports = g_ptr_array_new_with_free_func(g_free);
    info->versions = g_ptr_array_new_with_free_func(g_free);
    info->device = g_array_new(FALSE, TRUE, sizeof(struct elf_section_data));
    g_array_set_clear_func(info->device, section_clear);
    return info;
}

void elf_info_free(struct elf_info *info)
{
    if (!info) {
        return;
    }
    g_ptr_array_unref(info->needed);
    g_ptr_array_unref(info->imports);
    g_ptr_array_unref(info->versions);
    g_array_unref(info->device);
    g_free(info->machine_name);
    if (info->map) {
        g_mapped_file_unref(info->map);
    }
    g_free(info);
}

static char *machine_name(unsigned machine, gboolean is64)
{
    switch (machine) {
    case EM_X86_64:
        return g_strdup(is64 ? "x86-64" : "x86-64 (32-bit)");
    case EM_AARCH64:
        return g_strdup("AArch64");
    case EM_ARM:
        return g_strdup("32-bit Arm");
    case EM_386:
        return g_strdup("32-bit x86");
    default:
        return g_strdup_printf("ELF machine %u", machine);
    }
}

/* @what is damaged; libelf knows why, if anybody does. */
static gboolean elf_info_damaged(GError **error, const char *path, const char *what)
{
    int code = elf_errno();

    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: damaged ELF file: %s%s%s%s", path,
                what, code ? " (" : "", code ? elf_errmsg(code) : "", code ? ")" : "");
    return FALSE;
}

static gboolean needed_read(struct elf_info *info, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr,
                            const char *path, GError **error)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Dyn dyn;

    for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
        if (dyn.d_tag == DT_NEEDED) {
            const char *name = elf_strptr(elf, shdr->sh_link, dyn.d_un.d_val);

            if (!name) {
                return elf_info_damaged(error, path,
                                        "the name of a needed library is outside its table");
            }
            g_ptr_array_add(info->needed, g_strdup(name));
        }
    }
    return TRUE;
}

/* vernaux index -> the name of the library that version belongs to. */
static const char *version_file(Elf *elf, Elf_Data *verneed, size_t strtab, unsigned index)
{
    GElf_Verneed need;
    int offset = 0;

    /* The chain has as many links as sh_info says; a damaged one may loop, so bound it by size. */
    for (size_t n = 0; n < verneed->d_size / sizeof(Elf64_Verneed); n++) {
        GElf_Vernaux aux;
        int64_t aux_offset;

        if (!gelf_getverneed(verneed, offset, &need)) {
            return NULL;
        }
        aux_offset = (int64_t)offset + need.vn_aux;
        for (unsigned i = 0; i < need.vn_cnt && aux_offset < (int64_t)verneed->d_size; i++) {
            if (!gelf_getvernaux(verneed, (int)aux_offset, &aux)) {
                return NULL;
            }
            if (aux.vna_other == index) {
                return elf_strptr(elf, strtab, need.vn_file);
            }
            if (aux.vna_next == 0) {
                break;
            }
            aux_offset += aux.vna_next;
        }
        if (need.vn_next == 0 || (int64_t)offset + need.vn_next >= (int64_t)verneed->d_size) {
            return NULL;
        }
        offset += (int)need.vn_next;
    }
    return NULL;
}

/* The sections that say which version an imported symbol has; either may be missing. */
struct versions {
    Elf_Data *versym, *verneed;
    size_t strtab;
};

static gboolean imports_read(struct elf_info *info, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr,
                             const struct versions *v, const char *path, GError **error)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym sym;

    for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
        const char *file = NULL, *name;
        GElf_Versym version;

        if (sym.st_shndx != SHN_UNDEF || sym.st_name == 0) {
            continue;
        }
        name = elf_strptr(elf, shdr->sh_link, sym.st_name);
        if (!name) {
            return elf_info_damaged(error, path, "the name of a symbol is outside its table");
        }
        if (v->versym && v->verneed && gelf_getversym(v->versym, i, &version)) {
            file = version_file(elf, v->verneed, v->strtab, version & 0x7fff);
        }
        g_ptr_array_add(info->imports, g_strdup(name));
        g_ptr_array_add(info->versions, g_strdup(file ? file : ""));
    }
    return TRUE;
}

static gboolean device_read(struct elf_info *info, Elf_Scn *scn, const GElf_Shdr *shdr,
                            const char *name, const char *path, GError **error)
{
    Elf_Data *data = shdr->sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
    struct elf_section_data section;

    if (!data || !data->d_buf) {
        char *what = g_strdup_printf("section %s lies outside the file", name);

        elf_info_damaged(error, path, what);
        g_free(what);
        return FALSE;
    }
    section = (struct elf_section_data){ g_strdup(name), data->d_buf, data->d_size };
    g_array_append_val(info->device, section);
    return TRUE;
}

static gboolean sections_read(struct elf_info *info, Elf *elf, const char *path, GError **error)
{
    struct versions versions = { NULL, NULL, 0 };
    size_t names;
    GElf_Shdr shdr;
    Elf_Scn *scn = NULL;

    if (elf_getshdrstrndx(elf, &names) != 0) {
        return elf_info_damaged(error, path, "no section names");
    }
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        if (!gelf_getshdr(scn, &shdr)) {
            return elf_info_damaged(error, path, "a section header");
        }
        if (shdr.sh_type == SHT_GNU_versym) {
            versions.versym = elf_getdata(scn, NULL);
        } else if (shdr.sh_type == SHT_GNU_verneed) {
            versions.verneed = elf_getdata(scn, NULL);
            versions.strtab = shdr.sh_link;
        }
    }
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        const char *name;
        gboolean ok = TRUE;

        if (!gelf_getshdr(scn, &shdr)) {
            return elf_info_damaged(error, path, "a section header");
        }
        name = elf_strptr(elf, names, shdr.sh_name);
        if (!name) {
            return elf_info_damaged(error, path, "the name of a section");
        }
        if (shdr.sh_type == SHT_DYNAMIC) {
            ok = needed_read(info, elf, scn, &shdr, path, error);
        } else if (shdr.sh_type == SHT_DYNSYM) {
            ok = imports_read(info, elf, scn, &shdr, &versions, path, error);
        } else if (g_strv_contains(device_sections, name)) {
            ok = device_read(info, scn, &shdr, name, path, error);
        }
        if (!ok) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean has_bytes(const void *data, size_t size, const char *text)
{
    return memmem(data, size, text, strlen(text)) != NULL;
}

/* A static runtime is recognised by what it cannot hide. NVIDIA's asks its driver for private
 * tables (cuGetExportTable), which is why no other driver will do; ours has this message in
 * driver.c. */
static enum elf_cudart cudart_of(const struct elf_info *info, const void *data, size_t size)
{
    for (guint i = 0; i < info->needed->len; i++) {
        if (g_str_has_prefix(g_ptr_array_index(info->needed, i), "libcudart.so")) {
            return ELF_CUDART_SHARED;
        }
    }
    if (info->kind != ELF_KIND_PROGRAM || (size > SEARCH_MAX && info->device->len == 0) ||
        !has_bytes(data, size, "libcuda.so.1")) {
        return ELF_CUDART_NONE;
    }
    if (has_bytes(data, size, "libcudart: libcuda.so.1 has no")) {
        return ELF_CUDART_STATIC_OURS;
    }
    return has_bytes(data, size, "cuGetExportTable") && has_bytes(data, size, "cudaMallocManaged")
               ? ELF_CUDART_STATIC_NVIDIA
               : ELF_CUDART_NONE;
}

static enum elf_kind kind_of(Elf *elf, const GElf_Ehdr *ehdr, gboolean *dynamic)
{
    size_t n;
    GElf_Phdr phdr;

    *dynamic = FALSE;
    if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN) {
        return ELF_KIND_OTHER;
    }
    if (elf_getphdrnum(elf, &n) != 0) {
        n = 0;
    }
    for (size_t i = 0; i < n && i < G_MAXINT && gelf_getphdr(elf, (int)i, &phdr); i++) {
        *dynamic = *dynamic || phdr.p_type == PT_INTERP;
    }
    return ehdr->e_type == ET_EXEC || *dynamic ? ELF_KIND_PROGRAM : ELF_KIND_LIBRARY;
}

/* libelf takes tables that lie outside the file as absent; the loader would crash on such a file.
 */
static gboolean is_whole(Elf *elf, const GElf_Ehdr *ehdr, size_t size, gboolean is64,
                         const char *path, GError **error)
{
    size_t entry = is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    size_t phdrs = 0;

    if (ehdr->e_shoff != 0 &&
        (ehdr->e_shoff > size || (size - ehdr->e_shoff) / entry < ehdr->e_shnum)) {
        return elf_info_damaged(error, path, "cut short: its section headers are missing");
    }
    if (elf_getphdrnum(elf, &phdrs) != 0 || (ehdr->e_phnum != 0 && phdrs == 0)) {
        return elf_info_damaged(error, path, "its program headers are missing");
    }
    for (size_t i = 0; i < phdrs && i < G_MAXINT; i++) {
        GElf_Phdr phdr;

        if (!gelf_getphdr(elf, (int)i, &phdr)) {
            return elf_info_damaged(error, path, "cut short: its program headers are missing");
        }
        if (phdr.p_type == PT_LOAD &&
            (phdr.p_offset > size || phdr.p_filesz > size - phdr.p_offset)) {
            return elf_info_damaged(error, path, "cut short: a segment lies outside the file");
        }
    }
    return TRUE;
}

static gboolean elf_parse(struct elf_info *info, Elf *elf, size_t size, const char *path,
                          GError **error)
{
    GElf_Ehdr ehdr;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr)) {
        return elf_info_damaged(error, path, "its header");
    }
    info->machine = ehdr.e_machine;
    info->is64 = gelf_getclass(elf) == ELFCLASS64;
    info->machine_name = machine_name(info->machine, info->is64);
    info->kind = kind_of(elf, &ehdr, &info->dynamic);
    return is_whole(elf, &ehdr, size, info->is64, path, error) &&
           sections_read(info, elf, path, error);
}

struct elf_info *elf_info_parse(const void *data, size_t size, const char *path, GError **error)
{
    struct elf_info *info = info_new();
    gboolean ok = TRUE;
    Elf *elf;

    if (size >= 2 && memcmp(data, "#!", 2) == 0) {
        info->kind = ELF_KIND_SCRIPT;
        return info;
    }
    if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0) {
        return info;
    }
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)data, size); /* only reads: no ELF_C_WRITE */
    ok =
        elf ? elf_parse(info, elf, size, path, error) : elf_info_damaged(error, path, "its header");
    elf_end(elf);
    if (!ok) {
        elf_info_free(info);
        return NULL;
    }
    info->cudart = cudart_of(info, data, size);
    return info;
}

struct elf_info *elf_info_read(const char *path, GError **error)
{
    GMappedFile *map = NULL;
    struct elf_info *info;

    errno = g_file_test(path, G_FILE_TEST_IS_DIR) ? EISDIR : 0;
    if (errno == 0 && g_access(path, R_OK) == 0) {
        map = g_mapped_file_new(path, FALSE, NULL);
    }
    if (!map) { /* our own words: GLib's have quotes that a C locale cannot print */
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot read %s: %s", path,
                    g_strerror(errno ? errno : EIO));
        return NULL;
    }
    info =
        elf_info_parse(g_mapped_file_get_contents(map), g_mapped_file_get_length(map), path, error);
    if (info) {
        info->map = map;
    } else {
        g_mapped_file_unref(map);
    }
    return info;
}

GHashTable *elf_info_exports(const char *path)
{
    GMappedFile *map = g_mapped_file_new(path, FALSE, NULL);
    GHashTable *names;
    Elf *elf;
    Elf_Scn *scn = NULL;

    if (!map) {
        return NULL;
    }
    names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    elf_version(EV_CURRENT);
    elf = elf_memory(g_mapped_file_get_contents(map), g_mapped_file_get_length(map));
    while (elf && (scn = elf_nextscn(elf, scn)) != NULL) {
        GElf_Shdr shdr;
        GElf_Sym sym;
        Elf_Data *data;

        if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_DYNSYM) {
            continue;
        }
        data = elf_getdata(scn, NULL);
        for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
            const char *name = elf_strptr(elf, shdr.sh_link, sym.st_name);

            if (sym.st_shndx != SHN_UNDEF && name) {
                g_hash_table_add(names, g_strdup(name));
            }
        }
    }
    elf_end(elf);
    g_mapped_file_unref(map);
    return names;
}
