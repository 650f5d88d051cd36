/* SPDX-License-Identifier: MIT */
/* What is known of a run: collected from records and notes alone, so that a live run and its trace
 * file give the same. Everything is kept in order of first appearance. */
#ifndef CHECKER_RUN_H
#define CHECKER_RUN_H

#include <glib.h>

#include "checker/finding.h"
#include "checker/run/forgot.h"
#include "checker/run/ids.h"
#include "checker/run/suppress.h"
#include "model/rules/kinds.h"
#include "model/values.h" /* enum bus_agent: who a record is about */
#include "trace/note.h"
#include "trace/record.h"

/* Sums of SUM_* records. For the CPU, ops are accesses; for the others sectors (reads) and lines.
 */
struct run_count {
    uint64_t read_bytes, read_ops, read_hits, read_misses;
    uint64_t write_bytes, write_ops, write_hits, write_misses;
    uint64_t port_read_bytes, port_write_bytes, snooped_lines, atomics;
};

/* Launches of one kernel with the same dimensions. @index: in the run's list */
struct run_kernel {
    unsigned index;
    char *name, *where; /* demangled; of the first launch */
    char *gpu;          /* "dGPU"; NULL: the only one */
    uint32_t grid[3], block[3], stream;
    uint64_t launches, ended, time_ns, warp_insts;
    uint64_t unchecked, partly; /* of those that ended: for races of their threads */
    struct run_count sum;
};

/* One launch: of which kernel, and the number of its code. */
struct run_grid {
    struct run_kernel *kernel;
    uint64_t code;
};

/* What one kernel did to one region. @most_read: bytes, of the launch that read the most; @grid_id,
 * @grid_read: of the last launch. */
struct run_use {
    struct run_kernel *kernel;
    struct run_count sum;
    uint32_t grid_id;
    uint64_t grid_read, most_read;
};

/* CPU accesses to a region from one line of the program. */
struct run_site {
    char *where;
    uint64_t loads, stores, atomics, bytes;
};

/* The program, or a library of its: which of its code has hooks.
 * @hooks: "all", "some", "none", "unheard" (of another version), "unknown"
 * @files, @functions: that have none; functions of files without debug information */
struct run_object {
    char *name, *hooks;
    GPtrArray *files, *functions;
};

struct run_maint {
    uint64_t ops, lines, empty; /* empty: operations that found nothing to do */
};

/* SHARED: of no API, drivers of several engines map it (NvSciBuf). */
enum run_kind {
    RUN_DRIVER,
    RUN_DEVICE,
    RUN_PINNED,
    RUN_REGISTERED,
    RUN_MANAGED,
    RUN_PAGEABLE,
    RUN_SHARED
};

/* A plane of a picture: bytes of its region. */
#define RUN_PLANES 4u
struct run_plane {
    uint64_t offset, bytes;
};

/**
 * struct run_region - one region of memory
 * @number: #1, #2 ... in order of allocation; 0 for driver memory. Pageable memory is one region
 * for all, which gets its number when an engine first uses it
 * @size: asked for; pageable: pages that engines have touched; @len: with padding
 * @times: allocations it stands for: a buffer that one line allocates again after it was freed
 * (once a frame, say) is the same buffer for the report. @id, @va are those of the first and the
 * last
 * @watched: without hooks, too: accesses of the CPU while work on its way may touch it, but for
 *   @unwatched bytes at its ends
 */
struct run_region {
    uint32_t id;
    unsigned number;
    enum run_kind kind;
    bool cpu_cached, freed, watched;
    bool frame;  /* it was a frame of an EGLStream */
    bool vidmem; /* device memory of a discrete GPU beside the integrated one */
    uint64_t unwatched;
    uint64_t va, size, len, times;
    struct run_plane plane[RUN_PLANES]; /* @planes: 0: no picture of NvBufSurface */
    unsigned planes;
    char *api, *where, *attached;
    char
        *forked; /* what a child of fork() does to it that is not checked; NULL: nothing is known */
    struct run_count agent[BUS_AGENT_COUNT];
    GPtrArray *uses, *sites;
    uint32_t last_grid; /* the newest that used it */
    struct run_maint clean, clean_invalidate, invalidate;
    uint64_t stale_lines, cpu_fills, cpu_evicts, lost_bytes;
    struct trace_counts spared;      /* also what was sent */
    uint64_t attach_cpu, attach_gpu; /* hints that changed who has it, Table 2 */
    uint64_t copied_in, copied_out;  /* bytes, by copy calls */
};

