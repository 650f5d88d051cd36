/* SPDX-License-Identifier: MIT */
/* Which source files of a program or library were compiled without hooks, from DWARF: the
 * compiler's options stand with its name. gcc writes them unless an option forbids it, clang for
 * `vtegra cc --track`.
 *
 * What was compiled without -g has no unit; its global functions are in the symbol table.
 */
#include "runtime/observe/units.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <string.h>

#include "checker/print/demangle.h"
#include "runtime/observe/source.h"

#define HOOKS "-fsanitize=thread"
#define NVCC_SUFFIX ".cudafe1.cpp"

struct range {
    Dwarf_Addr start, end;
};

/* Parts of ours, and of nvcc's, that are linked into programs. */
static bool is_no_source(const char *name)
{
    return strstr(name, "runtime/track/") || strstr(name, "runtime/api/cudart/") ||
           g_str_has_suffix(name, "/crt/link.stub"); /* nvcc's part of every program */
}

/* "app" of "tmpxft_00006f4a_00000000-6_app.cudafe1.cpp". NULL: no file of nvcc's own. g_free() */
static char *nvcc_stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *from, *number;

    if (!g_str_has_suffix(name, NVCC_SUFFIX)) {
        return NULL;
    }
    number = g_str_has_prefix(name, "tmpxft_") ? strchr(name, '-') : NULL; /* not with -keep */
    from = number ? strchr(number, '_') : NULL;
    from = from ? from + 1 : name;
    return g_strndup(from, strlen(from) - strlen(NVCC_SUFFIX));
}

static bool has_stem(const char *path, const char *stem)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && (size_t)(dot - name) == strlen(stem) && g_str_has_prefix(name, stem);
}

/* nvcc compiles app.cu as a file of its own: the unit's lines say which one the program's is. */
static char *unit_path(Dwarf_Die *cu, const char *name, const char *folder)
{
    g_autofree char *stem = nvcc_stem(name);
    Dwarf_Files *files;
    size_t count = 0;

    if (!stem || dwarf_getsrcfiles(cu, &files, &count) != 0) {
        return source_path(stem ? stem : name, folder);
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = dwarf_filesrc(files, i, NULL, NULL);

        if (path && has_stem(path, stem)) {
            return source_path(path, folder);
        }
    }
    return source_path(stem, folder);
}

/* Return: does it have code? */
static bool unit_ranges(Dwarf_Die *cu, Dwarf_Addr bias, GArray *covered)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    bool code = false;

    while ((at = dwarf_ranges(cu, at, &base, &start, &end)) > 0) {
        if (start < end) {
            struct range r = { start + bias, end + bias };

            g_array_append_val(covered, r);
            code = true;
        }
    }
    return code;
}

static const char *unit_text(Dwarf_Die *cu, unsigned name)
{
    Dwarf_Attribute attr;
    const char *text = dwarf_formstring(dwarf_attr(cu, name, &attr));

    return text ? text : "";
}

static gint range_order(gconstpointer a, gconstpointer b)
{
    const struct range *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static bool is_covered(const GArray *covered, Dwarf_Addr address)
{
    guint low = 0, high = covered->len;

    while (low < high) { /* the first that begins behind it */
        guint mid = (low + high) / 2;

        if (g_array_index(covered, struct range, mid).start <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low > 0 && address < g_array_index(covered, struct range, low - 1).end;
}

/* Not the compiler's (thunks, _Z T...), the C library's or the C++ library's: reserved names; nor
 * of our libraries. */
static bool is_program_name(const char *name)
{
    static const char *const others[] = { "_ZT",           "_ZNS",           "_ZNKSt", "_ZSt",
                                          "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "cuda" };

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        if (g_str_has_prefix(name, others[i])) {
            return false;
        }
    }
    return (name[0] != '_' || g_str_has_prefix(name, "_Z")) && !strstr(name, "__device_stub__");
}

/* What another object defines has no size here. */
static void functions_add(Dwfl_Module *mod, const GArray *covered, GPtrArray *functions)
{
    int n = dwfl_module_getsymtab(mod);

    for (int i = 1; i < n; i++) {
        GElf_Sym sym;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(mod, i, &sym, &address, NULL, NULL, NULL);

        if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size > 0 &&
            GELF_ST_BIND(sym.st_info) != STB_LOCAL &&
            GELF_ST_VISIBILITY(sym.st_other) == STV_DEFAULT && is_program_name(name) &&
            !is_covered(covered, address)) {
            g_ptr_array_add(functions, demangle(name));
        }
    }
}

bool units_without(uintptr_t address, GPtrArray *files, GPtrArray *functions)
{
    Dwfl_Module *mod = source_module(address);
    GArray *covered = g_array_new(FALSE, FALSE, sizeof(struct range));
    Dwarf_Die *cu = NULL;
    Dwarf_Addr bias;
    bool says = false;

    while (mod && (cu = dwfl_module_nextcu(mod, cu, &bias))) {
        const char *name = unit_text(cu, DW_AT_name);
        bool hooks = strstr(unit_text(cu, DW_AT_producer), HOOKS);

        if (unit_ranges(cu, bias, covered) && !hooks && !is_no_source(name)) {
            g_ptr_array_add(files, unit_path(cu, name, unit_text(cu, DW_AT_comp_dir)));
        }
        says = says || hooks;
    }
    g_array_sort(covered, range_order);
    if (says) {
        functions_add(mod, covered, functions);
    } else {
        g_ptr_array_set_size(files, 0);
    }
    g_array_free(covered, TRUE);
    return says;
}
