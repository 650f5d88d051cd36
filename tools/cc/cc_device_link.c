/* SPDX-License-Identifier: MIT */
/*
 * clang and nvcc leave a function undefined in each object file with relocatable device code:
 * __cudaRegisterLinkedBinary and a name of the file's own. nvcc's device link defines them; so does
 * the source that is made here.
 */
#include "tools/cc/cc_device_link.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "__cudaRegisterLinkedBinary"

struct names {
    GPtrArray *wanted;   /* in the order of the files; each once */
    GHashTable *seen;    /* what is in @wanted */
    GHashTable *defined; /* by a device link among the files */
};

static void symbol_note(struct names *names, const char *symbol, gboolean is_defined)
{
    const char *name = symbol + strlen(PREFIX);

    /* An identifier: it becomes part of a C source. */
    if (!*name || strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") != strlen(name)) {
        return;
    }
    if (is_defined) {
        g_hash_table_add(names->defined, g_strdup(name));
    } else if (g_hash_table_add(names->seen, g_strdup(name))) {
        g_ptr_array_add(names->wanted, g_strdup(name));
    }
}

static void symbols_read(struct names *names, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym sym;

    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *symbol = elf_strptr(elf, shdr->sh_link, sym.st_name);

        if (symbol && g_str_has_prefix(symbol, PREFIX)) {
            symbol_note(names, symbol, sym.st_shndx != SHN_UNDEF);
        }
    }
}

static void object_read(struct names *names, Elf *elf)
{
    Elf_Scn *scn = NULL;
    GElf_Ehdr ehdr;
    GElf_Shdr shdr;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) || ehdr.e_type != ET_REL) {
        return; /* a shared library has had its device link */
    }
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB) {
            symbols_read(names, elf, scn, &shdr);
        }
    }
}

static void file_read(struct names *names, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *file = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    Elf_Cmd cmd = ELF_C_READ;
    Elf *member;

    if (file && elf_kind(file) == ELF_K_AR) {
        while ((member = elf_begin(fd, cmd, file)) != NULL) {
            object_read(names, member);
            cmd = elf_next(member);
            elf_end(member);
        }
    } else if (file) {
        object_read(names, file);
    }
    elf_end(file);
    if (fd >= 0) {
        close(fd);
    }
}

/* -lNAME: the archive that the linker takes, if it takes one. */
static char *archive_find(const GPtrArray *words, const char *name)
{
    for (guint i = 0; i < words->len; i++) {
        const char *word = g_ptr_array_index(words, i), *dir = word + 2;
        g_autofree char *archive = NULL, *shared = NULL;

        if (!g_str_has_prefix(word, "-L") || (!*dir && i + 1 == words->len)) {
            continue;
        }
        dir = *dir ? dir : g_ptr_array_index(words, i + 1);
        archive = g_strdup_printf("%s/lib%s.a", dir, name);
        shared = g_strdup_printf("%s/lib%s.so", dir, name);
        if (g_file_test(shared, G_FILE_TEST_EXISTS)) {
            return NULL;
        }
        if (g_file_test(archive, G_FILE_TEST_EXISTS)) {
            return g_steal_pointer(&archive);
        }
    }
    return NULL;
}

static void words_read(struct names *names, const GPtrArray *words)
{
    for (guint i = 0; i < words->len; i++) {
        const char *word = g_ptr_array_index(words, i);

        if (word[0] != '-') {
            file_read(names, word);
        } else if (word[1] == 'l') {
            const char *name = word[2] ? word + 2 : i + 1 < words->len ? words->pdata[i + 1] : "";
            g_autofree char *archive = archive_find(words, name);

            if (archive) {
                file_read(names, archive);
            }
        }
    }
}

char *cc_device_link_source(const GPtrArray *words, const char *header, gboolean always)
{
    struct names names = {
        .wanted = g_ptr_array_new_with_free_func(g_free),
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .defined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    GString *text = g_string_new("#define DEVICE_OBJECTS(X)");
    guint n = 0;

    elf_version(EV_CURRENT);
    words_read(&names, words);
    for (guint i = 0; i < names.wanted->len; i++) {
        const char *name = g_ptr_array_index(names.wanted, i);

        if (!g_hash_table_contains(names.defined, name)) {
            g_string_append_printf(text, " X(%s)", name);
            n++;
        }
    }
    g_string_append_printf(text, "\n#include \"%s\"\n", header);
    g_ptr_array_unref(names.wanted);
    g_hash_table_unref(names.seen);
    g_hash_table_unref(names.defined);
    return g_string_free(text, n == 0 && !always);
}
