/* SPDX-License-Identifier: MIT */
/* What hardware and kernel offer a driver, and no more: the seam between the driver core and a
 * board.
 *
 * One driver core serves every implementation: hal/inproc (the model in this process), hal/board
 * (the model in a server), hal/guest (PCI functions in a guest). Nothing here names CUDA, a stream
 * or a kernel; everything a command names is a bus address or a GPU virtual address.
 *
 * Locking: the caller serialises all calls on one hal (the driver core holds its lock), except
 * hal_cpu_access(), hal_cpu_lease*(), hal_note() and hal_mem_find(), which CPU hooks and signal
 * handlers call at any time on any thread.
 */
#ifndef RUNTIME_HAL_H
#define RUNTIME_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/values.h"
#include "trace/record.h"

struct hal;

/* When queued work runs relative to the CPU (ARCHITECTURE, "Time and order"). */
enum hal_policy {
    HAL_POLICY_EAGER,  /* at the doorbell, until it is done or only spins */
    HAL_POLICY_LAZY,   /* only when a thread waits, newest ready channel first */
    HAL_POLICY_SEEDED, /* only when a thread waits, or at a poll, order drawn from the seed */
};

/**
 * struct hal_config
 * @choose, @draw: who decides under the SEEDED policies, see struct soc_config; NULL: the seed.
 * They run inside hal calls and must not call back. Agents of choose: channels by number, task
 * queues of the DLAs from QUEUE_FIRST on
 */
struct hal_config {
    const struct soc_profile *profile; /* not owned, outlives the hal */
    enum hal_policy policy;
    enum evict evict;
    uint64_t seed;
    int (*choose)(void *opaque, const uint32_t *agent, unsigned n);
    uint64_t (*draw)(void *opaque, enum cache_kind cache);
    void *opaque;
};

/* Rows of Table 1 (CUDA for Tegra, chapter 2), and the driver's own memory. */
enum hal_mem_kind {
    HAL_MEM_DEVICE,  /* no CPU mapping: its CPU addresses are reserved, a touch faults */
    HAL_MEM_PINNED,  /* CPU: cached if the SoC is I/O coherent, else uncached */
    HAL_MEM_MANAGED, /* CPU: cached */
    HAL_MEM_KERNEL,  /* CPU: uncached; page tables, rings, command buffers, staging */
    HAL_MEM_SHARED,  /* CPU: cached; of no API: drivers of several engines map it (NvSciBuf) */
    HAL_MEM_SHARED_UNCACHED, /* the same; CPU: uncached */
    HAL_MEM_VIDMEM, /* as DEVICE, in the memory of a discrete GPU beside an integrated one */
};
#define HAL_MEM_KINDS (HAL_MEM_VIDMEM + 1)

/* Memory of a GPU alone: the CPU has no mapping of it. */
static inline bool hal_mem_is_device(enum hal_mem_kind kind)
{
    return kind == HAL_MEM_DEVICE || kind == HAL_MEM_VIDMEM;
}

/**
 * struct hal_mem - memory both sides can name
 * @cpu: first byte in the CPU's (this process's) address space, page aligned. One address for all
 *       (UVA): the driver core maps it at the same GPU virtual address
 * @size: bytes, a multiple of the page size (HAL_PAGE)
 * @bus: first byte as the iGPU's page tables and registers name it; contiguous
 * @id: the region's number in records, never used again
 * @cpu_cached: the CPU mapping is cacheable
 * @registered: the pages are the application's own (hal_mem_register)
 */
struct hal_mem {
    void *cpu;
    size_t size;
    uint64_t bus;
    uint32_t id;
    enum hal_mem_kind kind;
    bool cpu_cached, registered;
};

#define HAL_PAGE 4096u

enum hal_prot { HAL_PROT_NONE, HAL_PROT_READ, HAL_PROT_WRITE }; /* WRITE includes reading */

