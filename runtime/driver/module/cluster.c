/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: what a launch may ask for, and how many there is room for. The codes are an
 * H200's (measured on one with driver 580); boards below compute capability 9.0 have none. */
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/module/module_internal.h"
#include "runtime/driver/module/rt_launch.h"

#define PORTABLE_BLOCKS 8u /* CUDA Programming Guide, thread block clusters */
#define MOST_BLOCKS 16u    /* with NON_PORTABLE_CLUSTER_SIZE_ALLOWED: measured */

static bool has_clusters(const struct function *f)
{
    return function_profile(f)->gpu.cc_major >= 9;
}

static uint32_t blocks_most(const struct function *f)
{
    uint32_t most = f->cluster.wide ? MOST_BLOCKS : PORTABLE_BLOCKS;

    return f->func->maxclusterrank ? MIN(most, f->func->maxclusterrank) : most;
}

/* What the kernel or the program asks for; all 0: nothing */
static const uint32_t *dims_required(const struct function *f)
{
    return f->func->cluster[0] ? f->func->cluster : f->cluster.dims;
}

char *cluster_dims(const struct function *f, const uint32_t grid[3], uint32_t dims[3])
{
    const uint32_t *required = dims_required(f);
    const bool given = dims[0] | dims[1] | dims[2];

    if (given && required[0] && memcmp(dims, required, 3 * sizeof(dims[0]))) {
        return g_strdup_printf("a cluster of %u x %u x %u blocks, the kernel is for %u x %u x %u",
                               dims[0], dims[1], dims[2], required[0], required[1], required[2]);
    }
    memcpy(dims, given ? dims : required, 3 * sizeof(dims[0]));
    if (!(dims[0] | dims[1] | dims[2])) {
        return f->func->explicit_cluster
                   ? g_strdup("the kernel is .explicitcluster, and the launch names no cluster")
                   : NULL;
    }
    if (!has_clusters(f)) {
        bool one = dims[0] == 1 && dims[1] == 1 && dims[2] == 1;

        memset(dims, 0, 3 * sizeof(dims[0]));
        return one ? NULL
                   : g_strdup("clusters of several blocks need compute capability 9.0 or higher");
    }
    for (unsigned i = 0; i < 3; i++) {
        if (!dims[i] || dims[i] > MOST_BLOCKS || grid[i] % dims[i]) {
            return g_strdup_printf("cluster size %c is %u, it has to divide grid size %u",
                                   'x' + (int)i, dims[i], grid[i]);
        }
    }
    return cluster_blocks(dims) > blocks_most(f)
               ? g_strdup_printf("a cluster of %u blocks, allowed are %u (16 on this SoC with "
                                 "cudaFuncAttributeNonPortableClusterSizeAllowed)",
                                 cluster_blocks(dims), blocks_most(f))
               : NULL;
}

bool cluster_attribute(const struct function *f, CUfunction_attribute attribute, int *value)
{
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = f->func->explicit_cluster; /* a size alone does not: measured */
        return true;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)dims_required(f)[(int)attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        return true;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = f->cluster.wide;
        return true;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = f->cluster.policy;
        return true;
    default:
        return false;
    }
}

CUresult cluster_attribute_set(const struct function *f, CUfunction_attribute attribute, int value,
                               struct cluster_wish *wish)
{
    int now;

    if (!has_clusters(f) || value < 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        cluster_attribute(f, attribute, &now);
        if (f->func->cluster[0] && now != value) { /* documented: set at compile time */
            return CUDA_ERROR_NOT_PERMITTED;
        }
        wish->dims[(int)attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = (uint32_t)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        wish->wide = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        wish->policy = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* --- how many there is room for --- */

/* What both calls are given. Return: the lock is held on success */
static CUresult occupancy_take(CUfunction handle, const CUlaunchConfig *config, const int *out,
                               struct function **f, uint32_t dims[3])
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = function_resolve(c, handle, f);
    if (!error && (!config || !out || (config->numAttrs && !config->attrs))) {
        error = CUDA_ERROR_INVALID_VALUE;
    }
    if (!error && !has_clusters(*f)) {
        error = CUDA_ERROR_NOT_SUPPORTED;
    }
    for (unsigned i = 0; !error && i < config->numAttrs; i++) {
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            memcpy(dims, &config->attrs[i].value.clusterDim, 3 * sizeof(dims[0]));
        }
    }
    return error ? core_leave(error) : CUDA_SUCCESS;
}

/* 0: not one */
static uint32_t blocks_at_once(const struct function *f, const CUlaunchConfig *c)
{
    uint64_t threads = (uint64_t)c->blockDimX * c->blockDimY * c->blockDimZ;

    if (!threads || threads > function_profile(f)->gpu.block_threads_max ||
        c->sharedMemBytes > (unsigned)f->max_dynamic) {
        return 0;
    }
    return occupancy_blocks(f, (unsigned)threads, c->sharedMemBytes) *
           function_profile(f)->gpu.sm_count;
}

/* Of Thor no document says which SMs a cluster may span: any here (inferred). */
CUresult rt_occupancy_max_active_clusters(int *clusters, CUfunction function,
                                          const CUlaunchConfig *config)
{
    struct function *f;
    uint32_t dims[3] = { 0 };
    CUresult error = occupancy_take(function, config, clusters, &f, dims);
    g_autofree char *why = NULL;

    if (error) {
        return error;
    }
    why =
        cluster_dims(f, (uint32_t[]){ config->gridDimX, config->gridDimY, config->gridDimZ }, dims);
    if (why) {
        return core_leave(CUDA_ERROR_INVALID_CLUSTER_SIZE);
    }
    /* without a size: none (measured) */
    *clusters = dims[0] ? (int)(blocks_at_once(f, config) / cluster_blocks(dims)) : 0;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_occupancy_max_cluster_size(int *blocks, CUfunction function,
                                       const CUlaunchConfig *config)
{
    struct function *f;
    uint32_t dims[3] = { 0 }, most;
    CUresult error = occupancy_take(function, config, blocks, &f, dims);
    g_autofree char *why = NULL;

    if (error) {
        return error;
    }
    why =
        cluster_dims(f, (uint32_t[]){ config->gridDimX, config->gridDimY, config->gridDimZ }, dims);
    if (why) { /* measured: of a size that a launch may not have, too */
        return core_leave(CUDA_ERROR_INVALID_CLUSTER_SIZE);
    }
    most = blocks_most(f);
    while (most > blocks_at_once(f, config)) {
        most--;
    }
    *blocks = (int)most;
    return core_leave(CUDA_SUCCESS);
}
