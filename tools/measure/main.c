/* SPDX-License-Identifier: MIT */
/* The program that `vtegra measure` runs on the model or on silicon: prints the lines of a profile
 * (profiles/NAME.profile) that a driver answers or a clock shows, with the standing "measured", and
 * names those that need another source. With an argument, timings of the GPU and of the CPU are
 * taken: they are real ones on silicon alone. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/measure/measure.h"

#define NAME_TEXT(name) #name
#define NAME(name) NAME_TEXT(name) /* the versioned symbol */
#define FIGURES_MAX 256u
#define CPU_HIT_BYTES 8192u
#define CPU_MISS_BYTES (64u << 20)
#define CPU_LINE 64u
#define PINNED_BYTES (1u << 20)
#define L2_LINE 128u
#define FAR_BYTES_MIN (64u << 20)

struct driver drv;

static struct measured {
    const char *section, *key;
    char value[96], how[128];
} measured[FIGURES_MAX];
static unsigned n_measured;

static void measure_add(const char *section, const char *key, const char *value, const char *how)
{
    struct measured *m = &measured[n_measured];

    if (n_measured < FIGURES_MAX) {
        m->section = section;
        m->key = key;
        snprintf(m->value, sizeof(m->value), "%s", value);
        snprintf(m->how, sizeof(m->how), "%s", how);
        n_measured++;
    }
}

static void add_number(const char *section, const char *key, uint64_t value, const char *how)
{
    char text[32];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    measure_add(section, key, text, how);
}

/* A latency of 0 is none. */
static void add_time(const char *key, uint64_t value, const char *how)
{
    if (value) {
        add_number("timing", key, value, how);
    }
}

static bool driver_find(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *found;

    if (!lib) {
        fprintf(stderr, "vtegra measure: %s\n", dlerror());
        return false;
    }
#define DRIVER(name)                                                             \
    found = dlsym(lib, NAME(name));                                              \
    if (!found) {                                                                \
        fprintf(stderr, "vtegra measure: libcuda.so.1 has no %s\n", NAME(name)); \
        return false;                                                            \
    }                                                                            \
    memcpy(&drv.name, &found, sizeof(found));
#include "tools/measure/driver.def"
#undef DRIVER
    return true;
}

static bool context_make(void)
{
    CUcontext context;
    CUresult code = drv.cuInit(0);

    if (code == CUDA_SUCCESS) {
        code = drv.cuDevicePrimaryCtxRetain(&context, 0);
    }
    if (code == CUDA_SUCCESS) {
        code = drv.cuCtxSetCurrent(context);
    }
    if (code != CUDA_SUCCESS) {
        fprintf(stderr, "vtegra measure: no context on device 0: error %d\n", (int)code);
    }
    return code == CUDA_SUCCESS;
}

static void measure_attributes(void)
{
    static const struct {
        CUdevice_attribute attribute;
        const char *name, *section, *key;
    } figures[] = {
#define FIGURE(name, section, key) { CU_DEVICE_ATTRIBUTE_##name, #name, #section, #key },
#include "runtime/driver/device/figures.def"
#undef FIGURE
        { CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, "HOST_REGISTER_SUPPORTED", "gpu",
          "host_register_supported" },
    };

    for (unsigned i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        int value = 0;

        if (drv.cuDeviceGetAttribute(&value, figures[i].attribute, 0) == CUDA_SUCCESS &&
            value >= 0) {
            add_number(figures[i].section, figures[i].key, (uint64_t)value, figures[i].name);
        }
    }
}

/* MB/s, as a comment: the key is a part of the nominal bandwidth, which no Tegra's driver knows
 * (its memory clock is not the data rate). */
static void add_permille(const char *key, uint64_t mb_s, const char *how)
{
    char text[96];

    if (mb_s) {
        snprintf(text, sizeof(text), "%s: %llu MB/s; divide by bandwidth_mb_s of [memory]", how,
                 (unsigned long long)mb_s);
        measure_add("timing", key, "", text);
    }
}

static void measure_call_times(void)
{
    struct measure_calls c;
    struct measure_copies copies;

    measure_calls(&c);
    add_time("sync_ns", c.wait, "launch and wait, less the launch");
    add_time("event_ns", c.event, "cuEventRecord");
    add_time("alloc_ns", c.alloc, "cuMemAlloc and cuMemFree of 1 MiB, half");
    add_time("map_ns", c.map, "cuMemHostRegister and its end of 1 MiB, half");
    measure_copies(&copies);
    add_time("copy_ns", copies.start_ns, "events around a copy of 4 KiB");
    add_permille("copy_permille", copies.mb_s, "64 MiB, less 4 KiB");
}

