#!/bin/sh
# SPDX-License-Identifier: MIT
# A project of somebody else's finds vtegra: by find_package() and by pkg-config, in C against cuda.h.
# Usage: package.sh PREFIX_OR_BUILD_FOLDER OWN_FOLDER
prefix=$1
failed=0
rm -rf "$2/a project" && mkdir -p "$2/a project" && cd "$2/a project" || exit 1

fail() {
    echo "FAILED: $*"
    cat log
    failed=1
}

cat >app.c <<'CODE'
#include <cuda.h>
#include <stdio.h>

int main(void)
{
    char name[64] = "";
    CUdevice device;

    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDeviceGetName(name, sizeof(name), device)) {
        return 1;
    }
    printf("on %s\n", name);
    return 0;
}
CODE
cat >CMakeLists.txt <<'CODE'
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C)
find_package(vtegra 0.1 REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE vtegra::cuda)
enable_testing()
add_test(NAME app COMMAND ${VTEGRA_EXECUTABLE} run -q --soc tx2 -- $<TARGET_FILE:app>)
CODE
cmake -B build -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 || fail "cmake does not find the package"
cmake --build build >log 2>&1 || fail "the project does not build"
ctest --test-dir build -V >log 2>&1 || fail "the program does not run"
grep -q "on NVIDIA Tegra X2" log || fail "not the TX2's name"

sed -i 's/vtegra 0.1 /vtegra 99 /' CMakeLists.txt
cmake -B other -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 && fail "version 99 was found"

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # a list of flags
cc app.c -o by_pkg_config $(pkg-config --cflags --libs vtegra) >log 2>&1 || fail "pkg-config's flags do not build it"
"$prefix/bin/vtegra" run -q --soc orin -- ./by_pkg_config >log 2>&1 || fail "the program of pkg-config does not run"
grep -q "on Orin" log || fail "not Orin's name"
exit $failed
