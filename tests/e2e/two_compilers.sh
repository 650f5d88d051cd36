#!/bin/sh
# SPDX-License-Identifier: MIT
# determinism.sh between this build and one by the other compiler (gcc: clang-19; clang: gcc), built here on one core.
# Usage: two_compilers.sh BUILD_DIR WORK_DIR GNU|Clang
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1 work=$2
case $3 in
GNU) cc=clang-19 cxx=clang++-19 ;;
*) cc=gcc cxx=g++ ;;
esac
mkdir -p "$work" || exit 2
other=$work/$cc
command -v $cc >/dev/null || {
    echo "SKIP: no $cc"
    exit 77
}
{
    cmake --preset release -S "$root" -B "$other" -DCMAKE_C_COMPILER=$cc -DCMAKE_CXX_COMPILER=$cxx &&
        nice cmake --build "$other" -j 1 --target vtegra vtegra_cli vtegra-preload cuda cudart cudart_static
} >"$work/build.log" 2>&1 || {
    tail -30 "$work/build.log"
    exit 1
}
"$here/determinism.sh" "$build" "$work/programs" "$other"
