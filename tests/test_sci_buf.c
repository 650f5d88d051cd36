/* SPDX-License-Identifier: MIT */
/* Reconciliation of NvSciBuf lists, key by key. Expected values: DRIVE OS API reference 6.0.10,
 * "Reconciliation" of each key; layouts are computed by hand. */
#include <string.h>

#include "tests/sci_lists.h"
#include "tests/suite.h"

static struct sci_list *a, *b, *out, *conflicts;
static char *why;

static void setup(void)
{
    a = sci_list_new(&sci_buf_schema);
    b = sci_list_new(&sci_buf_schema);
    out = conflicts = NULL;
    why = NULL;
}

static void teardown(void)
{
    sci_list_free(a);
    sci_list_free(b);
    if (out) {
        sci_list_free(out);
    }
    if (conflicts) {
        sci_list_free(conflicts);
    }
    g_free(why);
}

static void must_fit(void)
{
    ck_assert_msg(sci_buf_two(a, b, &out, &conflicts, &why) == NvSciError_Success, "%s", why);
    ck_assert_ptr_null(conflicts);
    ck_assert_ptr_null(why);
}

static void must_fail(NvSciError error, const char *key)
{
    ck_assert_uint_eq(sci_buf_two(a, b, &out, &conflicts, &why), error);
    ck_assert_ptr_null(out);
    ck_assert_ptr_nonnull(conflicts);
    ck_assert_msg(strstr(why, key) != NULL, "%s", why);
}

#define OUT(key, i) sci_list_u64(out, key, i, 77)

static void raw(struct sci_list *list, uint64_t size)
{
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer), RAW_SIZE(size));
}

START_TEST(raw_sizes_must_be_equal)
{
    raw(a, 4096);
    raw(b, 4096);
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufRawBufferAttrKey_Size, 0), 4096);
}
END_TEST

START_TEST(a_conflict_list_has_the_pairs_that_differ)
{
    raw(a, 4096);
    raw(b, 8192);
    must_fail(NvSciError_ReconciliationFailed,
              "NvSciBufRawBufferAttrKey_Size: differs, list 0: 4096, list 1: 8192");
    ck_assert(!conflicts->reconciled);
    ck_assert_uint_eq(conflicts->slots->len, 2);
    ck_assert_uint_eq(*(uint64_t *)sci_slot_get(conflicts, 1, NvSciBufRawBufferAttrKey_Size)->data,
                      8192);
    ck_assert_ptr_null(sci_slot_get(conflicts, 0, NvSciBufGeneralAttrKey_Types));
}
END_TEST

START_TEST(the_greatest_alignment_wins)
{
    raw(a, 4096);
    raw(b, 4096);
    MUST_SET(a, RAW_ALIGN(512));
    MUST_SET(b, RAW_ALIGN(4096));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufRawBufferAttrKey_Align, 0), 4096);
}
END_TEST

START_TEST(a_mandatory_key_may_stand_in_one_list)
{
    MUST_SET(a, NEED_CPU(true));
    raw(b, 64);
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufRawBufferAttrKey_Size, 0), 64);
}
END_TEST

START_TEST(a_mandatory_key_must_stand_somewhere)
{
    MUST_SET(a, TYPES(NvSciBufType_RawBuffer));
    must_fail(NvSciError_BadParameter, "NvSciBufRawBufferAttrKey_Size");
}
END_TEST

START_TEST(types_are_mandatory)
{
    MUST_SET(a, NEED_CPU(true));
    must_fail(NvSciError_BadParameter, "NvSciBufGeneralAttrKey_Types");
}
END_TEST

START_TEST(types_do_not_mix)
{
    raw(a, 64);
    MUST_SET(b, TYPES(NvSciBufType_Array));
    must_fail(NvSciError_ReconciliationFailed, "NvSciBufGeneralAttrKey_Types");
}
END_TEST

START_TEST(permission_is_the_greatest_and_readonly_by_default)
{
    raw(a, 64);
    raw(b, 64);
    MUST_SET(b, PERM(ReadWrite));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufGeneralAttrKey_ActualPerm, 0), NvSciBufAccessPerm_ReadWrite);
}
END_TEST

