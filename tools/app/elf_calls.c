/* SPDX-License-Identifier: MIT */
/* Which functions of a statically linked CUDA runtime the program's own code names. The runtime is
 * one object file, so its functions lie together: what names one of them from outside this range is
 * the program. Needs .symtab; reads x86-64 code: calls and jumps with a 32-bit offset, and lea of
 * an address. Pointers in data are not seen. */
#include <gelf.h>
#include <string.h>

#include "tools/app/elf_info.h"

struct entries {
    GHashTable *names; /* address -> name */
    GHashTable *found; /* name */
    guint64 low, high; /* of the runtime */
};

static void symbols_read(struct entries *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr,
                         GHashTable *runtime)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym sym;

    for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = elf_strptr(elf, shdr->sh_link, sym.st_name);

        if (!name || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
            !g_hash_table_contains(runtime, name)) {
            continue;
        }
        e->low = MIN(e->low, sym.st_value);
        e->high = MAX(e->high, sym.st_value + sym.st_size);
        g_hash_table_insert(e->names, g_memdup2(&sym.st_value, sizeof(sym.st_value)), (char *)name);
    }
}

/* Does an instruction whose 32-bit offset begins at @at name an address? call, jmp; jcc; lea of
 * %rip plus the offset. */
static gboolean is_reference(const unsigned char *code, size_t at)
{
    if (at >= 1 && (code[at - 1] == 0xe8 || code[at - 1] == 0xe9)) {
        return TRUE;
    }
    return at >= 2 && ((code[at - 2] == 0x0f && (code[at - 1] & 0xf0) == 0x80) ||
                       (code[at - 2] == 0x8d && (code[at - 1] & 0xc7) == 0x05));
}

static void code_search(struct entries *e, const GElf_Shdr *shdr, const Elf_Data *data)
{
    const unsigned char *code = data->d_buf;

    for (size_t at = 1; code && data->d_size >= 4 && at <= data->d_size - 4; at++) {
        guint64 from = shdr->sh_addr + at + 4, to;
        gint32 offset;
        const char *name;

        if (!is_reference(code, at) || (from >= e->low && from < e->high)) {
            continue;
        }
        memcpy(&offset, code + at, sizeof(offset));
        to = from + (guint64)(gint64)offset;
        if (to >= e->low && to < e->high && (name = g_hash_table_lookup(e->names, &to))) {
            g_hash_table_add(e->found, (char *)name);
        }
    }
}

static void code_search_all(struct entries *e, Elf *elf)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr shdr;

    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        Elf_Data *data;

        if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
            !(shdr.sh_flags & SHF_EXECINSTR) || !(data = elf_rawdata(scn, NULL))) {
            continue;
        }
        code_search(e, &shdr, data);
    }
}

static GPtrArray *names_sorted(const struct entries *e)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GHashTableIter iter;
    void *name;

    g_hash_table_iter_init(&iter, e->found);
    while (g_hash_table_iter_next(&iter, &name, NULL)) {
        g_ptr_array_add(names, g_strdup(name));
    }
    return names;
}

GPtrArray *elf_info_static_calls(const struct elf_info *info, GHashTable *runtime)
{
    struct entries e = { .low = G_MAXUINT64 };
    GPtrArray *names = NULL;
    Elf_Scn *scn = NULL;
    GElf_Shdr shdr;
    Elf *elf;

    if (!info->map || strcmp(info->machine_name, "x86-64") != 0) {
        return NULL;
    }
    e.names = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    e.found = g_hash_table_new(g_str_hash, g_str_equal);
    elf = elf_memory(g_mapped_file_get_contents(info->map), g_mapped_file_get_length(info->map));
    while (elf && (scn = elf_nextscn(elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB) {
            symbols_read(&e, elf, scn, &shdr, runtime);
        }
    }
    if (g_hash_table_size(e.names) != 0) {
        code_search_all(&e, elf);
        names = names_sorted(&e);
    }
    elf_end(elf);
    g_hash_table_destroy(e.found);
    g_hash_table_destroy(e.names);
    return names;
}

gboolean elf_info_has_symbol(const struct elf_info *info, const char *const *wanted,
                             const char **found)
{
    Elf *elf = NULL;
    Elf_Scn *scn = NULL;
    GElf_Shdr shdr;

    *found = NULL;
    if (info->map) {
        elf =
            elf_memory(g_mapped_file_get_contents(info->map), g_mapped_file_get_length(info->map));
    }
    while (elf && !*found && (scn = elf_nextscn(elf, scn)) != NULL) {
        Elf_Data *data;
        GElf_Sym sym;

        if (!gelf_getshdr(scn, &shdr) ||
            (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM) ||
            !(data = elf_getdata(scn, NULL))) {
            continue;
        }
        for (int i = 1; !*found && gelf_getsym(data, i, &sym); i++) {
            const char *name = elf_strptr(elf, shdr.sh_link, sym.st_name);

            for (size_t j = 0; name && sym.st_shndx != SHN_UNDEF && wanted[j]; j++) {
                *found = strcmp(wanted[j], name) == 0 ? wanted[j] : *found;
            }
        }
    }
    elf_end(elf);
    return *found != NULL;
}
