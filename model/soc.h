/* SPDX-License-Identifier: MIT */
/* The one door to the model: a whole SoC, made from a profile.
 *
 * A SoC is a pure object: no threads, no clock of the host, no environment, no files. The same
 * calls in the same order give the same records. It is not thread-safe: the owner serialises.
 *
 * Memory belongs to the owner. A region of physical addresses is added with two images (see
 * model/iocoherency/iocoherency.h): the DRAM image, and where the CPU's mapping is cacheable the
 * CPU view, which is the memory that CPU code really loads from and stores to. Nothing else in the
 * model ever hands out or takes a pointer into memory.
 */
#ifndef MODEL_SOC_H
#define MODEL_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/sensor.h"
#include "model/values.h"
#include "trace/record.h"

struct soc;

/* Units of work that one soc_step() or one register write does before it returns, unless
 * soc_config.slice says another number; the rest follows in later steps. A unit costs the host
 * about a nanosecond: a byte moved, 16 products of int8, an eighth of a warp instruction. Each
 * engine counts its own (soc_work()). The largest int8 layers of well-known networks stay below it.
 */
#define SOC_SLICE (UINT64_C(1) << 27)

/**
 * struct soc_config - how to build it
 * @profile: copied
 * @evict: when lines leave the caches on their own; @order: which ready channel runs next
 * @seed: for the two SEEDED policies
 * @slice: units of work that a step or a register write does at most, about; 0: SOC_SLICE
 * @dram_base: where memory may begin; 0: SOC_DRAM_BASE (another machine's map: QEMU)
 * @sensor: the camera that is connected, copied; NULL: none, and no engine that captures
 * @choose: order SEEDED: which of @n agents that are ready goes next? Channels of the GPUs by
 * number, CHAN_COUNT of each, and task queues of the other engines from QUEUE_FIRST on
 * (model/soc.h); ascending. Return: an index; -1: none now, soc_step() then returns SOC_YIELDS.
 * Asked at most once a step, with @n > 0
 * @draw: evict SEEDED: does this cache lose a line now? Return: 0: no; else a number that picks the
 * line Both may be NULL: then the seed decides. They run inside soc_step() and must not call back.
 */
struct soc_config {
    const struct soc_profile *profile;
    enum evict evict;
    enum order order;
    uint64_t seed, slice, dram_base;
    const struct sensor *sensor;
    int (*choose)(void *opaque, const uint32_t *agent, unsigned n);
    uint64_t (*draw)(void *opaque, enum cache_kind cache);
    void *opaque;
};

/* soc_new - Return: the SoC in its reset state; soc_free() it. Aborts if memory runs out. */
struct soc *soc_new(const struct soc_config *config);
void soc_free(struct soc *soc);
const struct soc_profile *soc_profile(const struct soc *soc);

/* --- registers ---------------------------------------------------------------------------------
 */

/* First physical address and size of a unit's register window on this chip (device trees of L4T and
 * of upstream Linux). Return: 0 and size 0 if the chip has no such unit. */
uint64_t soc_unit_base(const struct soc *soc, enum unit_id unit, uint64_t *size);

/* Which SMMU stands before a DLA, and its stream ID there (device tree: iommus).
 * Return: 0; -ENODEV if there is no such DLA. */
int soc_unit_smmu(const struct soc *soc, enum unit_id unit, enum unit_id *smmu,
                  uint32_t *stream_id);

/* Physical address of a syncpoint as a semaphore for engines (model/regs/dla_task.h). */
uint64_t soc_syncpt_shim(const struct soc *soc, uint32_t id);

/**
 * soc_mmio_read32 - load a register
 * @pa: physical address, a multiple of 4
 * Return: 0; -EFAULT if no unit answers there, *@value is then all ones.
 */
int soc_mmio_read32(struct soc *soc, uint64_t pa, uint32_t *value);
int soc_mmio_write32(struct soc *soc, uint64_t pa, uint32_t value);

/* The unit's interrupt line, level. */
bool soc_irq(const struct soc *soc, enum unit_id unit);

/* --- memory ------------------------------------------------------------------------------------
 */

#define SOC_DRAM_BASE UINT64_C(0x80000000) /* first byte of DRAM on every Tegra since T210 */

