/* SPDX-License-Identifier: MIT */
/* Any bytes as a litmus file: an error or a test, and a test runs on every kind of SoC up to a
 * limit. */
#include "litmus/litmus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct litmus_options options = { true, 300 };
    GError *error = NULL;
    struct litmus_test *test = litmus_parse((const char *)data, size, "fuzz", &error);

    g_assert((test == NULL) == (error != NULL));
    g_clear_error(&error);
    for (unsigned kind = 0; test && kind < 3; kind++) {
        struct soc_profile soc = { 0 };
        struct litmus_result *r;

        soc.soc.io_coherent = kind > 0;
        soc.rules.cpu_snoops_l2 = kind > 1;
        soc.gpu.concurrent_managed_access = kind > 1;
        soc.gpu.global_l1_cache = true;
        soc.dla.cores = kind == 1;
        soc.cpu.lse = kind > 0;
        soc.cpu.lrcpc = kind > 1;
        soc.gpu.sm_count = kind > 0 ? LITMUS_SMS : 1;
        soc.gpu.cc_major = kind > 0 ? 7 : 6;
        r = litmus_explore(test, &soc, &options, &error);
        g_assert((r == NULL) == (error != NULL));
        g_clear_error(&error);
        litmus_result_free(r);
    }
    litmus_free(test);
    return 0;
}
