/* SPDX-License-Identifier: MIT */
#include "checker/rules/kernel_fault.h"

#include <inttypes.h>
#include <string.h>

#include "checker/run/run.h"

/* No board maps the first page for either side. */
#define NULL_PAGE 4096u
#define FAR_BYTES (UINT64_C(1) << 32) /* farther from a buffer hardly any index goes */

/* Where an address lies that a kernel should not have used: in words of the application's buffers.
 */
static char *address_text(const struct run *r, uint64_t va)
{
    const struct run_region *region = run_region_at(r, va), *below = NULL;
    char *name, *text;

    for (guint i = 0; i < r->regions->len && !region; i++) {
        const struct run_region *g = r->regions->pdata[i];

        if (g->number && g->va + g->len <= va &&
            (!below || g->va + g->len > below->va + below->len)) {
            below = g;
        }
    }
    if (!region && va < NULL_PAGE) {
        return g_strdup_printf("The address 0x%" PRIx64 " is a null pointer%s.", va,
                               va ? " with an offset" : "");
    }
    if (!region && !below) {
        return g_strdup_printf("The address 0x%" PRIx64 " is in no buffer.", va);
    }
    if (!region && va - below->va - below->size > FAR_BYTES) {
        return g_strdup_printf(
            "The address 0x%" PRIx64
            " is in no buffer, and far from every one: it may be the CPU's (malloc, "
            "static, stack), which kernels cannot use.",
            va);
    }
    name = run_region_name(region ? region : below);
    if (region) {
        text = g_strdup_printf("The address lies %" PRIu64 " bytes into %s%s.", va - region->va,
                               name, region->freed ? ", which was freed before" : "");
    } else {
        text =
            g_strdup_printf("The address 0x%" PRIx64 " is in no buffer; the nearest before it, %s, "
                            "ends %" PRIu64 " bytes below.",
                            va, name, va - below->va - below->size);
    }
    g_free(name);
    return text;
}

#define CONTEXT_LOST " The context is lost: every later call returns the same error."

/* What to do about it, by what the address is. */
const char *kernel_fault_todo(const struct run *r, const struct check_fault *fault)
{
    const struct run_region *region = run_region_at(r, fault->va);

    if (fault->todo) {
        return fault->todo;
    }
    if (strcmp(fault->api_error, "CUDA_ERROR_LAUNCH_TIMEOUT") == 0) {
        return "If the kernel waits for the CPU or for a later launch, it waits for ever: let it "
               "end. If it is only long, raise --steps." CONTEXT_LOST;
    }
    if (strcmp(fault->api_error, "CUDA_ERROR_ILLEGAL_ADDRESS") != 0) {
        return "Fix the kernel." CONTEXT_LOST;
    }
    if (region && region->freed) {
        return "Free the buffer after the last kernel that uses it has ended." CONTEXT_LOST;
    }
    if (fault->va < NULL_PAGE) {
        return "Check what the allocation returned and which pointer the launch "
               "passes." CONTEXT_LOST;
    }
    return "Check the index against the buffer's size, and which pointer the launch "
           "passes." CONTEXT_LOST;
}

char *kernel_fault_text(const struct run *r, const struct check_fault *fault)
{
    g_autofree char *address = fault->place               ? g_strdup(fault->place)
                               : fault->va || fault->size ? address_text(r, fault->va)
                                                          : g_strdup("");

    return g_strdup_printf("%s in block (%u,%u,%u), thread (%u,%u,%u)%s%s.%s%s", fault->what,
                           fault->block[0], fault->block[1], fault->block[2], fault->thread[0],
                           fault->thread[1], fault->thread[2], fault->api_error ? ": " : "",
                           fault->api_error ? fault->api_error : "", *address ? " " : "", address);
}
