#!/bin/sh
# SPDX-License-Identifier: MIT
# What CUDA C++ programs use, on four generations of boards. Usage: features.sh BUILD_DIR WORK_DIR clang|nvcc [long]
. "$(dirname "$0")/lib.sh"
[ -n "$sanitized" ] || one_target= # all, as for a user
thorough=${4:-}
names="constants device_variables device_printf templates dynamic_shared streams atomics shuffles device_heap"
if [ "$3" = clang ]; then
    # clang 19 has no __managed__ variables for CUDA, and says so
    by_clang features -DNO_MANAGED_VARIABLES "$source/features.cu"
    one_target="--arch sm_53"
    by_clang grid_sync "$source/grid_sync.cu"
    by_clang kernel_assert -g "$source/kernel_assert.cu"
    expect "__managed__ with clang" 1 "use cudaMallocManaged" "$vtegra" cc --arch sm_87 -c "$source/features.cu" -o features.o
    forms=.
else
    need_nvcc
    names="$names managed_variables"
    by_nvcc_shared features.o -c "$source/features.cu"
    by_nvcc_shared features features.o
    by_nvcc_shared grid_sync "$source/grid_sync.cu"
    by_nvcc_shared kernel_assert -lineinfo "$source/kernel_assert.cu"
    mkdir -p static
    by_nvcc_static static/features features.o
    if [ "$thorough" = long ]; then
        by_nvcc_static static/grid_sync "$source/grid_sync.cu"
        by_nvcc_static static/kernel_assert -lineinfo "$source/kernel_assert.cu"
    fi
    forms=". static"
fi

boards="nano tx2 orin thor"
for form in $forms; do
    for soc in $boards; do
        for policy in lazy eager "seeded --seed 4"; do
            in_turn 3 || continue
            # shellcheck disable=SC2086
            expect "features $form $soc $policy" 0 "" "$vtegra" run -q --soc $soc --policy $policy -- ./$form/features
            for name in $names; do
                grep -qx "$name ok" out || fail "$form $soc $policy: $name"
            done
            # What the C standard says of these formats and values
            also "printf $form" "hello 0.0 0.00 z 123456789abcdef %"
            also "printf $form" "hello 0.32 0.50 z 123456789abce0f %"
        done
    done
    boards=tx2 # enough for another way to link the same runtime
    [ $form = . ] || [ "$thorough" = long ] || continue
    expect "grid sync $form nano" 0 "no grid sync on this board: cudaErrorNotSupported" "$vtegra" run -q --soc nano -- \
        ./$form/grid_sync
    for soc in tx2 orin; do
        for policy in lazy eager "seeded --seed 9"; do
            in_turn 3 || continue
            # shellcheck disable=SC2086
            expect "grid sync $form $soc" 0 "grid sync ok, too large a grid: cudaErrorCooperativeLaunchTooLarge" \
                "$vtegra" run -q --soc $soc --policy $policy -- ./$form/grid_sync
        done
    done
    expect "assert $form" 0 "cudaErrorAssert 5 cudaErrorAssert" "$vtegra" run -- ./$form/kernel_assert
    also "assert's message $form" "kernel_assert.cu:13: "
    also "assert's condition $form" "block: [0,0,0], thread: [31,0,0] Assertion \`(int)threadIdx.x < limit\` failed."
    also "report of assert $form" "a failed assertion in block (0,0,0), thread (31,0,0): cudaErrorAssert"
    also "line of assert $form" "where e2e/kernel_assert.cu:13"
done
finish
