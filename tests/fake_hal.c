/* SPDX-License-Identifier: MIT */
#include "fake_hal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/hal/claims.h"
#include "tests/hal_leases.h"

#define CHANNELS 512
#define SYNCPTS 1024

struct block {
    struct hal_mem mem;
    uint8_t *dram; /* the same pages, always readable: what devices see */
    enum hal_prot prot;
};

struct channel {
    uint32_t reg[CHAN_WINDOW / 4];
    uint32_t get; /* GPFIFO */
    uint32_t at;  /* word of the current segment */
    bool waiting, on_memory;
    uint32_t wait_id, wait_threshold, syncpt_payload;
    uint32_t sem[4], ce[0x800 / 4], pcas;
    uint64_t sem_wait_va, sem_wait_value;
    uint32_t sem_wait_op;
    bool dead;
};

struct hal {
    struct hal_config config;
    GPtrArray *blocks;
    struct claims claims;
    uint32_t next_id;
    uint64_t next_bus, time_ns;
    uint32_t syncpt[SYNCPTS];
    struct channel channel[CHANNELS];
    uint32_t intr, intr_channel;
};

static struct hal *the_hal;
GString *fake_log;
fake_kernel *fake_kernel_run;
int fake_alloc_budget = -1, fake_lost_after = -1;

static void G_GNUC_PRINTF(1, 2) note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_string_append_vprintf(fake_log, format, args);
    g_string_append_c(fake_log, '\n');
    va_end(args);
}

void fake_log_clear(void)
{
    g_string_truncate(fake_log, 0);
}

struct hal *hal_open(const struct hal_config *config)
{
    struct hal *h = g_new0(struct hal, 1);

    h->config = *config;
    h->blocks = g_ptr_array_new();
    claims_init(&h->claims, config->profile->host1x.syncpts, soc_profile_gpus(config->profile));
    h->next_id = 1;
    h->next_bus = 0x80000000;
    h->intr_channel = UINT32_MAX;
    fake_log = g_string_new(NULL);
    the_hal = h;
    return h;
}

void hal_close(struct hal *h)
{
    claims_clear(&h->claims);
    g_free(h);
}

const struct soc_profile *hal_profile(const struct hal *h)
{
    return h->config.profile;
}

int hal_claim(struct hal *h, enum hal_claim what, uint32_t *index)
{
    return claims_take(&h->claims, what, index);
}

void hal_release(struct hal *h, enum hal_claim what, uint32_t index)
{
    claims_give(&h->claims, what, index);
}

/* It is this process's alone. */
bool hal_shared_board(const struct hal *h, uint64_t *board, uint32_t *process)
{
    (void)h, (void)board, (void)process;
    return false;
}

int hal_export(struct hal *h, const struct hal_pass *pass, uint64_t token[2])
{
    (void)h, (void)pass, (void)token;
    return -ENOTSUP;
}

void hal_unexport(struct hal *h, const uint64_t token[2])
{
    (void)h, (void)token;
}

int hal_import(struct hal *h, const uint64_t token[2], uint32_t least, struct hal_pass *out)
{
    (void)h, (void)token, (void)least, (void)out;
    return -ENOTSUP;
}

bool hal_lost(const struct hal *h)
{
    (void)h;
    return fake_lost_after == 0;
}

/* One access; does it find the board gone? */
static bool is_lost(void)
{
    fake_lost_after -= fake_lost_after > 0;
    return fake_lost_after == 0;
}

/* --- memory ----------------------------------------------------------------------------------- */

static struct block *block_at(const void *cpu)
{
    for (guint i = 0; i < the_hal->blocks->len; i++) {
        struct block *b = g_ptr_array_index(the_hal->blocks, i);

        if ((uintptr_t)cpu - (uintptr_t)b->mem.cpu < b->mem.size) {
            return b;
        }
    }
    return NULL;
}

static uint8_t *bus_at(uint64_t bus)
{
    for (guint i = 0; i < the_hal->blocks->len; i++) {
        struct block *b = g_ptr_array_index(the_hal->blocks, i);

        if (bus - b->mem.bus < b->mem.size) {
            return b->dram + (bus - b->mem.bus);
        }
    }
    return NULL;
}

