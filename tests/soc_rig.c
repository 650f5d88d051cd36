/* SPDX-License-Identifier: MIT */
#include "tests/soc_rig.h"

#include <stdlib.h>
#include <string.h>

#define PDB RIG_KERNEL
#define GPFIFO (RIG_KERNEL + 40 * RIG_PAGE)
#define USERD (RIG_KERNEL + 41 * RIG_PAGE)
#define ERROR (RIG_KERNEL + 42 * RIG_PAGE)
#define PUSH (RIG_KERNEL + 44 * RIG_PAGE)
#define PUSH_BYTES (8 * RIG_PAGE)
#define QMD (RIG_KERNEL + 43 * RIG_PAGE)
#define CODE (RIG_KERNEL + 52 * RIG_PAGE)
#define ENTRIES 64u

static void sink(void *opaque, const struct trace_record *r)
{
    struct rig *rig = opaque;

    rig->seen[r->event]++;
    if (r->event == TRACE_EVENT_SUM_READ) {
        rig->read_bytes += r->arg[0];
        rig->read_l2 += r->arg[2] + r->arg[3];
    }
}

static void profile_fill(struct soc_profile *p, bool io_coherent)
{
    memset(p, 0, sizeof(*p));
    strcpy(p->soc.name, "rig");
    strcpy(p->soc.chip, "t234");
    p->soc.io_coherent = io_coherent;
    p->cpu.cache_bytes = 65536;
    p->cpu.cache_ways = 4;
    p->memory.bandwidth_mb_s = 1000;
    p->timing.dram_permille = p->timing.gpu_permille = p->timing.managed_permille = 1000;
    p->timing.pinned_permille = p->timing.pageable_permille = p->timing.copy_permille = 1000;
    p->timing.l2_sm_bytes = 64;
    p->gpu.cc_major = 8;
    p->gpu.cc_minor = 7;
    p->gpu.sm_count = 2;
    p->gpu.cores_per_sm = 128;
    p->gpu.clock_khz = 1000000;
    p->gpu.l2_bytes = 4096;
    p->gpu.l2_ways = 4;
    p->gpu.warp_threads = 32;
    p->gpu.block_threads_max = 1024;
    p->gpu.block_dim_max_x = p->gpu.block_dim_max_y = 1024;
    p->gpu.block_dim_max_z = 64;
    p->gpu.grid_dim_max_x = 2147483647;
    p->gpu.grid_dim_max_y = p->gpu.grid_dim_max_z = 65535;
    p->gpu.sm_smem_bytes = 65536;
    p->host1x.syncpts = 64;
    p->rules.system_atomics = io_coherent;
}

static uint8_t *kernel_at(struct rig *rig, uint64_t pa)
{
    return rig->kernel + (pa - RIG_KERNEL);
}

/* The table that entry @index of @table points to, made if need be. PDE0 entries are 16 bytes. */
static uint64_t table_below(struct rig *rig, uint64_t table, unsigned index, unsigned entry_bytes)
{
    uint64_t *pde = (uint64_t *)(kernel_at(rig, table) + index * entry_bytes + entry_bytes - 8);

    if (*pde == 0) {
        *pde = GMMU_PDE(rig->tables);
        rig->tables += GMMU_TABLE_BYTES;
    }
    return GMMU_PDE_ADDRESS(*pde);
}

static void map(struct rig *rig, uint64_t va, uint64_t pa, uint64_t len, uint64_t bits)
{
    for (uint64_t off = 0; off < len; off += RIG_PAGE) {
        uint64_t v = va + off, t = PDB;

        t = table_below(rig, t, v >> 47 & 3, 8);
        t = table_below(rig, t, v >> 38 & 0x1ff, 8);
        t = table_below(rig, t, v >> 29 & 0x1ff, 8);
        t = table_below(rig, t, v >> 21 & 0xff, 16);
        ((uint64_t *)kernel_at(rig, t))[v >> 12 & 0x1ff] =
            GMMU_PTE(pa + off) | GMMU_PTE_APERTURE_SYS_COHERENT | bits;
    }
}

