/* SPDX-License-Identifier: MIT */
/* Any bytes as a profile: an error with a message, or a profile whose figures agree. */
#include <stdint.h>

#include "profiles/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    GError *error = NULL;
    struct soc_profile *p = profile_parse((const char *)data, len, "fuzz", &error);

    g_assert((p == NULL) == (error != NULL));
    if (p) {
        g_assert(p->gpu.l2_bytes % (p->gpu.l2_ways * p->gpu.l2_line_bytes) == 0);
        g_assert(p->memory.carveout_bytes < p->memory.dram_bytes);
        profile_free(p);
    } else {
        g_assert(error->message[0] != '\0');
        g_error_free(error);
    }
    return 0;
}
