/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "runtime/preload/preload.h"

const struct vtegra_preload *preload_find(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "vtegra_preload");
    vtegra_preload_fn *get = NULL;
    const struct vtegra_preload *preload;

    memcpy(&get, &symbol, sizeof(get));
    preload = get ? get() : NULL;
    return preload && preload->version == VTEGRA_PRELOAD_VERSION ? preload : NULL;
}