static void block_add(struct block *b, enum hal_mem_kind kind, size_t size, struct hal_mem *out)
{
    b->mem.size = size;
    b->mem.kind = kind;
    b->mem.id = the_hal->next_id++;
    b->mem.bus = the_hal->next_bus;
    b->mem.cpu_cached = kind == HAL_MEM_MANAGED || kind == HAL_MEM_SHARED ||
                        (kind == HAL_MEM_PINNED && the_hal->config.profile->soc.io_coherent);
    b->prot = HAL_PROT_WRITE;
    the_hal->next_bus += size + HAL_PAGE;
    g_ptr_array_add(the_hal->blocks, b);
    *out = b->mem;
}

int hal_mem_alloc(struct hal *h, enum hal_mem_kind kind, size_t size, size_t align, void *at,
                  struct hal_mem *out)
{
    struct block *b;
    int fd;

    if (is_lost()) {
        return -ENOMEM;
    }
    (void)h;
    (void)align;
    if (fake_alloc_budget == 0) {
        return -ENOMEM;
    }
    fake_alloc_budget -= fake_alloc_budget > 0;
    size = (size + HAL_PAGE - 1) & ~(size_t)(HAL_PAGE - 1);
    fd = memfd_create("fake", 0);
    if (ftruncate(fd, (off_t)size)) {
        return -ENOMEM;
    }
    b = g_new0(struct block, 1);
    b->dram = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    b->mem.cpu = mmap(at, size, kind == HAL_MEM_DEVICE ? PROT_NONE : PROT_READ | PROT_WRITE,
                      MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
    close(fd);
    block_add(b, kind, size, out);
    return 0;
}

void hal_mem_free(struct hal *h, const struct hal_mem *mem)
{
    struct block *b = block_at(mem->cpu);

    g_ptr_array_remove(h->blocks, b);
    munmap(b->dram, b->mem.size);
    mmap(b->mem.cpu, b->mem.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    g_free(b);
}

int hal_mem_register(struct hal *h, void *cpu, size_t size, struct hal_mem *out)
{
    struct block *b;

    if (!h->config.profile->soc.io_coherent) {
        return -ENOTSUP;
    }
    b = g_new0(struct block, 1);
    b->dram = b->mem.cpu = cpu;
    b->mem.registered = true;
    block_add(b, HAL_MEM_PINNED, size, out);
    return 0;
}

bool hal_mem_lost(struct hal *h, const void *cpu)
{
    (void)h;
    (void)cpu;
    return false; /* nothing runs here */
}

int hal_process_pages(struct hal *h, uint32_t *id)
{
    (void)h;
    (void)id;
    return -ENOTSUP;
}

void hal_mem_unregister(struct hal *h, const struct hal_mem *mem)
{
    struct block *b = block_at(mem->cpu);

    g_ptr_array_remove(h->blocks, b);
    g_free(b);
}

void *hal_va_reserve(struct hal *h, size_t size, size_t align, void *hint)
{
    if (is_lost()) {
        return NULL;
    }
    (void)h;
    (void)align;
    (void)hint;
    return mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void hal_va_release(struct hal *h, void *va, size_t size)
{
    (void)h;
    munmap(va, size);
}

bool hal_mem_adopt(struct hal *h, const struct hal_mem *mem, size_t offset, size_t len)
{
    (void)h;
    (void)mem;
    (void)offset;
    (void)len;
    return false;
}

void *hal_mem_alias(struct hal *h, const struct hal_mem *mem)
{
    (void)h;
    (void)mem;
    return NULL;
}

int hal_mem_protect(struct hal *h, const struct hal_mem *mem, size_t offset, size_t len,
                    enum hal_prot prot)
{
    static const char *const names[] = { "none", "read", "write" };

    (void)h;
    (void)offset;
    (void)len;
    block_at(mem->cpu)->prot = prot;
    note("protect %u %s", mem->id, names[prot]);
    return 0;
}

enum hal_prot fake_prot(const void *cpu)
{
    return block_at(cpu)->prot;
}

bool hal_mem_find(struct hal *h, const void *cpu, struct hal_mem *out)
{
    struct block *b = h ? block_at(cpu) : NULL;

    if (b) {
        *out = b->mem;
    }
    return b != NULL;
}

int64_t hal_cpu_clean(struct hal *h, const void *cpu, size_t len)
{
    if (is_lost()) {
        return -EIO;
    }
    (void)h;
    note("cpu_clean %u", block_at(cpu)->mem.id);
    return (int64_t)len;
}

int64_t hal_cpu_clean_invalidate(struct hal *h, const void *cpu, size_t len)
{
    if (is_lost()) {
        return -EIO;
    }
    (void)h;
    note("cpu_clean_invalidate %u", block_at(cpu)->mem.id);
    return (int64_t)len;
}

int64_t hal_cpu_invalidate(struct hal *h, const void *cpu, size_t len)
{
    if (is_lost()) {
        return -EIO;
    }
    (void)h;
    note("cpu_invalidate %u", block_at(cpu)->mem.id);
    return (int64_t)len;
}

void hal_cpu_access(struct hal *h, const void *cpu, size_t len, enum access_kind access)
{
    (void)h;
    (void)cpu;
    (void)len;
    (void)access;
}

/* --- address translation, from the published format and not from model/regs/gmmu.h ------------ */

static uint64_t entry_read(uint64_t table, unsigned index, unsigned stride, unsigned half)
{
    const uint8_t *p = bus_at(table + (uint64_t)index * stride + half);
    uint64_t e = 0;

    if (p) {
        memcpy(&e, p, 8);
    }
    return e;
}

static bool pde(uint64_t e, uint64_t *next)
{
    *next = (e >> 8 & ((UINT64_C(1) << 46) - 1)) << 12;
    return (e >> 1 & 3) == 2; /* aperture: system memory, coherent */
}

uint8_t *fake_gpu(uint32_t context, uint64_t va, uint64_t *pte)
{
    uint64_t table = 0, e;

    for (unsigned i = 0; i < CHANNELS && !table; i++) {
        const uint32_t *reg = the_hal->channel[i].reg;

        if (reg[CHAN_CTRL / 4] && reg[CHAN_CONTEXT / 4] == context) {
            table = (uint64_t)reg[CHAN_PDB_HI / 4] << 32 | reg[CHAN_PDB_LO / 4];
        }
    }
    if (!table || !pde(entry_read(table, va >> 47 & 3, 8, 0), &table) ||
        !pde(entry_read(table, va >> 38 & 511, 8, 0), &table) ||
        !pde(entry_read(table, va >> 29 & 511, 8, 0), &table) ||
        !pde(entry_read(table, va >> 21 & 255, 16, 8), &table)) {
        return NULL;
    }
    e = entry_read(table, va >> 12 & 511, 8, 0);
    if (pte) {
        *pte = e;
    }
    return e & 1 ? bus_at(((e >> 8 & ((UINT64_C(1) << 46) - 1)) << 12) + (va & 0xfff)) : NULL;
}

/* --- channels --------------------------------------------------------------------------------- */

static uint64_t reg64(const struct channel *c, unsigned lo)
{
    return (uint64_t)c->reg[lo / 4 + 1] << 32 | c->reg[lo / 4];
}

static void die(struct channel *c, struct chan_error *e)
{
    uint32_t index = (uint32_t)(c - the_hal->channel);

    e->channel = index;
    memcpy(bus_at(reg64(c, CHAN_ERROR_LO)), e, sizeof(*e));
    c->dead = true;
    the_hal->intr = 1;
    the_hal->intr_channel = index;
}

/* Byte by byte, so that page borders need no care. Return: false after the channel has died. */
static bool move(struct channel *c, uint64_t va, uint8_t *bytes, size_t n, bool write)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t *p = fake_gpu(c->reg[CHAN_CONTEXT / 4], va + i, NULL);

        if (!p) {
            die(c, &(struct chan_error){ .kind = CHAN_ERROR_MMU, .va = va + i, .write = write });
            return false;
        }
        if (write) {
            *p = bytes[i];
        } else {
            bytes[i] = *p;
        }
    }
    return true;
}

static void launch_dma(struct channel *c, uint32_t how)
{
    const uint32_t *r = c->ce;
    uint64_t in = (uint64_t)r[CE_OFFSET_IN_UPPER / 4] << 32 | r[CE_OFFSET_IN_LOWER / 4];
    uint64_t out = (uint64_t)r[CE_OFFSET_OUT_UPPER / 4] << 32 | r[CE_OFFSET_OUT_LOWER / 4];
    uint32_t lines = how & CE_LAUNCH_MULTI_LINE ? r[CE_LINE_COUNT / 4] : 1;
    uint32_t element = (r[CE_SET_REMAP_COMPONENTS / 4] >> 16 & 3) + 1;
    uint32_t width = r[CE_LINE_LENGTH_IN / 4] * (how & CE_LAUNCH_REMAP ? element : 1);
    g_autofree uint8_t *line = g_malloc(width);

    note("%s %u", how & CE_LAUNCH_REMAP ? "fill" : "copy", width * lines);
    for (uint32_t y = 0; y < lines && !c->dead; y++) {
        if (how & CE_LAUNCH_REMAP) {
            for (uint32_t x = 0; x < width; x++) {
                line[x] = (uint8_t)(r[CE_SET_REMAP_CONST_A / 4] >> x % element * 8);
            }
        } else if (!move(c, in + (uint64_t)y * r[CE_PITCH_IN / 4], line, width, false)) {
            return;
        }
        move(c, out + (uint64_t)y * r[CE_PITCH_OUT / 4], line, width, true);
    }
}

static void launch_grid(struct channel *c)
{
    struct chan_error e = { 0 };
    struct qmd qmd;
    uint64_t bus = (uint64_t)c->pcas << 8;
    g_autofree uint8_t *params = NULL;

    memcpy(&qmd, bus_at(bus), sizeof(qmd));
    params = g_malloc0(qmd.param_size + 1);
    if (!move(c, qmd.param_va, params, qmd.param_size, false)) {
        return;
    }
    note("launch %u", qmd.grid_id);
    e.kind = fake_kernel_run ? (uint32_t)fake_kernel_run(&qmd, params, &e) : 0;
    if (e.kind) {
        e.qmd = bus;
        die(c, &e);
    }
}

static void semaphore(struct channel *c, uint32_t execute)
{
    uint64_t va = (uint64_t)c->sem[1] << 32 | c->sem[0];
    uint64_t out[2] = { (uint64_t)c->sem[3] << 32 | c->sem[2], ++the_hal->time_ns };

    if ((execute & 7) == SEM_OP_RELEASE) {
        move(c, va, (uint8_t *)out,
             execute & SEM_EXECUTE_TIMESTAMP    ? 16
             : execute & SEM_EXECUTE_PAYLOAD_64 ? 8
                                                : 4,
             true);
        return;
    }
    c->waiting = c->on_memory = true;
    c->sem_wait_va = va;
    c->sem_wait_value = out[0];
    c->sem_wait_op = execute;
}

static void method(struct channel *c, uint32_t sub, uint32_t m, uint32_t data)
{
    if (m >= HOST_SEM_ADDR_LO && m <= HOST_SEM_PAYLOAD_HI) {
        c->sem[(m - HOST_SEM_ADDR_LO) / 4] = data;
    } else if (m == HOST_SEM_EXECUTE) {
        semaphore(c, data);
    } else if (m == HOST_SYNCPOINTA) {
        c->syncpt_payload = data;
    } else if (m == HOST_SYNCPOINTB && (data & 1)) {
        the_hal->syncpt[data >> 8 & 0xfff]++;
    } else if (m == HOST_SYNCPOINTB) {
        c->waiting = true;
        c->on_memory = false;
        c->wait_id = data >> 8 & 0xfff;
        c->wait_threshold = c->syncpt_payload;
    } else if (m == HOST_MEM_OP_D) {
        note("%s", data >> 27 == 0x10  ? "l2_clean"
                   : data >> 27 == 0xe ? "l2_invalidate"
                                       : "mem_op?");
    } else if (sub == SUBCH_COPY && m >= 0x100) {
        if (m == CE_LAUNCH_DMA) {
            launch_dma(c, data);
        } else {
            c->ce[m / 4] = data;
        }
    } else if (sub == SUBCH_COMPUTE && m == COMPUTE_SEND_PCAS_A) {
        c->pcas = data;
    } else if (sub == SUBCH_COMPUTE && m == COMPUTE_SEND_SIGNALING_PCAS_B) {
        launch_grid(c);
    }
}

static bool wait_over(struct channel *c)
{
    uint64_t value = 0;
    bool wide = c->sem_wait_op & SEM_EXECUTE_PAYLOAD_64;

    if (!c->on_memory) {
        return (int32_t)(the_hal->syncpt[c->wait_id] - c->wait_threshold) >= 0;
    }
    move(c, c->sem_wait_va, (uint8_t *)&value, wide ? 8 : 4, false);
    return (c->sem_wait_op & 7) == SEM_OP_ACQUIRE ? value == c->sem_wait_value
                                                  : (int64_t)(value - c->sem_wait_value) >= 0;
}

/* One segment, or as far as it goes. Return: something moved. */
static bool run(struct channel *c)
{
    uint32_t put, entry[2], words;
    const uint32_t *w;

    if (!c->reg[CHAN_CTRL / 4] || c->dead) {
        return false;
    }
    if (c->waiting) {
        if (!wait_over(c)) {
            return false;
        }
        c->waiting = false;
    }
    memcpy(&put, bus_at(reg64(c, CHAN_USERD_LO) + USERD_GP_PUT), 4);
    if (put == c->get) {
        return false;
    }
    memcpy(entry, bus_at(reg64(c, CHAN_GPFIFO_LO) + c->get * 8ull), 8);
    w = (const uint32_t *)bus_at((uint64_t)(entry[1] & 0xff) << 32 | entry[0]);
    words = entry[1] >> 10 & 0x1fffff;
    while (c->at < words && !c->waiting && !c->dead) {
        uint32_t header = w[c->at++], n = header >> 16 & 0x1fff;

        for (uint32_t i = 0; i < n; i++) {
            method(c, header >> 13 & 7, ((header & 0xfff) << 2) + i * 4, w[c->at++]);
        }
    }
    if (c->at == words && !c->waiting && !c->dead) {
        c->at = 0;
        c->get = (c->get + 1) % c->reg[CHAN_GPFIFO_ENTRIES / 4];
        memcpy(bus_at(reg64(c, CHAN_USERD_LO) + USERD_GP_GET), &c->get, 4);
    }
    return true;
}

unsigned fake_channels_enabled(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < CHANNELS; i++) {
        n += the_hal->channel[i].reg[CHAN_CTRL / 4];
    }
    return n;
}

