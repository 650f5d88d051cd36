/* SPDX-License-Identifier: MIT */
/* Device code of a context, for other rooms. Needs no other file of the driver but those of
 * contexts. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/module/module_internal.h"

void modules_begin(struct context *c)
{
    context_part_set(c, CONTEXT_MODULES, g_new0(struct context_modules, 1));
}

void modules_end(struct context *c)
{
    core_bury(modules_of(c));
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

        for (struct module *m = object_first(&modules_of(c)->all); m; m = object_after(&m->base)) {
            if (m->code_id == code_id) {
                return m;
            }
        }
    }
    return NULL;
}
