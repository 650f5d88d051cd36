/* SPDX-License-Identifier: MIT */
/* Asking for compiled code, and putting it in; see native.h. */
#include "model/igpu/native.h"

#include <glib.h>

#include "model/igpu/native_text.h"

/* Together, so that one start of a compiler serves a small module whole. */
#define PROGRAM_UOPS_MAX 6000u

static void code_note(struct native_code *n, const struct ptx_code *code,
                      const struct native_text *t)
{
    n->op = g_new(uint16_t, code->n_uops);
    for (uint32_t k = 0; k < code->n_uops; k++) {
        n->op[k] = t->entry[k / 8] >> k % 8 & 1 ? code->uop[k].op : NATIVE_NONE;
    }
}

/* The compiled text's one door: from a function's number to its code. */
static void door_append(const struct grid_program *p, GString *text)
{
    g_string_append(text, "NATIVE_DOOR\n{\n    switch (index) {\n");
    for (uint32_t i = 0; i < p->program->n_code; i++) {
        if (p->native.code[i].op) {
            g_string_append_printf(text, "    case %u: return (uintptr_t)native_%u;\n", i, i);
        }
    }
    g_string_append(text, "    default: return 0;\n    }\n}\n");
}

char *grid_program_text(struct grid_program *p, uint32_t entry)
{
    const struct ptx_program *program = p->program;
    GString *text = g_string_new("#include \"model/igpu/native_body.h\"\n\n");
    uint32_t total = 0, found = 0;

    g_assert(!p->native.code);
    p->native.code = g_new0(struct native_code, program->n_code);
    for (uint32_t i = 0; i < program->n_code; i++) {
        total += program->code[i].n_uops;
    }
    for (uint32_t i = 0; i < program->n_code; i++) {
        struct native_text t;

        if ((i == entry || total <= PROGRAM_UOPS_MAX) &&
            native_text_append(&program->code[i], i, text, &t)) {
            code_note(&p->native.code[i], &program->code[i], &t);
            g_free(t.entry);
            found++;
        }
    }
    door_append(p, text);
    return g_string_free(text, found == 0);
}

void grid_program_native(struct grid_program *p, grid_native_door *door)
{
    for (uint32_t i = 0; p->native.code && i < p->program->n_code; i++) {
        struct native_code *n = &p->native.code[i];
        const struct ptx_code *code = &p->program->code[i];
        uintptr_t run = n->op && !n->run ? door(i) : 0;

        for (uint32_t k = 0; run && k < code->n_uops; k++) {
            code->uop[k].op = n->op[k] == NATIVE_NONE ? code->uop[k].op : PTX_UOP_NATIVE;
        }
        n->run = run ? (native_run *)run : n->run;
    }
}

bool grid_program_asks(struct grid_program *p, uint64_t after)
{
    if (p->native.asked || p->native.insts < after || !grid_compile_flags()) {
        return false;
    }
    p->native.asked = true;
    return true;
}

void native_set_free(struct native_set *set, uint32_t n_code)
{
    for (uint32_t i = 0; set->code && i < n_code; i++) {
        g_free(set->code[i].op);
    }
    g_free(set->code);
}
