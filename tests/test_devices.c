/* SPDX-License-Identifier: MIT */
/* A board with two GPUs, as far as the driver goes today: figures, contexts and pools belong to the
 * device that the application names. The second one has Xavier's figures on Orin's board. Expected:
 * CUDA Driver API, device, primary context and stream-ordered memory sections; profiles of both. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/profile.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/driver.h"

static void setup(void)
{
    struct soc_profile *xavier = profile_load("xavier", NULL);

    setenv("VTEGRA_SOC", "orin", 1);
    setenv("VTEGRA_QUIET", "1", 1);
    ck_assert_int_eq(rt_init(0), CUDA_SUCCESS);
    ck_assert_ptr_nonnull(xavier);
    device_add(xavier, UNIT_IGPU);
}

static int attribute(CUdevice_attribute which, CUdevice device)
{
    int value = -1;

    ck_assert_int_eq(rt_device_attribute(&value, which, device), CUDA_SUCCESS);
    return value;
}

START_TEST(ordinals)
{
    CUdevice device = -1;
    int n = 0;

    ck_assert_int_eq(rt_device_count(&n), CUDA_SUCCESS);
    ck_assert_int_eq(n, 2);
    ck_assert_int_eq(rt_device_get(&device, 1), CUDA_SUCCESS);
    ck_assert_int_eq(device, 1);
    ck_assert_int_eq(rt_device_get(&device, 2), CUDA_ERROR_INVALID_DEVICE);
    ck_assert_int_eq(rt_device_get(&device, -1), CUDA_ERROR_INVALID_DEVICE);
    ck_assert_ptr_null(device_of(2));
}
END_TEST

START_TEST(figures)
{
    CUuuid first, second;

    ck_assert_int_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), 8);
    ck_assert_int_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), 7);
    ck_assert_int_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1), 7);
    ck_assert_int_eq(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 1), 2);
    ck_assert_int_eq(rt_device_uuid(&first, 0), CUDA_SUCCESS);
    ck_assert_int_eq(rt_device_uuid(&second, 1), CUDA_SUCCESS);
    ck_assert_int_ne(memcmp(&first, &second, sizeof(first)), 0);
}
END_TEST

/* cuModuleLoadData() runs PTX for targets up to the device's own. */
static CUresult load(const char *target)
{
    g_autofree char *ptx = g_strdup_printf(".version 7.4\n.target %s\n.address_size 64\n", target);
    CUmodule module;

    return rt_module_load(&module, ptx, 0, NULL, NULL);
}

START_TEST(contexts)
{
    CUcontext primary[2], own;
    CUdevice device = -1;
    unsigned flags;
    int active;

    for (CUdevice i = 0; i < 2; i++) {
        ck_assert_int_eq(rt_primary_retain(&primary[i], i), CUDA_SUCCESS);
        ck_assert_int_eq(rt_ctx_device(&device, primary[i]), CUDA_SUCCESS);
        ck_assert_int_eq(device, i);
    }
    ck_assert_ptr_ne(primary[0], primary[1]);
    ck_assert_int_eq(rt_ctx_create(&own, NULL, 0, 1), CUDA_SUCCESS);
    ck_assert_int_eq(rt_ctx_device(&device, NULL), CUDA_SUCCESS);
    ck_assert_int_eq(device, 1);
    ck_assert_int_eq(load("sm_80"), CUDA_ERROR_INVALID_PTX);
    ck_assert_int_eq(rt_ctx_set(primary[0]), CUDA_SUCCESS);
    ck_assert_int_eq(load("sm_80"), CUDA_SUCCESS);
    ck_assert_int_eq(rt_primary_release(1), CUDA_SUCCESS);
    ck_assert_int_eq(rt_primary_state(1, &flags, &active), CUDA_SUCCESS);
    ck_assert_int_eq(active, 0);
    ck_assert_int_eq(rt_primary_state(0, &flags, &active), CUDA_SUCCESS);
    ck_assert_int_eq(active, 1);
    ck_assert_int_eq(rt_ctx_create(&own, NULL, 0, 2), CUDA_ERROR_INVALID_DEVICE);
}
END_TEST

