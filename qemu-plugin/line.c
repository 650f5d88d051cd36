/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of the guest program (elf=), for the report. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-plugin/board.h"

static Dwfl *dwfl;
static Dwfl_Module *program;
static uint64_t moved; /* from where it lies in @dwfl to where the guest has it */

bool line_open(const char *elf)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };

    dwfl = dwfl_begin(&callbacks);
    program = dwfl ? dwfl_report_offline(dwfl, "guest", elf, -1) : NULL;
    if (!program) {
        fprintf(stderr, "vtegra: elf=%s: %s\n", elf, dwfl_errmsg(-1));
        line_close();
        return false;
    }
    dwfl_report_end(dwfl, NULL, NULL);
    return true;
}

void line_anchor(uint64_t pc)
{
    int n = program ? dwfl_module_getsymtab(program) : 0;

    for (int i = 0; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(program, i, &symbol, &address, NULL, NULL, NULL);

        if (name && strcmp(name, "vtegra_anchor") == 0) {
            moved = pc - address;
        }
    }
}

/* The compilation unit around @pc. clang writes no table of addresses (.debug_aranges): then each
 * is asked. */
static Dwarf_Die *unit_of(Dwfl_Module *module, uint64_t pc, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, pc, bias);

    if (!unit) {
        while ((unit = dwfl_module_nextcu(module, unit, bias)) &&
               dwarf_haspc(unit, pc - *bias) != 1) {
        }
    }
    return unit;
}

/* Where the outermost inlined function around @pc was called: what the reader wrote, not a helper
 * in a header. Return: false if nothing is inlined there. */
static bool call_site(Dwarf_Die *unit, uint64_t pc, const char **file, int *number)
{
    Dwarf_Die *scopes = NULL;
    int n = dwarf_getscopes(unit, pc, &scopes);
    bool found = false;

    for (int i = 0; i < n; i++) { /* innermost first */
        Dwarf_Attribute attr;
        Dwarf_Word line, index;
        Dwarf_Files *files;

        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attr), &line) == 0 &&
            dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attr), &index) == 0 &&
            dwarf_getsrcfiles(unit, &files, NULL) == 0) {
            *file = dwarf_filesrc(files, index, NULL, NULL);
            *number = (int)line;
            found = *file != NULL;
        }
    }
    free(scopes);
    return found;
}

char *line_of(uint64_t pc)
{
    Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, pc -= moved) : NULL;
    const char *function = module ? dwfl_module_addrname(module, pc) : NULL, *file = NULL;
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = module ? unit_of(module, pc, &bias) : NULL;
    Dwarf_Line *line;
    int number = 0;

    if (!module) {
        return NULL;
    }
    if (unit && !call_site(unit, pc - bias, &file, &number) &&
        (line = dwarf_getsrc_die(unit, pc - bias))) {
        file = dwarf_linesrc(line, NULL, NULL);
        dwarf_lineno(line, &number);
    }
    if (!file) {
        return function ? g_strdup_printf("(%s)", function) : NULL;
    }
    return g_strdup_printf("%s:%d (%s)", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, number,
                           function ? function : "?");
}

void line_close(void)
{
    if (dwfl) {
        dwfl_end(dwfl);
        dwfl = NULL;
        program = NULL;
    }
}