/* --- registers, time -------------------------------------------------------------------------- */

static uint32_t status_of(const struct channel *c)
{
    return c->dead ? CHAN_DEAD : c->waiting ? CHAN_WAITING : CHAN_IDLE;
}

uint32_t hal_read32(struct hal *h, enum unit_id unit, uint32_t offset)
{
    if (is_lost()) {
        return 0;
    }
    if (unit == UNIT_HOST1X) {
        return h->syncpt[(offset - 0x8080) / 4];
    }
    if (offset >= IGPU_CHAN_BASE) {
        const struct channel *c = &h->channel[(offset - IGPU_CHAN_BASE) / CHAN_WINDOW];
        uint32_t word = offset % CHAN_WINDOW;

        return word == CHAN_STATUS ? status_of(c) : c->reg[word / 4];
    }
    return offset == IGPU_INTR ? h->intr : offset == IGPU_INTR_CHANNEL ? h->intr_channel : 0;
}

static void window_write(struct channel *c, uint32_t word, uint32_t value)
{
    uint32_t reg[CHAN_WINDOW / 4];

    c->reg[word / 4] = value;
    if (word == CHAN_CTRL) {
        memcpy(reg, c->reg, sizeof(reg));
        memset(c, 0, sizeof(*c));
        memcpy(c->reg, reg, sizeof(reg));
    }
}

