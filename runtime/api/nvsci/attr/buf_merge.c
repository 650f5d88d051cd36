/* SPDX-License-Identifier: MIT */
/* NvSciBuf: reconciliation. Source: DRIVE OS API reference 6.0.10, "Reconciliation" and "Value" of
 * each attribute key. */
#include <string.h>

#include "runtime/api/nvsci/attr/buf_layout.h"
#include "runtime/api/nvsci/attr/reconcile.h"

struct engine_row {
    uint32_t name, pitch, height, base;
    bool isochronous;
};

#define ENGINE(name, pitch, height, base, isochronous) \
    { NvSciBufHwEngName_##name, pitch, height, base, isochronous },
static const struct engine_row engine_rows[] = {
#include "runtime/api/nvsci/attr/engines.def"
};

static const struct engine_row *engine_row(uint32_t name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(engine_rows); i++) {
        if (engine_rows[i].name == name) {
            return &engine_rows[i];
        }
    }
    return NULL;
}

/* Who uses the buffer, over all lists. */
struct users {
    bool cpu, engine, past_caches;
    struct engine_needs needs;
};

static bool past_caches(const struct sci_chip *chip, uint32_t name)
{
    bool past = name != NvSciBufHwEngName_Gpu && !chip->io_coherent;

    for (unsigned i = 0; i < G_N_ELEMENTS(chip->past_caches); i++) {
        past |= name != NvSciBufHwEngName_Invalid && chip->past_caches[i] == name;
    }
    return past;
}

static void users_add(struct users *u, const struct sci_chip *chip, uint32_t name)
{
    const struct engine_row *row = engine_row(name);

    u->engine |= name != NvSciBufHwEngName_Gpu;
    u->past_caches |= past_caches(chip, name);
    if (row) {
        u->past_caches |= row->isochronous;
        u->needs.pitch = MAX(u->needs.pitch, row->pitch);
        u->needs.height = MAX(u->needs.height, row->height);
        u->needs.base = MAX(u->needs.base, row->base);
    }
}

static void users_find(const struct merge *m, const struct sci_chip *chip, struct users *u)
{
    const struct sci_value *engines =
        sci_list_get(m->out, NvSciBufGeneralAttrKey_PeerHwEngineArray);

    *u = (struct users){ .needs = { 1, 1, 1 } };
    for (unsigned i = 0; i < merge_slots(m); i++) {
        const struct sci_value *cpu = merge_value(m, i, NvSciBufGeneralAttrKey_NeedCpuAccess);

        u->cpu |= cpu && *(const bool *)cpu->data;
    }
    for (uint32_t i = 0; engines && i < engines->count; i++) {
        const NvSciBufPeerHwEngine *e = engines->data;

        users_add(u, chip, e[i].engName);
    }
    if (sci_list_get(m->out, NvSciBufGeneralAttrKey_GpuId)) {
        users_add(u, chip, NvSciBufHwEngName_Gpu);
    }
}

/* --- types --- */

bool sci_buf_has_type(const struct sci_list *list, NvSciBufType type)
{
    const struct sci_value *types = sci_list_get(list, NvSciBufGeneralAttrKey_Types);

    for (uint32_t i = 0; types && i < types->count; i++) {
        if (((const uint32_t *)types->data)[i] == (uint32_t)type) {
            return true;
        }
    }
    return false;
}

/* All lists have one type, or Image and Tensor alone are among them; a pyramid is of images (its
 * level 0 is one). */
static void merge_types(struct merge *m)
{
    GArray *all = merge_union(m, NvSciBufGeneralAttrKey_Types);
    unsigned set = 0;

    for (guint i = 0; i < all->len; i++) {
        set |= 1u << g_array_index(all, uint32_t, i);
    }
    if (set && (set & (set - 1)) && set != (1u << NvSciBufType_Image | 1u << NvSciBufType_Tensor) &&
        set != (1u << NvSciBufType_Image | 1u << NvSciBufType_Pyramid)) {
        merge_fail(m, NvSciBufGeneralAttrKey_Types, NvSciError_ReconciliationFailed,
                   "only Image and Tensor go together");
    } else if (all->len) {
        merge_put(m, NvSciBufGeneralAttrKey_Types, all->data, all->len);
    } else {
        merge_missing(m, NvSciBufGeneralAttrKey_Types);
    }
    g_array_unref(all);
}