/* Copy calls from one line with the same ends. @dst, @src: region ids, 0 = pageable memory. Also:
 * calls that failed, from one line; then @detail is the error's name. */
struct run_copy {
    char *api, *where, *detail, *section;
    uint32_t dst, src;
    uint64_t count, bytes;
};

/**
 * struct run_finding - a defect, as it was first seen
 * @other: the other side of a race; @run: options that make it happen again
 * @threads: both sides are of threads of the CPU: @thread at @where, @other_thread at @other
 * @pair: of two accesses, the places of both; NULL: not of two, or a place is unknown
 * @streams: of the engines among these two, by number: "2", "2,5"
 * @event: a sentence about a wait for an event is in @text, of one of the times at least
 * @buffers, @in_streams: sets of what it was seen in, regions and values of @streams
 */
struct run_finding {
    char *rule, *section, *text, *todo, *where, *kernel;
    char *other, *run, *pair, *streams;
    GHashTable *buffers, *in_streams;
    enum check_severity severity;
    enum check_standing standing;
    uint32_t region;
    uint64_t offset, count, thread, other_thread;
    bool has_offset, threads, event;
};

struct run {
    char *program, *soc, *marketing, *gpu, *os, *policy, *evict, *again;
    unsigned cc;   /* 87 */
    unsigned gpus; /* of the board */
    uint64_t link_mb_s,
        dgpu_mb_s;            /* to the discrete one of two, and of its own memory; 0: no note */
    struct rules_facts facts; /* as far as notes name them */
    struct soc_profile board; /* figures of charges (run_board.h); @has_board: all are there */
    bool has_board;
    uint64_t past_caches; /* bit a: agent a does not see the CPU's caches, where others do */
    bool safety, shared, others, foreign, hooks, machine_sees_cpu, ended;
    uint64_t races;        /* between threads of a kernel are looked for: 1; 2: lanes in step */
    bool races_auto;       /* as long as it costs little: see run_kernel */
    uint64_t races_cut;    /* grids of which a part was not checked for them */
    uint64_t free_threads; /* of the CPU, which made calls and took no turns */
    char *explore;         /* the command that tries their orders */
    char *unseen;      /* by what the CPU's accesses are not seen that else would be; NULL: none */
    uint64_t left_out; /* records of accesses that did not reach the checker */
    uint64_t forgot[RUN_FORGOTS];
    uint64_t process; /* its number among those that share the board; 0: not known */
    char *signal;     /* that killed the program; NULL: none */
    uint64_t status;  /* its exit status, where it ended of its own */
    bool checked;     /* accesses were looked at for races and stale bytes */
    uint64_t seed, time_ns, spin_ns, sleep_ns; /* the last two: waits of the CPU for the board */
    uint64_t cpu_hit_ps, cpu_miss_ps, cpu_uncached_ps, cpu_maintain_ps, cpu_line, bandwidth_mb_s;

    GPtrArray *regions; /* all, in order of their ids' appearance */
    struct ids *by_id;
    struct run_region *gone; /* all driver memory that was freed, as one; NULL: none yet */
    unsigned numbered;
    GPtrArray *kernels, *copies, *findings;
    GPtrArray *noted_advice;           /* findings of severity advice */
    GPtrArray *suppressed;             /* findings that an entry of suppressions covers */
    struct suppressions *suppressions; /* NULL: none; owned */
    bool gen_suppressions;             /* the report has the entry for each finding */
    GPtrArray *objects;                /* struct run_object, where there are hooks */
    GPtrArray *unsupported, *errors;   /* calls that failed: struct run_copy */
    struct ids *grids;                 /* struct run_grid */
    GHashTable *sources;               /* file of places -> path, from where it was compiled */
    GHashTable *here;                  /* file of places -> absolute path on this machine */
    char *folder;                      /* paths in SARIF begin there; NULL: not known */
    GHashTable *files;                 /* "code number" -> path of a source file */
    GHashTable *nonblocking; /* stream -> where it was made so; of streams whose line is known */
    GHashTable *variables;   /* "code kernel" -> "offset bytes name" lines: shared memory */
    GHashTable *channels;    /* channel -> struct run_open: the grid that runs there */

