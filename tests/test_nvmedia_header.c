/* SPDX-License-Identifier: MIT */
/* The headers of NvMedia 2D against the DRIVE OS API reference 6.0.10 (basic types, 2D processing):
 * values and sizes written here by hand, not taken from our headers. */
#include <check.h>
#include <nvmedia_2d_sci.h>
#include <stddef.h>
#include <stdlib.h>

static const struct value {
    const char *name;
    long long is, should;
} values[] = {
#define V(name, number) { #name, (long long)(name), (number) }
#define SIZE(type, bytes) { "sizeof " #type, (long long)sizeof(type), (bytes) }
#define AT(type, field, offset) { #type "." #field, (long long)offsetof(type, field), (offset) }
    V(NVMEDIA_STATUS_OK, 0),
    V(NVMEDIA_STATUS_BAD_PARAMETER, 1),
    V(NVMEDIA_STATUS_PENDING, 2),
    V(NVMEDIA_STATUS_TIMED_OUT, 3),
    V(NVMEDIA_STATUS_OUT_OF_MEMORY, 4),
    V(NVMEDIA_STATUS_NOT_INITIALIZED, 5),
    V(NVMEDIA_STATUS_NOT_SUPPORTED, 6),
    V(NVMEDIA_STATUS_ERROR, 7),
    V(NVMEDIA_STATUS_NONE_PENDING, 8),
    V(NVMEDIA_STATUS_INSUFFICIENT_BUFFERING, 9),
    V(NVMEDIA_STATUS_INVALID_SIZE, 10),
    V(NVMEDIA_STATUS_INCOMPATIBLE_VERSION, 11),
    V(NVMEDIA_STATUS_UNDEFINED_STATE, 13),
    V(NVMEDIA_STATUS_PFSD_ERROR, 14),
    V(NVMEDIA_STATUS_INVALID_STATE, 15),
    V(NVMEDIA_SIGNALER, 0),
    V(NVMEDIA_WAITER, 1),
    V(NVMEDIA_SIGNALER_WAITER, 2),
    V(NVMEDIA_PRESYNCOBJ, 0),
    V(NVMEDIA_EOFSYNCOBJ, 1),
    V(NVMEDIA_SOFSYNCOBJ, 2),
    V(NVMEDIA_EOF_PRESYNCOBJ, 3),
    V(NVMEDIA_SOF_PRESYNCOBJ, 4),
    V(NVMEDIA_2D_VERSION_MAJOR, 8),
    V(NVMEDIA_2D_VERSION_MINOR, 0),
    V(NVMEDIA_2D_VERSION_PATCH, 0),
    V(NVMEDIA_2D_FILTER_OFF, 1),
    V(NVMEDIA_2D_FILTER_LOW, 2),
    V(NVMEDIA_2D_FILTER_MEDIUM, 3),
    V(NVMEDIA_2D_FILTER_HIGH, 4),
    V(NVMEDIA_2D_TRANSFORM_NONE, 0),
    V(NVMEDIA_2D_TRANSFORM_ROTATE_90, 1),
    V(NVMEDIA_2D_TRANSFORM_ROTATE_180, 2),
    V(NVMEDIA_2D_TRANSFORM_ROTATE_270, 3),
    V(NVMEDIA_2D_TRANSFORM_FLIP_HORIZONTAL, 4),
    V(NVMEDIA_2D_TRANSFORM_INV_TRANSPOSE, 5),
    V(NVMEDIA_2D_TRANSFORM_FLIP_VERTICAL, 6),
    V(NVMEDIA_2D_TRANSFORM_TRANSPOSE, 7),
    V(NVMEDIA_2D_BLEND_MODE_DISABLED, 0),
    V(NVMEDIA_2D_BLEND_MODE_CONSTANT_ALPHA, 1),
    V(NVMEDIA_2D_BLEND_MODE_STRAIGHT_ALPHA, 2),
    V(NVMEDIA_2D_BLEND_MODE_PREMULTIPLIED_ALPHA, 3),
    SIZE(NvMediaStatus, 4),
    SIZE(NvMediaBool, 4),
    SIZE(NvMediaRect, 8),
    AT(NvMediaRect, y0, 2),
    AT(NvMediaRect, x1, 4),
    SIZE(NvMediaTaskStatus, 16),
    SIZE(NvMediaVersion, 3),
    SIZE(NvMedia2DAttributes, 20),
    AT(NvMedia2DAttributes, maxRegisteredBuffers, 4),
    AT(NvMedia2DAttributes, maxRegisteredSyncs, 8),
    AT(NvMedia2DAttributes, maxFilterBuffers, 12),
    AT(NvMedia2DAttributes, flags, 16),
    SIZE(NvMedia2DComposeParameters, 4),
    SIZE(NvMedia2DFilterBuffer, 4),
    SIZE(NvMedia2DComposeResult, 8),
    SIZE(NvMedia2DFilterCoefficients5Tap, 320),
    SIZE(NvMedia2DFilterCoefficients10Tap, 640),
};

START_TEST(values_and_sizes_are_nvidias)
{
    const struct value *v = &values[_i];

    ck_assert_msg(v->is == v->should, "%s is %lld, not %lld", v->name, v->is, v->should);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("nvmedia_header");
    TCase *t = tcase_create("values");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(t, values_and_sizes_are_nvidias, 0, sizeof(values) / sizeof(values[0]));
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
