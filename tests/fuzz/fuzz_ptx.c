/* SPDX-License-Identifier: MIT */
/* Bytes as a PTX text: parsed; and cut in two, linked, what comes out parsed again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every failure says where and why, in one line of whole words. */
static void check_error(const struct ptx_error *error)
{
    size_t length = strnlen(error->text, sizeof(error->text));

    if (length == 0 || length == sizeof(error->text) || error->pos.line == 0 ||
        error->pos.column == 0 || strchr(error->text, '\n') != NULL) {
        abort();
    }
}

static void check_operand(const struct ptx_func *func, const struct ptx_operand *operand)
{
    if ((operand->kind == PTX_OPERAND_REG && (uint32_t)operand->reg >= func->n_regs) ||
        (operand->kind == PTX_OPERAND_LABEL && operand->label > func->n_inst) ||
        (operand->kind == PTX_OPERAND_SYMBOL && !operand->var && !operand->func)) {
        abort();
    }
    for (uint32_t i = 0; operand->kind == PTX_OPERAND_VECTOR && i < operand->count; i++) {
        check_operand(func, &operand->element[i]);
    }
}

/* What the decoder relies on: every index is in range, every name is resolved. */
static void check_module(const struct ptx_module *m)
{
    for (uint32_t f = 0; f < m->n_funcs; f++) {
        const struct ptx_func *func = m->funcs[f];

        for (uint32_t i = 0; i < func->n_inst; i++) {
            const struct ptx_inst *inst = &func->inst[i];

            if (inst->guard >= (int32_t)func->n_regs || inst->n_operands > PTX_MAX_OPERANDS) {
                abort();
            }
            for (unsigned k = 0; k < inst->n_operands; k++) {
                check_operand(func, &inst->operand[k]);
            }
            if (inst->call && !inst->call->target && inst->call->pointer.reg < 0) {
                abort();
            }
        }
    }
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *var = m->vars[i];
        volatile uint8_t last = var->init && var->size ? var->init[var->size - 1] : 0;

        (void)last;
        for (uint32_t k = 0; k < var->n_relocs; k++) {
            const struct ptx_reloc *reloc = &var->relocs[k];

            if (reloc->offset + reloc->bytes > var->size || (!reloc->var && !reloc->func)) {
                abort();
            }
        }
    }
}

static bool parse(const char *text, size_t size)
{
    struct ptx_error error = { 0 };
    struct ptx_module *m = ptx_parse(text, size, &error);

    if (m == NULL) {
        check_error(&error);
        return false;
    }
    check_module(m);
    ptx_module_free(m);
    return true;
}

/* The second half gets a head of its own, so that it can be a module too. */
static void link_halves(const char *data, size_t size)
{
    static const char head[] = ".version 8.3\n.target sm_87\n.address_size 64\n";
    const char *mark = memmem(data, size, "//--", 4), *text[2];
    size_t cut = mark != NULL ? (size_t)(mark - data) : size, sizes[2], out_size;
    char *second = malloc(sizeof(head) + size - cut), *out;
    struct ptx_error error = { 0 };

    memcpy(second, head, sizeof(head) - 1);
    memcpy(second + sizeof(head) - 1, data + cut, size - cut);
    text[0] = data;
    sizes[0] = cut;
    text[1] = second;
    sizes[1] = sizeof(head) - 1 + size - cut;
    if (ptx_link(text, sizes, 2, &out, &out_size, &error)) {
        if (!parse(out, out_size)) {
            abort(); /* what the linker writes is PTX */
        }
        free(out);
    } else {
        check_error(&error);
    }
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1); /* exact, so that reading past the end is seen */

    memcpy(text, data, size);
    parse(text, size);
    link_halves(text, size);
    free(text);
    return 0;
}
