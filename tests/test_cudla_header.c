/* SPDX-License-Identifier: MIT */
/* cudla.h against NVIDIA's cuDLA API reference (data types, 1.4) and the sizes that a compile of
 * its header on aarch64 gave: written here by hand, not taken from our header. */
#include <check.h>
#include <cudla.h>
#include <stdlib.h>

struct value {
    const char *name;
    long long is, should;
};

#define V(name, number)                    \
    {                                      \
#name, (long long)(name), (number) \
    }
#define SIZE(type, bytes)                                 \
    {                                                     \
        "sizeof " #type, (long long)sizeof(type), (bytes) \
    }
#define AT(type, field, offset)                                      \
    {                                                                \
#type "." #field, (long long)offsetof(type, field), (offset) \
    }

static const struct value values[] = {
    V(CUDLA_VER_MAJOR, 1),
    V(CUDLA_VER_MINOR, 4),
    V(CUDLA_VER_PATCH, 0),
    V(cudlaSuccess, 0),
    V(cudlaErrorInvalidParam, 1),
    V(cudlaErrorOutOfResources, 2),
    V(cudlaErrorCreationFailed, 3),
    V(cudlaErrorInvalidAddress, 4),
    V(cudlaErrorOs, 5),
    V(cudlaErrorCuda, 6),
    V(cudlaErrorUmd, 7),
    V(cudlaErrorInvalidDevice, 8),
    V(cudlaErrorInvalidAttribute, 9),
    V(cudlaErrorIncompatibleDlaSWVersion, 10),
    V(cudlaErrorMemoryRegistered, 11),
    V(cudlaErrorInvalidModule, 12),
    V(cudlaErrorUnsupportedOperation, 13),
    V(cudlaErrorNvSci, 14),
    V(cudlaErrorDlaErrInvalidInput, 0x40000001),
    V(cudlaErrorDlaErrInvalidPreAction, 0x40000002),
    V(cudlaErrorDlaErrNoMem, 0x40000003),
    V(cudlaErrorDlaErrProcessorBusy, 0x40000004),
    V(cudlaErrorDlaErrTaskStatusMismatch, 0x40000005),
    V(cudlaErrorDlaErrEngineTimeout, 0x40000006),
    V(cudlaErrorDlaErrDataMismatch, 0x40000007),
    V(cudlaErrorUnknown, 0x7fffffff),
    V(CUDLA_CUDA_DLA, 0),
    V(CUDLA_STANDALONE, 1),
    V(CUDLA_NVSCISYNC_ATTR_WAIT, 1),
    V(CUDLA_NVSCISYNC_ATTR_SIGNAL, 2),
    V(CUDLA_NUM_INPUT_TENSORS, 0),
    V(CUDLA_NUM_OUTPUT_TENSORS, 1),
    V(CUDLA_INPUT_TENSOR_DESCRIPTORS, 2),
    V(CUDLA_OUTPUT_TENSOR_DESCRIPTORS, 3),
    V(CUDLA_NUM_OUTPUT_TASK_STATISTICS, 4),
    V(CUDLA_OUTPUT_TASK_STATISTICS_DESCRIPTORS, 5),
    V(CUDLA_NVSCISYNC_FENCE, 1),
    V(CUDLA_NVSCISYNC_FENCE_SOF, 2),
    V(CUDLA_MODULE_DEFAULT, 0),
    V(CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS, 1),
    V(CUDLA_SUBMIT_NOOP, 1),
    V(CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE, 2),
    V(CUDLA_SUBMIT_DIAGNOSTICS_TASK, 4),
    V(CUDLA_READ_WRITE_PERM, 0),
    V(CUDLA_READ_ONLY_PERM, 1),
    V(CUDLA_TASK_STATISTICS, 2),
    V(CUDLA_UNIFIED_ADDRESSING, 0),
    V(CUDLA_DEVICE_VERSION, 1),
    V(CUDLA_LOADABLE_TENSOR_DESC_NUM_STRIDES, 8),
    V(CUDLA_RUNTIME_TENSOR_DESC_NAME_MAX_LEN, 80),
    V(CUDLA_DATA_FORMAT_UNKNOWN, 0),
    V(CUDLA_DATA_FORMAT_NCHW, 1),
    V(CUDLA_DATA_FORMAT_NHWC, 2),
    V(CUDLA_DATA_FORMAT_NCxHWx, 3),
    V(CUDLA_DATA_TYPE_UNKNOWN, 0),
    V(CUDLA_DATA_TYPE_FLOAT, 1),
    V(CUDLA_DATA_TYPE_HALF, 2),
    V(CUDLA_DATA_TYPE_INT16, 3),
    V(CUDLA_DATA_TYPE_INT8, 4),
    V(CUDLA_DATA_TYPE_UINT8, 5),
    V(CUDLA_DATA_TYPE_UINT16, 6),
    V(CUDLA_DATA_CATEGORY_IMAGE, 0),
    V(CUDLA_DATA_CATEGORY_WEIGHT, 1),
    V(CUDLA_DATA_CATEGORY_FEATURE, 2),
    V(CUDLA_DATA_CATEGORY_PLANAR, 3),
    V(CUDLA_DATA_CATEGORY_BIAS, 4),
    V(CUDLA_PIXEL_MAPPING_PITCH_LINEAR, 0),
    V(CUDLA_PIXEL_MAPPING_BLOCK_LINEAR, 1),
    V(CUDLA_PIXEL_FORMAT_R8, 0),
    V(CUDLA_PIXEL_FORMAT_R10, 1),
    V(CUDLA_PIXEL_FORMAT_R12, 2),
    V(CUDLA_PIXEL_FORMAT_R16, 3),
    V(CUDLA_PIXEL_FORMAT_R16_I, 4),
    V(CUDLA_PIXEL_FORMAT_R16_F, 5),
    V(CUDLA_PIXEL_FORMAT_A16B16G16R16, 6),
    V(CUDLA_PIXEL_FORMAT_X16B16G16R16, 7),
    V(CUDLA_PIXEL_FORMAT_A16B16G16R16_F, 8),
    V(CUDLA_PIXEL_FORMAT_A16Y16U16V16, 9),
    V(CUDLA_PIXEL_FORMAT_V16U16Y16A16, 10),
    V(CUDLA_PIXEL_FORMAT_A16Y16U16V16_F, 11),
    V(CUDLA_PIXEL_FORMAT_A8B8G8R8, 12),
    V(CUDLA_PIXEL_FORMAT_A8R8G8B8, 13),
    V(CUDLA_PIXEL_FORMAT_B8G8R8A8, 14),
    V(CUDLA_PIXEL_FORMAT_R8G8B8A8, 15),
    V(CUDLA_PIXEL_FORMAT_X8B8G8R8, 16),
    V(CUDLA_PIXEL_FORMAT_X8R8G8B8, 17),
    V(CUDLA_PIXEL_FORMAT_B8G8R8X8, 18),
    V(CUDLA_PIXEL_FORMAT_R8G8B8X8, 19),
    V(CUDLA_PIXEL_FORMAT_A2B10G10R10, 20),
    V(CUDLA_PIXEL_FORMAT_A2R10G10B10, 21),
    V(CUDLA_PIXEL_FORMAT_B10G10R10A2, 22),
    V(CUDLA_PIXEL_FORMAT_R10G10B10A2, 23),
    V(CUDLA_PIXEL_FORMAT_A2Y10U10V10, 24),
    V(CUDLA_PIXEL_FORMAT_V10U10Y10A2, 25),
    V(CUDLA_PIXEL_FORMAT_A8Y8U8V8, 26),
    V(CUDLA_PIXEL_FORMAT_V8U8Y8A8, 27),
    V(CUDLA_PIXEL_FORMAT_Y8___U8V8_N444, 28),
    V(CUDLA_PIXEL_FORMAT_Y8___V8U8_N444, 29),
    V(CUDLA_PIXEL_FORMAT_Y10___U10V10_N444, 30),
    V(CUDLA_PIXEL_FORMAT_Y10___V10U10_N444, 31),
    V(CUDLA_PIXEL_FORMAT_Y12___U12V12_N444, 32),
    V(CUDLA_PIXEL_FORMAT_Y12___V12U12_N444, 33),
    V(CUDLA_PIXEL_FORMAT_Y16___U16V16_N444, 34),
    V(CUDLA_PIXEL_FORMAT_Y16___V16U16_N444, 35),
    V(CUDLA_PIXEL_FORMAT_FEATURE, 36),
    V(CUDLA_PIXEL_FORMAT_UNKNOWN, 37),
    SIZE(cudlaStatus, 4),
    SIZE(cudlaDevHandle, 8),
    SIZE(cudlaModule, 8),
    SIZE(cudlaExternalMemoryHandleDesc, 16),
    SIZE(cudlaExternalSemaphoreHandleDesc, 8),
    SIZE(cudlaModuleTensorDescriptor, 168),
    SIZE(cudlaModuleAttribute, 8),
    SIZE(CudlaFence, 16),
    SIZE(cudlaWaitEvents, 16),
    SIZE(cudlaSignalEvents, 24),
    SIZE(cudlaTask, 48),
    SIZE(cudlaDevAttribute, 4),
    AT(cudlaExternalMemoryHandleDesc, extBufObject, 0),
    AT(cudlaExternalMemoryHandleDesc, size, 8),
    AT(cudlaModuleTensorDescriptor, name, 0),
    AT(cudlaModuleTensorDescriptor, size, 88),
    AT(cudlaModuleTensorDescriptor, n, 96),
    AT(cudlaModuleTensorDescriptor, c, 104),
    AT(cudlaModuleTensorDescriptor, h, 112),
    AT(cudlaModuleTensorDescriptor, w, 120),
    AT(cudlaModuleTensorDescriptor, dataFormat, 128),
    AT(cudlaModuleTensorDescriptor, dataType, 129),
    AT(cudlaModuleTensorDescriptor, dataCategory, 130),
    AT(cudlaModuleTensorDescriptor, pixelFormat, 131),
    AT(cudlaModuleTensorDescriptor, pixelMapping, 132),
    AT(cudlaModuleTensorDescriptor, stride, 136),
    AT(CudlaFence, fence, 0),
    AT(CudlaFence, type, 8),
    AT(cudlaWaitEvents, preFences, 0),
    AT(cudlaWaitEvents, numEvents, 8),
    AT(cudlaSignalEvents, devPtrs, 0),
    AT(cudlaSignalEvents, eofFences, 8),
    AT(cudlaSignalEvents, numEvents, 16),
    AT(cudlaTask, moduleHandle, 0),
    AT(cudlaTask, outputTensor, 8),
    AT(cudlaTask, numOutputTensors, 16),
    AT(cudlaTask, numInputTensors, 20),
    AT(cudlaTask, inputTensor, 24),
    AT(cudlaTask, waitEvents, 32),
    AT(cudlaTask, signalEvents, 40),
};

START_TEST(a_name_has_the_value_of_the_reference)
{
    const struct value *v = &values[_i];

    ck_assert_msg(v->is == v->should, "%s is %lld, the reference has %lld", v->name, v->is,
                  v->should);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_header");
    TCase *t = tcase_create("values");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, a_name_has_the_value_of_the_reference, 0,
                        (int)(sizeof(values) / sizeof(values[0])));
    suite_add_tcase(s, t);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