/**
 * struct hal_given - what the machine has settled before any program asks: a real board's chip, or
 * the one in QEMU with the policies it was started with
 * @soc: name of the profile
 * @sees_cpu: every access of the CPU to cached memory of ours is observed, without hooks in the
 * program
 */
struct hal_given {
    bool sees_cpu;
    char soc[32];
    enum hal_policy policy;
    enum evict evict;
};

/* Return: false if all of it but @sees_cpu is the program's choice (in process, a board in another
 * process, or no board is there). */
bool hal_given(struct hal_given *out);

/**
 * hal_open - bring a board up
 * Return: the board; NULL with errno (-ENOMEM, -EINVAL) and a line on stderr saying why.
 */
struct hal *hal_open(const struct hal_config *config);
void hal_close(struct hal *hal);
const struct soc_profile *hal_profile(const struct hal *hal);

/* Is the board gone for good, as the server of hal/board that was killed? A line on stderr has said
 * so. From then on nothing here has an effect on the board: reads give 0, the rest an error. What
 * memory holds is what it held then, and may be stale or half written. Any thread, any time. */
bool hal_lost(const struct hal *hal);

/* Registers, 32 bit; offsets from model/regs/regs.h. A board has the engines that its profile
 * counts. Writing a doorbell may run work (policy). */
uint32_t hal_read32(struct hal *hal, enum unit_id unit, uint32_t offset);
void hal_write32(struct hal *hal, enum unit_id unit, uint32_t offset, uint32_t value);

/* What a board has a limited number of, and names that are used once. */
enum hal_claim {
    HAL_CLAIM_CHANNEL, /* the lowest free one of CHAN_COUNT from @index on: of the iGPU from 0,
                          of a discrete GPU beside it from CHAN_COUNT */
    HAL_CLAIM_CONTEXT, /* address space of a GPU, likewise; CHAN_CONTEXT has the number in its GPU
                        */
    HAL_CLAIM_SYNCPT,  /* > 0: the one that was given back last, at first in order */
    HAL_CLAIM_CODE,    /* key of the GPUs' instruction caches: 1, 2 ..., never used again */
    HAL_CLAIM_UNIT,    /* an engine behind the SMMU: @index says which (enum unit_id) */
};
#define HAL_CLAIMS (HAL_CLAIM_UNIT + 1)

/**
 * hal_claim - become the owner of one of these, among all drivers that use this board
 * @index: which one; of HAL_CLAIM_UNIT, CHANNEL and CONTEXT also an argument
 *
 * What is not claimed is not used: registers of a channel, an engine's, a syncpoint's increments.
 * It has the state that its owner before left, a syncpoint its value.
 * Return: 0; -ENOSPC: all are in use; -EBUSY: another process has this engine; -EINVAL: no such
 * engine; -EIO: the board is lost.
 */
int hal_claim(struct hal *hal, enum hal_claim what, uint32_t *index);
void hal_release(struct hal *hal, enum hal_claim what, uint32_t index);

/**
 * hal_mem_alloc - allocate memory and map it for the CPU as its kind says
 * @size: > 0, rounded up to pages; @align: power of two, at least HAL_PAGE
 * @at: wanted CPU address inside a range from hal_va_reserve(), or NULL
 *
 * The bytes are zero. Physical memory is limited by the profile's DRAM less what the system keeps.
 * Return: 0; -ENOMEM; -EINVAL; -ENOTSUP (a guest's kernel cannot give a program such memory).
 */
int hal_mem_alloc(struct hal *hal, enum hal_mem_kind kind, size_t size, size_t align, void *at,
                  struct hal_mem *out);
void hal_mem_free(struct hal *hal, const struct hal_mem *mem);

/**
 * hal_mem_register - make the application's own pages reachable for devices (cudaHostRegister)
 * @cpu, @size: page aligned; the pages stay where they are, cacheable
 * Only an I/O-coherent SoC can (CUDA for Tegra 2.1). Return: 0; -ENOTSUP; -EEXIST (overlaps one
 * registered before); -EFAULT (not readable and writable); -ENOMEM.
 */
