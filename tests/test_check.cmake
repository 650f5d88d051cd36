# SPDX-License-Identifier: MIT
# Tests of trace, checker, runtime/observe, runtime/track and runtime/preload; included by CMakeLists.txt.
if(NOT CHECK_FOUND)
  return()
endif()
set(here ${CMAKE_CURRENT_LIST_DIR})

foreach(part demangle caller run run_parts run_sums suppress advice text units source source_file)
  vtegra_check_test(${part} ${here}/test_${part}.c LIBS rt_observe model)
endforeach()
target_compile_options(test_caller PRIVATE -g) # it looks for its own lines
target_compile_options(test_source PRIVATE -g)
foreach(part report report_file report_found report_trace api_notes)
  vtegra_check_test(${part} ${here}/test_${part}.c LIBS trace_report rt_observe model PkgConfig::JSON)
endforeach()
vtegra_check_test(checker ${here}/test_checker.c LIBS checker)
vtegra_check_test(timeline ${here}/test_timeline.c LIBS checker)
vtegra_check_test(machine ${here}/test_machine.c LIBS checker)
vtegra_check_test(rules ${here}/test_rules.c LIBS checker)
vtegra_check_test(kernel_rules ${here}/test_kernel_rules.c LIBS checker)
vtegra_check_test(words ${here}/test_words.c LIBS rt_observe)
vtegra_check_test(shell ${here}/test_shell.c LIBS rt_observe)
vtegra_check_test(sched_found ${here}/test_sched_found.c LIBS rt_observe model)
target_link_options(test_sched_found PRIVATE -rdynamic) # the checker looks for its function by name
vtegra_check_test(ranges ${here}/test_ranges.c LIBS rt_observe Threads::Threads)
vtegra_check_test(carry_lanes ${here}/test_carry_lanes.c LIBS rt_observe model)
vtegra_check_test(hook ${here}/test_hook.c LIBS rt_observe model)
target_compile_options(test_hook PRIVATE -g) # it looks for its own lines
target_link_options(test_hook PRIVATE -rdynamic) # hooks look for its scheduler by name
vtegra_check_test(tracefile ${here}/test_tracefile.c LIBS rt_observe)
vtegra_check_test(json_report ${here}/test_json_report.c LIBS rt_observe model PkgConfig::JSON)
vtegra_check_test(sarif ${here}/test_sarif.c LIBS rt_observe model PkgConfig::JSON)
vtegra_check_test(range ${here}/test_range.c LIBS rt_observe model)
foreach(part hb hb_forgot hb_line hb_like hb_many hb_stale hb_find hb_event hb_alloc hb_process hb_words spare)
  vtegra_check_test(${part} ${here}/test_${part}.c LIBS rt_observe model)
endforeach()
vtegra_check_test(access_log ${here}/test_access_log.c LIBS rt_observe hal_inproc vtegra_track)
target_link_options(test_access_log PRIVATE -rdynamic) # the checker looks for its scheduler by name
vtegra_check_test(lease ${here}/test_lease.c LIBS hal_inproc)
vtegra_check_test(access_log_threads ${here}/test_access_log_threads.c LIBS rt_observe hal_inproc)
set_tests_properties(access_log access_log_threads lease PROPERTIES ENVIRONMENT VTEGRA_PROFILES=${PROJECT_SOURCE_DIR}/profiles)
vtegra_check_test(stores ${here}/test_stores.c)
vtegra_check_test(objects ${here}/test_objects.c LIBS rt_observe hal_inproc)
target_link_options(test_objects PRIVATE -rdynamic) # as programs with hooks are linked
if(CMAKE_CROSSCOMPILING)
  target_compile_definitions(test_objects PRIVATE TEST_CC="${CMAKE_C_COMPILER} --sysroot=${CMAKE_SYSROOT}")
endif()
vtegra_check_test(track_api ${here}/test_track_api.c LIBS vtegra_track)