static void igpu_write(struct rig *rig, uint64_t offset, uint32_t value)
{
    if (soc_mmio_write32(rig->soc, rig->igpu + offset, value) != 0) {
        abort();
    }
}

static void chan_write64(struct rig *rig, unsigned reg, uint64_t value)
{
    igpu_write(rig, IGPU_CHAN_BASE + reg, (uint32_t)value);
    igpu_write(rig, IGPU_CHAN_BASE + reg + 4, (uint32_t)(value >> 32));
}

static uint8_t *memory(size_t bytes)
{
    uint8_t *m = aligned_alloc(RIG_PAGE, bytes);

    memset(m, 0, bytes);
    return m;
}

static void soc_build(struct rig *rig, enum evict evict, uint64_t seed, uint64_t slice)
{
    rig->soc = soc_new(&(struct soc_config){
        .profile = &rig->profile, .evict = evict, .seed = seed, .slice = slice });
    soc_observe(rig->soc, TRACE_ALL, sink, rig);
    rig->igpu = soc_unit_base(rig->soc, UNIT_IGPU, NULL);
    rig->host1x = soc_unit_base(rig->soc, UNIT_HOST1X, NULL);
    rig->kernel = memory(RIG_KERNEL_BYTES);
    rig->dram = memory(RIG_DATA_BYTES);
    rig->view = memory(RIG_DATA_BYTES);
    rig->uncached = memory(RIG_DATA_BYTES);
    soc_memory_add(rig->soc, 1, RIG_KERNEL, RIG_KERNEL_BYTES, rig->kernel, NULL, false);
    soc_memory_add(rig->soc, 2, RIG_CACHED, RIG_DATA_BYTES, rig->dram, rig->view, false);
    soc_memory_add(rig->soc, 3, RIG_UNCACHED, RIG_DATA_BYTES, rig->uncached, NULL, false);
    rig->tables = PDB + RIG_PAGE;
    map(rig, RIG_VA, RIG_CACHED, RIG_DATA_BYTES, 0);
    map(rig, RIG_VA_VOLATILE, RIG_UNCACHED, RIG_DATA_BYTES, GMMU_PTE_VOL);
    map(rig, RIG_VA_PINNED, RIG_CACHED, RIG_DATA_BYTES, GMMU_PTE_VOL);
    map(rig, RIG_VA_READ_ONLY, RIG_CACHED, RIG_DATA_BYTES, GMMU_PTE_READ_ONLY);
    map(rig, RIG_VA_DEVICE, RIG_UNCACHED, RIG_DATA_BYTES, 0);
    map(rig, RIG_VA_KERNEL, RIG_KERNEL, RIG_KERNEL_BYTES, GMMU_PTE_VOL);
    chan_write64(rig, CHAN_PDB_LO, PDB);
    chan_write64(rig, CHAN_GPFIFO_LO, GPFIFO);
    chan_write64(rig, CHAN_USERD_LO, USERD);
    chan_write64(rig, CHAN_ERROR_LO, ERROR);
    igpu_write(rig, IGPU_CHAN_BASE + CHAN_GPFIFO_ENTRIES, ENTRIES);
    igpu_write(rig, IGPU_CHAN_BASE + CHAN_CTRL, 1);
}

void rig_open(struct rig *rig, bool io_coherent)
{
    memset(rig, 0, sizeof(*rig));
    profile_fill(&rig->profile, io_coherent);
    soc_build(rig, EVICT_LRU, 0, 0);
}

void rig_open_sliced(struct rig *rig, uint64_t slice)
{
    memset(rig, 0, sizeof(*rig));
    profile_fill(&rig->profile, true);
    soc_build(rig, EVICT_LRU, 0, slice);
}

void rig_open_two_way(struct rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    profile_fill(&rig->profile, true);
    rig->profile.rules.cpu_snoops_l2 = true;
    rig->profile.gpu.pageable_uses_host_page_tables = true;
    soc_build(rig, EVICT_LRU, 0, 0);
}

void rig_open_profile(struct rig *rig, const struct soc_profile *profile, enum evict evict,
                      uint64_t seed)
{
    memset(rig, 0, sizeof(*rig));
    rig->profile = *profile;
    rig->profile.gpu.l2_bytes = 4096;
    rig->profile.gpu.l2_ways = 4;
    soc_build(rig, evict, seed, 0);
}

