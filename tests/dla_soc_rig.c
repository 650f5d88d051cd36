/* SPDX-License-Identifier: MIT */
#include "tests/dla_soc_rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "profiles/profile.h"

static void sink(void *opaque, const struct trace_record *rec)
{
    struct drig *r = opaque;

    r->seen[rec->event]++;
    r->last[rec->event] = *rec;
}

/* Engines are those of the file, with their StreamIDs, so that a new one needs no line here; all
 * else is round numbers. */
static void profile_load_engines(struct soc_profile *p, const char *chip)
{
    static struct soc_profile *files[2]; /* read once: a fuzzer has thousands of rigs a second */
    const bool xavier = strcmp(chip, "t194") == 0;
    GError *error = NULL;

    files[xavier] =
        files[xavier] ? files[xavier] : profile_load(xavier ? "xavier" : "orin", &error);
    if (!files[xavier]) {
        g_error("%s", error->message);
    }
    *p = *files[xavier];
    memset(&p->soc, 0, sizeof(p->soc));
    memset(&p->cpu, 0, sizeof(p->cpu));
    memset(&p->memory, 0, sizeof(p->memory));
    memset(&p->gpu, 0, sizeof(p->gpu));
    memset(&p->texture, 0, sizeof(p->texture));
    memset(&p->rules, 0, sizeof(p->rules));
    memset(&p->timing, 0, sizeof(p->timing));
}

static void profile_fill(struct soc_profile *p, const char *chip, bool coherent)
{
    profile_load_engines(p, chip);
    strcpy(p->soc.name, "rig");
    strcpy(p->soc.chip, chip);
    p->soc.io_coherent = true;
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
    p->host1x.syncpts = 64;
    p->dla.clock_khz = p->vic.clock_khz = 1000000;
    p->dla.coherent = p->vic.coherent = p->vi.coherent = coherent;
}

/* Memory of rigs that were closed, for the next ones: a fuzzer has thousands a second. */
static struct {
    void *at;
    size_t bytes;
} spare[3];

/* The first pages, tables where the memory is the kernel's, are always used again. */
static void memory_zero(uint8_t *m, size_t bytes)
{
    size_t used = (bytes == DRIG_KERNEL_BYTES ? 12 : 5) * DRIG_PAGE;

    memset(m, 0, used);
    if (madvise(m + used, bytes - used, MADV_DONTNEED) != 0) {
        abort();
    }
}

static void memory_free(void *m, size_t bytes)
{
    for (size_t i = 0; i < G_N_ELEMENTS(spare); i++) {
        if (!spare[i].at) {
            memory_zero(m, bytes);
            spare[i].at = m;
            spare[i].bytes = bytes;
            return;
        }
    }
    munmap(m, bytes);
}

/* Zero, page by page as it is used: most of it never is. */
static uint8_t *memory(size_t bytes)
{
    void *m;

    for (size_t i = 0; i < G_N_ELEMENTS(spare); i++) {
        if (spare[i].at && spare[i].bytes == bytes) {
            m = spare[i].at;
            spare[i].at = NULL;
            return m;
        }
    }
    m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (m == MAP_FAILED) {
        abort();
    }
    return m;
}

void drig_kernel_clear(struct drig *r)
{
    memory_zero(r->kernel, DRIG_KERNEL_BYTES);
}

