/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/source.h"

const struct vtegra_sched *check_sched(void)
{
    static const struct vtegra_sched *found;
    static bool looked;
    vtegra_sched_fn *get = NULL;
    void *symbol;

    if (!looked) {
        symbol = dlsym(RTLD_DEFAULT, "vtegra_sched");
        memcpy(&get, &symbol, sizeof(get));
        found = get ? get() : NULL;
        found = found && found->version == VTEGRA_SCHED_VERSION ? found : NULL;
        looked = true;
    }
    return found;
}

char *check_place(struct check *c, const struct check_caller *caller)
{
    char *text = NULL;

    if (c && caller->pc[0]) {
        check_lock(c);
        text = g_strdup(source_place(caller)->text);
        check_unlock(c);
    }
    return text;
}

void check_warm(const uintptr_t *pc, unsigned n)
{
    struct check_caller caller = { .pc = { 0 } };

    for (unsigned i = 0; i < n && i < CHECK_CALLER_DEPTH; i++) {
        caller.pc[i] = pc[i];
    }
    source_place(&caller);
    for (unsigned i = 0; i < n; i++) {
        source_place(&(struct check_caller){ .pc = { pc[i] } });
    }
}