    uint64_t launches, syncs, attaches;
    struct run_maint l2_clean,
        l2_invalidate; /* lines of a clean: dirty ones; of the other: dropped */
    uint64_t l2_clean_bytes, l2_lost_bytes, records;
    bool unsynced_launch; /* a launch since the last synchronisation */
    uint64_t attach_after_launch;
};

struct run *run_new(void);
void run_free(struct run *r);

void run_record(struct run *r, const struct trace_record *record);

/* Return: true if the report knew nothing like it before (findings: not a repetition). */
bool run_note(struct run *r, const struct note *n);

/* NULL if there is no such region. */
struct run_region *run_region(const struct run *r, uint32_t id);

/* Launches and freed buffers that are remembered; older ones have no name any more. */
enum { RUN_GRIDS_KEPT = 4096, RUN_REGIONS_KEPT = 4096 };

bool run_forgot_any(const struct run *r);

/* Do all objects of the program have compiler hooks? */
bool run_all_hooked(const struct run *r);

/* Which mistake with the region would have been missed, because the CPU's accesses were not seen:
 * "whether the CPU waits ...". NULL: none that is known. */
const char *run_unchecked(const struct run *r, const struct run_region *region);
/* How they would be. */
#define RUN_UNCHECKED_COMMAND "vtegra cc --track"
/* Was anything of the run not checked? */
bool run_unchecked_any(const struct run *r);

/* The kernel of a launch. NULL: not known, or long over. */
struct run_kernel *run_grid_kernel(const struct run *r, uint32_t grid_id);

/* The grid that runs; 0: none, or more than one. */
uint32_t run_grid_open(const struct run *r);
/* The grid that runs on a channel; 0: none. */
uint32_t run_grid_on(const struct run *r, uint32_t channel);

/* A line of the kernel that a grid runs, "app.cu:12", from a place as GPU records give it: number
 * of the file << 32 | line. NULL: not known. g_free(). */
char *run_kernel_line(const struct run *r, uint32_t grid_id, uint64_t place);

/* The region a CPU address (= GPU virtual address) lies in; NULL. */
struct run_region *run_region_at(const struct run *r, uint64_t va);

/* "iGPU", or "dGPU" where it is a discrete one */
const char *run_gpu_name(const struct run *r);

/* Table 1: the iGPU reaches it past its L2. False for driver memory: its traffic counts as through
 * the L2. */
bool run_igpu_uncached(const struct run *r, const struct run_region *region);

/* Allocated pinned, or registered. */
bool run_is_pinned(const struct run_region *region);

/* Which row of Table 1 a kind is. */
enum rules_kind run_rules_kind(enum run_kind kind);

/* One line of the program made both: a pool of frames, say. */
bool run_of_one_line(const struct run_region *a, const struct run_region *b);

/* What kernels of both GPUs read and wrote; the other members are 0. */
struct run_count run_gpu_count(const struct run_region *region);

/* Table 1, third column: of the discrete GPU of a board with two. */
enum rules_caching run_dgpu_caching(const struct run *r, const struct run_region *region);

/* Streams are numbered by device: from this bit on stands which. "stream 3", "stream 3 of device
 * 1". g_free(). */
enum { RUN_STREAM_DEVICE = 24 };
char *run_stream_text(uint32_t stream);

/* Where the program made the stream with cudaStreamNonBlocking, "app.cu:16 in main". NULL: it did
 * not, or the line is not known. */
const char *run_stream_nonblocking(const struct run *r, uint32_t stream);

/* Kernels used it, and neither copies nor (as far as is seen) the CPU did. */
bool run_only_igpu(const struct run_region *region);

/* "#1 (cudaMallocManaged 4.0 MiB at app.cu:41)"; "driver memory". g_free(). */
char *run_region_name(const struct run_region *region);

const char *run_kind_name(enum run_kind kind); /* "pinned" */

/* "4.0 MiB", "512 B"; "12.345 ms". g_free(). */
char *run_size_text(uint64_t bytes);
char *run_time_text(uint64_t ns);

extern const char *const run_severity_name[]; /* by enum check_severity */
extern const char *const run_standing_name[];
extern const char *const run_attach_name[]; /* by enum check_attach */

#endif