START_TEST(without_permission_it_is_readonly)
{
    raw(a, 64);
    raw(b, 64);
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufGeneralAttrKey_ActualPerm, 0), NvSciBufAccessPerm_Readonly);
    ck_assert_uint_eq(OUT(NvSciBufGeneralAttrKey_NeedCpuAccess, 0), false);
}
END_TEST

/* --- coherency --- */

static void gpu(struct sci_list *list, const NvSciRmGpuId *id)
{
    struct sci_pair pair = { NvSciBufGeneralAttrKey_GpuId, id, sizeof(*id) };

    ck_assert_uint_eq(sci_list_set(list, &pair, 1), NvSciError_Success);
}

static void gpu_cache(struct sci_list *list, const NvSciRmGpuId *id, bool on)
{
    NvSciBufAttrValGpuCache entry = { *id, on };
    struct sci_pair pair = { NvSciBufGeneralAttrKey_EnableGpuCache, &entry, sizeof(entry) };

    ck_assert_uint_eq(sci_list_set(list, &pair, 1), NvSciError_Success);
}

static void engine(struct sci_list *list, NvSciBufHwEngName name)
{
    NvSciBufPeerHwEngine entry = { name, 0 };
    struct sci_pair pair = { NvSciBufGeneralAttrKey_PeerHwEngineArray, &entry, sizeof(entry) };

    ck_assert_uint_eq(sci_list_set(list, &pair, 1), NvSciError_Success);
}

static const NvSciBufAttrValGpuCache *gpu_result(uint32_t key, unsigned i)
{
    const struct sci_value *value = sci_list_get(out, key);

    ck_assert(value && i < value->count);
    return (const NvSciBufAttrValGpuCache *)value->data + i;
}

/* GpuSwNeedCacheCoherency of the iGPU: cacheable, and another user. */
static const struct {
    bool cpu, other_gpu, refused, need;
    NvSciBufHwEngName engine;
} coherency[] = {
    { .need = false },
    { .cpu = true, .need = true },
    { .engine = NvSciBufHwEngName_DLA, .need = true },
    { .engine = NvSciBufHwEngName_Gpu, .need = false },
    { .other_gpu = true, .need = true }, /* a discrete GPU does not cache system memory */
    { .cpu = true, .refused = true, .need = false },
};

START_TEST(an_igpu_needs_maintenance_if_others_use_what_it_caches)
{
    raw(a, 64);
    raw(b, 64);
    gpu(a, &sci_igpu);
    if (coherency[_i].cpu) {
        MUST_SET(b, NEED_CPU(true));
    }
    if (coherency[_i].engine) {
        engine(b, coherency[_i].engine);
    }
    if (coherency[_i].other_gpu) {
        gpu(b, &sci_dgpu);
    }
    if (coherency[_i].refused) {
        gpu_cache(b, &sci_igpu, false);
    }
    must_fit();
    ck_assert(gpu_result(NvSciBufGeneralAttrKey_EnableGpuCache, 0)->cacheability !=
              coherency[_i].refused);
    ck_assert(gpu_result(NvSciBufGeneralAttrKey_GpuSwNeedCacheCoherency, 0)->cacheability ==
              coherency[_i].need);
}
END_TEST

START_TEST(a_gpu_caches_if_all_agree)
{
    raw(a, 64);
    raw(b, 64);
    gpu(a, &sci_igpu);
    gpu_cache(a, &sci_igpu, true);
    gpu_cache(b, &sci_igpu, false);
    must_fit();
    ck_assert(!gpu_result(NvSciBufGeneralAttrKey_EnableGpuCache, 0)->cacheability);
}
END_TEST

START_TEST(a_discrete_gpu_does_not_cache_system_memory)
{
    raw(a, 64);
    gpu(a, &sci_dgpu);
    must_fit();
    ck_assert(!gpu_result(NvSciBufGeneralAttrKey_EnableGpuCache, 0)->cacheability);
}
END_TEST

START_TEST(cache_settings_name_gpus_of_the_list)
{
    raw(a, 64);
    gpu_cache(a, &sci_igpu, true);
    must_fail(NvSciError_ReconciliationFailed, "NvSciBufGeneralAttrKey_EnableGpuCache");
}
END_TEST

