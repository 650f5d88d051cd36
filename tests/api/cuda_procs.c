/* SPDX-License-Identifier: MIT */
/* What cuGetProcAddress finds: for every name of cuda.def and every CUDA version that brought a
 * symbol, the exported symbol at that address. A line wherever the answer changes with the version;
 * `-` is no answer, `other` an address that is no exported symbol. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cuda.h, which renames some. */
static const struct {
    const char *name;
    int since;
} symbols[] = {
#define SYMBOL(name, since) { #name, since },
#include "runtime/api/cuda/cuda.def"
};

#include <cuda.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int versions[COUNT(symbols)];
static size_t n_versions;

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void versions_collect(void)
{
    for (size_t i = 0; i < COUNT(symbols); i++) {
        versions[i] = symbols[i].since;
    }
    qsort(versions, COUNT(symbols), sizeof(versions[0]), by_number);
    for (size_t i = 0; i < COUNT(symbols); i++) {
        if (n_versions == 0 || versions[n_versions - 1] != versions[i]) {
            versions[n_versions++] = versions[i];
        }
    }
}

static const char *symbol_at(void *address)
{
    if (!address) {
        return "-";
    }
    for (size_t i = 0; i < COUNT(symbols); i++) {
        if (dlsym(RTLD_DEFAULT, symbols[i].name) == address) {
            return symbols[i].name;
        }
    }
    return "other";
}

static void name_print(const char *name, cuuint64_t flags)
{
    char before[64] = "";

    for (size_t i = 0; i < n_versions; i++) {
        CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)9;
        void *address = NULL;
        CUresult code = cuGetProcAddress(name, &address, versions[i], flags, &status);
        char now[64];
        snprintf(now, sizeof(now), "%s %d %d", symbol_at(address), (int)code, (int)status);
        if (strcmp(now, before) != 0) {
            printf("%s %s %d: %s\n", name, flags == 2 ? "per-thread" : "legacy", versions[i], now);
            strcpy(before, now);
        }
    }
}

int main(void)
{
    if (cuInit(0) != CUDA_SUCCESS) {
        return 1;
    }
    versions_collect();
    for (size_t i = 0; i < COUNT(symbols); i++) {
        const char *name = symbols[i].name;
        const char *suffix = strstr(name, "_v");
        if (!suffix && !strstr(name, "_pt")) {
            name_print(name, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
            name_print(name, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
        }
    }
    return 0;
}