void hal_write32(struct hal *h, enum unit_id unit, uint32_t offset, uint32_t value)
{
    if (is_lost()) {
        return;
    }
    if (unit == UNIT_HOST1X) {
        for (unsigned i = 0; i < 32; i++) {
            h->syncpt[(offset - 0x6400) / 4 * 32 + i] += value >> i & 1;
        }
    } else if (offset >= IGPU_CHAN_BASE) {
        window_write(&h->channel[(offset - IGPU_CHAN_BASE) / CHAN_WINDOW], offset % CHAN_WINDOW,
                     value);
    } else if (offset == IGPU_INTR) {
        h->intr = 0;
        h->intr_channel = UINT32_MAX;
    } else if (offset == 0x70010) {
        note("l2_clean");
    } else if (offset == 0x70004) {
        note("l2_invalidate");
    } else if (offset == 0x100cbc) {
        note("mmu_invalidate");
    }
}

static bool step(struct hal *h)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        if (run(&h->channel[i])) {
            return true;
        }
    }
    return false;
}

static bool on_memory(const struct hal *h)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        if (h->channel[i].waiting && h->channel[i].on_memory) {
            return true;
        }
    }
    return false;
}

int hal_wait(struct hal *h, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps)
{
    if (is_lost()) {
        return -EIO;
    }
    (void)timeout_steps;
    for (;;) {
        if (h->intr) {
            return -EIO;
        }
        if ((int32_t)(h->syncpt[syncpt] - threshold) >= 0) {
            return 0;
        }
        if (!step(h)) {
            return on_memory(h) ? -EAGAIN : -EDEADLK;
        }
    }
}