void rig_launch(struct rig *rig, struct qmd *q, const char *text, const uint64_t *param, unsigned n)
{
    size_t len = strlen(text);

    if (len > RIG_KERNEL_BYTES - (CODE - RIG_KERNEL) || n * sizeof(*param) > RIG_PAGE / 2) {
        abort();
    }
    memcpy(kernel_at(rig, CODE), text, len);
    memcpy(kernel_at(rig, QMD + RIG_PAGE / 2), param, n * sizeof(*param));
    q->version = QMD_VERSION;
    q->code_va = RIG_VA_KERNEL + (CODE - RIG_KERNEL);
    q->code_size = len;
    q->param_va = RIG_VA_KERNEL + (QMD + RIG_PAGE / 2 - RIG_KERNEL);
    q->param_size = (uint32_t)(n * sizeof(*param));
    memcpy(kernel_at(rig, QMD), q, sizeof(*q));
    rig_method(rig, SUBCH_COMPUTE, COMPUTE_SEND_PCAS_A, QMD >> 8);
    rig_method(rig, SUBCH_COMPUTE, COMPUTE_SEND_SIGNALING_PCAS_B, PCAS_B_SCHEDULE);
    rig_submit(rig);
}

void rig_close(struct rig *rig)
{
    soc_free(rig->soc);
    free(rig->kernel);
    free(rig->dram);
    free(rig->view);
    free(rig->uncached);
}

void rig_method(struct rig *rig, unsigned subch, unsigned method, uint32_t data)
{
    rig->pb[rig->pb_words++] = PB_HEADER(PB_INC, subch, method, 1);
    rig->pb[rig->pb_words++] = data;
}

void rig_put(struct rig *rig)
{
    uint64_t at = PUSH + rig->put % 8 * (PUSH_BYTES / 8);
    uint32_t *entry = (uint32_t *)kernel_at(rig, GPFIFO + rig->put * 8);

    memcpy(kernel_at(rig, at), rig->pb, rig->pb_words * 4);
    entry[0] = GP_ENTRY0(at);
    entry[1] = GP_ENTRY1(at, rig->pb_words);
    rig->pb_words = 0;
    rig->put = (rig->put + 1) % ENTRIES;
    memcpy(kernel_at(rig, USERD + USERD_GP_PUT), &rig->put, 4);
}

void rig_ring(struct rig *rig)
{
    igpu_write(rig, IGPU_USERMODE_NOTIFY_CHANNEL_PENDING, 0);
}

void rig_submit(struct rig *rig)
{
    rig_put(rig);
    rig_ring(rig);
}

void rig_run(struct rig *rig)
{
    for (unsigned i = 0; i < 1000 && soc_step(rig->soc, 1000) == SOC_PROGRESS; i++) {
    }
}

void rig_copy(struct rig *rig, uint64_t dst, uint64_t src, uint32_t bytes)
{
    rig_method(rig, SUBCH_COPY, CE_OFFSET_IN_UPPER, (uint32_t)(src >> 32));
    rig_method(rig, SUBCH_COPY, CE_OFFSET_IN_LOWER, (uint32_t)src);
    rig_method(rig, SUBCH_COPY, CE_OFFSET_OUT_UPPER, (uint32_t)(dst >> 32));
    rig_method(rig, SUBCH_COPY, CE_OFFSET_OUT_LOWER, (uint32_t)dst);
    rig_method(rig, SUBCH_COPY, CE_LINE_LENGTH_IN, bytes);
    rig_method(rig, SUBCH_COPY, CE_LAUNCH_DMA,
               CE_LAUNCH_TRANSFER_NON_PIPELINED | CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH);
}

uint32_t rig_syncpt(struct rig *rig, unsigned id)
{
    uint32_t value;

    if (soc_mmio_read32(rig->soc, rig->host1x + HOST1X_SYNCPT + id * 4, &value) != 0) {
        abort();
    }
    return value;
}

struct chan_error rig_error(struct rig *rig)
{
    struct chan_error e;

    memcpy(&e, kernel_at(rig, ERROR), sizeof(e));
    return e;
}
