# SPDX-License-Identifier: MIT
# Fat binaries and the driver API.

find_program(NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda/bin)
find_program(FATBINARY fatbinary HINTS ENV CUDA_HOME PATHS /usr/local/cuda/bin)
find_program(CLANG clang-19)
find_file(CUDA_STUB_LIBRARY libcuda.so HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES lib64/stubs)
foreach(tool NVCC FATBINARY CLANG CUDA_STUB_LIBRARY)
  mark_as_advanced(${tool})
  if(${tool}) # empty where there is none
    set(${tool}_PATH ${${tool}})
  else()
    set(${tool}_PATH "")
  endif()
endforeach()

set(fatbin ${PROJECT_SOURCE_DIR}/runtime/driver/module/fatbin.c ${PROJECT_SOURCE_DIR}/runtime/driver/module/fatbin_code.c
           ${PROJECT_SOURCE_DIR}/runtime/driver/module/fatbin_select.c)
set(fatbin_libs PkgConfig::GLIB PkgConfig::ZSTD PkgConfig::LZ4)
vtegra_check_test(fatbin test_fatbin.c ${fatbin} LIBS ${fatbin_libs})
vtegra_check_test(fatbin_compilers test_fatbin_compilers.c ${fatbin} LIBS ${fatbin_libs})
if(TARGET test_fatbin_compilers)
  add_test(NAME fatbin_compilers_long COMMAND test_fatbin_compilers)
  set_property(TEST fatbin_compilers APPEND PROPERTY LABELS once) # compilers' time; test_fatbin has what they write
  set_tests_properties(fatbin_compilers_long PROPERTIES LABELS long TIMEOUT 1500 ENVIRONMENT FATBIN_COMPILERS=all)
  target_compile_definitions(test_fatbin_compilers PRIVATE
                             NVCC="${NVCC_PATH}" FATBINARY="${FATBINARY_PATH}" CLANG="${CLANG_PATH}")
endif()
vtegra_fuzz_test(fatbin fuzz/fuzz_fatbin.c ${fatbin} LIBS ${fatbin_libs})

if(NOT TARGET cuda)
  return()
endif()

add_test(NAME cuda_api_exports
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_cuda_api_exports.sh $<TARGET_FILE:cuda>
                 ${PROJECT_SOURCE_DIR}/runtime/api/cuda/cuda.def ${CUDA_STUB_LIBRARY_PATH})
vtegra_check_test(cuda_api_null test_cuda_api_null.c LIBS cuda ${CMAKE_DL_LIBS})
vtegra_check_test(cuda_api test_cuda_api.c LIBS cuda ${CMAKE_DL_LIBS})
vtegra_check_test(cuda_api_stress test_cuda_api_stress.c LIBS cuda Threads::Threads)
foreach(test test_cuda_api_null test_cuda_api test_cuda_api_stress)
  if(TARGET ${test})
    target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  endif()
endforeach()

# Programs as an application would be written: nothing of ours but the public header.
add_executable(cuda_codes api/cuda_codes.c api/cuda_codes_array.c api/cuda_codes_device.c api/cuda_codes_memory.c api/cuda_codes_work.c
               api/cuda_codes_virtual.c)
add_executable(cuda_procs api/cuda_procs.c)
add_executable(cuda_vadd api/cuda_vadd.c)
add_executable(cuda_array api/cuda_array.c)
add_executable(cuda_batch api/cuda_batch.c)
add_executable(cuda_graph api/cuda_graph.c)
add_executable(cuda_ipc api/cuda_ipc.c)
foreach(program cuda_codes cuda_procs cuda_vadd cuda_array cuda_batch cuda_graph cuda_ipc)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE cuda ${CMAKE_DL_LIBS})
  # The matrix passes NULL on purpose and prints function pointers as written.
  target_compile_options(${program} PRIVATE -Wno-nonnull -Wno-pedantic)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endforeach()

# What NVIDIA's driver answered; differences are listed with their reasons.
add_test(NAME cuda_codes
         COMMAND sh -c "\"$1\" >cuda_codes.txt; \"$2\" \"$3\" cuda_codes.txt \"$4\"" sh
                 $<TARGET_FILE:cuda_codes> ${CMAKE_CURRENT_SOURCE_DIR}/api/compare_codes.sh
                 ${golden}/cuda_codes_580.159.04.txt ${CMAKE_CURRENT_SOURCE_DIR}/api/cuda_codes.differences)
