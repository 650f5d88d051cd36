#!/bin/sh
# SPDX-License-Identifier: MIT
# drive_shared.sh BUILD_DIR WORK_DIR: two programs on one board with two GPUs.
. "$(dirname "$0")/lib.sh"
by_clang drive_shared -g "$source/drive_shared.cu"
for how in "drive-pegasus lazy" "drive-px2 eager" "drive-pegasus seeded"; do
    # shellcheck disable=SC2086
    set -- $how
    expect "$how" 0 "" "$vtegra" run --shared --soc "$1" --policy "$2" --quiet -- ./drive_shared
    for line in "bad device 0: cudaErrorIllegalAddress -1" "bad device 1: cudaErrorIllegalAddress -1"; do
        also "$how" "$line"
    done
    tests=$((tests + 1))
    [ "$(grep -c '^good device [01]: cudaSuccess 50$' out)" = 6 ] || fail "$how: the other program's kernels"
done
finish
