#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands where CMake expects NVIDIA's nvlink and fatbinary for a device link by clang (cmake/vtegra-toolchain.cmake):
#     nvlink -arch=sm_NN [--register-link-binaries=FILE] -o=OUT OBJECT...      once for each target
#     nvlink ... --embedded-fatbin=OUT ...                                     and for what they make
# The PTX of all objects is linked when the program starts, so the one thing to make is the object file that registers them:
# FILE. CMake wants the others as files.
set -eu
vtegra=$(cd "$(dirname "$0")/../../../.." && pwd)/bin/vtegra
register=
for word; do
    case $word in
    -o=*) : >"${word#-o=}" ;;
    --embedded-fatbin=*) : >"${word#--embedded-fatbin=}" ;;
    --register-link-binaries=*) register=${word#--register-link-binaries=} ;;
    esac
done
[ -n "$register" ] || exit 0
# The words that are left, each as it was given.
n=$#
while [ "$n" -gt 0 ]; do
    word=$1
    shift
    case $word in
    -o=* | -arch=* | --register-link-binaries=*) ;;
    *) set -- "$@" "$word" ;;
    esac
    n=$((n - 1))
done
exec "$vtegra" cc -dlink "$@" -o "$register"
