# SPDX-License-Identifier: MIT
# The driver core on a fake board. Included by CMakeLists.txt.
foreach(part memory stream many coherency work external interop egl egl_gl)
  vtegra_check_test(driver_${part} test_driver_${part}.c fake_hal.c ${PROJECT_SOURCE_DIR}/runtime/hal/claims.c
                    ${PROJECT_SOURCE_DIR}/runtime/hal/steps.c LIBS rt_driver)
  if(TARGET test_driver_${part})
    target_compile_definitions(test_driver_${part} PRIVATE PROFILES_DIR="${PROJECT_SOURCE_DIR}/profiles")
  endif()
endforeach()
vtegra_check_test(driver_object test_driver_object.c ${PROJECT_SOURCE_DIR}/runtime/driver/core/object.c
                  ${PROJECT_SOURCE_DIR}/runtime/driver/core/handle.c LIBS PkgConfig::GLIB)
vtegra_check_test(chase test_chase.c ${PROJECT_SOURCE_DIR}/runtime/driver/module/chase.c LIBS ptx PkgConfig::GLIB)
vtegra_check_test(notifier test_notifier.c ${PROJECT_SOURCE_DIR}/runtime/driver/core/notifier.c LIBS PkgConfig::GLIB)