/**
 * soc_memory_add - put memory at [pa, pa + len)
 * @id: the caller's name for it in records, not 0, not used before
 * @pa, @len: multiples of 4096
 * @dram: @len bytes; @view: @len bytes, or NULL if the CPU's mapping is uncached or there is none
 * @keep_view: the view holds the contents (else both hold the same already)
 *
 * Both stay the caller's and must live until soc_memory_remove().
 * Return: 0; -EINVAL (alignment, id 0, below DRAM); -EEXIST (overlap).
 */
int soc_memory_add(struct soc *soc, uint32_t id, uint64_t pa, uint64_t len, void *dram, void *view,
                   bool keep_view);
/* The size that the application asked for: an access of a kernel behind it makes a record
 * (TRACE_EVENT_GPU_BESIDE). Default: the whole region. Return: 0, -ENOENT. */
int soc_memory_asked(struct soc *soc, uint32_t id, uint64_t bytes);
/* Bytes that a kernel reaches beside all memory (GMMU_PTE_SPARSE) have such ids. */
#define SOC_BESIDE_ID (UINT32_MAX - 1 - SOC_BESIDE_PAGES)
#define SOC_BESIDE_PAGES 4096u
/* CVSRAM of a chip that has it (profile key dla.cvsram_bytes): the SoC's own, uncached, with this
 * id. */
#define SOC_CVSRAM_BASE UINT64_C(0x50000000) /* L4T, device tree of T194: cvnas, cvsram-reg */
#define SOC_CVSRAM_ID UINT32_MAX
/* The CPU's view of [offset, offset + len) of memory with a view is at @view from now on, with the
 * same bytes; whole pages. Return: 0, -ENOENT. */
int soc_memory_view(struct soc *soc, uint32_t id, uint64_t offset, uint64_t len, void *view);
/* Lines the caches hold of it are dropped. Return: 0, -ENOENT. */
int soc_memory_remove(struct soc *soc, uint32_t id);

/**
 * soc_translate - the machine's own IOMMU, for an SoC inside a bigger machine (QEMU)
 * @engine: whose access it is, for IOMMUs that distinguish engines by stream ID: UNIT_IGPU (with
 *     its copy engines and channels), a DLA, or an SMMU of the chip that reads its tables
 * @bus: what it puts on the bus, a multiple of 4096; @write: what for
 * @pa: the page at which memory was added; it may be added during this call
 * Return: false = refused. The access fails, as one without memory does.
 */
typedef bool soc_translate(void *opaque, enum unit_id engine, uint64_t bus, bool write,
                           uint64_t *pa);

/* Engines' bus addresses pass @translate from now on (NULL: are physical, as at first). Not called
 * while memory is removed. Translations are kept until soc_dma_forget(). */
void soc_dma_hook(struct soc *soc, soc_translate *translate, void *opaque);
void soc_dma_forget(struct soc *soc);

/**
 * struct soc_process_page - a page of a process, as the iGPU finds it
 * @pa: a physical page that is this one's alone, for good; @dram: 4096 bytes for its DRAM image
 * @view: the process's own page, which its CPU loads from and stores to
 */
struct soc_process_page {
    uint64_t pa;
    void *dram, *view;
};

/* @va: a multiple of 4096; @write: what for. Return: 0 and *@out, the same each time for one @va;
 * -ENOENT: nothing is mapped there; -EACCES: not for a store; -ENOMEM. */
typedef int soc_process_find(void *opaque, uint64_t va, bool write, struct soc_process_page *out);

/**
 * soc_process_pages - where the iGPU's own tables have no translation it uses those of a process
 * @id: names all of these pages in records, as soc_memory_add()
 * @find: called inside soc_step(), once a step for each page touched: between steps the process may
 * change its mappings, and must not do so during one
 *
 * Arm SMMU: Address Translation Services and PASID; Linux: shared virtual addressing. The pages are
 * cached in the L2, whose copies the CPU snoops on such a SoC. Return: 0; -ENOTSUP (profile key
 * gpu.pageable_uses_host_page_tables); -EEXIST (there is one, or @id is used).
 */
int soc_process_pages(struct soc *soc, uint32_t id, soc_process_find *find, void *opaque);

/* --- the CPU ------------------------------------------------------------------------------------
 */

