/* SPDX-License-Identifier: MIT */
/* Which source files of a program or library were compiled without hooks, from DWARF: the
 * compiler's options stand with its name. gcc writes them unless told otherwise, clang for `vtegra
 * cc --track`.
 *
 * What was compiled without -g has no unit; its global functions are in the symbol table.
 */
#include "runtime/check/units.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <string.h>

#include "runtime/check/demangle.h"
#include "runtime/check/source.h"

#define HOOKS "-fsanitize=thread"

struct range {
    Dwarf_Addr start, end;
};

/* Parts of ours that are linked into programs. */
static bool is_ours(const char *name)
{
    return strstr(name, "runtime/track/") || strstr(name, "runtime/cudart/");
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

        if (unit_ranges(cu, bias, covered) && !hooks && !is_ours(name)) {
            g_ptr_array_add(files, source_path(name, unit_text(cu, DW_AT_comp_dir)));
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
