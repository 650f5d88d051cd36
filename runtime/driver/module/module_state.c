/* SPDX-License-Identifier: MIT */
/* Device code of a context, for other rooms. Needs no other file of the driver but those of
 * contexts. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/module/module_internal.h"

void modules_begin(struct context *c)
{
    struct context_modules *own = g_new0(struct context_modules, 1);

    own->all = g_ptr_array_new();
    context_part_set(c, CONTEXT_MODULES, own);
}

void modules_end(struct context *c)
{
    struct context_modules *own = modules_of(c);

    g_ptr_array_free(own->all, TRUE);
    core_bury(own);
}

const struct region *module_heap(const struct context *c)
{
    return modules_of(c)->heap;
}

bool module_prints(const struct context *c)
{
    return modules_of(c)->printf_ring.cpu != NULL;
}

struct module *module_of_code(uint64_t code_id)
{
    for (unsigned i = 0; i < context_count(); i++) {
        const struct context *c = context_nth(i);

        for (guint j = 0; j < modules_of(c)->all->len; j++) {
            struct module *m = g_ptr_array_index(modules_of(c)->all, j);

            if (m->code_id == code_id) {
                return m;
            }
        }
    }
    return NULL;
}
