/* SPDX-License-Identifier: MIT */
/* What a statistics tensor says, as text. Tensor and text are ours: NVIDIA publishes neither its
 * layout nor the columns (docs/dla-cudla.md). */
#include <string.h>

#include "include/cudlaExternalEtbl.hpp"
#include "runtime/driver/engines/dla/dla.h"
#include "runtime/driver/engines/dla/rt_dla.h"

/* "index,begin_ns,end_ns,duration_ns,cycles": @mhz is the application's, cycles are of that. */
static char *text_of(const uint64_t time[2], uint32_t mhz, uint32_t index)
{
    uint64_t ns = time[1] - time[0];
    uint64_t cycles = ns / 1000 * mhz + ns % 1000 * mhz / 1000;

    return g_strdup_printf("index,begin_ns,end_ns,duration_ns,cycles\n"
                           "%" G_GUINT32_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
                           ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "\n",
                           index, time[0], time[1], ns, cycles);
}

static const char *dla_statistics_wrong(const void *buffer, const uint64_t time[2], uint32_t index,
                                        cudlaTranslateCsvType type,
                                        const cudlaTranslateCsvAttribute *attribute)
{
    if (!buffer || !attribute || (type != CUDLA_GET_CSV_LENGTH && type != CUDLA_GET_CSV_STATS) ||
        (type == CUDLA_GET_CSV_STATS && !attribute->csvStreamStats)) {
        return "a NULL, or a type that does not exist";
    }
    if (index) {
        return "a module has one statistics tensor, number 0";
    }
    return time[1] < time[0] ? "the buffer is none that a task has filled: it ends before it begins"
                             : NULL;
}

static cudlaStatus dla_statistics_translate(cudlaDevHandle handle, void *buffer, uint32_t mhz,
                                            uint32_t index, cudlaTranslateCsvType type,
                                            cudlaTranslateCsvAttribute *attribute)
{
    static const char api[] = "etiTranslateStats";
    struct dla_device *d;
    cudlaStatus status = dla_enter(handle, &d, api);
    uint64_t time[2] = { 0 };
    const char *reason;
    char *text;

    if (status) {
        return status;
    }
    if (buffer) {
        memcpy(time, buffer, sizeof(time));
    }
    reason = dla_statistics_wrong(buffer, time, index, type, attribute);
    if (reason) { /* nothing happens to the handle: no call to the DLA was made */
        return dla_leave(dla_error(cudlaErrorInvalidParam, api, "cuDLA API", "%s", reason));
    }
    text = text_of(time, mhz, index);
    if (type == CUDLA_GET_CSV_LENGTH) {
        attribute->csvStreamLength = strlen(text) + 1;
    } else {
        memcpy(attribute->csvStreamStats, text, strlen(text) + 1);
    }
    g_free(text);
    return dla_leave(cudlaSuccess);
}

cudlaStatus rt_dla_export_table(const cudlaExternalEtbl **table, uint32_t flags)
{
    static const cudlaExternalEtbl etbl = { sizeof(etbl), dla_statistics_translate };

    if (!table || flags) {
        return cudlaErrorInvalidParam;
    }
    *table = &etbl;
    return cudlaSuccess;
}