static void rig_build_of(struct drig *r, const struct soc_config *config)
{
    struct soc_config c = *config;
    uint64_t kernel = r->small ? 164 * DRIG_PAGE : DRIG_KERNEL_BYTES; /* up to the last task */
    uint64_t data = r->small ? 16 * DRIG_PAGE : DRIG_DATA_BYTES;
    enum unit_id smmu = UNIT_COUNT;
    uint64_t size;

    c.profile = &r->profile;
    c.evict = EVICT_NEVER;
    r->soc = soc_new(&c);
    soc_observe(r->soc, TRACE_ALL, sink, r);
    r->kernel = memory(DRIG_KERNEL_BYTES);
    r->dram = memory(DRIG_DATA_BYTES);
    r->view = memory(DRIG_DATA_BYTES);
    if (soc_memory_add(r->soc, 1, DRIG_KERNEL, kernel, r->kernel, NULL, false) != 0 ||
        soc_memory_add(r->soc, 2, DRIG_DATA, data, r->dram, r->view, false) != 0 ||
        soc_unit_smmu(r->soc, UNIT_DLA, &smmu, &r->stream) != 0) {
        abort();
    }
    r->dla = soc_unit_base(r->soc, UNIT_DLA, NULL);
    r->host1x = soc_unit_base(r->soc, UNIT_HOST1X, NULL);
    r->smmu = soc_unit_base(r->soc, smmu, &size);
    r->banks = r->smmu + size / 2;
    r->next_table = 2 * DRIG_PAGE;
    drig_dla_write(r, DLA_ERROR_LO, (uint32_t)DRIG_ERROR);
    drig_dla_write(r, DLA_FALCON_IRQMSET, 0xc0); /* SWGEN0 and 1 */
}

static void rig_build(struct drig *r, const char *chip, bool coherent,
                      const struct soc_config *config)
{
    memset(r, 0, sizeof(*r));
    profile_fill(&r->profile, chip, coherent);
    rig_build_of(r, config);
}

void drig_open_small(struct drig *r, const char *chip, enum order order)
{
    memset(r, 0, sizeof(*r));
    profile_fill(&r->profile, chip, true);
    r->small = true;
    r->profile.dla.cores = 1;
    r->profile.vic.cores = r->profile.vi.cores = 0;
    r->profile.dla.cvsram_bytes = MIN(r->profile.dla.cvsram_bytes, 65536);
    rig_build_of(r, &(struct soc_config){ .order = order, .seed = 1 });
}

void drig_open_with(struct drig *r, const char *chip, enum order order, bool coherent,
                    uint64_t seed)
{
    rig_build(r, chip, coherent, &(struct soc_config){ .order = order, .seed = seed });
}

void drig_open_sliced(struct drig *r, const char *chip, uint64_t slice)
{
    rig_build(r, chip, true, &(struct soc_config){ .seed = 1, .slice = slice });
}

void drig_open_camera(struct drig *r, const char *chip, enum order order, bool coherent,
                      const struct sensor *sensor)
{
    rig_build(r, chip, coherent,
              &(struct soc_config){ .order = order, .seed = 1, .sensor = sensor });
}

void drig_open(struct drig *r, const char *chip, enum order order)
{
    drig_open_with(r, chip, order, true, 1);
}

void drig_close(struct drig *r)
{
    soc_free(r->soc);
    memory_free(r->kernel, DRIG_KERNEL_BYTES);
    memory_free(r->dram, DRIG_DATA_BYTES);
    memory_free(r->view, DRIG_DATA_BYTES);
}

/* --- registers ------------------------------------------------------------------------------- */

uint32_t drig_read(struct drig *r, uint64_t pa)
{
    uint32_t value;

    if (soc_mmio_read32(r->soc, pa, &value) != 0) {
        abort();
    }
    return value;
}

void drig_write(struct drig *r, uint64_t pa, uint32_t value)
{
    if (soc_mmio_write32(r->soc, pa, value) != 0) {
        abort();
    }
}

uint32_t drig_dla_read(struct drig *r, uint32_t offset)
{
    return drig_read(r, r->dla + offset);
}

void drig_dla_write(struct drig *r, uint32_t offset, uint32_t value)
{
    drig_write(r, r->dla + offset, value);
}

uint32_t drig_bank_read(struct drig *r, unsigned bank, uint32_t offset)
{
    return drig_read(r, r->banks + bank * UINT64_C(0x10000) + offset);
}

