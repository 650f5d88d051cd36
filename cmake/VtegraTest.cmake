# SPDX-License-Identifier: MIT
# Tests read the same in every folder:
#   vtegra_check_test(smmu test_smmu.c fake_bus.c LIBS model)      # ctest "smmu", program test_smmu
#   vtegra_fuzz_test(smmu_mmio fuzz/fuzz_smmu_mmio.c LIBS model)   # ctest "fuzz_smmu_mmio", 60 s
#   vtegra_mutant(mutant_x COMMAND run.sh x.patch)                 # ctest -L mutants

# vtegra_check_test(<name> <sources>... [LIBS <libraries>...] [LABELS <labels>...])
# Nothing happens where Check is not installed. Sources are looked for in the calling folder.
function(vtegra_check_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "" "LIBS;LABELS")
  if(NOT CHECK_FOUND)
    return()
  endif()
  add_executable(test_${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(test_${name} PRIVATE ${T_LIBS} PkgConfig::CHECK)
  target_compile_options(test_${name} PRIVATE -Wno-pedantic) # Check's macros pass no variadic argument
  add_test(NAME ${name} COMMAND test_${name})
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(APPEND T_LABELS aarch64) # scripts would start what the emulator has to start
  endif()
  # CK_FORK keeps one crash from hiding the other results. Time limits are for hangs alone: a machine that has other work
  # to do may take ten times as long as an idle one.
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}" TIMEOUT 1500 SKIP_RETURN_CODE 77
                       ENVIRONMENT_MODIFICATION "CK_DEFAULT_TIMEOUT=set:60;CK_TIMEOUT_MULTIPLIER=set:10")
endfunction()

# vtegra_test_emulator(<target>)
# For a test that starts programs of the build (tests/emulator.h): in a cross build it needs the emulator's name.
function(vtegra_test_emulator target)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " words)
    target_compile_definitions(${target} PRIVATE TEST_EMULATOR="${words}")
  endif()
endfunction()

# vtegra_emulated(<test>...)
# Tests whose command is a program of the build, which CMake starts in the emulator of a cross build: ctest -L aarch64
function(vtegra_emulated)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    set_property(TEST ${ARGN} APPEND PROPERTY LABELS aarch64)
  endif()
endfunction()

# vtegra_no_rerun(<test>...)
# Tests of determinism, replay, explore and kills: that a second run gives another answer is the fault they look for, so
# scripts/run-tests.sh does not repeat them. After the last set_tests_properties(... LABELS), which replaces labels.
function(vtegra_no_rerun)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS no_rerun)
    endif()
  endforeach()
endfunction()

# vtegra_mutant(<name> COMMAND <command>...)
# A rule broken on purpose by a patch, which some test must notice: ctest -L mutants
function(vtegra_mutant name)
  add_test(NAME ${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS mutants TIMEOUT 1000)
endfunction()

# vtegra_fuzz_test(<name> <sources>... [LIBS <libraries>...] [SEEDS <folders of the source tree>...])
# With FUZZ (preset fuzz) a fuzzer: ctest "fuzz_<name>", 60 s; what it finds goes to the build tree, and fuzzers.txt
# lists it for scripts/fuzz.sh. In other builds with sanitizers ctest "seeds_<name>" runs the seed inputs alone: those
# of SEEDS and of tests/fuzz/corpus/<name>, where it is there.
function(vtegra_fuzz_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "" "LIBS;SEEDS")
  if(NOT FUZZ AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize=address")
    return()
  endif()
  add_executable(fuzz_${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(fuzz_${name} PRIVATE ${T_LIBS})
  list(TRANSFORM T_SEEDS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE seeds)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    list(APPEND seeds ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  if(NOT FUZZ)
    target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/run_seeds.c)
    target_compile_options(fuzz_${name} PRIVATE -Wno-pedantic) # as vtegra_check_test()
    add_test(NAME seeds_${name} COMMAND fuzz_${name} ${seeds})
    return()
  endif()
  target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/options.c)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    file(WRITE ${PROJECT_BINARY_DIR}/fuzzers.txt "")
    add_custom_target(fuzzers) # what preset fuzz builds: the shared libraries cannot be linked in its flags
  endif()
  add_dependencies(fuzzers fuzz_${name})
  set(found ${CMAKE_CURRENT_BINARY_DIR}/corpus_${name})
  file(MAKE_DIRECTORY ${found})
  string(JOIN " " line ${name} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/fuzz_${name} ${found} ${seeds})
  file(APPEND ${PROJECT_BINARY_DIR}/fuzzers.txt "${line}\n")
  add_test(NAME fuzz_${name}
           COMMAND fuzz_${name} -max_total_time=60 -timeout=10 -rss_limit_mb=2048 -close_fd_mask=1 ${found} ${seeds})
  set_tests_properties(fuzz_${name} PROPERTIES LABELS "long;fuzz" TIMEOUT 180)
endfunction()
