/* SPDX-License-Identifier: MIT */
/* The checker: what the driver core reports to it, and what it makes of that and of the board's
 * records.
 *
 * What happened on the board comes as records (check_sink). What only the API knows (which call
 * allocated a buffer, a kernel's name, why a buffer is protected) comes through the calls below.
 * Both go into the trace file, so that a report made from a trace equals the live one.
 *
 * Locking: every call may be made from any thread and takes the checker's own lock, which is inside
 * the driver core's; the checker never calls the driver core, and of the HAL only hal_mem_find().
 * A NULL checker is accepted everywhere and does nothing: check off.
 */
#ifndef RUNTIME_OBSERVE_CHECK_H
#define RUNTIME_OBSERVE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checker/finding.h"
#include "checker/print/formats.h"
#include "checker/rules/kernel_fault.h"
#include "checker/rules/rules.h"
#include "checker/run/forgot.h"
#include "runtime/hal.h"

struct check;

/**
 * struct check_config - one run
 * @profile: the SoC; copied
 * @os: "linux" (L4T), "qnx", "android" or "embedded-linux"
 * @policy, @evict: names, as on the command line: "lazy", "never"
 * @folder: where `vtegra run` was started; NULL: here
 * @program: argv[0] of the application; NULL: that of this process
 * @report_path: where the text report goes; NULL: stderr
 * @json_path, @trace_path: NULL: none
 * @form_path: the report in other forms (checker/print/formats.h); NULL: not
 * @perfetto_path: the run as Perfetto's track events; NULL: none
 * @again: the command that makes this run again; NULL: findings name options instead
 * @json_if_found: no JSON report where nothing was found
 * @error_exitcode, @unchecked_exitcode: see check_exit_status(); 0: none
 * @suppressions_path: entries of findings to leave out (docs/suppressions.md); NULL: none
 * @gen_suppressions: the report has the entry for each finding
 * @quiet: no text report; findings of severity error are still printed as they happen
 * @past_caches: bit a: accesses of agent a do not see the CPU's caches, though the SoC is I/O
 *               coherent
 * @machine_sees_cpu: records hold every access of the CPU, the program has no hooks (QEMU)
 * @safety: the run is for a safety context: advice of the note's 3.1 note applies
 * @shared: other processes of the run have the same board
 * @races: between the threads of each kernel; lockstep: the lanes of a warp go in step.
 * @races_auto: only with @hb, and as long as it costs little
 * @hb: look for races and stale bytes in every single access (hb.h)
 * @trace_classes: classes of enum trace_class for the trace file; 0: all but ACCESS and CACHE
 *
 * Strings are copied.
 */
struct check_config {
    const struct soc_profile *profile;
    const char *os, *policy, *evict, *program, *folder;
    uint64_t seed;
    const char *report_path, *json_path, *trace_path, *perfetto_path;
    const char *form_path[REPORT_FORMATS];
    char *again;
    bool json_if_found, quiet, safety, shared, machine_sees_cpu;
    uint64_t past_caches;
    enum check_races { CHECK_RACES_OFF, CHECK_RACES_ON, CHECK_RACES_LOCKSTEP } races;
    bool races_auto;
    int error_exitcode, unchecked_exitcode;
    const char *suppressions_path;
    bool gen_suppressions;
    enum check_hb {
        CHECK_HB_AUTO /* where the program was built with hooks */,
        CHECK_HB_ON,
        CHECK_HB_OFF
    } hb;
    unsigned trace_classes;
};

/**
 * check_open - begin to watch a run
 *
 * A report, JSON or trace file that cannot be created is said on stderr at once and the run goes on
 * without it (the report then goes to stderr). Return: the checker, never NULL.
 */
struct check *check_open(const struct check_config *config);

/* Before check_close(), where the board has not been shut down: the CPU's accesses so far count. */
void check_accesses_end(struct check *c);
/* Before check_close(): how the program ends, by @signal ("SIGINT", constant text) or, NULL, with
 * @status. */