int hal_mem_register(struct hal *hal, void *cpu, size_t size, struct hal_mem *out);
void hal_mem_unregister(struct hal *hal, const struct hal_mem *mem);

/**
 * hal_mem_adopt - let registered memory's [offset, offset + len) be pages of the board's
 *
 * The application keeps its bytes at its addresses, and these pages alone can be closed to it, with
 * a hal_mem_alias(). hal_mem_unregister() makes them the application's again. While either of the
 * two runs the pages can be read, but a store there faults: the caller makes such threads wait.
 * Return: false, with nothing changed: the memory is not private to the process, part of a stack,
 * or not of this board.
 */
bool hal_mem_adopt(struct hal *hal, const struct hal_mem *mem, size_t offset, size_t len);

/* --- from one process to another on one board --- */

/* Does this board serve several processes? @board: a number of this board's alone; @process: of
 * this process there. */
bool hal_shared_board(const struct hal *hal, uint64_t *board, uint32_t *process);

enum { HAL_RIGHT_READ = 1, HAL_RIGHT_WRITE = 2 }; /* of a syncpoint: wait, signal */

/**
 * struct hal_pass - what one process lets another have
 * @mem: id 0: none. The other one gets all of it, mapped at the same address
 * @syncpt: 0: none. What the other one gets counts as claimed by both, hal_release() it
 * @rights: HAL_RIGHT_*. Of memory they are advice: engines and the CPU of the importer could write
 * @often: any number of processes may import it, any number of times, until hal_unexport(); of
 *         hal_import(): it still may be
 * @note: the exporter's, for the importer; no more to be trusted than the exporter
 */
struct hal_pass {
    struct hal_mem mem;
    uint32_t syncpt, rights;
    bool often;
    uint64_t note[2];
};

/**
 * hal_export - let one other process have memory or a syncpoint of this one's
 * @token: a number that cannot be guessed; the process that knows it may hal_import(), once, or
 *         often
 *
 * Until then, and as long as this process lives, both stay, whatever is freed here.
 * Return: 0; -EINVAL: not its own, or with more rights than it has; -ENOSPC: too many are on their
 * way; -ENOTSUP: this board serves one process; -EIO.
 */
int hal_export(struct hal *hal, const struct hal_pass *pass, uint64_t token[2]);
/* Nothing can be imported as @token any more; what was imported stays the importers'. */
void hal_unexport(struct hal *hal, const uint64_t token[2]);

/**
 * hal_import - have what another process has exported
 * @least: rights that are needed
 * Memory is given back by hal_mem_free(), as often as it was imported.
 * Return: 0; -ENOENT: nothing was exported as @token, it was imported, or its exporter has ended;
 * -EACCES: with less rights, it may be imported still; -ENOMEM; -ENOTSUP; -EIO.
 */
int hal_import(struct hal *hal, const uint64_t token[2], uint32_t least, struct hal_pass *out);

/**
 * hal_process_pages - let the iGPU use this process's own pages: malloc, static, stack, mmap
 * @id: their number in records, one for all
 *
 * An address that the driver's page tables do not translate is then looked up in the process's
 * (Linux: shared virtual addressing; Arm SMMU: ATS, PASID): page by page, when an engine touches
 * it; what the CPU may load or store there the iGPU may, nothing is pinned. The application may
 * unmap such pages while no call here runs. Return: 0; -ENOTSUP (the SoC has no such thing, or this
 * implementation cannot: a line on stderr says so).
 */
int hal_process_pages(struct hal *hal, uint32_t *id);

/* Reserve and release CPU addresses without memory (cuMemAddressReserve). NULL if there is none.
 * Released addresses, and those of freed memory, are given out again as late as it is cheap: a
 * pointer that is used too long then meets no memory. */
