/* SPDX-License-Identifier: MIT */
/* What a module as a whole must keep to: the .version that its .target needs, and how much
 * constant, parameter and shared memory there is. PTX ISA 11.1, 5.1, 7; limits and words are those
 * of ptxas 13.0 (tests/golden/ptx_modules.txt). */
#include "ptx/decode_priv.h"
#include <stdio.h>

/* PTX ISA 11.1.2, "PTX ISA notes": the first .version with a target; @suffix: a or f of its own */
static const struct {
    uint16_t sm, version;
    char suffix;
} targets[] = {
    { 20, 20, 0 },    { 30, 30, 0 },    { 32, 40, 0 },    { 35, 31, 0 },    { 37, 41, 0 },
    { 50, 40, 0 },    { 52, 41, 0 },    { 53, 42, 0 },    { 60, 50, 0 },    { 61, 50, 0 },
    { 62, 50, 0 },    { 70, 60, 0 },    { 72, 61, 0 },    { 75, 63, 0 },    { 80, 70, 0 },
    { 86, 71, 0 },    { 87, 74, 0 },    { 88, 90, 0 },    { 89, 78, 0 },    { 90, 78, 0 },
    { 90, 80, 'a' },  { 100, 86, 0 },   { 100, 86, 'a' }, { 100, 88, 'f' }, { 101, 86, 0 },
    { 101, 86, 'a' }, { 101, 88, 'f' }, { 103, 88, 0 },   { 103, 88, 'a' }, { 103, 88, 'f' },
    { 110, 90, 0 },   { 110, 90, 'a' }, { 110, 90, 'f' }, { 120, 87, 0 },   { 120, 87, 'a' },
    { 120, 88, 'f' }, { 121, 88, 0 },   { 121, 88, 'a' }, { 121, 88, 'f' },
};

#define CONST_MAX 0x10000u
#define SHARED_MAX 0xc000u
#define PARAM_MAX 0x1100u /* of .version below 8.1 or sm_70 */
#define PARAM_MAX_LARGE 0x7ffcu
#define REFS_MAX 512u /* ours: QMD_REFS_MAX of model/regs/method.h, which ptx/ does not include */

G_GNUC_PRINTF(3, 4)
static bool module_fail(struct ptx_error *error, struct ptx_pos pos, const char *format, ...)
{
    va_list args;

    if (error) {
        error->pos = pos;
        va_start(args, format);
        vsnprintf(error->text, sizeof(error->text), format, args);
        va_end(args);
    }
    return false;
}

static bool target_good(const struct ptx_module *m, struct ptx_error *error)
{
    static const struct ptx_pos directive = { 2, 1 };

    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        if (targets[i].sm == m->target_sm && targets[i].suffix == m->target_suffix &&
            m->version < targets[i].version) {
            return module_fail(error, directive,
                               ".target sm_%u%s requires .version %u.%u or higher, not %u.%u (PTX "
                               "ISA 11.1.2)",
                               m->target_sm,
                               m->target_suffix ? (char[]){ m->target_suffix, 0 } : "",
                               targets[i].version / 10u, targets[i].version % 10u, m->version / 10,
                               m->version % 10);
        }
    }
    return true;
}

/* Constants of all variables together: 5.1.3 has 64 KiB. */
static bool constants_good(const struct ptx_module *m, struct ptx_error *error)
{
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];

        if (v->space == PTX_SPACE_CONST && v->offset + v->size > CONST_MAX) {
            return module_fail(error, v->pos,
                               "line %u: the .const variables up to '%.60s' need %llu bytes; there "
                               "are %u (PTX ISA 5.1.3)",
                               v->pos.line, v->name, (unsigned long long)(v->offset + v->size),
                               CONST_MAX);
        }
    }
    return true;
}