void check_ends(struct check *c, int status, const char *signal);

/* The CPU waited for the board so long, spinning or asleep (CUDA for Tegra 3.5). */
void check_waited(struct check *c, uint64_t ns, bool sleeps);

/**
 * check_close - the run is over: write report, JSON and the rest of the trace
 *
 * Only the first call does anything, and only in the process that called check_open() (a child of
 * fork() writes nothing). Called from atexit() and by the fault handler before the process dies.
 * Calls that come later from other threads are accepted and ignored. Never changes errno or the
 * exit status.
 */
void check_close(struct check *c);

/**
 * check_exit_status - after check_close(): what the process that watches is to end with
 *
 * Return: the configured error_exitcode if there are errors or warnings among the findings; else
 * unchecked_exitcode, if @status is 0 and something was not checked; else @status.
 */
int check_exit_status(const struct check *c, int status);
void check_free(struct check *c); /* after check_close() */

/* As configured, off where accesses are not checked */
enum check_races check_races(const struct check *c);

/* For hal_observe(): the classes the checker and the trace file want, and the sink; opaque is the
 * checker. */
unsigned check_mask(const struct check *c);
void check_sink(void *check, const struct trace_record *record);
/* For hal_spare(): what it can do without; nothing, if a trace file has all. NULL: no checker. */
const struct trace_spare *check_spare(struct check *c);

#define CHECK_CALLER_DEPTH 10

/**
 * struct check_caller - where the application called us from
 * @pc: return addresses outside our libraries, innermost first, 0 behind the last. More than one,
 *      because wrappers (launch stubs, templates of cuda_runtime.h) lie between us and the line
 * that the developer wrote; the report picks it.
 * @entry: an address in the function of ours that was called (cudaMallocManaged); 0 if unknown
 */
struct check_caller {
    uintptr_t pc[CHECK_CALLER_DEPTH];
    uintptr_t entry;
};

/* A function's name as it was written, without its parameters. g_free() it. */
char *check_demangle(const char *mangled);
char *check_demangle_text(const char *text);

/* Code of ours that is linked into the program (libcudart_static.a) lies from @start up to @stop: a
 * caller is outside of it, and an @entry may be inside. */
void check_own_code(const void *start, const void *stop);

/* check_caller_get - capture it; about 2 us. check_caller_pc - the innermost one only. */
struct check_caller check_caller_get(void);
uintptr_t check_caller_pc(void);

/**
 * struct check_region - memory the application asked for
 * @mem: as the HAL gave it; @mem->id is the region of the records. Size may be more than asked for.
 * @size: what the application asked for
 * @api: the call that made it: "cudaMallocManaged"; constant text. The driver core knows only its
 *       own entry points: what the application called is found by the checker from @caller
 * @attached: for managed memory, its first attachment
 * @heap: that of malloc() in kernels: its blocks change hands unseen, so races in it are not looked
 * for
 *
 * Regions never announced here (rings, page tables, staging) appear in the report as one line of
 * driver memory.
 */
struct check_region {
    struct hal_mem mem;
    uint64_t size;
    const char *api;
    enum check_attach attached;
    bool heap;
    struct check_caller caller;
};
void check_region_add(struct check *c, const struct check_region *region);
void check_region_remove(struct check *c, uint32_t region, const struct check_caller *caller);
/* From now on the CPU's accesses to it are seen while work may touch it (closed.h), but for @left
 * bytes at its ends. */
void check_region_watched(struct check *c, uint32_t region, uint64_t left);
/* From now on accesses are not seen that were until now; @by: what the program does, "io_uring". */
void check_unseen(struct check *c, const char *by);
/* So many threads made calls and took no turns; @explore: the command that tries their orders. */
void check_free_threads(struct check *c, unsigned threads, const char *explore);
/* It has these planes, whose caches the program maintains: "offset+bytes offset+bytes". */
void check_region_planes(struct check *c, uint32_t region, const char *planes);
/* Are accesses compared with each other, so that old bytes are found when they are read? */
bool check_exact(const struct check *c);
/* A frame of an EGLStream changes hands: checker/rules/frame_rule.h, which compares what kernels
 * do. */