set_tests_properties(cuda_codes PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin" TIMEOUT 1200)
# What it answered to launches in clusters, and what their blocks saw.
separate_arguments(c_flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
add_test(NAME cluster_codes COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/cluster_codes.sh ${PROJECT_SOURCE_DIR}
                                    ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${golden}/cluster_codes_580.159.04.txt ${CMAKE_C_COMPILER} ${c_flags})
add_executable(ipc_killed ipc_killed.c)
target_link_libraries(ipc_killed PRIVATE cuda)
if(TARGET vtegra_board_client AND NOT CMAKE_C_FLAGS MATCHES "fsanitize")
  foreach(policy lazy eager)
    add_test(NAME ipc_killed_${policy} COMMAND vtegra_cli run -q --shared --soc orin --policy ${policy} -- $<TARGET_FILE:ipc_killed>)
    set_tests_properties(ipc_killed_${policy} PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles")
    vtegra_no_rerun(ipc_killed_${policy})
  endforeach()
  add_test(NAME cuda_ipc
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/cuda_ipc.sh $<TARGET_FILE:vtegra_cli> $<TARGET_FILE:cuda_ipc>
                   ${CMAKE_CURRENT_SOURCE_DIR}/api/compare_codes.sh ${golden}/cuda_ipc_580.159.04.txt
                   ${CMAKE_CURRENT_SOURCE_DIR}/api/cuda_ipc.differences)
  set_tests_properties(cuda_ipc PROPERTIES ENVIRONMENT "VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles" TIMEOUT 400)
endif()
# Graphs and capture, the runtime's calls as well: programs for a driver, and its answers beside them.
foreach(program graph_codes capture_codes rare_codes peer_codes texref_codes)
  add_executable(${program} golden/gen/${program}.cpp)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE cuda cudart Threads::Threads)
  target_compile_options(${program} PRIVATE -w -fno-sanitize=all) # it passes numbers that no enum has
  add_test(NAME cuda_${program}
           COMMAND sh -c "\"$1\" >${program}.txt; \"$2\" \"$3\" ${program}.txt \"$4\"" sh
                   $<TARGET_FILE:${program}> ${CMAKE_CURRENT_SOURCE_DIR}/api/compare_rows.sh
                   ${golden}/gen/${program}.txt ${CMAKE_CURRENT_SOURCE_DIR}/api/${program}.differences)
  set_tests_properties(cuda_${program} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin" TIMEOUT 600)
endforeach()
set_tests_properties(cuda_peer_codes PROPERTIES ENVIRONMENT "VTEGRA_SOC=drive-pegasus") # of two GPUs
# cuEventCreateFromEGLSync is in drivers for Tegra only; NVIDIA's was not asked for OpenGL's (cuGL, cuGraphicsGL).
add_test(NAME cuda_procs
         COMMAND sh -c "\"$1\" | grep -v -e cuEventCreateFromEGLSync -e cuGL -e cuGraphicsGL >cuda_procs.txt && diff \"$2\" cuda_procs.txt" sh $<TARGET_FILE:cuda_procs>
                 ${golden}/cuda_procs_580.159.04.txt)

foreach(policy eager lazy seeded)
  add_test(NAME cuda_graph_${policy} COMMAND cuda_graph)
  set_tests_properties(cuda_graph_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off")
  add_test(NAME cuda_array_${policy} COMMAND cuda_array)
  set_tests_properties(cuda_array_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off")
  vtegra_emulated(cuda_graph_${policy} cuda_array_${policy})
endforeach()
foreach(soc orin thor)
  add_test(NAME cuda_batch_${soc} COMMAND cuda_batch)
  set_tests_properties(cuda_batch_${soc} PROPERTIES ENVIRONMENT "VTEGRA_SOC=${soc};VTEGRA_CHECK=off")
  vtegra_emulated(cuda_batch_${soc})
endforeach()

# Vector addition on every SoC from PTX text; from what nvcc writes on two of them.
foreach(soc nano tx2 xavier-nx xavier orin-nano orin-nx orin thor)
  add_test(NAME cuda_vadd_${soc} COMMAND cuda_vadd)
  set_tests_properties(cuda_vadd_${soc} PROPERTIES ENVIRONMENT "VTEGRA_SOC=${soc}")
  vtegra_emulated(cuda_vadd_${soc})
endforeach()
foreach(policy eager seeded)
  add_test(NAME cuda_vadd_${policy} COMMAND cuda_vadd)
  set_tests_properties(cuda_vadd_${policy} PROPERTIES
                       ENVIRONMENT "VTEGRA_SOC=tx2;VTEGRA_POLICY=${policy};VTEGRA_SEED=7;VTEGRA_EVICT=seeded")
  vtegra_emulated(cuda_vadd_${policy})
endforeach()
vtegra_no_rerun(cuda_graph_seeded cuda_array_seeded cuda_vadd_seeded)
foreach(soc tx2 orin)
  add_test(NAME cuda_vadd_nvcc_${soc}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/cuda_vadd.sh $<TARGET_FILE:cuda_vadd>
                   ${CMAKE_CURRENT_SOURCE_DIR}/api ${NVCC_PATH})
  set_tests_properties(cuda_vadd_nvcc_${soc} PROPERTIES ENVIRONMENT "VTEGRA_SOC=${soc}" TIMEOUT 1200 LABELS once)
endforeach()
set_property(TEST cuda_vadd_nvcc_tx2 APPEND PROPERTY LABELS long) # the same files