# The rest runs programs with signal handlers and hooks of their own, which sanitizers would catch first.
if(CMAKE_C_FLAGS MATCHES "fsanitize")
  return()
endif()

# Driver core and board in one small library; its name makes it one of ours for the checker.
add_library(vtegra-testboard SHARED ${here}/test_check_board.c)
target_compile_options(vtegra-testboard PRIVATE -fno-optimize-sibling-calls) # the entry's name
target_link_libraries(vtegra-testboard PRIVATE rt_observe model)

# --- fault ---------------------------------------------------------------------------------------------
function(fault_app name)
  add_executable(${name} ${here}/test_fault_app.c)
  target_compile_options(${name} PRIVATE -g -O1 ${ARGN})
  target_link_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE vtegra-testboard)
endfunction()
fault_app(test_fault_app)

vtegra_check_test(fault ${here}/test_fault.c LIBS PkgConfig::GLIB)
target_compile_definitions(test_fault PRIVATE FAULT_APP_SOURCE="${here}/test_fault_app.c"
                           FAULT_APP="$<TARGET_FILE:test_fault_app>"
                           PRELOAD="$<TARGET_FILE:vtegra-preload>")
add_dependencies(test_fault test_fault_app vtegra-preload)
vtegra_test_emulator(test_fault)
fault_app(test_fault_app_asan -fsanitize=address)
target_compile_definitions(test_fault PRIVATE FAULT_APP_ASAN="$<TARGET_FILE:test_fault_app_asan>")
add_dependencies(test_fault test_fault_app_asan)

# --- track ---------------------------------------------------------------------------------------------
# One program by each compiler that is here, linked without -fsanitize=thread, as a user would.
set(apps)
function(track_app compiler)
  if(CMAKE_CROSSCOMPILING AND compiler STREQUAL gcc)
    set(TRACK_gcc ${CMAKE_C_COMPILER} --sysroot=${CMAKE_SYSROOT})
  elseif(CMAKE_CROSSCOMPILING)
    return() # clang-19 would need a linker of its own for another machine
  else()
    find_program(TRACK_${compiler} ${compiler})
  endif()
  if(NOT TRACK_${compiler})
    return()
  endif()
  set(app ${CMAKE_CURRENT_BINARY_DIR}/test_track_app_${compiler})
  set(source ${here}/test_track_app.c)
  add_custom_command(OUTPUT ${app}
    COMMAND ${TRACK_${compiler}} -std=c17 -D_GNU_SOURCE -I${here}/.. -g -O1 -fsanitize=thread ${ARGN}
            -c ${source} -o ${app}.o
    COMMAND ${TRACK_${compiler}} ${app}.o -o ${app} $<TARGET_FILE:vtegra-testboard>
            $<TARGET_FILE:vtegra_track> -pthread -Wl,-rpath,$<TARGET_FILE_DIR:vtegra-testboard>
            -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset
    DEPENDS ${source} ${here}/test_check_board.h vtegra-testboard vtegra_track VERBATIM)
  set(apps ${apps} ${app} PARENT_SCOPE)
endfunction()
track_app(gcc)
track_app(clang-19 -fno-vectorize -fno-slp-vectorize
          -mllvm -tsan-compound-read-before-write=1)
add_custom_target(track_apps DEPENDS ${apps})

vtegra_check_test(track ${here}/test_track.c LIBS PkgConfig::JSON)
list(TRANSFORM apps REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE quoted)
list(JOIN quoted "," quoted)
target_compile_definitions(test_track PRIVATE TRACK_APPS=${quoted}
                           TRACK_APP_SOURCE="${here}/test_track_app.c")
add_dependencies(test_track track_apps)
vtegra_test_emulator(test_track)

vtegra_check_test(track_libc ${here}/test_track_libc.c LIBS vtegra_track)
target_compile_options(test_track_libc PRIVATE -U_FORTIFY_SOURCE -fno-builtin) # each call is one
target_link_options(test_track_libc PRIVATE @${PROJECT_BINARY_DIR}/lib/vtegra_track.wrap -rdynamic)