START_TEST(pools)
{
    CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                             .location = { CU_MEM_LOCATION_TYPE_DEVICE, 1 } };
    CUmemoryPool normal[2], own, now;

    for (CUdevice i = 0; i < 2; i++) {
        ck_assert_int_eq(rt_pool_default(&normal[i], i), CUDA_SUCCESS);
        ck_assert_int_eq(rt_pool_current(&now, i), CUDA_SUCCESS);
        ck_assert_ptr_eq(now, normal[i]);
    }
    ck_assert_ptr_ne(normal[0], normal[1]);
    ck_assert_int_eq(rt_pool_create(&own, &props), CUDA_SUCCESS);
    ck_assert_int_eq(rt_pool_set_current(0, own), CUDA_ERROR_INVALID_VALUE);
    for (CUdevice i = 0; i < 2; i++) { /* cuMemPoolSetAccess: of peers, and they are none */
        CUmemAccessDesc desc = { { CU_MEM_LOCATION_TYPE_DEVICE, i },
                                 CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
        CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READ;

        ck_assert_int_eq(rt_pool_set_access(own, &desc, 1),
                         i == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
        ck_assert_int_eq(rt_pool_access(&flags, own, &desc.location), CUDA_SUCCESS);
        ck_assert_int_eq(flags, i == 1 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                       : CU_MEM_ACCESS_FLAGS_PROT_NONE);
    }
    ck_assert_int_eq(rt_pool_set_current(1, own), CUDA_SUCCESS);
    ck_assert_int_eq(rt_pool_current(&now, 1), CUDA_SUCCESS);
    ck_assert_ptr_eq(now, own);
    ck_assert_int_eq(rt_pool_current(&now, 0), CUDA_SUCCESS);
    ck_assert_ptr_eq(now, normal[0]);
    ck_assert_int_eq(rt_pool_destroy(own), CUDA_SUCCESS);
    ck_assert_int_eq(rt_pool_current(&now, 1), CUDA_SUCCESS);
    ck_assert_ptr_eq(now, normal[1]);
    ck_assert_int_eq(rt_pool_default(&now, 2), CUDA_ERROR_INVALID_DEVICE);
    props.location.id = 2;
    ck_assert_int_eq(rt_pool_create(&own, &props), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

/* CUDA Driver API, virtual memory management: cuMemSetAccess() gives devices access, here each to
 * its own memory alone, because cuDeviceCanAccessPeer() says that there are no peers. */
START_TEST(mappings)
{
    const size_t size = 2u << 20;

    for (CUdevice own = 0; own < 2; own++) {
        CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = { CU_MEM_LOCATION_TYPE_DEVICE, own } };
        CUmemGenericAllocationHandle handle;
        CUdeviceptr ptr;

        ck_assert_int_eq(rt_virtual_create(&handle, size, &prop, 0), CUDA_SUCCESS);
        ck_assert_int_eq(rt_virtual_reserve(&ptr, size, 0, 0, 0), CUDA_SUCCESS);
        ck_assert_int_eq(rt_virtual_map(ptr, size, 0, handle, 0), CUDA_SUCCESS);
        for (CUdevice other = 0; other < 3; other++) { /* 2, which is not there: measured */
            CUmemAccessDesc desc = { { CU_MEM_LOCATION_TYPE_DEVICE, other },
                                     CU_MEM_ACCESS_FLAGS_PROT_READWRITE };

            ck_assert_int_eq(rt_virtual_set_access(ptr, size, &desc, 1),
                             other == own ? CUDA_SUCCESS
                             : other == 2 ? CUDA_ERROR_INVALID_VALUE
                                          : CUDA_ERROR_INVALID_DEVICE);
        }
        for (CUdevice other = 0; other < 3; other++) {
            CUmemLocation where = { CU_MEM_LOCATION_TYPE_DEVICE, other };
            unsigned long long flags = CU_MEM_ACCESS_FLAGS_PROT_READ;

            ck_assert_int_eq(rt_virtual_access(&flags, &where, ptr),
                             other < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
            ck_assert_uint_eq(flags, other == own ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                     : other == 2 ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                  : CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
    }
}
END_TEST

static CUresult fill(CUdeviceptr ptr)
{
    CUresult error = rt_fill(ptr, 0, 1, 4, 16, 1, NULL, RT_ASYNC);

    return error ? error : rt_ctx_synchronize(NULL);
}

/* Memory of one device in a context of another: what is not mapped there is not reached. */
START_TEST(mappings_reach)
{
    const size_t size = 2u << 20;
    CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = { CU_MEM_LOCATION_TYPE_DEVICE, 1 } };
    CUmemAccessDesc desc = { { CU_MEM_LOCATION_TYPE_DEVICE, 1 },
                             CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUmemGenericAllocationHandle handle;
    CUcontext context;
    CUdeviceptr ptr;

    ck_assert_int_eq(rt_virtual_create(&handle, size, &prop, 0), CUDA_SUCCESS);
    ck_assert_int_eq(rt_virtual_reserve(&ptr, size, 0, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(rt_virtual_map(ptr, size, 0, handle, 0), CUDA_SUCCESS);
    ck_assert_int_eq(rt_ctx_create(&context, NULL, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(rt_ctx_create(&context, NULL, 0, 1), CUDA_SUCCESS);
    ck_assert_int_eq(rt_virtual_set_access(ptr, size, &desc, 1), CUDA_SUCCESS);
    ck_assert_int_eq(fill(ptr), CUDA_SUCCESS);
    ck_assert_int_eq(rt_ctx_create(&context, NULL, 0, 1), CUDA_SUCCESS); /* made afterwards */
    ck_assert_int_eq(fill(ptr), CUDA_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(rt_ctx_pop(&context), CUDA_SUCCESS);
    }
    ck_assert_int_eq(fill(ptr), CUDA_ERROR_INVALID_VALUE); /* measured with two GPUs, 580.159.04 */
    ck_assert_int_eq(rt_ctx_create(&context, NULL, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(fill(ptr), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

/* CUDA Driver API, cuInit: before it every other function answers so, whatever it is given. */
START_TEST(before)
{
    CUdevice device;
    CUcontext context;
    int value;

    ck_assert_int_eq(rt_kernel_attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL, 0),
                     CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(rt_kernel_set_attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, NULL, 0),
                     CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(rt_device_get(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(rt_device_attribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
                     CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(rt_ctx_create(&context, NULL, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
    ck_assert_int_eq(rt_primary_retain(&context, 0), CUDA_ERROR_NOT_INITIALIZED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("devices");
    TCase *tests = tcase_create("two"), *alone = tcase_create("before");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, ordinals);
    tcase_add_test(tests, figures);
    tcase_add_test(tests, contexts);
    tcase_add_test(tests, pools);
    tcase_add_test(tests, mappings);
    tcase_add_test(tests, mappings_reach);
    tcase_add_test(alone, before);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, alone);
    srunner_set_fork_status(runner, CK_FORK); /* a board per test */
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
