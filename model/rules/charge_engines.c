/* SPDX-License-Identifier: MIT */
/* The figures are those of the model's own clock: a signal and a wait are events, a clean of the
 * L2 writes what the GPU left dirty in it, and what was invalidated is read again from DRAM.
 *
 * Inferred: one change of hands a frame and direction; without NvSci the program copies the frame
 * out of the one engine's memory, waits, and the CPU moves it into the other's. */
#include "model/rules/charge_engines.h"

#define CPU_MOVES 2 /* a CPU that copies moves each byte over the memory bus twice */

static const struct {
    const char *text, *rule;
} ways[CHARGE_WAYS] = {
    [CHARGE_WAY_NVSCI] = { "NvSci",
                           "the engines share the buffer; a signal cleans the GPU's L2 and a wait "
                           "invalidates it (CUDA for Tegra, CUDA-NvSci)" },
    [CHARGE_WAY_SKIP] = { "NvSci with SKIP flags",
                          "no maintenance of the L2: only where no engine but the GPU uses the "
                          "buffer between the two calls (CUDA driver API, "
                          "cudaExternalSemaphoreSignalSkipNvSciBufMemSync)" },
    [CHARGE_WAY_COPIES] = { "copies",
                            "each engine has a buffer of its own, and the CPU waits for the copy "
                            "between them (CUDA-NvSci: what NvSci saves)" },
};

const char *charge_way_text(enum charge_way way)
{
    return ways[way].text;
}

const char *charge_way_rule(enum charge_way way, const struct soc_profile *p)
{
    if (way == CHARGE_WAY_SKIP && p->rules.cpu_snoops_l2) {
        return "no maintenance of the L2, and none is needed: CPU and GPU see each other's caches "
               "(CUDA for Tegra, Table 1)";
    }
    return ways[way].rule;
}

static double charge_bytes_ns(const struct soc_profile *p, double bytes, uint32_t permille)
{
    return bytes * 1e6 / ((double)p->memory.bandwidth_mb_s * permille);
}

static double charge_least(double a, double b)
{
    return a < b ? a : b;
}

/* Of a frame: what of it the L2 can hold, and a part of it that the GPU touches. */
static double charge_in_l2(const struct charge_shared *s, uint64_t bytes,
                           const struct soc_profile *p)
{
    double most = charge_least((double)s->size, (double)p->gpu.l2_bytes);

    return charge_least(most, (double)bytes / (double)(s->frames ? s->frames : 1));
}

static double charge_maintenance_ns(const struct charge_shared *s, const struct soc_profile *p)
{
    return charge_bytes_ns(p, charge_in_l2(s, s->gpu_written, p) + charge_in_l2(s, s->gpu_read, p),
                           p->timing.gpu_permille);
}

double charge_way_ns(const struct charge_shared *s, enum charge_way way,
                     const struct soc_profile *p)
{
    double calls = 2.0 * p->timing.event_ns, size = (double)s->size;

    switch (way) {
    case CHARGE_WAY_NVSCI:
        return calls + charge_maintenance_ns(s, p);
    case CHARGE_WAY_SKIP:
        return calls;
    default:
        return (double)p->timing.copy_ns + p->timing.sync_ns + p->timing.copy_sync_ns +
               charge_bytes_ns(p, size, p->timing.copy_permille) +
               charge_bytes_ns(p, size * CPU_MOVES, 1000);
    }
}