/* CpuNeedSwCacheCoherency: EnableCpuCache, NeedCpuAccess, and an engine past the CPU's caches. */
static const struct {
    bool cache, cpu, need;
    NvSciBufHwEngName engine;
} cpu_coherency[] = {
    { true, true, true, NvSciBufHwEngName_Display },
    { true, true, true, NvSciBufHwEngName_Vi },
    { false, true, false, NvSciBufHwEngName_Display },
    { true, false, false, NvSciBufHwEngName_Display },
    { true, true, false, NvSciBufHwEngName_DLA },
    { true, true, true, NvSciBufHwEngName_PVA }, /* of this chip: past the caches */
};

START_TEST(the_cpu_needs_maintenance_beside_isochronous_engines)
{
    raw(a, 64);
    MUST_SET(a, PAIR(NvSciBufGeneralAttrKey_EnableCpuCache, bool, cpu_coherency[_i].cache),
             NEED_CPU(cpu_coherency[_i].cpu));
    engine(b, cpu_coherency[_i].engine);
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency, 0),
                      cpu_coherency[_i].need);
}
END_TEST

/* --- layouts --- */

static void image(struct sci_list *list, uint32_t color, uint32_t width, uint32_t height)
{
    MUST_SET(list, TYPES(NvSciBufType_Image),
             PAIR(NvSciBufImageAttrKey_Layout, uint32_t, NvSciBufImage_PitchLinearType),
             PAIR(NvSciBufImageAttrKey_PlaneCount, uint32_t, 1),
             PAIR(NvSciBufImageAttrKey_PlaneColorFormat, uint32_t, color),
             PAIR(NvSciBufImageAttrKey_PlaneWidth, uint32_t, width),
             PAIR(NvSciBufImageAttrKey_PlaneHeight, uint32_t, height));
}

START_TEST(an_image_without_engines_is_dense)
{
    image(a, NvSciColor_A8B8G8R8, 10, 3);
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlanePitch, 0), 40);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneBitsPerPixel, 0), 32);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneChannelCount, 0), 4);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneDatatype, 0), NvSciDataType_Uint8);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_Size, 0), 120);
}
END_TEST

START_TEST(engines_align_the_pitch)
{
    image(a, NvSciColor_Y8, 10, 3);
    engine(b, NvSciBufHwEngName_Vic); /* 256 bytes, 4 lines: attr/engines.def */
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlanePitch, 0), 256);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneAlignedHeight, 0), 4);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneAlignedSize, 0), 1024);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_Alignment, 0), 256);
}
END_TEST

START_TEST(an_interlaced_image_has_two_fields)
{
    image(a, NvSciColor_Y8, 16, 5);
    MUST_SET(b, TYPES(NvSciBufType_Image),
             PAIR(NvSciBufImageAttrKey_ScanType, uint32_t, NvSciBufScan_InterlaceType));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneAlignedHeight, 0), 3);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneSecondFieldOffset, 0), 48);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_Size, 0), 96);
}
END_TEST

/* NV12: a plane of Y, a plane of half the size of UV, from a surface description. */
START_TEST(a_surface_becomes_planes)
{
    MUST_SET(a, TYPES(NvSciBufType_Image),
             PAIR(NvSciBufImageAttrKey_Layout, uint32_t, NvSciBufImage_PitchLinearType),
             PAIR(NvSciBufImageAttrKey_SurfType, uint32_t, NvSciSurfType_YUV),
             PAIR(NvSciBufImageAttrKey_SurfMemLayout, uint32_t, NvSciSurfMemLayout_SemiPlanar),
             PAIR(NvSciBufImageAttrKey_SurfSampleType, uint32_t, NvSciSurfSampleType_420),
             PAIR(NvSciBufImageAttrKey_SurfBPC, uint32_t, NvSciSurfBPC_8),
             PAIR(NvSciBufImageAttrKey_SurfComponentOrder, uint32_t, NvSciSurfComponentOrder_YUV),
             PAIR(NvSciBufImageAttrKey_SurfWidthBase, uint32_t, 64),
             PAIR(NvSciBufImageAttrKey_SurfHeightBase, uint32_t, 32));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneCount, 0), 2);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneColorFormat, 1), NvSciColor_V8U8);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneWidth, 1), 32);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_PlaneOffset, 1), 64 * 32);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_Size, 0), 64 * 32 * 3 / 2);
}
END_TEST