struct frame_turn;
void check_frame(struct check *c, const struct frame_turn *turn);
/* OpenGL's side of an EGLImage: checker/rules/image_rule.h. */
struct image_turn;
void check_image(struct check *c, const struct image_turn *turn);

/* The newest kernel that was seen to use the region; 0: none. */
uint32_t check_last_grid(struct check *c, uint32_t region);
/* Records of @region are about pages of the process that no call announced: malloc, static, stack.
 */
void check_pageable(struct check *c, uint32_t region);

/**
 * struct check_kernel - a launch, reported before its doorbell rings
 * @grid_id: as in the launch descriptor and in GRID_BEGIN; never 0
 * @name: entry name as in PTX (mangled); copied
 * @gpu: "dGPU", on a board with two; NULL: the only one; constant text
 * @stream: 0 = the default stream, then 1, 2 ... in order of creation; of the device from bit
 * RUN_STREAM_DEVICE on
 * @code: number of the code it is part of, not 0; @files: its source files by the number that
 * GPU_AT records give (entries may be NULL), only looked at
 */
struct check_kernel {
    uint32_t grid_id;
    const char *name, *gpu;
    uint32_t stream;
    uint32_t grid[3], block[3];
    uint64_t code;
    const char *const *files;
    uint32_t n_files;
    struct check_caller caller;
};
void check_kernel(struct check *c, const struct check_kernel *kernel);

/* An API call that the advice needs to know about. */
enum check_note_kind {
    CHECK_NOTE_COPY,        /* region = destination, region2 = source; 0 = pageable memory */
    CHECK_NOTE_FILL,        /* region, bytes */
    CHECK_NOTE_FREE,        /* region; the thread's next submission frees it in its stream */
    CHECK_NOTE_ALLOC,       /* region; the thread's next submission allocates it in its stream */
    CHECK_NOTE_ATTACH,      /* region, attach = new state, stream; prefetch as Table 2 says */
    CHECK_NOTE_SYNC,        /* the CPU waited: stream, or all if stream is CHECK_ALL_STREAMS */
    CHECK_NOTE_ERROR,       /* the call returned an error; detail = its name, e.g.
                               "CUDA_ERROR_INVALID_VALUE" */
    CHECK_NOTE_UNSUPPORTED, /* the same, because this SoC or OS has no such thing */
    CHECK_NOTE_SIGNAL,      /* of a sync object of NvSci, in stream, behind what that was given; */
    CHECK_NOTE_WAIT,        /* for one; skips = without maintenance of the L2 */
    CHECK_NOTE_FRAME, /* region, a frame of an EGLStream, was given to the program in stream */
    CHECK_NOTE_FRAME_TAKEN, /* the program has passed it on, in stream */
    CHECK_NOTE_FUNCTION,    /* a host function: the thread's next release of one stands for it */
};
#define CHECK_ALL_STREAMS UINT32_MAX

/**
 * struct check_note - one such call
 * @api: name of the call, constant text; NULL: the checker finds it from @caller
 * @detail: more, or NULL; copied
 * @section: for errors: where the rule stands, "CUDA for Tegra 3.6", or NULL; constant text
 */
struct check_note {
    enum check_note_kind kind;
    const char *api;
    uint32_t region, region2, stream;
    uint64_t bytes;
    bool skips;
    enum check_attach attach;
    const char *detail, *section;
    struct check_caller caller;
};
void check_api_note(struct check *c, const struct check_note *note);

/* The function that the program called: cudaGraphCreate rather than @api, the cuGraphCreate below
 * it;
 * @api if that is not known. g_free() it. */
char *check_called(struct check *c, const char *api, const struct check_caller *caller);

/* Where that was: "app.cu:41 in main"; NULL if nothing is known. g_free() it. */
char *check_called_at(struct check *c, const struct check_caller *caller);