/* An image that is a tensor, too: reference, NvSciBufGeneralAttrKey_Types. */
static void check_tensor_image(struct merge *m)
{
    uint64_t color = sci_list_u64(m->out, NvSciBufTensorAttrKey_PixelFormat, 0, 0);

    if (sci_list_u64(m->out, NvSciBufTensorAttrKey_NumDims, 0, 0) != 4) {
        merge_fail(m, NvSciBufTensorAttrKey_NumDims, NvSciError_ReconciliationFailed,
                   "a tensor that is an image has 4 dimensions, NHWC");
    } else if (sci_list_u64(m->out, NvSciBufTensorAttrKey_SizePerDim, 0, 0) != 1) {
        merge_fail(m, NvSciBufTensorAttrKey_SizePerDim, NvSciError_ReconciliationFailed,
                   "a tensor that is an image has N = 1");
    } else if (color != NvSciColor_A8B8G8R8 && color != NvSciColor_Float_A16B16G16R16) {
        merge_fail(m, NvSciBufTensorAttrKey_PixelFormat, NvSciError_ReconciliationFailed,
                   "a tensor that is an image is A8B8G8R8 or Float_A16B16G16R16");
    } else if (sci_list_u64(m->out, NvSciBufImageAttrKey_Layout, 0, 0) !=
               NvSciBufImage_PitchLinearType) {
        merge_fail(m, NvSciBufImageAttrKey_Layout, NvSciError_ReconciliationFailed,
                   "an image that is a tensor is pitch linear");
    } else if (sci_list_u64(m->out, NvSciBufImageAttrKey_PlaneColorFormat, 0, 0) != color) {
        merge_fail(m, NvSciBufImageAttrKey_PlaneColorFormat, NvSciError_ReconciliationFailed,
                   "the image's format is not the tensor's");
    }
    for (uint32_t key = NvSciBufImageAttrKey_TopPadding;
         key <= (uint32_t)NvSciBufImageAttrKey_RightPadding; key++) {
        if (sci_list_u64(m->out, key, 0, 0)) {
            merge_fail(m, key, NvSciError_ReconciliationFailed,
                       "an image that is a tensor has no padding");
        }
    }
}

static void buf_merge_layout(struct merge *m, const struct engine_needs *needs)
{
    bool image = sci_buf_has_type(m->out, NvSciBufType_Image);
    bool tensor = sci_buf_has_type(m->out, NvSciBufType_Tensor);
    bool pyramid = sci_buf_has_type(m->out, NvSciBufType_Pyramid);

    if (sci_buf_has_type(m->out, NvSciBufType_RawBuffer)) {
        merge_missing(m, NvSciBufRawBufferAttrKey_Size);
    }
    if (image && tensor) {
        check_tensor_image(m);
    }
    if (image || pyramid) {
        layout_image(m, needs);
    }
    if (pyramid) {
        layout_pyramid(m, needs);
    }
    if (tensor) {
        layout_tensor(m);
    }
    if (sci_buf_has_type(m->out, NvSciBufType_Array)) {
        layout_array(m, needs);
    }
}

/* --- GPUs --- */

static bool gpu_integrated(const struct sci_chip *chip, const NvSciRmGpuId *id)
{
    for (unsigned i = 0; i < chip->gpus; i++) {
        if (!memcmp(&chip->gpu[i].id, id, sizeof(*id))) {
            return chip->gpu[i].integrated;
        }
    }
    return false;
}

/* May @gpu cache the buffer? Every list that has an opinion must agree; without one an integrated
 * GPU caches system memory, a discrete one its own. */
static bool gpu_caches(const struct merge *m, const struct sci_chip *chip, const NvSciRmGpuId *gpu)
{
    const struct sci_value *vidmem = sci_list_get(m->out, NvSciBufGeneralAttrKey_VidMem_GpuId);
    bool cached = vidmem != NULL || gpu_integrated(chip, gpu);
    bool opinion = false, all = true;

    for (unsigned i = 0; i < merge_slots(m); i++) {
        const struct sci_value *value = merge_value(m, i, NvSciBufGeneralAttrKey_EnableGpuCache);
        const NvSciBufAttrValGpuCache *entry = value ? value->data : NULL;

        for (uint32_t j = 0; value && j < value->count; j++) {
            if (!memcmp(&entry[j].gpuId, gpu, sizeof(*gpu))) {
                opinion = true;
                all &= entry[j].cacheability;
            }
        }
    }
    return opinion ? all : cached;
}

