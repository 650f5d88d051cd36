/* SPDX-License-Identifier: MIT */
#include "checker/rules/kernel_fault.h"

#include <inttypes.h>
#include <string.h>

#include "checker/run/run.h"

/* No board maps the first page for either side. */
#define NULL_PAGE 4096u
#define FAR_BYTES (UINT64_C(1) << 32)    /* farther from a buffer hardly any index goes */
#define BEFORE_BYTES (UINT64_C(1) << 20) /* nor before one */

/* Bytes between @va and the buffer, which does not have it; *@before: the buffer is behind it. */
static uint64_t kernel_fault_distance(const struct run_region *region, uint64_t va, bool *before)
{
    *before = va < region->va;
    return *before ? region->va - va : va - region->va - region->size;
}

/* The nearest buffer, rather one that is there than one that was freed. NULL: there is none, or
 * every one is too far for an index. */
static const struct run_region *nearest(const struct run *r, uint64_t va, bool freed)
{
    const struct run_region *best = NULL;
    uint64_t least = UINT64_MAX;

    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];
        bool before;
        uint64_t bytes = kernel_fault_distance(region, va, &before);

        if (region->number && region->freed == freed && bytes < least &&
            bytes <= (before ? BEFORE_BYTES : FAR_BYTES)) {
            best = region;
            least = bytes;
        }
    }
    return best || freed ? best : nearest(r, va, true);
}

static bool has_buffer_below(const struct run *r, uint64_t va)
{
    for (guint i = 0; i < r->regions->len; i++) {
        const struct run_region *region = r->regions->pdata[i];

        if (region->number && region->va + region->len <= va) {
            return true;
        }
    }
    return false;
}

/* No buffer has @va. */
static char *outside_text(const struct run *r, uint64_t va)
{
    const struct run_region *region = va < NULL_PAGE ? NULL : nearest(r, va, false);
    g_autofree char *name = region ? run_region_name(region) : NULL;
    uint64_t bytes;
    bool before;

    if (va < NULL_PAGE) {
        return g_strdup_printf("The address 0x%" PRIx64 " is a null pointer%s.", va,
                               va ? " with an offset" : "");
    }
    if (!region) {
        return g_strdup_printf(
            "The address 0x%" PRIx64 " is in no buffer%s.", va,
            has_buffer_below(r, va)
                ? ", and far from every one: it may be the CPU's (malloc, static, stack), which "
                  "kernels cannot use"
                : "");
    }
    bytes = kernel_fault_distance(region, va, &before);
    return g_strdup_printf("The address 0x%" PRIx64 " is in no buffer: it lies %" PRIu64
                           " %s %s the nearest one, %s%s.",
                           va, bytes, bytes == 1 ? "byte" : "bytes",
                           before ? "before" : "behind the end of", name,
                           region->freed ? ", which was freed before" : "");
}

const struct run_region *kernel_fault_nearest(const struct run *r, uint64_t va)
{
    return nearest(r, va, false);
}

char *kernel_beside_text(const struct run *r, uint64_t va, bool write)
{
    g_autofree char *where = outside_text(r, va);

    return g_strdup_printf("Out-of-bounds %s of a kernel. %s", write ? "store" : "load", where);
}

/* Where an address lies that a kernel should not have used: in words of the application's buffers.
 */
static char *address_text(const struct run *r, uint64_t va)
{
    const struct run_region *region = run_region_at(r, va);
    g_autofree char *name = region ? run_region_name(region) : NULL;

    return region
               ? g_strdup_printf("The address lies %" PRIu64 " bytes into %s%s.", va - region->va,
                                 name, region->freed ? ", which was freed before" : "")
               : outside_text(r, va);
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
