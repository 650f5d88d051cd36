#!/bin/sh
# SPDX-License-Identifier: MIT
# Asks our cuBLAS what NVIDIA's was asked on a GPU (golden/gen/cublas_codes.cpp), and compares the answers.
# Usage: cublas_codes.sh SOURCE LIB GOLDEN CXX [FLAG...]     the flags are the build's, a sanitizer's among them
#
# Where NVIDIA's library ended with a signal ours must answer; what it says is not compared.
set -eu
source=$1
lib=$2
golden=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$@" -O1 -I"$source/include" "$source/tests/golden/gen/cublas_codes.cpp" -o "$work/ask" -L"$lib" -lcublas -lcudart
VTEGRA_SOC=orin VTEGRA_QUIET=1 VTEGRA_REPORT=/dev/null LD_LIBRARY_PATH=$lib "$work/ask" >"$work/ours"
# The first line names the library and its driver.
sed 1d "$golden" | sed '/= signal$/d' >"$work/theirs"
grep -vxFf "$work/theirs" "$work/ours" >"$work/more" || true
sed -n 's/ = signal$//p' "$golden" | while read -r what; do
    grep -qF "$what = " "$work/more" || echo "FAIL: no answer: $what"
done >"$work/silent"
signals=$(grep -c '= signal$' "$golden" || true)
if [ "$(wc -l <"$work/ours")" != "$(($(wc -l <"$work/theirs") + signals))" ] || [ "$(wc -l <"$work/more")" != "$signals" ] ||
    [ -s "$work/silent" ]; then
    diff "$work/theirs" "$work/ours" || true
    cat "$work/silent"
    exit 1
fi
echo "$(wc -l <"$work/theirs") answers as NVIDIA's"