void *hal_va_reserve(struct hal *hal, size_t size, size_t align, void *hint);
void hal_va_release(struct hal *hal, void *va, size_t size);

/* What the CPU may do with [offset, offset + len) of @mem; a forbidden touch raises SIGSEGV.
 * Page granular. Return: 0, -EINVAL. */
int hal_mem_protect(struct hal *hal, const struct hal_mem *mem, size_t offset, size_t len,
                    enum hal_prot prot);

/**
 * hal_mem_alias - a second mapping of what the CPU sees of @mem, readable and writable
 *
 * @mem: one that was given out, or a part of it. hal_mem_protect() does not close the mapping; it
 * goes with the memory. Return: NULL if there is none: the pages are the application's own, or the
 * board is elsewhere.
 */
void *hal_mem_alias(struct hal *hal, const struct hal_mem *mem);

/**
 * hal_mem_lost - a load or store at @cpu has just failed on this thread
 *
 * For the handler of SIGSEGV. If it was the board's own, inside a call here, because the
 * application has unmapped memory that it had registered, or a page that an engine was using
 * (hal_process_pages): an empty page takes its place, and the access may be tried again.
 * Async-signal-safe. Return: false: none of this, nothing was done.
 */
bool hal_mem_lost(struct hal *hal, const void *cpu);

/* The region an address lies in; false if none of ours. Async-signal-safe. */
bool hal_mem_find(struct hal *hal, const void *cpu, struct hal_mem *out);

/* --- what an engine behind the SMMU may reach
 * ----------------------------------------------------- */

/**
 * hal_iommu_map - let @unit see [offset, offset + len) of @mem
 * @unit: a DLA; @offset, @len: page aligned (HAL_PAGE), inside @mem; @prot: READ or WRITE
 * @iova: where the unit finds it. Mapping the same bytes twice gives two addresses.
 *
 * The kernel driver's part: page tables in memory, context bank and stream ID of the unit's SMMU.
 * Freeing the memory does not unmap it: accesses then fail at the bus, as on a board where a driver
 * forgets. Return: 0; -EINVAL; -ENODEV (no such unit, or it has no SMMU); -ENOMEM; -ENOSPC.
 */
int hal_iommu_map(struct hal *hal, enum unit_id unit, const struct hal_mem *mem, size_t offset,
                  size_t len, enum hal_prot prot, uint64_t *iova);
/* What hal_iommu_map() gave, whole; the SMMU forgets it too. */
void hal_iommu_unmap(struct hal *hal, enum unit_id unit, uint64_t iova, size_t len);

/* Where @unit finds a syncpoint as a semaphore (model/regs/dla_task.h); always mapped.
 * Return: 0; -ENODEV; -EINVAL (no such syncpoint). */
int hal_iommu_syncpt(struct hal *hal, enum unit_id unit, uint32_t syncpt, uint64_t *iova);

/**
 * struct hal_iommu_fault - a refused access, in the words of Linux' arm-smmu driver:
 * "arm-smmu <smmu>.iommu: Unhandled context fault: fsr=, iova=, fsynr=, cbfrsynra=, cb="
 * @smmu: its address in hexadecimal, as in the device tree
 * @multiple: others followed before this one was read and are lost (FSR.MULTI)
 */
struct hal_iommu_fault {
    char smmu[16];
    uint32_t fsr, fsynr, cbfrsynra, cb;
    uint64_t iova;
    bool write, multiple;
};

/* The unserviced fault of @unit's context bank, which is then cleared. Return: false if there is
 * none. */
bool hal_iommu_fault(struct hal *hal, enum unit_id unit, struct hal_iommu_fault *out);

/* --- CPU caches
 * ------------------------------------------------------------------------------------ */

/* CPU cache maintenance by virtual address, to the point of coherency (Arm: DC CVAC, CIVAC, IVAC).
 * Lines outside our memory are skipped. Return: lines that were written back, or, for an
 * invalidate, dropped. An invalidate of a dirty line loses its bytes: that is recorded. */
