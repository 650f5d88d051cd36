/* SPDX-License-Identifier: MIT */
/* A PTX text whose first entry runs: on two blocks of 40 threads, with pointers as parameters, for
 * some thousand steps. It ends, or faults with a reason. */
#include <stdlib.h>
#include <string.h>

#include "tests/grid_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a driver checks before a launch (runtime/driver/module/launch.c). */
static bool can_launch(const struct ptx_func *f)
{
    return f->is_entry && !f->is_extern && f->param_bytes <= 4096 && f->shared_bytes <= 48u << 10 &&
           f->local_bytes <= 4096;
}

/* Locals of what it may call count as well. */
static const char *entry_of(const struct ptx_module *m)
{
    const char *name = NULL;

    for (uint32_t i = 0; i < m->n_funcs; i++) {
        if (m->funcs[i]->local_bytes > 4096) {
            return NULL;
        }
        if (!name && can_launch(m->funcs[i])) {
            name = m->funcs[i]->name;
        }
    }
    return m->global_bytes <= 256u << 10 && m->const_bytes <= 64u << 10 ? name : NULL;
}

static uint32_t param_bytes(const struct ptx_module *m, const char *entry)
{
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        if (m->funcs[i]->is_entry && strcmp(m->funcs[i]->name, entry) == 0) {
            return (uint32_t)m->funcs[i]->param_bytes;
        }
    }
    return 0;
}

static void launch(struct ptx_module *m, const char *entry)
{
    static uint64_t param[512];
    uint32_t bytes = param_bytes(m, entry);
    struct ptx_error error = { .text = "" };
    struct grid_program *p = grid_program_new(m, &error);
    struct rig rig;
    struct grid *g;

    if (!p) {
        if (!*error.text) {
            abort();
        }
        return;
    }
    rig_init(&rig);
    for (unsigned i = 0; i < 512; i++) {
        param[i] = RIG_BASE + 4096 * i;
    }
    g = rig_grid(&rig, p,
                 &(struct rig_launch){ .entry = entry,
                                       .grid = { 2 },
                                       .block = { 40 },
                                       .dynamic_shared = 1024,
                                       .param = param,
                                       .param_bytes = bytes,
                                       .step_limit = 4000 });
    if (rig_run(g) == GRID_FAULT && !grid_fault(g)->reason) {
        abort();
    }
    grid_free(g);
    rig_free(&rig);
    grid_program_unref(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_error error = { .text = "" };
    struct ptx_module *m = ptx_parse((const char *)data, size, &error);
    const char *entry = m ? entry_of(m) : NULL;

    if (entry) {
        launch(m, entry);
    } else if (m) {
        ptx_module_free(m);
    }
    return 0;
}
