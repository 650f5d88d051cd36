/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of the guest program (elf=), for the report. */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

#include "qemu-plugin/board.h"

static Dwfl *dwfl;

bool line_open(const char *elf)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
    };

    dwfl = dwfl_begin(&callbacks);
    if (!dwfl || !dwfl_report_offline(dwfl, "guest", elf, -1)) {
        fprintf(stderr, "vtegra: elf=%s: %s\n", elf, dwfl_errmsg(-1));
        line_close();
        return false;
    }
    dwfl_report_end(dwfl, NULL, NULL);
    return true;
}

char *line_of(uint64_t pc)
{
    Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, pc) : NULL;
    Dwfl_Line *line = module ? dwfl_module_getsrc(module, pc) : NULL;
    const char *function = module ? dwfl_module_addrname(module, pc) : NULL;
    const char *file = NULL;
    int number = 0;

    if (line) {
        file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
    }
    if (!file && !function) {
        return NULL;
    }
    if (!file) {
        return g_strdup_printf("(%s)", function);
    }
    return g_strdup_printf("%s:%d (%s)", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, number,
                           function ? function : "?");
}

void line_close(void)
{
    if (dwfl) {
        dwfl_end(dwfl);
        dwfl = NULL;
    }
}
