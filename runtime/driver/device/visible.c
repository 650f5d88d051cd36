/* SPDX-License-Identifier: MIT */
/* Which GPUs of the board the program sees: CUDA_VISIBLE_DEVICES (CUDA C++ Programming Guide,
 * environment variables), a list of numbers or of UUIDs, each of which may be cut short. Details
 * are as measured, 580.159.04 with two GPUs. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/device/devices.h"

#define UUID_TEXT 41 /* GPU-, 32 digits, 4 hyphens, 0 */
#define GPU_PREFIX "GPU-"

static void uuid_text(const struct soc_profile *board, unsigned gpu, char text[UUID_TEXT])
{
    bool second = soc_profile_gpus(board) > 1 && gpu == 0; /* the discrete one is the first */
    uint8_t uuid[16];
    size_t n = strlen(GPU_PREFIX);

    device_uuid_of(board, second, uuid);
    memcpy(text, GPU_PREFIX, n + 1);
    for (unsigned i = 0; i < 16; i++) {
        n += (size_t)g_snprintf(text + n, UUID_TEXT - n,
                                i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
    }
}

/* The only GPU whose UUID begins so, in either case of the digits; what stands behind a whole UUID
 * does not count. -1: there is none, or there are several. */
static long uuid_find(const struct soc_profile *board, const char *at)
{
    size_t len = MIN(strcspn(at, ","), UUID_TEXT - 1);
    long found = -1;

    for (unsigned i = 0; i < soc_profile_gpus(board); i++) {
        char text[UUID_TEXT];

        uuid_text(board, i, text);
        if (g_ascii_strncasecmp(at, text, len) == 0) {
            if (found >= 0) {
                return -1;
            }
            found = (long)i;
        }
    }
    return found;
}

/* @at: moved behind the word. Return: -1: it names no GPU. */
static long word_find(const struct soc_profile *board, const char **at, bool uuids)
{
    char *end = NULL;
    long i;

    if (uuids != g_str_has_prefix(*at, GPU_PREFIX)) {
        return -1;
    }
    i = uuids ? uuid_find(board, *at) : strtol(*at, &end, 10);
    if ((end == *at && !uuids) || i < 0 || i >= (long)soc_profile_gpus(board)) {
        return -1;
    }
    end = uuids ? (char *)*at + strcspn(*at, ",") : end;
    *at = *end == ',' ? end + 1 : "";
    return i;
}

/* The list ends at the first word that names none of them, or that is a number among UUIDs or the
 * other way round. One that is named twice leaves none. */
unsigned devices_visible(const struct soc_profile *board, unsigned *order, bool *twice)
{
    const char *at = getenv("CUDA_VISIBLE_DEVICES");
    bool uuids = at && g_str_has_prefix(at, GPU_PREFIX);
    unsigned n = 0, seen = 0;

    for (unsigned i = 0; !at && i < soc_profile_gpus(board); i++) {
        order[n++] = i;
    }
    while (at && *at) {
        long i = word_find(board, &at, uuids);

        if (i < 0) {
            break;
        }
        if (seen >> i & 1) {
            if (twice) {
                *twice = uuids;
            }
            return 0;
        }
        seen |= 1u << i;
        order[n++] = (unsigned)i;
    }
    return n;
}

int devices_visible_ordinal(const struct soc_profile *board, bool discrete)
{
    unsigned order[2], n = devices_visible(board, order, NULL);

    for (unsigned i = 0; i < n; i++) {
        if (soc_profile_gpus(board) < 2 || discrete == (order[i] == 0)) {
            return (int)i;
        }
    }
    return -1;
}

CUresult devices_none(const struct soc_profile *board)
{
    unsigned order[2];
    bool twice = false;

    devices_visible(board, order, &twice);
    return twice ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NO_DEVICE;
}
