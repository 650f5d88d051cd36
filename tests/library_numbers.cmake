# SPDX-License-Identifier: MIT
# cuRAND and cuFFT. Included by library.cmake.
foreach(library curand.10 cufft.12 cufft.11)
  string(REPLACE "." ";" parts ${library})
  list(GET parts 0 name)
  list(GET parts 1 version)
  add_test(NAME library_exports_${name}_${version}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_library_exports.sh $<TARGET_FILE:${name}_${version}>
                   ${PROJECT_SOURCE_DIR}/runtime/api/${name}/${name}.def lib${name}.so.${version}
                   ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/lib${name}_static.a)
endforeach()

foreach(name curand cufft)
  add_executable(${name}_work api/${name}_work.c)
  target_include_directories(${name}_work PRIVATE ${PROJECT_SOURCE_DIR}/include)
  foreach(policy eager lazy seeded)
    add_test(NAME ${name}_work_${policy} COMMAND ${name}_work)
    set_tests_properties(${name}_work_${policy} PROPERTIES ENVIRONMENT "VTEGRA_SOC=orin;VTEGRA_POLICY=${policy};VTEGRA_CHECK=off" TIMEOUT 600)
  endforeach()
endforeach()
vtegra_no_rerun(curand_work_seeded cufft_work_seeded)
target_link_libraries(curand_work PRIVATE curand_10 cuda m)
target_link_libraries(cufft_work PRIVATE cufft_12 cuda m)

# Status codes of host generators, as NVIDIA's have them.
add_executable(curand_codes golden/gen/curand_codes.c)
target_include_directories(curand_codes PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(curand_codes PRIVATE curand_10)
add_test(NAME curand_codes COMMAND sh -c "$<TARGET_FILE:curand_codes> | diff '${golden}/curand_codes_10.4.txt' -")
vtegra_check_test(library_numbers test_library_numbers.c grid_rig.c LIBS model)