int64_t hal_cpu_clean(struct hal *hal, const void *cpu, size_t len);
int64_t hal_cpu_clean_invalidate(struct hal *hal, const void *cpu, size_t len);
int64_t hal_cpu_invalidate(struct hal *hal, const void *cpu, size_t len);

/* The addresses all our own allocations lie in, for hooks that must be quick to say no; pages that
 * the application registered lie elsewhere. */
void hal_arena_bounds(struct hal *hal, uint64_t *base, uint64_t *size);

/* An exact CPU access is about to happen (hooks, before it does). Addresses that are not ours cost
 * a comparison. */
void hal_cpu_access(struct hal *hal, const void *cpu, size_t len, enum access_kind access);

/* Is the calling thread inside a call of the HAL? So a signal handler may find it, which must not
 * call the HAL then: it would wait for itself. */
bool hal_busy(struct hal *hal);

/**
 * hal_cpu_lease - may the caller go on accessing this line without a report each time?
 * @cpu: what hal_cpu_access() was last called for
 * @lease: where the answer goes: the line's address (a multiple of 64) plus HAL_LEASE_*, or 0. The
 * HAL sets it to 0 again, from any thread, before anything happens that would make such accesses
 * differ; so the place must stay until hal_cpu_lease_end()
 * @memory: NULL, or 64 bytes: a load may go untold only while those at the line are equal to them.
 * If they are not, something stored there unseen (a system call, a library without hooks):
 * reported, the load finds it
 *
 * Loads and stores within the line, no atomics and no flags, then change nothing but counts and
 * time. Those the lease holder gathers, and reports when it is asked to.
 */
enum { HAL_LEASE_LOAD = 1, HAL_LEASE_STORE = 2 };
void hal_cpu_lease(struct hal *hal, const void *cpu, uintptr_t *lease, const void **memory);
/* All leases end, and everything has been reported. */
void hal_cpu_lease_end(struct hal *hal);

/* So many accesses were not reported one by one; @bus: of one of them, all were to the same
 * allocation.
 */
struct hal_hits {
    uint64_t bus, loads, stores, load_bytes, store_bytes;
};
/* @tell: calls hal_cpu_hits() for all accesses since it was last asked. Runs inside any hal call,
 * first of all, on any thread, and calls nothing else here. NULL: no leases any more. */
void hal_cpu_lease_holder(struct hal *hal, void (*tell)(void *opaque), void *opaque);
void hal_cpu_hits(struct hal *hal, const struct hal_hits *hits);

/**
 * hal_note - what only software knows about the order of things; for records, nothing else happens
 * HAL_NOTE_THREAD: the calling thread is number @a from now on; numbers in order of creation, the
 * first thread is 0. A thread that never reported has number 0. HAL_NOTE_RELEASE: what the calling
 * thread did so far comes before whoever acquires object @a later (unlock, signal, post, creation
 * or end of a thread); @b: 1: no thread ever will; @a 0: thread @b - 1 is over. HAL_NOTE_ACQUIRE:
 * and that is the other side (lock, wait, join, start). HAL_NOTE_WAITED: the application learned
 * that syncpoint @a has reached @b. Objects are numbers, never addresses: the same in every run
 */
enum hal_note { HAL_NOTE_THREAD, HAL_NOTE_RELEASE, HAL_NOTE_ACQUIRE, HAL_NOTE_WAITED };
void hal_note(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b);