/* The reference: an entry names one integrated GPU at most, and it stands in GpuId. */
static void check_gpu_cache(struct merge *m, const struct sci_chip *chip, const NvSciRmGpuId *gpu,
                            uint32_t gpus)
{
    for (unsigned i = 0; i < merge_slots(m); i++) {
        const struct sci_value *value = merge_value(m, i, NvSciBufGeneralAttrKey_EnableGpuCache);
        const NvSciBufAttrValGpuCache *entry = value ? value->data : NULL;
        unsigned integrated = 0;

        for (uint32_t j = 0; value && j < value->count; j++) {
            uint32_t k = 0;

            integrated += gpu_integrated(chip, &entry[j].gpuId);
            while (k < gpus && memcmp(&gpu[k], &entry[j].gpuId, sizeof(*gpu))) {
                k++;
            }
            if (k == gpus || integrated > 1) {
                merge_fail(m, NvSciBufGeneralAttrKey_EnableGpuCache,
                           NvSciError_ReconciliationFailed,
                           k == gpus ? "names a GPU that is not in GpuId"
                                     : "names more than one integrated GPU");
                return;
            }
        }
    }
}

/* DriveOS 7.0.3 NvStreams, VidMem Buffers: the memory of that GPU, which no other engine reaches: a
 * list of NvMedia makes the reconciliation fail. The CPU and the integrated GPU: inferred. */
static void check_vidmem(struct merge *m, const struct sci_chip *chip, const NvSciRmGpuId *gpu,
                         uint32_t gpus, const struct users *u)
{
    const struct sci_value *value = sci_list_get(m->out, NvSciBufGeneralAttrKey_VidMem_GpuId);
    const char *why = NULL;

    if (!value) {
        return;
    }
    why = gpu_integrated(chip, value->data) ? "names a GPU without memory of its own"
          : u->engine ? "with an engine that does not reach the memory of a GPU"
          : u->cpu    ? "with the CPU, which does not reach the memory of a GPU"
                      : NULL;
    for (uint32_t i = 0; i < gpus && !why; i++) {
        why = memcmp(&gpu[i], value->data, sizeof(*gpu))
                  ? "with a second GPU, which does not reach the memory of this one"
                  : NULL;
    }
    if (why) {
        merge_fail(m, NvSciBufGeneralAttrKey_VidMem_GpuId, NvSciError_ReconciliationFailed, why);
    }
}

static void merge_gpus(struct merge *m, const struct sci_chip *chip, const struct users *u)
{
    const struct sci_value *ids = sci_list_get(m->out, NvSciBufGeneralAttrKey_GpuId);
    const NvSciRmGpuId *gpu = ids ? ids->data : NULL;
    uint32_t gpus = ids ? ids->count : 0;
    bool vidmem = sci_list_get(m->out, NvSciBufGeneralAttrKey_VidMem_GpuId) != NULL;
    NvSciBufAttrValGpuCache cache[16], need[16];
    unsigned uncached = 0;

    check_gpu_cache(m, chip, gpu, gpus);
    check_vidmem(m, chip, gpu, gpus, u);
    for (uint32_t i = 0; i < gpus; i++) {
        cache[i] = (NvSciBufAttrValGpuCache){ gpu[i], gpu_caches(m, chip, &gpu[i]) };
        uncached += !cache[i].cacheability;
    }
    for (uint32_t i = 0; i < gpus; i++) {
        bool others = vidmem ? u->engine : uncached || u->cpu || u->engine;

        need[i] = (NvSciBufAttrValGpuCache){ gpu[i], cache[i].cacheability && others };
    }
    if (gpus) {
        merge_put(m, NvSciBufGeneralAttrKey_EnableGpuCache, cache, gpus);
        merge_put(m, NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency, need, gpus);
    } else {
        merge_put(m, NvSciBufGeneralAttrKey_GpuId, &(NvSciRmGpuId){ { 0 } },
                  1); /* an invalid one */
    }
}