/* An event was recorded in a stream: the syncpoint has @value when the event is reached. For
 * whoever follows syncpoints (TRACE_SYNC in check_mask()). */
void check_event(struct check *c, uint32_t syncpt, uint32_t value, uint32_t stream,
                 const struct check_caller *caller);

/* A stream was made that does not wait for the legacy default stream (cudaStreamNonBlocking). */
void check_stream_nonblocking(struct check *c, uint32_t stream, const struct check_caller *caller);

/* The next submission waits for that event, also where there is nothing to wait for: it was
 * recorded in the same stream, or is over. */
void check_event_wait(struct check *c, uint32_t syncpt, uint32_t value);

/* Of @what so many could not be kept (run.h): the report says what was not checked. */
void check_forgot(struct check *c, enum run_forgot what, uint64_t times);

/**
 * struct check_finding - something the application should know
 * @rule: short stable id, "managed-active-touch"; the same rule at the same place (caller, and
 * region or regions that one line made) is printed once and counted
 * @section: document and section, "CUDA for Tegra 3.3"; constant text
 * @text: what happened, one or two sentences, without the place; copied
 * @todo: what to do; copied
 * @grid_id, @region: 0 if it concerns none; the report adds their names
 * @address: in @region, 0 if none: printed as an offset
 *
 * Errors and warnings are printed as they happen and again in the report.
 */
struct check_finding {
    const char *rule;
    enum check_severity severity;
    enum check_standing standing;
    const char *section;
    const char *text, *todo;
    uint32_t grid_id, region;
    uint64_t address;
    struct check_caller caller;
};
/* Of a row of checker/rules/rules.def; the rest is 0. */
struct check_finding check_finding_of(enum check_rule_id id);
void check_finding(struct check *c, const struct check_finding *finding);

/* A grid or command failed on the board. */
void check_kernel_fault(struct check *c, const struct check_fault *fault);

/**
 * check_managed_state - a managed region was closed to the CPU, or opened again
 * @grid_id: the launch because of which it is @closed; 0: it is a copy or a fill
 * @stream: the stream of that work
 *
 * Call it again where that work is over and other work keeps the region closed.
 */
void check_managed_state(struct check *c, uint32_t region, bool closed, uint32_t grid_id,
                         uint32_t stream);

/**
 * check_fault_install - from now on SIGSEGV and SIGBUS come here first
 * @resolve: asked first for an address in one of our regions; true = the access may be tried again.
 *           Runs on the faulting thread inside the handler with no lock of the checker held. May be
 *           NULL
 *
 * A touch of one of our regions that has no resolution becomes a finding; then the signal that the
 * board gives (rules.managed_touch_signal) goes to the application's own handler, or kills the
 * process after check_close(). Addresses that are not ours go where they went before.
 */
typedef bool check_resolve(void *opaque, const struct hal_mem *mem, void *address, bool write);
void check_fault_install(struct check *c, struct hal *hal, check_resolve *resolve, void *opaque);

/**
 * check_hooks_install - from now on the compiler hooks (runtime/track) report to the HAL and the
 * checker
 * @c: NULL: they report to the HAL only
 * @arena_base, @arena_size: where the HAL's memory lies in this process; memory registered later is
 *                           learnt from check_region_add()
 *
 * Does nothing where the program was built without hooks. Call it before the application can get a
 * buffer; with a size of 0 when the HAL closes.
 */
void check_hooks_install(struct check *c, struct hal *hal, uint64_t arena_base,
                         uint64_t arena_size);

/* The calling thread has released or acquired a flag of the program's that hooks may see, too. */
void check_flag(const void *address, bool release);

/* Is the calling thread in a hook, or in a call that has locked what hooks lock? A signal handler
 * finds it so. */
bool check_hooked(void);

/* @figures is asked for what /proc/meminfo shows, from any thread; nothing without `vtegra run`
 * (runtime/preload/memory_text.h). */
struct memory_figures;
void check_memory_files(void (*figures)(struct memory_figures *out));

#endif
