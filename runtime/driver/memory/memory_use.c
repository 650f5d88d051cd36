/* SPDX-License-Identifier: MIT */
#include "runtime/driver/memory/memory_use.h"

#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
#define STEP (64 * MIB)
/* At most what vtegra's own libraries have: parsed code and reports, and what the checker knows of
 * each allocation. The images of shared memory are files, so not among it. */
#define OWN(device) (64 * MIB + (device) / 5)

static struct {
    uint64_t total, host, rest, swap;
    uint64_t since; /* bytes allocated since the last measurement; 0: there was none */
    bool measured;
} use;

static bool mib_read(const char *name, uint64_t *bytes, bool *given)
{
    const char *text = getenv(name);
    guint64 mib = 0;

    *given = text && *text;
    if (*given && !g_ascii_string_to_unsigned(text, 10, 0, 1 << 20, &mib, NULL)) {
        return false;
    }
    *bytes = mib * MIB;
    return true;
}

const char *memory_use_configure(uint64_t total, bool seeded)
{
    const struct {
        const char *name;
        uint64_t *bytes;
    } inputs[] = { { "VTEGRA_REST_MIB", &use.rest },
                   { "VTEGRA_SWAP_MIB", &use.swap },
                   { "VTEGRA_HOST_MIB", &use.host } };
    bool given = false;

    use.total = total;
    for (size_t i = 0; i < G_N_ELEMENTS(inputs); i++) {
        if (!mib_read(inputs[i].name, inputs[i].bytes, &given)) {
            return inputs[i].name;
        }
    }
    use.measured = !given && !seeded; /* given: the last, the process's own */
#if defined(__SANITIZE_ADDRESS__)
    use.measured = false; /* its shadow is resident memory, too */
#endif
    return NULL;
}

/* Touched anonymous memory: /proc/self/statm, resident less shared. Not by stdio or open(), which
 * the program or our preloaded library may stand in front of. */
static uint64_t memory_use_anonymous(void)
{
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128] = { 0 }, *at = text;
    guint64 resident, shared;

    if (fd < 0 || read((int)fd, text, sizeof(text) - 1) <= 0) {
        text[0] = '\0';
    }
    if (fd >= 0) {
        close((int)fd);
    }
    g_ascii_strtoull(at, &at, 10);
    resident = g_ascii_strtoull(at, &at, 10);
    shared = g_ascii_strtoull(at, &at, 10);
    return resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void memory_use_figures(uint64_t device, uint64_t host, struct memory_figures *out)
{
    *out = (struct memory_figures){
        .total = use.total,
        .device = device,
        .host = host,
        .rest = use.rest,
        .swap_total = use.swap,
        .swap_free = use.swap,
    };
}

void memory_use_get(uint64_t device, struct memory_figures *out)
{
    if (use.measured) {
        uint64_t own = OWN(device), all = memory_use_anonymous();

        use.host = all > own ? (all - own) / STEP * STEP : 0;
        use.since = 0;
    }
    memory_use_figures(device, use.host, out);
}

bool memory_use_has(uint64_t device, uint64_t bytes)
{
    struct memory_figures now;

    if (use.since && bytes < MIB && use.since + bytes <= MIB) {
        memory_use_figures(device, use.host, &now);
        if (memory_allocatable(&now) >= STEP + bytes) {
            use.since += bytes;
            return true;
        }
    }
    memory_use_get(device, &now);
    use.since += bytes;
    return bytes <= memory_allocatable(&now);
}