void drig_bank_write(struct drig *r, unsigned bank, uint32_t offset, uint32_t value)
{
    drig_write(r, r->banks + bank * UINT64_C(0x10000) + offset, value);
}

void drig_bank_write64(struct drig *r, unsigned bank, uint32_t offset, uint64_t value)
{
    drig_bank_write(r, bank, offset, (uint32_t)value);
    drig_bank_write(r, bank, offset + 4, (uint32_t)(value >> 32));
}

uint8_t *drig_at(struct drig *r, uint64_t pa)
{
    return pa >= DRIG_DATA ? r->dram + (pa - DRIG_DATA) : r->kernel + (pa - DRIG_KERNEL);
}

/* --- tables: 4 KiB granule, 48 bits, levels 0 to 3 ------------------------------------------- */

static uint64_t *table_entry(struct drig *r, unsigned root, uint64_t iova, unsigned level)
{
    uint64_t table = root * DRIG_PAGE;

    for (unsigned l = 0;; l++) {
        uint64_t *entry = (uint64_t *)(void *)(r->kernel + table) + (iova >> (39 - 9 * l) & 511);

        if (l == level) {
            return entry;
        }
        if (*entry == 0) {
            if (r->next_table == DRIG_TABLES) {
                abort();
            }
            *entry = (DRIG_KERNEL + r->next_table) | 3;
            r->next_table += DRIG_PAGE;
        }
        table = (*entry & UINT64_C(0xfffffffff000)) - DRIG_KERNEL;
    }
}

uint64_t *drig_pte(struct drig *r, unsigned root, uint64_t iova)
{
    return table_entry(r, root, iova, 3);
}

void drig_map(struct drig *r, unsigned root, uint64_t iova, uint64_t pa, uint64_t bits)
{
    *drig_pte(r, root, iova) = pa | bits;
}

void drig_map_block(struct drig *r, unsigned root, uint64_t iova, uint64_t pa, uint64_t bits)
{
    *table_entry(r, root, iova, 2) = pa | (bits & ~UINT64_C(2));
}

void drig_bank(struct drig *r, unsigned bank, unsigned root, uint16_t asid)
{
    drig_bank_write64(r, bank, SMMU_CB_TTBR0,
                      (uint64_t)asid << 48 | (DRIG_KERNEL + root * DRIG_PAGE));
    drig_bank_write(r, bank, SMMU_CB_TCR, 1u << 23 | 16); /* EPD1, T0SZ = 16: 48 bits */
    drig_bank_write(r, bank, SMMU_CB_SCTLR, 0x61);        /* CFIE, CFRE, M */
}

void drig_stream(struct drig *r, unsigned group, unsigned bank)
{
    drig_write(r, r->smmu + SMMU_S2CR + group * 4, bank);
    drig_write(r, r->smmu + SMMU_SMR + group * 4, 0x80000000u | r->stream);
    drig_write(r, r->smmu + SMMU_sCR0, 0x200406); /* SMCFCFG, USFCFG, GFIE, GFRE; CLIENTPD is 0 */
}

uint64_t drig_shim(const struct drig *r, unsigned id)
{
    /* L4T: 0x1000 a syncpoint on T194, 0x10000 on T234, from 0x60000000 on */
    return UINT64_C(0x60000000) +
           id * (strcmp(r->profile.soc.chip, "t194") == 0 ? 0x1000u : 0x10000u);
}

static void identity_map(struct drig *r)
{
    for (uint64_t off = 0; off < DRIG_KERNEL_BYTES; off += DRIG_PAGE) {
        drig_map(r, 0, DRIG_KERNEL + off, DRIG_KERNEL + off, DRIG_RW);
    }
    for (uint64_t off = 0; off < DRIG_DATA_BYTES; off += DRIG_PAGE) {
        drig_map(r, 0, DRIG_DATA + off, DRIG_DATA + off, DRIG_RW);
    }
    for (unsigned id = 0; id < 64; id++) {
        drig_map(r, 0, drig_shim(r, id), drig_shim(r, id), DRIG_RW);
    }
}

