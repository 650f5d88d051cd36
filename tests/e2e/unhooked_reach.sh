#!/bin/sh
# SPDX-License-Identifier: MIT
# unhooked_reach.sh BUILD_DIR WORK_DIR: programs without compiler hooks whose kernels reach memory by texture objects or a managed variable,
# whose streams set values and wait for them, or whose accesses are stepped. Mistakes are found at their lines on four boards; right programs have no finding.
. "$(dirname "$0")/lib.sh"
pages_are_closed
reach=$source/unhooked_reach.cu
by_clang unhooked_reach -g -O1 "$reach" -lcuda

# found PROGRAM CASE MARK BOARD POLICY
found() {
    # shellcheck disable=SC2086 # words
    "$vtegra" run --soc "$4" --policy $5 --report report -- ./"$1" "$2" >out 2>&1
    tests=$((tests + 2))
    [ "$(grep -cE "^  [0-9]+\. (error|warning):" report)" = 1 ] && grep -q "rule  *race (" report || fail "$2 $4 $5: not one race"
    grep -qE "where .*unhooked_reach.cu:($(grep -n "// $3\$" "$reach" | cut -d: -f1 | paste -sd '|')) in" report || fail "$2 $4 $5: at another line"
}
# silent PROGRAM CASE BOARD POLICY
silent() {
    # shellcheck disable=SC2086 # words
    expect "$2 $3 $4" 0 right "$vtegra" run --soc "$3" --policy $4 --report report -- ./"$1" "$2"
    tests=$((tests + 1))
    ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "$2 $3 $4: a finding"
}
for board in tx2 xavier orin thor; do
    for policy in lazy eager "seeded --seed 1" "seeded --seed 2"; do
        in_turn 3 || [ "$policy" = lazy ] || continue
        for what in texture:TEXTURE rows:ROWS value_written:WRITTEN value_waited:WAITED ostream:OSTREAM gather:GATHER step:STEP; do
            found unhooked_reach race_${what%:*} ${what#*:} $board "$policy"
        done
        for what in texture_read value_written value_waited gather_masked step_beside; do
            silent unhooked_reach $what $board "$policy"
        done
    done
done
# clang has no managed variables
if [ -n "$nvcc" ]; then
    by_nvcc_shared reach_nvcc -g -O1 -arch=sm_87 "$reach" -L"$lib" -lcuda
    for policy in lazy eager; do
        found reach_nvcc race_managed MANAGED thor $policy
        silent reach_nvcc managed thor $policy
        silent reach_nvcc managed orin $policy
    done
fi
finish
