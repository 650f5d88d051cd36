# SPDX-License-Identifier: MIT
# The driver core on a fake board; of the model only the text of trace records. Included by CMakeLists.txt.
foreach(part memory stream coherency)
  vtegra_check_test(driver_${part} test_driver_${part}.c fake_hal.c
                    ${PROJECT_SOURCE_DIR}/model/soc/trace.c LIBS rt_driver)
  if(TARGET test_driver_${part})
    target_compile_definitions(test_driver_${part} PRIVATE PROFILES_DIR="${PROJECT_SOURCE_DIR}/profiles")
  endif()
endforeach()