/* The tables of a rig that has no other ones are always the same. */
static void identity_map_again(struct drig *r)
{
    static struct {
        uint8_t *tables;
        uint64_t next;
    } known[2];
    const bool xavier = strcmp(r->profile.soc.chip, "t194") == 0;

    if (known[xavier].tables) {
        memcpy(r->kernel, known[xavier].tables, known[xavier].next);
        r->next_table = known[xavier].next;
    } else {
        identity_map(r);
        known[xavier].next = r->next_table;
        known[xavier].tables = g_memdup2(r->kernel, r->next_table);
    }
}

void drig_identity(struct drig *r)
{
    if (r->small && r->next_table == 2 * DRIG_PAGE) {
        identity_map_again(r);
    } else {
        identity_map(r);
    }
    drig_bank(r, 0, 0, 1);
    drig_stream(r, 0, 0);
}

/* --- the DLA --------------------------------------------------------------------------------- */

unsigned drig_command(struct drig *r, unsigned cmd, uint32_t data)
{
    drig_dla_write(r, DLA_THI_METHOD_ID, cmd);
    drig_dla_write(r, DLA_THI_METHOD_DATA, data);
    return drig_dla_read(r, DLA_FALCON_MAILBOX0) >> 16 & 0xff;
}

unsigned drig_ping(struct drig *r, uint64_t iova)
{
    return drig_command(r, 1, (uint32_t)(iova >> 8));
}

void drig_run(struct drig *r)
{
    for (unsigned i = 0; i < 100000 && soc_step(r->soc, 1000) == SOC_PROGRESS; i++) {
    }
}

uint32_t drig_syncpt(struct drig *r, unsigned id)
{
    return drig_read(r, r->host1x + HOST1X_SYNCPT + id * 4);
}

void drig_syncpt_incr(struct drig *r, unsigned id)
{
    drig_write(r, r->host1x + HOST1X_SYNCPT_CPU_INCR + id / 32 * 4, 1u << id % 32);
}

struct dla_error_record drig_error(struct drig *r)
{
    struct dla_error_record e;

    memcpy(&e, drig_at(r, DRIG_ERROR), sizeof(e));
    return e;
}

/* --- tasks: layouts of nvdla/sw dla_interface.h, blob version 0.12 --------------------------- */

enum { NET, OPS, SURFACES, GRAPH, TABLES, BUFFERS };
enum {
    DESC_AT = 0,
    ADDRESSES_AT = 0x400,
    NET_AT = 0x500,
    OPS_AT = 0x600,
    GRAPH_AT = 0x900,
    SURFACES_AT = 0x1000
};

static void put16(uint8_t *b, unsigned v)
{
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *b, uint32_t v)
{
    put16(b, v & 0xffff);
    put16(b + 2, v >> 16);
}

void drig_task(struct drig *r, struct drig_task *t, unsigned index, unsigned queue)
{
    memset(t, 0, sizeof(*t));
    t->at = DRIG_TASKS + index * 2 * DRIG_PAGE;
    t->memory = drig_at(r, t->at);
    memset(t->memory, 0, 2 * DRIG_PAGE);
    t->desc.version = 2;
    t->desc.engine_id = 0x44;
    t->desc.queue_id = (uint8_t)queue;
    t->desc.sequence = (uint16_t)index;
    t->desc.address_list = t->at + ADDRESSES_AT;
    t->desc.num_addresses = BUFFERS;
    t->address[NET] = t->at + NET_AT;
    t->address[OPS] = t->at + OPS_AT;
    t->address[SURFACES] = t->at + SURFACES_AT;
    t->address[GRAPH] = t->at + GRAPH_AT;
    put16(t->memory + NET_AT, OPS);
    put16(t->memory + NET_AT + 2, SURFACES);
    put16(t->memory + NET_AT + 4, GRAPH);
    put16(t->memory + NET_AT + 6, TABLES);
    memset(t->memory + NET_AT + 16, 0xff, 12); /* no head of any kind */
    put16(t->memory + NET_AT + 28, 1);         /* regions of interest */
}