/**
 * hal_wait - block until a syncpoint reaches a threshold
 * @timeout_steps: give up after so much progress of the board, 0 = never
 *
 * In process the board advances inside this call and only here (and at an eager doorbell).
 * Return: 0 when (int32_t)(value - threshold) >= 0; -EIO the board is lost (hal_lost()), or an
 * error interrupt is pending: service it (IGPU_INTR; a DLA's FALCON_IRQSTAT; hal_iommu_fault()) and
 * wait again; -EDEADLK nothing can make it happen: every channel and queue is idle, dead or waits
 * for something that will not happen; -EAGAIN the channels only spin on memory: the CPU must act;
 * -EBUSY the board stands, but another process that shares it may act: the call has waited a
 * moment for that; -ETIMEDOUT; -EINTR hal_config.choose lets no agent go on now; -ECANCELED
 * hal_interrupt(). Nothing can make it happen: also if those that could have ended.
 */
int hal_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps);

/* hal_read32() of the syncpoint, and hal_wait() if it has not reached @threshold: one request of a
 * board in another process. */
int hal_look_wait(struct hal *hal, uint32_t syncpt, uint32_t threshold, uint64_t timeout_steps);

/* Where the CPU writes what it signals. The layout is that of a semaphore release with timestamp
 * (class C36F): payload of 32 or 64 bits, time in ns. */
struct hal_signal_slot {
    uint64_t payload, time_ns;
};

/**
 * hal_signal - the CPU increments a syncpoint
 * @slot: written before, so that who sees the increment sees it; in HAL_MEM_KERNEL
 * @payload: was reached, @start: the syncpoint's value at payload 0
 * @sole: nothing but these calls of this process increments the syncpoint
 *
 * hal_read32() of the syncpoint, hal_time_ns(), the slot, hal_write32(): one request of a board in
 * another process. The payload is @payload, and one, and how far the syncpoint is beyond it. With
 * @sole such a request may have no reply: the board does it before what any program asks for next,
 * and its records come with the next reply, or with hal_settle().
 * Return: the payload that was written; @payload if the board is lost.
 */
uint64_t hal_signal(struct hal *hal, uint32_t syncpt, struct hal_signal_slot *slot,
                    uint64_t payload, uint32_t start, bool sole);

/* The sink gets the records of all signals before this call: for a caller that reports what comes
 * after them and makes no request. hal_note() does the same. */
void hal_settle(struct hal *hal);

/* From now on, or no longer: waits end after one step (-ECANCELED), and an eager doorbell likewise.
 * For signal handlers: async-signal-safe, and of any thread. */
void hal_interrupt(struct hal *hal, bool on);

/* Let the board go on for one quantum if the policy wants it at this point (a query, a spinning
 * CPU). Return: true if anything happened. */
bool hal_poll(struct hal *hal, bool must_progress);

/* Virtual time of the board, ns. */
uint64_t hal_time_ns(struct hal *hal);

/* Let a CPU-side activity of @ns take place in virtual time (copies by the driver). Below 0: so
 * much of what the CPU has done was done beside it, on another core. */
void hal_time_advance(struct hal *hal, int64_t ns);

/* Where records go from now on: one sink; @mask of enum trace_class. @sink runs inside hal calls
 * and must not call back. */
void hal_observe(struct hal *hal, unsigned mask, trace_sink *sink, void *opaque);

/* What the sink can do without; hal_observe() forgets it. @spare: not owned. An implementation may
 * send all records nevertheless (a board in another process, or in QEMU). */
void hal_spare(struct hal *hal, const struct trace_spare *spare);

/* State of one cache line. @cpu_old: an engine has changed its bytes in memory since the CPU loaded
 * it; of a guest false. */
struct hal_line {
    bool cpu_valid, cpu_dirty, cpu_old, l2_valid;
    unsigned l2_dirty_bytes;
};
bool hal_line_state(struct hal *hal, const void *cpu, struct hal_line *out);
/* Of the 64 lines of the page at @cpu those of @lines (bit i: line i) that are dirty in the CPU's
 * caches. */
uint64_t hal_dirty_lines(struct hal *hal, const void *cpu, uint64_t lines);

/* A readable dump of the whole board: channels, syncpoints, caches; to find out why nothing moves.
 * g_free() it. */
char *hal_dump(struct hal *hal);

#endif