START_TEST(planes_need_one_value_each)
{
    MUST_SET(a, TYPES(NvSciBufType_Image),
             PAIR(NvSciBufImageAttrKey_Layout, uint32_t, NvSciBufImage_PitchLinearType),
             PAIR(NvSciBufImageAttrKey_PlaneCount, uint32_t, 2),
             PAIR(NvSciBufImageAttrKey_PlaneColorFormat, uint32_t, NvSciColor_Y8, NvSciColor_U8V8),
             PAIR(NvSciBufImageAttrKey_PlaneWidth, uint32_t, 16),
             PAIR(NvSciBufImageAttrKey_PlaneHeight, uint32_t, 16, 8));
    must_fail(NvSciError_BadParameter, "NvSciBufImageAttrKey_PlaneWidth");
}
END_TEST

START_TEST(an_image_of_too_many_bytes_is_refused)
{
    image(a, NvSciColor_A16B16G16R16, UINT32_MAX, UINT32_MAX);
    must_fail(NvSciError_Overflow, "NvSciBufImageAttrKey_PlaneWidth");
}
END_TEST

static void tensor(struct sci_list *list)
{
    MUST_SET(list, TYPES(NvSciBufType_Tensor),
             PAIR(NvSciBufTensorAttrKey_DataType, uint32_t, NvSciDataType_Float16),
             PAIR(NvSciBufTensorAttrKey_NumDims, uint32_t, 4),
             PAIR(NvSciBufTensorAttrKey_SizePerDim, uint64_t, 1, 3, 5, 7),
             PAIR(NvSciBufTensorAttrKey_AlignmentPerDim, uint32_t, 1, 1, 32, 1));
}

START_TEST(strides_of_a_tensor_decrease)
{
    tensor(a);
    MUST_SET(b, TYPES(NvSciBufType_Tensor),
             PAIR(NvSciBufTensorAttrKey_BaseAddrAlign, uint64_t, 512));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_StridesPerDim, 3), 2);
    ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_StridesPerDim, 2), 32); /* 7 * 2, aligned */
    ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_StridesPerDim, 1), 160);
    ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_StridesPerDim, 0), 480);
    ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_Size, 0), 480);
    ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_BaseAddrAlign, 0), 512);
}
END_TEST

START_TEST(an_image_is_a_tensor_only_as_nhwc_with_n_1)
{
    image(a, NvSciColor_A8B8G8R8, 16, 16);
    MUST_SET(b, TYPES(NvSciBufType_Tensor),
             PAIR(NvSciBufTensorAttrKey_DataType, uint32_t, NvSciDataType_Uint8),
             PAIR(NvSciBufTensorAttrKey_NumDims, uint32_t, 4),
             PAIR(NvSciBufTensorAttrKey_SizePerDim, uint64_t, 1 + (uint64_t)_i, 16, 16, 4),
             PAIR(NvSciBufTensorAttrKey_PixelFormat, uint32_t, NvSciColor_A8B8G8R8));
    if (_i) {
        must_fail(NvSciError_ReconciliationFailed, "NvSciBufTensorAttrKey_SizePerDim");
    } else {
        must_fit();
        ck_assert_uint_eq(OUT(NvSciBufTensorAttrKey_Size, 0), 1024);
    }
}
END_TEST

START_TEST(an_array_has_capacity_times_stride)
{
    uint64_t align;

    MUST_SET(a, TYPES(NvSciBufType_Array),
             PAIR(NvSciBufArrayAttrKey_DataType, uint32_t, NvSciDataType_Float32),
             PAIR(NvSciBufArrayAttrKey_Stride, uint64_t, 4),
             PAIR(NvSciBufArrayAttrKey_Capacity, uint64_t, 100));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufArrayAttrKey_Size, 0), 400);
    ck_assert_uint_eq(sci_buf_size(out, &align), 400);
}
END_TEST

