#!/bin/sh
# SPDX-License-Identifier: MIT
# An unmodified vector addition on every board and under every policy (in ./check each board has one of them).
# Usage: vadd.sh BUILD_DIR WORK_DIR clang|nvcc-shared|nvcc-static [long]; 77: no nvcc
. "$(dirname "$0")/lib.sh"
[ -n "$sanitized" ] || one_target= # all, as for a user
thorough=${4:-}
case $3 in
clang) by_clang vadd "$source/vadd.cu" ;;
nvcc-shared) need_nvcc && by_nvcc_shared vadd "$source/vadd.cu" ;;
nvcc-static) need_nvcc && by_nvcc_static vadd "$source/vadd.cu" ;;
*) exit 2 ;;
esac
for soc in $socs; do
    for policy in lazy eager "seeded --seed 1" "seeded --seed 2" "seeded --seed 300"; do
        in_turn 5 || continue
        # 0 + 1 + ... + 4999 and 5000 halves, by hand
        # shellcheck disable=SC2086
        expect "$soc $policy" 0 "sum 12500000.0" "$vtegra" run -q --soc "$soc" --policy $policy -- ./vadd
    done
done
for evict in never lru "seeded --seed 5"; do
    # shellcheck disable=SC2086
    expect "evictions $evict" 0 "sum 12500000.0" "$vtegra" run -q --soc tx2 --evict $evict -- ./vadd
done
finish