/* Compression: lists that name a GPU agree on it; none where anything but one GPU reads the bytes.
 */
static void merge_compression(struct merge *m, const struct users *u)
{
    GArray *all = merge_union(m, NvSciBufGeneralAttrKey_EnableGpuCompression);
    NvSciBufAttrValGpuCompression *entry = (void *)all->data;
    unsigned asking = 0;

    for (guint i = 0; i < all->len; i++) {
        asking += entry[i].compressionType != NvSciBufCompressionType_None;
        for (guint j = 0; j < i; j++) {
            if (!memcmp(&entry[i].gpuId, &entry[j].gpuId, sizeof(entry[i].gpuId))) {
                merge_fail(m, NvSciBufGeneralAttrKey_EnableGpuCompression,
                           NvSciError_ReconciliationFailed, "differs for one GPU");
                g_array_unref(all);
                return;
            }
        }
    }
    for (guint i = 0; i < all->len && (asking > 1 || u->engine || u->cpu); i++) {
        entry[i].compressionType = NvSciBufCompressionType_None;
    }
    if (all->len > 16) {
        merge_fail(m, NvSciBufGeneralAttrKey_EnableGpuCompression, NvSciError_ReconciliationFailed,
                   "names more GPUs than one list can");
    } else if (all->len) {
        merge_put(m, NvSciBufGeneralAttrKey_EnableGpuCompression, entry, all->len);
    }
    g_array_unref(all);
}

/* --- the CPU and permissions --- */

/* A process's own wishes decide what it gets: kept apart for those that the list goes back to. */
static void merge_peers(struct merge *m)
{
    for (unsigned i = 0; i < merge_slots(m); i++) {
        const struct sci_value *cpu = merge_value(m, i, NvSciBufGeneralAttrKey_NeedCpuAccess);
        const struct sci_value *perm = merge_value(m, i, NvSciBufGeneralAttrKey_RequiredPerm);
        const struct sci_slot *slot = m->slot->pdata[i];

        g_ptr_array_add(m->out->peers, sci_peer_new(cpu && *(const bool *)cpu->data, false,
                                                    perm ? *(const uint32_t *)perm->data
                                                         : NvSciBufAccessPerm_Readonly,
                                                    slot->path));
    }
    sci_list_own_wishes(m->out);
}

NvSciError sci_buf_reconcile(const struct sci_list *const *list, size_t count,
                             const struct sci_chip *chip, struct sci_list **out,
                             struct sci_list **conflicts, char **why)
{
    struct merge m;
    struct users u;
    bool cached;

    merge_begin(&m, list, count);
    merge_simple(&m);
    merge_types(&m);
    users_find(&m, chip, &u);
    merge_gpus(&m, chip, &u);
    merge_compression(&m, &u);
    merge_peers(&m);
    cached = sci_list_u64(m.out, NvSciBufGeneralAttrKey_EnableCpuCache, 0, 0);
    merge_put_bool(&m, NvSciBufGeneralAttrKey_EnableCpuCache, cached);
    merge_put_bool(&m, NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency,
                   cached && u.cpu && u.past_caches);
    if (m.error == NvSciError_Success) {
        buf_merge_layout(&m, &u.needs);
    }
    return merge_end(&m, out, conflicts, why);
}

uint64_t sci_buf_size(const struct sci_list *list, uint64_t *align)
{
    static const uint32_t size_keys[] = { NvSciBufRawBufferAttrKey_Size, NvSciBufImageAttrKey_Size,
                                          NvSciBufTensorAttrKey_Size, NvSciBufArrayAttrKey_Size };
    static const uint32_t align_keys[] = { NvSciBufRawBufferAttrKey_Align,
                                           NvSciBufImageAttrKey_Alignment,
                                           NvSciBufTensorAttrKey_BaseAddrAlign,
                                           NvSciBufArrayAttrKey_Alignment };
    uint64_t size = 0;

    *align = 1;
    for (unsigned i = 0; i < G_N_ELEMENTS(size_keys); i++) {
        size = MAX(size, sci_list_u64(list, size_keys[i], 0, 0));
        *align = MAX(*align, sci_list_u64(list, align_keys[i], 0, 0));
    }
    return size;
}