static void action(uint8_t *list, unsigned *bytes, uint8_t opcode, uint64_t address, uint32_t value)
{
    unsigned n = opcode >= 0xc0 ? 2 : opcode == 0x87 ? 0 : 4;

    list[(*bytes)++] = opcode;
    memcpy(list + *bytes, &address, 8);
    memcpy(list + *bytes + 8, &value, n);
    *bytes += 8 + n;
}

void drig_pre(struct drig_task *t, uint8_t opcode, uint64_t address, uint32_t value)
{
    action(t->pre, &t->pre_bytes, opcode, address, value);
}

void drig_post(struct drig_task *t, uint8_t opcode, uint64_t address, uint32_t value)
{
    action(t->post, &t->post_bytes, opcode, address, value);
}

void drig_copy(struct drig_task *t, uint64_t to, uint64_t from, unsigned atoms, unsigned cv)
{
    uint8_t *op = t->memory + OPS_AT + t->ops * 116,
            *surface = t->memory + SURFACES_AT + t->ops * 644;
    uint8_t *node = t->memory + GRAPH_AT + t->ops * 36;
    unsigned buffer = t->desc.num_addresses;

    t->address[buffer] = from;
    t->address[buffer + 1] = to;
    t->desc.num_addresses = (uint16_t)(buffer + 2);
    put16(op, 1);                /* transfers */
    surface[0] = cv & 1 ? 1 : 0; /* kinds of memory: 0 DRAM, 1 CVSRAM */
    surface[1] = cv & 2 ? 1 : 0;
    put16(surface + 2, 1);
    put16(surface + 4, buffer);
    put16(surface + 6, buffer + 1);
    put32(surface + 8, 32 * atoms);
    put32(surface + 12, 1);
    put32(surface + 24, 1);
    put16(node, t->ops);
    node[3] = 0; /* BDMA */
    for (unsigned k = 0; k < 7; k++) {
        put16(node + 8 + 4 * k, 0xffff);
    }
    if (t->ops == 0) {
        put16(t->memory + NET_AT + 16, 0);
    } else { /* the one before tells it when it is done */
        uint8_t *before = node - 36;

        put16(before + 8, t->ops);
        before[8 + 2] = 1;
        node[4] = 1;
    }
    put16(t->memory + NET_AT + 30, ++t->ops);
}

unsigned drig_submit(struct drig *r, struct drig_task *t)
{
    struct dla_action_list lists[2];
    unsigned at = sizeof(t->desc);

    t->desc.preactions = (uint16_t)at;
    t->desc.postactions = (uint16_t)(at + 4);
    t->desc.num_preactions = t->desc.num_postactions = 1;
    lists[0] = (struct dla_action_list){ (uint16_t)(at + 8), (uint16_t)(t->pre_bytes + 1) };
    lists[1] = (struct dla_action_list){ (uint16_t)(at + 9 + t->pre_bytes),
                                         (uint16_t)(t->post_bytes + 1) };
    t->desc.size = (uint16_t)(at + 10 + t->pre_bytes + t->post_bytes);
    memcpy(t->memory, &t->desc, sizeof(t->desc));
    memcpy(t->memory + at, lists, sizeof(lists));
    memcpy(t->memory + lists[0].offset, t->pre, t->pre_bytes + 1);
    memcpy(t->memory + lists[1].offset, t->post, t->post_bytes + 1);
    memcpy(t->memory + ADDRESSES_AT, t->address, sizeof(t->address));
    return drig_command(r, 7, (uint32_t)(t->at >> 8));
}