/**
 * soc_cpu_access - a CPU access is about to happen
 * @pa, @len: may cross lines and pages; addresses without memory are skipped
 * @va: for the record
 *
 * Afterwards the view holds what the access must see (a miss has filled it); the caller then
 * performs it on the view, or, uncached, on the DRAM image. Virtual time passes. Callers that
 * cannot report single accesses do not call this: stores are then found by comparison (page.c),
 * loads are not seen.
 */
void soc_cpu_access(struct soc *soc, uint64_t pa, uint64_t va, size_t len, enum access_kind access);

/* The CPU thread whose accesses, register writes and notes come next; only records know of threads.
 */
void soc_cpu_thread(struct soc *soc, uint32_t thread);

/* What the CPU's threads know of their order, as a record: CPU_RELEASE, CPU_ACQUIRE or CPU_WAITED.
 */
void soc_cpu_note(struct soc *soc, enum trace_event event, uint64_t a, uint64_t b);

/**
 * soc_cpu_accessed - a CPU access has just happened, on the view
 * @cached: the mapping is Normal write-back memory; else the access belongs to DRAM and passes the
 * caches
 *
 * For owners that learn of accesses afterwards (QEMU). A load has seen the right bytes, because
 * where the caches hold nothing the view equals DRAM; a store is in the view. Unreported stores by
 * others must not happen meanwhile to the same line, or they count as this CPU's. An
 * uncached access to a line that the caches hold is CPU_MISMATCH (Arm ARM B2.8): a load then has
 * seen the cached bytes; an uncached exclusive is CPU_UNCACHED_ATOMIC.
 */
void soc_cpu_accessed(struct soc *soc, uint64_t pa, uint64_t va, size_t len,
                      enum access_kind access, bool cached);

/* So many accesses to the memory added around @pa changed nothing but the counts, because they were
 * hits, or uncached: an owner may gather them and report them together. Time passes as if each had
 * been reported. */
struct soc_cpu_hits {
    uint64_t pa, loads, stores, load_bytes, store_bytes;
};
void soc_cpu_hits(struct soc *soc, const struct soc_cpu_hits *hits);

/**
 * soc_cpu_repeats - which accesses to the 64-byte line at @pa would be such ones now
 * @memory: NULL, or the 64 bytes that the CPU view must still be equal to before each load; if it
 * is not, there was an unreported store, and the access is to be reported: it finds that store
 * Return: SOC_REPEATS_*, one bit or both; 0: none. It holds while no other function of this header
 * is called than soc_cpu_hits(), looks, and soc_cpu_access() to lines of another soc_cpu_set() -
 * those say nothing about ages. A 16-byte access across a line's end is none of them.
 */
enum { SOC_REPEATS_LOADS = 1, SOC_REPEATS_STORES = 2 };
unsigned soc_cpu_repeats(struct soc *soc, uint64_t pa, const uint8_t **memory);
unsigned soc_cpu_set(const struct soc *soc, uint64_t pa);

/* The access itself included: for owners without a mapping of their own (tests, litmus).
 * Return: 0; -EFAULT if part of the range has no memory (nothing is done). */
int soc_cpu_read(struct soc *soc, uint64_t pa, void *dst, size_t len);
int soc_cpu_write(struct soc *soc, uint64_t pa, const void *src, size_t len);

/* Maintenance to the point of coherency, whole lines (Arm ARM, DC CVAC, DC CIVAC, DC IVAC).
 * Return: lines written back; for an invalidate, lines dropped. */
int64_t soc_cpu_clean(struct soc *soc, uint64_t pa, uint64_t len);
int64_t soc_cpu_clean_invalidate(struct soc *soc, uint64_t pa, uint64_t len);
int64_t soc_cpu_invalidate(struct soc *soc, uint64_t pa, uint64_t len);

/* --- time ---------------------------------------------------------------------------------------
 */

enum soc_progress {
    SOC_IDLE,     /* no engine has anything it can do */
    SOC_PROGRESS, /* something happened */
    SOC_SPINS,    /* the SMs only spin on memory: another agent must write it */
    SOC_SPUN,     /* those of the channel that ran do; another agent may still go on */
    SOC_YIELDS,   /* soc_config.choose lets none go on now */
};

/* Let the engines do about @quantum warp instructions of work, and about a slice at most. */
enum soc_progress soc_step(struct soc *soc, uint64_t quantum);