void hal_interrupt(struct hal *h, bool on)
{
    (void)h;
    (void)on;
}

bool hal_poll(struct hal *h, bool must_progress)
{
    if (is_lost()) {
        return false;
    }
    return must_progress && step(h);
}

uint64_t hal_time_ns(struct hal *h)
{
    return h->time_ns;
}

void hal_time_advance(struct hal *h, int64_t ns)
{
    h->time_ns += ns;
}

void hal_spare(struct hal *h, const struct trace_spare *spare)
{
    (void)h;
    (void)spare;
}

void hal_observe(struct hal *h, unsigned mask, trace_sink *sink, void *opaque)
{
    (void)h;
    (void)mask;
    (void)sink;
    (void)opaque;
}

bool hal_given(struct hal_given *out)
{
    (void)out;
    return false;
}

bool hal_line_state(struct hal *h, const void *cpu, struct hal_line *out)
{
    (void)h;
    (void)cpu;
    (void)out;
    return false;
}

uint64_t hal_dirty_lines(struct hal *h, const void *cpu, uint64_t lines)
{
    (void)h, (void)cpu, (void)lines;
    return 0;
}

void hal_note(struct hal *h, enum hal_note what, uint64_t a, uint64_t b)
{
    (void)h, (void)what, (void)a, (void)b;
}

