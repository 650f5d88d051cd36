# SPDX-License-Identifier: MIT
# Writes the C file with contract_here: the same for the same sources and history, on every machine.
# Usage: cmake -D SOURCE=DIR -D OUT=FILE -P make.cmake
include(${CMAKE_CURRENT_LIST_DIR}/sources.cmake)
set(files)
foreach(pattern IN LISTS contract_patterns)
  file(GLOB found RELATIVE ${SOURCE} LIST_DIRECTORIES false ${SOURCE}/${pattern})
  if(NOT found)
    message(FATAL_ERROR "contract/sources.cmake names ${pattern}, and there is none")
  endif()
  list(APPEND files ${found})
endforeach()
list(SORT files COMPARE STRING)

set(text)
foreach(file IN LISTS files)
  file(SHA256 ${SOURCE}/${file} hash)
  string(APPEND text "${file} ${hash}\n")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)

# Who is older: only history knows. Without git, or outside of a clone: 0.
set(time 0)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%ct -- ${files}
                  OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain -- ${files}
                  OUTPUT_VARIABLE changed ERROR_QUIET)
  if(NOT time MATCHES "^[0-9]+$")
    set(time 0)
  elseif(changed)
    math(EXPR time "${time} + 1")
  endif()
endif()

file(WRITE ${OUT} "/* Made by contract/make.cmake. */
#include \"contract/contract.h\"

const struct contract contract_here = { .hash = UINT64_C(0x${hash}), .time = ${time} };
")