/* Units of work that the engines have done since soc_new(), in steps and in register writes: for
 * owners that must return to other work soon. */
uint64_t soc_work(const struct soc *soc);

/**
 * soc_time_ns - virtual time of the CPU
 *
 * The policy picks what runs next, the clocks only account. The CPU, each channel of the iGPU and
 * each engine have a clock of their own; a piece of work begins at the latest of its submission,
 * the end of what came before it in its queue, the end of what it waited for (syncpoint,
 * semaphore), and when its engine (the SMs, a copy engine, a DLA) is free. So engines overlap in
 * time. The CPU's clock goes to the end of what it has seen: a syncpoint's value, an error.
 */
uint64_t soc_time_ns(const struct soc *soc);
/* Has the syncpoint reached @threshold? Then the CPU, which waited for it, comes after that. */
bool soc_syncpt_reached(struct soc *soc, uint32_t id, uint32_t threshold);
void soc_time_advance(struct soc *soc, uint64_t ns);

/* --- compiled kernels ---------------------------------------------------------------------------
 */

/**
 * soc_compile - a program has run for long enough to be worth a compiler's time
 * @code_id: the program; @text: C, to be compiled into position-independent code without
 *     relocations, by clang, with the headers of share/vtegra/native and @flags; its one symbol is
 *     `uintptr_t native_door(uint32_t)`
 *
 * Results, virtual time, counts and records are the same with and without compiled code, whenever
 * it comes. The model starts no compiler: the owner does, or not. Called inside soc_step().
 * Return: the door, or NULL: soc_compiled() later, or never.
 */
typedef uintptr_t soc_door(uint32_t index);
typedef soc_door *soc_compile(void *opaque, uint64_t code_id, const char *text, const char *flags);

/* @after: warp instructions that a program runs first; 0: from its first launch on. */
void soc_compile_hook(struct soc *soc, soc_compile *compile, void *opaque, uint64_t after);
/* Between steps. The code stays until soc_free(). */
void soc_compiled(struct soc *soc, uint64_t code_id, soc_door *door);

/**
 * soc_kernel_blocks - how far the kernel is that a GPU runs, for a reader who waits for it
 * @done, @all: its blocks
 *
 * Changes nothing. Return: a number of this launch alone; 0: no kernel has begun and not ended.
 */
uint64_t soc_kernel_blocks(const struct soc *soc, uint64_t *done, uint64_t *all);

/* --- looking ------------------------------------------------------------------------------------
 */

/* Records of the classes in @mask go to @sink, which must not call back. One sink. */
void soc_observe(struct soc *soc, unsigned mask, trace_sink *sink, void *opaque);

/* What the sink can do without; soc_observe() forgets it. @spare: NULL or not owned. Accesses of
 * the CPU that changed nothing but what the observer knows of a line: soc_spare_end() after them.
 * All is reported for now, and the lock that keeps others out will be given back: soc_rest(). */
void soc_spare(struct soc *soc, const struct trace_spare *spare);
void soc_spare_end(struct soc *soc);
void soc_rest(struct soc *soc);

/* Send the counts gathered since the last command as SUM records (CPU accesses). */
void soc_counts_flush(struct soc *soc);

/* @cpu_old: an engine has changed the line's bytes in memory since the CPU loaded it */
struct soc_line {
    bool cpu_valid, cpu_dirty, cpu_old, l2_valid;
    unsigned l2_dirty_bytes;
};
/* State of the line at @pa. Return: false if there is no memory. */
bool soc_line_state(struct soc *soc, uint64_t pa, struct soc_line *out);

/* Of these lines of the page at @pa, those that are dirty in the CPU's caches. */
uint64_t soc_dirty_lines(struct soc *soc, uint64_t pa, uint64_t lines);

/* Force the line at @pa out of the CPU caches, as an eviction does. For litmus and tests. */
void soc_cpu_evict(struct soc *soc, uint64_t pa);

/* Sums over the run. */
struct soc_totals {
    uint64_t cpu_hits, cpu_misses, cpu_uncached, cpu_writebacks;
    uint64_t l2_hits, l2_misses, l2_evictions, l2_written_back_bytes;
};
void soc_totals(const struct soc *soc, struct soc_totals *out);

/* Text about everything that is not idle, for people. g_free() it. */
char *soc_dump(struct soc *soc);

#endif
