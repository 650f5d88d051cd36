# SPDX-License-Identifier: MIT
# Programs and libraries for aarch64 Linux: Debian's cross compilers (gcc- and g++-aarch64-linux-gnu) and a folder with
# Debian's arm64 libraries, which scripts/cross-sysroot.sh unpacks. Programs of the build run in qemu-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

if(NOT DEFINED SYSROOT)
  set(SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/sysroot)
endif()
get_filename_component(CMAKE_SYSROOT ${SYSROOT} ABSOLUTE)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include/stdio.h)
  message(FATAL_ERROR "${CMAKE_SYSROOT} holds no arm64 libraries: run scripts/cross-sysroot.sh first")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SYSROOT)

set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# -rpath-link: libraries that our libraries' libraries need.
set(CMAKE_SHARED_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu:${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT ${CMAKE_SHARED_LINKER_FLAGS_INIT})

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

find_program(QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(QEMU_AARCH64)
if(QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU_AARCH64} -L ${CMAKE_SYSROOT})
endif()