static void measure_bandwidths(size_t bytes)
{
    add_permille("gpu_permille", measure_stream(MEASURE_DEVICE, bytes), "a kernel reads");
    add_permille("pinned_permille", measure_stream(MEASURE_PINNED, bytes), "a kernel reads");
    add_permille("managed_permille", measure_stream(MEASURE_MANAGED, bytes), "a kernel reads");
}

static void measure_unit(const char *key, const char *unit, const char *how)
{
    uint64_t lanes = measure_units(unit);

    if (lanes) {
        add_number("gpu", key, lanes, how);
    }
}

static void measure_timings(void)
{
    int l2 = 0, integrated = 0;
    size_t far;

    measure_call_times();

    drv.cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0);
    drv.cuDeviceGetAttribute(&integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 0);
    far = (size_t)l2 * 8 > FAR_BYTES_MIN ? (size_t)l2 * 8 : FAR_BYTES_MIN;
    add_time("gpu_l2_hit_cycles", measure_gpu_latency((size_t)l2 / 4, L2_LINE, true),
             "a chain of ld.global.cg in a quarter of L2");
    add_time("gpu_dram_cycles", measure_gpu_latency(far, L2_LINE, false),
             "a chain of ld.global.cg in 8 times L2");
    measure_bandwidths(far);
    measure_unit("sfu_per_sm", "sfu", "a kernel of ex2.approx.f32, of two lengths");
    measure_unit("ldst_per_sm", "ldst", "a kernel of ld.shared, of two lengths");
    if (measure_blocks()) {
        add_number("gpu", "block_cycles", measure_blocks(),
                   "launches of 2048 and 6144 empty blocks an SM");
    }
    if (integrated) { /* else the CPU is no Tegra's */
        add_time("cpu_hit_ps", measure_cpu_latency(CPU_HIT_BYTES, CPU_LINE, false),
                 "a chain of loads in 8 KiB");
        add_time("cpu_miss_ps", measure_cpu_latency(CPU_MISS_BYTES, CPU_LINE, false),
                 "a chain of loads in 64 MiB");
        add_time("cpu_uncached_ps", measure_cpu_latency(PINNED_BYTES, CPU_LINE, true),
                 "a chain of loads in pinned memory: it is uncached before cc 7.2 alone");
    }
}

static const struct measured *measure_find(const char *section, const char *key)
{
    for (unsigned i = 0; i < n_measured; i++) {
        if (strcmp(measured[i].section, section) == 0 && strcmp(measured[i].key, key) == 0) {
            return &measured[i];
        }
    }
    return NULL;
}

/* In the order of model/profile.def. */
static void measure_print(const char *device)
{
    static const struct {
        const char *section, *key;
    } keys[] = {
#define SECTION(section)
#define OPTIONAL_SECTION(section)
#define KEY(section, name, type, min, max, unit, text) { #section, #name },
#define SECTION_END(section)
#include "model/profile.def"
    };
    const char *section = "";

    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct measured *m = measure_find(keys[i].section, keys[i].key);

        if (strcmp(section, keys[i].section) != 0) {
            section = keys[i].section;
            printf("%s[%s]\n", i ? "\n" : "", section);
        }
        if (m && !m->value[0]) {
            printf("# %s: %s, on %s\n", m->key, m->how, device);
        } else if (m) {
            printf("%s = %s | measured | %s on %s\n", m->key, m->value, m->how, device);
        } else {
            printf("# %s: no driver answers it\n", keys[i].key);
        }
    }
}

int main(int argc, char **argv)
{
    char name[96] = "", device[160];
    int version = 0;
    size_t bytes = 0;

    (void)argv;
    if (!driver_find() || !context_make()) {
        return 1;
    }
    drv.cuDriverGetVersion(&version);
    drv.cuDeviceGetName(name, sizeof(name), 0);
    drv.cuDeviceTotalMem(&bytes, 0);
    snprintf(device, sizeof(device), "%s, CUDA %d.%d", name, version / 1000, version % 1000 / 10);
    measure_add("gpu", "name", name, "cuDeviceGetName");
    measure_attributes();
    add_time("submit_ns", measure_launch(), "events around 200 empty kernels");
    if (argc > 1) {
        measure_timings();
    }
    printf("# %s: what its driver answers and a clock shows. dram_bytes - carveout_bytes = %zu\n",
           device, bytes);
    measure_print(device);
    return 0;
}