START_TEST(levels_of_a_pyramid_shrink)
{
    image(a, NvSciColor_Y8, 64, 64);
    MUST_SET(b, TYPES(NvSciBufType_Image, NvSciBufType_Pyramid),
             PAIR(NvSciBufPyramidAttrKey_NumLevels, uint32_t, 3),
             PAIR(NvSciBufPyramidAttrKey_Scale, float, 0.5f));
    must_fit();
    ck_assert_uint_eq(OUT(NvSciBufPyramidAttrKey_LevelOffset, 1), 4096);
    ck_assert_uint_eq(OUT(NvSciBufPyramidAttrKey_LevelSize, 1), 1024);
    ck_assert_uint_eq(OUT(NvSciBufPyramidAttrKey_LevelSize, 2), 256);
    ck_assert_uint_eq(OUT(NvSciBufImageAttrKey_Size, 0), 4096 + 1024 + 256);
}
END_TEST

/* --- validation --- */

START_TEST(a_result_satisfies_its_inputs)
{
    const struct sci_list *input[] = { a, b };

    raw(a, 64);
    MUST_SET(a, RAW_ALIGN(64), PERM(ReadWrite), NEED_CPU(true));
    gpu(a, &sci_igpu);
    MUST_SET(b, TYPES(NvSciBufType_RawBuffer), RAW_ALIGN(8));
    must_fit();
    ck_assert(sci_list_satisfies(out, input, 2, NULL));
}
END_TEST

START_TEST(a_result_does_not_satisfy_others)
{
    struct sci_list *c = sci_list_new(&sci_buf_schema);
    const struct sci_list *input[] = { c };
    const char *key = NULL;

    raw(a, 64);
    must_fit();
    MUST_SET(c, TYPES(NvSciBufType_RawBuffer), RAW_ALIGN(4096));
    ck_assert(!sci_list_satisfies(out, input, 1, &key));
    ck_assert_str_eq(key, "NvSciBufRawBufferAttrKey_Align");
    ck_assert(sci_list_satisfies_pairs(out, &(struct sci_pair)RAW_SIZE(64), 1));
    ck_assert(!sci_list_satisfies_pairs(out, &(struct sci_pair)RAW_SIZE(65), 1));
    sci_list_free(c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_buf");
    TCase *t = tcase_create("reconcile");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, raw_sizes_must_be_equal);
    tcase_add_test(t, a_conflict_list_has_the_pairs_that_differ);
    tcase_add_test(t, the_greatest_alignment_wins);
    tcase_add_test(t, a_mandatory_key_may_stand_in_one_list);
    tcase_add_test(t, a_mandatory_key_must_stand_somewhere);
    tcase_add_test(t, types_are_mandatory);
    tcase_add_test(t, types_do_not_mix);
    tcase_add_test(t, permission_is_the_greatest_and_readonly_by_default);
    tcase_add_test(t, without_permission_it_is_readonly);
    tcase_add_loop_test(t, an_igpu_needs_maintenance_if_others_use_what_it_caches, 0,
                        G_N_ELEMENTS(coherency));
    tcase_add_test(t, a_gpu_caches_if_all_agree);
    tcase_add_test(t, a_discrete_gpu_does_not_cache_system_memory);
    tcase_add_test(t, cache_settings_name_gpus_of_the_list);
    tcase_add_loop_test(t, the_cpu_needs_maintenance_beside_isochronous_engines, 0,
                        G_N_ELEMENTS(cpu_coherency));
    tcase_add_test(t, an_image_without_engines_is_dense);
    tcase_add_test(t, engines_align_the_pitch);
    tcase_add_test(t, an_interlaced_image_has_two_fields);
    tcase_add_test(t, a_surface_becomes_planes);
    tcase_add_test(t, planes_need_one_value_each);
    tcase_add_test(t, an_image_of_too_many_bytes_is_refused);
    tcase_add_test(t, strides_of_a_tensor_decrease);
    tcase_add_loop_test(t, an_image_is_a_tensor_only_as_nhwc_with_n_1, 0, 2);
    tcase_add_test(t, an_array_has_capacity_times_stride);
    tcase_add_test(t, levels_of_a_pyramid_shrink);
    tcase_add_test(t, a_result_satisfies_its_inputs);
    tcase_add_test(t, a_result_does_not_satisfy_others);
    suite_add_tcase(s, t);
    return suite_main(s);
}
