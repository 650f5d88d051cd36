/* SPDX-License-Identifier: MIT */
/* Which line of the source a message names. atomicAdd() and its like are inline functions of CUDA's
 * headers: a line there does not say which atomic of the program it was. */
#include <string.h>

#include "ptx/parse.h"

/* nvcc's headers lie in targets/ARCHITECTURE-linux/include, clang's in lib/clang/VERSION/include. */
static bool is_header_of_cuda(const struct ptx_module *m, uint32_t file)
{
    static const char *const places[] = { "-linux/include/", "/lib/clang/", "/include/vtegra/" };
    const char *name = file < m->n_files ? m->files[file] : NULL;

    for (size_t i = 0; name && i < sizeof(places) / sizeof(places[0]); i++) {
        if (strstr(name, places[i])) {
            return true;
        }
    }
    return false;
}

/* Instead of a line in such a header: the one that it was inlined at; clang 19 does not write that,
 * so there the last one before it, whose arguments it takes (inferred). A header that nothing of the
 * program stands before keeps its line. */
static void func_source_lines(const struct ptx_module *m, const struct ptx_func *func)
{
    uint32_t file = 0, line = 0;

    for (uint32_t i = 0; i < func->n_inst; i++) {
        struct ptx_inst *inst = &func->inst[i];
        bool known = inst->at_line && !is_header_of_cuda(m, inst->at_file);

        if (!inst->source_line) { /* made by the compiler: no line of its own */
            continue;
        }
        if (!is_header_of_cuda(m, inst->file)) {
            file = inst->file;
            line = inst->source_line;
        } else if (known || line) {
            inst->file = known ? inst->at_file : file;
            inst->source_line = known ? inst->at_line : line;
        }
    }
}

/* At the end of the text, where nvcc has its .file directives. */
void source_lines(struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        func_source_lines(m, m->funcs[i]);
    }
}