char *hal_dump(struct hal *h)
{
    (void)h;
    return g_strdup("");
}

/* Blocks lie wherever mmap() put them: the hooks are told of nothing. */
void hal_arena_bounds(struct hal *h, uint64_t *base, uint64_t *size)
{
    (void)h;
    *base = *size = 0;
}

/* --- no engine behind an SMMU
 * --------------------------------------------------------------------- */

int hal_iommu_map(struct hal *h, enum unit_id unit, const struct hal_mem *mem, size_t offset,
                  size_t len, enum hal_prot prot, uint64_t *iova)
{
    (void)h, (void)unit, (void)mem, (void)offset, (void)len, (void)prot, (void)iova;
    return -ENODEV;
}

void hal_iommu_unmap(struct hal *h, enum unit_id unit, uint64_t iova, size_t len)
{
    (void)h, (void)unit, (void)iova, (void)len;
}

int hal_iommu_syncpt(struct hal *h, enum unit_id unit, uint32_t syncpt, uint64_t *iova)
{
    (void)h, (void)unit, (void)syncpt, (void)iova;
    return -ENODEV;
}

bool hal_iommu_fault(struct hal *h, enum unit_id unit, struct hal_iommu_fault *out)
{
    (void)h, (void)unit, (void)out;
    return false;
}
