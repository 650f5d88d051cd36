/* SPDX-License-Identifier: MIT */
/* Buffers of pictures whose CPU caches the program maintains itself, plane by plane (NvBufSurface).
 */
#include "checker/run/run_planes.h"

#include <inttypes.h>

/* "0+4096 4096+2048": offset and bytes of each. */
bool run_planes_note(struct run *r, const struct note *n)
{
    struct run_region *region = run_region(r, (uint32_t)note_num(n, "id"));
    const char *at = note_get(n, "planes");

    if (!region || !at) {
        return false;
    }
    region->planes = 0;
    while (*at && region->planes < RUN_PLANES) {
        struct run_plane *p = &region->plane[region->planes++];
        char *end;

        p->offset = g_ascii_strtoull(at, &end, 10);
        p->bytes = *end == '+' ? g_ascii_strtoull(end + 1, &end, 10) : 0;
        at = end + (*end == ' ');
        if (*end != ' ') {
            break;
        }
    }
    return true;
}

/* RUN_PLANES: none of them. */
static unsigned plane_at(const struct run_region *region, uint64_t offset)
{
    for (unsigned i = 0; region && i < region->planes; i++) {
        if (offset - region->plane[i].offset < region->plane[i].bytes) {
            return i;
        }
    }
    return RUN_PLANES;
}

char *run_plane_text(const struct run_region *region, uint64_t offset, uint64_t size)
{
    unsigned plane = plane_at(region, offset);
    uint64_t first, last;

    if (plane == RUN_PLANES) {
        return NULL;
    }
    first = (offset - region->plane[plane].offset) / RUN_LINE;
    last = (offset - region->plane[plane].offset + MAX(size, 1) - 1) / RUN_LINE;
    return first == last
               ? g_strdup_printf("in plane %u, line %" PRIu64, plane, first)
               : g_strdup_printf("in plane %u, lines %" PRIu64 " to %" PRIu64, plane, first, last);
}

char *run_plane_todo(const struct run_region *region, uint64_t offset, bool for_cpu)
{
    unsigned plane = plane_at(region, offset);

    if (plane == RUN_PLANES) {
        return NULL;
    }
    return for_cpu
               ? g_strdup_printf("Call NvBufSurfaceSyncForCpu(surf, index, %u) when the engine's "
                                 "work is done and before the CPU reads the plane.",
                                 plane)
               : g_strdup_printf("Call NvBufSurfaceSyncForDevice(surf, index, %u) behind the CPU's "
                                 "stores to the plane and before the call that gives it to the "
                                 "engine.",
                                 plane);
}
