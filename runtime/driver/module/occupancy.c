/* SPDX-License-Identifier: MIT */
/* How many blocks fit on an SM: warps, registers, shared memory, block slots.
 * Source: CUDA Programming Guide, "Hardware multithreading" and the technical specifications; the
 * units of allocation are those of NVIDIA's occupancy calculator. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/module/rt_launch.h"

#define WARP_REGISTER_UNIT 256u /* registers are given to a warp in this many */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Shared memory is given in 128 bytes from compute capability 8.0 on, in 256 before. */
static unsigned shared_unit(const struct soc_profile *p)
{
    return p->gpu.cc_major >= 8 ? 128 : 256;
}

static unsigned warp_registers(const struct function *f)
{
    return (unsigned)round_up((uint64_t)f->registers * function_profile(f)->gpu.warp_threads,
                              WARP_REGISTER_UNIT);
}

static unsigned warps_of(const struct function *f, unsigned threads)
{
    const uint32_t warp = function_profile(f)->gpu.warp_threads;

    return (threads + warp - 1) / warp;
}

bool occupancy_registers_fit(const struct function *f, unsigned threads)
{
    return warps_of(f, threads) * warp_registers(f) <= function_profile(f)->gpu.block_regs;
}

unsigned occupancy_blocks_most(const struct function *f, unsigned threads, size_t dynamic_shared)
{
    const struct soc_profile *p = function_profile(f);
    uint64_t shared = f->func->shared_bytes + dynamic_shared;
    unsigned by_warps = p->gpu.sm_threads_max / p->gpu.warp_threads / warps_of(f, threads);
    uint64_t a_block = round_up(shared + p->gpu.block_smem_reserved_bytes, shared_unit(p));
    unsigned blocks = MIN(p->gpu.sm_blocks_max, by_warps);

    if (shared > p->gpu.block_smem_optin_bytes) {
        return 0;
    }
    return a_block ? (unsigned)MIN(blocks, p->gpu.sm_smem_bytes / a_block) : blocks;
}

unsigned occupancy_blocks(const struct function *f, unsigned threads, size_t dynamic_shared)
{
    unsigned most = occupancy_blocks_most(f, threads, dynamic_shared);
    unsigned by_registers =
        function_profile(f)->gpu.sm_regs / warp_registers(f) / warps_of(f, threads);

    if (f->registers_guessed) {
        by_registers = MAX(by_registers, 1u);
    } else if (!occupancy_registers_fit(f, threads)) {
        return 0;
    }
    return MIN(most, by_registers);
}

/* The largest block: what the device and the kernel's own bounds allow, as far as registers go. */
unsigned occupancy_max_threads(const struct function *f)
{
    const struct soc_profile *p = function_profile(f);
    const uint32_t *bound = f->func->reqntid[0] ? f->func->reqntid : f->func->maxntid;
    uint64_t most = p->gpu.block_threads_max;

    if (bound[0]) {
        most = MIN(most, (uint64_t)bound[0] * MAX(bound[1], 1u) * MAX(bound[2], 1u));
    }
    if (f->registers_guessed) {
        return (unsigned)most;
    }
    return (unsigned)MIN(most,
                         (uint64_t)p->gpu.block_regs / warp_registers(f) * p->gpu.warp_threads);
}

/* Entered, with the function; the lock is held on success. */
static CUresult occupancy_enter(CUfunction handle, struct function **f)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = function_resolve(c, handle, f);
    return error ? core_leave(error) : CUDA_SUCCESS;
}

CUresult rt_occupancy_max_blocks(int *blocks, CUfunction function, int block_threads,
                                 size_t dynamic_shared, unsigned flags)
{
    struct function *f;
    CUresult error = occupancy_enter(function, &f);

    if (error) {
        return error;
    }
    if (!blocks || block_threads <= 0 ||
        (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    /* A kernel's own bounds are not looked at (measured). */
    *blocks = (unsigned)block_threads > function_profile(f)->gpu.block_threads_max ||
                      dynamic_shared > function_profile(f)->gpu.block_smem_optin_bytes
                  ? 0
                  : (int)occupancy_blocks(f, (unsigned)block_threads, dynamic_shared);
    return core_leave(CUDA_SUCCESS);
}

/* The block size with the most resident threads; of equals the largest. The application's function
 * is called with the lock held: it only computes. */
CUresult rt_occupancy_max_block_size(int *min_grid, int *block_threads, CUfunction function,
                                     CUoccupancyB2DSize shared_of_block, size_t dynamic_shared,
                                     int limit, unsigned flags)
{
    struct function *f;
    unsigned best = 0, best_blocks = 0, most;
    CUresult error = occupancy_enter(function, &f);

    if (error) {
        return error;
    }
    if (!min_grid || !block_threads || limit < 0 ||
        (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    most = occupancy_max_threads(f);
    most = limit ? MIN(most, (unsigned)limit) : most;
    for (unsigned threads = (unsigned)round_up(most, 32); threads >= 32; threads -= 32) {
        unsigned n = MIN(threads, most);
        unsigned blocks =
            occupancy_blocks(f, n, shared_of_block ? shared_of_block((int)n) : dynamic_shared);

        if (blocks * n > best_blocks * best) {
            best = n;
            best_blocks = blocks;
        }
    }
    *block_threads = (int)best;
    *min_grid = (int)(best_blocks * function_profile(f)->gpu.sm_count);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_occupancy_available_shared(size_t *bytes, CUfunction function, int blocks,
                                       int block_threads)
{
    const struct soc_profile *p;
    struct function *f;
    uint64_t each;
    CUresult error = occupancy_enter(function, &f);

    if (error) {
        return error;
    }
    p = function_profile(f);
    if (!bytes || blocks <= 0 || block_threads <= 0 ||
        occupancy_blocks(f, (unsigned)block_threads, 0) < (unsigned)blocks) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    each = p->gpu.sm_smem_bytes / (unsigned)blocks / shared_unit(p) * shared_unit(p);
    each = MIN(each, (uint64_t)p->gpu.block_smem_optin_bytes + p->gpu.block_smem_reserved_bytes);
    *bytes = each - MIN(each, f->func->shared_bytes + p->gpu.block_smem_reserved_bytes);
    return core_leave(CUDA_SUCCESS);
}