/* 5.1.6.1: how many bytes of parameters a kernel may have */
static bool parameters_good(const struct ptx_module *m, const struct ptx_func *f,
                            struct ptx_error *error)
{
    const bool large = m->version >= 81 && m->target_sm >= 70;
    const uint32_t limit = large ? PARAM_MAX_LARGE : PARAM_MAX;

    if (f->param_bytes > limit) {
        return module_fail(error, f->pos,
                           "line %u: kernel '%.60s' has %llu bytes of parameters; .version %u.%u "
                           "and .target sm_%u allow %u (PTX ISA 5.1.6.1)",
                           f->pos.line, f->name, (unsigned long long)f->param_bytes,
                           m->version / 10, m->version % 10, m->target_sm, limit);
    }
    return true;
}

static bool shared_good(const struct ptx_func *f, struct ptx_error *error)
{
    if (f->static_shared_bytes > SHARED_MAX) {
        return module_fail(error, f->pos,
                           "line %u: kernel '%.60s' has %llu bytes of .shared variables; %u are "
                           "allowed, more only as dynamic shared memory",
                           f->pos.line, f->name, (unsigned long long)f->static_shared_bytes,
                           SHARED_MAX);
    }
    return true;
}

/* PTX ISA 5.3: opaque variables lie in .global; samplers stand apart from textures in one mode only
 */
static bool opaque_good(const struct ptx_module *m, struct ptx_error *error)
{
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];

        if (v->type >= PTX_TEXREF && v->space != PTX_SPACE_GLOBAL) {
            return module_fail(
                error, v->pos,
                "line %u: .%s variable '%.60s' must be declared in the .global space", v->pos.line,
                ptx_type_name(v->type), v->name);
        }
        if (v->type == PTX_SAMPLERREF && !m->own_samplers) {
            return module_fail(error, v->pos,
                               "line %u: .samplerref '%.60s' violates .target texmode_unified",
                               v->pos.line, v->name);
        }
        if (ptx_type_is_ref(v->type) && v->ref >= REFS_MAX) {
            return module_fail(
                error, v->pos,
                "line %u: '%.60s' is reference %u of the module; vtegra has room for "
                "%u",
                v->pos.line, v->name, v->ref + 1, REFS_MAX);
        }
    }
    return true;
}

/* What is declared is defined, too, at the latest by the linker; an .extern function only where it
 * is called (decode_flow.c), and an .extern variable is memory all the same: ptxas 13.0, a driver.
 */
static bool defined_all(const struct ptx_module *m, struct ptx_error *error)
{
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        const struct ptx_func *f = m->funcs[i];

        if (f->is_extern && f->linkage != PTX_LINK_EXTERN && ptx_func_find(m, f->name) == f) {
            return module_fail(error, f->pos,
                               "line %u: %s `%.60s` is declared and not defined; .extern declares "
                               "what another module defines",
                               f->pos.line, f->is_entry ? "kernel" : "function", f->name);
        }
    }
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct ptx_var *v = m->vars[i];

        for (uint32_t k = 0; k < v->n_relocs; k++) {
            const struct ptx_func *f = v->relocs[k].func;

            if (f && ptx_func_find(m, f->name)->is_extern) {
                return module_fail(error, v->pos,
                                   "line %u: `%.60s` has no address: no module defines it",
                                   v->pos.line, f->name);
            }
        }
        if (v->linkage == PTX_LINK_EXTERN && v->size == 0 && v->space != PTX_SPACE_SHARED) {
            return module_fail(error, v->pos,
                               "line %u: no module defines the .extern array '%.60s', which has no "
                               "size",
                               v->pos.line, v->name);
        }
    }
    return true;
}

bool decode_module(const struct ptx_module *m, struct ptx_error *error)
{
    if (!target_good(m, error) || !constants_good(m, error) || !opaque_good(m, error) ||
        !defined_all(m, error)) {
        return false;
    }
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        const struct ptx_func *f = m->funcs[i];

        if (f->is_entry && (!parameters_good(m, f, error) || !shared_good(f, error))) {
            return false;
        }
    }
    return true;
}
